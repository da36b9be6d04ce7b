"""The wheel and the sdist hold every file once, and install nothing beside `crab_graph`."""

import tarfile
import zipfile
from configparser import ConfigParser
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow

ROOT = Path(__file__).resolve().parent.parent

pytest.importorskip("hatchling")


def package_files() -> set[str]:
    """Every file of the package, data files too, as paths from the project root."""
    return {
        path.relative_to(ROOT).as_posix()
        for path in (ROOT / "crab_graph").rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }


@pytest.fixture(scope="module")
def wheel_path(tmp_path_factory) -> Path:
    from hatchling.builders.wheel import WheelBuilder  # noqa: PLC0415

    directory = tmp_path_factory.mktemp("wheel")
    (artifact,) = WheelBuilder(str(ROOT)).build(directory=str(directory), versions=["standard"])
    return Path(artifact)


@pytest.fixture(scope="module")
def wheel_names(wheel_path) -> list[str]:
    with zipfile.ZipFile(wheel_path) as archive:
        return archive.namelist()


@pytest.fixture(scope="module")
def sdist_names(tmp_path_factory) -> list[str]:
    from hatchling.builders.sdist import SdistBuilder  # noqa: PLC0415

    directory = tmp_path_factory.mktemp("sdist")
    (artifact,) = SdistBuilder(str(ROOT)).build(directory=str(directory), versions=["standard"])
    with tarfile.open(artifact) as archive:
        return [name.split("/", 1)[1] for name in archive.getnames()]


def test_the_wheel_holds_every_file_of_the_package_once(wheel_names):
    packed = [name for name in wheel_names if ".dist-info/" not in name]
    assert sorted(packed) == sorted(package_files())


def test_the_wheel_brings_each_shipped_domain_under_its_name(wheel_path, wheel_names):
    folders = {name.split("/")[2] for name in wheel_names if name.endswith("/domain.py")}
    with zipfile.ZipFile(wheel_path) as archive:
        (path,) = [name for name in wheel_names if name.endswith("/entry_points.txt")]
        entries = ConfigParser()
        entries.read_string(archive.read(path).decode())
    assert dict(entries["crab_graph.domains"]) == {
        name: f"crab_graph.domains.{name}.domain:{name.upper()}" for name in folders
    }
    assert folders == {"clinic", "tour", "travel"}


def test_the_wheel_holds_the_words_of_the_engine_and_the_package_a_new_domain_begins_with(
    wheel_names,
):
    engine = {"claims.toml", "invented.toml", "templates.toml", "agent_policy.md"}
    assert {f"crab_graph/domain/{name}" for name in engine} <= set(wheel_names)
    starter = {"README.md", "pyproject.toml", "starter_domain.py", "test_starter_domain.py.txt"}
    assert {f"crab_graph/domains/starter/{name}" for name in starter} <= set(wheel_names)


def test_the_wheel_installs_nothing_but_the_package(wheel_names):
    tops = {name.split("/", 1)[0] for name in wheel_names}
    assert {top for top in tops if not top.endswith(".dist-info")} == {"crab_graph"}


@pytest.mark.slow
def test_the_sdist_holds_every_file_once(sdist_names):
    assert len(sdist_names) == len(set(sdist_names))
    assert {name for name in sdist_names if name.startswith("crab_graph/")} == package_files()
    assert {name.split("/", 1)[0] for name in sdist_names}.isdisjoint(
        {"tools", "personas", "generation", "eval"}
    )


def test_the_sdist_can_be_built_and_tested_from(sdist_names):
    needed = {"pyproject.toml", "README.md", "LICENSE", "Makefile", "tests/test_packaging.py"}
    assert needed | {"sbom.cdx.json", "docs/licences.md"} <= set(sdist_names)


@pytest.mark.parametrize("room", ["tools", "personas", "generation", "eval"])
def test_the_rooms_stand_at_the_top_level_as_relative_links(room):
    link = ROOT / room
    if not link.exists():
        pytest.skip("an unpacked sdist has no links")
    assert link.readlink().as_posix() == f"crab_graph/{room}"
