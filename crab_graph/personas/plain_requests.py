"""Requests of the end of a deal that are plain by their words, whatever a model makes of them.

To put a card on the platform, to approve payments, to say yes to a plan. Each is a request in one
clause: what to do, of what, and in the form of a request; none is where the clause says that it
was done, will be done by the agent, or has to wait.
"""

import re
from collections.abc import Callable, Sequence
from itertools import pairwise

from crab_graph.personas.segments import Segment

_CARD = re.compile(r"\b(?:cards?|visa|mastercard|amex|american express|payment[- ]methods?)\b")
_PLATFORM = (
    r"(?:(?:on|in|to|onto|with) (?:the |your |our |my |this )?"
    r"(?:account|platform|profile|file|system|wallet)|(?:on|in) there|registered|added|linked|"
    r"(?:stored|saved|on record) (?:with (?:us|me)|here)|there (?:yet|by now|already|now))"
)
_ADD = r"(?:add|register|link|save|store|attach|put|pop|stick|set up|enter|upload|get|load)"
_ADDED = r"(?:added|registered|linked|saved|stored|attached|put|set up|entered|on file)"
_IT = r"(?:it|one|that|this|that one|this one|the one)"
_NUMBER = r"(?:(?:the|my|your|one|ending|in|with|number) )*\d{4}(?![\d-])"
_OBJECT = re.compile(rf"\b{_ADD} (?:{_IT}\b|{_NUMBER}|(?:\S+ ){{0,6}}?(?:{_CARD.pattern}))")
_PUT = re.compile(rf"\b(?:put|pop|stick|get|set up|enter|load|save|store)\b(?!.*\b{_PLATFORM})")
"""What is said of a card only with the place where it is put."""
_NOT_THERE = re.compile(
    r"(?:n.t|\bnot|\bno|\bcannot|\bnone|\bwithout|\bmissing)\b.{0,80}"
    r"\b(?:account|platform|profile|file|system|wallet|registered|there)\b"
)
_SEE_TO_IT = re.compile(
    r"\b(?:could|would|can|will) you (?:please |kindly |just )?"
    r"(?:do|see to|take care of|sort|fix|change|arrange|handle|remedy) (?:that|this|it)\b"
    r"|\bplease (?:do so|see to|take care of|sort|fix|arrange|remedy)\b"
)
_SOME_TIME = re.compile(r".{0,30}\blater\b")
_PASSIVE = re.compile(
    r"(?:\b(?:make|making|be) (?:sure|certain)|\bensure|\bsee to it"
    r"|(?:^|please |kindly |then |and |, )(?:check|see|verify)) (?:that |if |whether )?"
    rf".{{0,60}}\b(?:is|are|.s|has been|gets?)\b.{{0,20}}\b(?:{_PLATFORM}|{_ADDED})\b"
    r"|\b(?:to be|must be|needs? to be|(?:could|can|may|might|would|should) .{0,60}\bbe) "
    rf"{_ADDED}\b"
)
_NEEDED = re.compile(
    rf"\b(?:need|want|like|get) (?:to have |to see )?(?:your|the|that|a) (?:\S+ ){{0,3}}?"
    rf"(?:{_CARD.pattern}).{{0,30}}\b{_PLATFORM}\b"
)
_IS_THERE = re.compile(
    r"\b(?:is|are|isn.t|has|have|did|do you have|was) .{0,60}"
    rf"\b(?:{_PLATFORM}\b|{_ADD} .)"
)
_APPROVE = re.compile(
    r"\b(?:approve|authori[sz]e|sign off|green-?light|(?:give|record|grant|need|have) "
    r"(?:me |us |your |an? |the |all |each |two |three |four )*"
    r"(?:approvals?|consent|authori[sz]ations?|ok|okay|go-ahead))\b"
)
_ASKS = re.compile(
    r"\b(?:please|pls|plz|kindly|could|would|can|may i|might i|need you|ask you|remind you|"
    r"you(?:.d| would|.ll| will)? (?:need|have) to|you (?:should|must|can|could)|would have to|"
    r"(?:by|from) you(?:rself)?|want you|like you|wanna|need your|"
    r"your (?:approval|ok|okay|consent))\b"
)
_APPROVALS = re.compile(r"\bapprov|\bauthori[sz]")
_OF_ALL = re.compile(
    r"\b(?:record|give|make|do)\b[^?]{0,20}\bapprovals?\b[^?]{0,12}\b(?:for|of)\b[^?]{0,12}"
    r"\b(?:all|both|(?:the )?(?:other|rest|two|three|four))\b[^?]*\?"
    r"|\A\W*(?:\d\W+)?(?:(?:and|then|please) )*record (?:a|an|one|your|the)? ?"
    r"(?:new |fresh |separate |own )?approvals?\b"
    r"|\b(?:shall|should|can|may) (?:we|i) (?:\w+ )?(?:do|settle|finish|charge|pay|take)\b"
    r"[^?]{0,20}\b(?:last|remaining|other|rest)\b[^?]*\?"
    r"|\bapprove (?:them|these|those|the rest)\b[^?]{0,30}"
    r"\b(?:at once|one by one|together)\b[^?]*\?"
)
"""Asks for approvals without a word for what they are of."""
_LATER = re.compile(
    r"\b(?:then|afterwards|after (?:that|this)|next|later|subsequently) (?:(?:we|i)(?:.ll|.d| will|"
    r" can| shall)|comes?|come the|the)\b|\b(?:i|we)(?:.ll| will| shall) (?:then |later |next )*"
    r"(?:ask|need|send|list|do|tell|give|come)\b|\b(?:wait|hold off|hold on|not yet|no need yet)\b"
    r"|\b(?:hold|leave|keep) (?:back )?(?:the |any |all )?(?:payment )?approv|\bnot yet\b|"
    r"\b(?:don.t|do not|needn.t|no) (?:\w+ )?approv"
)
_HELD_OFF = re.compile(
    r"\b(?:do(?:n.t| not)|hold(?:ing)? off|no need to|need not|please (?:ignore|skip))\b"
    r"[^.?!]{0,40}\b(?:approv|authori[sz])"
)
"""Wants no approvals now."""
_PAYMENT_LATER = re.compile(
    r"\bpay(?:ment|ing)\b[^.?!\n]{0,24}\b(?:in a (?:moment|minute|second|sec|bit|while)|shortly"
    r"|soon|later|to follow|follows?|afterwards|after (?:that|this))\b"
)
"""Says that it will come to the payments."""
_COMES_LATER = re.compile(
    r"\b(?:in due course|when we get (?:there|to (?:that|it))|at that (?:stage|point|time)"
    r"|(?:we|i)(?:.ll| will| shall| can) (?:come|get|turn|return) (?:back )?to (?:that|it|this)"
    r"|(?:comes?|do (?:that|it)|deal with (?:that|it)|see to (?:that|it)) later|later on|no rush"
    r"|nothing (?:you need )?to do (?:about it )?(?:yet|now))\b"
)
_LEAD_IN = re.compile(
    r"(?:^|[,.;:!?)–—-])\s*(?:(?:and|then|next|now|so|also|first|second|secondly|finally|just|"
    r"if so|if yes|in that case|step \w+|first step|\d)[,.:;)]*\s+)*$"
)
"""What may stand before the verb of an order."""
_NOT = re.compile(
    r"\b(?:once|after|when|as soon as|until|before|whenever|unless) (?:you|i|we|that|it|the)\b|"
    r"\b(?:i|we)(?:.ll|.d|.ve| will| can| could| cannot| can.t| have| am| would)? "
    r"(?:not |then |also |now )?(?:add|register|link|save|store|attach|approve|put)|"
    r"\bno need\b|\b(?:don.t|do not|needn.t|need not) (?:have to |need to )?\S+$|"
    r"\bthen (?:we.ll|i.ll|we will|i will)\b"
)
_NEAR = 60
"""Characters before a verb in which an order begins."""
_LEAD = r"(?:shall|should|may|can|could|might|want me to|like me to|ok(?:ay)? (?:for me )?to|do)"
_BOOK = r"(?:go ahead|proceed|book|reserve|secure|go for it|lock)"
_OTHERWISE = r"(?! .{0,60}\b(?:instead|another|different|other|rather)\b)"
_YES = (
    re.compile(rf"\b{_LEAD} (?:i |we )?(?:now |then |just |please |simply )?{_BOOK}\b{_OTHERWISE}"),
    re.compile(
        r"\b(?:an? (?:clear |plain |simple )?|your |my )(?:yes|ok|okay|approval|consent|blessing|"
        r"go-ahead|green light|assent|agreement)\b.{0,40}"
        r"\b(?:plan|proposal|book|it|this)\b"
    ),
    re.compile(
        r"\b(?:plan|proposal|this|it|that) .{0,20}\b"
        r"(?:have|meet with|find|has|meets with|finds) your "
        r"(?:approval|consent|blessing|agreement|ok|okay)\b"
    ),
    re.compile(
        r"\b(?:is|are|would) (?:this|that|it|these|the (?:plan|proposal)) (?:all )?"
        r"(?:be )?(?:agreeable|acceptable|ok|okay|fine|all right|alright|"
        r"to your (?:liking|taste))\b"
    ),
    re.compile(r"\bdo you (?:agree|approve|accept)\b"),
    re.compile(
        r"\b(?:ok|okay|yes|nod|word)[\"'*]* (?:will do|is (?:enough|all (?:i|we) need)|suffices)\b"
    ),
    re.compile(r"\bis (?:the (?:plan|proposal)|this|that|it) (?:a (?:yes|go)|good to go)\b"),
)

