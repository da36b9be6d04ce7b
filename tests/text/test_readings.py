"""What messages are read as: tables of sentences, each a small change of another (§2)."""

import re
import tomllib
from pathlib import Path

import pytest

from crab_graph.text.amounts import find_amounts
from crab_graph.text.approvals import find_acts
from crab_graph.text.item_groups import charged_lists
from crab_graph.text.item_prices import find_item_prices
from crab_graph.text.lexicon import alternatives, pattern
from crab_graph.text.mentions import by_slot, disclosed, find_mentions, find_references
from crab_graph.text.status_claims import find_status_claims
from crab_graph.text.total_cues import ALL_CUES
from crab_graph.text.totals import MessageTotals
from crab_graph.text.utterance import read_message
from tests.text.catalogues import small_catalogue
from tests.travel_words import VOCABULARY

CATALOGUE = small_catalogue()
BOOKINGS = {"BK-1": "outbound", "BK-2": "hotel"}
SLOTS = frozenset({"outbound", "return", "hotel", "attraction"})
TABLES = tomllib.loads(Path(__file__).with_name("readings.toml").read_text("utf-8"))


def parts_of(text):
    said = read_message(text)
    references = find_references(said, find_mentions(said, CATALOGUE), CATALOGUE, BOOKINGS)
    return said, find_amounts(said), references


def prices(text, filled=SLOTS):
    """A line's readings with ` | ` between; a price is dollars, mark, what it is of, and how."""
    said, amounts, references = parts_of(text)
    totals = MessageTotals(said, amounts, references, VOCABULARY).by(ALL_CUES)
    lines = find_item_prices(said, amounts, references, totals, VOCABULARY, frozenset(filled))
    return [" | ".join("; ".join(map(priced, reading)) for reading in line) for line in lines]


def priced(one):
    what = "+".join(item.id or "/".join(item.slots) for item in one.references) or "all"
    how = [one.bond.name.lower()] if one.bond else []
    how += ["personal"] * one.is_personal + ["total"] * (one.total is not None)
    return " ".join([f"{one.amount.cents // 100} {one.mark} {what}", *how])


def named(references):
    return ["+".join(one.id or one.word for one in references)] if references else []


def totals(text):
    """Dollars, cue and scope with what is named; what else it is; what its parts come to."""
    said, amounts, references = parts_of(text)
    return [
        " ".join(
            [
                f"{one.amount.cents // 100} {one.family} {one.scope}",
                *named(one.references),
                *["void"] * one.is_void,
                *["share"] * one.is_share,
                *["loose"] * one.is_loose,
                *["growing"] * one.is_growing,
                *([f"of {one.parts.cents // 100}"] if one.parts else []),
            ]
        )
        for one in MessageTotals(said, amounts, references, VOCABULARY).by(ALL_CUES)
    ]


def claims(text):
    """A status and what has it, or with `not` has it not."""
    said, _, references = parts_of(text)
    return [
        " ".join(
            [
                *["not"] * one.is_denied,
                str(one.status),
                *(named(one.references) or ["+".join(one.slots) or "all"]),
                *["of the plan"] * one.is_of_plan,
            ]
        )
        for one in find_status_claims(said, references, VOCABULARY)
    ]


def acts(text):
    """Kind, slot, ids and, of approvals, how; ` >> ` stands between a message and its answer."""
    before, _, user = text.rpartition(" >> ")
    said = read_message(before)
    offered = by_slot(disclosed(find_mentions(said, CATALOGUE)), CATALOGUE)
    found = find_acts(read_message(user), (said, offered) if before else None, CATALOGUE)
    return [
        " ".join(
            filter(
                None,
                [
                    *(one.kind, one.slot, "+".join(sorted(one.ids))),
                    one.how.name.lower() if one.kind == "approve" else "",
                ],
            )
        )
        for one in found
    ]


def charges(text):
    """The dollars of each list of charges."""
    said, amounts, references = parts_of(text)
    found = charged_lists(said, amounts, references)
    return [" ".join(str(one.cents // 100) for one in run) for run in found]


READERS = {one.__name__: one for one in (prices, totals, claims, acts, charges)}


@pytest.mark.parametrize(
    ("table", "text"), [(table, text) for table, rows in TABLES.items() for text in rows]
)
def test_what_a_message_is_read_as(table, text):
    assert READERS[table](text) == TABLES[table][text]


@pytest.mark.parametrize(
    ("text", "filled", "found"),
    [
        ("the hotel is $5.00", (), []),
        ("the hotel is $5.00", ("outbound",), []),
        ("the hotel is $5.00", ("hotel",), ["5 unmarked hotel"]),
        ("the flight is $5.00", ("outbound",), ["5 unmarked outbound"]),
        ("the flight is $5.00", ("return",), ["5 unmarked return"]),
        ("the flight is $5.00", ("outbound", "return"), []),
        ("the flight FL-100 is $5.00", ("outbound",), ["5 unmarked FL-100"]),
        ("FL-100, the flight, is $5.00", ("return",), ["5 unmarked FL-100"]),
        ("the flights are $5.00", ("outbound",), []),
        (
            "the flights are $5.00",
            ("outbound", "return"),
            ["5 unmarked outbound+return together"],
        ),
        ("the hotel and FL-100: $5.00", (), ["5 unmarked FL-100"]),
        (
            "HT-10 is $1.00, the flight is $5.00",
            ("return",),
            ["1 unmarked HT-10; 5 unmarked return"],
        ),
    ],
)
def test_a_word_for_a_slot_has_the_price_of_what_fills_it(text, filled, found):
    assert prices(text, filled) == found


def test_the_longest_of_some_words_is_found():
    assert pattern("totals", "total").findall("a grand total of") == ["grand total"]
    assert re.findall(alternatives(["in", "in all"]), "in all of it") == ["in all"]
