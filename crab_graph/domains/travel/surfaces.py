"""What the travel tables show of an offer, for the audit of leakage."""

from collections.abc import Mapping

from crab_graph.generation.features import Surface

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
