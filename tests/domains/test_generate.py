import json
import os
import re
import subprocess
import sys
from collections import Counter
from dataclasses import replace
from datetime import date, timedelta
from itertools import pairwise
from pathlib import Path
from typing import Any

import duckdb
import pytest
from hypothesis import given
from hypothesis import strategies as st

import crab_graph.domain as cd
from crab_graph.domains.benchmark import load_benchmark
from crab_graph.domains.candidate_turns import is_lacking, plan_candidates
from crab_graph.domains.construction import MOST_SOLUTIONS, OVERSAMPLE, GivenUp, closure_band
from crab_graph.domains.generate import generate_benchmark, recipe_of
from crab_graph.domains.ladder import LADDER, OPEN_DAYS, parse_levels
from crab_graph.domains.proof import certify_benchmark
from crab_graph.domains.starter.starter_domain import DECLARATION, WINDOW
from crab_graph.domains.substance import (
    FEWEST_EDGES,
    FEWEST_FITTING,
    LEAST_EDGE_SHARE,
    read_offers,
    solved_by,
)
from crab_graph.domains.travel.domain import TRAVEL
from crab_graph.domains.workbench import open_workbench
from crab_graph.errors import BenchmarkError, UnknownName, UnsatisfiableTask, UsageError
from crab_graph.generation.certify import SearchedBy
from crab_graph.generation.objects import rows
from crab_graph.settings import GenerationSettings
from tests.editing import edit_document

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def bench(tmp_path_factory):
    return generate_benchmark(tmp_path_factory.mktemp("bench") / "b", tasks=8, distractors=1000)


FEW: dict[str, Any] = {"tasks": 4, "distractors": 300}


@pytest.fixture(scope="module")
def few(tmp_path_factory):
    return generate_benchmark(tmp_path_factory.mktemp("few") / "b", **FEW)


def reference_solutions(world, request):
    """The travel constraints once more, written by hand and independent of their declarations."""

    def day(text):
        return date.fromisoformat(text)

    here, there = request.origin, request.destination

    def fares(start, end, part):
        for fare in world.rows("fares"):
            flight = world.get("flights", fare["flight_id"])
            if (
                (flight["origin"], flight["destination"]) == (start, end)
                and part in (None, flight["time_of_day"])
                and request.seat_type in (None, fare["seat_type"])
                and request.seat_position in (None, fare["seat_position"])
                and fare["available"] >= request.party_size
            ):
                yield fare, flight

    rooms = [
        (room, world.get("hotels", room["hotel_id"]))
        for room in world.rows("rooms")
        if world.get("hotels", room["hotel_id"])["city"] == request.destination
        and world.get("hotels", room["hotel_id"])["stars"] >= (request.hotel_stars or 0)
        and request.room_type in (None, room["room_type"])
        and request.bed_type in (None, room["bed_type"])
        and room["max_occupancy"] >= request.party_size
    ]
    outings = [
        item
        for item in world.rows("attractions")
        if item["city"] == request.destination
        and request.attraction_category in (None, item["category"])
        and request.attraction_time_of_day in (None, item["time_of_day"])
        and request.attraction_date in (None, item["date"])
        and item["available"] >= request.party_size
    ]
    outings.sort(key=lambda item: item["price_cents"])
    returns = list(fares(there, here, request.return_time_of_day))
    budget = request.budget_cents if request.budget_cents is not None else 10**12
    for fare, flight in fares(here, there, request.outbound_time_of_day):
        if not request.first_day <= flight["departure_date"] <= request.last_day:
            continue
        out = flight["departure_date"]
        back = (day(out) + timedelta(days=request.nights)).isoformat()
        stays = [
            (room, hotel)
            for room, hotel in rooms
            if room["available_from"] <= out and back <= room["available_until"]
        ]
        for fare2, flight2 in returns:
            if flight2["departure_date"] != back:
                continue
            if request.same_carrier and flight["carrier"] != flight2["carrier"]:
                continue
            seats = (fare["price_cents"] + fare2["price_cents"]) * request.party_size
            slots = [
                item
                for item in outings
                if (item["date"], item["start_minute"]) >= (out, flight["arrival_minute"])
                and (item["date"], item["end_minute"]) <= (back, flight2["departure_minute"])
            ]
            for room, hotel in stays:
                for item in slots:
                    tickets = item["price_cents"] * request.party_size
                    if seats + room["price_cents"] * request.nights + tickets > budget:
                        break  # slots come cheapest first
                    if request.same_district and item["district"] != hotel["district"]:
                        continue
                    yield {
                        "outbound": {"flight_id": flight["flight_id"], "fare_id": fare["fare_id"]},
                        "return": {"flight_id": flight2["flight_id"], "fare_id": fare2["fare_id"]},
                        "hotel": {
                            "hotel_id": hotel["hotel_id"],
                            "room_id": room["room_id"],
                            "check_in": out,
                            "check_out": back,
                        },
                        "attraction": {"attraction_id": item["attraction_id"]},
                    }


