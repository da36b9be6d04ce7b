"""What an agent's free text asks, proposes, offers and claims, read without a model.

The words come from the domain's lexicon and the shared phrase book. A message may do several things
at once; each is a field of `Reading`.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from crab_graph.personas.lexicon import BriefedSlot, DomainLexicon, FactWords
from crab_graph.personas.phrases import phrase_book
from crab_graph.personas.segments import Segment, read_segments
from crab_graph.text.amounts import find_amounts
from crab_graph.text.clauses import Utterance
from crab_graph.text.mentions import find_ids
from crab_graph.text.phrases import offers_transfer

ANY_ID = re.compile(r"(?<![\w-])[a-z]{2,4}-\d{2,}(?![\w-])")
_PREFERENCES = re.compile(r"\b(?:preferences?|requirements?)\b")
_MAX_ASKED_WORDS = 60
"""A longer clause that asks nothing by itself is prose, not an item of a list of questions."""


@dataclass(frozen=True, slots=True)
class Reading:
    """What one message of the agent does.

    Attributes:
        asked: Keys of the facts it asks for, in its order.
        is_open_question: It asks for whatever the user has not said yet.
        is_closing: It asks whether there is anything else it can help with.
        asks_booking: It asks whether to book what it proposes.
        asks_choice: It lets the user choose among options.
        asks_approval: It asks the user to approve payments.
        asks_card: It asks the user to put a card on the platform.
        asks_method: It asks which payment method to use.
        claims_done: It says that something is booked, paid or confirmed.
        offers_transfer: It offers a human.
        has_transferred: It says that the conversation is handed over.
        is_unable: It says that it cannot do what is wanted.
        asks_change: It asks the user to give up a wish.
        offers_extra: It offers something beside what the facts are about.
        asks_anything: It asks something at all.
        says_wait: It asks for time.
        ids: All ids it names, upper case.
        amounts: All amounts it names, in cents.
    """

    asked: tuple[str, ...] = ()
    is_open_question: bool = False
    is_closing: bool = False
    asks_booking: bool = False
    asks_choice: bool = False
    asks_approval: bool = False
    asks_card: bool = False
    asks_method: bool = False
    claims_done: bool = False
    offers_transfer: bool = False
    has_transferred: bool = False
    is_unable: bool = False
    asks_change: bool = False
    offers_extra: bool = False
    asks_anything: bool = False
    says_wait: bool = False
    ids: tuple[str, ...] = ()
    amounts: tuple[int, ...] = ()

    @property
    def asks_wallet(self) -> bool:
        """Whether it wants something that the user's own tools do."""
        return self.asks_approval or self.asks_card or self.asks_method


def understand(text: str, lexicon: DomainLexicon, slots: Sequence[BriefedSlot]) -> Reading:
    """Read one message of the agent."""
    utterance, segments = read_segments(text, lexicon)
    said = phrase_book().says
    whole = utterance.text
    payment_talk = said("payment", whole) or "bk-" in whole
    requests = [segment for segment in segments if segment.is_request]
    awaited = [s for s in segments if s.is_request or said("awaits_user", s.text)]
    proposals = [_is_proposal(segment, utterance, slots) for segment in segments]
    asked, is_open = _asked(segments, proposals, lexicon)
    booking = any(
        _asks_booking(segment, payment_talk, names_fact=bool(_facts_in(segment, lexicon)))
        for segment in segments
    )
    return Reading(
        asked=tuple(asked),
        is_open_question=is_open,
        is_closing=any(said("closing", segment.text) for segment in segments),
        asks_booking=booking,
        asks_choice=any(said("choice", segment.text) for segment in requests),
        asks_approval=any(_asks_approval(segment.text, payment_talk) for segment in awaited),
        asks_card=any(said("card", segment.text) for segment in awaited),
        asks_method=any(
            said("method", segment.text) or said("other_card", segment.text) for segment in requests
        ),
        claims_done=any(
            said("done", segment.text) and not said("not_done", segment.text)
            for segment in segments
        ),
        offers_transfer=offers_transfer(utterance),
        has_transferred=any(
            said("transferred", segment.text) and not segment.text.rstrip().endswith("?")
            for segment in segments
        ),
        is_unable=any(said("inability", segment.text) for segment in segments),
        asks_change=any(said("alteration", segment.text) for segment in requests),
        offers_extra=any(said("extra", segment.text) for segment in requests),
        asks_anything=any(
            segment.is_request and not said("wait", segment.text) for segment in segments
        ),
        says_wait=said("wait", whole),
        ids=tuple(dict.fromkeys(match[0].upper() for match in ANY_ID.finditer(whole))),
        amounts=tuple(dict.fromkeys(amount.cents for amount in find_amounts(utterance))),
    )


