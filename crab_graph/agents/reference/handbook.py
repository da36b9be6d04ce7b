"""What an agent may know of a domain: how its users speak, what a job needs, how it is booked."""

from collections import deque
from collections.abc import Mapping, Sequence
from functools import cached_property
from itertools import chain
from typing import Any, NamedTuple

from crab_graph.agents.reference.wish_vocabulary import CUSTOMER, EMAIL, Wishes
from crab_graph.agents.reference.wishes import WishReader
from crab_graph.dates import day_number, iso_date
from crab_graph.domain.contract import Domain, TaskSlot
from crab_graph.domain.declaration import Rule, Slot, Want
from crab_graph.domain.derived_lexicon import lexicon
from crab_graph.domain.fields import Several
from crab_graph.domain.kind import Kind, KindTools
from crab_graph.domain.request_types import GIVEN_UP, is_certain
from crab_graph.errors import UsageError
from crab_graph.generation.constraints import Ref, Value

BUDGET = "budget"


class Decided(NamedTuple):
    """A value that wishes or roles decide: as tools take it, and in engine values where known."""

    told: Value
    value: Value | None


class Handbook:
    """A domain as an agent knows it: its declaration, its words, its tools; nothing of a task."""

    def __init__(self, domain: Domain) -> None:
        """Read a domain.

        Raises:
            UsageError: it does not say which tools find and book something.
        """
        self.domain = domain
        self.declaration = domain.declaration
        joint = self.declaration.joint_rules
        self.lexicon = lexicon(self.declaration) if joint else domain.lexicon
        whole = domain.grading.vocabulary().whole_words
        self.reader = WishReader(self.lexicon, self.declaration, whole)
        tools = [self.tools_of(slot) for slot in domain.slots]
        self.search_tools = tuple(dict.fromkeys(one.search.tool for one in tools))
        priced = (one.price for one in tools if one.price is not None)
        self.price_tools = tuple(dict.fromkeys(one.tool for one in priced))
        self.booking_tools = tuple(dict.fromkeys(one.book for one in tools))

    @cached_property
    def slots(self) -> Mapping[str, TaskSlot]:
        """Its slots by id."""
        return {slot.id: slot for slot in self.domain.slots}

    def kind_of(self, slot: TaskSlot) -> Kind:
        """Return the kind of booking that fills a slot."""
        return self.domain.kinds[slot.kind]

    def tools_of(self, slot: TaskSlot) -> KindTools:
        """Return how a slot's offers are found and booked.

        Raises:
            UsageError: the domain does not say.
        """
        tools = self.kind_of(slot).tools
        if tools is None:
            raise UsageError(f"kind '{slot.kind}' does not say which tools book it")
        return tools

    @cached_property
    def declared(self) -> Mapping[str, Slot]:
        """The declarations of its slots."""
        return {slot.id: slot for slot in self.declaration.slots}

    @cached_property
    def outline(self) -> tuple[str, ...]:
        """Keys of what must be known before anything can be searched for."""
        window = self.declaration.window
        keys = [want.key for want in self.declaration.wants if want.basic and _is_certain(want)]
        return tuple(keys) if window is None else (*keys, window.key)

    @cached_property
    def needed(self) -> tuple[str, ...]:
        """Keys of what every job needs, in the order in which it is asked for."""
        wants = [want.key for want in self.declaration.wants if _is_certain(want)]
        window, people = self.declaration.window, self.declaration.people
        personal = () if people is None else (people.names, people.birth_dates)
        known = {*wants, *personal, *(() if window is None else (window.key,))}
        in_order = [key for key in self.lexicon.facts if key in known]
        return (*(key for key in in_order if key not in personal), CUSTOMER, *personal)

    @cached_property
    def preferences(self) -> tuple[str, ...]:
        """Keys of what some users wish, in the order of the lexicon."""
        optional = {want.key for want in self.declaration.wants if not _is_certain(want)}
        optional |= {rule.name for rule in self.declaration.rules if rule.odds is not None}
        if self.declaration.budget is not None:
            optional.add(BUDGET)
        return tuple(key for key in self.lexicon.facts if key in optional)

    @cached_property
    def tellable(self) -> tuple[str, ...]:
        """Keys of all that a user can tell of a job, in the order of the lexicon.

        Joint wishes are among it, which nobody asks for by name.
        """
        joint = (rule.name for rule in self.declaration.joint_rules)
        known = {*self.needed, *self.preferences, *joint}
        return tuple(key for key in self.lexicon.facts if key in known)

    def compares(self, key: str) -> str:
        """Return how an offer's value compares with a wish, by its key."""
        wants = (want for want in self.declaration.wants if want.key == key)
        return next((str(want.compare) for want in wants), "equals")

    def party(self, wishes: Wishes) -> int | None:
        """Return how many people a job is for, if that is known."""
        people = self.declaration.people
        return 1 if people is None else wishes.get(people.size)

    def missing(self, wishes: Wishes) -> list[str]:
        """Return the keys of what must be known before a job can be booked."""
        party, people = self.party(wishes), self.declaration.people
        missing = [key for key in self.needed if key not in wishes]
        if CUSTOMER in missing and EMAIL in wishes:
            missing.remove(CUSTOMER)
        for key in () if people is None or party is None else (people.names, people.birth_dates):
            if key in wishes and len(wishes[key]) != party:
                missing.append(key)
        return missing

    def has_outline(self, wishes: Wishes) -> bool:
        """Tell whether a job can be searched for at all."""
        return all(key in wishes for key in self.outline)

    def people(self, wishes: Wishes) -> tuple[tuple[str, str], ...] | None:
        """Return names and birth dates of those it is for; `None` where they are not known.

        It is nobody where that is the customer alone.
        """
        people, party = self.declaration.people, self.party(wishes)
        if not (CUSTOMER in wishes or EMAIL in wishes) or party is None:
            return None
        if people is None:
            return ()
        names, births = wishes.get(people.names, ()), wishes.get(people.birth_dates, ())
        if not len(names) == len(births) == party:
            return None
        return tuple(zip(names, births, strict=True))

    @property
    def compared(self) -> list[Rule]:
        """The wishes for the cheaper of some values, or for the least sum."""
        return [rule for rule in self.declaration.joint_rules if rule.is_settled]

    def request(self, wishes: Wishes, given_up: Sequence[str] = ()) -> Any:
        """Return the request that the wishes come to; what is not known is no wish.

        Those `given_up` give way before what is asked for beside them.
        """
        fields: dict[str, Any] = {want.key: wishes.get(want.key) for want in self.declaration.wants}
        window = self.declaration.window
        if window is not None:
            fields["first_day"], fields["last_day"] = wishes[window.key]
        if self.declaration.budget is not None:
            fields["budget_cents"] = wishes.get(BUDGET)
        for rule in self.declaration.rules:
            if rule.is_optional:
                told = wishes.get(rule.name)
                fields[rule.name] = told if rule.values else bool(told)
        if given_up:
            fields[GIVEN_UP] = tuple(given_up)
        return self.domain.request_type.model_construct(**fields)

    def decided(self, slot: str, wishes: Wishes) -> dict[str, Decided]:
        """Return the properties of a slot's offer that its role or a wish decides."""
        declared = self.declared[slot]
        found = {name: Decided(value, value) for name, value in declared.role.items()}
        days = self.day_properties(slot)
        for want in self.declaration.wants:
            wished = wishes.get(want.key)
            for ref in want.on:
                owner, _, name = ref.partition(".")
                if owner != slot or wished is None or want.compare != "equals":
                    continue
                value = day_number(wished) if name in days else wished
                is_set = isinstance(declared.offer.fields.get(name), Several)
                found[name] = Decided(wished, None if is_set else value)
        return found

    def slots_of(self, key: str) -> tuple[str, ...]:
        """Return the slots on which a wish bites, by its key."""
        refs = (ref for want in self.declaration.wants if want.key == key for ref in want.on)
        return tuple(dict.fromkeys(ref.partition(".")[0] for ref in refs))

    def day_properties(self, slot: str) -> frozenset[str]:
        """Return the properties of a slot's offer that are days."""
        return self._days[slot]

    @cached_property
    def _days(self) -> Mapping[str, frozenset[str]]:
        found = {}
        for slot in self.domain.slots:
            kind = self.kind_of(slot)
            readings = chain.from_iterable(map(kind.readings, (kind.entity, kind.offer)))
            found[slot.id] = frozenset(one.name for one in readings if one.is_day)
        return found

    def stay_days(self, slot: str) -> dict[str, Ref]:
        """Return, for the columns of first and last day of a stay, the days that they must be."""
        held = self.declared[slot].stay
        if held is None:
            return {}
        refs = [ref.partition(".") for ref in (held.begins, held.ends)]
        ends = [(owner, name) for owner, _, name in refs]
        return dict(zip((held.first, held.last), ends, strict=True))

    def horizon(self, wishes: Wishes) -> Sequence[int]:
        """Return the days on which there can be anything, as day numbers."""
        window = self.declaration.window
        if window is None:
            return ()
        ends = zip(wishes[window.key], self.declaration.horizon, strict=True)
        first, last = (
            day_number(day) + sum(wishes.get(one, 0) if isinstance(one, str) else one for one in by)
            for day, by in ends
        )
        return range(first, last + 1)

    def told(self, slot: str, name: str, value: Value) -> Value:
        """Return an engine value as tools take it."""
        is_day = name in self.day_properties(slot) or name in self.stay_days(slot)
        return iso_date(int(value)) if is_day else value


def _is_certain(want: Want) -> bool:
    return is_certain(want.odds) or want.axis is not None


_KEPT = 8
_made: deque[Handbook] = deque(maxlen=_KEPT)


def handbook_of(domain: Domain) -> Handbook:
    """Return the handbook of a domain, made once."""
    for known in tuple(_made):
        if known.domain is domain:
            return known
    book = Handbook(domain)
    _made.append(book)
    return book
