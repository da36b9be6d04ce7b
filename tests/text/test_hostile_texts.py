"""Twice the text costs twice the work, whatever it holds: counted in steps, not timed."""

import gc
import sys
from collections.abc import Callable
from functools import _lru_cache_wrapper, partial
from typing import Any

import pytest

from crab_graph.eval.checks import MOST_LISTED
from crab_graph.eval.verdict import grade
from crab_graph.personas.condition import Persona, ResolvedCondition
from crab_graph.personas.rules_user import RulesUser
from crab_graph.text.utterance import MAX_CLAUSE, read_message
from tests.eval.builders import OUT, Plan, small_task
from tests.text.hostile_texts import HOSTILE

COMMON = ("ids and prices", "totals under one line", "tables")
FIRST = {**dict.fromkeys((*COMMON, "bullets"), 2_000), "lines": 500, "questions": 1_000}
FIRST |= dict.fromkeys(("short totals", "short sentences", "claims"), 1_000)
# What these say when they are short is answered in another way, and fewer steps.
FIRST |= {"words of the lexicon": 16_000, "one sentence without an end": 8_000}
"""Characters of the shortest of the texts, where many are not needed to see how work grows."""


def steps(work: Callable[[], object]) -> int:
    """Return how many instructions of Python's own machine something takes."""
    taken = 0

    def count(frame: Any, event: str, _: object) -> Any:
        nonlocal taken
        frame.f_trace_opcodes, frame.f_trace_lines = True, False
        taken += event == "opcode"
        return count

    before = sys.gettrace()
    sys.settrace(count)
    try:
        work()
    finally:
        sys.settrace(before)
    return taken


def forget() -> None:
    """Empty what is kept of texts, so that what was read before takes no steps off."""
    for kept in gc.get_objects():
        if isinstance(kept, _lru_cache_wrapper) and kept.cache_parameters()["maxsize"]:
            kept.cache_clear()


def steps_anew(work: Callable[[], object]) -> int:
    """Return how many steps something takes that was never done before."""
    forget()
    return steps(work)


def is_linear(work: Callable[[Any], object], *inputs: object) -> bool:
    """Tell whether work grows as its inputs do, each of them twice the one before."""
    first, second, third = (steps_anew(partial(work, given)) for given in inputs)
    # What a text says by chance, and what a grade costs of itself, makes the first one dearer.
    return third - second <= 2.3 * max(second - first, second / 2)


def texts(kind: str) -> list[str]:
    """Return a text three times, each twice as long, and long enough to be of several clauses."""
    first = FIRST.get(kind, 4_000)
    return [HOSTILE[kind](size) for size in (first, 2 * first, 4 * first)]


def episode(text: str) -> list[dict[str, Any]]:
    plan = Plan()
    return Plan(proposal=f"{text}\n\n{plan.told}\n\nTrip total: {plan.total}.").write().messages


def answer(text: str) -> None:
    user = RulesUser(small_task().briefing, ResolvedCondition("ruse", Persona.TERSE), 0)
    opening = user.step({}, [])
    user.step(opening.state, [opening.message, {"role": "assistant", "content": text}])


@pytest.mark.slow
@pytest.mark.parametrize("kind", HOSTILE)
def test_twice_the_text_is_graded_in_twice_the_steps(kind):
    grade(small_task(), episode("Hello."))
    written = map(episode, texts(kind))
    assert is_linear(lambda messages: grade(small_task(), messages), *written)


@pytest.mark.slow
@pytest.mark.parametrize("kind", HOSTILE)
def test_twice_the_text_is_answered_in_twice_the_steps(kind):
    answer("Hello.")
    assert is_linear(answer, *texts(kind))


@pytest.mark.slow
def test_twice_the_messages_are_graded_in_twice_the_steps():
    said = [
        {"role": "assistant", "content": f"- {OUT}: $150.00 each. Please approve the total of $9."},
        {"role": "user", "content": "Yes, approved: 3 nights."},
    ]
    opening, *rest = Plan().write().messages
    grade(small_task(), [opening, *said, *rest])
    talks = [[opening, *said * times, *rest] for times in (10, 20, 40)]
    assert is_linear(lambda messages: grade(small_task(), messages), *talks)


def test_of_very_many_wrong_prices_a_thousand_are_listed_and_the_others_counted():
    text = f"{OUT}: $1.00 each\n" * (MOST_LISTED + 5)
    verdict = grade(small_task(), episode(text), max_reply_characters=None)
    *pieces, last = verdict.evidence["F-IP"]
    assert verdict.checks["F-IP"] == "fail"
    assert (len(pieces), last) == (MOST_LISTED, {"text": "and 5 more"})


@pytest.mark.parametrize("piece", ["we look ", "x", f"{OUT} ", "a|"])
def test_a_clause_has_a_greatest_length_and_loses_nothing(piece):
    utterance = read_message(piece * 2_000)
    words = [utterance.words(clause) for clause in utterance.clauses]
    assert max(map(len, words)) <= MAX_CLAUSE < len(utterance.text)
    assert "".join(words).replace(" ", "") == utterance.text.replace(" ", "")
    assert "".join(words).replace(" ", "") == (piece.casefold() * 2_000).replace(" ", "")
