"""What a user does about a message of the agent: the policy behind the rule-based engine.

Duties come first: object to what contradicts, pay when asked, answer, approve when asked. Only then
come offers, claims and questions that the facts do not answer.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Self

from crab_graph.money import format_dollars
from crab_graph.personas.behavior import Behavior
from crab_graph.personas.briefing import DisclosureRecord, Fact, FactLevel, Reason, UserBriefing
from crab_graph.personas.own_tools import (
    ADD,
    APPROVE,
    CARD_FACT,
    CARDS,
    PrivateCall,
    Refusal,
    Wallet,
    next_calls,
)
from crab_graph.personas.understanding import Reading
from crab_graph.personas.wording import Speaker, join_words, word_value
from crab_graph.text.phrases import TerminalToken

_COUNTS = ("idle", "insisted", "approved", "asked_back")
_NEWS = {
    "booking": "asks_booking",
    "approval": "asks_approval",
    "card": "asks_card",
    "offer": "offers_transfer",
    "done": "claims_done",
}
"""What a message does that is news the first time, under the name the memory keeps."""


@dataclass(frozen=True, slots=True)
class UserMemory:
    """The user's state.

    `seen` are ids, amounts and offers that the agent has named so far; `idle` counts the turns in a
    row without progress, `asked_back` those in which the user asked what a question means.
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
        record = DisclosureRecord(tuple(state.get("disclosed", ())))
        counts = {name: state[name] for name in _COUNTS if name in state}
        return cls(record, frozenset(state.get("seen", ())), **counts)

    def as_json(self) -> dict[str, Any]:
        """Return the memory as state."""
        counts = {name: getattr(self, name) for name in _COUNTS}
        return {"disclosed": list(self.record.rows), "seen": sorted(self.seen), **counts}

    def fresh(self, reading: Reading) -> frozenset[str]:
        """Return what a message names for the first time: items, amounts, requests and offers."""
        acts = frozenset(name for name, act in _NEWS.items() if getattr(reading, act))
        amounts = (f"${cents}" for cents in reading.amounts)
        return acts.union(reading.ids, amounts) - self.seen


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

    def say(self, act: str, **effects: Any) -> Decision:
        """Return the turn that is one phrase; `effects` are fields of a `Decision`."""
        return Decision((self.speaker.phrase(act),), **effects)


