"""Questions of what a wish means that was told: which of its days, how firm, of what sum.

Such a question names days, sums or places that other wishes are of, too, but asks for none of
these: the user says once more what it told, which holds the answer. It is heard apart from the rest
of its message, which is read without it.
"""

import re
from collections.abc import Collection, Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from crab_graph.money import parse_cents
from crab_graph.personas.asked_musts import (
    FEW_MEANT,
    FIRM_LIMIT,
    FIRM_OR_NOT,
    asked_firm,
    counts_named,
    is_of_no_wish,
    is_of_other_parts,
)
from crab_graph.personas.briefing import DisclosureRecord, UserBriefing
from crab_graph.personas.founded_denials import stands_in
from crab_graph.personas.played_clauses import FAULTS, ends_in_tag
from crab_graph.personas.stated_values import words_of
from crab_graph.personas.understanding import Reading, reading_of
from crab_graph.personas.wordbook import DomainLexicon, FactWords, ValueForm
from crab_graph.text.utterance import visible

_SHORT = "min max incl excl approx dep arr no dr mr mrs ms prof"
_SHORT_WORDS = "".join(rf"(?<!\b{one}\.)" for one in _SHORT.split())
_PIECE = re.compile(
    rf"(?i:{_SHORT_WORDS})(?<!\b[A-Za-z]\.)(?<![.?!:;,] \d\.)(?<!\n\d\.)(?<!\A\d\.)"
    r"(?<=[.?!…])[\"'”’)*_]*\s+|\n+"
)
"""What parts the sentences and lines of a message; behind a number that counts none ends."""
_OPTION = re.compile(
    r"\s*(?:[-*•–][ \t]+|[-*•– ]*\**\(?(?:[a-h]|[1-9]|i{1,3}|iv)\**[).:\]](?:\**[ \t]+|\Z))", re.I
)
"""What a line begins with that is one of some options."""
_LABELLED = re.compile(r"\s*[-*•– ]*\**\(?(?:[a-h]|[1-9]|i{1,3}|iv)\**[).:\]]", re.I)
"""What an option begins with that has a letter or number."""
_AMONG = re.compile(
    r"\b(?:which|what|either|one of|choose|pick|select|prefer\w*|rather|or|mean\w*|these|those"
    r"|them)\b",
    re.I,
)
"""Asks for one of several things."""
_NOTES = re.compile(
    r"\b(?:noted|added|recorded|(?:written|taken) down|recap\w*|summar\w+|so far|understood"
    r"|got (?:it|this|that)"
    r"|sum(?:ming)? (?:\w+ )?up|(?:play|read|say|tell|repeat)(?:ing)? (?:\w+ ){0,4}back"
    r"|here(?:'s| is| are)|(?:plan|search|work|go) with (?:these|this|that|the following)"
    r"|your (?:wishes|trip|requirements)|updated"
    r"|have (?:you|this|it) down|as i have (?:them|it|this)|(?:is|are) what i(?:'ve| have)?)\b",
    re.I,
)
"""Says that what stands beside it was noted."""
_CHECKS = re.compile(
    r"\b(?:is|are|was|were|have|did) (?:\w+ ){0,6}?(?:right|correct\w*|accurate|complete)\b"
    r"(?!\W*(?:a|b|1|2|first|one)\b)",
    re.I,
)
"""Asks if what stands before it is right."""
_YES_OR_NO = re.compile(r"\W*(?:[a-h1-9][).:\]]\W*)?(?:yes|no)\s*(?:[,;:.!()–-]|\Z)", re.I)
"""An option that is an answer."""
_OFF = re.compile(
    r"\b(?:if|whether|in case) (?:any|some)thing(?:'s| is| was| looks| seems)?"
    r" (?:off|wrong|amiss|missing|incorrect|not right)\b",
    re.I,
)
"""Asks to be told of what is noted wrongly."""
_REMARKS = 3
"""Sentences behind options among which the question may be that lets choose."""
_INLINE = re.compile(r"(?:\A|\s)\(?(?:a|1|i)[).:].+\s\(?(?:b|2|ii)[).:]", re.I)
"""Options that stand in one line."""
_BOTH_DO = re.compile(
    r"\beither(?: one| of (?:them|the two)| way)?"
    r"(?:'s|’s| is| are| will| would| works| suits| does| goes)\b[^?]*\Z"
)
"""Says of two things that one is as good as the other."""
_FEWEST_OPTIONS = 2
_MOST_OPTIONS = 4
"""More items than these stand above a question as what was noted, unless they are labelled."""
_GOES_ON = re.compile(
    r"^\W*(?:(?:which|pick|choose|select|please (?:pick|choose|select|say))\b[^.?!]{0,24}"
    r"|(?:just )?(?:one|a|the) (?:letter|number|word)\b[^.?!]{0,24}"
    r"|a(?:, b)? or [bc]|1(?:, 2)? or [23]"
    r"|(?:could|can|would|will) you (?:please )?(?:explain|repeat|clarify|say|tell)\b[^.?!]{0,30}"
    r"|(?:or )?(?:could|can|may|might|would) (?:it|that|this|they) (?:also )?be\b[^?!]{0,30}"
    r"|please (?:explain|clarify|repeat)\b[^.?!]{0,30})[.?!]?\W*\Z",
    re.I,
)
"""What goes on asking behind a question, and names nothing more."""
_NO_TAG = re.compile(r"\b(?:too|also|as well)\b|\A\W*(?:what|which|how|when)\b|\byes or no\W*\Z")
"""What ends like a check, but asks more than whether all that it tells is right."""
_TURNS = re.compile(
    r"[,;:–-] (?:and |so |then )?(?=(?:what|which|how|any(?:thing)?|when|who|do you)\b)"
)
"""Where a sentence that notes one thing goes on to ask for another."""
_ELSE = re.compile(r"\banything (?:else|more)\b")
_ALL_ELSE = re.compile(
    r"(?<!above )(?<!over )(?<!before )(?<!than )"
    r"(?:\b(?:any|every)thing else\b|\ball (?:else|the rest)\b)"
)
"""Asks for what is left, or if that stays as it is, and may name some of it."""
_OPEN_POINTS = re.compile(
    r"\b(?:still (?:open|missing|to (?:settle|come))|left to settle|open (?:points|questions)"
    r"|(?:what.s|are|is) (?:still )?(?:left|open|missing)|remaining)\b[^?.!]*(?::|\Z)"
)
"""Leads to a list of what was not told yet."""
_OF_PAYMENT = re.compile(r"\b(?:pay\w*|charge\w*|cards?|methods?|approv\w*)\b", re.I)
_ASKS = re.compile(
    r"\?[\"'”’)*_\s]*\Z"
    r"|\A\W*(?:(?:and|so|but|then|now) )*(?:which|what|from what|whether)\b"
    r"|\b(?:tell me|whether (?:you|it|that|this|the)|let me know"
    r"|please (?:say|choose|pick|clarify|confirm"
    r"|explain|specify)|clarify|pick|choose|not (?:quite )?(?:sure|clear)|unclear|would like to"
    r" know|need to know|wonder\w*|keep off"
    r"|(?:did not|didn'?t) (?:quite )?(?:get|catch|understand))\b",
    re.I,
)
"""What asks, with a question mark or without one."""
_OF_MEANING = re.compile(
    r"\b(?:d(?:o|id) you mean|(?:what|which)\b[^?]{0,30}\b(?:mean|meant|meaning)|mean(?:s|ing)?\b"
    r"|when you sa(?:y|id)|you said|musts?\b|must[- ]haves?|hard|strict\w*|rigid|firm"
    r"|nice[- ]to[- ]haves?|guidelines?|ceiling|bend|bendable|flexible|negotiable|priorit\w+"
    r"|deal-?breakers?|preferences?|explain|clarify|appl(?:y|ies)|covers?|counts?|concerns?"
    r"|hold(?:s)?|rules?|conditions?|included?|exactly|did not (?:quite )?(?:get|understand|catch)"
    r"|didn'?t (?:quite )?(?:get|understand|catch)|still (?:ok(?:ay)?|fine|allowed|possible)"
    r"|ok(?:ay)?|fine|alright|all right|acceptable|allowed|avoid\w*|rather|only)\b",
    re.I,
)
"""Asks of something that is named what it means, or how firmly it is wished."""
_FOR_ALL = re.compile(
    r"^(?:(?:and|so|ok(?:ay)?|is (?:that|this|it)|does (?:that|this|it) (?:go|hold|apply)|are they"
    r"|(?:should|shall|may|can) i (?:apply|take|use|do|note) (?:that|this|it|the same))"
    r",? )*(?:for |on |in |to )?(?:both|each|all|either)"
    r"(?:(?: \w+,)? (?:the )?\w+(?: \w+)? and (?:the )?\w+(?: \w+)?"
    r"|(?: (?:of (?:them|the))?\s?(?:\w+s)?)?)"
    r"(?:,? or (?:(?:just|only|for|on|in|the) )*\w+(?: \w+)?(?: only)?)?\s*\?",
    re.I,
)
"""Asks whether what was just told holds for all that it may be of."""
_AND_ASKS = re.compile(
    r",? (?:and|also|plus) (?=(?:is|are|do|does|what|which|any|how|when)\b)", re.I
)
"""Where a question goes on to another."""
_GIVES_UP = re.compile(
    r"\b(?:giv\w+|let\w*) (?:\w+ ){0,5}?(?:up|go)\b|\b(?:drop|sacrifice|relax|loosen|waive)\w*\b"
)
"""Asks which wish may go, and not what it means."""


