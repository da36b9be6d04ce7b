"""Checks are derived with their roles, and so is which facts can fail them."""

from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import crab_graph.domain as cd
from crab_graph.domain.declared_checks import DeclaredChecks, ref_of
from crab_graph.domain.fact_reach import (
    charging_facts,
    covered_checks,
    deciding_checks,
    profile_facts,
    reaches,
)
from crab_graph.domain.request_types import facts_of
from crab_graph.domain.verification import Role
from tests.domain.drawn import DECLARATIONS, blueprint_of, drafting_of, seeds, strata

TRAVEL, CLINIC = DECLARATIONS["travel"], DECLARATIONS["clinic"]

COVERED = {
    "origin": "D01 D02 surplus ended_partial",
    "destination": "D01 D02 D03 D04 surplus ended_partial",
    "departure_date": "D12 D13 D14 D15 D16 D29",
    "nights": "D13 D15 D16 D17 D29",
    "party_size": "D06 person D17 D27",
    "traveller_names": "person",
    "birth_dates": "person",
    "budget": "D17 D27",
    "outbound_time_of_day": "D08 D29",
    "return_time_of_day": "D09 D29",
    "seat_type": "D08 D09",
    "seat_position": "D08 D09",
    "hotel_stars": "D10 D28",
    "room_type": "D10",
    "bed_type": "D10",
    "attraction_category": "D11 D26",
    "attraction_time_of_day": "D11 D26",
    # On a wrong day it may lie outside of the trip as well.
    "attraction_date": "D11 D16 D29",
    "same_carrier": "D18",
    "same_district": "D25",
    "attraction_either": "D26",
    "flights_share": "D27",
    "stars_unless": "D28",
    "apart_from_nights": "D29",
    "cheaper_district": "D30",
    "cheapest_flights": "D31",
    "cheapest_outing": "D32",
}

SETTLED = frozenset({"D30", "D31", "D32"})
"""Checks of what the tables settle, which turns on all that is asked for."""

DECIDING = {
    **COVERED,
    "departure_date": "D12",
    "nights": "D13 D15",
    "party_size": "D06",
    "budget": "D17",
    "outbound_time_of_day": "D08",
    "return_time_of_day": "D09",
    "hotel_stars": "D10",
    "attraction_category": "D11",
    "attraction_time_of_day": "D11",
    "attraction_date": "D11",
}


def checks_of(declaration):
    return DeclaredChecks(blueprint_of(declaration))


def spelled(table):
    return {fact: frozenset(checks.split()) for fact, checks in table.items()}


def test_labels_and_roles_of_travel_are_those_of_the_rulebook():
    by_role: dict[Role, list[str]] = {}
    for check in checks_of(TRAVEL).declared:
        by_role.setdefault(check.role, []).append(check.id)
    assert by_role == {
        Role.SLOT_FILLED: ["D01", "D02", "D03", "D04"],
        Role.UNITS: ["D06"],
        Role.WISH: ["D08", "D09", "D10", "D11"],
        Role.WINDOW: ["D12"],
        Role.EDGE: "D13 D14 D15 D16 D18 D25 D26 D27 D28 D29 D30 D31 D32".split(),
        Role.BUDGET: ["D17"],
    }


def test_the_facts_of_travel_cover_what_they_can_fail():
    checks = checks_of(TRAVEL)
    personal = {"traveller_names", "birth_dates"}
    covered = spelled(COVERED)
    covered |= {key: own | SETTLED for key, own in covered.items() if key not in personal}
    assert covered_checks(checks) == covered
    roles = {key: value for key, value in DECIDING.items() if "surplus" not in value}
    assert deciding_checks(checks) == spelled(roles)


def test_labels_that_are_left_out_follow_from_names():
    declared = {check.id: check for check in checks_of(CLINIC).declared}
    assert {"D-gp", "D-gp-wishes", "D-gp_date", "D-test_after_gp", "D06", "D17"} <= declared.keys()
    assert declared["D-gp"].title == "GP appointment booked" and declared["D-gp"].slot == "gp"
    within = declared["D-consultation_within"]
    assert within.title == "the consultation is at most … days after the GP appointment"
    assert len(declared) == 4 + 1 + 4 + 1 + 7 + 2 + 1


def test_what_a_rule_reads_of_the_request_covers_whatever_it_moves():
    covered = covered_checks(checks_of(CLINIC))
    assert covered["within"] == {
        "D-consultation_within",
        "D-results_before_consultation",
        "D-physio_after_consultation",
    }
    assert {"D06", "D17", "D-course_ends_in_time"} <= covered["sessions"]
    assert deciding_checks(checks_of(CLINIC))["within"] == {"D-consultation_within"}


@pytest.mark.parametrize("name", sorted(DECLARATIONS))
def test_every_check_named_for_a_fact_is_declared_and_every_fact_exists(name):
    checks = checks_of(DECLARATIONS[name])
    known = {check.id for check in checks.declared} | set(Role)
    for reach in reaches(checks).values():
        assert reach.decides <= known and reach.decides <= reach.covers <= known


@given(st.sampled_from(sorted(DECLARATIONS)), seeds)
@settings(max_examples=30, deadline=None)
def test_every_constraint_of_a_task_is_graded_by_one_check(name, seed):
    declaration = DECLARATIONS[name]
    axes = strata(declaration)
    draft = drafting_of(declaration).draft(seed, axes[seed % len(axes)])
    checks, graph = checks_of(declaration), draft.folded.graph
    decided = checks.constraints(draft.request, graph)
    graded = [item.name for constraints in decided.values() for item in constraints]
    for item in graph.constraints:
        fields = {type(declaration.field_at(f"{slot}.{field}")) for slot, field in item.parameters}
        is_room = bool(fields & {cd.Stock, cd.Capacity})
        assert is_room != (item.name in graded)
    assert {fact.key for fact in facts_of(declaration, draft.request, draft.profile)} >= {
        key for key in reaches(checks) if getattr(draft.request, key, None)
    }


