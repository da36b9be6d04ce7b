"""Values and facts in words; every wording can be read back by an agent."""

from collections.abc import Mapping, Sequence
from random import Random
from typing import Any

from crab_graph.money import format_dollars, parse_cents
from crab_graph.personas.facts import Fact
from crab_graph.personas.lexicon import DomainLexicon, FactWords, ValueForm
from crab_graph.personas.spoken_dates import spell_date


def word_value(form: ValueForm, value: Any, words: FactWords, style: int = 0) -> str:
    """Return a fact's value in words.

    Args:
        form: How it is written.
        value: The value as the fact holds it.
        words: The words of its key.
        style: Which of several spellings to take; all mean the same.
    """
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
            one, many = words.units
            return one if value == 1 else many.format(n=value)
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


def word_fact(fact: Fact, lexicon: DomainLexicon, rng: Random | None, *, short: bool) -> str:
    """Return one fact as a sentence, or as a fragment; without `rng` in its first wording."""
    words = lexicon.facts.get(fact.key)
    if words is None:
        return f"{fact.key.replace('_', ' ').capitalize()}: {fact.value}."
    templates = words.short if short else words.full
    template = templates[0] if rng is None else rng.choice(templates)
    style = 0 if rng is None else rng.randrange(3)
    return capitalised(template.format(**_value_words(fact, words, style)))


def word_opening(facts: Sequence[Fact], lexicon: DomainLexicon, rng: Random, *, short: bool) -> str:
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
    try:
        return template.format(**known)
    except KeyError:
        return " ".join(word_fact(fact, lexicon, rng, short=short) for fact in facts)


def word_trade_fact(fact: Fact, words: FactWords, rng: Random) -> str:
    """Return one fact in the words of the trade, which must have some for it."""
    value = _trade_value(fact, words)
    code = words.codes.get(str(fact.value), value)
    return rng.choice(words.trade).format(value=value, code=code)


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


def opening_keys(lexicon: DomainLexicon, facts: Sequence[Fact]) -> list[str]:
    """Return the keys of the facts that an opening says."""
    template = lexicon.opening_full[0]
    return [fact.key for fact in facts if f"{{{fact.key}}}" in template]


def capitalised(text: str) -> str:
    """Return text with its first letter in upper case, the rest untouched."""
    return text[:1].upper() + text[1:] if not _is_address(text) else text


def _is_address(text: str) -> bool:
    return "@" in text.split(" ")[0]


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


def _value_words(fact: Fact, words: FactWords, style: int) -> Mapping[str, str]:
    value = word_value(words.form, fact.value, words, style)
    return {"value": value, "phrase": words.choices.get(str(fact.value), value)}
