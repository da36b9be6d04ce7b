"""`fidelity` shows how users talk, and says that rules are rules."""

import json

from crab_graph.cli import main


def test_fidelity_prints_rates_beside_those_of_people(run_directory, capsys):
    assert main(["fidelity", run_directory]) == 0
    text = capsys.readouterr().out
    assert "people" in text and "rule-based, no language model" in text
    assert main(["fidelity", run_directory, "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert document["people"]["rates"]["short"] == [0.29, 0.29]
    assert {one["condition"] for one in document["groups"]} == {"generic", "ruse"}
    assert set(document["ruse_closer_than_generic"]) == {"rules"}


def test_what_is_no_run_is_refused_in_one_line(tmp_path, capsys):
    assert main(["fidelity", str(tmp_path)]) == 2
    assert capsys.readouterr().err.count("\n") == 1
