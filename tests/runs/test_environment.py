"""The environment for training: the same episode as `run_episode`, a message at a time."""

import asyncio
import json
import threading
from functools import partial
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from langchain_core.messages import AIMessage

import crab_graph as cg
from crab_graph.agents.adapters import resolve_agent
from crab_graph.errors import ResumeMismatch, UsageError
from crab_graph.runs.step_costs import step_rows
from crab_graph.schema import canonical_json
from crab_graph.settings import Limits
from crab_graph.testing import ScriptedServer, tool_call_reply
from tests.graph.builders import STOP, scripted

NOT_COMPARED = {"agent", "agent_is_reference"}


def fields_of(episode):
    fields = episode.model_dump(mode="json", exclude=NOT_COMPARED)
    # No two steps take the same time on the clock.
    took = [one.pop("took") for one in fields["hidden"]["beside"] if "took" in one]
    return canonical_json([fields | {"seconds": None}, [one | {"seconds": None} for one in took]])


def solver(task):
    """Return a policy that has the skills of the reference agent, and no place in the episode."""
    return resolve_agent("solver").open_for(task.domain, lambda: ())


def rollout(env, policy):
    """Let a policy play an episode; return its steps."""
    observation, info = env.reset()
    steps = []
    while not info["terminated"]:
        steps.append(env.step(policy(observation)))
        observation, _, _, info = steps[-1]
    return steps


def called(name, arguments):
    return {"id": "x", "type": "function", "function": {"name": name, "arguments": arguments}}


CALLS: Any = st.sampled_from(
    [
        "list_all_airports",
        "no_such_tool",
        ("get_customer_information", {}),
        ("transfer_to_human_agents", {"summary": "no"}),
        ("search_hotels", {"city": "Nowhere"}),
    ]
)
MALFORMED = AIMessage(
    "", invalid_tool_calls=[{"name": "get_customer_information", "args": "{", "id": "1"}]
)
REPLIES = st.one_of(
    st.text(max_size=30),
    st.sampled_from(["What is your customer id?", f"Done {STOP}", "x" * 300, MALFORMED]),
    st.lists(CALLS, min_size=1, max_size=3).map(lambda calls: tool_call_reply(*calls, text="Hm")),
    st.sampled_from([ValueError("broken"), RuntimeError("maximum context length exceeded")]),
)
LIMITS = st.builds(
    Limits,
    max_turns=st.integers(1, 9),
    max_messages=st.integers(1, 14),
    max_tool_errors=st.integers(1, 3),
    max_reply_characters=st.just(200),
)


@settings(max_examples=12)
@given(
    replies=st.lists(REPLIES, min_size=1, max_size=5),
    limits=LIMITS,
    user=st.sampled_from(["generic", "ruse", "terse+d2+d4"]),
    seed=st.integers(0, 3),
)
def test_what_is_stepped_is_what_run_episode_plays(bench, replies, limits, user, seed):
    task, given = bench[0], {"limits": limits, "seed": seed}
    played = cg.run_episode(task, scripted(*replies), user, **given)
    policy = scripted(*(partial(lambda one: one, one) for one in replies))
    env = cg.environment(task, user, **given)
    rollout(env, lambda seen: policy(seen, [])())
    assert fields_of(env.last.info["episode"]) == fields_of(played)


@pytest.mark.parametrize("user", ["generic", "ruse"])
def test_an_agent_that_works_on_its_task_is_rewarded_at_the_end(bench, user):
    task = bench[1]
    env = cg.environment(task, user, seed=5)
    steps = rollout(env, solver(task))
    assert fields_of(steps[-1].info["episode"]) == fields_of(
        cg.run_episode(task, "solver", user, seed=5)
    )
    assert [one.reward for one in steps] == [0.0] * (len(steps) - 1) + [1.0]
    assert [one.terminated for one in steps] == [False] * (len(steps) - 1) + [True]
    assert not any(one.truncated for one in steps)
    assert steps[-1].info["outcome"] == "pass"
    assert steps[-1].gymnasium[1:4] == (1.0, True, False)


