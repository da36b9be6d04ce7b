"""What is kept of one finished episode (paper section 3.4)."""

from collections.abc import Iterable, Mapping
from typing import Annotated, Any, Literal, Self

from pydantic import Field, model_validator
from typing_extensions import TypedDict

from crab_graph.domain.card import EARLIER_AXES
from crab_graph.enclosed import PLAIN_NAME
from crab_graph.eval.final_state import FinalState
from crab_graph.eval.verdict import Outcome
from crab_graph.generation.constraints import Value
from crab_graph.given_values import a_text
from crab_graph.models.prices import Cost
from crab_graph.models.usage import PARTIES, ModelUsage, Totals, add_usage, totals
from crab_graph.runs.dialogue_markup import episode_html
from crab_graph.schema import FileModel
from crab_graph.settings import Toolset, agent_label


def axes_in(fields: Mapping[str, Any]) -> dict[str, Any]:
    """Return the axes in the fields of a record, of one that an earlier version wrote too."""
    found: dict[str, Any] | None = fields.get("axes")
    if found is not None:
        return found
    return {axis.name: fields[axis.name] for axis in EARLIER_AXES if axis.name in fields}


NO_VERDICT: Mapping[str, Any] = {
    **{name: {} for name in ("checks", "evidence", "strict", "fact_fates")},
    **{"failures": (), "primary_failure": None, "explanation": None},
}
"""What an `infra_error` holds in place of a verdict, since it says nothing of the agent."""


class ToolCost(TypedDict):
    """What one tool took in an episode.

    Of so many calls `timed` were measured, and took `seconds` together. Its answers were read again
    and again: so many tokens of the agent's models in all, and dollars; both are estimates.
    """

    calls: int
    timed: int
    seconds: float
    tokens: int | None
    dollars: float | None


OutcomeName = Annotated[str, Field(pattern=rf"^({'|'.join(Outcome)})$")]
"""The outcome of an episode as files name it."""


