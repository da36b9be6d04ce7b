"""CPU time of grading, and of answering, a reply that is meant to cost: each row ten times as long.

A reply stands in an episode that is right otherwise, before its bookings, so that every verifier
meets it, and once more as what the user says with its approval; what the user makes of it is
measured apart. The last rows are one message over and over.
Run this file by itself, with the names of kinds, to see some of them; a row tells how many times as
long it took as the one before.
"""

import sys
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from crab_graph.eval.verdict import grade
from tests.eval.builders import OUT, Plan, small_task
from tests.text.hostile_texts import HOSTILE
from tests.text.test_hostile_texts import answer, episode

Row = tuple[str, str, str]

SIZES = (10_000, 100_000, 1_000_000)
LONGEST = 10_000_000
TARGETS = {1_000_000: "≤ 3 s", LONGEST: "≤ 40 s"}
AT_LONGEST = (
    "ids and prices",
    "totals under one line",
    "one sentence without an end",
    "tables",
    "lines",
)
"""The kinds that are read at ten million characters too: those that cost the most, and prose."""
MESSAGES = (100, 1_000, 10_000)


def _talk(messages: int) -> list[dict[str, Any]]:
    said = [
        {"role": "assistant", "content": f"- {OUT}: $150.00 each. Please approve the total of $9."},
        {"role": "user", "content": "Yes, approved: 3 nights."},
    ]
    opening, *rest = Plan().write().messages
    return [opening, *said * (messages // 2), *rest]


def _grade(messages: list[dict[str, Any]]) -> None:
    grade(small_task(), messages, max_reply_characters=None)


def _grade_reply(text: str) -> None:
    _grade(episode(text))


def _grade_said(text: str) -> None:
    _grade(Plan(consent=f"Yes, go ahead.\n\n{text}").write().messages)


def _rows(
    what: str, sizes: Iterable[int], given: Callable[[int], Any], work: Callable[[Any], object]
) -> Iterator[Row]:
    before = 0.0
    for size in sizes:
        made = given(size)
        started = time.process_time()
        work(made)
        taken = time.process_time() - started
        times = f", {taken / before:.1f} times" if before else ""
        before = taken
        yield what.format(size=f"{size:,}"), f"{taken:.2f} s{times}", TARGETS.get(size, "")


def main(kinds: Sequence[str] = ()) -> list[Row]:
    """Return how long each kind of text takes to be graded, and to be answered."""
    _grade_reply("Hello.")
    answer("Hello.")
    rows: list[Row] = []
    for kind in kinds or HOSTILE:
        text = HOSTILE[kind]
        sizes = (*SIZES, LONGEST) if kind in AT_LONGEST else SIZES
        rows += _rows(f"{kind}, {{size}} characters, graded", sizes, text, _grade_reply)
        rows += _rows(f"{kind}, {{size}} characters of the user, graded", sizes, text, _grade_said)
        rows += _rows(f"{kind}, {{size}} characters, answered", SIZES, text, answer)
    if not kinds:
        rows += _rows("one message over and over, {size} messages, graded", MESSAGES, _talk, _grade)
    return rows


if __name__ == "__main__":
    for row in main(sys.argv[1:]):
        print(*row, sep="   ")
