"""A message in the words that are read: asides left out, menus and exceptions said plainly.

What only shows how an answer might look asks for nothing, and a line of lettered answers asks for
one of them without a question mark.
"""

import re

_BESIDES = re.compile(
    r"(?<=\b(?:wish|else))(?:es)?,? (?:besides|apart from|aside from|other than|beyond"
    r"|except(?: for)?|in addition to|on top of) [^?,;.\n]*(?=\?)",
    re.I,
)
"""What a question for more names that is known already."""
_BEYOND = re.compile(
    r"(\banything (?:else )?(?:about|for|on|in) (?:the|your) \w+)"
    r" (?:besides|beyond|apart from|other than|on top of) [^?,;.\n]*",
    re.I,
)
"""The same behind the part that a question is about."""
_WISHES_BEYOND = re.compile(
    r"(\b(?:wish(?:es)?|preferences?|requirements?)"
    r" (?:for|about|on|regarding|as to) [^?,;.\n]{2,40}?)"
    r",? (?:besides|beyond|apart from|aside from|other than|in addition to|on top of) [^?,;.\n(]*",
    re.I,
)
"""The same behind wishes for a part."""
_ITEM_BEYOND = re.compile(
    r"(?<=\w),? (?:besides|apart from|aside from|in addition to|on top of) [^?,;:.\n(]{2,40}"
    r"(?m:$)",
    re.I,
)
"""The same at the end of a line."""
_ALL_BUT = re.compile(
    r"\b((?:any|every|all)(?:thing)?"
    r"(?: (?!(?:is|are|was|were|has|have|had|good|fine|set|done)\b)\w+){0,2})"
    r" (?:but|except(?: for)?)"
    r"(?= (?!(?:i|we|you|it|he|she|they|there|the|this|that|those|these|your|our"
    r"|only|not|no|if|when|please|let|first|as|with|because)\b)\w)",
    re.I,
)
"""Names what is not wanted, by a word that else begins a clause."""
_QUOTED = r"[\"“][^\"”\n]{3,80}[\"”]"
_EXAMPLE = re.compile(
    r" ?\(?\b(?:e\.? ?g\.?|for (?:example|instance)|such as|like),? ?"
    rf"{_QUOTED}(?:[;,] ?{_QUOTED})*\)?",
    re.I,
)
"""How an answer might look."""
_OTHER_WAY = re.compile(
    r",? ?\(?\b(?:or|not) (?:is it )?(?:the )?"
    r"(?:other way (?:a)?round|vice versa|(?:in )?reverse)\b\)?",
    re.I,
)
"""What a question whether something is so adds for fear that it is not."""
_OR_NOT = re.compile(
    r"\b(right|correct|yes|ok(?:ay)?),? or"
    r" (?:(?:did|have|do|am|is|are|should|must) [^?.\n]{2,60}|swap\w*|(?:a )?fix\w*)\?",
    re.I,
)
"""Asks if it is so, and what else it would be."""
_LEFT_OUT = re.compile(
    r"\b(leav(?:e|es|ing)|left|rul(?:e|es|ed|ing)|ke(?:ep|eps|eping|pt)|strik(?:e|es|ing)|struck)"
    r" ((?:the |an? |any )?\w+) out\b",
    re.I,
)
"""Lets something go, in words that may else tell a way there: `leave the afternoon out`."""
_CHOICES = re.compile(r"[,;]?\s+\(?[a-h][).]\s+")
_MENU = re.compile(
    r"(?m:^)(?P<lead>[^:?\n]{2,40}:)(?P<choices>(?:\s+\(?[a-h][).][ \t]+[^?:\n]{1,40}?){2,})(?m:$)"
)
"""A line that lets choose among lettered answers, and asks so in no other way."""
_TO_CHECK = re.compile(r"\b(?:check\w*|confirm\w*|verif\w+|correct|noted|recap|so far)\b", re.I)
_ANSWERS = re.compile(r"(?m:^)\(?a[).][ \t][^?\n]{2,80}[ \t]\(?b[).][ \t][^?\n]{2,80}(?m:$)", re.I)
"""A line of such answers by themselves."""

