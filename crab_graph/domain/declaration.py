"""What the author of a domain writes: what exists, what a job needs, what users want (design §14).

Everything else is derived from it by `crab_graph.domain.build`. Where a domain wants one thing its
own way, it says so in the one place that has it: a tool, a table, a check, a word.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from operator import mul
from typing import Any, Literal, NamedTuple

from crab_graph.domain.fields import Field, Price
from crab_graph.domain.publication import Publication
from crab_graph.generation.constraints import Value
from crab_graph.tools.registry import Tool
from crab_graph.tools.tables import Row, Table

Predicate = Callable[..., Any]
"""A condition made of operators only; takes slots by their ids, or one offer, see `Rule`."""

Texts = str | Sequence[str]
"""One text or several: wordings, or patterns."""

TOTAL_BUDGET = "total_budget"
"""The budget's name among the optional rules."""


def texts_of(texts: Texts) -> list[str]:
    """Return one text or several as several; an empty one is none."""
    return ([texts] if texts else []) if isinstance(texts, str) else list(texts)


class TaskProperty(NamedTuple):
    """A property over which the tasks of a benchmark are distributed (paper Figure 8).

    Its values are in the order in which they are shown; one of them is read from a request.
    """

    name: str
    values: tuple[str, ...]
    read: Callable[[Any], str]


@dataclass(frozen=True, slots=True, eq=False)
class Names:
    """Names that read like the real thing: a pattern over lists, drawn without repetition.

    Attributes:
        pattern: Such as `{first} {second} Clinic`; `{person}` and `{family}` are the engine's.
        lists: The words of each part of the pattern; a mapping has a list for each value of `by`.
        by: Field whose value chooses among the lists, such as `category`.
    """

    pattern: str
    lists: Mapping[str, Sequence[str] | Mapping[str, Sequence[str]]] = field(default_factory=dict)
    by: str | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Provider:
    """What several offers are parts of, such as a doctor of appointments.

    Attributes:
        name: Singular noun; its table is the plural, its id `<name>_id`.
        prefix: Of its ids, two letters.
        shares: Fields of the offers that are the same for all offers of one provider; with `LEVEL`
            among them all its offers are of one level of price.
        names: Its names, where it has them.
        about: How many offers one has in the mean, about; as it comes by default.
        most: How many it has at most; as many as there can be by default.
        plural: Where it is not the noun with an `s`.
        digits: Of its ids.
    """

    name: str
    prefix: str
    shares: Sequence[str]
    names: Names | None = None
    about: float | None = None
    most: int | None = None
    plural: str = ""
    digits: int = 5

    @property
    def table(self) -> str:
        """The name of its table."""
        return self.plural or f"{self.name}s"

    @property
    def key(self) -> str:
        """The column of its id."""
        return f"{self.name}_id"


@dataclass(frozen=True, slots=True)
class Each:
    """A unit is for one person, whose name and birth date its item holds; see `People`.

    The booking tool takes a list `argument` of offer id and these two columns, one for each person.
    """

    argument: str = "seats"
    name: str = "person_name"
    birth_date: str = "date_of_birth"


@dataclass(frozen=True, slots=True)
class Count:
    """A booking holds a number of units of one offer, which is an argument and a column."""

    argument: str = "units"


@dataclass(frozen=True, slots=True)
class Single:
    """A booking holds one offer once."""


@dataclass(frozen=True, slots=True)
class Stay:
    """An offer is held by the day, from one day to another; units are the days between.

    Attributes:
        first: Column and argument of the first day.
        last: Column and argument of the day after the last.
        begins: Ref of the day, such as `arrival.date`, on which the stay must begin; slots may have
            another one, see `Slot.days`.
        ends: Ref of the day on which it must end.
        opens: Field with the first day on which the offer can be had.
        closes: Field with the day from which on it cannot.
        people: Argument and column with the number of people, where it is asked for.
        checks: Labels of the two checks: it begins as it must; what speaks of the two days holds of
            the days booked.
    """

    begins: str
    ends: str
    opens: str
    closes: str
    first: str = "check_in"
    last: str = "check_out"
    people: str | None = "guests"
    checks: tuple[str, str] = ("", "")


Holding = Each | Count | Single | Stay


