"""What a paper states of the tasks it made, for a domain that comes from one.

Figures are those that the text gives, with the place; `tasks --stats` shows them beside what a
benchmark has.
"""

from enum import StrEnum

from crab_graph.schema import FileModel


class FigureKind(StrEnum):
    """What a figure counts, by what it is called; means are over tasks."""

    TASKS = "tasks"
    NODES = "nodes"
    EDGE_TYPES = "edge types"
    ACTIVE_EDGES = "active edges"
    DISTRACTORS = "distractors"
    DISTRACTOR_RATIO = "distractor ratio, %"
    COMBINATIONS = "combinations"
    AGENT_TOOLS = "tools of the agent"
    USER_TOOLS = "tools of the user"
    AGENT_CATEGORIES = "categories of the agent's tools"
    USER_CATEGORIES = "categories of the user's tools"
    WINDOW = "days of the window"


class PublishedFigure(FileModel):
    """A number that the paper states: what it counts, of which tasks, and where it says so.

    `stratum` is `S1` or `all`, `group` a value of the domain's first axis where the figure is about
    tasks with it alone; `said` is the number as the paper puts it.
    """

    measure: FigureKind
    value: float
    said: str
    where: str
    stratum: str = "all"
    group: str | None = None


class Publication(FileModel):
    """The paper that a domain comes from."""

    title: str
    address: str
    figures: tuple[PublishedFigure, ...]
