"""The files of learned weights: arrays by name, lists of names among them."""

from collections.abc import Iterable
from importlib.resources import files
from typing import Any

import numpy as np
from numpy.typing import NDArray

from crab_graph.errors import UsageError


def load_arrays(source: str) -> dict[str, NDArray[Any]]:
    """Return the arrays of a file `package/file`.

    Raises:
        UsageError: there is no such file, or it holds no weights; the message names it.
    """
    package, _, name = source.partition("/")
    try:
        with files(package).joinpath(name).open("rb") as file, np.load(file) as held:
            return dict(held)
    except (OSError, ValueError, ModuleNotFoundError) as error:
        raise UsageError(f"weights '{source}' cannot be read: {error}") from error


def packed(names: Iterable[str]) -> NDArray[np.uint8]:
    """Return names, none of which has a line break, as an array."""
    return np.frombuffer("\n".join(names).encode(), np.uint8)


def unpacked(held: NDArray[np.uint8]) -> list[str]:
    """Return the names that an array holds."""
    return held.tobytes().decode().split("\n")


def stamp_in(source: str) -> str:
    """Return the digest of what the weights of a file were learned from.

    Raises:
        UsageError: there is no such file, or it holds no weights; the message names it.
    """
    return load_arrays(source)["stamp"].tobytes().decode()
