"""Questions about what no user has a wish on: it says that any will do, and passes none over."""

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from itertools import chain

from crab_graph.personas.played_clauses import is_check
from crab_graph.personas.questions import segment_before
from crab_graph.personas.segments import Segment
from crab_graph.personas.slot_scopes import scopes_of
from crab_graph.personas.turns import Turn
from crab_graph.personas.wordbook import UnwishedWords

_FEW_WORDS = 4
_BARE = 8
_NOTED = re.compile(
    r"\b(?:is|are|stays?|remains?) (?:left |all |still )?(?:open|free)[^?\w]*\Z|"
    r"\bany \w+ (?:will do|is (?:fine|welcome|ok(?:ay)?))\b[^?]*\Z|\bnoted\W*\Z"
    r"|\A\W*(?:left )?(?:open|free|no wish(?:es)?|no preference)\W*: [^?]*\Z"
    r"|\A\W*(?:also )?any \w+(?:,? (?:and |or )?any \w+)*(?: (?:for|on) [\w ]{1,30})?[^?\w]*\Z"
)
"""Takes down that any will do."""
_YES_OR_NO = re.compile(r"\byes or no\W*\Z")
_MUST = re.compile(r"\b(?:must|ha(?:s|ve) to|needs? to|should) be\b[^?]*\?")
"""Takes for granted that something is to be so and no other way."""
_TOTAL = re.compile(r"\b(?:total|overall|altogether|in all)\b")


def asked_unwished(turn: Turn, before: Collection[str] = ()) -> list[str]:
    """Return the names of what a message asks for and no user has a wish on.

    It is that alone which is asked `before` any fact of these keys by its own words.

    Of what a part may cost nobody says that it does not matter who lacks a budget, or holds a wish
    that depends on prices; and in no deal is such a thing asked.
    """
    reading = turn.reading
    # A recap names who the user is, too.
    items = {*reading.ids}.difference(str(fact.value) for fact in turn.facts.values())
    if items or reading.asks_booking or (reading.asks_wallet and turn.wallet.bookings):
        return []
    clauses = reading.clauses
    ends = (
        at
        for at, (one, how) in enumerate(clauses)
        if one.is_request and any(map(how.names, before))
    )
    placed = list(_in_scope(turn, [one for one, _ in clauses[: next(ends, len(clauses))]]))
    asking = [
        (one, before)
        for one, before in zip(placed, [None, *placed], strict=False)
        if one.is_request and not (_is_noted(one) or _is_of_joint(turn, one))
    ]
    return [
        name
        for name, words in turn.briefing.lexicon.unwished.items()
        if not (words.spares and _weighs_prices(turn, words.spares))
        if not _is_bound(turn, name)
        if any(
            _asks_for(turn, words, one)
            or _goes_on(turn, words, one)
            or _names_other_part(turn, words, one, before)
            for one, before in asking
        )
    ]


def checked_unwished(turn: Turn) -> list[str]:
    """Return the names of what one question takes for a must, and no user has a wish on."""
    asked = [one for one, _ in turn.reading.clauses if one.is_request]
    musts = [one for one in _in_scope(turn, asked) if _MUST.search(one.text)]
    if not (len(asked) == len(musts) == 1):
        return []
    words = turn.briefing.lexicon.unwished
    return [name for name, one in words.items() if _asks_for(turn, one, musts[0])]


def asked_in(turn: Turn, segment: Segment) -> list[str]:
    """Return the names of what a clause asks for and no user has a wish on."""
    placed = _in_scope(turn, [one for one, _ in turn.reading.clauses])
    found = next(one for one in placed if one.start == segment.start)
    words = turn.briefing.lexicon.unwished
    return [name for name, one in words.items() if _asks_for(turn, one, found)]


def _is_noted(segment: Segment) -> bool:
    """Tell whether a clause takes something down, or checks it; `a limit, yes or no?` asks."""
    is_plain_check = is_check(segment) and not _YES_OR_NO.search(segment.text)
    return is_plain_check or _NOTED.search(segment.text) is not None


def _in_scope(turn: Turn, segments: Sequence[Segment]) -> Iterator[Segment]:
    """Yield clauses, of which a few words that name no slot are of those of the one before."""
    scope = frozenset[str]()
    for one, own in zip(segments, scopes_of(segments, turn.briefing.lexicon), strict=True):
        is_bare = not own and len(one.text.split()) <= _FEW_WORDS
        scope = scope if is_bare else own
        yield replace(one, scope=scope)


