"""How a turn of a user sounds: values and facts in words, phrases drawn at its rates."""

import re
from collections.abc import Callable, Collection, Mapping, Sequence
from random import Random
from types import MappingProxyType
from typing import Any

from crab_graph.money import format_dollars, parse_cents
from crab_graph.personas.behavior import Behavior
from crab_graph.personas.briefing import Fact, Saying
from crab_graph.personas.chat_style import amid_small_talk, unpunctuated, unsaid_asides
from crab_graph.personas.spoken_dates import spell_date
from crab_graph.personas.wordbook import (
    DomainLexicon,
    FactWords,
    UnwishedWords,
    ValueForm,
    phrase_book,
)
from crab_graph.text.articles import filled_in

NOTHING_SPECIAL: Mapping[str, Saying] = MappingProxyType({})
"""The sayings of a user that says every fact plainly."""


def word_value(form: ValueForm, value: Any, words: FactWords, style: int = 0) -> str:
    """Return a fact's value in words; spellings of another `style` mean the same."""
    match form:
        case ValueForm.DATE if isinstance(value, list):
            first, last = (spell_date(day, style) for day in value)
            return f"between {first} and {last}"
        case ValueForm.DATE:
            return f"on {spell_date(str(value), style)}"
        case ValueForm.DATES:
            return join_words([spell_date(day, style) for day in value])
        case ValueForm.NAMES:
            return join_words(value)
        case ValueForm.COUNT:
            return words.one if value == 1 else words.many.format(n=value)
        case ValueForm.MONEY:
            return format_dollars(parse_cents(value))
        case ValueForm.CARD:
            return f"{value['brand']} ending in {value['last4']}"
        case _:
            return str(value)


def join_words(items: Sequence[str]) -> str:
    """Return items as people list them: `a`, `a and b`, `a, b and c`."""
    if len(items) < 2:
        return "".join(items)
    return f"{', '.join(items[:-1])} and {items[-1]}"


def word_fact(
    fact: Fact,
    lexicon: DomainLexicon,
    rng: Random | None,
    *,
    short: bool,
    saying: Saying | None = None,
    is_throughout: bool = False,
) -> str:
    """Return one fact as a sentence, or as a fragment; without `rng` in its first wording."""
    words = lexicon.facts.get(fact.key)
    if words is None:
        return f"{fact.key.replace('_', ' ').capitalize()}: {fact.value}."
    templates = words.short if short else words.full
    if words.alone and _is_single(fact.value):
        templates = words.alone
    elif is_throughout:
        templates = words.throughout or templates
    template = templates[0] if rng is None else rng.choice(templates)
    style = 0 if rng is None else rng.randrange(3)
    if saying is not None:
        said = filled_in(saying.template or template, value=saying.value, phrase=saying.phrase)
        return capitalised(f"{said.removesuffix('.')}, {saying.mark}." if saying.mark else said)
    value = word_value(words.form, fact.value, words, style)
    phrase = words.choices.get(str(fact.value), value)
    return capitalised(filled_in(template, value=value, phrase=phrase))


def word_opening(
    facts: Sequence[Fact],
    lexicon: DomainLexicon,
    rng: Random,
    *,
    short: bool,
    sayings: Mapping[str, Saying] = NOTHING_SPECIAL,
) -> str:
    """Return the first sentences of a dialogue, which say the basic facts.

    Where a fact that the template uses is missing, the facts are stated one by one instead.
    """
    template = rng.choice(lexicon.opening_short if short else lexicon.opening_full)
    style = rng.randrange(3)
    known = {
        fact.key: word_value(words.form, fact.value, words, style)
        for fact in facts
        if (words := lexicon.facts.get(fact.key)) is not None
    }
    for key, saying in sayings.items():
        known[key] = f"{saying.value} ({saying.mark})" if saying.mark else saying.value
    try:
        return filled_in(template, **known)
    except KeyError:
        told = ((fact, sayings.get(fact.key)) for fact in facts)
        return " ".join(word_fact(one, lexicon, rng, short=short, saying=how) for one, how in told)


