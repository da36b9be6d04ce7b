"""The words of one message of the agent: its clauses, ids, amounts, and what the model sees."""

import re
from collections import Counter
from collections.abc import Sequence
from functools import cached_property

from crab_graph.personas.briefing import BriefedSlot
from crab_graph.personas.clause_features import ClauseFeatures, MessageSigns, message_features
from crab_graph.personas.clause_words import ClauseWords
from crab_graph.personas.meanings import guess_of, meaning_of, meanings_of
from crab_graph.personas.questions import read_segments
from crab_graph.personas.reader_model import Numbers, of_message, reader_model
from crab_graph.personas.segments import Segment
from crab_graph.personas.spelling import speller
from crab_graph.personas.spoken_sums import find_sums
from crab_graph.personas.wordbook import DomainLexicon, says
from crab_graph.text.amounts import find_amounts
from crab_graph.text.utterance import starting_within

PRICE = re.compile(r"[$€£] ?\d|\d ?(?:€|(?:euros?|dollars|bucks|pounds|quid)\b)")
"""What reads like a price, in any currency."""
ANY_ID = re.compile(r"(?<![\w-])[a-z]{2,4}-(?=[a-z]*\d)(?!\d{1,2}[ap]m\b)[0-9a-z]{2,}(?![\w-])")
_REMEMBERED = 8
"""Clauses at the end of the message before that this one may refer to."""
BOOKING_ID = "bk-"
"""What the ids of bookings begin with, casefolded."""
_THOUGHT_LINE = re.compile(r"^thought:[^\n]*", re.I | re.M)
_THOUGHT = re.compile(
    rf"<think(?:ing)?>.*?</think(?:ing)?>|{_THOUGHT_LINE.pattern}", re.I | re.S | re.M
)
"""What a model thinks aloud; a user does not take it for something said."""
_THOUGHT_END = re.compile(r"</think(?:ing)?>", re.I)
ATTENTION = 20_000
"""Characters of a message that a user reads: of a longer one the beginning and the end."""
ACT_NAMES = tuple(
    "is_open_question is_closing asks_booking asks_choice asks_approval asks_card asks_method "
    "claims_done offers_transfer has_transferred is_unable asks_change offers_extra asks_anything "
    "says_wait confirms proposes".split()
)
"""What a message can do: each is a property of its `Reading`."""
INTENTS = tuple(act.removeprefix("is_") for act in ACT_NAMES if act != "asks_anything")
"""The acts that the model tells."""
LIKELY_DONE, LIKELY_ASKED = 0.2, 0.35
"""The probabilities from which on a message is taken to do something, and to ask for a fact."""
_LINE_TO_FILL = re.compile(r"_{3,}(?:[-/.]_+)*")
_DOTS = "....."
_PARAGRAPH = re.compile(
    r"(?m)^([ \t]*)(?:§+ ?\d{1,2}|[A-Z]\.\d{1,2}|\d{1,2}(?:\.[1-9])+)[):]?[ \t]+(?=\S)"
)
"""The numbers of a form's lines, such as `B.2` or `2.3`, which count nothing."""


