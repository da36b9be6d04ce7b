"""What totals, running ones and prices may be besides what they say: every quantity tried."""

import tomllib
from dataclasses import replace
from pathlib import Path

import pytest

from crab_graph.eval.explained_totals import Quantity, StatedTotal, distinct, explanations
from crab_graph.eval.reading import lay_out, read_task
from crab_graph.eval.verifiers.item_prices import find_quotes
from crab_graph.money import format_dollars
from crab_graph.text.total_cues import ALL_CUES
from crab_graph.text.totals import MessageTotals
from tests.eval.builders import BACK, BACK_NIGHT, HOTEL, MUSEUM, OUT, OUT_MIDDAY, Plan
from tests.eval.tapes import short_episode, tape_of

ROWS = tomllib.loads(Path(__file__).with_name("explained_totals.toml").read_text("utf-8"))
NAMES = {"OUT": OUT, "MIDDAY": OUT_MIDDAY, "BACK": BACK, "HOTEL": HOTEL, "MUSEUM": MUSEUM}
BOOKABLE = {"MIDDAY": (OUT_MIDDAY, OUT, BACK), "": (OUT, BACK, BACK_NIGHT)}


def episode_of(text):
    """`a >> b` says or does both of a short episode; `all: a` books all four parts before it."""
    told = text
    for name, entity_id in NAMES.items():
        told = told.replace(name, entity_id)
    if told.startswith("all: "):
        said = told.removeprefix("all: ")
        script = replace(Plan(), proposal="Hm?", reserved=said, closing="Bye.").write()
    else:
        flights = BOOKABLE["MIDDAY" if "MIDDAY" in text else ""]
        script = short_episode(*told.split(" >> "), flights=flights)
    return lay_out(read_task(script.task), tape_of(script))


def amount(quantity):
    return f"{quantity.what} {format_dollars(quantity.cents)}"


def totals(text):
    """What the last total of an episode may be."""
    episode = episode_of(text)
    *_, last = (
        StatedTotal(message, total)
        for message in episode.dialogue.agent
        for total in MessageTotals(
            message.utterance,
            message.amounts,
            message.references,
            episode.reading.catalogue.vocabulary,
        ).by(ALL_CUES)
    )
    return [amount(one) for one in explanations(episode, last)]


def prices(text):
    """Each price, with all that it may be."""
    return [
        f"{one.price.mark} {format_dollars(one.price.amount.cents)} of {len(one.bookings)}: "
        + ", ".join(map(amount, one.meant))
        for one in find_quotes(episode_of(text))
    ]


READERS = {"totals": totals, "prices": prices}


@pytest.mark.parametrize(
    ("table", "text"), [(table, text) for table, rows in ROWS.items() for text in rows]
)
def test_what_an_amount_may_be_besides_what_it_says(table, text):
    assert READERS[table](text) == ROWS[table][text]


def test_five_different_amounts_are_tried_at_most():
    many = [Quantity(f"{times} of {cents}", cents) for cents in range(9) for times in (1, 2)]
    assert [one.what for one in distinct(many)] == [f"1 of {cents}" for cents in range(5)]
