"""What a run is: all that its results depend on, as `RUN/run.json` keeps it."""

import json
import os
import re
from collections.abc import Callable, Sequence
from dataclasses import asdict, fields
from pathlib import Path
from typing import Any, Literal

from pydantic import ConfigDict, Field, TypeAdapter, ValidationError
from pydantic.dataclasses import dataclass

from crab_graph.domain.card import EARLIER_AXES, AxisCard, DomainCard, TableCard
from crab_graph.enclosed import check_enclosed
from crab_graph.errors import RunError, UsageError
from crab_graph.models.prices import Prices
from crab_graph.runs.owner import Authorship, authorship_of, seal_file
from crab_graph.schema import FileModel
from crab_graph.seals import SEAL, SEALED, DamagedFile, read_document, sealed
from crab_graph.settings import RunLimits, RunSettings, Toolset, about, agent_label
from crab_graph.workers import write_atomically

CONFIG = "run.json"
SHARDS = "shards"
CHECKPOINTS = "checkpoints"
PIVOTS = "pivots"
"""Directory in a run: a run of forks for each episode that was looked into."""
NOTES = "notes.jsonl"
ORIGIN = "origin.json"
"""The episode that a run of forks goes on from."""

MOST_EPISODES = 10_000_000
"""What a run may consist of; the largest that is known of has a thousandth of it."""

_WORDS = {
    "benchmark_sha256": "benchmark",
    "code_sha256": "code of crab-graph",
    "personas_sha256": "prompt fragments",
}
"""What a mismatch calls a field, where its name says less."""
MADE = {"agent_sha256": "agent", "user_sha256": "user"}
"""Hashes of what makes a party that is Python code."""
_SINCE = {"code_sha256", *MADE}
"""Fields that earlier versions did not keep, or that not every agent has."""
_OWN = (
    "schema_version benchmark card tables agent_parts user_parts versions limits checkpoint prices "
    "run_limits mismatches"
)
_FREE = {one.name for one in fields(RunSettings) if (said := about(one)) and not said.decides}
_FREE.update(_OWN.split())
"""Fields that may be others when a run is gone on with, or are compared piece by piece."""

UNTOLD = "{} itself"
"""What differs where all that can be read of a party is alike."""

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
        tables: The tables that its episodes write in; an earlier version did not keep them.
        code_sha256: Hash of the package's sources that episodes depend on.
        agent_sha256: Hash of all that makes the agent, if it is Python code.
        agent_parts: What that is: hashes of its `source` and of all that could be `read` of it, its
            `models` in words, and what is `unread`, if anything, so that no other is taken for it.
        user_sha256: The same of users that are callables, and of a model of theirs that is an
            object; so are `user_parts`.
        prices: Prices of models when it was last worked on; its costs are counted with them.
        checkpoint: The database of its checkpoints, if it is not a file.
        mismatches: What differed when it was gone on with under other settings: name, before, now.
        schema_version: 2 where `run.json` and every line of its shards carry a checksum; a run that
            was begun without them goes on as 1, and what has none is read unchecked.
    """

    schema_version: Literal[1, 2] = 2
    benchmark: str
    benchmark_sha256: str
    agent: str
    users: tuple[str, ...]
    engine: str = Field(alias="user_engine")
    user_model: str | None = None
    tasks: tuple[str, ...] = Field()  # else it had the default of the settings
    toolset: str = Toolset.PARITY.value
    versions: dict[str, str]
    card: DomainCard | None = None
    tables: tuple[TableCard, ...] = ()
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
    def is_sealed(self) -> bool:
        """Whether each line of its shards has to carry a checksum."""
        return self.schema_version >= SEALED

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
            if name in MADE:
                found += self._other_parts(MADE[name], asked)
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
            return [(UNTOLD.format(party), "one", "another that is alike in all that can be read")]
        found = [
            (f"{part} of the {party}", before.get(part, "none"), now.get(part, "none"))
            for part in ("source", "models")
        ]
        values = [(f"values of the {party}", before.get("read"), now.get("read"))]
        return [one for one in found if one[1] != one[2]] or values


_ADAPTER = TypeAdapter(RunConfig)


def save_config(directory: Path, config: RunConfig, by: Authorship | None = None) -> None:
    """Write what a run is, whole or not at all, and seal it as what it is to this user.

    That is, unless told, what it was; a new one is the user's own.
    """
    if by is None:
        is_there = (directory / CONFIG).exists()
        by = authorship_of(directory / CONFIG) if is_there else Authorship.WRITTEN
    fields = json.loads(_ADAPTER.dump_json(config, by_alias=True))
    written = sealed(fields) if config.is_sealed else fields
    text = json.dumps(written, indent=2, ensure_ascii=False) + "\n"
    seal_file(directory / CONFIG, text, by)
    write_atomically(directory / CONFIG, text)


def read_config(directory: Path) -> RunConfig:
    """Return what a run is.

    Raises:
        RunError: there is no run in the directory, or its configuration is damaged.
    """
    path = Path(directory) / CONFIG
    if path.exists():
        check_enclosed(Path(directory), RunError)
    try:
        fields = read_document(path)
        fields.pop(SEAL, None)
        config = _ADAPTER.validate_python(fields)
        check_size(config)
    except (FileNotFoundError, NotADirectoryError):
        missing = "is no run" if Path(directory).exists() else "no such directory"
        is_benchmark = (Path(directory) / "manifest.json").exists()
        advice = ", but a benchmark: `tasks` and load_benchmark read it" if is_benchmark else ""
        raise RunError(f"{directory}: {missing} ({CONFIG} is missing){advice}") from None
    except ValidationError as error:
        first = error.errors()[0]
        reason = f"{'.'.join(map(str, first['loc']))}: {first['msg'].lower()}"
        raise _damaged(path, reason) from None
    except (DamagedFile, UsageError) as error:
        raise _damaged(path, error) from None
    return config


def _damaged(path: Path, reason: object) -> RunError:
    return RunError(
        f"{path}: damaged, or of another version: {reason}; "
        "restore it from a copy, or run again in another directory"
    )


def check_size(config: RunConfig) -> None:
    """Refuse a run of more episodes than anybody plays, which would only be counted for hours.

    Raises:
        UsageError: it is so large.
    """
    if config.planned > MOST_EPISODES:
        raise UsageError(
            f"trials {str(config.trials)[:12]}: a run may have {MOST_EPISODES:,} episodes at most"
        )


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


def _shortened(value: Any, limit: int = 60) -> str:
    if isinstance(value, str) and _HASH.fullmatch(value):
        return value[:12]
    text = ", ".join(map(str, value)) if isinstance(value, list) else str(value)
    return text if len(text) <= limit else f"{text[:limit]}… ({len(value)} in all)"
