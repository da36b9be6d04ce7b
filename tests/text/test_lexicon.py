"""Words of the lexicon are put together for speed, and match what they match one beside another."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crab_graph.text.lexicon import alternatives, cues, lexicon, may_hold, pattern

ENTRIES = [
    (section, key)
    for section, entries in lexicon().items()
    if isinstance(entries, dict)
    for key in entries
]
FORMS = [
    form
    for section, key in ENTRIES
    for word in lexicon()[section][key]
    for form in re.sub(r"\(\?:|[][()\\?^]", "", word).split("|")
]
TEXTS = st.lists(
    st.sampled_from(FORMS) | st.sampled_from([" ", "n't", "_", "-", ". ", "s", "'ll "])
)


def beside(words: list[str]) -> str:
    """Return the plain form of `alternatives`."""
    listed = sorted(words, key=lambda word: (-len(word), word))
    signs = [word for word in listed if not any(letter.isalnum() for letter in word)]
    whole = "|".join(word for word in listed if word not in signs)
    return "(?:" + "|".join([rf"(?<!\w)(?:{whole})(?!\w)", *signs]) + ")"


@pytest.mark.parametrize(("section", "key"), ENTRIES)
@given(parts=TEXTS)
def test_an_entry_finds_what_its_words_find(section: str, key: str, parts: list[str]) -> None:
    words = lexicon()[section][key]
    for text in ("".join(parts), " ".join(parts)):
        found = [match.span() for match in re.finditer(alternatives(words), text)]
        assert found == [match.span() for match in re.finditer(beside(words), text)]


@given(section_and_key=st.sampled_from(ENTRIES), parts=TEXTS)
def test_what_an_entry_finds_holds_a_cue(
    section_and_key: tuple[str, str], parts: list[str]
) -> None:
    for match in pattern(*section_and_key).finditer(" ".join(parts)):
        assert may_hold(match[0], *section_and_key)


def test_an_entry_whose_words_are_no_plain_texts_may_be_held_by_anything() -> None:
    assert cues("attribution", "denials") == ("",)
    assert cues("totals", "charge") == ("charge", "charging", "bill", "debit", "pay")
    assert not may_hold("a total of $3", "totals", "charge")


def test_choices_at_the_start_of_a_word_keep_their_order() -> None:
    words = ["(?:in|into) a", "in a car", "x"]
    found = re.findall(alternatives(words), "in a car, into a y, x")
    assert found == re.findall(beside(words), "in a car, into a y, x") == ["in a", "into a", "x"]
