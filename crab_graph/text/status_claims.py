"""What a message says is booked, confirmed or cancelled, and what it says is not (§6).

A claim is about references, or about everything; whether it is true the tables tell. It is looked
for in four forms: `X is booked`, `X: booked`, `I have booked X`, and X under a heading `Booked`.
What stands beside something else, as in `the price of X is confirmed`, is not what is claimed.
"""

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from enum import StrEnum
from functools import cache
from typing import NamedTuple

from crab_graph.text.claimed_things import BRACKETS, heads, is_item
from crab_graph.text.lexicon import alternatives, fragment, lexicon, pattern
from crab_graph.text.mentions import Reference, ReferenceForm, references_within
from crab_graph.text.utterance import MAX_CLAUSE, REACH, Clause, Utterance
from crab_graph.text.vocabulary import TextVocabulary


class SaidStatus(StrEnum):
    """What a booking is said to be; what is paid is confirmed."""

    BOOKED = "booked"
    CONFIRMED = "confirmed"
    CANCELLED = "cancelled"


class StatusClaim(NamedTuple):
    """That something has a status, or, where it is denied, that it has not.

    It is about the references, each of which names slots or one item; about a booking in each of
    `slots` where there are none; and about whatever was booked where there are none of these. Of a
    job `confirmed` alone may be said of its plan (`is_of_plan`), and set apart behind words for
    slots, as in `X, confirmed`, of a wish (`is_of_wish`).
    """

    status: SaidStatus
    references: tuple[Reference, ...]
    slots: tuple[str, ...]
    start: int
    is_denied: bool = False
    is_of_plan: bool = False
    is_of_wish: bool = False


class _Chain(NamedTuple):
    """Words such as `booked and paid` with their span, and what they come to."""

    start: int
    end: int
    statuses: tuple[SaidStatus, ...]
    is_bare: bool
    """Whether `confirmed` stands alone, which may be said of a choice or a plan too."""


class _Subject(NamedTuple):
    """What is claimed to have a status; nothing, or references, or slots, or what was booked."""

    references: tuple[Reference, ...] = ()
    slots: tuple[str, ...] = ()
    is_made: bool = False
    is_job: bool = False


_NOTHING = _Subject()


def _all_of(*keys: str) -> str:
    return alternatives(word for key in keys for word in lexicon()["status"][key])


