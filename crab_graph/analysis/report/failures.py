"""Why episodes failed, counted: failure modes (paper tables 4 and 5), and parts never found."""

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

from crab_graph.analysis.report.labels import PARTS
from crab_graph.eval.explanation import Found
from crab_graph.eval.failure_mode import FailureMode, part_of
from crab_graph.runs.record import EpisodeRecord


def failure_tables(records: Iterable[EpisodeRecord]) -> dict[str, dict[str, Any]]:
    """Return, for each part of the verdict, how often each failure mode occurs, and its share.

    An episode counts once for each mode it shows; shares are of all modes of a part.
    """
    counts = Counter(FailureMode(name) for record in records for name in record.failures)
    tables: dict[str, dict[str, Any]] = {}
    for part in PARTS.values():
        own = {mode: counts[mode] for mode in FailureMode if part_of(mode) == part and counts[mode]}
        total = sum(own.values())
        ordered = sorted(own.items(), key=lambda item: -item[1])
        modes = {str(mode): {"count": n, "share": n / total} for mode, n in ordered}
        tables[part] = {"count": total, "modes": modes}
    return tables


def solution_parts(records: Sequence[EpisodeRecord]) -> dict[str, Any]:
    """Return what became of the parts of the nearest solution in the episodes that failed."""
    explained = [record.explanation for record in records if record.explanation]
    counts: Counter[str] = Counter()
    by_slot: dict[str, Counter[str]] = {}
    for explanation in explained:
        for part in explanation["parts"]:
            counts[part["found"]] += 1
            by_slot.setdefault(part["slot"], Counter())[part["found"]] += 1
    return {
        "episodes": len(explained),
        **{str(found): counts[found] for found in Found},
        "by_slot": {
            slot: {str(found): own[found] for found in Found} for slot, own in by_slot.items()
        },
    }
