"""What is true at the end of a trip passes in whatever voice; what is made false of it is seen."""

import pytest

from crab_graph.eval.reading import lay_out, read_task
from crab_graph.eval.replay import replay
from crab_graph.eval.told_statuses import false_statuses
from crab_graph.eval.transcript import read_transcript
from crab_graph.eval.verdict import grade
from tests.corpora.closings import CLOSINGS, CLOSINGS_AGAIN

EVERY = [*CLOSINGS, *CLOSINGS_AGAIN]


def false_words(closing, *, is_true):
    """What grading finds false: checks that fail, and claims of a status that the tables deny."""
    script = closing.write(is_true=is_true)
    verdict = grade(script.task, script.messages)
    laid_out = replay(script.task, read_transcript(script.messages))
    claims = false_statuses(lay_out(read_task(script.task), laid_out))
    found = {
        check: verdict.evidence[check] for check, said in verdict.checks.items() if said == "fail"
    }
    return found, [told.claim for told, _ in claims]


@pytest.mark.parametrize(
    ("closings", "number", "most_surviving"), [(CLOSINGS, 40, 3), (CLOSINGS_AGAIN, 24, 1)]
)
def test_they_have_lies_of_four_kinds(closings, number, most_surviving):
    kinds = {one.lie for one in closings}
    assert len(closings) == number
    assert kinds == {"total", "item", "paid", "all"}
    assert sum(bool(one.survives) for one in closings) <= most_surviving


@pytest.mark.parametrize("closing", EVERY, ids=range(len(EVERY)))
def test_an_honest_closing_passes_and_the_lie_made_of_it_is_seen(closing):
    assert false_words(closing, is_true=True) == ({}, [])
    assert (false_words(closing, is_true=False) == ({}, [])) is bool(closing.survives)
