"""What an agent says of a booking that was stored with a slip, and that it makes anew.

The wrong name or date that it names is what stands in the booking, not what it takes for the user's
wish: the message is read without it.
"""

import re
from typing import NamedTuple

from crab_graph.personas.clarifications import sentences_of
from crab_graph.personas.own_tools import BOOKING_ID

_SLIP = re.compile(
    r"\b(?:mis-?(?:typed?|spel\w+|entered|stored|recorded|keyed|written)|typos?|slips?|slipped"
    r"|(?:typing|spelling|data|entry|booking) (?:error|mistake|slip)s?"
    r"|(?:wrong|incorrect|garbled)(?:ly)? (?:\w+ ){0,2}(?:birth|date|name|spelling|letter|digit)"
    r"|(?:name|birth|date|dob)\b[^.?!]{0,40}\b(?:wrong|incorrect|off|garbled)"
    r"|(?:typed|entered|stored|recorded|saved|registered|came out|came back|went (?:in|through)"
    r"|comes? up|show(?:s|ed|ing)?|held|holds?|listed|carried|reads?|stands?|has|have|had|put|got)"
    r" (?:[\w'’]+ ){0,7}?"
    r"(?:wrong(?:ly)?|incorrect(?:ly)?|as ['\"“‘]?\w|instead of)"
    r"|(?:typed|entered|stored|recorded|saved|spel(?:t|led)|says|reads|shows) (?:\w+ ){0,2}"
    r"[\"“‘'])",
    re.I,
)
"""Says that something is stored otherwise than it was given."""
_ANEW = re.compile(
    r"\bcancel\w*\b(?!\s+(?:fee|polic|free))|\bre-?(?:book|do|made|make|issue)\w*\b"
    r"|\b(?:book|make|made|reserve)\w*\b[^.?!]{0,30}\b(?:again|anew|afresh|once more)\b",
    re.I,
)
"""Says that a booking is cancelled, or made once more."""
_PAYS = re.compile(
    r"\b(?:approve|authori[sz]e|needs? (?:\w+ ){0,3}approvals?"
    r"|(?:record|give|send) (?:\w+ ){0,3}approvals?|(?:please|kindly|you) (?:\w+ ){0,2}pay)\b",
    re.I,
)
"""Asks for a payment."""
_PAYS_NOT = re.compile(
    r"\b(?:do(?:n['\u2019]?t| not)|no need to|need not|hold off|instead of|please ignore|never)\b"
    r"[^.?!]{0,30}\b(?:approv\w+|authori[sz]\w+|pay\w*)\b",
    re.I,
)
"""Asks for no payment."""
_BARE = re.compile(
    r"^\W*(?:(?:is|would|are|do|does|sounds?)\b[^?]{0,14}\b)?(?:ok(?:ay)?|fine|all ?right|alright"
    r"|good|agreed|agree|work)(?: (?:with|by|for) you)?\W*\?\W*\Z",
    re.I,
)
"""Asks for a yes to what was just said, and names nothing."""
_OF_BOTH = re.compile(r"\b(?:both|all|everything) (?:ok(?:ay)?|fine|all ?right|good)\W*\?", re.I)

_ID = re.compile(rf"\b{BOOKING_ID}\d+\b")


_CANCELS = re.compile(
    r"\b(?:(?:i|we)(?:'ll| will| would|'d| can| could| am going to| shall)?|shall i|may i"
    r"|and|then|to|please) (?:also |then )?cancel\b(?! fee)|\bcancel(?:ling|lation of)\b"
    r"|\b(?:would|will|could|can|(?:is|are) to) (?:then |all )?be cancel"
    r"|^[\s*_•>-]*cancel\b(?! fee)",
    re.I,
)
"""Says that what it names is to be cancelled."""


