"""A domain written by somebody who knew no more of this project than `docs/domains.md`.

A hall for an evening, a caterer, a band and a photographer.

Whoever plans a family celebration books all four for one day: guests must fit, dinner and music lie
within the hours of the hall, and the band plays when dinner has been served.
"""

import crab_graph.domain as cd

DISTRICTS = ("Riverside", "Old Town", "Harbour", "Hillcrest", "Parkside", "Westgate")
OUTSIDE = ("garden", "terrace", "courtyard")
CUISINES = {"Italian": 34, "Indian": 30, "Lebanese": 32, "French": 42}
GENRES = ("jazz", "swing", "folk", "pop")
LINEUPS = {"duo": 300, "trio": 420, "quartet": 540}
STYLES = {"candid": 160, "posed": 140, "documentary": 190}
DAYS_OF_WEEK = (80, 80, 85, 90, 115, 130, 105)

DISTRICT = cd.Choice(DISTRICTS)
AGENCY = cd.Choice(("Bright Hour", "Evergreen Events", "Lantern & Co", "Silver Note"))

# What is sold. Times are drawn from the hours of a part of the evening.
HALL = cd.Offer(
    "evening",
    "EV",
    {
        "district": DISTRICT,
        "outside": cd.Choice(OUTSIDE),
        "access": cd.Choice(("step-free", "stairs only")),
        "seats": cd.Choice((30, 40, 60, 80)),
        "date": cd.Day(),
        "doors": cd.Choice(("afternoon", "evening")),
        "opens": cd.Clock("doors", {"afternoon": (960, 1080), "evening": (1085, 1170)}),
        "licence": cd.Choice(("quiet", "late")),
        "closes": cd.Clock("licence", {"quiet": (1275, 1345), "late": (1350, 1435)}),
        "price": cd.Price(
            {30: 350, 40: 450, 60: 600, 80: 800}, by="seats", percent={"date": DAYS_OF_WEEK}
        ),
    },
    provider=cd.Provider(
        "hall",
        "HA",
        ("district", "outside", "access", "seats", cd.LEVEL),
        names=cd.Names(
            "{first} {second}",
            {
                "first": [
                    *("Lime Tree", "Mill", "Rose", "Chestnut", "Harvest", "Stone", "Willow"),
                    *("Lark", "Orchard", "Abbey", "Copper", "Swan", "Ivy", "Foundry", "Meadow"),
                ],
                "second": ["Hall", "House", "Barn", "Rooms", "Pavilion", "Lodge", "Court"],
            },
        ),
    ),
    kind="hall",
    unit="evening",
    words=("hall", "venue", "evening"),
)
MENU = cd.Offer(
    "menu",
    "MN",
    {
        "cuisine": cd.Choice(tuple(CUISINES)),
        "diet": cd.Choice(("vegetarian", "vegan", "mixed")),
        "service": cd.Choice(("buffet", "plated", "family-style")),
        "district": DISTRICT,
        "date": cd.Day(),
        "sitting": cd.Choice(("early", "late")),
        "served": cd.Clock("sitting", {"early": (1080, 1150), "late": (1155, 1230)}),
        "capacity": cd.Capacity((20, 30, 40, 60, 80)),
        "price": cd.Price(CUISINES, by="cuisine"),
    },
    provider=cd.Provider(
        "caterer",
        "CA",
        ("cuisine", "district", cd.LEVEL),
        names=cd.Names("{family} & {family} Catering"),
    ),
    holds=cd.Count("guests"),
    unit="guest",
    units="guests",
    kind="dinner",
    words=("dinner", "menu", "caterer"),
)
SET = cd.Offer(
    "set",
    "ST",
    {
        "genre": cd.Choice(GENRES),
        "lineup": cd.Choice(tuple(LINEUPS)),
        "agency": AGENCY,
        "date": cd.Day(),
        "hour": cd.Choice(("dinner time", "late evening")),
        "plays": cd.Clock("hour", {"dinner time": (1140, 1225), "late evening": (1230, 1310)}),
        "minutes": cd.Choice((60, 90, 120)),
        "ends": cd.Later("plays", by="minutes"),
        "price": cd.Price(LINEUPS, by="lineup", percent={"minutes": {60: 80, 90: 100, 120: 125}}),
    },
    provider=cd.Provider(
        "band",
        "BA",
        ("genre", "lineup", "agency", cd.LEVEL),
        names=cd.Names("{family} {family} Ensemble"),
    ),
    kind="music",
    words=("band", "music", "set", "musicians"),
)
SHOOT = cd.Offer(
    "shoot",
    "SH",
    {
        "style": cd.Choice(tuple(STYLES)),
        "prints": cd.Choice(("printed album", "online gallery")),
        "agency": AGENCY,
        "date": cd.Day(),
        "begins": cd.Choice(("at the reception", "at dinner")),
        "arrives": cd.Clock(
            "begins", {"at the reception": (1020, 1080), "at dinner": (1085, 1200)}
        ),
        "minutes": cd.Choice((120, 180, 240)),
        "leaves": cd.Later("arrives", by="minutes"),
        "price": cd.Price(STYLES, by="style", percent={"minutes": {120: 80, 180: 110, 240: 140}}),
    },
    provider=cd.Provider(
        "photographer", "PG", ("style", "agency", cd.LEVEL), names=cd.Names("{person}")
    ),
    kind="photos",
    words=("photographer", "photos", "shoot"),
)

