"""Plans of kept talks that are certified solutions: the user has nothing against them."""

from collections.abc import Iterator
from typing import Any

import pytest

import crab_graph as cg
from benchmarks.bench_talks import TALKS, load_set
from crab_graph.domains.task import Task
from crab_graph.personas.mended_bookings import mended_booking_in, withdrawn_in
from crab_graph.personas.plan_conflicts import contradictions
from crab_graph.personas.rewordings import reworded
from crab_graph.personas.second_thoughts import says_change
from crab_graph.personas.stated_plans import StatedPlan, read_plan, read_plans
from crab_graph.personas.turned_plans import turned_right
from crab_graph.personas.understanding import reading_of
from tests.talks.test_talks import BENCHES, messages_of

FOUNDED = {"fifteenth S2-003.ruse.quin"}
"""Where the agent had called a flight economy, and does not say now what it is."""


def plans_of(task: Task, messages: list[dict[str, Any]]) -> Iterator[tuple[Task, StatedPlan]]:
    """Yield the plans that a talk's messages put to the user, with the task as it was then."""
    stages, said = list(task.requests), list[str]()
    for message in messages:
        text = str(message.get("content") or "")
        if message.get("tool_calls") or not text:
            continue
        if message["role"] == "user":
            if len(stages) > 1 and says_change(text, *(one.briefing for one in stages[:2])):
                stages.pop(0)
        elif message["role"] == "assistant":
            briefing = stages[0].briefing
            mended = mended_booking_in(text)
            rest, _ = withdrawn_in(reworded(text if mended is None else mended.rest))
            before = said[-1] if said else None
            reading = reading_of(rest, briefing.lexicon, briefing.slots, before)
            if reading.asks_booking:
                earlier = read_plans(said, briefing)
                plan = read_plan(reading, briefing.slots, earlier)
                yield stages[0], turned_right(plan, briefing)
            said.append(text)


def is_solution(task: Task, plan: StatedPlan) -> bool:
    """Tell whether a plan shows one item for each slot, and they are those of a solution."""
    of_slots = {slot: item for item, slot in plan.items.items()}
    is_whole = len(plan.items) == len(of_slots) == len(task.domain.slots)
    return is_whole and any(
        all(item in map(str, one[slot].values()) for slot, item in of_slots.items())
        for one in task.solutions
    )


@pytest.mark.slow
@pytest.mark.parametrize("name", [one for one in BENCHES if one != "users"])
def test_nothing_is_held_against_a_plan_that_is_right(name):
    bench = cg.load_benchmark(TALKS / BENCHES[name] / "bench")
    for talk in load_set(name):
        for task, plan in plans_of(bench[talk["task"]], messages_of(name, talk)):
            if is_solution(task, plan) and f"{name} {talk['talk']}" not in FOUNDED:
                assert contradictions(plan, task.briefing) == [], (talk["talk"], plan.said)
