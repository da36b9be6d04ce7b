"""Honest words of money, and their false twins, in a domain that nobody wrote them for."""

import pytest

from crab_graph.analysis.audit.telling import CLOSING, perfect
from crab_graph.domains.generate import generate_benchmark
from crab_graph.money import format_dollars


@pytest.fixture(scope="module")
def telling(tmp_path_factory):
    path = tmp_path_factory.mktemp("clinic")
    (task,) = generate_benchmark(path, 1, seed=3, domain="clinic", strata=(1,), distractors=40)
    return perfect(task, task.solutions[0])


def closings(telling, whole, first):
    """Return closing messages that tell a whole sum, and a first part of it."""
    words = telling.task.domain.grading.vocabulary().slot_words
    cents = [first, *(item.cents for item in telling.paid[1:])]
    total, parts = format_dollars(whole), [format_dollars(one) for one in cents]
    listed = f"{', '.join(parts[:-1])} and {parts[-1]}"
    named = [
        f"{words[item.slot.id][0]} {part}" for item, part in zip(telling.paid, parts, strict=True)
    ]
    return [
        f"In total, {total} was charged: {listed}. All confirmed.",
        f"All confirmed, {total} in total ({' + '.join(parts)}).",
        f"All confirmed: {', '.join(named)}, so {total} in total.",
        f"All is confirmed. The {telling.whole} cost {total}: {listed}.",
    ]


@pytest.mark.parametrize("number", range(4))
def test_a_closing_passes_if_its_whole_and_its_parts_are_true(telling, number):
    whole, first = telling.cents, telling.paid[0].cents

    def passes(*amounts):
        text = closings(telling, *amounts)[number]
        return telling.said(CLOSING, lambda _: text).grade().passed

    assert passes(whole, first)
    assert not passes(whole + 1_00, first)
    assert not passes(whole, first + 1_00)
