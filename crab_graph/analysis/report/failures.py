"""What became of the parts of the nearest solution in the episodes that failed."""

from collections import Counter
from collections.abc import Iterable

from crab_graph.eval.explanation import Found
from crab_graph.runs.record import EpisodeRecord


def solution_parts(records: Iterable[EpisodeRecord]) -> dict[str, int]:
    """Return how many failed episodes are explained, and how many parts came to what."""
    explained = [record.explanation for record in records if record.explanation]
    counts = Counter(part["found"] for one in explained for part in one["parts"])
    return {"episodes": len(explained), **{str(found): counts[found] for found in Found}}
