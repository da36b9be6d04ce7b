import json
from dataclasses import replace
from itertools import pairwise
from statistics import mean

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import crab_graph.domain as cd
from crab_graph.dates import day_number
from crab_graph.domain.request_types import facts_of, request_model, task_axes
from crab_graph.domain.strata import group_of, task_properties
from crab_graph.domains.clinic.domain import CLINIC
from crab_graph.domains.travel.domain import CITIES, TRAVEL
from crab_graph.errors import UnsatisfiableTask
from crab_graph.personas.briefing import FactLevel
from tests.domain.drawn import DECLARATIONS, drafting_of, seeds, strata

TICKET = cd.Offer("ticket", "TK", {"row": cd.Choice((1, 2, 3)), "show": cd.Choice(("a", "b"))})


def small(**more):
    """A free domain of one slot, without dates."""
    slots = (cd.Slot("ticket", TICKET, "ticket"),)
    wants = (cd.Want("row", (1, 2), ("ticket.row",)),)
    given = {"slots": slots, "wants": wants, **more}
    return cd.Declaration(name="concert", opening="A ticket, please.", **given)


@st.composite
def drafts(draw):
    declaration = DECLARATIONS[draw(st.sampled_from(sorted(DECLARATIONS)))]
    axes = draw(st.sampled_from(strata(declaration)))
    return declaration, axes, draw(seeds)


@given(drafts())
@settings(max_examples=40, deadline=None)
def test_what_is_drawn_lies_within_the_declaration(drawn):
    declaration, axes, seed = drawn
    draft = drafting_of(declaration).draft(seed, axes)
    request = draft.request
    for want in declaration.wants:
        value = getattr(request, want.key)
        values = want.values(request) if callable(want.values) else want.values
        assert value in values or (value is None and want.odds != 1.0)
    assert {axis.name: axis.read(request) for axis in task_axes(declaration)} == axes
    assert all(getattr(request, name) == value for name, value in axes.items())
    first, last = day_number(request.first_day), day_number(request.last_day)
    assert last - first + 1 in declaration.window.widths
    assert 14 <= first - day_number(draft.today) <= 75
    assert type(request).model_validate_json(request.model_dump_json()) == request


@given(drafts())
@settings(max_examples=25, deadline=None)
def test_a_draw_is_a_function_of_seed_and_axes(drawn):
    declaration, axes, seed = drawn
    first, second = (drafting_of(declaration).draft(seed, axes) for _ in range(2))
    assert first[:3] == second[:3]


@given(drafts())
@settings(max_examples=40, deadline=None)
def test_every_fact_is_json_and_says_what_the_request_says(drawn):
    declaration, axes, seed = drawn
    draft = drafting_of(declaration).draft(seed, axes)
    facts = facts_of(declaration, draft.request, draft.profile)
    told = {fact.key: fact.value for fact in facts}
    assert json.loads(json.dumps(told)) == told and len(told) == len(facts)
    assert None not in told.values() and False not in told.values()
    levels = [fact.level for fact in facts]
    assert levels == sorted(levels, key=[FactLevel.BASIC, FactLevel.DETAIL].index)
    for want in declaration.wants:
        assert told.get(want.key) == getattr(draft.request, want.key)
    cents = draft.request.budget_cents
    assert told.get("budget") == (None if cents is None else f"{cents / 100:.2f}")
    for rule in declaration.rules:
        if rule.odds is not None:
            assert told.get(rule.name) == (getattr(draft.request, rule.name) or None)


def test_facts_of_travel_come_in_the_order_in_which_they_are_told():
    draft = drafting_of(TRAVEL.declaration).draft(3, {"date_mode": "flexible", "party": 2})
    facts = facts_of(TRAVEL.declaration, draft.request, draft.profile)
    keys = [fact.key for fact in facts]
    assert keys[:9] == [
        "origin",
        "destination",
        "departure_date",
        "nights",
        "party_size",
        "traveller_names",
        "birth_dates",
        "customer_id",
        "email",
    ]
    assert keys[-1] == "payment_card"
    values = {fact.key: fact.value for fact in facts}
    assert values["departure_date"] == [draft.request.first_day, draft.request.last_day]
    assert len(values["traveller_names"]) == len(values["birth_dates"]) == 2
    assert {fact.slot for fact in facts if fact.key.startswith("hotel")} <= {"hotel"}
    assert all(fact.slot is None for fact in facts if fact.level is FactLevel.BASIC)


@pytest.mark.slow
@pytest.mark.parametrize(("mode", "expected"), [("fixed", 2.5), ("flexible", 5.5)])
def test_travel_has_as_many_active_edges_as_in_the_paper(mode, expected):
    drafting = drafting_of(TRAVEL.declaration)
    axes = [{"date_mode": mode, "party": party} for party in (1, 2, 3, 4)]
    counts = [len(drafting.draft(seed, axes[seed % 4]).folded.active_edges) for seed in range(160)]
    assert mean(counts) == pytest.approx(expected, abs=0.25)


def test_a_budget_is_round_and_bounds_what_everything_costs():
    drafting = drafting_of(CLINIC.declaration)
    kinds = drafting.blueprint.slot_kinds
    seen = 0
    for seed in range(40):
        draft = drafting.draft(seed, {"dates": "flexible"})
        cents = draft.request.budget_cents
        if cents is None:
            continue
        seen += 1
        costs = [
            kinds[node].cost(domain.grid(("price",))["price"], draft.request)
            for node, domain in draft.folded.domains.items()
        ]
        assert cents % 1000 == 0
        assert sum(min(own) for own in costs) <= cents <= sum(max(own) for own in costs)
    assert seen > 15


