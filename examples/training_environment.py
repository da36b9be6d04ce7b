"""An environment for training: `reset`, `step`, a reward at the end; a batch of them at once.

Nothing here trains: a policy of two sentences stands where a model would be sampled. Its episodes
are the same as those of `cg.run_episode`, and an episode that was saved goes on anywhere.
"""

import json
import sys

from langchain_core.messages import AIMessage, BaseMessage, HumanMessage

import crab_graph as cg


def policy(messages: list[BaseMessage]) -> AIMessage | str:
    """Ask for the customer id, look the customer up, then give up."""
    last = messages[-1]
    if isinstance(last, HumanMessage):
        customer = next((w.strip(".,") for w in str(last.text).split() if w[:3] == "CU-"), None)
        if customer is None:
            return "Gladly. What is your customer id?"
        call = {"id": "1", "name": "get_customer_information", "args": {"customer_id": customer}}
        return AIMessage("", tool_calls=[call])
    return "I am sorry, there is nothing that I can do. Goodbye."


def rollout(env: cg.Environment) -> tuple[float, str]:
    """Play one episode; return its reward, and how it came out."""
    observation, info = env.reset()
    terminated, total = bool(info["terminated"]), 0.0
    while not terminated:
        observation, reward, terminated, info = env.step(policy(observation))
        total += reward
    return total, info["outcome"]


def batch_rollouts(batch: cg.EnvironmentBatch) -> list[float]:
    """Play the episodes of a batch side by side; return their rewards."""
    observations, _ = batch.reset()
    totals = [0.0] * len(batch)
    while batch.active:
        going = set(batch.active)
        messages = [policy(seen) if i in going else None for i, seen in enumerate(observations)]
        observations, rewards, _, _ = batch.step(messages)
        totals = [total + reward for total, reward in zip(totals, rewards, strict=True)]
    return totals


def main(directory: str = "example-bench") -> str:
    bench = cg.generate_benchmark(directory, tasks=4, distractors=300, seed=0)
    limits = cg.Limits(max_turns=20)
    env = cg.environment(bench[0], user="ruse", seed=0, limits=limits)
    reward, outcome = rollout(env)

    env.reset()
    env.step("Gladly. What is your customer id?")
    kept = json.dumps(env.save())  # any process goes on from here, any number of times
    elsewhere = cg.environment(bench[0], user="ruse", seed=0, limits=limits)
    observation, _ = elsewhere.restore(json.loads(kept))

    batch = cg.environment([bench[0]] * 2 + [bench[1]] * 2, user="ruse", limits=limits)
    rewards = batch_rollouts(batch)
    return (
        f"{outcome}, reward {reward}; went on after {len(observation) - 1} messages; "
        f"a batch: {rewards}"
    )


if __name__ == "__main__":
    print(main(*sys.argv[1:]))
