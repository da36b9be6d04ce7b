"""An episode as an environment for those who train: reset, step, a reward at the end.

The user, the tools and the verdict are those of `run_episode`; the agent is whoever calls `step`.
What `save` returns is a JSON value, from which an episode goes on in any process, any number of
times.
"""

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from typing import Any, Literal, NamedTuple

from langchain_core.messages import AIMessage
from langchain_core.tools import BaseTool
from pydantic import ValidationError

from crab_graph.agents.reply import BadReply, Call, Reply, clean_text, plain, read_reply
from crab_graph.domains.task import Task
from crab_graph.errors import ResumeMismatch, TranscriptError, UsageError
from crab_graph.eval.transcript import read_transcript
from crab_graph.graph.build import Leg, prepare_episode
from crab_graph.graph.state import Status, counts_of, is_finished
from crab_graph.graph.stepping import AgentSeat, State, until_agent
from crab_graph.graph.users import Setup, UserSpec, with_open_model
from crab_graph.graph.view import openai_view
from crab_graph.runs.episode import Visit, record_of
from crab_graph.runs.record import EpisodeRecord
from crab_graph.schema import FileModel, canonical_json, first_error
from crab_graph.tools.registry import Owner
from crab_graph.workers import in_thread

Form = Literal["langchain", "openai"]
"""How observations are written: LangChain's message objects, or the dictionaries of OpenAI."""
Observation = list[Any]
"""All that an agent is handed when it is on turn: the policy, what was said, results of calls."""
Reward = Callable[[EpisodeRecord], float]
"""Says what a graded episode is worth."""


class Reset(NamedTuple):
    """What `reset` returns: the first observation, and what is known of the episode."""

    observation: Observation
    info: dict[str, Any]


class EnvironmentStep(NamedTuple):
    """What `step` returns; `terminated` says that the episode is over, for whatever reason.

    The reward of every step but the last is 0.
    """

    observation: Observation
    reward: float
    terminated: bool
    info: dict[str, Any]

    @property
    def truncated(self) -> bool:
        """Whether a limit or a breakdown ended the episode, and not the user."""
        return bool(self.info["truncated"])

    @property
    def gymnasium(self) -> tuple[Observation, float, bool, bool, dict[str, Any]]:
        """The same as Gymnasium's five: what is truncated is not terminated there."""
        ended = self.terminated and not self.truncated
        return self.observation, self.reward, ended, self.truncated, self.info


class SavedEpisode(FileModel):
    """What `save` keeps: the state of an episode, and what tells that it is this environment's."""

    schema_version: Literal[1] = 1
    spec: str
    seed: int
    trial: int
    state: dict[str, Any]


def reward_of(episode: EpisodeRecord) -> float:
    """Return 1 for an episode that passes, and 0 for any other."""
    return float(episode.passed)


