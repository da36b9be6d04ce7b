"""Try mutants of what judges, pays and reads, and say which of them no test notices.

`make mutants` tries all of them, `SAMPLE=200` as many that are drawn, always the same ones for a
`SEED`, and `MODULES=payments,eval/verifiers` those of a room, or whose paths hold a word. What came
of a mutant is kept in `build/mutants.jsonl`: a run that was interrupted goes on, and a mutant that
was killed is not tried again as long as its module is the same, nor is one that survived as long as
the tests are.
"""

import argparse
import json
import sys
import time
import tomllib
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from hashlib import sha256
from pathlib import Path
from typing import NamedTuple

from tests.mutants.mutations import ROOT, Mutant, chosen, mutants_of
from tests.mutants.trials import Trial, run_trials

HERE = Path(__file__).resolve().parent
KEPT = ROOT / "build" / "mutants.jsonl"
LEAST = 0.95
"""Part of the mutants tried that has to be killed."""


class Room(NamedTuple):
    """Modules that are mutated, and the tests that try them."""

    name: str
    paths: tuple[str, ...]
    tests: tuple[str, ...]
    warm: str | None

    def digest(self) -> str:
        """Tell its tests from any others."""
        places = [ROOT / one for one in self.tests]
        files = [file for one in places for file in ([one] if one.is_file() else one.rglob("*.py"))]
        return sha256(b"".join(file.read_bytes() for file in sorted(files))).hexdigest()[:16]


class Survivor(NamedTuple):
    """An entry of `survivors.toml`."""

    path: str
    definition: str
    before: str
    after: str
    reason: str

    @property
    def key(self) -> str:
        """What its mutant is called."""
        return f"{self.path} {self.definition}: {self.before} -> {self.after}"


def load_rooms(words: Sequence[str] = ()) -> list[Room]:
    """Return the rooms with their modules, of which words choose some; all of them without any.

    A word is the name of a room, or else a part of paths.
    """
    rooms = []
    rows = tomllib.loads((HERE / "targets.toml").read_text("utf-8"))["room"]
    parts = [word for word in words if all(word != row["name"] for row in rows)]
    for row in rows:
        paths = [path for glob in row["modules"] for path in _found(glob)]
        is_meant = row["name"] in words or not words
        kept = [one for one in paths if is_meant or any(part in one for part in parts)]
        if kept:
            tests = [one for glob in row["tests"] for one in _found(glob)]
            rooms.append(Room(row["name"], tuple(kept), tuple(tests), row.get("warm")))
    return rooms


def _found(glob: str) -> list[str]:
    return [file.relative_to(ROOT).as_posix() for file in sorted(ROOT.glob(glob))]


def load_survivors() -> list[Survivor]:
    """Return the mutants that are known to survive."""
    listed = tomllib.loads((HERE / "survivors.toml").read_text("utf-8"))
    return [Survivor(**row) for row in listed.get("survivor", ())]


class Memory:
    """What came of mutants in runs before, and in this one."""

    def __init__(self, path: Path, *, anew: bool) -> None:
        self.path = path
        self._by: dict[str, str | None] = {}
        path.parent.mkdir(parents=True, exist_ok=True)
        if anew:
            path.unlink(missing_ok=True)
        self.read()

    def read(self) -> None:
        """Read what was written since."""
        if self.path.exists():
            for line in self.path.read_text("utf-8").splitlines():
                row = json.loads(line)
                self._by[row["of"]] = row["killed_by"]

    def outcome(self, mutant: Mutant, tests: str) -> tuple[bool, str | None]:
        """Tell whether a mutant was tried, and what killed it."""
        for name in (mutant.digest, f"{mutant.digest} {tests}"):
            if name in self._by:
                return True, self._by[name]
        return False, None

    def write(self, trial: Trial, tests: str) -> None:
        """Keep what came of a mutant."""
        name = trial.mutant.digest if trial.killed_by else f"{trial.mutant.digest} {tests}"
        with self.path.open("a", encoding="utf-8") as file:
            row = {"of": name, "killed_by": trial.killed_by, "key": trial.mutant.key}
            file.write(json.dumps(row) + "\n")


class Outcome(NamedTuple):
    """What came of the mutants tried: how many of each module, and which survived."""

    tried: Counter[str]
    survived: list[Mutant]
    keys: set[str]

    @property
    def rate(self) -> float:
        """The part that was killed."""
        tried = self.tried.total()
        return 1 - len(self.survived) / tried if tried else 1.0


