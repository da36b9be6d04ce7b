"""Many environments that are stepped together, as those who train do."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, NamedTuple, TypeVar, Unpack, overload

from crab_graph.domains.task import Task
from crab_graph.errors import UsageError
from crab_graph.graph.users import UserSpec, set_up, with_open_model
from crab_graph.models.prices import NO_PRICES, Prices
from crab_graph.runs.environment import (
    Environment,
    EnvironmentStep,
    Form,
    Observation,
    Reset,
    Reward,
    read_message,
    reward_of,
)
from crab_graph.settings import Engine, EpisodeKeywords, EpisodeSettings, value_of
from crab_graph.workers import in_thread

Result = TypeVar("Result")

AT_ONCE = 32
"""How many users that are models, or functions, are asked at once where nothing is said."""


class BatchReset(NamedTuple):
    """What `reset` of a batch returns, a value for each environment in their order."""

    observations: list[Observation]
    infos: list[dict[str, Any]]


class BatchStep(NamedTuple):
    """What `step` of a batch returns, a value for each environment in their order."""

    observations: list[Observation]
    rewards: list[float]
    terminated: list[bool]
    infos: list[dict[str, Any]]

    @property
    def truncated(self) -> list[bool]:
        """Which of them a limit or a breakdown ended."""
        return [bool(info["truncated"]) for info in self.infos]


class EnvironmentBatch(Sequence[Environment]):
    """Environments that are stepped together; each can be used by itself, too."""

    def __init__(self, members: Sequence[Environment], concurrency: int) -> None:
        """Hold environments, of which so many step at once."""
        self._members = tuple(members)
        self._concurrency = max(1, min(concurrency, len(self._members)))

    def __repr__(self) -> str:
        """Return how many there are, and how many of them go on."""
        return f"<EnvironmentBatch of {len(self)}: {len(self.active)} under way>"

    def __len__(self) -> int:
        """Return the number of environments."""
        return len(self._members)

    def __iter__(self) -> Iterator[Environment]:
        """Yield the environments."""
        return iter(self._members)

    @overload
    def __getitem__(self, key: int) -> Environment: ...

    @overload
    def __getitem__(self, key: slice) -> tuple[Environment, ...]: ...

    def __getitem__(self, key: int | slice) -> Environment | tuple[Environment, ...]:
        """Return the environment at a place."""
        return self._members[key]

    @property
    def active(self) -> list[int]:
        """Places of the environments whose episode goes on."""
        return [place for place, one in enumerate(self._members) if not one.is_over]

    def reset(self, *, seed: int | None = None, trial: int | None = None) -> BatchReset:
        """Begin all episodes anew, as `Environment.reset` does."""
        return _first(self._each(lambda place: self[place].reset(seed=seed, trial=trial)))

    def step(self, messages: Sequence[object]) -> BatchStep:
        """Step every environment that gets a message; `None` leaves one as it is.

        One that is over takes `None` alone; its reward was told when it ended, and is 0 then.

        Raises:
            UsageError: there are fewer or more messages than environments, or one is none; nothing
                has changed then.
        """
        given = self._checked(messages)

        def act(place: int) -> EnvironmentStep:
            one, message = self[place], given[place]
            return one.last if message is None else one.step(message)

        return _told(self._each(act))

    async def areset(self, *, seed: int | None = None, trial: int | None = None) -> BatchReset:
        """Do as `reset` does without blocking the event loop."""
        return await in_thread(lambda: self.reset(seed=seed, trial=trial))

    async def astep(self, messages: Sequence[object]) -> BatchStep:
        """Do as `step` does without blocking the event loop."""
        return await in_thread(lambda: self.step(messages))

    def save(self) -> list[dict[str, Any]]:
        """Return all episodes as they stand, as JSON values."""
        return [one.save() for one in self]

    def restore(self, saved: Sequence[Mapping[str, Any]]) -> BatchReset:
        """Go on with episodes where they were saved; errors as for `Environment.restore`."""
        pairs = zip(self, _as_many(saved, len(self), "saved episodes"), strict=True)
        return _first([one.restore(kept) for one, kept in pairs])

    def _checked(self, messages: Sequence[object]) -> list[object]:
        given = _as_many(messages, len(self), "messages")
        for place, message in enumerate(given):
            if message is not None and self[place].is_over:
                raise UsageError(f"environment {place} is over: give None in its place")
        return [None if message is None else read_message(message) for message in given]

    def _each(self, act: Callable[[int], Result]) -> list[Result]:
        places = range(len(self))
        if self._concurrency == 1:
            return list(map(act, places))
        with ThreadPoolExecutor(self._concurrency) as pool:
            return list(pool.map(act, places))


@overload
def environment(
    task: Task,
    user: UserSpec = ...,
    *,
    trial: int = ...,
    form: Form = ...,
    reward: Reward = ...,
    concurrency: int | None = ...,
    prices: Prices = ...,
    **settings: Unpack[EpisodeKeywords],
) -> Environment: ...


@overload
def environment(
    task: Sequence[Task],
    user: UserSpec = ...,
    *,
    trial: int = ...,
    form: Form = ...,
    reward: Reward = ...,
    concurrency: int | None = ...,
    prices: Prices = ...,
    **settings: Unpack[EpisodeKeywords],
) -> EnvironmentBatch: ...


def environment(
    task: Task | Sequence[Task],
    user: UserSpec = "ruse",
    *,
    trial: int = 0,
    form: Form = "langchain",
    reward: Reward = reward_of,
    concurrency: int | None = None,
    prices: Prices = NO_PRICES,
    **settings: Unpack[EpisodeKeywords],
) -> Environment | EnvironmentBatch:
    """Return a task with a user as an environment for training; several tasks as a batch of them.

        env = cg.environment(task, user="ruse", seed=0)
        observation, info = env.reset()
        terminated = False
        while not terminated:
            message = policy(observation, env.tools)
            observation, reward, terminated, info = env.step(message)

    Args:
        task: A task, or several; one may be there more than once.
        user: A condition, or a callable.
        trial: Which draw of the user it is, as in `run_episode`.
        form: How observations are written: `langchain` or `openai`.
        reward: What a graded episode is worth; by default 1 where it passes, and 0 elsewhere.
        concurrency: How many of a batch step at once; by default one where rules play the user.
        prices: Prices of models, for a limit on cost.
        settings: The fields of `crab_graph.settings.EpisodeSettings`: `seed`, `limits`, …

    Raises:
        UsageError: a setting is out of range, the user is none, or there is no task.
        BenchmarkError: another version of the domain made a task.
    """
    wanted = value_of(EpisodeSettings, settings)
    setup = with_open_model(set_up(wanted, prices))

    def ready(one: Task) -> Environment:
        if not isinstance(one, Task):
            raise UsageError(f"an environment is made of tasks, not of {type(one).__name__}")
        return Environment(one.with_toolset(wanted.toolset), user, setup, trial, form, reward)

    if not isinstance(task, Sequence):
        return ready(task)
    if not task:
        raise UsageError("a batch of environments needs a task")
    if concurrency is None:
        asks_nobody = setup.engine is Engine.RULES and not callable(user)
        concurrency = 1 if asks_nobody else AT_ONCE
    return EnvironmentBatch([ready(one) for one in task], concurrency)


def _as_many(given: Sequence[Any], wanted: int, what: str) -> list[Any]:
    if isinstance(given, str | bytes | Mapping) or len(given) != wanted:
        raise UsageError(f"a batch of {wanted} takes a list of {wanted} {what}")
    return list(given)


def _first(found: Sequence[Reset]) -> BatchReset:
    return BatchReset([one.observation for one in found], [one.info for one in found])


def _told(steps: Sequence[EnvironmentStep]) -> BatchStep:
    return BatchStep(
        [one.observation for one in steps],
        [one.reward for one in steps],
        [one.terminated for one in steps],
        [one.info for one in steps],
    )
