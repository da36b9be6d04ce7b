"""Questions of what a joint wish means that was told: the user says it once more, and not else."""

import pytest

from crab_graph.domain.contract import find_domain
from tests.personas.test_joint_wishes import briefing_with
from tests.personas.test_rules_user import Chat

APART, SHARE, STARS = "apart_from_nights", "flights_share", "stars_unless"
CHEAPER, EITHER, FLIGHTS = "cheaper_district", "attraction_either", "cheapest_flights"
FIRST = {
    APART: "Anything about night flights that I should know?",
    SHARE: "What share of the budget may the flights take?",
    STARS: "How many stars, given the budget?",
    CHEAPER: "Which district should the hotel be in?",
    EITHER: "What kind of attraction: a museum or a tour or a show?",
    FLIGHTS: "Does the price of the flights matter?",
}
SAID = {
    APART: "day before or after",
    SHARE: "50 %",
    STARS: "budget",
    CHEAPER: "the whole trip",
    EITHER: "museum in the evening",
    FLIGHTS: "together",
}


def opened(condition):
    chat = Chat(condition)
    chat.say()
    return chat


def told(key, condition="terse", seed=0):
    chat = Chat(condition, seed, briefing=briefing_with(key))
    chat.say()
    chat.say(FIRST[key])
    assert key in chat.told()
    return chat


@pytest.mark.parametrize("condition", ["terse", "neutral"])
@pytest.mark.parametrize(
    "key, question",
    [
        (APART, '"The day next to it": the day after, the day before, or both?'),
        (APART, "You skipped my question. Which neighbouring day stays free: before, after, both?"),
        (APART, "1) day before\n2) day after\n3) both\n\nWhich days around a night flight?"),
        (
            APART,
            "The tour must also keep off\n\nA: both days,\nB: the day after only.\n\nOne letter?",
        ),
        (
            APART,
            "The night flight rule again. Flights together:\n- Barred the day before and the day "
            "after: $359.20.\n- Barred only the day after: $169.70.\n- Only before: $264.40."
            "\n\n(The flight's own day is barred.) Which one did you mean?",
        ),
        (APART, "Does the rule cover the day before too?"),
        (APART, "If we fly out at 18:30 on Thursday, may the museum be on Friday?"),
        (APART, "Which flights does that concern: outbound, return, or both of them?"),
        (APART, "I did not get the part about night flights. Could you explain again?"),
        (APART, "(i) Only the day after is barred; (ii) both days are. Which reading is correct?"),
        (STARS, "Is four the floor?"),
        (CHEAPER, "Is it the hotel rate I should compare, or the sum of the whole journey?"),
        (EITHER, "Is one of them plan A and the other plan B?"),
        (FLIGHTS, "Cheapest even if it means odd hours?"),
        (SHARE, "Is that share counted per flight, or for the two together?"),
        (SHARE, "50% of what exactly: the total budget or what is left after the hotel?"),
        (SHARE, "Half of the budget: is that a hard limit, or may it go a little over?"),
        (STARS, "And if 4 stars breaks the budget: fewer stars or more money?"),
        (STARS, "A: 4 stars no matter what. B: 4 stars only if the budget allows. Which one?"),
        (STARS, "Is the star rating a hard requirement?"),
        (CHEAPER, "Harborside or Old Town?"),
        (CHEAPER, "Cheaper in what sense: the hotel itself, or the whole trip?"),
        (CHEAPER, "A) Harborside B) Old Town C) whichever is cheaper. Pick one letter please."),
        (EITHER, "Museum first, tour only if no museum fits?"),
        (EITHER, "1. tour in the afternoon\n2. museum in the evening\n3. no preference\nWhich?"),
        (EITHER, "If both are available, which shall I take, the cheaper one?"),
        (FLIGHTS, "Each one the cheapest by itself, or the pair together?"),
        (FLIGHTS, "Does cheapest go above everything else, for instance the seat class?"),
    ],
)
def test_asked_what_a_joint_wish_means_the_user_says_that_and_nothing_else(
    key, question, condition
):
    chat = told(key, condition)
    before = chat.told()
    said = chat.say(question)
    assert SAID[key] in said
    assert chat.told()[len(before) :] == [key]


def test_the_options_may_stand_lines_behind_the_wish_and_ask_for_a_letter():
    chat = told(APART)
    chat.say("And what is the budget for the whole trip?")
    said = chat.say(
        "Good. Half answered. The other half: when you fly at night, the tour must also keep off"
        "\n\nA: the day before and the day after,\nB: the day after only,\nC: the day before only."
        "\n\nOne letter will do."
    )
    assert SAID[APART] in said


@pytest.mark.parametrize("condition", ["terse", "neutral"])
def test_a_wish_that_is_only_noted_is_not_said_again_beside_questions(condition):
    chat = told(APART, condition)
    said = chat.say(
        "Understood: flights at any time, but if one leaves at 17:00 or later, no attraction on "
        "that day, the day before or the day after. I'll use daytime flights, so the attraction "
        "stays free of that.\n\nAnd how much may everything cost together?"
    )
    assert SAID[APART] not in said
    assert "1,630" in said or "1.63k" in said