def by_text(solutions):
    return sorted(solutions, key=lambda one: json.dumps(one, sort_keys=True))


@pytest.mark.slow
@pytest.mark.parametrize("position", range(8))
def test_certified_solutions_are_those_of_a_hand_written_reference(bench, position):
    task = bench[position]
    assert by_text(reference_solutions(task.world, task.request)) == by_text(task.solutions)


def test_every_task_is_certified_again_on_the_stored_tables(bench, monkeypatch):
    monkeypatch.setattr("crab_graph.domains.proof._BATCH", 1)
    with bench.connect() as connection:
        certificates = [next(bench.certify_tasks([task], connection)) for task in bench]
    assert all(one.ok for one in certificates)
    assert certificates == [task.spec.certificate for task in bench]
    assert [one.sql for one in certificates] == [len(task.solutions) for task in bench]
    assert list(certify_benchmark(bench, ["S2-001", "S1-001"], jobs=2).values()) == [
        certificates[2],
        certificates[0],
    ]


def test_the_solver_counts_third_and_the_plain_search_where_that_is_too_much_work(
    bench, monkeypatch
):
    assert {task.spec.certificate.searched_by for task in bench} == {SearchedBy.CSP}
    monkeypatch.setattr("crab_graph.generation.grouped_csp.COUNT_LIMIT", 10)
    with bench.connect() as connection:
        (certificate,) = bench.certify_tasks([bench[3]], connection)
    assert certificate.searched_by is SearchedBy.PLAIN
    assert certificate.search == bench[3].spec.certificate.search


def test_the_benchmark_has_the_asked_for_shape(bench):
    assert [task.id for task in bench] == [
        f"S{stratum}-{number:03d}" for stratum in (1, 2, 3, 4) for number in (1, 2)
    ]
    assert {task.axes["date_mode"] for task in bench} == {"fixed", "flexible"}
    assert len({task.axes["party"] for task in bench} & {1, 2, 3, 4}) >= 3
    for task in bench:
        distractors = task.spec.node_distractors + task.spec.edge_distractors
        assert distractors == 1000
        assert (
            len(task.world.rows("fares"))
            + len(task.world.rows("rooms"))
            + len(task.world.rows("attractions"))
            == distractors + 4 * task.stratum
        )
    assert all(len(task.solutions) == 1 for task in bench if task.stratum == 1)


def test_every_task_has_edges_and_candidates_and_edge_distractors(bench):
    for task in bench:
        spec, draft = task.spec, TRAVEL.draft(task.spec.seed, task.axes)
        assert len(spec.active_edges) >= FEWEST_EDGES
        assert spec.edge_distractors >= LEAST_EDGE_SHARE * 1000
        assert min(spec.fitting.values()) >= FEWEST_FITTING
        with bench.connect() as connection:
            offers = read_offers(connection, TRAVEL, task.graph, task.id)
        for node, asked in draft.folded.node_constraints.items():
            fits = [
                all(one.holds({(node, key): value for key, value in item.items()}) for one in asked)
                for item in rows(offers.objects[node])
            ]
            assert sum(fits) == spec.fitting[node]


def test_the_shortcuts_that_solve_a_task_are_those_found_on_its_tables(bench):
    with bench.connect() as connection:
        for task in bench:
            offers = read_offers(connection, TRAVEL, task.graph, task.id)
            assert solved_by(task.spec.seed, offers) == task.spec.shortcuts
            assert task.summary()["shortcuts"] == list(task.spec.shortcuts)


