"""Tasks in which the user changes its mind: certified before and after, said, graded, solved."""

from itertools import combinations, pairwise, product

import pytest

import crab_graph as cg
from crab_graph.agents.reference import reference_agent
from crab_graph.domain.contract import find_domain
from crab_graph.domains.generate import generate_benchmark
from crab_graph.domains.proof import certify_benchmark
from crab_graph.eval.verdict import grade
from crab_graph.testing import ScriptedChatModel, tool_call_reply

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module", params=("travel", "clinic"))
def benchmark(request, tmp_path_factory):
    path = tmp_path_factory.mktemp("changes")
    settings = {"seed": 5, "distractors": 400, "domain": request.param}
    return generate_benchmark(path, 2, strata=(1, 2), changes=True, **settings)


def said(episode):
    return [fact for fact in episode.facts if fact["reason"] == "changed"]


def test_both_requests_are_certified_and_share_no_solution(benchmark):
    for task in benchmark:
        (change,) = task.spec.changes
        assert task.difficulties == ("changes",)
        assert task.spec.certificate.ok and change.certificate.ok
        assert change.certificate.sql == len(task.changed.solutions) > 0
        before, after = (
            {tuple(map(str, product(one.items()))) for one in own.solutions}
            for own in task.requests
        )
        assert not before & after


def test_the_change_is_of_the_facts_it_names(benchmark):
    for task in benchmark:
        known = {fact.key: fact.value for fact in task.facts}
        then = {fact.key: fact.value for fact in task.changed.facts}
        changed = {key for key in known | then if known.get(key) != then.get(key)}
        assert changed == set(task.spec.changes[0].keys)


@pytest.mark.parametrize("condition", ("generic", "ruse"))
def test_the_solver_passes_by_the_last_word(benchmark, condition):
    for task in benchmark:
        episode = cg.run_episode(task, agent="solver", user=condition)
        word = episode.metrics["last_word"]
        assert episode.passed, (task.id, episode.checks)
        assert word["request"] == "changed"
        assert {fact["key"] for fact in said(episode)} == set(task.spec.changes[0].keys)
        assert {fact["turn"] for fact in said(episode)} == {word["message"]}


def test_a_transcript_alone_says_which_request_counts(benchmark):
    for task in benchmark:
        episode = cg.run_episode(task, agent="solver", user="terse+d1")
        verdict = grade(task, episode.messages)
        assert verdict.metrics["last_word"] == episode.metrics["last_word"]
        assert verdict.passed


def test_an_agent_that_goes_by_the_first_word_fails_by_its_own_fault(benchmark):
    for task in benchmark:
        domain = find_domain(task.domain.name)
        solver, lead = reference_agent("solver", domain), "This plan fits what you told me."

        def deaf(messages, tools, solver=solver, lead=lead):
            """Hear a yes to every plan."""
            heard, has_plan = [], False
            for message in messages:
                if message.type == "human" and has_plan and "###" not in message.text:
                    message = message.model_copy(update={"content": "Yes, go ahead. PM-00000000"})
                has_plan = message.type == "ai" and lead in message.text
                heard.append(message)
            return solver(heard, tools)

        episode = cg.run_episode(task, agent=deaf, user="generic", limits=cg.Limits(max_turns=30))
        word = episode.metrics["last_word"]
        assert not episode.passed
        if word["request"] == "changed":
            assert episode.fault == "agent", (task.id, episode.metrics["user_errors"])


def test_after_a_booking_what_no_longer_fits_is_cancelled_and_the_rest_stays(benchmark, tmp_path):
    (tmp_path / "late_default.md").write_text("waits_for_booking: 1\n\nYou think again late.\n")
    for task in benchmark:
        episode = cg.run_episode(task, agent="solver", user="late", personas=str(tmp_path))
        made = [one["name"] for one in episode.trace if one["error"] is None]
        booked = sum(name.startswith("book_") for name in made)
        cancelled = sum(name.startswith("cancel_") for name in made)
        assert episode.passed and episode.metrics["last_word"]["request"] == "changed"
        assert booked - cancelled == len(task.domain.slots)
        if task.domain.name == "clinic":  # all of it can be cancelled
            assert 0 < cancelled <= len(task.spec.changes[0].moves)


def test_what_was_not_said_does_not_count(benchmark):
    task = benchmark[0]
    episode = cg.run_episode(task, agent="silent", user="generic")
    assert episode.metrics["last_word"]["request"] == "first"


def test_certify_counts_the_request_after_the_change_too(benchmark):
    found = certify_benchmark(benchmark)
    for task in benchmark:
        after = found[task.id].changed
        assert after is not None
        assert after.sql == after.arrays == after.search == len(task.changed.solutions)


def test_a_talk_can_be_replayed_and_says_the_same(benchmark):
    task = benchmark[1]
    first, second = (cg.run_episode(task, agent="solver", user="ruse", seed=3) for _ in range(2))
    assert first.messages == second.messages


def script_of(episode):
    """Return what the user said and called, as a model would say it."""
    replies = []
    for message in episode.messages:
        calls = message.get("tool_calls") or ()
        if message["role"] == "user" and calls:
            replies.append(tool_call_reply(*((one["name"], one["arguments"]) for one in calls)))
        elif message["role"] == "user":
            replies.append(message["content"])
    return replies


