"""The house stays plain: one name, one thing; functions that can be read at a glance."""

import ast
from collections import defaultdict
from functools import cache

from tests.sources import PACKAGE, trees

LONGEST = 60
WORDS = ("flight", "hotel", "attraction", "passenger", "airline", "outbound", "itinerary")
"""Words of domains that ship; outside their folders nothing names what they are about."""
SPOKEN = (".py", ".toml", ".md", ".js", ".html")
FAMILIES = {"cli", "verifiers", "travel", "clinic", "tour"}
"""Folders whose modules carry the name of a command, a check or a domain's part of a subject."""


def modules():
    return sorted(path for path in PACKAGE.rglob("*.py") if path.name != "__init__.py")


@cache
def definitions():
    """Every class and function of the package, with its module; read once, for that takes time."""
    return [
        (path.relative_to(PACKAGE), node)
        for path, tree in trees()
        for node in ast.walk(tree)
        if isinstance(node, (ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef))
    ]


def twice(named):
    places = defaultdict(list)
    for name, place in named:
        places[name].append(str(place))
    return {name: found for name, found in places.items() if len(found) > 1}


def test_no_two_modules_share_a_name_unless_their_folders_make_them_one_family():
    plain = [path for path in modules() if path.parent.name not in FAMILIES]
    assert not twice((path.stem, path.relative_to(PACKAGE)) for path in plain)


def test_no_module_is_named_with_the_plural_of_another():
    names = {path.stem for path in modules() if path.parent.name not in FAMILIES}
    assert not [name for name in names if f"{name}s" in names]


def test_no_class_is_named_twice():
    classes = ((path, node) for path, node in definitions() if isinstance(node, ast.ClassDef))
    assert not twice((node.name, path) for path, node in classes)


def test_no_word_of_a_domain_stands_outside_its_folder():
    found = set()
    for path in PACKAGE.rglob("*"):
        place = path.relative_to(PACKAGE)
        of_domain = place.parts[0] == "domains" and len(place.parts) > 2
        if path.suffix in SPOKEN and not of_domain:
            text = path.read_text(encoding="utf-8").casefold()
            found |= {place.as_posix() for word in WORDS if word in text}
    assert not found


def test_no_function_but_a_command_is_long():
    long = []
    for path, node in definitions():
        is_command = path.parent.name == "cli" and not node.name.startswith("_")
        is_short = (node.end_lineno or 0) - node.lineno < LONGEST
        if not (is_short or is_command or isinstance(node, ast.ClassDef)):
            long.append(f"{path}:{node.name}")
    assert not long
