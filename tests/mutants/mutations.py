"""The mutants of a module: cosmic-ray's operators, and six of our own where it has none.

A mutant is one change of one place. Of each operator of cosmic-ray's those partners are taken that
people mistake for one another; to put `%` or `>>` where `+` stood tells a test nothing that `-`
does not.
"""

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from itertools import accumulate, pairwise
from pathlib import Path
from typing import ClassVar

from cosmic_ray.ast import ast_nodes, get_ast
from cosmic_ray.operators.operator import Operator
from cosmic_ray.operators.provider import OperatorProvider
from parso.python.tree import Name
from parso.tree import NodeOrLeaf

ROOT = Path(__file__).resolve().parents[2]

CHOSEN = (
    *("ReplaceTrueWithFalse", "ReplaceFalseWithTrue", "NumberReplacer"),
    *("ReplaceBreakWithContinue", "ReplaceContinueWithBreak", "ZeroIterationForLoop"),
    *(f"ReplaceComparisonOperator_{pair}" for pair in ("Lt_LtE", "LtE_Lt", "Gt_GtE", "GtE_Gt")),
    *(
        f"ReplaceBinaryOperator_{pair}"
        for pair in (
            *("Add_Sub", "Sub_Add", "Mul_Add", "Div_Mul", "FloorDiv_Mul", "Mod_Add"),
            *("BitOr_BitAnd", "BitAnd_BitOr"),
        )
    ),
)
"""Operators of cosmic-ray's that are applied."""


def _leaf(node: NodeOrLeaf, code: str) -> NodeOrLeaf:
    """Return what stands for a node, with the blanks before it."""
    return Name(code, node.start_pos, node.get_first_leaf().prefix)


class _OwnOperator(Operator):  # type: ignore[misc]
    """An operator that replaces one child of a node; `places` yields which, and by what code."""

    def places(self, node):
        raise NotImplementedError

    def mutation_positions(self, node):
        for child, _ in self.places(node):
            yield child.start_pos, child.end_pos

    def mutate(self, node, index):
        child, code = list(self.places(node))[index]
        if child is node:
            return _leaf(node, code)
        node.children[node.children.index(child)] = _leaf(child, code)
        return node

    @classmethod
    def examples(cls):
        return ()


_EMPTY = frozenset({'""', "()", "{}", "[]", "0"})


class DropOperand(_OwnOperator):
    """Leaves out one operand of `and` or `or`: `a and b` becomes `a and True`."""

    NEUTRAL: ClassVar = {"and_test": "True", "or_test": "False"}

    def places(self, node):
        if node.type in self.NEUTRAL:
            for operand in node.children[::2]:
                if operand.get_code().strip() not in _EMPTY:  # `name or ""` narrows a type
                    yield operand, self.NEUTRAL[node.type]


class SettleCondition(_OwnOperator):
    """Lets a condition always hold, and never.

    Of `and` and `or` only one of the two: a test that misses each operand misses the other as well.
    """

    def places(self, node):
        for condition in self._conditions(node):
            if condition.type != "and_test":
                yield condition, "True"
            if condition.type != "or_test":
                yield condition, "False"

    @staticmethod
    def _conditions(node):
        if node.type in ("if_stmt", "while_stmt"):
            pairs = pairwise(node.children)
            yield from (one for word, one in pairs if word.get_code().strip() in _CONDITIONAL)
        elif node.type == "comp_if":
            yield node.children[1]
        elif node.type == "test":
            yield node.children[2]


_CONDITIONAL = frozenset({"if", "elif", "while"})


class Negate(_OwnOperator):
    """Negates a comparison; in a condition or as an operand the two operators before say more."""

    OUTER: ClassVar = frozenset({"if_stmt", "while_stmt", "comp_if", "and_test", "or_test"})

    def places(self, node):
        if node.type == "comparison" and not self._is_settled(node):
            yield node, f"(not ({node.get_code().strip()}))"

    def _is_settled(self, node):
        outer = node.parent
        while outer.type in ("not_test", "atom"):
            node, outer = outer, outer.parent
        if outer.type == "test":
            return outer.children[2] is node
        return outer.type in self.OUTER