class EpisodeRecord(FileModel):
    """One graded episode; specs of agent and user model are without credentials.

    Attributes:
        episode_id: Task, condition and trial, such as `S1-001.ruse.0`.
        axes: The task's value on each axis of its domain, by name.
        condition: What the user was asked to be, such as `ruse`; `custom` for a callable.
        persona: The persona it was; `none` for a callable.
        seed: Seed of the run; episodes derive theirs from it, the task and the trial.
        agent: Its name: the one that it was given, or its spec.
        agent_spec: Its spec, where it was given a name.
        agent_is_reference: Whether it is one of the built-in agents that need no LLM.
        user_wordings: How many turns a model worded, and how many wordings were replaced.
        user_faults: What rules found wrong in its turns, after one retry: turn, kind, text.
        user_retries: How many replies of a model that plays the user were asked for again.
        over_disclosed: Details that such a user told beyond what its condition lets it; `None`
            where details do not wait for a question, or no model chose what to say.
        outcome: pass, fail, budget_exhausted, user_fault or infra_error.
        fault: Whose fault a failure was: agent, user, environment or infra.
        termination: The terminal token, the limit, or the failure that ended the episode.
        checks: Verdict of each check; those of an `infra_error`, which says nothing of the agent,
            are none, and it has no failures, evidence or explanation.
        error: What broke down, or which limit a reply of the agent broke.
        evidence: Why a check came out as it did, piece by piece: `text`, `message`, `rows`.
        strict: The same under strict grading: `passed` and `checks`.
        facts: What the user knew: key, level, slot, and the turn and reason of its disclosure, how
            it was said then (`exact`, `vague`, `wrong`), the words where it was not said plainly,
            the turn that first said it exactly, and what the user did about errors in it.
        trace: The tool calls in order, each with its error code, if any, and the events it wrote.
        usage: What the models of agent and user took, by party and model, in all attempts.
        cost: What that cost in US dollars, by party; `None` where a price is not known.
        seconds: Time on the clock of the steps that asked a model, by party.
        tool_costs: What each tool took, by name; empty where no model was asked.
        lost_usage: What of it went into steps that failed, and is not in the checkpoints.
        mock_seats: The parties that were played by `mock-llm`, which is no language model.
        attempts: How often the episode was begun; infra errors are tried again.
        explanation: Why it failed: the nearest solution, and what was said beside what was done.
        fact_fates: What became of each fact the user knew: `in_time`, `late`, `ignored`, `never`.
        final: The final tables, and what fills each slot; `None` in a record of an earlier version.
        stamp: What the verdict depends on: hashes of verifier, lexicon, task and tools, switches.
        history: Earlier verdicts, the first one first, each with its stamp.
        hidden: What transcript and trace do not show of the state: how the user's changed with
            which message, and what lies beside messages; forks begin from it.
        forked_from: The episode that it goes on from, for a fork: run, episode_id, turn, said.
    """

    schema_version: Literal[1] = 1
    episode_id: str = Field(pattern=PLAIN_NAME)
    task_id: str
    stratum: int
    level: int = 1
    difficulties: tuple[str, ...] = ()
    axes: dict[str, Value]
    condition: str
    persona: str
    dimensions: tuple[str, ...]
    trial: int
    seed: int
    agent: str
    agent_is_reference: bool
    agent_spec: str | None = None
    user_engine: str
    outcome: OutcomeName
    passed: bool
    fault: str | None
    termination: str | None
    checks: dict[str, str]
    evidence: dict[str, tuple[dict[str, Any], ...]]
    strict: dict[str, Any]
    failures: tuple[str, ...]
    primary_failure: str | None
    metrics: dict[str, Any]
    facts: tuple[dict[str, Any], ...]
    messages: list[dict[str, Any]]
    trace: tuple[dict[str, Any], ...]
    usage: dict[str, dict[str, ModelUsage]] = Field(default_factory=dict)
    cost: dict[str, float | None] = Field(default_factory=dict)
    seconds: dict[str, float] = Field(default_factory=dict)
    tool_costs: dict[str, ToolCost] = Field(default_factory=dict)
    lost_usage: dict[str, dict[str, ModelUsage]] = Field(default_factory=dict)
    mock_seats: tuple[str, ...] = ()
    toolset: str = Toolset.PARITY.value
    attempts: int = 1
    error: str | None = None
    user_model: str | None = None
    prompt_sha256: str | None = None
    user_faults: tuple[dict[str, Any], ...] = ()
    user_retries: int = 0
    over_disclosed: int | None = None
    user_wordings: dict[str, int] = Field(default_factory=dict)
    explanation: dict[str, Any] | None = None
    fact_fates: dict[str, str] = Field(default_factory=dict)
    final: FinalState | None = None
    stamp: dict[str, Any] = Field(default_factory=dict)
    history: tuple[dict[str, Any], ...] = ()
    hidden: dict[str, Any] = Field(default_factory=dict)
    forked_from: dict[str, Any] | None = None

    @model_validator(mode="before")
    @classmethod
    def _read_earlier(cls, fields: Any) -> Any:
        """Read a record as it would be written now.

        Once every domain had the same two axes, and an `infra_error` held what its checks found.
        """
        if not isinstance(fields, Mapping):
            return fields
        if fields.get("outcome") == "infra_error":
            fields = {**fields, **NO_VERDICT}
        if "axes" in fields:
            return fields
        earlier = {axis.name for axis in EARLIER_AXES}
        others = {name: value for name, value in fields.items() if name not in earlier}
        return {**others, "axes": axes_in(fields)}

    @property
    def has_verdict(self) -> bool:
        """Whether it says anything of the agent: an `infra_error` does not."""
        return self.outcome != "infra_error"

    @property
    def agent_label(self) -> str:
        """The agent as reports name it: with its toolset, where that is not the paper's."""
        return agent_label(self.agent, self.toolset)

    @property
    def summary(self) -> Self:
        """The record without dialogue and evidence: all that figures need, and a fraction of it."""
        return self.model_copy(
            update={
                **{"messages": [], "trace": (), "evidence": {}, "history": ()},
                **{"hidden": {}, "final": None},
            }
        )

    @property
    def amounts(self) -> dict[str, float]:
        """What it took: messages, turns, tool errors, tokens, dollars.

        `unpriced` is 1 where the dollars are not all of them.
        """
        tokens = sum(totals(usage).tokens for usage in self.usage.values())
        turns = [m for m in self.messages if m["role"] != "tool" and not m.get("tool_calls")]
        errors = [one for one in self.trace if one["owner"] == "agent" and one["error"]]
        return {
            "messages": len(self.messages),
            "turns": len(turns),
            "tool_errors": len(errors),
            "tokens": tokens,
            "cost": sum(cost or 0.0 for cost in self.cost.values()),
            "unpriced": float(None in self.cost.values()),
        }

    def _repr_html_(self) -> str:
        """Return what a notebook shows: how it came out, and the dialogue."""
        return episode_html(self)

    def __repr__(self) -> str:
        """Return the id and the outcome; a whole transcript helps nobody at a prompt."""
        return f"<Episode {self.episode_id} by {self.agent}: {self.outcome}>"


def id_of(episode: EpisodeRecord | str) -> str:
    """Return the id of an episode that may be named by it, or refuse with a `UsageError`."""
    return episode.episode_id if isinstance(episode, EpisodeRecord) else a_text("episode", episode)


Episode = EpisodeRecord
"""The public name of a record."""


def party_totals(records: Iterable[EpisodeRecord]) -> dict[str, tuple[Totals, Cost]]:
    """Return calls, tokens and cost of the models of each party that asked any."""
    listed = list(records)
    found = {}
    for party in PARTIES:
        usage = add_usage(*(one.usage.get(party, {}) for one in listed))
        if not usage:
            continue
        known = [one.cost.get(party) for one in listed if one.usage.get(party)]
        unknown = tuple(usage) if None in known else ()
        found[party] = (totals(usage), Cost(round(sum(c or 0.0 for c in known), 8), unknown))
    return found
