"""What a verdict depends on besides the transcript (rulebook §13)."""

import hashlib
import sys
from collections.abc import Iterable, Mapping
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable
from typing import Any

from crab_graph.domains.task import Task
from crab_graph.schema import digest
from crab_graph.text.lexicon import lexicon_hash
from crab_graph.text.mentions import LISTING_CAP
from crab_graph.tools.tool import Owner

WORLD = ("domain", "task", "tools")
"""Parts that say in which world the calls were made: with others a replay means nothing."""

_VERIFIER = ("crab_graph.eval", "crab_graph.eval.verifiers", "crab_graph.text")
_SOURCES = (".py", ".toml")


def grading_stamp(task: Task, listing_cap: int | None = LISTING_CAP) -> dict[str, Any]:
    """Return the hashes and switches that a verdict on a task depends on."""
    domain = task.domain
    registry = domain.registry()
    return {
        "verifier": _hash_sources((*_VERIFIER, _package_of(domain.grading.checks))),
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
    """Return the parts in which two stamps differ; a part that one of them lacks is no difference.

    Args:
        before: A stamp.
        after: Another.
        among: The parts to compare; by default all.
    """
    names = before.keys() & after.keys() & (after.keys() if among is None else set(among))
    return sorted(name for name in names if before[name] != after[name])


@cache
def _hash_sources(packages: tuple[str, ...]) -> str:
    """Return the hash of the sources of some packages, so that no version has to be kept by hand.

    Sources that are not there, as in a frozen application, hash as nothing.
    """
    listed = [entry for package in packages for entry in _sources(files(package))]
    lines = [(name, hashlib.sha256(entry.read_bytes()).hexdigest()) for name, entry in listed]
    return digest(lines)


def _sources(folder: Traversable) -> list[tuple[str, Traversable]]:
    entries = sorted(folder.iterdir(), key=lambda entry: entry.name)
    return [(entry.name, entry) for entry in entries if entry.name.endswith(_SOURCES)]


def _package_of(function: Any) -> str:
    module = sys.modules[function.__module__]
    return module.__package__ or module.__name__
