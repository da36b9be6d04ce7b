"""What calls of chat models took: how many, how many tokens, how many attempts failed.

Usage is a plain dict, because it rests in checkpoints and records: by model, as it was asked for.
Adding two of them gives a third; nothing is ever changed in place.
"""

from collections import Counter
from collections.abc import Mapping
from typing import Any, NamedTuple, cast

from typing_extensions import TypedDict

TOKENS = ("input_tokens", "cached_tokens", "output_tokens", "reasoning_tokens")
"""Cached tokens are among the input ones, reasoning tokens among the output ones."""

PARTIES = ("agent", "user")
"""Whose models are counted apart."""

MOCK_MODEL = "crab-graph-mock"
"""The name under which `mock-llm` answers; results that hold it are labelled as no model's."""

_ABOUT = ("answered_by", "settings")


class ModelUsage(TypedDict, total=False):
    """What one model did.

    Uncounted are answers that did not say how many tokens they took; attempts failed by kind. It
    may answer under another name, and was asked with the settings that were in the request.
    """

    calls: int
    uncounted: int
    input_tokens: int
    cached_tokens: int
    output_tokens: int
    reasoning_tokens: int
    failed: dict[str, int]
    answered_by: str
    settings: dict[str, Any]


Usage = Mapping[str, ModelUsage]
"""By model."""


class Totals(NamedTuple):
    """Usage of all models together."""

    calls: int = 0
    failed: int = 0
    uncounted: int = 0
    input_tokens: int = 0
    output_tokens: int = 0

    @property
    def tokens(self) -> int:
        """Tokens read and written."""
        return self.input_tokens + self.output_tokens


def add_usage(*parts: Usage) -> dict[str, ModelUsage]:
    """Return the sum of several usages."""
    found: dict[str, ModelUsage] = {}
    for part in parts:
        for model, one in part.items():
            found[model] = _added(found[model], one) if model in found else one
    return found


def reading_of(usage: Usage) -> dict[str, ModelUsage]:
    """Return the part of a usage that went into reading."""
    written = ("output_tokens", "reasoning_tokens")
    return {
        model: cast(ModelUsage, {key: one for key, one in used.items() if key not in written})
        for model, used in usage.items()
    }


def totals(usage: Usage) -> Totals:
    """Return the sum over all models."""
    rows: list[Mapping[str, Any]] = list(usage.values())
    summed = ("calls", "uncounted", "input_tokens", "output_tokens")
    sums = {name: sum(row.get(name, 0) for row in rows) for name in summed}
    return Totals(**sums, failed=sum(sum(row.get("failed", {}).values()) for row in rows))


def is_mock(usage: Usage) -> bool:
    """Return whether a model that was asked turned out to be the server without a model."""
    return any(MOCK_MODEL in {model, one.get("answered_by")} for model, one in usage.items())


def _added(first: Mapping[str, Any], second: Mapping[str, Any]) -> ModelUsage:
    found: Any = {}
    for name in ("calls", "uncounted", *TOKENS):
        if name in first or name in second:
            found[name] = first.get(name, 0) + second.get(name, 0)
    failed = Counter(first.get("failed", {})) + Counter(second.get("failed", {}))
    if failed:
        found["failed"] = dict(failed)
    found |= {name: value for name in _ABOUT if (value := second.get(name) or first.get(name))}
    counted: ModelUsage = found
    return counted
