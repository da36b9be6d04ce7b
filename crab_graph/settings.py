"""Settings are values: what decides an episode, what decides a run, and how a run is worked on.

A field says all there is to say of a setting: name, type, default, range, choices and help. Options
of the command line, keywords of the Python functions, what `run.json` keeps and the line that names
a mismatch are made from it. Nothing heavy is imported here, since `--help` reads this module.
"""

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import Field, dataclass, field, fields
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypedDict, TypeVar, get_origin

from crab_graph.errors import UnknownName, UsageError
from crab_graph.given_values import a_number, check_kind

if TYPE_CHECKING:
    from crab_graph.models.prices import Prices

Value = TypeVar("Value", bound="Settings")

ABLATION = ("generic", "persona", "d1", "d2", "d3", "d4", "ruse")
"""The users of Figure 7: the cooperative one, a persona alone, each dimension alone, and all."""


DOMAIN = "travel"
"""The domain where none is named."""


class Engine(StrEnum):
    """What decides and words a user's turns."""

    RULES = "rules"
    LLM = "llm"
    HYBRID = "hybrid"


class Toolset(StrEnum):
    """Which tools an agent is given: those of the paper's table 6, or more (rulebook §1)."""

    PARITY = "parity"
    """Exactly the paper's, in which not every kind of booking can be cancelled."""

    EXTENDED = "extended"
    """Also what cancels and changes any booking; its results are reported apart."""


def agent_label(agent: str, toolset: str) -> str:
    """Return an agent as reports name it; results of two toolsets never stand under one name."""
    return agent if toolset == Toolset.PARITY else f"{agent} ({toolset} tools)"


@dataclass(frozen=True, slots=True)
class About:
    """What a field says of itself beside its name, its type and its default.

    Attributes:
        above: What every value is greater than.
        loaded_by: What makes a value of the words or the path that were read, `module:function`.
        completed_by: What lists the values that a shell can complete, `module:function`.
        decides: Whether another value makes another run, which is then not gone on with.
        group: The class of a value that is a group of settings, each an option of its own.
        prefix: How the options of the group begin.
    """

    help: str = ""
    low: int | None = None
    above: int | None = None
    choices: Sequence[str] = ()
    loaded_by: str | None = None
    metavar: str | None = None
    envvar: str | None = None
    completed_by: str | None = None
    decides: bool = True
    group: type | None = None
    prefix: str = ""

    def check(self, name: str, value: Any) -> None:
        """Refuse a value out of range; `None` stands for no value.

        Raises:
            UnknownName: it is none of the choices.
            UsageError: it is too small.
        """
        if value is None:
            return
        if self.low is not None or self.above is not None:
            a_number(name, value)
        if self.choices and value not in self.choices:
            raise UnknownName(name.strip("-"), str(value), map(str, self.choices))
        if self.low is not None and not value >= self.low:
            raise UsageError(f"{name} must be {self.low} or more, not {value}")
        if self.above is not None and not self.above < value < float("inf"):
            raise UsageError(f"{name} must be more than {self.above}, not {value}")


def setting(default: Any, help: str = "", **about: Any) -> Any:
    """Return the field of a setting; `about` as for `About`."""
    return field(default=default, metadata={"about": About(help, **about)})


def about(one: "Field[Any]") -> About | None:
    """Return what a field says of itself; `None` where it is no setting."""
    found: About | None = one.metadata.get("about")
    return found


@dataclass(frozen=True)
class Settings:
    """Base of all values made of settings: checked when they are made."""

    __pydantic_config__ = {"extra": "forbid"}  # noqa: RUF012  (where they are read from a file)

    def __post_init__(self) -> None:
        """Refuse values out of range, with a `UsageError` that names the field."""
        for one in fields(self):
            if (said := about(one)) is not None:
                value = getattr(self, one.name)
                said.check(one.name, value)
                _check_kind(one, said, value)


