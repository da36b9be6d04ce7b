"""A user without a model: a policy decides what to say, templates word it (paper section 3.3).

Every draw is a function of seed, task, condition, turn and purpose, so a step depends on its
arguments alone: it can be run twice, resumed or forked.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from random import Random
from typing import Any

from crab_graph.money import format_dollars
from crab_graph.personas.behavior import behavior_of
from crab_graph.personas.condition import ResolvedCondition
from crab_graph.personas.disclosure import Reason, choose_answers, opening_facts
from crab_graph.personas.facts import Fact
from crab_graph.personas.lexicon import UserBriefing
from crab_graph.personas.memory import UserMemory
from crab_graph.personas.objections import contradictions, open_choices, read_plan
from crab_graph.personas.speaker import Speaker, list_words
from crab_graph.personas.understanding import Reading, understand
from crab_graph.personas.wallet import (
    ADD,
    APPROVE,
    CARD_FACT,
    CONFIRMATIONS,
    PrivateCall,
    Refusal,
    Wallet,
    next_calls,
    read_wallet,
    refusals,
)
from crab_graph.personas.wording import opening_keys, word_value
from crab_graph.randomness import derive_rng

STOP = "###STOP###"
TRANSFER = "###TRANSFER###"

Message = dict[str, Any]


@dataclass(frozen=True, slots=True)
class UserStep:
    """What a user does next, and its state afterwards.

    Attributes:
        message: A visible turn, or calls of the user's own tools.
        state: JSON to hand to the next step.
    """

    message: Message
    state: dict[str, Any]


@dataclass(frozen=True, slots=True)
class _Reply:
    """A decided turn: its parts, what it tells, how it changes the memory."""

    parts: tuple[str, ...]
    told: tuple[tuple[str, Reason], ...] = ()
    token: str = ""
    is_answer: bool = False
    is_content: bool = False
    moved: bool = False
    insisted: bool = False
    approved: bool = False


@dataclass(frozen=True, slots=True)
class _Turn:
    """Everything one decision looks at."""

    text: str
    reading: Reading
    memory: UserMemory
    wallet: Wallet
    conflicts: tuple[str, ...]
    choices: tuple[str, ...]
    refused: tuple[Refusal, ...]
    speaker: Speaker


class RulesUser:
    """The rule-based user engine.

    Args:
        briefing: What the user knows.
        condition: The episode's condition, its persona settled.
        seed: Seed of the episode.
    """

    def __init__(self, briefing: UserBriefing, condition: ResolvedCondition, seed: int) -> None:
        self._briefing = briefing
        self._condition = condition
        self._behavior = behavior_of(condition)
        self._seed = seed
        keys = briefing.ordered_keys()
        by_key = {fact.key: fact for fact in briefing.facts}
        self._facts = [by_key[key] for key in keys]

    def step(self, state: Mapping[str, Any], messages: Sequence[Message]) -> UserStep:
        """Return the user's next message.

        Args:
            state: What the last step returned; empty at first.
            messages: What the user has seen so far, in order: both sides' visible turns, its own
                calls and their results.
        """
        memory = UserMemory.from_json(state)
        visible = [index for index, message in enumerate(messages) if _is_visible(message)]
        number = len(visible) + 1
        speaker = Speaker(self._behavior, self._briefing.lexicon, lambda p: self._draw(number, p))
        if not any(messages[index]["role"] == "user" for index in visible):
            return self._finish(memory, self._open(speaker), speaker, number)
        heard = max((i for i in visible if messages[i]["role"] == "assistant"), default=-1)
        text = str(messages[heard].get("content") or "") if heard >= 0 else ""
        turn = self._read(text, memory, messages, heard, speaker)
        calls = self._calls(turn)
        if calls:
            return UserStep(_private(calls, messages), memory.as_json())
        reply = self._decide(turn)
        gave = reply.moved or any(not memory.record.has(key) for key, _ in reply.told)
        memory = memory.after(turn.reading, gave=gave)
        if memory.idle >= self._behavior.reaction.patience and not reply.token:
            reply = _Reply((speaker.phrase("give_up"),), token=STOP)
        return self._finish(memory, reply, speaker, number)

    def _draw(self, number: int, purpose: str) -> Random:
        parts = (self._seed, self._briefing.task_id, self._condition.name, number, purpose)
        return derive_rng("user", *parts)

    def _read(
        self,
        text: str,
        memory: UserMemory,
        messages: Sequence[Message],
        heard: int,
        speaker: Speaker,
    ) -> _Turn:
        briefing = self._briefing
        reading = understand(text, briefing.lexicon, briefing.slots)
        plan = read_plan(text, briefing.lexicon, briefing.slots)
        wallet = read_wallet(messages, heard)
        return _Turn(
            text=text,
            reading=reading,
            memory=memory,
            wallet=wallet,
            conflicts=tuple(contradictions(plan, briefing)),
            choices=tuple(open_choices(plan, briefing)) if reading.asks_choice else (),
            refused=tuple(refusals(text, wallet, reading)) if reading.asks_approval else (),
            speaker=speaker,
        )

    def _calls(self, turn: _Turn) -> list[PrivateCall]:
        """Return the private calls to make before the user can answer."""
        reading, wallet = turn.reading, turn.wallet
        if self._objects(turn):
            return []
        checks = reading.claims_done or reading.is_closing
        if checks and not reading.asks_wallet and CONFIRMATIONS not in wallet.called:
            return [PrivateCall(CONFIRMATIONS, {})]
        return next_calls(reading, wallet, self._briefing, turn.refused)

    def _open(self, speaker: Speaker) -> _Reply:
        facts = opening_facts(self._facts, two_levels=self._behavior.disclosure.two_levels)
        opened = opening_keys(self._briefing.lexicon, facts)
        rest = [fact for fact in facts if fact.key not in opened]
        return _Reply(
            (speaker.opening(facts), *(speaker.fact(fact) for fact in rest)),
            told=tuple((fact.key, Reason.VOLUNTEERED) for fact in facts),
            is_content=True,
        )

    def _decide(self, turn: _Turn) -> _Reply:
        reading, speaker = turn.reading, turn.speaker
        if not turn.text.strip():
            return _Reply((speaker.phrase("nudge"),))
        if reading.has_transferred:
            return _Reply((speaker.phrase("transferred"),), token=TRANSFER)
        if self._is_complete(turn):
            return _Reply((speaker.phrase("thanks_end"),), token=STOP)
        if self._objects(turn):
            return self._object(turn, turn.conflicts)
        if reading.asks_wallet and turn.wallet.names_other_card(reading.ids, self._briefing):
            return self._object(turn, (CARD_FACT,))
        for part in (self._pay, self._answer, self._approve, self._choose, self._respond):
            reply = part(turn)
            if reply is not None:
                return reply
        return _Reply((speaker.phrase("waiting"),))

    def _is_complete(self, turn: _Turn) -> bool:
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

    def _objects(self, turn: _Turn) -> bool:
        """Tell whether to object: to what is proposed, but no more to what was booked and paid."""
        return bool(turn.conflicts) and (turn.reading.asks_booking or not turn.reading.claims_done)

    def _object(self, turn: _Turn, keys: Sequence[str]) -> _Reply:
        """Name the one detail that is contradicted, the one objected to least often so far."""
        key = min(keys, key=turn.memory.record.corrections)
        fact = self._briefing.fact(key)
        if fact is None:
            return _Reply((turn.speaker.objection(),))
        parts = [turn.speaker.objection(), turn.speaker.fact(fact)]
        told = [(key, Reason.CORRECTED)]
        for other in self._answers(turn):
            if other.key != key:
                parts.append(turn.speaker.fact(other))
                told.append((other.key, Reason.ASKED))
        return _Reply(tuple(parts), tuple(told))

    def _asked(self, turn: _Turn) -> list[str]:
        """Return the keys the message asks for, an open question standing for all that is left."""
        keys = list(turn.reading.asked)
        if turn.reading.asks_choice:
            keys += turn.choices
        if turn.reading.is_open_question:
            keys += [fact.key for fact in turn.memory.record.undisclosed(self._facts)]
        return list(dict.fromkeys(keys))

    def _answers(self, turn: _Turn) -> list[Fact]:
        mine = [key for key in self._asked(turn) if self._briefing.fact(key) is not None]
        limit = self._behavior.disclosure.facts_per_answer
        chosen = choose_answers(mine, turn.memory.record, limit)
        return [fact for key in chosen if (fact := self._briefing.fact(key)) is not None]

    def _answer(self, turn: _Turn) -> _Reply | None:
        reading, speaker = turn.reading, turn.speaker
        asked = self._asked(turn)
        if not asked and not reading.is_open_question:
            return None
        facts = self._answers(turn)
        parts = [speaker.fact(fact) for fact in facts]
        told = tuple((fact.key, Reason.ASKED) for fact in facts)
        if reading.asks_booking and self._can_approve(turn):
            parts.append(speaker.phrase("approve"))
            return _Reply(tuple(parts), told, is_content=True, moved=True, approved=True)
        if not parts:
            parts = self._nothing_to_tell(turn, asked)
        return _Reply(tuple(parts), told, is_answer=bool(facts), is_content=True)

    def _nothing_to_tell(self, turn: _Turn, asked: Sequence[str]) -> list[str]:
        if turn.reading.is_open_question:
            return [turn.speaker.phrase("nothing_else")]
        facts = self._briefing.lexicon.facts
        absent = [turn.speaker.absent(facts[key]) for key in asked if key in facts]
        limit = self._behavior.disclosure.facts_per_answer
        return absent[:limit] or [turn.speaker.phrase("no_wish")]

    def _can_approve(self, turn: _Turn) -> bool:
        prefixes = tuple(slot.id_prefix for slot in self._briefing.slots)
        return turn.memory.has_seen_items(prefixes, turn.reading)

    def _approve(self, turn: _Turn) -> _Reply | None:
        if not turn.reading.asks_booking or turn.reading.asks_choice:
            return None
        if not self._can_approve(turn):
            return _Reply((turn.speaker.phrase("show_first"),))
        return _Reply((turn.speaker.phrase("approve"),), is_content=True, approved=True)

    def _choose(self, turn: _Turn) -> _Reply | None:
        if not turn.reading.asks_choice:
            return None
        return _Reply((turn.speaker.phrase("you_choose"),))

    def _pay(self, turn: _Turn) -> _Reply | None:
        """Say what came of a request about payment; `None` where there was none to answer."""
        reading, wallet, speaker = turn.reading, turn.wallet, turn.speaker
        if not reading.asks_wallet:
            return None
        if not wallet.pending and reading.asks_booking:
            return None
        parts = [
            speaker.phrase(
                "refuse_amount",
                booking=refusal.booking_id,
                due=format_dollars(refusal.due),
                stated=format_dollars(refusal.stated),
            )
            for refusal in turn.refused
        ]
        parts += [speaker.phrase("tool_failed", reason=reason) for reason in wallet.errors[:1]]
        if wallet.added is not None:
            parts.append(speaker.phrase("added"))
        if wallet.recorded:
            parts.append(speaker.phrase("paid"))
        elif reading.asks_approval and not parts and not reading.asks_method:
            parts.append(speaker.phrase("paid_before" if wallet.earlier else "nothing_pending"))
        told: list[tuple[str, Reason]] = []
        if reading.asks_method or reading.asks_card or wallet.added is not None:
            parts.append(self._method_words(turn))
            told.append((CARD_FACT, Reason.ASKED))
        for fact in self._answers(turn):
            if fact.key != CARD_FACT:
                parts.append(speaker.fact(fact))
                told.append((fact.key, Reason.ASKED))
        moved = bool({APPROVE, ADD} & wallet.called)
        is_content = moved and not turn.refused
        return _Reply(tuple(parts), self._known(told), is_content=is_content, moved=moved)

    def _known(self, told: Sequence[tuple[str, Reason]]) -> tuple[tuple[str, Reason], ...]:
        return tuple(entry for entry in told if self._briefing.fact(entry[0]) is not None)

    def _method_words(self, turn: _Turn) -> str:
        card = turn.wallet.card(self._briefing)
        words = self._briefing.lexicon.facts.get(CARD_FACT)
        if card is None or words is None:
            return turn.speaker.phrase("unknown")
        name = word_value(words.form, card, words)
        method_id = turn.wallet.method_id(self._briefing)
        if method_id is None:
            return turn.speaker.phrase("card_only", card=name)
        return turn.speaker.phrase("method", method=method_id, card=name)

    def _respond(self, turn: _Turn) -> _Reply | None:
        """React to offers, refusals, claims and questions that the facts do not answer."""
        reading, speaker = turn.reading, turn.speaker
        can_insist = turn.memory.insisted < self._behavior.reaction.insists
        if reading.offers_transfer:
            if can_insist:
                return _Reply((speaker.phrase("insist"),), insisted=True)
            return _Reply((speaker.phrase("accept_transfer"),), token=TRANSFER)
        if reading.asks_change:
            return _Reply((speaker.phrase("firm"),))
        if reading.says_wait:
            return _Reply((speaker.phrase("waiting"),))
        if reading.claims_done or reading.is_closing:
            return self._complain(turn)
        if reading.is_unable:
            return _Reply((speaker.phrase("insist"),), insisted=True)
        if reading.offers_extra:
            return _Reply((speaker.phrase("no_extra"),))
        if reading.asks_anything:
            return _Reply((speaker.phrase("unknown"),))
        return None

    def _complain(self, turn: _Turn) -> _Reply:
        missing = self._missing(turn.wallet)
        if missing:
            return _Reply((turn.speaker.phrase("missing", things=list_words(missing)),))
        pending = [booking.booking_id for booking in turn.wallet.pending]
        if pending:
            return _Reply((turn.speaker.phrase("unpaid", bookings=list_words(pending)),))
        return _Reply((turn.speaker.phrase("waiting"),))

    def _finish(self, memory: UserMemory, reply: _Reply, speaker: Speaker, number: int) -> UserStep:
        record = memory.record
        for key, reason in reply.told:
            record = record.with_told([key], number, reason)
        memory = replace(
            memory,
            record=record,
            insisted=memory.insisted + reply.insisted,
            approved=memory.approved or reply.approved,
        )
        text = speaker.finish(reply.parts, is_answer=reply.is_answer, is_content=reply.is_content)
        content = f"{text} {reply.token}".strip()
        return UserStep({"role": "user", "content": content}, memory.as_json())


def _is_visible(message: Mapping[str, Any]) -> bool:
    return message["role"] in {"user", "assistant"} and not message.get("tool_calls")


def _private(calls: Sequence[PrivateCall], messages: Sequence[Message]) -> Message:
    """Return a private message with calls; ids count the user's own calls from the start."""
    made = sum(len(m.get("tool_calls") or ()) for m in messages if m["role"] == "user")
    return {
        "role": "user",
        "owner": "user",
        "content": "",
        "tool_calls": [
            {"id": f"user_call_{made + n}", "name": call.name, "arguments": call.arguments}
            for n, call in enumerate(calls, start=1)
        ],
    }
