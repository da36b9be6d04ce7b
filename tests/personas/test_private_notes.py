"""A model that plays a user is told, message by message, what each is to be; rates come true."""

from collections import Counter
from functools import partial

import pytest

from crab_graph.personas.briefing import Fact, FactLevel
from crab_graph.personas.condition import parse_condition, resolve
from crab_graph.personas.fragment_set import built_in_fragments, load_fragments
from crab_graph.personas.model_users import LlmUser, ModelReply
from crab_graph.personas.private_notes import draw_manner
from crab_graph.personas.prompt import condition_behavior
from crab_graph.personas.rules_user import RulesUser
from crab_graph.randomness import derive_rng
from tests.travel_words import TRAVEL

BASIC, DETAIL = FactLevel.BASIC, FactLevel.DETAIL
BRIEFING = TRAVEL.briefing(
    TRAVEL.slots,
    [
        Fact("origin", "Chicago", BASIC),
        Fact("party_size", 1, BASIC),
        Fact("customer_id", "CU-20417", DETAIL),
        Fact("email", "ana.ruiz@example.com", DETAIL),
        Fact("outbound_time_of_day", "midday", DETAIL, "outbound"),
        Fact("seat_type", "economy", DETAIL),
        Fact("hotel_stars", 3, DETAIL, "hotel"),
    ],
    "S1-001",
    "2027-01-10",
)


ASKS_ALL = (
    "What time of day for the outbound flight, how many stars for the hotel, which cabin class, "
    "and what is your customer id?"
)


def settled(name, fragments=None):
    added = (fragments or built_in_fragments()).added
    return resolve(parse_condition(name, added), 0, BRIEFING.task_id, 0)


def note(name, heard=None, state=None, said="Hi.", seed=0, fragments=None):
    """Return the note a user is given, for its opening or for an answer, and the state after."""
    notes = []

    def ask(lines):
        notes.append(lines[-1]["content"])
        return ModelReply(said)

    rules = RulesUser(BRIEFING, settled(name, fragments), seed, fragments=fragments)
    user = LlmUser(rules, BRIEFING, ask)
    messages = [{"role": "user", "content": "Hello."}, {"role": "assistant", "content": heard}]
    step = user.step(state or {}, messages if heard else [])
    return notes[0], step.state


@pytest.mark.parametrize("name", ["terse+d1", "impatient+d1", "neutral", "d1"])
def test_what_is_drawn_for_messages_comes_at_the_rates_of_the_condition(name):
    behavior = condition_behavior(settled(name), built_in_fragments())
    drawn = [draw_manner(behavior, partial(derive_rng, number)) for number in range(2000)]
    count = Counter(
        trait for one in drawn for trait, value in one._asdict().items() if value is True
    )
    count["short"] = sum(one.words is None for one in drawn)
    rates = {
        "short": behavior.short,
        "is_polite": behavior.polite,
        "asks": behavior.questions,
    }
    for trait, rate in rates.items():
        assert count[trait] / 2000 == pytest.approx(rate, abs=0.035)


def test_a_note_is_the_same_for_the_same_message_and_differs_between_messages():
    asked = "Which cabin class would you like?"
    assert note("terse+d1", asked) == note("terse+d1", asked)
    assert len({note("terse+d1", asked, seed=seed)[0] for seed in range(8)}) > 1


def test_the_opening_holds_basic_facts_alone_where_details_wait():
    assert "the basic facts and no detail" in note("d2")[0]
    assert "everything you know" in note("generic")[0]


def test_as_many_details_as_the_condition_gives_are_named_and_no_more():
    asked = "Which cabin class, what time of day for the outbound flight, and how many stars?"
    assert "Details for this message: seat type.\n" in note("terse", asked)[0]
    assert note("d2", asked)[0].count("Details for this message: ") == 1
    assert "at most 2 details" in note("d2", asked)[0]
    assert "Details" not in note("d4", asked)[0]


def test_an_open_question_is_about_wishes_not_about_who_one_is():
    heard = note("neutral", "Is there anything else I should know, any other preferences?")[0]
    assert "seat type" in heard and "hotel stars" in heard
    assert "email" not in heard and "customer id" not in heard
    assert "email" in note("neutral", "What is your e-mail address?")[0]


def test_what_was_told_is_told_again_not_named_as_new():
    state = {"disclosed": [{"key": "seat_type", "turn": 1, "reason": "asked"}]}
    heard = note("terse", "Which cabin class would you like?", state)[0]
    assert "asks again for what you have told: seat type." in heard


def test_patience_is_counted_and_a_warning_comes_before_the_end():
    state, lines = {"seen": [], "idle": 0}, []
    for _ in range(5):
        heard, state = note("terse", "One moment please.", state, said="Ok.")
        lines.append(next((line for line in heard.splitlines() if "Patience" in line), ""))
    assert lines[:3] == ["", "", ""]
    assert "say that you will leave" in lines[3]
    assert "give up" in lines[4] and "###STOP###" in lines[4]


def test_news_and_facts_that_are_told_make_a_user_patient_again():
    tired = {"seen": [], "idle": 4}
    assert note("terse", "FL-48213 costs $120.00 a person.", tired)[1]["idle"] == 0
    assert note("terse", "One moment.", tired, said="Economy seats, by the way.")[1]["idle"] == 0
    assert note("terse", "One moment.", tired)[1]["idle"] == 5


def test_what_a_user_doubts_is_put_in_its_mouth_and_recorded_as_it_was_said(tmp_path):
    (tmp_path / "unsure_default.md").write_text("doubts: 2\nslips: 1\nYou are not sure.\n")
    fragments, name = load_fragments(tmp_path), "terse+unsure"
    rules = RulesUser(BRIEFING, settled(name, fragments), 0, fragments=fragments)
    lines = [{"role": "user", "content": "Hello."}, {"role": "assistant", "content": ASKS_ALL}]
    sayings = rules.hear({}, lines).speaker.sayings
    assert len(sayings) == 2 and "wrong" in {one.how for one in sayings.values()}
    for key, saying in sayings.items():
        others = [fact.key for fact in BRIEFING.facts if fact.key != key]
        state = {"disclosed": [{"key": one, "turn": 1, "reason": "asked"} for one in others]}
        heard, state = note(name, ASKS_ALL, state, f"{saying.words}.", fragments=fragments)
        assert "You are not sure of" in heard and saying.mark in heard
        row = state["disclosed"][-1]
        assert (row["key"], row["how"], row["said"]) == (key, saying.how, saying.words)
        pinned, _ = note(name, ASKS_ALL, state, fragments=fragments)
        assert ("Say exactly" in pinned) is (saying.how != "exact")
        assert "You are not sure" not in pinned


def test_a_bare_value_tells_the_detail_that_the_note_named():
    said = [{"key": key, "turn": 1, "reason": "asked"} for key in ("seat_type", "hotel_stars")]
    open_question = "Is there anything else I should know, any other preferences?"
    _, state = note("terse", open_question, {"disclosed": said}, said="Midday.")
    assert state["disclosed"][-1]["key"] == "outbound_time_of_day"
