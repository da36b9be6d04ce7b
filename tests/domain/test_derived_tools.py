"""Tools derived from a declaration: what they find, hold and refuse, in every way of holding."""

from datetime import date
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crab_graph.dates import day_number
from crab_graph.domain.kind import BookingTerms
from crab_graph.settings import Toolset
from crab_graph.tools.ledger import BookingTables, Ledger
from crab_graph.tools.registry import Owner
from tests.domain.festival import (
    ANA,
    CUSTOMER,
    FREE,
    LEO,
    Visit,
    build_rows,
    build_world,
)
from tests.tools.builders import listed

DAYS = {"arrive": "2027-07-01", "leave": "2027-07-04"}
RIDE = {"check_in": "2027-07-01", "check_out": "2027-07-04"}
CONCERT = "CO-10001"
WORLD_ROWS = build_rows()


def seats(*keys: str) -> list[dict[str, str]]:
    return [{"block_id": key, **one} for key, one in zip(keys, (ANA, LEO), strict=False)]


# Finding


def test_entities_are_listed_by_time_with_their_offers_and_without_what_was_asked_for() -> None:
    result = Visit().agent("search_concerts", town="aldmoor", date="2027-07-01")
    assert result == {
        "town": "Aldmoor",
        "date": "2027-07-01",
        "concerts": {
            "columns": ["concert_id", "name", "genre", "part", "starts", "blocks"],
            "block_columns": ["block_id", "zone", "price", "seats_left"],
            "rows": [
                [
                    "CO-10002",
                    "Ash Live",
                    "folk",
                    "early",
                    "10:00",
                    [["BL-10003", "circle", "26.00", 4]],
                ],
                [
                    CONCERT,
                    "Elm Live",
                    "jazz",
                    "late",
                    "20:00",
                    [["BL-10001", "stalls", "40.00", 2], ["BL-10004", "circle", "24.00", 1]],
                ],
            ],
        },
        "currency": "USD",
    }
    assert Visit().agent("search_concerts", town="ALD", date="2027-07-01") == result


def test_only_what_is_left_is_listed_with_its_price() -> None:
    visit = Visit()
    shown = visit.agent("search_blocks", concert_id=CONCERT)
    blocks = listed(shown, "blocks")
    assert [row["block_id"] for row in blocks] == ["BL-10001", "BL-10004"]
    row = {"block_id": "BL-10001", "zone": "stalls", "price": "40.00", "seats_left": 2}
    assert (blocks[0], shown["currency"]) == (row, "USD")
    visit.book("book_concert", concert_id=CONCERT, seats=seats("BL-10001", "BL-10001"))
    shown = visit.agent("search_blocks", concert_id=CONCERT)
    assert [row["block_id"] for row in listed(shown, "blocks")] == ["BL-10004"]


def test_what_offers_are_parts_of_is_found_by_what_these_are() -> None:
    found = listed(Visit().agent("search_teachers", part="early"), "teachers")
    lessons = {row["teacher_id"]: [one["lesson_id"] for one in row["lessons"]] for row in found}
    assert lessons == {"TE-10001": ["LE-10002"], "TE-10002": ["LE-10003"]}
    found = listed(Visit().agent("search_teachers", date="2027-07-02", part="late"), "teachers")
    assert [row["lessons"] for row in found] == [
        [{"lesson_id": "LE-10001", "price_per_booking": "20.00", "starts": "20:00"}]
    ]


@pytest.mark.parametrize(
    ("arguments", "found"),
    [
        ({}, ["WS-10002", "WS-10001"]),
        ({"tongues": "welsh"}, ["WS-10001"]),
        ({"tongues": "English"}, ["WS-10002", "WS-10001"]),
        ({"level": 1}, ["WS-10002"]),
        ({"date": "2027-07-02"}, ["WS-10001"]),
        ({"max_price": "$15"}, ["WS-10002"]),
        ({"craft": "Dance", "max_price": 5}, []),
    ],
)
def test_filters_narrow_a_search_down(arguments: dict[str, Any], found: list[str]) -> None:
    rows = listed(Visit().agent("search_workshops", **arguments), "workshops")
    assert [row["workshop_id"] for row in rows] == found


