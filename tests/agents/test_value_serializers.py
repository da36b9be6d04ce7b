"""Values of an agent's state, written down and made again by data types that are there alone."""

import dataclasses
import os
from enum import Enum
from typing import Any

import ormsgpack
import pytest
from langchain_core.messages import AIMessage
from pydantic import BaseModel

from crab_graph.agents.value_serializers import ByReference, dumps, loads


class Plan(BaseModel):
    steps: list[str]


@dataclasses.dataclass
class Note:
    text: str


class Colour(Enum):
    RED = "red"


@pytest.mark.parametrize(
    "value", [None, b"x", {"a": [1, 2.5]}, Plan(steps=["a"]), Note("n"), Colour.RED, {1, 2}]
)
def test_values_come_back_as_they_were(value):
    written = dumps({"nested": [value]})
    assert written is not None
    assert loads(*written) == {"nested": [value]}


def test_messages_come_back_as_they_were():
    message = AIMessage("x", tool_calls=[{"name": "a", "args": {"b": 1}, "id": "c"}], id="d")
    written = dumps(message)
    assert written is not None
    assert loads(*written) == message


def test_what_cannot_be_written_is_told():
    assert dumps({"a": object()}) is None


def test_what_is_written_calls_nothing(tmp_path):
    trace = tmp_path / "called"
    for code, call in (
        (0, ["os", "system", f"touch {trace}"]),
        (1, ["os", "system", [f"touch {trace}"]]),
        (2, ["subprocess", "run", {"args": ["touch", str(trace)]}]),
        (3, ["pathlib", "Path", str(trace), "touch"]),
        (5, ["builtins", "exec", {"source": "raise SystemExit"}, "x"]),
    ):
        inner = ormsgpack.packb(call)
        data = ormsgpack.packb([ormsgpack.Ext(code, inner)])
        loads("msgpack", data)
        assert not trace.exists(), (code, os.listdir(tmp_path))


def test_references_hand_on_anything_and_copy_what_is_written_into():
    kept = ByReference()
    lock: Any = object()
    value = {"lock": lock, "list": [1]}
    written = kept.dumps_typed(value)
    value["list"].append(2)
    found = kept.loads_typed(written)
    assert found["lock"] is lock
    assert found["list"] == [1]
