"""The server of `mock-llm`: reference agents behind real HTTP, or the replies of a file.

It plays a user, too, that follows its prompt and is no user engine. It knows what a model would
know: the prompt, the notes, the chat, and what its tools returned. It says the basic facts first,
or all where the prompt tells it to be open, and the details that its note names; it adds its card,
approves what its bookings show, and ends the talk when all is paid.
"""

import json
import re
import signal
import threading
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from langchain_core.messages import AIMessage, BaseMessage, SystemMessage, convert_to_messages

from crab_graph.agents.reference import REFERENCE_AGENTS, reference_agent
from crab_graph.agents.reference.conversation import (
    Action,
    Conversation,
    ask_for,
    read_conversation,
)
from crab_graph.domain.contract import find_domain
from crab_graph.errors import UsageError
from crab_graph.models.usage import MOCK_MODEL
from crab_graph.personas.own_tools import ADD, APPROVE, CARDS
from crab_graph.settings import DOMAIN
from crab_graph.testing.faults import FaultyAnswer
from crab_graph.testing.server import Answer, ScriptedServer
from crab_graph.tools.user_tools import is_confirmations


def open_mock_server(
    port: int = 0, scripted: Path | None = None, latency: float = 0.0, domain: str = DOMAIN
) -> ScriptedServer:
    """Return a server that answers without a model; enter it to begin to serve.

    Port 0 takes a free one of the loopback. Replies come after `latency` seconds, from the
    reference agents of a domain or the file `scripted`.

    Raises:
        UnknownName: there is no such domain.
        UsageError: the port is taken, the file cannot be read, or the domain not be imported.
    """
    replies = None if scripted is None else read_replies(scripted)
    if replies is None:
        find_domain(domain)

    def delayed(body: dict[str, Any]) -> Answer | FaultyAnswer:
        time.sleep(latency)
        if replies is None:
            return answer_request(body, domain)
        said: int = sum(message["role"] == "assistant" for message in body["messages"])
        return replies[min(said, len(replies) - 1)]

    try:
        return ScriptedServer(
            delayed, model=MOCK_MODEL, port=port, remember=False, whole_request=True, names=NAMES
        )
    except OSError as error:
        raise UsageError(f"port {port} cannot be used: {error.strerror}") from None


def read_replies(path: Path) -> list[Answer | FaultyAnswer]:
    """Read a list of replies.

    Each is a text; `{"text", "calls": [{"name", "arguments"}]}`; or a fault, such as
    `{"status": 429, "headers": {"Retry-After": "1"}, "body": {…}, "delay": 0.5}`.

    Raises:
        UsageError: the file is missing or malformed.
    """
    try:
        values = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise UsageError(f"{path}: {error.strerror}") from None
    except ValueError as error:
        raise UsageError(f"{path}: not a JSON file: {error}") from None
    if not isinstance(values, list) or not values:
        raise UsageError(f"{path}: must be a JSON list with one reply or more")
    return [_reply(path, place, value) for place, value in enumerate(values)]


def wait_for_interrupt() -> None:
    """Return when the process is interrupted or told to end."""
    over = threading.Event()
    for name in (signal.SIGINT, signal.SIGTERM):
        signal.signal(name, lambda *_: over.set())
    over.wait()


def _reply(path: Path, place: int, value: Any) -> Answer | FaultyAnswer:
    if isinstance(value, str):
        return Answer(value)
    try:
        if not isinstance(value, dict):
            raise TypeError("it is neither a text nor an object")
        if "status" in value or "delay" in value:
            return FaultyAnswer(**value)
        calls = [(call["name"], call["arguments"]) for call in value.pop("calls", [])]
        return Answer(**value, calls=calls)
    except (KeyError, TypeError) as error:
        raise UsageError(f"{path}: reply {place + 1} is malformed: {error}") from None


DEFAULT_AGENT = "solver"
NAMES = ("mock", *REFERENCE_AGENTS)
"""Names that the server answers to."""

_DRAFT = "The draft of the answer:\n\n"


def answer_request(body: Mapping[str, Any], domain: str = DOMAIN) -> Answer | FaultyAnswer:
    """Return the answer to one chat-completions request."""
    messages = convert_to_messages(body["messages"])
    names = {str(tool.get("function", tool).get("name")) for tool in body.get("tools") or ()}
    last = str(messages[-1].text) if messages else ""
    if not names and _DRAFT in last:
        return Answer(last.partition(_DRAFT)[2])  # the hybrid engine: a draft, to be worded
    confirmations = next(filter(is_confirmations, names), None)
    if confirmations is not None:
        return _answer(follow_prompt(messages, confirmations))
    asked = str(body.get("model", ""))
    name = DEFAULT_AGENT if asked in {"mock", MOCK_MODEL} else asked
    if name not in REFERENCE_AGENTS:
        known = ", ".join(NAMES)
        message = f"no model '{asked}' is served here; there are {known}"
        return FaultyAnswer(404, {"error": {"message": message, "code": "model_not_found"}})
    return _answer(reference_agent(name, find_domain(domain))(messages, []))


def _answer(said: AIMessage | str) -> Answer:
    if isinstance(said, str):
        return Answer(said)
    calls = [(call["name"], call["args"]) for call in said.tool_calls]
    return Answer(str(said.text), calls)


GREETING = "Hello, I need help with this."
AGREEMENT = "Yes, please go ahead."
NO_MORE = "There is nothing else to add."
THANKS = "Thank you, that is all. ###STOP###"
GIVES_UP = "I will stop here, this leads nowhere. ###STOP###"
HANDED_OVER = "All right, thank you. ###TRANSFER###"
PATIENCE = 8
"""Turns without anything new after which it gives up."""

