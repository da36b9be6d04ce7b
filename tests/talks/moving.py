"""A second domain by somebody who knew no more of this project than `docs/domains.md`.

Moving house: a removal crew, a storage unit, the cleaning of the old flat, and a renovation in the
new one before that.
"""

import crab_graph.domain as cd

DISTRICTS = ("Harbour", "Northside", "Old Mill", "Riverbank", "Westfield")
DISTRICT = cd.Choice(DISTRICTS)
FIRM = cd.Choice(("Blue Van", "City Haul", "Nordby", "Two Brothers", "Swiftway"))
DAY = {"morning": (420, 720), "afternoon": (720, 1020)}
PART = cd.Choice(tuple(DAY), hours=DAY)
STARTS = {"morning": (420, 540), "afternoon": (720, 840)}

VOLUMES = {15: 400, 25: 430, 35: 460, 50: 500}
MOVE = cd.Offer(
    "crew",
    "CW",
    {
        "firm": FIRM,
        "district": DISTRICT,
        "volume": cd.Choice(tuple(VOLUMES)),
        "people": cd.Choice((2, 3, 4)),
        "gear": cd.Choice(("furniture lift", "stair climber", "hand truck")),
        "packing": cd.Choice(("full packing", "fragile-only packing", "self-packing")),
        "insurance": cd.Choice(("basic", "extended", "full-value")),
        "date": cd.Day(),
        "part": PART,
        "starts": cd.Clock("part", STARTS),
        "minutes": cd.Choice((180, 240, 300)),
        "ends": cd.Later("starts", by="minutes"),
        "price": cd.Price(
            VOLUMES,
            by="volume",
            percent={
                "packing": {"full packing": 112, "fragile-only packing": 106},
                "insurance": {"extended": 103, "full-value": 106},
            },
        ),
    },
    provider=cd.Provider(
        "mover",
        "MV",
        ("firm", "district", "volume"),
        names=cd.Names("{family} and {family}"),
        about=3,
    ),
    kind="move",
)

CLIMATES = {"heated": 95, "ventilated": 75, "plain": 60}
UNIT = cd.Offer(
    "unit",
    "UN",
    {
        "district": DISTRICT,
        "kilometres": cd.Choice((2, 4, 6, 9, 12, 15)),
        "access": cd.Choice(("round-the-clock", "daytime", "weekday")),
        "size": cd.Choice((4, 6, 9, 12)),
        "climate": cd.Choice(tuple(CLIMATES)),
        "date": cd.Day(),
        "months": cd.Capacity((2, 3, 6, 12)),
        "price": cd.Price(CLIMATES, by="climate", percent={"size": {4: 80, 9: 125, 12: 150}}),
    },
    provider=cd.Provider(
        "site",
        "ST",
        ("district", "kilometres", "access"),
        names=cd.Names("{family} Storage"),
        about=3,
    ),
    holds=cd.Count("months"),
    unit="month",
    units="months",
    kind="storage",
)

SCOPES = {"handover": 230, "kitchen and bathroom": 170, "floors and windows": 190}
CLEANING = cd.Offer(
    "cleaning",
    "CL",
    {
        "firm": FIRM,
        "scope": cd.Choice(tuple(SCOPES)),
        "products": cd.Choice(("eco", "hypoallergenic", "standard")),
        "date": cd.Day(),
        "part": cd.Choice(
            ("morning", "afternoon", "evening"), hours=DAY | {"evening": (1020, 1260)}
        ),
        "starts": cd.Clock(
            "part", {"morning": (450, 660), "afternoon": (720, 960), "evening": (1020, 1140)}
        ),
        "price": cd.Price(SCOPES, by="scope"),
    },
)

