"""Which tools an agent is given: those of the paper's table 6, or more (rulebook §1)."""

from enum import StrEnum


class Toolset(StrEnum):
    """A choice of tools."""

    PARITY = "parity"
    """Exactly the paper's: of all bookings only those of flights can be cancelled."""

    EXTENDED = "extended"
    """Also what cancels and changes any booking; its results are reported apart."""
