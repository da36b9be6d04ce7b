"""Checks say what they are about by their roles; their ids are labels (rulebook §4)."""

from dataclasses import replace

import pytest

from crab_graph.domain.verification import RULEBOOK_LABELS, DomainCheck, Part, Role
from crab_graph.domains.task import Task
from crab_graph.domains.travel.domain import TRAVEL
from crab_graph.errors import UsageError
from crab_graph.eval.attribution import Fault, attribute
from crab_graph.eval.blame import UserError
from crab_graph.eval.checks import mode_of, part_of
from crab_graph.eval.reading import read_task
from crab_graph.eval.verifiers import ids_of, part_of_check, shared_verifiers, verifiers_of
from tests.eval.builders import (
    BACK_NIGHT,
    LEO,
    OUT,
    OUT_SPARE,
    Plan,
    build_rows,
    flight,
    graded,
    right_items,
    small_task,
)

GRADING = TRAVEL.grading
# Neither their first letters nor their order are those of the labels that travel gives them.
LABELS = {one.id: f"zz{99 - n}.{one.role}" for n, one in enumerate(GRADING.declared)}


def relabelled(labels):
    """Return the small task in a travel domain that calls its checks otherwise."""

    def named(facts):
        return {fact: frozenset(labels.get(one, one) for one in ids) for fact, ids in facts.items()}

    grading = replace(
        GRADING,
        declared=tuple(one._replace(id=labels[one.id]) for one in GRADING.declared),
        constraints=lambda request, graph: {
            labels[check]: found for check, found in GRADING.constraints(request, graph).items()
        },
        covered_checks=named(GRADING.covered_checks),
        deciding_checks=named(GRADING.deciding_checks),
    )
    task, domain = small_task(), replace(TRAVEL, grading=grading)
    return Task(task.spec, domain, build_rows)


def with_items(**items):
    return Plan(items=tuple({**right_items(), **items}.values()))


PLANS = {
    "right": Plan(),
    "nothing": Plan(items=()),
    "missing": Plan(items=tuple(right_items().values())[1:]),
    "surplus": Plan(items=(*right_items().values(), flight("outbound", OUT_SPARE))),
    "wish": with_items(**{"return": flight("return", BACK_NIGHT)}),
    "person": with_items(outbound=flight("outbound", OUT, (LEO, LEO))),
}


@pytest.mark.parametrize("name", PLANS)
def test_a_verdict_is_the_same_whatever_the_checks_are_called(name):
    usual, other = graded(PLANS[name]), graded(PLANS[name], relabelled(LABELS))
    assert {LABELS.get(check, check): word for check, word in usual.checks.items()} == other.checks
    assert [LABELS.get(check, check) for check in usual.checks] == list(other.checks)
    assert usual.failures == other.failures and usual.fault == other.fault
    assert (usual.passed, usual.outcome) == (other.passed, other.outcome)
    unexplained = {one.explanation and one.explanation.failing for one in (usual, other)}
    assert len(unexplained) == 1


def test_the_labels_of_the_rulebook_are_known_where_domains_declare_theirs():
    assert {one.id for one in shared_verifiers()} == RULEBOOK_LABELS


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"declared": (*GRADING.declared, GRADING.declared[0])}, "two checks have the label 'D01'"),
        (
            {"covered_checks": {"nights": frozenset({"D13", "D99"})}},
            "fact 'nights' names check 'D99', which is not declared",
        ),
        (
            {"deciding_checks": {"nights": frozenset({"F-ID"})}},
            "fact 'nights' names check 'F-ID', which is not declared",
        ),
        (
            {"declared": (DomainCheck("X1", Role.PAID, "paid"),)},
            "check 'X1' has the role 'paid', which is the rulebook's own",
        ),
        (
            {"declared": (DomainCheck("X1", Role.SLOT_FILLED, "booked"),)},
            "check 'X1' does not say which slot is to be filled",
        ),
        (
            {"declared": (DomainCheck("D05", Role.EDGE, "fits"),)},
            "check 'D05' has the label of one of the rulebook's own",
        ),
        (
            {"declared": (DomainCheck("wish", Role.EDGE, "fits"),)},
            "check 'wish' is about 'edge' and is called like another role",
        ),
    ],
)
def test_checks_that_cannot_be_graded_are_refused_when_a_domain_is_made(change, message):
    with pytest.raises(UsageError, match=message):
        replace(GRADING, **change)


def test_every_role_but_those_of_endings_shows_a_mode_of_its_part():
    for role in Role:
        mode = mode_of(role)
        if role in {Role.SOUND, Role.ENDED_FULL, Role.ENDED_PARTIAL, Role.ENDED_NONE}:
            assert mode is None
        else:
            assert mode is not None and part_of(mode) is role.part, role


def test_parts_of_checks_need_no_domain():
    assert {part_of_check(one.id) for one in shared_verifiers()} == set(Part)
    assert part_of_check("F-ID") is Part.FACTUALITY
    assert part_of_check("C-OOS") is Part.COMPLETION
    # A label that looks like one of another part is the domain's, and so concrete.
    assert part_of_check("F1") is part_of_check("wish.gp") is Part.CONCRETE


def test_checks_are_named_by_label_or_by_role():
    reading = read_task(small_task())
    assert ids_of(reading, {Role.WISH, "D17"}) == {"D08", "D09", "D10", "D11", "D17"}
    assert ids_of(reading, {Role.ENDED_PARTIAL}) == {"C-PART"}


def test_an_error_of_the_user_explains_failures_by_label_or_by_role():
    by_id = {one.id: one for one in verifiers_of(read_task(small_task()))}
    errors = [UserError("U1", 1, "said wrongly", frozenset({Role.WISH, "D17"}))]
    for failing, fault in [
        (("D08", "D17"), Fault.USER),
        (("D08", "D18"), Fault.AGENT),
        ((), None),
        (("D08", "D24"), Fault.ENVIRONMENT),
    ]:
        found = [by_id[check] for check in failing]
        assert attribute(found, errors, is_certain=True, is_infra=False) == fault
