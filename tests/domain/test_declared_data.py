"""From a declaration to certified tables: node types, graphs, rows, and what is read of them."""

from collections import Counter
from functools import cache
from itertools import product
from random import Random
from types import SimpleNamespace
from typing import Any

import duckdb
import pytest
from hypothesis import given
from hypothesis import strategies as st

import crab_graph.domain as cd
from crab_graph.dates import day_number
from crab_graph.domain.blueprint import Blueprint
from crab_graph.domain.drafting import Drafting
from crab_graph.domain.identification import (
    breakage_finder,
    describer,
    slot_finder,
    solution_reader,
    value_shower,
)
from crab_graph.domain.kind import ReadProperty
from crab_graph.domain.naming import draw_names
from crab_graph.domain.request_types import Profile, request_model
from crab_graph.domain.stocking import (
    drawn_ids,
    initialization_actions,
    insertions,
    materialize,
)
from crab_graph.domain.surfaces import surfaces
from crab_graph.errors import UnsatisfiableTask, UsageError
from crab_graph.generation.certify import StoredTask, certify_tables
from crab_graph.generation.constraints import equals, one_of
from crab_graph.generation.distractors import can_be_broken
from crab_graph.generation.features import derive_features
from crab_graph.generation.folding import fold
from crab_graph.generation.materialize import (
    create_tables,
    execute_actions,
    hash_rows,
    load_rows,
    read_rows,
)
from crab_graph.generation.population import populate
from crab_graph.tools.tables import World
from tests.domain.weekend import DIETS, TOWN, TOWNS, WEEKEND

BLUEPRINT = Blueprint(WEEKEND, request_model(WEEKEND), Profile)
DRAFTING = Drafting(BLUEPRINT)
SOURCES = {name: kind.source for name, kind in BLUEPRINT.kinds.items()}


def request(**wanted):
    asked = {
        "first_day": "2027-06-01",
        "last_day": "2027-06-03",
        "town": "Corfe",
        "nights": 2,
        "party": 2,
        "same_label": True,
        "walk_near_parking": True,
    }
    return BLUEPRINT.request_type(**{**asked, **wanted})


@cache
def drawn(seed, count=1, width=3, party=2):
    """Return a draft that can be populated, and its population."""
    for attempt in range(seed * 100, seed * 100 + 60):
        try:
            draft = DRAFTING.draft(attempt, {"dates": width, "party": party})
            closure = range(1, 2) if count == 1 else range(2, 300)
            return draft, populate(
                draft.folded, seed_count=count, closure=closure, distractors=600, seed=attempt
            )
        except UnsatisfiableTask:
            continue
    raise AssertionError("nothing could be drawn")


def stocked(connection, seed=1, **options):
    draft, population = drawn(seed, **options)
    offers = materialize(BLUEPRINT, population, seed)
    create_tables(connection, BLUEPRINT.tables)
    load_rows(connection, BLUEPRINT.tables, "task", offers.tables)
    return draft, population, offers


def world_of(connection, draft):
    return World(
        task_id="task",
        today=draft.today,
        customer_id=draft.profile.customer_id,
        schema=BLUEPRINT.tables,
        rows=read_rows(connection, BLUEPRINT.tables, "task"),
    )


@pytest.mark.parametrize(("count", "width", "party"), [*product((1, 3), (1, 3), (1, 4))])
def test_tasks_of_a_declared_domain_are_certified_on_their_tables(count, width, party):
    with duckdb.connect(":memory:") as connection:
        draft, population, _ = stocked(connection, 2, count=count, width=width, party=party)
        graph = BLUEPRINT.build_graph(draft.request)
        stored = StoredTask(connection, graph, SOURCES, "task")
        certificate, solutions = certify_tables(stored, stored.offers(), population.closure)
        assert certificate.ok
        for solution in solutions:
            values = {
                (slot, name): own for slot, row in solution.items() for name, own in row.items()
            }
            assert all(one.holds(values) for one in graph.constraints)


def test_calls_that_add_row_by_row_give_the_tables_of_the_bulk_load():
    with duckdb.connect(":memory:") as connection:
        _, population, offers = stocked(connection)
        actions = [*initialization_actions(BLUEPRINT, population, 1)]
        added = insertions(BLUEPRINT)
        execute_actions(connection, BLUEPRINT.tables, added, "other", actions)
        own = [table for table in BLUEPRINT.tables if table.name in offers.tables]
        task, other = (read_rows(connection, own, name) for name in ("task", "other"))
        assert hash_rows(own, task) == hash_rows(own, other)
    counted = Counter(action.name for action in actions)
    assert counted.keys() == added.keys()
    assert [*counted] == [
        "add_concert_with_tickets", "add_garage", "add_bay", "add_table", "add_walk"
    ]  # fmt: skip
    assert counted["add_bay"] == len(offers.tables["bays"])


