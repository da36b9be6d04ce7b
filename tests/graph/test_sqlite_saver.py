import sqlite3
from contextlib import closing

from langgraph.checkpoint.sqlite import SqliteSaver

from crab_graph.graph.sqlite_saver import CompactSaver


def test_versions_grow_whichever_saver_goes_on_with_a_thread():
    with closing(sqlite3.connect(":memory:")) as connection:
        ours, theirs = CompactSaver(connection), SqliteSaver(connection)
        versions = [ours.get_next_version(None, None)]
        for saver in (*[ours] * 120, *[theirs] * 3, *[ours] * 3, theirs):
            versions.append(saver.get_next_version(versions[-1], None))
    assert versions == sorted(set(versions))
    assert len(versions[100]) < 20
