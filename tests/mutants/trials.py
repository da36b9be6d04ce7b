"""Tries mutants: one session of pytest, and a fork of it for each mutant.

The tests are collected once. A fork that runs all of them under coverage.py tells which test
reaches which line, and how long it takes. Every mutant then gets a fork of its own, in which the
functions it changes are given their new code; there the tests that reach the changed line run, the
quickest first, up to the first that fails. What is done when a module is imported cannot be changed
after the fact: such a mutant is imported in a fork made before anything else was.
"""

import gc
import importlib
import importlib.abc
import importlib.util
import os
import pickle
import signal
import sys
import time
import traceback
import types
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from itertools import accumulate
from typing import Any, NamedTuple

import coverage
import pytest
from _pytest.runner import runtestprotocol

from tests.mutants.mutations import ROOT, Mutant

BUDGET = 20.0
"""Seconds of tests, as they take without a mutant, that one is tried with at most."""

SECONDS = 60
"""Processor time after which a mutant runs without end, which is how it was noticed."""

FEW = 3
"""Where fewer tests than this reach a line, what it makes may have been kept for later ones."""

OPTIONS = ("-q", "--no-header", "--capture=no", "-p", "no:cacheprovider", "-p", "no:xdist")


_Place = tuple[str, int]
"""Qualified name and first line of a function."""


class Trial(NamedTuple):
    """What came of a mutant: the test that failed, or `None`; and how many ran."""

    mutant: Mutant
    killed_by: str | None
    tests: int


