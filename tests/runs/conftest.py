import pytest

from crab_graph.domains.generate import generate_benchmark


@pytest.fixture(scope="session")
def bench(tmp_path_factory):
    return generate_benchmark(
        tmp_path_factory.mktemp("runs") / "bench", tasks=4, distractors=400, seed=3
    )
