"""A user without a model: a policy decides what to say, templates word it (paper section 3.3).

Every draw is a function of seed, task, condition, turn and purpose, so a step depends on its
arguments alone: it can be run twice, resumed or forked.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from random import Random
from typing import Any, NamedTuple

from crab_graph.personas.asides import Aside
from crab_graph.personas.asked_payments import asked_only
from crab_graph.personas.behavior import Behavior
from crab_graph.personas.briefing import (
    DisclosureRecord,
    Fact,
    Reason,
    UserBriefing,
    first_wish,
    waits_for_plan,
    with_first_wish,
)
from crab_graph.personas.chat_style import kept_words
from crab_graph.personas.clarifications import clarification_in
from crab_graph.personas.condition import ResolvedCondition
from crab_graph.personas.days_of_window import window_question_in
from crab_graph.personas.decisions import (
    change_mind,
    decide,
    is_cautious,
    open_dialogue,
    private_calls,
)
from crab_graph.personas.declined_cards import of_spare_card, with_spare_card
from crab_graph.personas.doubted_days import of_doubted_days, vague_days_named
from crab_graph.personas.error_reactions import ErrorRecord, Reaction, look_over, shortened
from crab_graph.personas.founded_denials import is_taken_up
from crab_graph.personas.fragment_set import Fragments, built_in_fragments
from crab_graph.personas.later_halves import said_before, with_later_half
from crab_graph.personas.meant_answers import OF_RULES
from crab_graph.personas.memory import UserMemory
from crab_graph.personas.mended_bookings import (
    MendedBooking,
    mended_booking_in,
    mended_by_meaning,
    owns_up,
    withdrawn_in,
)
from crab_graph.personas.mishap_answers import exceeded_by_more, without_rise
from crab_graph.personas.options import choose_option, open_choices
from crab_graph.personas.own_tools import Wallet, misstated_total, read_wallet, refusals
from crab_graph.personas.party_questions import party_question_in
from crab_graph.personas.patience import with_patience
from crab_graph.personas.payment_answers import added_words
from crab_graph.personas.payment_habits import PaymentHabit, payment_habit, with_other_card
from crab_graph.personas.pinned_facts import (
    asked_of_a_part,
    meant_throughout,
    unwished_throughout,
    whose_births,
)
from crab_graph.personas.plan_conflicts import contradictions, fulfilled
from crab_graph.personas.play_backs import PlayBack, read_play_back
from crab_graph.personas.pointed_questions import asked_by_values, asked_throughout, names_menu
from crab_graph.personas.prompt import condition_behavior
from crab_graph.personas.replaced_bookings import replaced
from crab_graph.personas.rewordings import reworded
from crab_graph.personas.stated_plans import read_plan, read_plans
from crab_graph.personas.turn_review import reviewed
from crab_graph.personas.turned_plans import turned_right
from crab_graph.personas.turns import Decision, Turn
from crab_graph.personas.understanding import Reading, reading_of
from crab_graph.personas.ways_of_saying import WaysOfSaying
from crab_graph.personas.weighed_wishes import weighed_wishes_in
from crab_graph.personas.wording import Speaker
from crab_graph.randomness import derive_rng

Message = dict[str, Any]


@dataclass(frozen=True, slots=True)
class UserStep:
    """A visible turn or calls of the user's own tools, and the state to hand to the next step."""

    message: Message
    state: dict[str, Any]


class Hearing(NamedTuple):
    """What a message answers, and its draws; it has no turn to answer where it opens a dialogue.

    `number` is that of the message, counting both sides' visible ones from 1.
    """

    number: int
    behavior: Behavior
    draw: Callable[[str], Random]
    speaker: Speaker
    turn: Turn | None


