"""Counter-based randomness: a draw is a function of named parts, and no state is ever saved.

Parts are hashed, never passed to `hash()`, so results do not depend on PYTHONHASHSEED or the
machine.
"""

import hashlib
import random
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np

Part = str | int


def derive_seed(*parts: Part) -> int:
    """Return a 64-bit seed that depends on every part and on their order."""
    text = "\x1f".join(f"{type(part).__name__}:{part}" for part in parts)
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "big")


def derive_rng(*parts: Part) -> random.Random:
    """Return an independent generator for the given parts."""
    return random.Random(derive_seed(*parts))


def derive_array_rng(*parts: Part) -> "np.random.RandomState":
    """Return an independent NumPy generator for the given parts.

    `RandomState` is NumPy's frozen stream: unlike `Generator` it promises the same numbers in every
    release, which a benchmark that is rebuilt from its seed depends on.
    """
    import numpy as np  # noqa: PLC0415  (keeps this module free of NumPy for light imports)

    seed = derive_seed(*parts)
    return np.random.RandomState([seed & 0xFFFFFFFF, seed >> 32])


def derive_id(prefix: str, digits: int, *parts: Part) -> str:
    """Return an id such as `BK-04821937`: a prefix and a number that depends on the parts alone."""
    return f"{prefix}-{derive_seed(prefix, *parts) % 10**digits:0{digits}d}"
