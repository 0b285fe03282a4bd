"""Algebraic identities and strength reduction of machine ints, one operation at a time."""

from __future__ import annotations

from collections.abc import Callable

from comparison_rules import comparison, is_true, is_zero
from integers import COMPARED, SHIFTS, UNSIGNED, Machine
from planted import faulty
from trace_text import number
from value_facts import Answer, Facts, constant_operation


def simplify(name: str, args: list[str], facts: Facts) -> Answer:
    """A value or a call that gives the same, None if there is nothing better."""
    if name in COMPARED or name in UNSIGNED:
        return comparison(name, args, facts)
    rule = _RULES.get(name)
    return rule(args, facts) if rule else None


def _power(value: str, machine: Machine) -> int | None:
    """The exponent, if the value is a power of two."""
    constant = number(value)
    if constant is None:
        return None
    unsigned = constant & machine.ones
    return unsigned.bit_length() - 1 if unsigned and not unsigned & (unsigned - 1) else None


def _same_as(args: list[str], _: Facts) -> Answer:
    return args[0]


def _add(args: list[str], facts: Facts) -> Answer:
    x, y = args
    constant = number(y)
    if constant == 0:
        return x
    if number(x) is not None:
        return "int_add", [y, x]
    inner = constant_operation("int_add", x, facts)
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
    inner = constant_operation("int_and", x, facts)
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
        inner = constant_operation(name, x, facts)
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
    inner = constant_operation("int_lshift", x, facts)
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
    "int_is_true": is_true,
    "int_is_zero": is_zero,
}
