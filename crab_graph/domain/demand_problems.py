"""What is wrong with what a domain's users want: slots, wants, windows, people, budgets, texts."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from keyword import iskeyword
from string import Formatter
from typing import Any

from crab_graph.dates import day_number
from crab_graph.domain.declaration import TOTAL_BUDGET, Declaration, Offer, Slot, Want, texts_of
from crab_graph.domain.field_problems import listed, repeated
from crab_graph.domain.fields import Choice, Day, Several
from crab_graph.domain.identification import meant_by
from crab_graph.domain.layout import Nature, nature, shared_fields
from crab_graph.domain.request_types import fixed_values, is_certain, task_axes
from crab_graph.domain.tracing import REQUEST

_FIELDS = ("first_day", "last_day", "budget_cents")
_FACTS = ("budget", "customer_id", "email", "payment_card")
"""Fields of requests and facts that every domain has."""

NAME_FORM = "begin with a lower-case letter, and go on with letters, digits and _"
"""What the name of a domain is made of."""


def is_domain_name(name: str) -> bool:
    """Return whether a domain can be called so: modules, files and `--domain` name it."""
    return re.fullmatch(r"[a-z][a-z0-9_]*", name) is not None and not iskeyword(name)


def identity_problems(declaration: Declaration) -> Iterator[str]:
    """Yield which of the names that an author chose are none, or stand twice."""
    people, window = declaration.people, declaration.window
    if not is_domain_name(declaration.name):
        yield f"name '{declaration.name}': {NAME_FORM}"
    if re.fullmatch(r"[a-zA-Z][a-zA-Z_-]*( [a-zA-Z_-]+)*", declaration.job) is None:
        yield f"job '{declaration.job}': tools are named after it; use letters, such as 'visit'"
    facts = [*_FACTS, *([people.names, people.birth_dates] if people else [])]
    facts += [window.key] if window else []
    if not declaration.slots:
        yield "slots: there is none; a job needs at least two"
    for slot in declaration.slots:
        if slot.id == REQUEST:
            yield f"slot '{slot.id}': it stands for the request; call it otherwise"
        elif not slot.id.isidentifier():
            yield f"slot '{slot.id}': rules take it as a parameter; use letters, digits and _"
    wants = [want.key for want in declaration.wants]
    asked = [rule.name for rule in declaration.rules if rule.is_optional]
    for key in (*wants, *asked):
        if not key.isidentifier() or iskeyword(key):
            yield f"'{key}': requests have it as a field; use letters, digits and _"
    for what, names in (
        ("slots", [slot.id for slot in declaration.slots]),
        ("facts", [*wants, *asked, *facts]),
        ("fields of a request", [*wants, *asked, *_FIELDS]),
        ("rules", [*(rule.name for rule in declaration.rules), TOTAL_BUDGET]),
        ("tools", [tool.name for tool in declaration.tools]),
        ("checks", [*_labels(declaration)]),
    ):
        for name in repeated(names):
            yield f"two {what} are called '{name}'; give one of them another name"
    called = () if window is None or window.axis is None else window.axis.values
    if window is not None and called and len(called) != len(window.widths):
        yield f"window '{window.key}', axis: must have as many values as there are widths"


def _labels(declaration: Declaration) -> Iterator[str]:
    """Yield the labels of checks that an author chose; a rule may share that of a stay."""
    parts = [declaration.window, declaration.budget, *declaration.slots, *declaration.rules]
    labels = [part.check for part in parts if part is not None]
    labels += [slot.wishes for slot in declaration.slots]
    yield from filter(None, labels)


def demand_problems(declaration: Declaration) -> Iterator[str]:
    """Yield what is wrong with the rest, of offers with sound fields."""
    for slot in declaration.slots:
        yield from (f"slot '{slot.id}', {line}" for line in _of_slot(slot))
    for want in declaration.wants:
        yield from (f"want '{want.key}', {line}" for line in _of_want(declaration, want))
    yield from _of_counts(declaration)
    yield from _of_window(declaration)
    yield from _of_stays(declaration)
    yield from _of_odds(declaration)
    yield from _of_texts(declaration)


def ref_problems(declaration: Declaration) -> Iterator[str]:
    """Yield which refs such as `visit.date` name no field of a slot's offer."""
    refs = [(f"want '{one.key}', on", ref) for one in declaration.wants for ref in one.on]
    if declaration.window is not None:
        refs.append((f"window '{declaration.window.key}', on", declaration.window.on))
    refs += _ends_of_stays(declaration)
    offers = {slot.id: slot.offer for slot in declaration.slots}
    for where, ref in refs:
        slot, _, name = ref.partition(".")
        if slot not in offers:
            yield f"{where} '{ref}': there is no slot '{slot}'; there are {listed(offers)}"
        elif name not in (fields := offers[slot].fields):
            yield f"{where} '{ref}': '{slot}' has no field '{name}'; it has {listed(fields)}"
    for one in declaration.slots:
        fields = one.offer.fields
        for name in one.role.keys() - fields.keys():
            yield f"slot '{one.id}', role: there is no field '{name}'; it has {listed(fields)}"