TRADES = {"painter": 380, "handyman": 240, "plumber": 300, "floor layer": 420}
WORKS = cd.Offer(
    "job",
    "JB",
    {
        "trade": cd.Choice(tuple(TRADES)),
        "district": DISTRICT,
        "team": cd.Choice((1, 2, 3)),
        "materials": cd.Choice(("included", "extra")),
        "date": cd.Day(),
        "part": PART,
        "starts": cd.Clock("part", {"morning": (420, 600), "afternoon": (720, 840)}),
        "price": cd.Price(TRADES, by="trade", percent={"materials": {"included": 120}}),
    },
    provider=cd.Provider(
        "contractor", "CO", ("trade", "district"), names=cd.Names("{person}"), about=3
    ),
    kind="renovation",
)

SLOTS = (
    cd.Slot(
        "move", MOVE, "removal crew", words=("removal", "removal crew", "crew", "van", "movers")
    ),
    cd.Slot("storage", UNIT, "storage unit", words=("storage", "storage unit", "unit")),
    cd.Slot("cleaning", CLEANING, "cleaning", words=("cleaning", "cleaners", "cleaner")),
    cd.Slot("renovation", WORKS, "renovation", words=("renovation", "contractor", "tradesman")),
)

WANTS = (
    cd.Want(
        "trade",
        tuple(TRADES),
        on=("renovation.trade",),
        basic=True,
        role=True,
        wording=cd.Wording(
            ("I need a {value} for the new flat.", "A {value} should work in the new flat."),
            "{value} in the new flat.",
            ask=r"\btrades?\b|\b(?:what|which|kind of) (?:works?|contractors?|tradesm[ae]n)\b",
        ),
    ),
    cd.Want(
        "months",
        (2, 3, 4, 6),
        basic=True,
        wording=cd.Wording(
            (
                "I need storage for {value}.",
                "My things have to be stored for {value}.",
                "The storage unit is for {value}.",
            ),
            "Storage for {value}.",
            ask=r"\bhow (?:long|many months)\b|\bmonths\b",
            unit=("1 month", "{n} months"),
        ),
    ),
    cd.Want(
        "volume",
        (25, 35),
        on=("move.volume",),
        compare="at_least",
        odds=0.7,
        wording=cd.Wording(
            (
                "The van should hold at least {value}.",
                "I need a van of at least {value}.",
                "My furniture takes a van of {value} or more.",
            ),
            "Van: at least {value}.",
            "Any size of van will do.",
            ask=(
                r"\bvolumes?\b|\bcubic\b|\b(?:size|big|large)\b[^.?!]*\bvan\b"
                r"|\bvan\b[^.?!]*\b(?:size|big|large)\b"
            ),
            unit=("1 cubic metre", "{n} cubic metres"),
        ),
    ),
    cd.Want(
        "people",
        (2, 3, 4),
        on=("move.people",),
        odds=0.4,
        wording=cd.Wording(
            ("The crew should be {value}.", "I want a crew of {value}."),
            "Crew of {value}.",
            "Any number of movers will do.",
            ask=r"\bhow many (?:movers|helpers|men|people)\b|\bnumber of movers\b|\bcrew size\b",
            unit=("1 mover", "{n} movers"),
        ),
    ),
    cd.Want(
        "gear",
        ("furniture lift", "stair climber"),
        on=("move.gear",),
        odds=0.5,
        wording=cd.Wording(
            (
                "There is no elevator in the old house, so the crew should bring a {value}.",
                (
                    "My flat is on the fourth floor without an elevator, so I need a crew with "
                    "a {value}."
                ),
                "The movers need a {value}, as there are only stairs.",
            ),
            "Crew with a {value}.",
            "The crew may bring whatever gear it likes.",
            ask=r"\bgear\b|\bfloors?\b|\belevators?\b|\bstairs\b|\blifts?\b|\bequipment\b",
        ),
    ),
    cd.Want(
        "packing",
        ("full packing", "fragile-only packing"),
        on=("move.packing",),
        odds=0.6,
        wording=cd.Wording(
            (
                "The move should come with {value}.",
                "I want {value} from the crew.",
                "The price of the move should include {value}.",
            ),
            "Move with {value}.",
            "Any packing will do.",
            ask=r"\bpacking\b|\bpacked\b|\bpack\b|\bboxes\b",
        ),
    ),
    cd.Want(
        "insurance",
        ("extended", "full-value"),
        on=("move.insurance",),
        odds=0.5,
        wording=cd.Wording(
            (
                "My things should be covered by {value} insurance.",
                "The move needs {value} insurance.",
            ),
            "{value} insurance.",
            "Any insurance will do.",
            ask=r"\binsurances?\b|\binsured\b|\bcover(?:age|ed)?\b",
        ),
    ),
    cd.Want(
        "move_part",
        ("morning", "afternoon"),
        on=("move.part",),
        odds=0.5,
        wording=cd.Wording(
            (
                "The crew should come in the {value}.",
                "I want to move in the {value}.",
            ),
            "Move in the {value}.",
            "The crew may come at any time of day.",
        ),
    ),
    cd.Want(
        "climate",
        ("heated", "ventilated"),
        on=("storage.climate",),
        odds=0.6,
        wording=cd.Wording(
            ("The storage unit should be {value}.", "I want a {value} storage unit."),
            "{value} unit.",
            "Heated or not, any storage unit will do.",
            ask=r"\bclimates?\b|\bheated\b|\bheating\b|\bventilated\b",
        ),
    ),
    cd.Want(
        "size",
        (6, 9),
        on=("storage.size",),
        compare="at_least",
        odds=0.6,
        wording=cd.Wording(
            (
                "The storage unit should have at least {value}.",
                "I need {value} or more of storage space.",
            ),
            "Unit: at least {value}.",
            "Any size of storage unit will do.",
            ask=(
                r"\bsquare met(?:er|re)s\b|\b(?:size|big|large)\b[^.?!]*\b(?:storage|unit)\b"
                r"|\b(?:storage|unit)\b[^.?!]*\b(?:size|big|large)\b"
            ),
            unit=("1 square metre", "{n} square metres"),
        ),
    ),
    cd.Want(
        "kilometres",
        (4, 6, 9),
        on=("storage.kilometres",),
        compare="at_most",
        odds=0.5,
        wording=cd.Wording(
            (
                "The storage should be at most {value} away from the new flat.",
                "I do not want the storage unit farther away than {value}.",
                "The storage unit should be within {value} of the new flat.",
            ),
            "Storage within {value}.",
            "The storage unit may be at any distance.",
            ask=r"\bdistances?\b|\bhow (?:far|near|close)\b|\bkilomet(?:er|re)s\b",
            unit=("1 kilometre", "{n} kilometres"),
        ),
    ),
    cd.Want(
        "scope",
        tuple(SCOPES),
        on=("cleaning.scope",),
        wording=cd.Wording(
            (
                "The old flat needs a {value} cleaning.",
                "I want a {value} cleaning of the old flat.",
            ),
            "{value} cleaning.",
            ask=r"\bscopes?\b|\b(?:what|which|kind|sort|type)\b[^.?!]*\bcleaning\b",
        ),
    ),
    cd.Want(
        "products",
        ("eco", "hypoallergenic"),
        on=("cleaning.products",),
        odds=0.4,
        wording=cd.Wording(
            ("The cleaners should use {value} products.", "I want {value} cleaning products."),
            "{value} products.",
            "Any cleaning products will do.",
            ask=r"\bproducts?\b|\bdetergents?\b",
        ),
    ),
    cd.Want(
        "renovation_part",
        ("morning", "afternoon"),
        on=("renovation.part",),
        odds=0.4,
        wording=cd.Wording(
            (
                "The contractor should come in the {value}.",
                "I want the renovation of the new flat in the {value}.",
            ),
            "Renovation in the {value}.",
            "The contractor may come at any time of day.",
        ),
    ),
    cd.Want(
        "materials",
        ("included",),
        on=("renovation.materials",),
        odds=0.4,
        wording=cd.Wording(
            (
                "Materials should be {value} in the price of the renovation.",
                "I want the renovation with materials {value}.",
            ),
            "Materials {value}.",
            "Who buys the materials does not matter.",
            ask=r"\bmaterials?\b",
        ),
    ),
)

