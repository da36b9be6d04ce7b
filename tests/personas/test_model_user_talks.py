"""Talks of a language model in the user's seat, kept whole: how near to people its turns are."""

import json
from pathlib import Path
from statistics import fmean

import pytest

import crab_graph as cg
from crab_graph import generate_benchmark
from crab_graph.analysis.fidelity.turn_rates import HUMAN, gap, kinds_of
from crab_graph.text.phrases import without_tokens

TALKS = Path(__file__).parent / "model_user_talks" / "talks.jsonl"


@pytest.fixture(scope="module")
def talks():
    return [json.loads(line) for line in TALKS.read_text(encoding="utf-8").splitlines()]


def said(talk):
    """Return the user's visible messages."""
    lines = (one for one in talk["messages"] if one["role"] == "user" and not one.get("tool_calls"))
    return [text for one in lines if (text := without_tokens(one["content"])).strip()]


def test_a_model_within_its_notes_talks_as_people_do(talks):
    turns = [text for talk in talks for text in said(talk)]
    rates = {kind: fmean(kind in kinds_of(text) for text in turns) for kind in HUMAN}
    assert len(talks) >= 12 and {talk["persona"] for talk in talks} == {
        "terse",
        "neutral",
        "impatient",
    }
    assert fmean(gap(kind, rate) for kind, rate in rates.items()) <= 6
    assert fmean(len(text.split()) for text in turns) < 14


def test_every_turn_was_judged_and_hardly_any_is_wrong(talks):
    judged = [one for talk in talks for one in talk["reader"]]
    turns = [one for talk in talks for one in talk["messages"] if one["role"] == "user"]
    assert len(judged) == sum(not one.get("tool_calls") for one in turns)
    assert sum(one.startswith("wrong") for one in judged) <= len(judged) / 100
    assert not any(talk["user_faults"] for talk in talks)


@pytest.mark.slow
def test_the_talks_are_graded_as_they_were_on_their_benchmark(talks, tmp_path):
    bench = generate_benchmark(str(tmp_path / "kept"), tasks=12, seed=53, distractors=400)
    for talk in talks:
        verdict = cg.grade(bench[talk["task_id"]], talk["messages"])
        assert verdict.passed == (talk["outcome"] == "pass"), talk["task_id"]
