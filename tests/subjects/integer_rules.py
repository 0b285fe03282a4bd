"""Algebraic identities and strength reduction of machine ints, one operation at a time."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from integers import COMPARED, SHIFTS, UNSIGNED, Machine, Range
from planted import faulty
from trace_text import number

Call = tuple[str, list[str]]
Answer = str | Call | None

SWAPPED = {"lt": "gt", "le": "ge", "gt": "lt", "ge": "le"}
OPPOSITE = {
    "int_lt": "int_ge", "int_le": "int_gt", "int_gt": "int_le", "int_ge": "int_lt", "int_eq": "int_ne",
    "int_ne": "int_eq", "uint_lt": "uint_ge", "uint_le": "uint_gt", "uint_gt": "uint_le", "uint_ge": "uint_lt",
    "int_is_zero": "int_is_true", "int_is_true": "int_is_zero",
}  # fmt: skip


class Facts(Protocol):
    """What is known where the operation stands."""

    machine: Machine

    def range(self, value: str) -> Range: ...

    def possible_bits(self, value: str) -> int:
        """All bits but those that are 0 for certain."""

    def producer(self, value: str) -> Call | None: ...


def simplify(name: str, args: list[str], facts: Facts) -> Answer:
    """A value or a call that gives the same, None if there is nothing better."""
    if name in COMPARED or name in UNSIGNED:
        return _comparison(name, args, facts)
    rule = _RULES.get(name)
    return rule(args, facts) if rule else None


def _power(value: str, machine: Machine) -> int | None:
    """The exponent, if the value is a power of two."""
    constant = number(value)
    if constant is None:
        return None
    unsigned = constant & machine.ones
    return unsigned.bit_length() - 1 if unsigned and not unsigned & (unsigned - 1) else None


def _is_bool(value: str, facts: Facts) -> bool:
    low, high = facts.range(value)
    return low >= 0 and high <= 1


def _inner(name: str, value: str, facts: Facts) -> tuple[str, int] | None:
    """The first argument and the constant of that operation, if the value is made by one with a constant."""
    producer = facts.producer(value)
    if producer is None or producer[0] != name:
        return None
    constant = number(producer[1][1])
    return None if constant is None else (producer[1][0], constant)


def _same_as(args: list[str], _: Facts) -> Answer:
    return args[0]


def _add(args: list[str], facts: Facts) -> Answer:
    x, y = args
    constant = number(y)
    if constant == 0:
        return x
    if number(x) is not None:
        return "int_add", [y, x]
    inner = _inner("int_add", x, facts)
    if constant is not None and inner:
        return "int_add", [inner[0], str(facts.machine.wrap(inner[1] + constant))]
    return ("int_lshift", [x, "1"]) if x == y else None


def _sub(args: list[str], facts: Facts) -> Answer:
    x, y = args
    constant = number(y)
    if x == y:
        return "0"
    if constant is not None:
        return "int_add", [x, str(facts.machine.wrap(-constant))]
    if number(x) == 0:
        return "int_neg", [y]
    producer = facts.producer(x)
    if producer and producer[0] == "int_add" and y in producer[1]:
        return producer[1][1 - producer[1].index(y)]
    return None


def _mul(args: list[str], facts: Facts) -> Answer:
    x, y = args
    if number(x) is not None:
        return "int_mul", [y, x]
    if number(y) == 0:
        return "0"
    if number(y) == -1:
        return "int_neg", [x]
    power = _power(y, facts.machine)
    return None if power is None else ("int_lshift", [x, str(power)])


def _mul_high(args: list[str], facts: Facts) -> Answer:
    x, y = args
    if number(x) is not None:
        return "uint_mul_high", [y, x]
    power = _power(y, facts.machine)
    if number(y) == 0 or power == 0:
        return "0"
    return None if power is None else ("uint_rshift", [x, str(facts.machine.word - power)])


def _and(args: list[str], facts: Facts) -> Answer:
    x, y = args
    constant = number(y)
    if x == y:
        return x
    if number(x) is not None:
        return "int_and", [y, x]
    if not facts.possible_bits(x) & facts.possible_bits(y):
        return "0"
    if constant is None:
        return None
    if faulty("mask by size") and constant >= 0 and facts.range(x)[0] >= 0 and facts.range(x)[1] <= constant:
        return x
    if not facts.possible_bits(x) & ~(constant & facts.machine.ones):
        return x
    inner = _inner("int_and", x, facts)
    return ("int_and", [inner[0], str(inner[1] & constant)]) if inner else None


def _or(args: list[str], _: Facts) -> Answer:
    x, y = args
    if x == y or number(y) == 0:
        return x
    if number(y) == -1:
        return "-1"
    return ("int_or", [y, x]) if number(x) is not None else None


def _xor(args: list[str], _: Facts) -> Answer:
    x, y = args
    if x == y:
        return "0"
    if number(y) == 0:
        return x
    if number(y) == -1:
        return "int_invert", [x]
    return ("int_xor", [y, x]) if number(x) is not None else None


def _involution(name: str) -> Callable[[list[str], Facts], Answer]:
    def rule(args: list[str], facts: Facts) -> Answer:
        producer = facts.producer(args[0])
        return producer[1][0] if producer and producer[0] == name else None

    return rule


def _shift(name: str) -> Callable[[list[str], Facts], Answer]:
    def rule(args: list[str], facts: Facts) -> Answer:
        x, by = args[0], number(args[1])
        if by == 0 or number(x) == 0:
            return x
        inner = _inner(name, x, facts)
        if by is None or inner is None or not (0 <= by < facts.machine.word and 0 <= inner[1] < facts.machine.word):
            return _of_other_shift(name, x, by, facts)
        return _shifted_twice(name, inner[0], inner[1] + by, facts.machine.word)

    return rule


def _shifted_twice(name: str, x: str, by: int, word: int) -> Answer:
    if by < word:
        return name, [x, str(by)]
    if name == "int_lshift" and faulty("left shifts added modulo the word"):
        return name, [x, str(by % word)]
    if name == "int_rshift" and not faulty("sign shifted out"):
        return name, [x, str(word - 1)]
    return "0"


def _of_other_shift(name: str, x: str, by: int | None, facts: Facts) -> Answer:
    """A shift to the right of one to the left by as much."""
    inner = _inner("int_lshift", x, facts)
    if name == "int_lshift" or inner is None or inner[1] != by or not 0 < by < facts.machine.word:
        return None
    if name == "uint_rshift":
        return "int_and", [inner[0], str(facts.machine.ones >> by)]
    low, high = facts.range(inner[0])
    return inner[0] if facts.machine.is_in(low << by, high << by) else None


def _division(name: str) -> Callable[[list[str], Facts], Answer]:
    def rule(args: list[str], facts: Facts) -> Answer:
        x, divisor = args[0], number(args[1])
        if divisor == 1:
            return x
        if divisor == -1 and name != "uint_floordiv":
            return "int_neg", [x]
        power = _power(args[1], facts.machine)
        if power is None or (divisor or 0) < 0:
            return None
        return _quotient_of_power(name, x, power, facts)

    return rule


def _quotient_of_power(name: str, x: str, power: int, facts: Facts) -> Answer:
    if name == "uint_floordiv":
        return ("int_rshift" if faulty("unsigned quotient by signed shift") else "uint_rshift"), [x, str(power)]
    if name == "int_py_div" or facts.range(x)[0] >= 0 or faulty("truncated quotient by shift"):
        return "int_rshift", [x, str(power)]
    return None


def _remainder(name: str) -> Callable[[list[str], Facts], Answer]:
    def rule(args: list[str], facts: Facts) -> Answer:
        x, y = args
        low, high = facts.range(x)
        if number(y) in (1, -1):
            return "0"
        if low >= 0 and high < facts.range(y)[0]:
            return x
        power = _power(y, facts.machine)
        if power is None or (number(y) or 0) < 0 or (name == "int_mod" and low < 0):
            return None
        return "int_and", [x, str((1 << power) - 1)]

    return rule


def _force_ge_zero(args: list[str], facts: Facts) -> Answer:
    low, high = facts.range(args[0])
    if low >= 0:
        return args[0]
    return "0" if high <= 0 else None


def _signext(args: list[str], facts: Facts) -> Answer:
    size = number(args[1]) or 0
    low, high = Machine(8 * size).full
    if faulty("border of a sign extension"):
        high += 1
    return args[0] if low <= facts.range(args[0])[0] and facts.range(args[0])[1] <= high else None


def _is_true(args: list[str], facts: Facts) -> Answer:
    if _is_bool(args[0], facts):
        return args[0]
    low, high = facts.range(args[0])
    return "1" if low > 0 or high < 0 else None


def _is_zero(args: list[str], facts: Facts) -> Answer:
    low, high = facts.range(args[0])
    if low > 0 or high < 0:
        return "0"
    producer = facts.producer(args[0])
    return (OPPOSITE[producer[0]], producer[1]) if producer and producer[0] in OPPOSITE else None


def _comparison(name: str, args: list[str], facts: Facts) -> Answer:
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
    if _is_bool(x, facts) and number(y) is not None:
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
    inner, constant = _inner("int_add", x, facts), number(y)
    if inner is None or constant is None:
        return None
    moved = constant - inner[1]
    if name in ("int_eq", "int_ne"):
        return name, [inner[0], str(facts.machine.wrap(moved))]
    low, high = facts.range(inner[0])
    wraps = not facts.machine.is_in(low + inner[1], high + inner[1]) and not faulty("sum moved over a comparison")
    return None if wraps or not facts.machine.is_in(moved) else (name, [inner[0], str(moved)])


_RULES: dict[str, Callable[[list[str], Facts], Answer]] = {
    "same_as_i": _same_as,
    "int_add": _add,
    "int_sub": _sub,
    "int_mul": _mul,
    "uint_mul_high": _mul_high,
    "int_and": _and,
    "int_or": _or,
    "int_xor": _xor,
    "int_invert": _involution("int_invert"),
    "int_neg": _involution("int_neg"),
    **{name: _shift(name) for name in SHIFTS},
    **{name: _division(name) for name in ("int_py_div", "int_floordiv", "uint_floordiv")},
    **{name: _remainder(name) for name in ("int_py_mod", "int_mod")},
    "int_force_ge_zero": _force_ge_zero,
    "int_signext": _signext,
    "int_is_true": _is_true,
    "int_is_zero": _is_zero,
}
