"""What a message asks beside a play-back, a list or a doubt is all answered, not its first part."""

import pytest

from tests.personas.test_rules_user import Chat

RECAP = "Noted: Chicago to Pittsburgh and back, 3 nights, 2 people, outbound in the morning. "
FREE = {
    "for the return flight": "at what time of day the return flight should leave",
    "room type": "which room type you like",
    "bed": "which bed type you like",
    "cabin": "which cabin you would fly in",
    "any day": "for which day you want the attraction",
}


def played(condition="generic", seed=0):
    chat = Chat(condition, seed)
    chat.say()
    return chat


@pytest.mark.parametrize("check", ["Is that right?", "Have I got that right so far?", "Correct?"])
@pytest.mark.parametrize("form", ["prose", "list"])
@pytest.mark.parametrize("condition", ["generic", "neutral"])
def test_open_questions_behind_a_play_back_are_all_answered(check, form, condition):
    asked = list(FREE.values())
    if form == "prose":
        text = "Please also tell me " + ", ".join(asked[:-1]) + f", and {asked[-1]}."
    else:
        text = "Please also tell me:\n" + "\n".join(f"- {one}" for one in asked)
    said = played(condition).say(f"{RECAP}{check}\n\n{text}").casefold()
    assert "right" in said or "correct" in said
    assert not [thing for thing in FREE if thing not in said], said


def test_whether_there_is_anything_else_is_answered_behind_a_play_back():
    said = played().say(f"{RECAP}Is that right? Which bed do you want? And anything else?")
    assert "bed" in said
    assert "else" in said or "everything" in said


@pytest.mark.parametrize(
    "question",
    [
        "{slip} with some doubt: is it {slip}, yes or no? And which seats would you like?",
        "Is {slip} a must, or would any time be fine? And the seats: window or aisle?",
        "You thought of {slip}; is that settled? Please tell me the seat position too.",
        "3 nights, fine. You believe {slip}: should I take {slip} as settled? And anything else?",
    ],
)
@pytest.mark.parametrize("condition", ["d3", "terse+d3", "impatient+d3"])
def test_a_doubt_that_is_asked_about_is_settled_first(question, condition):
    for seed in range(40):
        chat = Chat(condition, seed)
        chat.say()
        chat.say("At what time of day should the outbound flight leave?")
        row = next(
            (one for one in chat.state["disclosed"] if one["key"] == "outbound_time_of_day"), None
        )
        if row is None or row["how"] != "wrong":
            continue
        chat.say(question.format(slip=row["said"].split(",")[0]))
        settled = [one["key"] for one in chat.state["disclosed"][-3:] if one["how"] == "exact"]
        assert "outbound_time_of_day" in settled
        return
    raise AssertionError("no slip was drawn")


@pytest.mark.parametrize(
    "text",
    [
        "Good, noted. Last points: seat position, hotel stars, kind of attraction, budget.",
        "Alright. Left to do: budget, star rating, seat position, type of attraction.",
        "We are still without instructions on:\n1. The budget\n2. The seat position\n3. The hotel",
    ],
)
@pytest.mark.parametrize("condition", ["neutral", "impatient", "terse"])
def test_a_list_of_what_is_open_is_answered_though_it_asks_nothing(text, condition):
    chat = played(condition)
    before = len(chat.told())
    chat.say(text)
    assert len(chat.told()) > before


@pytest.mark.parametrize("condition", ["impatient", "terse"])
def test_nobody_asks_what_is_next_while_something_asked_is_open(condition):
    for seed in range(12):
        chat = played(condition, seed)
        said = chat.say(f"{RECAP}Is that right? And which seats, what budget, which kind of hotel?")
        assert "What's next" not in said and "What else" not in said and "Which next" not in said


