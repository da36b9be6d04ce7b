"""A run as a log of Inspect, which its viewer and its data frames open (extra `inspect`).

A sample is a task under one user, an epoch is a trial.
"""

import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from crab_graph.analysis.export.folder import check_free
from crab_graph.analysis.export.provenance import begun_at, episode_stamp, run_stamp
from crab_graph.analysis.export.trajectory import Message, Seats, agent_messages, open_seats
from crab_graph.errors import MissingExtra, UsageError
from crab_graph.runs.record import EpisodeRecord
from crab_graph.runs.run import Run
from crab_graph.schema import digest

if TYPE_CHECKING:
    from inspect_ai.log import EvalLog, EvalResults, EvalSample
    from inspect_ai.model import ChatMessage
    from inspect_ai.scorer import Score

_SUFFIXES = {".eval": "eval", ".json": "json"}
_SCORER = "crab-graph"


def export_inspect(run: Run, out: Path, *, force: bool = False) -> dict[str, int]:
    """Write a run as an Inspect log.

    Args:
        run: The run.
        out: The file: `.eval`, or `.json` for Inspect's text form.
        force: Whether what is there is replaced.

    Returns:
        The number of samples written.

    Raises:
        MissingExtra: Inspect is not installed.
        UsageError: the name ends otherwise, or the file is there and `force` is not given.
        RunError: the run's benchmark is not what it was.
    """
    try:
        from inspect_ai.log import write_eval_log  # noqa: PLC0415  (an extra)
    except ImportError:
        raise MissingExtra("the export to Inspect", "inspect") from None

    if out.suffix not in _SUFFIXES:
        raise UsageError(f"{out}: an Inspect log ends in {' or '.join(_SUFFIXES)}")
    check_free(out, force=force)
    log = _log(run, open_seats(run))
    out.parent.mkdir(parents=True, exist_ok=True)
    unfinished = out.with_name(f".{os.getpid()}.{out.name}")
    try:
        write_eval_log(log, str(unfinished), format=_SUFFIXES[out.suffix])
        unfinished.replace(out)
    finally:
        unfinished.unlink(missing_ok=True)
    return {"samples": len(run)}


def _log(run: Run, seats: Seats) -> "EvalLog":
    from inspect_ai.log import (  # noqa: PLC0415
        EvalConfig,
        EvalDataset,
        EvalLog,
        EvalPlan,
        EvalSpec,
        EvalStats,
    )

    stamp = run_stamp(run)
    begun = begun_at(run).isoformat()
    reference = ["reference agent"] if stamp["agent_is_reference"] else []
    spec = EvalSpec(
        eval_id=digest(stamp)[:22],
        run_id=digest(stamp)[22:44],
        created=begun,
        task="crab-graph",
        task_id=run.config.benchmark_sha256[:22],
        dataset=EvalDataset(
            name="crab-graph",
            samples=len(run.config.tasks) * len(run.config.users),
            sample_ids=[f"{task}.{user}" for task in run.config.tasks for user in run.config.users],
        ),
        model=f"crab-graph/{run.config.agent_label}",
        config=EvalConfig(epochs=run.config.trials),
        packages=run.config.versions,
        metadata=stamp,
        tags=[*reference, f"{run.config.user_engine} user"],
    )
    return EvalLog(
        status="success" if run.is_complete else "cancelled",
        eval=spec,
        plan=EvalPlan(name="crab-graph"),
        stats=EvalStats(started_at=begun, completed_at=begun),
        results=_results(run),
        samples=[_sample(record, seats) for record in run],
    )


def _results(run: Run) -> "EvalResults":
    from inspect_ai.log import EvalMetric, EvalResults, EvalScore  # noqa: PLC0415

    scored = [one for one in run if one.outcome != "infra_error"]

    def score(name: str, passed: Sequence[bool]) -> EvalScore:
        rate = sum(passed) / len(passed) if passed else 0.0
        metric = EvalMetric(name="accuracy", value=rate)
        return EvalScore(
            name=name, scorer=_SCORER, scored_samples=len(passed), metrics={"accuracy": metric}
        )

    return EvalResults(
        total_samples=run.planned,
        completed_samples=len(scored),
        scores=[
            score("passed", [one.passed for one in scored]),
            score("strict", [bool(one.strict.get("passed")) for one in scored]),
        ],
    )


def _sample(record: EpisodeRecord, seats: Seats) -> "EvalSample":
    from inspect_ai.log import EvalError, EvalSample  # noqa: PLC0415
    from inspect_ai.model import ModelOutput  # noqa: PLC0415

    seat = seats.of(record)
    messages = _messages(agent_messages(record, seat))
    said = [one for one in record.messages if one["role"] == "assistant"]
    error = record.error
    return EvalSample(
        id=f"{record.task_id}.{record.condition}",
        epoch=record.trial + 1,
        input=messages[1].text if len(messages) > 1 else "",
        target="pass",
        messages=messages,
        output=ModelOutput.from_content(
            model=f"crab-graph/{record.agent_label}", content=said[-1]["content"] if said else ""
        ),
        scores=None if record.outcome == "infra_error" else _scores(record),
        metadata={**episode_stamp(record), "metrics": record.metrics, "facts": list(record.facts)},
        error=EvalError(message=error, traceback=error, traceback_ansi=error) if error else None,
        uuid=digest([record.episode_id, record.seed, record.agent])[:22],
    )


def _scores(record: EpisodeRecord) -> "dict[str, Score]":
    from inspect_ai.scorer import CORRECT, INCORRECT, Score  # noqa: PLC0415

    def score(passed: bool, checks: dict[str, Any]) -> Score:
        failed = [name for name, verdict in checks.items() if verdict == "fail"]
        return Score(
            value=CORRECT if passed else INCORRECT,
            answer=record.outcome,
            explanation=f"failed: {', '.join(failed)}" if failed else "no check failed",
            metadata={"checks": checks, "failures": list(record.failures)},
        )

    strict = record.strict
    return {
        "passed": score(record.passed, dict(record.checks)),
        "strict": score(bool(strict.get("passed")), dict(strict.get("checks", {}))),
    }


def _messages(messages: Sequence[Message]) -> "list[ChatMessage]":
    from inspect_ai.model import (  # noqa: PLC0415
        ChatMessageAssistant,
        ChatMessageSystem,
        ChatMessageTool,
        ChatMessageUser,
    )

    built: list[ChatMessage] = []
    called: dict[str, str] = {}
    for message in messages:
        content = message["content"]
        match message["role"]:
            case "system":
                built.append(ChatMessageSystem(content=content))
            case "user":
                built.append(ChatMessageUser(content=content))
            case "tool":
                id = message["tool_call_id"]
                tool = ChatMessageTool(content=content, tool_call_id=id, function=called.get(id))
                built.append(tool)
            case _:
                asked = message.get("tool_calls", ())
                called |= {call["id"]: call["function"]["name"] for call in asked}
                calls = [_call(call) for call in asked]
                built.append(ChatMessageAssistant(content=content, tool_calls=calls or None))
    return built


def _call(call: Message) -> Any:
    import json  # noqa: PLC0415

    from inspect_ai.tool import ToolCall  # noqa: PLC0415

    function = call["function"]
    try:
        arguments, broken = json.loads(function["arguments"]), None
    except json.JSONDecodeError as error:
        arguments, broken = {}, f"{function['arguments']} ({error})"
    if not isinstance(arguments, dict):
        arguments, broken = {}, function["arguments"]
    return ToolCall(
        id=call["id"], function=function["name"], arguments=arguments, parse_error=broken
    )
