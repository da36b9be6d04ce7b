from datetime import date

import hypothesis
import pytest
from hypothesis import strategies as st

from crab_graph.domains.travel.domain import TRAVEL
from crab_graph.text.utterance import name_form, normalise
from crab_graph.tools.fault_schedule import WorldFault
from crab_graph.tools.ledger import Ledger
from crab_graph.tools.slips import misspelt, mistyped
from crab_graph.tools.tables import WORLD_FAULTS, World
from crab_graph.tools.world_faults import fault_rows
from tests.tools.builders import (
    BACK_FARE,
    BIG_CARD,
    CUSTOMER,
    NOON_FARE,
    OUT_EARLY,
    OUT_FARE,
    OUT_NOON,
    Episode,
    build_rows,
)

SEARCH = {"origin": "Chicago", "destination": "Pittsburgh", "date": "2027-05-03"}


def episode_with(*faults: WorldFault) -> Episode:
    world = World(
        task_id="S1-001",
        today="2027-04-01",
        customer_id=CUSTOMER,
        schema=(*TRAVEL.tables, WORLD_FAULTS),
        rows={**build_rows(), WORLD_FAULTS.name: fault_rows(faults)},
        faults=faults,
    )
    return Episode(world)


def is_folded_alike(episode: Episode) -> bool:
    """Tell whether the log alone gives the tables of an episode."""
    now = episode.ledger
    again = Ledger.fold(now.world, now.events)
    return all(again.rows(table) == now.rows(table) for table in now.world.tables)


def test_the_second_search_times_out_once() -> None:
    episode = episode_with(WorldFault(kind="timeout", nth=2))
    first = episode.agent("search_flights_by_route", **SEARCH)
    assert episode.agent_error("search_flights_by_route", **SEARCH)[0] == "timed_out"
    assert episode.agent("search_flights_by_route", **SEARCH) == first
    assert is_folded_alike(episode)


def test_a_refused_search_is_no_step_of_the_schedule() -> None:
    episode = episode_with(WorldFault(kind="timeout", nth=1))
    assert episode.agent_error("search_flights_by_route", origin="Chicago")[0] != "timed_out"
    assert episode.agent_error("search_flights_by_route", **SEARCH)[0] == "timed_out"


def test_what_is_sold_is_in_no_list_and_cannot_be_booked_any_more() -> None:
    episode = episode_with(WorldFault(kind="sold", offers=(OUT_FARE,)))
    seats = [{"fare_id": OUT_FARE, "passenger_name": "Ana Ruiz", "date_of_birth": "1990-04-02"}]
    wanted = {"customer_id": CUSTOMER, "flight_id": OUT_EARLY, "seats": seats}
    other = {**wanted, "flight_id": OUT_NOON, "seats": [{**seats[0], "fare_id": NOON_FARE}]}
    sold = [episode.agent_error("book_flight_with_seats", **wanted)[0] for _ in range(2)]
    assert episode.agent_error("book_flight_with_seats", **other)[0] == "out_of_date"
    assert OUT_FARE not in str(episode.agent("search_flights_by_route", **SEARCH))
    priced = {"flight_id": OUT_EARLY, "seats": [{"fare_id": OUT_FARE}]}
    assert episode.agent_error("get_price_airline_booking", **priced)[0] == "sold_out"
    assert not episode.ledger.inserted("bookings")
    assert sold == ["sold_out", "sold_out"]
    assert episode.agent("book_flight_with_seats", **other)["status"] == "pending"
    assert is_folded_alike(episode)


def test_what_is_out_of_date_is_booked_by_no_other_fault() -> None:
    """A booking without confirmation would be one all the same."""
    unconfirmed = WorldFault(kind="unconfirmed", of="flight", nth=2)
    episode = episode_with(unconfirmed, WorldFault(kind="sold", offers=(OUT_FARE,)))
    seats = [{"fare_id": OUT_FARE, "passenger_name": "Ana Ruiz", "date_of_birth": "1990-04-02"}]
    wanted = {"customer_id": CUSTOMER, "flight_id": OUT_EARLY, "seats": seats}
    other = {**wanted, "flight_id": OUT_NOON, "seats": [{**seats[0], "fare_id": NOON_FARE}]}
    assert episode.agent_error("book_flight_with_seats", **wanted)[0] == "sold_out"
    assert episode.agent_error("book_flight_with_seats", **other)[0] == "out_of_date"
    assert not episode.ledger.inserted("bookings")
    assert episode.agent("search_flights_by_route", **SEARCH)
    assert episode.agent("book_flight_with_seats", **other)["status"] == "unconfirmed"
    assert is_folded_alike(episode)


def test_an_offer_that_must_not_be_lost_is_not_sold() -> None:
    episode = episode_with(WorldFault(kind="sold", offers=(BACK_FARE,)))
    assert episode.book_outbound()


