"""Strikes work again and again, lets it go on, and tells how what it makes came out.

    python -m tests.soak.killing FOLDER SEED TRIALS [WORK ...]

Every sitting is a process of its own, forked from this one after the imports, and a session of its
own, so that a signal can go to its workers too. It is struck at the n-th passing of one of the
points below, at the n-th time that it makes, renames or removes a file, or after some milliseconds;
with SIGKILL, SIGTERM, SIGHUP, SIGINT, or SIGSTOP, upon which it goes on or is killed. Printed is
one JSON document: how often work was struck at each point and how, and which differs from what
nobody touched.
"""

import ctypes
import gc
import hashlib
import importlib
import json
import os
import random
import signal
import sys
import threading
import time
import traceback
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from functools import wraps
from pathlib import Path
from typing import Any, NamedTuple

import duckdb  # noqa: F401  (every import is made before the first fork)
from langgraph.checkpoint.sqlite import SqliteSaver

from crab_graph.graph import journal, nodes
from crab_graph.personas import rules_user
from crab_graph.runs import store
from crab_graph.runs.versions import code_sha256
from crab_graph.tools.registry import ToolRegistry
from tests.soak.players import PLAYERS
from tests.soak.works import WORKS, Work, prepare

MOST_STRIKES = 5
HANGS_AFTER = 180.0
ANY_MOMENT = "any moment"
WITHIN_RECORD = "within record"
STOPPED_SECONDS = 0.05

POINTS = {
    "checkpoint": (SqliteSaver, "put"),
    "writes": (SqliteSaver, "put_writes"),
    "reply": (journal.Step, "keep"),
    "forget": (SqliteSaver, "delete_thread"),
    "record": (store.Shard, "append"),
    "tool": (ToolRegistry, "call"),
    "environment": (nodes.EpisodeNodes, "environment"),
    "agent": (nodes.EpisodeNodes, "agent"),
    "user": (rules_user.RulesUser, "step"),
    "replacement": (Path, "replace"),
}
FILE_EVENTS = {
    "open": "a file is written",
    "os.rename": "a file is renamed",
    "os.remove": "a file is removed",
    "os.mkdir": "a folder is made",
    "os.rmdir": "a folder is removed",
    "shutil.rmtree": "a tree is removed",
    "shutil.move": "a file is moved",
    "sqlite3.connect": "a store is opened",
}
"""Audit events before the system is asked to change a file, and what they are called here."""


class Way(NamedTuple):
    """How work is struck: the signals it gets, one after another, and whether its workers do."""

    signals: tuple[signal.Signals, ...]
    whole_group: bool = False

    @property
    def name(self) -> str:
        """The signals' names."""
        words = "+".join(one.name for one in self.signals)
        return f"{words} to all" if self.whole_group else words


WAYS = (
    *(Way((one,)) for one in (signal.SIGKILL, signal.SIGTERM, signal.SIGHUP, signal.SIGINT)),
    *(Way((one,), whole_group=True) for one in (signal.SIGKILL, signal.SIGINT, signal.SIGHUP)),
    Way((signal.SIGSTOP, signal.SIGCONT)),
    Way((signal.SIGSTOP, signal.SIGKILL)),
)
KILL = WAYS[0]