@pytest.mark.parametrize(
    ("arguments", "found"),
    [
        ({}, ["CP-10001", "CP-10002"]),
        (DAYS, ["CP-10001"]),
        ({"people": 4}, ["CP-10001"]),
        ({**DAYS, "leave": "2027-07-05", "people": 3}, ["CP-10001"]),
        ({**DAYS, "arrive": "2027-07-03", "people": 2}, ["CP-10001", "CP-10002"]),
    ],
)
def test_a_search_with_days_and_people_lists_who_has_something_free(
    arguments: dict[str, Any], found: list[str]
) -> None:
    rows = listed(Visit().agent("search_camps", town="Aldmoor", **arguments), "camps")
    assert [row["camp_id"] for row in rows] == found
    assert all(("cabins" in row) is ("arrive" in arguments) for row in rows)


def test_what_is_booked_for_some_days_is_free_on_others() -> None:
    visit = Visit()
    visit.book("book_camp", camp_id="CP-10001", cabin_ids=["CA-10001"], people=2, **DAYS)
    visit.book("book_bike", bike_id="BI-10001", **RIDE)
    for first, last, is_free in [("03", "05", False), ("04", "05", True), ("01", "02", False)]:
        days = [f"2027-07-{day}" for day in (first, last)]
        cabins = visit.agent(
            "search_cabins", camp_id="CP-10001", people=3, **dict(zip(DAYS, days, strict=True))
        )
        assert bool(cabins["cabins"]["rows"]) is is_free
        bikes = listed(visit.agent("search_bikes", **dict(zip(RIDE, days, strict=True))), "bikes")
        assert ("BI-10001" in [row["bike_id"] for row in bikes]) is is_free


# Booking


def test_each_way_of_holding_books_shows_and_cancels() -> None:
    visit = Visit()
    quote = visit.agent(
        "price_cabins", camp_id="CP-10001", cabin_ids=["CA-10001", "CA-10002"], **DAYS
    )
    assert (quote["nights"], quote["total"], quote["currency"]) == (3, "450.00", "USD")
    calls: dict[str, dict[str, Any]] = {
        "concert": {"concert_id": CONCERT, "seats": seats("BL-10001", "BL-10001")},
        "workshop": {"workshop_id": "WS-10002", "places": 3},
        "lesson": {"lesson_id": "LE-10001"},
        "camp": {"camp_id": "CP-10001", "cabin_ids": ["CA-10001"], "people": 3, **DAYS},
        "bike": {"bike_id": "BI-10001", **RIDE},
        "talk": {"talk_id": "TA-10001"},
    }
    totals = ["80.00", "30.00", "20.00", "270.00", "36.00", None]
    for (kind, arguments), total in zip(calls.items(), totals, strict=True):
        booked = visit.book(f"book_{kind}", **arguments)
        assert (booked.get("total"), booked.get("currency")) == (total, total and "USD")
        assert booked["status"] == ("pending" if total else "confirmed")
        if kind != "workshop":
            shown = visit.agent(f"show_{kind}_booking", booking_id=booked["booking_id"])
            assert (shown["status"], shown.get("total")) == (booked["status"], total)
        result = visit.agent(f"cancel_{kind}_booking", booking_id=booked["booking_id"])
        assert (result["status"], result.get("refunded")) == ("cancelled", total and "0.00")
    assert_all_is_left(visit.ledger)


def test_a_booking_shows_whom_it_is_for() -> None:
    visit = Visit()
    arguments = {"concert_id": CONCERT, "seats": seats("BL-10001", "BL-10001")}
    booking_id = visit.book("book_concert", **arguments)["booking_id"]
    shown = visit.agent("show_concert_booking", booking_id=booking_id)
    assert (shown["town"], shown["date"], shown["starts"]) == ("Aldmoor", "2027-07-01", "20:00")
    seat = {"block_id": "BL-10001", "zone": "stalls", "price": "40.00"}
    assert shown["seats"] == [{**seat, **ANA}, {**seat, **LEO}]