@pytest.mark.parametrize("tool", ["search_flights_by_route", "get_price_airline_booking"])
def test_a_price_that_has_expired_is_quoted_again(tool: str) -> None:
    episode = episode_with(WorldFault(kind="quote", of="flight", cents=300))
    seats = [{"fare_id": OUT_FARE, "passenger_name": "Ana Ruiz", "date_of_birth": "1990-04-02"}]
    wanted = {"customer_id": CUSTOMER, "flight_id": OUT_EARLY, "seats": seats}
    for _ in range(2):
        assert episode.agent_error("book_flight_with_seats", **wanted)[0] == "price_expired"
    priced = {"flight_id": OUT_EARLY, "seats": [{"fare_id": OUT_FARE}]}
    told = episode.agent(tool, **(SEARCH if tool.startswith("search") else priced))
    assert "153.00" in str(told)
    assert episode.agent("book_flight_with_seats", **wanted)["total"] == "153.00"
    assert is_folded_alike(episode)


def test_a_booking_without_confirmation_is_confirmed_by_looking_it_up() -> None:
    episode = episode_with(WorldFault(kind="unconfirmed", of="flight"))
    booking_id, method_id = episode.book_outbound(), episode.add_card(BIG_CARD)
    assert episode.ledger.get("bookings", booking_id)["status"] == "unconfirmed"  # type: ignore[index]
    charge = {"booking_id": booking_id, "payment_method_id": method_id}
    assert episode.agent_error("charge_booking", **charge)[0] == "unconfirmed"
    found = episode.agent("get_flight_booking_details", booking_id=booking_id)
    assert found["status"] == "pending"
    assert episode.agent("charge_booking", **charge)["status"] == "confirmed"
    assert is_folded_alike(episode)


def test_a_slip_is_shown_by_who_looks_the_booking_up_and_gone_once_it_is_made_anew() -> None:
    fault = WorldFault(kind="misentered", of="flight")
    episode, plain = episode_with(fault), episode_with()
    booking_id = episode.book_outbound()
    assert (booking_id, plain.book_outbound()) == (booking_id, booking_id)
    stored, given = (
        one.agent("get_flight_booking_details", booking_id=booking_id)["seats"]
        for one in (episode, plain)
    )
    (wrong,) = (at for at in (0, 1) if stored[at] != given[at])
    differs = {name for name, value in given[wrong].items() if stored[wrong][name] != value}
    assert len(differs) == 1 and differs < {"passenger_name", "date_of_birth"}
    episode.agent("cancel_flight", booking_id=booking_id)
    again = episode.book_outbound()
    stored = episode.agent("get_flight_booking_details", booking_id=again)["seats"]
    assert again != booking_id and stored == given
    assert is_folded_alike(episode)


@hypothesis.given(st.text(alphabet="abcÅø -'’.", min_size=1, max_size=12))
def test_a_misspelt_name_is_another_with_the_same_first_letters(name: str) -> None:
    for slip in misspelt(name):
        assert name_form(normalise(slip)) != name_form(normalise(name))
        assert [one[:1] for one in slip.split()] == [one[:1] for one in name.split()]
        assert abs(len(slip) - len(name)) <= 1


@hypothesis.given(st.dates(date(1930, 1, 1), date(2015, 12, 31)))
def test_a_mistyped_date_is_another_with_two_other_digits_at_most(day: date) -> None:
    slips = mistyped(day.isoformat())
    assert slips
    for slip in slips:
        assert date.fromisoformat(slip) != day
        assert sum(one != other for one, other in zip(slip, day.isoformat(), strict=True)) <= 2


def test_a_card_is_declined_once() -> None:
    episode = episode_with(WorldFault(kind="declined"))
    charge = {"booking_id": episode.book_outbound(), "payment_method_id": episode.add_card()}
    assert episode.agent_error("charge_booking", **charge)[0] == "declined"
    assert not episode.ledger.inserted("transactions")
    assert episode.agent("charge_booking", **charge)["status"] == "confirmed"
    assert is_folded_alike(episode)


def test_each_fault_of_a_schedule_strikes_by_its_own_steps() -> None:
    faults = (WorldFault(kind="timeout"), WorldFault(kind="declined"), WorldFault(kind="timeout"))
    episode = episode_with(*faults)
    for _ in range(2):
        assert episode.agent_error("search_flights_by_route", **SEARCH)[0] == "timed_out"
    assert episode.agent("search_flights_by_route", **SEARCH)
    stages = {row["fault_id"]: row["stage"] for row in episode.ledger.rows(WORLD_FAULTS.name)}
    assert stages == {"W01": "over", "W02": "waiting", "W03": "over"}


def test_a_card_bears_so_much_a_day_and_no_more() -> None:
    episode = episode_with(WorldFault(kind="limit", cents=100_00))
    booking_id, method_id = episode.book_outbound(), episode.add_card(BIG_CARD)
    charge = {"booking_id": booking_id, "payment_method_id": method_id}
    for _ in range(2):
        code, text = episode.agent_error("charge_booking", **charge)
        assert code == "declined" and "100.00 USD a day" in text
    assert not episode.ledger.inserted("transactions")
    assert is_folded_alike(episode)


def test_a_limit_that_is_not_reached_declines_nothing() -> None:
    episode = episode_with(WorldFault(kind="limit", cents=300_00))
    charge = {"booking_id": episode.book_outbound(), "payment_method_id": episode.add_card()}
    assert episode.agent("charge_booking", **charge)["status"] == "confirmed"
