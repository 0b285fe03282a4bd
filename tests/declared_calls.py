"""Declarations of calls that tests share, as text between the `+++` of a trace."""

from __future__ import annotations

import json

_FUNCTIONS = {
    "hash": {"result": "int", "elidable": True, "can_raise": True},
    "quiet": {"result": "int", "elidable": True},
    "find": {"result": "ref", "elidable": True},
    "half": {"result": "float", "elidable": True},
    "sqrt": {"result": "float", "elidable": True, "oopspec": "math_sqrt"},
    "div": {"result": "int", "elidable": True, "oopspec": "int_py_div"},
    "mod": {"result": "int", "elidable": True, "oopspec": "int_py_mod"},
    "udiv": {"result": "int", "elidable": True, "oopspec": "int_udiv"},
    "raising_div": {"result": "int", "elidable": True, "can_raise": True, "oopspec": "int_py_div"},
    "local": {"result": "int", "oopspec": "threadlocalref_get"},
    "once": {"result": "int", "loop_invariant": True, "can_raise": True},
    "calm_once": {"result": "int", "loop_invariant": True},
}


def functions(names: str, results: dict[str, tuple[int, int]] | None = None) -> str:
    """The functions of these names, for some of which it is known what they give for one argument."""
    return "".join(_call(name, _FUNCTIONS[name]) + _known(*(results or {}).get(name, ())) for name in names.split())


def event(name: str, *, reads: str = "", writes: str = "", result: str = "void", **more: object) -> str:
    """An event that reads and writes no more than these fields, items or bytes."""
    return _call(name, {"result": result, **more, "reads": reads.split(), "writes": writes.split()})


def array_copies(items: str = "Ints") -> str:
    """`copy` between arrays and `move` within one."""
    return "".join(event(name, reads=items, writes=items, oopspec=f"array{name}") for name in ("copy", "move"))


def _call(name: str, declared: dict[str, object]) -> str:
    return f"[call.{name}]\n" + "".join(f"{key} = {json.dumps(value)}\n" for key, value in declared.items())


def _known(*result: int) -> str:
    return "results = [ {{ args = [{}], value = {} }} ]\n".format(*result) if result else ""
