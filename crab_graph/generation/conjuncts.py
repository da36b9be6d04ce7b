"""What a condition says by itself: the parts that `&` joins, each over as few nodes as it reads.

"The visit begins after one leg and ends before the other" reads three nodes, but each half reads
two, and breaks as soon as these two are chosen.
"""

import operator
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from crab_graph.generation.constraints import Constraint, Expression, Ref

_OPERATIONS: Mapping[str, Callable[[Any, Any], Any]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "//": operator.floordiv,
    "%": operator.mod,
    "&": operator.and_,
    "|": operator.or_,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
    "==": operator.eq,
    "!=": operator.ne,
}


_Function = Callable[[tuple[Any, ...]], Any]
"""What a part of a condition comes to, given the values of all that the part reads."""


def conjuncts(constraint: Constraint) -> list[Constraint]:
    """Return constraints that hold together exactly where this one does; none if it always does.

    A bounded sum is none of several, and comes back as it is.
    """
    if constraint.linear is not None:
        return [constraint]
    stated = constraint.evaluate(_Stated)
    if not isinstance(stated, _Stated):
        return [] if stated else [constraint]
    parts = [*stated.joined_by_and()]
    return [_alone(constraint, part) for part in parts] if len(parts) > 1 else [constraint]


def _alone(constraint: Constraint, part: "_Stated") -> Constraint:
    refs = tuple(dict.fromkeys(part.reads()))
    function = part.function({ref: place for place, ref in enumerate(refs)})

    def holds(*values: Any) -> Any:
        return function(values)

    return replace(constraint, parameters=refs, predicate=holds, constants={}, fixed={})


class _Stated(Expression):
    """Part of a condition: a property, by its ref, or an operation with what it joins."""

    __slots__ = ("_operands", "_operation", "_said")

    def __init__(
        self, said: Any, operands: tuple[Any, ...] = (), operation: Callable[..., Any] | None = None
    ) -> None:
        self._said = said
        self._operands = operands
        self._operation = operation

    def joined(self, symbol: str, other: Any, *, is_reflected: bool) -> "_Stated":
        """Return the part that an operator makes of two."""
        operands = (other, self) if is_reflected else (self, other)
        return _Stated(symbol, operands, _OPERATIONS[symbol])

    def __neg__(self) -> "_Stated":
        return _Stated("-", (0, self), operator.sub)

    def __abs__(self) -> "_Stated":
        return _Stated("abs", (self, None), lambda value, _: abs(value))

    def joined_by_and(self) -> Iterator["_Stated"]:
        """Yield what must hold, each by itself."""
        if self._said != "&":
            yield self
            return
        for operand in self._operands:
            if isinstance(operand, _Stated):
                yield from operand.joined_by_and()
            elif not operand:  # what is never true is so with all that it stands beside
                yield self

    def reads(self) -> Iterator[Ref]:
        """Yield the properties that it reads, repeated."""
        if self._operation is None:
            yield self._said
        for operand in self._operands:
            if isinstance(operand, _Stated):
                yield from operand.reads()

    def function(self, places: Mapping[Ref, int]) -> _Function:
        """Return it as a function of values, given the place of each property among them."""
        if self._operation is None:
            return operator.itemgetter(places[self._said])
        operation, (first, second) = self._operation, self._operands
        if isinstance(first, _Stated) and isinstance(second, _Stated):
            one, other = first.function(places), second.function(places)
            return lambda values: operation(one(values), other(values))
        if isinstance(first, _Stated):
            one = first.function(places)
            return lambda values: operation(one(values), second)
        other = second.function(places)
        return lambda values: operation(first, other(values))
