"""An episode as its user lived it: what was heard, what was said to it, which facts were told.

What the agent asks is read from its words. What the user told is read from its own words, and from
its record, which knows more forms of a value and how it was said: the earlier of the two counts.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

from crab_graph.domains.task import Task
from crab_graph.personas.behavior import Behavior
from crab_graph.personas.briefing import Fact, UserBriefing
from crab_graph.personas.plan_conflicts import contradictions
from crab_graph.personas.play_backs import PlayBack, read_play_back
from crab_graph.personas.recognition import stated_facts
from crab_graph.personas.stated_plans import StatedPlan, read_plan
from crab_graph.personas.turned_plans import turned_right
from crab_graph.personas.understanding import Reading
from crab_graph.personas.wordbook import ValueForm
from crab_graph.runs.record import EpisodeRecord
from crab_graph.text.phrases import TerminalToken, without_tokens


class ToldFact(NamedTuple):
    """A fact as it was first told: the visible message, and how: `exact`, `vague` or `wrong`.

    `how` is empty where only the user's words tell it. `settled` is the message that first told it
    exactly, and `said` are the words of the record where it was not said plainly.
    """

    key: str
    turn: int
    how: str = ""
    said: str = ""
    settled: int | None = None


@dataclass(frozen=True)
class HeardTurn:
    """A visible turn of the user, by its number, with the message of the agent that it answers.

    The opening answers none. `calls` tells whether the user used its own tools in between.
    """

    number: int
    heard: str
    said: str
    calls: bool
    is_opening: bool
    briefing: UserBriefing
    told: tuple[ToldFact, ...] = ()
    before: "HeardTurn | None" = None

    @cached_property
    def reading(self) -> Reading:
        """What the message does that it answers."""
        return Reading(self.heard, self.briefing.lexicon, self.briefing.slots)

    @cached_property
    def asked(self) -> frozenset[str]:
        """Keys of the user's facts that the message asks for or plays back by name."""
        reading = self.reading
        found = {*reading.asked, *reading.checked}
        if reading.asks_card or reading.asks_approval:
            words = self.briefing.lexicon.facts.items()
            found |= {key for key, one in words if one.form is ValueForm.CARD}
        return frozenset(found & {fact.key for fact in self.briefing.facts})

    @property
    def is_open(self) -> bool:
        """Whether the message lets the user say whatever it likes: it asks for more or a choice."""
        return self.reading.is_open_question or self.reading.asks_choice

    @cached_property
    def _plan(self) -> StatedPlan:
        earlier, one = list[StatedPlan](), self.before
        while one is not None and (self.reading.asks_booking or self.reading.asks_choice):
            earlier.append(one._plan)
            one = one.before
        plan = read_plan(self.reading, self.briefing.slots, earlier[::-1])
        return turned_right(plan, self.briefing)

    @cached_property
    def played(self) -> PlayBack:
        """What the message plays back of the user's wishes."""
        return read_play_back(self.reading, self.briefing, self._plan.items)

    @cached_property
    def contradicted(self) -> frozenset[str]:
        """Keys of the facts that the message states otherwise."""
        return frozenset([*contradictions(self._plan, self.briefing), *self.played.wrong])

    @property
    def prompted(self) -> frozenset[str]:
        """Keys of the facts that the message asks for, plays back or contradicts."""
        return self.asked | self.contradicted | frozenset(self.played.right)

    def states(self, *keys: str) -> set[str]:
        """Return which of some facts its words state exactly, told before or not."""
        return set(stated_facts(self.said, self.briefing, self.asked)).intersection(keys)


@dataclass(frozen=True, slots=True)
class Lived:
    """An episode with the task its user was to have done, and how it was set to behave.

    The behaviour is `None` where nothing set it: for a callable, or fragments that are gone.
    """

    record: EpisodeRecord
    task: Task
    briefing: UserBriefing
    behavior: Behavior | None
    turns: tuple[HeardTurn, ...]

    @property
    def facts(self) -> Mapping[str, Fact]:
        """What the user knew, by key."""
        return {fact.key: fact for fact in self.briefing.facts}

    @property
    def gave_up(self) -> bool:
        """Whether the user ended it with something left to do."""
        is_done = self.record.metrics.get("job_state") == "full"
        return self.record.termination == TerminalToken.STOP.name and not is_done

    def has(self, dimension: str) -> bool:
        """Tell whether a dimension was switched on for its user."""
        return dimension in self.record.dimensions


def live_through(record: EpisodeRecord, task: Task, behavior: Behavior | None) -> Lived:
    """Read an episode's transcript and record."""
    briefing = task.briefing
    spoken = list(_spoken(record.messages))
    tellings = _earliest(_recorded(record.facts), _read(spoken, briefing))
    turns: list[HeardTurn] = []
    for place, (number, heard, said, calls) in enumerate(spoken):
        is_opening = place == 0 and not heard
        before = turns[-1] if turns else None
        told = tuple(one for one in tellings if one.turn == number)
        turns.append(HeardTurn(number, heard, said, calls, is_opening, briefing, told, before))
    return Lived(record, task, briefing, behavior, tuple(turns))


_Spoken = tuple[int, str, str, bool]


def _spoken(messages: Sequence[Mapping[str, Any]]) -> Iterator[_Spoken]:
    """Yield each visible turn of the user: number, message it answers, words, whether it called."""
    number, heard, calls = 0, "", False
    for message in messages:
        role = message["role"]
        if message.get("tool_calls"):
            calls = calls or role == "user"
        elif role in {"user", "assistant"}:
            number += 1
            text = str(message.get("content") or "")
            if role == "assistant":
                heard, calls = text, False
                continue
            yield number, heard, without_tokens(text).strip(), calls
            heard, calls = "", False


def _recorded(facts: Sequence[Mapping[str, Any]]) -> list[ToldFact]:
    return [
        ToldFact(
            fact["key"],
            fact["turn"],
            fact.get("how") or "",
            fact.get("said") or "",
            fact.get("settled"),
        )
        for fact in facts
        if fact.get("turn") is not None
    ]


def _earliest(recorded: Iterable[ToldFact], read: Iterable[ToldFact]) -> list[ToldFact]:
    """Return each fact as it was told first; where both say the same turn, as the record has it."""
    found = {one.key: one for one in recorded}
    for one in read:
        if one.key not in found or one.turn < found[one.key].turn:
            found[one.key] = one
    return list(found.values())


def _read(spoken: Sequence[_Spoken], briefing: UserBriefing) -> list[ToldFact]:
    """Return what a user's own words tell, each fact where they first state it."""
    found: dict[str, ToldFact] = {}
    for number, heard, said, _ in spoken:
        asked = Reading(heard, briefing.lexicon, briefing.slots).asked
        for key in stated_facts(said, briefing, asked):
            found.setdefault(key, ToldFact(key, number, settled=number))
    return list(found.values())
