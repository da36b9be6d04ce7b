"""Whose fault it is that not the cheaper of two was booked: no user can know which that is."""

import pytest

from crab_graph.domains.task import Task
from crab_graph.eval.user_facts import UserConduct
from crab_graph.eval.verdict import grade
from tests.eval.builders import BACK, FARES, OUT, Plan, build_rows, build_task, failing

WISH = "cheaper_district"
BOOKED = "Riverfront"
SAID = "The hotel should be in Old Town or Riverfront, whichever makes the whole trip cheaper."
TOLD = UserConduct(None, {"origin": 1, WISH: 1}, settled={"origin": 1, WISH: 1})
RIGHT = Plan()
PAIR = sum(FARES[one][1] for one in (OUT, BACK))


def task_settled(district):
    rows = build_rows()
    rows["hotels"] = [{**one, "district": BOOKED} for one in rows["hotels"]]
    wish = {WISH: "Old Town or Riverfront", "same_district": False}
    task = build_task(rows, **wish, settled=((WISH, district),))
    if district == BOOKED:
        return task
    spec = task.spec.model_copy(update={"solutions": ()})
    return Task(spec, task.domain, lambda: rows)


def played(district, *talk, told=SAID):
    task = task_settled(district)
    script = RIGHT.write(task)
    script.messages[0]["content"] += f" {told}"
    said = ({"role": role, "content": text} for role, text in talk)
    script.messages[1:1] = said
    return task, script.messages


def claimed(district, answer):
    question = f"So {district} is the cheaper one, right?"
    return ("assistant", question), ("user", answer)


@pytest.mark.parametrize("conduct", (None, TOLD))
@pytest.mark.parametrize(
    "talk",
    (
        (),
        claimed(BOOKED, "Yes, that's right."),
        claimed(BOOKED, "Yes, Riverfront is fine."),
        claimed(BOOKED, "I rely on you to compare."),
    ),
)
def test_the_agent_is_at_fault_whatever_a_user_says_that_cannot_know(talk, conduct):
    task, messages = played("Old Town", *talk)
    verdict = grade(task, messages, conduct=conduct)
    assert failing(verdict) == {"D30"} and verdict.fault == "agent"
    assert [one["code"] for one in verdict.metrics["user_errors"]] == []


def test_a_yes_to_what_nobody_can_know_is_no_false_one():
    untold = UserConduct(None, {"origin": 1})
    task, messages = played("Old Town", *claimed(BOOKED, "Yes, that's right."), told="")
    verdict = grade(task, messages, conduct=untold)
    assert failing(verdict) == {"D30"} and verdict.fault == "agent"


def test_what_is_booked_in_the_cheaper_district_passes():
    task, messages = played(BOOKED)
    assert grade(task, messages, conduct=TOLD).passed


LEAST = "Of the flights that fit all the rest, we want the two that cost least together."
CLAIM = "These are the two cheapest flights that fit, right?"


@pytest.mark.parametrize("answer", ("Yes, that's right.", "I rely on you to compare."))
def test_the_agent_is_at_fault_for_flights_that_are_not_the_cheapest(answer):
    made = build_task(cheapest_flights=True, settled=(("cheapest_flights", PAIR - 1),))
    task = Task(made.spec.model_copy(update={"solutions": ()}), made.domain, build_rows)
    script = RIGHT.write(task)
    script.messages[0]["content"] += f" {LEAST}"
    claim = [{"role": "assistant", "content": CLAIM}, {"role": "user", "content": answer}]
    script.messages[1:1] = claim
    verdict = grade(task, script.messages)
    assert failing(verdict) == {"D31"} and verdict.fault == "agent"
    assert verdict.metrics["user_errors"] == []


def test_the_two_flights_that_cost_least_pass():
    task = build_task(cheapest_flights=True, settled=(("cheapest_flights", PAIR),))
    assert grade(task, RIGHT.write(task).messages).passed


def test_a_yes_to_a_district_that_was_never_wished_is_the_users_fault():
    yes = ("assistant", "So the hotel should be in Hilltop, right?"), ("user", "Yes, that's right.")
    task, messages = played("Old Town", *yes, told="")
    verdict = grade(task, messages, conduct=UserConduct(None, {"origin": 1}))
    assert [one["code"] for one in verdict.metrics["user_errors"]] == ["U8"]
