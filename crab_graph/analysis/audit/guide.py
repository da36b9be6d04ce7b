"""Certified solutions booked in dialogue: the solver's manners, with the choice made beforehand."""

from crab_graph.agents.reference.desk import Desk
from crab_graph.agents.reference.planning import Plan, Planner, Shortlist
from crab_graph.agents.reference.wishes import Wishes
from crab_graph.domains.task import SolutionIds


def guide(solution: SolutionIds) -> Desk:
    """Return an agent that asks, searches and books as the solver does, and chooses a solution."""
    return Desk(asks=True, planner=_choice_of(solution))


def _choice_of(solution: SolutionIds) -> Planner:
    stay = solution["hotel"]

    def choose(offers: Shortlist, wishes: Wishes) -> Plan | None:
        """Return the solution, if all of it is among the offers that fit the wishes."""
        fitting = (
            [o for o in offers.outbound.get(stay["check_in"], ()) if _is(o, solution["outbound"])],
            [o for o in offers.back.get(stay["check_out"], ()) if _is(o, solution["return"])],
            [o for o in offers.rooms.get(stay["check_in"], ()) if _is(o, stay)],
            [o for o in offers.attractions if _is(o, solution["attraction"])],
        )
        if not all(fitting) or wishes.party_size is None or wishes.nights is None:
            return None
        outbound, back, rooms, attractions = fitting
        return Plan(
            outbound[0], back[0], rooms[0], attractions[0], wishes.party_size, wishes.nights
        )

    return choose


def _is(offer: object, ids: dict[str, str]) -> bool:
    return all(getattr(offer, name, value) == value for name, value in ids.items())