@pytest.mark.parametrize(
    ("question", "things"),
    [
        ("Which bed type, and which kind of attraction (museum, tour, show)?", ["museum", "bed"]),
        ("I'd love to know whether you'd like a particular room or bed.", ["room", "bed"]),
        ("What do you want from the flights (cabin, seats, times)?", ["cabin", "aisle"]),
        ("Hotel: stars, room or bed type, district?", ["4 stars", "room", "bed", "district"]),
        ("So: room type, bed, airline - any wishes there?", ["room", "bed", "airline"]),
    ],
)
@pytest.mark.parametrize("lead", ["", RECAP + "Is that right so far? "])
def test_everything_that_one_question_lists_is_answered(lead, question, things):
    chat = Chat("neutral")
    chat.say()
    said = chat.say(lead + question).casefold()
    assert not [thing for thing in things if thing not in said], said


@pytest.mark.parametrize("condition", ["terse", "impatient"])
def test_a_yes_to_a_play_back_does_not_use_up_the_answer(condition):
    chat = played(condition)
    before = len(chat.told())
    chat.say("So 3 nights for 2 people, right? How many nights, which seats, what hotel, budget?")
    assert len({*chat.told()}) > before


def test_what_is_asked_again_by_name_is_answered_again():
    chat = played()
    for _ in range(2):
        said = chat.say("Which room type would you like, and which seats?")
        assert "room" in said


@pytest.mark.parametrize(
    "question",
    [
        "Might I have your dates of birth, and your wishes for the flights?",
        "Your birth dates please, and what would you wish regarding the flights?",
    ],
)
def test_what_was_said_is_not_repeated_in_place_of_what_is_open(question):
    chat = played("impatient")
    chat.say("Please tell me the dates of birth.")
    chat.say(question)
    assert {"outbound_time_of_day", "seat_position"} & {*chat.told()}


@pytest.mark.parametrize("condition", ["impatient", "terse", "neutral"])
def test_a_question_about_what_was_said_gets_that_and_nothing_beside(condition):
    chat = played(condition)
    chat.say("At what time of day should the outbound flight leave?")
    said = chat.say("So morning for the outbound: is that a must, or would another time work too?")
    assert "outbound_time_of_day" in chat.told() or "right" in said
    assert not {"seat_position", "hotel_stars", "budget"} & {*chat.told()}


@pytest.mark.parametrize(
    "question",
    [
        "You weren't quite sure about the {n} nights; shall we settle on {n}, or another length?",
        "Should I lock in {n} nights, or is that still open?",
        "Still missing: {n} nights, yes or no?",
        "Tell me whether {n} nights is what you'd like.",
    ],
)
def test_a_doubtful_number_that_is_named_is_told_for_sure(question):
    for seed in range(40):
        chat = Chat("neutral+d3", seed)
        opening = chat.say()
        told = [row for row in chat.state["disclosed"] if row["key"] == "nights"]
        if told and told[0]["how"] != "exact":
            break
    else:
        raise AssertionError("nobody doubts it")
    said = chat.say(question.format(n=4 if "4" in opening else 2))
    assert "3 nights" in said, (opening, said)


@pytest.mark.parametrize(
    "question",
    [
        "Please state whether there is any further condition (for instance a time limit), or the"
        " list is complete as it stands.",
        "Is the list complete, or is there a limit of time for the outbound flight, say?",
    ],
)
def test_whether_the_list_is_complete_is_answered_and_nothing_repeated(question):
    chat = played()
    said = chat.say(f"{RECAP}{question}").casefold()
    assert "nothing" in said or "that is all" in said or "everything" in said, said
    assert "morning" not in said


@pytest.mark.parametrize(
    "question",
    [
        "What's next?",
        "Next?",
        "What else for the flights?",
        "Just asking if there's another wish for the flights, hotel or tour. Or is that all of it?",
    ],
)
@pytest.mark.parametrize("condition", ["neutral", "terse", "impatient"])
def test_who_is_asked_what_else_there_is_tells_what_is_left(question, condition):
    chat = played(condition)
    before = len(chat.told())
    said = chat.say(f"Noted, thank you. {question}").casefold()
    assert len(chat.told()) > before, said
