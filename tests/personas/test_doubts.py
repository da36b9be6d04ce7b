"""D3: what a user says with doubt at first is vague, a slip or right, and marked as doubted."""

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crab_graph import generate_benchmark
from crab_graph.personas.behavior import Behavior
from crab_graph.personas.briefing import How
from crab_graph.personas.doubt_values import doubtful_sayings, saying_words
from crab_graph.personas.wording import word_value

DOUBTING = replace(Behavior(), doubts=2, slips=1)
SURE = {"customer_id", "email", "traveller_names", "birth_dates", "payment_card", "party_size"}


@pytest.fixture(scope="module")
def briefings(tmp_path_factory):
    """What the users of two domains know."""
    folder = tmp_path_factory.mktemp("doubts")
    return [
        task.briefing
        for domain in ("travel", "clinic")
        for task in generate_benchmark(str(folder / domain), tasks=4, seed=5, domain=domain)
    ]


@given(seed=st.integers(0, 10_000), place=st.integers(0, 100))
@settings(max_examples=60, deadline=None)
def test_every_episode_has_a_slip_and_another_doubt_on_what_may_be_doubted(briefings, seed, place):
    briefing = briefings[place % len(briefings)]
    sayings = doubtful_sayings(briefing, DOUBTING, seed)
    assert sayings == doubtful_sayings(briefing, DOUBTING, seed)
    assert len(sayings) == 2 and SURE.isdisjoint(sayings)
    assert sum(saying.how is How.WRONG for saying in sayings.values()) == 1
    marks = saying_words()["doubt"]["plain"]
    for key, saying in sayings.items():
        assert saying.mark in marks
        if saying.how is How.WRONG:
            words = briefing.lexicon.facts[key]
            true = [word_value(words.form, briefing.fact(key).value, words, n) for n in range(3)]
            assert saying.value not in true
