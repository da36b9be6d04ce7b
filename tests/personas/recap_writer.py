"""Play-backs of a user's wishes as agents word them, true, false, or about no wish of the user."""

import random
from collections.abc import Callable, Iterator
from datetime import date, timedelta
from typing import Any, NamedTuple

from crab_graph.domain.english import spoken
from crab_graph.domain.subjects import clock_hours, subjects
from crab_graph.domains.task import Task
from crab_graph.personas.spoken_dates import MONTHS
from crab_graph.personas.wordbook import FactWords, ValueForm

_DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")


class Recap(NamedTuple):
    """A play-back: its text, and which facts it states rightly, wrongly, and without a wish."""

    text: str
    form: str
    right: frozenset[str]
    wrong: frozenset[str]
    absent: frozenset[str]


def _day(iso: str, rng: random.Random) -> str:
    day = date.fromisoformat(iso)
    month = MONTHS[day.month - 1]
    return rng.choice(
        (
            f"{day.day} {month} {day.year}",
            f"{month} {day.day}",
            iso,
            f"{_DAYS[day.weekday()]}, {day.day} {month}",
            f"{month[:3]} {day.day}, {day.year}",
        )
    )


_PHRASES: dict[str, tuple[str, ...]] = {
    "origin": ("flying from {}", "departing from {}", "starting in {}", "a trip from {}"),
    "destination": ("going to {}", "a trip to {}", "flying to {}", "visiting {}"),
    "nights": ("{} nights", "a stay of {} nights", "a {}-night trip"),
    "party_size": ("{} travellers", "a party of {} people", "{} people travelling"),
    "customer_id": ("customer id {}", "your customer number is {}", "account {}"),
    "email": ("the email {}", "your email is {}"),
    "outbound_time_of_day": ("a {} outbound flight", "flying out in the {}", "outbound: {}"),
    "return_time_of_day": ("a {} return flight", "coming back in the {}", "return: {}"),
    "seat_type": ("{} class", "{} seats", "flying {}"),
    "seat_position": ("{} seats", "a {} seat", "{} seats on both flights"),
    "hotel_stars": ("at least {} stars", "a {}-star hotel or better", "{} stars for the hotel"),
    "room_type": ("a {} room", "a hotel room that is {}"),
    "bed_type": ("a {} bed", "{} bed", "a room with a {} bed"),
    "attraction_category": ("a {} as the attraction", "for the attraction a {}", "visiting a {}"),
    "attraction_time_of_day": ("the attraction in the {}", "a visit to the attraction ({})"),
    "attraction_date": ("the attraction on {}", "visiting the attraction on {}"),
    "departure_date": ("leaving on {}", "a departure on {}", "flying out on {}", "departing {}"),
    "budget": ("a budget of ${}", "at most ${} in total", "a total budget of {} dollars"),
    "same_carrier": ("the same airline both ways", "one airline for both flights"),
    "same_district": ("both in the same district", "the same district"),
    "within": ("the specialist within {} days of the GP", "within {} days"),
    "sessions": ("{} sessions of physiotherapy", "{} sessions", "sessions: {}"),
    "traveller_names": ("the travellers {}", "travellers: {}", "the passengers are {}"),
    "birth_dates": ("dates of birth {}", "born {}"),
    "payment_card": ("{} as the card", "paying with the {}", "your card: {}"),
}


def said(key: str, value: Any, words: FactWords, rng: random.Random) -> str:
    """Return a fact's value as an agent plays it back."""
    noun = spoken(key)
    forms = _PHRASES.get(key, (f"{noun}: {{}}", f"the {noun} is {{}}"))
    match words.form:
        case ValueForm.DATE if isinstance(value, list):
            first, last = (_day(day, rng) for day in value)
            return rng.choice(
                (f"leaving between {first} and {last}", f"departing from {first} to {last}")
                if key == "departure_date"
                else (f"{noun}: between {first} and {last}",)
            )
        case ValueForm.DATE:
            text = _day(value, rng)
        case ValueForm.DATES:
            text = " and ".join(_day(one, rng) if False else one for one in value)
        case ValueForm.NAMES:
            text = " and ".join(value) if len(value) < 3 else ", ".join(value)
        case ValueForm.CARD:
            tail = rng.choice(("ending in {}", "{}", "(last four digits {})"))
            text = f"{value['brand']} {tail.format(value['last4'])}"
        case ValueForm.MONEY:
            text = rng.choice((value, f"{int(value.split('.')[0]):,}"))
        case ValueForm.FLAG:
            forms = _PHRASES.get(key, (f"the {noun.replace('same ', 'same ')}",))
            text = ""
        case _:
            text = str(value)
    return rng.choice(forms).format(text)


