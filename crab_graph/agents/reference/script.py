"""What the booking agents say: questions, the plan with its prices, payments, the summary."""

import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from importlib.resources import files
from typing import Any

from crab_graph.agents.reference.handbook import Handbook
from crab_graph.agents.reference.planning import Plan, PlannedPart
from crab_graph.agents.reference.wish_vocabulary import Wishes
from crab_graph.domain.declaration import Stay
from crab_graph.domain.english import plural
from crab_graph.domain.fields import Choice, Clock, Day, Several
from crab_graph.money import format_dollars
from crab_graph.personas.spoken_dates import NUMBERS
from crab_graph.personas.wordbook import ValueForm
from crab_graph.personas.wording import word_value
from crab_graph.text.articles import filled_in

_VALUE = re.compile(r"\{\w+\}")
_SHOWN = (Choice, Several, Day, Clock)
"""Fields that a plan tells of."""


@cache
def _script() -> Mapping[str, Mapping[str, Any]]:
    text = files("crab_graph.agents.reference").joinpath("script.toml").read_text("utf-8")
    return tomllib.loads(text)


class Script:
    """The lines of one domain."""

    def __init__(self, book: Handbook) -> None:
        self._book = book
        self._job = book.declaration.job
        self._always = {
            "job": self._job,
            "whole": _in_words(len(book.domain.slots)),
            **{name: _script()["says"][name] for name in ("closing", "offer")},
        }

    def say(self, line: str, part: str = "says", **values: Any) -> str:
        """Return a line with values in it."""
        return filled_in(str(_script()[part][line]), **{**self._always, **values})

    def question(self, wishes: Wishes, doubted: Sequence[str] = (), *, is_first: bool) -> str:
        """Return what is asked next; every question ends by asking for anything else.

        What was said with doubt is asked for again. The first question names everything that some
        users wish and this one has not told.
        """
        needed = [_definite(self._phrase(key)) for key in self._book.missing(wishes)]
        parts = [self.say("need", needed=", ".join(needed))] if needed else []
        parts += [self.pin(doubted)] if doubted else []
        about: dict[str | None, list[str]] = {}
        for key in self._book.preferences if is_first else ():
            if key not in wishes:
                slots = self._book.lexicon.facts[key].slots
                about.setdefault(slots[0] if len(slots) == 1 else None, []).append(key)
        for slot, keys in about.items():
            phrases = ", ".join(map(self._phrase, keys))
            if slot is None:
                parts.append(self.say("whole_question", wishes=phrases))
            else:
                title = self._book.slots[slot].word
                parts.append(self.say("slot_question", title=title, wishes=phrases))
        return "\n".join([*parts, self.say("open_question")])

    def pin(self, doubted: Sequence[str]) -> str:
        """Return the question what exactly is wanted where it was said with doubt."""
        asked = (_definite(self._phrase(key)) for key in doubted)
        return self.say("pin", doubted="\n".join(self.say("pinned", what=one) for one in asked))

    def recap(self, wishes: Wishes) -> str:
        """Return every wish that is known with its value, and ask whether all is right."""
        known = [key for key in self._book.tellable if key in wishes]
        lines = "\n".join(f"- {self._noted(key, wishes[key])}" for key in known)
        return self.say("recap", lines=lines)

    def _noted(self, key: str, value: Any) -> str:
        """Return one wish as the agent has noted it, with the slot that it is about."""
        words, name = self._book.lexicon.facts[key], key.replace("_", " ")
        if words.is_joint:
            said = word_value(words.form, value, words)
            phrase = words.choices.get(str(value), said)
            return filled_in(words.full[0], value=said, phrase=phrase)
        if words.form is ValueForm.FLAG:
            return words.full[0]
        if words.form is ValueForm.MONEY:
            return f"{name}: {format_dollars(value)}"
        if words.form is ValueForm.DATE and not isinstance(value, str):
            value = value[0] if value[0] == value[-1] else list(value)
        slot = self._book.slots[words.slots[0]].word if len(words.slots) == 1 else ""
        if slot and not self._book.lexicon.named_slots(name):
            name = f"{slot}, {name}"
        least = "at least " if self._book.compares(key) == "at_least" else ""
        return f"{name}: {least}{word_value(words.form, value, words)}"

    def plan(self, plan: Plan) -> str:
        """Return the whole plan with ids, names, exact prices and total, and ask to book it."""
        lines = "\n".join(f"- {self.describe(part)}." for part in plan.parts)
        return self.say("plan", lines=lines, total=self.total(plan))

    @property
    def plan_lead(self) -> str:
        """What every plan begins with."""
        return self.say("plan", lines="", total="").partition("\n")[0]

    def total(self, plan: Plan) -> str:
        """Return what a plan costs as a sentence; nothing where it is free."""
        if plan.is_free:
            return ""
        job = self._job[:1].upper() + self._job[1:]
        return self.say("total", job=job, total=format_dollars(plan.total))

    def payment(self, plan: Plan, booking_ids: Sequence[str]) -> str:
        """Return the request to approve the payments, with the amount of each booking."""
        lines = "\n".join(
            f"- {booking_id} ({part.slot.word}): {whole(part)}."
            for booking_id, part in zip(booking_ids, plan.parts, strict=True)
        )
        return self.say("payment", lines=lines, total=format_dollars(plan.total))

    def summary(self, plan: Plan) -> str:
        """Return what was done."""
        if plan.is_free:
            return self.say("free_summary")
        return self.say("summary", total=format_dollars(plan.total))

    def inability(self, reason: str) -> str:
        """Return an apology with an offer of transfer."""
        return self.say("unable", reason=_script()["reasons"][reason])

    def describe(self, part: PlannedPart) -> str:
        """Return one part of a plan: what it is, what it is like, and its prices."""
        title = part.slot.word[:1].upper() + part.slot.word[1:]
        told = [named(part)]
        if part.kind.offer is not part.kind.entity:
            told.append(part.offer_id)
        told += self._properties(part)
        if part.days is not None:
            told.append(" to ".join(part.days))
        if not part.kind.is_free:
            told += [f"{format_dollars(part.unit_cents)} per {part.kind.unit}", whole(part)]
        return f"{title}: {', '.join(told)}"

    def terse(self, plan: Plan) -> str:
        """Return a plan by ids, names and prices alone, and ask to book it."""
        lines = "\n".join(f"- {_terse(part)}." for part in plan.parts)
        return self.say("plan", lines=lines, total=self.total(plan))

    def _properties(self, part: PlannedPart) -> Iterator[str]:
        """Yield what an offer is like, as far as it is not a bound on its days."""
        offer = self._book.declared[part.slot.id].offer
        held = offer.holds
        bounds = (held.opens, held.closes) if isinstance(held, Stay) else ()
        for name, field in offer.fields.items():
            if name in part.row and isinstance(field, _SHOWN) and name not in bounds:
                value = part.row[name]
                shown = self._book.domain.grading.show_value(name, value)
                is_number = isinstance(field, Choice) and isinstance(value, int)
                yield f"{name.replace('_', ' ')} {shown}" if is_number else shown

    def _phrase(self, key: str) -> str:
        """Return the words that ask for a fact: if any, some by which the lexicon hears it.

        Beside its name these are its unit, and what its own statements have of what asks for it.
        """
        words, people = self._book.lexicon.facts[key], self._book.declaration.people
        options = [key.replace("_", " ")]
        if people is not None and key == people.names:
            options.insert(0, f"full names of all {plural(people.noun)}")
        if unit := words.many.partition("{n}")[2].strip():
            options += [f"number of {unit}", f"how many {unit}"]
        slots = (self._book.slots[slot].word for slot in self._book.slots_of(key))
        options += [f"which {word}" for word in (options[0], *slots)]
        options += [
            match[0]
            for text in words.full
            for cue in words.asks
            if (match := cue.search(_VALUE.sub("", text.casefold())))
        ]
        among = ((one, f"the {one}, the rest".casefold()) for one in options)
        heard = (one for one, asked in among if any(cue.search(asked) for cue in words.asks))
        return next(heard, options[0])


def _definite(phrase: str) -> str:
    return phrase if phrase.startswith(("how ", "which ")) else f"the {phrase}"


def named(part: PlannedPart) -> str:
    """Return what is booked by its name, where it has one, and its id."""
    return part.entity_id if part.name is None else f"{part.name} ({part.entity_id})"


def _terse(part: PlannedPart) -> str:
    """Return one part of a plan by its ids, name and price."""
    title = part.slot.word[:1].upper() + part.slot.word[1:]
    told = [named(part)] + ([part.offer_id] if part.kind.offer is not part.kind.entity else [])
    told += [] if part.kind.is_free else [format_dollars(part.cents)]
    return f"{title}: {', '.join(told)}"


def whole(part: PlannedPart) -> str:
    """Return what a part costs in all, and for how much of it."""
    unit = part.kind.unit if part.units == 1 else plural(part.kind.unit)
    return f"{format_dollars(part.cents)} for {part.units} {unit}"


def _in_words(slots: int) -> str:
    """Return words that mean every one of so many parts."""
    if slots < 3:  # one or two
        return ("it", "both")[slots - 1]
    return f"all {next((word for word, number in NUMBERS.items() if number == slots), 'of them')}"
