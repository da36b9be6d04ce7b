"""What a reader sees of a text: markup and invisible characters gone, look-alikes folded (§2.1).

`visible` keeps case, lines and list markers, which clause splitting needs; `fold` makes one line
comparable; `normalise` is both. There is no stemming, no fuzzy match, no accent or homoglyph
folding.
"""

import re
import unicodedata

_COMMENT = re.compile(r"<!--.*?(?:-->|\Z)", re.DOTALL)
_HIDDEN_ELEMENT = re.compile(r"<(script|style|template)\b[^<>]*>.*?(?:</\1\s*>|\Z)", re.I | re.S)
_BREAK = re.compile(r"<(?:br|/p|/li|/div|/tr|/h[1-6])\b[^<>]*>", re.IGNORECASE)
_TAG = re.compile(r"</?[A-Za-z][^<>]*>")
_LINK = re.compile(r"!?\[([^\[\]]*)\]\([^()]*(?:\([^()]*\)[^()]*)*\)")
_LINK_DEFINITION = re.compile(
    r"^ {0,3}\[[^\]\n]+\]:[ \t]*\S+(?:[ \t]+(?:\"[^\"\n]*\"|'[^'\n]*'|\([^)\n]*\)))?[ \t]*$", re.M
)
_INVISIBLE = re.compile(
    "[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e"
    "\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff9-\ufffb\U000e0000-\U000e0fff]"
)
_LOOKALIKES = str.maketrans(
    {
        "\u2018": "'",
        "\u2019": "'",
        "\u201a": "'",
        "\u201b": "'",
        "\u2032": "'",
        "\u201c": '"',
        "\u201d": '"',
        "\u201e": '"',
        "\u201f": '"',
        "\u2010": "-",
        "\u2011": "-",
        "\u2212": "-",
        "\u2014": " - ",
    }
)
_EN_DASH = re.compile(r"(?<=[^\W_])\u2013(?=[^\W_])")
_STRIKE_OR_CODE = re.compile(r"~~|`+")
# A single star between blanks or numbers multiplies; every other star is emphasis. An underscore
# inside a word belongs to it.
_STAR = re.compile(r"((?<=\s)\*(?=\s)|(?<=\d)\*(?=[\d$]))|\*+")
_UNDERSCORE = re.compile(r"(?<![^\W_])_+|_+(?![^\W_])")
_MAX_NESTING = 10
"""How often markup that the removal of other markup uncovers is removed in turn."""


def visible(text: str) -> str:
    """Return what a reader sees of `text`, with its lines and its case."""
    for _ in range(_MAX_NESTING):
        seen = _visible_once(text)
        if seen == text or not ("<" in seen or "[" in seen or not seen.isascii()):
            return seen
        text = seen
    return text


def fold(line: str) -> str:
    """Return one visible line without emphasis, casefolded, its whitespace collapsed."""
    if "~" in line or "`" in line:
        line = _STRIKE_OR_CODE.sub("", line)
    if "*" in line:
        line = _STAR.sub(lambda star: star[1] or "", line)
    if "_" in line:
        line = _UNDERSCORE.sub("", line)
    folded = " ".join(line.split())
    return folded.lower() if folded.isascii() else _folded_letters(folded)


def normalise(text: str) -> str:
    """Return `text` in the form in which texts are compared."""
    while True:
        normal = fold(visible(text))
        if normal == text:
            return normal
        text = normal


def name_form(normal: str) -> str:
    """Return a normalised text in the form in which names are compared."""
    return " ".join(normal.replace("&", "and").replace(".", "").replace("'", "").split())


def _visible_once(text: str) -> str:
    if not text.isascii():
        text = unicodedata.normalize("NFKC", _INVISIBLE.sub("", text)).translate(_LOOKALIKES)
        text = _EN_DASH.sub("-", text)
    if "<" in text:
        text = _HIDDEN_ELEMENT.sub("", _COMMENT.sub("", text))
        text = _TAG.sub("", _BREAK.sub("\n", text))
    if "[" in text:
        text = _LINK.sub(r"\1", _LINK_DEFINITION.sub("", text))
    return text


def _folded_letters(line: str) -> str:
    while True:
        folded = unicodedata.normalize("NFKC", line.casefold())
        if folded == line:
            return folded
        line = folded
