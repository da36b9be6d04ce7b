"""What a message as a whole wants to know, learned from many ways to ask the same thing.

Clauses show what a message does by words of the phrase book; the same question asked in other words
shows nothing of that. So a second linear model reads whole messages: runs of words, and of letters
within them, in which the domain's own words stand as kinds. `benchmarks/train_meanings.py` makes
its weights.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

from crab_graph.personas.clause_words import ClauseWords
from crab_graph.personas.segments import Segment
from crab_graph.personas.weight_files import load_arrays, stamp_in, unpacked

NOTHING = "other"
"""What a message means that asks for none of what is learned."""
SURE = 0.4
"""The probability from which on a message is taken to mean something."""
SURER = {
    **dict.fromkeys(("must", "give_up", "choose_by", "who", "births_order"), 0.5),
    **dict.fromkeys(("slip", "price_rose", "sold_out", "what_approved", "pay_rest"), 0.65),
    **dict.fromkeys(("objection", "trade_off", "explain", "like_it", "price_ok", "this_one"), 0.6),
    **dict.fromkeys(
        ("small_talk", "either_way", "most", "price_free", "rule_scope", "same_card"), 0.6
    ),
    "any_day": 0.6,
}
"""That of what a mistake would cost more."""
SURE_OF_PART = 0.75
"""That of one of several questions, which has nothing around it to go by."""
GUESSED = 0.2
"""That from which on a meaning is taken before the user asks what is meant."""
_SEVERAL = 2
SHIPPED = "crab_graph.personas/meanings.npz"
_LONGEST_RUN = 3
_LETTERS = (3, 4, 5)
_FIGURE = re.compile(r"[$€£\d]")
_ASKS, _TELLS, _ENDS = "<asks>", "<tells>", "<ends>"
MOST_TOKENS = 400
"""Words and signs of a message that are looked at, from its end: there it asks."""


def tokens_of(segments: Sequence[Segment], words: ClauseWords) -> list[str]:
    """Return the words of a message's clauses, names and values as kinds, with where each ends."""
    found: list[str] = []
    for one in segments:
        found.append(_ASKS if one.is_request else _TELLS)
        found += [words.kind_of(word) for _, _, word in words.tokens(one.text)]
        found.append(_ENDS)
    return found[-MOST_TOKENS:]


def runs_of(tokens: Sequence[str]) -> Counter[str]:
    """Return how often each run of up to three words stands in a message."""
    sizes = range(1, _LONGEST_RUN + 1)
    return Counter(
        " ".join(tokens[at : at + size]) for size in sizes for at in range(len(tokens) - size + 1)
    )


def letters_of(tokens: Iterable[str]) -> Counter[str]:
    """Return how often each run of three to five letters stands in a message's words."""
    return Counter(f"~{part}" for word in tokens for part in _parts(word))


def _parts(word: str) -> Iterator[str]:
    if word.isalpha():
        edged = f"^{word}$"
        for size in _LETTERS:
            yield from (edged[at : at + size] for at in range(len(edged) - size + 1))


@dataclass(frozen=True, slots=True)
class MeaningModel:
    """Weights of features by meaning: shape `(features, meanings)`, as whole steps of `step`."""

    meanings: tuple[str, ...]
    rows: Mapping[str, int]
    rarity: NDArray[np.float32]
    values: NDArray[np.int8]
    start: NDArray[np.float64]
    step: float

    def chances(self, tokens: Sequence[str]) -> dict[str, float]:
        """Return the probability of each meaning; they add up to one."""
        scores = self.start.copy()
        for counted in (runs_of(tokens), letters_of(tokens)):
            places, weights = self.weighted(counted)
            if len(places):
                scores += self.step * (weights @ self.values[places].astype(np.float64))
        spread = np.exp(scores - scores.max())
        return dict(zip(self.meanings, (spread / spread.sum()).tolist(), strict=True))

    def likeliest(self, tokens: Sequence[str]) -> tuple[str, float]:
        """Return the likeliest meaning, and how likely it is: not at all where that is nothing."""
        chances = self.chances(tokens)
        best = max(chances, key=chances.__getitem__)
        return best, 0.0 if best == NOTHING else chances[best]

    def meant(self, tokens: Sequence[str]) -> str:
        """Return what a message likely means; empty where nothing is likely enough."""
        best, chance = self.likeliest(tokens)
        return best if chance >= SURER.get(best, SURE) else ""

    def weighted(self, counted: Mapping[str, int]) -> tuple[list[int], NDArray[np.float64]]:
        """Return the places of known features, and how much each counts: of length one in all."""
        known = [(self.rows[name], times) for name, times in counted.items() if name in self.rows]
        places = [place for place, _ in known]
        times = np.array([count for _, count in known], float)
        weights = (1 + np.log(times)) * self.rarity[places] if known else times
        size = float(np.sqrt((weights**2).sum()))
        return places, weights / size if size else weights


@cache
def meaning_model() -> MeaningModel:
    """Return the shipped model."""
    held = load_arrays(SHIPPED)
    return MeaningModel(
        tuple(unpacked(held["meanings"])),
        {name: place for place, name in enumerate(unpacked(held["rows"]))},
        held["rarity"],
        held["values"],
        held["start"],
        float(held["step"]),
    )


def stamp_of_meanings() -> str:
    """Return what the weights were learned from: a digest of messages and of how they are read."""
    return stamp_in(SHIPPED)


def meaning_of(segments: Sequence[Segment], words: ClauseWords) -> str:
    """Return what a message likely means; empty where that is nothing, or not likely enough."""
    return meaning_model().meant(tokens_of(segments, words)) if segments else ""


def guess_of(segments: Sequence[Segment], words: ClauseWords) -> str:
    """Return the likeliest meaning of a message that nothing else explains, or nothing."""
    best, chance = meaning_model().likeliest(tokens_of(segments, words)) if segments else ("", 0.0)
    return best if chance >= GUESSED else ""


def meanings_of(segments: Sequence[Segment], words: ClauseWords) -> frozenset[str]:
    """Return what the questions of a message mean by themselves, where it asks several."""
    asking = [one for one in segments if one.is_request]
    if len(asking) < _SEVERAL:
        return frozenset()
    # What stands in a list and names a figure is noted there, and asks nothing by itself.
    asking = [one for one in asking if "?" in one.text or not _FIGURE.search(one.text)]
    found = (meaning_model().likeliest(tokens_of([one], words)) for one in asking)
    return frozenset(best for best, chance in found if chance >= SURE_OF_PART)
