"""Words as values: how a domain's facts are asked for, stated and contradicted, and what all share.

Nothing here knows of which domain the words are. The cues and phrases that all domains share stand
in `phrases.toml` beside this module.
"""

import re
import tomllib
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from enum import StrEnum
from functools import cache
from importlib.resources import files
from typing import Any, NamedTuple

from pydantic import AliasPath, BaseModel, ConfigDict, Field, ValidationError, model_validator

from crab_graph.errors import UsageError
from crab_graph.text.vocabulary import HumanWords

Cue = re.Pattern[str]
Texts = tuple[str, ...]

_NEVER = re.compile("(?!)")


class ValueForm(StrEnum):
    """How a fact's value is written out."""

    TEXT = "text"
    DATE = "date"
    DATES = "dates"
    NAMES = "names"
    COUNT = "count"
    MONEY = "money"
    CHOICE = "choice"
    FLAG = "flag"
    CARD = "card"


OF_PERSONS = frozenset({ValueForm.TEXT, ValueForm.NAMES, ValueForm.DATES})
"""Forms of facts that say who somebody is, not what is wanted."""


class ConflictKind(StrEnum):
    """What to look for in an agent's words to see that they contradict a fact."""

    CHOICE = "choice"
    COUNT = "count"
    AT_LEAST = "at_least"
    AT_MOST = "at_most"
    DATE = "date"
    TOTAL = "total"
    SAME = "same"


