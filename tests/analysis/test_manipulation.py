"""Each gate of `fidelity` holds where users keep to their condition, and fails where not."""

import re
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from crab_graph import generate_benchmark, run_episode
from crab_graph.analysis.fidelity.heard_turns import Lived, live_through
from crab_graph.analysis.fidelity.manipulation import GateState, check_manipulations
from crab_graph.analysis.fidelity.statements import wrong_plans
from crab_graph.personas.behavior import Behavior, behavior_of
from crab_graph.personas.condition import Persona, ResolvedCondition

PLAYED = [
    ("solver", "generic"),
    ("solver", "terse"),
    ("solver", "neutral"),
    ("solver", "d3"),
    ("stubborn", "generic"),
    ("silent", "d2"),
]


@pytest.fixture(scope="module")
def played(tmp_path_factory) -> dict[tuple[str, str], Lived]:
    """An episode of each agent with each user, on one task."""
    folder = str(tmp_path_factory.mktemp("fidelity") / "bench")
    (task,) = generate_benchmark(folder, tasks=1, strata=(2,), seed=3, distractors=200)
    found = {}
    for agent, user in PLAYED:
        record = run_episode(task, agent, user)
        found[agent, user] = live_through(record, task, behavior(record))
    return found


def behavior(record: Any) -> Behavior:
    """How a user was set to behave by the table."""
    persona = Persona(record.persona)
    return behavior_of(ResolvedCondition(record.condition, persona, record.dimensions))


def gates(*episodes: Lived) -> dict[str, GateState]:
    """The gates of one condition, by figure."""
    return {check.figure.key: check.gate for check in check_manipulations(episodes)}


def again(lived: Lived, behavior: Behavior | None = None, **changed: Any) -> Lived:
    """The episode read anew, with other fields of its record or another behaviour."""
    record = lived.record.model_copy(update=changed)
    return live_through(record, lived.task, behavior or lived.behavior)


def rewritten(lived: Lived, change: Callable[[str, dict[str, Any]], str | None], **fields: Any):
    """The episode with other words of the user: `change` is given those it heard, and its own."""
    heard, messages = "", []
    for message in lived.record.messages:
        if message["role"] == "assistant" and not message.get("tool_calls"):
            heard = message["content"]
        if message["role"] == "user" and not message.get("tool_calls"):
            said = change(heard, message)
            message = message if said is None else {**message, "content": said}
        messages.append(message)
    return again(lived, messages=messages, **fields)


def untold(lived: Lived) -> tuple[dict[str, Any], ...]:
    """The facts of an episode as if its user had kept no record."""
    return tuple({"key": fact["key"], "turn": None} for fact in lived.record.facts)


@pytest.mark.parametrize("who", PLAYED, ids="-".join)
def test_what_the_users_of_the_package_do_holds_every_gate(played, who):
    assert GateState.FAILED not in gates(played[who]).values()


def test_details_told_at_once_fail_the_gate_of_two_levels(played):
    told_at_once = played["solver", "generic"]
    held_back = replace(told_at_once.behavior, two_levels=True)
    assert gates(told_at_once)["volunteered"] is GateState.HELD
    assert gates(again(told_at_once, held_back))["volunteered"] is GateState.FAILED
    waits = played["solver", "terse"]
    assert gates(waits)["volunteered"] is GateState.HELD
    tells = replace(waits.behavior, two_levels=False)
    assert gates(again(waits, tells))["volunteered"] is GateState.FAILED


def test_what_a_user_says_counts_where_its_record_says_that_it_said_nothing(played):
    silent_record = again(
        played["solver", "generic"],
        replace(played["solver", "generic"].behavior, two_levels=True),
        facts=untold(played["solver", "generic"]),
    )
    assert gates(silent_record)["volunteered"] is GateState.FAILED


def test_an_answer_of_more_facts_than_are_allowed_fails_its_gate(played):
    neutral = played["solver", "neutral"]
    assert gates(neutral)["facts_per_answer"] is GateState.HELD
    one = replace(neutral.behavior, facts_per_answer=1)
    assert gates(again(neutral, one))["facts_per_answer"] is GateState.FAILED


def test_a_user_that_answers_no_question_fails_its_gate(played):
    terse = played["solver", "terse"]
    mute = rewritten(terse, lambda heard, _: "Hm." if heard else None, facts=untold(terse))
    assert gates(terse)["unanswered"] is GateState.HELD
    assert gates(mute)["unanswered"] is GateState.FAILED