class Clarification(NamedTuple):
    """The wishes of which a message asks what they mean, and what else it says.

    One of firmness asks of what was just told if it is a must; it names no wish where that was
    much. Of what it asks `throughout`, it asks if that holds for all slots.
    """

    keys: tuple[str, ...]
    rest: str
    is_of_firmness: bool
    throughout: tuple[str, ...]


def clarification_in(
    reading: Reading, text: str, briefing: UserBriefing, record: DisclosureRecord
) -> Clarification | None:
    """Return which of the wishes that the user has told a message asks about, if it does so.

    Who puts a plan or asks to be paid asks for a yes.
    """
    pays = reading.asks_wallet and _OF_PAYMENT.search(text) is not None
    if reading.ids or reading.asks_booking or pays or reading.claims_done:
        return None
    lexicon = briefing.lexicon
    known = {fact.key for fact in briefing.facts if record.has(fact.key)}
    pieces = list(_questions_of(text))
    found: dict[str, None] = {}
    taken: set[int] = set()
    is_of_firmness, throughout = False, list[str]()
    last = _last_told(record, lexicon)
    low = visible(text).casefold()
    for key, words in lexicon.facts.items():
        is_told = words.is_joint and key in known
        is_near = is_told and (key in last or words.about.search(low) is not None)
        for number in _about(pieces, words, lexicon) if is_near else ():
            found[key] = None
            low_piece = visible(pieces[number]).casefold()
            is_of_firmness |= FIRM_OR_NOT.search(low_piece) is not None
            taken |= {number, *_options_at(pieces, number)}
            taken |= {*_going_on(pieces, max(taken))}
    are_sure = all(map(record.is_settled, last))
    for number, piece in enumerate(pieces):
        if number in taken:
            continue
        firm = asked_firm(pieces, number, last, briefing, record) if are_sure else None
        if firm is None and "?" in piece and len(pieces) > 1:
            alone = reading_of(piece, lexicon, briefing.slots)
            is_must = alone.meant == "must" or FIRM_LIMIT.search(visible(piece).casefold())
            firm = _meant_firm(alone, (), briefing, record) if is_must else None
        if firm is not None:
            found |= dict.fromkeys(firm)
            is_of_firmness = True
            taken |= {number, *_going_on(pieces, number)}
        elif (are_sure and _FOR_ALL.search(visible(piece).strip())) and (
            of_all := [k for k in last if _is_of_all(lexicon.facts[k])] or _if_one(last, lexicon)
        ):
            throughout += of_all
            taken.add(number)
    if (
        not taken
        and reading.meant == "must"
        and (firm := _meant_firm(reading, last, briefing, record))
    ):
        return Clarification(tuple(firm), "", is_of_firmness=True, throughout=())
    if not taken:
        return None
    rest = (piece for number, piece in enumerate(pieces) if number not in taken)
    found |= dict.fromkeys(throughout)
    return Clarification(
        tuple(found), "".join(rest).rstrip(), is_of_firmness, tuple(dict.fromkeys(throughout))
    )


