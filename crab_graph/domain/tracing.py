"""A predicate is called once, when its domain is built, to learn which condition it states.

Its parameters stand for offers whose fields are asked for as attributes. What comes back is a term
made of operators, from which a flat function is made: it runs on Python numbers, NumPy arrays and
SQL terms alike, as fast as one written by hand (design §3). Whatever Python would have to decide
while it is traced, such as `and` or a chained comparison, is refused.
"""

import inspect
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, NoReturn

from crab_graph.domain.declaration import Predicate
from crab_graph.errors import UsageError
from crab_graph.generation.constraints import Expression, Ref, equals

REQUEST = "r"
"""The parameter that stands for the request."""

NUMBER, TEXT, TRUTH = "number", "text", "condition"
"""What a term is."""

_REF, _GIVEN, _LITERAL = "ref", "given", "literal"
_TYPES: Mapping[type, str] = {bool: TRUTH, int: NUMBER, str: TEXT}


class UntraceablePredicate(UsageError):
    """A predicate that is no condition made of operators; the message says what it does."""


def _refused(text: str) -> Callable[..., Any]:
    def refuse(*_: object) -> NoReturn:
        raise UntraceablePredicate(text)

    return refuse


class Term(Expression):
    """Part of a condition: an operator and what it joins, a field, a request's value, a literal.

    Attributes:
        operator: The operator; of a term without operands, which of the three it is.
        operands: The terms that it joins; or the field's ref, the value's name, the literal.
        type: A number, a text or a condition.
    """

    __slots__ = ("operands", "operator", "type")

    def __init__(self, operator: str, operands: tuple[Any, ...], type: str) -> None:
        self.operator = operator
        self.operands = operands
        self.type = type

    def joined(self, symbol: str, other: Any, *, is_reflected: bool) -> "Term":
        """Return the term of an operator and its operands."""
        return _join(symbol, other, self) if is_reflected else _join(symbol, self, other)

    __bool__ = _refused(
        "lets Python decide (`and`, `or`, `not`, `in`, `if`, `max`, a chained comparison); "
        "use & | ~ and put each comparison in ( )"
    )
    __truediv__ = __rtruediv__ = _refused("divides by /, which is not exact; use //")
    __iter__ = _refused("goes through a value as if it were a list")

    def __neg__(self) -> "Term":
        return Term("-", (_of_type(self, NUMBER, "-"),), NUMBER)

    def __abs__(self) -> "Term":
        return Term("abs", (_of_type(self, NUMBER, "abs"),), NUMBER)

    def __invert__(self) -> "Term":
        return Term("~", (_of_type(self, TRUTH, "~"),), TRUTH)

    def leaves(self) -> Iterator["Term"]:
        """Yield the fields and the request's values that it reads, in order, repeated."""
        if self.operator in (_REF, _GIVEN):
            yield self
        elif self.operator != _LITERAL:
            for operand in self.operands:
                yield from operand.leaves()

    def literals(self) -> Iterator[tuple[Ref, int | str]]:
        """Yield the fields that are compared with what is written out, each with that."""
        if self.operator in (_REF, _GIVEN, _LITERAL):
            return
        if self.operator in ("==", "!="):
            sides = {operand.operator: operand.operands[0] for operand in self.operands}
            if sides.keys() == {_REF, _LITERAL}:
                yield sides[_REF], sides[_LITERAL]
        for operand in self.operands:
            yield from operand.literals()

    def source(self, names: Mapping[Ref, str]) -> str:
        """Return it as a Python expression, given what each field is called in it."""
        if self.operator == _REF:
            return names[self.operands[0]]
        if self.operator in (_GIVEN, _LITERAL):
            return str(self.operands[0]) if self.operator == _GIVEN else repr(self.operands[0])
        parts = [operand.source(names) for operand in self.operands]
        if self.operator == "abs":
            return f"abs({parts[0]})"
        if self.operator == "~":
            # Not `~`: on a Python truth value it answers -2, which counts as true.
            return f"({parts[0]} == False)"
        return f"(-{parts[0]})" if len(parts) == 1 else f"({parts[0]} {self.operator} {parts[1]})"


def _join(symbol: str, left: Any, right: Any) -> Term:
    sides = tuple(_term(side) for side in (left, right))
    if symbol in ("&", "|"):
        for side in sides:
            _of_type(side, TRUTH, symbol)
        return Term(symbol, sides, TRUTH)
    if symbol in ("==", "!=") and sides[0].type == sides[1].type:
        return Term(symbol, sides, TRUTH)
    if symbol in ("==", "!="):
        raise UntraceablePredicate(f"compares a {sides[0].type} with a {sides[1].type}")
    for side in sides:
        _of_type(side, NUMBER, symbol)
    if symbol in ("//", "%") and not (sides[1].operator == _LITERAL and sides[1].operands[0]):
        raise UntraceablePredicate(
            f"divides by what is no number other than 0 written out ({symbol})"
        )
    return Term(symbol, sides, TRUTH if symbol in ("<", "<=", ">", ">=") else NUMBER)


