"""What one decision of a user looks at, and what it comes to."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, wraps
from typing import Any, TypeVar

from crab_graph.personas.asides import Aside
from crab_graph.personas.behavior import Behavior
from crab_graph.personas.briefing import Fact, Reason, UserBriefing
from crab_graph.personas.clarifications import Clarification
from crab_graph.personas.error_reactions import Reaction
from crab_graph.personas.memory import UserMemory
from crab_graph.personas.mended_bookings import MendedBooking
from crab_graph.personas.options import OptionChoice
from crab_graph.personas.own_tools import Refusal, Wallet
from crab_graph.personas.payment_habits import PaymentHabit, is_due
from crab_graph.personas.play_backs import PlayBack
from crab_graph.personas.understanding import Reading
from crab_graph.personas.wording import Speaker

Found = TypeVar("Found")


@dataclass(frozen=True, slots=True)
class Decision:
    """A decided turn: its parts, what it tells, how it changes the memory.

    The tail is said last, after thanks and the like; `declined` are facts asked for on which the
    user said that it has no wish, `later` those that belong to it and come with the next turn; who
    `promises` has said that it comes to the rest of what was asked. The reaction is that to an
    error, with the fact it is about.
    """

    parts: tuple[str, ...]
    tail: tuple[str, ...] = ()
    told: tuple[tuple[str, Reason], ...] = ()
    declined: tuple[str, ...] = ()
    token: str = ""
    is_answer: bool = False
    is_content: bool = False
    moved: bool = False
    insisted: bool = False
    approved: bool = False
    asked_back: bool = False
    owes: bool = False
    later: tuple[str, ...] = ()
    promises: bool = False
    reaction: tuple[str, Reaction] | None = None


@dataclass(frozen=True)
class Turn:
    """Everything one decision looks at: the user, what it remembers, what it has heard and seen.

    `conflicts` are the keys of the facts that the agent's plan contradicts, `overlooked` those that
    it contradicts unseen, `met` those that it plainly fits, `playback` is what it plays back of the
    user's wishes, compared with them, `said` are the facts that it says before it answers, and
    `clarification` is what the agent asks of the meaning of wishes that were told, and `mended`
    what it says of a booking that it makes anew, `asides` what it asks by the way;
    the reading is of the rest. In `found` is kept
    what was found out of the turn (`once_a_turn`).
    """

    briefing: UserBriefing
    behavior: Behavior
    text: str
    reading: Reading
    memory: UserMemory
    wallet: Wallet
    conflicts: tuple[str, ...]
    playback: PlayBack
    choice: OptionChoice | None
    choices: tuple[str, ...]
    refused: tuple[Refusal, ...]
    wrong_total: int | None
    speaker: Speaker
    habit: PaymentHabit = PaymentHabit.AT_ONCE
    said: tuple[str, ...] = ()
    overlooked: tuple[str, ...] = ()
    met: frozenset[str] = frozenset()
    clarification: Clarification | None = None
    asides: tuple[Aside, ...] = ()
    mended: MendedBooking | None = None
    shown: Mapping[str, str] = field(default_factory=dict)
    found: dict[Callable[..., Any], Any] = field(
        default_factory=dict, init=False, repr=False, compare=False
    )

    @cached_property
    def facts(self) -> Mapping[str, Fact]:
        """What the user knows by key, in the order facts are told."""
        known = {fact.key: fact for fact in self.briefing.facts}
        return {key: known[key] for key in self.briefing.ordered_keys()}

    @property
    def is_all_booked(self) -> bool:
        """Whether as much is booked as is wanted."""
        return len(self.wallet.held) >= len(self.briefing.slots)

    @property
    def is_due(self) -> bool:
        """Whether the user pays without being asked to."""
        return is_due(self.reading, self.wallet, self.habit, owes=self.memory.owes)

    @property
    def missing(self) -> list[str]:
        """The nouns of the slots for which no booking stands.

        Which of two of a kind that is the agent's plans tell; else it is the last.
        """
        held = self.wallet.held
        missing = set[str]()
        for prefix in {slot.id_prefix for slot in self.briefing.slots}:
            own = [slot.id for slot in self.briefing.slots if slot.id_prefix == prefix]
            names = [name for name in held if name.startswith(f"{prefix}-")]
            known = {self.shown.get(name, "") for name in names}
            open_slots = [one for one in own if one not in known]
            missing |= {*open_slots[-(len(own) - len(names)) :]} if len(names) < len(own) else set()
        return [slot.word for slot in self.briefing.slots if slot.id in missing]

    def say(self, act: str, **effects: Any) -> Decision:
        """Return the turn that is one phrase; `effects` are fields of a `Decision`."""
        return Decision((self.speaker.phrase(act),), **effects)

    def tell(self, facts: Sequence[Fact]) -> Decision:
        """Return the turn that gives facts since they were asked for."""
        parts = tuple(map(self.speaker.fact, facts))
        return Decision(parts, told=told_as_asked(facts), is_answer=True, is_content=True)


def told_as_asked(facts: Sequence[Fact]) -> tuple[tuple[str, Reason], ...]:
    """Return what a decision has told that gives facts since they were asked for."""
    return tuple((fact.key, Reason.ASKED) for fact in facts)


def once_a_turn(find: Callable[[Turn], Found]) -> Callable[[Turn], Found]:
    """Keep what a function finds out of a turn with it: a turn does not change."""

    @wraps(find)
    def kept(turn: Turn) -> Found:
        if find not in turn.found:
            turn.found[find] = find(turn)
        found: Found = turn.found[find]
        return found

    return kept
