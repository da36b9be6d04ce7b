"""What is wrong with a domain's predicates: rules between slots, and what holds of every offer."""

from collections.abc import Iterator
from string import Formatter

from crab_graph.domain.declaration import Declaration, Offer, Rule
from crab_graph.domain.offer_problems import listed
from crab_graph.domain.requirements import field_types, request_types, trace_rule
from crab_graph.domain.tracing import REQUEST, UntraceablePredicate, parameters_of, trace


def rule_problems(declaration: Declaration) -> Iterator[str]:
    """Yield what is wrong with rules and with what always holds, of sound offers and wants."""
    for rule in declaration.rules:
        yield from (f"rule '{rule.name}': {line}" for line in _of_rule(declaration, rule))
    for offer in declaration.offers:
        yield from (f"offer '{offer.name}', always {line}" for line in _of_always(offer))


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
    if len(stated.owners) < 2:
        read = f"slot '{stated.owners[0]}' alone" if stated.owners else "no slot"
        yield f"reads {read}; a rule ties two slots or more, a want says what one slot must be"
    elif unread := [name for name in names if name not in (*stated.owners, REQUEST)]:
        yield f"never reads '{listed(unread)}'; drop the parameter"
    known = request_types(declaration)
    for said in _said(rule.sentence):
        owner, _, name = said.partition(".")
        if owner != REQUEST or name not in known:
            yield f"sentence: '{{{said}}}' is nothing; write {{r.…}} with {listed(known)}"


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
            trace(predicate, {names[0]: field_types(offer)})
        except UntraceablePredicate as error:
            yield f"'{sentence}': {error}"
