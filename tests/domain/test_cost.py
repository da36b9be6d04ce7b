"""What a booking costs is said once: another rule is followed by everybody at once."""

from dataclasses import replace

from crab_graph.domain.blueprint import Blueprint
from crab_graph.domain.drafting import Drafting
from crab_graph.domain.request_types import Profile, request_model
from tests.domain.drawn import DECLARATIONS


def with_fee(price, units):
    """Twice the units, and a fee for each booking."""
    return price * units * 2 + 2_300


def test_kinds_and_budgets_follow_an_offers_own_rule():
    clinic = DECLARATIONS["clinic"]
    dearer = {offer.name: replace(offer, cost=with_fee) for offer in clinic.offers}
    slots = [replace(slot, offer=dearer[slot.offer.name]) for slot in clinic.slots]
    declaration = replace(clinic, slots=slots)
    blueprint = Blueprint(declaration, request_model(declaration), Profile)
    draft = Drafting(blueprint).draft(0, {"dates": "flexible"})
    request = draft.request
    assert blueprint.kinds["course"].cost(1_000, request) == with_fee(1_000, request.sessions)
    (budget,) = (one for one in draft.folded.graph.constraints if one.name == "total_budget")
    assert budget.linear is not None
    assert budget.linear.weights["physio", "price"] == 2 * request.sessions
    assert budget.linear.bound == request.budget_cents - 4 * 2_300
