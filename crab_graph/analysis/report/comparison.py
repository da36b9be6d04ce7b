"""Users compared in pairs, in a terminal."""

from collections.abc import Sequence

from rich.console import Console

from crab_graph.analysis.report.cells import plain, titled_table
from crab_graph.analysis.report.contrasts import ConditionContrast

NOTE = (
    "p: sign-flip permutations over tasks, in brackets adjusted by Holm within an agent. Where it "
    "finds nothing, a difference smaller than the detectable one may still be there."
)


def print_contrasts(console: Console, contrasts: Sequence[ConditionContrast]) -> None:
    """Print each user beside the reference; nothing where no two share tasks and trials."""
    if not contrasts:
        return
    table = titled_table("Users compared, task by task", "agent", "user")
    for name in ("tasks", "pass@1", "difference (95 %)", "relative drop", "p (Holm)", "detectable"):
        table.add_column(name, justify="right")
    for one in contrasts:
        difference = f"{_points(one.difference)} ({_points(one.low)} to {_points(one.high)})"
        table.add_row(
            plain(one.agent),
            plain(f"{one.user} after {one.reference}"),
            str(one.tasks),
            f"{one.first:.0%} → {one.second:.0%}",
            difference,
            "–" if one.relative_drop is None else f"{one.relative_drop:.0%}",
            f"{one.p:.3f} ({one.p_holm:.3f})",
            _points(one.detectable).lstrip("+") if one.is_null and one.detectable else "",
        )
    console.print("", table, NOTE, sep="\n")


def _points(share: float | None) -> str:
    """Return a difference of rates in percentage points."""
    return "–" if share is None else f"{100 * share:+.1f}".replace("-", "−")
