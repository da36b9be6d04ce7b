"""D1: whatever words a user finds for a value, a careful reader gets at exactly that value."""

import re
from dataclasses import replace
from datetime import date, timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crab_graph.agents.reference.conversation import Conversation, Said
from crab_graph.agents.reference.handbook import handbook_of
from crab_graph.agents.reference.inferences import Inference
from crab_graph.domains.clinic.domain import CLINIC
from crab_graph.personas.behavior import Behavior
from crab_graph.personas.briefing import Fact, FactLevel
from crab_graph.personas.indirect_values import indirect_keys, indirect_sayings
from crab_graph.personas.wordbook import ValueForm
from tests.personas.clinic_briefing import PATIENT
from tests.personas.test_rules_user import BRIEFING
from tests.travel_words import TRAVEL

NUMBERS = "one two three four five six seven eight nine ten".split()
MONTHS = (
    "January February March April May June July August September October November December".split()
)
WEEKDAYS = "Monday Tuesday Wednesday Thursday Friday Saturday Sunday".split()
ORDINALS = "first second third fourth last".split()


def read_number(word):
    return int(word) if word.isdigit() else NUMBERS.index(word) + 1


def read_spelled(text):
    if found := re.fullmatch(r"(\d+) (\w+) (\d{4})", text):
        return date(int(found[3]), MONTHS.index(found[2]) + 1, int(found[1]))
    if found := re.fullmatch(r"(\w+) (\d+), (\d{4})", text):
        return date(int(found[3]), MONTHS.index(found[1]) + 1, int(found[2]))
    return date.fromisoformat(text)


def read_calendar(text):
    found = re.fullmatch(r"the (\w+) (\w+) of (\w+) (\d{4})", text)
    if found is None:
        return None
    first = date(int(found[4]), MONTHS.index(found[3]) + 1, 1)
    ahead = (WEEKDAYS.index(found[2]) - first.weekday()) % 7
    day = first + timedelta(days=ahead + 7 * ORDINALS.index(found[1]))
    return day if day.month == first.month else day - timedelta(weeks=1)


def next_weekday(before, name):
    return before + timedelta(days=(WEEKDAYS.index(name) - before.weekday() - 1) % 7 + 1)


def read_day(text, today, facts):
    text = text.removeprefix("on ")
    if found := re.fullmatch(r"(\w+) weeks from today", text):
        return today + timedelta(weeks=read_number(found[1]))
    if found := re.fullmatch(r"next (\w+)", text):
        return next_weekday(today, found[1])
    if found := re.fullmatch(r"(?:the )?(.+) (?:as|after) the ([a-z_ ]+)", text):
        before = date.fromisoformat(facts[found[2].replace(" ", "_")])
        if found[1] in WEEKDAYS:
            return next_weekday(before, found[1])
        apart = {"same day": 0, "day": 1, "a week": 7}
        days = apart[found[1]] if found[1] in apart else read_number(found[1].split()[0])
        return before + timedelta(days=days)
    return read_calendar(text)


def read_window(text):
    if found := re.fullmatch(r"between (.+) and (\w+) days later", text):
        first = read_spelled(found[1])
        return first, first + timedelta(days=read_number(found[2]))
    found = re.fullmatch(r"between (.+) and the (\w+) after", text)
    assert found is not None
    first = read_calendar(found[1])
    return first, next_weekday(first, found[2])


def read_count(text):
    if text == "just me":
        return 1
    found = re.fullmatch(r"the (\w+) of us", text)
    assert found is not None
    return read_number(found[1])


def read_hours(text, hours):
    begin = re.fullmatch(r"(?:not before|between) (\d+):(\d+)(?: and .*)?", text)
    until = re.fullmatch(r"before (\d+):(\d+)", text)
    found = begin or until
    assert found is not None
    hour = int(found[1]) + int(found[2]) / 60
    (value,) = [one for one, ends in hours.items() if abs(ends[0 if begin else 1] - hour) < 0.01]
    return value


def read_choice(text, values, facts):
    if found := re.fullmatch(r"the same as the (.+)", text):
        return facts[found[1].replace(" ", "_")]
    named = re.split(r", | or ", text.removeprefix("anything but "))
    (left,) = set(values) - set(named)
    return left


