"""Texts that are hard to read, each of any length: what a reply may hold that is meant to cost."""

from collections.abc import Callable, Mapping
from typing import Any

from crab_graph.personas.wordbook import phrase_book
from crab_graph.text.lexicon import lexicon
from tests.eval.builders import MUSEUM, NAMES, OUT

Text = Callable[[int], str]


def repeated(piece: str) -> Text:
    return lambda size: (piece * (size // len(piece) + 1))[:size]


def _words(*words: str) -> Text:
    return repeated(" ".join(words) + " ")


def _leaves(value: Any) -> list[str]:
    if isinstance(value, Mapping):
        value = list(value.values())
    return [word for one in value for word in _leaves(one)] if isinstance(value, list) else [value]


def _lexicon_words() -> list[str]:
    entries = (entry for key, entry in lexicon().items() if key != "version")
    return [word for entry in entries for word in _leaves(entry)]


def _cue_words() -> list[str]:
    signs = str.maketrans(dict.fromkeys(r"\()[]{}|?*+.^$:!<>,", " "))
    return " ".join(cue.pattern.translate(signs) for cue in phrase_book().cues.values()).split()


HOSTILE: Mapping[str, Text] = {
    "ids and prices": repeated(f"{OUT} $150.00 "),
    "ids and prices, a sentence each": repeated(f"{OUT} costs $150.00. "),
    "ids and prices, no blank": repeated(f"{OUT},$150.00,"),
    "totals in one sentence": repeated(f"the total for {OUT} is $150.00 charge $3 "),
    "totals under one line": lambda size: "\n".join(
        (repeated(f"{OUT} hotel ")(size // 2), repeated("- total: $1\n")(size // 2))
    ),
    "one sentence without an end": _words("we", "look", "at", "what", "there", "is", "and"),
    "words of the lexicon": _words(*_lexicon_words()),
    "cues of users": _words(*_cue_words()),
    "negations": _words("do not", "book", "not", "except", OUT),
    "hyphens": lambda size: repeated(f"{OUT} a{'-a' * 300}. ")(size),
    "names": _words(*NAMES.values(), *(name.split()[0] for name in NAMES.values())),
    "nested brackets": lambda size: "".join(sign * (size // 4) for sign in "([{<"),
    "links": repeated("[a]([b](c) "),
    "tags": repeated("<<b>b>"),
    "thoughts": repeated("<think>"),
    "tables": repeated(f"| {OUT} | {NAMES[MUSEUM]} | $150.00 |\n"),
    "digits": repeated("0123456789"),
    "amounts": repeated("$1,234,567 to "),
    "dates": repeated("3 May 2027, 2027-05-03 "),
    "one token": repeated("x"),
    "marks on one letter": lambda size: "a" + "\u0301" * (size // 2) + "\u0323" * (size // 2),
    "signs for sentences": repeated("\ufdfa\u3316"),
    "dashes and dots": repeated("-–—..·"),
    "lines": repeated("a\n"),
    "questions": repeated(f"Would you like {OUT}? "),
    "short totals": repeated("total $1\n"),
    "short sentences": repeated("a;"),
    "claims": repeated(f"{OUT} is booked and paid. "),
    "bullets": repeated(f"- {OUT}: $150.00 per passenger\n"),
}
