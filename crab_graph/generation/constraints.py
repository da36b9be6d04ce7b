"""A constraint is declared once and runs everywhere (paper section 3.2.1, design §3).

Its predicate is an ordinary function made of operators only. Called with Python scalars it serves
python-constraint and the verifiers, with NumPy arrays sampling and counting, and with `SqlTerm`s it
becomes the SQL condition of certification.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property, reduce
from operator import or_
from typing import Any, NamedTuple, NoReturn


def _operator(symbol: str, *, is_reflected: bool = False) -> Callable[["Expression", Any], Any]:
    def join(own: "Expression", other: Any) -> Any:
        return own.joined(symbol, other, is_reflected=is_reflected)

    return join


class Expression(ABC):
    """What grows with the operators applied to it; a subclass says what each comes to."""

    __slots__ = ()
    __hash__ = None  # type: ignore[assignment]  # equality states something: no key of a dictionary

    @abstractmethod
    def joined(self, symbol: str, other: Any, *, is_reflected: bool) -> Any:
        """Return what an operator makes of this and another operand, which may come first."""

    __add__ = _operator("+")
    __radd__ = _operator("+", is_reflected=True)
    __sub__ = _operator("-")
    __rsub__ = _operator("-", is_reflected=True)
    __mul__ = _operator("*")
    __rmul__ = _operator("*", is_reflected=True)
    __floordiv__ = _operator("//")
    __rfloordiv__ = _operator("//", is_reflected=True)
    __mod__ = _operator("%")
    __rmod__ = _operator("%", is_reflected=True)
    __and__ = _operator("&")
    __rand__ = _operator("&", is_reflected=True)
    __or__ = _operator("|")
    __ror__ = _operator("|", is_reflected=True)
    __lt__ = _operator("<")
    __le__ = _operator("<=")
    __gt__ = _operator(">")
    __ge__ = _operator(">=")
    __eq__ = _operator("==")
    __ne__ = _operator("!=")


_SQL_OPERATORS = {"&": "AND", "|": "OR", "==": "=", "!=": "<>"}
"""Operators that SQL writes otherwise than Python."""


class SqlTerm(Expression):
    """A SQL expression."""

    __slots__ = ("sql",)

    def __init__(self, sql: str) -> None:
        self.sql = sql

    def joined(self, symbol: str, other: Any, *, is_reflected: bool) -> "SqlTerm":
        """Return the expression of an operator and its operands."""
        first, second = (other, self) if is_reflected else (self, other)
        left = sql_literal(first)
        if symbol not in ("//", "%"):
            operator = _SQL_OPERATORS.get(symbol, symbol)
            return SqlTerm(f"({left} {operator} {sql_literal(second)})")
        # DuckDB's remainder has the sign of the dividend, Python's and NumPy's that of the divisor.
        of = _divisor(second)
        rest = f"((({left} % {of}) + {of}) % {of})"
        return SqlTerm(rest if symbol == "%" else f"(({left} - {rest}) // {of})")

    def __neg__(self) -> "SqlTerm":
        return SqlTerm(f"(-{self.sql})")

    def __abs__(self) -> "SqlTerm":
        return SqlTerm(f"abs({self.sql})")

    def __bool__(self) -> NoReturn:
        raise TypeError(
            "a condition is not true or false before it is SQL: say `and`, `or`, `not` and chained "
            "comparisons with &, | and == False, each comparison in ( )"
        )


def _divisor(value: Any) -> str:
    """Return the SQL of what is divided by.

    Raises:
        TypeError: it is no integer other than 0: by a term NumPy, Python and DuckDB differ.
    """
    if isinstance(value, bool) or not isinstance(value, int) or value == 0:
        raise TypeError(f"only an integer other than 0 can divide in SQL, not {value!r}")
    return f"({value})"


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


Value = int | str
Ref = tuple[str, str]
"""A property of a node: `(node id, property name)`; domain constraints name the node type."""


class LinearSum(NamedTuple):
    """A hint for the engines: the constraint says Σ weight · property ≤ bound."""

    weights: Mapping[Ref, int]
    bound: int


@dataclass(frozen=True)
class Constraint:
    """One requirement over properties of one node or of several.

    Attributes:
        parameters: Properties in the order in which the predicate takes them.
        predicate: The condition, made of operators only; takes the properties, then `constants`.
        sentence: The requirement as the user would put it.
        linear: Set when the constraint bounds a weighted sum.
        structural: Whether it says which entity is meant (route, city) rather than what the user
            likes.
        fixed: Properties already decided by other constraints, with their values (see `fold`).
    """

    name: str
    parameters: tuple[Ref, ...]
    predicate: Callable[..., Any]
    constants: Mapping[str, Any] = field(default_factory=dict)
    sentence: str = ""
    linear: LinearSum | None = None
    structural: bool = False
    fixed: Mapping[Ref, Value] = field(default_factory=dict)

    @cached_property
    def refs(self) -> tuple[Ref, ...]:
        """Properties that are still free."""
        return tuple(ref for ref in self.parameters if ref not in self.fixed)

    @cached_property
    def nodes(self) -> tuple[str, ...]:
        """Ids of the nodes whose free properties the constraint reads, in order."""
        return tuple(dict.fromkeys(node for node, _ in self.refs))

    def properties_of(self, node: str) -> tuple[str, ...]:
        """Names of the free properties of one node that the constraint reads."""
        return tuple(dict.fromkeys(name for owner, name in self.refs if owner == node))

    def evaluate(self, lookup: Callable[[Ref], Any]) -> Any:
        """Return the predicate's answer, asking `lookup` for each free property.

        The answer is a truth value, a boolean array or a `SqlTerm`, as the properties are.
        """
        fixed = self.fixed
        arguments = [fixed[ref] if ref in fixed else lookup(ref) for ref in self.parameters]
        return self.predicate(*arguments, **self.constants)

    def holds(self, values: Mapping[Ref, Value]) -> bool:
        """Return whether concrete values satisfy the constraint."""
        return bool(self.evaluate(values.__getitem__))

    def sql(self, column: Callable[[Ref], str]) -> str:
        """Return the condition as SQL, asking `column` for the expression of each free property."""
        answer = self.evaluate(lambda ref: SqlTerm(column(ref)))
        return answer.sql if isinstance(answer, SqlTerm) else ("TRUE" if answer else "FALSE")

    def fix(self, values: Mapping[Ref, Value]) -> "Constraint":
        """Return the constraint with some of its properties decided."""
        decided = {ref: values[ref] for ref in self.refs if ref in values}
        if not decided:
            return self
        linear = self.linear
        if linear is not None:
            free = {ref: weight for ref, weight in linear.weights.items() if ref not in decided}
            spent = sum(linear.weights.get(ref, 0) * int(decided[ref]) for ref in decided)
            linear = LinearSum(free, linear.bound - spent)
        return replace(self, fixed={**self.fixed, **decided}, linear=linear)

    @property
    def is_negation(self) -> bool:
        """Whether it holds exactly where another one does not."""
        return self.name.startswith("not ")

    def negated(self) -> "Constraint":
        """Return the constraint that holds exactly where this one does not.

        The opposite of a bounded sum is one too: Σ w·x > B says Σ -w·x ≤ -(B + 1), in integers.
        """
        name = f"not {self.name}"
        if self.linear is not None:
            weights = {ref: -weight for ref, weight in self.linear.weights.items()}
            return bounded_sum(name, weights, -self.linear.bound - 1, "")

        def opposite(*arguments: Any, **constants: Any) -> Any:
            # Not `~`: on a Python truth value it answers -2, which counts as true.
            return self.predicate(*arguments, **constants) == False  # noqa: E712

        return replace(self, name=name, predicate=opposite, sentence="", structural=False)


def equals(value: Any, required: Any) -> Any:
    """`value` is the required one, or two properties are alike."""
    return value == required


def differs(value: Any, other: Any) -> Any:
    """Two properties are not alike."""
    return value != other


def at_least(value: Any, minimum: Any) -> Any:
    """`value` is `minimum` or more."""
    return value >= minimum


def at_most(value: Any, maximum: Any) -> Any:
    """`value` is `maximum` or less."""
    return value <= maximum


def one_of(value: Any, choices: tuple[Any, ...]) -> Any:
    """`value` is one of the choices."""
    return reduce(or_, (value == choice for choice in choices))


def within(value: Any, first: Any, last: Any) -> Any:
    """`value` lies in `[first, last]`, both ends included."""
    return (value >= first) & (value <= last)


def sum_at_most(*values: Any, weights: tuple[int, ...], bound: int) -> Any:
    """The weighted sum of the values does not exceed `bound`."""
    return sum(weight * value for weight, value in zip(weights, values, strict=True)) <= bound


def split_sum(edges: Iterable[Constraint]) -> tuple[tuple[Constraint, ...], LinearSum | None]:
    """Split edge constraints into those of each combination, and the one bounded sum.

    A second bounded sum is taken as a constraint like the others.
    """
    every = tuple(edges)
    summed = next((edge for edge in every if edge.linear is not None), None)
    plain = tuple(edge for edge in every if edge is not summed)
    return plain, summed.linear if summed is not None else None


def bounded_sum(name: str, weights: Mapping[Ref, int], bound: int, sentence: str) -> Constraint:
    """Return the constraint Σ weight · property ≤ bound, with its hint."""
    return Constraint(
        name=name,
        parameters=tuple(weights),
        predicate=sum_at_most,
        constants={"weights": tuple(weights.values()), "bound": bound},
        sentence=sentence,
        linear=LinearSum(dict(weights), bound),
    )
