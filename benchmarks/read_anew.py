"""Questions that language models asked in kept talks, put to the users of other tasks, to be read.

A user that is mended by the talks it was read in is tuned to them; the same questions find it
elsewhere. Of each message those sentences and items are put that ask and say nothing of the task
they were asked about, up to the first plan. What is printed is for a careful reader: nothing here
judges it.

    python -m benchmarks.read_anew BENCH --talks 10 --seed 1 --personas terse,impatient
"""

import argparse
import json
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from random import Random
from typing import Any

import crab_graph as cg
from benchmarks.bench_talks import AGENTS, TALKS, load_set
from crab_graph.personas.condition import parse_condition, resolve

CONDITION = "ruse"
PERSONAS = frozenset({"terse", "impatient", "neutral"})
FEWEST, MOST = 4, 9
SENTENCES = re.compile(r"(?<=[.?!])\s+(?=[A-Z*])")
PLAN = re.compile(r"\b[A-Z]{2}-\d")
ASKS = re.compile(r"\?|^\s*(?:[-*•]|\d\.|[a-z]\))\s.*[a-z]{3}|:\s*$")
OF_A_TASK = re.compile(
    r"\b(?:january|february|march|april|may \d|june|july|august|september|october|november|december"
    r"|(?:jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec)\b|born|mean|you said|your wish|instead"
    r"|still|replace|correct|right\b|sure|firm|noted|recap)|\d{2,}|[A-Z]{2}-\d",
    re.I,
)


def questions_of(messages: Sequence[str]) -> list[str]:
    """Return what an agent's messages ask of anybody, without numbers, up to its first plan."""
    return [text for text in map(_asked, _before_plan(messages)) if "?" in text]


def _before_plan(messages: Sequence[str]) -> Iterator[str]:
    for text in messages:
        if PLAN.search(text):
            return
        yield text


def _asked(text: str) -> str:
    lines = (
        " ".join(
            one for one in SENTENCES.split(line) if ASKS.search(one) and not OF_A_TASK.search(one)
        )
        for line in text.splitlines()
    )
    return "\n".join(line for line in lines if re.search(r"[a-z]{3}", line))


def kept_questions(sets: Sequence[str]) -> Iterator[tuple[str, list[str]]]:
    """Yield the name of each kept talk that asks enough, with its questions."""
    for name in sets:
        for talk in load_set(name):
            path = TALKS / name / f"{talk['talk']}.jsonl"
            said = map(json.loads, path.read_text("utf-8").splitlines())
            visible = [m for m in said if m["role"] == "assistant" and not m.get("tool_calls")]
            asked = questions_of([str(one["content"]) for one in visible])
            if len(asked) >= FEWEST:
                yield f"{name} {talk['talk']}", asked[:MOST]


def put_to(task: cg.Task, questions: Sequence[str], seed: int) -> list[dict[str, Any]]:
    """Return the visible messages of an episode in which an agent asks one question a turn."""

    def ask(messages: Sequence[Any], tools: Sequence[Any]) -> str:
        turn = min(sum(one.type == "human" for one in messages), len(questions))
        return str(questions[turn - 1])

    limits = cg.Limits(max_turns=2 * len(questions) + 1)
    episode = cg.run_episode(task, ask, CONDITION, seed=seed, limits=limits)
    shown = ("user", "assistant")
    return [
        dict(one) for one in episode.messages if one["role"] in shown and not one.get("tool_calls")
    ]


def main() -> None:
    """Print as many dialogues as asked for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=_AS_IT_IS)
    parser.add_argument("bench", type=Path, help="a benchmark of tasks nobody has read")
    parser.add_argument("--talks", type=int, default=10)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--personas", default="terse,impatient,neutral")
    asked = parser.parse_args()
    rng, tasks = Random(asked.seed), list(cg.load_benchmark(asked.bench))
    kept, wanted = list(kept_questions(AGENTS[1:])), {*asked.personas.split(",")}
    if not wanted <= PERSONAS:
        parser.error(f"--personas takes {', '.join(sorted(PERSONAS))}, not '{asked.personas}'")
    if not 0 < asked.talks <= len(kept):
        parser.error(f"--talks takes 1 to {len(kept)}, the talks that are kept")
    for name, questions in rng.sample(kept, asked.talks):
        task = rng.choice(tasks)
        seeds = (rng.randrange(2**31) for _ in range(1000))
        seed = next(
            seed
            for seed in seeds
            if resolve(parse_condition(CONDITION), seed, task.id, 0).persona in wanted
        )
        print(f"\n## {task.id}, seed {seed}, questions of {name}")
        print(json.dumps({one.key: one.value for one in task.briefing.facts}))
        for one in put_to(task, questions, seed):
            print(f"{one['role']}: {one['content']}")


_AS_IT_IS = argparse.RawDescriptionHelpFormatter

if __name__ == "__main__":
    main()
