"""What is wrong with a domain's predicates: rules between slots, and what holds of every offer."""

from collections.abc import Iterator, Mapping
from string import Formatter

from crab_graph.domain.declaration import TOTAL_BUDGET, Declaration, Offer, Rule
from crab_graph.domain.field_problems import listed
from crab_graph.domain.fields import Choice, Field
from crab_graph.domain.request_types import is_certain
from crab_graph.domain.requirements import admitted, field_types, request_types, trace_rule
from crab_graph.domain.tracing import (
    REQUEST,
    TracedCondition,
    UntraceablePredicate,
    parameters_of,
    trace,
)


def rule_problems(declaration: Declaration) -> Iterator[str]:
    """Yield what is wrong with rules and with what always holds, of sound offers and wants."""
    found = [
        f"rule '{rule.name}': {line}"
        for rule in declaration.rules
        for line in _of_rule(declaration, rule)
    ]
    yield from found or (*_idle_wants(declaration), *_open_stays(declaration))
    for offer in declaration.offers:
        yield from (f"offer '{offer.name}', always {line}" for line in _of_always(offer))


def _open_stays(declaration: Declaration) -> Iterator[str]:
    """Yield the stays that no rule holds to the days on which their offer can be had.

    Tools refuse such a booking, so that a certified solution could not be booked.
    """
    stated = [trace_rule(declaration, rule) for rule in declaration.rules if not rule.is_optional]
    for slot in declaration.slots:
        held = slot.stay
        if held is None:
            continue
        for field, end, sign in ((held.opens, held.begins, "<="), (held.closes, held.ends, ">=")):
            other, _, day = end.partition(".")
            if not any({(slot.id, field), (other, day)} <= set(one.refs) for one in stated):
                yield (
                    f"slot '{slot.id}': no rule holds its stay to the days of its offer; "
                    f"add one that says {slot.id}.{field} {sign} {end}"
                )


def _idle_wants(declaration: Declaration) -> Iterator[str]:
    """Yield the wants that nothing reads, so that no booking could break them."""
    read: set[object] = {offer.units for offer in declaration.offers}
    read |= {part for end in declaration.horizon for part in end}
    read |= {declaration.people.size} if declaration.people is not None else set()
    for rule in declaration.rules:
        read |= {*trace_rule(declaration, rule).given}
    if any(callable(want.values) for want in declaration.wants):
        return  # such a function may read any of them
    for want in declaration.wants:
        if not want.on and want.axis is None and want.key not in read:
            yield (
                f"want '{want.key}', on: bites on no field, and no rule reads r.{want.key}; "
                "give it a field, or a rule"
            )


def _of_rule(declaration: Declaration, rule: Rule) -> Iterator[str]:
    slots = [slot.id for slot in declaration.slots]
    names = parameters_of(rule.holds)
    if unknown := [name for name in names if name not in (*slots, REQUEST)]:
        yield (
            f"takes '{listed(unknown)}', which is no slot; its parameters are slots, "
            f"{listed(slots)}, and `{REQUEST}` for the request"
        )
        return
    try:
        stated = trace_rule(declaration, rule)
    except UntraceablePredicate as error:
        yield str(error)
        return
    yield from _of_joint(declaration, rule, stated)
    if len(stated.owners) < (1 if rule.joint else 2):
        read = f"slot '{stated.owners[0]}' alone" if stated.owners else "no slot"
        yield f"reads {read}; a rule ties two slots or more, a want says what one slot must be"
    elif unread := [name for name in names if name not in (*stated.owners, REQUEST)]:
        yield f"never reads '{listed(unread)}'; drop the parameter"
    yield from _of_literals(stated, {slot.id: slot.offer.fields for slot in declaration.slots})
    known = request_types(declaration)
    for said in _said(rule.sentence):
        owner, _, name = said.partition(".")
        if owner != REQUEST or name not in known:
            yield f"sentence: '{{{said}}}' is nothing; write {{r.…}} with {listed(known)}"


