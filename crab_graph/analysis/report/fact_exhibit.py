"""What became of what the users knew: facts got in time, late, ignored or never."""

from collections import Counter

from crab_graph.analysis.report.exhibit import Exhibit, Head, count_cell, rows_of
from crab_graph.analysis.report.measures import scored
from crab_graph.analysis.report.study import Study
from crab_graph.analysis.report.verdict_exhibits import WHO
from crab_graph.eval.user_facts import FactFate

_TITLES = {
    FactFate.IN_TIME: "in time",
    FactFate.LATE: "late",
    FactFate.IGNORED: "ignored",
    FactFate.NEVER: "never got",
}


def fact_fates(study: Study) -> Exhibit | None:
    """Return how many of the users' facts agents got in time, late or never, or ignored."""
    rows = []
    for arm in study.arms:
        fates = [record.fact_fates for record in scored(arm.records) if record.fact_fates]
        counts = Counter(fate for one in fates for fate in one.values())
        if fates:
            found = (count_cell(counts[str(fate)]) for fate in _TITLES)
            rows.append((*arm.cells(), count_cell(len(fates)), *found))
    if not rows:
        return None
    return Exhibit(
        id="fact-fates",
        title="What became of what users knew",
        caption="Facts of the users that the agent got before it first booked what they are about, "
        "got after that, got in time and contradicted in the final booking, or never got.",
        columns=(
            *WHO,
            Head("episodes", "episodes"),
            *(Head(str(fate), title) for fate, title in _TITLES.items()),
        ),
        rows=rows_of(rows),
    )