def test_changes_free_what_was_held_and_keep_the_id() -> None:
    visit = Visit()
    taken = {"concert_id": CONCERT, "seats": seats("BL-10001", "BL-10001")}
    booking_id = visit.book("book_concert", **taken)["booking_id"]
    changed = visit.agent("change_concert_booking", booking_id=booking_id, seats=seats("BL-10004"))
    assert (changed["booking_id"], changed["total"]) == (booking_id, "24.00")
    assert_all_is_accounted_for(visit.ledger)
    lesson = visit.book("book_lesson", lesson_id="LE-10001")["booking_id"]
    changed = visit.agent("change_lesson_booking", booking_id=lesson, lesson_id="LE-10002")
    assert (changed["lesson_id"], changed["total"]) == ("LE-10002", "15.00")
    error = visit.error("change_lesson_booking", booking_id=lesson, lesson_id="LE-10003")
    assert error[0] == "unknown_id"
    bike = visit.book("book_bike", bike_id="BI-10001", **RIDE)["booking_id"]
    longer = {**RIDE, "check_out": "2027-07-05"}
    assert visit.agent("change_bike_booking", booking_id=bike, **longer)["total"] == "48.00"


def test_what_is_free_is_confirmed_and_nobody_has_tools_to_pay() -> None:
    visit = Visit(FREE)
    booked = visit.book("book_talk", talk_id="TA-10001")
    assert booked == {
        "booking_id": booked["booking_id"],
        "status": "confirmed",
        "talk_id": "TA-10001",
    }
    agent, user = (visit.registry.names(owner) for owner in (Owner.AGENT, Owner.USER))
    assert not [name for name in agent if "charge" in name or "transaction" in name]
    assert user == ("get_my_festival_visit_confirmations",)
    listed = visit.call(Owner.USER, user[0], {}).result
    assert listed is not None and [row["status"] for row in listed["bookings"]] == ["confirmed"]


ERRORS: list[tuple[str, dict[str, Any], str, str]] = [
    ("search_concerts", {"town": "X", "date": "2027-07-01"}, "unknown_id", "Brackwater"),
    ("search_concerts", {"town": "castle", "date": "2027-07-01"}, "ambiguous", "Castle Vale"),
    ("search_workshops", {"craft": "zoo"}, "invalid_arguments", "'dance' or 'masks'"),
    ("search_workshops", {"level": 9}, "invalid_arguments", "'1', '2' or '3'"),
    ("search_workshops", {"level": True}, "invalid_arguments", "level"),
    ("search_blocks", {"concert_id": "CO-0"}, "unknown_id", "search_concerts"),
    ("search_camps", {"town": "Aldmoor", "arrive": "2027-07-01"}, "wrong_dates", "leave"),
    ("search_camps", {"town": "Aldmoor", "people": 0}, "wrong_party", "people"),
    ("price_seats", {"concert_id": CONCERT, "seats": []}, "wrong_party", "visitor"),
    ("price_seats", {"concert_id": "CO-0", "seats": seats("BL-10001")}, "unknown_id", "search_"),
    ("price_seats", {"concert_id": CONCERT, "seats": seats("BL-0")}, "unknown_id", "search_blocks"),
    ("price_seats", {"concert_id": CONCERT, "seats": seats("BL-10003")}, "unknown_id", "has no"),
    (
        "price_seats",
        {"concert_id": CONCERT, "seats": seats("BL-10001", "BL-10004")},
        "mixed_offers",
        "one block for all",
    ),
    ("price_seats", {"concert_id": CONCERT, "seats": seats("BL-10002")}, "sold_out", "another"),
    ("price_workshop", {"workshop_id": "WS-0", "places": 1}, "unknown_id", "search_workshops"),
    ("price_workshop", {"workshop_id": "WS-10001", "places": 0}, "wrong_party", "places"),
    ("price_workshop", {"workshop_id": "WS-10001", "places": 3}, "wrong_party", "2 places"),
    ("price_workshop", {"workshop_id": "WS-10002", "places": 4}, "sold_out", "3 places left"),
    ("book_talk", {"talk_id": "TA-0", "customer_id": CUSTOMER}, "unknown_id", "search_talks"),
    ("book_talk", {"talk_id": "TA-10001", "customer_id": "CU-0"}, "unknown_id", "customer"),
    ("price_bike", {"bike_id": "BI-0", **RIDE}, "unknown_id", "search_bikes"),
    ("price_bike", {"bike_id": "BI-10002", **RIDE}, "wrong_dates", "from 2027-07-02"),
    ("show_bike_booking", {"booking_id": "BK-0"}, "unknown_id", "book_"),
]


