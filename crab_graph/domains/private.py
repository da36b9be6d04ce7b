"""Private splits: a benchmark announced by a commitment, and proven later to be the one announced.

A secret of 256 random bits is drawn and the benchmark's seed derived from it. The commitment, a
hash of secret and settings, is public from the start; secret and seed stand in the opening file
alone, which whoever made the benchmark keeps until the split is opened.
"""

import hashlib
import json
import os
import secrets
from pathlib import Path
from typing import Literal

from pydantic import Field

from crab_graph.domains.benchmark import Recipe
from crab_graph.errors import BenchmarkError
from crab_graph.schema import FileModel, canonical_json
from crab_graph.seals import DamagedFile, read_model

SECRET_BYTES = 32

# Different prefixes, so that no value made for one purpose can serve for another.
_COMMITMENT = b"crab-graph private split: commitment v1\0"
_SEED = b"crab-graph private split: seed v1\0"


class Opening(FileModel):
    """The opening file: what turns a commitment into a benchmark again.

    Its recipe has the commitment and no seed; the secret is hexadecimal.
    """

    schema_version: Literal[1] = 1
    settings: Recipe
    secret: str = Field(pattern=rf"^[0-9a-f]{{{2 * SECRET_BYTES}}}$")

    @property
    def seed(self) -> int:
        """The seed that the secret stands for."""
        digest = hashlib.sha256(_SEED + bytes.fromhex(self.secret)).digest()
        return int.from_bytes(digest, "big")

    @property
    def commitment(self) -> str:
        """The commitment to secret and settings, computed afresh."""
        return commit(self.secret, self.settings)


def commit(secret: str, recipe: Recipe) -> str:
    """Return the commitment to a secret and to what is generated from it."""
    public = recipe.model_dump(mode="json", exclude={"seed", "commitment"}, exclude_none=True)
    content = _COMMITMENT + bytes.fromhex(secret) + canonical_json(public).encode()
    return f"sha256:{hashlib.sha256(content).hexdigest()}"


def draw_opening(recipe: Recipe) -> Opening:
    """Draw a secret for a benchmark of a recipe."""
    secret = secrets.token_hex(SECRET_BYTES)
    public = recipe.model_copy(update={"seed": None, "commitment": commit(secret, recipe)})
    return Opening(settings=public, secret=secret)


def default_opening(directory: Path) -> Path:
    """Return where the opening of a benchmark is kept: beside its directory, not in it."""
    return directory.with_name(f"{directory.name}.opening.json")


def find_opening(path: Path, directory: Path, recipe: Recipe) -> Opening | None:
    """Return the opening of a benchmark that was announced or begun before, where there is one.

    Raises:
        BenchmarkError: the file stands in the benchmark, is no opening, or one for other settings.
    """
    if path.resolve().is_relative_to(directory.resolve()):
        raise BenchmarkError(f"{path}: the opening must not stand in the benchmark it opens")
    if not path.exists():
        return None
    opening = read_opening(path)
    if opening.settings.model_copy(update={"commitment": None}) != recipe.model_copy(
        update={"seed": None}
    ):
        raise BenchmarkError(
            f"{path}: opens a benchmark of other settings; choose another file with `opening=`"
        )
    return opening


def write_opening(path: Path, opening: Opening) -> None:
    """Write an opening that nobody else may read; an existing file is never replaced.

    Raises:
        BenchmarkError: the file cannot be written.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except OSError as error:
        raise BenchmarkError(f"{path}: cannot be written ({error.strerror})") from None
    with os.fdopen(handle, "w", encoding="utf-8", newline="\n") as file:
        file.write(json.dumps(opening.model_dump(mode="json"), indent=1) + "\n")
        file.flush()
        os.fsync(file.fileno())


def read_opening(path: Path) -> Opening:
    """Return an opening, whose secret and settings fit its commitment.

    Raises:
        BenchmarkError: the file is missing, or no opening.
    """
    try:
        return read_model(path, Opening)
    except DamagedFile as error:
        raise BenchmarkError(
            f"{path}: no opening file: {error}; restore it from a copy, for nothing makes its "
            "secret again"
        ) from None
    except OSError as error:
        raise BenchmarkError(f"{path}: cannot be read ({error.strerror})") from None


def announcement(recipe: Recipe) -> str:
    """Return the line that announces a private split."""
    strata = ",".join(f"S{stratum}" for stratum in recipe.strata)
    return (
        f"crab-graph private split {recipe.commitment} ({recipe.domain}, "
        f"{recipe.tasks} tasks of {strata}, {recipe.distractors} distractors each)"
    )