_GIVEN = re.compile(
    r"\b(?:once|when|as soon as|before|after|take (?:that|this|it) as|thanks? (?:you )?for)\b"
)
"""What speaks of a yes that is given, or is waited for."""
_WHICH = re.compile(
    r"\b(?:which|what|that (?:is|are|i|we)|(?:with|of) (?:the )?(?:payments?|charg\w+))\b"
)
"""What asks of which one, or speaks of one that is known."""
PAYMENTS = re.compile(r"\bbk-\d|\b(?:payments?|charges?|bookings?|amounts?)\b")


_SHOWS = re.compile(
    r"\b(?:shall|should|may|can|could) (?:i|we) (?:now |also |just )?(?:show|send|list|present|give"
    r"|share|tell|walk|read|post|lay)\b"
    r"|\b(?:shall|should|may|can|could) (?:i|we) (?:now |then |just |already )?(?:start|begin"
    r"|go and|have|take|run|do) (?:\w+ ){0,3}(?:search\w*|look\w*|check\w*)\b"
    r"|\b(?:do|have) i (?:have )?your (?:permission|leave|consent|ok(?:ay)?) to (?:look|search"
    r"|access|open|check|see|start|begin)\b"
    r"|\b(?:would|do) you (?:like|want|care|wish) (?:me |us )?to (?:(?:see|hear|show|send|list)"
    r" (?:it|them|the|my|these|those|this|that|what|all|more)|have a look)\b"
)


