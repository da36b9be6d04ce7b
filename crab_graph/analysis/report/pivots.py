"""Where episodes were decided: the chance to pass after each message, from `pivot`."""

from crab_graph.analysis.report.exhibit import (
    Cell,
    Chart,
    Exhibit,
    Head,
    Point,
    count_cell,
    rows_of,
    text_cell,
)
from crab_graph.analysis.report.study import Study
from crab_graph.runs.pivot import Pivot, PivotTurn

_LONGEST = 70


def pivots(study: Study) -> Exhibit | None:
    """Return the curves of the episodes that were forked at every turn; none where none was."""
    found = [(run.name, pivot) for run in study.runs for pivot in run.pivots]
    if not found:
        return None
    several = len({name for name, _ in found}) > 1
    rows, points = [], []
    for name, pivot in found:
        agent = f"{pivot.agent}{' (reference)' if pivot.agent_is_reference else ''}"
        where = f" in {name}" if several else ""
        title = f"{pivot.episode_id}{where}, {agent}: {pivot.outcome}"
        for turn in pivot.turns:
            rows.append((text_cell(f"{pivot.episode_id}{where}"), *_cells(pivot, turn)))
            points.append(
                Point(
                    title,
                    agent,
                    "",
                    str(turn.turn),
                    turn.rate,
                    turn.low,
                    turn.high,
                    f"{turn.n} continuations",
                )
            )
    return Exhibit(
        id="pivots",
        title="Where episodes were decided",
        caption="The chance to pass from each message on, from continuations that were forked "
        "there with the same agent and user, with its 95 % interval. 0 is the beginning; the "
        "message that decided stands out.",
        columns=(
            Head("episode", "episode", is_number=False),
            Head("agent", "agent", is_number=False),
            Head("turn", "message"),
            Head("role", "by", is_number=False),
            Head("rate", "chance to pass"),
            Head("n", "n"),
            Head("change", "change"),
            Head("text", "said", is_number=False),
        ),
        rows=rows_of(rows),
        chart=Chart(
            "line",
            "message",
            "chance to pass",
            tuple(points),
            alt="Charts of the chance to pass after each message. The table below holds their "
            "numbers.",
        ),
    )


def _cells(pivot: Pivot, turn: PivotTurn) -> tuple[Cell, ...]:
    change = turn.change
    said = " ".join(turn.text.split())
    return (
        Cell(pivot.agent, pivot.agent, tag="reference" if pivot.agent_is_reference else ""),
        Cell(str(turn.turn), turn.turn, is_strong=turn.turn == pivot.decisive),
        text_cell(turn.role or "–"),
        Cell(
            f"{turn.rate:.0%}",
            {"value": turn.rate, "low": turn.low, "high": turn.high, "passed": turn.passed},
            note=f"({100 * turn.low:.0f}–{100 * turn.high:.0f})",
        ),
        count_cell(turn.n),
        Cell("" if change is None else f"{100 * change:+.0f}".replace("-", "−"), change),
        text_cell(said if len(said) <= _LONGEST else f"{said[:_LONGEST]}…"),
    )