@dataclass(frozen=True, slots=True)
class Tools:
    """Names of an offer's tools where they are others than derived; `None` leaves one out.

    Attributes:
        search: Lists providers with their offers (those held by the day once the days are given),
            or offers sold as they stand; `search_<table>` by default.
        look: Lists one provider's offers; `search_<offers' table>` by default.
        price: Prices without booking; none by default.
        book: `book_<kind>` by default.
        details: Shows a booking; none by default.
        cancel: `cancel_<kind>_booking` by default.
        change: Changes a pending booking, in the extended toolset; `change_<kind>_booking` by
            default.
        needs: Fields of its table that a search cannot do without; all others are filters.
        filters: Fields that a search may be given; by default all choices and days, of offers held
            by the day all choices. A price among them is bounded from above, by `max_price`.
        shows: Fields that search and look show, each those of its table; by default all. What a
            search was asked for is said once, above its list.
        extended: Which of them the extended toolset alone has.
        category: As agents' tool lists are grouped; by default the provider's or offer's plural.
        texts: Descriptions by tool, or of an argument by `tool.argument`, where they are to be
            others.
    """

    search: str = ""
    look: str = ""
    price: str | None = None
    book: str = ""
    details: str | None = None
    cancel: str | None = ""
    change: str | None = ""
    needs: Sequence[str] = ()
    filters: Sequence[str] | None = None
    shows: Sequence[str] | None = None
    extended: Sequence[Literal["cancel", "change"]] = ("change",)
    category: str = ""
    texts: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, eq=False)
class Offer:
    """What is sold: one row is one offer, and a booking holds units of it.

    Attributes:
        name: Singular noun; its table is the plural, its id `<name>_id`.
        prefix: Of its ids, two letters.
        fields: What it shows, by name; those that its provider `shares` stand in that one's table,
            with those that these alone decide.
        provider: What it is part of; without one it is sold as it stands and is its own entity.
        kind: What a booking of it is called; its own name by default.
        always: What holds of every offer, a sentence each: a predicate over one offer.
        names: Its names, where it has some and no provider.
        holds: How bookings hold it.
        unit: What one unit is called, such as `night`.
        units: The wish that says how many units a job needs, by its key; one by default.
        cost: The cents of a number of units together, from `(price of a unit, units)`: operators
            only, and linear in the price; by default so many times the price.
        tools: Names of its tools.
        words: Words that mean one, in texts; the kind by default.
        incidental: Fields in which alone no two offers differ, as in how many are left.
        bundles: Fields over which the audit counts offers, by what that is called.
        adds: Calls that put it in a store (paper A.5): of its provider, then of itself; one where a
            provider is added with all its offers. `add_<provider>`, `add_<offer>` by default.
    """

    name: str
    prefix: str
    fields: Mapping[str, Field]
    provider: Provider | None = None
    kind: str = ""
    always: Mapping[str, Predicate] = field(default_factory=dict)
    names: Names | None = None
    holds: Holding = field(default_factory=Single)
    unit: str = "booking"
    units: str | None = None
    cost: Callable[[Any, Any], Any] = mul
    tools: Tools = field(default_factory=Tools)
    words: Sequence[str] = ()
    incidental: Sequence[str] = ()
    bundles: Mapping[str, Sequence[str]] = field(default_factory=dict)
    adds: Sequence[str] = ()
    plural: str = ""
    digits: int = 5

    @property
    def table(self) -> str:
        """The name of its table."""
        return self.plural or f"{self.name}s"

    @property
    def key(self) -> str:
        """The column of its id."""
        return f"{self.name}_id"

    @property
    def booked_as(self) -> str:
        """What a booking of it is called: the name of its `Kind` and of its node type."""
        return self.kind or self.name


@dataclass(frozen=True, slots=True, eq=False)
class Slot:
    """One thing that a complete job needs: a node of the constraint graph.

    Attributes:
        id: As certified solutions, facts and rules name it.
        offer: What fills it.
        title: What it is called when spoken of, such as `GP appointment`.
        words: Words that mean it, in what agents write.
        cue: Regular expression over casefolded text that finds it; made of the words by default.
        role: Values that what fills it has in every task, by field; see also `Want.role`.
        days: Refs of the days on which it must begin and end, where its offer is held by the day
            and other slots with the same offer begin and end on others; its checks are its own.
        check: Label of the check that it is filled.
        wishes: Label of the check that it is as wished.
    """

    id: str
    offer: Offer
    title: str
    words: Sequence[str] = ()
    cue: str = ""
    role: Mapping[str, Value] = field(default_factory=dict)
    days: tuple[str, str] | None = None
    check: str = ""
    wishes: str = ""

    @property
    def kind(self) -> str:
        """Name of the kind of booking that fills it, and of its node's type."""
        return self.offer.booked_as

    @property
    def stay(self) -> Stay | None:
        """How it is held by the day, if it is."""
        held = self.offer.holds
        if not isinstance(held, Stay) or self.days is None:
            return held if isinstance(held, Stay) else None
        begins, ends = self.days
        return replace(held, begins=begins, ends=ends, checks=("", ""))


