"""What a model that plays the user must not do, seen by rules: one reason at most for each reply.

These are failures published of simulators, and those of users that tell more than their condition
lets them (§3.3). A rule fires only on what it is sure of: a reply that is sent back for nothing
costs more than one that goes through.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from typing import Any, NamedTuple

from crab_graph.personas.briefing import UserBriefing
from crab_graph.personas.disclosure_limits import over_disclosed
from crab_graph.personas.invented_values import invented_person, invented_value
from crab_graph.personas.memory import UserMemory
from crab_graph.personas.message_form import is_markdown, is_script
from crab_graph.personas.message_text import BOOKING_ID
from crab_graph.personas.own_tools import APPROVE, Wallet, read_wallet
from crab_graph.personas.plan_answers import can_approve
from crab_graph.personas.private_notes import drawn_reaction, idle_messages
from crab_graph.personas.recognition import says_so
from crab_graph.personas.rules_user import Hearing
from crab_graph.personas.turns import Turn
from crab_graph.personas.understanding import Reading
from crab_graph.personas.user_guide import user_guide
from crab_graph.personas.wordbook import says
from crab_graph.text.lexicon import pattern
from crab_graph.text.phrases import TerminalToken, find_token, offers_transfer, without_tokens
from crab_graph.text.utterance import Utterance, read_message

Message = Mapping[str, Any]


class BreachKind(StrEnum):
    """What a user model did wrong."""

    ENDS_ON_APPROVAL = "ends_on_approval"
    ENDS_EARLY = "ends_early"
    WRONG_TOKEN = "wrong_token"
    SAYS_NOTHING = "says_nothing"
    PLAYS_AGENT = "plays_agent"
    REVEALS_INSTRUCTIONS = "reveals_instructions"
    STAGE_DIRECTIONS = "stage_directions"
    WRITES_MARKDOWN = "writes_markdown"
    INVENTS_PERSON = "invents_person"
    INVENTS_VALUE = "invents_value"
    CLAIMS_PAYMENT = "claims_payment"
    APPROVES_UNASKED = "approves_unasked"
    OVER_DISCLOSES = "over_discloses"


class Breach(NamedTuple):
    """One breach, and what to tell the model about it."""

    kind: BreachKind
    reason: str


@dataclass(frozen=True)
class UnsentReply:
    """A reply of a user model that was not sent yet, with what it answers.

    `calls` are names of the tools it calls, beside which text is not delivered; `messages` what the
    user saw; `first` is the key of a wish that it takes back later, whose value may be another.
    """

    text: str
    calls: Sequence[str]
    messages: Sequence[Message]
    hearing: Hearing
    briefing: UserBriefing
    first: str | None = None

    @cached_property
    def said(self) -> str:
        """Its text but for the token."""
        return without_tokens(self.text)

    @cached_property
    def utterance(self) -> Utterance:
        """That text as it is read."""
        return read_message(self.said)

    @property
    def turn(self) -> Turn | None:
        """What it answers; `None` for the opening of a chat."""
        return self.hearing.turn

    @cached_property
    def reading(self) -> Reading:
        """What the message does that it answers."""
        turn, briefing = self.turn, self.briefing
        return turn.reading if turn is not None else Reading("", briefing.lexicon, briefing.slots)

    @cached_property
    def heard(self) -> list[str]:
        """All that the agent said and the user's tools returned."""
        return [str(one.get("content") or "") for one in self.messages if one["role"] != "user"]


def find_breach(draft: UnsentReply) -> Breach | None:
    """Return the first thing wrong with a user model's reply, or `None`."""
    if _ends_on_approval(draft):
        return _breach(BreachKind.ENDS_ON_APPROVAL)
    if draft.calls:
        return _breach(BreachKind.APPROVES_UNASKED) if _pays_unasked(draft) else None
    is_out = find_token(draft.text) is TerminalToken.OUT_OF_SCOPE
    if is_out and not draft.said.strip():
        return _breach(BreachKind.WRONG_TOKEN)
    return find_form_breach(draft.said) or _ending_breach(draft) or _content_breach(draft)


def find_form_breach(said: str) -> Breach | None:
    """Return what is wrong with how a text without its token is written, or with who writes."""
    if not said.strip():
        return _breach(BreachKind.SAYS_NOTHING)
    words = read_message(said).text
    if user_guide().says("reveals", words):
        return _breach(BreachKind.REVEALS_INSTRUCTIONS)
    if pattern("attribution", "role_breaks").search(words) or user_guide().says("agent", words):
        return _breach(BreachKind.PLAYS_AGENT)
    if is_script(said):
        return _breach(BreachKind.STAGE_DIRECTIONS)
    return _breach(BreachKind.WRITES_MARKDOWN) if is_markdown(said) else None


def is_approval(text: str) -> bool:
    """Tell whether a user's words approve, without a reserve."""
    said = read_message(text).text
    strong, reserve = pattern("approval", "strong"), pattern("approval", "reserve")
    return strong.search(said) is not None and reserve.search(said) is None


def is_agents(message: Message) -> bool:
    """Tell whether a message is one that the agent said."""
    return message["role"] == "assistant" and not message.get("tool_calls")


def _breach(kind: BreachKind, why: str = "", **values: str) -> Breach:
    return Breach(kind, user_guide().breaches[why or kind].format(**values))


