"""Planning against brute force: the cheapest job that satisfies a graph, or the proof of none."""

from itertools import product

from hypothesis import given, settings
from hypothesis import strategies as st

from crab_graph.agents.reference.handbook import handbook_of
from crab_graph.agents.reference.lookups import Lookups, Shown
from crab_graph.agents.reference.planning import Shortlist
from crab_graph.dates import day_number
from crab_graph.domain.contract import find_domain

BOOK = handbook_of(find_domain("travel"))
DAYS = [day_number(day) for day in ("2027-05-03", "2027-05-04")]
BACK = [day + 2 for day in DAYS]
CLOCKS = (480, 780, 1140)


def flights(days):
    def flight(cents, carrier, day, clock):
        ids = {"flight_id": f"FL-{cents}{carrier}", "fare_id": f"FA-{cents}{clock}"}
        times = {"date": day, "departure": clock, "arrival": clock + 45}
        return {**ids, **times, "carrier": carrier, "price": cents * 100}

    drawn = (st.integers(1, 9), st.sampled_from("AB"), st.sampled_from(days))
    return st.lists(st.builds(flight, *drawn, st.sampled_from(CLOCKS)), max_size=5)


def room(cents, district, first):
    ids = {"hotel_id": f"HT-{district}", "room_id": f"RM-{cents}", "price": cents * 100}
    return {**ids, "district": district, "check_in": first, "check_out": first + 2}


def attraction(cents, district, day, clock):
    times = {"date": day, "start": clock, "end": clock + 59}
    about = {"attraction_id": f"AT-{cents}{district}", "district": district}
    return {**about, **times, "price": cents * 100}


ROOMS = st.lists(
    st.builds(room, st.integers(1, 9), st.sampled_from("xy"), st.sampled_from(DAYS)), max_size=4
)
ATTRACTIONS = st.lists(
    st.builds(
        attraction,
        st.integers(1, 9),
        st.sampled_from("xy"),
        st.sampled_from(DAYS + BACK),
        st.sampled_from(CLOCKS),
    ),
    max_size=4,
)
OFFERS = st.fixed_dictionaries(
    {"outbound": flights(DAYS), "return": flights(BACK), "hotel": ROOMS, "attraction": ATTRACTIONS}
)
WISHES = st.fixed_dictionaries(
    {
        "origin": st.just("Denver"),
        "destination": st.just("Portland"),
        "departure_date": st.just(("2027-05-03", "2027-05-04")),
        "nights": st.just(2),
        "party_size": st.integers(1, 3),
    },
    optional={
        "budget": st.sampled_from([3000, 6000]),
        "same_carrier": st.just(True),
        "same_district": st.just(True),
    },
)


def cheapest_by_hand(offers, wishes):
    people, nights = wishes["party_size"], wishes["nights"]
    totals = []
    for out, back, stay, visit in product(*(offers[slot] for slot in BOOK.slots)):
        begins, ends = visit["date"] * 1440 + visit["start"], visit["date"] * 1440 + visit["end"]
        total = (out["price"] + back["price"] + visit["price"]) * people + stay["price"] * nights
        if (
            back["date"] == out["date"] + nights
            and (stay["check_in"], stay["check_out"]) == (out["date"], back["date"])
            and begins >= out["date"] * 1440 + out["arrival"]
            and ends <= back["date"] * 1440 + back["departure"]
            and (not wishes.get("same_carrier") or out["carrier"] == back["carrier"])
            and (not wishes.get("same_district") or stay["district"] == visit["district"])
            and total <= wishes.get("budget", total)
        ):
            totals.append(total)
    return min(totals, default=None)


@given(offers=OFFERS, wishes=WISHES)
@settings(max_examples=80, deadline=None)
def test_the_cheapest_job_is_found_if_there_is_one(offers, wishes):
    graph = BOOK.domain.build_graph(BOOK.request(wishes))
    edges = Lookups(BOOK, wishes, graph).edges
    plan = Shortlist(BOOK, wishes, Shown([], offers, edges, ())).cheapest()
    assert (plan.total if plan else None) == cheapest_by_hand(offers, wishes)
    if plan is not None:
        chosen = {part.slot.id: [part.row] for part in plan.parts}
        assert cheapest_by_hand(chosen, wishes) == plan.total
