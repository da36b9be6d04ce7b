"""What a verdict depends on besides the transcript (rulebook §13)."""

from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from hashlib import sha256
from importlib import import_module
from importlib.resources import files
from pathlib import Path
from types import ModuleType
from typing import Any

from crab_graph.domains.task import Task
from crab_graph.schema import digest, source_hashes
from crab_graph.text.lexicon import lexicon_hash
from crab_graph.text.mentions import LISTING_CAP
from crab_graph.tools.registry import Owner

WORLD = ("domain", "task", "tools")
"""Parts that say in which world the calls were made: with others a replay means nothing."""

_VERIFIER = (
    "crab_graph.domain",
    "crab_graph.eval",
    "crab_graph.eval.verifiers",
    "crab_graph.text",
)


def grading_stamp(task: Task, listing_cap: int | None = LISTING_CAP) -> dict[str, Any]:
    """Return the hashes and switches that a verdict on a task depends on."""
    domain = task.domain
    registry = domain.registry()
    return {
        "verifier": _hash_sources((*_VERIFIER, *domain.grading.modules)),
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
def _hash_sources(names: tuple[str, ...]) -> str:
    """Hash the sources of packages and modules; those not there, as in a notebook, are nothing."""
    return digest([line for name in names for line in _sources(import_module(name))])


def _sources(module: ModuleType) -> Sequence[tuple[str, str]]:
    if hasattr(module, "__path__"):
        return source_hashes(files(module), module.__name__, deep=False)
    source = getattr(module, "__file__", None)
    if source is None or not Path(source).is_file():
        return ()
    return [(module.__name__, sha256(Path(source).read_bytes()).hexdigest())]
