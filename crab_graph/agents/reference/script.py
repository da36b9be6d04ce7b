"""What the booking agents say: questions, the plan with its prices, payments, the summary."""

import tomllib
from collections.abc import Mapping, Sequence
from functools import cache
from importlib.resources import files
from typing import Any

from crab_graph.agents.reference.planning import Plan
from crab_graph.agents.reference.wishes import Wishes
from crab_graph.money import format_dollars

_UNITS = ("passenger", "passenger", "night", "ticket")


@cache
def _script() -> Mapping[str, Mapping[str, Any]]:
    text = files("crab_graph.agents.reference").joinpath("script.toml").read_text("utf-8")
    return tomllib.loads(text)


def say(line: str, part: str = "says", **values: Any) -> str:
    """Return a line of the script with values in it; it may end with one of the closing lines."""
    always = {name: _script()["says"][name] for name in ("closing", "offer")}
    return str(_script()[part][line]).format(**always, **values)


def missing_needs(wishes: Wishes) -> list[str]:
    """Return the names of what must be known before a trip can be booked."""
    party = wishes.party_size
    known = {"customer": bool(wishes.customer_id or wishes.email)}
    if party is not None:
        known["names"] = len(wishes.names or ()) == party
        known["births"] = len(wishes.births or ()) == party
    return [
        name
        for name in _script()["needed"]
        if not (known[name] if name in known else wishes.knows(name))
    ]


def word_question(wishes: Wishes, *, is_first: bool) -> str:
    """Return what is asked next; every question ends by asking for anything else.

    The first question names each subject of which nothing is known yet.
    """
    script = _script()
    needed = [script["needed"][name] for name in missing_needs(wishes)]
    parts = [say("need", needed=", ".join(needed))] if needed else []
    for question, wanted in script["preferences"].items() if is_first else ():
        if not any(wishes.knows(name) for name in wanted):
            parts.append(question.format(", ".join(wanted.values())))
    return "\n".join([*parts, say("open_question")])


def word_plan(plan: Plan) -> str:
    """Return the whole plan with ids, names, exact prices and total, and the request to book it."""
    starts = (plan.outbound.departs, plan.back.departs, plan.attraction.starts)
    return say(
        "plan",
        out=plan.outbound,
        back=plan.back,
        room=plan.room,
        attraction=plan.attraction,
        times=[time.replace("T", " ") for time in starts],
        prices=[format_dollars(offer.cents) for offer in plan.offers],
        wholes=_wholes(plan),
        total=format_dollars(plan.total),
    )


def word_payment(plan: Plan, booking_ids: Sequence[str]) -> str:
    """Return the request to approve the payments, with the amount of each booking."""
    total = format_dollars(plan.total)
    return say("payment", ids=booking_ids, wholes=_wholes(plan), total=total)


def word_inability(reason: str) -> str:
    """Return an apology with an offer of transfer."""
    return say("unable", reason=_script()["reasons"][reason])


def _wholes(plan: Plan) -> list[str]:
    party, nights = plan.party_size, plan.nights
    numbers = (party, party, nights, party)
    return [
        f"{format_dollars(cents)} for {number} {unit}{'' if number == 1 else 's'}"
        for cents, number, unit in zip(plan.amounts, numbers, _UNITS, strict=True)
    ]