WISH = (
    r"(?:wish(?:es)?|preferences?|requirements?|requests?|constraints?|needs|conditions?"
    r"|must-?haves?|musts|deal-?breakers?)"
)
"""A word for what is wished."""
_WISH = rf"(?:{WISH}|changes?)"
_MORE = r"(?:other|further|more|additional|last|final|remaining|untold|special)"
_INVITES = re.compile(
    rf"\b(?:any|another|an?|other|further|more|last|one of your|some) (?:{_MORE} )?{_WISH}"
    rf"(?: (?:of yours|left|remain\w*|open|missing|unmet|to add|i))?\b"
    r"|\b(?:any|some)thing (?:else|more|further|left|missing|forgotten|unsaid|i(?:.ve| have)? "
    r"(?:missed|forgot\w*|overlooked|left out))\b"
    r"|\bnothing (?:else|more|further|left|missing)\b"
    r"|\b(?:something|anything) (?:that )?you (?:haven.t|have not|still|would|.d|want|need)"
    r"|\bif i(?:.ve| have)? (?:missed|forgot\w*|overlooked) (?:some|any)thing\b"
    r"|\b(?:forgotten|missed|overlooked|left out) (?:any|one|some)\b"
    r"|\b(?:changed|adjusted) or added\b|\b(?:add|added|adding) or (?:change|adjust)"
    r"|\bis that (?:everything|all)\b|\bwhat else\b|\bto add\b"
)
_HELP = re.compile(r"\b(?:help|assist|do for you|i can do|i may do|further service)\b")