def read_value(text, fact, briefing):
    words = briefing.lexicon.facts[fact.key]
    facts = {one.key: one.value for one in briefing.facts}
    match words.form:
        case ValueForm.DATE if isinstance(fact.value, list):
            return [day.isoformat() for day in read_window(text)]
        case ValueForm.DATE:
            return read_day(text, date.fromisoformat(briefing.today), facts).isoformat()
        case ValueForm.COUNT:
            return read_count(text)
        case ValueForm.MONEY:
            found = re.fullmatch(r"\$([\d.]+)k", text)
            assert found is not None
            return f"{1000 * float(found[1]):.2f}"
        case _ if re.match(r"(?:not )?before|between", text):
            return read_hours(text, words.hours)
        case _:
            return read_choice(text, words.choices, facts)


def check(briefing, seed, known):
    behavior = replace(Behavior(), indirect=1.0)
    keys = indirect_keys(briefing, behavior, seed, direct=())
    sayings = indirect_sayings(briefing, keys, seed, known)
    assert sayings == indirect_sayings(briefing, keys, seed, known)
    assert len(sayings) >= 2
    for key, saying in sayings.items():
        fact = briefing.fact(key)
        assert read_value(saying.value, fact, briefing) == fact.value, (key, saying)


@given(
    seed=st.integers(0, 10_000),
    briefing=st.sampled_from([BRIEFING, PATIENT]),
    is_known=st.booleans(),
)
@settings(max_examples=100)
def test_every_indirect_value_is_exact(seed, briefing, is_known):
    check(briefing, seed, [fact.key for fact in briefing.facts] if is_known else ())


@given(
    today=st.dates(date(2026, 1, 1), date(2028, 12, 1)),
    ahead=st.integers(1, 90),
    apart=st.integers(0, 12),
    span=st.integers(1, 10),
    nights=st.integers(1, 9),
    budget=st.integers(20_000, 900_000),
    seed=st.integers(0, 10_000),
)
@settings(max_examples=120)
def test_any_day_count_and_amount_can_be_worked_out(
    today, ahead, apart, span, nights, budget, seed
):
    day = today + timedelta(days=ahead)
    window = [day.isoformat(), (day + timedelta(days=span)).isoformat()]
    facts = [
        Fact("departure_date", day.isoformat() if seed % 2 else window, FactLevel.BASIC),
        Fact("nights", nights, FactLevel.BASIC),
        Fact("party_size", 1 + nights % 4, FactLevel.BASIC),
        Fact("attraction_date", (day + timedelta(days=apart)).isoformat(), FactLevel.DETAIL),
        Fact("budget", f"{budget / 100:.2f}", FactLevel.DETAIL),
        Fact("hotel_stars", 3 + nights % 3, FactLevel.DETAIL),
    ]
    briefing = TRAVEL.briefing(TRAVEL.slots, facts, "S1-001", today.isoformat())
    check(briefing, seed, ["departure_date"])


def test_what_was_said_before_may_come_in_any_order():
    alike = [f"{slot}_time_of_day" for slot in ("gp", "lab", "specialist", "physio")]
    facts = [Fact(key, "evening", FactLevel.DETAIL) for key in alike]
    briefing = CLINIC.briefing(CLINIC.slots, facts, "S1-001", "2027-05-03")
    for seed in range(20):
        first, second = (
            indirect_sayings(briefing, [alike[0]], seed, known)
            for known in (alike[1:], alike[:0:-1])
        )
        assert first == second


@pytest.mark.parametrize(
    ("today", "day", "is_said"),
    [
        ("2027-01-13", "2027-01-18", True),  # a Wednesday, the Monday after
        ("2027-01-13", "2027-01-20", True),
        ("2027-01-13", "2027-01-15", False),  # some call it this Friday
        ("2027-01-13", "2027-01-25", False),
    ],
)
def test_a_day_of_next_week_is_called_so_where_nobody_can_doubt_which(today, day, is_said):
    facts = [Fact("departure_date", day, FactLevel.BASIC)]
    briefing = TRAVEL.briefing(TRAVEL.slots, facts, "S1-001", today)
    said = {
        indirect_sayings(briefing, ["departure_date"], seed, ())["departure_date"].value
        for seed in range(20)
    }
    assert any(words.startswith("on next ") for words in said) == is_said


def test_the_solver_counts_a_named_day_from_today():
    handbook = handbook_of(TRAVEL)
    inference = Inference(handbook.reader, handbook.lexicon)
    said = (Said(is_user=True, text="Leaving on next Monday.", position=0),)
    plain = inference.plain(Conversation("2027-01-13", False, said, (), {}))
    assert plain.last_user_text == "Leaving on 2027-01-18."
