"""What words such as `is booked` are said of, and what only stands beside it (§6)."""

import re
from collections.abc import Sequence

from crab_graph.text.lexicon import fragment, pattern
from crab_graph.text.mentions import Reference, ReferenceForm
from crab_graph.text.utterance import REACH

BRACKETS = re.compile(r"\([^()]*\)")
_BESIDE = re.compile(
    rf"(?:(\S+) )?{fragment('status', 'places')}(?: (?:the|your|our|this|an?|both|all))*"
    rf"(?: [\w-]+){{0,2}} ?[(\"]?\Z"
)
_JOINED = re.compile(rf"[,&+/|]|{fragment('status', 'joints')}")
_HOLDER = re.compile(rf"(?:{fragment('status', 'holders')}|\$[\d,.]+)\W*\Z")
_ASPECT = re.compile(rf"(?:'s|')?(?: [\w-]+){{0,2}}? {fragment('status', 'aspects')}")


def is_item(reference: Reference) -> bool:
    """Tell whether a reference is to something that is booked, not to a kind or to all."""
    return reference.form not in (ReferenceForm.WHOLE_WORD, ReferenceForm.BARE_WORD)


def heads(
    text: str, start: int, end: int, references: Sequence[Reference], *, is_object: bool
) -> list[Reference]:
    """Return the references in a span that it is about, not those that stand beside others."""
    kept: list[Reference] = []
    place = start
    for one in references:
        gap = text[place : one.start]
        breaks = [found.end() for found in pattern("status", "breaks").finditer(gap)]
        beside = _BESIDE.search(gap[breaks[-1] if breaks else 0 :][-REACH:])
        # A part of the whole is not the whole.
        holder = (beside and beside[1]) or ""
        is_held = one.form is not ReferenceForm.WHOLE_WORD and bool(_HOLDER.search(holder))
        place = one.end
        if breaks and is_object:
            break
        if kept and not breaks:
            if one.form is ReferenceForm.BARE_WORD and set(kept[-1].slots) <= set(one.slots):
                continue
            if gap in ("'s ", "' "):
                kept[-1] = one
            elif set(one.slots) <= set(kept[-1].slots) or (
                (beside is None or is_held) and _JOINED.search(BRACKETS.sub("", gap))
            ):
                kept.append(one)
            elif beside is None and not is_object:
                kept = [one]
            elif beside is None:
                break
        elif beside is None or is_held:
            kept = [one]
        else:
            kept = []
            if is_object:
                break
    if kept:
        last = kept[-1].end
        after = _ASPECT.match(text, last, min(end, last + REACH))
        broken = None if is_object else pattern("status", "breaks").search(text, last, end)
        if after is not None or broken is not None:
            return []
    return kept
