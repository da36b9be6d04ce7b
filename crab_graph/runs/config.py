"""What a run is: all that its results depend on, as `RUN/run.json` keeps it."""

import os
import re
import shutil
from collections.abc import Callable, Sequence
from dataclasses import asdict, fields, replace
from pathlib import Path
from typing import Any, Literal

from pydantic import ConfigDict, Field, TypeAdapter, ValidationError
from pydantic.dataclasses import dataclass

from crab_graph.domain.card import EARLIER_AXES, AxisCard, DomainCard
from crab_graph.errors import ResumeMismatch, RunError, UsageError
from crab_graph.models.prices import Prices
from crab_graph.schema import FileModel
from crab_graph.settings import RunLimits, RunSettings, Toolset, about, agent_label
from crab_graph.workers import entries_of, write_atomically

CONFIG = "run.json"
SHARDS = "shards"
CHECKPOINTS = "checkpoints"
PIVOTS = "pivots"
"""Directory in a run: a run of forks for each episode that was looked into."""

BEGIN_OTHERWISE = (
    "go on with `allow_mismatch=True`, use another directory, or start over with `force=True`"
)

_WORDS = {
    "benchmark_sha256": "benchmark",
    "code_sha256": "code of crab-graph",
    "personas_sha256": "prompt fragments",
}
"""What a mismatch calls a field, where its name says less."""
_MADE = {"agent_sha256": "agent", "user_sha256": "user"}
"""Hashes of what makes a party that is Python code."""
_SINCE = {"code_sha256", *_MADE}
"""Fields that earlier versions did not keep, or that not every agent has."""
_OWN = (
    "schema_version benchmark card agent_parts user_parts versions limits checkpoint prices "
    "run_limits mismatches"
)
_FREE = {one.name for one in fields(RunSettings) if (said := about(one)) and not said.decides}
_FREE.update(_OWN.split())
"""Fields that may be others when a run is gone on with, or are compared piece by piece."""

_UNTOLD = "{} itself"
"""What differs between parties of which all that can be read is the same."""
RunPath = str | os.PathLike[str]
"""The directory of a run; a `Run` stands for its own."""

RunPaths = RunPath | Sequence[RunPath]
"""One of them, or a list."""

_HASH = re.compile("[0-9a-f]{64}")


class ForkPoint(FileModel):
    """Where the episodes of a run go on from: after some visible turns of an episode.

    `run` is its directory as it was given, and `said` what somebody typed next. If `fresh`, every
    trial draws anew what the user draws; otherwise the first one draws what the episode itself did.
    """

    run: str
    episode_id: str
    turns: tuple[int, ...]
    said: str | None = None
    fresh: bool = False


