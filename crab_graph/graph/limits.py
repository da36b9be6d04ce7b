"""How long an episode may last (DESIGN: budgets)."""

from pydantic import Field

from crab_graph.schema import FileModel


class Limits(FileModel):
    """Caps of one episode; reaching one ends it as `budget_exhausted`.

    Attributes:
        max_messages: Messages of all kinds, private ones included.
        max_turns: Turns that the other side sees.
        max_tool_errors: Calls of the agent that the environment refused.
    """

    max_messages: int = Field(default=1000, ge=1)
    max_turns: int = Field(default=200, ge=1)
    max_tool_errors: int = Field(default=30, ge=1)

    def reached(self, messages: int, turns: int, tool_errors: int) -> str | None:
        """Return the name of a cap that these numbers reach, if there is one."""
        for name, value in (
            ("max_messages", messages),
            ("max_turns", turns),
            ("max_tool_errors", tool_errors),
        ):
            if value >= getattr(self, name):
                return name
        return None

    @property
    def recursion_limit(self) -> int:
        """Supersteps that suffice: each adds a message; and a little slack for the last batch."""
        return self.max_messages + 10
