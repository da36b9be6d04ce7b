"""Tables of the booking store: those every domain shares, and a task's own rows (section 3.1)."""

from collections.abc import Iterable, Mapping, Sequence
from operator import itemgetter
from typing import Any, NamedTuple

from crab_graph.tools.fault_schedule import WorldFault

Row = dict[str, Any]


class Table(NamedTuple):
    """One table of the booking store.

    Its columns have SQL types; the first is the key, a string. A private table belongs to the
    user's private database, which no agent tool may show.
    """

    name: str
    key: str
    columns: Mapping[str, str]
    private: bool = False


def _text(*names: str) -> dict[str, str]:
    return {name: "VARCHAR" for name in names}


PLATFORM_TABLES = (
    Table(
        "customers",
        "customer_id",
        {**_text("customer_id", "name", "email", "phone", "address"), "date_of_birth": "DATE"},
    ),
    Table(
        "payment_methods",
        "payment_method_id",
        {
            **_text("payment_method_id", "customer_id", "card_id", "brand", "last4"),
            "is_default": "BOOLEAN",
        },
    ),
    Table(
        "bookings",
        "booking_id",
        {
            **_text("booking_id", "customer_id", "kind", "entity_id", "status"),
            "total_cents": "BIGINT",
        },
    ),
    Table(
        "transactions",
        "transaction_id",
        {
            **_text("transaction_id", "booking_id", "customer_id", "payment_method_id", "kind"),
            "amount_cents": "BIGINT",
        },
    ),
    Table("transfers", "transfer_id", _text("transfer_id", "summary")),
)

PRIVATE_TABLES = (
    Table(
        "cards",
        "card_id",
        {**_text("card_id", "brand", "last4"), "limit_cents": "BIGINT", "is_default": "BOOLEAN"},
        private=True,
    ),
    Table(
        "approvals",
        "approval_id",
        {**_text("approval_id", "booking_id", "payment_method_id"), "amount_cents": "BIGINT"},
        private=True,
    ),
)


WORLD_FAULTS = Table(
    "world_faults",
    "fault_id",
    {**_text("fault_id", "kind", "stage", "subject"), "seen": "BIGINT"},
    private=True,
)
"""How far the faults of the world have come, in tasks that have any: kept in the log alone."""


class EntityTable(NamedTuple):
    """Where the entities of one booking kind are stored, and the column of their names, if any."""

    table: str
    name_column: str | None


class World:
    """The initial tables of one task, built once and shared by all its episodes.

    Rows are handed out as they are stored and must not be changed. They come ordered by key,
    whatever order they were loaded in. The ids made in the task's episodes are derived from its
    own; the private tables hold the wallet of the one customer.
    """

    __slots__ = (
        *("_indexes", "_rows", "customer_id", "faults", "fees", "keys", "tables"),
        *("task_id", "today"),
    )

    def __init__(
        self,
        *,
        task_id: str,
        today: str,
        customer_id: str,
        schema: Sequence[Table],
        rows: Mapping[str, Iterable[Row]],
        faults: Sequence[WorldFault] = (),
        fees: int = 0,
    ) -> None:
        """Build a world from the rows of each table, of which those without rows may be left out.

        Dates in them are ISO strings, money is cents; `schema` has all tables of the domain. A
        schedule of faults, if any, is played by the tools; lists leave `fees` out, if any.
        """
        self.faults = tuple(faults)
        self.fees = fees
        self.task_id = task_id
        self.today = today
        self.customer_id = customer_id
        self.keys = {table.name: table.key for table in schema}
        self.tables = {
            name: {row[key]: row for row in sorted(rows.get(name, ()), key=itemgetter(key))}
            for name, key in self.keys.items()
        }
        self._rows = {name: tuple(stored.values()) for name, stored in self.tables.items()}
        self._indexes: dict[tuple[str, str], dict[Any, tuple[Row, ...]]] = {}

    def get(self, table: str, key: str) -> Row | None:
        """Return the row with that key, if there is one."""
        return self.tables[table].get(key)

    def rows(self, table: str) -> tuple[Row, ...]:
        """Return all rows of a table, ordered by key."""
        return self._rows[table]

    def find(self, table: str, column: str, value: Any) -> tuple[Row, ...]:
        """Return the rows with that value in a column, ordered by key."""
        if (table, column) not in self._indexes:
            groups: dict[Any, list[Row]] = {}
            for row in self._rows[table]:
                groups.setdefault(row[column], []).append(row)
            self._indexes[table, column] = {key: tuple(group) for key, group in groups.items()}
        return self._indexes[table, column].get(value, ())


def picked(row: Row, *columns: str) -> Row:
    """Return some columns of a row."""
    return {column: row[column] for column in columns}
