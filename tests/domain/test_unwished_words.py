"""What users of a domain written from the docs alone say of what they have no wish on."""

import re
from dataclasses import replace

import pytest

from crab_graph.agents.reference.wishes import WishReader
from crab_graph.domain.contract import TaskSlot
from crab_graph.domain.derived_lexicon import briefing, lexicon
from crab_graph.domain.word_checks import word_weaknesses
from crab_graph.personas.briefing import Fact, FactLevel
from crab_graph.personas.indirect_values import indirect_sayings
from tests.personas.test_rules_user import Chat
from tests.talks import moving
from tests.talks.celebration import DECLARATION

BASIC, DETAIL = FactLevel.BASIC, FactLevel.DETAIL
SLOTS = [TaskSlot(slot.id, slot.kind, slot.title) for slot in DECLARATION.slots]
FACTS = [
    Fact("genre", "jazz", BASIC),
    Fact("party_date", "2027-09-16", BASIC),
    Fact("guests", 20, BASIC),
    Fact("cuisine", "Italian", BASIC),
    Fact("customer_id", "CU-20417", DETAIL),
    Fact("diet", "vegetarian", DETAIL),
    Fact("minutes", 90, DETAIL),
    Fact("same_agency", True, DETAIL),
]
PARTY = briefing(DECLARATION)(SLOTS, FACTS, "S1-001", "2027-07-01")


def reworded(key, **words):
    """The domain with one want's words changed."""
    wants = [
        replace(one, wording=replace(one.wording, **words)) if one.key == key else one
        for one in DECLARATION.wants
    ]
    return replace(DECLARATION, wants=wants)


def settled(condition):
    """A chat in which all is told."""
    chat = Chat(condition, briefing=PARTY)
    chat.say()
    for asked in (
        "What is your customer id?",
        "Which diet should the menu be for?",
        "How long should the band play?",
        "Should band and photographer be from the same agency?",
    ):
        chat.say(asked)
    return chat


@pytest.mark.parametrize("condition", ["generic", "terse", "impatient", "neutral"])
@pytest.mark.parametrize(
    ("asked", "says", "never"),
    [
        (
            "Does it matter when dinner is served, early (18:00-19:09) or late (19:15-20:29)?",
            r"any time is welcome for the dinner",
            r"\bday\b",
        ),
        (
            "Should the hall open in the afternoon or in the evening?",
            r"any time is welcome for the hall",
            r"\bdoors\b",
        ),
        (
            "How long should the photographer stay, 120, 180 or 240 minutes?",
            r"any number of minutes is welcome for the photographer",
            r"\b90\b",
        ),
        (
            "Band agency: Bright Hour, Evergreen Events, Lantern & Co, Silver Note, or any?",
            r"any agency is welcome|no particular one|need not be a certain one|any one",
            r"whatever you",
        ),
    ],
)
def test_hours_and_counts_that_nobody_wishes_for_do_not_matter(condition, asked, says, never):
    said = settled(condition).say(asked).casefold()
    assert re.search(says, said), said
    assert not re.search(never, said), said


def test_which_agency_it_is_to_be_is_answered_by_one_that_wants_none_of_them():
    facts = [one for one in FACTS if one.key != "same_agency"]
    chat = Chat("terse", briefing=briefing(DECLARATION)(SLOTS, facts, "S1-001", "2027-07-01"))
    chat.say()
    said = chat.say("Which agency for the band: Bright Hour, Lantern & Co, Silver Note, or any?")
    assert "any agency is welcome" in said.casefold(), said


def test_a_day_that_a_rule_ties_to_the_window_is_no_day_to_choose():
    unwished = lexicon(DECLARATION).unwished
    assert "dinner_at_what_time" in unwished
    assert not {"dinner_date", "music_date", "photos_date", "doors", "sitting"} & unwished.keys()


def test_what_may_do_for_another_value_is_not_told_by_those_that_it_is_not():
    def said_of(declaration):
        user = briefing(declaration)(SLOTS, FACTS, "S1-001", "2027-07-01")
        try:
            return indirect_sayings(user, ["diet"], 3, ())["diet"].words
        except IndexError:
            return ""

    assert said_of(DECLARATION) == "anything but vegan or mixed"
    assert said_of(reworded("diet", overlaps=True)) == ""


def test_words_of_several_are_weak_where_a_job_is_for_one():
    weak = word_weaknesses(reworded("access", say="None of us minds stairs: {value}."))
    assert any("'None of me minds stairs: {value}.'; word it for one person" in one for one in weak)
    assert not any("word it for one" in one for one in word_weaknesses(DECLARATION))


@pytest.mark.parametrize("persona", ["terse", "impatient", "neutral"])
def test_a_rule_that_nobody_wishes_for_is_said_not_to_matter_and_read_so(persona):
    declaration = moving.DECLARATION
    slots = [TaskSlot(slot.id, slot.kind, slot.title) for slot in declaration.slots]
    facts = [Fact("trade", "plumber", BASIC), Fact("customer_id", "CU-20417", DETAIL)]
    mover = briefing(declaration)(slots, facts, "S1-001", "2027-07-01")
    chat = Chat(persona, briefing=mover)
    chat.say()
    said = chat.say("Should there be days between the renovation and the move?")
    assert re.search(r"(?:not|n't) matter to me whether the renovation is two days", said), said
    read = WishReader(mover.lexicon, declaration).understand([said], "2027-07-01")
    assert "dry_first" not in read.wishes