@given(drafts(), st.data())
@settings(max_examples=25, deadline=None)
def test_a_draft_can_have_exactly_the_optional_edges_that_are_named(drawn, data):
    declaration, axes, seed = drawn
    drafting = drafting_of(declaration)
    draft = drafting.draft(seed, axes)
    names = data.draw(st.lists(st.sampled_from(drafting.optional_edges), unique=True))
    varied = drafting.with_edges(draft, names, seed)
    edges = {one.name for one in varied.folded.graph.constraints}
    assert edges & set(drafting.optional_edges) == set(names)
    kept = set(type(draft.request).model_fields) - {*drafting.optional_edges, "budget_cents"}
    assert all(getattr(varied.request, key) == getattr(draft.request, key) for key in kept)
    if "total_budget" in names and draft.request.budget_cents is not None:
        assert varied.request.budget_cents == draft.request.budget_cents


def test_optional_rules_are_asked_for_together_at_the_declared_odds():
    odds = {"fixed": {("same_practice",): 0.25, ("same_practice", "same_district"): 0.75}}
    drafting = drafting_of(replace(CLINIC.declaration, optional_odds=odds))
    asked = [drafting.optional_edges_of(seed, {"dates": "fixed"}) for seed in range(400)]
    assert {frozenset(one) for one in odds["fixed"]} == set(asked)
    assert mean("same_district" in one for one in asked) == pytest.approx(0.75, abs=0.07)
    # On other values of the axis each is drawn for itself.
    free = [drafting.optional_edges_of(seed, {"dates": "flexible"}) for seed in range(400)]
    assert mean("same_practice" in one for one in free) == pytest.approx(0.6, abs=0.08)


def test_a_want_may_depend_on_those_before_it():
    drafting = drafting_of(TRAVEL.declaration)
    for seed in range(60):
        request = drafting.draft(seed, {"date_mode": "fixed", "party": 4}).request
        assert request.origin != request.destination and {request.origin} <= CITIES.keys()
        assert request.bed_type != "twin"
        if request.attraction_date is not None:
            assert request.first_day < request.attraction_date


def test_a_domain_may_have_neither_dates_nor_axes_nor_prices():
    declaration = small()
    model = request_model(declaration)
    assert list(model.model_fields) == ["row"] and not task_axes(declaration)
    draft = drafting_of(declaration).draft(1, {})
    assert draft.request.row in (1, 2) and draft.profile.payment_card is None
    facts = {fact.key: fact for fact in facts_of(declaration, draft.request, draft.profile)}
    assert list(facts) == ["customer_id", "email", "row"] and facts["row"].slot == "ticket"
    assert drafting_of(declaration).optional_edges == () and group_of(declaration, None) == ()


def test_a_certain_want_without_values_makes_the_task_unsatisfiable():
    sure = small(wants=(cd.Want("row", lambda r: (), ("ticket.row",)),))
    with pytest.raises(UnsatisfiableTask, match="'row'"):
        drafting_of(sure).draft(1, {})
    unsure = small(wants=(cd.Want("row", lambda r: (), ("ticket.row",), odds=0.9),))
    assert drafting_of(unsure).draft(1, {}).request.row is None


def test_a_value_of_the_wrong_type_is_no_request():
    model = request_model(small(wants=(cd.Want("show", lambda r: ("a",), ("ticket.show",)),)))
    assert model.model_validate({"show": "b"}).model_dump() == {"show": "b"}
    with pytest.raises(ValueError, match="valid string"):
        model.model_validate({"show": 1})


@given(drafts())
@settings(max_examples=25, deadline=None)
def test_every_request_has_a_value_of_every_property(drawn):
    declaration, axes, seed = drawn
    request = drafting_of(declaration).draft(seed, axes).request
    properties = task_properties(declaration)
    assert all(one.read(request) in one.values for one in properties)
    assert len({one.name for one in properties}) == len(properties)
    assert len(group_of(declaration, request)) == len(declaration.spread or axes)


def test_budget_bands_are_round_and_follow_one_another():
    declaration = replace(TRAVEL.declaration, properties=())
    bands = next(one for one in task_properties(declaration) if one.name == "budget")
    assert bands.values[0] == "under $500" and bands.values[-2:] == ("$2,000 and more", "any")
    request = drafting_of(declaration).draft(0, {"date_mode": "fixed", "party": 1}).request
    read = [
        bands.values.index(bands.read(request.model_copy(update={"budget_cents": cents})))
        for cents in (1, 49_999, 50_000, 199_999, 200_000, 10**8, None)
    ]
    assert read == [0, 0, 1, 3, 4, 4, 5] and all(low <= high for low, high in pairwise(read))


def test_a_draft_is_given_up_whose_share_of_the_budget_pays_for_no_offer():
    priced = {"row": cd.Choice((1, 2)), "price": cd.Price({1: 40, 2: 80}, "row")}
    share = cd.Rule(
        "ticket_share",
        lambda ticket, r: ticket.price * 100 <= r.ticket_share * r.budget_cents,
        "the ticket costs at most {r.ticket_share} % of the budget",
        joint=True,
        values=(1, 2),
    )
    declaration = small(
        slots=(
            cd.Slot("ticket", cd.Offer("ticket", "TK", priced), "ticket"),
            cd.Slot("drink", cd.Offer("drink", "DR", priced), "drink"),
        ),
        wants=(),
        budget=cd.Budget(odds=1.0),
        rules=(share,),
    )
    for seed in range(8):
        with pytest.raises(UnsatisfiableTask, match="node 'ticket' has no values"):
            drafting_of(declaration).draft(seed, {}, joint=1)
