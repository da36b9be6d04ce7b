"""This user's seals on a run, in `RUN/owner.json`: by them one's own runs are known.

They lie beside the run, so that it is known wherever it is moved on the machine; what seals is the
user's key, which nobody else has. Each is on one content of `run.json` and of one kind.
"""

from enum import StrEnum
from hashlib import sha256
from pathlib import Path

from crab_graph.ownership import is_sealed, sealed
from crab_graph.schema import FileModel
from crab_graph.seals import DamagedFile, read_model
from crab_graph.workers import write_atomically

OWNER = "owner.json"

_MOST_SEALS = 8
"""So many are kept: those of users who share a run, and of what it was before it changed."""


class Authorship(StrEnum):
    """What a run is to this user; the word is what a seal is for."""

    WRITTEN = "run"
    TRUSTED = "trusted run"
    FOREIGN = "foreign run"


class OwnerSeals(FileModel):
    """The file with seals."""

    seals: tuple[str, ...] = ()


def authorship_of(file: Path) -> Authorship:
    """Return what a run is to this user, by its configuration."""
    try:
        written = _written(file.read_bytes())
    except OSError:
        return Authorship.FOREIGN
    seals = _seals(file)
    for standing in (Authorship.WRITTEN, Authorship.TRUSTED):
        if any(is_sealed(standing, written, seal) for seal in seals):
            return standing
    return Authorship.FOREIGN


def seal_file(file: Path, text: str, as_: Authorship) -> None:
    """Put this user's seal on what the configuration of a run holds, or is about to hold."""
    if as_ is Authorship.FOREIGN:
        return
    seals = [sealed(as_, _written(text.encode())), *_seals(file)]
    kept = OwnerSeals(seals=tuple(dict.fromkeys(seals))[:_MOST_SEALS])
    write_atomically(file.with_name(OWNER), kept.model_dump_json(indent=2) + "\n")


def _written(content: bytes) -> str:
    return sha256(content).hexdigest()


def _seals(file: Path) -> tuple[str, ...]:
    """Return the seals beside a configuration, whoever's; what cannot be read is none."""
    try:
        return read_model(file.with_name(OWNER), OwnerSeals).seals
    except (OSError, DamagedFile):
        return ()