def _of_joint(declaration: Declaration, rule: Rule, stated: TracedCondition) -> Iterator[str]:
    """Yield what is wrong with a joint wish, or with what only one can be."""
    if not rule.joint:
        if rule.values or rule.instead or rule.unless or rule.is_settled:
            own = "values, instead, unless, whichever, least"
            yield f"{own}: only a joint wish has them; say `joint=True`"
        return
    if rule.odds is not None:
        yield "odds: a level says how many joint wishes there are; leave them out"
    if rule.values and rule.name not in stated.given:
        yield f"values: it never reads r.{rule.name}, so that it is the same with each of them"
    replaced = [want.key for want in declaration.wants if not want.role and not want.basic]
    replaced += [one.name for one in declaration.rules if one.odds is not None]
    certain = [want.key for want in declaration.wants if is_certain(want.odds)]
    for name in rule.instead:
        if name in replaced and name in certain:
            yield f"instead: every request wishes for '{name}'; give that want odds below 1"
        elif name not in replaced:
            yield f"instead: there is no wish '{name}' to take the place of; {listed(replaced)}"
    bounds = [one.name for one in declaration.rules if one is not rule]
    bounds += [TOTAL_BUDGET] if declaration.budget is not None else []
    if rule.unless and rule.unless not in bounds:
        yield f"unless '{rule.unless}': there is no such rule; there are {listed(bounds)}"
    if rule.unless and len(stated.owners) != 1:
        yield "unless: a wish that gives way is about one slot"
    if rule.is_settled:
        yield from _of_settled(declaration, rule)
    if rule.whichever:
        yield from _of_cheaper(declaration, rule, stated)
    if rule.least:
        yield from _of_least(rule, stated)
    if not rule.wording.say or not rule.wording.parts:
        yield "wording: give `say`, and `parts` by which it is known to be told whole"


def _of_settled(declaration: Declaration, rule: Rule) -> Iterator[str]:
    """Yield what is wrong with a wish that the tables settle."""
    name = "whichever" if rule.whichever else "least"
    if rule.whichever and rule.least:
        yield "whichever, least: a wish is for the cheaper value or for the least sum; say one"
    if declaration.budget is None:
        yield f"{name}: what the whole job costs is known where there is a budget alone"
    if rule.unless:
        yield f"{name}: such a wish gives way to nothing; leave out `unless`"
    if not rule.wording.outcome:
        yield "wording: give `outcome`, which finds where it is said how the wish comes out"


def _of_least(rule: Rule, stated: TracedCondition) -> Iterator[str]:
    """Yield what is wrong with a wish for the least sum."""
    if rule.values:
        yield "least: the tables say what it is; leave out `values`"
    if {*rule.least} != {".".join(ref) for ref in stated.refs} or rule.name not in stated.given:
        names = " + ".join(rule.least)
        yield f"least: it is to say that {names} is r.{rule.name} at most, and no more"


def _of_cheaper(declaration: Declaration, rule: Rule, stated: TracedCondition) -> Iterator[str]:
    """Yield what is wrong with a wish for the cheaper of some values."""
    if [rule.whichever] != [".".join(ref) for ref in stated.refs]:
        yield f"whichever '{rule.whichever}': say the one field that it reads, as `slot.field`"
        return
    if others := [name for name in stated.given if name != rule.name]:
        yield f"whichever: of the request it reads its own value alone, not r.{listed(others)}"
    elif not isinstance(declaration.field_at(rule.whichever), Choice):
        yield f"whichever '{rule.whichever}': that is no `Choice`"
    elif any(len(admitted(declaration, rule, one)) < 2 for one in rule.values or (True,)):
        yield "whichever: it lets fewer than two values, so that none can be the cheaper one"


def _said(sentence: str) -> Iterator[str]:
    try:
        yield from (name for _, name, _, _ in Formatter().parse(sentence) if name is not None)
    except ValueError as error:
        yield str(error)


def _of_always(offer: Offer) -> Iterator[str]:
    for sentence, predicate in offer.always.items():
        names = parameters_of(predicate)
        if len(names) != 1:
            yield f"'{sentence}': takes {len(names)} parameters; it is about one offer"
            continue
        try:
            stated = trace(predicate, {names[0]: field_types(offer)})
        except UntraceablePredicate as error:
            yield f"'{sentence}': {error}"
            continue
        for line in _of_literals(stated, {names[0]: offer.fields}):
            yield f"'{sentence}': {line}"


def _of_literals(
    stated: TracedCondition, fields: Mapping[str, Mapping[str, Field]]
) -> Iterator[str]:
    """Yield what is compared with a value that it never has, by a slip of the pen."""
    for (owner, name), value in stated.literals:
        field = fields[owner][name]
        if isinstance(field, Choice) and value not in field.values:
            yield (
                f"compares {owner}.{name} with {value!r}, which it never is; it is "
                f"{listed(field.values)}"
            )