SLOTS = (
    cd.Slot("hall", HALL, "hall", words=("hall", "venue")),
    cd.Slot("dinner", MENU, "dinner", words=("dinner", "caterer", "catering", "food", "meal")),
    cd.Slot("music", SET, "band", words=("band", "music", "musicians")),
    cd.Slot("photos", SHOOT, "photographer", words=("photographer", "photos", "photography")),
)

WANTS = (
    cd.Want(
        "guests",
        (20, 25, 30, 35, 40),
        on=("hall.seats",),
        compare="at_least",
        basic=True,
        wording=cd.Wording(
            ("There will be {value}.", "There will be {value} at the party."),
            ("{value}.", "Party of {value}."),
            ask=r"\bhow many (?:guests|people|of you|seats)\b|\b(?:number of|head ?count)\b",
            unit=("1 guest", "{n} guests"),
        ),
    ),
    cd.Want(
        "genre",
        GENRES,
        on=("music.genre",),
        basic=True,
        role=True,
        wording=cd.Wording(
            ("The band should play {value}.", "We would like a {value} band."),
            "{value} band.",
            ask=r"\bgenres?\b|\b(?:kind|type|style|sort) of (?:music|band)\b",
        ),
    ),
    cd.Want(
        "cuisine",
        tuple(CUISINES),
        on=("dinner.cuisine",),
        basic=True,
        wording=cd.Wording(
            ("Dinner should be {value}.", "We want {value} food."),
            "{value} food.",
            ask=r"\bcuisines?\b|\b(?:kind|type|style|sort) of (?:food|dinner|menu)\b",
        ),
    ),
    cd.Want(
        "district",
        DISTRICTS,
        on=("hall.district",),
        odds=0.4,
        wording=cd.Wording(
            ("The hall should be in {value}.", "We would like to celebrate in {value}."),
            "Hall in {value}.",
            "The hall may be in any district.",
            ask=r"\bdistricts?\b|\b(?:part|area) of (?:the )?(?:town|city)\b|\bneighbou?rhoods?\b",
        ),
    ),
    cd.Want(
        "outside",
        OUTSIDE,
        on=("hall.outside",),
        odds=0.5,
        wording=cd.Wording(
            ("The hall should have a {value}.", "We want a hall with a {value}."),
            "Hall with a {value}.",
            "It does not matter what the hall has outside.",
            ask=r"\boutside\b|\boutdoors?\b|\bgardens?\b|\bterraces?\b|\bcourtyards?\b",
        ),
    ),
    cd.Want(
        "access",
        ("step-free",),
        on=("hall.access",),
        odds=0.5,
        wording=cd.Wording(
            ("The hall must be {value}.", "My grandmother uses a wheelchair: a {value} hall."),
            "Hall: {value}.",
            "Stairs are no problem.",
            ask=r"\bstep-?free\b|\bstairs\b|\baccess\w*\b|\bwheelchairs?\b|\bbarriers?\b|\bmobility\b",
        ),
    ),
    cd.Want(
        "diet",
        ("vegetarian", "vegan"),
        on=("dinner.diet",),
        odds=0.5,
        wording=cd.Wording(
            ("The menu must be {value}.", "We need a {value} menu."),
            "{value} menu.",
            "Any menu will do.",
            ask=r"\bdiets?\b|\bdietary\b|\bvegetarian\b|\bvegan\b|\bmeat\b",
        ),
    ),
    cd.Want(
        "service",
        ("buffet", "plated", "family-style"),
        on=("dinner.service",),
        odds=0.5,
        wording=cd.Wording(
            ("The dinner should be served {phrase}.", "We want the dinner {phrase}."),
            "Dinner {phrase}.",
            "Dinner may be served in any way.",
            phrases={
                "buffet": "as a buffet",
                "plated": "plated",
                "family-style": "family-style",
            },
            ask=r"\bserv(?:ed|ice|ing)\b|\bbuffets?\b|\bplated\b|\bfamily[- ]style\b",
        ),
    ),
    cd.Want(
        "minutes",
        (90, 120),
        on=("music.minutes",),
        compare="at_least",
        odds=0.5,
        wording=cd.Wording(
            ("The band should play for at least {value}.", "We want at least {value} of music."),
            "At least {value} of music.",
            "The band may play as short or as long as it likes.",
            ask=r"\bhow long\b.{0,40}\b(?:band|music|play|set)\b"
            r"|\b(?:length|duration)\b|\bminutes\b",
            unit=("1 minute", "{n} minutes"),
        ),
    ),
    cd.Want(
        "style",
        tuple(STYLES),
        on=("photos.style",),
        odds=0.7,
        wording=cd.Wording(
            ("The photos should be {value}.", "We like {value} photos."),
            "{value} photos.",
            "Any style of photos will do.",
            ask=r"\bstyles?\b(?! of (?:music|band|food|dinner|menu|serv))"
            r"|\bkinds? of (?:photo|picture)\w*\b",
        ),
    ),
    cd.Want(
        "prints",
        ("printed album", "online gallery"),
        on=("photos.prints",),
        odds=0.4,
        wording=cd.Wording(
            ("We want the photos in {phrase}.", "The photos should come in {phrase}."),
            "Photos: {value}.",
            "We take the photos in any form.",
            phrases={"printed album": "a printed album", "online gallery": "an online gallery"},
            ask=r"\balbums?\b|\bgaller(?:y|ies)\b|\bprints?\b|\bprinted\b",
        ),
    ),
)

