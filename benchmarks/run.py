"""Run every benchmark here and print one table; `make bench` does.

A benchmark is a file `bench_*.py` whose `main()` returns rows of (what, measured, target). What it
compares, it measures side by side in the same run, and it reports medians. Names choose some of
them (`run.py graph grading`); `--json` prints the rows as one document. One that fails is named
with its traceback, the others go on, and the exit is 1. The first row is a yardstick: milliseconds
of two machines, or of two moments of a shared one, compare only beside it.
"""

import argparse
import importlib.util
import json
import os
import re
import sys
import time
import traceback
from collections.abc import Sequence
from pathlib import Path
from statistics import median

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))  # benchmarks share modules, as `benchmarks.stock`

Row = tuple[str, str, str]

ADDITIONS = 1_000_000

_NUMBER = re.compile(r"-?\d[\d,]*(?:\.\d+)?")


def run_benchmark(path: Path) -> Sequence[Row]:
    """Import one benchmark by its path and run it."""
    spec = importlib.util.spec_from_file_location(path.stem, path)
    if spec is None or spec.loader is None:
        raise ImportError(f"{path} is not a Python file")
    module = importlib.util.module_from_spec(spec)
    sys.modules[path.stem] = module
    spec.loader.exec_module(module)
    rows: Sequence[Row] = module.main()
    return rows


def measure_yardstick() -> Row:
    """Time a plain loop, and say how busy the machine was before."""
    load = os.getloadavg()[0]
    times = []
    for _ in range(5):
        started = time.process_time()
        total = 0
        for number in range(ADDITIONS):
            total += number
        times.append(1000 * (time.process_time() - started))
    what = f"yardstick: {ADDITIONS:,} additions in a Python loop, CPU (load before: {load:.1f})"
    return what, f"{median(times):.0f} ms", ""


def is_met(measured: str, target: str) -> bool | None:
    """Return whether a figure keeps a target such as `≤ 5 ms`; both are in the same unit.

    Returns:
        None where there is no target, or none that a number decides.
    """
    figure, bound = _NUMBER.search(measured), _NUMBER.search(target)
    if figure is None or bound is None or target[:1] not in ("≤", "≥"):
        return None
    value, limit = (float(found[0].replace(",", "")) for found in (figure, bound))
    return value <= limit if target[0] == "≤" else value >= limit


def print_table(rows: Sequence[Row]) -> None:
    """Print rows under their headings, columns as wide as they need to be."""
    words = {True: "met", False: "MISSED", None: ""}
    table = [("what", "measured", "target", "")]
    table += [(*row, words[is_met(row[1], row[2])]) for row in rows]
    widths = [max(len(row[column]) for row in table) for column in range(3)]
    for what, measured, target, met in table:
        line = f"{what:<{widths[0]}}  {measured:<{widths[1]}}  {target:<{widths[2]}}  {met}"
        print(line.rstrip())


def main(arguments: Sequence[str]) -> None:
    """Run the benchmarks named, or all."""
    parser = argparse.ArgumentParser(description="Run the benchmarks.")
    parser.add_argument("names", nargs="*", help="such as graph; all by default")
    parser.add_argument("--json", action="store_true", help="print one JSON document")
    asked = parser.parse_args(arguments)
    known = {path.stem.removeprefix("bench_"): path for path in sorted(HERE.glob("bench_*.py"))}
    if unknown := [name for name in asked.names if name not in known]:
        parser.error(f"no benchmark '{unknown[0]}'; there are {', '.join(known)}")
    rows: list[tuple[str, Row]] = [("yardstick", measure_yardstick())]
    broken = []
    for name in asked.names or known:
        started = time.perf_counter()
        try:
            rows += [(name, row) for row in run_benchmark(known[name])]
        except Exception:
            traceback.print_exc()
            broken.append(name)
        print(f"{name} took {time.perf_counter() - started:.0f} s", file=sys.stderr)
    show(rows, as_json=asked.json)
    if broken:
        sys.exit(f"broken: {', '.join(broken)}")


def show(rows: Sequence[tuple[str, Row]], *, as_json: bool) -> None:
    """Print the rows of benchmarks as a table, or as one JSON document."""
    if not as_json:
        print_table([row for _, row in rows])
        return
    documents = [
        {
            "benchmark": name,
            "what": what,
            "measured": measured,
            "target": target or None,
            "met": is_met(measured, target),
        }
        for name, (what, measured, target) in rows
    ]
    print(json.dumps(documents, indent=1, ensure_ascii=False))


if __name__ == "__main__":
    main(sys.argv[1:])
