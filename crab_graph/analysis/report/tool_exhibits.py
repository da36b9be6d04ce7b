"""What each tool took, where it was measured: time, and reading its answers again and again."""

from collections.abc import Iterator, Sequence

from crab_graph.analysis.report.exhibit import Cell, Exhibit, captioned, named_heads
from crab_graph.analysis.report.study import Arm, Study
from crab_graph.runs.record import EpisodeRecord, ToolCost

_MOST_TOOLS = 8
_AT_LEAST = 2  # so many more make a row of the others
_HEADS = (
    *named_heads("agent", "tool", is_number=False),
    *named_heads(
        "calls_an_episode",
        "milliseconds_a_call",
        "milliseconds_an_episode",
        "reread_tokens",
        "reread_dollars",
    ),
)
_UNMEASURED = Cell("–", None)


def tools(study: Study) -> Iterator[Exhibit]:
    """Show each tool by agent, what was read most first; nothing where no model was asked."""
    rows = [row for arms in study.agents() for row in _rows(arms)]
    if rows:
        yield captioned("tools", columns=_HEADS, rows=rows)


def _rows(arms: Sequence[Arm]) -> Iterator[tuple[Cell, ...]]:
    """Yield the rows of one agent: its dearest tools, and the others together."""
    records = [record for arm in arms for record in arm.records if record.tool_costs]
    by_tool: dict[str, list[ToolCost]] = {}
    for record in records:
        for name, cost in record.tool_costs.items():
            by_tool.setdefault(name, []).append(cost)
    summed = {name: _together(costs) for name, costs in by_tool.items()}
    ordered = sorted(summed.items(), key=lambda one: (-(one[1]["tokens"] or 0), -one[1]["seconds"]))
    most = len(ordered) if len(ordered) < _MOST_TOOLS + _AT_LEAST else _MOST_TOOLS
    for name, cost in ordered[:most]:
        yield _row(arms[0], Cell(name), cost, records)
    if rest := [cost for _, cost in ordered[most:]]:
        yield _row(arms[0], Cell(f"{len(rest)} others"), _together(rest), records)


def _row(
    arm: Arm, tool: Cell, cost: ToolCost, records: Sequence[EpisodeRecord]
) -> tuple[Cell, ...]:
    episodes = len(records)
    ms = 1000 * cost["seconds"] if cost["timed"] else None
    return (
        Cell(arm.agent_label, tag=arm.tag),
        tool,
        _cell(cost["calls"] / episodes, 1),
        _cell(None if ms is None else ms / cost["timed"], 2),
        _cell(None if ms is None else ms / episodes, 2),
        _cell(None if cost["tokens"] is None else cost["tokens"] / episodes, 0),
        _cell(None if cost["dollars"] is None else cost["dollars"] / episodes, 4),
    )


def _together(costs: Sequence[ToolCost]) -> ToolCost:
    """Return the sum of costs; what no model read counts nothing there."""
    read = [one for one in costs if one["tokens"] is not None]
    dollars = [one["dollars"] for one in read if one["dollars"] is not None]
    return ToolCost(
        calls=sum(one["calls"] for one in costs),
        timed=sum(one["timed"] for one in costs),
        seconds=sum(one["seconds"] for one in costs),
        tokens=sum(one["tokens"] or 0 for one in read) if read else None,
        dollars=sum(dollars) if read and len(dollars) == len(read) else None,
    )


def _cell(value: float | None, digits: int) -> Cell:
    return _UNMEASURED if value is None else Cell(f"{value:,.{digits}f}", round(value, 6))
