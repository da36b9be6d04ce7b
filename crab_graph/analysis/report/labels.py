"""Words for people: outcomes, metrics and failure modes as the report and the page print them."""

from collections.abc import Iterable, Mapping

from crab_graph.analysis.spending import mock_line, spending_lines
from crab_graph.runs.record import EpisodeRecord
from crab_graph.tools.toolset import Toolset

OUTCOMES: Mapping[str, str] = {
    "pass": "passed",
    "fail": "failed",
    "budget_exhausted": "budget exhausted",
    "user_fault": "user at fault",
    "infra_error": "infrastructure error",
}
"""The five outcomes of an episode, in the order in which counts are printed."""

OUTCOME_HEADS: Mapping[str, str] = {
    "pass": "passed",
    "fail": "failed",
    "budget_exhausted": "budget",
    "user_fault": "user's fault",
    "infra_error": "infra",
}
"""The same, short enough for the head of a column."""

PARTS: Mapping[str, str] = {"D": "concrete", "F": "factuality", "C": "completion"}
"""First letter of a check's id and the part of the verdict it belongs to."""

EFFORT: Mapping[str, str] = {
    "total_tool_calls": "tool calls",
    "failed_tool_calls": "refused calls",
    "redundant_calls": "redundant calls",
    "redundant_calls_stale_aware": "redundant, no write between",
    "call_cancellation": "cancellations",
    "admitted_errors": "admitted errors",
    "unadmitted_corrections": "unadmitted corrections",
}
"""Efficiency metrics: analysis only, they never decide a pass."""

COVERAGE: Mapping[str, str] = {
    "F-ID": "ids",
    "F-NM": "names",
    "F-PT": "totals",
    "F-PS": "summary",
    "F-IP": "item prices",
    "F-AP": "approval",
    "disclosure_precision": "booked ids of those told",
}
"""Factuality checks, by what they wait for the agent to say."""

FOUND: Mapping[str, str] = {
    "booked": "booked",
    "never_searched": "never found in a search",
    "passed_over": "seen and passed over",
    "lost": "chosen and lost",
}
"""What became of a part of the nearest solution."""

REFERENCE_NOTE = (
    "Agents marked “reference” follow fixed rules and need no language model: they show that the "
    "tasks can be solved and that careless work is caught, not how well a model does."
)
TOOLSET_NOTE = (
    "Agents marked “extended tools” could also cancel and change bookings of every kind. That is "
    "another task than the paper's, in which only flights can be cancelled: compare them with each "
    "other."
)
OUTCOMES_NOTE = f"Outcomes: {'/'.join(OUTCOMES.values())}."
IF_BOOKED_NOTE = (
    "Factuality and completion in brackets: over episodes with a booking, since an agent that "
    "books nothing says nothing wrong."
)
RULES_USER_NOTE = (
    "The user was the rule-based simulator: deterministic, without a language model behind it."
)


def notes_on(records: Iterable[EpisodeRecord]) -> list[str]:
    """Return what a reader must know before the figures: which of them no model stands behind.

    What the models took that did stand behind them comes last.
    """
    records = tuple(records)
    kinds = {(record.agent_is_reference, record.user_engine) for record in records}
    notes = []
    if any(is_reference for is_reference, _ in kinds):
        notes.append(REFERENCE_NOTE)
    if any(engine == "rules" for _, engine in kinds):
        notes.append(RULES_USER_NOTE)
    if any(record.toolset != Toolset.PARITY for record in records):
        notes.append(TOOLSET_NOTE)
    mock = mock_line(records)
    if mock is not None:
        notes.append(mock)
    spent = spending_lines(records)
    return [*notes, "Models: " + "; ".join(spent) + "."] if spent else notes


def words(name: str) -> str:
    """Return an identifier as words: `inter_entity_constraint` → `inter entity constraint`."""
    return name.replace("_", " ")


def has_drawn_persona(record: EpisodeRecord) -> bool:
    """Whether the user had a persona that its condition alone does not tell."""
    return record.persona not in (None, "none") and str(record.persona) not in record.condition
