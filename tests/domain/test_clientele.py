"""People rows: cards that cover, customers of their own, earlier bookings that stand in no way."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import crab_graph.domain as cd
from crab_graph.dates import day_number, iso_date
from crab_graph.domain.clientele import OTHERS, people_of
from crab_graph.domain.contract import Inventory
from crab_graph.domain.request_types import facts_of
from crab_graph.domains.travel.domain import TRAVEL
from tests.domain.drawn import DECLARATIONS, blueprint_of, drafting_of, seeds, strata

FREE = cd.Declaration(
    name="free",
    slots=(
        cd.Slot("desk", cd.Offer("desk", "DE", {"row": cd.Choice((1, 2))}), "desk"),
        cd.Slot("hour", cd.Offer("hour", "HR", {"day": cd.Day()}, holds=cd.Count()), "hour"),
    ),
    wants=(),
    window=cd.Window("day", "hour.day"),
    opening="A desk, please.",
)


def inventory_of(blueprint, count=9):
    """So many rows of whatever can be booked."""
    tables, ids = {}, {}
    for name, kind in blueprint.kinds.items():
        for table in (kind.entity, kind.offer):
            tables[table.name] = [row_of(table, number) for number in range(count)]
        ids[name] = [row[kind.offer.key] for row in tables[kind.offer.name]]
    return Inventory(tables, ids)


def row_of(table, number):
    made = {
        "VARCHAR": f"{number}",
        "INTEGER": number + 1,
        "BIGINT": 1000 + number,
        "DATE": iso_date(day_number("2027-03-01") + number),
    }
    return {column: made[type_] for column, type_ in table.columns.items()}


def people(declaration, seed, totals, axes=None):
    draft = drafting_of(declaration).draft(seed, axes or strata(declaration)[0])
    blueprint = blueprint_of(declaration)
    inventory = inventory_of(blueprint)
    return draft, inventory, people_of(blueprint, draft, inventory, totals, seed)


totals = st.lists(st.integers(20, 10**6), min_size=1, max_size=4)


@given(st.sampled_from(sorted(DECLARATIONS)), seeds, totals)
@settings(max_examples=40, deadline=None)
def test_one_card_covers_the_job_and_no_other_covers_a_solution(name, seed, costs):
    draft, _, rows = people(DECLARATIONS[name], seed, costs)
    need = max(draft.request.budget_cents or 0, *costs)
    own = draft.profile.payment_card.card_id
    limits = {card["card_id"]: card["limit_cents"] for card in rows["cards"]}
    assert len(limits) == 3 and limits.pop(own) >= need
    assert all(0 <= limit < min(costs) for limit in limits.values())
    assert sum(card["is_default"] for card in rows["cards"]) == 1
    known = {row["card_id"] for row in rows["payment_methods"]}
    assert len(known & {own, *limits}) <= 1


@given(st.sampled_from(sorted(DECLARATIONS)), seeds)
@settings(max_examples=30, deadline=None)
def test_earlier_bookings_are_of_others_and_lead_somewhere(name, seed):
    declaration = DECLARATIONS[name]
    draft, inventory, rows = people(declaration, seed, [50_000])
    blueprint = blueprint_of(declaration)
    customers = {row["customer_id"] for row in rows["customers"]}
    assert len(customers) == OTHERS + 1 == len({row["email"] for row in rows["customers"]})
    items = {
        kind.name: {row["booking_id"]: row for row in rows[kind.items]}
        for kind in blueprint.kinds.values()
    }
    charged = {row["booking_id"]: row["amount_cents"] for row in rows["transactions"]}
    assert {row["kind"] for row in rows["bookings"]} == blueprint.kinds.keys()
    assert len({row["booking_id"] for row in rows["bookings"]}) == len(rows["bookings"])
    for booking in rows["bookings"]:
        kind = blueprint.kinds[booking["kind"]]
        item = items[kind.name][booking["booking_id"]]
        table = next(one for one in blueprint.tables if one.name == kind.items)
        assert item.keys() == table.columns.keys()
        assert booking["customer_id"] in customers - {draft.profile.customer_id}
        offers = {row[kind.offer.key]: row for row in inventory.tables[kind.offer.name]}
        offer = offers[item[kind.offer.key]]
        assert booking["entity_id"] == offer[kind.entity.key]
        due = kind.price(offer["price_cents"], kind.units(item))
        assert booking["total_cents"] == charged[booking["booking_id"]] == due > 0


def test_no_offer_is_booked_twice_and_a_stay_ends_as_its_offer_opens():
    _, inventory, rows = people(TRAVEL.declaration, 5, [10_000])
    opens = {row["room_id"]: row["available_from"] for row in inventory.tables["rooms"]}
    assert rows["booked_rooms"]
    for stay in rows["booked_rooms"]:
        assert stay["check_in"] < stay["check_out"] == opens[stay["room_id"]]
        assert stay["guests"] == 1
    for table, key in (("booked_fares", "fare_id"), ("booked_rooms", "room_id")):
        held = [row[key] for row in rows[table]]
        assert len(set(held)) == len(held)


@given(seeds)
@settings(max_examples=20, deadline=None)
def test_where_everything_is_free_nobody_has_a_card(seed):
    draft, _, rows = people(FREE, seed, [0])
    assert draft.profile.payment_card is None
    assert "payment_card" not in {one.key for one in facts_of(FREE, draft.request, draft.profile)}
    assert not rows["cards"] and not rows["payment_methods"] and not rows["transactions"]
    assert {row["status"] for row in rows["bookings"]} == {"confirmed"}
    assert {row["total_cents"] for row in rows["bookings"]} == {0}


@pytest.mark.parametrize("name", sorted(DECLARATIONS))
def test_the_customer_is_the_first_of_the_people(name):
    draft, _, rows = people(DECLARATIONS[name], 8, [10_000], strata(DECLARATIONS[name])[-1])
    customer = next(
        row for row in rows["customers"] if row["customer_id"] == draft.profile.customer_id
    )
    first = draft.profile.people[0]
    assert (customer["name"], customer["date_of_birth"]) == (first.name, first.date_of_birth)
    assert customer["email"] == draft.profile.email
    names = {one.name for one in draft.profile.people}
    assert len(names) == len(draft.profile.people)
    others = {row["name"] for row in rows["customers"]} - {first.name}
    assert not others & names
