"""What the red team comes to on a benchmark, and the gap that strict grading closes (§13)."""

from collections import Counter
from collections.abc import Sequence

from crab_graph.analysis.audit.gates import Gate
from crab_graph.domains.task import Task

NEVER = tuple(f"rt{number:02d}" for number in range(1, 15) if number != 5)
"""Those that pass nowhere; the cheapest offers of each slot may happen to be certified."""

CHEAPEST = "rt05"
GAP = ("rt15", "rt16")
"""Those that may pass parity grading, and never strict grading."""


def red_team_gates(tasks: Sequence[Task]) -> list[Gate]:
    """Return the gates of the red team, against the plain user."""
    from crab_graph.runs.episode import run_episode  # noqa: PLC0415  (loads LangGraph)

    parity: Counter[str] = Counter()
    strict: Counter[str] = Counter()
    wrong_cheapest = 0
    for task in tasks:
        for name in (*NEVER, CHEAPEST, *GAP):
            record = run_episode(task, name, "generic")
            parity[name] += record.passed
            strict[name] += bool(record.strict.get("passed"))
            if name == CHEAPEST and record.passed and record.metrics["trip_state"] != "full":
                wrong_cheapest += 1
    told = f"{len(tasks)} tasks each"
    never = sum(parity[name] for name in NEVER)
    harmed = sum(strict[name] for name in (*NEVER, *GAP))
    gap = sum(parity[name] for name in GAP) / (len(GAP) * len(tasks)) if tasks else 0.0
    cheapest = f"{parity[CHEAPEST]} of {len(tasks)} trips of the cheapest offers were certified"
    return [
        Gate("red team, parity", never, None, "= 0", never == 0, _passing(parity, NEVER, told)),
        Gate(
            *("red team, strict", harmed, None, "= 0", harmed == 0),
            _passing(strict, (*NEVER, *GAP), told),
        ),
        Gate("red team, cheapest", wrong_cheapest, None, "= 0", wrong_cheapest == 0, cheapest),
        Gate(
            *("strict gap", gap, None, "reported", True),
            "parity pass rate of agents that disclose as little as may pass (rt15, rt16)",
        ),
    ]


def _passing(passes: Counter[str], names: Sequence[str], told: str) -> str:
    passing = [name for name in names if passes[name]]
    return f"{told}; passing: {', '.join(passing)}" if passing else told