_SPELLED = re.compile(r"(?<![\w-])[A-ZÀ-Þ](?:[-.·][A-ZÀ-Þ]){2,}(?![\w-])")
"""A name letter by letter."""
_ASKED_IN_ROW = re.compile(r"(?m:^)[ \t]*\|[^\n]*\?[^\n]*\|[ \t]*(?m:$)")
"""A row of a form that asks something, and leaves a cell for the answer."""
_NUMBERED = re.compile(r"(?:\A|(?<=/ ))\*{0,2}\(?\d\)?[.):]?\*{0,2} +(?=\w)")
"""The number before an answer that may be chosen."""
_MEANWHILE = re.compile(
    r"(?:(?m:^)|(?<=[.!?] ))(?:while|until|as) you (?:are )?(?:dig|look|find|search|get|fetch"
    r"|gather|check)(?:ing)?\b[^:,?.\n]{2,60}[:,]\s+",
    re.I,
)
"""What the user does in the meantime."""
_WHEN_READY = re.compile(
    r",? \bwhen(?:ever)? you (?:know|have|can|get|find|are ready)(?: it| them| that)?"
    r"(?=[,.;?!]|\s*$)",
    re.I | re.M,
)
"""When an answer may come."""
_RATHER_THAN = re.compile(r",? (?:rather than|instead of) (?:of|for|about|on) the [\w-]+", re.I)
"""What is not asked about."""
_SAY_IF = re.compile(
    r"(\b(?:please|kindly|pls) (?:indicate|state|advise|specify|say)"
    r" (?:if|whether) (?!there\b)[^.?!\n]{4,200})\.(?=\s|\Z)",
    re.I,
)
"""Asks for a yes or no, without a question mark."""
_REPLY_TO_BOOK = re.compile(
    r"\b(?:reply|answer|type|write|send|say|press)(?: with)? \W*(?:a|1)\W+(?:to|for)\W+"
    r"(?P<deed>(?:book|confirm|approve|reserve|go ahead)[^,;.\n]{0,40}).*(?m:$)",
    re.I,
)
"""Tells by which letter or number a plan is booked, and by which it is not."""
_BOOKS_FIRST = re.compile(
    r"(?m:^)\W*\(?[a1][).]\W+(?P<deed>approve|book|confirm|reserve|go ahead)\b[^\n?]{0,30}"
    r"(?:\n\W*\(?[b-d2-4][).]\W+[^\n?]{3,60})+(?m:$)",
    re.I,
)
"""Lines that let choose between having a plan booked and something else."""
_IS_THERE_ONE = re.compile(
    r"(?P<of>\b(?:about|of|with|mention\w*|named?|given?) (?P<thing>(?:an?|your|the) [\w ]{3,24}))"
    r"(?P<end>[.;,] )(?P<asks>is there|do you have|have you) (?:one|any)\?",
    re.I,
)
"""Asks for what the sentence before named."""
_NO_WORDS = re.compile(r"[\W\d_]*")

_UNMARKED = re.compile(
    r"(?m:^)(?P<question>(?:[^\n:]{2,30}: )?(?:(?:and|so|then|also|but|ok|for the [^\n:]{2,24}?) )*"
    r"(?:(?:is|are|does|did) (?!fine\b|ok\b|good\b|noted\b|all\b)\w"
    r"|(?:do|can|could|would|will) (?:yo)?u\b|(?:can|could|shall|should|may) (?:i|we)\b"
    r"|(?:would|will) (?:that|it|\d)|(?:which|how (?:many|much|long|soon)|when|where|who) \w"
    r"|any (?:other |more |special )?(?:budget|limit|cap|wish|pref|request|needs?\b|particular)"
    r"|what (?!(?:i|you|u|we)\b)\w)[^\n]{4,160}?"
    r"|[^\n]{4,140}?\b(?:is (?:that|this|it) (?:all )?(?:right|ok(?:ay)?|correct|fine|so)"
    r"|(?:are )?(?:yo)?u (?:still )?(?:sure|certain)(?: (?:on|of|about|abt) (?:that|this|it))?"
    r"|yes or no(?: (?:pls|plz|please))?|or not|, (?:right|correct|yes|ok)))[ .]*(?m:$)",
    re.I,
)
"""A line that asks, of a message in which nobody puts a question mark."""


