"""An error of the user: what every module that finds some yields (rulebook §10)."""

from collections.abc import Set
from typing import NamedTuple


class UserError(NamedTuple):
    """An error of the user, the visible message that shows it, and the failures it explains.

    They are those of the checks that it covers, by their ids or by their roles.
    """

    code: str
    message: int
    text: str
    covers: Set[str]
