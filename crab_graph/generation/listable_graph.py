"""Task graphs with domains D(p) that can be listed, and SolveNode and SolveGraph on them (A.4).

The paper's algorithms list objects, so they work on finite domains of a size that can be listed.
Domains that no constraint names are thinned to evenly spaced values until a node has about
`LISTING` node-valid objects; those that constraints name stay whole.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import product
from math import prod
from random import Random

from crab_graph.generation.constraint_graph import NodeType
from crab_graph.generation.constraints import Constraint, Ref, Value
from crab_graph.generation.csp import (
    Binding,
    Link,
    Sampling,
    enumerated_bindings,
    list_bindings,
    shuffled_bindings,
)
from crab_graph.generation.folding import FoldedGraph, NodeDomain
from crab_graph.generation.objects import Columns, profiles

LISTING = 2_500
"""Combinations of node-valid values at which no further domain is thinned."""


@dataclass(frozen=True)
class ListableGraph:
    """A task graph with domains D(p) small enough to list, by node type and free property."""

    folded: FoldedGraph
    values: Mapping[str, Mapping[str, tuple[Value, ...]]]
    _links: dict[tuple[str, str], Link] = field(default_factory=dict, compare=False, repr=False)
    _pins: dict[tuple[str, str], dict[Value, Link]] = field(
        default_factory=dict, compare=False, repr=False
    )

    @cached_property
    def objects(self) -> Mapping[str, Columns]:
        """All node-valid objects of each node."""
        constraints = self.folded.node_constraints
        return {node: self.solve_node(node, own, {}) for node, own in constraints.items()}

    def type_of(self, node: str) -> NodeType:
        """Return the type of a node."""
        return self.folded.types[self.folded.graph.type_of(node)]

    def solve_node(
        self, node: str, constraints: Sequence[Constraint], overrides: Mapping[str, Value]
    ) -> Columns:
        """Return all objects of a node: SolveNode(n, C', ov).

        Domain constraints always hold; overrides pin properties, free or derived.
        """
        domains: dict[Ref, Sequence[Value]] = {
            (node, name): [value for value in values if overrides.get(name, value) == value]
            for name, values in self.values[self.type_of(node).name].items()
        }
        derived = [one for one in overrides.items() if (node, one[0]) not in domains]
        pins = (self._pin(node, name, value) for name, value in derived)
        links = [*self._node_links(node, constraints), *pins]
        return self._objects(node, list_bindings(domains, (), links))

    def solve_graph(self, count: int, rng: Random) -> list[dict[str, Columns]]:
        """Return up to `count` distinct solutions of the full graph CSP: SolveGraph(G, k)."""
        domains: dict[Ref, Sequence[Value]] = {}
        links: list[Link] = []
        for node in self.folded.graph.node_ids:
            own = self.values[self.type_of(node).name]
            domains.update({(node, name): values for name, values in own.items()})
            links += self._node_links(node, self.folded.node_constraints[node])
            for name in self.folded.edge_properties(node):
                if name not in own:
                    link = self._derivation(node, name)
                    domains[(node, name)] = sorted({values[-1] for values in link.tuples}, key=repr)
                    links.append(link)
        found: list[Binding] = []
        for binding in shuffled_bindings(domains, self.folded.edges, links, 4 * count, rng):
            if binding not in found:
                found.append(binding)
            if len(found) == count:
                break
        return [
            {node: self._objects(node, [binding]) for node in self.folded.graph.node_ids}
            for binding in found
        ]

    def sample_csp(self, count: int, rng: Random, strategy: Sampling) -> Iterator[Binding]:
        """Yield up to `count` randomly sampled bindings: SampleCSP(V, C_mini, k).

        V are the properties that active edges read. `ENUMERATE` lists all solutions and draws
        distinct ones (`enumerated_bindings`), `SHUFFLE` draws with replacement (`sample_binding`).

        Raises:
            TooLargeToEnumerate: there is too much to enumerate.
        """
        if strategy is Sampling.SHUFFLE:
            domains, links = self.binding_space()
            yield from shuffled_bindings(domains, self.folded.edges, links, count, rng)
            return
        shown: dict[str, list[Binding]] = {}
        for node in self.folded.graph.node_ids:
            names = self.folded.edge_properties(node)
            own = profiles(self.objects[node], names) if names else [()]
            refs = [(node, name) for name in names]
            shown[node] = [dict(zip(refs, profile, strict=True)) for profile in own]
        yield from enumerated_bindings(shown, self.folded.edges, count, rng)

    def binding_space(self) -> tuple[dict[Ref, list[Value]], list[Link]]:
        """Return the variables V of Algorithm 1 with their domains, and what ties them (line 4).

        A derived property, such as a price, has the values that the node's objects can show;
        properties of one node that do not vary independently are linked. That is what C_mini says
        of single nodes (line 5).
        """
        domains: dict[Ref, list[Value]] = {}
        links: list[Link] = []
        for node, domain in self.folded.domains.items():
            for names in domain.linked(self.folded.edge_properties(node)):
                shown = profiles(self.objects[node], names)
                refs = tuple((node, name) for name in names)
                for position, ref in enumerate(refs):
                    domains[ref] = sorted({profile[position] for profile in shown}, key=repr)
                if len(names) > 1:
                    links.append(Link(refs, frozenset(shown)))
        return domains, links

    def _objects(self, node: str, bindings: Sequence[Binding]) -> Columns:
        names = self.type_of(node).property_values
        chosen = [{name: binding[(node, name)] for name in names} for binding in bindings]
        return NodeDomain(node, self.type_of(node), ()).columns_of(chosen)

    def _node_links(self, node: str, constraints: Sequence[Constraint]) -> Iterator[Link]:
        for item in (*self.type_of(node).domain_constraints, *constraints):
            known = self._links.get((node, item.name))
            if known is None:
                known = self._links[(node, item.name)] = self._link(node, item)
            yield known

    def _link(self, node: str, item: Constraint) -> Link:
        """Say a constraint over a node's properties as the tuples of free properties it allows."""
        type_ = self.type_of(node)
        names = type_.free_inputs(*(name for _, name in item.refs))
        allowed = frozenset(
            tuple(chosen.values())
            for chosen in self._combinations(node, names)
            if item.holds({ref: type_.derive(ref[1], chosen) for ref in item.refs})
        )
        return Link(tuple((node, name) for name in names), allowed)

    def _pin(self, node: str, name: str, value: Value) -> Link:
        """Say that a derived property has a value as the tuples of its inputs that give it."""
        if (node, name) not in self._pins:
            refs, rows = self._derivation(node, name)
            given: dict[Value, set[tuple[Value, ...]]] = {}
            for *inputs, shown in rows:
                given.setdefault(shown, set()).add(tuple(inputs))
            self._pins[node, name] = {
                shown: Link(refs[:-1], frozenset(tuples)) for shown, tuples in given.items()
            }
        nothing = tuple((node, free) for free in self.type_of(node).free_inputs(name))
        return self._pins[node, name].get(value, Link(nothing, frozenset()))

    def _derivation(self, node: str, name: str) -> Link:
        """Return the tuples of a derived property's inputs, each followed by its value."""
        type_ = self.type_of(node)
        names = type_.free_inputs(name)
        tuples = frozenset(
            (*chosen.values(), type_.derive(name, chosen))
            for chosen in self._combinations(node, names)
        )
        return Link((*((node, free) for free in names), (node, name)), tuples)

    def _combinations(self, node: str, names: Sequence[str]) -> Iterator[dict[str, Value]]:
        domains = self.values[self.type_of(node).name]
        for values in product(*(domains[name] for name in names)):
            yield dict(zip(names, values, strict=True))


def build_listable_graph(folded: FoldedGraph, listing: int = LISTING) -> ListableGraph:
    """Return a task graph whose nodes have about `listing` node-valid objects at most.

    More are left where every domain that no constraint names is down to two values.
    """
    values = {name: dict(node_type.property_values) for name, node_type in folded.types.items()}
    named = {
        (folded.graph.type_of(node), name)
        for item in (*sum(folded.node_constraints.values(), ()), *folded.edges)
        for node, name in item.parameters
    }
    for node, domain in folded.domains.items():
        type_name = folded.graph.type_of(node)
        own = values[type_name]
        loose = [name for name in own if (type_name, name) not in named and len(own[name]) > 2]
        while loose:
            sizes = [len(set(allowed) & set(own[name])) for name, allowed in domain.allowed.items()]
            if prod(sizes) <= listing:
                break
            widest = max(loose, key=lambda name: len(own[name]))
            # About half of the values, evenly spaced, the first and the last among them.
            kept = _borne_out(domain, widest, own[widest])
            last, steps = len(kept) - 1, max(1, (len(own[widest]) - 1) // 2)
            own[widest] = tuple(dict.fromkeys(kept[n * last // steps] for n in range(steps + 1)))
            loose = [name for name in loose if len(own[name]) > 2]
    return ListableGraph(folded, values)


def _borne_out(domain: NodeDomain, name: str, values: Sequence[Value]) -> Sequence[Value]:
    """Return which values of a property some object has, by the constraints that speak of it."""
    rules = (*domain.type.domain_constraints, *domain.constraints)
    spoken = [tuple(one for _, one in rule.refs) for rule in rules]
    tied = dict.fromkeys(one for names in spoken if name in names for one in names)
    shown = set(domain.grid((name, *tied))[name].tolist())
    return [value for value in values if value in shown] or values