class DropMinus(_OwnOperator):
    """Leaves out a minus sign, or a `~`."""

    def places(self, node):
        if node.type == "factor":
            yield node, node.children[1].get_code().strip()


class DropStatement(_OwnOperator):
    """Leaves out a statement that is a call, an addition in place, `continue` or `return`."""

    def places(self, node):
        if node.type == "simple_stmt":
            first = node.children[0]
            is_call = first.type == "atom_expr" and first.children[-1].get_code().startswith("(")
            is_added = (
                first.type == "expr_stmt" and first.children[1].get_code().strip() in _IN_PLACE
            )
            is_early = first.type == "continue_stmt" or first.get_code().strip() == "continue"
            if is_call or is_added or is_early:
                yield first, "pass"


_IN_PLACE = frozenset({"+=", "-=", "|=", "&="})


class DropElement(_OwnOperator):
    """Leaves out an element of what is returned, of a set, or of a tuple something is in."""

    def places(self, node):
        if node.type not in ("testlist", "testlist_star_expr", "testlist_comp", "dictorsetmaker"):
            return
        elements = node.children[::2]
        is_plain = all(comma.get_code().strip() == "," for comma in node.children[1::2])
        if not is_plain or len(elements) < 2 or not self._is_collection(node):
            return
        for element in elements:
            others = ", ".join(one.get_code().strip() for one in elements if one is not element)
            yield node, f"{others},"

    @staticmethod
    def _is_collection(node):
        if node.type.startswith("testlist") and node.parent.type != "atom":
            return node.parent.type == "return_stmt"
        outer = node.parent.parent
        is_asked = outer.type == "comparison" and outer.children[-1] is node.parent
        return node.parent.children[0].value == "{" or bool(is_asked)


@dataclass(frozen=True)
class Mutant:
    """A module with one change; `definition` is where, `before` and `after` the lines changed.

    `span` is how many lines there were before.
    """

    path: str
    definition: str
    line: int
    before: str
    after: str
    source: str
    span: int = 1

    @property
    def module(self) -> str:
        """Its dotted name."""
        return self.path.removesuffix(".py").removesuffix("/__init__").replace("/", ".")

    @property
    def key(self) -> str:
        """What it is called: the same as long as its definition has these lines."""
        return f"{self.path} {self.definition}: {self.before} -> {self.after}"

    @cached_property
    def digest(self) -> str:
        """Tells its source from any other."""
        return sha256(f"{self.path}\n{self.source}".encode()).hexdigest()[:16]


def mutants_of(path: str) -> list[Mutant]:
    """Return the mutants of a module, each once, those that Python reads as something else."""
    source = (ROOT / path).read_text("utf-8")
    quiet, seen = _quiet_lines(source), {_form(source)}
    found = []
    provider = OperatorProvider()
    own = (DropOperand, SettleCondition, Negate, DropMinus, DropStatement, DropElement)
    nodes = list(ast_nodes(get_ast(source)))
    for kind in (*(provider[name] for name in CHOSEN), *own):
        for line, changed in _changes(source, nodes, kind()):
            if line in quiet:
                continue
            try:
                form = _form(changed)
            except SyntaxError:
                continue
            if form not in seen:
                seen.add(form)
                found.append(_described(path, source, changed, line))
    if nodes[0].get_code() != source:
        raise AssertionError(f"an operator left a change behind in {path}")
    return sorted(found, key=lambda one: (one.line, one.after))


def _changes(
    source: str, nodes: Sequence[NodeOrLeaf], operator: Operator
) -> Iterator[tuple[int, str]]:
    """Yield the line and the whole source of each change that an operator makes.

    A node is changed and mended again, for to parse a module for each of its mutants takes longer.
    """
    lines = list(accumulate(map(len, source.splitlines(keepends=True)), initial=0))
    for node in nodes:
        places = list(operator.mutation_positions(node))
        first, last = node.get_start_pos_of_prefix(), node.end_pos
        before = source[: lines[first[0] - 1] + first[1]]
        after = source[lines[last[0] - 1] + last[1] :]
        for index, (start, _) in enumerate(places):
            kept = {
                name: getattr(node, name) for name in ("children", "value") if hasattr(node, name)
            }
            if "children" in kept:
                kept["children"] = list(kept["children"])
            changed = operator.mutate(node, index).get_code()
            for name, value in kept.items():
                setattr(node, name, value)
            yield start[0], f"{before}{changed}{after}"


