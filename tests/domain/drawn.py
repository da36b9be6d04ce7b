"""Declared domains, drawn from as generation does."""

from functools import cache
from itertools import product

from hypothesis import strategies as st

from crab_graph.domain.blueprint import Blueprint
from crab_graph.domain.drafting import Drafting
from crab_graph.domain.request_types import Profile, request_model, task_axes
from crab_graph.domains.clinic.domain import CLINIC
from crab_graph.domains.travel.domain import TRAVEL

DECLARATIONS = {one.name: one for one in (CLINIC.declaration, TRAVEL.declaration)}

seeds = st.integers(0, 10**6)


@cache
def blueprint_of(declaration):
    return Blueprint(declaration, request_model(declaration), Profile)


def drafting_of(declaration):
    return Drafting(blueprint_of(declaration))


def strata(declaration):
    """All combinations of values on the axes."""
    axes = task_axes(declaration)
    return [
        dict(zip((axis.name for axis in axes), values, strict=True))
        for values in product(*(axis.values for axis in axes))
    ]