def test_objects_that_share_what_a_provider_shares_are_its_offers():
    with duckdb.connect(":memory:") as connection:
        _, _, offers = stocked(connection)
    concerts = {row["concert_id"]: row for row in offers.tables["concerts"]}
    shared = BLUEPRINT.kinds["concert"].bundle
    assert shared == ("town", "stage", "date", "time_of_day", "label")
    columns = ("town", "stage", "concert_date", "time_of_day", "label")
    assert len({tuple(row[name] for name in columns) for row in concerts.values()}) == len(concerts)
    assert {row["concert_id"] for row in offers.tables["tickets"]} == concerts.keys()
    assert [row["ticket_id"] for row in offers.tables["tickets"]] == sorted(
        row["ticket_id"] for row in offers.tables["tickets"]
    )
    for row in concerts.values():
        assert row["end_minute"] - row["starts"] in range(60, 151, 15)


def test_columns_follow_fields_and_what_their_provider_shares():
    columns = {table.name: dict(table.columns) for table in BLUEPRINT.tables}
    assert columns["concerts"] == {
        **dict.fromkeys(("concert_id", "name", "town", "stage", "time_of_day", "label"), "VARCHAR"),
        "concert_date": "DATE",
        "starts": "INTEGER",
        "end_minute": "INTEGER",
    }
    assert columns["tickets"]["price_cents"] == "BIGINT"
    assert columns["tables"]["diets"] == "VARCHAR"
    assert columns["booked_tickets"] == {
        **dict.fromkeys(("item_key", "booking_id", "ticket_id", "guest_name"), "VARCHAR"),
        "birth_date": "DATE",
    }
    assert columns["booked_bays"]["check_out"] == "DATE"
    assert columns["booked_bays"]["guests"] == "INTEGER"
    assert columns["booked_walks"]["places"] == "INTEGER"
    assert [*columns["booked_tables"]] == ["item_key", "booking_id", "table_id"]
    kinds = BLUEPRINT.kinds
    assert ReadProperty("ends", "end_minute", False) in [
        *kinds["concert"].readings(kinds["concert"].entity)
    ]
    assert [name for name, kind in kinds.items() if kind.is_free] == ["table"]
    assert (kinds["bay"].places, kinds["table"].places) == ("berths", "seats")


@given(seed=st.integers(0, 2**32), town=st.sampled_from(sorted(TOWNS)))
def test_a_world_has_what_its_user_wants_and_nothing_depends_on_it_but_that(seed, town):
    types = BLUEPRINT.node_types(request(town=town), seed)
    towns = types["concert"].property_values["town"]
    assert len(towns) == TOWN.sample
    assert town in towns
    assert types["bay"].property_values["town"] == types["table"].property_values["town"] == towns
    days = types["walk"].property_values["date"]
    assert (days[0], days[-1]) == (day_number("2027-05-31"), day_number("2027-06-06"))
    assert types["table"].property_values["diets"][:3] == DIETS
    # The label's sample and the prices are the seed's alone.
    other = BLUEPRINT.node_types(request(town=town, nights=3), seed)
    prices = [one["concert"].lookups["price"].table for one in (other, types)]
    assert (prices[0] == prices[1]).all()


@given(seed=st.integers(0, 2**32))
def test_what_is_decided_is_as_the_fields_say(seed):
    types = BLUEPRINT.node_types(request(), seed)
    concert = types["concert"]
    assert concert.derivations["starts"].inputs == ("town", "time_of_day")
    for chosen in chosen_of(concert):
        low, high = {"noon": (690, 780), "evening": (1080, 1200)}[chosen["time_of_day"]]
        minute, end = (int(concert.derive(name, chosen)) for name in ("starts", "ends"))
        assert low <= minute < high
        assert (minute - low) % 5 == 0
        assert end > minute
    bay = types["bay"].lookups
    days = (bay["opens"].table[:, None], bay["days_open"].table)
    assert (bay["closes"].table == sum(days)).all()
    for name in ("concert", "bay", "walk"):
        prices = types[name].lookups["price"].table
        assert (prices > 0).all()
        assert (prices % 10 == 0).all()
        assert (prices[..., 1:] >= prices[..., :-1]).all()
        assert prices.shape[-1] == 12
    assert types["table"].identity == ("town", "diets", "date", "time_of_day", "seats")
    assert "available" not in types["walk"].identity


def chosen_of(type_):
    names = ("town", "label", "time_of_day")
    for values in product(*(type_.property_values[name] for name in names)):
        yield dict(zip(names, values, strict=True))


