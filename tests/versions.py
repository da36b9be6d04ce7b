"""Tries the oldest versions that `pyproject.toml` declares, and the newest that there are.

For each of the two a virtual environment is made in `.venv-lowest` or `.venv-newest`, and the tests
of graph, runs and agents run in it. Then a benchmark that the newest DuckDB wrote is certified and
run with the oldest. `make test-versions` runs all of it, which takes some minutes.
"""

import subprocess
import tempfile
import tomllib
import venv
from collections.abc import Iterator
from importlib.metadata import distributions
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
TRIED = (
    "langgraph",
    "langchain",
    "langchain-core",
    "langchain-openai",
    "langgraph-checkpoint-sqlite",
    "langgraph-checkpoint-postgres",
    "duckdb",
)
"""Packages whose versions matter most; of all others the newest are taken."""

ROOMS = ("tests/graph", "tests/runs", "tests/agents")
EXTRAS = ".[report,serve,postgres]"


def declared() -> Iterator[tuple[str, str]]:
    """Yield name and bounds of the packages that are tried, such as `duckdb`, `>=1.4,<3`."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    for line in [*project["dependencies"], *project["optional-dependencies"]["postgres"]]:
        name, mark, bounds = line.partition(">=")
        if name in TRIED:
            yield name, mark + bounds


def lowest() -> list[str]:
    """Return requirements of exactly the lowest versions."""
    return [f"{name}=={bounds.split(',')[0].removeprefix('>=')}" for name, bounds in declared()]


def newest() -> list[str]:
    """Return requirements within the bounds."""
    return ["--upgrade", *(f"{name}{bounds}" for name, bounds in declared())]


def call(python: Path, *arguments: object) -> None:
    """Run a module of an environment in the project's folder; raise if it fails."""
    print("$", python.parent.parent.name, *arguments, flush=True)
    subprocess.run([python, "-m", *map(str, arguments)], cwd=ROOT, check=True)


def environment(name: str, requirements: list[str]) -> Path:
    """Make a virtual environment, if it is missing, and return its interpreter."""
    folder = ROOT / f".venv-{name}"
    if not folder.exists():
        venv.create(folder, with_pip=True)
    python = folder / "bin" / "python"
    pip = ("pip", "--disable-pip-version-check", "--quiet", "install")
    call(python, *pip, "--upgrade", "pip>=25.1")
    call(python, *pip, *requirements, "-e", EXTRAS, "--group", "test")
    found = {one.name: one.version for one in distributions(path=[str(site_packages(folder))])}
    print(f"{name}:", *(f"{one}=={found.get(one)}" for one in TRIED), flush=True)
    return python


def site_packages(folder: Path) -> Path:
    """Return the folder of an environment's packages."""
    return next(folder.glob("lib/python*/site-packages"))


def main() -> None:
    """Try both, and the file of one with the other."""
    pythons = {"lowest": environment("lowest", lowest()), "newest": environment("newest", newest())}
    for python in pythons.values():
        call(python, "pytest", "-q", "-n", "auto", "--maxprocesses", 4, *ROOMS)
    with tempfile.TemporaryDirectory() as directory:
        bench, run = Path(directory, "bench"), Path(directory, "run")
        call(pythons["newest"], "crab_graph", "generate", bench, "--tasks", 4)
        call(pythons["lowest"], "crab_graph", "certify", bench)
        call(pythons["lowest"], "crab_graph", "run", bench, "--out", run, "--agent", "solver")
    print("both pass")


if __name__ == "__main__":
    main()
