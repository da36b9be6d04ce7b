import sys
from dataclasses import replace
from importlib.resources import files
from types import ModuleType

import pytest

from crab_graph.domains.task import Task
from crab_graph.domains.travel.domain import TRAVEL
from crab_graph.eval.stamp import _hash_sources, differing, grading_stamp
from crab_graph.eval.verdict import grade
from tests.eval.builders import (
    HOTEL,
    NAMES,
    OUT,
    OUT_MIDDAY,
    Plan,
    Script,
    build_rows,
    build_task,
    flight,
    graded,
    right_items,
    small_task,
)

RIGHT = Plan()


@pytest.mark.parametrize(
    ("plan", "termination", "outcome", "fault"),
    [
        (RIGHT, None, "pass", None),
        (RIGHT, "token", "pass", None),
        (RIGHT, "infra", "pass", "infra"),
        (replace(RIGHT, ending="Bye."), "infra", "infra_error", "infra"),
        (replace(RIGHT, ending="Bye."), "budget", "budget_exhausted", "agent"),
        (replace(RIGHT, ending="Bye."), None, "fail", "agent"),
        (RIGHT.swapped(flight("outbound", OUT_MIDDAY)), None, "fail", "agent"),
        (replace(RIGHT, ending="###OUT-OF-SCOPE###"), None, "user_fault", "user"),
    ],
)
def test_the_first_outcome_that_matches_is_given(plan, termination, outcome, fault):
    verdict = grade(small_task(), plan.write().messages, termination=termination)
    assert (verdict.outcome, verdict.fault) == (outcome, fault)


def test_a_reply_that_is_too_long_ends_a_transcript_by_the_agents_fault():
    script = RIGHT.write()
    script.messages[-2]["content"] += "!" * 100_000
    verdict = graded(script)
    assert (verdict.outcome, verdict.fault) == ("budget_exhausted", "agent")
    assert "longer than max_reply_characters" in verdict.as_json()["error"]
    assert verdict.checks["C-FULL"] == "fail" and verdict.checks["D19"] == "pass"
    free = grade(small_task(), script.messages, max_reply_characters=None)
    assert free.passed and "error" not in free.as_json()


def test_calls_that_are_too_long_are_not_run():
    messages = RIGHT.write().messages
    limit = len(str(right_items()["outbound"].arguments)) - 1
    messages[1]["content"] = "Shall I book?"
    verdict = grade(small_task(), messages, max_reply_characters=limit)
    assert (verdict.outcome, verdict.calls) == ("budget_exhausted", ())


def test_what_follows_the_users_last_word_is_no_reply():
    messages = [*RIGHT.write().messages, {"role": "assistant", "content": "!" * 100_001}]
    assert grade(small_task(), messages).passed


def codes(script):
    return [error["code"] for error in graded(script).metrics["user_errors"]]


def test_a_wrong_count_covers_what_it_explains():
    plan = RIGHT.swapped(flight("outbound", OUT_MIDDAY))
    assert graded(plan).metrics["user_errors"] == []
    script = RIGHT.write()
    script.messages[0]["content"] = "A trip for 4 nights, two of us."
    assert codes(script) == ["U1"]
    script.messages.insert(2, {"role": "user", "content": "Sorry, 3 nights."})
    assert codes(script) == []


def test_a_demand_the_profile_does_not_know_is_invented():
    script = RIGHT.write()
    script.messages[0]["content"] = "I want a king bed."
    assert codes(script) == ["U2"]
    script.messages[0]["content"] = "I don't want a king bed."
    assert codes(script) == []


def test_ending_while_asked_to_go_on_is_premature():
    script = Script()
    script.user("Hello")
    script.agent(f"{NAMES[HOTEL]} costs $120.00 per night. Shall I book it?")
    script.user("###STOP###")
    assert codes(script) == ["U4"]
    # The checks of what was not booked are covered, so the user is at fault.
    assert graded(script).outcome == "user_fault"
    script.messages[1]["content"] = "Unfortunately nothing is free. Shall I look again?"
    assert codes(script) == []


def test_a_transfer_nobody_offered_is_a_wrong_token():
    script = Script()
    script.user("Hello")
    script.agent("Good day.")
    script.user("###TRANSFER###")
    assert codes(script) == ["U4", "U5"]  # it left in its second turn, too
    script.messages[1]["content"] = "I can transfer you to a human agent."
    assert codes(script) == []


def test_claiming_an_approval_without_giving_it_is_the_users_error():
    script = Script()
    booking_id, method = script.book(flight("outbound", OUT)), script.add_card()
    script.agent("Please approve $300.00 for it.")
    script.user("Approved.")
    script.charge(booking_id, method)
    script.agent("I cannot charge it.")
    script.user("###STOP###")
    assert codes(script) == ["U6"]