def test_a_graph_says_who_is_meant_what_is_liked_and_that_there_is_room():
    graph = BLUEPRINT.build_graph(request(height=3, diet="halal", apart=1, budget_cents=90_000))
    names = {node: [one.name for one in graph.node_constraints(node)] for node in graph.node_ids}
    assert names == {
        "opening": ["opening_stage", "arrival", "opening_town", "opening_party"],
        "return": ["return_stage", "return_town", "return_party"],
        "parking": ["parking_town", "parking_height", "parking_party"],
        "dinner": ["dinner_town", "dinner_diets", "dinner_party"],
        "walk": ["walk_party"],
    }
    assert [edge.name for edge in graph.edge_constraints] == [
        "length", "bay_stays_open", "dinner_after_opening", "walk_near_dinner", "same_label",
        "walk_near_parking", "total_budget",
    ]  # fmt: skip
    found = {one.name: one for one in graph.constraints}
    structural = {name for name, one in found.items() if one.structural}
    assert structural == {name for name in found if name.endswith(("_stage", "_town"))}
    assert found["dinner_diets"].predicate is one_of
    assert found["dinner_diets"].holds({("dinner", "diets"): "vegan, halal"})
    assert not found["dinner_diets"].holds({("dinner", "diets"): "vegan, kosher"})
    assert found["same_label"].predicate is equals
    assert found["length"].sentence == "closes 2 nights after it opens"
    assert found["parking_height"].sentence == "height is at least 3"
    assert ("dinner", "price") not in found["total_budget"].parameters


def test_a_sentence_has_the_article_that_its_value_takes():
    hall = cd.Choice(("opera", "circus"))
    offer = cd.Offer("seat", "SE", {"hall": hall, "row": cd.Choice((1, 2))})
    slots = (cd.Slot("first", offer, "first seat"), cd.Slot("second", offer, "second seat"))
    wants = tuple(
        cd.Want(key, hall.values, (f"{key}.hall",), basic=True, role=True, sentence="it is a {}")
        for key in ("first", "second")
    )
    rule = cd.Rule(
        "rows",
        lambda first, second, r: first.row == second.row,
        "as in an {r.second} and a {r.first}",
    )
    domain = cd.build(
        cd.Declaration(
            name="halls", slots=slots, wants=wants, rules=(rule,), opening="A {first}, a {second}."
        )
    )
    graph = domain.build_graph(
        domain.draft(1, {}).request.model_copy(update={"first": "opera", "second": "circus"})
    )
    said = {one.name: one.sentence for one in graph.constraints}
    assert said["first_hall"] == "it is an opera" and said["second_hall"] == "it is a circus"
    assert said["rows"] == "as in a circus and an opera"


def test_what_is_not_asked_for_is_no_constraint():
    graph = BLUEPRINT.build_graph(request(same_label=False))
    names = {one.name for one in graph.constraints}
    assert names.isdisjoint({"same_label", "total_budget", "dinner_diets", "walk_near_dinner"})


def test_bookings_are_told_apart_by_roles_and_solutions_read_as_they_are_described():
    find, describe = slot_finder(BLUEPRINT), describer(BLUEPRINT)
    with duckdb.connect(":memory:") as connection:
        draft, population, _ = stocked(connection)
        graph = BLUEPRINT.build_graph(draft.request)
        stored = StoredTask(connection, graph, SOURCES, "task")
        _, solutions = certify_tables(stored, stored.offers(), population.closure)
        world = world_of(connection, draft)
    told = describe(solutions[0])
    assert [*told["return"]] == ["concert_id", "ticket_id"]
    assert [*told["parking"]] == ["garage_id", "bay_id", "check_in", "check_out"]
    for slot, ids in told.items():
        assert find(world, draft.request, next(iter(ids.values()))) == slot
    elsewhere = next(row for row in world.rows("tables") if row["town"] != draft.request.town)[
        "table_id"
    ]
    assert find(world, draft.request, elsewhere) is None
    assert find(world, draft.request, "XX-1") is None
    booked = {
        slot: (SimpleNamespace(properties={
            name: day_number(value) if name.startswith("check_") else value
            for name, value in ids.items()
        }),)
        for slot, ids in told.items()
    }  # fmt: skip
    job: Any = SimpleNamespace(slots=booked)
    assert solution_reader(BLUEPRINT)(job) == told
    assert [*breakage_finder(BLUEPRINT)(world)] == []


def test_rows_that_cannot_be_are_told():
    late = {"concert_id": "CC-1", "starts": 1400, "end_minute": 1460}
    early = {"bay_id": "BY-1", "opens": "2027-01-05", "closes": "2027-01-04"}
    tables = {"concerts": {"CC-1": late}, "bays": {"BY-1": early}}
    world: Any = SimpleNamespace(
        tables={"tickets": {}, "garages": {}, "tables": {}, "walks": {}} | tables
    )
    assert [*breakage_finder(BLUEPRINT)(world)] == [
        "concert CC-1 cannot have the ends 1460",
        "bay BY-1 cannot have the closes 2027-01-04",
    ]


