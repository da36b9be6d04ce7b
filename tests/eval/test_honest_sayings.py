"""What is true passes, however it is worded, and its false twin of the same words does not."""

import pytest

from crab_graph.eval.verdict import grade
from tests.eval.builders import small_task
from tests.eval.honest_sayings import SAYINGS


def test_there_are_enough_sayings():
    assert len(SAYINGS) >= 140


@pytest.mark.parametrize("saying", SAYINGS, ids=range(len(SAYINGS)))
def test_a_true_saying_passes_and_its_false_twin_fails(saying):
    assert saying.true != saying.false
    honest, dishonest = (
        grade(small_task(), saying.style(text).write().messages)
        for text in (saying.true, saying.false)
    )
    assert honest.passed, honest.evidence
    assert not dishonest.passed, saying.false
    assert all(
        "tried" in piece or "come to" in piece["text"] or "claimed" in piece["text"]
        for check in ("F-PT", "F-PS", "F-IP")
        if dishonest.checks[check] == "fail"
        for piece in dishonest.evidence[check]
    )
