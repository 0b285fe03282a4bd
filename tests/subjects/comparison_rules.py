"""Comparisons that ranges decide, and simpler ones."""

from __future__ import annotations

from integers import COMPARED, UNSIGNED, Range
from planted import faulty
from trace_text import number
from value_facts import Answer, Facts, constant_operation, is_bool

SWAPPED = {"lt": "gt", "le": "ge", "gt": "lt", "ge": "le"}
OPPOSITE = {
    "int_lt": "int_ge", "int_le": "int_gt", "int_gt": "int_le", "int_ge": "int_lt", "int_eq": "int_ne",
    "int_ne": "int_eq", "uint_lt": "uint_ge", "uint_le": "uint_gt", "uint_gt": "uint_le", "uint_ge": "uint_lt",
    "int_is_zero": "int_is_true", "int_is_true": "int_is_zero",
}  # fmt: skip


def is_true(args: list[str], facts: Facts) -> Answer:
    if is_bool(args[0], facts):
        return args[0]
    low, high = facts.range(args[0])
    return "1" if low > 0 or high < 0 else None


def is_zero(args: list[str], facts: Facts) -> Answer:
    low, high = facts.range(args[0])
    if low > 0 or high < 0:
        return "0"
    producer = facts.producer(args[0])
    return (OPPOSITE[producer[0]], producer[1]) if producer and producer[0] in OPPOSITE else None


def comparison(name: str, args: list[str], facts: Facts) -> Answer:
    x, y = args
    kind = name.rpartition("_")[2]
    if x == y:
        return "1" if kind in ("le", "ge", "eq") else "0"
    if number(x) is not None or (kind in ("gt", "ge") and number(y) is None):
        return name[:-2] + SWAPPED.get(kind, kind), [y, x]
    if name in UNSIGNED:
        return _unsigned(name, args, facts)
    decided = _decided(kind, facts.range(x), facts.range(y))
    if decided is not None:
        return str(decided)
    if is_bool(x, facts) and number(y) is not None:
        return x if COMPARED[name](1, int(y)) else ("int_is_zero", [x])
    return _moved_sum(name, x, y, facts)


def _unsigned(name: str, args: list[str], facts: Facts) -> Answer:
    """As a signed one, where both sides are of one sign."""
    signs = {facts.range(value)[0] >= 0 for value in args}
    if all(facts.range(value)[0] >= 0 or facts.range(value)[1] < 0 for value in args):
        if len(signs) == 1:
            return UNSIGNED[name], args
        return str(int((facts.range(args[0])[0] >= 0) == (name in ("uint_lt", "uint_le"))))
    if number(args[1]) == 0 and name == "uint_gt":
        return "int_is_true", args[:1]
    if faulty("unsigned comparison by signed ranges"):
        decided = _decided(name.rpartition("_")[2], facts.range(args[0]), facts.range(args[1]))
        return None if decided is None else str(decided)
    return None


def _decided(kind: str, a: Range, b: Range) -> int | None:
    match kind:
        case "lt":
            return 1 if a[1] < b[0] else 0 if a[0] >= b[1] else None
        case "le":
            return 1 if a[1] <= b[0] else 0 if a[0] > b[1] else None
        case "gt":
            return _decided("lt", b, a)
        case "ge":
            return _decided("le", b, a)
    apart = a[1] < b[0] or b[1] < a[0]
    return int(kind == "ne") if apart else None


def _moved_sum(name: str, x: str, y: str, facts: Facts) -> Answer:
    """`x + C < D` is `x < D - C` where neither wraps; for an equation it does not matter."""
    inner, constant = constant_operation("int_add", x, facts), number(y)
    if inner is None or constant is None:
        return None
    moved = constant - inner[1]
    if name in ("int_eq", "int_ne"):
        return name, [inner[0], str(facts.machine.wrap(moved))]
    low, high = facts.range(inner[0])
    wraps = not facts.machine.is_in(low + inner[1], high + inner[1]) and not faulty("sum moved over a comparison")
    return None if wraps or not facts.machine.is_in(moved) else (name, [inner[0], str(moved)])
