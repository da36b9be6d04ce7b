"""One dialogue in a terminal: folded, turn by turn, and why it failed."""

import io
import json
from typing import Any

import pytest
from rich.console import Console

from crab_graph.analysis.viewer.background import NOTHING_BEHIND
from crab_graph.analysis.viewer.close_up import find_turn, print_facts, print_turn, print_why
from crab_graph.analysis.viewer.screen import print_episode
from crab_graph.cli.application import main
from crab_graph.errors import UsageError
from tests.analysis.runs_on_disk import write_run

FACTS = (
    {"key": "origin", "slot": None, "level": "basic", "turn": 1, "reason": "volunteered"},
    {"key": "party_size", "slot": None, "level": "basic", "turn": 1, "reason": "volunteered"},
    {"key": "budget", "slot": None, "level": "detail", "turn": None, "reason": None},
)


@pytest.fixture
def console() -> Console:
    return Console(file=io.StringIO(), width=80, highlight=False)


def printed(console: Console) -> str:
    assert isinstance(console.file, io.StringIO)
    return console.file.getvalue()


def lines(console: Console) -> list[str]:
    return [line.strip() for line in printed(console).splitlines()]


def deeds(record):
    return NOTHING_BEHIND.deeds(record)


def test_what_was_done_stands_under_its_speaker_before_the_message(console, records):
    print_episode(console, records[2])
    order = [
        "2 agent",
        "search_flights_by_route DEN, PDX",
        "charge_booking BK-1",
        "refused: no booking 'BK-1'",
        "FL-48213 costs $300.00. Shall I book it?",
        "3 user",
        "1 private call of the user (--private shows them)",
        "Yes, go ahead.",
        "4 agent",
        "book_flight_with_seats CU-20417, FL-48213, FA-90177",
        "~ fares FA-90177 available −1",
        "= 1 booking (1 pending), $0.00 paid",
        "✗ D19    every booking paid in full: is pending",
    ]
    assert [line for line in lines(console) if line in order] == order


def test_the_private_side_is_printed_on_demand(console, records):
    record = records[2].model_copy(update={"facts": FACTS})
    print_episode(console, record, private=True)
    print_facts(console, record, {"origin": "Denver"})
    found = lines(console)
    assert "user's own: get_my_payment_cards" in found
    assert "told, volunteered: origin, party size" in found
    assert "What the user knew: 2 of 3 facts were said" in found
    assert any(line.startswith("origin") and "Denver" in line for line in found)
    assert any(line.startswith("budget") and "never" in line for line in found)


def test_a_contradicted_claim_stands_under_the_message_that_makes_it(console, records):
    print_episode(console, records[2], deeds(records[2]))
    found = lines(console)
    place = found.index("✗ unit price $300.00; done: booked [b]BK-20931177[/b]")
    assert found[place - 1] == "FL-48213 costs $300.00. Shall I book it?"


def test_many_lookups_are_one_line_unless_asked(records):
    messages: list[dict[str, Any]] = []
    for number in ("1", "2", "3"):
        calls: list[dict[str, Any]] = [{"id": number, "name": "look", "arguments": {}}]
        messages.append({"role": "assistant", "content": "", "tool_calls": calls})
        messages.append({"role": "tool", "tool_call_id": number, "content": "{}"})
    record = records[0].model_copy(update={"messages": messages, "trace": ()})
    brief, whole = (Console(file=io.StringIO(), width=80) for _ in range(2))
    print_episode(brief, record)
    print_episode(whole, record, every_call=True)
    assert "3 lookups: look ×3" in printed(brief)
    assert "agent, without a further message" in printed(brief)
    assert printed(whole).count("      look\n") == 3


