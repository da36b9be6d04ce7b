"""A domain's card: what pages must know of a domain, without the domain.

Benchmarks and runs carry the card of their domain, so that whoever shows one imports no domain, has
the words that stood when it was made, and never those of another domain.
"""

from collections import Counter
from collections.abc import Mapping
from functools import cached_property
from typing import Annotated, Self

from pydantic import Field, StringConstraints, model_validator

from crab_graph.schema import FileModel

Words = Annotated[str, StringConstraints(max_length=400, pattern=r"^[^\x00-\x1f\x7f-\x9f]*$")]
"""A short text in one line: a card may come from anybody, and its words get to terminals."""


Name = Annotated[str, StringConstraints(max_length=40, pattern=r"^[a-z][a-z0-9_]*$")]
"""An identifier, such as the name of a column."""


Identifier = Annotated[str, StringConstraints(max_length=80, pattern=r"^[^\W\d]\w*$")]
"""A name of Python's, as an author gave it."""


class TableCard(FileModel):
    """A table of a domain: its key, and the SQL type of each column."""

    name: Identifier
    key: Identifier
    columns: dict[Identifier, Annotated[str, StringConstraints(pattern=r"^[A-Z]{3,9}$")]]


class SlotCard(FileModel):
    """One thing that a job needs: its id, what it is called, and the kind of booking."""

    id: Words
    title: Words
    kind: Words


class AxisCard(FileModel):
    """An axis of stratification: its name in data, its title on pages, its values in order."""

    name: Name
    title: Words
    values: tuple[int | Words, ...] = Field(min_length=1)

    @property
    def holds_numbers(self) -> bool:
        """Whether all its values are numbers."""
        return all(isinstance(value, int) for value in self.values)

    @property
    def comparison(self) -> str:
        """A title for what compares its values: `Fixed against flexible dates`, `By party`."""
        if self.holds_numbers or len(self.values) > 3:
            return f"By {self.title}"
        values = " against ".join(map(str, self.values))
        return f"{values[:1].upper()}{values[1:]} {self.title}"

    def phrase(self, value: object) -> str:
        """Return a value as it is said without the axis: `fixed dates`, `party of 2`."""
        return f"{self.title} of {value}" if self.holds_numbers else f"{value} {self.title}"


class CheckCard(FileModel):
    """A check that the domain declares: its label, what it says, and what it is about."""

    id: Words
    title: Words
    role: Words = ""


class DomainCard(FileModel):
    """What a domain calls things.

    Attributes:
        name: As `--domain` names it; empty where nothing is known of the domain.
        version: Of its task set.
        job: What all that users want is called, such as `visit`.
        checks: Those of its own; those of all domains are the verifiers'.
    """

    name: Words
    version: int = 1
    job: Words = "job"
    slots: tuple[SlotCard, ...] = ()
    axes: tuple[AxisCard, ...] = ()
    checks: tuple[CheckCard, ...] = ()

    @model_validator(mode="after")
    def _has_names_of_its_own(self) -> Self:
        for what, names in (
            ("slots", [slot.id for slot in self.slots]),
            ("axes", [axis.name for axis in self.axes]),
            ("checks", [check.id for check in self.checks]),
        ):
            twice = [name for name, times in Counter(names).items() if times > 1]
            if twice:
                raise ValueError(f"two {what} are called '{twice[0]}'")
        return self

    def slot_title(self, slot: str) -> str:
        """Return what a slot is called, by its id; the id where there is no such slot."""
        return next((one.title for one in self.slots if one.id == slot), slot)

    @property
    def first_axis(self) -> AxisCard | None:
        """The axis by whose values tasks are chosen and compared, if there is one."""
        return self.axes[0] if self.axes else None

    @cached_property
    def titles(self) -> Mapping[str, str]:
        """What its checks say, by id."""
        return {check.id: check.title for check in self.checks}


EARLIER_AXES = (
    AxisCard(name="date_mode", title="dates", values=("fixed", "flexible")),
    AxisCard(name="party", title="party", values=(1, 2, 3, 4)),
)
"""The axes that every domain had while benchmarks and runs had no card."""

EARLIER_CARD = DomainCard(name="", axes=EARLIER_AXES)
"""What is known of a domain where nothing else is."""