@pytest.mark.parametrize("engine", ["llm", "hybrid"])
def test_a_user_that_is_a_model_is_stepped_alike(bench, engine):
    with ScriptedServer(["Hello", "I see.", "Bye. ###STOP###"]) as server:
        given: Any = {"engine": engine, "user_model": server.spec, "limits": Limits(max_turns=7)}
        env = cg.environment(bench[0], "ruse", **given)
        rollout(env, lambda seen: "Who are you?")
        played = cg.run_episode(bench[0], scripted("Who are you?"), "ruse", **given)
    assert fields_of(env.last.info["episode"]) == fields_of(played)
    used = played.usage["user"]["scripted"]
    assert used["calls"] > 1
    steps = step_rows(played)
    for name in ("calls", "input_tokens", "output_tokens"):
        assert sum(one[name] for one in steps) == used[name]
    assert {one["party"] for one in steps} == {"user"} and steps[0]["turn"] == 1
    assert played.seconds == {"user": pytest.approx(sum(one["seconds"] for one in steps))}


def test_an_agent_is_handed_what_it_is_handed_in_an_episode(bench):
    task, seen = bench[0], []

    def spy(messages, tools):
        seen.append(([message.model_dump() for message in messages], [t.name for t in tools]))
        return scripted("Hi", tool_call_reply("list_all_airports"), "So?")(messages, tools)

    cg.run_episode(task, spy, "generic", limits=Limits(max_turns=6))
    in_episode, seen = seen, []
    env = cg.environment(task, "generic", limits=Limits(max_turns=6))
    rollout(env, lambda messages: spy(messages, env.tools))
    assert seen == in_episode


def test_dictionaries_go_in_and_out_where_they_are_asked_for(bench):
    task = bench[0]
    texts = ["Hi", "So?", "Bye"]
    calls = [called("list_all_airports", "{}"), called("get_customer_information", "{oops")]
    written = [
        {"role": "assistant", "content": "Hi"},
        {"role": "assistant", "content": None, "tool_calls": calls},
        *({"role": "assistant", "content": text} for text in texts[1:]),
    ]
    env = cg.environment(task, "ruse", form="openai", limits=Limits(max_turns=6))
    observation, info = env.reset()
    while not info["terminated"]:
        said = sum(one["role"] == "assistant" for one in observation)
        observation, _, _, info = env.step(written[said])
    assert [one["role"] for one in observation[:5]] == [
        "system",
        "user",
        "assistant",
        "user",
        "assistant",
    ]
    assert json.loads(json.dumps(observation)) == observation
    assert observation[4]["tool_calls"][1]["function"]["arguments"] == "{oops"
    assert "invalid_arguments" in observation[6]["content"]
    bad = [{"name": "get_customer_information", "args": "{oops", "id": "2", "error": None}]
    good = [{"name": "list_all_airports", "args": {}, "id": "1"}]
    messages: list[Any] = ["Hi", AIMessage("", tool_calls=good, invalid_tool_calls=bad), *texts[1:]]
    played = cg.run_episode(task, scripted(*messages), "ruse", limits=Limits(max_turns=6))
    assert fields_of(info["episode"]) == fields_of(played)
    assert {one["function"]["name"] for one in env.schemas} == {one.name for one in env.tools}


def test_a_limit_truncates(bench):
    env = cg.environment(bench[0], "ruse", limits=Limits(max_turns=3))
    *_, last = rollout(env, lambda seen: "Hello?")
    assert (last.terminated, last.truncated, last.reward) == (True, True, 0.0)
    assert last.gymnasium[2:4] == (False, True)
    assert last.info["termination"] == "max_turns"
    assert last.info["outcome"] == "budget_exhausted"


def test_a_reward_is_whatever_one_makes_of_the_episode(bench):
    def shaped(episode):
        return sum(verdict == "pass" for verdict in episode.checks.values()) / 100

    env = cg.environment(bench[0], reward=shaped, limits=Limits(max_turns=3))
    *_, last = rollout(env, lambda seen: "Hello?")
    assert last.reward == shaped(last.info["episode"]) > 0


