"""What users claim of their wishes, seen in their words without an author's help."""

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest

from crab_graph.domain.declaration import Declaration
from crab_graph.domain.derived_claims import claims
from crab_graph.domain.derived_lexicon import lexicon
from crab_graph.domain.verification import Claim
from crab_graph.personas.wording import word_fact
from crab_graph.text.utterance import normalise
from tests.domain.practice import PRACTICE
from tests.domain.test_derived_words import FACTS, TODAY

KNOWN = {fact.key: fact.value for fact in FACTS}
WRONG: dict[str, Any] = {
    "specialty": "neurology",
    "first_visit": "2027-05-09",
    "panel": "imaging",
    "sessions": 6,
    "within_days": 5,
    "language": "Arabic",
    "gp_time_of_day": "evening",
    "lab_time_of_day": "morning",
    "district": "Riverside",
    "physio_focus": "back",
    "physio_rating": 4,
    "lab_date": "2027-05-05",
    "budget": "800.00",
}


def stated(text: str, declaration: Declaration = PRACTICE) -> Iterator[tuple[str, bool]]:
    """Yield the keys that a text states something of, each with whether it is right."""
    for claim in claims(declaration):
        for match in re.finditer(claim.pattern, normalise(text)):
            word = next(filter(None, match.groups()), "")
            found = [(claim.values.get(word, word),)]
            for values in claim.read(word, TODAY) if claim.read else found:
                yield claim.key, any(is_right(claim, value) for value in values)


def is_right(claim: Claim, value: Any) -> bool:
    if claim.agrees is not None:
        return claim.agrees(KNOWN, value)
    known = KNOWN[claim.key]
    return str(value).replace(",", "") in {
        str(known),
        f"{known}.00",
        str(known).removesuffix(".00"),
    }


def wordings(key: str, value: Any) -> Iterator[str]:
    words = lexicon(PRACTICE).facts[key]
    fact = next(fact for fact in FACTS if fact.key == key)
    for template in words.full:
        only = words.model_copy(update={"full": (template,)})
        known = lexicon(PRACTICE).model_copy(update={"facts": {key: only}})
        yield word_fact(replace(fact, value=value), known, None, short=False)


@pytest.mark.parametrize("fact", FACTS, ids=[fact.key for fact in FACTS])
def test_no_true_statement_is_taken_for_a_wrong_one(fact):
    for text in wordings(fact.key, fact.value):
        assert all(right for _, right in stated(text)), text


@pytest.mark.parametrize("key", WRONG)
def test_a_wrong_statement_is_seen_in_the_first_wording_and_blamed_on_no_other_fact(key):
    for number, text in enumerate(wordings(key, WRONG[key])):
        wrong = {name for name, right in stated(text) if not right}
        assert wrong == {key} or (number > 0 and not wrong), text


@pytest.mark.parametrize(
    "text",
    [
        "The lab test should be before 4 May 2027.",
        "I need the results by the afternoon.",
        "The specialist said neurology is not it.",
        "I was back home in the evening.",
    ],
)
def test_what_cannot_be_seen_stays_unseen(text):
    assert not [key for key, right in stated(text) if not right]


def test_an_author_adds_claims_in_the_form_of_a_file_and_replaces_those_of_their_key():
    given = (
        {"key": "sessions", "pattern": r"(?<!\w){count} times(?!\w)", "values": "numbers"},
        {
            "key": "within_days",
            "pattern": r"(?<!\w)back at the (?:doctor|specialist) ({rest})",
            "read": "one of the dates",
            "agrees": "is in window",
            "less": "within_days",
        },
    )
    own = replace(PRACTICE, claims=given)
    assert list(stated("I need it 4 times, or 6 sessions.", own)) == [("sessions", True)]
    assert ("within_days", True) in stated("I am back at the doctor on 10 May 2027", own)
    assert ("within_days", False) in stated("I am back at the doctor on 8 May 2027", own)
