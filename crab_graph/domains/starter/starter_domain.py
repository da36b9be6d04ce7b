"""The starter domain: a music lesson, and a room to practise in afterwards."""

import crab_graph.domain as cd

# Values that several parts share: the same `Choice` is the same draw in the world of a task.
DISTRICT = cd.Choice(("Riverside", "Old Town", "Harbour", "Hillcrest"))
HOURS = {"morning": (480, 660), "afternoon": (780, 960), "evening": (1020, 1140)}
TIME = cd.Choice(tuple(HOURS))
INSTRUMENTS = {"piano": 40, "violin": 45, "cello": 50}
LEVELS = ("beginner", "intermediate", "advanced")
SIZES = {"small": 15, "medium": 20, "large": 30}

# What is sold. An offer has typed fields; its two letters begin its ids. What several offers are
# parts of, as lessons of a teacher, is a provider. Tables and tools are derived from these.
LESSON = cd.Offer(
    "lesson",
    "LE",
    {
        "instrument": cd.Choice(tuple(INSTRUMENTS)),
        "level": cd.Choice(LEVELS),
        "district": DISTRICT,
        "date": cd.Day(),
        "time_of_day": TIME,
        "starts": cd.Clock("time_of_day", HOURS),
        "price": cd.Price(INSTRUMENTS, by="instrument"),
    },
    provider=cd.Provider(
        "teacher", "TE", shares=("instrument", "level", "district"), names=cd.Names("{person}")
    ),
)
ROOM = cd.Offer(
    "room",
    "RO",
    {
        "size": cd.Choice(tuple(SIZES)),
        "district": DISTRICT,
        "date": cd.Day(),
        "time_of_day": TIME,
        "starts": cd.Clock("time_of_day", HOURS),
        "price": cd.Price(SIZES, by="size"),
    },
)

# What a job needs. Its words are those by which agents may call it.
SLOTS = (
    cd.Slot("lesson", LESSON, "music lesson", words=("lesson", "music lesson", "teacher")),
    cd.Slot("room", ROOM, "practice room", words=("room", "practice room")),
)

# What users want: values, the fields they bite on, how often, and how it is told: in full, briefly,
# and where there is no such wish. What is `basic` may be said upfront, the rest when it is asked
# for; `role` says which offers are meant at all.
PLAYS = cd.Wording("I play the {value}.", "{value}.")
LEVEL = cd.Wording("My level is {value}.", "Level: {value}.")
SIZE = cd.Wording("The room should be {value}.", "Room: {value}.", "Any size will do.")
WHEN = cd.Wording(
    "The lesson should be in the {value}.", "Lesson: {value}.", "Any time will do for the lesson."
)
WANTS = (
    cd.Want(
        "instrument",
        tuple(INSTRUMENTS),
        ("lesson.instrument",),
        basic=True,
        role=True,
        wording=PLAYS,
    ),
    cd.Want("level", LEVELS, ("lesson.level",), wording=LEVEL),
    cd.Want("room_size", tuple(SIZES), ("room.size",), odds=0.6, wording=SIZE),
    cd.Want("lesson_time", TIME.values[:2], ("lesson.time_of_day",), odds=0.6, wording=WHEN),
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
        odds=0.8,
        wording=cd.Wording("Lesson and room should be in the same district.", "Same district."),
    ),
)

# The day of the lesson is one, or one of five; these take turns over the tasks.
AXIS = cd.Axis("dates", values=("fixed", "flexible"))
WINDOW = cd.Window("lesson_date", "lesson.date", widths=(1, 5), axis=AXIS)

DECLARATION = cd.Declaration(
    name="starter",
    job="session",
    intro="You book music lessons, and rooms to practise in.",
    slots=SLOTS,
    wants=WANTS,
    rules=RULES,
    window=WINDOW,
    budget=cd.Budget(odds=0.8),
    opening="I need a {instrument} lesson {lesson_date}, and a room to practise in afterwards.",
    opening_short="{instrument} lesson {lesson_date}, and a practice room.",
)

# Everything else is derived. `build` takes what is to be otherwise, such as a part of the grading.
STARTER = cd.build(DECLARATION)