def _ending_breach(draft: UnsentReply) -> Breach | None:
    """Return what is wrong with how a text ends the chat: with what token, and when."""
    token, turn, reading = find_token(draft.text), draft.turn, draft.reading
    if token is None:
        return None
    if token is TerminalToken.OUT_OF_SCOPE:
        return _breach(BreachKind.WRONG_TOKEN)
    if turn is None:
        return _breach(BreachKind.ENDS_EARLY)
    if token is TerminalToken.TRANSFER:
        is_offered = any(
            offers_transfer(read_message(str(one["content"])), draft.briefing.lexicon.human)
            for one in draft.messages
            if is_agents(one)
        )
        is_offered = is_offered or reading.offers_transfer or reading.has_transferred
        return None if is_offered else _breach(BreachKind.WRONG_TOKEN, "transfers_unasked")
    goes_on = reading.asks_wallet or reading.asks_booking
    is_done = reading.claims_done and not goes_on
    is_over = is_done or reading.is_closing or reading.has_transferred
    is_stuck = (
        (reading.is_unable and not goes_on) or reading.offers_transfer or not turn.text.strip()
    )
    is_stuck = is_stuck or (drawn_reaction(turn) or ("", ""))[1] == "gives_up_on"
    is_tired = idle_messages(draft.hearing) >= draft.hearing.behavior.patience
    return None if is_over or is_stuck or is_tired else _breach(BreachKind.ENDS_EARLY)


def _content_breach(draft: UnsentReply) -> Breach | None:
    """Return what is wrong with what a text says: invented, claimed, approved or told too much."""
    briefing = draft.briefing
    invented = invented_person(draft.said, draft.heard, briefing)
    if invented is not None:
        return _breach(BreachKind.INVENTS_PERSON, invented=invented)
    wrong = invented_value(draft.said, draft.heard, briefing, _excused(draft))
    if wrong is not None:
        return _breach(BreachKind.INVENTS_VALUE, invented=wrong)
    claimed = _claimed_payment(draft)
    if claimed is not None:
        return claimed
    if _approves_unasked(draft):
        return _breach(BreachKind.APPROVES_UNASKED)
    told = over_disclosed(draft.said, draft.hearing, briefing)
    return _breach(BreachKind.OVER_DISCLOSES, facts=", ".join(told)) if told else None


def _excused(draft: UnsentReply) -> Collection[str]:
    """Return the facts of which another value may be said: drawn for this message, or taken back.

    One that was said with doubt before may be said so again, until it is settled.
    """
    memory = UserMemory() if draft.turn is None else draft.turn.memory
    told = {row["key"] for row in memory.record.rows}
    unsettled = {key for key in told if not memory.record.is_settled(key)}
    changing = () if draft.first is None else (draft.first,)
    sayings = draft.hearing.speaker.sayings.items()
    drawn = {key for key, saying in sayings if says_so(draft.said, saying)}
    return {*drawn, *unsettled, *changing}


def _ends_on_approval(draft: UnsentReply) -> bool:
    if find_token(draft.text) not in {TerminalToken.STOP, TerminalToken.TRANSFER}:
        return False
    reading, wallet = draft.reading, _wallet(draft)
    if APPROVE in draft.calls or wallet.recorded:
        return True
    is_asked = reading.asks_booking and not reading.claims_done and not reading.offers_transfer
    return is_asked and is_approval(draft.said)


def _pays_unasked(draft: UnsentReply) -> bool:
    """Tell whether payments are approved to an agent that never spoke of any."""
    return APPROVE in draft.calls and not any(
        says("payment", text) or says("approval", text) for text in map(str.casefold, draft.heard)
    )


def _approves_unasked(draft: UnsentReply) -> bool:
    """Tell whether a text has something booked that nobody proposed or asked about."""
    if not (user_guide().says("approves", draft.utterance.text) and is_approval(draft.said)):
        return False
    turn, reading = draft.turn, draft.reading
    if turn is None or not (can_approve(turn) or reading.asks_booking or reading.asks_approval):
        return True
    asks = reading.asks_anything or reading.asks_wallet or reading.asks_choice or reading.confirms
    return not (asks or reading.proposes or reading.is_open_question or reading.is_closing)


def _claimed_payment(draft: UnsentReply) -> Breach | None:
    """Return a claim to have paid or added a card that is none."""
    reading, wallet = draft.reading, _wallet(draft)
    ever = read_wallet(draft.messages, -1, draft.briefing)
    denials = pattern("attribution", "denials")
    has_approved = bool(wallet.recorded) or (bool(wallet.earlier) and not reading.asks_approval)
    has_card = ever.added is not None or any(card.get("payment_method_id") for card in ever.cards)
    # "Approved." of a plan is no claim of a payment: nothing is booked yet that could be paid.
    is_booked = any(BOOKING_ID in text.casefold() for text in draft.heard)
    is_only_payment = reading.asks_approval and not reading.asks_booking and is_booked
    guide = user_guide()
    for words in map(draft.utterance.words, draft.utterance.clauses):
        if "?" in words or denials.search(words):
            continue
        is_done = is_only_payment and guide.says("claims_done", words)
        if not has_approved and (is_done or guide.says("claims_paid", words)):
            return _breach(BreachKind.CLAIMS_PAYMENT, approve=APPROVE)
        if not has_card and guide.says("claims_card", words):
            return _breach(BreachKind.CLAIMS_PAYMENT, why="claims_card")
    return None


def _wallet(draft: UnsentReply) -> Wallet:
    since = max((i for i, one in enumerate(draft.messages) if is_agents(one)), default=-1)
    return read_wallet(draft.messages, since, draft.briefing)
