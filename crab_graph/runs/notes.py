"""Notes on episodes and their messages, beside a run: `RUN/notes.jsonl`, a line for each change.

What people write of a run is none of it: no checksum counts the file, and nothing that is graded or
counted reads it. Lines are only ever added. A later line with the id of an earlier one stands in
its place, and one that is `deleted` takes it away. Whatever a note says is somebody's text.
"""

import os
import re
import secrets
import warnings
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Any, Literal, NamedTuple, Self

from pydantic import AfterValidator, AwareDatetime, Field, ValidationError, model_validator

from crab_graph.errors import DamageWarning, RunError, UsageError
from crab_graph.markup import escaped
from crab_graph.runs.config import NOTES
from crab_graph.runs.record import EpisodeRecord
from crab_graph.runs.shard_lines import BadLine, damage_said
from crab_graph.runs.writing import hold_notes
from crab_graph.schema import FileModel, first_error
from crab_graph.seals import is_torn

LONGEST_TEXT = 4_000
MOST_TAGS = 12
LONGEST_LINE = 64 << 10
LARGEST_FILE = 16 << 20
"""What a line, and what all notes of a run may weigh, in bytes; what is beyond is not read."""

_MOST = 1_000_000
_TAG = re.compile(r"[\w](?:[\w .:/+-]{0,38}[\w+])?")


def _a_tag(tag: str) -> str:
    if not _TAG.fullmatch(tag):
        raise ValueError("is no tag: up to 40 letters, digits, spaces and . : / + - between them")
    return tag


def _whole(text: str) -> str:
    text.encode()  # half a character has no form in UTF-8
    return text.strip()


_Id = Annotated[str, Field(pattern=r"^[0-9a-f]{16}$")]
_Text = Annotated[str, Field(max_length=LONGEST_TEXT), AfterValidator(_whole)]
_Tag = Annotated[str, AfterValidator(_a_tag)]


class NoteContent(FileModel):
    """What somebody says of an episode, or of its n-th visible message.

    One that disputes a verdict may name the check; without one it is the outcome that is disputed.
    """

    episode_id: str = Field(min_length=1, max_length=200)
    turn: int | None = Field(None, ge=1, le=_MOST)
    text: _Text = ""
    tags: tuple[_Tag, ...] = Field((), max_length=MOST_TAGS)
    disputed: bool = False
    check_id: str | None = Field(None, max_length=80)
    deleted: bool = False

    @model_validator(mode="after")
    def _says_something(self) -> Self:
        if not (self.text or self.tags or self.disputed or self.deleted):
            raise ValueError("a note needs a text, a tag, or a verdict that it disputes")
        if self.check_id is not None and not self.disputed:
            raise ValueError("check_id: names the check whose verdict is disputed, and none is")
        return self


class NoteDraft(NoteContent):
    """A note to be written: a new one, or, with an id and its last revision, what replaces one."""

    id: _Id | None = None
    revision: int = Field(0, ge=0, le=_MOST)


class Note(NoteContent):
    """A note as it is kept: its id, which change of it this is, when it was written (UTC).

    `verdict` is what was disputed, as it was then.
    """

    schema_version: Literal[1] = 1
    id: _Id
    revision: int = Field(ge=1, le=_MOST)
    written: AwareDatetime
    verdict: str | None = Field(None, max_length=40)

    @property
    def marks(self) -> list[str]:
        """Its tags, `disputed` before them where it disputes a verdict."""
        return list(dict.fromkeys([*([DISPUTED] if self.disputed else []), *self.tags]))

    def as_row(self) -> dict[str, Any]:
        """Return its row in the table `notes`, without the number of its run."""
        fields = self.model_dump(exclude={"schema_version", "deleted"})
        moment = self.written.astimezone(UTC).replace(tzinfo=None)
        return {**fields, "note_id": fields.pop("id"), "tags": list(self.tags), "written": moment}


DISPUTED = "disputed"
"""The mark of every note that disputes a verdict."""


class StaleNote(UsageError):
    """Somebody else changed or deleted a note meanwhile."""


class _NotesFile(NamedTuple):
    """What a file holds: the last line of each note, deleted ones too; and lines that are none."""

    last: dict[str, Note]
    bad: list[BadLine]


def read_notes(directory: Path) -> tuple[Note, ...]:
    """Return the notes of a run as they stand, in the order in which they were begun.

    Lines that are damaged are left out, and told of by a `DamageWarning`.
    """
    found = _read(directory)
    if found.bad:
        problem = damage_said(directory / NOTES, found.bad)
        advice = "all other notes are read; mend or remove the line"
        warnings.warn(f"{problem}; {advice}", DamageWarning, stacklevel=3)
    return _standing(found)


def find_notes(directory: Path) -> tuple[tuple[Note, ...], list[str]]:
    """Return the notes of a run as they stand, and a line on what is damaged, if anything is."""
    try:
        found = _read(directory)
    except RunError as error:
        return (), [str(error)]
    return _standing(found), [damage_said(Path(NOTES), found.bad)] if found.bad else []