def _asked(
    segments: Sequence[Segment], is_proposal: Sequence[bool], lexicon: DomainLexicon
) -> tuple[list[str], bool]:
    said = phrase_book().says
    asked: list[str] = []
    is_open = False
    for segment, proposes in zip(segments, is_proposal, strict=True):
        if not segment.is_request or said("closing", segment.text):
            continue
        if proposes and not said("preference", segment.text):
            continue
        if _is_booking_request(segment.text) and not said("wishes", segment.text):
            continue
        if len(segment.text.split()) > _MAX_ASKED_WORDS and "?" not in segment.text:
            continue
        keys = [key for _, key in _facts_in(segment, lexicon)]
        topics = _topic_facts(segment, lexicon) if not keys or said("wishes", segment.text) else []
        is_open_here = said("open", segment.text) and not topics and not segment.opens_list
        asked += keys + topics
        is_open = (
            is_open
            or is_open_here
            or (not keys and not topics and said("preference", segment.text) and _is_bare(segment))
        )
    return list(dict.fromkeys(asked)), is_open


def _facts_in(segment: Segment, lexicon: DomainLexicon) -> list[tuple[int, str]]:
    """Return the facts a clause asks for by their cues, with where each cue stands."""
    found = []
    for key, words in lexicon.facts.items():
        if not _fits_scope(words, segment):
            continue
        starts = [match.start() for cue in words.asks if (match := cue.search(segment.text))]
        if starts:
            found.append((min(starts), key))
    # Facts whose cues stand at one place keep the lexicon's order.
    order = list(lexicon.facts)
    return sorted(found, key=lambda item: (item[0], order.index(item[1])))


def _fits_scope(words: FactWords, segment: Segment) -> bool:
    if not words.slots:
        return True
    if not segment.scope:
        return not words.needs_slot
    return bool(segment.scope & set(words.slots))


def _topic_facts(segment: Segment, lexicon: DomainLexicon) -> list[str]:
    said = phrase_book().says
    is_action = said("action", segment.text) and not said("wishes", segment.text)
    if is_action or not said("preference", segment.text):
        return []
    return [
        key for topic in lexicon.topics if topic.words.search(segment.text) for key in topic.facts
    ]


def _is_bare(segment: Segment) -> bool:
    return not segment.scope and _PREFERENCES.search(segment.text) is not None


def _is_proposal(segment: Segment, utterance: Utterance, slots: Sequence[BriefedSlot]) -> bool:
    if any(True for slot in slots for _ in find_ids(segment.text, slot.id_prefix)):
        return True
    return any(segment.start <= amount.start < segment.end for amount in find_amounts(utterance))


def _asks_booking(segment: Segment, payment_talk: bool, *, names_fact: bool) -> bool:
    said = phrase_book().says
    words = segment.text
    if segment.is_request and _is_booking_request(words):
        return True
    if said("booking_other", words):
        return not names_fact and not (payment_talk and said("approval", words))
    return said("approval", words) and segment.is_request and not payment_talk


def _is_booking_request(words: str) -> bool:
    said = phrase_book().says
    if not said("booking_lead", words) or not said("booking_act", words):
        return False
    return not said("search", words) and not said("charge_lead", words)


def _asks_approval(words: str, payment_talk: bool) -> bool:
    said = phrase_book().says
    if said("approval", words) and payment_talk:
        return True
    return said("charge_lead", words) and (said("booking_lead", words) or "confirm" in words)
