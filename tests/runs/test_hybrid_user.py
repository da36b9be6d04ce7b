"""A user whose rules decide and whose model words, over real HTTP on the loopback."""

import pytest

import crab_graph as cg
from crab_graph.testing import ScriptedServer


def draft_of(messages):
    return messages[-1]["content"].partition("The draft of the answer:\n\n")[2]


def play(bench, script):
    with ScriptedServer(script) as server:
        episode = cg.run_episode(
            bench[0], "solver", "ruse", engine="hybrid", user_model=server.spec
        )
        return episode, server.requests


def test_a_faithful_wording_is_said_and_the_task_is_solved(bench):
    episode, requests = play(bench, lambda messages: f"Well: {draft_of(messages)}")
    assert episode.passed
    said = [m["content"] for m in episode.messages if m["role"] == "user" and m["content"]]
    assert all(text.startswith("Well: ") for text in said)
    assert "You word the chat messages" in requests[0]["messages"][0]["content"]
    assert "tools" not in requests[0]
    assert (episode.user_engine, len(episode.prompt_sha256 or "")) == ("hybrid", 64)


def test_a_wording_that_changes_anything_is_replaced_by_the_draft(bench):
    rules = cg.run_episode(bench[0], "solver", "ruse")

    def spoilt(messages):
        draft = draft_of(messages)
        return f"{draft} {'Our budget is $12.34.' if len(draft) % 2 else '###STOP###'}"

    episode, _ = play(bench, spoilt)
    assert [m["content"] for m in episode.messages] == [m["content"] for m in rules.messages]
    assert episode.user_wordings["replaced"] == episode.user_wordings["worded"] > 0


@pytest.mark.slow
def test_a_bare_yes_is_said_only_where_the_draft_approves(bench):
    rules = cg.run_episode(bench[0], "solver", "ruse")
    episode, _ = play(bench, lambda messages: "Yes.")
    pairs = zip(rules.messages, episode.messages, strict=True)
    drafts = [draft["content"] for draft, said in pairs if draft != said]
    assert episode.passed
    assert all("go ahead" in text.casefold() or "yes" in text.casefold() for text in drafts)
