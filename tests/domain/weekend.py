"""A small declared domain for tests: every kind of field, every way to hold, two providers.

Somebody goes to the opening and the closing concert of a festival, parks from one to the other,
dines for free and goes on a walk.
"""

import crab_graph.domain as cd

TOWNS = {"Aldbury": "ALD", "Brinton": "BRI", "Corfe": "COR", "Dunmore": "DUN", "Elmsworth": "ELM"}
TOWN = cd.Choice(tuple(TOWNS), sample=3, codes=TOWNS)
QUARTER = cd.Choice(("Mill", "Port", "Park"))
DIETS = ("vegan", "halal", "kosher")
BIRDS = [f"{letter}{rest}" for letter in "BCDFGHJKLMNPRSTVWZ" for rest in ("owl", "ark", "ern")]
PARTS = ("noon", "evening")

TICKET = cd.Offer(
    "ticket",
    "TK",
    {
        "town": TOWN,
        "stage": cd.Choice(("main", "side")),
        "date": cd.Day(column="concert_date"),
        "time_of_day": cd.Choice(PARTS),
        "label": cd.Choice(("Oak", "Elm", "Ash", "Fir", "Yew"), sample=3),
        "starts": cd.Clock("time_of_day", {"noon": (690, 780), "evening": (1080, 1200)}, ("town",)),
        "ends": cd.Later("starts", cd.Span(60, 150, 15, per=("label",)), column="end_minute"),
        "section": cd.Choice(("floor", "balcony")),
        "row": cd.Choice(("front", "back")),
        "price": cd.Price(
            {"floor": 80, "balcony": 50}, "section", {"row": {"front": 130, "back": 100}}
        ),
        "available": cd.Stock((0, 1, 2, 4, 8)),
    },
    provider=cd.Provider(
        "concert",
        "CC",
        ("town", "stage", "date", "time_of_day", "label"),
        names=cd.Names("{first} {second}", {"first": BIRDS, "second": ["Trio", "Band", "Duo"]}),
    ),
    kind="concert",
    always={
        "the balcony has no front": lambda one: ~((one.section == "balcony") & (one.row == "front"))
    },
    holds=cd.Each("seats", "guest_name", "birth_date"),
    unit="guest",
    units="party",
    adds=("add_concert_with_tickets",),
)
BAY = cd.Offer(
    "bay",
    "BY",
    {
        "town": TOWN,
        "quarter": QUARTER,
        "height": cd.Choice((2, 3)),
        "opens": cd.Day(),
        "days_open": cd.Choice((1, 2, 3, 4, 5, 6)),
        "closes": cd.Later("opens", "days_open"),
        "berths": cd.Capacity((1, 2, 4)),
        "price": cd.Price({2: 10, 3: 14}, "height", levels=(80, 160)),
    },
    provider=cd.Provider(
        "garage", "GA", ("town", "quarter"), names=cd.Names("{family} Garage"), digits=4
    ),
    holds=cd.Stay("opening.date", "return.date", "opens", "closes"),
    unit="night",
    units="nights",
)
TABLE = cd.Offer(
    "table",
    "TB",
    {
        "town": TOWN,
        "diets": cd.Several(DIETS),
        "date": cd.Day(),
        "time_of_day": cd.Choice(PARTS),
        "seated": cd.Clock("time_of_day", {"noon": 720, "evening": 1170}),
        "seats": cd.Capacity((2, 4)),
    },
    always={"no noon at a big table": lambda one: (one.seats % 4 != 0) | (one.seated // 60 > 12)},
    names=cd.Names("{person}'s"),
)
WALK = cd.Offer(
    "walk",
    "WK",
    {
        "quarter": QUARTER,
        "theme": cd.Choice(("ghosts", "art")),
        "date": cd.Day(),
        "price": cd.Price({"ghosts": 12, "art": 18}, "theme"),
        "available": cd.Stock((1, 2, 4)),
    },
    names=cd.Names(
        "{place} {theme}",
        {
            "place": [f"Gate {number}" for number in range(9)],
            "theme": {"ghosts": ["Ghosts", "Crypts"], "art": ["Murals", "Mosaic"]},
        },
        by="theme",
    ),
    holds=cd.Count("places"),
    unit="place",
    units="party",
    bundles={"walks per theme and quarter": ("theme", "quarter")},
)

SLOTS = (
    cd.Slot("opening", TICKET, "opening concert", role={"stage": "main"}),
    cd.Slot("return", TICKET, "closing concert", ("closing",), role={"stage": "side"}),
    cd.Slot("parking", BAY, "parking"),
    cd.Slot("dinner", TABLE, "dinner"),
    cd.Slot("walk", WALK, "walk"),
)
SLOTS_WITH_TOWN = ("opening", "return", "parking", "dinner")
WANTS = (
    cd.Want(
        "town", tuple(TOWNS), [f"{one}.town" for one in SLOTS_WITH_TOWN], basic=True, role=True
    ),
    cd.Want("nights", (1, 2, 3), basic=True),
    cd.Want("party", (1, 2, 4), basic=True, axis=cd.Axis("party")),
    cd.Want("section", ("floor", "balcony"), ("opening.section", "return.section"), odds=0.5),
    cd.Want("height", (2, 3), ("parking.height",), compare="at_least", odds=0.5),
    cd.Want("diet", DIETS, ("dinner.diets",), odds=0.5),
    cd.Want("theme", ("ghosts", "art"), ("walk.theme",), odds=0.5),
    cd.Want("apart", (1, 2), odds=0.5),
)
RULES = (
    cd.Rule(
        "length",
        lambda opening, return_, r: return_.date == opening.date + r.nights,
        "closes {r.nights} nights after it opens",
    ),
    cd.Rule(
        "bay_stays_open",
        lambda opening, return_, parking: (
            (parking.opens <= opening.date) & (parking.closes >= return_.date)
        ),
        "the bay is open all days",
    ),
    cd.Rule(
        "dinner_after_opening",
        lambda opening, dinner: (
            dinner.date * 1440 + dinner.seated >= opening.date * 1440 + opening.ends
        ),
        "dinner is after the opening",
    ),
    cd.Rule(
        "walk_near_dinner",
        lambda walk, dinner, r: abs(walk.date - dinner.date) <= r.apart,
        "walk and dinner are at most {r.apart} days apart",
    ),
    cd.Rule(
        "same_label",
        lambda opening, return_: opening.label == return_.label,
        "both concerts are of one label",
        odds=0.6,
    ),
    cd.Rule(
        "walk_near_parking",
        lambda walk, parking: walk.quarter == parking.quarter,
        "the walk is near the parking",
        odds=0.5,
    ),
)

WEEKEND = cd.Declaration(
    name="weekend",
    job="weekend",
    intro="You book festival weekends.",
    slots=SLOTS,
    wants=WANTS,
    rules=RULES,
    window=cd.Window("arrival", "opening.date", widths=(1, 3), axis=cd.Axis("dates")),
    budget=cd.Budget(),
    people=cd.People("party", noun="guest"),
    horizon=((-1,), (1, "nights")),
    opening="We go to {town} {arrival}, for {nights}, {party}.",
)