def test_a_domain_with_one_rule_has_one_active_edge_and_the_least_of_its_own(tmp_path):
    window = replace(WINDOW, axis=None, widths=(5,))
    rules = DECLARATION.rules[:1]
    declared = replace(DECLARATION, name="one_rule", rules=rules, window=window, budget=None)
    one_rule = cd.build(declared)
    made = generate_benchmark(tmp_path / "b", 1, domain=cd.register(one_rule).name, strata=(1,))
    assert made[0].spec.active_edges == ("same_day",)
    assert min((made[0].spec.fitting or {}).values()) >= FEWEST_FITTING


def test_one_card_alone_covers_the_trip_and_the_others_no_solution(bench):
    for task in bench:
        limits = {row["card_id"]: row["limit_cents"] for row in task.world.rows("cards")}
        enough = limits.pop(task.profile.payment_card.card_id)
        if task.request.budget_cents is not None:
            assert enough >= task.request.budget_cents
        assert limits
        assert max(limits.values()) < enough


def test_names_are_unique_and_have_two_words(bench):
    for task in bench:
        for table in ("hotels", "attractions"):
            names = [row["name"] for row in task.world.rows(table)]
            assert len(set(names)) == len(names)
            assert all(len(name.split()) >= 2 for name in names)


@pytest.mark.slow
def test_the_same_seed_gives_the_same_rows_under_any_hash_seed_and_jobs(few, tmp_path):
    script = (
        "from crab_graph.domains.generate import generate_benchmark\n"
        "if __name__ == '__main__':\n"
        f"    print(generate_benchmark({str(tmp_path / 'again')!r}, jobs=2, **{FEW}).sha256)\n"
    )
    path = tmp_path / "again.py"
    path.write_text(script)
    environment = {**os.environ, "PYTHONHASHSEED": "77", "PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        [sys.executable, str(path)], env=environment, capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == few.sha256


def test_another_seed_gives_other_rows(bench, tmp_path):
    other = generate_benchmark(tmp_path / "other", tasks=1, strata=(1,), seed=1)
    assert other[0].spec.rows_sha256 != bench[0].spec.rows_sha256


@pytest.mark.slow
def test_an_interrupted_generation_goes_on_and_ends_alike(few, tmp_path):
    class Stop(Exception):
        pass

    def interrupt(done, total):
        if done == total - 1:
            raise Stop

    with pytest.raises(Stop):
        generate_benchmark(tmp_path / "b", progress=interrupt, **FEW)
    with pytest.raises(BenchmarkError, match=r"half-written.*finish it"):
        load_benchmark(tmp_path / "b")
    with pytest.raises(BenchmarkError, match="other settings"):
        generate_benchmark(tmp_path / "b", tasks=8)
    counts = []
    again = generate_benchmark(tmp_path / "b", **FEW, progress=lambda *args: counts.append(args))
    total = counts[0][1]
    assert counts == [(number, total) for number in range(1, total + 1)]
    assert again.sha256 == few.sha256


def test_other_settings_on_a_finished_benchmark_are_refused_unless_forced(tmp_path):
    generate_benchmark(tmp_path / "b", tasks=1, strata=(1,), distractors=40)
    with pytest.raises(BenchmarkError, match="seed 0, not 5"):
        generate_benchmark(tmp_path / "b", tasks=1, strata=(1,), distractors=40, seed=5)
    forced = generate_benchmark(
        tmp_path / "b", tasks=1, strata=(1,), distractors=40, seed=5, force=True
    )
    assert forced.manifest.settings.seed == 5


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        ({"tasks": 0}, UsageError),
        ({"tasks": 2, "strata": (1, 2, 3)}, UsageError),
        ({"strata": (5,)}, UsageError),
        ({"strata": ()}, UsageError),
        ({"level": (0,)}, UsageError),
        ({"level": ()}, UsageError),
        ({"distractors": -1}, UsageError),
        ({"jobs": 0}, UsageError),
        ({"domain": "cooking"}, UnknownName),
    ],
)
def test_unusable_arguments_are_refused_and_leave_nothing(tmp_path, arguments, error):
    with pytest.raises(error):
        generate_benchmark(tmp_path / "b", **arguments)
    assert not (tmp_path / "b").exists()