@pytest.mark.parametrize(("name", "arguments", "code", "hint"), ERRORS)
def test_what_cannot_be_met_is_refused_with_what_to_do(
    name: str, arguments: dict[str, Any], code: str, hint: str
) -> None:
    error, message = Visit().error(name, **arguments)
    assert (error, hint in message) == (code, True), message


@pytest.mark.parametrize(
    ("changed", "code"),
    [
        ({"camp_id": "CP-0"}, "unknown_id"),
        ({"cabin_ids": []}, "wrong_party"),
        ({"cabin_ids": ["CA-10003"]}, "unknown_id"),
        ({"cabin_ids": ["CA-10001", "CA-10001"]}, "invalid_arguments"),
        ({"leave": "2027-07-10"}, "wrong_dates"),
        ({"leave": "2027-07-01"}, "wrong_dates"),
        ({"people": 5}, "wrong_party"),
        ({"people": 0}, "wrong_party"),
    ],
)
def test_a_stay_that_cannot_be_met_is_refused(changed: dict[str, Any], code: str) -> None:
    stay = {"camp_id": "CP-10001", "cabin_ids": ["CA-10001"], **DAYS, "people": 2, **changed}
    assert Visit().error("book_camp", customer_id=CUSTOMER, **stay)[0] == code


# Agents' view of them


@pytest.mark.parametrize("kind", ["concert", "workshop", "lesson", "camp", "bike", "talk"])
def test_agents_find_read_book_and_cancel_by_what_a_kind_says(kind: str) -> None:
    visit = Visit()
    one = visit.kinds[kind]
    tools = one.tools
    assert tools is not None
    known: dict[str, Any] = {
        "town": "Aldmoor",
        "date": "2027-07-01",
        "arrive": "2027-07-02",
        "leave": "2027-07-04",
        "check_in": "2027-07-02",
        "check_out": "2027-07-04",
    }
    step = tools.search
    asked = {name: known[step.arguments[name]] for name in step.needed}
    found = step.read(visit.agent(step.tool, **asked))[0]
    entity_id, offer_id = str(found[one.entity.key]), str(found[one.offer.key])
    entity = visit.ledger.get(one.entity.name, entity_id)
    offer = visit.ledger.get(one.offer.name, offer_id)
    assert entity is not None and offer is not None
    actual = one.properties(entity, offer)
    read = {name: found[name] for name in found.keys() & actual.keys()}
    assert read == {name: actual[name] for name in read}
    stay = ("2027-07-02", "2027-07-04")
    days = {"opens", "closes"} if one.interval else set()
    assert {name for name in actual if not name.endswith("_id")} <= read.keys() | days
    assert [found[day] for day in one.interval or ()] == [day_number(day) for day in stay][
        : len(days)
    ]
    people = tuple((str(who["visitor"]), str(who["born"])) for who in (ANA, LEO)[:1])
    terms = BookingTerms(CUSTOMER, entity_id, offer_id, 1, people, stay, 1)
    booked = visit.agent(tools.book, **tools.arguments(terms))
    row = visit.ledger.get("bookings", booked["booking_id"])
    assert row is not None and (row["kind"], row["entity_id"]) == (kind, entity_id)
    assert tools.cancel is not None
    visit.agent(tools.cancel, booking_id=booked["booking_id"])


def test_a_toolset_leaves_out_what_only_the_other_has() -> None:
    names = {
        toolset: set(Visit(toolset=toolset).registry.names(Owner.AGENT)) for toolset in Toolset
    }
    more = names[Toolset.EXTENDED] - names[Toolset.PARITY]
    assert names[Toolset.PARITY] < names[Toolset.EXTENDED]
    kinds = ("concert", "workshop", "lesson", "camp", "bike")
    assert more == {f"change_{kind}_booking" for kind in kinds}


# Whatever is asked

