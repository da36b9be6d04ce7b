from collections.abc import Mapping
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crab_graph.tools.ledger import Event, Ledger
from crab_graph.tools.tables import Table, World

SHELF = Table("shelf", "item_id", {"item_id": "VARCHAR", "color": "VARCHAR", "count": "INTEGER"})
COLORS = st.sampled_from(["red", "blue", "green"])


def build_world(rows: Mapping[str, str]) -> World:
    listed = [{"item_id": key, "color": color, "count": 5} for key, color in rows.items()]
    return World(
        task_id="T", today="2027-01-01", customer_id="C", schema=[SHELF], rows={"shelf": listed}
    )


def insert(key: str, color: str) -> Event:
    row = {"item_id": key, "color": color, "count": 0}
    return {"op": "insert", "table": "shelf", "key": key, "row": row}


def repaint(key: str, color: str) -> Event:
    return {"op": "update", "table": "shelf", "key": key, "set": {"color": color}}


def add(key: str, delta: int) -> Event:
    return {"op": "add", "table": "shelf", "key": key, "column": "count", "delta": delta}


def remove(key: str, color: str) -> Event:
    return {**insert(key, color), "op": "remove"}


def test_rows_come_ordered_by_key_whatever_order_they_were_loaded_in() -> None:
    forwards, backwards = (
        build_world({"a": "red", "b": "red"}),
        build_world({"b": "red", "a": "red"}),
    )
    assert forwards.find("shelf", "color", "red") == backwards.find("shelf", "color", "red")
    assert [row["item_id"] for row in backwards.rows("shelf")] == ["a", "b"]


def test_a_row_whose_column_changed_is_found_under_its_new_value_only() -> None:
    ledger = Ledger.fold(build_world({"a": "red", "b": "blue"}), [repaint("a", "blue")])
    assert ledger.find("shelf", "color", "red") == ()
    assert [row["item_id"] for row in ledger.find("shelf", "color", "blue")] == ["a", "b"]


def test_folding_leaves_the_world_and_the_events_as_they_were() -> None:
    world, event = build_world({"a": "red"}), insert("b", "red")
    ledger = Ledger.fold(world, [event, add("a", -2), add("b", 1), repaint("b", "blue")])
    assert world.rows("shelf") == ({"item_id": "a", "color": "red", "count": 5},)
    assert event == insert("b", "red")
    assert ledger.get("shelf", "b") == {"item_id": "b", "color": "blue", "count": 1}


def test_changes_that_cancel_out_are_no_changes() -> None:
    ledger = Ledger.fold(build_world({"a": "red"}), [add("a", -2), add("a", 2), insert("b", "red")])
    assert list(ledger.changed("shelf")) == ["b"]


def test_a_row_that_the_episode_added_can_be_taken_back_and_added_again() -> None:
    world = build_world({"a": "red"})
    ledger = Ledger.fold(world, [insert("b", "red"), insert("c", "red"), remove("b", "red")])
    assert [row["item_id"] for row in ledger.rows("shelf")] == ["a", "c"]
    assert ledger.get("shelf", "b") is None
    ledger = ledger.extended([insert("b", "blue")])
    assert [row["item_id"] for row in ledger.inserted("shelf")] == ["c", "b"]
    assert list(ledger.changed("shelf")) == ["b", "c"]


@pytest.mark.parametrize(
    "event",
    [insert("a", "red"), repaint("z", "red"), add("z", 1), remove("a", "red"), remove("z", "red")],
)
def test_an_event_that_does_not_fit_the_tables_is_refused(event: Event) -> None:
    with pytest.raises(ValueError, match="does not fit"):
        Ledger.fold(build_world({"a": "red"}), [event])


@given(st.data())
def test_folding_at_once_equals_extending_step_by_step_and_a_plain_dictionary(
    data: st.DataObject,
) -> None:
    world = build_world({"a": "red", "b": "blue", "c": "red"})
    plain: dict[str, dict[str, Any]] = {row["item_id"]: dict(row) for row in world.rows("shelf")}
    stepwise, events = Ledger.fold(world), []
    new_keys: list[str] = []
    for number in range(data.draw(st.integers(0, 12))):
        kinds = ["insert", "update", "add", *["remove"] * bool(new_keys)]
        kind = data.draw(st.sampled_from(kinds))
        key = f"n{9 - number}" if kind == "insert" else data.draw(st.sampled_from(sorted(plain)))
        if kind == "insert":
            event = insert(key, data.draw(COLORS))
            plain[key] = dict(event["row"])
            new_keys.append(key)
        elif kind == "remove":
            key = data.draw(st.sampled_from(new_keys))
            event = {"op": "remove", "table": "shelf", "key": key, "row": plain.pop(key)}
            new_keys.remove(key)
        elif kind == "update":
            event = repaint(key, data.draw(COLORS))
            plain[key].update(event["set"])
        else:
            event = add(key, data.draw(st.integers(-3, 3)))
            plain[key]["count"] += event["delta"]
        events.append(event)
        stepwise = stepwise.extended([event])
    for ledger in (stepwise, Ledger.fold(world, events)):
        assert ledger.rows("shelf") == tuple(row for _, row in sorted(plain.items()))
        assert [row["item_id"] for row in ledger.inserted("shelf")] == new_keys
        for color in ("red", "blue", "green"):
            expected = [row for _, row in sorted(plain.items()) if row["color"] == color]
            assert list(ledger.find("shelf", "color", color)) == expected
