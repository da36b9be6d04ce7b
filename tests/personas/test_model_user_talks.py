"""Talks of a language model in the user's seat, kept whole: how near to people its turns are."""

import json
from statistics import fmean

from benchmarks.bench_talks import TALKS, load_set
from crab_graph.analysis.fidelity.turn_rates import HUMAN, gap, kinds_of
from crab_graph.text.phrases import without_tokens


def said(talk):
    """Return the user's visible messages."""
    lines = (TALKS / "users" / f"{talk['talk']}.jsonl").read_text(encoding="utf-8").splitlines()
    for message in map(json.loads, lines):
        if message["role"] == "user" and not message.get("tool_calls"):
            text = without_tokens(message["content"])
            if text.strip():
                yield text


def test_a_model_within_its_notes_talks_as_people_do():
    talks = load_set("users")
    turns = [text for talk in talks for text in said(talk)]
    rates = {kind: fmean(kind in kinds_of(text) for text in turns) for kind in HUMAN}
    assert {talk["persona"] for talk in talks} == {"terse", "neutral", "impatient"}
    assert fmean(gap(kind, rate) for kind, rate in rates.items()) <= 6
    assert fmean(len(text.split()) for text in turns) < 14
