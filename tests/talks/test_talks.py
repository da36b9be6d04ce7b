"""Whole talks of language models: graded again, and every turn of the user read by somebody."""

import json

import pytest

import crab_graph as cg
from benchmarks.bench_talks import (
    AGENTS,
    FAULTY,
    READINGS,
    SETS,
    TALKS,
    faulty_turns,
    load_set,
    pairs_of,
    reading_of,
)
from crab_graph.eval.reading import lay_out, read_task
from crab_graph.eval.replay import replay
from crab_graph.eval.say_do import say_do_timeline
from crab_graph.eval.transcript import read_transcript
from crab_graph.text.mentions import LISTING_CAP
from tests.talks.celebration import CELEBRATION
from tests.talks.moving import MOVING

BENCHES = {
    "second": "second",
    "third": "third",
    "fourth": "third",
    "fifth": "third",
    "sixth": "third",
    "seventh": "third",
    "eighth": "third",
    "ninth": "third",
    "tenth": "tenth",
    "eleventh": "eleventh",
    "twelfth": "twelfth",
    "thirteenth": "thirteenth",
    "fourteenth": "fourteenth",
    "fifteenth": "fifteenth",
    "sixteenth": "fourteenth",
    "seventeenth": "fifteenth",
    "eighteenth": "eighteenth",
    "nineteenth": "nineteenth",
    "twentieth": "twentieth",
    "twentyfirst": "twentyfirst",
    "twentysecond": "twentysecond",
    "twentythird": "twentythird",
    "twentyfourth": "twentyfourth",
    "twentyfifth": "twentyfifth",
    "twentysixth": "twentysixth",
    "twentyseventh": "twentyseventh",
    "twentyeighth": "twentyeighth",
    "twentyninth": "twentyninth",
    "thirtieth": "thirtieth",
    "thirtyfirst": "thirtyfirst",
    "thirtysecond": "thirtysecond",
    "thirtythird": "thirtythird",
    "thirtyfourth": "thirtyfourth",
    "thirtyfifth": "thirtyfourth",
    "thirtysixth": "thirtysixth",
    "thirtyseventh": "thirtyseventh",
    "thirtyeighth": "thirtyeighth",
    "thirtyninth": "thirtyninth",
    "fortieth": "fortieth",
    "fortyfirst": "fortyfirst",
    "fortysecond": "fortyfirst",
    "fortythird": "fortyfirst",
    "fortyfourth": "fortyfourth",
    "fortyfifth": "fortyfifth",
    "fortysixth": "fortysixth",
    "fortyseventh": "fortyseventh",
    "fortyeighth": "fortyseventh",
    "fortyninth": "fortyseventh",
    "fiftieth": "fortyseventh",
    "fiftyfirst": "fortyseventh",
    "fiftysecond": "fiftysecond",
    "fiftythird": "fiftysecond",
    "fiftyfourth": "fiftyfourth",
    "fiftyfifth": "fiftyfifth",
    "fiftysixth": "fiftyfourth",
    "fiftyseventh": "fiftyfifth",
    "fiftyeighth": "fiftyeighth",
    "fiftyninth": "fiftyfourth",
    "sixtieth": "fiftyfifth",
    "sixtyfirst": "fiftyfourth",
    "sixtysecond": "fiftyfifth",
    "sixtythird": "fiftyeighth",
    "sixtyfourth": "fiftyfifth",
    "sixtyfifth": "sixtyfifth",
    "sixtysixth": "sixtysixth",
    "sixtyseventh": "sixtyfifth",
    "sixtyeighth": "sixtysixth",
    "sixtyninth": "sixtyfifth",
    "seventieth": "sixtysixth",
    "seventyfirst": "seventyfirst",
    "seventysecond": "seventysecond",
    "seventythird": "seventythird",
    "seventyfourth": "seventythird",
    "seventyfifth": "seventyfifth",
    "seventysixth": "seventyfirst",
    "seventyseventh": "seventysecond",
    "seventyeighth": "seventythird",
    "seventyninth": "seventyfifth",
    "eightieth": "seventythird",
    "eightyfirst": "seventyfifth",
    "eightysecond": "seventyfirst",
    "eightythird": "seventysecond",
    "eightyfourth": "seventythird",
    "eightyfifth": "seventyfifth",
    "eightysixth": "eightysixth",
    "eightyseventh": "eightyseventh",
    "eightyeighth": "eightyeighth",
    "eightyninth": "eightyninth",
    "ninetieth": "ninetieth",
    "ninetyfirst": "eightysixth",
    "ninetysecond": "eightyseventh",
    "ninetythird": "eightyeighth",
    "ninetyfourth": "eightyninth",
    "ninetyfifth": "ninetieth",
    "ninetysixth": "eightysixth",
    "ninetyseventh": "eightyseventh",
    "ninetyeighth": "eightyeighth",
    "ninetyninth": "eightyninth",
    "hundredth": "ninetieth",
    "hundredfirst": "eightysixth",
    "hundredsecond": "eightyseventh",
    "hundredthird": "eightyeighth",
    "hundredfourth": "eightyninth",
    "hundredfifth": "ninetieth",
    "hundredsixth": "eightysixth",
    "hundredseventh": "eightyseventh",
    "hundredeighth": "eightyeighth",
    "hundredninth": "eightyninth",
    "hundredtenth": "ninetieth",
    "users": "users",
}
QUICK = ("eighteenth", "ninetieth")
"""Benches whose talks are graded again with the quick tests; all others with the slow ones."""
MOST_FAULTY = 0.01