_SAY_SO = re.compile(
    r"\bif (?:you agree|(?:that|this|it) (?:is|.s) (?:all right|alright|fine|ok(?:ay)?))\b"
    r"[^.?]{0,40}\b(?:say|tell|let me know|write|answer|yes)\b",
    re.I,
)
"""Wants a yes without a question."""
_REPLACES = re.compile(
    r"\b(?:replac\w+|swap\w*|undo\w*|scrap\w*|void\w*|release|new (?:one|booking|reservation)"
    r"|call\b[^.?!]{0,40}\boff|give\b[^.?!]{0,30}\b(?:up|back)"
    r"|take\b[^.?!]{0,40}\b(?:again|anew|once more))\b",
    re.I,
)
"""Says the same in other words."""
_OWNS_UP = re.compile(
    r"\b(?:sorry|apolog\w+|mistakes?|errors?|faults?|wrong(?:ly)?|incorrect\w*|slip\w*|oversight"
    r"|typed?|typos?|entered|instead of|in place of|rather than|should (?:be|have|read)|mix\w*"
    r"|mess\w*)\b",
    re.I,
)
"""What a message has that owns up to something."""

_CALLED_ID = re.compile(
    r"(?:\bincluding (?:(?:the|your) )?[\w -]{2,30}: ?"
    r"|\b(?:the|your) (?:[\w-]+ ){1,4}(?=\(|BK-))?"
    rf"\(?(?P<id>{_ID.pattern})\)?(?: ?\([^()]{{2,40}}\))?"
)
"""The id of a booking with what it is, as `BK-10000001 (blood panel)`."""


class MendedBooking(NamedTuple):
    """What a message says beside that it makes a booking anew, and whether it wants a yes to it.

    What it is about are booking ids that the rest does not name: these are not to be paid.
    """

    rest: str
    wants_yes: bool
    about: frozenset[str]


def mended_booking_in(text: str) -> MendedBooking | None:
    """Return what a message says beside a booking that it makes anew; `None` where it does not.

    A request to pay stays, whatever stands in its sentence.
    """
    sentences = list(sentences_of(text))
    slips = [at for at, one in enumerate(sentences) if _SLIP.search(one)]
    taken: set[int] = set()
    for at in slips:
        near = [one for one in (at, at + 1, at - 1, at + 2, at + 3) if 0 <= one < len(sentences)]
        anew = next((one for one in near if _ANEW.search(sentences[one])), None)
        if anew is not None:
            taken |= {one for one in (at, anew) if not _PAYS.search(sentences[one])}
    if not taken:
        return None
    taken |= {at for at, one in enumerate(sentences) if _PAYS_NOT.search(one) and _ID.search(one)}
    for behind in range(min(taken) + 1, len(sentences)):
        # What is announced of other bookings may stand before the question.
        if _BARE.search(sentences[behind]):
            taken.add(behind)
        if "?" in sentences[behind] and behind not in taken:
            break
    rest = "".join(one for at, one in enumerate(sentences) if at not in taken).rstrip()
    asks = any("?" in sentences[at] for at in taken) or any(map(_SAY_SO.search, sentences))
    said = "".join(sentences[at] for at in taken)
    about = {*_ID.findall(said)} - {*_ID.findall(rest)}
    return MendedBooking(rest, asks or _OF_BOTH.search(rest) is not None, frozenset(about))


def mended_by_meaning(text: str) -> MendedBooking:
    """Return what a message comes to that as a whole owns up to a slip, and would book anew.

    It asks for a yes to that; what it says of names and dates is of what stands in a booking.
    """
    return MendedBooking("", wants_yes=True, about=frozenset(_ID.findall(text)))


def owns_up(text: str) -> bool:
    """Tell whether a message owns up to something, and asks for no payment."""
    is_anew = _ANEW.search(text) or _REPLACES.search(text)
    return bool(is_anew and _OWNS_UP.search(text)) and _PAYS.search(text) is None


def withdrawn_in(text: str) -> tuple[str, frozenset[str]]:
    """Return what a message says beside what is not to be paid, and the ids of such bookings.

    They are those that it wants to cancel, or not to have approved. What is said names them no
    more: a plan that is to take the place of bookings is asked about as any plan is.
    """
    sentences = list(sentences_of(text))
    unpaid = [one for one in sentences if _PAYS_NOT.search(one)]
    gone = {
        booking
        for one in sentences
        if one in unpaid or _CANCELS.search(one)
        for booking in _ID.findall(one)
    }
    if not gone:
        return text, frozenset()
    rest = "".join(one for one in sentences if one not in unpaid)
    said = _CALLED_ID.sub(lambda found: "" if found["id"] in gone else found[0], rest)
    return said, frozenset(gone)
