"""From a declaration to a `Domain` (design §14): each part is a function of the blueprint."""

from collections.abc import Callable, Mapping
from dataclasses import fields
from functools import partial
from typing import Any

from crab_graph.domain.blueprint import Blueprint
from crab_graph.domain.clientele import people_of
from crab_graph.domain.contract import Domain
from crab_graph.domain.declaration import Declaration, texts_of
from crab_graph.domain.declared_checks import DeclaredChecks
from crab_graph.domain.derived_claims import claims
from crab_graph.domain.derived_lexicon import briefing
from crab_graph.domain.derived_vocabulary import vocabulary
from crab_graph.domain.drafting import Drafting
from crab_graph.domain.fact_reach import (
    charging_facts,
    covered_checks,
    deciding_checks,
    profile_facts,
    wished_refs,
)
from crab_graph.domain.identification import (
    breakage_finder,
    describer,
    slot_finder,
    solution_reader,
    value_shower,
)
from crab_graph.domain.request_types import Profile, facts_of, request_model, task_axes
from crab_graph.domain.stocking import materialize
from crab_graph.domain.strata import group_of, task_properties
from crab_graph.domain.surfaces import surfaces
from crab_graph.domain.toolkit import agent_kits, with_tools
from crab_graph.domain.validation import require_sound
from crab_graph.domain.verification import Grading

Part = Callable[[Blueprint], Any]

PARTS: Mapping[str, Part] = {
    "name": lambda blueprint: blueprint.declaration.name,
    "job": lambda blueprint: blueprint.declaration.job,
    "slots": lambda blueprint: blueprint.slots,
    "tables": lambda blueprint: blueprint.tables,
    "request_type": lambda blueprint: blueprint.request_type,
    "profile_type": lambda blueprint: blueprint.profile_type,
    "build_graph": lambda blueprint: blueprint.build_graph,
    "kinds": lambda blueprint: with_tools(blueprint.declaration, blueprint.kinds),
    "toolsets": agent_kits,
    "draft": lambda blueprint: Drafting(blueprint).draft,
    "with_edges": lambda blueprint: Drafting(blueprint).with_edges,
    "optional_edges": lambda blueprint: Drafting(blueprint).optional_edges,
    "facts": lambda blueprint: partial(facts_of, blueprint.declaration),
    "axes": lambda blueprint: task_axes(blueprint.declaration),
    "properties": lambda blueprint: task_properties(blueprint.declaration),
    "group": lambda blueprint: partial(group_of, blueprint.declaration),
    "materialize": lambda blueprint: partial(materialize, blueprint),
    "surfaces": surfaces,
    "describe_solution": describer,
    "briefing": lambda blueprint: briefing(blueprint.declaration),
    "declaration": lambda blueprint: blueprint.declaration,
    "people": lambda blueprint: partial(people_of, blueprint),
}
"""How each field of a `Domain` is derived, but for its grading."""

GRADING_PARTS: Mapping[str, Part] = {
    "declared": lambda blueprint: DeclaredChecks(blueprint).declared,
    "constraints": lambda blueprint: DeclaredChecks(blueprint).constraints,
    "slot_of": slot_finder,
    "solution_of": solution_reader,
    "show_value": value_shower,
    "broken_rows": breakage_finder,
    "vocabulary": lambda blueprint: partial(vocabulary, blueprint.declaration),
    "claims": lambda blueprint: claims(blueprint.declaration),
    "covered_checks": lambda blueprint: covered_checks(DeclaredChecks(blueprint)),
    "deciding_checks": lambda blueprint: deciding_checks(DeclaredChecks(blueprint)),
    "charging_facts": lambda blueprint: charging_facts(blueprint.declaration),
    "profile_facts": lambda blueprint: profile_facts(blueprint.declaration),
    "wished": lambda blueprint: wished_refs(blueprint.declaration),
    "amenities": lambda blueprint: tuple(texts_of(blueprint.declaration.amenities)),
    "modules": lambda blueprint: blueprint.declaration.modules,
}
"""How each field of its `Grading` is derived."""


def build(declaration: Declaration, **overrides: Any) -> Domain:
    """Return the domain of a declaration.

    Args:
        declaration: What its author says.
        overrides: Fields of `Domain` or of its `Grading` that are to be otherwise than derived;
            what is derived of tables, kinds or graphs is derived of the given ones.

    Raises:
        DeclarationError: the declaration cannot be right; there is a line for each problem.
        TypeError: an override is no field of either.
    """
    require_sound(declaration)
    request_type = overrides.get("request_type") or request_model(declaration)
    profile_type = overrides.get("profile_type", Profile)
    blueprint = Blueprint(declaration, request_type, profile_type, overrides)
    of_grading = {one.name for one in fields(Grading)} & overrides.keys()
    own = {name: value for name, value in overrides.items() if name not in of_grading}
    if "grading" not in own:
        given = {name: overrides[name] for name in of_grading}
        own["grading"] = Grading(**_derived(GRADING_PARTS, given, blueprint))
    return Domain(**_derived(PARTS, own, blueprint))


def _derived(
    parts: Mapping[str, Part], given: Mapping[str, Any], blueprint: Blueprint
) -> dict[str, Any]:
    derived = {name: part(blueprint) for name, part in parts.items() if name not in given}
    return {**derived, **given}
