"""A reply that was there is not asked for again, whatever kept the step from ending."""

from typing import Any

import pytest
from langgraph.checkpoint.memory import InMemorySaver

from crab_graph import build_graph
from crab_graph.errors import StorageError
from crab_graph.graph.journal import NAMESPACE
from crab_graph.graph.savers import open_saver, stored_threads
from crab_graph.graph.state import transcript_of
from tests.graph.builders import STOP, Killed, asking_agent, build_task, patient_user, scripted

CONFIG: Any = {"configurable": {"thread_id": "t"}}


@pytest.fixture(params=["sqlite", "memory"])
def saver(request, tmp_path):
    if request.param == "memory":
        yield InMemorySaver()
        return
    with open_saver(tmp_path / "c.sqlite") as opened:
        yield opened


class Sampled:
    """An agent or user that never says the same twice, and counts what it was asked."""

    def __init__(self, *lines):
        self.lines = lines
        self.asked = 0

    def __call__(self, messages, tools):
        self.asked += 1
        said = sum(message.type == "ai" for message in messages)
        return f"{self.lines[min(said, len(self.lines) - 1)]} ({self.asked})"


def die_after_replies(saver, monkeypatch):
    """Let the process die each time after a reply was kept, before its step is stored."""
    original = saver.put_writes
    died = []

    def put_writes(config, writes, task_id, task_path=""):
        if task_id not in died:
            died.append(task_id)
            raise Killed
        original(config, writes, task_id, task_path)

    monkeypatch.setattr(saver, "put_writes", put_writes)
    return died


def test_a_step_that_runs_again_gets_the_reply_it_got(saver, monkeypatch):
    agent, user = Sampled("Hello", "Yes"), Sampled("Hi", "And now?", STOP)
    died = die_after_replies(saver, monkeypatch)
    state: dict[str, Any] = {}
    for _ in range(40):
        graph = build_graph(build_task(), agent, user, saver)
        begun = bool(graph.get_state(CONFIG).values)
        try:
            state = graph.invoke(None if begun else {}, CONFIG, durability="sync")
        except Killed:
            continue
        break
    lines = [line["content"] for line in transcript_of(state)]
    assert lines == ["Hi (1)", "Hello (1)", "And now? (2)", "Yes (2)", f"{STOP} (3)"]
    assert (agent.asked, user.asked) == (2, 3)
    assert len(died) >= 5


def test_replies_are_not_reused_at_another_checkpoint(saver):
    agent = Sampled("Hello", "Yes")
    graph = build_graph(build_task(), agent, scripted("Hi", STOP), saver)
    graph.invoke({}, CONFIG, durability="sync")
    first = next(s for s in graph.get_state_history(CONFIG) if s.next == ("agent",))
    again = graph.update_state(first.config, {"turn": "agent"}, as_node="user")
    state = graph.invoke(None, again)
    assert transcript_of(state)[1]["content"] == "Hello (2)"


def test_what_is_kept_is_no_part_of_the_episodes_history_and_goes_with_its_thread(tmp_path):
    with open_saver(tmp_path / "c.sqlite") as saver:
        graph = build_graph(build_task(), asking_agent(), patient_user(), saver)
        state = graph.invoke({}, CONFIG, durability="sync")
        snapshots = list(graph.get_state_history(CONFIG))
        assert len(snapshots) == len(transcript_of(state)) + 1
        kept: Any = {"configurable": {"thread_id": "t", "checkpoint_ns": NAMESPACE}}
        assert list(saver.list(kept))
        saver.delete_thread("t")
        assert not list(saver.list(kept))
    assert stored_threads(tmp_path / "c.sqlite") == set()


def test_a_reply_that_cannot_be_kept_is_no_fault_of_the_agent(tmp_path, monkeypatch):
    with open_saver(tmp_path / "c.sqlite") as saver:
        original = saver.put

        def full(config, *arguments):
            if config["configurable"]["checkpoint_ns"] == NAMESPACE:
                raise OSError(28, "No space left on device")
            return original(config, *arguments)

        monkeypatch.setattr(saver, "put", full)
        graph = build_graph(build_task(), scripted("Hello"), scripted("Hi", STOP), saver)
        with pytest.raises(StorageError, match="No space left"):
            graph.invoke({}, CONFIG, durability="sync")
        assert graph.get_state(CONFIG).values.get("status") is None


def test_a_state_that_is_handed_in_goes_on_with_whoever_is_next():
    graph = build_graph(build_task(), asking_agent(), patient_user())
    whole = graph.invoke({})
    config: Any = {"configurable": {"thread_id": "t"}}
    with_saver = build_graph(build_task(), asking_agent(), patient_user(), InMemorySaver())
    with_saver.invoke({}, config)
    for snapshot in with_saver.get_state_history(config):
        if not snapshot.next or "counts" not in snapshot.values:
            continue
        histories = {"messages", "user_messages", "events", "user_states"}
        start = {
            key: {"lines": value} if key in histories else value
            for key, value in snapshot.values.items()
        }
        assert transcript_of(graph.invoke(start)) == transcript_of(whole)
