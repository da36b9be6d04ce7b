"""Which facts a turn says otherwise than plainly: with doubt (D3), or indirectly (D1)."""

from collections.abc import Collection

from crab_graph.personas.behavior import Behavior
from crab_graph.personas.briefing import FactLevel, Saying, UserBriefing
from crab_graph.personas.decisions import is_cautious
from crab_graph.personas.doubt_values import doubtful_sayings
from crab_graph.personas.indirect_values import (
    indirect_keys,
    indirect_sayings,
    is_by_others,
    said_by_hours,
)
from crab_graph.personas.objection_answers import objects
from crab_graph.personas.pinned_facts import meant_wishes
from crab_graph.personas.pointed_questions import asked_hours, asked_throughout
from crab_graph.personas.turns import Turn


class WaysOfSaying:
    """How one user says its facts, drawn for the episode.

    Doubt is about the first time a fact is said; how a fact is put does not depend on why it is
    said, until the agent pins it down.
    """

    def __init__(
        self,
        briefing: UserBriefing,
        behavior: Behavior,
        seed: int,
        *,
        plain: Collection[str],
        unsettled: frozenset[str] = frozenset(),
    ) -> None:
        """Draw them; `plain` are facts that it says as they are, such as one it takes back.

        By those that are `unsettled` it tells no other.
        """
        self._briefing = briefing
        self._unsettled = unsettled
        self._seed = seed
        self.doubts = doubtful_sayings(briefing, behavior, seed, sure_of=plain)
        direct = {*plain, *self.doubts}
        self.indirect = indirect_keys(briefing, behavior, seed, direct=direct)
        self._basic = {
            fact.key
            for fact in briefing.facts
            if fact.level is FactLevel.BASIC and fact.key not in self.doubts
        }

    def opening(self) -> dict[str, Saying]:
        """Return what the first turn says otherwise than plainly."""
        return {**self._put_indirectly(self.indirect, self._basic), **self.doubts}

    def of_turn(self, turn: Turn) -> dict[str, Saying]:
        """Return what a turn says otherwise than plainly; nothing beside a yes or a payment."""
        if is_cautious(turn) and not objects(turn):
            return {}
        reading, record, briefing = turn.reading, turn.memory.record, turn.briefing
        settled = {key for key in turn.facts if record.is_settled(key)}
        played = {*turn.playback.right, *turn.playback.wrong}
        whole = {*asked_throughout(reading)}
        whole |= {*(turn.clarification.throughout if turn.clarification is not None else ())}
        # Whether it holds for all is said plainly.
        # Nor is anything told by what it is not to one who asks once more.
        direct = {*reading.pinned, *whole, *(key for key in settled if is_by_others(key, briefing))}
        indirect = [key for key in self.indirect if key not in direct]
        sure = {*reading.checked, *turn.conflicts, *played}
        doubts = {} if is_cautious(turn) else self.doubts
        doubtful = {
            key: saying for key, saying in doubts.items() if key not in sure and not record.has(key)
        }
        asked = [
            key
            for key, said in asked_hours(reading).items()
            if key in turn.facts and str(turn.facts[key].value) in said
        ]
        asked += meant_wishes(turn) if reading.means("hours") else ()
        hours = {key: said_by_hours(turn.facts[key], self._briefing) for key in asked}
        return self._put_indirectly(indirect, settled | self._basic) | doubtful | hours

    def _put_indirectly(self, keys: Collection[str], known: Collection[str]) -> dict[str, Saying]:
        told_by = [key for key in known if key not in self._unsettled]
        return indirect_sayings(self._briefing, keys, self._seed, told_by)
