"""A free booking: a desk in a reading room and a box of papers, for which nothing is charged."""

import crab_graph.domain as cd

SUBJECTS = ("maritime", "railways", "mining", "theatre", "parishes")
WING = cd.Choice(("east wing", "west wing", "annex", "tower", "gallery", "crypt"))

DESK = cd.Offer(
    "desk",
    "DE",
    {
        "wing": WING,
        "lamp": cd.Choice(("daylight", "ultraviolet", "standard")),
        "date": cd.Day(),
        "opens": cd.Clock("half", {"morning": 540, "afternoon": 780}),
        "half": cd.Choice(("morning", "afternoon")),
        "width": cd.Choice((60, 80, 100, 120, 140)),
    },
)
BOX = cd.Offer(
    "box",
    "BX",
    {
        "subject": cd.Choice(SUBJECTS),
        "wing": WING,
        "spread": cd.Choice((50, 70, 90, 110, 130)),
        "decade": cd.Choice(tuple(range(1800, 1960, 10))),
        "fetched": cd.Day(),
        "keeps": cd.Choice((1, 2, 3)),
        "kept_until": cd.Later("fetched", "keeps"),
    },
    plural="boxes",
)

SLOTS = (
    cd.Slot("desk", DESK, "desk", ("desk", "seat")),
    cd.Slot("box", BOX, "box of papers", ("box", "papers")),
)

WANTS = (
    cd.Want("subject", SUBJECTS, ("box.subject",), basic=True),
    cd.Want("decade", (1850, 1860, 1870, 1880), ("box.decade",), odds=0.6),
    cd.Want("lamp", ("daylight", "ultraviolet"), ("desk.lamp",), odds=0.6),
    cd.Want("half", ("morning", "afternoon"), ("desk.half",), odds=0.5),
)

RULES = (
    cd.Rule(
        "there_by_then",
        lambda desk, box: (box.fetched <= desk.date) & (desk.date <= box.kept_until),
        "the box is there on the day of the desk",
    ),
    cd.Rule("wide_enough", lambda desk, box: desk.width >= box.spread, "the papers fit the desk"),
    cd.Rule("same_wing", lambda desk, box: desk.wing == box.wing, "box and desk are in one wing"),
)

DOMAIN = cd.build(
    cd.Declaration(
        name="archive",
        job="visit",
        intro="You book desks in the reading room of an archive, and the boxes read there.",
        slots=SLOTS,
        wants=WANTS,
        rules=RULES,
        window=cd.Window("day", "desk.date", axis=cd.Axis("days", "", ("fixed", "flexible"))),
        opening="I want to read {subject} papers {day}. I need a desk and a box.",
    )
)