def test_approving_another_amount_than_asked_is_the_users_error():
    script = Script()
    booking_id, method = script.book(flight("outbound", OUT)), script.add_card()
    script.agent("Please approve $300.00 for it.")
    script.approve(booking_id, method, 200_00)
    script.user("Approved.")
    script.agent("I cannot charge it.")
    script.user("###STOP###")
    assert codes(script) == ["U6"]


@pytest.mark.parametrize(
    ("question", "said", "found"),
    [
        ("Tell me more, {}.", "I like trips.", ["U7"]),
        ("Is it fine, {}?", "I like trips.", ["U7"]),
        ("Is it fine, {}?", "Yes, that's right.", []),
        ("You fly in the morning, plan {}, right?", "Correct.", []),
        ("How many nights, plan {}?", "3 nights.", []),
        ("How many nights, plan {}?", "Yes.", ["U7"]),
        ("Tell me more.", "I like trips.", []),
        ("", "I like trips.", []),
    ],
)
def test_three_equal_turns_that_answer_nothing_are_a_loop(question, said, found):
    script = Script()
    for number in range(3):
        script.agent(question.format(number))
        script.user(said)
    script.agent("I cannot help you.")
    script.user("###STOP###")
    assert [code for code in codes(script) if code == "U7"] == found


def test_a_user_who_speaks_as_the_agent_breaks_the_role():
    script = Script()
    script.user("How can I help you today?")
    script.agent("I cannot help you.")
    script.user("###STOP###")
    assert codes(script) == ["U7"]


def test_repeated_calls_are_redundant_and_stale_aware_forgives_them_after_a_write():
    script = Script()
    script.call("list_all_airports")
    script.call("list_all_airports")
    script.book(flight("outbound", OUT))
    script.call("list_all_airports")
    script.call("search_available_seats", flight_id="nowhere")
    script.call("search_available_seats", flight_id="nowhere")
    script.add_card()
    script.user("###STOP###")
    metrics = graded(script).metrics
    assert metrics["total_tool_calls"] == 6 and metrics["failed_tool_calls"] == 2
    assert metrics["redundant_calls"] == 3 and metrics["redundant_calls_stale_aware"] == 2


def test_coverage_counts_what_was_said_of_what_could_be():
    metrics = graded(RIGHT).metrics
    assert metrics["coverage"]["F-ID"] == {"covered": 4, "opportunities": 4}
    assert metrics["coverage"]["F-NM"] == {"covered": 2, "opportunities": 2}
    assert metrics["coverage"]["F-PT"] == {"covered": 4, "opportunities": 4}
    assert metrics["disclosure_precision"] == 1.0
    script = Script()
    script.user("###STOP###")
    metrics = graded(script).metrics
    assert metrics["coverage"]["F-ID"] == {"covered": 0, "opportunities": 0}
    assert metrics["disclosure_precision"] is None


def test_the_listing_cap_can_be_lifted():
    listing = ", ".join(f"FL-{number}" for number in range(11, 21))
    script = Script()
    script.agent(f"{listing}, {OUT}")
    script.book(flight("outbound", OUT))
    script.user("###STOP###")
    assert grade(script.task, script.messages).checks["F-ID"] == "fail"
    assert grade(script.task, script.messages, listing_cap=None).checks["F-ID"] == "pass"


def test_the_stamp_names_all_a_verdict_depends_on():
    stamp = grading_stamp(small_task())
    assert stamp["listing_cap"] == 10
    hashes = ("verifier", "lexicon", "vocabulary", "task", "tools")
    assert all(len(stamp[part]) == 64 for part in hashes)
    other = grading_stamp(build_task(budget_cents=None), listing_cap=None)
    assert differing(stamp, other) == ["listing_cap", "task"]
    assert differing(stamp, other, ("task", "tools")) == ["task"]
    assert differing({}, other) == []


def stamped(*modules):
    task = small_task()
    grading = replace(TRAVEL.grading, modules=modules)
    own = Task(task.spec, replace(TRAVEL, grading=grading), build_rows)
    return grading_stamp(own)["verifier"]


def test_the_stamp_hashes_the_sources_of_a_domain_wherever_it_stands(tmp_path, monkeypatch):
    source = tmp_path / "own_clinic.py"
    source.write_text("PRICE = 1\n")
    monkeypatch.syspath_prepend(tmp_path)
    before = stamped("own_clinic")
    source.write_text("PRICE = 2\n")
    _hash_sources.cache_clear()
    assert (
        len({before, stamped("own_clinic"), stamped(), stamped("crab_graph.domains.travel")}) == 4
    )
    # A cell of a notebook is a module without a file.
    monkeypatch.setitem(sys.modules, "__main__", ModuleType("__main__"))
    assert stamped("__main__") == stamped()
    monkeypatch.delitem(sys.modules, "own_clinic")


def test_the_stamp_of_travel_hashes_its_words_and_data_too():
    (package,) = TRAVEL.grading.modules
    folder = files(package)
    assert {"words.toml", "data.toml", "domain.py"} <= {one.name for one in folder.iterdir()}
    assert package == "crab_graph.domains.travel"
