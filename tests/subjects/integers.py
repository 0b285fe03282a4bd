"""Machine ints of a width: what operations give for numbers, and the ranges of what they give for ranges."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from planted import faulty

Range = tuple[int, int]

COMPARED: dict[str, Callable[[int, int], bool]] = {
    "int_lt": lambda a, b: a < b,
    "int_le": lambda a, b: a <= b,
    "int_eq": lambda a, b: a == b,
    "int_ne": lambda a, b: a != b,
    "int_gt": lambda a, b: a > b,
    "int_ge": lambda a, b: a >= b,
}
UNSIGNED = {"uint_lt": "int_lt", "uint_le": "int_le", "uint_gt": "int_gt", "uint_ge": "int_ge"}
EXACT: dict[str, Callable[[int, int], int]] = {
    "int_add": lambda a, b: a + b,
    "int_sub": lambda a, b: a - b,
    "int_mul": lambda a, b: a * b,
}
COMMUTATIVE = {"int_add", "int_mul", "uint_mul_high", "int_and", "int_or", "int_xor", "int_eq", "int_ne"}
PURE = {
    *COMPARED, *UNSIGNED, *EXACT, "uint_mul_high", "int_and", "int_or", "int_xor", "int_invert", "int_neg",
    "int_lshift", "int_rshift", "uint_rshift", "int_py_div", "int_py_mod", "int_floordiv", "int_mod", "uint_floordiv",
    "int_force_ge_zero", "int_signext", "same_as_i", "int_is_zero", "int_is_true",
}  # fmt: skip
DIVISIONS = {"int_py_div", "int_py_mod", "int_floordiv", "int_mod"}
SHIFTS = {"int_lshift", "int_rshift", "uint_rshift"}
TRUTHS = {*COMPARED, *UNSIGNED, "int_is_zero", "int_is_true"}


@dataclass(frozen=True)
class Machine:
    """Words of so many bits."""

    word: int

    @property
    def low(self) -> int:
        return -(1 << (self.word - 1))

    @property
    def high(self) -> int:
        return (1 << (self.word - 1)) - 1

    @property
    def ones(self) -> int:
        return (1 << self.word) - 1

    @property
    def full(self) -> Range:
        return self.low, self.high

    def wrap(self, value: int) -> int:
        return ((value - self.low) & self.ones) + self.low

    def is_in(self, *values: int) -> bool:
        return all(self.low <= value <= self.high for value in values)

    def fold(self, name: str, args: list[int]) -> int | None:
        """What the operation gives for these numbers, None where that is undefined."""
        a, b = args[0], args[-1]
        if name in DIVISIONS | {"uint_floordiv"} and b == 0:
            return None
        if name in DIVISIONS and (a, b) == (self.low, -1):
            return None
        if name in SHIFTS and not 0 <= b < self.word:
            return None
        value = self._value(name, a, b)
        return None if value is None else self.wrap(value)

    def _value(self, name: str, a: int, b: int) -> int | None:
        if name in COMPARED:
            return int(COMPARED[name](a, b))
        if name in UNSIGNED:
            return int(COMPARED[UNSIGNED[name]](a & self.ones, b & self.ones))
        if name in EXACT:
            return EXACT[name](a, b)
        if name in DIVISIONS:
            return _divided(name, a, b)
        return self._bits(name, a, b)

    def _bits(self, name: str, a: int, b: int) -> int | None:
        unsigned_a, unsigned_b = a & self.ones, b & self.ones
        match name:
            case "int_and":
                return a & b
            case "int_or":
                return a | b
            case "int_xor":
                return a ^ b
            case "int_lshift":
                return a << b
            case "int_rshift":
                return a >> b
            case "uint_rshift":
                return unsigned_a >> b
            case "uint_mul_high":
                return (unsigned_a * unsigned_b) >> self.word
            case "uint_floordiv":
                return unsigned_a // unsigned_b
            case "int_signext":
                return Machine(8 * b).wrap(a) if 1 <= b <= self.word // 8 else None
        return _of_one(name, a)

    def range(self, name: str, ranges: list[Range]) -> Range:
        """A range of what the operation gives for arguments in these ranges, where it is defined."""
        a, b = ranges[0], ranges[-1]
        match name:
            case "int_add":
                return self._fitting(a[0] + b[0], a[1] + b[1])
            case "int_sub":
                return self._fitting(a[0] - b[1], a[1] - b[0])
            case "int_mul":
                return self._product(a, b)
            case "int_neg":
                if faulty("negated minimum"):
                    return -a[1], min(-a[0], self.high)
                return self._fitting(-a[1], -a[0])
            case "int_invert":
                return ~a[1], ~a[0]
            case "int_force_ge_zero":
                return max(a[0], 0), max(a[1], 0)
            case "int_signext":
                return Machine(8 * b[0]).full if b[0] == b[1] and 1 <= b[0] <= self.word // 8 else self.full
            case "int_and" | "int_or" | "int_xor":
                return self._range_of_bits(name, a, b)
            case "int_lshift" | "int_rshift" | "uint_rshift":
                return self._shifted(name, a, (max(b[0], 0), min(b[1], self.word - 1)))
            case "uint_mul_high":
                return ((a[0] * b[0]) >> self.word, (a[1] * b[1]) >> self.word) if a[0] >= 0 <= b[0] else self.full
        return (0, 1) if name in TRUTHS else self._quotient(name, a, b)

    def exact(self, name: str, a: Range, b: Range) -> Range:
        """The least and the greatest of all sums, differences or products, not wrapped."""
        corners = [EXACT[name](x, y) for x in a for y in b]
        return min(corners), max(corners)

    def clipped(self, one: Range) -> Range:
        return max(one[0], self.low), min(one[1], self.high)

    def _fitting(self, low: int, high: int) -> Range:
        return (low, high) if self.is_in(low, high) else self.full

    def _product(self, a: Range, b: Range) -> Range:
        low, high = self.exact("int_mul", a, b)
        return self.clipped((low, high)) if faulty("product that wraps") else self._fitting(low, high)

    def _range_of_bits(self, name: str, a: Range, b: Range) -> Range:
        if name == "int_and" and (a[0] >= 0 or b[0] >= 0):
            return 0, min(one[1] for one in (a, b) if one[0] >= 0)
        if a[0] >= 0 and b[0] >= 0:
            return (max(a[0], b[0]) if name == "int_or" else 0), (1 << max(a[1], b[1]).bit_length()) - 1
        return self.full

    def _shifted(self, name: str, a: Range, by: Range) -> Range:
        if by[0] > by[1]:
            return self.full
        if name == "int_lshift":
            return self._fitting(min(a[0] << by[0], a[0] << by[1]), max(a[1] << by[0], a[1] << by[1]))
        if name == "uint_rshift" and a[0] < 0:
            return (0, self.ones >> by[0]) if by[0] else self.full
        low = a[0] >> (by[0] if a[0] < 0 or faulty("least shifted least") else by[1])
        return low, a[1] >> (by[0] if a[1] >= 0 else by[1])

    def _quotient(self, name: str, a: Range, b: Range) -> Range:
        match name:
            case "int_py_div" if b[0] == b[1] > 0:
                return a[0] // b[0], a[1] // b[0]
            case "int_floordiv" if b[0] == b[1] > 0:
                return _divided(name, a[0], b[0]), _divided(name, a[1], b[0])
            case "uint_floordiv" if a[0] >= 0 and b[0] > 0:
                return a[0] // b[1], a[1] // b[0]
            case "int_py_mod" if b[0] > 0:
                return 0, b[1] - 1
            case "int_py_mod" if b[1] < 0:
                return (0, -b[0] - 1) if faulty("modulo of a negative divisor") else (b[0] + 1, 0)
            case "int_mod" if b[0] > 0 or b[1] < 0:
                most = max(-b[0], b[1]) - 1
                return (-most if a[0] < 0 else 0), (most if a[1] > 0 else 0)
        return self.full


def _divided(name: str, a: int, b: int) -> int:
    if name == "int_py_div":
        return a // b
    if name == "int_py_mod":
        return a % b
    quotient = abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)
    return quotient if name == "int_floordiv" else a - quotient * b


def _of_one(name: str, a: int) -> int | None:
    match name:
        case "int_neg":
            return -a
        case "int_invert":
            return ~a
        case "int_force_ge_zero":
            return max(a, 0)
        case "int_is_zero":
            return int(a == 0)
        case "int_is_true":
            return int(a != 0)
        case "same_as_i":
            return a
    return None
