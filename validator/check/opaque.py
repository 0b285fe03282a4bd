"""Functions of which nothing is known at first but what they give of constants, and that equal arguments give equal
results: products, quotients, arithmetic on floats. What is proved of these holds of the real ones."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import z3


class Opaque:
    """The functions that were used, each with what it really is."""

    def __init__(self) -> None:
        self._functions: dict[str, tuple[Any, Any]] = {}

    def apply(self, name: str, exact: Callable[..., Any], *args: Any) -> Any:
        """The function of that name on these arguments; `exact` is what it is, of arguments of these sorts."""
        if all(z3.is_bv_value(arg) or z3.is_fp_value(arg) for arg in args):
            value = z3.simplify(exact(*args))
            if z3.is_bv_value(value) or z3.is_fp_value(value) or z3.is_bool(value):
                return value
        if name not in self._functions:
            body = exact(*[z3.Var(i, arg.sort()) for i, arg in enumerate(args)])
            function = z3.Function(name, *[arg.sort() for arg in args], body.sort())
            self._functions[name] = function, body
        return self._functions[name][0](*args)

    def exactly(self, condition: Any) -> Any:
        """The condition, of what the functions are."""
        return z3.substitute_funs(condition, *self._functions.values()) if self._functions else condition


def ordered(a: Any, b: Any) -> tuple[Any, Any]:
    """Both in an order that is the same whatever theirs was, a constant behind what is none."""
    a_is, b_is = (z3.is_bv_value(one) or z3.is_fp_value(one) for one in (a, b))
    if a_is != b_is:
        return (b, a) if a_is else (a, b)
    return (a, b) if a.get_id() <= b.get_id() else (b, a)


def opaque(name: str, exact: Callable[..., Any], *, commutes: bool = False) -> Any:
    """The function of that name as a method of a domain that has some `opaque` ones."""
    return lambda domain, *args: domain.opaque.apply(name, exact, *(ordered(*args) if commutes else args))


def methods(*functions: Any) -> Any:
    """The functions as methods of a domain, which is none of their arguments."""
    return map(staticmethod, functions)
