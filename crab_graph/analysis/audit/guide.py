"""Certified solutions booked in dialogue: the solver's manners, with the choice made beforehand."""

from crab_graph.agents.reference.desk import Desk
from crab_graph.agents.reference.planning import Plan, Shortlist
from crab_graph.agents.reference.wishes import Wishes
from crab_graph.domains.task import SolutionIds


class Guide(Desk):
    """Asks, searches and books as the solver does, and chooses a given solution."""

    def __init__(self, solution: SolutionIds) -> None:
        """Hand it the solution."""
        self._solution = solution

    def choose(self, offers: Shortlist, wishes: Wishes) -> Plan | None:
        """Return the solution, if all of it is among the offers that fit the wishes."""
        solution = self._solution
        stay = solution["hotel"]
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


def _is(offer: object, ids: dict[str, str]) -> bool:
    return all(getattr(offer, name, value) == value for name, value in ids.items())