def played_by_both(task):
    """Return an episode of the rules, and one of a model that says what these said."""
    ruled = cg.run_episode(task, agent="solver", user="generic")
    model = ScriptedChatModel(replies=script_of(ruled))
    return ruled, cg.run_episode(
        task, agent="solver", user="generic", engine="llm", user_model=model
    )


def test_a_model_is_told_of_the_change_at_its_message_and_its_words_are_read(benchmark):
    for task in benchmark:
        ruled, episode = played_by_both(task)
        assert episode.metrics["last_word"] == ruled.metrics["last_word"]
        assert {one["key"] for one in said(episode)} <= set(task.spec.changes[0].keys)
        assert episode.passed and said(episode)


def test_a_function_in_the_users_seat_is_told_what_it_changes_its_mind_about(benchmark):
    task, prompts = benchmark[0], []

    def user(messages, tools):
        prompts.append(messages[0].text)
        return "###STOP###"

    cg.run_episode(task, agent="solver", user=user)
    wanted = [fact for fact in task.changed.facts if fact.key in task.spec.changes[0].keys]
    assert "change your mind" in prompts[0] and len(wanted) > 0


@pytest.mark.slow
def test_faults_leave_a_way_out_for_the_request_after_the_change_too(tmp_path):
    made = generate_benchmark(tmp_path, 6, seed=11, distractors=400, changes=True, faults=True)
    for task in made:
        assert task.spec.changes[0].certificate.ok
        assert task.spec.changes[0].certificate.recoveries


@pytest.fixture(scope="module", params=("travel", "clinic", "tour"))
def twice(request, tmp_path_factory):
    path = tmp_path_factory.mktemp("twice")
    settings = {"seed": 5, "distractors": 400, "domain": request.param, "level": (5,)}
    return generate_benchmark(path, 2, strata=(1, 2), **settings)


def test_of_two_changes_each_is_of_other_facts_and_has_solutions_of_its_own(twice):
    for task in twice:
        first, then = task.spec.changes
        assert set(first.keys).isdisjoint(then.keys)
        solved = [{str(one) for one in own.solutions} for own in task.requests]
        assert len(solved) == 3 and all(solved)
        assert all(one.isdisjoint(other) for one, other in combinations(solved, 2))
        pairs = zip(pairwise(task.requests), task.spec.changes, strict=True)
        for (before, after), change in pairs:
            known, wanted = (
                {fact.key: fact.value for fact in own.facts} for own in (before, after)
            )
            assert {key for key in wanted if known.get(key) != wanted[key]} == set(change.keys)


def test_certify_counts_the_requests_after_both_changes(twice):
    found = certify_benchmark(twice)
    for task in twice:
        after = found[task.id].changed
        assert after is not None and after.changed is not None
        for request, one in zip(task.requests, (found[task.id], after, after.changed), strict=True):
            assert one.ok and one.sql == len(request.solutions) and one.recoveries


@pytest.mark.parametrize("condition", ("generic", "ruse"))
def test_the_solver_passes_by_the_last_of_two_words(twice, condition):
    for task in twice:
        episode = cg.run_episode(task, agent="solver", user=condition)
        word = episode.metrics["last_word"]
        assert episode.passed, (task.id, episode.checks)
        assert word["changes"] == 2 and len(word["messages"]) == 2
        turns = {fact["key"]: fact["turn"] for fact in said(episode)}
        for change, turn in zip(task.spec.changes, word["messages"], strict=True):
            assert {turns[key] for key in change.keys} == {turn}
        verdict = grade(task, episode.messages)
        assert verdict.passed and verdict.metrics["last_word"] == word
        assert not episode.metrics["user_errors"]


def test_of_two_changes_one_may_go_unsaid(twice):
    task = twice[0]
    domain = find_domain(task.domain.name)
    solver = reference_agent("solver", domain)

    def leaves(messages, tools):
        """Go away once the first change was said."""
        told = [message for message in messages if message.type == "human"]
        changed = [one for one in told if "chang" in one.text or "second thought" in one.text]
        return "" if changed else solver(messages, tools)

    episode = cg.run_episode(task, agent=leaves, user="generic", limits=cg.Limits(max_turns=40))
    word = episode.metrics["last_word"]
    assert not episode.passed
    assert (word["request"], len(word["messages"]), word["changes"]) == ("changed", 1, 2)
    assert word["facts"] == list(task.spec.changes[0].keys)


def test_a_model_is_told_of_each_change_at_its_message(twice):
    for task in twice:
        ruled, episode = played_by_both(task)
        assert episode.metrics["last_word"] == ruled.metrics["last_word"]
        assert episode.passed


def test_a_function_in_the_users_seat_is_told_of_both_changes(twice):
    prompts = []

    def user(messages, tools):
        prompts.append(messages[0].text)
        return "###STOP###"

    cg.run_episode(twice[0], agent="solver", user=user)
    assert "change your mind:" in prompts[0] and "change your mind once more" in prompts[0]
