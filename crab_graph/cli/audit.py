"""`audit`: the validity evidence of a benchmark."""

from typing import TYPE_CHECKING, Annotated, Literal

import typer

from crab_graph.cli.options import BenchArgument, JobsOption
from crab_graph.cli.output import JsonOption, console, new_table, print_json, progress_bar

if TYPE_CHECKING:
    from crab_graph.analysis.audit.gates import Gate


WORST = 4
"""Lines shown of each kind of gate, those furthest from the middle first; all in `--json`."""


def audit(
    bench: BenchArgument,
    only: Annotated[
        Literal["generation", "grading"] | None,
        typer.Option(help="One half of the evidence alone."),
    ] = None,
    quick: Annotated[
        bool, typer.Option("--quick", help="Look at a sample where grading is examined.")
    ] = False,
    jobs: JobsOption = 1,
    as_json: JsonOption = False,
) -> None:
    """Check that a benchmark gives no solution away, and that its grading is sound.

    Generation: certificates, what every public feature and a small model tell of solutions, what
    shortcuts solve, and near misses. Grading: certified solutions replayed, the solver, the red
    team, the mutation matrix, privacy, determinism, isolation. Exits with 1 where a gate fails.
    """
    from crab_graph.analysis.audit.evidence import audit_benchmark

    gates = audit_benchmark(bench, only, quick=quick, jobs=jobs, bar=progress_bar)
    ok = all(gate.ok for gate in gates)
    if as_json:
        print_json({"ok": ok, "gates": [gate._asdict() for gate in gates]})
    else:
        _print(gates)
    if not ok:
        raise typer.Exit(1)


def _print(gates: "list[Gate]") -> None:
    last = ("must_be", "", "counted")
    table = new_table("gate", numbers=("value", "interval"), last=last)
    for gate in _shown(gates):
        interval = "" if gate.interval is None else "{:.2f} to {:.2f}".format(*gate.interval)
        verdict = "" if gate.gate == "reported" else "ok"
        if not gate.ok:
            verdict = "FAILED"
        elif gate.note.endswith("too few"):
            verdict = "too few"
        table.add_row(gate.id, f"{gate.value:.3g}", interval, gate.gate, verdict, gate.note)
    console().print(table)
    failed = sum(not gate.ok for gate in gates)
    print(f"\n{len(gates)} gates, " + (f"{failed} failed." if failed else "none failed."))


def _shown(gates: "list[Gate]") -> "list[Gate]":
    """Return what fits a page: all that failed, and the worst of each kind."""
    groups: dict[tuple[str, bool], list[Gate]] = {}
    for gate in gates:
        if gate.id.startswith("shortcut.") and gate.gate == "reported":
            continue
        kind = ".".join(gate.id.split(".")[:2]) if gate.id.startswith("leak.") else gate.id
        groups.setdefault((kind, gate.gate.startswith("0.5")), []).append(gate)
    shown: list[Gate] = []
    for own in groups.values():
        worst = sorted(own, key=lambda gate: (gate.ok, -abs(gate.value - 0.5)))
        failed = sum(not gate.ok for gate in own)
        shown += worst[: max(failed, WORST)]
    return shown