def test_an_exception_of_the_model_is_handed_in_as_its_message(bench):
    env = cg.environment(bench[0])
    env.reset()
    step = env.step(RuntimeError("connection lost"))
    assert step.truncated and step.info["outcome"] == "infra_error"
    assert "connection lost" in step.info["episode"].error


def test_tokens_that_a_message_tells_count_against_their_limit(bench):
    counted = {"input_tokens": 70, "output_tokens": 5, "total_tokens": 75}
    message = AIMessage("Hi", usage_metadata=counted, response_metadata={"model_name": "mine"})
    env = cg.environment(bench[0], limits=Limits(max_tokens=100))
    env.reset()
    assert not env.step(message).terminated
    last = env.step(message)
    assert last.info["termination"] == "max_tokens"
    assert last.info["episode"].usage["agent"]["mine"]["input_tokens"] == 140


@pytest.mark.parametrize(
    ("message", "words"),
    [
        (7, "a text, an AIMessage or a dictionary with 'role', not int"),
        ({"role": "user", "content": "Hi"}, "of the role 'assistant', not 'user'"),
        ({"role": "assistant", "content": 7}, "'content' is a text"),
    ],
)
def test_what_is_no_message_is_refused_and_changes_nothing(bench, message, words):
    env = cg.environment(bench[0])
    with pytest.raises(UsageError, match=r"call reset\(\) first"):
        env.step("Hi")
    env.reset()
    before = env.save()
    with pytest.raises(UsageError, match=words):
        env.step(message)
    assert env.save() == before


def test_an_episode_that_is_over_is_not_stepped(bench):
    env = cg.environment(bench[0], limits=Limits(max_turns=2))
    rollout(env, lambda seen: "Hi")
    with pytest.raises(UsageError, match=r"the episode is over \(max_turns\)"):
        env.step("Hi")
    assert env.is_over
    assert not env.reset().info["terminated"]


def test_another_seed_or_trial_is_another_user(bench):
    env = cg.environment(bench[0], "ruse")
    first = env.reset().observation[-1].content
    other = [env.reset(seed=seed, trial=1).observation[-1].content for seed in range(4)]
    assert len({first, *other}) > 1
    assert env.reset(seed=0, trial=0).observation[-1].content == first
    steps = rollout(env, solver(bench[0]))
    assert steps[-1].info["episode"].seed == 0