RULES = (
    cd.Rule(
        "storage_that_day",
        lambda storage, move: storage.date == move.date,
        "the storage unit is free from the day of the move",
    ),
    cd.Rule(
        "cleaning_after",
        lambda cleaning, move: (
            ((cleaning.date == move.date) & (cleaning.starts >= move.ends + 30))
            | (cleaning.date == move.date + 1)
        ),
        "the cleaning is on the day after that of the move, at any hour, or on the same day "
        "and begins at least 30 minutes after the crew is done",
    ),
    cd.Rule(
        "renovation_before",
        lambda renovation, move: (renovation.date < move.date) & (renovation.date >= move.date - 2),
        (
            "the renovation in the new flat is on one of the two days before the day of the "
            "move, at any hour"
        ),
    ),
    cd.Rule(
        "same_firm",
        lambda cleaning, move: cleaning.firm == move.firm,
        "the cleaning is by the company of the move",
        odds=0.5,
        wording=cd.Wording(
            (
                "The movers and the cleaners should be from the same company.",
                "I want one company for the move and the cleaning.",
                "The cleaning should be done by the same company as the move.",
            ),
            "Same company for move and cleaning.",
            ask=r"\b(?:same|one|single) (?:company|firm)\b|\bcompan(?:y|ies)\b|\bfirms?\b",
        ),
    ),
    cd.Rule(
        "same_district",
        lambda storage, renovation: storage.district == renovation.district,
        "the storage unit is in the district of the contractor",
        odds=0.6,
        wording=cd.Wording(
            (
                "The storage unit and the contractor should be in the same district.",
                "I want storage in the district of the contractor.",
            ),
            "Storage in the contractor's district.",
            ask=(
                r"\b(?:contractor|renovation)\b[^.?!]*\bdistricts?\b"
                r"|\bdistricts?\b[^.?!]*\b(?:contractor|renovation)\b"
            ),
        ),
    ),
    cd.Rule(
        "depot_near",
        lambda move, storage: move.district == storage.district,
        "the crew is based in the district of the storage unit",
        odds=0.4,
        wording=cd.Wording(
            (
                "The crew's depot should be in the district of the storage unit.",
                "I want movers whose depot is in the district where my things are stored.",
            ),
            "Crew's depot in the storage unit's district.",
            ask=(
                r"\bdepots?\b|\bdistricts?\b[^.?!]*\b(?:crew|movers)\b|\b(?:crew"
                r"|movers)\b[^.?!]*\bdistricts?\b"
            ),
        ),
    ),
    cd.Rule(
        "dry_first",
        lambda renovation, move: renovation.date == move.date - 2,
        "the renovation is two days before the day of the move, at any hour",
        odds=0.4,
        wording=cd.Wording(
            (
                "The renovation should be done two days before the move.",
                "There should be a full day between the renovation and the move.",
            ),
            "Renovation two days before the move.",
            ask=r"\bdays? before\b|\bdays? between\b|\bbefore the (?:day of the )?move\b",
        ),
    ),
    cd.Rule(
        "safe_either",
        lambda move, r: (move.insurance == "full-value") | (move.packing == r.safe_either),
        "the move has full-value insurance, or else {r.safe_either}",
        joint=True,
        values=("full packing", "fragile-only packing"),
        instead=("insurance", "packing"),
        wording=cd.Wording(
            (
                "The move should have full-value insurance, or else {value}.",
                "I want either full-value insurance for the move or {value}.",
            ),
            "Full-value insurance or else {value}.",
            ask=r"\binsurances?\b|\bpacking\b",
            parts={
                one: (r"\bfull-value\b", r"\bor\b|\belse\b|\botherwise\b", rf"\b{one}\b")
                for one in ("full packing", "fragile-only packing")
            },
            about=r"\bfull-value\b|\b(?:full|fragile-only) packing\b",
        ),
    ),
    cd.Rule(
        "same_day_firm",
        lambda cleaning, move: (cleaning.date != move.date) | (cleaning.firm == move.firm),
        "if the cleaning is on the day of the move, it is by the company of the move",
        joint=True,
        instead=("same_firm",),
        wording=cd.Wording(
            (
                (
                    "If the cleaning is on the day of the move, it should be done by the same "
                    "company as the move."
                ),
                "The cleaning may be on the day of the move only if the same company does both.",
            ),
            "Cleaning on the day of the move only by the same company.",
            ask=r"\bsame (?:company|firm)\b|\bcompan(?:y|ies)\b|\bfirms?\b",
            parts=(
                r"\bif\b|\bonly\b|\bunless\b|\bwhen\b",
                r"\bday of the move\b|\bsame day\b|\bmoving day\b",
                r"\bcompany\b|\bfirm\b",
            ),
            about=r"\bday of the move\b|\bsame company\b",
        ),
    ),
    cd.Rule(
        "heated_unless",
        lambda storage: storage.climate == "heated",
        "the storage unit is heated, unless that breaks the budget",
        joint=True,
        instead=("climate",),
        unless="total_budget",
        wording=cd.Wording(
            (
                "The storage unit should be heated, unless that breaks my budget.",
                "I want a heated storage unit, but not if it breaks the budget.",
            ),
            "Heated storage unit unless that breaks the budget.",
            ask=r"\bheated\b|\bheating\b|\bclimates?\b",
            parts=(r"\bheated\b", r"\bunless\b|\bbut not if\b|\bif\b", r"\bbudget\b"),
            about=r"\bheated\b",
        ),
    ),
    cd.Rule(
        "cheaper_district",
        lambda storage, r: (
            (storage.district == "Old Mill") | (storage.district == r.cheaper_district)
        ),
        (
            "the storage unit is in Old Mill or {r.cheaper_district}, whichever makes the "
            "whole move cheaper"
        ),
        joint=True,
        values=("Harbour", "Riverbank"),
        whichever="storage.district",
        instead=("same_district", "depot_near"),
        wording=cd.Wording(
            (
                (
                    "The storage unit should be in Old Mill or {value}, whichever makes the "
                    "whole move cheaper."
                ),
                (
                    "I want to store my things in Old Mill or {value}, depending on where the "
                    "whole move costs less."
                ),
            ),
            "Storage in Old Mill or {value}, whichever is cheaper in all.",
            ask=r"\bdistricts?\b|\b(?:where|which part)\b[^.?!]*\b(?:storage|unit)\b",
            parts={
                one: (
                    r"\bold mill\b",
                    rf"\b{one.lower()}\b",
                    r"\bcheap(?:er|est)?\b|\bcosts? less\b|\bless\b",
                )
                for one in ("Harbour", "Riverbank")
            },
            about=r"\bold mill\b|\bharbour\b|\briverbank\b",
            outcome=(
                (
                    r"\b(?:old mill|harbour|riverbank) (?:is|comes out"
                    r"|turns out)(?: the)? (?:cheaper|cheapest)\b"
                ),
            ),
        ),
    ),
)

DAYS = cd.Axis("days", values=("one", "any of three"))
DECLARATION = cd.Declaration(
    name="moving",
    job="move",
    intro=(
        "You arrange moves from one flat to another: a removal crew with a van, a storage unit, "
        "the cleaning of the old flat and a renovation in the new one."
    ),
    slots=SLOTS,
    wants=WANTS,
    rules=RULES,
    window=cd.Window("day", on="move.date", widths=(1, 3), axis=DAYS),
    budget=cd.Budget(odds=0.6),
    opening=(
        "I am moving {day} and need a crew with a van, storage for {months}, a cleaning of the "
        "old flat, and a {trade} in the new one before that."
    ),
    opening_short="Moving {day}: crew, storage for {months}, cleaning, {trade} for the new flat.",
)

MOVING = cd.register(cd.build(DECLARATION))
"""Found by its name where this was imported, as if it were installed."""
