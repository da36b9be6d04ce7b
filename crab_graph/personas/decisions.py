"""What a user does about a message of the agent: the policy behind the rule-based engine.

Duties come first: object to what contradicts, pay when asked, answer, approve when asked. Only then
come offers, claims and questions that the facts do not answer.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Self

from crab_graph.money import format_dollars
from crab_graph.personas.behavior import Behavior
from crab_graph.personas.briefing import UserBriefing
from crab_graph.personas.facts import DisclosureRecord, Fact, Reason, choose_answers, opening_facts
from crab_graph.personas.own_tools import (
    ADD,
    APPROVE,
    CARD_FACT,
    CARDS,
    CONFIRMATIONS,
    PrivateCall,
    Refusal,
    Wallet,
    next_calls,
)
from crab_graph.personas.understanding import Reading
from crab_graph.personas.wording import Speaker, list_words, opening_keys, word_value
from crab_graph.text.phrases import TerminalToken


@dataclass(frozen=True, slots=True)
class UserMemory:
    """The user's state.

    Attributes:
        record: What was said when and why.
        seen: Ids, amounts and offers the agent has named so far.
        idle: Turns in a row without progress.
        insisted: How often the user asked the agent to look again.
        approved: Whether it ever approved a plan.
        asked_back: How often in a row the user asked what a question means.
    """

    record: DisclosureRecord = field(default_factory=DisclosureRecord)
    seen: frozenset[str] = frozenset()
    idle: int = 0
    insisted: int = 0
    approved: bool = False
    asked_back: int = 0

    @classmethod
    def from_json(cls, state: Mapping[str, Any]) -> Self:
        """Read the memory from the state of an episode; an empty state is a new user."""
        return cls(
            record=DisclosureRecord.from_json(state.get("disclosed", ())),
            seen=frozenset(state.get("seen", ())),
            idle=state.get("idle", 0),
            insisted=state.get("insisted", 0),
            approved=state.get("approved", False),
            asked_back=state.get("asked_back", 0),
        )

    def as_json(self) -> dict[str, Any]:
        """Return the memory as state."""
        return {
            "disclosed": self.record.as_json(),
            "seen": sorted(self.seen),
            "idle": self.idle,
            "insisted": self.insisted,
            "approved": self.approved,
            "asked_back": self.asked_back,
        }

    def fresh(self, reading: Reading) -> frozenset[str]:
        """Return what a message names for the first time: items, amounts, requests and offers."""
        tokens = {*reading.ids, *(f"${cents}" for cents in reading.amounts)}
        flags = {
            "booking": reading.asks_booking,
            "approval": reading.asks_approval,
            "card": reading.asks_card,
            "offer": reading.offers_transfer,
            "done": reading.claims_done,
        }
        tokens |= {name for name, is_set in flags.items() if is_set}
        return frozenset(tokens) - self.seen

    def after(self, reading: Reading, *, gave: bool) -> Self:
        """Return the memory after a turn; `gave` says that the user's own side moved."""
        fresh = self.fresh(reading)
        idle = 0 if fresh or gave else self.idle + 1
        return replace(self, seen=self.seen | fresh, idle=idle)

    def has_seen_items(self, prefixes: tuple[str, ...], reading: Reading) -> bool:
        """Tell whether the agent has named anything that could be booked, or a price."""
        starts = (*(f"{prefix}-" for prefix in prefixes), "$")
        return any(token.startswith(starts) for token in self.seen | self.fresh(reading))


@dataclass(frozen=True, slots=True)
class Decision:
    """A decided turn: its parts, what it tells, how it changes the memory."""

    parts: tuple[str, ...]
    told: tuple[tuple[str, Reason], ...] = ()
    token: str = ""
    is_answer: bool = False
    is_content: bool = False
    moved: bool = False
    insisted: bool = False
    approved: bool = False
    asked_back: bool = False


@dataclass(frozen=True, slots=True)
class Turn:
    """Everything one decision looks at."""

    text: str
    reading: Reading
    memory: UserMemory
    wallet: Wallet
    conflicts: tuple[str, ...]
    choices: tuple[str, ...]
    refused: tuple[Refusal, ...]
    wrong_total: int | None
    speaker: Speaker