RECAP = """Got it, thank you! Here's what I've noted:

- **Flights:** any time, any cabin, same airline both ways
- **Night flights (17:00-23:59):** no attraction on that day, nor the day before or after
- **Hotel:** in the same district as the attraction

I have flights that fit. Just **two things** I still need from you:

1. **Budget:** how much may everything cost?
2. **Bed:** must it be a queen bed, or no preference?
"""


def test_what_is_noted_in_a_list_is_no_list_of_options():
    said = told(APART, "neutral").say(RECAP)
    assert SAID[APART] not in said
    assert "1,630" in said or "1.63k" in said


@pytest.mark.parametrize("condition", ["terse", "neutral"])
def test_questions_in_a_list_are_no_options(condition):
    chat = told(APART, condition)
    said = chat.say(
        "Two things to pin down:\n\n- **Budget:** what is the most that everything may cost?\n"
        "- **Stars:** how many at least, and is that a must?\n- **Night flights** means 17:00 or "
        "later. I read it so: the attraction may not be on that day, the day before or the day "
        "after. Correct?"
    )
    assert "1,630" in said or "1.63k" in said or "4" in said


def test_what_else_a_message_asks_for_is_answered_beside_it():
    chat = told(CHEAPER)
    said = chat.say("Harborside or Old Town? And how many stars should the hotel have?")
    assert "the whole trip" in said
    assert "4" in said


def test_what_a_message_plays_back_wrongly_beside_it_is_corrected():
    chat = told(CHEAPER)
    said = chat.say("So that is 3 people, right? And Harborside or Old Town?")
    assert "2" in said
    assert "Harborside" in said


@pytest.mark.parametrize("key", [APART, FLIGHTS])
@pytest.mark.parametrize("question", ["Is that a must or a nice to have?", "Is it a firm rule?"])
def test_asked_how_firm_a_wish_is_the_user_says_that_it_is(key, question):
    said = told(key).say(question).casefold()
    assert "must" in said
    assert SAID[key] in said


@pytest.mark.parametrize(
    "question", ["both flights?", "For both flights or the outbound only?", "Is that for both?"]
)
def test_asked_whether_what_was_told_holds_for_both_flights_the_user_says_so(question):
    chat = opened("terse")
    assert "aisle" in chat.say("Seat: window, middle or aisle?").casefold()
    said = chat.say(question).casefold()
    assert "aisle" in said
    assert "both" in said


@pytest.mark.parametrize(
    "question",
    [
        "must have or just a preference?",
        "Even if it costs more?",
        "Is aisle strict? Could it be window?",
    ],
)
def test_how_firm_a_wish_is_may_be_asked_in_few_words(question):
    chat = opened("terse")
    chat.say("Seat: window, middle or aisle?")
    assert "must" in chat.say(question).casefold()


def test_a_part_of_a_wish_that_is_told_rightly_is_not_denied():
    text = "The day of the night flight itself is out too, correct?"
    assert not told(APART).say(text).startswith("No")


def test_what_a_wish_means_is_asked_again_and_again_and_answered_each_time():
    chat = told(APART)
    for _ in range(3):
        assert SAID[APART] in chat.say("Is it the day before, the day after, or both?")


@pytest.mark.parametrize("key", [APART, EITHER, CHEAPER])
def test_an_alternative_that_was_not_told_is_asked_for_as_before(key):
    chat = Chat("terse", briefing=briefing_with(key))
    chat.say()
    chat.say("Is that a must or a nice to have?")
    assert key not in chat.told()


def test_what_is_wished_for_and_which_of_it_is_a_must_is_told_and_not_called_a_must():
    chat = told(APART)
    said = chat.say("One question: what do you wish for in the hotel, and which of it is a must?")
    assert "hotel" in said.casefold() and "a must" not in said.casefold()


@pytest.mark.parametrize(
    "name, key, value, question, words",
    [
        ("tour", "second_cheaper", True, "Cheaper a night, or in total?", "a night"),
        ("tour", "stays_share", 40, "Is that share for each stay, or for both together?", "40 %"),
        ("clinic", "language_unless", "Spanish", "What if Spanish breaks the budget?", "Spanish"),
        (
            "clinic",
            "lab_either",
            "morning",
            "Do you prefer the morning or the district?",
            "morning",
        ),
    ],
)
def test_joint_wishes_of_other_domains_are_explained_as_well(name, key, value, question, words):
    domain = find_domain(name)
    draft = domain.draft(5, {axis.name: axis.values[0] for axis in domain.axes})
    (rule,) = (one for one in domain.declaration.joint_rules if one.name == key)
    wishes = {key: value, **dict.fromkeys(rule.instead)}
    request = draft.request.model_copy(update=wishes)
    facts = domain.facts(request, draft.profile)
    chat = Chat("generic", briefing=domain.briefing(domain.slots, facts, "T", draft.today))
    said = chat.say()
    assert words in said
    answer = chat.say(question)
    assert words in answer
    assert len(answer) < len(said)
