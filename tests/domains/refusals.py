"""That a task whose wish is settled otherwise than by its tables is not certified."""

from crab_graph.domains.task_certification import certify_spec


def assert_refused(benchmark, task, settled, expected):
    """Check that a task with these values settled has solutions, and is not certified."""
    wrong = task.request.model_copy(update={"settled": settled})
    with benchmark.reading() as connection:
        found = certify_spec(connection, task.domain, wrong, task.id, expected)
    (compared,) = found.comparisons
    assert found.expected == found.sql == found.arrays == found.search
    assert compared.others.sql == compared.others.arrays == compared.others.search > 0
    assert not compared.ok and not found.ok
