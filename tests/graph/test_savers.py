"""Checkpoint stores: what is built in, and what another package adds by its entry point."""

import sys
from importlib import import_module
from itertools import islice
from typing import Any

import pytest

import crab_graph as cg
from crab_graph.errors import UsageError
from crab_graph.graph.savers import check_address, open_saver, stored_threads
from tests.graph.builders import asking_agent, build_task, patient_user

CONFIG: Any = {"configurable": {"thread_id": "t"}}

PACKAGE = """
import json
from contextlib import contextmanager
from pathlib import Path

from langgraph.checkpoint.memory import InMemorySaver

from crab_graph.errors import UsageError
from crab_graph.graph.savers import CheckpointStore


class NotingSaver(InMemorySaver):
    def put(self, config, checkpoint, metadata, new_versions):
        OPENED.append(config["configurable"]["thread_id"])
        return super().put(config, checkpoint, metadata, new_versions)


OPENED = []
KEPT = {}


def check(address):
    if not address.removeprefix("note://"):
        raise UsageError("names no note")


@contextmanager
def open_note(address):
    yield KEPT.setdefault(address, NotingSaver())


NOTES = CheckpointStore(check, open_note)
"""


@pytest.fixture
def notes(tmp_path, monkeypatch):
    """Install a package that adds a checkpoint store."""
    (tmp_path / "crab_notes.py").write_text(PACKAGE)
    about = tmp_path / "crab_notes-1.0.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: crab-notes\nVersion: 1.0\n")
    (about / "entry_points.txt").write_text("[crab_graph.savers]\nnote = crab_notes:NOTES\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    crab_notes = import_module("crab_notes")

    yield crab_notes
    sys.modules.pop("crab_notes")


def play(saver, stop_after=None):
    graph = cg.build_graph(build_task(), asking_agent(), patient_user(), saver)
    begun = bool(graph.get_state(CONFIG).values)
    states = graph.stream(None if begun else {}, CONFIG, stream_mode="values", durability="sync")
    return list(islice(states, stop_after))[-1]


def test_a_store_of_another_package_keeps_the_episodes_of_a_run(notes, tmp_path):
    bench = cg.generate_benchmark(tmp_path / "bench", tasks=1, strata=[1], distractors=400, seed=3)
    here = cg.run(bench, "solver", "generic", 1, tmp_path / "here")
    there = cg.run(bench, "solver", "generic", 1, tmp_path / "there", checkpoint="note://one")
    assert list(cg.open_run(there.directory)) == list(cg.open_run(here.directory))
    assert notes.OPENED and not (tmp_path / "there" / "checkpoints").exists()
    assert list(notes.KEPT["note://one"].list(None)) == []  # finished episodes are forgotten


def test_an_episode_goes_on_from_a_store_of_another_package(notes):
    whole = play(notes.NotingSaver())
    with open_saver("note://two") as saver:
        play(saver, stop_after=2)
    with open_saver("note://two") as saver:
        assert play(saver) == whole


def test_an_address_is_checked_by_its_store(notes):
    assert check_address("note://one") == "note://one"
    with pytest.raises(UsageError, match=r"`checkpoint=note:.*: names no note"):
        check_address("note://")


@pytest.mark.parametrize("address", ["crab.db", "mysql://crab:hidden-word@db/crab"])
def test_an_address_of_no_store_is_answered_with_the_known_ones(address):
    with pytest.raises(
        UsageError, match=r"there are postgres://…, postgresql://…, sqlite://…"
    ) as e:
        check_address(address)
    assert "hidden-word" not in str(e.value)


def test_a_file_is_a_store_with_an_address(tmp_path):
    path = tmp_path / "c.sqlite"
    address = check_address(f"sqlite:///{path}")
    with open_saver(address) as saver:
        whole = play(saver)
    assert stored_threads(path) == {"t"}
    with open_saver(path) as saver:
        assert play(saver) == whole


def test_a_file_in_no_folder_is_refused(tmp_path):
    with pytest.raises(UsageError, match="no file in a folder that is there"):
        check_address(f"sqlite:///{tmp_path / 'missing' / 'c.sqlite'}")
