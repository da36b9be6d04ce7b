"""The labelled messages of agents, as `make bench` scores them."""

import importlib.util
import sys
from functools import cache
from pathlib import Path

import pytest

from crab_graph.personas.reader_model import stamp_of

ROOT = Path(__file__).parents[2]


def bench(name="bench_understanding"):
    path = ROOT / "benchmarks" / f"{name}.py"
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


BENCH = bench()
TRAINING = bench("train_reader")
NTH = "first second third fourth fifth".split()
RETRAIN = (
    "cues, messages or features changed since: run `python benchmarks/train_reader.py` (~40 s)"
)


def test_the_weights_were_learned_from_the_present_messages_and_cues():
    present = TRAINING.stamp()
    assert stamp_of(TRAINING.SHARED) == present, RETRAIN
    assert stamp_of(TRAINING.OWN) == present, RETRAIN


def test_training_on_the_same_messages_gives_the_same_weights():
    some = [TRAINING.example(message) for message in TRAINING.load("open")[:20]]
    for first, second in zip(TRAINING.train(some), TRAINING.train(some), strict=True):
        assert first.rows == second.rows and first.values.any()
        assert first.values.tolist() == second.values.tolist()


@pytest.mark.slow
def test_the_weights_are_what_training_gives():
    assert TRAINING.check(), RETRAIN


@cache
def scores_of(half):
    return BENCH.score(BENCH.load_half(half))


@pytest.mark.parametrize("half", ("blind", "open"))
def test_messages_are_understood_as_they_are_labelled(half):
    scores = scores_of(half)
    assert min(scores[kind].ratios()[2] for kind in BENCH.KINDS) >= BENCH.TARGET
    assert min(scores[kind].macro for kind in ("asked", "intents")) >= BENCH.TARGET


@pytest.mark.slow
@pytest.mark.parametrize("name", (*BENCH.STYLES, *(f"{nth}_blind" for nth in NTH), "rare_acts"))
def test_messages_of_every_style_are_understood(name):
    scores = scores_of(name)
    assert min(scores[kind].ratios()[2] for kind in ("asked", "intents")) >= 0.9


def test_the_messages_are_many_and_every_fact_and_intent_is_among_them():
    messages = [message for half in BENCH.HALVES for message in BENCH.load_half(half)]
    assert len(messages) >= 300
    assert len({message["id"] for message in messages}) == len(messages)
    assert len({message["text"] for message in messages}) == len(messages)
    scores = [scores_of(half) for half in BENCH.HALVES]
    assert len({name for one in scores for name in one["asked"].names}) == 23
    assert len({name for one in scores for name in one["intents"].names}) == 16


def test_a_score_counts_what_is_missed_and_what_is_needless():
    score = BENCH.Score()
    score.add({"budget", "email"}, {"budget", "nights"})
    score.add({"budget"}, {"budget"})
    assert score.ratios() == pytest.approx((2 / 3, 2 / 3, 2 / 3))
    assert score.ratios("email") == (1.0, 0.0, 0.0)
    assert score.macro == pytest.approx(0.5)


def test_corrected_labels_stand_beside_the_first_ones():
    corrected = [m for m in BENCH.load_half("blind") if "corrected" in m]
    assert corrected and all(message["corrected"]["why"] for message in corrected)
    for message in corrected:
        first = BENCH.labels_of(message, corrected=False)
        assert first != BENCH.labels_of(message, corrected=True)
