"""Two slots and no dates: an instrument to rent, and lessons on it."""

import crab_graph.domain as cd

FAMILIES = ("strings", "woodwind", "brass", "keyboard")
LEVELS = ("beginner", "intermediate", "advanced")
TOWN = cd.Choice(("Ashford", "Brookfield", "Clayton", "Dunmore", "Eastham"))

INSTRUMENT = cd.Offer(
    "instrument",
    "IN",
    {
        "family": cd.Choice(FAMILIES),
        "grade": cd.Choice((1, 2, 3, 4, 5)),
        "town": TOWN,
        "maker": cd.Choice(("Aldous", "Birch & Sons", "Corvo", "Delmar", "Ensign", "Farrier")),
        "months": cd.Choice((1, 3, 6, 12)),
        "price": cd.Price({1: 12, 2: 18, 3: 26, 4: 38, 5: 55}, "grade"),
        "available": cd.Stock((1, 2, 3)),
    },
    unit="rental",
)
COURSE = cd.Offer(
    "course",
    "CO",
    {
        "family": cd.Choice(FAMILIES),
        "level": cd.Choice(LEVELS),
        "town": TOWN,
        "weeks": cd.Choice((4, 8, 12, 16, 24)),
        "hardest": cd.Choice((1, 2, 3, 4, 5)),
        "available": cd.Stock((1, 2, 4)),
        "price": cd.Price({"beginner": 80, "intermediate": 110, "advanced": 150}, "level"),
    },
    provider=cd.Provider("teacher", "TE", ("family", "town"), names=cd.Names("{person}")),
    unit="course",
)

SLOTS = (
    cd.Slot("instrument", INSTRUMENT, "rented instrument", ("instrument", "rental")),
    cd.Slot("course", COURSE, "music course", ("course", "lessons", "teacher")),
)

WANTS = (
    cd.Want(
        "family",
        FAMILIES,
        ("instrument.family", "course.family"),
        basic=True,
        wording=cd.Wording("We want to learn {value}.", "Learning {value}.", ask=r"\bfamil\w+\b"),
    ),
    cd.Want("level", LEVELS, ("course.level",), odds=0.7),
    cd.Want("grade", (2, 3), ("instrument.grade",), compare="at_least", odds=0.5),
)

RULES = (
    cd.Rule(
        "rented_long_enough",
        lambda instrument, course: instrument.months * 4 >= course.weeks,
        "the instrument is rented for at least as long as the course",
    ),
    cd.Rule(
        "good_enough",
        lambda instrument, course: instrument.grade >= course.hardest,
        "the instrument is of the grade that the course needs",
    ),
    cd.Rule(
        "same_town",
        lambda instrument, course: instrument.town == course.town,
        "instrument and course are in one town",
        odds=0.7,
        wording=cd.Wording(
            "Instrument and course should be in the same town.", "Same town.", ask=r"\btowns?\b"
        ),
    ),
)

DOMAIN = cd.build(
    cd.Declaration(
        name="lessons",
        job="arrangement",
        intro="You rent out instruments and book the courses on them.",
        slots=SLOTS,
        wants=WANTS,
        rules=RULES,
        budget=cd.Budget(odds=0.8, step=1),
        opening="I would like to learn {family}: I need a rented instrument and a music course.",
    )
)
