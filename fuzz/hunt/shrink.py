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
from functools import cache

Shows = Callable[[str], bool]
Edit = Callable[[ast.Module], bool]
"""Changes a tree, if it can be changed so."""

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
    start, kept = 0, False
    while clock() < end:
        for number, edit in enumerate(edits(best)):
            if number < start:
                continue
            if clock() >= end:
                break
            tree = copy.deepcopy(best)
            if edit(tree) and _size(tree) < _size(best) and _shown(tree, shows):
                best, start, kept = tree, number, True
                break
        else:
            return best, kept
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


def _lists(tree: ast.Module) -> list[tuple[ast.AST, str]]:
    """The places of lists of statements, in an order that stays when one of them changes behind it."""
    return [(node, name) for node in ast.walk(tree) for name in _BODIES if isinstance(getattr(node, name, None), list)]


def _drop_statements(tree: ast.Module) -> Iterator[Edit]:
    for place, (node, name) in enumerate(_lists(tree)):
        length = len(getattr(node, name))
        size = length
        while size:
            yield from (_drop(place, start, size) for start in range(0, length, size))
            size //= 2


def _drop(place: int, start: int, size: int) -> Edit:
    def edit(tree: ast.Module) -> bool:
        node, name = _lists(tree)[place]
        held = getattr(node, name)
        left = [*held[:start], *held[start + size :]]
        if not left and name == "body":
            left = [ast.Pass()]
        setattr(node, name, left)
        return True

    return edit


def _unwrap(tree: ast.Module) -> Iterator[Edit]:
    """Puts what is in a statement in its place, be it an expression."""
    for place, (node, name) in enumerate(_lists(tree)):
        for number, statement in enumerate(getattr(node, name)):
            parts = [part for part in (*_BODIES, "value") if getattr(statement, part, None)]
            if not isinstance(statement, ast.Expr):
                yield from (_lift(place, number, part) for part in parts)


def _lift(place: int, number: int, part: str) -> Edit:
    def edit(tree: ast.Module) -> bool:
        node, name = _lists(tree)[place]
        held = getattr(node, name)
        inner = getattr(held[number], part)
        if part == "handlers":
            inner = inner[0].body
        elif part == "value":
            inner = [ast.Expr(inner)]
        held[number : number + 1] = inner
        return True

    return edit


def _fields(tree: ast.Module) -> list[tuple[ast.AST, str, int | None]]:
    """The places of expressions."""
    found: list[tuple[ast.AST, str, int | None]] = []
    for node in ast.walk(tree):
        for name, value in ast.iter_fields(node):
            if isinstance(value, ast.expr):
                found.append((node, name, None))
            elif isinstance(value, list):
                found += [(node, name, n) for n, one in enumerate(value) if isinstance(one, ast.expr)]
    return found


def _simplify(tree: ast.Module) -> Iterator[Edit]:
    """Puts a part of an expression, or a simple constant, in its place; leaves parts of lists of expressions out."""
    for place, (node, name, number) in enumerate(_fields(tree)):
        expression = getattr(node, name) if number is None else getattr(node, name)[number]
        if number is not None:
            yield _replace(place, None)
        yield from (_replace(place, part) for part in ast.iter_child_nodes(expression) if isinstance(part, ast.expr))
        yield from (_replace(place, ast.Constant(value)) for value in _constants(expression))


def _constants(expression: ast.expr) -> tuple[int | float | str | bytes, ...]:
    if isinstance(expression, ast.Constant):
        return _SIMPLER.get(type(expression.value), ())
    return () if isinstance(getattr(expression, "ctx", None), ast.Store | ast.Del) else (0,)


def _replace(place: int, new: ast.expr | None) -> Edit:
    def edit(tree: ast.Module) -> bool:
        node, name, number = _fields(tree)[place]
        if number is None:
            setattr(node, name, new)
        elif new is None:
            del getattr(node, name)[number]
        else:
            getattr(node, name)[number] = new
        return True

    return edit
