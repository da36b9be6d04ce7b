import os
import signal
import subprocess
import sys
import threading
import time
from contextlib import contextmanager
from pathlib import Path

import pytest

from crab_graph import workers
from crab_graph.errors import CrabGraphError, UnknownName
from crab_graph.workers import process_map, run_parallel, write_atomically

ROOT = Path(__file__).resolve().parents[2]


def square(number):
    if number == 13:
        raise UnknownName("number", "13", ["12"])
    if number == 14:
        raise ValueError("fourteen")
    if number == 15:
        os.kill(os.getpid(), signal.SIGKILL)
    return number * number


@contextmanager
def squaring(slot):
    yield square


@contextmanager
def meeting(slot):
    barrier = threading.Barrier(3)

    def handle(number):
        barrier.wait(20)
        return slot, number

    yield handle


@pytest.fixture(params=["forkserver", pytest.param("spawn", marks=pytest.mark.slow)])
def method(request, monkeypatch):
    """How processes are started here, and in other systems."""
    monkeypatch.setattr(workers, "start_method", lambda: request.param)
    return request.param


@pytest.mark.parametrize("jobs", [1, 2])
def test_every_item_is_handled(jobs, method):
    assert sorted(process_map(square, range(9), jobs)) == [n * n for n in range(9)]
    assert list(process_map(square, [], jobs)) == []


@pytest.mark.parametrize("jobs", [1, 2])
def test_threads_work_at_once_in_each_process(jobs, method):
    results = list(run_parallel(range(6), meeting, jobs=jobs, concurrency=3))
    assert sorted(number for _, number in results) == list(range(6))
    assert len({slot for slot, _ in results}) == jobs


def test_errors_of_workers_reach_the_caller(method):
    with pytest.raises(CrabGraphError, match="unknown number '13'"):
        list(process_map(square, [1, 13], 2))
    with pytest.raises(RuntimeError, match="fourteen"):
        list(process_map(square, [1, 14], 2))
    with pytest.raises(CrabGraphError, match="worker process died"):
        list(process_map(square, [1, 15], 2))
    with pytest.raises(ValueError, match="fourteen"):
        list(run_parallel([14], squaring, concurrency=2))


@pytest.mark.slow
def test_a_script_that_every_process_would_run_again_is_said_to_be_one(tmp_path):
    script = tmp_path / "unguarded.py"
    script.write_text(
        "from crab_graph.workers import process_map\nlist(process_map(abs, [1], 2))\n"
    )
    run = subprocess.run([sys.executable, script], cwd=ROOT, capture_output=True, text=True)
    assert run.returncode == 1
    assert 'under `if __name__ == "__main__":`' in run.stderr.splitlines()[-1]


def test_workers_die_with_their_parent(tmp_path, method):
    program = (
        "import time\n"
        "from pathlib import Path\n"
        "import os\n"
        "from crab_graph import workers\n"
        f"workers.start_method = lambda: {method!r}\n"
        "from crab_graph.workers import process_map\n"
        "def linger(name):\n"
        "    Path(name).write_text(str(os.getpid()))\n"
        "    time.sleep(60)\n"
        "if __name__ == '__main__':\n"
        f"    list(process_map(linger, [{str(tmp_path / 'a')!r}, {str(tmp_path / 'b')!r}], 2))\n"
    )
    script = tmp_path / "program.py"
    script.write_text(program)
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    parent = subprocess.Popen([sys.executable, str(script)], env=environment)
    files = [tmp_path / "a", tmp_path / "b"]
    wait_until(lambda: all(file.exists() and file.read_text() for file in files))
    working = [int(file.read_text()) for file in files]
    parent.kill()
    parent.wait()
    wait_until(lambda: not any(is_alive(worker) for worker in working))
    assert not any(is_alive(worker) for worker in working)


def is_alive(process):
    try:
        return Path(f"/proc/{process}/stat").read_text().split()[2] != "Z"
    except OSError:  # it may end while it is looked at
        return False


def wait_until(condition, seconds=30):
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            pytest.fail("waited in vain")
        time.sleep(0.01)


def test_a_file_is_written_whole_or_not_at_all(tmp_path):
    path = tmp_path / "file.txt"
    write_atomically(path, "old")
    with pytest.raises(UnicodeEncodeError):
        write_atomically(path, "new \ud800")
    assert path.read_text() == "old"
    assert [entry.name for entry in tmp_path.iterdir()] == ["file.txt"]
