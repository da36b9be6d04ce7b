"""Which clauses of a message play back what a user wishes, as a question or as a note."""

import re
from functools import lru_cache

from crab_graph.personas.clause_splits import UNTICKED
from crab_graph.personas.message_text import ANY_ID
from crab_graph.personas.plain_requests import WISH, asks_if_complete
from crab_graph.personas.segments import Segment
from crab_graph.personas.stated_values import is_taken_back, names_value
from crab_graph.personas.understanding import Reading
from crab_graph.personas.wordbook import says

_TAG = re.compile(
    r"(?:\b(?:what you(?:.d like| would like| said| told me| want(?:ed)?| asked for| need(?:ed)?"
    r"| meant?)|yes ?(?:or|/) ?no(?: (?:please|pls|plz))?|y/n"
    r"|(?<=, )ok(?:ay)?|right|correct|true|accurate|yes|yeah|agreed|am i right"
    r"|is (?:that|it|this) (?:so|it)"
    r"|(?:right|correct|ok(?:ay)?)\W{1,3}(?:and )?(?:nothing|anything) (?:else|more|missing|to add)"
    r"|as you (?:want(?:ed)?|wish(?:ed)?|like|said)(?: it)?|confirm"
    r"|(?:is|are|was|were) (?:that|this|it|these|those) (?:you|(?:the|your) (?:\w+ ){0,2}\w+)"
    r"|(?:is|are|was|were|do|does|did|have|has|would|will|should|could|can)(?:n't| not)?"
    r" (?:it|you|they|that|i)))"
    r"\W*\?\W*$"
)
_LEADS = re.compile(
    r"^\W*(?:is (?:\S+ ){1,6}?(?:your|right|correct)|it.s (?:just |only )?you (?:and|plus)"
    r"|so(?! that\b)|ok(?:ay)?|alright|right"
    r"|just to (?:confirm|check|be (?:sure|clear))"
    r"|to (?:confirm|recap|sum up|summari[sz]e|double-check)|let me (?:confirm|recap|repeat)"
    r"|(?:can|could|may) (?:i|you) (?:just |please |quickly )*(?:confirm|verify|check|double-check)"
    r"|please (?:confirm|verify|check)|confirming|am i right|do i understand|did i get"
    r"|have i (?:got|understood)|if i understand|i understand|as i understand|you (?:want|said)"
    r"|(?:and |then |so )?(?:shall|should|may|can|could|do) i (?:safely |just |then )*"
    r"(?:take (?:it (?:that|as|you|then|from|there|the|any)|from)|assume|conclude|infer|presume))\b"
)
_ASKS_WHAT = re.compile(
    r"\W*(?:so|ok(?:ay)?|alright|right)\b[^?:]{0,24}(?:, |: )(?:what|which|when|where|who|how)\b"
)
"""Leads on to an open question."""
_LED_UP_TO = re.compile(r"\A[^:?]{3,80}(?::|,|\s[-–—]) (?=(?:is|are|was|it.s) )")
"""What leads up to such a question."""
_NOTES = re.compile(
    r"\b(?:noted|so far|i have (?:you|down|got|put|written)|i.ve (?:got|put|written)|recap|summary"
    r"|as (?:you said|discussed)|your (?:wishes|requirements|preferences|details)(?: are)?:"
    r"|what i have|here.s what|my notes|as i (?:have|got|see|understand|read) (?:it|them|this|you)"
    r"|where (?:we|things) (?:are|stand)"
    r"|(?:wish|whole|full|current|complete) ?-?list"
    r"|i(?:.ll)? (?:take it|gather|assume|presume|conclude|suppose)|correct me (?:if|should|where)"
    r"|i (?:now )?have (?:now|so far)\b|i.?ve (?:jotted|marked|taken|noted) down|in sum\b"
    r"|to (?:check|make sure|be sure)(?: that)? i(?:.ve| have)? (?:understood|got)"
    r"|(?:recorded|i repeat)(?=:)|before i (?:go|start|begin|search|look)\b[^:?]{0,24}(?=:)"
    r"|with (?:these|the following) wishes\b"
    r"|if all (?:of )?(?:this|that) (?:holds|is (?:right|correct|so)|fits)"
    r"|unless (?:i hear|you (?:say|tell me)|told) otherwise"
    r"|(?:restate|repeat|read) (?:it|this|that|everything))\b"
)
_MEANS = re.compile(r"(?<!what )(?<!which )\b(?:do|did|would|that) you mean\b(?!.*\bor\b)")
"""Asks if something that was said is what it takes it for."""
_CONFIRMED = re.compile(r"\b(?:confirmed|correct|right)\W*\?\W*$")
TO_CONFIRM = re.compile(
    r"\b(?:confirm|make sure|double-check|restate|recap|summari[sz]e|sum up"
    r"|read(?:ing)? .{0,20}\bback|repeat|right(?:ly)?|correct(?:ly)?|accurate|matched|did i"
    r"|have i)\b"
)
"""Words of a note that is told to be confirmed."""
_WHETHER = re.compile(
    r"\b(?:whether|if) (?:this|that|it|all|everything)(?: of (?:this|that|it))? (?:is|are|looks?)"
    r" (?:all )?(?:accurate|right|correct|in order|as it should be|complete|ok(?:ay)?|fine)\b"
    r"|\b(?:whether|if) (?:i am (?:right|correct)|i (?:have )?underst(?:and|ood) (?:\w+ )?"
    r"(?:right(?:ly)?|correctly))\b"
)
_CONFIRM = re.compile(
    r"\b(?:confirm|verify|check|double-check)\b(?:\W+(?!and\b)\w+){0,5}?\W+(?:summary|recap|brief"
    r"|understanding|wishes|state|status|following|notes?|list|read-?back|play-?back|above|points?|details|dates?|figures?"
    r"|accurate|correct|right|in order|exact(?:ly)?|this|that|these|it|all|everything)\b"
)
"""What asks to have something confirmed, in a question."""
_OTHER_BOOKING = re.compile(r"\bconfirm\w*")
"""A word for a booking that is as well one for what was said."""
_ASKED = re.compile(r"\b(?:confirm|verify|please check|correct me|let me know if|tell me if)\b")
FAULTS = re.compile(
    r"\bany(?:thing| of (?:this|that|it|these))\b[^?]{0,30}\b(?:wrong\w*|incorrect\w*|amiss"
    r"|mistakes?|mistaken|errors?|misunderstood|inaccurate)\b[^?]{0,20}\?"
    r"|\b(?:what|which (?:\w+ ){0,3})(?:'s| is| was)\b[^?]{0,20}"
    r"\b(?:wrong|incorrect|amiss|missing|off)\b[^?]{0,20}\?"
)
"""Asks whether something is wrong, to which a yes would mean the contrary."""
_TELL_FAULTS = re.compile(
    r"\b(?:shout|speak up|say so|sing out|yell|flag|tell me|let me know|correct me)\b[^.?!]{0,30}"
    r"\b(?:if|when|where|should)\b[^.?!]{0,40}\b(?:off|wrong|amiss|not right|incorrect|mistaken"
    r"|not so|missing|muddled|mixed (?:up|anything|something)|misheard|misunderstood"
    r"|confused|slipped)\b"
)
"""Wants to be told if something is wrong, without a question."""
_YOUR_YES = re.compile(
    r"\b(?:love|need|want|like|await|wait(?:ing)? for|have|get|appreciate|missing|lack) "
    r"(?:your|a) (?:\w+ )?(?:yes|ok(?:ay)?|nod|confirmation|word) (?:that|whether|if)\b"
)
"""Wants to be told that something is so, without a question."""
_WOULD_SUIT = re.compile(
    r"\b(?:is|would|will) (?:it|that|this) (?:be )?(?:all right|alright|ok(?:ay)?|fine|acceptable)"
    r"(?: (?:with|for|by) you)?,? if\b[^?]*\?"
)
"""Asks if something may be so."""
_IF_SHARED = re.compile(
    r"\b(?:is|are|does|do|will|would) any\b[^?]*"
    r"\b(?:fine|ok(?:ay)?|do|welcome|acceptable|suits?|right|good|allowed|possible)\b"
    r"[^?]*\b(?:as long as|so long as|provided)\b[^?]*\?"
)
"""Asks if any will do, on a condition."""
_PAYS_WITH = re.compile(r"\bpay\w*\b.{0,20}\b(?:with|by|from|on)\b[^?]{0,40}\b\d{4}\b[^?]{0,12}\?")
"""Asks if one card is the one to pay with."""
_SECOND_PERSON = re.compile(
    r"\byou(?:'re| are|'d| would| will|'ll| both| all| two)*(?: like to| want to)?"
    r" (?:leav|depart|fly|travel|stay|spend|return|com(?:e|ing) (?:back|home)|want|wish|need"
    r"|prefer)"
)
"""Says what the user does or wants."""
_FIRM = re.compile(
    r"\b(?:firm|fixed|definite(?:ly)?|(?<!\ba )(?<!any )certain(?:ly)?|settled|absolute(?:ly)?"
    r"|strict(?:ly)?|final"
    r"|non-negotiable|hard (?:limit|cap|max(?:imum)?|ceiling)"
    r"|(?:the|your|an?) (?:upper )?(?:most|maximum|limit)"
    r"|(?:must|may|should|can) (?:not|n't) (?:be )?exceed\w*|a must|set in stone"
    r"|(?:has|have|need(?:s)?) to be|both"
    r"|still (?:what you|so|right|correct|the case|fine|ok(?:ay)?|good|valid)"
    r"|agreeable|acceptable|flexible"
    r"|(?:shall|should) (?:it|that) be|(?:is|are|was) (?:it|that|they) (?:indeed|really|truly)"
    r"|up to me|understand (?:rightly|correctly)|still stands?|as (?:agreed|before))\b"
)
_LOOSENS = re.compile(
    r"\b(?:rather than|instead of|and not|not) (?:an? )?(?:\w+ )?(?:must|requirement)\b"
    r"|\bas (?:an? )?(?:mere |soft )?(?:preference|option|optional|wish|nice[- ]to[- ]have)\b"
    r"|\b(?:may|can|could|shall|should|might|would) (?:i|we|you) (?:\w+ )?"
    r"(?:drop|give up|let go|skip|ignore|waive|relax|sacrifice|do without|live without)\b"
    r"|\b(?:given up|let go|waived|relaxed|sacrificed)\b[^?]*\?"
)
"""Asks to hold a wish less firmly, to which nobody says yes that means it."""
_CLAIM = re.compile(r"\d|\b(?:is|are|was|must|should|ha[sd]|have|can|may|do|does|still|both)\b")
"""What makes more of firm words than a label."""
_CHOICE = re.compile(
    r"\b(?:or|what|which|when|where|who|how|why)\b|\b(?:have|got) (?:you )?an?y?\b|\bany other\b"
    r"|\b(?:is|are) there\b"
    r"|\b[ab12]\) .+ [bc23]\) "
)
_LOOSE_TAG = re.compile(
    r"\b(?:(?:is |are )?(?:that|this|it|all|everything|(?:these|those)(?: (?:two |three )?"
    r"(?:dates?|days?|times?))?) )?(?:all )?"
    r"(?:(?:ok(?:ay)?|good|fine|clear|with you)(?: (?:so far|with you|by you|for you|to you))?"
    r"|does (?:that|this|it|all (?:that|this)) (?:\w+ )?(?:work|suit|fit|match|sound \w+|look \w+)"
    r"(?: (?:for )?you)?|(?:sounds?|looks?) (?:about |all )?(?:right|good|ok(?:ay)?|fine)"
    r"|(?:is|was) (?:that|this|it) (?:how|what|the way) you (?:see|meant?|understand|want|think of)"
    r"(?: (?:it|that|this))?)(?: before (?:i|we) [^?]*)?\W*\?\W*$"
)
"""Behind wishes it asks whether they are right, behind a proposal for a yes."""
_OF_ONE = re.compile(r"\b(?:is|are|would|will) (?:an?|any|one)\b[^,;.]*\Z")
"""Asks of one of several, behind which such words ask if it may be so."""
_OR_ANY = re.compile(r"\bor (?:(?:is|are|does|do|would|will) )?any\b")
"""Asks which of several, or if any will do."""
_ASKS_TO_SAVE = re.compile(
    r"\b(?:cheapest|lowest|least expensive|as (?:low|cheap) as)\b[^?]*\b(?:yes or no|or)\b[^?]*\?"
)
"""Asks if what costs least is wished, of which nothing was noted."""
_LIMIT = re.compile(r"\b(?:budget|max\w*|limit|at most|up to|within|under|ceiling|cap)\b")
_OFFERS = re.compile(
    r"\b(?:i (?:can|could) (?:offer|also)|there (?:is|are)|available|i found|we have|we offer"
    r"|options?|(?<!,\s)which|what|for (?:example|instance)|such as"
    r"|would you (?:like|prefer|rather)"
    r"|do you (?:want|prefer|need|have))\b"
)
_ANY_ONE = re.compile(r"\W*(?:and |or )?any (?:particular|special|specific|certain|favou?rite)\b")
"""Asks for one of several by name."""
_OF_WISHES = re.compile(rf"\b{WISH}\W*\?\W*\Z")
"""Asks for wishes on what it names."""
_EXAMPLES = re.compile(
    r"\b(?:whatever|what ?ever else|et ?c\.?|and so (?:on|forth)|you name it"
    r"|(?:any|some|every)thing (?:like that|of the (?:kind|sort))|(?:things|stuff) like that"
    r"|that (?:kind|sort) of thing)\W*$"
)
"""What ends a list of what one may speak of: it says nothing of what somebody wishes."""
_SURE = re.compile(
    r"\b(?:are|were) you (?:now |really |quite |still )?(?:sure|certain|positive)\b[^?]*\?"
    r"|\bu (?:really |still )?sure\b[^?]*\?"
    r"|\bdo you agree\b[^?]*\?"
    r"|\b(?:right|correct|fixed|certain|firm|settled|final|sure)\b,? or (?:could|can|may|might"
    r"|would|is|are|should|do|does)\b[^?]*\?"
)
"""Asks if something that was said with doubt is so, or could be otherwise."""
_IS_BORN = re.compile(
    r"\b(?:born|birth\w*|dobs?)\b[^?]*\b(?:is|are) (?:it|that|this|they)\b"
    r"[^?]*\b(?:19|20)\d\d\b[^?]*\?"
    r"|\b(?:who|when)\b[^?]{0,20}\bborn\b(?:(?!\bor\b)[^?])*"
    r"(?:\b(?:19|20)\d\d\b(?:(?!\bor\b)[^?])*){2}\?"
)
"""Asks of dates of birth if they are as it says."""
_TWO_BOUNDS = re.compile(
    r"\b(?:at (?:most|least)|up to|within) \d+\b[^?]*"
    r"\bor (?:(?:at (?:most|least)|up to|within) )?\d+\b[^?]*\?"
)
"""Asks which of two bounds it is."""
_YES_NO = re.compile(
    r"\[ ?\]\W{0,4}(?:yes|right|correct)\b.*\[ ?\]\W{0,4}(?:no|wrong)\b"
    r"|:\W*(?:\d\W{1,4})?yes\b[^.?]{0,12}/\W*(?:\d\W{1,4})?no\b"
)
"""Two boxes of a line that is to be ticked as right or wrong."""
_SEVERAL = 2
_A_LIST = 3
_SHORT_QUESTION = 14
_OF_BOOKINGS = ("bk", "pm", "tx")


