"""The schedule of what the world breaks in a task, as the task keeps it."""

from enum import StrEnum

from crab_graph.schema import FileModel


class FaultKind(StrEnum):
    """What can go wrong."""

    SOLD = "sold"
    QUOTE = "quote"
    DECLINED = "declined"
    LIMIT = "limit"
    TIMEOUT = "timeout"
    UNCONFIRMED = "unconfirmed"
    MISENTERED = "misentered"


class WorldFault(FileModel):
    """One fault of a task, which strikes once; a limit holds from then on.

    Attributes:
        of: The kind of booking whose bookings it strikes; `None` for searches and charges of all.
        nth: At which of the agent's steps, counted from 1, of those that would have gone through.
        offers: Of `sold`, the offers that may be sold to somebody else as long as nothing is
            booked: those alone without which the certificate counts a solution.
        cents: Of `quote`, by how much the price of a unit has risen when it is quoted again; of
            `limit`, how much the first card that goes beyond it bears in one day.
    """

    kind: FaultKind
    of: str | None = None
    nth: int = 1
    offers: tuple[str, ...] = ()
    cents: int = 0
