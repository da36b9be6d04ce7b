"""What a domain that is only declared costs: travel beside an older checkout of the package.

`python benchmarks/bench_generality.py CHECKOUT` prints the table; `run.py generality` does with the
checkout in the variable BASELINE, and without one has nothing to compare. Both sides are run by the
same interpreter, each in a process of its own, and take turns at every single part: a task built,
an episode played, a call made. A machine that is slower for a while is so for both. All times are
processor times; shown are the medians of both sides and of all turns' ratios, now / then.

The same seed need not give both sides the same task, only one of the same stratum and axes; what
depends on the length of an episode is measured a message.
"""

import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import fields
from pathlib import Path
from statistics import mean, median
from typing import Any

import crab_graph as cg
from crab_graph.domains.construction import CandidatePlan, Scouted, TaskPlan, build_task, scout
from crab_graph.domains.proof import certify_benchmark
from crab_graph.domains.task import Task
from crab_graph.settings import Limits
from crab_graph.testing import tool_call_reply
from crab_graph.tools.ledger import Ledger
from crab_graph.tools.registry import Owner

Row = tuple[str, str, str]
Figures = dict[str, float]

ROUNDS = 3
"""Seeds, one a round; ROUNDS in the environment gives another number."""
TASKS = 8
"""Tasks of a round, drawn alone and as a benchmark: two of each stratum, one of each date mode."""
DISTRACTORS = 2000
MESSAGES = 60
"""Messages of an episode in which a script looks at one offer after the other."""
REPEATS = 5
"""How often a call or a grading is repeated; its median counts."""
CALLS = 5
"""Calls timed together: one may take less than a clock's tick."""
STARTED = 7
"""Processes started of each kind."""

TARGET = "≤ 1.10 ×"
COUNTED = ("tokens", "calls the")
"""How the figures begin that count and are no milliseconds."""
PARTS = ("play", "grade")
"""What is done with each task of a benchmark."""
STARTS = {
    "loading the domain and its tools, a process": [
        "-c",
        "from crab_graph.domains.benchmark import find_domain; find_domain('travel').registry()",
    ],
    "crab-graph --help, a process": ["-m", "crab_graph", "--help"],
}


def milliseconds(work: Callable[[], object]) -> float:
    """Return the processor time that something takes."""
    started = time.process_time()
    work()
    return 1000 * (time.process_time() - started)


def repeated(work: Callable[[], object]) -> float:
    """Return the median processor time of doing something several times."""
    return median(milliseconds(work) for _ in range(REPEATS))


def candidate(seed: int, number: int) -> Scouted:
    """Return a candidate; the plan of one had a field for each axis before domains declared any."""
    axes: dict[str, Any] = {"date_mode": date_mode(number), "party": number % 4 + 1}
    if "axes" in {field.name for field in fields(CandidatePlan)}:
        drawn: dict[str, Any] = {"axes": axes}
    else:
        drawn = {"flexible": axes["date_mode"] == "flexible", "party_size": axes["party"]}
    plan: dict[str, Any] = {"domain": "travel", "stratum": number % 4 + 1, "number": number}
    return scout(CandidatePlan(**plan, **drawn, distractors=DISTRACTORS, benchmark_seed=seed))


def date_mode(number: int) -> str:
    return "fixed" if number % TASKS < TASKS // 2 else "flexible"


def build_one(seed: int, number: int) -> Figures:
    """Scout and build a single task."""
    found: list[Scouted] = []
    scouting = milliseconds(lambda: found.append(candidate(seed, number)))
    plan = TaskPlan("t", "travel", DISTRACTORS, found[0])
    return {
        "scouting a candidate, a draft": scouting / (1 + len(found[0].rejected)),
        f"building a task, {date_mode(number)} dates": milliseconds(lambda: build_task(plan)),
    }


