import datetime

import duckdb

from crab_graph.domains.travel.domain import TRAVEL
from tests.tools.builders import OUT_FARE, Episode
from tests.tools.final_state import final_rows, write_final_state, write_final_states


def test_only_rows_that_are_new_or_different_are_final_rows() -> None:
    episode = Episode()
    assert final_rows(episode.ledger) == {}
    booking_id = episode.book_outbound()
    assert {table: len(rows) for table, rows in final_rows(episode.ledger).items()} == {
        "bookings": 1,
        "fares": 1,
        "booked_fares": 2,
    }
    episode.agent("cancel_flight", booking_id=booking_id)
    assert "fares" not in final_rows(episode.ledger)


def test_final_states_are_written_as_rows_by_episode() -> None:
    first, second = Episode(), Episode()
    booking_id = first.book_outbound()
    second.book_room()
    with duckdb.connect() as connection:
        write_final_states(connection, [("e1", first.ledger), ("e2", second.ledger)], TRAVEL.tables)
        write_final_state(connection, "e3", first.ledger, TRAVEL.tables)
        fares = connection.execute("SELECT episode_id, fare_id, available FROM final_fares")
        assert fares.fetchall() == [("e1", OUT_FARE, 1), ("e3", OUT_FARE, 1)]
        seats = connection.execute("SELECT * FROM final_booked_fares WHERE episode_id = 'e1'")
        assert seats.fetchall()[0] == (
            "e1",
            f"{booking_id}/1",
            booking_id,
            OUT_FARE,
            "Ana Ruiz",
            datetime.date(1990, 4, 2),
        )
        totals = connection.execute(
            "SELECT episode_id, total_cents FROM final_bookings ORDER BY episode_id"
        )
        assert totals.fetchall() == [("e1", 30_000), ("e2", 36_000), ("e3", 30_000)]
        assert connection.execute("SELECT count(*) FROM final_transfers").fetchall() == [(0,)]