def messages_of(name, talk):
    lines = (TALKS / name / f"{talk['talk']}.jsonl").read_text("utf-8").splitlines()
    return [json.loads(line) for line in lines]


@pytest.mark.parametrize(
    "name",
    [
        name if BENCHES[name] in QUICK else pytest.param(name, marks=pytest.mark.slow)
        for name in BENCHES
    ],
)
def test_a_kept_talk_is_graded_as_when_it_was_played(name):
    bench = cg.load_benchmark(TALKS / BENCHES[name] / "bench")
    for talk in load_set(name):
        verdict = cg.grade(bench[talk["task"]], messages_of(name, talk))
        assert verdict.passed == talk["passed"], talk["talk"]


@pytest.mark.parametrize("name", SETS)
def test_a_reader_says_something_of_every_turn_of_the_user(name):
    for talk in load_set(name):
        said = [
            message
            for message in messages_of(name, talk)
            if message["role"] == "user" and not message.get("tool_calls")
        ]
        assert len(talk["turns"]) == len(said), talk["talk"]
        assert {reading_of(turn) for turn in talk["turns"]} <= set(READINGS)
        assert all(":" in turn for turn in talk["turns"] if reading_of(turn) in FAULTY)
        assert talk["why"] or talk["passed"] == talk["truly"] is True


@pytest.mark.slow
def test_what_is_still_to_be_charged_matches_the_charges_of_it():
    (talk,) = (one for one in load_set("twentyninth") if one["writer"] == "oleg2")
    task = cg.load_benchmark(TALKS / "twentyninth" / "bench")[talk["task"]]
    trajectory = replay(task, read_transcript(messages_of("twentyninth", talk)))
    deeds = say_do_timeline(lay_out(read_task(task), trajectory, LISTING_CAP))
    told = [deed for deed in deeds if deed.claim == "total $1,482.80"]
    assert len(told) == 3 and all(deed.match for deed in told)


@pytest.mark.parametrize(
    ("domain", "of", "personas"),
    [
        (CELEBRATION, {"seventyfifth", "eightyninth"}, {"terse", "neutral", "impatient"}),
        (MOVING, {"ninetieth"}, {"terse", "impatient"}),
    ],
    ids=["celebration", "moving"],
)
def test_some_talks_are_in_domains_written_from_the_docs_alone(domain, of, personas):
    talks = [talk for name, bench in BENCHES.items() if bench in of for talk in load_set(name)]
    benches = [cg.load_benchmark(TALKS / name / "bench") for name in of]
    assert {bench.domain.name for bench in benches} == {domain.name}
    assert {talk["persona"] for talk in talks} == personas


def test_the_talks_are_of_all_kinds():
    talks = [talk for name in AGENTS for talk in load_set(name)]
    assert len(talks) >= 60
    assert len(pairs_of(load_set("fourth"))) == 20
    assert {talk["task"][:2] for talk in talks} == {"S1", "S2", "S3", "S4"}
    assert {talk["persona"] for talk in talks} == {"none", "terse", "neutral", "impatient"}
    assert len({talk["writer"] for talk in talks}) >= 10
    assert len(load_set("users")) >= 12


def test_hardly_any_turn_of_a_model_in_the_user_s_seat_is_wrong():
    faulty, turns = faulty_turns(load_set("users"))
    assert faulty <= MOST_FAULTY * turns
