"""What a model that plays the user must not do, seen by rules: one reason at most for each reply.

End the talk in the turn in which it approves, invent a person, claim a payment that it did not
approve, or play the agent. A rule fires only on what it is sure of.
"""

import re
from collections.abc import Mapping, Sequence
from enum import StrEnum
from typing import Any, NamedTuple

from crab_graph.personas.briefing import UserBriefing
from crab_graph.personas.own_tools import APPROVE, Wallet, read_wallet
from crab_graph.personas.spoken_dates import MONTHS, find_dates
from crab_graph.personas.understanding import Reading
from crab_graph.personas.user_guide import user_guide
from crab_graph.personas.wordbook import ValueForm, says
from crab_graph.text.lexicon import pattern
from crab_graph.text.phrases import TerminalToken, find_token, without_tokens
from crab_graph.text.utterance import Utterance, read_message

Message = Mapping[str, Any]


class BreachKind(StrEnum):
    """What a user model did wrong."""

    ENDS_ON_APPROVAL = "ends_on_approval"
    INVENTS_PERSON = "invents_person"
    CLAIMS_PAYMENT = "claims_payment"
    PLAYS_AGENT = "plays_agent"
    SAYS_NOTHING = "says_nothing"


class Breach(NamedTuple):
    """One breach, and what to tell the model about it."""

    kind: BreachKind
    reason: str


_FULL_NAME = re.compile(r"\b[A-Z][\w'-]+(?: [A-Z][\w'-]+)+")
_MONTH_WORDS = {month.casefold() for month in MONTHS}


def find_breach(
    text: str, calls: Sequence[str], messages: Sequence[Message], briefing: UserBriefing
) -> Breach | None:
    """Return the first thing wrong with a user model's reply, or `None`.

    These are failures published of simulators; a rule fires only on what it is sure of. `calls` are
    names of the tools it calls, beside which text is not delivered; `messages` what the user saw.
    """
    since = max((i for i, one in enumerate(messages) if is_agents(one)), default=-1)
    heard = str(messages[since].get("content") or "") if since >= 0 else ""
    reading = Reading(heard, briefing.lexicon, briefing.slots)
    wallet = read_wallet(messages, since, briefing)
    said = read_message(without_tokens(text))
    if _ends_on_approval(text, calls, reading, wallet):
        return _breach(BreachKind.ENDS_ON_APPROVAL)
    if calls:
        return None
    if not text.strip():
        return _breach(BreachKind.SAYS_NOTHING)
    if pattern("attribution", "role_breaks").search(said.text) or says("agent_words", said.text):
        return _breach(BreachKind.PLAYS_AGENT)
    invented = _invented_person(without_tokens(text), messages, briefing)
    if invented is not None:
        return _breach(BreachKind.INVENTS_PERSON, invented=invented)
    ever = read_wallet(messages, -1, briefing)
    return _claimed_payment(said, reading, wallet, ever)


def _breach(kind: BreachKind, why: str = "", **values: str) -> Breach:
    return Breach(kind, user_guide().breaches[why or kind].format(**values))


def _ends_on_approval(text: str, calls: Sequence[str], reading: Reading, wallet: Wallet) -> bool:
    if find_token(text) not in {TerminalToken.STOP, TerminalToken.TRANSFER}:
        return False
    if APPROVE in calls or wallet.recorded:
        return True
    is_asked = reading.asks_booking and not reading.claims_done and not reading.offers_transfer
    return is_asked and is_approval(text)


def is_approval(text: str) -> bool:
    """Tell whether a user's words approve, without a reserve."""
    said = read_message(text).text
    strong, reserve = pattern("approval", "strong"), pattern("approval", "reserve")
    return strong.search(said) is not None and reserve.search(said) is None


def _invented_person(text: str, messages: Sequence[Message], briefing: UserBriefing) -> str | None:
    """Return a full name or a past date that neither the facts nor the agent ever mentioned."""
    heard = [str(one.get("content") or "") for one in messages if one["role"] != "user"]
    spoken = " ".join([*(str(fact.value) for fact in briefing.facts), *heard])
    known = {*re.findall(r"\w+(?:['-]\w+)*", spoken.casefold()), *_MONTH_WORDS}
    dates = {date.iso for one in heard for date in find_dates(one, briefing.today)}
    for fact in briefing.facts:
        words = briefing.lexicon.facts.get(fact.key)
        if words is not None and words.form in {ValueForm.DATE, ValueForm.DATES}:
            dates |= set(fact.value if isinstance(fact.value, list) else [fact.value])
    for date in find_dates(text, briefing.today):
        if date.iso < briefing.today and date.iso not in dates:
            return text[date.start : date.end]
    for line in re.split(r"[.!?;\n]", text):
        low = line.casefold()
        speaks = says("person", low) or briefing.lexicon.people.search(low) is not None
        for name in _FULL_NAME.findall(line) if speaks else ():
            if name.split()[-1].casefold() not in known:
                return str(name)
    return None


def _claimed_payment(
    said: Utterance, reading: Reading, wallet: Wallet, ever: Wallet
) -> Breach | None:
    """Return a claim to have paid or added a card that is none; `ever` is of all the talk."""
    denials = pattern("attribution", "denials")
    has_approved = bool(wallet.recorded) or (bool(wallet.earlier) and not reading.asks_approval)
    has_card = ever.added is not None or any(card.get("payment_method_id") for card in ever.cards)
    is_only_payment = reading.asks_approval and not reading.asks_booking
    for words in map(said.words, said.clauses):
        if "?" in words or denials.search(words):
            continue
        is_approval = says("says_approved", words) or (is_only_payment and says("says_done", words))
        if is_approval and not has_approved:
            return _breach(BreachKind.CLAIMS_PAYMENT, approve=APPROVE)
        if says("says_added", words) and not has_card:
            return _breach(BreachKind.CLAIMS_PAYMENT, why="claims_card")
    return None


def is_agents(message: Message) -> bool:
    """Tell whether a message is one that the agent said."""
    return message["role"] == "assistant" and not message.get("tool_calls")
