"""How many tasks have more solutions than their seeds combine to (section 3.2.3, Algorithm 3).

Only tasks made without repair can; the summary of these is the ablation of the repair.
"""

from collections.abc import Iterable
from dataclasses import asdict, dataclass
from statistics import median
from typing import Any

from crab_graph.domains.task import Task
from crab_graph.generation.certify import Certificate


@dataclass(frozen=True, slots=True)
class Spoilage:
    """What became of the tasks of one stratum and date mode.

    Attributes:
        stratum: Number of seed solutions.
        date_mode: `fixed` or `flexible`.
        tasks: Number of tasks.
        spoiled: How many have extra solutions.
        median_extra: Median number of extra solutions over all of them.
        max_extra: Largest number of extra solutions.
        median_edge_distractors: Median number of edge distractors.
    """

    stratum: int
    date_mode: str
    tasks: int
    spoiled: int
    median_extra: int
    max_extra: int
    median_edge_distractors: int

    def as_json(self) -> dict[str, Any]:
        """Return the row as `certify --json` prints it."""
        return asdict(self)


def summarise_spoilage(certified: Iterable[tuple[Task, Certificate]]) -> list[Spoilage]:
    """Return a row for each stratum and date mode among the tasks, in order."""
    groups: dict[tuple[int, str], list[tuple[int, int]]] = {}
    for task, certificate in certified:
        extra = certificate.sql - certificate.expected
        group = groups.setdefault((task.stratum, task.date_mode), [])
        group.append((extra, task.spec.edge_distractors))
    return [
        Spoilage(
            stratum=stratum,
            date_mode=date_mode,
            tasks=len(group),
            spoiled=sum(extra > 0 for extra, _ in group),
            median_extra=int(median(extra for extra, _ in group)),
            max_extra=max(extra for extra, _ in group),
            median_edge_distractors=int(median(number for _, number in group)),
        )
        for (stratum, date_mode), group in sorted(groups.items())
    ]
