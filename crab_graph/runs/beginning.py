"""Making a directory a run's: a new one, or one that goes on under the same settings."""

import shutil
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from crab_graph.errors import ResumeMismatch, RunError
from crab_graph.runs.config import (
    CHECKPOINTS,
    CONFIG,
    MADE,
    NOTES,
    ORIGIN,
    PIVOTS,
    SHARDS,
    UNTOLD,
    RunConfig,
    read_config,
    save_config,
)
from crab_graph.runs.owner import OWNER, Authorship
from crab_graph.workers import entries_of

BEGIN_OTHERWISE = (
    "go on with `allow_mismatch=True`, use another directory, or start over with `force=True`"
)


def begin_run(
    directory: Path,
    config: RunConfig,
    *,
    force: bool = False,
    allow_mismatch: bool = False,
    hint: str = BEGIN_OTHERWISE,
    first: Callable[[], None] | None = None,
) -> None:
    """Make a directory this run's, or see that it already is.

    What a run cannot be without is written `first`, before its configuration says that it is one.

    A run with other settings is thrown away with `force`; with `allow_mismatch` what is finished
    stays as it is, the rest is done as now asked for, and the run says what differed. Otherwise it
    is refused, with a hint at what one can do.

    Raises:
        ResumeMismatch: it holds a run with other settings.
        RunError: it holds something else.
    """
    by, is_new = None, not (directory / CONFIG).exists()
    if not is_new:
        existing = read_config(directory)
        may_differ = force or allow_mismatch
        differing = differences_allowed(directory, existing, config, may_differ, hint)
        if not differing:
            prices = config.prices or existing.prices
            tables = existing.tables or config.tables
            config = replace(existing, prices=prices, run_limits=config.run_limits, tables=tables)
        elif force:
            forget_episodes(directory)
            by, is_new = Authorship.WRITTEN, True
        else:
            differed = (*existing.mismatches, *differing)
            # What is finished stays, with or without checksums.
            version = existing.schema_version
            config = replace(config, mismatches=differed, schema_version=version)
        if config == existing:
            return
    directory.mkdir(parents=True, exist_ok=True)
    if first is not None and is_new:
        first()
    save_config(directory, config, by)


def forget_episodes(directory: Path) -> None:
    """Throw away what a run has played so far; notes on it are kept under another name."""
    for name in (SHARDS, CHECKPOINTS, PIVOTS):
        shutil.rmtree(directory / name, ignore_errors=True)
    with suppress(FileNotFoundError):
        (directory / NOTES).replace(directory / f"{NOTES}.before")


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
    for party in () if may_differ else MADE.values():
        if names == [UNTOLD.format(party)]:
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
        # A run that was begun and killed at once may have its seal and its origin alone.
        names = {entry.name for entry in entries_of(directory) if entry.suffix != ".lock"}
        if names - {OWNER, ORIGIN}:
            raise RunError(f"{directory}: is not empty and holds no run; choose another `out=`")