def is_check(segment: Segment) -> bool:
    """Tell whether a clause asks if what was said is right."""
    if _ASKS_TO_SAVE.search(segment.text) or _TWO_BOUNDS.search(segment.text):
        return False
    if _YES_NO.search(segment.text):
        return True
    if segment.is_firm or (segment.is_request and _WHETHER.search(segment.text)):
        return True
    if segment.text.rstrip().endswith(":"):
        return segment.says("check") or _LEADS.search(segment.text) is not None
    if not segment.text.rstrip().endswith("?"):
        tells = (_TELL_FAULTS.search(segment.text), _YOUR_YES.search(segment.text))
        is_told = segment.says("check") or any(tells)
        return is_told or (segment.is_request and bool(_ASKED.search(segment.text)))
    text = _LED_UP_TO.sub("", segment.text)
    if _LOOSENS.search(text):
        return False
    if _FIRM.search(text) and _CLAIM.search(text) and not _CHOICE.search(text):
        return True
    led = None if _ASKS_WHAT.match(text) else _LEADS.search(text)
    found = _TAG.search(text) or led or _CONFIRM.search(text)
    found = (
        found
        or _IS_BORN.search(text)
        or _SURE.search(text)
        or FAULTS.search(text)
        or _PAYS_WITH.search(text)
        or _MEANS.search(text)
        or _WOULD_SUIT.search(text)
        or _IF_SHARED.search(text)
    )
    return found is not None or segment.says("check")