def _meant_firm(
    reading: Reading, last: Collection[str], briefing: UserBriefing, record: DisclosureRecord
) -> list[str] | None:
    """Return the wishes of which a message as a whole asks how firm they are.

    They are those that it names, by a value if it does, else what was told last; none where it
    names what nobody told, another value, or a sum that is still in doubt.
    """
    facts, text = briefing.lexicon.facts, reading.utterance.text.casefold()
    wished = {
        one.key: one.value for one in briefing.facts if one.key in facts and facts[one.key].is_wish
    }
    shown = [(key, how) for one in reading.features for key, how in one.facts.items()]
    sums = [key for key in wished if facts[key].form is ValueForm.MONEY and record.has(key)]
    if reading.amounts and not all(map(record.is_settled, sums)):
        return None
    by_value = [key for key, how in shown if "value" in how and key in wished and record.has(key)]
    by_value = [key for key in by_value if facts[key].form is not ValueForm.MONEY]
    by_value += [key for key in sums if parse_cents(str(wished[key])) in reading.amounts]
    by_value += [key for key in counts_named(text, briefing) if key in wished and record.has(key)]
    if not by_value and any("how:cue" in how and not record.has(key) for key, how in shown):
        return None
    choices = [key for key in by_value if facts[key].form is ValueForm.CHOICE]
    if not all(stands_in(text, key, briefing) for key in choices):
        return None
    by_cue = [key for key, how in shown if "how:cue" in how and key in wished and record.has(key)]
    named = list(dict.fromkeys(by_value or by_cue))
    meant = [key for key in named if key in last] or named or [k for k in last if k in wished]
    asked = " ".join(one.text for one in reading.segments if "?" in one.text)
    if is_of_no_wish(asked, briefing) or is_of_other_parts(asked, meant, briefing):
        return None
    if not (meant and all(map(record.is_settled, meant))):
        return None
    # Of many at once none need be said again; those told last are meant by no name.
    return meant if len(meant) <= FEW_MEANT else [] if named else None