def test_doubts_belong_to_the_dimension_of_doubt(played):
    sure = played["solver", "generic"]
    doubting = rewritten(sure, lambda heard, one: f"{one['content']} I think. I believe.")
    assert gates(sure)["hedged"] is GateState.HELD
    assert gates(doubting)["hedged"] is GateState.FAILED


def test_a_dimension_that_does_not_show_fails_its_gates(played):
    sure = played["solver", "generic"]
    d3 = replace(sure.behavior, doubts=12, slips=2, uncertain=0.2)
    off = gates(again(sure, d3, dimensions=("d3",)))
    assert off["hedged"] is off["vague"] is GateState.FAILED
    # Few facts of one task can be said otherwise, so that one episode would not tell.
    plain = [
        again(one, replace(one.behavior or Behavior(), indirect=1.0), dimensions=("d1",))
        for one in (sure, played["stubborn", "generic"])
    ]
    assert gates(*plain)["indirect"] is GateState.FAILED


def with_slip(lived: Lived, settled: int | None) -> Lived:
    """The episode whose user had the number of nights wrong in its first turn."""
    facts = tuple(
        {**fact, "how": "wrong", "settled": settled} if fact["key"] == "nights" else fact
        for fact in lived.record.facts
    )
    return again(lived, facts=facts)


def test_a_slip_that_is_played_back_and_not_put_right_fails_its_gate(played):
    lived = played["solver", "generic"]
    back = next(one for one in lived.turns if "nights" in one.played.right)
    assert gates(with_slip(lived, back.number))["corrected"] is GateState.HELD
    # What was put right before is right.
    assert gates(with_slip(lived, back.number - 2))["corrected"] is GateState.HELD
    assert gates(with_slip(lived, None))["corrected"] is GateState.FAILED
    assert gates(with_slip(lived, None))["vague"] is GateState.FAILED
    assert gates(lived)["corrected"] is GateState.UNTESTED


def test_a_wrong_plan_that_is_approved_fails_its_gate(played):
    stubborn = played["stubborn", "generic"]
    assert gates(stubborn)["objected"] is GateState.HELD
    tame = rewritten(
        stubborn, lambda heard, _: "Yes, go ahead." if "Shall I book" in heard else None
    )
    assert gates(tame)["objected"] is GateState.FAILED


def test_words_and_tables_both_know_a_wrong_plan(played):
    found = list(wrong_plans(played["stubborn", "generic"]))
    assert len(found) == 2
    assert all(plan.seen and plan.seen == plan.broken for plan in found)
    assert not list(wrong_plans(played["solver", "generic"]))


def test_a_false_recap_that_is_affirmed_fails_its_gate(played):
    lived = played["solver", "generic"]
    wrong = [
        {**one, "content": re.sub(r"nights: \d+ nights", "nights: 9 nights", one["content"])}
        if one["role"] == "assistant"
        else one
        for one in lived.record.messages
    ]
    told = again(lived, messages=wrong)
    assert gates(told)["affirmed"] is GateState.FAILED
    corrects = rewritten(
        told, lambda heard, _: "No, 5 nights, not 9." if "9 nights" in heard else None
    )
    nights = corrects.facts["nights"].value
    corrects = rewritten(
        told, lambda heard, _: f"No, {nights} nights." if "9 nights" in heard else None
    )
    assert gates(corrects)["affirmed"] is GateState.HELD


def test_a_turn_said_twice_to_different_messages_fails_its_gate(played):
    terse = played["solver", "terse"]
    parrot = rewritten(terse, lambda heard, _: "I would like a trip, please, as I said.")
    assert gates(terse)["repeats"] is GateState.HELD
    assert gates(parrot)["repeats"] is GateState.FAILED


def test_words_far_from_those_set_fail_their_gate(played):
    terse = played["solver", "terse"]
    chatty = rewritten(terse, lambda heard, one: one["content"] + " and so on and on" * 5)
    assert gates(terse)["words"] is GateState.HELD
    assert gates(chatty)["words"] is GateState.FAILED


def test_who_gives_up_earlier_or_later_than_set_fails_the_gate_of_patience(played):
    silent = played["silent", "d2"]
    assert gates(silent)["patience"] is GateState.HELD
    for turns in (2, silent.behavior.patience + 2):
        other = replace(silent.behavior, patience=turns)
        assert gates(again(silent, other))["patience"] is GateState.FAILED
    assert gates(played["solver", "generic"])["patience"] is GateState.UNTESTED


def test_of_a_user_that_nothing_set_only_what_holds_for_everyone_is_judged(played):
    lived = played["stubborn", "generic"]
    found = gates(live_through(lived.record, lived.task, None))
    assert found["objected"] is GateState.HELD
    assert found["volunteered"] is found["words"] is GateState.UNTESTED
