"""The starter domain: a music lesson, and a room to practise in afterwards."""

import crab_graph.domain as cd

# Values that several parts share: the same `Choice` is the same draw in the world of a task.
DISTRICT = cd.Choice(("Riverside", "Old Town", "Harbour", "Hillcrest"))
TIMES = ("morning", "afternoon", "evening")
HOURS = {"morning": (480, 660), "afternoon": (780, 960), "evening": (1020, 1140)}
INSTRUMENTS = {"piano": 40, "violin": 45, "cello": 50}

# What is sold: an offer has typed fields, its prefix begins its ids, and what several offers are
# parts of, such as a teacher of lessons, is a provider. Tables and tools are derived from these.
LESSON = cd.Offer(
    "lesson",
    "LE",
    {
        "instrument": cd.Choice(tuple(INSTRUMENTS)),
        "level": cd.Choice(("beginner", "intermediate", "advanced")),
        "district": DISTRICT,
        "date": cd.Day(),
        "time_of_day": cd.Choice(TIMES),
        "starts": cd.Clock("time_of_day", HOURS),
        "price": cd.Price(INSTRUMENTS, "instrument"),
    },
    provider=cd.Provider(
        "teacher", "TE", ("instrument", "level", "district"), names=cd.Names("{person}")
    ),
)
ROOM = cd.Offer(
    "room",
    "RO",
    {
        "size": cd.Choice(("small", "medium", "large")),
        "district": DISTRICT,
        "date": cd.Day(),
        "time_of_day": cd.Choice(TIMES),
        "starts": cd.Clock("time_of_day", HOURS),
        "price": cd.Price({"small": 15, "medium": 20, "large": 30}, "size"),
    },
)

# What a complete job needs. Its words are how agents may call it; a role is what sets it apart.
SLOTS = (
    cd.Slot("lesson", LESSON, "music lesson", words=("lesson", "music lesson", "teacher")),
    cd.Slot("room", ROOM, "practice room", words=("room", "practice room")),
)


def told(say: str, short: str, *ask: str, none: str = "") -> cd.Wording:
    """Return how a wish is told, in a sentence and in short, asked for, and said not to be."""
    return cd.Wording(say=say, short=short, ask=ask, none=none)


# What users want: the field it bites on, how often, and how it is told. What is basic may be said
# upfront; a user tells the rest when asked. `role` says which offers are meant at all.
WANTS = (
    cd.Want(
        "instrument",
        tuple(INSTRUMENTS),
        on=("lesson.instrument",),
        basic=True,
        role=True,
        wording=told("I play the {value}.", "{value}."),
    ),
    cd.Want(
        "level",
        ("beginner", "intermediate", "advanced"),
        on=("lesson.level",),
        wording=told("My level is {value}.", "Level: {value}.", r"\blevels?\b|\bexperience\b"),
    ),
    cd.Want(
        "room_size",
        ("small", "medium", "large"),
        on=("room.size",),
        odds=0.6,
        wording=told(
            "The room should be {value}.", "Room: {value}.", r"\bsizes?\b", none="Any size will do."
        ),
    ),
    cd.Want(
        "lesson_time",
        TIMES[:2],
        on=("lesson.time_of_day",),
        odds=0.6,
        wording=told(
            "The lesson should be in the {value}.",
            "Lesson: {value}.",
            none="Any time will do for the lesson.",
        ),
    ),
)

# What must hold between parts, stated once, with operators alone: `&` and `|`, not `and` and `or`.
# With odds it is a wish that some users have; without, every job needs it.
RULES = (
    cd.Rule("same_day", lambda room, lesson: room.date == lesson.date, "both are on one day"),
    cd.Rule(
        "room_after_lesson",
        lambda room, lesson: (
            (room.starts >= lesson.starts + 60) & (room.starts <= lesson.starts + 360)
        ),
        "the room is one to six hours after the lesson begins",
    ),
    cd.Rule(
        "same_district",
        lambda room, lesson: room.district == lesson.district,
        "lesson and room are in one district",
        odds=0.6,
        wording=told(
            "Both should be in the same district.",
            "Same district for both.",
            r"\bdistricts?\b|\bareas?\b",
        ),
    ),
)

DECLARATION = cd.Declaration(
    name="starter",
    job="session",
    intro="You book music lessons, and rooms to practise in.",
    slots=SLOTS,
    wants=WANTS,
    rules=RULES,
    # The day of the lesson: one day, or one of five, which take turns over the tasks.
    window=cd.Window("lesson_date", "lesson.date", axis=cd.Axis("dates")),
    budget=cd.Budget(),
    opening="I need a {instrument} lesson {lesson_date}, and a room to practise in afterwards.",
    opening_short="{instrument} lesson {lesson_date}, and a practice room.",
)

# Everything else is derived. `build` takes what is to be otherwise, such as `policy` or `tools`.
STARTER = cd.build(DECLARATION)