def asked_of_parts(turn: Turn) -> frozenset[str]:
    """Return the facts, said before, that whatever asks for them asks of one part alone."""
    clauses = turn.reading.clauses
    placed = list(zip(_in_scope(turn, [one for one, _ in clauses]), clauses, strict=True))

    def is_of_part(words: UnwishedWords) -> bool:
        key = words.spares
        asking = [
            one
            for one, (_, how) in placed
            if one.is_request and "how:cue" in how.facts.get(key, ()) and not is_check(one)
        ]
        return (
            _is_said(turn, key)
            and bool(asking)
            and all(_asks_for(turn, words, one) for one in asking)
        )

    unwished = turn.briefing.lexicon.unwished.values()
    return frozenset(one.spares for one in unwished if one.spares and is_of_part(one))


def _asks_for(turn: Turn, words: UnwishedWords, segment: Segment) -> bool:
    if words.slots and segment.scope.isdisjoint(words.slots):
        return False
    if any(cue.search(segment.text) for cue in words.asks):
        return True
    return bool(words.spares) and _is_within_part(turn, words.spares, segment)


def _is_bound(turn: Turn, name: str) -> bool:
    """Tell whether a rule that the user holds to reads what no wish is of, in the slot at hand."""
    lexicon = turn.briefing.lexicon
    is_of_slot = any(name.startswith(f"{slot}_") for slot in lexicon.slots)
    bounds = (keys for key, keys in lexicon.bounds.items() if key in turn.facts)
    return is_of_slot and any(name in keys for keys in bounds)


def _names_other_part(
    turn: Turn, words: UnwishedWords, segment: Segment, before: Segment | None
) -> bool:
    """Tell whether a clause goes on about a part, and another is only named in what it asks.

    So it is where a value holds the word for a part: `should they come in at dinner, or before?`
    """
    if before is None or before.scope.isdisjoint(words.slots):
        return False
    found = next(filter(None, (cue.search(segment.text) for cue in words.asks)), None)
    named = turn.briefing.lexicon.named_slots
    if found is None or not named(found[0]):
        return False
    return not named(segment.text[: found.start()] + segment.text[found.end() :])


def _goes_on(turn: Turn, words: UnwishedWords, segment: Segment) -> bool:
    """Tell whether a few words that name a part ask for it what was just said of another one."""
    before = segment_before(turn.reading.segments, segment)
    is_bare = "?" in segment.text and len(segment.text.split()) <= _BARE
    if before is None or not is_bare or segment.named.isdisjoint(words.slots):
        return False
    lexicon = turn.briefing.lexicon
    all_words = (*lexicon.facts.values(), *lexicon.unwished.values())
    asked = chain.from_iterable(one.asks for one in all_words)
    return any(cue.search(before.text) for cue in words.asks) and not any(
        cue.search(segment.text) for cue in asked
    )


def _is_within_part(turn: Turn, key: str, segment: Segment) -> bool:
    """Tell whether a clause under the heading of a part asks for what was told of the whole."""
    lexicon = turn.briefing.lexicon
    is_by_name = rf"(?:\b(?:the|your|any) |\A\W*){key.replace('_', ' ')}\b"
    is_alone = not segment.named and re.search(is_by_name, segment.text) is not None
    is_whole = lexicon.whole.search(segment.text) or _TOTAL.search(segment.text)
    if is_whole or is_alone or not (_is_said(turn, key) and segment.scope):
        return False
    # What names several parts, and this at the end, asks for it of the whole.
    is_one = len(_kinds(turn, segment)) == 1
    return is_one and any(cue.search(segment.text) for cue in lexicon.facts[key].asks)


def _kinds(turn: Turn, segment: Segment) -> set[str]:
    return {slot.id_prefix for slot in turn.briefing.slots if slot.id in segment.scope}


def _weighs_prices(turn: Turn, key: str) -> bool:
    """Tell whether a user has not said that it lacks a fact, or wants what prices decide."""
    undecided, declined = turn.briefing.lexicon.undecided, turn.memory.declined
    is_lacking = key not in turn.facts and key not in declined
    return is_lacking or any(one in undecided for one in turn.facts)


def _is_said(turn: Turn, key: str) -> bool:
    """Tell whether the user has told a fact, surely or not, or that it has no wish there."""
    return turn.memory.record.has(key) or key in turn.memory.declined


def _is_of_joint(turn: Turn, segment: Segment) -> bool:
    """Tell whether a clause asks for a joint wish that the user has, by words of its own.

    Of what such a wish replaces, and leaves open, it is said beside it that any will do.
    """
    words = turn.briefing.lexicon.facts
    joint = (words[key] for key in turn.facts if key in words and words[key].lent)
    return any(cue.search(segment.text) for one in joint for cue in one.asks if cue not in one.lent)
