"""How one turn of a user sounds: phrases, courtesies and hedges drawn at its behaviour's rates."""

from collections.abc import Callable, Sequence
from random import Random

from crab_graph.personas.behavior import Behavior
from crab_graph.personas.facts import Fact
from crab_graph.personas.lexicon import DomainLexicon, FactWords
from crab_graph.personas.phrases import phrase_book
from crab_graph.personas.wording import (
    capitalised,
    join_words,
    word_fact,
    word_opening,
    word_trade_fact,
    word_trade_opening,
)

_FRAGMENTS_BELOW = 8
_SOMETIMES_BELOW = 12
_PRESSURE_RATE = 0.25
_OBJECTION_RATE = 0.6


class Speaker:
    """Words one turn.

    Args:
        behavior: The user's behaviour.
        lexicon: The domain's words.
        draw: Returns the generator for a purpose within this turn.
    """

    def __init__(
        self, behavior: Behavior, lexicon: DomainLexicon, draw: Callable[[str], Random]
    ) -> None:
        self._behavior = behavior
        self._style = behavior.style
        self._lexicon = lexicon
        self._draw = draw
        self._is_short = self._happens("short", self._style.short)
        words = self._style.words
        self._fragments = (
            self._is_short
            or words < _FRAGMENTS_BELOW
            or (words < _SOMETIMES_BELOW and self._happens("fragments", 0.5))
        )

    def phrase(self, act: str, **values: str) -> str:
        """Return a phrase for an act in the user's voice."""
        return self._phrase(act, str(self._style.voice), values)

    def objection(self) -> str:
        """Return the lead-in of an objection in the user's temper."""
        return self._phrase("object", str(self._behavior.reaction.temper), {})

    def asks_back(self) -> str:
        """Return the question what an unclear question means."""
        return self._phrase("what_meant", str(self._behavior.clarification.manner), {})

    def on_many(self, asked: int, given: int) -> str:
        """Return what the user says to many questions at once; often nothing.

        Args:
            asked: Number of facts that were asked for.
            given: Number of those that the answer gives.
        """
        most = self._behavior.reaction.most_questions
        if most is not None and asked > most and self._happens("many", _OBJECTION_RATE):
            return self._phrase("too_many", str(self._behavior.reaction.temper), {})
        clarification = self._behavior.clarification
        if given < asked and self._happens("which", clarification.which_first):
            return self._phrase("which_first", str(clarification.manner), {})
        return ""

    def opening(self, facts: Sequence[Fact]) -> str:
        """Return the first sentences of the dialogue."""
        greets = not self._fragments and self._happens("greet", 0.5)
        lead = self.phrase("greet") if greets else ""
        rng, words = self._draw("opening"), ""
        if self._lexicon.opening_trade and self._happens("jargon", self._style.jargon):
            words = word_trade_opening(facts, self._lexicon, rng)
        words = words or word_opening(facts, self._lexicon, rng, short=self._fragments)
        return join_parts([lead, words])

    def fact(self, fact: Fact) -> str:
        """Return one fact in words."""
        draw = self._draw(f"fact {fact.key}")
        words = self._lexicon.facts.get(fact.key)
        if words and words.trade and self._happens(f"jargon {fact.key}", self._style.jargon):
            return word_trade_fact(fact, words, draw)
        return word_fact(fact, self._lexicon, draw, short=self._fragments)

    def absent(self, words: FactWords) -> str:
        """Return the answer to a question about a fact the user does not have."""
        if not words.none:
            return self.phrase("no_wish")
        return self._draw(f"none {words.key}").choice(words.none)

    def finish(self, parts: Sequence[str], *, is_answer: bool, is_content: bool) -> str:
        """Join the parts of a turn; answers may carry doubt or a question, content ones thanks."""
        extra = []
        if is_answer:
            if self._happens("uncertain", self._behavior.clarification.uncertain):
                extra.append(self.phrase("hedge"))
            if self._happens("question", self._style.questions):
                extra.append(self.phrase("question"))
            if self._happens("pressure", _PRESSURE_RATE):
                extra.append(self.phrase("pressure"))
        if is_content and not self._is_short and self._happens("polite", self._style.polite):
            extra.append(self.phrase("polite"))
        if is_answer or is_content:
            extra.append(self._aside())
        return join_parts([*parts, *extra])

    def _aside(self) -> str:
        """Return a sentence off the topic; mostly none."""
        asides = self._lexicon.asides_short if self._fragments else self._lexicon.asides
        drifts = bool(asides) and self._happens("drift", self._style.drifts)
        return self._draw("aside").choice(asides) if drifts else ""

    def _happens(self, purpose: str, rate: float) -> bool:
        return rate > 0 and self._draw(purpose).random() < rate

    def _phrase(self, act: str, voice: str, values: dict[str, str]) -> str:
        return phrase_book().phrase(act, voice, self._draw(f"phrase {act}")).format(**values)


def join_parts(parts: Sequence[str]) -> str:
    """Join sentences, leaving out empty ones."""
    return capitalised(" ".join(part.strip() for part in parts if part.strip()))


def list_words(items: Sequence[str]) -> str:
    """Return distinct items as people list them."""
    return join_words(list(dict.fromkeys(items)))
