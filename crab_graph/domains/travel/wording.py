"""The words of travel: those derived from its declaration, and the agent's policy."""

from functools import partial

from crab_graph.domain.derived_lexicon import briefing
from crab_graph.domain.derived_vocabulary import vocabulary
from crab_graph.domains.travel.declared import TRAVEL_DECLARATION
from crab_graph.domains.travel.names import read_text
from crab_graph.settings import Toolset

travel_vocabulary = partial(vocabulary, TRAVEL_DECLARATION)
travel_briefing = briefing(TRAVEL_DECLARATION)


def travel_policy(today: str, toolset: Toolset = Toolset.PARITY) -> str:
    """Return the agent's policy prompt, which states every duty that is graded."""
    changes = read_text(f"changes_{toolset}.md").rstrip()
    return read_text("policy.md").replace("{today}", today).replace("{changes}", changes)