class _Words(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Conflict(_Words):
    """How a statement by the agent, in the lines of its slots or anywhere, can contradict a fact.

    The pattern finds a count (group 1), or a value that must be the same in all `slots`. A value
    that one of the facts `beside` has, such as the other end of a way, contradicts nothing. A count
    of days may be known from the first days of two slots, those it lies `between`.
    """

    kind: ConflictKind
    slots: Texts = ()
    beside: Texts = ()
    between: Texts = ()
    pattern: Cue | None = None


class UnwishedWords(_Words):
    """The words for what agents ask for, as far as nobody wants anything of it.

    Attributes:
        asks: Cues that ask for it, matched against one casefolded sentence.
        none: What to answer then.
        spares: A fact that nobody needs any more once this one was said, or that this is no
            question for.
        slots: Slots whose naming makes a cue count; empty when it is not about one.
    """

    key: str
    asks: tuple[Cue, ...]
    none: Texts = ()
    spares: str = ""
    slots: Texts = ()


class FactWords(UnwishedWords):
    """The words for one fact key.

    A file gives `choices`, `cues` and `hours` as the parts `phrase`, `cue` and `hours` of `values`.

    Attributes:
        hints: Cues that it may be asked for, where the whole message says so.
        needs_slot: Whether a cue counts only where the fact's slot is named.
        full: Statements as sentences; `{value}` and `{phrase}` stand for the value.
        short: The same as fragments.
        alone: Statements, instead of those, of a list that holds one thing or a count of one.
        throughout: Statements, instead of those, that it holds for all its slots.
        none_throughout: What to answer where there is no wish, to who asks if that does.
        hours: Each value's hours of the day, `[from, until)`, where a clock time tells the value.
        one: Singular unit, for counts; `many` is the plural.
        trade: Statements in the words of the trade; `{value}` is plain, `{code}` a value's code.
        others: Values among which a user can change its mind; by default those that have words.
        repeats: Of a length: how many stays in a row are that long.
        is_certain: Whether every user is sure of it from the start.
        is_kind: Whether its value says what a slot is, as in `the imaging test`.
        is_set: Whether what is sold may do for several of its values at once.
        noun: Of a wish for likeness: what is to be the same.
        is_name: Whether what fills a slot is called by its value, as in `the museum`.
        parts: Of a joint wish, by value: what all stands where it is told whole.
        about: Of a joint wish: what stands where it is spoken of.
        clarify: Of a joint wish that was told: what stands where it is asked what it means.
        lent: Of a joint wish: the cues among `asks` that ask for wishes whose place it takes.
    """

    form: ValueForm
    hints: tuple[Cue, ...] = ()
    needs_slot: bool = False
    full: Texts
    short: Texts
    alone: Texts = ()
    throughout: Texts = ()
    none_throughout: Texts = ()
    choices: Mapping[str, str]
    cues: Mapping[str, Cue]
    hours: Mapping[str, tuple[float, float]]
    one: str = ""
    many: str = ""
    noun: str = ""
    conflict: Conflict | None = None
    trade: Texts = ()
    codes: Mapping[str, str] = {}
    others: tuple[Any, ...]
    repeats: int = 1
    is_certain: bool = False
    is_kind: bool = False
    is_name: bool = False
    is_set: bool = False
    parts: Mapping[str, tuple[Cue, ...]] = {}
    about: Cue = _NEVER
    clarify: tuple[Cue, ...] = ()
    lent: tuple[Cue, ...] = ()

    @property
    def is_joint(self) -> bool:
        """Whether it is a condition, alternatives or a share, which is told whole or not at all."""
        return bool(self.parts)

    @property
    def is_place(self) -> bool:
        """Whether it is one of the places of a journey: a text, of which others are known."""
        return self.form is ValueForm.TEXT and bool(self.cues)

    @property
    def is_wish(self) -> bool:
        """Whether it is one that what the agent finds may meet or miss."""
        return self.conflict is not None or self.is_joint or self.form is ValueForm.FLAG

    def tells(self, text: str, value: Any) -> bool:
        """Tell whether a casefolded text tells the whole of a joint wish."""
        parts = self.parts.get(str(value), ())
        return bool(parts) and all(part.search(text) for part in parts)

    @model_validator(mode="before")
    @classmethod
    def _of_values(cls, words: Mapping[str, Any]) -> dict[str, Any]:
        given = dict(words)
        values = given.pop("values", {})
        return {
            "choices": {name: parts.get("phrase", name) for name, parts in values.items()},
            "cues": {
                name: parts.get("cue", rf"\b{re.escape(name)}\b") for name, parts in values.items()
            },
            "hours": {name: parts["hours"] for name, parts in values.items() if "hours" in parts},
            "others": tuple(values),
            **given,
        }


class SlotGroup(_Words):
    """Words that mean several slots where none of them is named by itself."""

    words: Cue
    slots: Texts


class Topic(_Words):
    """A subject whose naming in a question about preferences asks for several facts at once."""

    words: Cue
    facts: Texts


class JointTruth(NamedTuple):
    """A joint wish as a condition on what a plan says.

    Attributes:
        reads: Slot and words of each property that `holds` takes, in order; it takes by name what
            else of the user's facts is `given`.
    """

    reads: Sequence[tuple[str, FactWords]]
    given: Sequence[str]
    holds: Callable[..., Any]


class Undecided(NamedTuple):
    """What of a joint wish the prices of all that is for sale decide, so that no user knows it.

    Attributes:
        slots: Those among whose offers they decide.
        claims: Cues of what says how it comes out.
        values: Cues of what it is decided between, by value; none where it is between all offers.
    """

    slots: Texts
    claims: tuple[Cue, ...]
    values: Mapping[str, Cue]

    def is_claimed(self, text: str) -> bool:
        """Tell whether a casefolded text says how it comes out."""
        return any(cue.search(text) for cue in self.claims)


class DomainLexicon(_Words):
    """All the words users of a domain need.

    Attributes:
        opening_full: First-turn sentences; they may use the basic facts by key.
        opening_trade: First turns in the words of the trade.
        asides: Sentences off the topic, which state nothing that matters.
        whole: Words that mean everything together.
        slots: Each slot's pattern in an agent's words.
        facts: The words of each fact key, in the order details are told.
        extras: Words of what an agent may offer beside what the facts are about.
        labels: Short words for slots, such as `back`, that mean them in a label or before an id.
        parts: Id prefixes, casefolded, of parts of what can be booked, beside those of the slots.
        learned: File of weights learned for its facts, as `package/file`; see `reader_model`.
        job: Words that mean what is done for the user as a whole, which the shared cues call a
            plan.
        people: Words for those whom it is for, beside the shared ones.
        human: What means a human agent.
        truths: What joint wishes say of a plan, by key, where that can be read in one.
        undecided: What of joint wishes no user can know, by key.
        bounds: The keys of simple wishes on what each wish between parts reads, by its key, and of
            what nobody wishes of that.
        unwished: The words of what agents ask for and no user has a wish on, by a name of its own;
            one that spares a fact asks for something else than that.
        places: What names the one place of each slot that has one, where there are several.
    """

    opening_full: Texts = Field(validation_alias=AliasPath("opening", "full"))
    opening_short: Texts = Field(validation_alias=AliasPath("opening", "short"))
    opening_trade: Texts = Field((), validation_alias=AliasPath("opening", "trade"))
    asides: Texts = Field((), validation_alias=AliasPath("asides", "full"))
    asides_short: Texts = Field((), validation_alias=AliasPath("asides", "short"))
    whole: Cue
    slots: Mapping[str, Cue]
    groups: tuple[SlotGroup, ...]
    facts: Mapping[str, FactWords]
    topics: Mapping[str, Topic]
    extras: Cue = _NEVER
    parts: Texts = ()
    labels: Mapping[str, Cue] = {}
    learned: str = ""
    job: Cue = _NEVER
    people: Cue = _NEVER
    human: HumanWords = HumanWords()
    truths: Mapping[str, JointTruth] = {}
    undecided: Mapping[str, Undecided] = {}
    bounds: Mapping[str, Texts] = {}
    reads: Mapping[str, Texts] = {}
    unwished: Mapping[str, UnwishedWords] = {}
    places: Mapping[str, Cue] = {}

    def plain(self, words: str) -> str:
        """Return a casefolded text as the shared cues read it, which know no domain's words."""
        return self.human.read(self.job.sub("plan", words))

    def compared(self, key: str) -> frozenset[str]:
        """Return the slots that a joint wish compares."""
        return frozenset(self.reads.get(key, ()))

    def named_slots(self, words: str) -> frozenset[str]:
        """Return the slots that a casefolded text names.

        Of a kind of which there are several those are meant whose place it names, where it does not
        speak of them all.
        """
        named = {slot for slot, cue in self.slots.items() if cue.search(words)}
        for group in self.groups:
            found = group.words.search(words) if named.isdisjoint(group.slots) else None
            if found is not None:
                there = {slot for slot in group.slots if self.is_placed(slot, words)}
                are_all = len(there) == 1 and found[0].endswith("s")
                named.update(group.slots if are_all else there or group.slots)
        return frozenset(named | {*self._of_kind_elsewhere(named, words)})

    def _of_kind_elsewhere(self, named: set[str], words: str) -> Iterator[str]:
        """Yield the slots meant by their place alone beside one of their kind.

        So it is with `the Paris one`, and with `the stay in Paris or in Rome`.
        """
        for slot in named and {*self.places} - named:
            own = self.places[slot].pattern
            beside = [self.places[one].pattern for one in self.kind_of({slot}) & named]
            listed = (rf"(?:{one}),? (?:or|and) (?:in )?(?:{own})\b(?! an?\b)" for one in beside)
            forms = (rf"(?:{own})(?:.s)? one\b", *listed)
            if beside and any(re.search(one, words) for one in forms):
                yield slot

    def kind_of(self, slots: Collection[str]) -> frozenset[str]:
        """Return all slots of the one kind that some are of; none where they are of several."""
        kinds = [group.slots for group in self.groups if {*group.slots}.issuperset(slots)]
        smallest = sorted(kinds, key=len)[:1]
        return frozenset(*smallest) if len(smallest) == 1 and slots else frozenset()

    def is_place_of(self, slots: Iterable[str], words: str) -> bool:
        """Tell whether a casefolded text is where one of some slots is, and no more."""
        return any(slot in self.places and self.places[slot].fullmatch(words) for slot in slots)

    def is_placed(self, slot: str, words: str) -> bool:
        """Tell whether a casefolded text names the place of a slot."""
        return slot in self.places and self.places[slot].search(words) is not None


def parse_lexicon(document: Mapping[str, Any], source: str) -> DomainLexicon:
    """Build a lexicon from a parsed TOML document.

    Raises:
        UsageError: a part is missing, unknown or malformed; the message names it and the source.
    """
    try:
        keyed = {
            part: {key: {"key": key, **words} for key, words in document.get(part, {}).items()}
            for part in ("facts", "unwished")
        }
        return DomainLexicon.model_validate({**document, **keyed})
    except ValidationError as error:
        first = error.errors()[0]
        part = ".".join(map(str, first["loc"]))
        raise UsageError(f"lexicon {source}: {part}: {first['msg']}") from error
    except (AttributeError, TypeError) as error:
        raise UsageError(f"lexicon {source}: malformed part: {error}") from error


class PhraseBook(_Words):
    """The shared cues over casefolded clauses, and the phrases by act and by voice or temper."""

    cues: Mapping[str, Cue]
    phrases: Mapping[str, Mapping[str, Texts]]

    def without(self, cue: str, words: str) -> str:
        """Return a text without what a cue finds in it."""
        return self.cues[cue].sub("", words).strip()

    def choices(self, act: str, voice: str) -> Texts:
        """Return the phrases for an act; none where a voice leaves it out."""
        by_voice = self.phrases[act]
        return by_voice.get(voice, by_voice["plain"])


@cache
def phrase_book() -> PhraseBook:
    """Return the shared phrase book."""
    text = files("crab_graph.personas").joinpath("phrases.toml").read_text("utf-8")
    return PhraseBook.model_validate(tomllib.loads(text))


def says(cue: str, words: str) -> bool:
    """Tell whether a text holds a shared cue."""
    return phrase_book().cues[cue].search(words) is not None
