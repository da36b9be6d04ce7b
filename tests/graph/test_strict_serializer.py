"""Checkpoints from somebody else: whatever they hold, nothing of it is imported or called."""

import json
import pickle
import sqlite3
from contextlib import closing
from typing import Any

import ormsgpack
import pytest
from langchain_core.messages import AIMessage, HumanMessage, ToolMessage
from langgraph.checkpoint.serde.jsonplus import JsonPlusSerializer
from langgraph.checkpoint.serde.types import _DeltaSnapshot
from langgraph.types import Interrupt

from crab_graph.errors import RunError
from crab_graph.graph.savers import open_saver, stored_threads
from crab_graph.graph.strict_serializer import StrictSerializer
from tests.graph.test_savers import CONFIG, play
from tests.postgres_server import postgres_server

STRICT = StrictSerializer("part-0.sqlite")


class _Reduced:
    def __init__(self, command: str) -> None:
        self._command = command

    def __reduce__(self) -> Any:
        import os  # noqa: PLC0415

        return os.system, (self._command,)


def ext(code: int, *parts: Any) -> bytes:
    return ormsgpack.packb({"messages": [ormsgpack.Ext(code, ormsgpack.packb(parts))]})


def hostile(trace: Any) -> dict[str, tuple[str, bytes]]:
    """Return values that others could write: each touches a file if it is made again."""
    touch = f"touch {trace}"
    lc = {"lc": 2, "type": "constructor", "id": ["os", "system"], "args": [touch]}
    nested = ormsgpack.packb(ormsgpack.Ext(0, ormsgpack.packb(("os", "system", touch))))
    return {
        "callable": ("msgpack", ext(0, "os", "system", touch)),
        "callable of many": ("msgpack", ext(1, "os", "system", [touch])),
        "callable of names": ("msgpack", ext(2, "subprocess", "run", {"args": ["touch", "x"]})),
        "method": ("msgpack", ext(3, "pathlib", "Path", str(trace), "touch")),
        "pydantic 1": ("msgpack", ext(4, "antigravity", "Model", {"a": 1})),
        "pydantic 2": ("msgpack", ext(5, "crab_graph.settings", "Limits", {}, "x")),
        "model with a host": (
            "msgpack",
            ext(5, "langchain_openai.chat_models.base", "ChatOpenAI", {"model": "m"}, "x"),
        ),
        "dataclass": ("msgpack", ext(2, "crab_graph.settings", "Limits", {"max_turns": 1})),
        "enum": ("msgpack", ext(0, "crab_graph.settings", "Engine", "llm")),
        "path": ("msgpack", ext(0, "pathlib", "PosixPath", "/etc/passwd")),
        "expression": ("msgpack", ext(1, "re", "compile", ["(a+)+$", 0])),
        "zone": ("msgpack", ext(0, "zoneinfo", "ZoneInfo", "../../../etc/passwd")),
        "numpy": ("msgpack", ext(6, "|O", [1], "C", b"\0" * 8)),
        "send": ("msgpack", ext(1, "langgraph.types", "Send", ["agent", {}])),
        "command": ("msgpack", ext(2, "langgraph.types", "Command", {"goto": "agent"})),
        "message with a type in it": (
            "msgpack",
            ormsgpack.packb(
                ormsgpack.Ext(
                    5,
                    ormsgpack.packb(
                        (
                            "langchain_core.messages.human",
                            "HumanMessage",
                            {"content": ormsgpack.Ext(0, ormsgpack.packb(("os", "system", touch)))},
                            "x",
                        )
                    ),
                )
            ),
        ),
        "message that is none": (
            "msgpack",
            ext(5, "langchain_core.messages.human", "HumanMessage", {"content": {"a": 1}}, "x"),
        ),
        "message by another call": ("msgpack", ext(2, "langchain_core.messages", "AIMessage", {})),
        "within deltas": ("msgpack", ormsgpack.packb(ormsgpack.Ext(7, nested))),
        "unknown code": ("msgpack", ext(99, "os", "system", touch)),
        "pickle": ("pickle", pickle.dumps(_Reduced(touch))),
        "json": ("json", json.dumps(lc).encode()),
        "not msgpack": ("msgpack", b"\xc1"),
        "deep": ("msgpack", b"\x91" * 5000),
    }


@pytest.mark.parametrize("kind", hostile("x"))
def test_what_is_no_value_of_a_checkpoint_is_refused_and_makes_nothing(kind, tmp_path):
    trace = tmp_path / "made"
    with pytest.raises(RunError, match=r"^part-0\.sqlite: holds .*, which no checkpoint") as error:
        STRICT.loads_typed(hostile(trace)[kind])
    assert "\n" not in str(error.value)
    assert not trace.exists()