def invites_wishes(segments: Sequence[Segment]) -> bool:
    """Tell whether words beside a plan invite the wishes that are left, as a question or order."""
    asked = (one.text for one in segments if one.is_request or _TELL.search(one.text))
    return any(_INVITES.search(text) and not _HELP.search(text) for text in asked)


_LIST = r"(?:list|brief|picture|file|form|order|set|wishes|requirements)"
_COMPLETE = re.compile(
    rf"\b(?:the|your|this|my|our|that) {_LIST} (?:is|are) (?:now |already )?(?:complete|final)\b"
    rf"|\b(?:is|are) (?:the|your|this|my|our|that) {_LIST} (?:now |already )?(?:complete|final)\b"
    rf"|\b(?:is|was|that.s|so) (?:that |this )?(?:the|your|my) "
    rf"(?:complete|whole|full|final|entire) {_LIST}\b"
    r"|\b(?:is|are|was) (?:that|this|it|these|all (?:of )?(?:that|this)|everything)"
    r" (?:now |really |both )?(?:correct and )?complete\b"
    rf"|\b(?:have|do) i (?:now |got |have |already )*the (?:whole|full|complete|entire) {_LIST}\b"
    r"|\b(?:miss\w*|le(?:ft|ave) out|forg[eo]t\w*|overlook\w*) (?:or (?:\w+ ){1,3})?"
    r"(?:any|some)thing\b"
    rf"|\b(?:your|the) (?:only|last|final) {_WISH}\b|\bwhat(?:.s| is) missing\b"
    r"|\b(?:any|some)thing (?:still )?(?:missing|left out|forgotten)\b"
    r"|\bwhat (?:would|should|do) (?:you|i) (?:still |want to )?(?:change|add|correct)\b"
    r"|\A(?:and |so )?is (?:that|this) it\W*\?"
    r"|\bwhat (?:else )?(?:have i|did i) (?:left|leave|forg[eo]t\w*|miss\w*|overlook\w*)\b"
)


_GOES_ON = re.compile(
    r"\b(?:did|have|am|do) i (?:\w+ )?(?:miss(?:ed|ing)?|forget|forgot(?:ten)?|overlook(?:ed)?"
    r"|le(?:ft|ave) out) (?:any|some)thing\b|\bthe rest (?:is|are) (?:all )?(?:up|left) to me\b"
    r"|\bany (?:\w+ )?(?:deal-?breakers?|must-haves?|no-?gos?|musts|red lines)\b|"
    r"\b(?:what|anything|aught|ought) else\b|\bwhat(?:.s| is| comes)? next\b"
    r"|^\W*(?:and |so |ok(?:ay)?,? )?(?:next|then|more|further|go on)\?"
    rf"|\b(?:another|some other) {_WISH}\b"
    r"|\b(?:is|was) (?:that|this|it) (?:really |now )?(?:all|everything|the lot)\b"
    rf"|^(?:and |so |ok(?:ay)?,? )?(?:the |your )?next (?:one|{_WISH}|point|item|thing)\W*\?"
    r"|\b(?:any|some)thing (?:beyond|besides|apart from|on top of) (?:that|this|these|it)\b"
    r"|\bwhat (?:more|further)\b(?! (?:can|may|could|do) i)|\b(?:is )?there (?:any )?more\b"
    r"|\b(?:is )?more to (?:it|come|add|say|tell)\b"
    r"|\b(?:anything|something) (?:i|that) (?:\w+ )?(?:haven.t|have not) (?:heard|noted|asked)"
    r"|\b(?:any|some)thing (?:that )?you(?:.ve)? (?:haven.t|have not|did not|didn.t|not|never"
    r"|have yet to|are yet to) (?:\w+ )?(?:mention|say|said|told|tell|name)"
    r"|\b(?:what|which) (?:one )?(?:is|are) (?:still |yet )?missing\b"
    r"|\bwhat would you (?:\w+ or )?add\b|\bwhat(?:.s| is) (?:still |now )?left\W*\?"
    r"|\b(?:share|hear|have|add) (?:me )?(?:all )?the (?:rest|others?)\b"
    r"|\b(?:tell me|say|let me know|add) (?:if |whether )?(?:what|anything)(?:.s| is)?"
    r" (?:still )?missing"
    r"|\bwhat(?:.s| is) (?:the|your) (?:next|other|remaining|last) (?:wish|point|thing|item|one)\b"
    r"|\btell me (?:about )?(?:any|one|some)(?: one)? of the (?:open|missing|other|remaining)\b"
    r"|\b(?:tell|send|give) me (?:all )?the rest\b|\b(?:what|which) (?:was|is|were) the rest\b"
    r"|\bwhat (?:did|do|would) you (?:still )?(?:want|wish|mean|like) to (?:add|tell|say|send)\b"
    r"|\bwhat (?:is|.s) (?:still |yet )*to come\b"
    r"|\bfill in (?:the|what|all) (?:\w+ ){0,3}(?:open|missing|rest|blanks?|gaps?|left)\b"
    r"|\b(?:want|like|wish) to (?:add|say|tell me) (?:some|any)thing (?:first|before|else)\b"
    r"|\b(?:all|everything|whatever) (?:that |which |you )?(?:is|.s|are|have) (?:still )?"
    r"(?:left|missing|remaining)\b"
)


