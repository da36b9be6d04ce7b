"""A task small enough to read: one customer, the tools every domain shares, no booking kinds."""

from types import SimpleNamespace
from typing import Any

from langchain_core.messages import AIMessage

from crab_graph.graph.journal import NAMESPACE
from crab_graph.personas.briefing import Fact, FactLevel
from crab_graph.settings import Toolset
from crab_graph.testing import tool_call_reply
from crab_graph.tools.platform import PAYMENT_TOOLS, PLATFORM_TOOLS
from crab_graph.tools.registry import ToolRegistry
from crab_graph.tools.tables import PLATFORM_TABLES, PRIVATE_TABLES, World
from crab_graph.tools.user_tools import user_tools

CANARY = "CANARY-7f3a"
CUSTOMER = "CU-20417"
CARD = "CD-1001"
STOP = "###STOP###"
SHARED_TOOLS = (*PLATFORM_TOOLS, *PAYMENT_TOOLS, *user_tools("trip"))


def build_task() -> Any:
    """Return a task whose private tables and facts hold a canary."""
    customer = {
        "customer_id": CUSTOMER,
        "name": "Ana Ruiz",
        "email": "ana@example.com",
        "phone": "312-555-0142",
        "address": "1 Elm St",
        "date_of_birth": "1990-04-02",
    }
    card = {
        "card_id": CARD,
        "brand": "Visa",
        "last4": CANARY,
        "limit_cents": 90000,
        "is_default": True,
    }
    world = World(
        task_id="S1-001",
        today="2027-04-20",
        customer_id=CUSTOMER,
        schema=(*PLATFORM_TABLES, *PRIVATE_TABLES),
        rows={"customers": [customer], "cards": [card]},
    )
    registry = ToolRegistry(SHARED_TOOLS)
    domain = SimpleNamespace(
        registry=lambda: registry,
        policy=lambda today: f"Policy. Today is {today}.",
        toolset=Toolset.PARITY,
    )
    facts = (Fact("secret", CANARY, FactLevel.DETAIL),)
    day = "2027-04-20"
    task = SimpleNamespace(
        id="S1-001", world=world, today=day, domain=domain, facts=facts, changed=None
    )
    task.requests = (task,)
    task.policy = domain.policy(day)
    task.with_toolset = lambda toolset: task
    task.check_playable = lambda: None
    return task


def scripted(*replies: Any) -> Any:
    """Return a callable agent or user that answers by the number of its own messages so far."""

    def respond(messages: list[Any], tools: list[Any]) -> Any:
        said = sum(isinstance(message, AIMessage) for message in messages)
        reply = replies[min(said, len(replies) - 1)]
        if isinstance(reply, Exception):
            raise reply
        return reply

    return respond


def asking_agent() -> Any:
    """Return an agent that looks the customer up, changes the phone number, and says so."""
    return scripted(
        "How can I help?",
        tool_call_reply(
            ("get_customer_information", {"customer_id": CUSTOMER}),
            ("update_customer", {"customer_id": CUSTOMER, "phone": "312-555-0177"}),
            text="One moment.",
        ),
        "Your number is changed.",
        "Anything else?",
    )


def patient_user() -> Any:
    """Return a user that asks, looks at its cards, adds one, and ends the talk."""
    return scripted(
        "Hello",
        "Please change my number to 312-555-0177.",
        tool_call_reply("get_my_payment_cards", text="not to be said"),
        tool_call_reply(("add_payment_method_to_platform", {"card_id": CARD})),
        "Thanks, my card is added.",
        f"Bye. {STOP}",
    )


class Killed(BaseException):
    """Ends a process at a certain point."""


def killed_once(saver: Any, number: int, patched: Any, *, of_replies: bool = True) -> None:
    """Let the process die after something was kept for the n-th time, and keep no more.

    Counted are replies and outcomes within a step, or every checkpoint.
    """
    original, written, left = saver.put, saver.put_writes, [number]

    def put(config: Any, *given: Any) -> Any:
        if left[0] == 0:
            raise Killed
        result = original(config, *given)
        left[0] -= not of_replies or config["configurable"]["checkpoint_ns"] == NAMESPACE
        if left[0] == 0:
            raise Killed
        return result

    def put_writes(*given: Any) -> None:
        if left[0] == 0:
            raise Killed
        written(*given)

    patched.setattr(saver, "put", put)
    patched.setattr(saver, "put_writes", put_writes)
