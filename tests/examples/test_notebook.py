"""The notebook among the examples runs from its first cell to its last, as for its reader."""

from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient

NOTEBOOK = Path(__file__).resolve().parents[2] / "examples" / "evaluate_agent.ipynb"


@pytest.fixture(scope="module")
def read():
    return nbformat.read(NOTEBOOK, as_version=4)


def test_the_notebook_is_kept_without_outputs(read):
    nbformat.validate(read)
    cells = [cell for cell in read.cells if cell.cell_type == "code"]
    assert cells and not any(cell.outputs or cell.execution_count for cell in cells)


@pytest.mark.slow
def test_the_notebook_runs_and_shows_what_it_made(read, tmp_path):
    NotebookClient(read, timeout=120, resources={"metadata": {"path": str(tmp_path)}}).execute()
    shown = [
        output.data
        for cell in read.cells
        for output in cell.get("outputs", ())
        if output.output_type == "execute_result"
    ]
    tables = [data["text/html"] for data in shown if "text/html" in data]
    heads = (
        "4 travel tasks",
        "the user knows",
        "by my agent (reference): pass",
        "8 of 8 episodes by",
    )
    for words in (*heads, "Runs compared", "my agent", "pass@1 against generic"):
        assert any(words in table for table in tables), words
    assert "'examples': 8" in shown[-1]["text/plain"]
    made = {path.name for path in (tmp_path / "example-runs").iterdir()}
    assert {"mine", "hasty", "report.html", "train.jsonl"} <= made
