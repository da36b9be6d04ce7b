"""Which bookings a message calls by the last words of their names: `the museum and the canal walk`.

Where a domain has two slots of a kind no word of its own tells them apart, and who speaks of them
does so by what they are (rulebook §2.14, doubt).
"""

import re
from collections.abc import Iterator

from crab_graph.eval.reading import Episode
from crab_graph.text.utterance import name_form

_LIST_END = re.compile(r"(?:\s*\((?:[a-z=~' ]{0,20})|,\s*)\Z")
"""What stands between a list and the amount that it comes to."""
_PARTS = re.compile(r",|;|:|&|\+|\(|\band\b|\bplus\b")
_FEWEST = 2


def called_before(episode: Episode, text: str, place: int, seq: float) -> tuple[str, ...]:
    """Return the slots of the bookings that a normalised text lists right before a place.

    They are two or more, in the order told; none where one of them may be of two bookings.
    """
    sentence = re.split(r"[.!?\n](?=\s|\Z)", text[:place])[-1]
    listed = _LIST_END.split(sentence, maxsplit=1)
    if len(listed) == 1:
        return ()
    names = dict(_names(episode, seq))
    found: list[str] = []
    for part in reversed(_PARTS.split(listed[0])):
        slot = _called(name_form(part).split(), names)
        if slot is None:
            break
        found.append(slot)
    is_list = len(found) >= _FEWEST and len({*found}) == len(found)
    return tuple(reversed(found)) if is_list else ()


def _names(episode: Episode, seq: float) -> Iterator[tuple[str, list[str]]]:
    """Yield the slots that are filled by one booking at a place, with the words of its name."""
    catalogue = episode.reading.catalogue
    names = {one.entity_id: one.name for group in catalogue.names.values() for one in group}
    for slot, held in episode.history.filling(seq).items():
        if len(held) == 1 and held[0].entity_id in names:
            yield slot, names[held[0].entity_id].split()


def _called(words: list[str], names: dict[str, list[str]]) -> str | None:
    """Return the slot of the only name that ends with most of the last words of a part."""
    shared = {slot: _shared(words, name) for slot, name in names.items()}
    most = max(shared.values(), default=0)
    best = [slot for slot, count in shared.items() if count == most]
    return best[0] if most and len(best) == 1 else None


def _shared(words: list[str], name: list[str]) -> int:
    """Return how many last words two texts have in common."""
    pairs = zip(reversed(words), reversed(name), strict=False)
    return next((n for n, (one, two) in enumerate(pairs) if one != two), min(len(words), len(name)))
