"""What users answer where they have no wish is held against what agents hear of it."""

from dataclasses import replace

import pytest

from crab_graph.analysis.audit.heard_denials import misheard_denials
from crab_graph.domain.contract import find_domain
from crab_graph.domain.declaration import Wording
from tests.domain.practice import PRACTICE, WANTS


def misheard(key, none):
    wants = [replace(w, wording=Wording(none=none)) if w.key == key else w for w in WANTS]
    return [*misheard_denials(replace(PRACTICE, wants=wants))]


@pytest.mark.parametrize(
    ("key", "none", "heard"),
    [
        ("physio_focus", "I do not mind whether the focus is the knee.", "'knee'"),
        ("district", ("Any district.", "The test may be in Old Town or not."), "'Old Town'"),
        ("physio_rating", "A rating of 3 or less will do for the course.", "3"),
    ],
)
def test_an_answer_that_names_a_value_is_told_in_one_line(key, none, heard):
    (line,) = misheard(key, none)
    assert line.startswith(f"'{key}': '") and f"is heard as the wish '{key}' for {heard}; " in line


def test_an_answer_that_names_none_is_not():
    assert misheard("physio_focus", "What it is for does not matter.") == []


@pytest.mark.parametrize("name", ["travel", "clinic", "tour"])
def test_the_domains_that_ship_are_heard_as_they_mean_it(name):
    declaration = find_domain(name).declaration
    assert declaration is not None
    assert [*misheard_denials(declaration)] == []