@dataclass(frozen=True, slots=True, eq=False)
class Wording:
    """How a fact is told and asked for; what is left out is derived.

    `{value}` and `{phrase}` stand for the value.

    Attributes:
        say: As sentences.
        short: As fragments.
        none: What is answered where there is no such wish.
        ask: Regular expressions over casefolded text by which an agent asks for it.
        trade: In the words of the trade.
        unit: Singular and plural of a count, such as `("1 night", "{n} nights")`.
        phrases: For values that are said in another way after `{phrase}`.
        cues: Regular expressions that find a value, where not its own words do.
        hours: Hours of the day, `[from, until)`, by value, where a clock time tells it.
        parts: Of a joint wish regular expressions that all find something where it is told whole,
            `{n}` for a number; or those of each value.
        about: Of a joint wish, that finds where it is spoken of, told whole or not.
        clarify: Of a joint wish that was told, those that find where it is asked what it means.
        outcome: Of a joint wish that the tables settle, those that find where it is said how that
            comes out, which no user knows.
        endings: Of a likeness, the last words of values that people leave off, in small letters.
        overlaps: Whether what is of one value may do for who wants another, as vegan food for a
            vegetarian: then nobody tells a value by those that it is not.
    """

    say: Texts = ()
    short: Texts = ()
    none: Texts = ()
    ask: Texts = ()
    trade: Texts = ()
    unit: tuple[str, str] | None = None
    phrases: Mapping[Any, str] = field(default_factory=dict)
    cues: Mapping[Any, str] = field(default_factory=dict)
    hours: Mapping[Any, tuple[float, float]] = field(default_factory=dict)
    parts: Texts | Mapping[Any, Texts] = ()
    about: str = ""
    clarify: Texts = ()
    outcome: Texts = ()
    endings: Texts = ()
    overlaps: bool = False


Compare = Literal["equals", "at_least", "at_most"]


@dataclass(frozen=True, slots=True, eq=False)
class Want:
    """What users can want: values, where they bite, and how they are said.

    Attributes:
        key: The field of the request and the fact.
        values: What is drawn from, repeated to be likelier; or a function of the request so far
            that returns it. ISO dates where it bites on a day.
        on: Fields that it bites on, such as `gp.time_of_day`; none where rules alone read it.
        compare: How an offer's value compares with the wish; sets must hold it.
        odds: How often there is such a wish; or for each value of the first axis.
        basic: Whether it may be said upfront.
        role: Whether it says which offers are meant rather than what is liked: what breaks it fits
            no slot.
        sentence: The requirement of an offer, `{}` for the value; derived by default.
        axis: Whether its values take turns over the tasks, as an axis of that name; see `Axis`.
        wording: How it is told and asked for.
    """

    key: str
    values: Sequence[Value] | Callable[[Any], Sequence[Value]]
    on: Sequence[str] = ()
    compare: Compare = "equals"
    odds: float | Mapping[str, float] = 1.0
    basic: bool = False
    role: bool = False
    sentence: str = ""
    axis: "Axis | None" = None
    wording: Wording = field(default_factory=Wording)