class _Plain(ast.NodeTransformer):
    """Writes `not a == b` as `a != b`, and takes annotations out."""

    INVERSE: ClassVar = {
        ast.Eq: ast.NotEq,
        ast.Is: ast.IsNot,
        ast.In: ast.NotIn,
        ast.Lt: ast.GtE,
        ast.Gt: ast.LtE,
    }
    INVERSE |= {new: old for old, new in INVERSE.items()}

    def visit_UnaryOp(self, node):
        self.generic_visit(node)
        inner = node.operand
        if isinstance(node.op, ast.Not) and isinstance(inner, ast.Compare) and len(inner.ops) == 1:
            return ast.Compare(inner.left, [self.INVERSE[type(inner.ops[0])]()], inner.comparators)
        is_double = isinstance(inner, ast.UnaryOp) and isinstance(inner.op, ast.Not)
        return inner.operand if isinstance(node.op, ast.Not) and is_double else node

    def visit_arg(self, node):
        return ast.arg(node.arg)

    def visit_FunctionDef(self, node):
        self.generic_visit(node)
        node.returns = None
        return node

    def visit_AnnAssign(self, node):
        self.generic_visit(node)
        node.annotation = ast.Constant(None)
        return node


def _form(source: str) -> str:
    """Return what a source means, so that two ways of writing one change are one mutant."""
    return ast.dump(_Plain().visit(ast.parse(source)))


def _quiet_lines(source: str) -> set[int]:
    """Return the lines in which nothing is decided: imports, and how things are kept."""
    quiet: set[int] = set()
    for node in ast.walk(ast.parse(source)):
        spans: list[ast.stmt | ast.expr] = []
        if isinstance(node, (ast.ClassDef, ast.FunctionDef)):
            spans = [one for one in node.decorator_list if _is_wrapping(one)]
        elif isinstance(node, (ast.Import, ast.ImportFrom)):
            spans = [node]
        for span in spans:
            quiet |= set(range(span.lineno, (span.end_lineno or span.lineno) + 1))
    return quiet


def _is_wrapping(decorator: ast.expr) -> bool:
    """Tell whether a decorator only says how something is kept: as a record, or in a cache."""
    return ast.unparse(decorator).partition("(")[0] in {"dataclass", "cache", "lru_cache"}


def _described(path: str, source: str, changed: str, line: int) -> Mutant:
    old, new = source.splitlines(), changed.splitlines()
    first = next(
        (at for at, pair in enumerate(zip(old, new, strict=False)) if pair[0] != pair[1]), line - 1
    )
    last = 1
    while last <= min(len(old), len(new)) - first and old[-last] == new[-last]:
        last += 1
    before = " ".join(one.strip() for one in old[first : len(old) - last + 1])
    after = " ".join(one.strip() for one in new[first : len(new) - last + 1])
    span = max(1, len(old) - last + 1 - first)
    return Mutant(path, _definition(source, line), first + 1, before, after, changed, span)


def _definition(source: str, line: int) -> str:
    """Return the qualified name of what stands around a line, or `(module)`."""
    names = []
    body: list[ast.stmt] = ast.parse(source).body
    while True:
        for node in body:
            if not isinstance(node, (ast.ClassDef, ast.FunctionDef)):
                continue
            if node.lineno <= line <= (node.end_lineno or 0):
                names.append(node.name)
                body = node.body
                break
        else:
            return ".".join(names) or "(module)"


def chosen(mutants: list[Mutant], sample: int | None, seed: int) -> Iterator[Mutant]:
    """Yield the mutants of a sample, or all: the same ones for a seed wherever they stand."""
    drawn = sorted(mutants, key=lambda one: sha256(f"{seed} {one.key}".encode()).digest())
    return iter(drawn[:sample] if sample is not None else mutants)
