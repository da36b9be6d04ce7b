"""Episodes and runs from inside an event loop: awaited, or by the synchronous functions."""

import asyncio
import threading

import pytest

import crab_graph as cg
from crab_graph.errors import UsageError
from crab_graph.settings import Limits

SHORT = Limits(max_turns=4)


async def waits(messages, tools):
    del messages, tools
    await asyncio.sleep(0)
    return "Where would you like to go?"


def talk(episode):
    return [(one["role"], one.get("content")) for one in episode.messages]


def test_awaited_episodes_are_the_ones_that_are_played_otherwise(bench):
    async def both():
        one = cg.arun_episode(bench[0], "silent", "generic", limits=SHORT)
        return await asyncio.gather(one, cg.arun_episode(bench[0], waits, limits=SHORT))

    awaited = asyncio.run(both())
    plain = [
        cg.run_episode(bench[0], "silent", "generic", limits=SHORT),
        cg.run_episode(bench[0], waits, limits=SHORT),
    ]
    assert [talk(one) for one in awaited] == [talk(one) for one in plain]


def test_the_event_loop_goes_on_while_an_episode_is_awaited(bench):
    here = threading.Event()

    def agent(messages, tools):
        del messages, tools
        assert here.wait(60)
        return "Hello."

    async def main():
        played = asyncio.create_task(cg.arun_episode(bench[0], agent, limits=SHORT))
        await asyncio.sleep(0.1)
        here.set()
        return await played

    assert asyncio.run(main()).outcome != "infra_error"


def test_the_synchronous_functions_work_inside_a_running_loop(bench, tmp_path):
    async def main():
        made = cg.run(bench, waits, "generic", out=tmp_path / "r", tasks="S1-001", limits=SHORT)
        return made, cg.run_episode(bench[0], waits, "generic", limits=SHORT)

    made, episode = asyncio.run(main())
    assert [talk(one) for one in made.episodes] == [talk(episode)]


def test_an_awaited_run_that_is_cancelled_stops_and_is_gone_on_with(bench, tmp_path):
    out = tmp_path / "r"
    seen = []

    async def main():
        def note(progress):
            seen.append(progress.done)
            loop.call_soon_threadsafe(work.cancel)

        loop = asyncio.get_running_loop()
        run = cg.arun(bench, waits, "generic", out=out, limits=SHORT, progress=note)
        work = asyncio.create_task(run)
        with pytest.raises(asyncio.CancelledError):
            await work

    before = threading.enumerate()
    asyncio.run(main())
    for thread in threading.enumerate():
        if thread not in before and thread.daemon:
            thread.join(60)
    assert len(cg.open_run(out).episodes) < len(bench)
    made = asyncio.run(cg.arun(bench, waits, "generic", out=out, limits=SHORT))
    assert len(made.episodes) == len(bench)
    assert seen


def test_errors_are_those_of_the_synchronous_functions(bench, tmp_path):
    with pytest.raises(UsageError):
        asyncio.run(cg.arun(bench, "nobody", out=tmp_path / "r"))
    with pytest.raises(UsageError):
        asyncio.run(cg.arun_episode(bench[0], "silent", "no such user"))