def word_trade_opening(facts: Sequence[Fact], lexicon: DomainLexicon, rng: Random) -> str:
    """Return the basic facts in the words of the trade; empty where they lack what it names."""
    known: dict[str, str] = {}
    for fact in facts:
        words = lexicon.facts.get(fact.key)
        if words is not None:
            known[fact.key] = _trade_value(fact, words)
            known[f"{fact.key}_code"] = words.codes.get(str(fact.value), known[fact.key])
    try:
        return rng.choice(lexicon.opening_trade).format(**known)
    except KeyError:
        return ""


def capitalised(text: str) -> str:
    """Return text with its first letter in upper case, the rest untouched; no mail address."""
    return text if "@" in text.split(" ")[0] else text[:1].upper() + text[1:]


_PLURAL = re.compile(r"(?<![\w@.-])(?:[Ww]e(?: are|'re)?|[Oo]ur|us)(?![\w@-]|\.\w)")
_SINGULAR = {"we": "I", "we are": "I am", "we're": "I'm", "our": "my", "us": "me"}


def as_one_person(text: str) -> str:
    """Return what several people say of themselves as one of them alone says it."""

    def singular(match: re.Match[str]) -> str:
        word = _SINGULAR[match[0].casefold()]
        return capitalised(word) if match[0][0].isupper() else word

    return _PLURAL.sub(singular, text)


def _is_single(value: Any) -> bool:
    return value == 1 if isinstance(value, int) else isinstance(value, list) and len(value) == 1


def _trade_value(fact: Fact, words: FactWords) -> str:
    """Return a value bare: dates as ISO, a window as `first to last`, a count as its number."""
    match words.form:
        case ValueForm.DATE:
            days = fact.value if isinstance(fact.value, list) else [fact.value]
            return " to ".join(map(str, days))
        case ValueForm.DATES:
            return ", ".join(map(str, fact.value))
        case ValueForm.COUNT:
            return str(fact.value)
        case _:
            return word_value(words.form, fact.value, words)


_FREE = re.compile(r"Any ([^.]+?) is welcome((?: for [^.]+)?)\.\Z")
"""How a lexicon says that there is no wish on one thing."""
_FRAGMENTS_BELOW = 8
_SOMETIMES_BELOW = 12
_PRESSURE_RATE = 0.25
_OBJECTION_RATE = 0.6
_TRIES = 4
_TEMPERED = {"object", "object_to", "correct", "misspoke", "warn_repeat", "explain", "too_many"}
_MANNERED = {"what_meant", "which_first"}


