"""A festival that is booked in every way there is, its rows, and an episode to call tools in."""

from typing import Any

import crab_graph.domain as cd
from crab_graph.domain.layout import kinds_of, tables_of
from crab_graph.domain.toolkit import registry_of, with_tools
from crab_graph.settings import Toolset
from crab_graph.tools.ledger import Ledger
from crab_graph.tools.registry import Owner, ToolOutcome
from crab_graph.tools.tables import Row, World

TOWN = cd.Choice(
    ("Aldmoor", "Brackwater", "Castle Hill", "Castle Vale"),
    sample=3,
    codes={"Aldmoor": "ALD", "Castle Hill": "Castle", "Castle Vale": "Castle"},
)
GENRE = cd.Choice(("folk", "jazz", "opera"))
PART = cd.Choice(("early", "late"))
CLOCK = cd.Clock("part", {"early": 600, "late": 1200}, shown="starts")

BLOCK = cd.Offer(
    "block",
    "BL",
    {
        "town": TOWN,
        "genre": GENRE,
        "date": cd.Day(),
        "part": PART,
        "start": CLOCK,
        "zone": cd.Choice(("stalls", "circle")),
        "price": cd.Price({"stalls": 40, "circle": 25}, "zone", shown="price"),
        "left": cd.Stock((1, 2, 4), column="available"),
    },
    provider=cd.Provider(
        "concert", "CO", ("town", "genre", "date", "part"), names=cd.Names("{family} Live")
    ),
    kind="concert",
    holds=cd.Each("seats", "visitor", "born"),
    unit="seat",
    units="party",
    tools=cd.Tools(
        price="price_seats", details="show_concert_booking", needs=("town", "date"), filters=()
    ),
)
WORKSHOP = cd.Offer(
    "workshop",
    "WS",
    {
        "town": TOWN,
        "craft": cd.Choice(("dance", "masks")),
        "tongues": cd.Several(("English", "Welsh"), most=2),
        "date": cd.Day(),
        "level": cd.Choice((1, 2, 3)),
        "capacity": cd.Capacity((2, 4)),
        "price": cd.Price({"dance": 10, "masks": 20}, "craft"),
        "available": cd.Stock((3, 5)),
    },
    holds=cd.Count("places"),
    unit="place",
    units="party",
    tools=cd.Tools(price="price_workshop", filters=("craft", "tongues", "level", "date", "price")),
)
LESSON = cd.Offer(
    "lesson",
    "LE",
    {
        "instrument": cd.Choice(("harp", "pipes")),
        "date": cd.Day(),
        "part": PART,
        "start": CLOCK,
        "price": cd.Price({"early": 15, "late": 20}, "part"),
    },
    provider=cd.Provider("teacher", "TE", ("instrument",), names=cd.Names("{person}")),
    tools=cd.Tools(details="show_lesson_booking"),
)
CABIN = cd.Offer(
    "cabin",
    "CA",
    {
        "town": TOWN,
        "view": cd.Choice(("lake", "wood")),
        "beds": cd.Capacity((2, 4)),
        "opens": cd.Day(),
        "closes": cd.Later("opens", cd.Span(3, 9)),
        "price": cd.Price({"lake": 90, "wood": 60}, "view"),
    },
    provider=cd.Provider("camp", "CP", ("town",), names=cd.Names("Camp {family}")),
    kind="camp",
    holds=cd.Stay("concert.date", "lesson.date", "opens", "closes", "arrive", "leave", "people"),
    unit="night",
    tools=cd.Tools(price="price_cabins", details="show_camp_booking", needs=("town",), filters=()),
)
BIKE = cd.Offer(
    "bike",
    "BI",
    {
        "gears": cd.Choice((3, 7)),
        "opens": cd.Day(),
        "closes": cd.Later("opens", cd.Span(3, 9)),
        "price": cd.Price({3: 8, 7: 12}, "gears"),
    },
    holds=cd.Stay("concert.date", "lesson.date", "opens", "closes", people=None),
    unit="day",
    tools=cd.Tools(price="price_bike", details="show_bike_booking"),
)
TALK = cd.Offer(
    "talk",
    "TA",
    {"topic": cd.Choice(("harps", "hills")), "date": cd.Day()},
    tools=cd.Tools(details="show_talk_booking"),
)
OFFERS = (BLOCK, WORKSHOP, LESSON, CABIN, BIKE, TALK)


def declared(*offers: cd.Offer, **given: Any) -> cd.Declaration:
    """Return a domain of some offers, a slot each."""
    return cd.Declaration(
        name="festival",
        job="festival visit",
        slots=[cd.Slot(one.booked_as, one, one.booked_as) for one in offers],
        wants=[cd.Want("party", (1, 2))],
        opening="I want to go to the festival.",
        **{"people": cd.People("party", "visitor"), **given},
    )


FESTIVAL = declared(*OFFERS)
FREE = declared(TALK, people=None)

CUSTOMER = "CU-10001"
ANA = {"visitor": "Ana Ruiz", "born": "1990-04-02"}
LEO = {"visitor": "Leo Ruiz", "born": "1988-11-23"}