EITHER = cd.Wording(
    (
        "The hall should have a {value}, or else be in the district of the caterer.",
        "I want a hall with a {value} or, failing that, one in the caterer's district.",
    ),
    "Hall with a {value}, or else in the caterer's district.",
    ask=r"\b(?:garden|terrace|courtyard|outside)\b.{0,40}\bor\b.{0,40}\bdistrict\b",
    parts={
        one: (rf"\b{one}\b", r"\bor\b|\belse\b|\botherwise\b|\bfailing that\b", r"\bdistricts?\b")
        for one in OUTSIDE
    },
    about=r"\b(?:garden|terrace|courtyard)\b|\bdistrict\b",
    clarify=(r"\b(?:prefer\w*|first|fallback|equally|both|either)\b.*\b(?:district|garden)\b",),
)
SHARE = cd.Wording(
    (
        "Dinner should not take more than {value} of the budget.",
        "We want to spend at most {value} of the budget on dinner.",
    ),
    "Dinner at most {value} of the budget.",
    ask=r"\b(?:share|part|portion|percent\w*)\b.{0,40}\bbudget\b|\bbudget\b.{0,40}\b(?:split|share)\b",
    unit=("1 %", "{n} %"),
    parts=(r"(?<![\d.]){n} ?(?:%|per ?cent)", r"\b(?:dinner|cater\w*|food|menu|meal)\b"),
    about=r"\d ?%|\bper ?cent\b",
    clarify=(r"\b(?:share|portion|half|per ?cent\w*)\b|\d ?%",),
)
UNLESS = cd.Wording(
    (
        "The photos should be {value}, unless that breaks the budget.",
        "I want {value} photos, or any others only if none of these fits the budget.",
    ),
    "{value} photos, unless that breaks the budget.",
    ask=r"\bphoto\w*\b.{0,40}\bbudget\b",
    parts={
        one: (
            rf"\b{one}\b",
            r"\b(?:unless|except|if|when|where|as long as|provided|only|within|allows|permits)\b",
            r"\bbudget\b",
        )
        for one in STYLES
    },
    about=rf"\b(?:{'|'.join(STYLES)})\b",
    clarify=(r"\b(?:break\w*|over|beyond|exceed\w*) (?:the|your) budget\b",),
)

