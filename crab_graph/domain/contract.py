"""What a domain is: everything the engine needs to know of one kind of task, in one value.

The engine generates, runs and grades through this interface and knows no domain by name. Third
parties register theirs by the entry-point group `crab_graph.domains`.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property, partial
from typing import Any, NamedTuple, Protocol

from pydantic import ValidationError

from crab_graph.domain.card import AxisCard, CheckCard, DomainCard, SlotCard
from crab_graph.domain.declaration import Declaration, TaskProperty
from crab_graph.domain.kind import Kind
from crab_graph.domain.verification import Grading, Job, read_job
from crab_graph.errors import UnknownName, UsageError
from crab_graph.generation.constraint_graph import ConstraintGraph
from crab_graph.generation.constraints import Value
from crab_graph.generation.features import Surface
from crab_graph.generation.folding import FoldedGraph
from crab_graph.generation.population import Population
from crab_graph.generation.search import Solution
from crab_graph.generation.seeds import ConcreteObject
from crab_graph.personas.briefing import Fact, UserBriefing
from crab_graph.personas.wordbook import DomainLexicon
from crab_graph.plugins import Seam
from crab_graph.schema import FileModel, first_error
from crab_graph.settings import Toolset
from crab_graph.tools.ledger import BookingTables
from crab_graph.tools.registry import ToolRegistry
from crab_graph.tools.tables import Row, Table


class TaskSlot(NamedTuple):
    """One thing a complete job needs: a node of the constraint graph, filled by one kind.

    Its word is what it is called when spoken of, such as `GP appointment`.
    """

    id: str
    kind: str
    word: str


class Draft(NamedTuple):
    """A task before its objects exist; what is `pinned` fills its node in every solution."""

    request: Any
    profile: Any
    today: str
    folded: FoldedGraph
    pinned: Mapping[str, ConcreteObject] = {}


class Drafts(Protocol):
    """Draws tasks: of a seed and of values on the axes, with a number of joint wishes."""

    def __call__(self, seed: int, axes: Mapping[str, Value], joint: int = 0) -> Draft:
        """Return a draft."""


class Inventory(NamedTuple):
    """What can be booked in a task: rows by table, and by node type the offer id of each object."""

    tables: Mapping[str, list[Row]]
    ids: Mapping[str, Sequence[str]]


class TaskAxis(NamedTuple):
    """An axis of stratification: a property of tasks whose values take turns in a benchmark.

    Pages call it by its title; its value of a task is read from the request. `widest` is that which
    leaves a task its widest window of days, of an axis of windows.
    """

    name: str
    title: str
    values: tuple[Value, ...]
    read: Callable[[Any], Value]
    widest: Value | None = None


class AgentKit(NamedTuple):
    """What an agent is given under a toolset: the tools, and instructions.

    These are written for today's date, and for whether the world breaks something in the task.
    """

    registry: Callable[[], ToolRegistry]
    policy: Callable[[str, bool, bool], str]


@dataclass(frozen=True)
class Domain:
    """A domain's whole self.

    Attributes:
        tables: Every table of the domain, the platform's and the private ones included.
        surfaces: For each node type, what the tables show of its offers, for the audit.
        draft: Draws a task from `(seed, value of each axis by name, number of joint wishes)`.
        group: Values of the properties that selection spreads tasks over (paper A.3).
        facts: What the user knows, from request and profile.
        materialize: Turns objects into entity rows, from `(population, seed)`.
        people: Rows of customers, cards and earlier bookings, from
            `(draft, offers, solutions' totals in cents, seed)`.
        describe_solution: A solution's ids in the form that `task --solutions` prints.
        briefing: What a simulated user is told, from `(slots, facts, task id, today)`.
        job: What all that a task needs is called, such as `visit`.
        axes: What takes turns over the tasks, that first by which tasks are chosen apart.
        optional_edges: Names of the edge constraints that a request may do without.
        with_edges: A draft with exactly these optional edges, from `(draft, names, seed)`; all else
            stays as it is.
        declaration: What it was built of; reference agents read from it what to ask for.
    """

    name: str
    slots: tuple[TaskSlot, ...]
    tables: tuple[Table, ...]
    request_type: type[FileModel]
    profile_type: type[FileModel]
    surfaces: Mapping[str, Surface]
    draft: Drafts
    build_graph: Callable[[Any], ConstraintGraph]
    group: Callable[[Any], tuple[str | int | bool | None, ...]]
    facts: Callable[[Any, Any], tuple[Fact, ...]]
    materialize: Callable[[Population, int], Inventory]
    people: Callable[[Draft, Inventory, Sequence[int], int], Mapping[str, list[Row]]]
    describe_solution: Callable[[Solution], dict[str, Any]]
    kinds: Mapping[str, Kind]
    declaration: Declaration
    briefing: Callable[[Sequence[TaskSlot], Sequence[Fact], str, str], UserBriefing]
    toolsets: Mapping[Toolset, AgentKit]
    grading: Grading
    job: str = "job"
    axes: tuple[TaskAxis, ...] = ()
    properties: tuple[TaskProperty, ...] = ()
    optional_edges: tuple[str, ...] = ()
    with_edges: Callable[[Draft, Sequence[str], int], Draft] | None = None
    toolset: Toolset = Toolset.PARITY

    @property
    def registry(self) -> Callable[[], ToolRegistry]:
        """The tools of agent and user."""
        return self.toolsets[self.toolset].registry

    @property
    def may_leave_fees_out(self) -> bool:
        """Whether lists of any of its offers can leave out what only a price tells."""
        kinds = self.kinds.values()
        return any(kind.tools is not None and kind.tools.price is not None for kind in kinds)

    def policy(self, today: str, mishaps: bool = False, fees: bool = False) -> str:
        """Return the agent's instructions on a day.

        With `mishaps` the world may break things, with `fees` lists leave taxes and fees out.
        """
        return self.toolsets[self.toolset].policy(today, mishaps, fees)

    @cached_property
    def card(self) -> DomainCard:
        """What pages must know of it."""
        return DomainCard(
            name=self.name,
            version=self.declaration.version,
            job=self.job,
            slots=tuple(SlotCard(id=one.id, title=one.word, kind=one.kind) for one in self.slots),
            axes=tuple(
                AxisCard(name=one.name, title=one.title, values=one.values) for one in self.axes
            ),
            checks=tuple(
                CheckCard(id=one.id, title=one.title, role=one.role)
                for one in self.grading.declared
            ),
        )

    @property
    def fact_keys(self) -> tuple[str, ...]:
        """Keys of the facts that its users can have, in the order in which they are told."""
        return (*self.lexicon.facts, *(rule.name for rule in self.declaration.joint_rules))

    @cached_property
    def lexicon(self) -> DomainLexicon:
        """The words that its users understand and say."""
        return self.briefing(self.slots, (), "", "").lexicon

    def axis_values(self, request: Any) -> dict[str, Value]:
        """Return the value that a request has on each axis, by its name."""
        return {axis.name: axis.read(request) for axis in self.axes}

    @cached_property
    def sources(self) -> Mapping[str, str]:
        """For each node type, the SELECT of a task's offers that certification counts on."""
        return {name: kind.source for name, kind in self.kinds.items()}

    def read_job(self, tables: BookingTables, request: Any, customer_id: str) -> Job:
        """Return what an episode booked for a task's customer, by slot."""
        slot_of = partial(self.grading.slot_of, tables.world, request)
        slots = (slot.id for slot in self.slots)
        return read_job(tables, self.kinds, slots, slot_of, customer_id)

    def cost_of_solution(self, solution: Mapping[str, Mapping[str, Any]], request: Any) -> int:
        """Return what a solution costs in all, in cents, for a request."""
        return sum(
            int(self.kinds[slot.kind].cost(solution[slot.id].get("price", 0), request))
            for slot in self.slots
        )

    def with_toolset(self, toolset: str) -> "Domain":
        """Return the domain with the tools and the policy of a toolset.

        Raises:
            UnknownName: there is no such toolset, or not in this domain.
        """
        if toolset == self.toolset:
            return self
        known = {str(name): name for name in self.toolsets}
        if toolset not in known:
            raise UnknownName("toolset", toolset, known)
        return replace(self, toolset=known[toolset])


