"""The functions that guess constants of rules on terms, out of what is known of the values of the pattern's names.

A guess that is wrong costs a rewriting, not a proof: the conditions of the rule are what must hold.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from optimizer.ir.domains.bounds import Bounds, BoundsDomain
from optimizer.ir.rules.terms import Call, Constant, Literal, Primitive, Term, Variable


def _least(d: BoundsDomain, x: Bounds) -> int:
    return x.low


def _most(d: BoundsDomain, x: Bounds) -> int:
    return x.high


def _possible(d: BoundsDomain, x: Bounds) -> int:
    """The bits that may be 1."""
    return x.value | x.mask


def _sure(d: BoundsDomain, x: Bounds) -> int:
    """The bits that are 1."""
    return x.value


def _least_from(d: BoundsDomain, x: Bounds, limit: Bounds) -> int:
    """The least value of `x` that is `limit` or more."""
    above = d.between(limit.low, d.half - 1)
    met = above and d.meet(x, above)
    return 0 if met is None else met.low


def _most_below(d: BoundsDomain, x: Bounds, limit: Bounds) -> int:
    """The greatest value of `x` below `limit`."""
    below = d.between(-d.half, limit.low - 1)
    met = below and d.meet(x, below)
    return 0 if met is None else met.high


def divisor(multiplier: int, shift: int, width: int) -> int:
    """The d for which multiplying with the first and taking the high word of so many bits, shifted by the second,
    divides by d, if it does by any; 0 for a multiplier of 0."""
    by = multiplier & ((1 << width) - 1)
    return -(-(1 << width + shift) // by) if by else 0


def _divisor(d: BoundsDomain, multiplier: Bounds, shift: Bounds) -> int:
    return divisor(multiplier.low, (shift.low & d.full) % d.width, d.width)


HINTS: dict[str, tuple[int, Callable[..., int]]] = {
    "divisor": (2, _divisor),
    "least": (1, _least),
    "least_from": (2, _least_from),
    "most": (1, _most),
    "most_below": (2, _most_below),
    "possible": (1, _possible),
    "sure": (1, _sure),
}
"""The guesses by name: how many arguments, and what they give for bounds of these."""


def guess(term: Term, d: BoundsDomain, leaves: Mapping[str, Bounds]) -> Bounds | None:
    """The constant that a hint guesses of values with these bounds; None where that is none."""
    guessed = _bounds(term, d, leaves)
    return guessed if guessed.is_constant else None


def _bounds(term: Term, d: BoundsDomain, leaves: Mapping[str, Bounds]) -> Bounds:
    match term:
        case Variable(name) | Constant(name):
            return leaves[name]
        case Literal():
            return d.const(term.value(d.width))
        case Call(name, args):
            return d.const(HINTS[name][1](d, *(_bounds(arg, d, leaves) for arg in args)))
        case Primitive(name, args):
            bounds: Bounds = getattr(d, name)(*(_bounds(arg, d, leaves) for arg in args))
            return bounds
    raise TypeError(f"{term} does not stand in a hint")