@dataclass(
    frozen=True,
    kw_only=True,
    config=ConfigDict(extra="forbid", validate_by_name=True, validate_by_alias=True),
)
class RunConfig(RunSettings):
    """The settings that a run was begun with, and what they stood for then.

    Paths are as seen from the run's directory; models and addresses are without credentials.

    Attributes:
        engine: What plays the users: also `python` for callables, `person` for one at a keyboard.
        card: What the domain of its tasks calls things; a run of an earlier version has none.
        code_sha256: Hash of the package's sources that episodes depend on.
        agent_sha256: Hash of all that makes the agent, if it is Python code.
        agent_parts: What that is: hashes of its `source` and of all that could be `read` of it, its
            `models` in words, and what is `unread`, if anything, so that no other is taken for it.
        user_sha256: The same of users that are callables, and of a model of theirs that is an
            object; so are `user_parts`.
        prices: Prices of models when it was last worked on; its costs are counted with them.
        checkpoint: The database of its checkpoints, if it is not a file.
        mismatches: What differed when it was gone on with under other settings: name, before, now.
    """

    schema_version: Literal[1] = 1
    benchmark: str
    benchmark_sha256: str
    agent: str
    users: tuple[str, ...]
    engine: str = Field(alias="user_engine")
    tasks: tuple[str, ...]
    toolset: str = Toolset.PARITY.value
    versions: dict[str, str]
    card: DomainCard | None = None
    personas_sha256: str | None = None
    code_sha256: str | None = None
    agent_sha256: str | None = None
    agent_parts: dict[str, str] = Field(default_factory=dict)
    user_sha256: str | None = None
    user_parts: dict[str, str] = Field(default_factory=dict)
    prices: Prices | None = None
    run_limits: RunLimits | None = None
    checkpoint: str | None = None
    fork: ForkPoint | None = None
    mismatches: tuple[dict[str, str], ...] = ()

    @property
    def user_engine(self) -> str:
        """What plays the users, as the file calls it."""
        return self.engine

    @property
    def agent_name(self) -> str:
        """The agent: the name it was given, or its spec."""
        return self.name or self.agent

    @property
    def agent_label(self) -> str:
        """The agent as reports name it: with its toolset, where that is not the paper's."""
        return agent_label(self.agent_name, self.toolset)

    @property
    def axes(self) -> tuple[AxisCard, ...]:
        """The axes of its tasks' domain."""
        return EARLIER_AXES if self.card is None else self.card.axes

    @property
    def turns(self) -> tuple[int | None, ...]:
        """The turns from which its episodes go on; `None` where they begin at the beginning."""
        return (None,) if self.fork is None else self.fork.turns

    @property
    def planned(self) -> int:
        """How many episodes the run consists of."""
        return len(self.tasks) * len(self.users) * self.trials * len(self.turns)

    def ranking(self) -> Callable[[str, str, int], tuple[int, int, int]]:
        """Return what orders episodes by task, condition and trial as the run's plan does."""
        tasks = {task_id: place for place, task_id in enumerate(self.tasks)}
        users = {user: place for place, user in enumerate(self.users)}
        return lambda task_id, user, trial: (
            tasks.get(task_id, len(tasks)),
            users.get(user, len(users)),
            trial,
        )

    def as_json(self) -> dict[str, Any]:
        """Return what `run.json` holds."""
        found: dict[str, Any] = _ADAPTER.dump_python(self, mode="json", by_alias=True)
        return found

    def identity(self) -> dict[str, Any]:
        """Return all that episodes depend on, settings last."""
        values = {name: value for name, value in self.as_json().items() if name not in _FREE}
        own = {one.name for one in fields(RunSettings)}
        # Checkpoints of another minor version of LangGraph may have another layout.
        langgraph = ".".join(self.versions.get("langgraph", "").split(".")[:2])
        return {
            **dict(sorted(values.items(), key=lambda item: item[0] in own)),
            **asdict(self.limits),
            "crab-graph": self.versions.get("crab-graph", ""),
            "langgraph": langgraph,
        }

    def differences(self, asked: "RunConfig") -> tuple[dict[str, str], ...]:
        """Return what is asked for otherwise than a run was begun with: name, before, now."""
        before, now = self.identity(), asked.identity()
        found: list[tuple[str, Any, Any]] = []
        for name in before:
            values = (before[name], now[name])
            if values[0] == values[1] or (name in _SINCE and None in values):
                continue
            if name in _MADE:
                found += self._other_parts(_MADE[name], asked)
            else:
                found.append((_WORDS.get(name, name), *values))
        return tuple(
            {"name": name, "before": _shortened(old), "now": _shortened(new)}
            for name, old, new in found
        )

    def _other_parts(self, party: str, asked: "RunConfig") -> list[tuple[str, Any, Any]]:
        """Return in what another agent or user of the same spec differs: name, before, now."""
        before, now = (getattr(one, f"{party}_parts") for one in (self, asked))
        if before and before.get("read") == now.get("read"):
            return [(_UNTOLD.format(party), "one", "another that is alike in all that can be read")]
        found = [
            (f"{part} of the {party}", before.get(part, "none"), now.get(part, "none"))
            for part in ("source", "models")
        ]
        values = [(f"values of the {party}", before.get("read"), now.get("read"))]
        return [one for one in found if one[1] != one[2]] or values


_ADAPTER = TypeAdapter(RunConfig)


def save_config(directory: Path, config: RunConfig) -> None:
    """Write what a run is, whole or not at all."""
    text = _ADAPTER.dump_json(config, by_alias=True, indent=2).decode()
    write_atomically(directory / CONFIG, text + "\n")


def read_config(directory: Path) -> RunConfig:
    """Return what a run is.

    Raises:
        RunError: there is no run in the directory, or its configuration is damaged.
    """
    path = Path(directory) / CONFIG
    try:
        return _ADAPTER.validate_json(path.read_text(encoding="utf-8"))
    except (FileNotFoundError, NotADirectoryError):
        missing = "is no run" if Path(directory).exists() else "no such directory"
        is_benchmark = (Path(directory) / "manifest.json").exists()
        advice = ", but a benchmark: `tasks` and load_benchmark read it" if is_benchmark else ""
        raise RunError(f"{directory}: {missing} ({CONFIG} is missing){advice}") from None
    except ValidationError as error:
        first = error.errors()[0]
        reason = f"{'.'.join(map(str, first['loc']))}: {first['msg'].lower()}"
        raise RunError(f"{path}: damaged, or of another version: {reason}") from None
    except (UnicodeDecodeError, UsageError) as error:
        raise RunError(f"{path}: damaged, or of another version: {error}") from None


