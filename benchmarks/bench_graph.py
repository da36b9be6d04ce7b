"""The episode graph: what a step costs, with and without checkpoints, early and late.

A whole episode stands beside one built as one would first build it (`stock.py`). Every comparison
is made within one process, its sides taking turns; what is shown are medians.
"""

import statistics
import tempfile
import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from langchain_core.messages import AIMessage

import crab_graph as cg
from benchmarks.stock import file_size, play_stock
from crab_graph.agents.adapters import resolve_agent
from crab_graph.domains.benchmark import Benchmark
from crab_graph.domains.task import Task
from crab_graph.graph.nodes import EpisodeNodes
from crab_graph.graph.savers import open_saver
from crab_graph.graph.state import transcript_of
from crab_graph.graph.users import build_user, set_up
from crab_graph.settings import EpisodeSettings, Limits
from crab_graph.testing import ScriptedChatModel, tool_call_reply
from crab_graph.tools.registry import Owner

Row = tuple[str, str, str]

REPEATS = 5
EPISODES = 15
MESSAGES = 60
LONG = 820
EARLY, LATE = 20, 800
AROUND = 15
"""How many messages around a place are taken for a step there."""


def asker(task: Task) -> Callable[[list[Any], Any], AIMessage]:
    """Return an agent that looks at one flight after the other."""
    flights = [row["flight_id"] for row in task.world.rows("flights")]

    def ask(messages: list[Any], tools: Any) -> AIMessage:
        del tools
        flight = flights[len(messages) % len(flights)]
        return tool_call_reply(("search_available_seats", {"flight_id": flight}))

    return ask


def say(messages: list[Any], tools: list[Any]) -> str:
    """Be a user who has one thing to say."""
    del messages, tools
    return "Please look at the flights, and go on doing so."


def seconds_of(work: Callable[[], object]) -> float:
    started = time.perf_counter()
    work()
    return time.perf_counter() - started


def play(
    task: Task, agent: Any, user: Any, messages: int, saver: Any = None, thread: str = "t"
) -> dict[str, Any]:
    """Play an episode up to a number of messages, checkpointed if a saver is given."""
    graph = cg.build_graph(task, agent, user, saver, limits=Limits(max_messages=messages))
    if saver is None:
        return dict(graph.invoke({}))
    config: Any = {"configurable": {"thread_id": thread}}
    return dict(graph.invoke({}, config, durability="sync"))


def play_in_file(task: Task, agent: Any, user: Any, messages: int, path: Path) -> dict[str, Any]:
    """Play an episode in a checkpoint file of its own, which is opened and closed."""
    with open_saver(path) as saver:
        return play(task, agent, user, messages, saver)


def bench_checkpoints(task: Task, folder: Path) -> list[Row]:
    """One step with a saver and without, and what it leaves on the disk."""
    kept: list[float] = []
    bare: list[float] = []
    play(task, asker(task), say, MESSAGES)
    opening = seconds_of(lambda: play_in_file(task, asker(task), say, 1, folder / "first.sqlite"))
    with open_saver(folder / "steps.sqlite") as saver:  # a run opens it once for all its episodes
        for number in range(EPISODES):
            bare.append(seconds_of(lambda: play(task, asker(task), say, MESSAGES)))
            thread = f"t{number}"
            kept.append(
                seconds_of(lambda t=thread: play(task, asker(task), say, MESSAGES, saver, t))  # type: ignore[misc]
            )
    step = 1000 * statistics.median(kept) / MESSAGES
    ratio = statistics.median(kept) / statistics.median(bare)
    path = folder / "one.sqlite"
    state = play_in_file(task, asker(task), say, MESSAGES, path)
    mean = statistics.mean(len(line["content"]) for line in state["messages"]) / 1000
    size = file_size(path) / 1000
    return [
        ("one step, checkpointed to SQLite", f"{step:.2f} ms", ""),
        ("one step: checkpointed / without a saver", f"{ratio:.1f} ×", "≤ 2.5 ×"),
        (
            "opening and closing a new checkpoint file, once a worker",
            f"{1000 * opening:.0f} ms",
            "",
        ),
        (f"checkpoint file, {MESSAGES} messages of {mean:.1f} KB", f"{size:.0f} KB", "≤ 400 KB"),
    ]


