"""What a report says first: at most three sentences, true whatever the runs were."""

import pytest

from crab_graph.analysis.report.findings import find
from crab_graph.analysis.report.study import study_records
from tests.analysis.conftest import make_failed, make_record

TASKS = tuple(f"S1-{number:03}" for number in range(1, 9))
GENERIC = [make_record(task) for task in TASKS]
RUSE = [make_record(task, condition="ruse") for task in TASKS]
HASTY = [make_failed(task, condition="ruse") for task in TASKS]
HASTY_GENERIC = [make_record(task, agent="hasty") for task in TASKS]


@pytest.mark.parametrize(
    ("records", "said"),
    [
        (
            GENERIC[:1],
            ["solver (reference) passes 100% with the generic user (1 task, 1 episode)."],
        ),
        (
            [*GENERIC, *RUSE],
            [
                "solver (reference) passes alike with every user: 100% (8 tasks, 8 episodes each).",
                "No user makes a difference to any agent: every task came out alike.",
            ],
        ),
        (
            [*GENERIC, *HASTY[:1]],
            [
                "solver (reference) with generic passes most, 100% (8 tasks, 8 episodes), and "
                "hasty (reference) with ruse least, 0% (1 task, 1 episode).",
                "The one failure begins with: payment.",
            ],
        ),
        (
            [*GENERIC, *RUSE, *HASTY_GENERIC, *HASTY],
            [
                "With the ruse user solver (reference) passes most, 100%, and hasty (reference) "
                "least, 0% (8 tasks, 8 episodes each).",
                "The ruse user costs hasty (reference) most: −100 points against the generic user "
                "on the same tasks (−100 to −48; 8 tasks, 8 pairs).",
                "All 8 failures begin with: payment.",
            ],
        ),
        (
            [*GENERIC, *RUSE[1:], make_failed(TASKS[0], condition="ruse", agent="solver")],
            [
                "solver (reference) passes most with generic, 100%, and least with ruse, 88% "
                "(8 tasks, 8 episodes each).",
                "That a user costs an agent anything is not seen (8 tasks, 8 pairs, and less than "
                "35 points would not be).",
                "The one failure begins with: payment.",
            ],
        ),
        (
            [
                *GENERIC[:4],
                *(make_failed(one, condition="ruse", agent="solver") for one in TASKS[:4]),
            ],
            [
                "solver (reference) passes most with generic, 100%, and least with ruse, 0% "
                "(4 tasks, 4 episodes each).",
                "4 tasks are too few to tell what a user costs an agent: most it is −100 points "
                "against the generic user, for solver (reference) with the ruse user (4 tasks, "
                "4 pairs).",
                "All 4 failures begin with: payment.",
            ],
        ),
        ([make_record(outcome="infra_error", passed=False)], []),
    ],
)
def test_what_is_said_first(records, said):
    assert find(study_records(records)) == said
