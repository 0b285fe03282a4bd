"""The smallest program that still shows the same failure: after Zeller and Hildebrandt's delta debugging, on Python's
syntax trees. Statements go first, many at once; then what stands around others; then expressions and constants.

ShrinkRay does so for any language; it needs a newer Python than traceproof does.
"""

from __future__ import annotations

import ast
import copy
import time
import warnings
from collections.abc import Callable, Iterator
from functools import cache, partial
from itertools import islice
from typing import Any

Shows = Callable[[str], bool]
Edit = Callable[[], None]
"""Changes the tree that it was listed for."""

_SIMPLER = {int: (0, 1, 2), float: (0.0, 1.0), str: ("", "a"), bytes: (b"", b"a")}
_BODIES = ("body", "orelse", "handlers", "finalbody")


def shrink(source: str, shows: Shows, seconds: float, clock: Callable[[], float] = time.monotonic) -> str:
    """A program that is no larger and `shows` what the given one does, found in about so many seconds."""
    end = clock() + seconds
    shows = cache(shows)  # rounds come to the same programs
    best = ast.parse(source)
    if not _shown(best, shows):  # as the tree is written, comments are lost
        return source
    changed = True
    while changed and clock() < end:
        changed = False
        for edits in (_drop_statements, _unwrap, _simplify):
            best, any_kept = _apply(edits, best, shows, end, clock)
            changed |= any_kept
    return ast.unparse(best) + "\n"


def _apply(
    edits: Callable[[ast.Module], Iterator[Edit]],
    best: ast.Module,
    shows: Shows,
    end: float,
    clock: Callable[[], float],
) -> tuple[ast.Module, bool]:
    """The best tree that edits of one kind lead to, and whether there is one. Behind one that was kept they are listed
    anew, from about where it stood."""
    number, kept = 0, False
    while clock() < end:
        tree = copy.deepcopy(best)
        edit = next(islice(edits(tree), number, None), None)
        if edit is None:
            break
        edit()
        if _size(tree) < _size(best) and _shown(tree, shows):
            best, kept = tree, True
        else:
            number += 1
    return best, kept


def _shown(tree: ast.Module, shows: Shows) -> bool:
    try:
        source = ast.unparse(ast.fix_missing_locations(tree)) + "\n"
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            compile(source, "program.py", "exec")
    except (SyntaxError, ValueError, RecursionError):
        return False
    return shows(source)


def _size(tree: ast.Module) -> tuple[int, int]:
    """Each edit makes it smaller, so that there is an end."""
    nodes = list(ast.walk(tree))
    statements = sum(isinstance(node, ast.stmt) and not isinstance(node, ast.Expr | ast.Pass) for node in nodes)
    return len(nodes) + statements, sum(_weight(node.value) for node in nodes if isinstance(node, ast.Constant))


def _weight(value: object) -> int:
    is_plain = type(value) in _SIMPLER and value in _SIMPLER[type(value)]
    return _SIMPLER[type(value)].index(value) if is_plain else 3 + len(repr(value))


def _lists(tree: ast.Module) -> list[tuple[str, list[Any]]]:
    """The lists of statements, with their names, in an order that stays when one of them changes behind it."""
    held = [(name, getattr(node, name, None)) for node in ast.walk(tree) for name in _BODIES]
    return [(name, statements) for name, statements in held if isinstance(statements, list)]


def _drop_statements(tree: ast.Module) -> Iterator[Edit]:
    for name, held in _lists(tree):
        size = length = len(held)
        while size:
            yield from (partial(_drop, name, held, start, size) for start in range(0, length, size))
            size //= 2


def _drop(name: str, held: list[Any], start: int, size: int) -> None:
    del held[start : start + size]
    if not held and name == "body":
        held.append(ast.Pass())


def _unwrap(tree: ast.Module) -> Iterator[Edit]:
    """Puts what is in a statement in its place, be it an expression."""
    for _, held in _lists(tree):
        for number, statement in enumerate(held):
            parts = [part for part in (*_BODIES, "value") if getattr(statement, part, None)]
            if not isinstance(statement, ast.Expr):
                yield from (partial(_lift, held, number, part) for part in parts)


def _lift(held: list[Any], number: int, part: str) -> None:
    inner = getattr(held[number], part)
    if part == "handlers":
        inner = inner[0].body
    elif part == "value":
        inner = [ast.Expr(inner)]
    held[number : number + 1] = inner


def _simplify(tree: ast.Module) -> Iterator[Edit]:
    """Puts a part of an expression, or a simple constant, in its place; leaves parts of lists of expressions out."""
    for node in ast.walk(tree):
        for name, value in ast.iter_fields(node):
            if isinstance(value, ast.expr):
                yield from (partial(setattr, node, name, one) for one in _simpler(value))
            elif isinstance(value, list):
                for number, expression in enumerate(value):
                    if isinstance(expression, ast.expr):
                        yield partial(value.__delitem__, number)
                        yield from (partial(value.__setitem__, number, one) for one in _simpler(expression))


def _simpler(expression: ast.expr) -> list[ast.expr]:
    parts = (part for part in ast.iter_child_nodes(expression) if isinstance(part, ast.expr))
    return [*parts, *map(ast.Constant, _constants(expression))]


def _constants(expression: ast.expr) -> tuple[int | float | str | bytes, ...]:
    if isinstance(expression, ast.Constant):
        return _SIMPLER.get(type(expression.value), ())
    return () if isinstance(getattr(expression, "ctx", None), ast.Store | ast.Del) else (0,)