def test_what_was_said_neither_styles_nor_steers_the_terminal(console, records):
    said = "[red]no[/red] \x1b[2J\ud800 \u202e done"
    call = {"id": "1", "name": said, "arguments": {said: said}}
    messages = [
        {"role": "assistant", "content": "", "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "1", "content": json.dumps({"error": said})},
        {"role": "assistant", "content": said},
    ]
    changes = {"messages": messages, "agent": said, "error": said, "primary_failure": said}
    record = records[2].model_copy(update=changes)
    print_episode(console, record, every_call=True, private=True)
    print_turn(console, record, find_turn(record, 1, ()), private=True)
    text = printed(console)
    assert "[red]no[/red] �[2J�" in text
    assert not {"\x1b", "\ud800", "\u202e"} & set(text)


def test_nothing_is_wider_than_the_terminal_and_no_line_ends_in_spaces(console, records):
    record = records[2].model_copy(update={"facts": FACTS})
    print_episode(console, record, deeds(record), every_call=True, private=True)
    print_turn(console, record, find_turn(record, 4, ()), private=True)
    text = printed(console)
    assert max(map(len, text.splitlines())) <= 80
    assert not [line for line in text.splitlines() if line != line.rstrip()]


# One turn


def test_a_turn_unfolds_its_calls_what_they_changed_and_what_was_held(console, records):
    print_turn(console, records[2], find_turn(records[2], 4, ()), private=False)
    text = printed(console)
    assert '"flight_id": "FL-48213"' in text and '"total": "300.00"' in text
    assert "+ bookings BK-20931177" in text
    held = text.partition("Held after it")[2]
    assert "BK-20931177 pending: flight FL-48213, costs $300.00, $0.00 paid" in held
    assert "fares FA-90177 available −1" in held


def test_a_turn_has_the_claims_it_makes_and_the_checks_that_point_to_it(console, records):
    evidence = {"F-PT": [{"text": "no total", "message": 2}, {"text": "elsewhere", "message": 4}]}
    record = records[2].model_copy(update={"evidence": evidence})
    print_turn(console, record, find_turn(record, 2, deeds(record)), private=False)
    text = printed(console)
    assert "✗ unit price $300.00" in text
    assert "F-PT" in text and "no total" in text and "elsewhere" not in text


def test_a_turn_that_is_not_there_is_said_so(records):
    with pytest.raises(UsageError, match=r"--turn 9: the dialogue of S1-001\.ruse\.0 has 5"):
        find_turn(records[2], 9, ())


# Why


def test_why_names_the_nearest_solution_and_what_became_of_its_parts(console, records):
    moved = {**records[2].explanation["parts"][0], "seen_at": 2}
    explanation = {**records[2].explanation, "parts": [moved, records[2].explanation["parts"][1]]}
    record = records[2].model_copy(update={"explanation": explanation})
    print_why(console, record, deeds(record))
    text = " ".join(printed(console).split())
    assert "outbound: FL-48213 FA-90177, not FL-48220 FA-90200: seen and passed over" in text
    assert "(seen in search_flights_by_route, before message 2)" in text
    assert "return: nothing, not FL-50001: never found in a search" in text
    assert "of its parts: 1 never found in a search, 1 seen and passed over" in text
    assert "together: one carrier" in text
    assert "✗ message 2 unit price $300.00 booked [b]BK-20931177[/b]" in text


def test_why_says_how_statements_were_read(console, records):
    read = {"text": "stated $5.00: read as the last payment", "message": 2, "explanation": "x"}
    evidence = {**records[0].evidence, "F-PT": (read, {"text": "matches"})}
    print_why(console, records[0].model_copy(update={"evidence": evidence}), ())
    text = " ".join(printed(console).split())
    assert "How it was read" in text and "message 2 stated $5.00: read as the last payment" in text
    assert "matches" not in text


def test_why_says_where_there_is_nothing_to_explain(console, records):
    print_why(console, records[0], ())
    print_why(console, records[2].model_copy(update={"explanation": None}), ())
    assert "Why: it passed" in printed(console)
    assert "`crab-graph regrade` does that" in printed(console)


# The command


def test_show_prints_an_episode_a_turn_or_json(records, tmp_path, capsys):
    run = str(write_run(tmp_path / "run", records))
    assert main(["show", run, "S1-001.ruse.0", "--why", "--private"]) == 0
    text = capsys.readouterr().out
    assert "user's own: get_my_payment_cards" in text and "Said against done" in text
    assert main(["show", run, "S1-001.ruse.0", "--turn", "4", "--json"]) == 0
    turn = json.loads(capsys.readouterr().out)
    assert (turn["turn"], turn["speaker"]) == (4, "agent")
    assert turn["held"]["bookings"][0]["status"] == "pending"
    assert turn["calls"][0]["changes"][1]["values"] == {"available": -1}
    assert main(["show", run, "S1-001.ruse.0", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["episode_id"] == "S1-001.ruse.0"


def test_show_refuses_what_is_not_there_in_one_line(records, tmp_path, capsys):
    run = str(write_run(tmp_path / "run", records))
    assert main(["show", run, "S1-001.ruse.0", "--turn", "40"]) == 2
    assert main(["show", run, "S1-001.rus"]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert [line.partition(":")[0] for line in err.splitlines()] == ["crab-graph"] * 2