def _is_of_all(words: FactWords) -> bool:
    """Tell whether a wish may hold for all of what it is of; what is told of people does."""
    return bool(words.throughout) and words.conflict is not None


def _if_one(told: Collection[str], lexicon: DomainLexicon) -> list[str]:
    """Return the one wish that was told, if it says itself of what part it is."""
    return [key for key in told if len(told) == 1 and lexicon.facts[key].conflict is not None]


def sentences_of(text: str) -> Iterator[str]:
    """Yield the sentences and lines of a message, each with the blanks behind it."""
    ends = [0, *(match.end() for match in _PIECE.finditer(text)), len(text)]
    yield from (text[begin:end] for begin, end in pairwise(ends) if begin < end)


def _questions_of(text: str) -> Iterator[str]:
    """Yield the sentences of a message, parted where one asks if something holds for all."""
    for piece in sentences_of(text):
        for found in _AND_ASKS.finditer(piece):
            first = f"{piece[: found.start()]}? "
            if _FOR_ALL.search(visible(first).strip()):
                yield from (first, piece[found.end() :])
                break
        else:
            yield piece


def _about(pieces: Sequence[str], words: FactWords, lexicon: DomainLexicon) -> Iterator[int]:
    """Yield the numbers of the pieces that ask what a joint wish means, by its own words."""
    for number, piece in enumerate(pieces):
        low = visible(piece).casefold().strip()
        is_firm = FIRM_OR_NOT.search(low) is not None
        is_other = _GIVES_UP.search(low) and not (is_firm or words.about.search(low))
        is_other = is_other or _asks_of_flag(low, words, lexicon)
        if is_other or any(one.search(low) for one in (_OFF, _ALL_ELSE, FAULTS)):
            continue
        if _OPEN_POINTS.search(low) and not words.about.search(low):
            continue
        has_options = _INLINE.search(piece) is not None and not _BOTH_DO.search(low)
        asks = has_options or _ASKS.search(low) is not None or _lets_choose(pieces, number)
        is_option = _OPTION.match(piece) is not None and not has_options and "?" not in piece
        if not asks or is_option or (ends_in_tag(low) and not _NO_TAG.search(low)):
            continue
        options = (pieces[one].casefold().strip() for one in _options_at(pieces, number))
        near = " ".join((*options, low))
        # `Would either do?` is asked of what the sentence before names.
        spoken = low if words.about.search(low) else f"{_before(pieces, number)} {low}"
        if _turns_to_other(low, words, lexicon) or _names_other_values(spoken, words, lexicon):
            continue
        is_own = any(cue.search(near) for cue in words.clarify) and not _asks_of_sum(low, lexicon)
        is_of_it = words.about.search(low) and not _is_of_others(low, words, lexicon)
        if is_own or (is_of_it and _OF_MEANING.search(low)):
            yield number


def _before(pieces: Sequence[str], number: int) -> str:
    return visible(pieces[number - 1]).casefold().strip() if number else ""


def _names_other_values(text: str, words: FactWords, lexicon: DomainLexicon) -> bool:
    """Tell whether a sentence lets choose among values of another wish, and names not this one.

    A rule of which it only touches the words has no values that it could let choose among.
    """
    is_of_it = words.about.search(text) is not None
    if is_of_it and words.form is not ValueForm.FLAG:
        return False
    others = (one for key, one in lexicon.facts.items() if key != words.key and not one.is_joint)
    others = (one for one in others if not (is_of_it and one.hours))
    return any(len(words_of(text, one)) >= _FEWEST_OPTIONS for one in others)


