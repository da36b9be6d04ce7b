"""Personas and dimensions of one's own work wherever a condition is taken."""

import pytest

import crab_graph as cg
from crab_graph.cli import main
from crab_graph.errors import UnknownName, UsageError


@pytest.fixture(scope="module")
def personas(tmp_path_factory):
    folder = tmp_path_factory.mktemp("personas")
    (folder / "persona_anxious.md").write_text("like: terse\nwords: 7\nYou worry.\n")
    (folder / "mood_default.md").write_text("words: 5\nYou are moody.\n")
    return folder


def test_an_episode_takes_them(bench, personas):
    episode = cg.run_episode(bench[0], "silent", "anxious+mood", personas=personas)
    assert (episode.condition, episode.persona) == ("anxious+mood", "anxious")
    assert episode.episode_id == "S1-001.anxious+mood.0"
    with pytest.raises(UnknownName, match="unknown condition 'anxious'"):
        cg.run_episode(bench[0], "silent", "anxious")


def test_a_graph_and_a_rollout_take_them(bench, personas):
    graph = cg.build_graph(bench[0], "silent", "ruse+mood", personas=personas)
    assert graph.invoke({})["status"] == "ended"
    environment = cg.environment(bench[0], "anxious", personas=personas)
    assert environment.reset().observation
    prompt = cg.user_prompt("anxious+mood", personas=personas)
    assert "You worry." in prompt.text and "You are moody." in prompt.text


def test_runs_ablations_estimates_and_forks_take_them(bench, personas, tmp_path):
    asked = {"tasks": "S1", "personas": personas}
    run = cg.run(bench, "silent", "generic, anxious", out=tmp_path / "run", **asked)
    assert run.config.users == ("generic", "anxious")
    assert cg.estimate_run(bench, "silent", "anxious", out=tmp_path / "no", **asked).planned == 1
    found = cg.ablate(bench, "silent", "generic,mood", out=tmp_path / "ablation", **asked)
    assert list(found.levels) == ["generic", "mood"]
    forked = cg.fork_episode(run, "S1-001.anxious.0", 1, tmp_path / "fork")
    assert forked[0].persona == "anxious"


def test_a_fork_may_bring_some_that_its_run_had_not(bench, personas, tmp_path):
    run = cg.run(bench, "silent", "generic", out=tmp_path / "run", tasks=["S1"])
    name, out = "S1-001.generic.0", tmp_path / "fork"
    with pytest.raises(UnknownName, match="unknown condition 'anxious'"):
        cg.fork_episode(run, name, 1, out, user="anxious")
    forked = cg.fork_episode(run, name, 1, out, user="anxious", personas=personas)
    assert (forked[0].condition, forked[0].persona) == ("anxious", "anxious")
    options = ["--turn", "1", "--user", "mood", "--personas", str(personas)]
    assert main(["fork", str(run.directory), name, *options, "--out", str(tmp_path / "two")]) == 0


def test_what_is_no_user_is_said_in_one_line(bench):
    from crab_graph.testing import ScriptedChatModel  # noqa: PLC0415

    wrong = {
        "openai:gpt-5-mini": "is no condition; a model plays one with `engine=llm`",
        "ruze": "unknown condition 'ruze'; did you mean ruse",
        None: "a user is a condition, such as 'ruse', or a function",
        3: "not int",
    }
    for user, words in wrong.items():
        with pytest.raises(UsageError, match=words):
            cg.run_episode(bench[0], "silent", user)  # type: ignore[arg-type]
    with pytest.raises(UsageError, match="ScriptedChatModel is no user by itself"):
        cg.run_episode(bench[0], "silent", ScriptedChatModel(replies=[]))  # type: ignore[arg-type]