class RulesUser:
    """The rule-based user engine; fragments set rates by their fields.

    `changing` are the facts that the task has it change its mind about: it says them plainly, and
    changes its mind about nothing else.
    """

    def __init__(
        self,
        briefing: UserBriefing,
        condition: ResolvedCondition,
        seed: int,
        *,
        fragments: Fragments | None = None,
        changing: Collection[str] = (),
    ) -> None:
        self._briefing = briefing
        self.behavior = condition_behavior(condition, fragments or built_in_fragments())
        self._seed = seed
        self._first = None if changing else first_wish(briefing, self.behavior)
        self.first_briefing = with_first_wish(briefing, self._first) if self._first else briefing
        """What the user says it wants before it changes its mind; mostly what it knows."""
        plain = changing if self._first is None else (self._first.key,)
        self._ways = WaysOfSaying(
            briefing, self.behavior, seed, plain=plain, unsettled=frozenset(changing)
        )
        self._habit = payment_habit(briefing, self.behavior, seed)
        self._kept = kept_words(briefing.facts, briefing)

    def step(self, state: Mapping[str, Any], messages: Sequence[Message]) -> UserStep:
        """Return the user's next message, given the state the last step returned, empty at first.

        `messages` are what the user has seen: both sides' visible turns, its calls, their results.
        """
        number, _, _, speaker, turn = self.hear(state, messages)
        if turn is None:
            opening = open_dialogue(self.first_briefing, self.behavior, speaker)
            return self._finish(
                UserMemory.from_json(state), opening, speaker, number, is_first=True
            )
        memory, is_changing = turn.memory, self.takes_back(turn)
        calls = () if is_changing else private_calls(turn)
        if calls:
            return UserStep(private_message(calls, messages), memory.as_json())
        first = self._first
        # An answer may give the first wish, but not beside a yes or an objection.
        is_first = first is not None and not (
            is_changing or memory.record.is_settled(first.key) or is_cautious(turn)
        )
        turn = replace(turn, briefing=self.first_briefing) if is_first else turn
        turn, said = with_later_half(turn)
        reply = change_mind(turn, first.key) if first and is_changing else decide(turn)
        reply = said_before(reply, said, is_asked=is_cautious(turn))
        reply = reviewed(turn, reply)
        reply, memory = with_patience(turn, reply)
        memory = replace(memory, errors=_after(memory.errors, turn, reply, number))
        return self._finish(memory, reply, speaker, number, is_first=is_first)

    def announce(
        self,
        state: Mapping[str, Any],
        messages: Sequence[Message],
        act: str,
        facts: Sequence[Fact],
    ) -> UserStep:
        """Return the message that says facts as news after a phrase, whatever the agent said."""
        number, _, _, speaker, turn = self.hear(state, messages)
        parts = (speaker.phrase(act), *map(speaker.fact, facts))
        if turn is not None:
            # A card that was asked for is there by now.
            parts += added_words(replace(turn, speaker=speaker))
        told = tuple((fact.key, Reason.CHANGED) for fact in facts)
        reply = Decision(parts, told=told, is_content=True, moved=True)
        memory = UserMemory.from_json(state)
        if turn is not None:
            reply, memory = with_patience(turn, reply)
        return self._finish(memory, reply, speaker, number, is_first=False)

    def _is_wish(self, key: str) -> bool:
        """Tell whether a fact is one that what the agent finds may meet or miss."""
        words = self._briefing.lexicon.facts.get(key)
        return words is not None and words.conflict is not None

    def hear(self, state: Mapping[str, Any], messages: Sequence[Message]) -> Hearing:
        """Return what the next message answers, read, with all that is drawn for it."""
        visible = [index for index, message in enumerate(messages) if is_visible(message)]
        number = len(visible) + 1
        drawn = ("user", self._seed, self._briefing.task_id, number)
        draw = partial(derive_rng, *drawn)
        own = [messages[index] for index in visible if messages[index]["role"] == "user"]
        memory = UserMemory.from_json(state)
        speaker = Speaker(
            shortened(self.behavior, memory.errors),
            self._briefing.lexicon,
            draw,
            said="\n".join(str(message["content"]) for message in own),
            is_one=self._briefing.is_for_one,
            kept=self._kept,
        )
        if not own:
            opening = speaker.with_sayings(self._ways.opening())
            return Hearing(number, self.behavior, draw, opening, None)
        heard = max((i for i in visible if messages[i]["role"] == "assistant"), default=-1)
        turn = self._read(memory, messages, heard, speaker)
        told = [key for key in turn.facts if memory.record.is_settled(key)]
        sight = look_over(turn.conflicts, turn.reading, self.behavior, memory.errors, told, draw)
        turn = replace(turn, conflicts=sight.seen, overlooked=sight.overlooked)
        throughout = (*asked_throughout(turn.reading), *whose_births(turn), *meant_throughout(turn))
        throughout = (*throughout, *asked_of_a_part(turn), *unwished_throughout(turn))
        if turn.clarification is not None:
            throughout = (*throughout, *turn.clarification.throughout)
        speaker = speaker.with_sayings(self._ways.of_turn(turn), throughout)
        return Hearing(number, self.behavior, draw, speaker, replace(turn, speaker=speaker))

    def takes_back(self, turn: Turn) -> bool:
        """Tell whether to take back the first wish now: it was said, and the agent moves on."""
        first, record, reading = self._first, turn.memory.record, turn.reading
        if first is None or not record.has(first.key) or record.is_settled(first.key):
            return False
        if not turn.text.strip() or reading.has_transferred or reading.says_wait:
            return False
        if first.key in turn.playback.wrong:
            return True
        is_stuck = reading.is_unable or reading.offers_transfer or reading.is_closing
        return is_stuck or not waits_for_plan(self._briefing) or is_cautious(turn)

    def _read(
        self, memory: UserMemory, messages: Sequence[Message], heard: int, speaker: Speaker
    ) -> Turn:
        """Read the message that stands at an index; none where it is negative."""
        briefing = self._briefing
        text = str(messages[heard].get("content") or "") if heard >= 0 else ""
        said = list(_said_before(messages, heard))
        before = said[-1] if said else None
        mended = self._mended_in(text, before)
        text = text if mended is None else mended.rest
        text, gone = withdrawn_in(vague_days_named(reworded(text), memory.record, briefing))
        asides, text = _asides_of(text, briefing, memory.record)
        reading = reading_of(text, briefing.lexicon, briefing.slots, before)
        wallet = read_wallet(messages, heard, briefing)
        # What is booked needs no wish to be explained, nor what an hour answers.
        is_plain = len(wallet.held) >= len(briefing.slots) or reading.meant in OF_RULES
        asked = None if is_plain else clarification_in(reading, text, briefing, memory.record)
        if asked is not None:
            text = asked.rest
            reading = reading_of(
                text, briefing.lexicon, briefing.slots, before, is_rest="?" not in text
            )
        wants_yes = reading.asks_booking or reading.asks_choice
        earlier = read_plans(said, briefing) if wants_yes else []
        plan = turned_right(read_plan(reading, briefing.slots, earlier), briefing)
        offered = plan.of_slots_with(reading.ids)
        gone = gone if mended is None else gone | mended.about
        if reading.asks_booking:
            gone |= replaced(plan.items, wallet.bookings, briefing.slots)
        wallet = self._as_it_pays(replace(wallet, withdrawn=gone), reading, said)
        asks_approval = reading.asks_approval
        conflicts = contradictions(plan, briefing)
        # What goes beyond a card's limit is no dearer than it was.
        risen = () if reading.tells_of_failed_card else exceeded_by_more(text, said, briefing)
        conflicts += [one for one in risen if one not in conflicts]
        parts, named = len(briefing.slots), plan.items.values()
        total = misstated_total(plan.totals, named, wallet, parts) if asks_approval else None
        played = self._played_in(reading, plan.items, memory.record, wallet, speaker.said)
        return Turn(
            briefing=briefing,
            behavior=self.behavior,
            text=text,
            reading=reading,
            memory=memory,
            wallet=wallet,
            conflicts=_standing(conflicts, played, memory, reading, briefing),
            playback=played,
            choice=choose_option(offered, briefing) if reading.asks_choice else None,
            choices=tuple(open_choices(offered, briefing)) if reading.asks_choice else (),
            wrong_total=total,
            refused=tuple(refusals(wallet, reading)) if asks_approval else (),
            speaker=speaker,
            habit=self._habit,
            met=frozenset(fulfilled(plan, briefing, reading.amounts)),
            clarification=asked,
            asides=asides,
            mended=mended,
            shown=_shown(wallet, said, briefing),
        )

    def _played_in(
        self,
        reading: Reading,
        items: Mapping[str, str],
        record: DisclosureRecord,
        wallet: Wallet,
        own: str,
    ) -> PlayBack:
        """Return what a message plays back to a user who spoke in its `own` words so far.

        What lets choose among values that nobody has told yet notes none of them.
        """
        untold = [one.key for one in self._briefing.facts if not record.has(one.key)]
        played = read_play_back(reading, self._briefing, items, untold)
        menus = {key for key in asked_by_values(reading) if key in untold}
        words, said = self._briefing.lexicon.facts, [one.text for one in reading.segments]
        listed = {key for key in untold if any(names_menu(text, words[key]) for text in said)}
        right = tuple(key for key in played.right if key not in menus | listed)
        wrong = tuple(key for key in played.wrong if key not in menus)
        played = replace(played, right=right, wrong=wrong)
        played = of_doubted_days(played, record, self._briefing)
        played = of_spare_card(played, wallet, reading, own)
        return without_rise(reading, played, self._briefing)

    def _mended_in(self, text: str, before: str | None) -> MendedBooking | None:
        """Return what a message says beside a booking that it makes anew, as it had a slip."""
        if owns_up(text):
            whole = reading_of(text, self._briefing.lexicon, self._briefing.slots, before)
            if whole.meant == "slip" and not (whole.asks_card or whole.asks_method):
                return mended_by_meaning(text)
        return mended_booking_in(text)

    def _as_it_pays(self, wallet: Wallet, reading: Reading, said: Sequence[str]) -> Wallet:
        """Return a wallet with what the user pays now, and the card that it takes."""
        if self._habit is PaymentHabit.OTHER_CARD:
            wallet = with_other_card(wallet, reading)
        wallet = with_spare_card(wallet, reading, self._habit, said)
        return asked_only(wallet, reading, self._briefing, said)

    def _finish(
        self, memory: UserMemory, reply: Decision, speaker: Speaker, number: int, *, is_first: bool
    ) -> UserStep:
        record, first = memory.record, self._first if is_first else None
        for key, reason in reply.told:
            wish = first.value if first is not None and first.key == key else None
            record = record.with_told(key, number, reason, wish, speaker.sayings.get(key))
        memory = replace(
            memory,
            record=record,
            declined=memory.with_declined(reply.declined),
            insisted=memory.insisted + reply.insisted,
            approved=memory.approved or reply.approved,
            asked_back=memory.asked_back + 1 if reply.asked_back else 0,
            later=reply.later,
            promises=reply.promises or (memory.promises and not reply.told),
            owes=reply.owes or (memory.owes and not reply.moved),
        )
        text = speaker.finish(
            reply.parts,
            reply.tail,
            is_answer=reply.is_answer,
            is_content=reply.is_content,
            is_wish=any(self._is_wish(key) for key, _ in reply.told),
        )
        content = f"{text} {reply.token}".strip()
        return UserStep({"role": "user", "content": content}, memory.as_json())