@dataclass(frozen=True, slots=True)
class Axis:
    """An axis of stratification: a property of tasks whose values take turns.

    Attributes:
        name: As `tasks --json`, SQL and exports call it.
        title: As pages call it; the name by default.
        values: For a window: what it is called by its width; else those of the want.
    """

    name: str
    title: str = ""
    values: tuple[Value, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class Window:
    """The days from which one is chosen, both ends included, of one slot's day.

    Facts have it as one date, or as first and last; requests as `first_day` and `last_day`.

    Attributes:
        key: The fact.
        on: The field it bites on, such as `gp.date`.
        widths: Numbers of days, which take turns where there is an axis.
        ahead: Days from today to the first, from and to.
        check: Label of its check.
    """

    key: str
    on: str
    widths: tuple[int, ...] = (1, 5)
    axis: Axis | None = None
    ahead: tuple[int, int] = (14, 75)
    check: str = ""
    wording: Wording = field(default_factory=Wording)


@dataclass(frozen=True, slots=True, eq=False)
class Rule:
    """A constraint between parts, declared once: sampling, SQL, certification and grading use it.

    Attributes:
        name: As active edges and graphs name it; also the fact, where it is optional.
        holds: The predicate. Its parameters are slots by id (`return_` for `return`), whose fields
            it reads as attributes, and `r` for the request, whose days are day numbers. Operators
            alone, `+ - * // % abs`, comparisons, `& | ~`: `and`, `or`, `not` and chained
            comparisons are refused when the domain is loaded. Where it reads a wish that a request
            does not have, the request has no such rule.
        sentence: What it says, `{r.nights}` for a value of the request.
        odds: How often a request asks for it; `None` where every job has it, or where it is joint.
        check: Label of its check.
        title: What its check says in a few words; the sentence by default.
        wording: How it is told, where it is optional.
        joint: Whether it is a joint wish: a condition, alternatives or a share, over one slot or
            several, which a request has at a level of difficulty alone that asks for such.
        values: What a joint wish is drawn from; it reads its own value as `r.<name>`.
        suits: Which of its values suit a request, from what is drawn of that before; all of them by
            default.
        instead: Wants and optional rules whose place it takes: a request that has it has none.
        unless: The rule or `TOTAL_BUDGET` before which it gives way, so that it counts only where
            the tables let both hold; it is about one slot then.
        whichever: The one field that it reads, `slot.field`: of the values that it lets only that
            counts with which the whole job can be had for less than with any other of them.
        least: The fields, `slot.field`, whose sum is to be the least with which a whole job can be
            had that meets all else; it says that they come to `r.<name>` at most, and the tables
            settle that. Only requests of two joint wishes or more have it.
    """

    name: str
    holds: Predicate
    sentence: str
    odds: float | None = None
    check: str = ""
    title: str = ""
    wording: Wording = field(default_factory=Wording)
    joint: bool = False
    values: Sequence[Value] = ()
    suits: Callable[[Any], Sequence[Value]] | None = None
    instead: Sequence[str] = ()
    unless: str = ""
    whichever: str = ""
    least: Sequence[str] = ()

    @property
    def is_settled(self) -> bool:
        """Whether the tables settle what it comes to, so that no user knows it."""
        return bool(self.whichever or self.least)

    @property
    def is_optional(self) -> bool:
        """Whether a request may do without it."""
        return self.joint or self.odds is not None


@dataclass(frozen=True, slots=True, eq=False)
class Budget:
    """A bound on what everything costs together.

    Attributes:
        odds: How often there is one; or for each value of the first axis.
        share: It is drawn as a cost that such a share of random combinations stays under.
        step: Dollars to whose multiple it is rounded up.
        check: Label of its check.
        wording: How it is told.
    """

    odds: float | Mapping[str, float] = 0.6
    share: tuple[float, float] = (0.10, 0.30)
    step: int = 10
    check: str = "D17"
    wording: Wording = field(default_factory=Wording)


@dataclass(frozen=True, slots=True, eq=False)
class People:
    """Who a job is for, where that is more than the customer.

    Attributes:
        size: The want that says how many, by its key.
        noun: What one is called, such as `guest`.
        words: Further nouns for one.
        names: The fact with their names, the customer's first.
        birth_dates: The fact with their dates of birth.
    """

    size: str
    noun: str = "guest"
    words: Sequence[str] = ()
    names: str = "guest_names"
    birth_dates: str = "birth_dates"


@dataclass(frozen=True, slots=True, eq=False)
class Directory:
    """A table that is the same in every task, and the tool that lists it, such as of all wards.

    Attributes:
        name: Of the table, a plural.
        rows: Alike in their columns, texts or integers; the first one is the key.
        tool: `list_<name>` by default; `None` where agents do not see it.
        category: As agents' tool lists are grouped; by default the name.
    """

    name: str
    rows: Sequence[Row]
    tool: str | None = ""
    category: str = ""

    @property
    def table(self) -> Table:
        """The table."""
        first = self.rows[0]
        types = {
            name: "VARCHAR" if isinstance(one, str) else "INTEGER" for name, one in first.items()
        }
        return Table(self.name, next(iter(first)), types)


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Declaration:
    """A domain as its author declares it.

    Attributes:
        name: As `--domain` names it.
        version: Of its task set: one more whenever the same seed gives other rows.
        reads: Earlier versions whose benchmarks can still be listed, certified and graded on: their
            requests, columns and values mean what they mean now. Columns made since are NULL there.
        slots: What a job needs, in the order in which it is spoken of.
        wants: What users can want, in the order in which details are told.
        rules: Constraints between parts.
        opening: First turns of the user, with basic facts by key; `opening_short` as fragments and
            `opening_trade` in the words of the trade.
        job: What all of it is called, such as `trip`; `whole` are further words for it.
        intro: What the agent books, as its policy says.
        duties: Further lines of the policy, where the derived ones do not say it.
        horizon: First and last day on which there is anything, as offsets in days from the window's
            ends; a string names a want to be added, such as `("nights", 2)`.
        optional_odds: Odds of the sets of optional rules asked for together, the budget as
            `total_budget`, for each value of the first axis; by default they are independent.
        spread: Keys of what selection spreads tasks over (paper A.3); by default all axes.
        properties: What tasks are shown to be distributed over; derived by default.
        amenities: Words, as regular expressions, of what may be offered beside what users want.
        groups: Words that mean several slots: `{"sessions?": ("first", "second")}`.
        human: Words, as regular expressions, that mean a human agent beside the engine's; `nobody`
            are the engine's words that do not, here.
        tools: Further tools of the agent, by which derived ones of the same name are replaced. They
            refuse calls by `ToolCallError`, whose codes may be the engine's `ErrorCode` or others.
        directories: Further tables that are the same in every task.
        lexicon: What is to be otherwise in the derived lexicon, in the form of its files.
        vocabulary: What is to be otherwise in the derived vocabulary, by field.
        claims: Further ways in which users' statements are recognised, see `Claim`.
        sources: Modules and packages whose sources decide verdicts; by default those in which its
            predicates stand.
        publication: The paper that it comes from, with what that states of its tasks.
    """

    name: str
    slots: Sequence[Slot]
    wants: Sequence[Want]
    opening: Texts
    version: int = 1
    reads: Sequence[int] = ()
    rules: Sequence[Rule] = ()
    window: Window | None = None
    budget: Budget | None = None
    people: People | None = None
    opening_short: Texts = ()
    opening_trade: Texts = ()
    job: str = "job"
    whole: Sequence[str] = ()
    intro: str = ""
    duties: Sequence[str] = ()
    horizon: tuple[tuple[int | str, ...], tuple[int | str, ...]] = ((-2,), (2,))
    optional_odds: Mapping[str, Mapping[tuple[str, ...], float]] = field(default_factory=dict)
    spread: Sequence[str] = ()
    properties: Sequence[TaskProperty] = ()
    amenities: Texts = ()
    asides: Texts = ()
    asides_short: Texts = ()
    groups: Mapping[str, Sequence[str]] = field(default_factory=dict)
    human: Texts = ()
    nobody: Texts = ()
    policy: str | None = None
    tools: Sequence[Tool] = ()
    directories: Sequence[Directory] = ()
    lexicon: Mapping[str, Any] = field(default_factory=dict)
    vocabulary: Mapping[str, Any] = field(default_factory=dict)
    claims: Sequence[Any] = ()
    sources: Sequence[str] = ()
    publication: Publication | None = None

    @property
    def offers(self) -> tuple[Offer, ...]:
        """What its slots are filled with, each once."""
        return tuple({slot.offer.booked_as: slot.offer for slot in self.slots}.values())

    @property
    def joint_rules(self) -> tuple[Rule, ...]:
        """Its joint wishes."""
        return tuple(rule for rule in self.rules if rule.joint)

    @property
    def modules(self) -> tuple[str, ...]:
        """Names of the modules and packages whose sources decide verdicts."""
        predicates = [rule.holds for rule in self.rules]
        predicates += [holds for offer in self.offers for holds in offer.always.values()]
        return tuple(self.sources or dict.fromkeys(one.__module__ for one in predicates))

    @property
    def is_free(self) -> bool:
        """Whether nothing that it sells has a price."""
        fields = (field for offer in self.offers for field in offer.fields.values())
        return not any(isinstance(field, Price) for field in fields)

    def field_at(self, ref: str) -> Field:
        """Return the field of a slot's offer that a ref such as `gp.specialty` names."""
        slot, _, name = ref.partition(".")
        return next(one.offer.fields[name] for one in self.slots if one.id == slot)