def _check_kind(one: "Field[Any]", said: About, value: Any) -> None:
    """Refuse a value of another kind than its field's, by a `UsageError`."""
    if value is None:
        return
    if said.group is not None:
        if not isinstance(value, said.group):
            name, given = said.group.__name__, type(value).__name__
            raise UsageError(
                f"{one.name} is a crab_graph.{name}, as in {name}(max_turns=40), not {given}"
            )
    elif said.loaded_by is not None and get_origin(one.type) is not Sequence:
        if isinstance(value, str | os.PathLike):
            loader = said.loaded_by.partition(":")[2]
            raise UsageError(f"{one.name} is what crab_graph.{loader}(path) returns, not a path")
    else:
        check_kind(one.name, one.type, value)


_NAMED = ("agent", "user", "trials", "out")
"""Parameters of functions that take settings as well."""


def _unknown_setting(name: str, known: Iterable[str]) -> UsageError:
    """Return the error of a keyword that is no setting, with what may have been meant."""
    for group, keyword, prefix in ((Limits, "limits", ""), (RunLimits, "run_limits", "run_")):
        short = name.removeprefix(prefix)
        if name.startswith(prefix) and keyword in known and short in _names(group):
            told = f"{keyword}=crab_graph.{group.__name__}({short}=…)"
            return UsageError(f"unknown setting '{name}'; did you mean {told}?")
    return UnknownName("setting", name, (*known, *_NAMED))


def _names(kind: type[Settings]) -> set[str]:
    return {one.name for one in fields(kind)}


def value_of(kind: type[Value], given: Mapping[str, Any], *beside: type[Settings]) -> Value:
    """Return settings made from those of the given keywords that are theirs, not of others beside.

    Raises:
        UnknownName: a keyword is a field of none.
        UsageError: one is out of range.
    """
    own = {one.name for one in fields(kind)}
    known = own.union(*({one.name for one in fields(other)} for other in beside))
    for name in given:
        if name not in known:
            raise _unknown_setting(name, known)
    return kind(**{name: value for name, value in given.items() if name in own})


MAX_REPLY_CHARACTERS = 100_000
"""Characters that one reply of an agent may have where nothing else is said."""
OVERLONG_REPLY = "max_reply_characters"
"""What ended an episode in which a reply had more of them than it may."""


def reply_length(text: str, arguments: Iterable[object]) -> int:
    """Return the characters of a reply: of its text, and of the arguments of its calls."""
    return len(text) + sum(len(str(one)) for one in arguments)


@dataclass(frozen=True)
class Limits(Settings):
    """Caps of one episode; `None` means no cap (design section 9).

    Reaching one ends the episode as `budget_exhausted`, which is graded like any other end. Time is
    the exception: how long a provider takes is not the agent's doing, so an episode that took too
    long ends as `infra_error` and is tried again. A cap on cost needs prices.
    """

    max_turns: int = setting(
        200, "Turns either side sees, after which an episode is stopped.", low=1
    )
    max_messages: int = setting(1000, "Messages of all kinds, tool results included.", low=1)
    max_tool_errors: int = setting(30, "Calls of the agent that may be refused.", low=1)
    max_reply_characters: int = setting(
        MAX_REPLY_CHARACTERS, "Characters of one reply of the agent, its calls included.", low=1
    )
    max_tokens: int | None = setting(
        None, "Tokens that models read and write in an episode, agent and user.", low=1
    )
    max_cost: float | None = setting(
        None, "Dollars that an episode may cost.", above=0, metavar="DOLLARS"
    )
    max_seconds: float | None = setting(
        None, "Seconds that agent and user may take; over it, infra_error.", above=0
    )

    def reached(self, **amounts: float) -> str | None:
        """Return the cap that one of these amounts, named as it without `max_`, reaches if any."""
        for name, amount in amounts.items():
            cap = getattr(self, f"max_{name}")
            if cap is not None and amount >= cap:
                return f"max_{name}"
        return None


@dataclass(frozen=True)
class RunLimits(Settings):
    """Caps of a whole run; `None` means no cap.

    When one is reached no further episode is begun; those under way are finished. The run can be
    gone on with under a higher cap. Seconds are those of one sitting, by the clock.
    """

    max_turns: int | None = setting(None, "Visible turns in the whole run.", low=1)
    max_messages: int | None = setting(None, "Messages in the whole run.", low=1)
    max_tool_errors: int | None = setting(
        None, "Refused calls of the agent in the whole run.", low=1
    )
    max_tokens: int | None = setting(
        None, "Tokens that models read and write in the whole run.", low=1
    )
    max_cost: float | None = setting(
        None, "Dollars that the whole run may cost.", above=0, metavar="DOLLARS"
    )
    max_seconds: float | None = setting(
        None, "Seconds of this sitting, after which no episode is begun.", above=0
    )