def _standing(
    conflicts: Sequence[str],
    played: PlayBack,
    memory: UserMemory,
    reading: Reading,
    briefing: UserBriefing,
) -> tuple[str, ...]:
    """Return the conflicts that stand: what is played back rightly an item alone contradicts."""
    return tuple(
        one
        for one in conflicts
        if (reading.ids or one not in played.right)
        and not is_taken_up(one, memory.record, reading, briefing)
    )


def _asides_of(
    text: str, briefing: UserBriefing, record: DisclosureRecord
) -> tuple[tuple[Aside, ...], str]:
    """Return what a message asks by the way, and what it says beside that."""
    asides = list[Aside]()
    for find in (party_question_in, weighed_wishes_in, window_question_in):
        if aside := find(text, briefing, record):
            asides.append(aside)
            text = aside.rest
    return tuple(asides), text


def _shown(wallet: Wallet, said: Sequence[str], briefing: UserBriefing) -> dict[str, str]:
    """Return for which slot the agent showed each item, where some of what is wanted is booked."""
    if not 0 < len(wallet.held) < len(briefing.slots):
        return {}
    return {item: slot for one in read_plans(said, briefing) for item, slot in one.items.items()}


def _said_before(messages: Sequence[Message], heard: int) -> list[str]:
    """Return the agent's visible messages before the one that stands at an index."""
    before = messages[: max(heard, 0)]
    agent = (one for one in before if one["role"] == "assistant" and is_visible(one))
    return [str(one.get("content") or "") for one in agent]


def _after(errors: ErrorRecord, turn: Turn, reply: Decision, number: int) -> ErrorRecord:
    """Return the record of reactions to errors after a turn."""
    for key in turn.overlooked:
        if key not in errors.overlooked:
            errors = errors.with_reaction(key, number, Reaction.OVERLOOKED)
    if reply.reaction is None:
        return errors
    return errors.with_reaction(reply.reaction[0], number, reply.reaction[1])


def is_visible(message: Mapping[str, Any]) -> bool:
    """Tell whether a message is said, not a call or its result."""
    return message["role"] in {"user", "assistant"} and not message.get("tool_calls")


def private_message(
    calls: Sequence[tuple[str, Any]], messages: Sequence[Message], text: str = ""
) -> Message:
    """Return a private message with calls; ids count the user's own calls from the start."""
    made = sum(len(m.get("tool_calls") or ()) for m in messages if m["role"] == "user")
    return {
        "role": "user",
        "owner": "user",
        "content": text,
        "tool_calls": [
            {"id": f"user_call_{number}", "name": name, "arguments": arguments}
            for number, (name, arguments) in enumerate(calls, start=made + 1)
        ],
    }
