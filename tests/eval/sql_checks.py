"""The constraint checks of a task as one SQL statement over final tables.

It is compiled from the same constraints, and shares nothing else with the Python verifiers.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import duckdb

from crab_graph.domain.verification import DomainCheck
from crab_graph.domains.task import Task
from crab_graph.generation.constraints import Constraint
from crab_graph.tools.ledger import Ledger
from tests.tools.final_state import PREFIX, write_final_states


def _day(column: str) -> str:
    return f"date_diff('day', DATE '1970-01-01', {column})"


_FLIGHT = """
    SELECT entity.*, fare.* EXCLUDE (flight_id), {departure} AS date,
           departure_minute AS departure, arrival_minute AS arrival, fare.price_cents AS price,
           seats.units AS booked_units, seats.units AS booked_places,
           seats.offers = 1 AS is_one_offer, booking.total_cents AS total
    FROM {final}bookings AS booking
    JOIN flights AS entity ON entity.flight_id = booking.entity_id
    JOIN (SELECT episode_id, booking_id, count(*) AS units, count(DISTINCT fare_id) AS offers,
                 min(fare_id) AS fare_id
          FROM {final}booked_fares GROUP BY episode_id, booking_id) AS seats
         USING (episode_id, booking_id)
    JOIN fares AS fare ON fare.fare_id = seats.fare_id
    WHERE {own} AND entity.origin = '{origin}' AND entity.destination = '{destination}'
    QUALIFY count(*) OVER () = 1"""
_HOTEL = """
    SELECT entity.*, room.* EXCLUDE (hotel_id, available_from, available_until),
           {available_from} AS available_from, {available_until} AS available_until,
           {check_in} AS check_in, {check_out} AS check_out, room.price_cents AS price,
           {check_out} - {check_in} AS booked_units, room.max_occupancy AS booked_places,
           TRUE AS is_one_offer, booking.total_cents AS total
    FROM {final}bookings AS booking
    JOIN hotels AS entity ON entity.hotel_id = booking.entity_id
    JOIN {final}booked_rooms AS stay USING (episode_id, booking_id)
    JOIN rooms AS room ON room.room_id = stay.room_id
    WHERE {own} AND entity.city = '{city}'
    QUALIFY count(*) OVER () = 1"""
_ATTRACTION = """
    SELECT entity.* EXCLUDE (date), {date} AS date, start_minute AS start, end_minute AS "end",
           entity.price_cents AS price, lines.tickets AS booked_units,
           lines.tickets AS booked_places, TRUE AS is_one_offer, booking.total_cents AS total
    FROM {final}bookings AS booking
    JOIN attractions AS entity ON entity.attraction_id = booking.entity_id
    JOIN {final}booked_attractions AS lines USING (episode_id, booking_id)
    WHERE {own} AND entity.city = '{city}'
    QUALIFY count(*) OVER () = 1"""


def compile_statement(task: Task, checks: Sequence[DomainCheck]) -> str:
    """Return one statement that yields a verdict for each check, in order."""
    verdicts = ",\n".join(_verdict(check) for check in checks)
    slots = ",\n".join(f'"{slot}" AS ({sql})' for slot, sql in _slots(task).items())
    return f"WITH {slots}\nSELECT {verdicts}"


def _slots(task: Task) -> dict[str, str]:
    home, away = task.request.origin, task.request.destination
    shared = {
        "final": PREFIX,
        "own": f"booking.customer_id = '{task.customer_id}' AND booking.status <> 'cancelled'"
        " AND booking.episode_id = $episode",
        "city": task.request.destination,
        "departure": _day("departure_date"),
        "date": _day("entity.date"),
        **{name: _day(f"room.{name}") for name in ("available_from", "available_until")},
        **{name: _day(f"stay.{name}") for name in ("check_in", "check_out")},
    }
    return {
        "outbound": _FLIGHT.format(origin=home, destination=away, **shared),
        "return": _FLIGHT.format(origin=away, destination=home, **shared),
        "hotel": _HOTEL.format(**shared),
        "attraction": _ATTRACTION.format(**shared),
    }


def _verdict(check: DomainCheck) -> str:
    answers = ", ".join(f"({_condition(item)})" for item in check.constraints)
    if not answers:
        return f"'not_evaluated' AS \"{check.id}\""
    # A slot without a row makes its conditions NULL: they are not evaluated.
    return (
        f"CASE WHEN list_contains([{answers}], FALSE) THEN 'fail' "
        f"WHEN list_contains([{answers}], TRUE) THEN 'pass' "
        f"ELSE 'not_evaluated' END AS \"{check.id}\""
    )


def _condition(constraint: Constraint) -> str:
    condition = constraint.sql(lambda ref: f'"{ref[0]}"."{ref[1]}"::{_type(constraint, ref)}')
    tables = ", ".join(f'"{node}"' for node in constraint.nodes)
    return f"SELECT {condition} FROM {tables}"


def _type(constraint: Constraint, ref: tuple[str, str]) -> str:
    return "INTEGER" if ref[1] == "is_one_offer" else _TYPES.get(ref[1], "BIGINT")


_WORDS = (
    *("flight_id", "fare_id", "carrier", "origin", "destination", "time_of_day", "seat_type"),
    *("seat_position", "city", "district", "room_type", "bed_type", "category"),
)
_TYPES = {name: "VARCHAR" for name in _WORDS}


def sql_verdicts(
    task: Task, episodes: Mapping[str, Ledger], checks: Sequence[DomainCheck]
) -> dict[str, dict[str, Any]]:
    """Return what the statement says of the final tables of each episode."""
    with duckdb.connect() as connection:
        for table in task.domain.tables:
            columns = ", ".join(f'"{name}" {kind}' for name, kind in table.columns.items())
            connection.execute(f'CREATE TABLE "{table.name}" ({columns})')
            for row in task.world.tables[table.name].values():
                names, marks = ", ".join(f'"{name}"' for name in row), ", ".join("?" * len(row))
                insert = f'INSERT INTO "{table.name}" ({names}) VALUES ({marks})'
                connection.execute(insert, list(row.values()))
        write_final_states(connection, episodes.items(), task.domain.tables)
        statement = compile_statement(task, checks)
        said = {}
        for name in episodes:
            result = connection.execute(statement, {"episode": name})
            ids = [column[0] for column in result.description]
            said[name] = dict(zip(ids, result.fetchall()[0], strict=True))
        return said
