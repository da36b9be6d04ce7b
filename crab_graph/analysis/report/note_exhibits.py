"""What people noted on episodes: a table of the notes that stand beside the runs."""

from collections.abc import Iterator

from crab_graph.analysis.report.exhibit import Cell, Exhibit, captioned, named_heads
from crab_graph.analysis.report.study import Study
from crab_graph.runs.notes import Note
from crab_graph.terms import label, verdict_word

_MOST = 200
_LONGEST = 400


def notes(study: Study) -> Iterator[Exhibit]:
    """Show the notes, those that dispute a verdict before the others."""
    listed = [(run, note) for run, one in enumerate(study.runs) for note in one.notes]
    if not listed:
        return
    listed.sort(key=lambda one: (not one[1].disputed, one[0], one[1].episode_id, one[1].turn or 0))
    several = len(study.runs) > 1
    names = ("run", "episode", "message", "disputed", "tags", "note")
    columns = named_heads(*names, is_number=False)
    rows = [
        (Cell(study.runs[run].name), *_cells(run, note))[not several :]
        for run, note in listed[:_MOST]
    ]
    more = len(listed) - _MOST
    left = (f"{more:,} more are in the table `notes` of crab-graph sql.",) if more > 0 else ()
    disputed = sum(note.disputed for _, note in listed)
    counted = f"{len(listed):,} note{'s' if len(listed) > 1 else ''}, {disputed:,} on a disputed"
    yield captioned("notes", columns[not several :], rows, notes=left, counted=counted)


def _cells(run: int, note: Note) -> tuple[Cell, ...]:
    what = f"{note.check_id or label('outcome')}: {verdict_word(note.verdict)}"
    text = note.text if len(note.text) <= _LONGEST else f"{note.text[:_LONGEST]}…"
    return (
        Cell(note.episode_id, where={"run": str(run), "q": note.episode_id}),
        Cell("" if note.turn is None else str(note.turn), note.turn),
        Cell(what if note.disputed else "", note.disputed),
        Cell(", ".join(note.tags), list(note.tags)),
        Cell(text, note.text),
    )