@pytest.mark.parametrize(
    ("name", "value", "said"),
    [
        ("date", 20000, "2024-10-04"),
        ("closes", 20000, "2024-10-04"),
        ("check_in", 20000, "2024-10-04"),
        ("ends", 605, "10:05"),
        ("price", 1250, "$12.50"),
        ("total", 1250, "$12.50"),
        ("town", "Corfe", "Corfe"),
        ("height", 2, "2"),
    ],
)
def test_values_are_shown_as_people_say_them(name, value, said):
    assert value_shower(BLUEPRINT)(name, value) == said


def test_surfaces_show_all_that_the_tables_show():
    shown = surfaces(BLUEPRINT)
    with duckdb.connect(":memory:") as connection:
        _, _, offers = stocked(connection)
        for name, surface in shown.items():
            found = connection.execute(surface.sql, {"task": "task"})
            columns = [one[0] for one in found.description]
            features = derive_features(surface, columns, found.fetchall())
            assert set(features.offers) == set(offers.ids[name])
    assert shown["concert"].groupings.items() >= {
        ("tickets per concert", ("concert_id",)),
        ("tickets per town and stage and date", ("town", "stage", "concert_date")),
        ("tickets per town and stage and row", ("town", "stage", "row")),
        ("tickets per town and stage and date and row", ("town", "stage", "concert_date", "row")),
    }
    assert shown["walk"].groupings.items() >= {
        ("walks per date", ("date",)),
        ("walks per theme and quarter", ("theme", "quarter")),
    }


def test_surfaces_compare_offers_with_their_like_their_search_and_their_provider():
    shown = surfaces(BLUEPRINT)
    found = {title: tuple(one) for title, one in shown["concert"].yardsticks.items()}
    like, own = "price over the median of its like", ["concert_id"]
    assert found[like] == ("ratio", "price_cents", ["section", "row"])
    within = ["town", "stage", "concert_date", "section", "row"]
    assert found["price among its like in a search by date"] == ("rank", "price_cents", within)
    assert found["price_cents among the concert's tickets"] == ("rank", "price_cents", own)
    assert found[f"{like}, mean of the concert's tickets"] == ("mean", like, own)
    assert found["available among the concert's tickets"] == ("rank", "available", own)
    assert "starts in a search by date" in found
    assert not any("price" in title for title in shown["table"].yardsticks)


def test_what_a_surface_names_beside_its_offers():
    shown = surfaces(BLUEPRINT)
    assert shown["table"].prices == ()
    assert shown["bay"].names == ("name",)


def test_names_are_distinct_and_as_long_whatever_decides_them():
    with duckdb.connect(":memory:") as connection:
        _, _, offers = stocked(connection)
    for table in ("concerts", "garages", "tables", "walks"):
        names = [row["name"] for row in offers.tables[table]]
        assert len(set(names)) == len(names)
    families = {
        theme: [
            row["name"].startswith("Gate")
            for row in offers.tables["walks"]
            if row["theme"] == theme
        ]
        for theme in ("ghosts", "art")
    }
    shares = [sum(own) / len(own) for own in families.values()]
    assert max(shares) < 1
    assert abs(shares[0] - shares[1]) < 0.05


def test_too_few_names_and_ids_are_told():
    names = cd.Names("{a} {b}", {"a": ["x"], "b": ["y", "z"]})
    drawn_names = draw_names(names, Random(3), [{}] * 40)
    assert len(set(drawn_names)) == 40
    assert {"x y", "x z"} < set(drawn_names)
    with pytest.raises(UsageError, match="more words"):
        draw_names(names, Random(3), [{}] * 1000)
    ids = drawn_ids(Random(3), "AB", 2)
    assert len({next(ids) for _ in range(90)}) == 90
    with pytest.raises(UsageError, match="digits"):
        next(ids)


def test_where_no_wish_can_be_broken_every_distractor_breaks_an_edge():
    for theme, broken in (
        (None, {"walk_near_parking"}),
        ("art", {"walk_near_parking", "walk_theme"}),
    ):
        asked = request(party=1, theme=theme)
        folded = fold(BLUEPRINT.build_graph(asked), BLUEPRINT.node_types(asked, 3))
        assert can_be_broken(folded, "walk") == (theme is not None)
        made = populate(folded, seed_count=1, closure=range(1, 2), distractors=200, seed=3)
        assert set(made.broken["walk"]) == {"", *broken}
        assert len(made.nodes["walk"]) == 41