def test_a_saved_episode_goes_on_anywhere_and_any_number_of_times(bench):
    task = bench[0]
    env, policy = cg.environment(task, seed=2), solver(task)
    steps = rollout(env, policy)
    observation, _ = env.reset()
    for _ in range(len(steps) // 2):
        observation, *_ = env.step(policy(observation))
    saved = json.dumps(env.save())
    other = cg.environment(task)
    for _ in range(2):
        seen, info = other.restore(json.loads(saved))
        while not info["terminated"]:
            seen, _, _, info = other.step(policy(seen))
        assert fields_of(info["episode"]) == fields_of(steps[-1].info["episode"])
    env.step("Something else.")
    assert json.dumps(cg.environment(task).restore(json.loads(saved)).info) == json.dumps(
        {**env.last.info, **other.restore(json.loads(saved)).info}
    )


@pytest.mark.parametrize("otherwise", [{"user": "generic"}, {"limits": Limits(max_turns=9)}])
def test_an_episode_of_another_environment_is_not_gone_on_with(bench, otherwise):
    env, other = cg.environment(bench[0]), cg.environment(bench[0], **otherwise)
    env.reset()
    before = other.reset().observation
    with pytest.raises(ResumeMismatch, match="another task, user or limit"):
        other.restore(env.save())
    assert other.last.observation == before
    with pytest.raises(UsageError, match="no saved episode: field 'spec'"):
        env.restore({"schema_version": 1})
    with pytest.raises(UsageError, match="no saved episode: its state is damaged"):
        env.restore({**env.save(), "state": {"messages": 7}})
    with pytest.raises(UsageError, match=r"reset\(\) first"):
        cg.environment(bench[0]).save()


def test_a_batch_is_its_environments_side_by_side(bench):
    tasks, limits = [bench[0], bench[1], bench[0]], Limits(max_turns=8)
    policies = [solver(bench[0]), lambda seen: "Bye, I transfer you.", solver(bench[0])]
    batch = cg.environment(tasks, "impatient", seed=1, limits=limits)
    single = [cg.environment(task, "impatient", seed=1, limits=limits) for task in tasks[:2]]
    lengths = [len(rollout(*pair)) for pair in zip(single, policies[:2], strict=True)]
    observations, infos = batch.reset()
    steps = 0
    while batch.active:
        given = [
            None if info["terminated"] else policy(seen)
            for policy, seen, info in zip(policies, observations, infos, strict=True)
        ]
        observations, rewards, terminated, infos = batch.step(given)
        steps += 1
    assert (steps, terminated, rewards) == (max(lengths), [True] * 3, [0.0] * 3)
    ends = [fields_of(info["episode"]) for info in infos]
    assert ends == [fields_of(single[at].last.info["episode"]) for at in (0, 1, 0)]


def test_a_batch_refuses_what_does_not_fit_it_and_changes_nothing(bench):
    batch = cg.environment(bench[:2], limits=Limits(max_turns=2))
    batch.reset()
    before = batch.save()
    for messages, words in [
        (["Hi"], "a batch of 2 takes a list of 2 messages"),
        ("Hi", "a list of 2"),
        (["Hi", 7], "not int"),
    ]:
        with pytest.raises(UsageError, match=words):
            batch.step(messages)
    assert batch.save() == before
    assert batch.step(["Hi", None]).truncated == [True, False]
    with pytest.raises(UsageError, match="environment 0 is over: give None"):
        batch.step(["Hi", "Hi"])
    batch.restore(before)
    assert batch.active == [0, 1]
    names: Any = ["S1-001"]
    with pytest.raises(UsageError, match="needs a task"):
        cg.environment([])
    with pytest.raises(UsageError, match="made of tasks, not of str"):
        cg.environment(names)


def test_users_that_take_their_time_are_asked_at_once(bench):
    together = threading.Barrier(3, timeout=30)

    def slow(messages, tools):
        together.wait()
        return "Hello"

    batch = cg.environment([bench[0]] * 3, slow)
    batch.reset()
    assert batch.step(["Hi"] * 3).terminated == [False] * 3


def test_environments_step_in_an_event_loop(bench):
    async def polite(messages, tools):
        await asyncio.sleep(0)
        return "Hello" if len(messages) < 6 else STOP

    async def play(env):
        _, info = await env.areset()
        while not info["terminated"]:
            _, _, _, info = await env.astep("Hi")
        return info["episode"]

    async def all_of_them():
        batch = cg.environment([bench[0], bench[1]], polite)
        await batch.areset()
        both = (await batch.astep(["Hi", "Hi"])).terminated
        return both, await asyncio.gather(*map(play, batch))

    both, episodes = asyncio.run(all_of_them())
    assert both == [False, False]
    played = cg.run_episode(bench[0], lambda messages, tools: "Hi", polite)
    assert fields_of(episodes[0]) == fields_of(played)


def test_a_step_that_was_cancelled_has_not_happened(bench):
    entered, leave = threading.Event(), threading.Event()

    def stuck(messages, tools):
        if len(messages) > 1:
            entered.set()
            leave.wait(30)
        return "Hello"

    async def give_up(env):
        step = asyncio.create_task(env.astep("Hi"))
        while not entered.is_set():
            await asyncio.sleep(0.001)
        step.cancel()
        with pytest.raises(asyncio.CancelledError):
            await step

    env = cg.environment(bench[0], stuck)
    env.reset()
    before = env.save()
    asyncio.run(give_up(env))
    leave.set()
    assert env.save() == before
    assert [m.content for m in env.step("Again").observation[2:]] == ["Again", "Hello"]