class Environment:
    """One episode after the other of a task with a user, an agent's message at a time."""

    def __init__(
        self, task: Task, user: UserSpec, setup: Setup, trial: int, form: Form, reward: Reward
    ) -> None:
        """Ready an environment of a task that has its toolset; `reset` begins an episode."""
        if form not in ("langchain", "openai"):
            raise UsageError(f"form must be langchain or openai, not {form!r}")
        self.task = task
        self._user = user
        self._form = form
        self._reward = reward
        self._at: _Standing | None = None
        self._open(with_open_model(setup), trial)

    def __repr__(self) -> str:
        """Return the task, and how far the episode is."""
        status = "not begun" if self._at is None else self._at.state["status"]
        return f"<Environment {self.task.id}: {status}>"

    @property
    def tools(self) -> list[BaseTool]:
        """The agent's tools, to bind to a model; the environment runs the calls it is handed."""
        return self.task.domain.registry().langchain_tools(Owner.AGENT)

    @property
    def schemas(self) -> list[dict[str, Any]]:
        """The agent's tools as OpenAI's function schemas."""
        return self.task.domain.registry().openai_schemas(Owner.AGENT)

    @property
    def is_over(self) -> bool:
        """Whether the episode is over; one that was not begun is."""
        return self._at is None or self._at.told.terminated

    @property
    def last(self) -> EnvironmentStep:
        """What the agent sees as the episode stands, as a step with a reward of 0.

        Raises:
            UsageError: no episode was begun.
        """
        return self._place().told._replace(reward=0.0)

    def reset(self, *, seed: int | None = None, trial: int | None = None) -> Reset:
        """Begin the episode anew and return what the agent sees first: the user opens.

        Another seed or trial gives another draw of the user, from then on.
        """
        self._at = self._begun(seed, trial)
        return self._at.first

    def step(self, message: object) -> EnvironmentStep:
        """Let the agent say or call something, and the others act until it is on turn again.

        Args:
            message: A text, an `AIMessage`, a dictionary as OpenAI writes it or as a transcript
                line, or the exception that the agent's model failed with.

        Raises:
            UsageError: it is none of these, or the episode is over; nothing has changed then.
        """
        self._at = self._after(message)
        return self._at.told

    async def areset(self, *, seed: int | None = None, trial: int | None = None) -> Reset:
        """Do as `reset` does without blocking the event loop."""
        self._at = await in_thread(partial(self._begun, seed, trial))
        return self._at.first

    async def astep(self, message: object) -> EnvironmentStep:
        """Do as `step` does without blocking the event loop; cancelled, it has not happened."""
        self._at = await in_thread(partial(self._after, message))
        return self._at.told

    def save(self) -> dict[str, Any]:
        """Return the episode as it stands as a JSON value, which stays as it is.

        Raises:
            UsageError: no episode was begun.
        """
        saved = SavedEpisode(
            spec=self._prepared.spec,
            seed=self._setup.settings.seed,
            trial=self._trial,
            state=dict(self._place().state),
        )
        return dict(saved)

    def restore(self, saved: Mapping[str, Any]) -> Reset:
        """Go on with an episode where it was saved, here or in another process.

        Raises:
            UsageError: it is nothing that `save` returned.
            ResumeMismatch: it was saved by an environment of another task, user or limit.
        """
        try:
            kept = SavedEpisode.model_validate(saved)
        except ValidationError as error:
            raise UsageError(f"no saved episode: {first_error(error)}") from None
        before = self._setup, self._trial
        self._redraw(kept.seed, kept.trial)
        if self._prepared.spec != kept.spec:
            self._open(*before)
            raise ResumeMismatch(
                "the episode was saved by an environment with another task, user or limit"
            )
        try:
            self._at = self._seen(kept.state)
        except (AttributeError, KeyError, TypeError, ValueError) as error:
            raise UsageError(f"no saved episode: its state is damaged ({error})") from error
        return self._at.first

    def _open(self, setup: Setup, trial: int) -> None:
        self._setup, self._trial = setup, trial
        self._seat = AgentSeat()
        leg = Leg(trial)
        self._prepared = prepare_episode(self.task, self._seat.agent, self._user, None, setup, leg)

    def _redraw(self, seed: int | None, trial: int | None) -> None:
        settings = self._setup.settings
        seed = settings.seed if seed is None else seed
        trial = self._trial if trial is None else trial
        if (seed, trial) != (settings.seed, self._trial):
            self._open(replace(self._setup, settings=replace(settings, seed=seed)), trial)

    def _place(self) -> "_Standing":
        if self._at is None:
            raise UsageError("no episode was begun: call reset() first")
        return self._at

    def _begun(self, seed: int | None, trial: int | None) -> "_Standing":
        self._redraw(seed, trial)
        return self._seen(until_agent(self._prepared.nodes, {}))

    def _after(self, message: object) -> "_Standing":
        """Return where a message leads; nothing is changed."""
        before = self._place().state
        if is_finished(before):
            why = before["ending"]["error"] or before["ending"]["reason"]
            raise UsageError(f"the episode is over ({why}): call reset() for the next one")
        return self._seen(self._seat.take(self._prepared.nodes, before, read_message(message)))

    def _seen(self, state: State) -> "_Standing":
        info = self._told(state)
        reward = float(self._reward(info["episode"])) if info["terminated"] else 0.0
        step = EnvironmentStep(self._observed(state), reward, info["terminated"], info)
        return _Standing(state, step)

    def _observed(self, state: State) -> Observation:
        lines = state.get("messages", [])
        if self._form == "openai":
            return openai_view(self.task.policy, lines)
        return list(self._prepared.nodes.view.of(lines))

    def _told(self, state: State) -> dict[str, Any]:
        """Return the `info` of a state; of a finished one with the graded episode."""
        counts = counts_of(state)
        info: dict[str, Any] = {
            "status": state["status"],
            "terminated": is_finished(state),
            "truncated": state["status"] in (Status.BUDGET_EXHAUSTED, Status.INFRA_ERROR),
            "turns": counts["turns"],
            "messages": counts["seq"],
            "tool_errors": counts["tool_errors"],
        }
        if not info["terminated"]:
            return info
        visit = Visit(self._trial)
        episode = record_of(self.task, self._prepared, state, self._setup, visit)
        return info | {
            "outcome": episode.outcome,
            "passed": episode.passed,
            "termination": episode.termination,
            "episode": episode,
        }


class _Standing(NamedTuple):
    """Where an episode stands, and what was told of it."""

    state: State
    told: EnvironmentStep

    @property
    def first(self) -> Reset:
        return Reset(self.told.observation, self.told.info)


def read_message(message: object) -> Reply | AIMessage | Exception:
    """Return what was handed in for the agent as its nodes take it.

    Raises:
        UsageError: it is no message of an agent.
    """
    if isinstance(message, AIMessage | Exception):
        return message
    if isinstance(message, Mapping) and "role" in message:
        return _read_line(message)
    try:
        return read_reply(message)
    except BadReply:
        raise UsageError(
            "a step takes the agent's message: a text, an AIMessage or a dictionary with 'role', "
            f"not {type(message).__name__}"
        ) from None


def _read_line(line: Mapping[str, Any]) -> Reply:
    try:
        (read,) = read_transcript([line])
    except TranscriptError as error:
        raise UsageError(f"a step takes the agent's message: {error}") from None
    if read.role != "assistant":
        raise UsageError(f"a step takes a message of the role 'assistant', not '{read.role}'")
    calls = (Call(clean_text(one.name), _arguments(one.arguments)) for one in read.tool_calls)
    return Reply(clean_text(read.content), tuple(calls))


def _arguments(given: Any) -> dict[str, Any] | str:
    if isinstance(given, Mapping):
        return dict(plain(given))
    return clean_text(given if isinstance(given, str) else canonical_json(given))