def asks_if_complete(segments: Sequence[Segment]) -> bool:
    """Tell whether a message asks if all wishes are told."""
    return any(one.is_request and _COMPLETE.search(one.text) for one in segments)


def asks_what_else(segments: Sequence[Segment]) -> bool:
    """Tell whether a message asks what else there is to say, in so many words, and of no deal."""
    asked = (one.text for one in segments if one.is_request and not one.says("booking_act"))
    return any(_GOES_ON.search(text) and not _HELP.search(text) for text in asked)


_ASSUMES = re.compile(
    r"\b(?:shall|should|may|can|could|do) i (?:safely |just |then )*"
    r"(?:take (?:it (?:that|as|you|then|from|there|the|any)|from)|assume|conclude|infer|presume)\b"
)


_GIVES_UP = re.compile(
    r"(?!.*\b(?:not|never|n.t) (?:\w+ ){0,2}(?:compromise|give up|do without))"
    r"\b(?:which|what|any|one|some)\b.{0,40}\b(?:give up|do without|compromise on|sacrifice|relax"
    r"|waive|drop|least important|less important|matters? least)\b"
    r"|\bany(?:thing)? (?:of )?(?:this|that|it|these|what you (?:\w+ )*|your wishes)\b.{0,20}"
    r"\b(?:flexible|negotiable)\b"
)


def asks_to_give_up(segments: Sequence[Segment]) -> bool:
    """Tell whether a message asks which of the wishes may go unmet."""
    return any(one.is_request and _GIVES_UP.search(one.text) for one in segments)


_WHO_ELSE = re.compile(r"\b(?:any|some)(?:one|body) else\b")


def asks_who_else(segments: Sequence[Segment]) -> bool:
    """Tell whether a message asks for other people, which is not to ask what else there is."""
    return any(one.is_request and _WHO_ELSE.search(one.text) for one in segments)


def assumes(segments: Sequence[Segment]) -> bool:
    """Tell whether all that a message asks is if it may take something for granted, and no deal."""
    asked = [one for one in segments if one.is_request]
    return any(_ASSUMES.search(one.text) for one in asked) and not any(
        one.says("booking_act", "approval") for one in asked
    )


_TELL = re.compile(r"\b(?:say so|name (?:it|them)|tell me|shout|speak up|speak now|let me know)\b")


def offers_to_show(segments: Sequence[Segment]) -> bool:
    """Tell whether a message asks if to show what was found, and no more."""
    return any(one.is_request and _SHOWS.search(one.text) for one in segments)


_STARTS = re.compile(
    r"(?:\b(?:shall|should|may|can|could) i|\bif i|\bfor me to|\bme to) "
    r"(?:now |then |just |already |go and )?(?:start|begin|go ahead and)? ?"
    r"(?:with |on )?(?:the |my )?"
    r"(?:search\w*|look(?:ing)?\b(?! for (?:other|another|different))|check(?:ing)?)\b"
    r"|\b(?:if i|for me to|shall i|may i|can i) (?:now |just |already )?"
    r"(?:start|begin|get started)\b"
)