class Trap:
    """Counts how often each point is passed, and strikes at one of the passings."""

    def __init__(self, folder: Path, place: str | None = None, number: int = 0, way: Way = KILL):
        self.folder = str(folder)
        self.place = place
        self.left = number
        self.way = way
        self.passed: Counter[str] = Counter()

    def arm(self) -> None:
        for name, (owner, attribute) in POINTS.items():
            setattr(owner, attribute, self._around(name, getattr(owner, attribute)))
        self._tear(store.Shard)
        sys.addaudithook(self._hear)

    def _around(self, name: str, function: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(function)
        def trapped(*arguments: Any, **options: Any) -> Any:
            self.at(f"before {name}")
            result = function(*arguments, **options)
            self.at(f"after {name}")
            return result

        return trapped

    def _tear(self, shard: Any) -> None:
        """Add a point in the middle of a line."""
        append = shard.append

        def torn(self_: Any, record: Any) -> None:
            if self.place == WITHIN_RECORD and self.left == 1:
                self_._file.write(record.model_dump_json().encode()[:500])
                os.kill(os.getpid(), signal.SIGKILL)
            self.at(WITHIN_RECORD)
            append(self_, record)

        shard.append = torn

    def _hear(self, event: str, arguments: tuple[Any, ...]) -> None:
        if event not in FILE_EVENTS or not str(arguments[0]).startswith(self.folder):
            return
        if event == "open" and not arguments[2] & (os.O_WRONLY | os.O_RDWR | os.O_CREAT):
            return
        self.at(f"before {FILE_EVENTS[event]}")

    def at(self, name: str) -> None:
        self.passed[name] += 1
        if name == self.place:
            self.left -= 1
            if self.left == 0:
                strike(os.getpid(), self.way.signals[0], whole_group=self.way.whole_group)


def strike(process: int, number: signal.Signals, *, whole_group: bool = False) -> None:
    """Send a signal to a process that leads a session, or to all of its workers too.

    A process that has not begun its session yet has no group, and no workers either.
    """
    if whole_group:
        with suppress(ProcessLookupError):
            os.killpg(process, number)
            return
    os.kill(process, number)


class Ending(NamedTuple):
    """How a process ended: its exit code, or the negated signal that ended it; `None` for never."""

    code: int | None
    was_stopped: bool = False


def in_child(
    action: Callable[[], object],
    told: Path,
    moment: float | None = None,
    way: Way = KILL,
) -> Ending:
    """Run an action in a process of its own; strike it after some seconds, if they are given.

    What it says goes into a file. A stopped process is given the second signal of the way.
    """
    child = os.fork()
    if child == 0:
        _be_a_child(action, told)
    end = time.monotonic() + (HANGS_AFTER if moment is None else moment)
    was_stopped = False
    while True:
        found, status = os.waitpid(child, os.WNOHANG | os.WUNTRACED)
        if not found and time.monotonic() < end:
            time.sleep(0.002)
        elif not found and moment is None:
            os.killpg(child, signal.SIGKILL)
            os.waitpid(child, 0)
            return Ending(None, was_stopped)
        elif not found:
            strike(child, way.signals[0], whole_group=way.whole_group)
            moment, end = None, time.monotonic() + HANGS_AFTER
        elif os.WIFSTOPPED(status):
            was_stopped = True
            time.sleep(STOPPED_SECONDS)
            os.kill(child, way.signals[-1])
        else:
            return Ending(os.waitstatus_to_exitcode(status), was_stopped)


def _be_a_child(action: Callable[[], object], told: Path) -> None:
    code = 1
    try:
        os.setsid()
        for number in (signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, signal.SIG_DFL)
        signal.signal(signal.SIGINT, signal.default_int_handler)
        ctypes.CDLL(None).prctl(1, signal.SIGKILL)  # dies with whoever strikes it
        with told.open("w") as file:
            os.dup2(file.fileno(), 1)
            os.dup2(file.fileno(), 2)
            found = action()
            code = found if isinstance(found, int) else 0
            sys.stdout.flush()
    except KeyboardInterrupt:
        code = 130
    except SystemExit as leaving:
        code = leaving.code if isinstance(leaving.code, int) else 1
    except BaseException:
        with told.open("a") as file:
            file.write(traceback.format_exc())
    finally:
        os._exit(code)


def alone() -> None:
    """Wait until no thread of a database is left, which a fork would tear apart."""
    for _ in range(500):
        if len(os.listdir("/proc/self/task")) == 1:
            return
        time.sleep(0.01)
    raise SystemExit(f"threads are left: {threading.enumerate()}")


def import_what(action: Callable[[], object], folder: Path) -> None:
    """Import what an action imports, by trying it in a process, so that none has to do it again."""
    names = folder / "modules"

    def work() -> None:
        action()
        names.write_text("\n".join(name for name in sys.modules if name != "__main__"))

    ending = in_child(work, folder / "import.said")
    if ending.code != 0:
        raise SystemExit((folder / "import.said").read_text())
    for name in names.read_text().split():
        try:
            importlib.import_module(name)
        except Exception:  # what stands in `sys.modules` need not be a module of that name
            continue


class Blow(NamedTuple):
    """Where a sitting is struck, and how: at a passing of a point, or after some seconds."""

    place: str
    way: Way
    number: int = 0
    moment: float | None = None


class Whole(NamedTuple):
    """Work that nobody touched: what it left, how often each point was passed, and its seconds."""

    digest: str
    passed: Mapping[str, int]
    seconds: float


class Harness:
    """Strikes pieces of work in one folder, and counts."""

    def __init__(self, folder: Path, works: Mapping[str, Work] = WORKS, ways: Sequence[Way] = WAYS):
        self.folder, self.works, self.ways = folder, works, ways
        self.strikes: Counter[tuple[str, str, str]] = Counter()
        """How often, by work, point and way."""
        self.trials: Counter[str] = Counter()
        self.differing: list[dict[str, Any]] = []
        self._wholes: dict[str, Whole] = {}

    def warm(self) -> None:
        """Do all work once in a process, and import here what that took."""
        code_sha256()  # the sources as they are now, for all sittings

        def work() -> None:
            for name, one in self.works.items():
                out = self.folder / f"warm-{_plain(name)}"
                one.lay_out(self.folder, out)
                if one.begin(self.folder, out) not in one.fine:
                    raise ValueError(f"{name} failed")
                one.digest(out)

        import_what(work, self.folder)
        gc.collect()
        alone()
        gc.freeze()

    def whole(self, name: str) -> Whole:
        """Return what a piece of work leaves that nobody touches."""
        if name not in self._wholes:
            out = self.folder / f"whole-{_plain(name)}"
            self.works[name].lay_out(self.folder, out)
            trap, began = Trap(self.folder), time.monotonic()
            passed = out.with_name(f"{out.name}.passed")

            def count() -> None:
                passed.write_text(json.dumps(trap.passed))

            ending = self.sitting(name, out, trap, then=count)
            seconds = time.monotonic() - began
            if ending.code not in self.works[name].fine:
                raise SystemExit(f"{name}: {_said(out).read_text()}")
            points = json.loads(passed.read_text())
            self._wholes[name] = Whole(self.digest(name, out), points, seconds)
        return self._wholes[name]

    def sitting(
        self,
        name: str,
        out: Path,
        trap: Trap,
        moment: float | None = None,
        *,
        rng: random.Random | None = None,
        then: Callable[[], None] = lambda: None,
    ) -> Ending:
        """Do a piece of work, or go on with it, in a process that the trap may strike."""
        work = self.works[name]
        is_begun = work.source is None and out.exists()
        do = rng.choice(work.again) if rng and is_begun and work.again else work.begin

        def act() -> int:
            trap.arm()
            code = do(self.folder, out)
            then()
            return code

        return in_child(act, _said(out), moment, trap.way)

    def digest(self, name: str, out: Path) -> str:
        """Return the hash of what a piece of work left, or what is wrong with it."""
        kept = out.with_name(f"{out.name}.digest")

        def read() -> None:
            found = json.dumps(self.works[name].digest(out), default=str)
            kept.write_text(hashlib.sha256(found.encode()).hexdigest())

        told = out.with_name(f"{out.name}.read")
        return kept.read_text() if in_child(read, told).code == 0 else told.read_text()

    def blow(self, name: str, number: int, rng: random.Random, turn: int) -> Blow:
        """Draw where and how a sitting is struck; the first of each trial takes place by place."""
        whole, way = self.whole(name), rng.choice(self.ways)
        places = [*sorted(whole.passed), ANY_MOMENT, ANY_MOMENT]
        place = rng.choice(places) if turn else places[number % len(places)]
        if place == ANY_MOMENT:
            return Blow(place, way, moment=rng.uniform(0.001, 1.1 * whole.seconds))
        if place == WITHIN_RECORD:
            way = KILL
        return Blow(place, way, rng.randint(1, max(1, whole.passed[place] // (turn + 1))))

    def trial(self, name: str, number: int, rng: random.Random) -> bool:
        """Strike a piece of work until it is done; return whether it came out alike."""
        out = self.folder / f"trial-{_plain(name)}-{number}"
        whole, work = self.whole(name), self.works[name]
        work.lay_out(self.folder, out)
        blows: list[Any] = []
        for turn in range(MOST_STRIKES + 1):
            if turn == MOST_STRIKES:
                ending = self.sitting(name, out, Trap(self.folder), rng=rng)
                break
            blow = self.blow(name, number, rng, turn)
            trap = Trap(self.folder, blow.place, blow.number, blow.way)
            ending = self.sitting(name, out, trap, blow.moment, rng=rng)
            is_done = ending.code in work.fine
            blows.append([blow.place, blow.way.name, blow.number or blow.moment, ending.code])
            if not is_done or ending.was_stopped:
                self.strikes[name, blow.place, blow.way.name] += 1
            if is_done or ending.code is None:
                break
        self.trials[name] += 1
        found = self.digest(name, out) if ending.code in work.fine else _said(out).read_text()
        if found != whole.digest:
            told = {"work": name, "trial": number, "blows": blows, "code": ending.code}
            self.differing.append({**told, "said": found[-2000:]})
            return False
        _remove(out)
        return True

    def as_json(self) -> dict[str, Any]:
        """Return what was done so far, and what came out otherwise."""
        return {
            "points": {name: sorted(one.passed) for name, one in self._wholes.items()},
            "strikes": [[*key, count] for key, count in sorted(self.strikes.items())],
            "trials": dict(self.trials),
            "differing": self.differing,
        }


def _plain(name: str) -> str:
    return name.replace(",", "").replace(" ", "-")


def _said(out: Path) -> Path:
    return out.with_name(f"{out.name}.said")


def _remove(out: Path) -> None:
    import shutil  # noqa: PLC0415

    for path in out.parent.glob(f"{out.name}*"):
        shutil.rmtree(path) if path.is_dir() else path.unlink()


def begin(folder: Path, names: Sequence[str] = ()) -> Harness:
    """Prepare a folder, and return what strikes these works in it: by default every command."""
    folder.mkdir(parents=True)
    import_what(lambda: prepare(folder), folder)
    known = {**WORKS, **PLAYERS}
    harness = Harness(folder, {name: known[name] for name in names or WORKS})
    harness.warm()
    return harness


def main(folder: Path, seed: int, trials: int, names: Sequence[str]) -> None:
    harness = begin(folder, names)
    listed = list(harness.works)
    for number in range(trials):
        harness.trial(listed[number % len(listed)], number, random.Random(f"{seed} {number}"))
    print(json.dumps(harness.as_json()))


if __name__ == "__main__":
    _, folder_path, first, count, *chosen = sys.argv
    main(Path(folder_path), int(first), int(count), chosen)
