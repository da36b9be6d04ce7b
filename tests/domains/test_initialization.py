"""A.5's initialization actions, against the bulk load."""

from collections import Counter

import duckdb
import pytest

from crab_graph.domain.blueprint import Blueprint
from crab_graph.domain.request_types import Profile
from crab_graph.domain.stocking import initialization_actions, insertions
from crab_graph.domains.travel.domain import TRAVEL
from crab_graph.generation.materialize import (
    InitializationAction,
    create_tables,
    execute_actions,
    hash_rows,
    load_rows,
    read_rows,
)
from crab_graph.generation.population import populate

TABLES = [table for table in TRAVEL.tables if not table.name.startswith("book")]


BLUEPRINT = Blueprint(TRAVEL.declaration, TRAVEL.request_type, Profile)
INSERTIONS = insertions(BLUEPRINT)


@pytest.fixture(scope="module")
def population():
    task = TRAVEL.draft(41, {"date_mode": "flexible", "party": 2})
    return populate(task.folded, seed_count=2, closure=range(1, 17), distractors=60, seed=7)


def test_actions_executed_in_turn_give_the_tables_of_the_bulk_load(population):
    offers = TRAVEL.materialize(population, 7)
    with duckdb.connect(":memory:") as connection:
        create_tables(connection, TABLES)
        load_rows(connection, TABLES, "bulk", offers.tables)
        load_rows(connection, TABLES, "actions", {"airports": offers.tables["airports"]})
        actions = initialization_actions(BLUEPRINT, population, 7)
        execute_actions(connection, TABLES, INSERTIONS, "actions", actions)
        stored = [read_rows(connection, TABLES, task_id) for task_id in ("bulk", "actions")]
    assert hash_rows(TABLES, stored[0]) == hash_rows(TABLES, stored[1])


def test_calls_committed_one_by_one_keep_what_was_done_before_a_failure(population):
    actions = initialization_actions(BLUEPRINT, population, 7)
    failing = [next(actions), InitializationAction("add_hotel", {})]
    with duckdb.connect(":memory:") as connection:
        create_tables(connection, TABLES)
        for task_id, together, kept in (("all", True, 0), ("each", False, 1)):
            with pytest.raises(KeyError):
                execute_actions(connection, TABLES, INSERTIONS, task_id, failing, together=together)
            assert len(read_rows(connection, TABLES, task_id)["flights"]) == kept


def test_seats_of_one_service_are_one_call_and_rooms_follow_their_hotel(population):
    actions = list(initialization_actions(BLUEPRINT, population, 7))
    counted = Counter(action.name for action in actions)
    assert counted.keys() == INSERTIONS.keys()
    services = [
        tuple(
            action.arguments[name]
            for name in (*"origin destination date carrier".split(), "departure")
        )
        for action in actions
        if action.name == "add_flight_with_seats"
    ]
    assert len(set(services)) == len(services)
    hotels = set()
    for action in actions:
        if action.name == "add_hotel":
            hotels.add(action.arguments["hotel_id"])
        if action.name == "add_room_to_hotel":
            assert action.arguments["hotel_id"] in hotels
