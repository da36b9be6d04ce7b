"""A user played by a model, over real HTTP on the loopback."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

import crab_graph as cg
from crab_graph.analysis.report.failure_exhibits import user_breaches
from crab_graph.analysis.report.study import load_study
from crab_graph.cli import main
from crab_graph.errors import UsageError
from crab_graph.graph.savers import open_saver
from crab_graph.personas.condition import ABLATION, parse_condition, resolve
from crab_graph.personas.fragment_set import load_fragments
from crab_graph.personas.model_users import OPENING
from crab_graph.personas.prompt import compose_prompt
from crab_graph.personas.wording import word_fact
from crab_graph.runs.config import CHECKPOINTS
from crab_graph.runs.relations import rows_of
from crab_graph.testing import ScriptedServer
from crab_graph.tools.registry import Owner

KEY = "sk-canary-0123456789"
BYE = "That is all. ###STOP###"


@pytest.fixture(autouse=True)
def api_key(monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", KEY)


def talkative(messages, tools):
    del messages, tools
    return "Which seat type would you like?"


def briefing(task):
    return task.domain.briefing(task.domain.slots, task.facts, task.id, task.today)


@pytest.mark.parametrize("name", [*ABLATION, "terse+d2", "impatient+d1+d4", "neutral+d3"])
def test_the_prompt_of_every_condition_reaches_the_model(bench, name):
    task = bench[0]
    with ScriptedServer(["A trip, please.", BYE]) as server:
        episode = cg.run_episode(task, talkative, name, engine="llm", user_model=server.spec)
    prompt = compose_prompt(resolve(parse_condition(name), 0, task.id, 0), briefing(task))
    for request in server.requests:
        assert request["messages"][0] == {"role": "system", "content": prompt.text}
        names = {tool["function"]["name"] for tool in request["tools"]}
        assert names == set(task.domain.registry().names(Owner.USER)) and len(names) == 7
    assert episode.prompt_sha256 == prompt.sha256
    assert (episode.user_engine, episode.user_model) == ("llm", server.spec)


def test_a_dimension_of_a_file_reaches_the_model_and_the_record(bench, tmp_path):
    (tmp_path / "d5_default.md").write_text(
        "patience: 9\nYou drift, with {destination} in mind, {patience} times.\n"
    )
    (tmp_path / "persona_anxious.md").write_text(
        "like: terse\nwords: 7\nYou worry, {words} words.\n"
    )
    with ScriptedServer(["A trip, please.", BYE]) as server:
        run = cg.run(
            bench,
            "solver",
            "anxious+d4+d5",
            out=tmp_path / "run",
            tasks=[bench[0].id],
            engine="llm",
            user_model=server.spec,
            personas=tmp_path,
        )
    fragments = load_fragments(tmp_path)
    settled = resolve(parse_condition("anxious+d4+d5", fragments.added), 0, bench[0].id, 0)
    prompt = compose_prompt(settled, briefing(bench[0]), fragments=fragments)
    there = next(fact.value for fact in bench[0].facts if fact.key == "destination")
    assert f"You drift, with {there} in mind, 9 times." in prompt.text
    assert "You worry, 7 words." in prompt.text
    assert {one["messages"][0]["content"] for one in server.requests} == {prompt.text}
    (episode,) = run.episodes
    assert episode.prompt_sha256 == prompt.sha256
    assert (episode.condition, episode.persona) == ("anxious+d4+d5", "anxious")
    assert episode.dimensions == ("d4", "d5")


def test_a_fragment_that_names_a_fact_the_domain_lacks_begins_no_run(bench, tmp_path):
    (tmp_path / "d5_default.md").write_text("You drift to {shoe_size}.\n")
    with pytest.raises(UsageError, match=r"d5_default\.md: unknown placeholder '\{shoe_size\}'"):
        cg.run(bench, "solver", "d5", out=tmp_path / "run", personas=tmp_path)
    assert not (tmp_path / "run").exists()


def test_conditions_reach_the_model_as_different_prompts(bench):
    with ScriptedServer([BYE]) as server:
        for name in ABLATION:
            cg.run_episode(bench[0], talkative, name, engine="llm", user_model=server.spec)
    assert len({request["messages"][0]["content"] for request in server.requests}) == len(ABLATION)


def test_private_calls_stay_private_and_facts_are_recorded(bench):
    task = bench[0]
    origin = next(fact.value for fact in task.facts if fact.key == "origin")
    script: list[Any] = [f"We fly from {origin}.", [("get_my_payment_cards", {})], "I see.", BYE]
    seen = []

    def agent(messages, tools):
        seen.append([str(message.content) for message in messages[1:]])
        return "Which seat type would you like?"

    with ScriptedServer(script) as server:
        episode = cg.run_episode(task, agent, "ruse", engine="llm", user_model=server.spec)
    assert episode.termination == "STOP"
    assert [step["name"] for step in episode.trace] == ["get_my_payment_cards"]
    assert not any("card_id" in text for view in seen for text in view)
    assert any("card_id" in str(message) for message in server.requests[-1]["messages"])
    told = {fact["key"]: fact for fact in episode.facts if fact["turn"] is not None}
    assert (told["origin"]["turn"], told["origin"]["reason"]) == (1, "volunteered")


def test_what_stays_wrong_after_a_retry_is_the_users_fault(bench):
    with ScriptedServer(["How can I help you today?"]) as server:
        limits = cg.Limits(max_turns=4)
        episode = cg.run_episode(
            bench[0], talkative, "generic", engine="llm", user_model=server.spec, limits=limits
        )
    assert {fault["kind"] for fault in episode.user_faults} == {"plays_agent"}
    assert "was not sent" in str(server.requests[1]["messages"][-1])
    assert episode.fault == "user"


def test_a_user_that_tells_all_at_once_is_recorded_shown_queried_and_reported(
    bench, tmp_path, capsys
):
    task = bench[0]
    everything = " ".join(
        word_fact(fact, task.briefing.lexicon, None, short=False) for fact in task.briefing.facts
    )
    out = tmp_path / "run"

    def tells(messages):
        is_again = "was not sent" in messages[-1]["content"]
        return everything if is_again or messages[-2]["content"] == OPENING else BYE

    with ScriptedServer(tells) as server:
        run = cg.run(bench, "silent", "terse", 1, out, tasks=[task.id], engine="llm",
                     user_model=server.spec)  # fmt: skip
        assert "you tell more than this message may" in str(server.requests[1]["messages"][-1])
    (record,) = run.episodes
    (fault, *_) = record.user_faults
    assert (fault["turn"], fault["kind"]) == (1, "over_discloses")
    assert record.user_retries >= 1 and (record.over_disclosed or 0) > 5
    (row, *_) = rows_of(record)["user_breaches"]
    assert (row["kind"], row["episode_id"]) == ("over_discloses", record.episode_id)
    assert main(["show", str(out), record.episode_id]) == 0
    shown = capsys.readouterr().out
    assert "over_discloses" in shown and "beyond what its condition lets it" in shown
    (exhibit,) = user_breaches(load_study([out]))
    assert "over discloses" in [head.title for head in exhibit.columns]


def test_keys_reach_the_server_and_nothing_that_is_kept(bench, tmp_path):
    with ScriptedServer(["A trip, please.", BYE]) as server:
        out = tmp_path / "run"
        cg.run(bench, "silent", "ruse", 1, out, tasks=["S1"], engine="llm", user_model=server.spec)
        with open_saver(tmp_path / "one.sqlite") as saver:
            cg.run_episode(
                bench[0],
                talkative,
                "ruse",
                engine="llm",
                user_model=server.spec,
                checkpointer=saver,
            )
    assert set(server.keys) == {f"Bearer {KEY}"}
    kept = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert len(kept) >= 3
    assert not any(KEY.encode() in path.read_bytes() for path in kept)


def test_a_run_with_a_model_user_goes_on_with_resume(bench, tmp_path, capsys):
    out = tmp_path / "run"
    with ScriptedServer(["A trip, please.", BYE]) as server:
        arguments = ["run", str(bench.directory), "--agent", "silent", "--tasks", "S1"]
        arguments += ["--engine", "llm", "--user-model", server.spec, "--out", str(out)]
        assert main(arguments) == 0
        first = (out / "shards" / "part-0.jsonl").read_bytes()
        (out / "shards" / "part-0.jsonl").unlink()
        assert main(["resume", str(out)]) == 0
    again = (out / "shards" / "part-0.jsonl").read_bytes()
    clock = re.compile(rb'"seconds":({"user":)?[0-9.]+|"seal":"[0-9a-f]+"')
    assert clock.sub(b"", again) == clock.sub(b"", first)
    assert not (out / CHECKPOINTS).exists()
    config = json.loads((out / "run.json").read_text())
    assert (config["user_engine"], config["user_model"]) == ("llm", server.spec)


def test_added_personas_are_run_and_resumed(bench, tmp_path):
    (tmp_path / "p").mkdir()
    (tmp_path / "p" / "persona_anxious.md").write_text("like: terse\nYou worry a lot.\n")
    with ScriptedServer([BYE]) as server:
        run = cg.run(
            bench,
            "silent",
            "anxious+d2",
            1,
            tmp_path / "run",
            tasks=["S1-001"],
            engine="llm",
            user_model=server.spec,
            personas=tmp_path / "p",
        )
        assert "You worry a lot." in server.requests[0]["messages"][0]["content"]
    assert [one.persona for one in run] == ["anxious"]
    assert run[0].episode_id == "S1-001.anxious+d2.0"
    assert cg.resume_run(tmp_path / "run").is_complete
    Path(tmp_path / "p" / "persona_anxious.md").write_text("like: terse\nYou worry.\n")
    with pytest.raises(cg.CrabGraphError, match="begun with prompt fragments"):
        cg.resume_run(tmp_path / "run")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"engine": "llm"}, "needs a model"),
        ({"user_model": "openai:x"}, "only with `engine=llm` or hybrid"),
        ({"engine": "magic"}, "unknown engine 'magic'"),
        ({"engine": "llm", "user_model": "nothing"}, "neither provider:model"),
    ],
)
def test_settings_that_do_not_fit_are_refused(bench, tmp_path, options, message):
    with pytest.raises(UsageError, match=message):
        cg.run(bench, "silent", "ruse", 1, tmp_path / "run", **options)
    assert not (tmp_path / "run").exists()