def _of_slot(slot: Slot) -> Iterator[str]:
    for name, value in slot.role.items():
        field = slot.offer.fields[name]
        if not isinstance(field, Choice) or value not in field.values:
            yield f"role: {value!r} is no value of '{name}'"
        if name not in shared_fields(slot.offer):
            yield f"role: '{name}' is not shared by the provider's offers; share it"


def alike_problems(declaration: Declaration) -> Iterator[str]:
    """Yield the slots for which any offer of one would do for the other."""
    for place, one in enumerate(declaration.slots):
        for other in declaration.slots[:place]:
            if one.offer is other.offer and not _differ(declaration, one, other):
                yield (
                    f"slots '{other.id}' and '{one.id}': nothing says which offers are meant for "
                    "which; give each a `role`, or make a want of them one with `role=True`"
                )


def _differ(declaration: Declaration, one: Slot, other: Slot) -> bool:
    def source(slot: Slot, name: str) -> Any:
        keys = [w.key for w in declaration.wants if w.role and f"{slot.id}.{name}" in w.on]
        return keys or slot.role.get(name)

    names = meant_by(declaration, one).keys() & meant_by(declaration, other).keys()
    return any(source(one, name) != source(other, name) for name in names)


def _of_want(declaration: Declaration, want: Want) -> Iterator[str]:
    values = fixed_values(want)
    if not callable(want.values) and not values:
        yield "values: there is none to choose from"
    if len({type(value) for value in values}) > 1 or not all(
        isinstance(value, int | str) for value in values
    ):
        yield "values: must all be integers, or all be texts"
    if want.compare not in ("equals", "at_least", "at_most"):
        yield f"compare '{want.compare}': use `equals`, `at_least` or `at_most`"
    if want.sentence and not _has_one_place(want.sentence):
        yield "sentence: must have one `{}`, for the value"
    if want.axis is not None and (callable(want.values) or not is_certain(want.odds)):
        yield "axis: what takes turns has values of its own, and odds of 1"
    slots = {slot.id: slot for slot in declaration.slots}
    for ref in want.on:
        slot, name = ref.split(".")
        yield from (
            f"on '{ref}': {line}" for line in _of_bite(want, slots[slot].offer, name, values)
        )
    if want.role and not is_certain(want.odds):
        yield "role: says which offers are meant, so every request needs it; leave `odds` out"
    yield from _of_chance(declaration, want.odds)


def _of_bite(want: Want, offer: Offer, name: str, values: Sequence[Any]) -> Iterator[str]:
    field, own = offer.fields[name], nature(offer, name)
    if want.compare != "equals" and own in (Nature.TEXT, Nature.SET):
        yield f"'{name}' is no number, so `{want.compare}` says nothing"
    if want.role and name not in shared_fields(offer):
        yield f"role: '{name}' is not shared by the provider's offers; share it"
    if want.role and want.compare != "equals":
        yield "role: says which offers are meant; compare by `equals`"
    if own is Nature.DAY:
        if any(not _is_date(value) for value in values):
            yield "values: must be ISO dates, for it is a day"
        return
    known = field.values if isinstance(field, Choice | Several) else None
    if known is None:
        if any(not isinstance(value, int) for value in values):
            yield "values: must be integers"
    elif want.compare == "equals":
        for value in dict.fromkeys(values):
            if value not in known:
                yield f"{value!r} is none of the values of '{name}', {listed(known)}"
    elif any(not isinstance(value, int) for value in values):
        yield "values: must be integers"


def _is_date(value: Any) -> bool:
    try:
        day_number(value)
    except (TypeError, ValueError):
        return False
    return True


def _of_counts(declaration: Declaration) -> Iterator[str]:
    """Yield what is wrong with the wants that others count by."""
    named = [(f"offer '{one.name}', units", one.units) for one in declaration.offers if one.units]
    if declaration.people is not None:
        named.append(("people, size", declaration.people.size))
    for end in declaration.horizon:
        named += [("horizon", part) for part in end if isinstance(part, str)]
    wants = {want.key: want for want in declaration.wants}
    for where, key in named:
        want = wants.get(key)
        if want is None:
            yield f"{where}: there is no want '{key}'; there are {listed(wants)}"
        elif not is_certain(want.odds) or any(
            not isinstance(value, int) or value < 1 for value in fixed_values(want)
        ):
            yield f"{where}: want '{key}' must have numbers from 1 on, and odds of 1"


