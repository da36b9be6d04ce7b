"""Seams: what other packages add is found by its entry point, and a broken package is one line."""

import sys

import pytest

from crab_graph.errors import UnknownName, UsageError
from crab_graph.plugins import Seam

SEAM = Seam("crab_test.things", "thing", {"ours": "crab_graph.errors:UsageError"})


@pytest.fixture
def installed(tmp_path, monkeypatch):
    """Install a package whose entry points name one thing that works and one that does not."""
    (tmp_path / "other_things.py").write_text("THING = 3\n")
    about = tmp_path / "other_things-1.0.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: other-things\nVersion: 1.0\n")
    entries = "theirs = other_things:THING\nbroken = other_things_missing:THING\n"
    both = "both = other_things:THING\n"
    (about / "entry_points.txt").write_text(f"[crab_test.things]\n{entries}{both}")
    more = tmp_path / "more_things-1.0.dist-info"
    more.mkdir()
    (more / "METADATA").write_text("Metadata-Version: 2.1\nName: more-things\nVersion: 1.0\n")
    (more / "entry_points.txt").write_text("[crab_test.things]\nboth = more_things:THING\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    yield
    sys.modules.pop("other_things", None)


def test_what_is_built_in_is_found_without_any_package():
    assert SEAM.names() == ("ours",)
    assert SEAM.find("ours") is UsageError


def test_what_a_package_registers_is_found_by_its_name(installed):
    assert SEAM.names() == ("both", "broken", "ours", "theirs")
    assert SEAM.find("theirs") == 3


def test_an_unknown_name_is_answered_with_the_known_ones(installed):
    with pytest.raises(UnknownName, match="unknown thing 'their'; did you mean theirs"):
        SEAM.find("their")


def test_a_package_that_cannot_be_imported_is_one_line_that_names_it(installed):
    with pytest.raises(UsageError, match="thing 'broken' of the package 'other-things' cannot be"):
        SEAM.find("broken")


def test_a_name_that_two_packages_register_is_one_line_that_names_both(installed):
    said = r"thing 'both' is registered by (more|other)-things and (more|other)-things; uninstall"
    with pytest.raises(UsageError, match=said):
        SEAM.find("both")
