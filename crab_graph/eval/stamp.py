"""What a verdict depends on besides the transcript (rulebook §13)."""

import sys
from collections.abc import Iterable, Mapping
from functools import cache
from importlib.resources import files
from typing import Any

from crab_graph.domains.task import Task
from crab_graph.schema import digest, source_hashes
from crab_graph.text.lexicon import lexicon_hash
from crab_graph.text.mentions import LISTING_CAP
from crab_graph.tools.registry import Owner

WORLD = ("domain", "task", "tools")
"""Parts that say in which world the calls were made: with others a replay means nothing."""

_VERIFIER = ("crab_graph.eval", "crab_graph.eval.verifiers", "crab_graph.text")


def grading_stamp(task: Task, listing_cap: int | None = LISTING_CAP) -> dict[str, Any]:
    """Return the hashes and switches that a verdict on a task depends on."""
    domain = task.domain
    registry = domain.registry()
    home = sys.modules[domain.grading.checks.__module__]
    return {
        "verifier": _hash_sources((*_VERIFIER, home.__package__ or home.__name__)),
        "lexicon": lexicon_hash(),
        "vocabulary": domain.grading.vocabulary().sha256,
        "domain": domain.name,
        "task": digest(task.spec.model_dump(mode="json")),
        "tools": digest([registry.openai_schemas(owner) for owner in Owner]),
        "listing_cap": listing_cap,
    }


def differing(
    before: Mapping[str, Any], after: Mapping[str, Any], among: Iterable[str] | None = None
) -> list[str]:
    """Return the parts, of all or some, in which two stamps differ.

    A part that one of them lacks is no difference.
    """
    names = before.keys() & after.keys() & (after.keys() if among is None else set(among))
    return sorted(name for name in names if before[name] != after[name])


@cache
def _hash_sources(packages: tuple[str, ...]) -> str:
    """Hash the sources of packages; those not there, as in a frozen application, are nothing."""
    hashed = (source_hashes(files(package), package, deep=False) for package in packages)
    return digest([line for lines in hashed for line in lines])