IDS = {key: [row[key] for row in rows] for rows in WORLD_ROWS.values() for key in list(rows[0])[:1]}
WORDS = ("Aldmoor", "castle", "ALD", "Welsh", "", "2027-07-02")
DATES = st.dates(date(2027, 6, 30), date(2027, 7, 10)).map(date.isoformat)


def fitting(schema: dict[str, Any], name: str = "") -> st.SearchStrategy[Any]:
    """Return values that fit a tool's schema, ids mostly such as there are."""
    if "enum" in schema:
        return st.sampled_from(schema["enum"])
    if "anyOf" in schema:
        return st.sampled_from(["12.50", 15, "$20.00"])
    if schema.get("format") == "date":
        return DATES
    match schema["type"]:
        case "object":
            needed = schema.get("required", ())
            fields = {name: fitting(one, name) for name, one in schema["properties"].items()}
            optional = {name: one for name, one in fields.items() if name not in needed}
            required = {name: one for name, one in fields.items() if name in needed}
            return st.fixed_dictionaries(required, optional=optional)
        case "array":
            return st.lists(fitting(schema["items"], name.removesuffix("s")), max_size=2)
        case "integer":
            return st.one_of(st.integers(-1, 4), st.just(10**30))
    known = IDS.get(name, WORDS)
    return st.one_of(st.sampled_from(known), st.sampled_from(known), st.text(max_size=8))


VISIT = Visit()
CALLS = st.one_of(
    *(
        st.tuples(st.just(one["function"]["name"]), fitting(one["function"]["parameters"]))
        for one in VISIT.registry.openai_schemas(Owner.AGENT)
        if one["function"]["name"] not in {"transfer_to_human_agents", "update_customer"}
    )
)


@pytest.mark.slow
@settings(deadline=None, max_examples=60)
@given(st.lists(CALLS, min_size=5, max_size=25), st.data())
def test_whatever_fits_the_schemas_is_answered_and_nothing_is_sold_twice(
    calls: list[tuple[str, dict[str, Any]]], data: st.DataObject
) -> None:
    visit = Visit()
    for name, drawn in calls:
        arguments = dict(drawn)
        # Ids that are only drawn would seldom be right.
        made = [row["booking_id"] for row in visit.ledger.inserted("bookings")]
        if "booking_id" in arguments and made:
            arguments["booking_id"] = data.draw(st.sampled_from(made))
        if "customer_id" in arguments:
            arguments["customer_id"] = CUSTOMER
        outcome = visit.call(Owner.AGENT, name, arguments)
        assert not (outcome.events and outcome.is_error)
        assert_all_is_accounted_for(visit.ledger)


def held_items(tables: BookingTables, items: str) -> list[dict[str, Any]]:
    return [
        row
        for row in tables.rows(items)
        if (tables.get("bookings", row["booking_id"]) or {})["status"] != "cancelled"
    ]


def assert_all_is_accounted_for(tables: BookingTables) -> None:
    start = Ledger.fold(build_world())
    for offers, key in (("blocks", "block_id"), ("workshops", "workshop_id")):
        left = {row[key]: row["available"] for row in tables.rows(offers)}
        assert min(left.values()) >= 0
        for item in held_items(tables, f"booked_{offers}"):
            left[item[key]] += item.get("places", 1)
        assert left == {row[key]: row["available"] for row in start.rows(offers)}
    lessons = [row["lesson_id"] for row in held_items(tables, "booked_lessons")]
    assert len(set(lessons)) == len(lessons)
    for items, key, days in (
        ("booked_cabins", "cabin_id", ("arrive", "leave")),
        ("booked_bikes", "bike_id", ("check_in", "check_out")),
    ):
        held = sorted((row[key], *(row[day] for day in days)) for row in held_items(tables, items))
        assert all(one[0] != two[0] or one[2] <= two[1] for one, two in pairwise(held))


def assert_all_is_left(tables: BookingTables) -> None:
    start = Ledger.fold(build_world())
    for offers in ("blocks", "workshops"):
        assert tables.rows(offers) == start.rows(offers)
    assert not [
        row for items in ("booked_lessons", "booked_cabins") for row in held_items(tables, items)
    ]
