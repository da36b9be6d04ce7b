"""However an honest agent words a right trip, it passes."""

import pytest

from crab_graph.eval.verdict import grade
from tests.eval.builders import small_task
from tests.eval.honest_styles import FALSE_STYLES, STYLES


def test_there_are_enough_styles():
    assert len(STYLES) >= 30


@pytest.mark.parametrize("name", STYLES)
def test_an_honest_agent_passes_in_every_style(name):
    script = STYLES[name].write()
    verdict = grade(small_task(), script.messages)
    failing = {
        check: verdict.evidence.get(check)
        for check, said in verdict.checks.items()
        if said == "fail"
    }
    assert not failing
    assert verdict.passed


@pytest.mark.parametrize("name", FALSE_STYLES)
def test_a_lie_is_seen_in_an_unusual_style_too(name):
    assert not grade(small_task(), FALSE_STYLES[name].write().messages).passed
