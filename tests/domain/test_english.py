"""English as far as derived words need it."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crab_graph.domain.english import any_of, form_of, plural, singular

NOUNS = st.from_regex(r"[a-z]{2,8}([ _-][a-z]{2,8})?", fullmatch=True)


@pytest.mark.parametrize(
    ("noun", "many"),
    [
        ("specialty", "specialties"),
        ("bus", "buses"),
        ("focus", "focuses"),
        ("box", "boxes"),
        ("day", "days"),
        ("lab test", "lab tests"),
        ("class", "classes"),
    ],
)
def test_a_noun_and_its_plural_are_found_by_one_cue(noun, many):
    assert (plural(noun), singular(many)) == (many, noun)
    for text in (noun, many):
        assert re.fullmatch(form_of(noun), text)


@given(NOUNS, st.booleans())
def test_every_noun_is_found_however_its_words_are_joined(noun, is_plural):
    one = singular(noun)
    text = plural(one) if is_plural else one
    for joint in " _-":
        assert re.fullmatch(form_of(noun), re.sub(r"[ _-]", joint, text))


@given(st.lists(NOUNS, min_size=1, max_size=4))
def test_any_of_some_nouns_is_found_whole(nouns):
    for noun in nouns:
        assert re.search(rf"\b{any_of(nouns)}\b", f"the {plural(singular(noun))} please")
