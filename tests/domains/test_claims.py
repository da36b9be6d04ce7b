"""The cues of claims: what a pattern finds holds one, so that no clause is passed over."""

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crab_graph.domains.travel.claims import TRAVEL_CLAIMS
from crab_graph.domains.verification import Claim


@pytest.mark.parametrize("claim", TRAVEL_CLAIMS, ids=lambda claim: claim.key)
@settings(max_examples=60, deadline=None)
@given(data=st.data())
def test_whatever_a_claim_finds_holds_a_cue(claim: Claim, data: st.DataObject) -> None:
    text = data.draw(st.from_regex(claim.pattern))
    found = [match[0] for match in re.finditer(claim.pattern, text)]
    assert found and all(claim.may_match(words) for words in found)


def test_a_claim_without_cues_may_match_anything() -> None:
    assert Claim("nights", "x").may_match("")
    assert not Claim("nights", "x", cues=("x",)).may_match("y")