def bench_length(task: Task, folder: Path) -> list[Row]:
    """A step late in a long episode, and early in another one, in turns."""
    late: list[float] = []
    early: list[float] = []
    for number in range(REPEATS):
        with ExitStack() as stack:
            steps = []
            for name, place in (("late", LATE), ("early", EARLY)):
                saver = stack.enter_context(open_saver(folder / f"{name}-{number}.sqlite"))
                graph = cg.build_graph(task, asker(task), say, saver)
                config: Any = {"configurable": {"thread_id": "t"}}
                going = graph.stream({}, config, stream_mode="values", durability="sync")
                stack.callback(going.close)  # type: ignore[attr-defined]
                for _ in range(place - AROUND):
                    next(going)
                steps.append(going)
            for _ in range(2 * AROUND):
                for going, times in zip(steps, (late, early), strict=True):
                    started = time.process_time()
                    next(going)
                    times.append(time.process_time() - started)
    what = f"one step at message {LATE} / at message {EARLY}, CPU"
    return [(what, f"{statistics.median(late) / statistics.median(early):.2f} ×", "≤ 1.2 ×")]


def bench_stock(benchmark: Benchmark, task: Task, folder: Path) -> list[Row]:
    """The solver's episode by stock settings and by ours; both must say the same."""
    ours: list[float] = []
    stock: list[float] = []
    transcripts: list[Any] = []
    for number in range(REPEATS):
        path = folder / f"ours-{number}.sqlite"
        ours.append(
            seconds_of(
                lambda p=path: transcripts.append(  # type: ignore[misc]
                    transcript_of(play_in_file(task, "solver", "ruse", 1000, p))
                )
            )
        )
        path = folder / f"stock-{number}.sqlite"
        stock.append(
            seconds_of(lambda p=path: transcripts.append(play_stock(benchmark, task, p)))  # type: ignore[misc]
        )
    if any(one != transcripts[0] for one in transcripts):
        raise RuntimeError("the episodes differ")
    said = f"an episode of {len(transcripts[0])} messages"
    sizes = [file_size(folder / f"{name}-0.sqlite") / 1000 for name in ("stock", "ours")]
    return [
        (f"{said}, ours", f"{statistics.median(ours):.2f} s", ""),
        (
            f"{said}: stock settings / ours, equal results",
            f"{statistics.median(stock) / statistics.median(ours):.1f} ×",
            "≥ 2 ×",
        ),
        ("its checkpoint file: stock / ours", f"{sizes[0] / sizes[1]:.1f} ×", ""),
    ]


def bench_overhead(task: Task) -> list[Row]:
    """The agent's node around a chat model with its tools bound, less what the model takes."""
    registry = task.domain.registry()
    model = ScriptedChatModel(replies=[], otherwise="Is that all?")
    tools = registry.langchain_tools(Owner.AGENT)
    bound = model.bind_tools(tools)
    setup = set_up(EpisodeSettings())
    user = build_user(task, "ruse", setup, 0)
    nodes = EpisodeNodes(task, resolve_agent(model), user, setup)
    state = play(task, asker(task), say, LONG)
    rows: list[Row] = []
    for place in (EARLY, LATE):
        ours = [
            _overhead(nodes, bound, state, place + 2 * number - AROUND // 2)
            for number in range(AROUND)
        ]
        what = f"our overhead per LLM call, {len(tools)} tools bound, at message {place}, CPU"
        rows.append((what, f"{1000 * statistics.median(ours):.2f} ms", "≤ 0.5 ms"))
    return rows


def _overhead(nodes: EpisodeNodes, bound: Any, state: dict[str, Any], messages: int) -> float:
    """Return what the agent's node takes at a message beyond the model's own call, in seconds."""
    seen = state["messages"][: messages - 1]
    nodes.agent({"messages": seen})  # the message before it was answered in an earlier step
    now: Any = {"messages": state["messages"][:messages]}
    started = time.process_time()
    nodes.agent(now)
    whole = time.process_time() - started
    view = nodes.view.of(now["messages"])
    started = time.process_time()
    bound.invoke(view)
    return whole - (time.process_time() - started)


def main() -> Sequence[Row]:
    with tempfile.TemporaryDirectory() as directory:
        folder = Path(directory)
        benchmark = cg.generate_benchmark(folder / "bench", tasks=1, strata=(1,), seed=3)
        task = benchmark[0]
        assert task.world.tables  # opened before anything is measured
        return [
            *bench_checkpoints(task, folder),
            *bench_length(task, folder),
            *bench_stock(benchmark, task, folder),
            *bench_overhead(task),
        ]