def notes_by_episode(notes: Iterable[Note]) -> dict[str, list[Note]]:
    """Return notes by the episodes that they are on: first those on all of it, then by message."""
    found: dict[str, list[Note]] = {}
    for note in sorted(notes, key=lambda one: one.turn or 0):
        found.setdefault(note.episode_id, []).append(note)
    return found


def a_draft(fields: Mapping[str, Any]) -> NoteDraft:
    """Return fields as a note to be written, or refuse them by a `UsageError`."""
    try:
        return NoteDraft.model_validate(fields)
    except ValidationError as error:
        raise UsageError(f"note: {first_error(error).replace('Value error, ', '')}") from None


def write_note(directory: Path, draft: NoteDraft, episode: EpisodeRecord) -> Note:
    """Add a note on an episode, or a change of one, and return it when it is on the disk.

    Raises:
        UsageError: the episode has no such message or check.
        StaleNote: the note is another by now.
        RunError: it cannot be written, or the notes weigh too much.
    """
    verdict = None if draft.deleted else _checked(draft, episode)
    path = directory / NOTES
    try:
        with hold_notes(directory):
            known = _read(directory).last.get(draft.id or "")
            current = known.revision if known is not None and not known.deleted else 0
            if (draft.id is None) != (current == 0) or draft.revision != current:
                raise StaleNote(
                    "note: it was changed or deleted meanwhile; look at what stands there now"
                )
            if known is not None and known.disputed and known.check_id == draft.check_id:
                verdict = known.verdict if draft.disputed else None  # what it disputed at first
            note = Note(
                **draft.model_dump(exclude={"id", "revision"}),
                id=draft.id or secrets.token_hex(8),
                revision=current + 1,
                written=datetime.now(UTC).replace(microsecond=0),
                verdict=verdict,
            )
            _append(path, escaped(note.model_dump_json()).encode() + b"\n")
    except OSError as error:
        raise RunError(f"{path}: cannot be written: {error.strerror or error}") from None
    return note


def _checked(draft: NoteDraft, episode: EpisodeRecord) -> str | None:
    """Return the verdict that a note disputes, if it does."""
    if draft.turn is not None:
        turns = sum(m["role"] != "tool" and not m.get("tool_calls") for m in episode.messages)
        if draft.turn > turns:
            raise UsageError(f"note: turn: {episode.episode_id} has {turns} messages")
    if not draft.disputed:
        return None
    if draft.check_id is None:
        return str(episode.outcome)
    if draft.check_id not in episode.checks:
        known = ", ".join(episode.checks)
        raise UsageError(f"note: check_id: '{draft.check_id}' is no check of the episode: {known}")
    return str(episode.checks[draft.check_id])


def _append(path: Path, line: bytes) -> None:
    with path.open("a+b", buffering=0) as file:
        size = file.seek(0, os.SEEK_END)
        if size + len(line) > LARGEST_FILE:
            raise RunError(f"{path}: holds {LARGEST_FILE >> 20} MB of notes, which is the most")
        file.seek(max(0, size - LONGEST_LINE))
        kept = file.read()
        torn = len(kept) - (kept.rfind(b"\n") + 1)
        if torn and isinstance(_parsed(kept[-torn:]), Note):
            line = b"\n" + line
        elif torn:
            file.truncate(size - torn)  # a kill tore it off: nobody was told that it is kept
        before = file.seek(0, os.SEEK_END)
        rest = memoryview(line)
        try:
            while rest:
                rest = rest[file.write(rest) :]
            os.fsync(file.fileno())
        except OSError:
            file.truncate(before)
            raise


def _standing(found: _NotesFile) -> tuple[Note, ...]:
    return tuple(note for note in found.last.values() if not note.deleted)


def _read(directory: Path) -> _NotesFile:
    found = _NotesFile({}, [])
    try:
        with (directory / NOTES).open("rb") as file:
            content = file.read(LARGEST_FILE + 1)
    except FileNotFoundError:
        return found
    except OSError as error:
        raise RunError(f"{directory / NOTES}: cannot be read: {error.strerror}") from None
    lines: Sequence[bytes] = content[:LARGEST_FILE].splitlines(keepends=True)
    for number, line in enumerate(lines, start=1):
        note = _parsed(line)
        if isinstance(note, Note):
            found.last[note.id] = note
        elif not is_torn(line):
            found.bad.append(BadLine(line=number, problem=note))
    if len(content) > LARGEST_FILE:
        problem = f"what is beyond {LARGEST_FILE >> 20} MB is not read"
        found.bad.append(BadLine(line=len(lines), problem=problem))
    return found


def _parsed(line: bytes) -> Note | str:
    """Return the note that a line holds, or what is wrong with it."""
    if len(line) > LONGEST_LINE:
        return f"it is longer than {LONGEST_LINE >> 10} KB"
    try:
        return Note.model_validate_json(line)
    except ValidationError as error:
        return first_error(error)