def other_value(task: Task, key: str, value: Any, rng: random.Random) -> Any:
    """Return another value that a fact could have; `None` where there is none to say."""
    words = task.briefing.lexicon.facts[key]
    subject = next((one for one in subjects(task.domain.declaration) if one.key == key), None)
    match words.form:
        case ValueForm.DATE:
            days = value if isinstance(value, list) else [value]
            shift = timedelta(rng.choice((7, 9, 12)))
            moved = [(date.fromisoformat(day) + shift).isoformat() for day in days]
            return moved if isinstance(value, list) else moved[0]
        case ValueForm.DATES:
            moved = [*value]
            moved[0] = f"{int(moved[0][:4]) + 1}{moved[0][4:]}"
            return moved
        case ValueForm.NAMES:
            return [*value[:-1], "Maren Oakwell"]
        case ValueForm.CARD:
            return rng.choice(
                (
                    {**value, "last4": f"{(int(value['last4']) + 1111) % 10000:04}"},
                    {**value, "brand": "Visa" if value["brand"] != "Visa" else "Mastercard"},
                )
            )
        case ValueForm.MONEY:
            return f"{int(value.split('.')[0]) + 150}.00"
        case ValueForm.COUNT:
            known = [one for one in (2, 3, 4, 5) if one != value]
            return rng.choice(known)
        case ValueForm.FLAG:
            return None
        case ValueForm.TEXT if key == "email":
            return "someone.else@example.com"
        case ValueForm.TEXT if key == "customer_id":
            return f"CU-{(int(value[3:]) + 7) % 100000:05}"
        case _:
            facts = {fact.key: fact.value for fact in task.facts}
            taken = {str(facts.get(one)) for one in ("origin", "destination")}
            names = [str(one) for one in subject.known] if subject else []
            others = [name for name in names if name != str(value) and name not in taken]
            return rng.choice(others) if others else None


def _and(items: list[str]) -> str:
    return ", ".join(items[:-1]) + f" and {items[-1]}" if len(items) > 1 else items[0]


def _list(items: list[str], mark: str) -> str:
    return "\n".join(f"{mark.format(n)}{item}" for n, item in enumerate(items, 1))


FORMS: dict[str, Callable[[list[str]], str]] = {
    "so that is": lambda v: f"So that is {_and(v)}, right?",
    "you want": lambda v: f"You want {_and(v)}, correct?",
    "just to confirm": lambda v: f"Just to confirm: {_and(v)}?",
    "noted": lambda v: f"Thank you. I have noted: {', '.join(v)}. Is that right?",
    "bullets": lambda v: f"Here is what I have so far:\n\n{_list(v, '- ')}\n\nIs that all correct?",
    "recap": lambda v: f"Let me recap: you'd like {_and(v)}. Did I get that right?",
    "confirm that": lambda v: f"Could you confirm that it is {_and(v)}?",
    "yes": lambda v: f"{_and(v)[0].upper()}{_and(v)[1:]}, yes?",
    "numbers": lambda v: f"Before I search, please check:\n{_list(v, '{}. ')}\nIs this correct?",
    "am I right": lambda v: f"Am I right that you'd like {_and(v)}?",
    "understood": lambda v: f"If I understand correctly, you need {_and(v)}. Is this accurate?",
    "thanks": lambda v: f"Great, thanks! So {_and(v)} it is. Have I understood that correctly?",
}
HELD_OUT: dict[str, Callable[[list[str]], str]] = {
    "wasn't it": lambda v: f"It was {_and(v)}, wasn't it?",
    "verify": lambda v: f"Please verify the following details: {'; '.join(v)}.",
    "notes say": lambda v: f"My notes say {_and(v)} – is that so?",
    "correct me": lambda v: f"As I understand it: {_and(v)}. Please correct me if I'm wrong.",
    "bold": lambda v: "**Your wishes**\n" + _list(v, "• ") + "\n\nDid I get everything right?",
    "double-check": lambda v: f"To double-check – {_and(v)}. Is that what you told me?",
}


def recaps(
    task: Task, rng: random.Random, forms: dict[str, Callable[[list[str]], str]]
) -> Iterator[Recap]:
    """Yield play-backs about each fact: alone and among others, true and false."""
    facts = {fact.key: fact.value for fact in task.facts}
    lexicon = task.briefing.lexicon
    names = list(forms)
    for key, value in facts.items():
        words = lexicon.facts[key]
        form = rng.choice(names)
        mates = rng.sample([one for one in facts if one != key], rng.choice((0, 0, 1, 3)))
        around = [said(one, facts[one], lexicon.facts[one], rng) for one in mates]
        true = [*around, said(key, value, words, rng)]
        rng.shuffle(true)
        yield Recap(forms[form](true), form, frozenset({*mates, key}), frozenset(), frozenset())
        other = other_value(task, key, value, rng)
        if other is not None:
            false = [*around, said(key, other, words, rng)]
            rng.shuffle(false)
            text = forms[form](false)
            yield Recap(text, form, frozenset(mates), frozenset({key}), frozenset())


def absent_recaps(
    task: Task, rng: random.Random, forms: dict[str, Callable[[list[str]], str]]
) -> Iterator[Recap]:
    """Yield play-backs of wishes that the user does not have."""
    facts = {fact.key for fact in task.facts}
    lexicon = task.briefing.lexicon
    for subject in subjects(task.domain.declaration):
        words = lexicon.facts.get(subject.key)
        if subject.key in facts or words is None or not subject.known or subject.same:
            continue
        if words.form is ValueForm.FLAG or clock_hours(task.domain.declaration, subject):
            continue
        form = rng.choice(list(forms))
        text = forms[form]([said(subject.key, rng.choice(subject.known), words, rng)])
        yield Recap(text, form, frozenset(), frozenset(), frozenset({subject.key}))