def _term(value: Any) -> Term:
    if isinstance(value, Term):
        return value
    type_ = _TYPES.get(type(value))
    if type_ is None:
        raise UntraceablePredicate(
            f"uses {value!r}, a {type(value).__name__}; only fields, integers and texts can be used"
        )
    return Term(_LITERAL, (value,), type_)


def _of_type(term: Term, type_: str, symbol: str) -> Term:
    if term.type == type_:
        return term
    text = f"takes {symbol} of a {term.type}, where it needs a {type_}"
    hint = "; put each comparison in ( )" if symbol in ("&", "|") else ""
    raise UntraceablePredicate(text + hint)


class TracedView:
    """What a parameter of a predicate stands for: its attributes are terms."""

    def __init__(self, owner: str, kind: str, types: Mapping[str, str]) -> None:
        self._owner, self._kind, self._types = owner, kind, types

    def __getattr__(self, name: str) -> Term:
        if name not in self._types:
            known = ", ".join(self._types)
            raise UntraceablePredicate(
                f"reads {self._owner}.{name}, which there is not; it has {known}"
            )
        operand = name if self._kind == _GIVEN else (self._owner, name)
        return Term(self._kind, (operand,), self._types[name])


@dataclass(frozen=True)
class TracedCondition:
    """What a predicate states.

    Attributes:
        refs: The fields that it reads, in the order in which `predicate` takes them.
        given: Names of the request's values that it reads, which `predicate` takes by name.
        predicate: The flat function; `equals` where all it says is that two fields are alike.
        literals: The fields that it compares by `==` or `!=` with what is written out, and that.
        is_likeness: Whether all it says is that these fields are alike.
    """

    refs: tuple[Ref, ...]
    given: tuple[str, ...]
    predicate: Callable[..., Any]
    literals: tuple[tuple[Ref, int | str], ...] = ()
    is_likeness: bool = False

    @property
    def owners(self) -> tuple[str, ...]:
        """Whose fields it reads."""
        return tuple(dict.fromkeys(owner for owner, _ in self.refs))


def parameters_of(predicate: Predicate) -> tuple[str, ...]:
    """Return whom a predicate takes: slots by id, a trailing `_` being dropped, and the request."""
    return tuple(name.removesuffix("_") for name in inspect.signature(predicate).parameters)


def trace(
    predicate: Predicate,
    owners: Mapping[str, Mapping[str, str]],
    given: Mapping[str, str] | None = None,
) -> TracedCondition:
    """Return what a predicate states.

    Args:
        predicate: Takes a view for each of the owners, and for the request last.
        owners: For each parameter but the request, in order, the types of its fields by name.
        given: The types of the request's values by name, where the predicate takes the request.

    Raises:
        UntraceablePredicate: it is not made of operators only, or asks for what there is not.
    """
    views = {name: TracedView(name, _REF, types) for name, types in owners.items()}
    if given is not None:
        views[REQUEST] = TracedView(REQUEST, _GIVEN, given)
    try:
        stated = predicate(*(views[name] for name in parameters_of(predicate)))
    except UntraceablePredicate:
        raise
    except Exception as error:
        text = f"fails as it is read: {type(error).__name__}: {error}"
        raise UntraceablePredicate(text) from error
    if not isinstance(stated, Term):
        raise UntraceablePredicate(f"always answers {stated!r}; it must compare fields")
    if stated.type != TRUTH:
        raise UntraceablePredicate(f"answers a {stated.type}, not a condition")
    return _condition(stated)


def _condition(stated: Term) -> TracedCondition:
    leaves = [*stated.leaves()]
    refs = tuple(dict.fromkeys(one.operands[0] for one in leaves if one.operator == _REF))
    given = tuple(dict.fromkeys(one.operands[0] for one in leaves if one.operator == _GIVEN))
    is_likeness = len(refs) > 1 and _likened(stated) == {*refs}
    if is_likeness and len(refs) == 2:
        return TracedCondition(refs, given, equals, is_likeness=True)
    names = {ref: f"_{place}" for place, ref in enumerate(refs)}
    parameters = [*names.values(), *(["*", *given] if given else [])]
    source = f"lambda {', '.join(parameters)}: {stated.source(names)}"
    # The source is made of operators, literals and the names above: it can do nothing else.
    predicate = eval(source, {"__builtins__": {}, "abs": abs})
    return TracedCondition(refs, given, predicate, tuple(stated.literals()), is_likeness)


def _likened(stated: Term) -> set[Ref]:
    """Return the fields that a condition says to be alike; none where it says anything else."""
    sides = [one.operator for one in stated.operands]
    if stated.operator == "==" and sides == [_REF, _REF]:
        return {one.operands[0] for one in stated.operands}
    if stated.operator == "&":
        first, second = map(_likened, stated.operands)
        return first | second if first & second else set()
    return set()