def travel_constraints(**wanted):
    draft = drafting_of(TRAVEL).draft(4, {"date_mode": "flexible", "party": 3})
    request = draft.request.model_copy(update=wanted)
    graph = blueprint_of(TRAVEL).build_graph(request)
    return checks_of(TRAVEL).constraints(request, graph)


def holds_all(constraints, values, broken):
    changed = values | {name.replace("__", "."): value for name, value in broken.items()}
    known = {ref_of(name): value for name, value in changed.items()}
    return all(item.holds(known) for item in constraints)


def test_units_are_as_many_as_wanted_of_one_offer_with_places_for_all():
    booked = dict.fromkeys(
        (f"{leg}.booked_units" for leg in ("outbound", "return", "attraction")), 3
    )
    booked |= dict.fromkeys((f"{one}.is_one_offer" for one in ("outbound", "return", "hotel")), 1)
    units = travel_constraints()["D06"]

    def holds(**broken):
        return holds_all(units, {**booked, "hotel.booked_places": 4}, broken)

    assert holds()
    assert not holds(outbound__booked_units=2) and not holds(attraction__booked_units=4)
    assert not holds(return__is_one_offer=0) and not holds(hotel__is_one_offer=0)
    assert holds(hotel__booked_places=3) and not holds(hotel__booked_places=2)


def test_a_stay_begins_as_it_must_and_its_own_days_stand_in_for_the_others():
    decided = travel_constraints(nights=4)
    days = {"outbound.date": 10, "return.date": 14, "hotel.check_in": 10, "hotel.check_out": 14}
    room = {"hotel.available_from": 9, "hotel.available_until": 14}

    def holds(check, **broken):
        return holds_all(decided[check], {**days, **room}, broken)

    assert holds("D13") and holds("D14") and holds("D15")
    assert not holds("D14", hotel__check_in=11) and not holds("D14", outbound__date=9)
    assert not holds("D15", hotel__check_out=15) and not holds("D15", hotel__available_until=13)
    # A flight on the wrong day is another check's.
    assert holds("D15", outbound__date=3, return__date=30) and not holds("D13", return__date=30)


def test_a_stay_that_no_rule_measures_ends_as_it_is_declared_to():
    cabin = cd.Offer(
        "cabin",
        "CB",
        {"opens": cd.Day(), "open_for": cd.Choice((5, 6)), "closes": cd.Later("opens", "open_for")},
        holds=cd.Stay("boat.leaves", "boat.lands", "opens", "closes"),
    )
    boat = cd.Offer(
        "boat",
        "BT",
        {"leaves": cd.Day(), "days": cd.Choice((2, 3)), "lands": cd.Later("leaves", "days")},
    )
    declaration = cd.Declaration(
        name="lake",
        slots=(cd.Slot("boat", boat, "boat"), cd.Slot("cabin", cabin, "cabin")),
        wants=(),
        window=cd.Window("day", "boat.leaves", widths=(1,)),
        rules=(
            cd.Rule(
                "cabin_is_open",
                lambda boat, cabin: (cabin.opens <= boat.leaves) & (cabin.closes >= boat.lands),
                "the cabin is open",
            ),
        ),
        opening="A boat and a cabin, {day}.",
    )
    checks = checks_of(declaration)
    labels = [check.id for check in checks.declared if check.role is Role.EDGE]
    assert labels == ["D-cabin-begins", "D-cabin-days", "D-cabin_is_open"]
    draft = drafting_of(declaration).draft(0, {})
    decided = checks.constraints(draft.request, draft.folded.graph)
    (ends,) = decided["D-cabin-days"]
    assert ends.parameters == (("cabin", "check_out"), ("boat", "lands"))
    (opened,) = decided["D-cabin_is_open"]
    assert ("cabin", "check_in") in opened.parameters and ("boat", "lands") not in opened.parameters
    assert covered_checks(checks)["day"] == {"D-day", *labels}


def test_slots_with_one_offer_are_held_from_and_to_days_of_their_own():
    rooms = replace(
        next(slot for slot in TRAVEL.slots if slot.id == "hotel"), words=("first",), check="D03"
    )
    later = replace(
        rooms, id="next", title="next hotel", words=("next",), days=("return.date", "visit.date")
    )
    visit = cd.Slot("visit", TRAVEL.slots[-1].offer, "visit")
    declaration = replace(TRAVEL, slots=(*TRAVEL.slots[:2], rooms, later, visit))
    blueprint: Any = SimpleNamespace(declaration=declaration)
    stays = DeclaredChecks(blueprint).stays
    assert [(one.begins, one.holds) for one in stays] == [
        ("D14", "D15"),
        ("D-next-begins", "D-next-days"),
    ]
    assert [*stays[1].days] == [("return", "date"), ("visit", "date")]


def test_the_budget_bounds_the_stored_totals_and_there_may_be_none():
    (bound,) = travel_constraints(budget_cents=100_00)["D17"]
    slots = ("outbound", "return", "hotel", "attraction")
    assert bound.holds({(slot, "total"): 25_00 for slot in slots})
    assert not bound.holds({(slot, "total"): 25_01 for slot in slots})
    assert "D17" not in travel_constraints(budget_cents=None)


def test_a_card_is_needed_to_charge_and_people_are_known_by_name():
    assert charging_facts(TRAVEL) == {"payment_card"}
    known = {"name": "traveller_names", "email": "email", "date_of_birth": "birth_dates"}
    assert profile_facts(TRAVEL) == known and profile_facts(CLINIC) == {"email": "email"}