class Speaker:
    """Words one turn; `draw` returns the generator for a purpose within it.

    `sayings` are the facts, by key, that this turn says otherwise than plainly. What was `said`
    before it does not say again word for word; who `is_one` person alone speaks of itself; `kept`
    words keep their case also where the user writes in lower case; `throughout` are the facts of
    which it was asked whether they hold for all.
    """

    def __init__(
        self,
        behavior: Behavior,
        lexicon: DomainLexicon,
        draw: Callable[[str], Random],
        sayings: Mapping[str, Saying] = NOTHING_SPECIAL,
        *,
        said: str = "",
        is_one: bool = False,
        kept: frozenset[str] = frozenset(),
        throughout: Collection[str] = (),
    ) -> None:
        self.sayings = sayings
        self._throughout = throughout
        self._kept = kept
        self._behavior = behavior
        self._lexicon = lexicon
        self._draw = draw
        self._said = said
        self._is_one = is_one
        self._is_short = self.happens("short", self._behavior.short)
        words = self._behavior.words
        self._fragments = (
            self._is_short
            or words < _FRAGMENTS_BELOW
            or (words < _SOMETIMES_BELOW and self.happens("fragments", 0.5))
        )

    def with_sayings(
        self, sayings: Mapping[str, Saying], throughout: Collection[str] = ()
    ) -> "Speaker":
        """Return the speaker of the same turn that says some facts otherwise than plainly.

        Of those `throughout` it says that they hold for all their slots.
        """
        said, is_one, kept = self._said, self._is_one, self._kept
        return Speaker(
            self._behavior,
            self._lexicon,
            self._draw,
            sayings,
            said=said,
            is_one=is_one,
            kept=kept,
            throughout=throughout,
        )

    def phrase(self, act: str, **values: str) -> str:
        """Return a phrase for an act in the user's voice, in its temper or manner for some acts."""
        voice = str(self._behavior.voice)
        if act in _TEMPERED:
            voice = str(self._behavior.temper)
        elif act in _MANNERED:
            voice = str(self._behavior.manner)
        choices = phrase_book().choices(act, voice)
        return self._new(f"phrase {act}", [text.format(**values) for text in choices])

    def on_many(self, asked: int, given: int, *, may_object: bool = True) -> str:
        """Return what the user says to so many questions at once, of which some may be left."""
        most = self._behavior.most_questions
        if (
            may_object
            and most is not None
            and asked > most
            and self.happens("many", _OBJECTION_RATE)
        ):
            objection = self.phrase("too_many")
            # Who has complained in all the words it has for that lets it be.
            if not self.has_said(objection):
                return objection
        if given >= asked:
            return ""
        asks_which = self.happens("which", self._behavior.which_first)
        return self.phrase("which_first" if asks_which else "rest_waits")

    def opening(self, facts: Sequence[Fact]) -> str:
        """Return the first sentences of the dialogue."""
        greets = not self._fragments and self.happens("greet", 0.5)
        lead = self.phrase("greet") if greets else ""
        rng, words = self._draw("opening"), ""
        is_plain = self.sayings.keys().isdisjoint(fact.key for fact in facts)
        may_trade = self._lexicon.opening_trade and is_plain
        if may_trade and self.happens("jargon", self._behavior.jargon):
            words = word_trade_opening(facts, self._lexicon, rng)
        words = words or word_opening(
            facts, self._lexicon, rng, short=self._fragments, sayings=self.sayings
        )
        return join_parts([lead, words])

    def fact(self, fact: Fact) -> str:
        """Return one fact in words."""
        draw = self._draw(f"fact {fact.key}")
        words, saying = self._lexicon.facts.get(fact.key), self.sayings.get(fact.key)
        is_throughout = fact.key in self._throughout
        may_trade = words is not None and words.trade and saying is None and not is_throughout
        if words and may_trade and self.happens(f"jargon {fact.key}", self._behavior.jargon):
            value = _trade_value(fact, words)
            code = words.codes.get(str(fact.value), value)
            return draw.choice(words.trade).format(value=value, code=code)
        # Whose fragments are all said already says it once in a sentence.
        texts = [
            word_fact(
                fact,
                self._lexicon,
                draw,
                short=is_short,
                saying=saying,
                is_throughout=is_throughout,
            )
            for is_short in ((True, False) if self._fragments else (False,))
            for _ in range(_TRIES)
        ]
        return next(filter(self._is_new, texts), texts[0])

    @property
    def said(self) -> str:
        """All that the user has said before."""
        return self._said

    def has_said(self, words: str) -> bool:
        """Tell whether the user has said some words before."""
        return words in self._said

    def spreads(self) -> bool:
        """Tell whether the second half of what this turn has to say comes with the next."""
        return self.happens("spread", self._behavior.spreads)

    def absent(self, words: UnwishedWords) -> str:
        """Return the answer to a question about a fact the user does not have."""
        if not words.none:
            return self.phrase("no_wish")
        is_whole = words.key in self._throughout
        if isinstance(words, FactWords) and is_whole and words.none_throughout:
            return words.none_throughout[0]
        return self._new(f"none {words.key}", words.none)

    def none_certain(self, keys: Collection[str]) -> str:
        """Return the answer to who asks which ones it is to be of what need not be certain ones."""
        facts = [words for key, words in self._lexicon.facts.items() if key in keys]
        free = (_FREE.match(text) for one in facts for text in one.none[:1])
        nouns = [one.noun for one in facts if one.noun] or [one[1] for one in free if one]
        if not nouns:
            return self.phrase("none_certain")
        return self.phrase("no_particular", noun=" or ".join(dict.fromkeys(nouns)))

    def without(self, facts: Sequence[UnwishedWords]) -> list[str]:
        """Return the answers to questions about facts the user does not have, in one breath."""
        texts = list(dict.fromkeys(map(self.absent, facts)))
        free = [match for match in map(_FREE.match, texts) if match is not None]
        if len(free) < 2:
            return texts
        about: dict[str, list[str]] = {}
        for match in free:
            about.setdefault(match[1], []).extend(filter(None, [match[2].removeprefix(" for ")]))
        things = [
            f"any {noun}{' for ' if ends else ''}{join_words(ends)}" for noun, ends in about.items()
        ]
        joined = join_words(things)
        others = [text for text in texts if _FREE.match(text) is None]
        return [f"{capitalised(joined)} will do.", *others]

    def finish(
        self,
        parts: Sequence[str],
        tail: Sequence[str] = (),
        *,
        is_answer: bool,
        is_content: bool,
        is_wish: bool = True,
    ) -> str:
        """Join the parts of a turn, with what is added to them before its tail.

        Answers may carry a question back where they tell a wish and have no tail;
        content ones thanks.
        """
        behavior = self._behavior
        asks = is_answer and is_wish and not tail
        is_thanked = self._is_short or "thank" in " ".join(parts).casefold()
        rates = {
            "question": ("question", behavior.questions if asks else 0),
            "pressure": ("pressure", _PRESSURE_RATE if is_answer and not tail else 0),
            "polite": ("polite", behavior.polite if is_content and not is_thanked else 0),
        }
        short, full = self._lexicon.asides_short, self._lexicon.asides
        asides = unsaid_asides(short if self._fragments else full, (*full, *short), self._said)
        chats = is_answer and bool(self._said)
        if chats and self.happens("small talk", behavior.small_talk):
            parts = amid_small_talk(parts, asides, self._draw("small talk around"))
            asides = [aside for aside in asides if aside not in parts]
        # The first turn thanks nobody for what was said.
        acts = {"polite": "polite" if self._said else "polite_first"}
        extra = [
            self.phrase(acts.get(act, act))
            for act, chance in rates.items()
            if self.happens(*chance)
        ]
        may_drift = bool(asides) and (is_answer or is_content)
        if may_drift and self.happens("drift", behavior.drifts):
            extra.append(self._draw("aside").choice(asides))
        text = self._in_person(join_parts([*parts, *extra, *tail]))
        is_lower = is_answer and self.happens("lower", behavior.lower)
        return unpunctuated(text, self._kept) if is_lower else text

    def _new(self, purpose: str, texts: Sequence[str]) -> str:
        """Draw a text, rather one that was not said yet; of none it is empty."""
        new = list(filter(self._is_new, texts))
        return self._draw(purpose).choice(new or texts) if texts else ""

    def _is_new(self, text: str) -> bool:
        """Tell whether words were not said yet, in lower case and without a full stop neither."""
        words = self._in_person(text).casefold().removesuffix(".")
        return words not in self._said.casefold()

    def _in_person(self, text: str) -> str:
        return as_one_person(text) if self._is_one else text

    def happens(self, purpose: str, rate: float) -> bool:
        """Tell whether something happens in this turn that does so at a rate."""
        return rate > 0 and self._draw(purpose).random() < rate


def join_parts(parts: Sequence[str]) -> str:
    """Join sentences, leaving out empty ones."""
    return capitalised(" ".join(part.strip() for part in parts if part.strip()))
