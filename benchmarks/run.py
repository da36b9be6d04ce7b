"""Run every benchmark here and print one table; `make bench` does.

A benchmark is a file `bench_*.py` whose `main()` returns rows of (what, measured, target). What it
compares, it measures side by side in the same run, and it reports medians.
"""

import importlib.util
import sys
import time
from collections.abc import Sequence
from pathlib import Path

HERE = Path(__file__).resolve().parent

Row = tuple[str, str, str]


def run_benchmark(path: Path) -> Sequence[Row]:
    """Import one benchmark by its path and run it."""
    spec = importlib.util.spec_from_file_location(path.stem, path)
    if spec is None or spec.loader is None:
        raise ImportError(f"{path} is not a Python file")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    rows: Sequence[Row] = module.main()
    return rows


def print_table(rows: Sequence[Row]) -> None:
    """Print rows under their headings, columns as wide as they need to be."""
    table = [("what", "measured", "target"), *rows]
    widths = [max(len(row[column]) for row in table) for column in range(2)]
    for what, measured, target in table:
        print(f"{what:<{widths[0]}}  {measured:<{widths[1]}}  {target}")


def main(names: Sequence[str]) -> None:
    """Run the benchmarks named, or all."""
    rows: list[Row] = []
    for path in sorted(HERE.glob("bench_*.py")):
        if names and path.stem.removeprefix("bench_") not in names:
            continue
        started = time.perf_counter()
        rows += run_benchmark(path)
        print(f"{path.stem} took {time.perf_counter() - started:.0f} s", file=sys.stderr)
    print_table(rows)


if __name__ == "__main__":
    main(sys.argv[1:])
