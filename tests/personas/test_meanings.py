"""What whole messages mean, whatever words they have: the model, and what is answered by it."""

import pytest

from benchmarks import train_meanings
from benchmarks.train_reader import BRIEFINGS
from crab_graph.personas.meanings import NOTHING, meaning_model, stamp_of_meanings
from crab_graph.personas.understanding import reading_of
from tests.personas.heard import heard, names, situations
from tests.personas.test_rules_user import BOOKINGS, PLAN
from tests.personas.test_ways_to_ask import SHORT, WHO, briefing_of, opened

RETRAIN = "messages changed since: run `python -m benchmarks.train_meanings` (~30 s)"
CONDITIONS = ("generic", "neutral", *SHORT)
TOLD_ALL = "Please tell me everything: who you are, all your wishes, the budget and the card."


def told_all(condition, **given):
    chat = opened(condition, **given)
    for _ in range(12):
        chat.say(TOLD_ALL)
    return chat


def test_the_weights_were_learned_from_the_present_messages():
    assert stamp_of_meanings() == train_meanings.stamp(), RETRAIN


@pytest.mark.slow
def test_training_on_the_same_messages_gives_the_same_model():
    learned, _ = train_meanings.examples()
    assert train_meanings.are_alike(train_meanings.train(learned), meaning_model())


def test_chances_add_up_and_a_message_of_no_known_words_means_nothing():
    chances = meaning_model().chances(["zxqv", "wqxz"])
    assert sum(chances.values()) == pytest.approx(1)
    assert max(chances, key=chances.__getitem__) == NOTHING


@pytest.mark.parametrize("name", names())
def test_every_situation_has_messages_and_an_answer_to_hold_it_to(name):
    found = situations(name)
    assert len(found) > 30
    for one in found.values():
        assert one.says or one.never or one.grows or one.approvals


@pytest.mark.slow
@pytest.mark.parametrize("name", names())
def test_nearly_all_ways_to_ask_one_thing_are_answered_as_asked(name):
    found = list(heard(name))
    assert sum(not one.faults for one in found) >= 0.9 * len(found)


@pytest.mark.parametrize("condition", CONDITIONS)
@pytest.mark.parametrize(
    "asked",
    [
        "So the trip may turn out a bit dearer than $1,500.00 if need be, or would that be a no?",
        "How strictly should I stick to the $1,500.00?",
        "Is there any wiggle room on the $1,500.00?",
    ],
)
def test_a_limit_is_a_must_in_any_words(condition, asked):
    answer = told_all(condition).say(asked)
    assert "must" in answer or "insist" in answer
    assert "1,500" in answer or "1.5k" in answer


@pytest.mark.parametrize("condition", CONDITIONS)
@pytest.mark.parametrize("asked", ["Shall I start the search, then?", "Okay if I begin looking?"])
def test_who_asks_if_it_may_look_is_told_to(condition, asked):
    answer = told_all(condition).say(f"Thank you, that is complete now. {asked}").casefold()
    assert any(word in answer for word in ("start", "begin", "began", "look"))


@pytest.mark.parametrize("condition", SHORT)
@pytest.mark.parametrize(
    "asked",
    [
        "Feel free to carry on with whatever you still have in mind.",
        "I'm all ears for what you were going to add.",
        "Was that the last of it, or do you have more in store for me?",
    ],
)
def test_who_lets_it_go_on_hears_what_is_not_told_yet(condition, asked):
    chat = opened(condition)
    chat.say("Which seat position would you like?")
    before = {*chat.told()}
    chat.say(asked)
    assert {*chat.told()} - before, chat.messages[-1]["content"]


@pytest.mark.parametrize("condition", CONDITIONS)
@pytest.mark.parametrize(
    "asked", ["Which airline should that one be?", "Got a favourite one, or is it all the same?"]
)
def test_which_one_it_is_that_is_only_to_be_the_same_does_not_matter(condition, asked):
    chat = told_all(condition, briefing=briefing_of(same_carrier=True))
    answer = chat.say(f"One airline for both flights, noted. {asked}").casefold()
    assert "same airline" not in answer
    words = ("matter", "mind", "care", "whatever", "no particular", "no special", "no preference")
    assert any(word in answer for word in words), answer


@pytest.mark.parametrize("condition", CONDITIONS)
def test_a_slip_that_is_owned_up_to_in_any_words_may_be_mended(condition):
    chat = told_all(condition, bookings=BOOKINGS)
    chat.say(PLAN)
    answer = chat.say(
        "I owe you an apology: on the return flight I typed 3 April 1990 for Ana Ruiz, although it "
        "is the 2nd. I would give that reservation back at no cost and take the very same seats "
        "once more. Would you let me?"
    ).casefold()
    assert any(word in answer for word in ("yes", "go ahead", "go for it", "book", "good"))
    assert "1990" not in answer


@pytest.mark.parametrize("condition", SHORT)
def test_who_writes_says_so_in_whatever_words_it_is_asked(condition):
    chat = opened(condition)
    while "traveller_names" not in chat.told():
        chat.say(WHO)
    assert "Ana Ruiz" in chat.say("Noted. So I know how to address you: are you Ana or Leo?")


def test_what_is_learned_knows_no_domain():
    lexicon, slots = BRIEFINGS["clinic"].lexicon, BRIEFINGS["clinic"].slots
    for text, meant in (
        ("Is that all you wish for, or is there more?", "if_complete"),
        (
            "Would you mind a visit that costs a little more than that, or is it a hard limit?",
            "must",
        ),
    ):
        assert reading_of(text, lexicon, slots).meant == meant


def test_the_rest_of_a_message_means_nothing_as_a_whole():
    briefing = briefing_of()
    text = "Anything else I should know?"
    assert reading_of(text, briefing.lexicon, briefing.slots).meant == "if_complete"
    rest = reading_of(text, briefing.lexicon, briefing.slots, is_rest=True)
    assert rest.meant == "" and rest.is_open_question


@pytest.mark.parametrize(
    "asked",
    [
        "Could you tell me the window you really want to leave in?",
        "Which window you actually need for leaving I'd like to know.",
        "I read that as any of these five days. Is that right, and is that a firm window?",
        "Is it a fixed window, or may I look a day later?",
    ],
)
def test_the_window_of_a_journey_is_no_seat(asked):
    chat = opened("neutral", briefing=briefing_of(seat_position="window"))
    chat.say(f"You said 3 May to 7 May. {asked}")
    assert "seat_position" not in chat.told()


@pytest.mark.parametrize("condition", SHORT)
def test_a_choice_among_values_is_not_about_a_rule_that_its_words_touch(condition):
    briefing = briefing_of(cheapest_outing=True, seat_type="business")
    chat = opened(condition, briefing=briefing)
    chat.say("By what shall I choose among several trips that fit?")
    asked = "Cabin: may it be premium economy or business, whichever is cheapest on each flight?"
    assert "business" in chat.say(asked).casefold()


@pytest.mark.parametrize("condition", CONDITIONS)
def test_who_is_asked_for_a_card_and_if_that_is_all_says_both(condition):
    chat = told_all(condition)
    answer = chat.say(
        "Any other wish at all, or is that everything? Also, no card is registered on your account "
        "yet: please add one on the platform."
    )
    assert "PM-" in answer and ("else" in answer or "all" in answer or "everything" in answer)


@pytest.mark.parametrize("condition", CONDITIONS)
def test_all_of_a_list_are_musts(condition):
    answer = told_all(condition).say(
        "One question: aisle seats, a museum, 4 stars at least: are these all firm?"
    )
    assert "must" in answer.casefold() or "insist" in answer