@dataclass(frozen=True)
class EpisodeSettings(Settings):
    """What decides an episode, beside its task, its agent, its user and its trial."""

    engine: str = setting(
        str(Engine.RULES), "What plays the user: rules, llm, or hybrid.", choices=tuple(Engine)
    )
    user_model: Any = setting(
        None, "Model of llm or hybrid: provider:model or http(s)://host/v1#model.", metavar="SPEC"
    )
    personas: str | Path | None = setting(
        None, "Prompt fragments of your own, over the built-in ones.", metavar="DIR", decides=False
    )  # their hash decides
    seed: int = setting(0, "The same seed gives the same users.")
    name: str | None = setting(
        None,
        "What reports and SQL call the agent, instead of its spec; tells agents apart that nothing "
        "else does.",
    )
    toolset: str | None = setting(
        None,
        "The agent's tools: parity for the paper's (unless told), extended to cancel and change "
        "any booking.",
        choices=tuple(Toolset),
    )
    limits: Limits = setting(Limits(), group=Limits)


@dataclass(frozen=True)
class RunSettings(EpisodeSettings):
    """What decides a run, beside its benchmark, its agent and its users."""

    trials: int = setting(1, "Episodes of each task with each user.", low=1)
    tasks: Sequence[str] | None = setting(None, "Ids or strata, such as S1,S2-004; by default all.")


@dataclass(frozen=True)
class WorkSettings(Settings):
    """Who does the work; nothing of it decides a result."""

    jobs: int = setting(1, "Number of processes.", low=1)
    concurrency: int = setting(1, "Episodes at once in each process.", low=1)


@dataclass(frozen=True)
class SittingSettings(WorkSettings):
    """How a run is worked on this time, which may be another way next time."""

    executor: str = setting(
        "processes",
        "processes, or ray for the machines of a cluster.",
        choices=("processes", "ray"),
    )
    checkpoint: str | None = setting(
        None,
        "Keep checkpoints at an address, such as postgresql://USER@HOST/DATABASE.",
        metavar="URL",
        envvar="CRAB_CHECKPOINT",
    )
    prices: "Prices | None" = setting(
        None,
        "TOML file with prices of models, as examples/prices.toml.",
        loaded_by="crab_graph.models.prices:load_prices",
        metavar="FILE",
        envvar="CRAB_PRICES",
    )
    run_limits: RunLimits | None = setting(None, group=RunLimits, prefix="run_")


@dataclass(frozen=True)
class TrustSettings(Settings):
    """How far a run is trusted that somebody else wrote; one's own need neither."""

    trust: bool = setting(
        False, "Go on with a run that you did not write: import and contact what it names."
    )
    key_hosts: Sequence[str] | None = setting(
        None,
        "Hosts that your key may go to, though the run alone names them.",
        metavar="HOST,...",
        envvar="CRAB_KEY_HOSTS",
    )


@dataclass(frozen=True)
class ForkSettings(Settings):
    """What is another one where an episode goes on; `None` keeps what it was."""

    agent: Any = setting(None, "Another agent; by default the same.", metavar="SPEC")
    name: str | None = setting(None, "What reports and SQL call it.")
    user: Any = setting(None, "Another user; by default the same.", metavar="COND")
    persona: str | None = setting(None, "Another persona: terse, neutral, impatient or none.")
    engine: str | None = setting(
        None, "What plays the user from there: rules, llm, or hybrid.", choices=tuple(Engine)
    )
    user_model: Any = setting(None, "Model of llm or hybrid.", metavar="SPEC")
    personas: str | Path | None = setting(
        None, "Prompt fragments of your own, over the built-in ones.", metavar="DIR"
    )
    say: str | None = setting(None, "What is said next, by whoever's turn it is.", metavar="TEXT")
    trials: int = setting(1, "How often it goes on.", low=1)


