"""Programs made from other programs: constants moved to borders, statements removed, repeated, taken from another."""

from __future__ import annotations

import ast
import copy
from random import Random

from fuzz.draw.choices import Choices, RandomChoices
from fuzz.hunt.programs.program import Program

_MOST_EDITS = 4
_MOST_STATEMENTS = 40
"""In a function: what a run takes, and how far its numbers grow, is bounded by it."""

_BORDERS = tuple(
    sign * ((1 << bits) + offset) for bits in (31, 32, 62, 63, 64) for sign in (1, -1) for offset in (-1, 0, 1)
)
_MOVABLE = (ast.Add, ast.Sub, ast.BitAnd, ast.BitOr, ast.BitXor)


def mutated(program: Program, other: Program, seed: int) -> Program:
    """The program after a few edits; what it is spliced with is the other's. It ends by itself as they do."""
    choices = RandomChoices(Random(seed))
    tree, donor = ast.parse(program.source), ast.parse(other.source)
    for _ in range(choices.integer(1, _MOST_EDITS)):
        function = choices.pick(_functions(tree))
        choices.pick((_move_constant, _move_constant, _remove, _repeat, _splice, _splice))(choices, function, donor)
    _define(tree, donor)
    parts = tuple(sorted({*program.parts, *other.parts}))
    return Program(seed, ast.unparse(tree) + "\n", parts, program.is_portable and other.is_portable)


def _functions(tree: ast.Module) -> list[ast.FunctionDef]:
    """The functions with hot loops, which are those that are run."""
    calls = [node.value for node in tree.body if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call)]
    names = {call.args[0].id for call in calls if isinstance(call.args[0], ast.Name)}
    return [node for node in tree.body if isinstance(node, ast.FunctionDef) and node.name in names]


def _loop(function: ast.FunctionDef) -> ast.For | ast.While:
    return next(node for node in function.body if isinstance(node, ast.For | ast.While))


def _blocks(function: ast.FunctionDef) -> list[list[ast.stmt]]:
    """The lists of statements inside the loop."""
    loop = _loop(function)
    fields = [getattr(node, name, None) for node in ast.walk(loop) for name in ("body", "orelse", "finalbody")]
    return [field for field in fields if isinstance(field, list) and any(map(_is_movable, field))]


def _is_movable(statement: ast.stmt) -> bool:
    """Is it none of those that bound what the loop does? These are annotated."""
    return not isinstance(statement, ast.AnnAssign)


def _movable(choices: Choices, function: ast.FunctionDef) -> tuple[list[ast.stmt], int]:
    """A block, and the place of a statement in it."""
    block = choices.pick(_blocks(function))
    return block, choices.pick([place for place, each in enumerate(block) if _is_movable(each)])


def _move_constant(choices: Choices, function: ast.FunctionDef, _: ast.Module) -> None:
    """Puts a number at a border of machine integers in the place of another one, or one more or less."""
    found = [node for statement in _loop(function).body if _is_movable(statement) for node in _constants(statement)]
    if found:
        node = choices.pick(found)
        assert isinstance(node.value, int)
        node.value = choices.pick((node.value + 1, node.value - 1, choices.pick(_BORDERS), choices.integer(-9, 99)))


def _constants(node: ast.AST) -> list[ast.Constant]:
    """The numbers that may be any: no arguments, lengths, amounts of shifts, exponents."""
    if isinstance(node, ast.AnnAssign | ast.Call | ast.Subscript):
        return []
    children = list(ast.iter_child_nodes(node))
    if isinstance(node, ast.BinOp) and not isinstance(node.op, _MOVABLE):
        return []
    return [
        *(child for child in children if isinstance(child, ast.Constant) and type(child.value) is int),
        *(each for child in children for each in _constants(child)),
    ]


def _remove(choices: Choices, function: ast.FunctionDef, _: ast.Module) -> None:
    block, place = _movable(choices, function)
    block[place : place + 1] = [] if sum(map(_is_movable, block)) > 1 else [ast.Pass()]


def _repeat(choices: Choices, function: ast.FunctionDef, _: ast.Module) -> None:
    block, place = _movable(choices, function)
    _insert(function, block, place, block[place])


def _splice(choices: Choices, function: ast.FunctionDef, donor: ast.Module) -> None:
    """Puts a statement of the other program somewhere; variables that are not there are another of their type."""
    source = choices.pick(_functions(donor))
    block, place = _movable(choices, source)
    taken = copy.deepcopy(block[place])
    names = [argument.arg for argument in function.args.args]
    for node in ast.walk(taken):
        if isinstance(node, ast.Name) and node.id not in names and node.id[-1].isdigit() and node.id[0] != "v":
            alike = [name for name in names if name[0] == node.id[0]]
            node.id = choices.pick(alike) if alike else node.id
    block, place = _movable(choices, function)
    _insert(function, block, place, taken)


def _insert(function: ast.FunctionDef, block: list[ast.stmt], place: int, statement: ast.stmt) -> None:
    size = sum(isinstance(node, ast.stmt) for root in (function, statement) for node in ast.walk(root))
    if size <= _MOST_STATEMENTS:
        block.insert(place, copy.deepcopy(statement))


def _define(tree: ast.Module, donor: ast.Module) -> None:
    """Definitions that only the other program has, in front of the first function."""
    first = next(place for place, node in enumerate(tree.body) if node in _functions(tree))
    known = {ast.unparse(node) for node in tree.body[:first]}
    theirs = _functions(donor)
    added = [
        node
        for node in donor.body
        if node not in theirs and not isinstance(node, ast.Expr) and ast.unparse(node) not in known
    ]
    tree.body[first:first] = added
