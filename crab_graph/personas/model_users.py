"""Users that a chat model speaks for: it plays the user (`llm`), or words its turns (`hybrid`).

What such a model must not do is seen by rules: end the talk in the turn in which it approves,
invent a person, claim a payment that it did not approve, or play the agent.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from enum import StrEnum
from typing import Any, NamedTuple

from crab_graph.personas.briefing import Fact, UserBriefing
from crab_graph.personas.own_tools import APPROVE, Wallet, read_wallet
from crab_graph.personas.recognition import stated_facts, told_after
from crab_graph.personas.rules_user import RulesUser, UserStep, is_visible, private_message
from crab_graph.personas.spoken_dates import MONTHS, find_dates
from crab_graph.personas.understanding import ANY_ID, Reading
from crab_graph.personas.wordbook import ValueForm, phrase_book, says
from crab_graph.text.amounts import find_amounts
from crab_graph.text.lexicon import pattern
from crab_graph.text.phrases import TerminalToken, find_token, without_tokens
from crab_graph.text.utterance import Utterance, read_message

Message = dict[str, Any]


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
    since = max((i for i, one in enumerate(messages) if _is_agents(one)), default=-1)
    heard = str(messages[since].get("content") or "") if since >= 0 else ""
    reading = Reading(heard, briefing.lexicon, briefing.slots)
    wallet = read_wallet(messages, since, briefing)
    said = read_message(without_tokens(text))
    if _ends_on_approval(text, said, calls, reading, wallet):
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
    return Breach(kind, phrase_book().breaches[why or kind].format(**values))


def _ends_on_approval(
    text: str, said: Utterance, calls: Sequence[str], reading: Reading, wallet: Wallet
) -> bool:
    if find_token(text) not in {TerminalToken.STOP, TerminalToken.TRANSFER}:
        return False
    if APPROVE in calls or wallet.recorded:
        return True
    is_asked = reading.asks_booking and not reading.claims_done and not reading.offers_transfer
    strong, reserve = pattern("approval", "strong"), pattern("approval", "reserve")
    return is_asked and bool(strong.search(said.text)) and not reserve.search(said.text)


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


def _is_agents(message: Message) -> bool:
    return message["role"] == "assistant" and not message.get("tool_calls")


OPENING = "(The chat is open. Write your first message.)"


class ModelReply(NamedTuple):
    """What a model said, and the tools it called as `(name, arguments)`."""

    text: str
    calls: tuple[tuple[str, Any], ...] = ()


Ask = Callable[[Sequence[Message]], ModelReply]
"""A model that knows its prompt and its tools: the user's view in, its reply out."""


class LlmUser:
    """The engine that lets a model speak; `first` is a wish that the user takes back later."""

    def __init__(self, briefing: UserBriefing, ask: Ask, first: Fact | None = None) -> None:
        self._briefing = briefing
        self._first = first
        self._ask = ask

    def step(self, state: Mapping[str, Any], messages: Sequence[Message]) -> UserStep:
        """Return the user's next message; arguments as for the rule-based engine."""
        lines: list[Message] = [{"role": "assistant", "content": OPENING}, *messages]
        reply = self._ask(lines)
        breach = self._breach(reply, messages)
        after = dict(state)
        if breach is not None:
            after["retries"] = after.get("retries", 0) + 1
            # The calls of a reply that was not sent were not made, and are left out.
            reason = f"(This message was not sent: {breach.reason}. Write it again.)"
            lines = [
                *lines,
                {"role": "user", "content": reply.text or "(no text)"},
                {"role": "assistant", "content": reason},
            ]
            reply = self._ask(lines)
            breach = self._breach(reply, messages)
        number = sum(map(is_visible, messages)) + 1
        if breach is not None:
            fault = {"turn": number, "kind": str(breach.kind), "text": breach.reason}
            after["faults"] = [*after.get("faults", ()), fault]
        if reply.calls:
            return UserStep(private_message(reply.calls, messages, reply.text), after)
        heard = list(filter(_is_agents, messages))
        after["disclosed"] = told_after(
            after.get("disclosed", ()),
            without_tokens(reply.text),
            str(heard[-1]["content"]) if heard else "",
            number,
            self._briefing,
            self._first,
        )
        return UserStep({"role": "user", "content": reply.text}, after)

    def _breach(self, reply: ModelReply, messages: Sequence[Message]) -> Breach | None:
        names = [name for name, _ in reply.calls]
        return find_breach(reply.text, names, messages, self._briefing)


_COUNTS = ("worded", "replaced")


class HybridUser:
    """The engine that lets a model, which calls no tools, word what the rules decide."""

    def __init__(self, rules: RulesUser, briefing: UserBriefing, ask: Ask) -> None:
        self._rules = rules
        self._briefing = briefing
        self._ask = ask

    def step(self, state: Mapping[str, Any], messages: Sequence[Message]) -> UserStep:
        """Return the user's next message; arguments as for the rule-based engine."""
        step = self._rules.step(state, messages)
        counts = {name: int(state.get(name, 0)) for name in _COUNTS}
        if step.message.get("tool_calls"):
            return UserStep(step.message, {**step.state, **counts})
        token = find_token(step.message["content"])
        draft = without_tokens(step.message["content"]).strip()
        heard = list(filter(_is_agents, messages))
        last = str(heard[-1]["content"]) if heard else ""
        task = f"The agent wrote:\n\n{last}\n\n" if last else ""
        task += f"The draft of the answer:\n\n{draft}"
        wording = self._ask([{"role": "assistant", "content": task}]).text.strip()
        told = [row["key"] for row in step.state.get("disclosed", ())]
        new = told[len(state.get("disclosed", ())) :]
        counts["worded"] += 1
        if not self._is_faithful(draft, wording, new, messages):
            counts["replaced"] += 1
            wording = draft
        content = f"{wording} {token or ''}".strip()
        return UserStep({"role": "user", "content": content}, {**step.state, **counts})

    def _is_faithful(
        self, draft: str, wording: str, told: Sequence[str], messages: Sequence[Message]
    ) -> bool:
        if find_token(wording) is not None or find_breach(wording, [], messages, self._briefing):
            return False
        today = self._briefing.today
        if _marks(draft, today) != _marks(wording, today):
            return False
        if not _numbers(wording, today) <= _numbers(draft, today):
            return False
        return all(
            stated_facts(draft, known, told) == stated_facts(wording, known, told)
            for known in (self._briefing, self._rules.first_briefing)
        )


def _marks(text: str, today: str) -> tuple[object, ...]:
    """Return what a wording must keep: dates, amounts, ids, and whether it approves or refuses."""
    utterance = read_message(text)
    return (
        {date.iso for date in find_dates(text, today)},
        {amount.cents for amount in find_amounts(utterance)},
        set(ANY_ID.findall(utterance.text)),
        pattern("approval", "strong").search(utterance.text) is not None,
        pattern("approval", "reserve").search(utterance.text) is not None,
    )


def _numbers(text: str, today: str) -> set[str]:
    """Return the numbers of a text but for its dates, which may be spelled in other ways."""
    for date in reversed(find_dates(text, today)):
        text = text[: date.start] + text[date.end :]
    return set(re.findall(r"\d+", text))