def _asked_as_item(row: re.Match[str]) -> str:
    """Return the cells of a row that hold words, as an item of a list.

    Answers that stand behind a question, such as `**1** museum / **2** walk`, are what it asks for.
    """
    cells = [cell.strip() for cell in row[0].strip().strip("|").split("|")]
    *before, last = [cell for cell in cells if not _NO_WORDS.fullmatch(cell)] or [""]
    if before and before[-1].endswith("?") and "/" in last and "?" not in last:
        before[-1] = before[-1].rstrip("?")
        last = f"{_NUMBERED.sub('', last)}?"
    return f"- {': '.join((*before, last))}"


def _asked_in_words(menu: re.Match[str]) -> str:
    """Return a question for what a line of lettered answers lets choose.

    What is to be checked stands there as notes.
    """
    if _TO_CHECK.search(menu["lead"]):
        return menu[0]
    *first, last = filter(None, _CHOICES.split(menu["choices"]))
    return f"{menu['lead']} {', '.join(first)} or {last.rstrip('. ')}?"


_BRACKET = re.compile(r"\([^()\n]{3,160}\)")
"""What stands in brackets is one thing, however its parts are divided."""


def _in_one(name: re.Match[str]) -> str:
    return re.sub(r"[-.·]", "", name[0]).capitalize()


_SYNONYMS = (
    (re.compile(r"\bok(?:ay)?(?:ed|'d)\b", re.I), "approved"),
    (
        re.compile(
            r"\bleave (it|that|this|things|everything)"
            r" (so|as (?:it|that|they) (?:is|are)|like (?:that|this)|at that)\b",
            re.I,
        ),
        r"keep \1 \2",
    ),
    (re.compile(r"\bno\. ?(?=\d\b)", re.I), "number "),
    (re.compile(r"\b(i (?:still |only |just )*)lack\b", re.I), r"\1need"),
)
"""Words that are rare, or mean something else too, each with a plain one."""


def reworded(text: str) -> str:
    """Return a message as it is read."""
    text = _BRACKET.sub(lambda found: found[0].replace("; ", ", "), text)
    text = _SPELLED.sub(_in_one, _ASKED_IN_ROW.sub(_asked_as_item, text))
    for aside in (
        _EXAMPLE,
        _BESIDES,
        _ITEM_BEYOND,
        _OTHER_WAY,
        _MEANWHILE,
        _RATHER_THAN,
        _WHEN_READY,
    ):
        text = aside.sub("", text)
    for beyond in (_BEYOND, _WISHES_BEYOND):
        text = beyond.sub(r"\1 ", text)
    for rare, usual in _SYNONYMS:
        text = rare.sub(usual, text)
    text = _IS_THERE_ONE.sub(r"\g<of>\g<end>\g<asks> \g<thing>?", text)
    text = _SAY_IF.sub(r"\1?", text)
    text = _BOOKS_FIRST.sub("Shall I go ahead with it?", text)
    text = _REPLY_TO_BOOK.sub(r"Shall I \g<deed>?", text)
    text = text if "?" in text else _UNMARKED.sub(r"\g<question>?", text)
    text = _OR_NOT.sub(r"\1?", text)
    text = _LEFT_OUT.sub(r"\1 out \2", text)
    text = _ALL_BUT.sub(r"\1 other than", text)
    return _ANSWERS.sub(r"\g<0>?", _MENU.sub(_asked_in_words, text))