def test_a_foreign_directory_is_refused(tmp_path):
    (tmp_path / "notes.txt").write_text("mine")
    with pytest.raises(BenchmarkError, match="no benchmark's"):
        generate_benchmark(tmp_path, tasks=4)
    with pytest.raises(BenchmarkError, match="not a benchmark"):
        load_benchmark(tmp_path)
    assert [entry.name for entry in tmp_path.iterdir()] == ["notes.txt"]


def test_a_missing_directory_is_named(tmp_path):
    with pytest.raises(BenchmarkError, match=r"nowhere: no such directory"):
        load_benchmark(tmp_path / "nowhere")


def test_a_damaged_manifest_is_named_with_its_field(tmp_path):
    generate_benchmark(tmp_path / "b", tasks=1, strata=(1,), distractors=40)
    manifest = tmp_path / "b" / "manifest.json"
    edit_document(manifest, lambda fields: fields["settings"].update(seed="many"))
    with pytest.raises(BenchmarkError, match=r"manifest.json: field 'settings.seed'"):
        load_benchmark(tmp_path / "b")


def test_changed_rows_are_noticed(tmp_path):
    made = generate_benchmark(tmp_path / "b", tasks=1, strata=(1,), distractors=40)
    with duckdb.connect(str(tmp_path / "b" / "benchmark.duckdb")) as connection:
        connection.execute("UPDATE fares SET price_cents = price_cents + 1")
    again = load_benchmark(made.directory)
    with again.connect() as connection, pytest.raises(BenchmarkError, match=r"not those of"):
        next(again.certify_tasks([again[0]], connection))


def test_a_task_that_cannot_be_built_is_one_clear_error(tmp_path, monkeypatch):
    band = "crab_graph.domains.construction.closure_band"
    monkeypatch.setattr(band, lambda stratum, slots, pinned: range(7, 8))
    monkeypatch.setattr("crab_graph.domains.construction.ATTEMPTS", 20)
    with pytest.raises(UnsatisfiableTask) as error:
        generate_benchmark(tmp_path / "b", tasks=1, strata=(1,), distractors=200)
    said = str(error.value)
    assert re.match(
        r"domain 'travel': S1 candidate \d \(level 1, date_mode \w+, party \d\) could not be drawn "
        r"in 20 attempts; most often \(\d+ times\): ",
        said,
    )
    assert said.endswith(
        "; use other strata, another seed or more distractors, or loosen the rules of the domain"
    )


@pytest.mark.slow
def test_a_wish_that_cannot_be_had_is_told_with_what_to_do_about_it(tmp_path, monkeypatch):
    monkeypatch.setattr("crab_graph.domains.construction.ATTEMPTS", 8)
    # So few rows mostly lack a second change of mind.
    monkeypatch.setitem(LADDER, 5, LADDER[5].model_copy(update={"changes": 1}))
    settings: dict[str, Any] = {"tasks": 4, "strata": (1,), "distractors": 20, "level": (5,)}
    with pytest.raises(UnsatisfiableTask, match=r"most often \(\d times\): .*wish.*`least`"):
        generate_benchmark(tmp_path / "b", **settings)


@pytest.mark.slow
def test_a_few_candidates_that_cannot_be_drawn_stop_no_generation(tmp_path, monkeypatch):
    monkeypatch.setattr("crab_graph.domains.construction.ATTEMPTS", 1)
    settings: dict[str, Any] = {"tasks": 4, "strata": (1,), "distractors": 100, "level": (2,)}
    made = generate_benchmark(tmp_path / "b", **settings)
    assert len(made) == 4
    assert 4 <= made.manifest.selection[0].candidates < 4 * OVERSAMPLE


def test_as_many_candidates_as_half_of_the_spare_ones_may_be_lacking():
    recipe = recipe_of(GenerationSettings(tasks=4, strata=(1,)))
    numbers = [number for number in range(12) if number % 2 == 0]
    given_up = [GivenUp(1, number, "none") for number in numbers]
    assert not is_lacking(recipe, given_up[:2])
    assert is_lacking(recipe, given_up[:3])