def paths_of(runs: Sequence[object]) -> list[Path]:
    """Return the directories of runs that a function was given, one by one or in a list.

    Raises:
        UsageError: there is none, or something else is among them.
    """
    listed: list[Path] = []
    for one in runs:
        if isinstance(one, list | tuple):
            listed += paths_of(one)
        elif isinstance(one, str | os.PathLike):
            listed.append(Path(one))
        else:
            raise UsageError(f"a run is a Run or its directory, not {type(one).__name__}")
    if not listed:
        raise UsageError("name a run, or several")
    return listed


def begin_run(
    directory: Path,
    config: RunConfig,
    *,
    force: bool = False,
    allow_mismatch: bool = False,
    hint: str = BEGIN_OTHERWISE,
) -> None:
    """Make a directory this run's, or see that it already is.

    A run with other settings is thrown away with `force`; with `allow_mismatch` what is finished
    stays as it is, the rest is done as now asked for, and the run says what differed. Otherwise it
    is refused, with a hint at what one can do.

    Raises:
        ResumeMismatch: it holds a run with other settings.
        RunError: it holds something else.
    """
    if (directory / CONFIG).exists():
        existing = read_config(directory)
        may_differ = force or allow_mismatch
        differing = differences_allowed(directory, existing, config, may_differ, hint)
        if not differing:
            prices = config.prices or existing.prices
            config = replace(existing, prices=prices, run_limits=config.run_limits)
        elif force:
            forget_episodes(directory)
        else:
            config = replace(config, mismatches=(*existing.mismatches, *differing))
        if config == existing:
            return
    directory.mkdir(parents=True, exist_ok=True)
    save_config(directory, config)


def forget_episodes(directory: Path) -> None:
    """Throw away what a run has played so far."""
    for name in (SHARDS, CHECKPOINTS, PIVOTS):
        shutil.rmtree(directory / name, ignore_errors=True)


def differences_allowed(
    directory: Path,
    existing: RunConfig,
    asked: RunConfig,
    may_differ: bool,
    hint: str = BEGIN_OTHERWISE,
) -> tuple[dict[str, str], ...]:
    """Return what is asked for otherwise than a directory's run was begun with.

    Raises:
        ResumeMismatch: something is, and may not be; it says so line by line.
    """
    differing = existing.differences(asked)
    names = [one["name"] for one in differing]
    for party in () if may_differ else _MADE.values():
        if names == [_UNTOLD.format(party)]:
            raise ResumeMismatch(f"{directory}: {_untold(party, existing, asked)}")
    if differing and not may_differ:
        lines = [f"begun with {d['name']} {d['before']}, not {d['now']}" for d in differing]
        raise ResumeMismatch(f"{directory}: holds a run with other settings; {hint}", lines)
    return differing


def _untold(party: str, existing: RunConfig, asked: RunConfig) -> str:
    said = [getattr(one, f"{party}_parts").get("unread") for one in (asked, existing)]
    unread = next((one for one in said if one), "it was given a name")
    name = "begin with a `name=`, " if party == "agent" else ""
    return (
        f"nothing tells this {party} from the one it was begun with, since {unread}; {name}use "
        "another directory, or, if it is the same one, go on with `allow_mismatch=True`"
    )


def check_directory(directory: Path) -> None:
    """Refuse a path that holds something else than a run, by a `RunError`."""
    if directory.exists() and not directory.is_dir():
        raise RunError(f"{directory}: is a file; a run needs a directory")
    if directory.is_dir() and not (directory / CONFIG).exists():
        others = [entry.name for entry in entries_of(directory) if entry.suffix != ".lock"]
        if others:
            raise RunError(f"{directory}: is not empty and holds no run; choose another `out=`")


def _shortened(value: Any, limit: int = 60) -> str:
    if isinstance(value, str) and _HASH.fullmatch(value):
        return value[:12]
    text = ", ".join(map(str, value)) if isinstance(value, list) else str(value)
    return text if len(text) <= limit else f"{text[:limit]}… ({len(value)} in all)"
