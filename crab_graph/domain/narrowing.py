"""What a search is asked for: its arguments, and which rows they leave."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any, NamedTuple

from crab_graph.domain.clock_words import clock_words
from crab_graph.domain.derived_arguments import Argument, Values, is_listed, type_of_choice
from crab_graph.domain.english import spoken
from crab_graph.domain.fields import Choice, Price, Several
from crab_graph.domain.showing import OfferView
from crab_graph.generation.constraints import Value
from crab_graph.money import format_cents
from crab_graph.tools.arguments import Amount, IsoDate
from crab_graph.tools.ledger import BookingTables
from crab_graph.tools.registry import Result, ToolCall
from crab_graph.tools.tables import Row, Table

_Test = Callable[[Any], bool]


class Criteria(NamedTuple):
    """What was asked for, by column, and what results tell of it.

    Attributes:
        equal: Values that columns must have.
        tests: Tests that values of columns must pass.
        told: What was given, by argument.
        known: The properties whose values are thereby known.
    """

    equal: dict[str, Value]
    tests: dict[str, _Test]
    told: Result
    known: set[str]

    def select(self, tables: BookingTables, table: Table) -> list[Row]:
        """Return the rows of a table that fit, by the narrowest index there is."""
        equal = {name: value for name, value in self.equal.items() if name in table.columns}
        if not equal:
            return self._tested(table, tables.rows(table.name))
        days = [column for column in equal if table.columns[column] == "DATE"]
        first = next(iter((*days, *equal)))
        return self.among(table, tables.find(table.name, first, equal[first]), but=first)

    def among(self, table: Table, rows: Sequence[Row], but: str = "") -> list[Row]:
        """Return those of some rows of a table that fit; one column is known to."""
        for column, value in self.equal.items():
            if column in table.columns and column != but:
                rows = [row for row in rows if row[column] == value]
        return self._tested(table, rows)

    def _tested(self, table: Table, rows: Sequence[Row]) -> list[Row]:
        tests = [(column, test) for column, test in self.tests.items() if column in table.columns]
        return [row for row in rows if all(test(row[column]) for column, test in tests)]


@dataclass(frozen=True)
class Narrowing:
    """The arguments by which a search for offers is narrowed down."""

    view: OfferView

    def needed(self) -> Iterator[Argument]:
        """Yield the arguments that a search cannot do without."""
        for name in self.view.offer.tools.needs:
            text = spoken(name).capitalize()
            declared = self.view.offer.fields[name]
            if isinstance(declared, Choice) and declared.codes:
                text += ", by name or code"
            yield self._argument(name, text, is_needed=True)

    def optional(self) -> Iterator[Argument]:
        """Yield the arguments that keep a list short."""
        for name in self.view.filters():
            is_set = isinstance(self.view.offer.fields[name], Several)
            text = f"Only {'with this among its' if is_set else 'this'} {spoken(name)}"
            yield self._argument(name, text, is_needed=False)

    def bound(self, argument: str) -> str:
        """Return the property that an argument bounds or names."""
        is_price = argument not in self.view.offer.fields and argument == f"max_{self.view.price}"
        return str(self.view.price) if is_price else argument

    def read(self, call: ToolCall, given: Mapping[str, Any]) -> Criteria:
        """Return what was asked for.

        Raises:
            ToolCallError: a value is none of its field.
        """
        view, found = self.view, Criteria({}, {}, {}, set())
        for name in (*view.offer.tools.needs, *view.filters()):
            declared, column = view.offer.fields[name], view.columns[name]
            argument = f"max_{name}" if isinstance(declared, Price) else name
            value = given[argument]
            if value is None:
                continue
            if isinstance(declared, Choice | Several):
                value = self._value(call, name, declared, value)
            found.told[argument] = value
            if isinstance(declared, Price):
                found.told[argument] = format_cents(value)
                found.tests[column] = partial(_is_at_most, value)
            elif isinstance(declared, Several):
                found.tests[column] = partial(_is_among, value)
            else:
                found.equal[column] = value
                found.known.add(name)
        return found

    def _argument(self, name: str, text: str, *, is_needed: bool) -> Argument:
        declared = self.view.offer.fields[name]
        if isinstance(declared, Choice | Several):
            words = clock_words(self.view.offer, name)
            hours = "".join(f", by {one.shown}: {one.text}" for one in words)
            return Argument(name, type_of_choice(declared), f"{text}{hours}.", is_needed)
        if isinstance(declared, Price):
            text = f"Only what costs at most this per {self.view.offer.unit}."
            return Argument(f"max_{name}", Amount, text, is_needed=False)
        return Argument(name, IsoDate, f"{text}, YYYY-MM-DD.", is_needed)

    def _value(self, call: ToolCall, name: str, declared: Choice | Several, value: Value) -> Value:
        if is_listed(declared) or not isinstance(value, str):
            return value
        table = self.view.table_of(name)
        reader, column = self._readers[name], self.view.columns[name]
        return reader.read(
            value, lambda: sorted({row[column] for row in call.tables.rows(table.name)})
        )

    @cached_property
    def _readers(self) -> dict[str, Values]:
        fields = self.view.offer.fields.items()
        return {
            name: Values(name, one) for name, one in fields if isinstance(one, Choice | Several)
        }


def _is_at_most(bound: int, value: int) -> bool:
    return value <= bound


def _is_among(wanted: str, values: str) -> bool:
    return wanted in values.split(", ")