RULES = (
    cd.Rule("dinner_day", lambda dinner, hall: dinner.date == hall.date, "dinner is on that day"),
    cd.Rule("music_day", lambda music, hall: music.date == hall.date, "the band plays on that day"),
    cd.Rule(
        "photos_day", lambda photos, hall: photos.date == hall.date, "the photos are on that day"
    ),
    cd.Rule(
        "dinner_in_hall",
        lambda dinner, hall: dinner.served >= hall.opens + 30,
        "dinner is served half an hour after the hall opens, or later",
    ),
    cd.Rule(
        "music_after_dinner",
        lambda music, dinner: music.plays >= dinner.served + 90,
        "the band begins an hour and a half after dinner is served, or later",
    ),
    cd.Rule(
        "music_in_hall",
        lambda music, hall: music.ends <= hall.closes,
        "the band ends before the hall closes, or as it does",
    ),
    cd.Rule(
        "photos_of_dinner",
        lambda photos, dinner: (
            (photos.arrives <= dinner.served) & (photos.leaves >= dinner.served + 60)
        ),
        "the photographer is there when dinner is served, and an hour after",
    ),
    cd.Rule(
        "caterer_near",
        lambda dinner, hall: dinner.district == hall.district,
        "the caterer is of the district of the hall",
        odds=0.5,
        wording=cd.Wording(
            (
                "The caterer should be from the same district as the hall.",
                "Hall and caterer should be in the same district, so that dinner comes warm.",
            ),
            "Caterer from the hall's district.",
            "The caterer may come from any district.",
        ),
    ),
    cd.Rule(
        "same_agency",
        lambda music, photos: music.agency == photos.agency,
        "band and photographer are of one agency",
        odds=0.5,
        wording=cd.Wording(
            (
                "Band and photographer should be from the same agency.",
                "We want band and photographer through the same agency.",
            ),
            "Same agency for band and photographer.",
            "Band and photographer may be from different agencies.",
        ),
    ),
    cd.Rule(
        "hall_either",
        lambda hall, dinner, r: (
            (hall.outside == r.hall_either) | (hall.district == dinner.district)
        ),
        "the hall has a {r.hall_either}, or is in the district of the caterer",
        joint=True,
        values=OUTSIDE,
        instead=("outside", "caterer_near"),
        wording=EITHER,
    ),
    cd.Rule(
        "dinner_share",
        lambda dinner, r: dinner.price * r.guests * 100 <= r.dinner_share * r.budget_cents,
        "dinner costs at most {r.dinner_share} % of the budget",
        joint=True,
        values=(50, 55, 60, 65, 70),
        wording=SHARE,
    ),
    cd.Rule(
        "style_unless",
        lambda photos, r: photos.style == r.style_unless,
        "the photos are {r.style_unless}, unless that breaks the budget",
        joint=True,
        values=tuple(STYLES),
        instead=("style",),
        unless="total_budget",
        wording=UNLESS,
    ),
)

DECLARATION = cd.Declaration(
    name="celebration",
    job="celebration",
    whole=("party", "evening"),
    intro="You book family celebrations: a hall, a dinner, a band and a photographer.",
    slots=SLOTS,
    wants=WANTS,
    rules=RULES,
    window=cd.Window(
        "party_date", "hall.date", widths=(1, 3), axis=cd.Axis("dates", "", ("fixed", "flexible"))
    ),
    budget=cd.Budget(odds=0.7),
    opening=(
        "We are celebrating my parents' golden wedding {party_date} with {guests}. I need a hall, "
        "a caterer for a dinner that is {cuisine}, a {genre} band and a photographer.",
        "I am planning a family celebration {party_date}: {guests}, a hall, {cuisine} food, a "
        "{genre} band and a photographer.",
    ),
    opening_short=(
        "Family celebration {party_date}, {guests}: hall, {cuisine} dinner, {genre} band, "
        "photographer."
    ),
    amenities=("parking", "decorations?", "flowers", "sound ?systems?", "cloakrooms?"),
)

CELEBRATION = cd.register(cd.build(DECLARATION))
"""Found by its name where this was imported, as if it were installed."""
