"""A run as a log of Inspect, which its viewer and its data frames open (extra `inspect`).

A sample is a task under one user, an epoch is a trial.
"""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from inspect_ai import log, model, scorer, tool

from crab_graph.analysis.export.exporters import (
    Message,
    agent_messages,
    begun_at,
    episode_stamp,
    run_stamp,
)
from crab_graph.runs.notes import Note, notes_by_episode
from crab_graph.runs.record import EpisodeRecord
from crab_graph.runs.run import Run, benchmark_of
from crab_graph.schema import digest

_SCORER = "crab-graph"


def inspect_log(run: Run) -> log.EvalLog:
    """Return a run as a log.

    Raises:
        RunError: the run's benchmark is not what it was.
    """
    bench, notes = benchmark_of(run), notes_by_episode(run.notes)
    stamp = run_stamp(run)
    begun = begun_at(run).isoformat()
    reference = ["reference agent"] if stamp["agent_is_reference"] else []
    config = run.config
    spec = log.EvalSpec(
        eval_id=digest(stamp)[:22],
        run_id=digest(stamp)[22:44],
        created=begun,
        task="crab-graph",
        task_id=config.benchmark_sha256[:22],
        dataset=log.EvalDataset(
            name="crab-graph",
            samples=len(config.tasks) * len(config.users),
            sample_ids=[f"{task}.{user}" for task in config.tasks for user in config.users],
        ),
        model=f"crab-graph/{config.agent_label}",
        config=log.EvalConfig(epochs=config.trials),
        packages=config.versions,
        metadata=stamp,
        tags=[*reference, f"{config.user_engine} user"],
    )
    scored = [one for one in run if one.has_verdict]
    results = log.EvalResults(
        total_samples=run.planned,
        completed_samples=len(scored),
        scores=[
            _total("passed", [one.passed for one in scored]),
            _total("strict", [bool(one.strict.get("passed")) for one in scored]),
        ],
    )
    return log.EvalLog(
        status="success" if run.is_complete else "cancelled",
        eval=spec,
        plan=log.EvalPlan(name="crab-graph"),
        stats=log.EvalStats(started_at=begun, completed_at=begun),
        results=results,
        samples=[
            _sample(record, agent_messages(bench, record), notes.get(record.episode_id, ()))
            for record in run
        ],
    )


def _total(name: str, passed: Sequence[bool]) -> log.EvalScore:
    rate = sum(passed) / len(passed) if passed else 0.0
    metrics = {"accuracy": log.EvalMetric(name="accuracy", value=rate)}
    return log.EvalScore(name=name, scorer=_SCORER, scored_samples=len(passed), metrics=metrics)


def _sample(
    record: EpisodeRecord, seen: Sequence[Message], notes: Sequence[Note]
) -> log.EvalSample:
    messages = _messages(seen)
    said = [one for one in record.messages if one["role"] == "assistant"]
    error, strict = None if record.has_verdict else record.error, record.strict
    scores = {
        "passed": _score(record, record.passed, record.checks),
        "strict": _score(record, bool(strict.get("passed")), strict.get("checks", {})),
    }
    return log.EvalSample(
        id=f"{record.task_id}.{record.condition}",
        epoch=record.trial + 1,
        input=messages[1].text if len(messages) > 1 else "",
        target="pass",
        messages=messages,
        output=model.ModelOutput.from_content(
            model=f"crab-graph/{record.agent_label}", content=said[-1]["content"] if said else ""
        ),
        scores=scores if record.has_verdict else None,
        metadata={
            **episode_stamp(record, notes),
            "metrics": record.metrics,
            "facts": list(record.facts),
        },
        error=log.EvalError(message=error, traceback=error, traceback_ansi=error)
        if error
        else None,
        uuid=digest([record.episode_id, record.seed, record.agent])[:22],
    )


def _score(record: EpisodeRecord, passed: bool, checks: Mapping[str, Any]) -> scorer.Score:
    failed = [name for name, verdict in checks.items() if verdict == "fail"]
    return scorer.Score(
        value=scorer.CORRECT if passed else scorer.INCORRECT,
        answer=record.outcome,
        explanation=f"failed: {', '.join(failed)}" if failed else "no check failed",
        metadata={"checks": dict(checks), "failures": list(record.failures)},
    )


def _messages(messages: Sequence[Message]) -> list[model.ChatMessage]:
    built: list[model.ChatMessage] = []
    called: dict[str, str] = {}
    for message in messages:
        content = message["content"]
        match message["role"]:
            case "system":
                built.append(model.ChatMessageSystem(content=content))
            case "user":
                built.append(model.ChatMessageUser(content=content))
            case "tool":
                id = message["tool_call_id"]
                name = called.get(id)
                built.append(model.ChatMessageTool(content=content, tool_call_id=id, function=name))
            case _:
                calls = [_call(call) for call in message.get("tool_calls", ())]
                called |= {call.id: call.function for call in calls}
                built.append(model.ChatMessageAssistant(content=content, tool_calls=calls or None))
    return built


def _call(call: Message) -> tool.ToolCall:
    name, written = call["function"]["name"], call["function"]["arguments"]
    try:
        arguments, broken = json.loads(written), None
    except json.JSONDecodeError as error:
        arguments, broken = {}, f"{written} ({error})"
    if not isinstance(arguments, dict):
        arguments, broken = {}, written
    return tool.ToolCall(id=call["id"], function=name, arguments=arguments, parse_error=broken)
