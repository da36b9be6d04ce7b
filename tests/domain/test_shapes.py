"""Domains of other shapes: every part of the path works on them as it does on those that ship."""

import pytest

from crab_graph.analysis.audit.examination import red_team_of
from crab_graph.domain.contract import find_domain
from crab_graph.domains.generate import generate_benchmark
from crab_graph.domains.proof import certify_benchmark
from crab_graph.runs.episode import run_episode

pytestmark = pytest.mark.slow

SHAPES = ("lessons", "banquet", "archive", "shoot")


@pytest.fixture(scope="module", autouse=True)
def installed(tmp_path_factory):
    """Install the shapes as a package would register its domains."""
    home = tmp_path_factory.mktemp("site")
    about = home / "crab_shapes-1.0.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: crab-shapes\nVersion: 1.0\n")
    entries = "\n".join(f"{name} = tests.domain.shapes.{name}:DOMAIN" for name in SHAPES)
    (about / "entry_points.txt").write_text(f"[crab_graph.domains]\n{entries}\n")
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(home))
        find_domain.cache_clear()
        yield
    find_domain.cache_clear()


@pytest.fixture(scope="module", params=SHAPES)
def benchmark(request, installed, tmp_path_factory):
    directory = tmp_path_factory.mktemp("benchmarks") / request.param
    return generate_benchmark(directory, 4, domain=request.param, seed=3, distractors=200)


def test_every_task_is_certified(benchmark):
    certified = certify_benchmark(benchmark, [task.id for task in benchmark], jobs=1)
    assert all(one.ok for one in certified.values())


@pytest.mark.parametrize("condition", ["generic", "impatient", "d2", "ruse"])
def test_the_solver_passes_every_task(benchmark, condition):
    for task in benchmark:
        record = run_episode(task, "solver", condition, seed=1)
        assert record.passed and record.strict["passed"], (record.episode_id, record.failures)


def test_the_red_team_passes_none(benchmark):
    task = benchmark[0]
    for agent in red_team_of(task.domain).never:
        assert not run_episode(task, agent, "generic").passed, agent
