"""How long an episode may last (design section 9)."""

from pydantic import Field

from crab_graph.schema import FileModel


class Limits(FileModel):
    """Caps of one episode; `None` means no cap.

    Reaching one ends the episode as `budget_exhausted`, which is graded like any other end. Time is
    the exception: how long a provider takes is not the agent's doing, so an episode that took too
    long ends as `infra_error` and is tried again.

    Attributes:
        max_messages: Messages of all kinds, private ones included.
        max_turns: Turns that the other side sees.
        max_tool_errors: Calls of the agent that the environment refused.
        max_tokens: Tokens that models read and wrote, agent's and user's together.
        max_cost: What they cost in US dollars; it needs their prices.
        max_seconds: Seconds that agent and user took to answer, in all sittings together.
    """

    max_messages: int = Field(default=1000, ge=1)
    max_turns: int = Field(default=200, ge=1)
    max_tool_errors: int = Field(default=30, ge=1)
    max_tokens: int | None = Field(default=None, ge=1)
    max_cost: float | None = Field(default=None, gt=0, allow_inf_nan=False)
    max_seconds: float | None = Field(default=None, gt=0, allow_inf_nan=False)

    def reached(self, **amounts: float) -> str | None:
        """Return the name of a cap that one of these amounts reaches, if there is one.

        Args:
            amounts: By name of the cap without its `max_`.
        """
        for name, amount in amounts.items():
            cap = getattr(self, f"max_{name}")
            if cap is not None and amount >= cap:
                return f"max_{name}"
        return None

    @property
    def recursion_limit(self) -> int:
        """Supersteps that suffice: each adds a message; and a little slack for the last batch."""
        return self.max_messages + 10


class RunLimits(FileModel):
    """Caps of a whole run; `None` means no cap.

    When one is reached no further episode is begun; those under way are finished. The run can be
    gone on with under a higher cap.

    Attributes:
        max_messages: Messages of all episodes.
        max_turns: Turns that the other side sees.
        max_tool_errors: Calls of the agent that the environment refused.
        max_tokens: Tokens that models read and wrote.
        max_cost: What they cost in US dollars; it needs their prices.
        max_seconds: Seconds of one sitting, by the clock; the next sitting begins at 0.
    """

    max_messages: int | None = Field(default=None, ge=1)
    max_turns: int | None = Field(default=None, ge=1)
    max_tool_errors: int | None = Field(default=None, ge=1)
    max_tokens: int | None = Field(default=None, ge=1)
    max_cost: float | None = Field(default=None, gt=0, allow_inf_nan=False)
    max_seconds: float | None = Field(default=None, gt=0, allow_inf_nan=False)

    @property
    def is_empty(self) -> bool:
        """Whether nothing is limited."""
        return self == RunLimits()
