"""The rows of the paper's Table 1 as text, for terminals and data cards alike."""

from crab_graph.analysis.benchmark_stats import DATE_MODES, Spread, StratumStats


def table_cells(one: StratumStats) -> list[tuple[str, str]]:
    """Return what Table 1 says of a stratum: the name of each row, and its text."""
    ratio = one.distractor_ratio_percent
    return [
        ("tasks", f"{one.tasks:,}"),
        ("nodes", str(one.nodes)),
        ("edge types", str(one.edge_types)),
        *(
            (
                f"active edges, {mode} dates",
                f"{one.active_edges[mode]:.2f}" if mode in one.active_edges else "-",
            )
            for mode in DATE_MODES
        ),
        ("valid solutions", _spread(one.solutions)),
        ("node distractors", f"{one.node_distractors:,.1f}"),
        ("edge distractors", f"{one.edge_distractors:,.1f}"),
        ("distractor ratio", "-" if ratio is None else f"{ratio:.2f} %"),
        ("raw search space", f"{one.raw_search_space:.2e}"),
        ("candidates per node", _spread(one.candidates_per_node)),
    ]


def _spread(one: Spread) -> str:
    return f"{one.mean:,.1f} ({one.min:,.0f}-{one.max:,.0f})"