def offers_to_start(segments: Sequence[Segment]) -> bool:
    """Tell whether all that a message asks for is leave to begin with a search."""
    asked = [one for one in segments if one.is_request]
    return bool(asked) and all(_STARTS.search(one.text) for one in asked)


def asks_for_card(segments: Sequence[Segment]) -> int | None:
    """Return where a message asks to put a card on the platform, or if one is there; or `None`."""
    is_about_card = any(_CARD.search(one.text) for one in segments)
    place = _first(segments, _wants_card) if is_about_card else None
    return _amended(segments) if place is None else place


def _amended(segments: Sequence[Segment]) -> int | None:
    """Return where the user is asked to see to it, behind the words that no card is there."""
    last = ""
    for one in segments:
        near = f"{last} {one.text}"
        found = _SEE_TO_IT.search(one.text)
        if found is not None and _CARD.search(near) and _NOT_THERE.search(near):
            return one.start
        last = one.text
    return None


def asks_for_approvals(segments: Sequence[Segment]) -> int | None:
    """Return where a message asks to approve payments, by an order or a question; or `None`."""
    is_about_payments = any("bk-" in one.text for one in segments)
    return _first(
        segments,
        lambda text: (
            ((is_about_payments or bool(PAYMENTS.search(text))) and _is_asked(text, _APPROVE))
            or _OF_ALL.search(text) is not None
        ),
    )


def puts_off_card(segments: Sequence[Segment]) -> bool:
    """Tell whether a message speaks of the card alone as of what comes later."""
    texts = [*(one.text for one in segments), ""]
    found = [
        text if _APPROVALS.search(after) else f"{text} {after}"
        for text, after in pairwise(texts)
        if _CARD.search(text)
    ]
    return bool(found) and all(_COMES_LATER.search(text) for text in found)


def puts_off_approvals(segments: Sequence[Segment]) -> bool:
    """Tell whether a message speaks of approvals alone as of what comes later, or of none now."""
    if holds_off_approvals(segments):
        return True
    found = [one.text for one in segments if _APPROVALS.search(one.text)]
    if not found:
        return any(_PAYMENT_LATER.search(one.text) for one in segments)
    return all(_LATER.search(text) for text in found)


def holds_off_approvals(segments: Sequence[Segment]) -> bool:
    """Tell whether a message asks to approve no payments for now."""
    return any(_HELD_OFF.search(one.text) for one in segments)


def asks_for_yes(segments: Sequence[Segment]) -> int | None:
    """Return where a message asks for a yes to a plan; `None` where it does not."""
    return _first(segments, _wants_yes)


def _first(segments: Sequence[Segment], holds: Callable[[str], bool]) -> int | None:
    return next((one.start for one in segments if holds(one.text)), None)


def _wants_card(text: str) -> bool:
    if _CARD.search(text) and _is_asked(text, _PASSIVE, is_order=True):
        return True
    if _is_asked(text, _NEEDED, is_order=True):
        return True
    is_question = text.endswith("?") and not _WHICH.search(text)
    if is_question and _CARD.search(text) and _is_asked(text, _IS_THERE, is_order=True):
        return True
    found = _OBJECT.search(text)
    if found is not None and _SOME_TIME.match(text, found.end()):
        return False
    is_put = found is None or _PUT.match(text, found.start()) is not None
    return not is_put and _is_asked(text, _OBJECT)


def _is_asked(text: str, action: re.Pattern[str], *, is_order: bool = False) -> bool:
    """Tell whether an action is asked for: by words of a request before it, or by an order."""
    found = action.search(text)
    if found is None:
        return False
    before = text[max(0, found.start() - _NEAR) : found.start()]
    if _NOT.search(before + found[0].partition(" ")[0]):
        return False
    return is_order or bool(_LEAD_IN.search(before) or _ASKS.search(text[: found.end()]))


def _wants_yes(text: str) -> bool:
    is_other = _GIVEN.search(text) or _WHICH.search(text)
    return not is_other and any(one.search(text) for one in _YES)