@dataclass(frozen=True)
class GenerationSettings(Settings):
    """What a benchmark is made from, beside the paper's algorithms where these are the method."""

    tasks: int = setting(200, "Number of tasks, split evenly over the strata.", low=1)
    strata: Sequence[int] = setting(
        (1, 2, 3, 4),
        "Numbers of seed solutions, such as 1 or 1,2,3,4.",
        loaded_by="crab_graph.domains.generate:parse_strata",
    )
    seed: int = setting(0, "The same seed gives the same tasks.")
    domain: str = setting(
        DOMAIN, "Name of the domain.", completed_by="crab_graph.domain.contract:DOMAINS.names"
    )
    distractors: int = setting(2000, "Misleading candidates in each task.", low=0)
    level: Sequence[int] = setting(
        (1,),
        "Levels of difficulty, such as 3 or 1..5, in turn over the tasks; 1 is the paper's.",
        loaded_by="crab_graph.domains.ladder:parse_levels",
    )
    faults: bool = setting(False, "Let the world go wrong now and then, at whatever level.")
    changes: bool = setting(False, "Let the user change its mind once, at whatever level.")
    fees: bool = setting(False, "Let lists leave taxes and fees out, at whatever level.")
    fault_kinds: Sequence[str] = setting(
        (), "What may go wrong, such as sold,timeout; by default anything.", metavar="KIND,..."
    )


@dataclass(frozen=True)
class PaperSettings(Settings):
    """Whether the objects of tasks are made by the paper's algorithms, and how (paper A.5)."""

    method: str = setting(
        "fast",
        "How objects are made: fast, or by the paper's algorithms.",
        choices=("fast", "paper"),
    )
    attempts: int | None = setting(
        None, "With --method paper: attempt multiplier m of Algorithm 1; 20 unless told.", low=1
    )
    rho: float | None = setting(
        None, "With --method paper: sampling ratio of Algorithm 2, up to 1; 0.05 unless told."
    )
    sampling: str | None = setting(
        None,
        "With --method paper: strategy of SampleCSP; shuffle unless told.",
        choices=("shuffle", "enumerate"),
    )
    no_repair: bool = setting(
        False, "With --method paper: keep all it makes, and the solutions this adds."
    )


class EpisodeKeywords(TypedDict, total=False):
    """The fields of `EpisodeSettings` as keywords."""

    engine: str
    user_model: Any
    personas: str | Path | None
    seed: int
    name: str | None
    toolset: str | None
    limits: Limits


class WorkKeywords(TypedDict, total=False):
    """The fields of `WorkSettings` as keywords."""

    jobs: int
    concurrency: int


class TrustKeywords(TypedDict, total=False):
    """The fields of `TrustSettings` as keywords."""

    trust: bool
    key_hosts: Sequence[str] | None


class PivotKeywords(WorkKeywords, TrustKeywords, total=False):
    """The keywords of `pivot_episode`: how it is worked on, and whether the run is trusted."""


class SittingKeywords(WorkKeywords, total=False):
    """The fields of `SittingSettings` as keywords."""

    executor: str
    checkpoint: str | None
    prices: "Prices | None"
    run_limits: RunLimits | None


class RunKeywords(EpisodeKeywords, SittingKeywords, total=False):
    """The keywords of `run`: what decides it but the trials, and how it is worked on."""

    tasks: Sequence[str] | None


class ResumeKeywords(SittingKeywords, TrustKeywords, total=False):
    """The keywords of `resume_run`: how it is worked on, and whether the run is trusted."""


class ForkKeywords(WorkKeywords, TrustKeywords, total=False):
    """The keywords of `fork_episode`, beside agent and user."""

    name: str | None
    persona: str | None
    engine: str | None
    user_model: Any
    personas: str | Path | None
    say: str | None
    trials: int


class PaperKeywords(TypedDict, total=False):
    """The fields of `PaperSettings` as keywords."""

    method: str
    attempts: int | None
    rho: float | None
    sampling: str | None
    no_repair: bool


class GenerationKeywords(PaperKeywords, total=False):
    """The keywords of `generate_benchmark` that say what is made, beside the number of tasks."""

    strata: Sequence[int]
    seed: int
    domain: str
    distractors: int
    level: Sequence[int]
    faults: bool
    changes: bool
    fees: bool
    fault_kinds: Sequence[str]
