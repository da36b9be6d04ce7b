"""The travel tables: airports, flights and fares, hotels, rooms, attractions, and bookings."""

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