def is_tag(segment: Segment) -> bool:
    """Tell whether a clause tells something, and asks behind it if that is right."""
    return segment.text.rstrip().endswith("?") and (
        _TAG.search(segment.text) is not None or _CONFIRMED.search(segment.text) is not None
    )


def ends_in_tag(text: str) -> bool:
    """Tell whether a text asks behind what it tells if that is right."""
    return _TAG.search(text) is not None


def _is_for_booking(segment: Segment) -> bool:
    """Tell whether a clause asks for leave to book; to confirm may be said of anything."""
    if not (segment.says("booking_act") and segment.says("booking_lead")):
        return False
    return says("booking_act", _OTHER_BOOKING.sub(" ", segment.plain)) or not is_check(segment)


def asks_of_value(reading: Reading, number: int) -> bool:
    """Tell whether a clause asks if a wish is as it says: it names one value, and no others."""
    segment = reading.segments[number]
    text = segment.text.rstrip()
    if (
        not (segment.is_request and text.endswith("?"))
        or _CHOICE.search(text)
        or _LOOSENS.search(text)
    ):
        return False
    if _ANY_ONE.match(text):
        return False
    if (
        segment.says("open")
        or _OFFERS.search(text)
        or _OF_WISHES.search(text)
        or _names_item(reading, segment)
        or segment.says("booking_act")
    ):
        return False
    words, facts = reading.lexicon.facts, reading.features[number].facts
    named = [key for key in facts if names_value(text, words[key])]
    # A list of what is wanted may name a value, too.
    is_list = any("how:cue" in how and key not in named for key, how in facts.items())
    return bool(named) and not is_list and len(text.split()) <= _SHORT_QUESTION