def _asks_of_sum(text: str, lexicon: DomainLexicon) -> bool:
    """Tell whether a sentence asks how much all may cost, and names no limit that was told."""
    sums = {
        k.replace("_", " "): one for k, one in lexicon.facts.items() if one.form is ValueForm.MONEY
    }
    return any(
        cue.search(text) and name not in text for name, one in sums.items() for cue in one.asks
    )


def _asks_of_flag(text: str, words: FactWords, lexicon: DomainLexicon) -> bool:
    """Tell whether a sentence asks for a condition between a joint wish's slots and others."""
    own = lexicon.compared(words.key)
    named = {slot for slot, cue in lexicon.slots.items() if cue.search(text)}
    flags = (one for one in lexicon.facts.values() if one.form is ValueForm.FLAG)
    asked = (cue.search(text) for one in flags if one.key != words.key for cue in one.asks)
    return bool(own and named - own) and any(asked)


def _is_of_others(text: str, words: FactWords, lexicon: DomainLexicon) -> bool:
    """Tell whether a sentence names slots, and none that a joint wish is of."""
    own = lexicon.compared(words.key)
    named = {slot for slot, cue in lexicon.slots.items() if cue.search(text)}
    named |= {slot for one in lexicon.groups if one.words.search(text) for slot in one.slots}
    return bool(own and named) and own.isdisjoint(named)


def _going_on(pieces: Sequence[str], number: int) -> list[int]:
    """Return the number of the piece behind one that goes on asking the same."""
    behind = number + 1
    return [behind] if behind < len(pieces) and _GOES_ON.search(pieces[behind]) else []


def _turns_to_other(text: str, words: FactWords, lexicon: DomainLexicon) -> bool:
    """Tell whether a sentence only notes a joint wish, and asks for another behind that."""
    *noted, asked = _TURNS.split(text)
    if not noted or words.about.search(asked) or any(cue.search(asked) for cue in words.clarify):
        return False
    if _ELSE.search(asked):
        return True
    others = (one for key, one in lexicon.facts.items() if key != words.key)
    return any(cue.search(asked) for one in others for cue in one.asks)


def _lets_choose(pieces: Sequence[str], number: int) -> bool:
    """Tell whether a piece that asks nothing stands beside labelled options, and notes none."""
    options = _options_at(pieces, number)
    return (
        bool(options) and _are_labelled(pieces, options) and _NOTES.search(pieces[number]) is None
    )


def _options_at(pieces: Sequence[str], number: int) -> list[int]:
    """Return the numbers of the options among which a piece lets choose, behind or before it."""
    behind = _run(pieces, range(number + 1, len(pieces)))
    if _CHECKS.search(pieces[number]):
        # What is to be right stands there as notes, but for what may be answered.
        return behind if any(_YES_OR_NO.match(pieces[one]) for one in behind) else []
    if behind:
        return [] if _is_recap(pieces, behind) else behind
    # `Which one did you mean?` may stand behind a remark on the options.
    near = _REMARKS if _GOES_ON.search(pieces[number]) else 1
    before = (_run(pieces, range(number - skipped, -1, -1)) for skipped in range(1, near + 1))
    found = next(filter(None, before), [])
    are_notes = found and found[0] > 0 and _NOTES.search(pieces[found[0] - 1])
    # Of mere items a question lets choose that says so.
    lets = _are_labelled(pieces, found) or _AMONG.search(pieces[number]) is not None
    return [] if are_notes or not lets or _is_recap(pieces, found) else found


def _is_recap(pieces: Sequence[str], items: Sequence[int]) -> bool:
    return len(items) > _MOST_OPTIONS and not _are_labelled(pieces, items)


def _are_labelled(pieces: Sequence[str], options: Sequence[int]) -> bool:
    return all(_LABELLED.match(pieces[one]) for one in options)


def _run(pieces: Sequence[str], numbers: range) -> list[int]:
    found: list[int] = []
    for number in numbers:
        # What asks by itself is no option, but one of several questions.
        if _OPTION.match(pieces[number]) is None or "?" in pieces[number]:
            break
        found.append(number)
    return sorted(found) if len(found) >= _FEWEST_OPTIONS else []


def _last_told(record: DisclosureRecord, lexicon: DomainLexicon) -> dict[str, None]:
    """Return the wishes that the user told with its last message that told any."""
    return dict.fromkeys(key for key in record.told_last if key in lexicon.facts)