class UserPolicy:
    """Decides the turns of one user.

    Args:
        briefing: What the user knows.
        behavior: How the user behaves.
    """

    def __init__(self, briefing: UserBriefing, behavior: Behavior) -> None:
        self._briefing = briefing
        self._behavior = behavior
        by_key = {fact.key: fact for fact in briefing.facts}
        self._facts = [by_key[key] for key in briefing.ordered_keys()]

    def open(self, speaker: Speaker) -> Decision:
        """Return the first turn: the basic facts, or everything without two levels."""
        facts = opening_facts(self._facts, two_levels=self._behavior.disclosure.two_levels)
        opened = opening_keys(self._briefing.lexicon, facts)
        rest = [fact for fact in facts if fact.key not in opened]
        return Decision(
            (speaker.opening(facts), *(speaker.fact(fact) for fact in rest)),
            told=tuple((fact.key, Reason.VOLUNTEERED) for fact in facts),
            is_answer=True,
            is_content=True,
        )

    def calls(self, turn: Turn) -> list[PrivateCall]:
        """Return the private calls to make before the user can answer."""
        reading, wallet = turn.reading, turn.wallet
        if self._objects(turn):
            return []
        checks = reading.claims_done or reading.is_closing
        if checks and not reading.asks_wallet and CONFIRMATIONS not in wallet.called:
            return [PrivateCall(CONFIRMATIONS, {})]
        if turn.wrong_total is not None and CARDS in wallet.called:
            return []
        return next_calls(reading, wallet, turn.refused)

    def decide(self, turn: Turn) -> Decision:
        """Return the turn that answers a message."""
        reading, speaker = turn.reading, turn.speaker
        if not turn.text.strip():
            return Decision((speaker.phrase("nudge"),))
        if reading.has_transferred:
            return Decision((speaker.phrase("transferred"),), token=TerminalToken.TRANSFER)
        if self._is_complete(turn):
            return Decision((speaker.phrase("thanks_end"),), token=TerminalToken.STOP)
        if self._objects(turn):
            return self._object(turn, turn.conflicts)
        if reading.asks_wallet and turn.wallet.names_other_card(reading.ids):
            return self._object(turn, (CARD_FACT,))
        for part in (self._pay, self._answer, self._approve, self._choose, self._respond):
            reply = part(turn)
            if reply is not None:
                return reply
        return Decision((speaker.phrase("waiting"),))

    def change_mind(self, turn: Turn, key: str) -> Decision:
        """Return the turn that takes back a first wish, and answers what else was asked."""
        final = [fact for fact in self._facts if fact.key == key]
        others = [fact for fact in self._answers(turn) if fact.key != key]
        words = [turn.speaker.fact(fact) for fact in (*final, *others)]
        told = tuple((fact.key, Reason.ASKED) for fact in others)
        return Decision(
            (turn.speaker.phrase("change_mind"), *words),
            ((key, Reason.CHANGED), *told),
            is_content=True,
            moved=True,
        )

    def is_cautious(self, turn: Turn) -> bool:
        """Tell whether a message wants a yes, a payment or an objection, not answers alone."""
        reading = turn.reading
        wants = reading.asks_booking or reading.asks_approval or reading.asks_wallet
        return wants or reading.claims_done or self._objects(turn)

    def _is_complete(self, turn: Turn) -> bool:
        """Tell whether everything wanted is booked and paid, as the user's own bookings show."""
        if turn.wallet.pending or not turn.wallet.bookings or turn.reading.asks_wallet:
            return False
        return not self._missing(turn.wallet)

    def _missing(self, wallet: Wallet) -> list[str]:
        """Return the nouns of the slots for which no booking stands."""
        held = [b.entity_id for b in wallet.bookings if b.status in {"pending", "confirmed"}]
        missing = []
        for slot in self._briefing.slots:
            found = next((name for name in held if name.startswith(f"{slot.id_prefix}-")), None)
            if found is None:
                missing.append(slot.word)
            else:
                held.remove(found)
        return missing

    def _objects(self, turn: Turn) -> bool:
        """Tell whether to object: to what is proposed, but no more to what was booked and paid."""
        reading = turn.reading
        is_over = reading.claims_done and not (reading.asks_booking or reading.asks_wallet)
        return bool(turn.conflicts) and not is_over

    def _object(self, turn: Turn, keys: Sequence[str]) -> Decision:
        """Name the one detail that is contradicted, the one objected to least often so far."""
        key = min(keys, key=turn.memory.record.corrections)
        fact = self._briefing.fact(key)
        if fact is None:
            return Decision((turn.speaker.objection(),))
        parts = [turn.speaker.objection(), turn.speaker.fact(fact)]
        told = [(key, Reason.CORRECTED)]
        for other in self._answers(turn):
            if other.key != key:
                parts.append(turn.speaker.fact(other))
                told.append((other.key, Reason.ASKED))
        return Decision(tuple(parts), tuple(told))

    def _asked(self, turn: Turn) -> list[str]:
        """Return the keys the message asks for, an open question standing for all that is left."""
        keys = list(turn.reading.asked)
        keys += [key for key in turn.reading.checked if not turn.memory.record.has(key)]
        if turn.reading.asks_choice:
            keys += turn.choices
        if turn.reading.is_open_question:
            keys += [fact.key for fact in turn.memory.record.undisclosed(self._facts)]
        return list(dict.fromkeys(keys))

    def _answers(self, turn: Turn) -> list[Fact]:
        mine = [key for key in self._asked(turn) if self._briefing.fact(key) is not None]
        limit = self._behavior.disclosure.facts_per_answer
        chosen = choose_answers(mine, turn.memory.record, limit)
        return [fact for key in chosen if (fact := self._briefing.fact(key)) is not None]

    def _answer(self, turn: Turn) -> Decision | None:
        reading, speaker = turn.reading, turn.speaker
        asked = self._asked(turn)
        if not asked and not reading.is_open_question:
            return None
        facts = self._answers(turn)
        parts = [speaker.phrase("right")] if reading.confirms and facts else []
        parts += [speaker.fact(fact) for fact in facts]
        told = tuple((fact.key, Reason.ASKED) for fact in facts)
        if self._asks_for_plan(turn) and self._can_approve(turn):
            parts.append(speaker.phrase("approve"))
            return Decision(tuple(parts), told, is_content=True, moved=True, approved=True)
        if not parts:
            parts = self._nothing_to_tell(turn, asked)
        mine = [key for key in asked if self._briefing.fact(key) is not None]
        parts.append(speaker.on_many(len(mine), len(facts)))
        return Decision(tuple(parts), told, is_answer=True, is_content=True)

    def _nothing_to_tell(self, turn: Turn, asked: Sequence[str]) -> list[str]:
        if turn.reading.is_open_question:
            return [turn.speaker.phrase("nothing_else")]
        facts = self._briefing.lexicon.facts
        absent = [turn.speaker.absent(facts[key]) for key in asked if key in facts]
        limit = self._behavior.disclosure.facts_per_answer
        return absent[:limit] or [turn.speaker.phrase("no_wish")]

    def _asks_for_plan(self, turn: Turn) -> bool:
        """Tell whether a message wants a yes to its plan; `approve` may mean that, too."""
        reading = turn.reading
        if reading.asks_booking:
            return True
        is_unpaid = reading.asks_approval and not turn.wallet.pending
        return is_unpaid and not turn.memory.approved and self._can_approve(turn)

    def _can_approve(self, turn: Turn) -> bool:
        prefixes = tuple(slot.id_prefix for slot in self._briefing.slots)
        return turn.memory.has_seen_items(prefixes, turn.reading)

    def _approve(self, turn: Turn) -> Decision | None:
        if not self._asks_for_plan(turn) or turn.reading.asks_choice:
            return None
        if not self._can_approve(turn):
            return Decision((turn.speaker.phrase("show_first"),))
        return Decision((turn.speaker.phrase("approve"),), is_content=True, approved=True)

    def _choose(self, turn: Turn) -> Decision | None:
        if not turn.reading.asks_choice:
            return None
        return Decision((turn.speaker.phrase("you_choose"),))

    def _pay(self, turn: Turn) -> Decision | None:
        """Say what came of a request about payment; `None` where there was none to answer."""
        reading, wallet, speaker = turn.reading, turn.wallet, turn.speaker
        if not reading.asks_wallet:
            return None
        is_plan = self._asks_for_plan(turn) and not wallet.pending
        if is_plan and not (reading.asks_card or reading.asks_method):
            return None
        parts = self._payment_words(turn, is_plan=is_plan)
        told: list[tuple[str, Reason]] = []
        if reading.asks_method or reading.asks_card or wallet.added is not None:
            parts.append(self._method_words(turn))
            told.append((CARD_FACT, Reason.ASKED))
        for fact in self._answers(turn):
            if fact.key != CARD_FACT:
                parts.append(speaker.fact(fact))
                told.append((fact.key, Reason.ASKED))
        approved = is_plan and self._can_approve(turn)
        if approved:
            parts.append(speaker.phrase("approve"))
        moved = bool({APPROVE, ADD} & wallet.called)
        return Decision(
            tuple(parts),
            self._known(told),
            is_content=moved and not turn.refused,
            moved=moved,
            approved=approved,
        )

    def _payment_words(self, turn: Turn, *, is_plan: bool) -> list[str]:
        """Say what was refused, what failed, and what was done."""
        reading, wallet, speaker = turn.reading, turn.wallet, turn.speaker
        parts = [
            speaker.phrase(
                "refuse_amount",
                booking=refusal.booking_id,
                due=format_dollars(refusal.due),
                stated=format_dollars(refusal.stated),
            )
            for refusal in turn.refused
        ]
        if turn.wrong_total is not None:
            due = sum(booking.cents for booking in wallet.pending)
            stated = format_dollars(turn.wrong_total)
            return [speaker.phrase("refuse_total", due=format_dollars(due), stated=stated)]
        parts += [speaker.phrase("tool_failed", reason=reason) for reason in wallet.errors[:1]]
        if wallet.added is not None:
            parts.append(speaker.phrase("added"))
        if wallet.recorded:
            parts.append(speaker.phrase("paid"))
        elif reading.asks_approval and not (parts or reading.asks_method or is_plan):
            parts.append(speaker.phrase("paid_before" if wallet.earlier else "nothing_pending"))
        return parts

    def _known(self, told: Sequence[tuple[str, Reason]]) -> tuple[tuple[str, Reason], ...]:
        return tuple(entry for entry in told if self._briefing.fact(entry[0]) is not None)

    def _method_words(self, turn: Turn) -> str:
        card = turn.wallet.card
        words = self._briefing.lexicon.facts.get(CARD_FACT)
        if card is None or words is None:
            return turn.speaker.phrase("unknown")
        name = word_value(words.form, card, words)
        method_id = turn.wallet.method_id
        if method_id is None:
            return turn.speaker.phrase("card_only", card=name)
        return turn.speaker.phrase("method", method=method_id, card=name)

    def _respond(self, turn: Turn) -> Decision | None:
        """React to offers, refusals, claims and questions that the facts do not answer."""
        reading, speaker = turn.reading, turn.speaker
        can_insist = turn.memory.insisted < self._behavior.reaction.insists
        if reading.offers_transfer:
            if can_insist:
                return Decision((speaker.phrase("insist"),), insisted=True)
            return Decision((speaker.phrase("accept_transfer"),), token=TerminalToken.TRANSFER)
        if reading.asks_change:
            return Decision((speaker.phrase("firm"),))
        if reading.confirms:
            return Decision((speaker.phrase("right"),), is_answer=True)
        if reading.says_wait:
            return Decision((speaker.phrase("waiting"),))
        if reading.claims_done or reading.is_closing:
            return self._complain(turn)
        if reading.is_unable:
            return Decision((speaker.phrase("insist"),), insisted=True)
        if reading.offers_extra:
            return Decision((speaker.phrase("no_extra"),))
        if reading.asks_anything:
            if turn.memory.asked_back < self._behavior.clarification.asks_back:
                return Decision((speaker.asks_back(),), asked_back=True)
            return Decision((speaker.phrase("unknown"),))
        return None

    def _complain(self, turn: Turn) -> Decision:
        missing = self._missing(turn.wallet)
        if missing:
            return Decision((turn.speaker.phrase("missing", things=list_words(missing)),))
        pending = [booking.booking_id for booking in turn.wallet.pending]
        if pending:
            return Decision((turn.speaker.phrase("unpaid", bookings=list_words(pending)),))
        return Decision((turn.speaker.phrase("waiting"),))
