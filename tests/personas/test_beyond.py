"""Dimensions beyond the paper's four: shipped as fragments with fields, off by default."""

import pytest

from crab_graph.agents.reference.handbook import handbook_of
from crab_graph.personas.briefing import Fact, FactLevel
from crab_graph.personas.condition import (
    ABLATION,
    DIMENSIONS,
    SHIPPED,
    Persona,
    parse_condition,
    resolve,
)
from crab_graph.personas.fragment_set import built_in_fragments, load_fragments
from crab_graph.personas.prompt import changed_factors, compose_prompt, condition_behavior
from crab_graph.personas.recognition import stated_facts
from crab_graph.personas.rules_user import RulesUser
from crab_graph.personas.understanding import Reading
from crab_graph.text.amounts import find_amounts
from crab_graph.text.lexicon import pattern
from crab_graph.text.utterance import read_message
from tests.travel_words import LEXICON, TRAVEL

TODAY = "2027-01-10"
CARD = {"card_id": "CD-2", "brand": "Visa", "last4": "4242"}
BASIC = {
    "origin": "Phoenix",
    "destination": "Baltimore",
    "departure_date": ["2027-05-03", "2027-05-07"],
    "nights": 3,
    "party_size": 2,
}
DETAILS = {
    "traveller_names": ["Ana Ruiz", "Leo Ruiz"],
    "birth_dates": ["1990-04-02", "1988-11-23"],
    "outbound_time_of_day": "morning",
    "return_time_of_day": "night",
    "seat_type": "premium economy",
    "seat_position": "aisle",
    "hotel_stars": 4,
    "room_type": "deluxe",
    "bed_type": "king",
    "attraction_category": "museum",
    "attraction_time_of_day": "all-day",
    "attraction_date": "2027-05-05",
    "budget": "1500.00",
    "same_carrier": True,
    "same_district": True,
    "payment_card": CARD,
}
BRIEFING = TRAVEL.briefing(
    TRAVEL.slots,
    [Fact(key, value, FactLevel.BASIC) for key, value in BASIC.items()]
    + [Fact(key, value, FactLevel.DETAIL) for key, value in DETAILS.items()],
    "S1-001",
    TODAY,
)


READER = handbook_of(TRAVEL).reader


def read(texts):
    return READER.read(texts, TODAY)


def settled(name, fragments=None):
    added = SHIPPED if fragments is None else fragments.added
    return resolve(parse_condition(name, added), 0, "S1-001", 0)


def opening(name, seed):
    return RulesUser(BRIEFING, settled(name), seed).step({}, []).message["content"]


def test_the_shipped_dimensions_are_those_whose_fragments_have_fields():
    parts = {name.partition("_")[0] for name in built_in_fragments().fields}
    assert parts == set(SHIPPED.dimensions)


def test_no_named_condition_has_a_shipped_dimension():
    for name in ABLATION:
        assert not set(settled(name).dimensions) - set(DIMENSIONS)


@pytest.mark.parametrize("dimension", SHIPPED.dimensions)
@pytest.mark.parametrize("base", ["none", "terse", "neutral", "impatient"])
def test_a_shipped_dimension_adds_its_own_passage_alone_in_a_variant_for_each_persona(
    base, dimension
):
    without = compose_prompt(settled(base), BRIEFING)
    with_it = compose_prompt(settled(f"{base}+{dimension}"), BRIEFING)
    assert changed_factors(without, with_it) == [dimension]
    assert with_it.passages[:-1] == without.passages
    variants = {
        compose_prompt(settled(f"{persona}+{dimension}"), BRIEFING).passages[-1].text
        for persona in Persona
    }
    assert len(variants) == len(Persona)


def test_a_shipped_dimension_can_be_mixed_with_every_other_condition():
    names = ("d5", "d7", "terse+d5", "ruse+d7", "ruse+d5+d7", "d1+d4+d5")
    assert [str(parse_condition(name)) for name in names] == list(names)


def test_a_file_of_its_name_replaces_a_shipped_dimension_with_all_its_variants(tmp_path):
    (tmp_path / "d5_default.md").write_text("drifts: 0.9\nYou stray.\n")
    fragments = load_fragments(tmp_path)
    terse = settled("terse+d5", fragments)
    assert condition_behavior(terse, fragments).drifts == 0.9
    assert compose_prompt(terse, fragments=fragments).passages[-1].text == "You stray."
    assert compose_prompt(settled("d7"), fragments=fragments) == compose_prompt(settled("d7"))


def test_an_aside_says_nothing_that_anyone_could_act_on():
    lexicon = LEXICON
    for aside in (*lexicon.asides, *lexicon.asides_short):
        utterance = read_message(aside)
        reading = Reading(aside, BRIEFING.lexicon, BRIEFING.slots)
        assert read([aside]) == {}
        assert not stated_facts(aside, BRIEFING, list(DETAILS)) and not reading.asked
        assert not find_amounts(utterance) and not any(map(str.isdigit, aside))
        for kind in ("strong", "book", "reserve", "conditions"):
            assert not pattern("approval", kind).search(utterance.text), aside


@pytest.mark.slow
def test_a_user_drifts_at_its_rate_and_says_the_same_facts():
    asides = [*LEXICON.asides, *LEXICON.asides_short]
    drifted = [any(aside in opening("neutral+d5", seed) for aside in asides) for seed in range(200)]
    assert 0.2 < sum(drifted) / len(drifted) < 0.4
    assert not any(aside in opening("neutral", seed) for aside in asides for seed in range(50))
    assert read([opening("d5", 1)]) == read([opening("generic", 1)])


def test_jargon_is_the_trade_s_and_means_the_same():
    plain = read([opening("generic", 0)])
    texts = [opening("d7", seed) for seed in range(40)]
    assert all(read([text]) == plain for text in texts)
    said = " ".join(texts)
    for words in ("O&D Phoenix–Baltimore (PHX–BWI)", "2 pax", "4* property", "W cabin (premium"):
        assert words in said
    assert "O&D" not in " ".join(opening("generic", seed) for seed in range(40))