class MessageText:
    """What one message of the agent says, clause by clause, and what each clause shows.

    `before` is the agent's message before it, which questions such as `and on the way back?` need.
    What is only the rest of a message means nothing as a whole.
    """

    def __init__(
        self,
        text: str,
        lexicon: DomainLexicon,
        slots: Sequence[BriefedSlot],
        before: str | None = None,
        *,
        is_rest: bool = False,
    ) -> None:
        self._is_rest = is_rest
        self.said = _said(text, lexicon)
        """What a user reads of it: as it is written, but for slips of the keyboard."""
        self.utterance, self.segments = read_segments(self.said, lexicon)
        self.stated = find_amounts(self.utterance)
        """The amounts it names, with their places."""
        self.lexicon = lexicon
        self._words = self.utterance.text
        self._before = before
        self.prefixes = frozenset(slot.id_prefix.casefold() for slot in slots)
        """What the ids of items begin with, casefolded."""

    @cached_property
    def meant(self) -> str:
        """What the whole of it wants to know, of what is learned of whole messages; else empty."""
        if self._is_rest:
            return ""
        return meaning_of(self.segments, _clause_words(self.lexicon, self.prefixes))

    @cached_property
    def guessed(self) -> str:
        """What the whole of it may mean, where nothing else is understood of it; else empty."""
        return guess_of(self.segments, _clause_words(self.lexicon, self.prefixes))

    def means(self, *acts: str) -> bool:
        """Tell whether the whole of it, or one of several questions of it, means one of these."""
        return self.meant in acts or not self._part_meanings.isdisjoint(acts)

    @cached_property
    def _part_meanings(self) -> frozenset[str]:
        return meanings_of(self.segments, _clause_words(self.lexicon, self.prefixes))

    @cached_property
    def clauses(self) -> Sequence[tuple[Segment, ClauseFeatures]]:
        """Its clauses, each with what it shows."""
        return tuple(zip(self.segments, self.features, strict=True))

    @cached_property
    def ids(self) -> tuple[str, ...]:
        """All ids it names, upper case."""
        return tuple(dict.fromkeys(found.upper() for found in ANY_ID.findall(self._words)))

    @cached_property
    def amounts(self) -> tuple[int, ...]:
        """All sums it names, in cents, in any currency."""
        found = [(amount.start, amount.cents) for amount in self.stated]
        found += find_sums(self._words)
        return tuple(dict.fromkeys(cents for _, cents in sorted(found)))

    @cached_property
    def features(self) -> list[ClauseFeatures]:
        """What each clause shows to the model."""
        words = _clause_words(self.lexicon, self.prefixes)
        ids = Counter(name.partition("-")[0] for name in {*ANY_ID.findall(self._words)})
        signs = MessageSigns(ids, len(self.stated), self._is_about_payment, self.prefixes)
        priced = [self._is_priced(segment) for segment in self.segments]
        before = _said(self._before, self.lexicon) if self._before else ""
        last = read_segments(before, self.lexicon)[1][-_REMEMBERED:]
        return message_features(self.segments, signs, priced, words, self.lexicon, last)

    @cached_property
    def _is_about_payment(self) -> bool:
        """Whether it talks of paying, of bookings by id, or of an amount that is of nothing."""
        if says("payment", self._words) or BOOKING_ID in self._words:
            return True
        names = ANY_ID.search(self._words) or self.lexicon.whole.search(self._words)
        return bool(self.stated) and not (names or self.lexicon.named_slots(self._words))

    def _is_priced(self, segment: Segment) -> bool:
        within = starting_within(self.stated, segment.start, segment.end)
        return any(not amount.is_inert for amount in within) or bool(PRICE.search(segment.text))

    @cached_property
    def _act_scores(self) -> Numbers:
        return reader_model(self.lexicon.learned).act_scores(self.features)

    @cached_property
    def _likely(self) -> frozenset[str]:
        """The intents that it has."""
        if not self.segments:
            return frozenset()
        chances = of_message(self._act_scores)
        return frozenset(
            name for name, chance in zip(INTENTS, chances, strict=True) if chance > LIKELY_DONE
        )

    def _is_foreign(self, segment: Segment) -> bool:
        """Tell whether a clause is about what no wish is of, such as a telephone number."""
        return segment.says("foreign") or self.lexicon.extras.search(segment.text) is not None

    @cached_property
    def asks_foreign(self) -> bool:
        """Whether it asks for what nobody was told beside a wish, such as a telephone number."""
        return any(one.is_request and one.says("foreign") for one in self.segments)

    @property
    def _asks_foreign_alone(self) -> bool:
        """Whether it asks for nothing else."""
        return self.asks_foreign and all(
            one.says("foreign") for one in self.segments if one.is_request
        )

    @property
    def is_about_approvals(self) -> bool:
        """Whether it asks of approvals that were given."""
        return any(one.is_request and one.says("approval") for one in self.segments)

    @cached_property
    def asks_of_extra(self) -> bool:
        """Whether it asks about something that is sold beside what the facts are about."""
        asking = (one for one in self.segments if one.is_request)
        return any(self.lexicon.extras.search(one.text) for one in asking)

    @cached_property
    def _last_question(self) -> Segment | None:
        """The last of its clauses that asks."""
        return next((one for one in reversed(self.segments) if one.is_request), None)


def _said(text: str, lexicon: DomainLexicon) -> str:
    """Return what a user reads of a message: not what is thought aloud, and so much of it."""
    # Behind the last end of a thought none ends that begins.
    ends = [match.end() for match in _THOUGHT_END.finditer(text)]
    thought = ends[-1] if ends else 0
    said = _THOUGHT.sub("", text[:thought]) + _THOUGHT_LINE.sub("", text[thought:])
    said = _PARAGRAPH.sub(r"\1- ", _LINE_TO_FILL.sub(_DOTS, said))
    if len(said) > ATTENTION:
        said = f"{said[: ATTENTION // 2]}\n{said[-ATTENTION // 2 :]}"
    return speller(lexicon.learned).mended(said)


_WORDS: dict[tuple[int, frozenset[str]], tuple[DomainLexicon, ClauseWords]] = {}


def _clause_words(lexicon: DomainLexicon, prefixes: frozenset[str]) -> ClauseWords:
    """Return the reader of a domain's clauses, one for each lexicon that is in use."""
    known = _WORDS.get((id(lexicon), prefixes))
    if known is None:
        known = _WORDS[id(lexicon), prefixes] = lexicon, ClauseWords(lexicon, prefixes)
    return known[1]
