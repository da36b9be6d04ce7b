"""The words of the travel domain, as its users and its verifiers have them."""

from crab_graph.domain.contract import find_domain

TRAVEL = find_domain("travel")
LEXICON = TRAVEL.briefing(TRAVEL.slots, (), "", "").lexicon
VOCABULARY = TRAVEL.grading.vocabulary()
