"""What became of each fact the user knew: told in time, late, ignored, or never (paper §3.3).

For analysis only: a verdict rests on the checks alone.
"""

from collections.abc import Mapping
from enum import StrEnum

from crab_graph.eval.checks import Results
from crab_graph.eval.episode import Episode
from crab_graph.eval.user_error import NODES


class FactFate(StrEnum):
    """What became of a fact.

    In time means before the agent first booked what the fact is about (its slot; anything, where
    the fact is not about one). A fact told later is late, whether or not the booking happens to
    meet it. One told in time is ignored where the final booking contradicts it.
    """

    IN_TIME = "in_time"
    LATE = "late"
    IGNORED = "ignored"
    NEVER = "never"


def fact_fates(episode: Episode, results: Results, told: Mapping[str, int]) -> dict[str, str]:
    """Return what became of each fact.

    Args:
        episode: The episode.
        results: The verdicts of the checks.
        told: Number of the visible message that first told each fact; those never told are missing.
    """
    return {
        fact.key: str(_fate(episode, results, fact.key, fact.slot, told.get(fact.key)))
        for fact in episode.reading.task.facts
    }


def _fate(
    episode: Episode, results: Results, key: str, slot: str | None, number: int | None
) -> FactFate:
    if number is None:
        return FactFate.NEVER
    said_at = next((said.seq for said in episode.dialogue.user if said.number == number), 0)
    booked = [one.made_at for one in episode.history.bookings if slot in {None, one.slot}]
    if key in episode.reading.grading.charging_facts:
        booked = [charge.seq for charge in episode.history.charges]
    if booked and min(booked) < said_at:
        return FactFate.LATE
    return FactFate.IGNORED if _is_contradicted(results, episode, key) else FactFate.IN_TIME


def _is_contradicted(results: Results, episode: Episode, key: str) -> bool:
    """Tell whether a check that this fact decides fails; of several on one item, only its own."""
    return any(
        results[check].is_failure
        and (
            check not in NODES
            or any(key in one["text"].split(" broken")[0] for one in results[check].evidence)
        )
        for check in episode.reading.grading.deciding_checks.get(key, ())
    )
