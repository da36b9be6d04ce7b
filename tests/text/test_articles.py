"""The article before a value is the one that its sound takes."""

from types import SimpleNamespace

import pytest

from crab_graph.text.articles import filled_in, with_article

BEHIND = {
    "an": "apple Italian hour honest umbrella uninsured 8 11 18 organ onion aisle",
    "a": "plumber user unit usual university utility euro one-way house 1 110 quiz",
}


@pytest.mark.parametrize("article", BEHIND)
def test_a_noun_has_the_article_of_its_sound(article):
    nouns = BEHIND[article].split()
    assert [with_article(noun) for noun in nouns] == [f"{article} {noun}" for noun in nouns]


@pytest.mark.parametrize(
    ("template", "said"),
    [
        ("A {value} in a {r.size} room.", "An electrician in an airy room."),
        ("an {other}, and {value}", "a plumber, and electrician"),
        ("An {n}-hour day, an {m}-hour one.", "An 8-hour day, a 9-hour one."),
        ("A {{brace}}, vanilla {value}.", "A {brace}, vanilla electrician."),
    ],
)
def test_a_value_in_a_sentence_has_its_own_article_whatever_stands_there(template, said):
    values = {"value": "electrician", "other": "plumber", "n": 8, "m": 9}
    assert filled_in(template, **values, r=SimpleNamespace(size="airy")) == said