_THEM = fragment("status", "of_them")
_SINGLE = "|".join(word.rstrip("s") for word in lexicon()["status"]["of_them"])
_SOME = fragment("status", "adverbs")
_WORD = rf"{_all_of(*SaidStatus, 'done')}(?:(?<=paid) for(?!\w))?"
_ANY = re.compile(_all_of(*SaidStatus))
_STATUS_WORD = re.compile(
    "|".join(
        word
        for key in (*SaidStatus, "done", "unpaid", "paid_for", "nothing_open")
        for word in lexicon()["status"][key]
    )
)
"""What no claim is made without, whatever stands beside it."""
_LINKED = rf"(?:{_SOME} )*{_WORD}(?:(?:,? (?:and|&|\+) |, | ?/ ?|&)(?:{_SOME} )*{_WORD})*"
_IS = re.compile(rf"(?:{fragment('status', 'are')} |(?<=\w)'(?:s|re|ve|d)(?: been)? )({_LINKED})")
_SET_APART = re.compile(
    rf"(?:[:|(✓✔✅☑→] ?| [-–] |, )(?:status:? )?({_LINKED})(?: {fragment('status', 'tails')})?"
    r"(?= ?(?:\Z|[^\w\s$-]| [-–] ))"
)
_ENDS = re.compile(rf"(?<=[\w)]) ({_LINKED})(?: {fragment('status', 'tails')})?\W*\Z")
"""What a line of nothing but an item ends with: `✅ FL-1 paid`."""
_LISTED = re.compile(rf"(?<=[\w)]) ({_LINKED})(?= ?(?:\Z|[,;.]| and(?!\w)))")
"""What follows each item of a list: `X paid, Y paid, Z booked`."""
_PAID_FOR = re.compile(
    rf"(?:\A\W*|{fragment('status', 'doers')}(?:'ve|'d)?(?: (?:have|had))?(?: {_SOME})* "
    r"|(?:was|were|been) )"
    rf"({fragment('status', 'paid_for')})(?: [^.;:?]{{0,40}}?)? ?for:? "
)
_NOTHING_OPEN = re.compile(
    rf"{fragment('status', 'nothing_open')}(?! {fragment('status', 'but_for')})"
)
_DOES = re.compile(
    rf"{fragment('status', 'doers')}(?:'ve|'d)?(?: (?:have|had))?(?: {_SOME})* ({_LINKED})"
)
_IS_ON = re.compile(
    rf"(?<!\w)you(?:'re| are| have been)(?: {_SOME})* ({_LINKED}) (?:on|at|in|into|for) "
)
_IS_TOO = re.compile(rf"(?:,? (?:and|&) |, )({_LINKED})")
_ALL_ALONE = re.compile(
    rf"(?:(?<!\w)(?:it|that|they|these)(?:'s|'re| is| are) |(?<![\w$%] )(?<![\w'-]))all "
    rf"({_LINKED})(?= ?(?:\Z|[^\w\s-]| - |(?:with|on|to|and|for)(?!\w)))"
)
_MADE = re.compile(
    rf"(?<!\w)(?:(?:every|each)(?: single)? (?:{_SINGLE})|(?:your|the|these|those) {_THEM})"
    rf"(?: [^$]{{0,40}})?\Z"
)
_DOES_TOO = re.compile(rf"(?:[,&]|(?<!\w)(?:and|then)(?!\w)) ?({_LINKED})(?= [^\W_])")
_LETTERS = re.compile(r"[^\W\d_]")
_LEADS = re.compile(rf"(?:[^\w$]*done\W+)?[^\w$]*({_LINKED})(?=:| )")
_HEADS = re.compile(rf"\W*({_LINKED})(?: {fragment('status', 'of_them')})?\W*")
_OWNED = re.compile(r"(?!\w)(?! (?!(?:for|on|in|at|with|under|as|by|too|now)(?!\w))\w)")
"""What follows `'s booked` where the word before owns nothing: no `X's booked rate`."""
_TOKEN_N = r"(?:\d+|" + "|".join(w for w in lexicon()["marks"]["numbers"] if w.isalpha()) + ")"
_OF = r"(?: of)?(?: (?:the|your|our|these|those))?"
_EVERYTHING = re.compile(
    rf"(?<![\w-])(?:everything"
    rf"|all(?:{_OF} (?P<n>(?!all|both){_TOKEN_N})(?!\w)(?: of them)?)?(?:{_OF} {_THEM})?"
    rf"|(?:(?<! of )|(?<=each of ))(?:the|your|our|these|those) "
    rf"(?P<m>(?!all|both){_TOKEN_N}) {_THEM})(?!\w)"
)
_NAMING = re.compile(r"(?<!\w)(?:everything|all|both|every|each|the|your|our|these|those)(?!\w)")
_ALL_BUT = re.compile(r"(?<!\w)(?:all|everything|each|any|none|nothing)(?: of \w+)? \Z")
"""What ends the clause before `but the last one is paid`."""
_SENTENCE_ENDS = frozenset(".!?;,:")
_LOOKS_AHEAD = len(" under ")
"""Characters behind a clause that may bear on its words."""
_TWO = "both"
_BOTH = re.compile(rf"(?<!\w)both(?: of (?:them|these|those))?(?: {_THEM})?(?: \([^()]*\))?\W*\Z")


def find_status_claims(
    utterance: Utterance, references: Sequence[Reference], vocabulary: TextVocabulary
) -> tuple[StatusClaim, ...]:
    """Return what a message with these references claims and denies, in text order."""
    found: list[StatusClaim] = []
    said = [match.start() for match in _STATUS_WORD.finditer(utterance.text)]
    reader = _Reader(utterance, references, vocabulary)
    for clause in utterance.clauses if said else ():
        has_own = bisect_left(said, clause.start) < bisect_left(said, clause.end)
        if not (has_own or reader.is_headed(clause)):
            continue
        before = utterance.text[max(0, clause.start - REACH) : clause.start]
        if before[-2:-1] not in _SENTENCE_ENDS and _ALL_BUT.search(before):
            continue
        found += reader.said(clause)
    return tuple(found)


