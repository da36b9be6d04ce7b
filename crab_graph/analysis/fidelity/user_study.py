"""How like people the users of runs talked, and whether their conditions took, as one value."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from crab_graph.analysis.fidelity.manipulation import (
    GateState,
    ManipulationCheck,
    check_manipulations,
)
from crab_graph.analysis.fidelity.played import load_played
from crab_graph.analysis.fidelity.published import people_rates
from crab_graph.analysis.fidelity.turn_rates import (
    HUMAN,
    HUMAN_WORDS,
    Fidelity,
    closer_than_generic,
    measure_users,
)
from crab_graph.errors import RunError
from crab_graph.runs.config import RunPaths, paths_of

NOTE = (
    "All of these rates are behaviour: how users talk, not whether what they say is plausible. A "
    "change of mind is counted by its words; of the conditions d6 alone asks a user for one."
)
RULES_NOTE = (
    "rules: rule-based, no language model. It draws short, polite, uncertain and question turns at "
    "rates set in one table, so they say nothing of how a model talks; it changes its mind once, "
    "under d6."
)


@dataclass(frozen=True, slots=True, repr=False)
class UserStudy:
    """How the users of some runs talked, by group, and a check of each condition by each figure."""

    groups: Sequence[Fidelity]
    checks: Sequence[ManipulationCheck]
    notes: Sequence[str]

    def __repr__(self) -> str:
        """Return how much was measured, and how many checks failed."""
        return (
            f"<UserStudy: {len(self.groups)} groups, {len(self.checks)} checks, "
            f"{len(self.failed)} failed>"
        )

    @property
    def ok(self) -> bool:
        """Whether no condition failed to take."""
        return not self.failed

    @property
    def failed(self) -> list[ManipulationCheck]:
        """The checks by which a condition did not take."""
        return [check for check in self.checks if check.gate is GateState.FAILED]

    def as_json(self) -> dict[str, Any]:
        """Return the document that `fidelity --json` prints."""
        return {
            "people": {
                "rates": {kind: list(found) for kind, found in HUMAN.items()},
                "words_per_turn": HUMAN_WORDS,
                "sources": people_sources(),
            },
            "groups": [one.as_json() for one in self.groups],
            "ruse_closer_than_generic": closer_than_generic(self.groups),
            "checks": [check.as_json() for check in self.checks],
            "notes": list(self.notes),
        }


def study_users(*runs: RunPaths) -> UserStudy:
    """Return how the users of runs talked, beside people, and whether their conditions took.

    Raises:
        RunError: there is no run, it is damaged, or nothing of it is finished.
        UsageError: no run is named.
    """
    directories = paths_of(runs)
    played = load_played(directories)
    groups = measure_users(played.records)
    if not groups:
        raise RunError(f"{', '.join(map(str, directories))}: no episode is finished yet")
    notes = [NOTE, RULES_NOTE] if any(one.engine == "rules" for one in groups) else [NOTE]
    return UserStudy(groups, check_manipulations(played.lived), [*notes, *played.notes])


def people_sources() -> list[str]:
    """Return where the rates of people were published."""
    return list(dict.fromkeys(rate.source for rate in people_rates().values()))
