"""Calls of tools as nobody should make them, drawn from what a domain's tools declare.

About half of a call's arguments make sense in the tables at hand, so that bookings, payments and
cancellations come about; the others are of the wrong type, size or owner, and calls are repeated.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from datetime import date, timedelta
from decimal import Decimal
from random import Random
from typing import Any, NamedTuple

from crab_graph.domain.contract import Domain
from crab_graph.randomness import derive_rng
from crab_graph.tools.ledger import Ledger
from crab_graph.tools.registry import Owner, Tool, ToolOutcome
from crab_graph.tools.tables import Row, World
from tests.soak.conservation import Conservation, require

LENGTH = 120
"""Calls in an episode."""

HOT = 4
"""Offers of each kind that most calls are about, so that they are sold out soon."""

HOSTILE: tuple[Any, ...] = (
    *(None, True, False, 0, -1, 1, 7, 2**31, 2**63, -(2**63), 10**30, 10**400),
    *(0.1, -0.0, 1.5, 1e308, float("nan"), float("inf"), float("-inf")),
    *("", " ", "\n", "\0", "0", "-1", "NaN", "null", "None", "true", "1e9", "１２", "x" * 3000),
    *("'; DROP TABLE bookings; --", "' OR '1'='1", "\"; ATTACH '/etc/passwd'", "%s%n", "${HOME}"),
    *("../../../../etc/passwd", "/dev/zero", "file:///etc/passwd", "C:\\Windows", "http://[::1"),
    *("Zoë Ångström", "山田太郎", "\u202eABC", "e\u0301", "\ud800", "👩‍👩‍👧", "İıſK", "\ufeff"),
    *("2027-02-30", "0000-00-00", "9999-12-31", "2027-05-01T00:00", "tomorrow", "20270501"),
    *("300.00", "$300", "0.001", "-5", "1,000,000,000,000", "300 EUR", "∞"),
    *([], {}, [None], [[]], [{}], {"$ref": "#"}, {"a": {"b": [1]}}, ["x"] * 50, {"": ""}),
    *(b"bytes", Decimal("1.10"), Decimal("sNaN"), (1, 2), {1, 2}, object(), date(2027, 5, 1)),
)
NOT_ARGUMENTS: tuple[Any, ...] = (None, [], "{}", 3, {"": 1}, {3: 4}, b"{}", [["a", 1]])
NOT_TOOLS: tuple[Any, ...] = ("", "drop_table", None, 7, "__class__", ["x"], "book_hotel\0")


class Call(NamedTuple):
    """Who calls what, and with what."""

    owner: Owner
    name: Any
    arguments: Any


class Step(NamedTuple):
    """A call, what it gave, and the tables after it."""

    call: Call
    outcome: ToolOutcome
    after: Ledger


class HostileCaller:
    """Draws the calls of one episode."""

    def __init__(self, domain: Domain, world: World, rng: Random) -> None:
        """Choose the offers that most calls are about."""
        self._rng = rng
        registry = domain.registry()
        self._tools = [tool for owner in Owner for tool in registry.tools(owner)]
        writes = [tool for tool in self._tools if tool.mutates and tool.type != "G"]
        books = {kind.tools.book for kind in domain.kinds.values() if kind.tools is not None}
        dear = [tool for tool in writes if tool.name in {*books, "charge_booking"}]
        self._writes = [*writes, *dear, *dear]
        schemas = [one["function"] for owner in Owner for one in registry.openai_schemas(owner)]
        self._schemas = {one["name"]: one["parameters"]["properties"] for one in schemas}
        self._columns: dict[str, set[str]] = {}
        for table, rows in world.tables.items():
            for column in next(iter(rows.values()), ()):
                self._columns.setdefault(column, set()).add(table)
        offers = [kind.offer for kind in domain.kinds.values()]
        self._hot = [
            rng.sample(world.rows(one.name), min(HOT, len(world.rows(one.name)))) for one in offers
        ]
        self._made: list[Call] = []

    def draw(self, tables: Ledger) -> Call:
        """Return the next call."""
        drawn = self._rng.random()
        if drawn < 0.1 and self._made:
            return self._rng.choice(self._made[-12:])
        if drawn < 0.13:
            return Call(self._pick(list(Owner)), self._pick(NOT_TOOLS), {})
        tool: Tool = self._pick(self._writes if drawn < 0.9 else self._tools)
        if tool.type == "G" and self._rng.random() < 0.9:
            tool = self._pick(self._writes)
        owner = tool.owner if self._rng.random() < 0.98 else self._pick(list(Owner))
        call = Call(owner, tool.name, self._arguments(tool, tables))
        self._made.append(call)
        return call

    def _pick(self, choices: Sequence[Any]) -> Any:
        return self._rng.choice(choices)

    def _arguments(self, tool: Tool, tables: Ledger) -> Any:
        if self._rng.random() < 0.03:
            return self._pick(NOT_ARGUMENTS)
        about = self._subject(tool, tables)
        is_sane = self._rng.random() < 0.6
        found = {
            name: self._value(name, schema, about, tables)
            if is_sane or self._rng.random() < 0.75
            else self._pick(HOSTILE)
            for name, schema in self._schemas[tool.name].items()
        }
        if is_sane:
            self._order_days(found)
        if not is_sane and self._rng.random() < 0.1:
            found[self._pick(["extra", "", "call", "__dict__"])] = self._pick(HOSTILE)
        if not is_sane and found and self._rng.random() < 0.1:
            del found[self._pick(list(found))]
        return found

    def _subject(self, tool: Tool, tables: Ledger) -> Row:
        """Return a row of what a call is about, and of whose it is."""
        bookings, methods = tables.rows("bookings"), tables.rows("payment_methods")
        names = self._schemas[tool.name]
        fitting = [rows for rows in self._hot if rows and set(rows[0]) & _singular(names)]
        about: Row = dict(self._pick(self._pick(fitting or self._hot)))
        about["customer_id"] = self._pick([tables.world.customer_id] * 5 + self._ids(tables))
        if bookings and "booking_id" in names:
            booking = self._pick([*bookings, *tables.inserted("bookings")[-4:] * 3])
            hot = [row for rows in self._hot for row in rows]
            about = dict(
                self._pick([row for row in hot if booking["entity_id"] in row.values()] or hot)
            )
            about |= {"booking_id": booking["booking_id"], "customer_id": booking["customer_id"]}
            about["amount"] = booking["total_cents"] / 100
        own = [one for one in methods if one["customer_id"] == about["customer_id"]]
        if own or methods:
            about["payment_method_id"] = self._pick(own or methods)["payment_method_id"]
        return about

    def _ids(self, tables: Ledger) -> list[str]:
        return [row["customer_id"] for row in tables.rows("customers")]

    def _value(self, name: str, schema: Mapping[str, Any], about: Row, tables: Ledger) -> Any:
        """Return what makes sense for an argument, more or less."""
        if schema.get("type") == "array":
            return self._several(name, schema["items"], about, tables)
        if schema.get("format") == "date":
            return self._day(about)
        if name in about:
            return about[name]
        if "enum" in schema:
            return self._pick(schema["enum"])
        if schema.get("type") == "integer":
            return self._pick([0, 1, 1, 1, 2, 2, 3, 50])
        if places := self._columns.get(name):
            rows = tables.rows(self._pick(sorted(places)))
            return self._pick(rows)[name] if rows else "none"
        return self._pick(["300.00", "Ana Ruiz", "312-555-0177", "ana@example.com", "morning"])

    def _several(self, name: str, schema: Mapping[str, Any], about: Row, tables: Ledger) -> Any:
        number = self._pick([0, 1, 1, 1, 1, 1, 2, 2, 2, 3])
        if schema.get("type") == "object":
            entry = {
                one: self._value(one, inner, about, tables)
                for one, inner in schema["properties"].items()
            }
            if number and self._rng.random() < 0.05:
                entry[self._pick(list(entry))] = self._pick(HOSTILE)
            return [dict(entry) for _ in range(number)]
        known, number = about.get(name.removesuffix("s")), min(number, self._pick([1, 1, 3]))
        more = [about[key] for key in sorted(about)]
        return [known if one == 0 else self._pick([known, *more]) for one in range(number)]

    def _day(self, about: Row) -> str:
        days = sorted(value for value in about.values() if _is_day(value)) or ["2027-05-01"]
        moved = date.fromisoformat(days[0]) + timedelta(days=self._pick([-1, 0, 0, 0, 1, 1, 2, 4]))
        return moved.isoformat()

    def _order_days(self, arguments: dict[str, Any]) -> None:
        """Let a stay begin before it ends, as most do."""
        days = [name for name, value in arguments.items() if _is_day(value)]
        if len(days) > 1 and self._rng.random() < 0.9:
            begins, *later = sorted(arguments[name] for name in days)
            after = date.fromisoformat(begins) + timedelta(days=self._rng.randint(1, 3))
            ends = [max(one, after.isoformat()) for one in later]
            arguments.update(zip(days, [begins, *ends], strict=True))


def _singular(names: Mapping[str, Any]) -> set[str]:
    entries = (schema.get("items", {}).get("properties", {}) for schema in names.values())
    return {name.removesuffix("s") for name in names} | {key for one in entries for key in one}


def _is_day(value: Any) -> bool:
    return isinstance(value, str) and len(value) == 10 and value[4] == value[7] == "-"


def hostile_episode(domain: Domain, world: World, *seed: str | int) -> Iterator[Step]:
    """Yield the calls of an episode, each when everything is found to be conserved after it.

    Raises:
        Leak: something is not.
    """
    registry, tables = domain.registry(), Ledger.fold(world)
    caller = HostileCaller(domain, world, derive_rng("hostile calls", *seed))
    accounts = Conservation(domain, tables)
    accounts.check_all(tables)
    for _ in range(LENGTH):
        call = caller.draw(tables)
        outcome = registry.call(tables, *call)
        after = tables.extended(outcome.events)
        check_outcome(domain, call, outcome)
        accounts.check(tables, after, outcome.events)
        yield Step(call, outcome, after)
        tables = after
    accounts.check_all(tables)


def check_outcome(domain: Domain, call: Call, outcome: ToolOutcome) -> None:
    """See that a call gives one JSON object, and writes only where its tool may and it went well.

    Raises:
        Leak: it does not.
    """
    found = json.loads(outcome.content)
    require(isinstance(found, dict), "no object:", outcome.content)
    if outcome.is_error:
        require(set(found) == {"error", "message"}, "an error of another form:", found)
        require(bool(found["message"]), "an error that says nothing:", found)
    may_write = not outcome.is_error and domain.registry().get(call.name).mutates
    require(may_write or not outcome.events, "a call writes that may not:", call)