class UserPolicy:
    """Decides the turns of one user, from what it knows and how it behaves."""

    def __init__(self, briefing: UserBriefing, behavior: Behavior) -> None:
        self._briefing = briefing
        self._behavior = behavior
        known = {fact.key: fact for fact in briefing.facts}
        self._facts = {key: known[key] for key in briefing.ordered_keys()}

    def open(self, speaker: Speaker) -> Decision:
        """Return the first turn: the basic facts, or everything without two levels."""
        facts = list(self._facts.values())
        if self._behavior.two_levels:
            facts = [fact for fact in facts if fact.level is FactLevel.BASIC]
        template = self._briefing.lexicon.opening_full[0]
        rest = [speaker.fact(fact) for fact in facts if f"{{{fact.key}}}" not in template]
        told = tuple((fact.key, Reason.VOLUNTEERED) for fact in facts)
        return Decision((speaker.opening(facts), *rest), told, is_answer=True, is_content=True)

    def calls(self, turn: Turn) -> list[PrivateCall]:
        """Return the private calls to make before the user can answer."""
        reading, wallet = turn.reading, turn.wallet
        if self._objects(turn):
            return []
        checks = reading.claims_done or reading.is_closing
        if checks and not reading.asks_wallet and wallet.confirmations not in wallet.called:
            return [PrivateCall(wallet.confirmations, {})]
        if turn.wrong_total is not None and CARDS in wallet.called:
            return []
        return next_calls(reading, wallet, turn.refused)

    def decide(self, turn: Turn) -> Decision:
        """Return the turn that answers a message."""
        reading = turn.reading
        if not turn.text.strip():
            return turn.say("nudge")
        if reading.has_transferred:
            return turn.say("transferred", token=TerminalToken.TRANSFER)
        wallet = turn.wallet
        is_settled = wallet.bookings and not (wallet.pending or reading.asks_wallet)
        # Everything wanted is booked and paid, as the user's own bookings show.
        if is_settled and not self._missing(wallet):
            return turn.say("thanks_end", token=TerminalToken.STOP)
        if self._objects(turn):
            return self._object(turn, turn.conflicts)
        if reading.asks_wallet and wallet.names_other_card(reading.ids):
            return self._object(turn, (CARD_FACT,))
        for part in (self._pay, self._answer, self._approve, self._respond):
            decision = part(turn)
            if decision is not None:
                return decision
        return turn.say("waiting")

    def change_mind(self, turn: Turn, key: str) -> Decision:
        """Return the turn that takes back a first wish, and answers what else was asked."""
        return self._detail(turn, "change_mind", key, Reason.CHANGED, is_content=True, moved=True)

    def is_cautious(self, turn: Turn) -> bool:
        """Tell whether a message wants a yes, a payment or an objection, not answers alone."""
        reading = turn.reading
        wants = reading.asks_booking or reading.asks_wallet or reading.claims_done
        return wants or self._objects(turn)

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
        record = turn.memory.record
        key = min(keys, key=lambda one: record.times(one, Reason.CORRECTED))
        if key not in self._facts:
            return turn.say("object")
        return self._detail(turn, "object", key, Reason.CORRECTED)

    def _detail(self, turn: Turn, act: str, key: str, reason: Reason, **effects: Any) -> Decision:
        """Name one detail after a phrase, and answer what else was asked."""
        others = [fact for fact in self._answers(turn) if fact.key != key]
        facts = [self._facts[key], *others] if key in self._facts else others
        told = ((key, reason), *_asked_for(others))
        return Decision((turn.speaker.phrase(act), *map(turn.speaker.fact, facts)), told, **effects)

    def _asked(self, turn: Turn) -> list[str]:
        """Return the keys the message asks for, an open question standing for all that is left."""
        keys = list(turn.reading.asked)
        keys += [key for key in turn.reading.checked if not turn.memory.record.has(key)]
        if turn.reading.asks_choice:
            keys += turn.choices
        if turn.reading.is_open_question:
            keys += [key for key in self._facts if not turn.memory.record.has(key)]
        return list(dict.fromkeys(keys))

    def _answers(self, turn: Turn) -> list[Fact]:
        """Choose which of the facts asked for one answer gives: new ones, in the question's order.

        When there are none, those said least often: an agent that asks again does get all of them.
        """
        record = turn.memory.record
        asked = [key for key in self._asked(turn) if key in self._facts]
        new = [key for key in asked if not record.has(key)]
        chosen = new or sorted(asked, key=record.times)
        return [self._facts[key] for key in chosen[: self._behavior.facts_per_answer]]

    def _answer(self, turn: Turn) -> Decision | None:
        reading, speaker = turn.reading, turn.speaker
        asked = self._asked(turn)
        if not asked and not reading.is_open_question:
            return None
        facts = self._answers(turn)
        told = _asked_for(facts)
        parts = [speaker.phrase("right")] if reading.confirms and facts else []
        parts += [speaker.fact(fact) for fact in facts]
        if self._asks_for_plan(turn) and self._can_approve(turn):
            parts.append(speaker.phrase("approve"))
            return Decision(tuple(parts), told, is_content=True, moved=True, approved=True)
        if not parts and reading.is_open_question:
            parts = [speaker.phrase("nothing_else")]
        elif not parts:
            words = self._briefing.lexicon.facts
            absent = [speaker.absent(words[key]) for key in asked if key in words]
            limit = self._behavior.facts_per_answer
            parts = absent[:limit] or [speaker.phrase("no_wish")]
        mine = sum(key in self._facts for key in asked)
        parts.append(speaker.on_many(mine, len(facts)))
        return Decision(tuple(parts), told, is_answer=True, is_content=True)

    def _asks_for_plan(self, turn: Turn) -> bool:
        """Tell whether a message wants a yes to its plan; `approve` may mean that, too."""
        reading = turn.reading
        if reading.asks_booking:
            return True
        is_unpaid = reading.asks_approval and not turn.wallet.pending
        return is_unpaid and not turn.memory.approved and self._can_approve(turn)

    def _can_approve(self, turn: Turn) -> bool:
        """Tell whether the agent has named anything that could be booked, or a price."""
        starts = (*(f"{slot.id_prefix}-" for slot in self._briefing.slots), "$")
        named = turn.memory.seen | turn.memory.fresh(turn.reading)
        return any(token.startswith(starts) for token in named)

    def _approve(self, turn: Turn) -> Decision | None:
        """Approve a plan that was shown, or leave a choice to the agent."""
        if turn.reading.asks_choice:
            return turn.say("you_choose")
        if not self._asks_for_plan(turn):
            return None
        if not self._can_approve(turn):
            return turn.say("show_first")
        return turn.say("approve", is_content=True, approved=True)

    def _pay(self, turn: Turn) -> Decision | None:
        """Say what came of a request about payment; `None` where there was none to answer."""
        reading, wallet = turn.reading, turn.wallet
        if not reading.asks_wallet:
            return None
        is_plan = self._asks_for_plan(turn) and not wallet.pending
        if is_plan and not (reading.asks_card or reading.asks_method):
            return None
        parts = self._payment_words(turn, is_plan=is_plan)
        facts = [fact for fact in self._answers(turn) if fact.key != CARD_FACT]
        told = _asked_for(facts)
        if reading.asks_method or reading.asks_card or wallet.added is not None:
            parts.append(self._method_words(turn))
            if CARD_FACT in self._facts:
                told = ((CARD_FACT, Reason.ASKED), *told)
        parts += [turn.speaker.fact(fact) for fact in facts]
        approved = is_plan and self._can_approve(turn)
        if approved:
            parts.append(turn.speaker.phrase("approve"))
        moved = not wallet.called.isdisjoint({APPROVE, ADD})
        is_content = moved and not turn.refused
        return Decision(tuple(parts), told, is_content=is_content, moved=moved, approved=approved)

    def _payment_words(self, turn: Turn, *, is_plan: bool) -> list[str]:
        """Say what was refused, what failed, and what was done."""
        reading, wallet, phrase = turn.reading, turn.wallet, turn.speaker.phrase
        if turn.wrong_total is not None:
            due = format_dollars(sum(booking.cents for booking in wallet.pending))
            return [phrase("refuse_total", due=due, stated=format_dollars(turn.wrong_total))]
        parts = [
            phrase(
                "refuse_amount",
                booking=refusal.booking_id,
                due=format_dollars(refusal.due),
                stated=format_dollars(refusal.stated),
            )
            for refusal in turn.refused
        ]
        parts += [phrase("tool_failed", reason=reason) for reason in wallet.errors[:1]]
        if wallet.added is not None:
            parts.append(phrase("added"))
        if wallet.recorded:
            parts.append(phrase("paid"))
        elif reading.asks_approval and not (parts or reading.asks_method or is_plan):
            parts.append(phrase("paid_before" if wallet.earlier else "nothing_pending"))
        return parts

    def _method_words(self, turn: Turn) -> str:
        card, method_id = turn.wallet.card, turn.wallet.method_id
        words = self._briefing.lexicon.facts.get(CARD_FACT)
        if card is None or words is None:
            return turn.speaker.phrase("unknown")
        name = word_value(words.form, card, words)
        if method_id is None:
            return turn.speaker.phrase("card_only", card=name)
        return turn.speaker.phrase("method", method=method_id, card=name)

    def _respond(self, turn: Turn) -> Decision | None:
        """React to offers, refusals, claims and questions that the facts do not answer."""
        reading = turn.reading
        if reading.offers_transfer:
            if turn.memory.insisted < self._behavior.insists:
                return turn.say("insist", insisted=True)
            return turn.say("accept_transfer", token=TerminalToken.TRANSFER)
        if reading.asks_change:
            return turn.say("firm")
        if reading.confirms:
            return turn.say("right", is_answer=True)
        if reading.says_wait:
            return turn.say("waiting")
        if reading.claims_done or reading.is_closing:
            return self._complain(turn)
        if reading.is_unable:
            return turn.say("insist", insisted=True)
        if reading.offers_extra:
            return turn.say("no_extra")
        if not reading.asks_anything:
            return None
        if turn.memory.asked_back < self._behavior.asks_back:
            return turn.say("what_meant", asked_back=True)
        return turn.say("unknown")

    def _complain(self, turn: Turn) -> Decision:
        missing = self._missing(turn.wallet)
        pending = [booking.booking_id for booking in turn.wallet.pending]
        if missing:
            words = turn.speaker.phrase("missing", things=join_words(list(dict.fromkeys(missing))))
        elif pending:
            words = turn.speaker.phrase("unpaid", bookings=join_words(pending))
        else:
            words = turn.speaker.phrase("waiting")
        return Decision((words,))


def _asked_for(facts: Sequence[Fact]) -> tuple[tuple[str, Reason], ...]:
    return tuple((fact.key, Reason.ASKED) for fact in facts)