def _of_window(declaration: Declaration) -> Iterator[str]:
    window = declaration.window
    if window is None:
        return
    slot, name = window.on.split(".")
    field = declaration.field_at(window.on)
    if not isinstance(field, Day):
        yield f"window '{window.key}', on '{window.on}': '{name}' of '{slot}' is no Day"
    if not window.widths or min(window.widths) < 1:
        yield f"window '{window.key}', widths: must be numbers of days from 1 on"
    if not 0 <= window.ahead[0] <= window.ahead[1]:
        yield f"window '{window.key}', ahead: must be days from 0 on, the lower number first"


def _of_stays(declaration: Declaration) -> Iterator[str]:
    offers = {slot.id: slot.offer for slot in declaration.slots}
    for one in declaration.slots:
        if one.days is not None and one.stay is None:
            yield f"slot '{one.id}', days: its offer is not held by the day; leave them out"
    for where, ref in _ends_of_stays(declaration):
        slot, name = ref.split(".")
        if nature(offers[slot], name) is not Nature.DAY:
            yield f"{where} '{ref}': that is no day"


def _ends_of_stays(declaration: Declaration) -> Iterator[tuple[str, str]]:
    """Yield where it is said on which days stays begin and end, and those days, each once."""
    found: dict[str, str] = {}
    for slot in declaration.slots:
        if (stay := slot.stay) is not None:
            own = slot.days is not None
            where = f"slot '{slot.id}', days:" if own else f"offer '{slot.offer.name}', holds"
            found |= {f"{where} begins": stay.begins, f"{where} ends": stay.ends}
    yield from found.items()


def _of_odds(declaration: Declaration) -> Iterator[str]:
    asked = [rule.name for rule in declaration.rules if rule.odds is not None]
    budget = declaration.budget
    if budget is not None:
        asked.append(TOTAL_BUDGET)
        yield from (f"budget, {line}" for line in _of_chance(declaration, budget.odds))
        if declaration.is_free:
            yield "budget: nothing has a price; leave it out"
        if not 0 < budget.share[0] <= budget.share[1] < 1 or budget.step < 1:
            yield "budget: share must be two numbers between 0 and 1, step a number of dollars"
    for rule in declaration.rules:
        if rule.odds is not None and not 0 <= rule.odds <= 1:
            yield f"rule '{rule.name}', odds: {rule.odds} is not from 0 to 1"
    axes = task_axes(declaration)
    for name in repeated(axis.name for axis in axes):
        yield f"two axes are called '{name}'; give one of them another name"
    known = [str(value) for value in axes[0].values] if axes else []
    for value, sets in declaration.optional_odds.items():
        if value not in known:
            yield f"optional_odds: '{value}' is no value of the first axis, {listed(known)}"
        for name in sorted({name for one in sets for name in one} - set(asked)):
            yield f"optional_odds: '{name}' is no optional rule; there are {listed(asked)}"
        if min(sets.values(), default=0) < 0 or sum(sets.values()) <= 0:
            yield f"optional_odds '{value}': must be odds from 0 on, some of them above"


def _of_chance(declaration: Declaration, odds: float | Mapping[str, float]) -> Iterator[str]:
    chances: Iterable[float] = odds.values() if isinstance(odds, Mapping) else [odds]
    if any(not 0 <= chance <= 1 for chance in chances):
        yield f"odds: {odds} is not from 0 to 1"
    axes = task_axes(declaration)
    known = [str(value) for value in axes[0].values] if axes else []
    if isinstance(odds, Mapping) and set(odds) != set(known):
        yield f"odds: must name each value of the first axis, {listed(known)}, and no other"


def _of_texts(declaration: Declaration) -> Iterator[str]:
    slots = [slot.id for slot in declaration.slots]
    for words, own in declaration.groups.items():
        for slot in set(own) - set(slots):
            yield f"groups '{words}': there is no slot '{slot}'; there are {listed(slots)}"
    keys = [axis.name for axis in task_axes(declaration)]
    keys += [want.key for want in declaration.wants]
    keys += [rule.name for rule in declaration.rules if rule.odds is not None]
    keys += ["budget"] if declaration.budget is not None else []
    for key in declaration.spread:
        if key not in keys:
            yield f"spread: there is no '{key}'; there are {listed(dict.fromkeys(keys))}"
    basic = [want.key for want in declaration.wants if want.basic]
    basic += [declaration.window.key] if declaration.window is not None else []
    known = {*basic, *(f"{key}_code" for key in basic)}
    for what in ("opening", "opening_short", "opening_trade"):
        texts = getattr(declaration, what)
        for text in texts_of(texts):
            try:
                names = [*_placeholders(text)]
            except ValueError as error:
                yield f"{what}: '{text}': {error}; write a brace that is meant as such twice"
                continue
            for name in names:
                if name not in known:
                    yield f"{what}: '{{{name}}}' is no basic fact; there are {listed(basic)}"


def _placeholders(text: str) -> Iterator[str]:
    yield from (name for _, name, _, _ in Formatter().parse(text) if name is not None)


def _has_one_place(text: str) -> bool:
    try:
        return [*_placeholders(text)] == [""]
    except ValueError:
        return False
