"""Whoever type-checks a file of their own gets our types, and is told of their mistakes (PEP 561).

The file is checked where it has nothing of this project but what is installed.
"""

import re
import subprocess
import sys

import pytest

RIGHT = """
from functools import partial

import crab_graph as cg
from langchain.agents import create_agent
from langchain_core.messages import AIMessage, BaseMessage
from langchain_core.runnables import Runnable, RunnableLambda
from langchain_core.tools import BaseTool
from langchain_openai import ChatOpenAI


def plain(messages: list[BaseMessage], tools: list[BaseTool]) -> AIMessage | str:
    return "hello"


async def awaited(messages: list[BaseMessage], tools: list[BaseTool]) -> AIMessage:
    return AIMessage("hello")


def make(tools: list[BaseTool]) -> Runnable[list[BaseMessage], AIMessage]:
    return RunnableLambda(lambda messages: AIMessage("hello"))


class Careful:
    def __call__(self, messages: list[BaseMessage], tools: list[BaseTool]) -> str:
        return "hello"


def worded(words: str, messages: list[BaseMessage], tools: list[BaseTool]) -> str:
    return words


bench: cg.Benchmark = cg.load_benchmark("bench")
task: cg.Task = bench["S1-001"]
model = ChatOpenAI(model="m")
episode: cg.Episode = cg.run_episode(task, model, user="ruse", seed=1)
cg.run_episode(task, create_agent(model, []))
cg.run_episode(task, lambda tools: create_agent(model, tools))
cg.run_episode(task, plain, user=plain)
cg.run_episode(task, awaited)
cg.run_episode(task, make)
cg.run_episode(task, make([]))
cg.run_episode(task, Careful)
cg.run_episode(task, Careful())
cg.run_episode(task, partial(worded, "hello"))
cg.run_episode(task, lambda messages, tools: "hello")
mine: cg.AgentSpec = plain
someone: cg.UserSpec = "terse+d2"
run: cg.Run = cg.run(bench, mine, user=["generic", someone], trials=2, out="run", jobs=2)
rate: float | None = run.pass_at_1
rows: list[tuple[str, ...]] = run.sql("SELECT outcome FROM episodes").fetchall()
version: str = cg.__version__
made = cg.report(run, html="page.html", figures="figures", format="png")
paths: list[cg.Run | str] = [run, "other"]
cg.report(*paths).as_json()
compared: cg.RunComparison = cg.compare(run, "other")
broken: list[str] = compared.pairs[0].having("broken")
written: dict[str, int] = cg.export(run, "openai", out="train.jsonl", rewards=True)
found: cg.Ablation = cg.ablate(bench, plain, ["generic", "d2"], personas="mine", tasks=["S1"])
tables: cg.RunTables = cg.open_tables(run, "other")
joined = tables["episodes"].join(tables["checks"], "run, episode_id").fetchall()
forked: cg.Run = cg.fork_episode(run, run[0], 2, "fork", agent=plain, user="generic")
cost: float | None = cg.estimate_run(bench, "openai:m", prices=cg.load_prices("p.toml")).cost
"""

WRONG = {
    'cg.run_episode(task, lambda messages: "hello")': "incompatible type",
    "cg.run_episode(task, 3)": 'expected "str | Runnable[Any, Any] | AgentFunction',
    "cg.run_episode(task, ChatOpenAI)": "incompatible type",
    "cg.run_episode(task)": 'Missing positional argument "agent"',
    'cg.run(bench, "solver", trails=2)': 'did you mean "trials"',
    'cg.run(bench, "solver", seed="one")': "incompatible type",
    "cg.run_epsiode(task, plain)": "maybe",
    "episode.outcom": "maybe",
    "cg.report(run, htm='page.html')": "htm",
    "cg.export(run, 3, 'x')": "incompatible type",
    'cg.ablate(bench, "solver", user="ruse", conditions=3)': "incompatible type",
    'cg.fork_episode(run, run[0], 2, "fork", agent=3)': "incompatible type",
}


@pytest.mark.slow
def test_a_users_file_is_type_checked_against_what_is_installed(tmp_path):
    file = tmp_path / "mine.py"
    begun = RIGHT.count("\n") + 1
    file.write_text(RIGHT + "\n".join(WRONG) + "\n", encoding="utf-8")
    command = [sys.executable, "-m", "mypy", "--strict", "--no-error-summary", file.name]
    told = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    errors = dict(re.findall(r"^mine\.py:(\d+): error: (.*)$", told.stdout, re.MULTILINE))
    assert errors.keys() == {str(begun + place) for place in range(len(WRONG))}, told.stdout
    for place, (line, words) in enumerate(WRONG.items()):
        assert words in errors[str(begun + place)], (line, errors[str(begun + place)])