def try_mutants(
    rooms: Iterable[Room],
    memory: Memory,
    sample: int | None = None,
    seed: int = 0,
    tell: Callable[[str], None] = lambda line: None,
) -> Outcome:
    """Try the mutants of some rooms, or a sample of those that are not known to survive."""
    rooms = list(rooms)
    known = frozenset(one.key for one in load_survivors()) if sample is not None else ()
    of_room = {
        room.name: [one for path in room.paths for one in mutants_of(path)] for room in rooms
    }
    every = [one for mutants in of_room.values() for one in mutants]
    drawn = chosen([one for one in every if one.key not in known], sample, seed)
    wanted = {one.digest for one in drawn}
    tried: Counter[str] = Counter()
    survived: list[Mutant] = []
    for room in rooms:
        tests = room.digest()
        mutants = [one for one in of_room[room.name] if one.digest in wanted]
        new = [one for one in mutants if not memory.outcome(one, tests)[0]]
        begun = time.monotonic()
        tell(f"{room.name}: {len(mutants)} mutants, {len(new)} to be tried")
        if new:

            def report(trial: Trial, tests: str = tests) -> None:
                memory.write(trial, tests)
                if not trial.killed_by:
                    where = f"{trial.mutant.path}:{trial.mutant.line}"
                    tell(f"  survives {where} {_change(trial.mutant)}")

            run_trials(new, room.tests, report, room.warm)
            memory.read()
            tell(f"  {time.monotonic() - begun:.0f} s")
        for one in mutants:
            tried[one.path] += 1
            if not memory.outcome(one, tests)[1]:
                survived.append(one)
    return Outcome(tried, survived, {one.key for one in every})


def stale(outcome: Outcome, survivors: Iterable[Survivor], tried_all: bool) -> list[str]:
    """Return what is wrong with the list of survivors: entries of no mutant, or of a killed one."""
    alive = {one.key for one in outcome.survived}
    wrong = []
    for one in survivors:
        if one.path not in outcome.tried:
            continue
        if one.key not in outcome.keys:
            wrong.append(f"is no mutant any more: {one.key}")
        elif tried_all and one.key not in alive:
            wrong.append(f"is killed now: {one.key}")
    return wrong


def _change(mutant: Mutant) -> str:
    return f"in {mutant.definition}\n      - {mutant.before}\n      + {mutant.after}"


def main(arguments: Sequence[str] | None = None) -> int:
    """Try mutants, print what came of them, and return 1 where too many survive."""
    parser = argparse.ArgumentParser(prog="python -m tests.mutants.run", description=__doc__)
    parser.add_argument("--sample", type=int, help="how many mutants to draw; all if not given")
    parser.add_argument("--seed", type=int, default=0, help="which sample")
    parser.add_argument("--modules", default="", help="words of paths, with commas between")
    parser.add_argument("--anew", action="store_true", help="forget what came of earlier runs")
    parser.add_argument("--kept", type=Path, default=KEPT, help="where to keep what came of them")
    given = parser.parse_args(arguments)
    words = [one.strip() for one in given.modules.split(",") if one.strip()]
    memory = Memory(given.kept, anew=given.anew)
    outcome = try_mutants(
        load_rooms(words), memory, given.sample, given.seed, lambda line: print(line, flush=True)
    )
    known = {one.key: one for one in load_survivors()}
    lost = Counter(one.path for one in outcome.survived)
    print(f"\n{'module':44} tried killed  rate")
    for path, number in sorted(outcome.tried.items()):
        print(f"{path:44} {number:5} {number - lost[path]:6} {1 - lost[path] / number:5.1%}")
    total = outcome.tried.total()
    print(f"{'all':44} {total:5} {total - len(outcome.survived):6} {outcome.rate:5.1%}")
    new = [one for one in outcome.survived if one.key not in known]
    print(f"\n{len(outcome.survived)} survive, {len(outcome.survived) - len(new)} of them listed")
    for one in new:
        print(f"  {one.path}:{one.line} {_change(one)}")
    wrong = stale(outcome, known.values(), tried_all=given.sample is None)
    for line in wrong:
        print(f"survivors.toml: {line}")
    return int(bool(wrong) or outcome.rate < LEAST)


if __name__ == "__main__":
    sys.exit(main())