def _rows(columns: str, *rows: tuple[Any, ...]) -> list[Row]:
    names = columns.split()
    return [dict(zip(names, row, strict=True)) for row in rows]


def build_rows() -> dict[str, list[Row]]:
    """Return the rows of a world with something of everything."""
    first, second, last = "2027-07-01", "2027-07-02", "2027-07-09"
    return {
        "customers": _rows(
            "customer_id name email phone address date_of_birth",
            (CUSTOMER, "Ana Ruiz", "ana@example.com", "555-0101", "1 Oak St", "1990-04-02"),
        ),
        "concerts": _rows(
            "concert_id name town genre date part start",
            ("CO-10002", "Ash Live", "Aldmoor", "folk", first, "early", 600),
            ("CO-10001", "Elm Live", "Aldmoor", "jazz", first, "late", 1200),
            ("CO-10003", "Yew Live", "Brackwater", "jazz", first, "late", 1200),
        ),
        "blocks": _rows(
            "block_id concert_id zone price_cents available",
            ("BL-10001", "CO-10001", "stalls", 4_000, 2),
            ("BL-10002", "CO-10001", "circle", 2_500, 0),
            ("BL-10003", "CO-10002", "circle", 2_600, 4),
            ("BL-10004", "CO-10001", "circle", 2_400, 1),
        ),
        "workshops": _rows(
            "workshop_id town craft tongues date level capacity price_cents available",
            ("WS-10001", "Aldmoor", "masks", "English, Welsh", second, 2, 2, 2_000, 5),
            ("WS-10002", "Aldmoor", "dance", "English", first, 1, 4, 1_000, 3),
            ("WS-10003", "Castle Hill", "dance", "Welsh", first, 3, 4, 1_100, 0),
        ),
        "teachers": _rows(
            "teacher_id name instrument",
            ("TE-10001", "Ivo Holm", "harp"),
            ("TE-10002", "Uma Drake", "pipes"),
        ),
        "lessons": _rows(
            "lesson_id teacher_id date part start price_cents",
            ("LE-10001", "TE-10001", second, "late", 1200, 2_000),
            ("LE-10002", "TE-10001", second, "early", 600, 1_500),
            ("LE-10003", "TE-10002", first, "early", 600, 1_500),
        ),
        "camps": _rows(
            "camp_id name town",
            ("CP-10001", "Camp Foss", "Aldmoor"),
            ("CP-10002", "Camp Dunn", "Aldmoor"),
        ),
        "cabins": _rows(
            "cabin_id camp_id view beds opens closes price_cents",
            ("CA-10001", "CP-10001", "lake", 4, first, last, 9_000),
            ("CA-10002", "CP-10001", "wood", 2, first, "2027-07-04", 6_000),
            ("CA-10003", "CP-10002", "wood", 2, second, last, 6_100),
        ),
        "bikes": _rows(
            "bike_id gears opens closes price_cents",
            ("BI-10001", 7, first, last, 1_200),
            ("BI-10002", 3, second, "2027-07-04", 800),
        ),
        "talks": _rows(
            "talk_id topic date", ("TA-10001", "harps", second), ("TA-10002", "hills", first)
        ),
        "cards": _rows(
            "card_id brand last4 limit_cents is_default", ("CD-1001", "Visa", "4242", 90_000, True)
        ),
    }


def build_world(declaration: cd.Declaration = FESTIVAL) -> World:
    """Return the world of a task of the domain."""
    schema = tables_of(declaration)
    names = {table.name for table in schema}
    rows = {name: listed for name, listed in build_rows().items() if name in names}
    return World(
        task_id="S1-001", today="2027-06-01", customer_id=CUSTOMER, schema=schema, rows=rows
    )


class Visit:
    """Calls tools on the world, keeping the events of those that succeed."""

    def __init__(
        self, declaration: cd.Declaration = FESTIVAL, toolset: Toolset = Toolset.EXTENDED
    ) -> None:
        kinds = kinds_of(declaration)
        self.kinds = with_tools(declaration, kinds)
        self.registry = registry_of(declaration, kinds, toolset)
        self.ledger = Ledger.fold(build_world(declaration))

    def call(self, owner: Owner, name: str, arguments: Any) -> ToolOutcome:
        outcome = self.registry.call(self.ledger, owner, name, arguments)
        self.ledger = self.ledger.extended(outcome.events)
        return outcome

    def agent(self, name: str, /, **arguments: Any) -> dict[str, Any]:
        outcome = self.call(Owner.AGENT, name, arguments)
        if outcome.result is None:
            raise LookupError(outcome.content)
        return outcome.result

    def book(self, name: str, /, **arguments: Any) -> dict[str, Any]:
        return self.agent(name, customer_id=CUSTOMER, **arguments)

    def error(self, name: str, /, **arguments: Any) -> tuple[str, str]:
        outcome = self.call(Owner.AGENT, name, arguments)
        if outcome.error is None or outcome.events:
            raise LookupError(outcome.content)
        return outcome.error["error"], outcome.error["message"]
