"""The tools that follow from travel's declaration are those of the design's contract (§7)."""

import pytest

from crab_graph.domain.layout import kinds_of
from crab_graph.domain.toolkit import registry_of
from crab_graph.domains.travel.domain import TRAVEL
from crab_graph.settings import Toolset
from crab_graph.tools.registry import Owner

PARITY = """
get_customer_information(customer_id?, email?)
update_customer(customer_id, phone?, email?, address?)
transfer_to_human_agents(summary)
list_all_airports()
search_flights_by_route(origin, destination, date)
search_available_seats(flight_id)
get_price_airline_booking(flight_id, seats)
book_flight_with_seats(customer_id, flight_id, seats)
get_flight_booking_details(booking_id)
cancel_flight(booking_id)
search_hotels_by_city(city, check_in?, check_out?, guests?)
search_available_rooms(hotel_id, check_in, check_out, guests?)
get_price_hotel_booking(hotel_id, room_ids, check_in, check_out)
book_hotel_with_rooms(customer_id, hotel_id, room_ids, check_in, check_out, guests)
search_attractions_by_city(city, date?, category?, district?, time_of_day?, max_price?)
book_attraction(customer_id, attraction_id, tickets)
get_recent_payment_transactions(customer_id, limit?)
get_transaction_details(transaction_id)
charge_booking(booking_id, payment_method_id)
get_my_payment_cards()
set_default_payment_card(card_id)
get_my_trip_confirmations()
get_trip_spending_summary()
get_recent_card_activity(card_id?, limit?)
record_payment_approval(booking_id, payment_method_id, amount)
add_payment_method_to_platform(card_id)
"""
MORE = """
cancel_hotel_booking(booking_id)
cancel_attraction_booking(booking_id)
modify_flight_seats(booking_id, seats)
modify_hotel_booking(booking_id, room_ids, check_in, check_out, guests)
modify_attraction_booking(booking_id, tickets)
"""
CONTRACT = {Toolset.PARITY: PARITY, Toolset.EXTENDED: PARITY + MORE}


@pytest.mark.parametrize("toolset", Toolset)
def test_names_and_arguments_are_the_contract(toolset: Toolset) -> None:
    registry = registry_of(TRAVEL.declaration, kinds_of(TRAVEL.declaration), toolset)
    found = set()
    for owner in Owner:
        for schema in registry.openai_schemas(owner):
            function = schema["function"]
            needed = function["parameters"].get("required", ())
            names = function["parameters"]["properties"]
            listed = ", ".join(name if name in needed else f"{name}?" for name in names)
            found.add(f"{function['name']}({listed})")
    assert found == set(CONTRACT[toolset].split("\n")) - {""}


def test_seats_name_a_fare_and_to_book_also_the_passenger() -> None:
    registry = registry_of(TRAVEL.declaration, kinds_of(TRAVEL.declaration), Toolset.PARITY)
    schemas = {one["function"]["name"]: one for one in registry.openai_schemas(Owner.AGENT)}
    for name, needed in (
        ("get_price_airline_booking", ["fare_id"]),
        ("book_flight_with_seats", ["fare_id", "passenger_name", "date_of_birth"]),
    ):
        seat = schemas[name]["function"]["parameters"]["properties"]["seats"]["items"]
        assert list(seat["properties"]) == ["fare_id", "passenger_name", "date_of_birth"]
        assert seat["required"] == needed
