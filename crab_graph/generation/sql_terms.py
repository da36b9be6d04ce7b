"""Symbols that turn a predicate into SQL by being passed to it (design §3).

A predicate is an ordinary function made of operators. Called with numbers it answers a truth value,
called with arrays an array, and called with `SqlTerm`s the SQL condition that says the same.
"""

from typing import Any


class SqlTerm:
    """A SQL expression that grows with the operators applied to it."""

    __slots__ = ("sql",)
    __hash__ = None  # type: ignore[assignment]  # equality builds SQL, so a term is no dictionary key

    def __init__(self, sql: str) -> None:
        self.sql = sql

    def _join(self, operator: str, other: Any) -> "SqlTerm":
        return SqlTerm(f"({self.sql} {operator} {sql_literal(other)})")

    def _join_reversed(self, operator: str, other: Any) -> "SqlTerm":
        return SqlTerm(f"({sql_literal(other)} {operator} {self.sql})")

    def __add__(self, other: Any) -> "SqlTerm":
        return self._join("+", other)

    def __radd__(self, other: Any) -> "SqlTerm":
        return self._join_reversed("+", other)

    def __sub__(self, other: Any) -> "SqlTerm":
        return self._join("-", other)

    def __rsub__(self, other: Any) -> "SqlTerm":
        return self._join_reversed("-", other)

    def __mul__(self, other: Any) -> "SqlTerm":
        return self._join("*", other)

    def __rmul__(self, other: Any) -> "SqlTerm":
        return self._join_reversed("*", other)

    def __and__(self, other: Any) -> "SqlTerm":
        return self._join("AND", other)

    def __or__(self, other: Any) -> "SqlTerm":
        return self._join("OR", other)

    def __lt__(self, other: Any) -> "SqlTerm":
        return self._join("<", other)

    def __le__(self, other: Any) -> "SqlTerm":
        return self._join("<=", other)

    def __gt__(self, other: Any) -> "SqlTerm":
        return self._join(">", other)

    def __ge__(self, other: Any) -> "SqlTerm":
        return self._join(">=", other)

    def __eq__(self, other: object) -> "SqlTerm":  # type: ignore[override]
        return self._join("=", other)

    def __ne__(self, other: object) -> "SqlTerm":  # type: ignore[override]
        return self._join("<>", other)


def sql_literal(value: Any) -> str:
    """Return the SQL of a term, an integer or a string.

    Raises:
        TypeError: the value has no exact SQL form (floats have none).
    """
    if isinstance(value, SqlTerm):
        return value.sql
    if isinstance(value, bool):
        return "TRUE" if value else "FALSE"
    if isinstance(value, int):
        return str(value)
    if isinstance(value, str):
        return "'" + value.replace("'", "''") + "'"
    raise TypeError(f"no SQL literal for {type(value).__name__} {value!r}")
