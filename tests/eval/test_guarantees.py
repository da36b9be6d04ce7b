"""Tables in which a dialogue could be read two ways are refused before they are graded (§1)."""

import pytest

from crab_graph.errors import BenchmarkError
from crab_graph.eval.verdict import grade
from crab_graph.runs.grading import grade_fields
from tests.eval.builders import BACK, MUSEUM, NAMES, SHOW, Plan, build_rows, build_task


def changed(table, old, **values):
    rows = build_rows()
    for row in rows[table]:
        if old in row.values():
            row.update(values)
            return build_task(rows)
    raise AssertionError(old)


@pytest.mark.parametrize(
    ("task", "said"),
    [
        (changed("attractions", SHOW, name=NAMES[MUSEUM].upper()), "have one name"),
        (changed("attractions", SHOW, name="Revue"), "has one word"),
        (changed("attractions", SHOW, attraction_id="AT-1x"), "'AT-1x' is no id"),
        (changed("fares", "FA-50001", fare_id="FL-50001"), "reads like the id"),
        (changed("flights", BACK, arrival_minute=1450), "cannot have the arrival 1450"),
    ],
)
def test_a_broken_guarantee_is_named_and_is_the_environments_fault(task, said):
    messages = Plan().write().messages
    with pytest.raises(BenchmarkError, match=f"task 'S1-001': .*{said}"):
        grade(task, messages)
    fields = grade_fields(task, messages, "token")
    assert (fields["outcome"], fields["fault"]) == ("infra_error", "environment")
    assert said in fields["error"]
