"""Five slots with units, and no budget: a dinner for a number of guests."""

import crab_graph.domain as cd

DIETS = ("vegan", "vegetarian", "halal", "kosher", "gluten-free")
STYLES = ("classic", "rustic", "modern")
QUARTER = cd.Choice(("Northside", "Docks", "Old Mill", "Parkway", "Southgate"))
STYLE = cd.Choice(STYLES)
SEATS = cd.Stock((8, 10, 12, 16, 20, 24, 30))


def _offer(name, prefix, unit, fields, **more):
    held = cd.Count("units")
    return cd.Offer(name, prefix, fields, holds=held, unit=unit, units="guests", **more)


HALL = _offer(
    "hall",
    "HA",
    "seat",
    {
        "quarter": QUARTER,
        "style": STYLE,
        "date": cd.Day(),
        "closes": cd.Choice((22, 23, 24)),
        "price": cd.Price(dict.fromkeys(STYLES, 20), "style"),
        "available": SEATS,
    },
)
MENU = _offer(
    "menu",
    "ME",
    "plate",
    {
        "diet": cd.Choice(DIETS),
        "courses": cd.Choice((3, 4, 5, 6)),
        "date": cd.Day(),
        "price": cd.Price(dict.fromkeys(DIETS, 35), "diet"),
        "available": SEATS,
    },
    provider=cd.Provider("kitchen", "KI", ("diet",), names=cd.Names("{family}'s Kitchen")),
)
DRINK = _offer(
    "drink",
    "DK",
    "glass",
    {
        "kind_of_wine": cd.Choice(("red", "white", "none")),
        "diet": cd.Choice(DIETS),
        "date": cd.Day(),
        "price": cd.Price({"red": 9, "white": 8, "none": 4}, "kind_of_wine"),
        "available": SEATS,
    },
)
CHAIR = _offer(
    "chair",
    "CH",
    "chair",
    {
        "style": STYLE,
        "quarter": QUARTER,
        "colour": cd.Choice(("black", "white", "oak", "red", "grey", "green")),
        "date": cd.Day(),
        "price": cd.Price(dict.fromkeys(STYLES, 3), "style"),
        "available": SEATS,
    },
)
COACH = _offer(
    "coach",
    "BU",
    "ride",
    {
        "quarter": QUARTER,
        "date": cd.Day(),
        "leaves": cd.Choice((21, 22, 23, 24)),
        "price": cd.Price({21: 6, 22: 6, 23: 7, 24: 8}, "leaves"),
        "available": SEATS,
    },
)

SLOTS = (
    cd.Slot("hall", HALL, "hall"),
    cd.Slot("menu", MENU, "menu"),
    cd.Slot("drink", DRINK, "drinks", ("drink", "drinks", "wine")),
    cd.Slot("chair", CHAIR, "chairs", ("chair", "chairs")),
    cd.Slot("coach", COACH, "coach home", ("coach", "coaches", "ride")),
)

WANTS = (
    cd.Want("guests", (8, 10, 12, 16), basic=True, axis=cd.Axis("size", "guests")),
    cd.Want("diet", DIETS[:4], ("menu.diet",), odds=0.7),
    cd.Want("courses", (3, 4), ("menu.courses",), compare="at_least", odds=0.5),
    cd.Want("style", STYLES, ("hall.style", "chair.style"), odds=0.6),
    cd.Want("wine", ("red", "white"), ("drink.kind_of_wine",), odds=0.5),
)

RULES = (
    cd.Rule("menu_that_day", lambda hall, menu: hall.date == menu.date, "the menu is for the day"),
    cd.Rule("drinks_that_day", lambda hall, drink: hall.date == drink.date, "so are the drinks"),
    cd.Rule("chairs_that_day", lambda hall, chair: hall.date == chair.date, "so are the chairs"),
    cd.Rule("coach_that_day", lambda hall, coach: hall.date == coach.date, "so is the coach"),
    cd.Rule("drinks_suit", lambda menu, drink: menu.diet == drink.diet, "drinks suit the menu"),
    cd.Rule("coach_near", lambda hall, coach: hall.quarter == coach.quarter, "it leaves near by"),
    cd.Rule("coach_at_closing", lambda hall, coach: coach.leaves >= hall.closes, "after closing"),
    cd.Rule("chairs_near", lambda hall, chair: hall.quarter == chair.quarter, "so are the chairs"),
)

DOMAIN = cd.build(
    cd.Declaration(
        name="banquet",
        job="dinner",
        whole=("five",),
        intro="You arrange dinners: a hall, a menu, drinks, chairs and a coach home.",
        slots=SLOTS,
        wants=WANTS,
        rules=RULES,
        window=cd.Window("day", "hall.date", widths=(3,)),
        opening="We plan a dinner for {guests}, {day}: a hall, a menu, drinks, chairs and a coach.",
    )
)
