"""The lines of a run's shards: which of them are intact, and what becomes of the others."""

import os
import warnings
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import IO

from pydantic import ValidationError

from crab_graph.errors import DamageWarning
from crab_graph.runs.config import SHARDS
from crab_graph.runs.record import EpisodeRecord
from crab_graph.schema import FileModel, first_error
from crab_graph.seals import (
    LINE_BEGINNING,
    NO_LINE,
    UNSEALED,
    episode_named,
    is_torn,
    open_line,
    seal_line,
)
from crab_graph.workers import take_place, unfinished_path


def shards_of(directory: Path) -> list[Path]:
    """Return the shards of a run."""
    return sorted((Path(directory) / SHARDS).glob("*.jsonl"))


def whole_lines(file: IO[bytes]) -> Iterator[bytes]:
    """Yield the lines of a shard, without one that is torn off: its episode is run again.

    Zeros that stand before a line, as where a machine lost its power, are a line of their own.
    """
    for line in file:
        whole = line.lstrip(b"\0")
        if zeros := len(line) - len(whole):
            yield line[:zeros]
        if whole and not is_torn(whole):
            yield whole


class BadLine(FileModel):
    """A line of a shard, by its place from 1, that is not trusted, and why; of which episode."""

    line: int
    problem: str
    episode: str = ""


class LineReader:
    """Reads the lines of a shard one after the other, and notes in `bad` what is wrong with some.

    It may begin behind other `lines`, of which the last one bears a number. Where lines need not be
    `sealed`, those of an earlier version, without a checksum, are read unchecked.
    """

    def __init__(self, sealed: bool, lines: int = 0, number: int | None = 0) -> None:
        self.lines = lines
        self.number = number
        self.bad: list[BadLine] = []
        self._sealed = sealed

    def skip(self) -> None:
        """Pass over a line that nobody wants to read."""
        self.lines += 1
        self.number = None

    def read(self, line: bytes) -> EpisodeRecord | None:
        """Return the record of the next line, or `None` if it is damaged."""
        self.lines += 1
        body, number, problem = open_line(line)
        expected = None if self.number is None else self.number + 1
        record = None
        if number is None and self._sealed:
            problem = UNSEALED if line.startswith(LINE_BEGINNING) else NO_LINE
        if problem is None:
            try:
                record = EpisodeRecord.model_validate_json(body)
            except ValidationError as error:
                problem = first_error(error)
        if problem is None and None not in (number, expected) and number != expected:
            problem = "what stood before it was taken away, or is another"
        self.number = None if record is None else number or self.lines
        if problem is not None:
            episode = "" if record else episode_named(line)
            self.bad.append(BadLine(line=self.lines, problem=problem, episode=episode))
        return record


def damage_told(path: Path, bad: Sequence[BadLine]) -> str:
    """Return in one line what is wrong with a shard, and what can be done."""
    advice = f"to play what is missing: crab-graph resume {path.parent.parent}"
    return f"{damage_said(path, bad)}; all others are read; {advice}"


def tell_damage(path: Path, bad: Sequence[BadLine]) -> None:
    """Warn of damaged lines of a shard, if there are any."""
    if bad:
        warnings.warn(damage_told(path, bad), DamageWarning, stacklevel=3)


def damage_said(path: Path, bad: Sequence[BadLine]) -> str:
    """Return in one line what is wrong with a shard."""
    first = bad[0]
    episode = f" ({first.episode})" if first.episode else ""
    more = f", and {len(bad) - 1} more" if len(bad) > 1 else ""
    return f"{path}, line {first.line}{episode}: damaged: {first.problem}{more}"


def read_shard(
    path: Path, reader: LineReader, marker: bytes = b""
) -> Iterator[tuple[int, EpisodeRecord]]:
    """Yield each intact record of a shard, or those whose lines hold a marker, with its line's end.

    The reader notes what is damaged.
    """
    with path.open("rb") as file:
        for line in whole_lines(file):
            if marker not in line:
                reader.skip()
            elif (record := reader.read(line)) is not None:
                yield file.tell(), record


def set_aside(path: Path, is_sealed: bool) -> Path:
    """Take damaged lines out of a shard, and keep them in a file beside it, whose path it returns.

    What is kept is numbered anew.
    """
    aside, unfinished = path.with_name(f"{path.name}.damaged"), unfinished_path(path)
    reader, number = LineReader(is_sealed), 0
    try:
        with path.open("rb") as file, unfinished.open("wb") as kept, aside.open("ab") as others:
            for line in whole_lines(file):
                if reader.read(line) is None:
                    others.write(line if line.endswith(b"\n") else line + b"\n")
                else:
                    number += 1
                    kept.write(seal_line(open_line(line).body.rstrip(), number))
            for one in (others, kept):
                one.flush()
                os.fsync(one.fileno())
        take_place(unfinished, path)
    finally:
        unfinished.unlink(missing_ok=True)
    return aside