def asks_check(reading: Reading, number: int) -> bool:
    """Tell whether a clause of a message asks if what it says is right, in whatever words."""
    segment = reading.segments[number]
    if asks_of_extra(reading, number):
        return False
    if is_check(segment):
        return True
    # Behind a price it is a yes to that which is asked for.
    text = segment.text
    tag = _LOOSE_TAG.search(text) if "?" in text else None
    if tag is None or _OR_ANY.search(text) or _OF_ONE.search(text, 0, tag.start()):
        return False
    has_price = bool(reading.stated) and not _names_limit(reading.utterance.text)
    return not (reading.proposes or has_price)


def asks_of_extra(reading: Reading, number: int) -> bool:
    """Tell whether a clause asks of what is sold beside, and states no wish."""
    segment = reading.segments[number]
    if not (segment.is_request and reading.lexicon.extras.search(segment.text)):
        return False
    return not any(how.issuperset({"value"}) for how in reading.features[number].facts.values())


def asks_extras_alone(reading: Reading) -> bool:
    """Tell whether all that a message asks is of what is sold beside."""
    asking = [n for n, one in enumerate(reading.segments) if one.is_request]
    return bool(asking) and all(asks_of_extra(reading, n) for n in asking)


@lru_cache(maxsize=8)
def _names_limit(text: str) -> bool:
    """Tell whether a message names a limit; each clause of it asks."""
    return _LIMIT.search(text) is not None


