"""A domain to begin with: `write_package` copies it under another name.

What is copied is a package of its own: its declaration, a test, its `pyproject.toml` and a page. It
is called `starter` here, wherever it is named.
"""

from importlib.resources import files
from pathlib import Path

from crab_graph.domain.contract import DOMAINS
from crab_graph.domain.demand_problems import NAME_FORM, is_domain_name
from crab_graph.errors import UsageError

NAME = "starter"

FILES = ("pyproject.toml", "README.md", f"{NAME}_domain.py", f"test_{NAME}_domain.py.txt")


def write_package(name: str, directory: Path) -> tuple[Path, ...]:
    """Write the package of a new domain into a directory that is not there yet, or is empty.

    Returns:
        The files, in the order in which to read them.

    Raises:
        UsageError: the name is none that a domain can have, is taken, or the directory holds files.
    """
    if not is_domain_name(name):
        raise UsageError(f"'{name}' cannot be a domain's name: {NAME_FORM}")
    if name in DOMAINS.names():
        raise UsageError(f"there is a domain '{name}' already; choose another name")
    if directory.exists() and (not directory.is_dir() or any(directory.iterdir())):
        raise UsageError(f"{directory}: exists already; choose another directory with --out")
    directory.mkdir(parents=True, exist_ok=True)
    written = []
    for file in FILES:
        text = (files(__package__) / file).read_text(encoding="utf-8").replace(NAME, name)
        path = directory / file.replace(NAME, name).removesuffix(".txt")
        text = text.replace(NAME.upper(), name.upper())
        path.write_text(text, encoding="utf-8", newline="\n")
        written.append(path)
    return tuple(written)
