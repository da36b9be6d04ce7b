"""Lists that leave taxes and fees out: what they show, what tells the whole, who is misled."""

import json

import pytest

from crab_graph.agents.reference import reference_agent
from crab_graph.cli import main
from crab_graph.domain.contract import find_domain
from crab_graph.domains.generate import generate_benchmark
from crab_graph.domains.ladder import LADDER
from crab_graph.errors import UsageError
from crab_graph.eval.verdict import grade
from crab_graph.money import parse_cents
from crab_graph.tools.fees import MOST_PERCENT, before_fees
from crab_graph.tools.ledger import Ledger
from crab_graph.tools.registry import Owner
from tests.personas.dialogue import talk


@pytest.fixture(scope="module")
def bench(tmp_path_factory):
    path = tmp_path_factory.mktemp("fees")
    return generate_benchmark(path / "b", tasks=2, strata=(1,), distractors=60, fees=True)


def call(task, name, **arguments):
    ledger = Ledger.fold(task.world, [])
    return json.loads(task.domain.registry().call(ledger, Owner.AGENT, name, arguments).content)


def fares(task):
    """Yield each fare that a search shows, with its flight's id."""
    request = task.request
    asked = {"origin": request.origin, "destination": request.destination}
    found = call(task, "search_flights_by_route", **asked, date=request.first_day)["flights"]
    for row in found["rows"]:
        for part in row[-1]:
            fare = dict(zip(found["fare_columns"], part, strict=True))
            yield fare | {"flight_id": row[found["columns"].index("flight_id")]}


def test_lists_show_less_than_the_tool_that_prices(bench):
    task = bench[0]
    shares = []
    for row in fares(task):
        seats = [{"fare_id": row["fare_id"]}]
        told = call(task, "get_price_airline_booking", flight_id=row["flight_id"], seats=seats)
        whole = parse_cents(told["price_per_passenger"])
        assert whole == task.world.get("fares", row["fare_id"])["price_cents"]
        shares.append(1 - parse_cents(row["price_per_passenger_before_fees"]) / whole)
    assert shares and all(0 <= one <= MOST_PERCENT / 100 for one in shares)
    assert len(set(shares)) > len(shares) / 2


def test_what_no_tool_prices_costs_what_its_list_says(bench):
    task = bench[0]
    found = call(task, "search_attractions_by_city", city=task.request.destination)
    columns = found["attractions"]["columns"]
    assert "price_per_ticket" in columns
    key, price = columns.index("attraction_id"), columns.index("price_per_ticket")
    for row in found["attractions"]["rows"]:
        stored = task.world.get("attractions", row[key])
        assert parse_cents(row[price]) == stored["price_cents"]


def test_the_policy_names_what_tells_the_whole_price_in_such_tasks_alone(bench):
    policy, plain = bench[0].policy, bench.domain.policy(bench[0].today)
    for tool in ("get_price_airline_booking", "get_price_hotel_booking"):
        assert tool in policy and tool not in plain
    assert f"{MOST_PERCENT} %" in policy


def test_the_task_says_so_and_the_level_has_it(bench, capsys):
    assert bench[0].difficulties == ("fees",) and LADDER[5].fees
    assert main(["task", str(bench.directory), bench[0].id]) == 0
    assert "lists leave out taxes and fees" in capsys.readouterr().out


def test_who_prices_what_it_takes_passes(bench):
    solver = reference_agent("solver", bench.domain)
    for task in bench:
        dialogue = talk(task, solver, "generic")
        assert grade(task, dialogue.transcript).passed, dialogue.text()
        assert "get_price_airline_booking" in dialogue.text()


def test_the_same_offer_costs_the_same_each_time_and_never_more_than_the_whole():
    for cents in (10, 4_990, 123_450):
        shown = before_fees("FA-1", cents, 3)
        assert shown == before_fees("FA-1", cents, 3)
        assert cents * (1 - MOST_PERCENT / 100) <= shown <= cents
    assert len({before_fees("FA-1", 100_000, way) for way in range(1, 9)}) > 1


def test_a_domain_that_prices_nothing_is_refused_in_one_line(tmp_path):
    assert not find_domain("clinic").may_leave_fees_out
    with pytest.raises(UsageError, match="fees: no tool of domain 'clinic'"):
        generate_benchmark(tmp_path / "b", tasks=4, domain="clinic", fees=True)
