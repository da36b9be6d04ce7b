"""Planning against brute force, and reading what people write."""

from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crab_graph.agents.reference.planning import (
    AttractionOffer,
    FlightOffer,
    Plan,
    RoomOffer,
    Shortlist,
    cheapest_plan,
    trip_dates,
)
from crab_graph.agents.reference.wishes import Wishes, count_fruitless, read_wishes, says_no_more

TODAY = "2027-01-10"
DAYS = ("2027-05-03", "2027-05-04")
RETURNS = ("2027-05-05", "2027-05-06")
CLOCKS = ("08:00", "13:00", "19:00")


def flights(day):
    return st.lists(
        st.builds(
            lambda cents, carrier, clock: FlightOffer(
                cents * 100,
                f"FL-{cents}{carrier}",
                f"FA-{cents}{clock}",
                carrier,
                day,
                f"{day}T{clock}",
                f"{day}T{clock[:3]}45",
                "economy",
                "aisle",
            ),
            st.integers(1, 9),
            st.sampled_from("AB"),
            st.sampled_from(CLOCKS),
        ),
        max_size=4,
    )


ROOMS = st.lists(
    st.builds(
        lambda cents, where: RoomOffer(
            cents * 100, f"HT-{where}", f"RM-{cents}", "Inn", 3, where, "standard", "queen"
        ),
        st.integers(1, 9),
        st.sampled_from("xy"),
    ),
    max_size=3,
)
ATTRACTIONS = st.lists(
    st.builds(
        lambda cents, where, day, clock: AttractionOffer(
            cents * 100,
            f"AT-{cents}{where}",
            "Show",
            "show",
            where,
            f"{day}T{clock}",
            f"{day}T{clock[:3]}59",
        ),
        st.integers(1, 9),
        st.sampled_from("xy"),
        st.sampled_from((*DAYS, *RETURNS)),
        st.sampled_from(CLOCKS),
    ),
    max_size=4,
)


@st.composite
def problems(draw):
    offers = Shortlist(
        {day: draw(flights(day)) for day in DAYS},
        {day: draw(flights(day)) for day in RETURNS},
        {day: draw(ROOMS) for day in DAYS},
        draw(ATTRACTIONS),
    )
    wishes = Wishes(
        departure=DAYS,
        nights=2,
        party_size=draw(st.integers(1, 3)),
        budget=draw(st.sampled_from([None, 3000, 6000])),
        same_carrier=draw(st.sampled_from([None, True])),
        same_district=draw(st.sampled_from([None, True])),
    )
    return offers, wishes


def all_plans(offers, wishes):
    for leave, back in trip_dates(wishes):
        for out, home, room, item in product(
            offers.outbound[leave], offers.back[back], offers.rooms[leave], offers.attractions
        ):
            plan = Plan(out, home, room, item, wishes.party_size, wishes.nights)
            if (
                (not wishes.same_carrier or out.carrier == home.carrier)
                and (not wishes.same_district or room.district == item.district)
                and out.arrives <= item.starts
                and item.ends <= home.departs
                and (wishes.budget is None or plan.total <= wishes.budget)
            ):
                yield plan


@given(problem=problems())
@settings(max_examples=80)
def test_the_solver_finds_the_cheapest_valid_trip_if_there_is_one(problem):
    offers, wishes = problem
    best = min((plan.total for plan in all_plans(offers, wishes)), default=None)
    plan = cheapest_plan(offers, wishes)
    assert (plan.total if plan else None) == best
    assert plan is None or plan in set(all_plans(offers, wishes))


@pytest.mark.parametrize(
    ("text", "wishes"),
    [
        (
            "Need a trip Denver to Portland, leaving 3 May, 3 nights, two of us.",
            Wishes(
                origin="Denver",
                destination="Portland",
                departure=("2027-05-03",) * 2,
                nights=3,
                party_size=2,
            ),
        ),
        (
            "CU-20417. Flights in the morning going out, aisle, economy. Budget's $1,500 all in.",
            Wishes(
                customer_id="CU-20417",
                outbound_time_of_day="morning",
                seat_position="aisle",
                seat_type="economy",
                budget=150000,
            ),
        ),
        (
            "Ana Ruiz 1990-04-02 and Leo Ruiz 1988-11-23. Hotel at least 4 stars, a museum.",
            Wishes(
                names=("Ana Ruiz", "Leo Ruiz"),
                births=("1990-04-02", "1988-11-23"),
                hotel_stars=4,
                attraction_category="museum",
            ),
        ),
        (
            "We'd like to fly out at night and come back in the morning: return in the morning,"
            " outbound at night.",
            Wishes(outbound_time_of_day="night", return_time_of_day="morning"),
        ),
        (
            "My email is ana.ruiz@example.com, just me travelling.",
            Wishes(email="ana.ruiz@example.com", party_size=1),
        ),
        (
            "Same airline both ways, and the hotel in the same district as the attraction please.",
            Wishes(same_carrier=True, same_district=True),
        ),
        (
            "The payment method is PM-00412312, Visa ending in 4242.",
            Wishes(payment_method="PM-00412312", card_last4="4242"),
        ),
        ("Hello, I need some help.", Wishes()),
    ],
)
def test_wishes_are_read_from_plain_words(text, wishes):
    assert read_wishes([text], TODAY) == wishes


def test_later_statements_replace_earlier_ones():
    wishes = read_wishes(["3 nights, economy seats.", "No, 4 nights."], TODAY)
    assert (wishes.nights, wishes.seat_type) == (4, "economy")


def test_turns_that_add_nothing_are_counted_from_the_end():
    assert count_fruitless(["3 nights.", "Hello?", "3 nights."], TODAY) == 2
    assert count_fruitless(["Hello?", "3 nights."], TODAY) == 0


def test_nothing_else_is_heard():
    assert says_no_more(["That's all, thanks."])
    assert not says_no_more(["Nothing special."])