class _Reader:
    """A message whose clauses are read one by one."""

    def __init__(
        self, utterance: Utterance, references: Sequence[Reference], vocabulary: TextVocabulary
    ) -> None:
        self._utterance, self._text = utterance, utterance.text
        self._references = references
        self._slots = tuple(vocabulary.slots)
        self._numbers = {str(len(self._slots)), *vocabulary.whole_words}
        pairs = {slots for slots in vocabulary.group_words.values() if len(slots) == 2}
        self._pair = next(iter(pairs)) if len(pairs) == 1 else ()
        self._headed = cache(self._heading)
        self._alike: dict[object, Sequence[tuple[StatusClaim, list[int]]]] = {}

    def said(self, clause: Clause) -> Sequence[StatusClaim]:
        """Return what a clause claims and denies; the same words of the same are read once."""
        own = self._within(clause.start, clause.end)
        words = self._text[max(0, clause.start - 1) : clause.end + _LOOKS_AHEAD]
        named = [(one.start - clause.start, one.form, one.slots, one.id) for one in own]
        alike = words, self._chain_above(clause), *named
        if alike not in self._alike:
            read = list(self._read(clause))
            if _TWO in words:  # which two, what stands before may tell
                return read
            self._alike[alike] = [
                (one._replace(start=one.start - clause.start), [*map(own.index, one.references)])
                for one in read
            ]
        return [
            one._replace(
                references=tuple([own[at] for at in places]), start=one.start + clause.start
            )
            for one, places in self._alike[alike]
        ]

    def _read(self, clause: Clause) -> Iterator[StatusClaim]:
        if "?" in self._text[clause.start : clause.end]:
            return
        if pattern("status", "voids").search(self._text, clause.start, clause.end):
            yield from self.denials(clause)
        else:
            yield from self.claims(clause)

    def claims(self, clause: Clause) -> Iterator[StatusClaim]:
        """Yield what a clause claims, each status of a chain by itself."""
        taken: list[tuple[int, int]] = []
        if not (self._within(*clause[:2]) or _NAMING.search(self._text, *clause[:2])):
            return
        for match, said in self._predicates(clause):
            chain = self._chain(said, clause)
            if chain is None or any(a < chain.end and chain.start < b for a, b in taken):
                continue
            begin = max((b for a, b in taken if b <= match.start()), default=clause.start)
            subject = self._subject(begin, match.start())
            if subject != _NOTHING:
                taken.append((chain.start, chain.end))
                yield from self._of(chain, subject, is_apart=match.re is _SET_APART)
        for match in _IS_ON.finditer(self._text, clause.start, clause.end):
            chain = self._chain(match, clause)
            if chain is None:
                continue
            subject = self._object(match.end(), clause.end, chain)
            if subject.references:
                taken.append((chain.start, chain.end))
                yield from self._of(chain, subject)
        for chain in self._deeds(clause):
            if not any(a < chain.end and chain.start < b for a, b in taken):
                subject = self._object(chain.end, clause.end, chain)
                if subject != _NOTHING:
                    taken.append((chain.start, chain.end))
                    yield from self._of(chain, subject)
        yield from self._charged_for(clause)
        chain = None if taken else self._of_all(clause)
        if chain is not None:
            taken.append((chain.start, chain.end))
            yield from self._of(chain, _Subject(is_made=True))
        chain = None if taken else self._chain_above(clause)
        if chain is not None:
            own = tuple(one for one in self._within(clause.start, clause.end) if is_item(one))
            if len({one.slots for one in own}) == 1:
                yield from self._of(chain._replace(start=clause.start), _Subject(own))

    def _of_all(self, clause: Clause) -> _Chain | None:
        """Return the words of `all paid`, and of `all charged to your card and confirmed`."""
        for match in _ALL_ALONE.finditer(self._text, clause.start, clause.end):
            for said in (match, *self._said_too(match.end(), clause)):
                chain = self._chain(said, clause)
                if chain is not None:
                    return chain
        return None

    def _said_too(self, start: int, clause: Clause) -> Iterator[re.Match[str]]:
        """Yield what else is said of a subject behind what was said of it first."""
        breaks = pattern("status", "breaks").search(self._text, start, clause.end)
        end = clause.end if breaks is None else breaks.start()
        for more in _IS_TOO.finditer(self._text, start, end):
            if _OWNED.match(self._text, more.end()):
                yield more

    def _charged_for(self, clause: Clause) -> Iterator[StatusClaim]:
        """Yield what a clause says was charged for, which is paid then."""
        for match in _PAID_FOR.finditer(self._text[clause.start : clause.end]):
            start, end = (clause.start + place for place in match.span(1))
            chain = _Chain(start, end, (SaidStatus.CONFIRMED,), is_bare=False)
            subject = self._object(clause.start + match.end(), clause.end, chain)
            if subject.references:
                yield from self._of(chain, subject)

    def is_headed(self, clause: Clause) -> bool:
        """Tell whether the line above a clause says a status of what is listed under it."""
        return self._chain_above(clause) is not None

    def _chain_above(self, clause: Clause) -> _Chain | None:
        heading = self._utterance.parent(clause)
        return None if heading is None else self._headed((heading.start, heading.end))

    def _predicates(self, clause: Clause) -> Iterator[tuple[re.Match[str], re.Match[str]]]:
        """Yield where a subject ends, and what is said of it: `is booked`, then `and paid`."""
        ends = {one.end for one in self._within(clause.start, clause.end) if is_item(one)}
        for match in _IS.finditer(self._text, clause.start, clause.end):
            if match[0][0] != "'" or _OWNED.match(self._text, match.end()):
                yield match, match
            for more in self._said_too(match.end(), clause):
                yield match, more
        for match in _SET_APART.finditer(self._text, clause.start, clause.end):
            yield match, match
        listed = [
            match
            for match in _LISTED.finditer(self._text, clause.start, clause.end)
            if match.start() in ends
        ]
        yield from zip(listed, listed, strict=True) if len(listed) > 1 else ()
        ending = _ENDS.search(self._text, clause.start, clause.end)
        if ending is not None and self._is_one_item(clause.start, ending.start()):
            yield ending, ending

    def _is_one_item(self, start: int, end: int) -> bool:
        """Tell whether a span holds one item, by one word or more, and nothing else."""
        own = self._within(start, end)
        if not own or not all(map(is_item, own)) or len({one.slots for one in own}) > 1:
            return False
        places = [start, *(place for one in own for place in (one.start, one.end)), end]
        gaps = zip(places[::2], places[1::2], strict=True)
        return not any(_LETTERS.search(self._text, *gap) for gap in gaps)

    def denials(self, clause: Clause) -> Iterator[StatusClaim]:
        """Yield what a clause says has a status not, or not yet; where nothing is open, all has."""
        text, span = self._text, (clause.start, clause.end)
        settled = _NOTHING_OPEN.search(text, clause.start, clause.end + _LOOKS_AHEAD)
        if settled is not None and settled.end() <= clause.end:
            yield StatusClaim(SaidStatus.CONFIRMED, (), (), settled.start())
            return
        own = tuple(one for one in self._within(*span) if is_item(one))
        denied = {
            status
            for status in SaidStatus
            if pattern("status", "not_yet").search(text, *span)
            and pattern("status", status).search(text, *span)
        }
        if pattern("status", "unpaid").search(text, *span):
            denied.add(SaidStatus.CONFIRMED)
        if own:
            for status in sorted(denied):
                yield StatusClaim(status, own, (), clause.start, is_denied=True)

    def _within(self, start: int, end: int) -> list[Reference]:
        return references_within(self._references, start, end)

    def _of(
        self, chain: _Chain, subject: _Subject, *, is_apart: bool = False
    ) -> Iterator[StatusClaim]:
        is_of_plan = subject.is_job and chain.is_bare
        references, slots = subject.references, subject.slots
        is_of_words = all(one.form is ReferenceForm.SLOT_WORD for one in references)
        is_of_wish = is_apart and chain.is_bare and bool(references) and is_of_words
        # What is fully booked has no place left.
        is_full = f"fully {SaidStatus.BOOKED}" in self._text[chain.start : chain.end]
        for status in () if references and is_full else chain.statuses:
            claim = StatusClaim(status, references, slots, chain.start)
            yield claim._replace(is_of_plan=is_of_plan, is_of_wish=is_of_wish)

    def _chain(self, match: re.Match[str], clause: Clause) -> _Chain | None:
        """Return the words of a claim, `None` where they are none: a condition, or booked up."""
        start, end = match.span(1)
        following = self._text[end : min(clause.end, end + REACH)].lstrip()
        statuses = tuple(
            status
            for status in SaidStatus
            if pattern("status", status).search(self._text, start, end)
        )
        said = {*pattern("status", SaidStatus.CONFIRMED).findall(self._text, start, end)}
        is_bare = statuses == (SaidStatus.CONFIRMED,) and said == {str(SaidStatus.CONFIRMED)}
        is_bare = is_bare and not pattern("status", "done").search(self._text, start, end)
        is_open = pattern("status", "openings").search(self._text, clause.start, start) is not None
        if is_open or pattern("status", "otherwise").match(following):
            return None
        if is_bare and pattern("status", "as_such").match(following):
            return None
        return _Chain(start, end, statuses, is_bare) if statuses else None

    def _deeds(self, clause: Clause) -> Iterator[_Chain]:
        """Yield the chains of `I have booked …`, and of `Booked: …` at the head of a clause."""
        for match in _DOES.finditer(self._text, clause.start, clause.end):
            chain = self._chain(match, clause)
            # What the user has confirmed is a wish.
            if chain is not None and not (chain.is_bare and match[0].startswith("you")):
                yield chain
            for more in _DOES_TOO.finditer(self._text, match.end(), clause.end):
                chain = self._chain(more, clause)
                if chain is not None:
                    yield chain
        leading = _LEADS.match(self._text, clause.start, clause.end)
        chain = None if leading is None else self._chain(leading, clause)
        if chain is not None and not chain.is_bare:
            rest = BRACKETS.sub(" ", self._text[chain.end : clause.end])
            if not pattern("status", "breaks").search(rest):
                yield chain

    def _heading(self, span: tuple[int, int]) -> _Chain | None:
        match = _HEADS.fullmatch(self._text, *span)
        chain = None if match is None else self._chain(match, Clause(*span, 0))
        return None if chain is None or chain.is_bare else chain

    def _subject(self, start: int, end: int) -> _Subject:
        """Return what stands before a verb or a mark as what it is about."""
        text = self._text
        everything = next(reversed([*_EVERYTHING.finditer(text, start, end)]), None)
        if everything is not None:
            number = everything["n"] or everything["m"]
            if number is not None and number not in self._numbers:
                return _NOTHING
            tail = everything.end(), end
            is_restricted = pattern("status", "restricted").search(text, *tail) is not None
            items = [one for one in self._within(*tail) if is_item(one)]
            is_listed = BRACKETS.search(text, *tail) is not None
            about = number is None and pattern("status", "places").match(text, start)
            if is_restricted:
                return _NOTHING
            if not ((items and not is_listed) or about):
                return _Subject(slots=self._slots)
        kept = heads(text, start, end, self._within(start, end), is_object=False)
        if not any(map(is_item, kept)) and _BOTH.search(text, max(start, end - REACH), end):
            return _Subject(slots=self._two(start))
        found = self._meant(kept)
        made = _MADE.search(text, max(start, end - REACH), end)
        if found == _NOTHING and everything is None and made is not None:
            return _Subject(is_made=True)
        return found

    def _object(self, start: int, end: int, chain: _Chain) -> _Subject:
        """Return what stands behind a verb as what it has been done to."""
        text = self._text
        following = _ANY.search(text, start, end)
        end = end if following is None else following.start()
        kept = heads(text, start, end, self._within(start, end), is_object=True)
        if kept and chain.is_bare:  # `I have confirmed X is free`
            rest = BRACKETS.sub("", text[kept[-1].end : end]).lstrip()
            if pattern("status", "breaks").match(rest):
                return _NOTHING
        found = self._meant(kept)
        return _NOTHING if found.is_job and chain.is_bare else found

    def _meant(self, kept: Sequence[Reference]) -> _Subject:
        items = tuple(one for one in kept if is_item(one))
        nouns = [one for one in kept if one.form is ReferenceForm.WHOLE_WORD]
        if items or not nouns or nouns[0].word in _QUANTITIES:
            return _Subject(items)
        return _Subject(slots=self._slots, is_job=True)

    def _two(self, end: int) -> tuple[str, ...]:
        """Return what `both` means: the two slots spoken of right before, or the pair of a kind."""
        before = [one for one in self._within(max(0, end - MAX_CLAUSE), end) if is_item(one)]
        last = self._utterance.clause_at(before[-1].start) if before else None
        nearest = [one for one in before if last is not None and one.start >= last.start]
        for spoken in (nearest, before):
            slots = tuple(dict.fromkeys(slot for one in spoken for slot in one.slots))
            if len(slots) == 2:
                return slots
        return self._pair


_QUANTITIES = frozenset(
    (
        *lexicon()["status"]["everything"],
        *lexicon()["status"]["of_them"],
        *lexicon()["marks"]["numbers"],
    )
)
