"""What users of a domain want and who they are, as models and as facts, from its declaration."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, cast

from pydantic import Field, create_model

from crab_graph.dates import day_number
from crab_graph.domain.contract import TaskAxis
from crab_graph.domain.declaration import Axis, Declaration, Rule, Want, Window
from crab_graph.domain.fields import Choice, Day, Later, Several
from crab_graph.domain.tracing import REQUEST, parameters_of
from crab_graph.generation.constraints import Value
from crab_graph.money import format_cents
from crab_graph.personas.briefing import Fact, FactLevel
from crab_graph.schema import FileModel


class ProfilePerson(FileModel):
    """Somebody whom a job is for."""

    name: str
    date_of_birth: str


class KnownCard(FileModel):
    """A card as its owner names it."""

    card_id: str
    brand: str
    last4: str


class Profile(FileModel):
    """Who a user is; the first of the people is the customer, and free things need no card."""

    customer_id: str
    email: str
    people: tuple[ProfilePerson, ...]
    payment_card: KnownCard | None = None


GIVEN_UP = "given_up"
"""The field of a request with the names of its joint wishes that its tables let nobody meet."""

SETTLED = "settled"
"""The field of a request with what its tables make the cheaper value, or least sum, by wish."""


def is_certain(odds: float | Mapping[str, float]) -> bool:
    """Return whether every request has what is drawn at such odds."""
    return all(one >= 1 for one in (odds.values() if isinstance(odds, Mapping) else (odds,)))


def request_model(declaration: Declaration) -> type[FileModel]:
    """Return the model of a domain's requests; `None` is no wish, and money is integer cents.

    Where there is a window it has `first_day` and `last_day`, ISO dates of which both are included;
    else a field for each want, `budget_cents`, and for each optional rule a truth value, or its own
    value. It answers the names of the axes with its values on them.
    """
    fields: dict[str, Any] = {}
    if declaration.window is not None:
        fields |= {"first_day": (str, ...), "last_day": (str, ...)}
    for want in declaration.wants:
        type_ = _type_of(want, declaration)
        always = is_certain(want.odds) or want.axis is not None
        fields[want.key] = (type_, ...) if always else (type_ | None, None)
    if declaration.budget is not None:
        fields["budget_cents"] = (int | None, None)
    fields |= {one.name: _asked(one) for one in declaration.rules if one.is_optional}
    if any(rule.unless for rule in declaration.rules):
        fields[GIVEN_UP] = (tuple[str, ...], _left_out(()))
    if any(rule.is_settled for rule in declaration.rules):
        fields[SETTLED] = (tuple[tuple[str, int | str], ...], _left_out(()))
    axes = {
        axis.name: property(axis.read) for axis in task_axes(declaration) if axis.name not in fields
    }
    base = type("TaskRequest", (FileModel,), axes)
    made: Any = create_model(f"{declaration.name.title()}Request", __base__=base, **fields)
    return cast(type[FileModel], made)


def _asked(rule: Rule) -> Any:
    """Return the type of what a request says of an optional rule, and what it is without one."""
    kinds = {type(value) for value in rule.values}
    if not rule.joint:
        return bool, False
    return (kinds.pop() | None, _left_out(None)) if kinds else (bool, _left_out(False))


def _left_out(default: Any) -> Any:
    """Return a field that requests without joint wishes do not show."""
    return Field(default, exclude_if=lambda own: own == default)


def fixed_values(want: Want) -> Sequence[Value]:
    """Return the values of a want, if every request has the same to choose from."""
    return () if callable(want.values) else want.values


def _type_of(want: Want, declaration: Declaration) -> Any:
    """Return the type of a want's values: their own, or that of the field on which they bite."""
    values = fixed_values(want)
    for field in map(declaration.field_at, want.on if callable(want.values) else ()):
        if isinstance(field, Day | Later):
            return str
        if isinstance(field, Choice | Several):
            values = field.values
    types = {type(value) for value in values}
    return types.pop() if len(types) == 1 else int | str


def task_axes(declaration: Declaration) -> tuple[TaskAxis, ...]:
    """Return what takes turns over a domain's tasks: how wide the window is, then its wants."""
    axes = []
    window = declaration.window
    if window is not None and window.axis is not None:
        names = width_names(window, window.axis)
        own = _task_axis(window.axis, tuple(names), partial(_width_name, names))
        axes.append(own._replace(widest=max(names, key=lambda name: names[name])))
    for want in declaration.wants:
        if want.axis is not None:
            values = want.axis.values or tuple(dict.fromkeys(fixed_values(want)))
            axes.append(_task_axis(want.axis, values, partial(_wanted, want.key)))
    return tuple(axes)


def width_names(window: Window, axis: Axis) -> dict[Value, int]:
    """Return the widths of a window by what its axis calls them, in the order of turns."""
    return dict(zip(axis.values or window.widths, window.widths, strict=True))


def _slots_of(rule: Rule) -> tuple[str, ...]:
    return tuple(one for one in parameters_of(rule.holds) if one != REQUEST)


def _task_axis(axis: Axis, values: tuple[Value, ...], read: Callable[[Any], Value]) -> TaskAxis:
    return TaskAxis(axis.name, axis.title or axis.name.replace("_", " "), values, read)


def _width_name(names: Mapping[Value, int], request: Any) -> Value:
    width = day_number(request.last_day) - day_number(request.first_day) + 1
    return next(name for name, days in names.items() if days == width)


def _wanted(key: str, request: Any) -> Value:
    value: Value = getattr(request, key)
    return value


def facts_of(declaration: Declaration, request: Any, profile: Profile) -> tuple[Fact, ...]:
    """Return the user's facts: the outline of the job is basic, all else waits to be asked for.

    The outline says first what is meant, then when, then the rest; a detail about the offers of one
    slot names it.
    """
    wanted = {want.key: getattr(request, want.key) for want in declaration.wants}
    outline = [want for want in declaration.wants if want.basic]
    basic: dict[str, Any] = {want.key: wanted[want.key] for want in outline if want.role}
    window = declaration.window
    if window is not None:
        first, last = request.first_day, request.last_day
        basic[window.key] = first if first == last else [first, last]
    basic |= {want.key: wanted[want.key] for want in outline}
    details: dict[str, Any] = {}
    if declaration.people is not None:
        details[declaration.people.names] = [one.name for one in profile.people]
        details[declaration.people.birth_dates] = [one.date_of_birth for one in profile.people]
    details |= {"customer_id": profile.customer_id, "email": profile.email}
    details |= {want.key: wanted[want.key] for want in declaration.wants if not want.basic}
    cents = getattr(request, "budget_cents", None)
    details["budget"] = None if cents is None else format_cents(cents)
    for rule in declaration.rules:
        if rule.is_optional:
            details[rule.name] = getattr(request, rule.name) or None
    card = profile.payment_card
    details["payment_card"] = None if card is None else card.model_dump()
    slots = {want.key: {ref.partition(".")[0] for ref in want.on} for want in declaration.wants}
    slots |= {rule.name: {*_slots_of(rule)} for rule in declaration.joint_rules}
    only = {key: next(iter(found)) for key, found in slots.items() if len(found) == 1}
    levels = ((basic, FactLevel.BASIC), (details, FactLevel.DETAIL))
    return tuple(
        Fact(key, value, level, only.get(key) if level is FactLevel.DETAIL else None)
        for told, level in levels
        for key, value in told.items()
        if value is not None
    )
