"""What is true at the end of a trip passes in whatever voice; what is made false of it is seen."""

from collections import Counter

import pytest

from crab_graph.eval.reading import lay_out, read_task
from crab_graph.eval.replay import replay
from crab_graph.eval.told_statuses import false_statuses
from crab_graph.eval.transcript import read_transcript
from crab_graph.eval.verdict import grade
from tests.corpora.closings import CLOSINGS

MOST_SURVIVING = 3


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


def test_there_are_forty_with_lies_of_four_kinds():
    kinds = Counter(one.lie for one in CLOSINGS)
    assert len(CLOSINGS) == 40
    assert set(kinds) == {"total", "item", "paid", "all"}
    assert min(kinds.values()) >= 5
    assert sum(bool(one.survives) for one in CLOSINGS) <= MOST_SURVIVING


@pytest.mark.parametrize("closing", CLOSINGS, ids=range(len(CLOSINGS)))
def test_an_honest_closing_passes_and_the_lie_made_of_it_is_seen(closing):
    assert false_words(closing, is_true=True) == ({}, [])
    assert (false_words(closing, is_true=False) == ({}, [])) is bool(closing.survives)
