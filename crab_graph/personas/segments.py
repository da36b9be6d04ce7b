"""A stretch of an agent's message that is read by itself."""

from dataclasses import dataclass

from crab_graph.personas.wordbook import says


@dataclass(frozen=True, slots=True)
class Segment:
    """One clause, list item or table row of an agent's message: its words, casefolded, and place.

    It is a request by its own words or by what it stands under; a list of what it asks for may
    follow it. The scope are the slots it names, else those of the heading it stands under; `plain`
    are its words as the shared cues read them.
    """

    text: str
    plain: str
    start: int
    end: int
    is_request: bool
    opens_list: bool
    is_item: bool
    named: frozenset[str]
    scope: frozenset[str]

    @property
    def is_firm(self) -> bool:
        """Whether it asks if something that was said is meant for sure."""
        return self.text.endswith("?") and self.is_request and self.says("firm")

    def says(self, *cues: str) -> bool:
        """Tell whether its words hold one of some shared cues."""
        return any(says(cue, self.plain) for cue in cues)
