"""What a message says or asks by the way, which is answered by itself, and not read again."""

from typing import NamedTuple


class Aside(NamedTuple):
    """What a message says beside a question, and the act that answers that, maybe with a name."""

    rest: str
    act: str
    name: str = ""
