"""A small declared domain whose author words almost nothing: doctors, a test and a course."""

from typing import Any

from crab_graph.dates import day_number, iso_date
from crab_graph.domain.declaration import (
    Budget,
    Count,
    Declaration,
    Names,
    Offer,
    Provider,
    Rule,
    Slot,
    Want,
    Window,
    Wording,
)
from crab_graph.domain.fields import Capacity, Choice, Clock, Day, Price

PARTS = ("morning", "afternoon", "evening")
HOURS: dict[str, int | tuple[int, int]] = {"morning": (540, 660), "afternoon": 840, "evening": 1080}
LANGUAGES = Choice(("English", "Spanish", "Mandarin", "Arabic"))
PRACTICES = Choice(("Northgate Partners", "Lakeview Health", "Cedar Medical", "Summit Care"))
DISTRICTS = Choice(("Riverside", "Old Town", "Harbour", "Hillcrest"))
SPECIALTIES = ("cardiology", "orthopedics", "neurology")

APPOINTMENT = Offer(
    "appointment",
    "AP",
    {
        "specialty": Choice(("general practice", *SPECIALTIES)),
        "language": LANGUAGES,
        "practice": PRACTICES,
        "date": Day(),
        "time_of_day": Choice(PARTS),
        "minute": Clock("time_of_day", HOURS),
        "price": Price({"general practice": 35, **dict.fromkeys(SPECIALTIES, 90)}, "specialty"),
    },
    provider=Provider(
        "doctor", "DR", ("specialty", "language", "practice"), names=Names("Dr. {person}")
    ),
    words=("appointment", "doctor"),
)
TEST = Offer(
    "test",
    "LB",
    {
        "panel": Choice(("blood panel", "imaging", "stress test")),
        "district": DISTRICTS,
        "date": Day(),
        "time_of_day": Choice(PARTS),
        "minute": Clock("time_of_day", HOURS),
        "price": Price({"blood panel": 40, "imaging": 120, "stress test": 80}, "panel"),
    },
)
COURSE = Offer(
    "course",
    "PH",
    {
        "focus": Choice(("back", "knee", "shoulder")),
        "practice": PRACTICES,
        "start": Day(),
        "rating": Choice((1, 2, 3, 4, 5)),
        "capacity": Capacity((4, 6, 8)),
        "price": Price({"back": 25, "knee": 30, "shoulder": 35}, "focus"),
    },
    holds=Count("sessions"),
    unit="session",
    units="sessions",
)

SLOTS = (
    Slot(
        "gp",
        APPOINTMENT,
        "GP appointment",
        ("gp", "general practitioner"),
        role={"specialty": "general practice"},
    ),
    Slot("lab", TEST, "lab test", ("lab", "test")),
    Slot("specialist", APPOINTMENT, "specialist consultation"),
    Slot("physio", COURSE, "physiotherapy course", ("physio", "physiotherapy", "course")),
)


def _days_after(request: Any) -> tuple[str, ...]:
    first = day_number(request.first_day)
    return tuple(iso_date(first + days) for days in (1, 2))


WANTS = (
    Want("specialty", SPECIALTIES, ("specialist.specialty",), basic=True, role=True),
    Want("panel", ("blood panel", "imaging"), ("lab.panel",), basic=True),
    Want("sessions", (3, 4, 5, 6), basic=True),
    Want(
        "within_days",
        (4, 5, 6, 7),
        basic=True,
        wording=Wording(
            "The specialist should be {value} of the GP appointment.",
            unit=("within 1 day", "within {n} days"),
        ),
    ),
    Want("language", LANGUAGES.values, ("gp.language", "specialist.language"), odds=0.5),
    Want("gp_time_of_day", PARTS, ("gp.time_of_day",), odds=0.4),
    Want("lab_time_of_day", PARTS, ("lab.time_of_day",), odds=0.4),
    Want("district", DISTRICTS.values, ("lab.district",), odds=0.4),
    Want("physio_focus", ("back", "knee", "shoulder"), ("physio.focus",), odds=0.6),
    Want("physio_rating", (3, 4), ("physio.rating",), compare="at_least", odds=0.6),
    Want("lab_date", _days_after, ("lab.date",), odds=0.2),
)
RULES = (
    Rule("test_after_gp", lambda lab, gp: lab.date >= gp.date, "the test is not before the GP"),
    Rule(
        "consultation_within",
        lambda gp, specialist, r: specialist.date <= gp.date + r.within_days,
        "the consultation is at most {r.within_days} days after the GP",
    ),
    Rule(
        "consultation_after_test",
        lambda lab, specialist: specialist.date > lab.date,
        "the consultation is after the test",
    ),
    Rule(
        "course_after_consultation",
        lambda physio, specialist: physio.start >= specialist.date,
        "the course does not start before the consultation",
    ),
    Rule(
        "same_practice",
        lambda specialist, physio: specialist.practice == physio.practice,
        "specialist and physiotherapist are of one practice",
        odds=0.5,
    ),
    Rule(
        "short_wait",
        lambda gp, lab: lab.date <= gp.date + 1,
        "the lab test is at most a day after the GP appointment",
        odds=0.5,
        wording=Wording(ask=r"\bsoon after\b"),
    ),
)

PRACTICE = Declaration(
    name="practice",
    job="treatment",
    whole=("pathway",),
    slots=SLOTS,
    wants=WANTS,
    rules=RULES,
    window=Window("first_visit", "gp.date"),
    horizon=((-2,), (9,)),
    budget=Budget(),
    nobody=("specialists?",),
    amenities=("parking", "interpreters?"),
    opening=(
        "I need to see a GP {first_visit}, then have a {panel}, then see somebody in {specialty} "
        "{within_days} of the GP, and after that {sessions} of physiotherapy."
    ),
)
