import duckdb
from hypothesis import given, settings
from hypothesis import strategies as st

from crab_graph.generation.materialize import (
    create_tables,
    hash_rows,
    hash_stored_rows,
    load_rows,
    read_rows,
)
from crab_graph.tools.tables import Table

TABLES = [
    Table("things", "id", {"id": "VARCHAR", "text": "VARCHAR", "day": "DATE", "cents": "BIGINT"}),
    Table("secrets", "id", {"id": "VARCHAR", "shown": "BOOLEAN"}, private=True),
]

texts = st.none() | st.text(
    st.characters(exclude_categories=["Cs", "Cc"]) | st.sampled_from("\n\t")
)
things = st.fixed_dictionaries(
    {
        "text": texts,
        "day": st.none() | st.dates().map(str),
        "cents": st.none() | st.integers(-(2**63), 2**63 - 1),
    }
)


@settings(max_examples=25)
@given(st.lists(st.tuples(st.lists(things, max_size=4), st.booleans()), min_size=1, max_size=3))
def test_stored_rows_hash_like_rows_in_memory_whatever_they_say(tasks):
    expected = {}
    with duckdb.connect(":memory:", config={"threads": 1}) as connection:
        create_tables(connection, TABLES)
        for number, (own, shown) in enumerate(tasks):
            rows = {
                "things": [{"id": f"Ä-{9 - at}", **one} for at, one in enumerate(own)],
                "secrets": [{"id": "x", "shown": shown}],
            }
            load_rows(connection, TABLES, f"T{number}", rows)
            expected[f"T{number}"] = hash_rows(TABLES, rows)
            assert (
                hash_rows(TABLES, read_rows(connection, TABLES, f"T{number}"))
                == (expected[f"T{number}"])
            )
        assert hash_stored_rows(connection, TABLES, list(expected)) == expected