def _is_note(segment: Segment) -> bool:
    """Tell whether a clause says what was noted."""
    found = _NOTES.search(segment.text) or _LEADS.search(segment.text)
    return found is not None or segment.says("confirms")


def _tells_back(reading: Reading, number: int) -> bool:
    """Tell whether a clause tells the user what it does or wants, by values of several wishes."""
    is_told = not reading.proposes and _SECOND_PERSON.search(reading.segments[number].text)
    return bool(is_told) and _values_in(reading, number) >= _SEVERAL


def _is_recap(reading: Reading) -> bool:
    """Tell whether a list tells values of several wishes, and lets choose among none."""
    facts = reading.lexicon.facts
    told = [
        {key for key, words in facts.items() if names_value(one.text, words)}
        for one in reading.segments
        if one.is_item and not (one.is_request or _CHOICE.search(one.text))
    ]
    return sum(map(bool, told)) >= _A_LIST and len(set().union(*told)) >= _A_LIST


def _values_in(reading: Reading, number: int) -> int:
    """Return of how many wishes a clause names a value."""
    text = reading.segments[number].text
    return sum(names_value(text, words) for words in reading.lexicon.facts.values())


def played_clauses(reading: Reading) -> set[int]:
    """Return the numbers of the clauses that play something back."""
    checks, asked, notes = set(), set(), set()
    asks = [False, *(one.is_request for one in reading.segments)]
    examples = [
        before and _EXAMPLES.search(one.text) is not None
        for before, one in zip(asks, reading.segments, strict=False)
    ]
    # Of what is said before it is asked whether that is complete.
    is_list = asks_if_complete(reading.segments) or _is_recap(reading)
    is_list &= not reading.proposes
    for number, segment in enumerate(reading.segments):
        is_foreign = segment.says("foreign") or asks_of_extra(reading, number)
        if _is_for_booking(segment) or (segment.is_request and is_foreign):
            continue
        if asks_check(reading, number):
            checks.add(number)
        elif asks_of_value(reading, number):
            asked.add(number)
        elif not segment.is_request and (
            _is_note(segment)
            or _tells_back(reading, number)
            or (is_list and _values_in(reading, number))
        ):
            notes.add(number)
    if not (checks or asked or notes):
        return set()
    if reading.proposes and (reading.asks_booking or reading.asks_approval):
        return set()
    if reading.proposes and reading.asks_choice:
        # Options are listed, of which no wish was noted.
        return {n for n in checks if reading.segments[n].text.endswith("?")}
    notes = {n for n in notes if not (is_taken_back(reading.segments[n].text) or examples[n])}
    first = 0 if checks else min(notes, default=len(reading.segments))
    stated = {
        number
        for number, segment in enumerate(reading.segments)
        if number >= first
        and not (examples[number] or _is_other_question(segment) or is_taken_back(segment.text))
    }
    return {
        n for n in stated | checks | asked | notes if not _names_item(reading, reading.segments[n])
    }


def _names_item(reading: Reading, segment: Segment) -> bool:
    found = (one.partition("-")[0] for one in ANY_ID.findall(segment.text))
    return any(prefix in reading.prefixes or prefix in _OF_BOOKINGS for prefix in found)


def _is_other_question(segment: Segment) -> bool:
    """Tell whether a clause asks or offers something; an item of a list may be asked as a whole."""
    asks = segment.is_request and says("request", segment.text)
    is_choice = len(UNTICKED.findall(segment.text)) > 1 and not _YES_NO.search(segment.text)
    return asks or is_choice or _OFFERS.search(segment.text) is not None