def in_fork(work: Callable[[], Any], seconds: int) -> Any:
    """Return what `work` returns in a fork, or `None` if that dies or is too slow."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reading)
        signal.signal(signal.SIGPROF, signal.SIG_DFL)
        signal.setitimer(signal.ITIMER_PROF, seconds)
        status = 1
        try:
            with os.fdopen(writing, "wb") as pipe:
                pickle.dump(work(), pipe)
            status = 0
        except Exception:
            traceback.print_exc()
        finally:
            os._exit(status)
    os.close(writing)
    with os.fdopen(reading, "rb") as pipe:
        told = pipe.read()
    os.waitpid(child, 0)
    return pickle.loads(told) if told else None


class _Reach(NamedTuple):
    """Which tests reach each line of each module, how long each takes, and which fail anyway."""

    lines: dict[str, dict[int, list[str]]]
    seconds: dict[str, float]
    failing: list[str]


class Workshop:
    """A plugin of pytest that tries mutants instead of running the tests it collected."""

    def __init__(
        self, mutants: Sequence[Mutant], report: Callable[[Trial], None], warm: str | None = None
    ) -> None:
        self.mutants = mutants
        self.report = report
        self.warm = warm
        self.left: list[Mutant] = []
        self.items: dict[str, pytest.Item] = {}

    def pytest_configure(self) -> None:
        import hypothesis  # noqa: PLC0415  (pytest is to see its import)

        quick = hypothesis.settings.get_profile("without deadline")
        hypothesis.settings.register_profile(
            "mutants", quick, derandomize=True, max_examples=20, database=None
        )
        hypothesis.settings.load_profile("mutants")

    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        if session.testsfailed:
            raise session.Interrupted("the tests cannot be collected")
        self.items = {item.nodeid: item for item in session.items}
        paths = sorted({one.path for one in self.mutants})
        reach: _Reach | None = in_fork(lambda: self._measure(paths), 1200)
        if reach is None:
            raise session.Interrupted("the tests do not come to an end")
        for name in reach.failing:
            print(f"  fails without a mutant, and is left out: {name}", flush=True)
        for module in sorted({one.module for one in self.mutants}):
            importlib.import_module(module)
        if self.warm is not None:
            module, _, name = self.warm.partition(":")
            getattr(importlib.import_module(module), name)()
        functions = {path: _functions_of(path) for path in paths}
        gc.collect()
        gc.freeze()  # so that forks share what is there
        for mutant in self.mutants:
            new_code = _new_code(mutant)
            known = functions[mutant.path]
            chosen = self._chosen(mutant, reach)
            if not chosen or new_code is None or any(place not in known for place, _ in new_code):
                self.left.append(mutant)
                continue
            killed = in_fork(partial(self._try, chosen, new_code, known), SECONDS)
            by = "(it does not end)" if killed is None else killed or None
            self.report(Trial(mutant, by, len(chosen)))
        return True

    def _measure(self, paths: Sequence[str]) -> _Reach:
        meter = coverage.Coverage(
            data_file=None, include=[str(ROOT / path) for path in paths], config_file=False
        )
        meter.set_option("run:disable_warnings", ["already-imported"])
        seconds, failing = {}, []
        meter.start()
        for name, item in self.items.items():
            meter.switch_context(name)
            begun = time.process_time()
            if _passes(item):
                seconds[name] = time.process_time() - begun
            else:
                failing.append(name)
        meter.stop()
        data = meter.get_data()
        lines = {path: data.contexts_by_lineno(str(ROOT / path)) for path in paths}
        return _Reach(lines, seconds, failing)

    def _chosen(self, mutant: Mutant, reach: _Reach) -> list[str]:
        """Return the tests that reach a mutant, the quickest first; none if import alone does."""
        reached, quickness = reach.lines[mutant.path], reach.seconds.__getitem__
        span = range(mutant.line, mutant.line + mutant.span)
        names = {name for line in span for name in reached.get(line, ())} & reach.seconds.keys()
        wanted = sorted(names, key=quickness)
        if 0 < len(names) < FEW:
            wanted += sorted(set(reach.seconds) - names, key=quickness)
        spent = accumulate(map(quickness, wanted))
        return [name for name, so_far in zip(wanted, spent, strict=True) if so_far < BUDGET]

    def _try(
        self,
        chosen: Iterable[str],
        new_code: Sequence[tuple[_Place, types.CodeType]],
        functions: dict[_Place, list[types.FunctionType]],
    ) -> str:
        for place, code in new_code:
            for function in functions[place]:
                function.__code__ = code
        return next((name for name in chosen if not _passes(self.items[name])), "")


def _passes(item: pytest.Item) -> bool:
    reports = runtestprotocol(item, log=False, nextitem=None)
    return not any(report.failed for report in reports)


def _functions_of(path: str) -> dict[_Place, list[types.FunctionType]]:
    """Return the functions there are of a module."""
    found: dict[_Place, list[types.FunctionType]] = {}
    for one in gc.get_objects():
        if isinstance(one, types.FunctionType) and one.__code__.co_filename == str(ROOT / path):
            code = one.__code__
            found.setdefault((code.co_qualname, code.co_firstlineno), []).append(one)
    return found


def _new_code(mutant: Mutant) -> list[tuple[_Place, types.CodeType]] | None:
    """Return the code of the functions that a mutant changes; `None` if it changes more."""
    name = str(ROOT / mutant.path)
    old = compile((ROOT / mutant.path).read_text("utf-8"), name, "exec")
    try:
        return list(_changed(old, compile(mutant.source, name, "exec")))
    except LookupError:
        return None


def _changed(old: types.CodeType, new: types.CodeType) -> Iterator[tuple[_Place, types.CodeType]]:
    """Yield what functions differ in two bodies of a module or a class.

    Raises:
        LookupError: the bodies themselves differ.
    """
    if _own(old) != _own(new):
        raise LookupError
    for before, after in zip(_inner(old), _inner(new), strict=True):
        is_class = not before.co_flags & 1  # CO_OPTIMIZED: only functions have fast locals
        if is_class:
            yield from _changed(before, after)
        elif before.co_code != after.co_code or before.co_consts != after.co_consts:
            yield (before.co_qualname, before.co_firstlineno), after


def _inner(code: types.CodeType) -> list[types.CodeType]:
    return [one for one in code.co_consts if isinstance(one, types.CodeType)]


def _own(code: types.CodeType) -> tuple[Any, ...]:
    consts = [repr(one) for one in code.co_consts if not isinstance(one, types.CodeType)]
    return code.co_code, code.co_names, consts, len(_inner(code))


class _Finder(importlib.abc.MetaPathFinder, importlib.abc.InspectLoader):
    """Gives out the source of a mutant for its module."""

    def __init__(self, mutant: Mutant) -> None:
        self.mutant = mutant

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> Any:
        if name != self.mutant.module:
            return None
        is_package = self.mutant.path.endswith("__init__.py")
        place = str(ROOT / self.mutant.path)
        spec = importlib.util.spec_from_loader(name, self, origin=place, is_package=is_package)
        if spec is not None and is_package:
            spec.submodule_search_locations = [os.path.dirname(place)]
        return spec

    def get_source(self, fullname: str) -> str:
        return self.mutant.source

    def is_package(self, fullname: str) -> bool:
        return self.mutant.path.endswith("__init__.py")


class _First:
    """A plugin of pytest that remembers the first test that fails."""

    failed = ""

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.failed and not self.failed:
            self.failed = report.nodeid


def _imported(mutant: Mutant, tests: Sequence[str]) -> str:
    """Return the test that fails where a mutant is imported; call it in a fork."""
    sys.meta_path.insert(0, _Finder(mutant))
    with _silence():
        first = _First()
        code = pytest.main([*OPTIONS, "-x", *tests], plugins=[first])
    return first.failed or ("(it cannot be imported)" if code else "")


@contextmanager
def _silence() -> Iterator[None]:
    """Say nothing on either stream."""
    nothing = os.open(os.devnull, os.O_WRONLY)
    kept = [os.dup(1), os.dup(2)]
    os.dup2(nothing, 1)
    os.dup2(nothing, 2)
    try:
        yield
    finally:
        for number, one in enumerate(kept, start=1):
            os.dup2(one, number)


def run_trials(
    mutants: Sequence[Mutant],
    tests: Sequence[str],
    report: Callable[[Trial], None],
    warm: str | None = None,
) -> None:
    """Try mutants with the tests in some files, and report each as it is done.

    `warm` names a function, `module:name`, that makes what all tests share and no mutant changes.

    Raises:
        RuntimeError: the tests do not pass without a mutant.
    """

    def session() -> tuple[int, list[Mutant]]:
        workshop = Workshop(mutants, report, warm)
        code = pytest.main([*OPTIONS, *tests], plugins=[workshop])
        return int(code), workshop.left

    ended = in_fork(session, 86_400)
    if ended is None or ended[0] not in (pytest.ExitCode.OK, pytest.ExitCode.NO_TESTS_COLLECTED):
        raise RuntimeError(f"the tests {' '.join(tests)} do not pass, or cannot be collected")
    for mutant in ended[1]:
        by = in_fork(partial(_imported, mutant, tests), 4 * SECONDS)
        report(Trial(mutant, "(it does not end)" if by is None else by or None, 0))