def _refusal(found: object) -> str | None:
    """Return why something is no domain, or one whose card cannot be written."""
    if not isinstance(found, Domain):
        return f"is a {type(found).__name__}, and should be the `Domain` that `build` returns"
    try:
        found.card  # noqa: B018
    except ValidationError as error:
        return f"is refused: {first_error(error)}"
    return None


DOMAINS = Seam(
    "crab_graph.domains",
    "domain",
    {
        "clinic": "crab_graph.domains.clinic.domain:CLINIC",
        "travel": "crab_graph.domains.travel.domain:TRAVEL",
    },
    _refusal,
)


_REGISTERED: dict[str, Domain] = {}


def register(domain: Domain) -> Domain:
    """Let a domain be found by its name in this process, and return it.

    A domain of an installed package is found without; see `docs/domains.md`. Other processes do not
    know it, so that work on it is done by one.

    Raises:
        UsageError: it is called like one of crab-graph's own, or is none that pages can show.
    """
    if problem := _refusal(domain):
        raise UsageError(f"what is to be registered {problem}")
    if domain.name in DOMAINS.built_in:
        raise UsageError(f"crab-graph has a domain '{domain.name}'; give yours another name")
    _REGISTERED[domain.name] = domain
    find_domain.cache_clear()
    return domain


@cache
def find_domain(name: str) -> Domain:
    """Return a domain by name; one that was registered comes before those of packages.

    Raises:
        UnknownName: no installed package registers it.
        UsageError: the package that does cannot be imported, or registers no domain.
    """
    domain: Domain = _REGISTERED.get(name) or DOMAINS.find(name)
    return domain