class Side:
    """One side: what the process that imports it does when asked, each part in its turn."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.tasks: list[Task] = []
        self.played: dict[int, Any] = {}

    def generate(self, seed: int) -> Figures:
        """Generate the benchmark of a round."""
        path = self.folder / str(seed)
        spent = milliseconds(lambda: cg.generate_benchmark(path, tasks=TASKS, seed=seed, jobs=1))
        self.tasks = list(cg.load_benchmark(path))
        return {f"generating a benchmark of {TASKS} tasks, one process": spent}

    def certify(self, seed: int) -> Figures:
        """Certify it again, from its files."""
        path = self.folder / str(seed)
        ids = [task.id for task in self.tasks]
        spent = milliseconds(lambda: certify_benchmark(cg.load_benchmark(path), ids, jobs=1))
        return {"certifying a stored task": spent / TASKS}

    def play(self, number: int) -> Figures:
        """Play a task with the solver, and with a script of some length."""
        task = self.tasks[number]
        assert task.world.tables  # opened before anything is measured
        found: list[Any] = []
        spent = milliseconds(lambda: found.append(cg.run_episode(task, "solver", "ruse", seed=1)))
        self.played[number] = found[0]
        messages = found[0].messages
        heard = sum(len(line["content"] or "") for line in messages if line["role"] != "assistant")
        mode = "flexible" if number % 2 else "fixed"  # a stratum's first task has fixed dates
        return {
            "playing the solver's episode, a message": spent / len(messages),
            f"playing a script of {MESSAGES} messages": milliseconds(lambda: look(task)),
            f"tokens the solver reads, {mode} dates": heard / 4,
            f"calls the solver makes, {mode} dates": found[0].metrics["total_tool_calls"],
        }

    def grade(self, number: int) -> Figures:
        """Grade the solver's episode, and time calls on the task's initial tables."""
        task, messages = self.tasks[number], self.played[number].messages
        spent = repeated(lambda: cg.grade(task, messages))
        return {
            "grading an episode": spent,
            "grading an episode, a message": spent / len(messages),
            **measure_calls(task),
        }


def look(task: Task) -> None:
    """Play an agent that looks at one flight after the other, up to a number of messages."""
    flights = [row["flight_id"] for row in task.world.rows("flights")]

    def reply(messages: list[Any], tools: Any) -> Any:
        del tools
        flight = flights[len(messages) % len(flights)]
        return tool_call_reply(("search_available_seats", {"flight_id": flight}))

    def say(messages: list[Any], tools: list[Any]) -> str:
        del messages, tools
        return "Please look at the flights, and go on doing so."

    cg.build_graph(task, reply, say, limits=Limits(max_messages=MESSAGES)).invoke({})


def measure_calls(task: Task) -> Figures:
    """Time single calls of the environment on the initial tables of a task."""
    registry = task.domain.registry()
    tables = Ledger.fold(task.world)
    figures: Figures = {}
    for what, name, arguments in calls_of(task):

        def call() -> None:
            for _ in range(CALLS):
                outcome = registry.call(tables, Owner.AGENT, name, arguments)  # noqa: B023
            assert not outcome.is_error, outcome

        figures[f"call: {what}"] = repeated(call) / CALLS
    return figures


def calls_of(task: Task) -> Iterator[tuple[str, str, dict[str, Any]]]:
    """Yield what is searched for, as an agent would with the facts of a task."""
    facts = {fact.key: fact.value for fact in task.facts}
    departure = facts["departure_date"]
    day = departure if isinstance(departure, str) else departure[0]
    city = {"city": facts["destination"]}
    route = {key: facts[key] for key in ("origin", "destination")}
    flight = task.solutions[0]["outbound"]["flight_id"]
    stay = {**task.solutions[0]["hotel"], "guests": facts["party_size"]}
    del stay["room_id"]
    yield "flights of a route on a day", "search_flights_by_route", {**route, "date": day}
    yield "seats of a flight", "search_available_seats", {"flight_id": flight}
    yield "hotels of a city", "search_hotels_by_city", city
    yield "rooms of a hotel", "search_available_rooms", stay
    yield "attractions of a city", "search_attractions_by_city", city
    yield "attractions on a day", "search_attractions_by_city", {**city, "date": day}
    customer = {"customer_id": facts["customer_id"]}
    yield "a customer", "get_customer_information", customer


def serve() -> None:
    """Do what each line of the input names, with numbers, and answer with its figures."""
    with tempfile.TemporaryDirectory() as directory:
        side = Side(Path(directory))
        parts: dict[str, Callable[..., Figures]] = {
            "build": build_one,
            "generate": side.generate,
            "certify": side.certify,
            "play": side.play,
            "grade": side.grade,
        }
        for line in sys.stdin:
            name, *numbers = line.split()
            print(json.dumps(parts[name](*map(int, numbers))), flush=True)


def environment_of(checkout: Path) -> dict[str, Any]:
    """Return the options by which a child process works on a checkout."""
    return {"cwd": checkout, "env": {**os.environ, "PYTHONPATH": str(checkout)}, "text": True}


def ask(child: "subprocess.Popen[str]", request: str) -> Figures:
    """Let a side do one part, and wait for it."""
    assert child.stdin is not None and child.stdout is not None
    print(request, file=child.stdin, flush=True)
    figures: Figures = json.loads(child.stdout.readline())
    return figures


def measure_start(checkout: Path) -> Figures:
    """Measure what starts in a process of its own."""
    figures: Figures = {}
    for what, arguments in STARTS.items():
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        command = [sys.executable, *arguments]
        subprocess.run(command, stdout=subprocess.DEVNULL, check=True, **environment_of(checkout))
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        used = (after.ru_utime - before.ru_utime) + (after.ru_stime - before.ru_stime)
        figures[what] = 1000 * used
    return figures


def requests(rounds: int) -> Iterator[tuple[str, bool]]:
    """Yield what is asked of both sides in turns, and whether it is measured or only warms up."""
    yield "build 0 0", False
    for seed in range(1, rounds + 1):
        yield from ((f"build {seed} {number}", True) for number in range(TASKS))
        yield f"generate {seed}", True
        yield from ((f"certify {seed}", again) for again in (False, True, True))
        if seed == 1:
            yield "play 0", False
        yield from ((f"{part} {number}", True) for number in range(TASKS) for part in PARTS)


def compare(then: Path, now: Path, rounds: int) -> list[Row]:
    """Measure two checkouts in turns and return a row for each figure."""
    pairs: dict[str, list[tuple[float, float]]] = {}

    def note(old: Figures, new: Figures) -> None:
        for what in old.keys() & new.keys():
            pairs.setdefault(what, []).append((old[what], new[what]))

    order = [then, now]
    with ExitStack() as stack:
        command = [sys.executable, __file__, "--serve"]
        children = {
            side: stack.enter_context(
                subprocess.Popen(
                    command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, **environment_of(side)
                )
            )
            for side in order
        }
        for request, counts in requests(rounds):
            order.reverse()
            told = {side: ask(children[side], request) for side in order}
            if counts:
                note(told[then], told[now])
    for _ in range(STARTED):
        order.reverse()
        started = {side: measure_start(side) for side in order}
        note(started[then], started[now])
    return [shown(what, pairs[what]) for what in sorted(pairs)]


def shown(what: str, pairs: Sequence[tuple[float, float]]) -> Row:
    """Return the row of a figure, measured then and now."""
    old, new = zip(*pairs, strict=True)
    if what.startswith(COUNTED):  # differs by task far more than by side
        ratio, before, after = mean(new) / mean(old), f"{mean(old):,.0f}", f"{mean(new):,.0f}"
    else:
        ratio = median(one / other for other, one in pairs)
        before, after = f"{median(old):.3g}", f"{median(new):.3g} ms"
    return f"{what}, now / then", f"{ratio:.2f} × ({before} → {after})", TARGET


def main() -> list[Row]:
    """Return the rows, if there is a checkout to compare with."""
    baseline = os.environ.get("BASELINE")
    here = Path(__file__).resolve().parent.parent
    rounds = int(os.environ.get("ROUNDS", ROUNDS))
    return compare(Path(baseline).resolve(), here, rounds) if baseline else []


if __name__ == "__main__":
    if sys.argv[1] == "--serve":
        serve()
    else:
        os.environ["BASELINE"] = sys.argv[1]
        for name, measured, _ in main():
            print(f"{name:<72}{measured}")