_OPEN = re.compile(r"\bsay everything you know\b", re.IGNORECASE)
_FACT = re.compile(r"^- ([^:\n]+): (.+)$", re.MULTILINE)
_ASIDE = re.compile(r"\((?:Private note|This message was not sent|The chat is open)\b")
_TELLS = re.compile(r"^- Details for this message: ([^.\n]+)\.", re.MULTILINE)
_KNOWS = re.compile(r"^# What you know\n(.*?)(?=^# |\Z)", re.MULTILINE | re.DOTALL)
_CARD = re.compile(r"\bending in (\d{4})\b")
_TRANSFERS = re.compile(r"\bbeing transferred\b|\btransfer(?:ring)? you\b", re.IGNORECASE)
_ALL_PAID = re.compile(
    r"\b(?:confirmed|charged|booked and paid|all set|completed)\b", re.IGNORECASE
)
_PAYMENT = re.compile(r"\b(?:approv|authori[sz]|add (?:a|another|your) card)", re.IGNORECASE)
_CONSENT = re.compile(
    r"\b(?:(?:shall|should|may) i|do you want me to|would you like me to)\b.*\?", re.IGNORECASE
)
_QUESTION = re.compile(r"\?|\bI need\b|\bplease (?:tell|give|provide|share)\b", re.IGNORECASE)

Results = Mapping[str, dict[str, Any]]
"""The last result of each of its tools since the agent spoke."""


class Knowledge(NamedTuple):
    """What a prompt says that the user knows: its facts in words, by what they are called."""

    basics: Mapping[str, str]
    details: Mapping[str, str]
    is_open: bool

    @property
    def card(self) -> str | None:
        """The last four digits of the card to pay with, if it is named."""
        found = _CARD.search(" ".join(self.details.values()))
        return None if found is None else found[1]


def follow_prompt(messages: Sequence[BaseMessage], confirmations: str) -> AIMessage | str:
    """Return the user's next message: a text to say, or calls of its own tools.

    One of these, named after what the domain books, lists its bookings.
    """
    prompt = next((str(one.text) for one in messages if isinstance(one, SystemMessage)), "")
    note = str(messages[-1].text) if messages else ""
    said = [one for one in messages if not (one.type == "human" and _ASIDE.match(str(one.text)))]
    step = _next(read_knowledge(prompt), read_conversation(said), confirmations, note)
    if isinstance(step, str):
        return step
    return ask_for(step, sum(isinstance(one, AIMessage) for one in messages) * 10)


def read_knowledge(prompt: str) -> Knowledge:
    """Return what a composed prompt says that the user knows."""
    section = _KNOWS.search(prompt)
    basics, _, details = (section[1] if section else "").partition("\nDetails:")
    is_open = _OPEN.search(prompt) is not None
    return Knowledge(dict(_FACT.findall(basics)), dict(_FACT.findall(details)), is_open)


def _next(
    known: Knowledge, chat: Conversation, confirmations: str, note: str
) -> str | list[Action]:
    # What this reader calls the user is whoever speaks to it: here, the agent.
    heard, mine = chat.last_user_text, chat.agent_texts
    since = max((turn.position for turn in chat.turns if turn.is_user), default=-1)
    done = {one.call.name: one.result for one in chat.observations if one.position > since}
    if not mine:
        facts = {**known.basics, **known.details} if known.is_open else known.basics
        return " ".join([GREETING, *facts.values()])
    if _TRANSFERS.search(heard):
        return HANDED_OVER
    if _PAYMENT.search(heard):
        return _pay(known, done, confirmations)
    if _ALL_PAID.search(heard):
        if confirmations not in done:
            return [Action(confirmations, {})]
        unpaid = len(_pending(done[confirmations]))
        return f"{unpaid} of my bookings are not paid yet." if unpaid else THANKS
    if len(mine) >= PATIENCE and len(set(mine[-PATIENCE:])) == 1:
        return GIVES_UP
    if _CONSENT.search(heard) or not _QUESTION.search(heard):
        return AGREEMENT
    noted = _TELLS.search(note)
    keys = list(known.details) if noted is None else noted[1].split(", ")
    answer = " ".join(known.details[key] for key in keys if key in known.details)
    return NO_MORE if known.is_open or answer in mine or not answer else answer


def _pay(known: Knowledge, done: Results, confirmations: str) -> str | list[Action]:
    """Look at cards and bookings, add the card, approve each booking, and say so."""
    if CARDS not in done or confirmations not in done:
        return [Action(CARDS, {}), Action(confirmations, {})]
    pending, listed = _pending(done[confirmations]), list(done[CARDS].get("cards", ()))
    if not pending or not listed:
        return NO_MORE
    named = [one for one in listed if one.get("last4") == known.card]
    card = (named or sorted(listed, key=lambda one: float(one.get("limit", 0))))[-1]
    added = done.get(ADD, {})
    method = card.get("payment_method_id") or added.get("payment_method_id")
    if method is None:
        return NO_MORE if added else [Action(ADD, {"card_id": card["card_id"]})]
    if APPROVE in done:
        return f"I have approved them. The payment method is {method}."
    asked = [(one["booking_id"], one["total"]) for one in pending]
    return [
        Action(APPROVE, {"booking_id": name, "payment_method_id": method, "amount": amount})
        for name, amount in asked
    ]


def _pending(listed: Mapping[str, Any]) -> list[dict[str, Any]]:
    return [one for one in listed.get("bookings", ()) if one.get("status") == "pending"]
