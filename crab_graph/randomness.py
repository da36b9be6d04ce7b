"""Counter-based randomness: a draw is a function of named parts, and no state is ever saved.

Parts are hashed, never passed to `hash()`, so results do not depend on PYTHONHASHSEED or the
machine.
"""

import hashlib
import random
from functools import cache
from typing import TYPE_CHECKING, Any

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
    # Given the seed at once, NumPy draws another one first, which takes twenty times as long.
    rng = np.random.RandomState(np.random.MT19937(_blank()))
    rng.seed([seed & 0xFFFFFFFF, seed >> 32])
    return rng


@cache
def _blank() -> Any:
    """Return the words of a generator that is seeded before it is used."""
    from numpy.random.bit_generator import ISeedSequence  # noqa: PLC0415  (as above)

    class Blank(ISeedSequence):
        def generate_state(self, n_words: int, dtype: Any = None) -> Any:
            return [0] * n_words  # read one by one, which takes an array longer

    return Blank()


def derive_id(prefix: str, digits: int, *parts: Part) -> str:
    """Return an id such as `BK-04821937`: a prefix and a number that depends on the parts alone."""
    return f"{prefix}-{derive_seed(prefix, *parts) % 10**digits:0{digits}d}"