def test_the_same_values_act_with_the_serializer_of_langgraph(tmp_path):
    trace = tmp_path / "made"
    JsonPlusSerializer(allowed_msgpack_modules=True).loads_typed(hostile(trace)["callable"])
    assert trace.exists()


def test_plain_values_messages_and_questions_come_back():
    values = [
        None,
        b"x",
        {"a": [1, 2.5, True, None, "ü", b"y"], "deep": {"b": {}}},
        [
            HumanMessage("hi", id="1"),
            AIMessage("", tool_calls=[{"name": "f", "args": {"a": 1}, "id": "c"}]),
            ToolMessage("r", tool_call_id="c"),
        ],
        Interrupt(value={"seat": "user", "messages": []}, id="i"),
    ]
    for value in values:
        assert STRICT.loads_typed(STRICT.dumps_typed(value)) == value
        assert JsonPlusSerializer().loads_typed(STRICT.dumps_typed(value)) == value
    delta = STRICT.loads_typed(STRICT.dumps_typed(_DeltaSnapshot([{"role": "user"}])))
    assert delta.value == [{"role": "user"}]
    with pytest.raises(TypeError, match="not msgpack serializable"):
        STRICT.dumps_typed({"x": object()})


def _poison(path, column, where):
    kind, packed = hostile("x")["callable"]
    with closing(sqlite3.connect(path)) as file, file:
        changed = file.execute(
            f"UPDATE {where} SET type = ?, {column} = ?",
            (kind, packed),
        )
        assert changed.rowcount


@pytest.mark.parametrize(("where", "column"), [("checkpoints", "checkpoint"), ("writes", "value")])
def test_an_episode_does_not_go_on_from_a_hostile_file(where, column, tmp_path):
    path = tmp_path / "part-0.sqlite"
    with open_saver(path) as saver:
        play(saver, stop_after=3)
    _poison(path, column, where)
    with open_saver(path) as saver, pytest.raises(RunError, match=r"type 'os\.system'"):
        play(saver)


@pytest.mark.parametrize(
    "made",
    [
        "CREATE VIEW more AS SELECT 1",
        "CREATE TRIGGER t AFTER DELETE ON checkpoints BEGIN DELETE FROM writes; END",
        "CREATE VIRTUAL TABLE v USING fts5(a)",
    ],
)
def test_a_file_of_checkpoints_that_acts_by_itself_is_not_read(made, tmp_path):
    path = tmp_path / "part-0.sqlite"
    with open_saver(path):
        pass
    with closing(sqlite3.connect(path)) as file, file:
        file.execute(made)
    with pytest.raises(RunError, match="which no file of checkpoints does"):
        stored_threads(path)


def test_a_link_to_a_file_elsewhere_is_no_file_of_checkpoints(tmp_path):
    (tmp_path / "part-0.sqlite").symlink_to(tmp_path / "elsewhere.sqlite")
    with pytest.raises(RunError, match="is a link"):
        stored_threads(tmp_path / "part-0.sqlite")
    assert not (tmp_path / "elsewhere.sqlite").exists()


def test_a_journal_that_names_another_file_is_refused(tmp_path):
    path = tmp_path / "part-0.sqlite"
    with open_saver(path):
        pass
    mark = bytes.fromhex("d9d505f920a163d7")
    (tmp_path / "part-0.sqlite-journal").write_bytes(mark + b"\0" * 504 + b"/home/victim" + mark)
    with pytest.raises(RunError, match=r"part-0\.sqlite-journal: names another file"):
        stored_threads(path)


@pytest.mark.slow
def test_a_database_is_read_as_strictly_as_a_file():
    psycopg = pytest.importorskip("psycopg")
    with postgres_server() as (address, _):
        with open_saver(address) as saver:
            play(saver, stop_after=3)
        for table in ("checkpoint_writes", "checkpoint_blobs"):
            with psycopg.connect(address) as connection:
                kept = connection.execute(f"SELECT type, blob FROM {table}").fetchall()
                kind, packed = hostile("x")["callable"]
                assert kept
                connection.execute(f"UPDATE {table} SET type = %s, blob = %s", (kind, packed))
            with open_saver(address) as saver, pytest.raises(RunError, match=r"'os\.system'"):
                saver.get_tuple(CONFIG)
                play(saver)