def test_an_unknown_task_is_an_unknown_name(bench):
    with pytest.raises(UnknownName, match="S9-001"):
        bench["S9-001"]


@given(tasks=st.integers(4, 30), seed=st.integers(0, 9))
def test_values_of_all_axes_take_turns_within_a_stratum(tasks, seed):
    recipe = recipe_of(GenerationSettings(tasks=tasks, strata=(1, 3)))
    plans = list(plan_candidates(recipe, seed))
    dates, party = TRAVEL.axes
    for stratum, share in ((1, tasks - tasks // 2), (3, tasks // 2)):
        own = [plan.axes for plan in plans if plan.stratum == stratum]
        # Each place of a stratum has its date mode; those before and after it have the other.
        modes = [one[dates.name] for one in own[:share]]
        assert all(before != after for before, after in pairwise(modes))
        assert all(one[dates.name] == modes[n % share] for n, one in enumerate(own))
        sizes = [one[party.name] for one in own]
        assert all(sizes[n] == sizes[n % 8] for n in range(len(sizes)))
        assert len(sizes) < 8 or sorted(sizes[:8]) == [1, 1, 2, 2, 3, 3, 4, 4]


@given(tasks=st.integers(4, 60), levels=st.sets(st.integers(1, 5), min_size=1))
def test_levels_take_turns_over_the_tasks_and_so_do_dates_within_a_level(tasks, levels):
    recipe = recipe_of(GenerationSettings(tasks=tasks, level=tuple(levels)))
    plans = list(plan_candidates(recipe, 0))
    for stratum in recipe.strata:
        own = [plan for plan in plans if plan.stratum == stratum]
        share = len(own) // OVERSAMPLE
        counts = Counter(plan.level for plan in own[:share])
        assert max(counts.values()) - min(counts[level] for level in levels) <= 1
        assert all(plan.level == own[n % share].level for n, plan in enumerate(own))
        for level in levels:
            modes = Counter(one.axes["date_mode"] for one in own[:share] if one.level == level)
            if level in OPEN_DAYS:
                assert set(modes) <= {"flexible"}
                continue
            assert (
                max(modes.values(), default=0) - min(modes[mode] for mode in ("fixed", "flexible"))
                <= 1
            )


def test_levels_are_said_as_numbers_or_a_range():
    assert parse_levels(["1..5"]) == (1, 2, 3, 4, 5) and parse_levels(["2", " 4"]) == (2, 4)
    with pytest.raises(UsageError, match=r"such as 3 or 1\.\.5, not 'x,2'"):
        parse_levels(["x", "2"])


@given(stratum=st.integers(1, 4), slots=st.integers(1, 8))
def test_every_stratum_admits_what_its_seeds_can_combine_to(stratum, slots):
    band = closure_band(stratum, slots)
    assert band[-1] == min(stratum**slots, MOST_SOLUTIONS)
    assert band[0] <= max(stratum, stratum ** (slots - 1))
    assert slots > 2 or stratum in band


def test_what_another_version_began_is_not_gone_on_with(tmp_path):
    directory = tmp_path / "b"
    recipe = recipe_of(GenerationSettings(tasks=1, strata=(1,), distractors=40))
    with open_workbench(directory, recipe):
        pass
    with duckdb.connect(str(directory / "benchmark.duckdb")) as connection:
        connection.execute("""INSERT INTO sealed.candidates VALUES ('{"flexible": true}')""")
    with pytest.raises(BenchmarkError, match=r"begun by another version .* `force=True`"):
        generate_benchmark(directory, 1, strata=(1,), distractors=40)
    generate_benchmark(directory, 1, strata=(1,), distractors=40, force=True)


@pytest.mark.slow
def test_a_level_has_what_its_difficulty_says_and_all_of_it_is_certified_again(tmp_path):
    made = generate_benchmark(tmp_path / "b", 4, level=(3,), distractors=40, jobs=1)
    again = load_benchmark(tmp_path / "b")
    for task in again:
        assert (task.level, task.difficulties) == (3, ("faults",))
        assert len(task.spec.faults) == task.spec.difficulty.faults == 1
    assert len(made) == 4 and all(one.ok for one in certify_benchmark(again).values())
