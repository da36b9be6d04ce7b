"""The travel tables: airports, flights and fares, hotels, rooms, attractions, and bookings."""

from collections.abc import Mapping

from crab_graph.generation.features import Surface
from crab_graph.tools.tables import PLATFORM_TABLES, PRIVATE_TABLES, Table

TRAVEL_TABLES = (
    Table(
        "airports",
        "airport_code",
        {"airport_code": "VARCHAR", "city": "VARCHAR", "name": "VARCHAR"},
    ),
    Table(
        "flights",
        "flight_id",
        {
            "flight_id": "VARCHAR",
            "carrier": "VARCHAR",
            "origin": "VARCHAR",
            "destination": "VARCHAR",
            "departure_date": "DATE",
            "departure_minute": "INTEGER",
            "arrival_minute": "INTEGER",
            "time_of_day": "VARCHAR",
        },
    ),
    Table(
        "fares",
        "fare_id",
        {
            "fare_id": "VARCHAR",
            "flight_id": "VARCHAR",
            "seat_type": "VARCHAR",
            "seat_position": "VARCHAR",
            "price_cents": "BIGINT",
            "available": "INTEGER",
        },
    ),
    Table(
        "hotels",
        "hotel_id",
        {
            "hotel_id": "VARCHAR",
            "name": "VARCHAR",
            "city": "VARCHAR",
            "district": "VARCHAR",
            "stars": "INTEGER",
        },
    ),
    Table(
        "rooms",
        "room_id",
        {
            "room_id": "VARCHAR",
            "hotel_id": "VARCHAR",
            "room_type": "VARCHAR",
            "bed_type": "VARCHAR",
            "max_occupancy": "INTEGER",
            "available_from": "DATE",
            "available_until": "DATE",
            "price_cents": "BIGINT",
        },
    ),
    Table(
        "attractions",
        "attraction_id",
        {
            "attraction_id": "VARCHAR",
            "name": "VARCHAR",
            "city": "VARCHAR",
            "district": "VARCHAR",
            "category": "VARCHAR",
            "date": "DATE",
            "time_of_day": "VARCHAR",
            "start_minute": "INTEGER",
            "end_minute": "INTEGER",
            "price_cents": "BIGINT",
            "available": "INTEGER",
        },
    ),
    Table(
        "booking_seats",
        "seat_key",
        {
            "seat_key": "VARCHAR",
            "booking_id": "VARCHAR",
            "fare_id": "VARCHAR",
            "passenger_name": "VARCHAR",
            "date_of_birth": "DATE",
        },
    ),
    Table(
        "booking_rooms",
        "stay_key",
        {
            "stay_key": "VARCHAR",
            "booking_id": "VARCHAR",
            "room_id": "VARCHAR",
            "check_in": "DATE",
            "check_out": "DATE",
            "guests": "INTEGER",
        },
    ),
    Table(
        "booking_tickets",
        "ticket_key",
        {
            "ticket_key": "VARCHAR",
            "booking_id": "VARCHAR",
            "attraction_id": "VARCHAR",
            "tickets": "INTEGER",
        },
    ),
)

ALL_TABLES = (*PLATFORM_TABLES, *PRIVATE_TABLES, *TRAVEL_TABLES)


SURFACES: Mapping[str, Surface] = {
    "flight": Surface(
        """
        SELECT fare_id, flight_id, origin, destination, carrier, time_of_day,
               date_diff('day', DATE '1970-01-01', departure_date)::INTEGER AS date,
               departure_minute, arrival_minute, arrival_minute - departure_minute AS duration,
               seat_type, seat_position, price_cents, available
        FROM fares JOIN flights USING (task_id, flight_id) WHERE task_id = $task
        ORDER BY fares.rowid""",
        ids=("fare_id", "flight_id"),
        prices=("price_cents",),
        groupings={
            "fares per flight": ("flight_id",),
            "fares per route and date": ("origin", "destination", "date"),
            "fares per route and carrier": ("origin", "destination", "carrier"),
        },
    ),
    "hotel": Surface(
        """
        SELECT room_id, hotel_id, name, city, district, stars, room_type, bed_type, max_occupancy,
               date_diff('day', DATE '1970-01-01', available_from)::INTEGER AS available_from,
               date_diff('day', DATE '1970-01-01', available_until)::INTEGER AS available_until,
               date_diff('day', available_from, available_until)::INTEGER AS nights_open,
               price_cents
        FROM rooms JOIN hotels USING (task_id, hotel_id) WHERE task_id = $task
        ORDER BY rooms.rowid""",
        ids=("room_id", "hotel_id"),
        names=("name",),
        prices=("price_cents",),
        groupings={
            "rooms per hotel": ("hotel_id",),
            "rooms per city and district": ("city", "district"),
        },
    ),
    "attraction": Surface(
        """
        SELECT attraction_id, name, city, district, category, time_of_day,
               date_diff('day', DATE '1970-01-01', date)::INTEGER AS date,
               start_minute, end_minute, price_cents, available
        FROM attractions WHERE task_id = $task ORDER BY rowid""",
        ids=("attraction_id",),
        names=("name",),
        prices=("price_cents",),
        groupings={
            "slots per city and date": ("city", "date"),
            "slots per city and district": ("city", "district"),
        },
    ),
}
