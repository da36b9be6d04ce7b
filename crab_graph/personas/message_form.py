"""Whether a text is written as a chat message: no stage directions, no label, no Markdown."""

import re

_LIST_ITEM = re.compile(r"\s*(?:[-*•]|\d{1,2}[.)])\s+\S")
_HEADING = re.compile(r"#{1,6} \S")
_ACTION = re.compile(r"(?<![\w*])\*[^\s*][^*\n]{0,80}\*(?![\w*])")
_OPENING_BRACKET = re.compile(r"\s*(?:\([^()\d\n]{2,60}\)|\[[^\[\]\n]{2,80}\])(?=\s|$)")
_SQUARE_BRACKET = re.compile(r"\[[a-z][^\[\]\d\n]{2,80}\]", re.IGNORECASE)
_LABEL = re.compile(r"\s*(?:user|customer|client|me)\s*:\s", re.IGNORECASE)
_QUOTED = re.compile(r"\s*[\"“][^\"“”]+[\"”]\s*$")
_LEAST_QUOTED = 20


def is_script(text: str) -> bool:
    """Tell whether a text holds stage directions, or is one line of a script in whole."""
    is_line = _LABEL.match(text) or (len(text) > _LEAST_QUOTED and _QUOTED.match(text))
    is_staged = _OPENING_BRACKET.match(text) or _SQUARE_BRACKET.search(text)
    return bool(is_line or is_staged or ("**" not in text and _ACTION.search(text)))


def is_markdown(text: str) -> bool:
    """Tell whether a text has marks for bold or code, a heading, a list or a table."""
    if "**" in text or "`" in text:
        return True
    lines = text.splitlines()
    items = sum(_LIST_ITEM.match(line) is not None for line in lines)
    rows = sum(line.count("|") > 1 for line in lines)
    return items > 1 or rows > 1 or any(_HEADING.match(line) for line in lines)
