"""CPU time of `crab-graph COMMAND --help`, beside that of an interpreter that does nothing."""

import resource
import subprocess
import sys
from collections.abc import Sequence
from statistics import median

from typer.main import get_group

from crab_graph.cli import app

REPEATS = 5


def cpu_seconds(arguments: Sequence[str]) -> float:
    """Return the user and system time of one child process."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([sys.executable, *arguments], stdout=subprocess.DEVNULL, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return (after.ru_utime - before.ru_utime) + (after.ru_stime - before.ru_stime)


def main() -> list[tuple[str, str, str]]:
    commands = [[], *([name] for name in sorted(get_group(app).commands))]
    help_lines = [["-m", "crab_graph", *command, "--help"] for command in commands]
    times: list[list[float]] = [[] for _ in help_lines]
    bare: list[float] = []
    for _ in range(REPEATS):
        bare.append(cpu_seconds(["-c", "pass"]))
        for line, measured in zip(help_lines, times, strict=True):
            measured.append(cpu_seconds(line))
    medians = [median(measured) for measured in times]
    slowest = max(range(len(medians)), key=medians.__getitem__)
    name = " ".join(["crab-graph", *commands[slowest], "--help"])
    return [
        ("crab-graph --help, CPU", f"{medians[0]:.2f} s", "≤ 0.3 s"),
        (f"slowest help ({name}), CPU", f"{medians[slowest]:.2f} s", "≤ 0.3 s"),
        ("the same / python -c pass", f"{medians[slowest] / median(bare):.1f} ×", ""),
    ]
