"""What careful readers say of whole talks with language models, set by set (`tests/talks`).

Of each set: how many of the user's turns are wrong or absurd, how often the verdict is not what a
reader says, and, where the same tasks were played with `generic` and `ruse`, the difference in true
passes.
"""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from crab_graph.eval.intervals import exact_interval
from crab_graph.eval.statistics import compare

TALKS = Path(__file__).resolve().parent.parent / "tests" / "talks"
AGENTS = (
    *("first", "second", "third", "fourth", "fifth"),
    *("sixth", "seventh", "eighth", "ninth", "tenth", "eleventh", "twelfth"),
    *("thirteenth", "fourteenth", "fifteenth", "sixteenth", "seventeenth"),
    *("eighteenth", "nineteenth", "twentieth", "twentyfirst", "twentysecond", "twentythird"),
    *("twentyfourth", "twentyfifth", "twentysixth", "twentyseventh", "twentyeighth"),
    *("twentyninth", "thirtieth", "thirtyfirst", "thirtysecond", "thirtythird", "thirtyfourth"),
    *("thirtyfifth", "thirtysixth", "thirtyseventh", "thirtyeighth", "thirtyninth"),
    *("fortieth", "fortyfirst", "fortysecond", "fortythird", "fortyfourth"),
    *(
        "fortyfifth",
        "fortysixth",
        "fortyseventh",
        "fortyeighth",
        "fortyninth",
        "fiftieth",
        "fiftyfirst",
        "fiftysecond",
        "fiftythird",
    ),
    *("fiftyfourth", "fiftyfifth", "fiftysixth", "fiftyseventh", "fiftyeighth", "fiftyninth"),
    *("sixtieth", "sixtyfirst", "sixtysecond", "sixtythird", "sixtyfourth"),
    *("sixtyfifth", "sixtysixth", "sixtyseventh", "sixtyeighth"),
    *("sixtyninth", "seventieth", "seventyfirst", "seventysecond", "seventythird"),
    *("seventyfourth", "seventyfifth", "seventysixth", "seventyseventh", "seventyeighth"),
    *("seventyninth", "eightieth", "eightyfirst", "eightysecond", "eightythird"),
    *("eightyfourth", "eightyfifth", "eightysixth", "eightyseventh", "eightyeighth"),
    *("eightyninth", "ninetieth", "ninetyfirst", "ninetysecond", "ninetythird"),
    *("ninetyfourth", "ninetyfifth", "ninetysixth", "ninetyseventh", "ninetyeighth"),
    *("ninetyninth", "hundredth", "hundredfirst", "hundredsecond", "hundredthird"),
    *("hundredfourth", "hundredfifth", "hundredsixth", "hundredseventh", "hundredeighth"),
    *("hundredninth", "hundredtenth"),
)
SETS = (*AGENTS, "users")
TARGETED = (AGENTS[-1], "users")
FAULTY = ("wrong", "absurd")
READINGS = ("right", "odd", *FAULTY)

Row = tuple[str, str, str]
Talk = Mapping[str, Any]


def load_set(name: str) -> list[Talk]:
    """Return the index of a set: one talk a line."""
    lines = (TALKS / name / "index.jsonl").read_text("utf-8").splitlines()
    return [json.loads(line) for line in lines]


def reading_of(turn: str) -> str:
    """Return what a reader says of a turn, without the reason."""
    return turn.partition(":")[0]


def faulty_turns(talks: Sequence[Talk]) -> tuple[int, int]:
    """Return how many of the user's turns are wrong or absurd, and how many there are."""
    turns = [reading_of(turn) for talk in talks for turn in talk["turns"]]
    return sum(turn in FAULTY for turn in turns), len(turns)


def pairs_of(talks: Sequence[Talk]) -> list[tuple[int, float, float]]:
    """Return stratum and true passes with `generic` and with `ruse` of tasks played with both."""
    passed = {(talk["task"], talk["user"]): float(talk["truly"]) for talk in talks}
    tasks = sorted({task for task, _ in passed})
    return [
        (int(task[1]), passed[task, "generic"], passed[task, "ruse"])
        for task in tasks
        if (task, "generic") in passed and (task, "ruse") in passed
    ]


def main() -> list[Row]:
    """Return the rows of all sets."""
    rows: list[Row] = []
    for name in SETS:
        talks = load_set(name)
        faulty, turns = faulty_turns(talks)
        low, high, *_ = exact_interval(faulty, turns)
        target = "≤ 1 %" if name in TARGETED else ""
        about = f"{len(talks)} talks, {turns} turns of the user"
        rows.append((f"{name}: {about}: wrong or absurd", f"{faulty / turns:.1%}", target))
        rows.append(("  95 %, exact", f"{low:.1%} to {high:.1%}", ""))
        disputed = sum(talk["passed"] != talk["truly"] for talk in talks)
        rows.append(("  verdicts that a reader disputes", f"{disputed} of {len(talks)}", ""))
        pairs = pairs_of(talks)
        if pairs:
            strata, generic, ruse = zip(*pairs, strict=True)
            found = compare(generic, ruse, strata, len(pairs))
            low, high, *_ = found.interval
            of = f"true passes, {len(pairs)} tasks"
            rows.append((f"  {of}: generic / ruse", f"{sum(generic):.0f} / {sum(ruse):.0f}", ""))
            ends = "no interval" if low is None else f"{low:+.0%} to {high:+.0%}"
            rows.append((f"  {of}: ruse − generic", f"{found.difference:+.0%} ({ends})", ""))
    return rows


if __name__ == "__main__":
    for what, measured, _ in main():
        print(f"{what}: {measured}")
