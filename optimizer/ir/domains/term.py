"""Terms: the nodes of the DAG that `optimizer.ir.domains.plain_terms` builds, and how to look at them."""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping, Sequence
from operator import attrgetter
from typing import Any

from optimizer.ir.domains.concrete import concrete


class Term:
    """A node. `kind` is a name of the vocabulary, or `var`, `const` or `truth`, whose `value` says which.

    `number` is the order in which terms were built, arguments first. Made by `PlainTerms` only; compared by identity.
    """

    __slots__ = ("args", "kind", "number", "value")

    def __init__(self, kind: str, args: tuple[Term, ...], value: Any, number: int) -> None:
        self.kind = kind
        self.args = args
        self.value = value
        self.number = number

    def __repr__(self) -> str:
        if not self.args:
            return str(self.value)
        return f"{self.kind}({', '.join(map(repr, self.args))})"


_number = attrgetter("number")


def cone(roots: Iterable[Term], without: Container[Term] = ()) -> list[Term]:
    """Every term that `roots` are built of, themselves included, arguments before their users; but none of those in
    `without`, nor what only they are built of."""
    found = cone_within(roots, without, None)
    assert found is not None
    return found


def missing(root: Term, known: Container[Term], most: int | None = None) -> Sequence[Term]:
    """The cone of a term without what is known, arguments before their users: most often the term alone, or it and
    leaves. Nothing of a larger one than so many terms."""
    found: list[Term] = []
    for arg in reversed(root.args):
        if arg not in known:
            if arg.args:
                return _missing(root, known, most)
            found.append(arg)
    found.append(root)
    return found


def _missing(root: Term, known: Container[Term], most: int | None) -> Sequence[Term]:
    found = {root}
    stack = list(root.args)
    while stack:
        term = stack.pop()
        if term not in found and term not in known:
            found.add(term)
            if most is not None and len(found) > most:
                return ()
            stack += term.args
    return sorted(found, key=_number)


def cone_within(roots: Iterable[Term], without: Container[Term], most: int | None) -> list[Term] | None:
    """The cone if it has no more than so many terms."""
    seen: set[Term] = set()
    order: list[Term] = []
    users: list[Term] = []
    stack: list[Term | None] = list(roots)
    while stack:
        term = stack.pop()
        if term is None:  # the arguments of the last of `users` are in order
            order.append(users.pop())
        elif term not in seen and term not in without:
            seen.add(term)
            if most is not None and len(seen) > most:
                return None
            if term.args:
                users.append(term)
                stack.append(None)
                for arg in term.args:
                    if arg not in seen and arg not in without:
                        stack.append(arg)
            else:
                order.append(term)
    return order


def evaluate(roots: Iterable[Term], values: Mapping[str, int], width: int) -> list[Any]:
    """The values of `roots` (int or bool) where each variable has the signed value given (0 where none is)."""
    wanted = list(roots)
    domain = concrete(width)
    known: dict[Term, Any] = {}
    for term in cone(wanted):
        if term.kind == "var":
            known[term] = values.get(term.value, 0)
        elif term.args:
            known[term] = getattr(domain, term.kind)(*[known[arg] for arg in term.args])
        else:
            known[term] = term.value
    return [known[root] for root in wanted]
