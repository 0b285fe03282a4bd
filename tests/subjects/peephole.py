"""A peephole optimizer of machine ints, written for nothing but to be tested: it shares no code with traceproof.

It walks the trace once, forwards. It folds constants, applies identities, keeps a signed range of each value, which
guards narrow, removes guards and overflow checks that cannot fail, computes nothing twice, and in the end nothing that
is not used. Its planted faults are in two halves: the held-out half must not be tuned on.

    traceproof fuzz --optimizer-server 'python tests/subjects/peephole.py --fault "mask by size"'
"""

from __future__ import annotations

from comparison_rules import OPPOSITE
from integer_rules import simplify
from integers import COMMUTATIVE, COMPARED, EXACT, PURE, UNSIGNED, Machine, Range
from peephole_faults import FAULTS
from planted import faulty
from server import serve
from trace_text import Op, Trace, Unsupported, is_variable, number
from value_facts import Call

_OVERFLOWING = {f"{name}_ovf": name for name in EXACT}
_POSITIONS = {"debug_merge_point", "jit_debug", "label"}
_KNOWN = {*PURE, *_OVERFLOWING, *_POSITIONS, "guard_true", "guard_false", "guard_value", "guard_no_overflow",
          "guard_overflow", "escape_i", "escape_n", "jump", "finish"}  # fmt: skip


class Peephole:
    """One walk over a trace. Values are names and constants, as text."""

    def __init__(self, word: int) -> None:
        self.machine = Machine(word)
        self.ops: list[Op] = []
        self._forwarded: dict[str, str] = {}
        self._ranges: dict[str, Range] = {}
        self._bits: dict[str, int] = {}
        self._producers: dict[str, Call] = {}
        self._computed: dict[tuple[str, ...], str] = {}
        self._unchecked: set[str] = set()

    def run(self, ops: list[Op]) -> None:
        place = 0
        while place < len(ops):
            op = ops[place]
            if op.name in _OVERFLOWING:
                place = self._checked(ops, place)
                continue
            place += 1
            if op.name in PURE:
                self._pure(op)
            elif op.name in ("guard_true", "guard_false", "guard_value"):
                self._guard(op)
            else:
                self.ops.append(op.copied(self.resolve) if op.name not in _POSITIONS else op)

    # Facts

    def resolve(self, value: str) -> str:
        while value in self._forwarded:
            value = self._forwarded[value]
        return value

    def range(self, value: str) -> Range:
        constant = number(value)
        return (constant, constant) if constant is not None else self._ranges.get(value, self.machine.full)

    def possible_bits(self, value: str) -> int:
        constant = number(value)
        if constant is not None:
            return constant & self.machine.ones
        low, high = self.range(value)
        bits = self._bits.get(value, self.machine.ones)
        return bits & ((1 << high.bit_length()) - 1) if low >= 0 else bits

    def producer(self, value: str) -> Call | None:
        call = self._producers.get(value)
        return call and (call[0], [self.resolve(arg) for arg in call[1]])

    # Operations

    def _pure(self, op: Op, checked: bool = False) -> None:
        """Emits the operation, or another one, or forwards its result."""
        assert op.result
        call: Call = (op.name, [self.resolve(arg) for arg in op.args])
        while True:
            answer = self._known(*call) or simplify(*call, self)
            if isinstance(answer, str):
                self._forwarded[op.result] = answer
                return
            if answer is None:
                break
            call = answer
        self.ops.append(Op(call[0], call[1], op.result, op.descr))
        self._define(op.result, call)

    def _known(self, name: str, args: list[str]) -> str | None:
        constants = [number(arg) for arg in args]
        folded = None
        if None not in constants:
            folded = self.machine.fold(name, [constant or 0 for constant in constants])
        if folded is not None:
            return str(folded)
        computed = self._computed.get(_key(name, args))
        return None if computed is None else self.resolve(computed)

    def _define(self, result: str, call: Call) -> None:
        name, args = call
        self._producers[result] = call
        self._computed[_key(name, args)] = result
        self._ranges[result] = self.machine.range(name, [self.range(arg) for arg in args])
        self._bits[result] = self._bits_of(name, args)
        self._bind_if_one_value(result)

    def _bits_of(self, name: str, args: list[str]) -> int:
        first, last = self.possible_bits(args[0]), self.possible_bits(args[-1])
        by = number(args[-1])
        if name == "int_and":
            return first & last
        if name in ("int_or", "int_xor"):
            return first | last
        if name == "int_lshift" and by is not None and 0 <= by < self.machine.word:
            return (first << by) & self.machine.ones
        if name == "uint_rshift" and by is not None and 0 <= by < self.machine.word:
            return first >> by
        return self.machine.ones

    def _checked(self, ops: list[Op], place: int) -> int:
        """An operation with an overflow check, and its guard; where the walk goes on."""
        op, guard_place = ops[place], place + 1
        while ops[guard_place].name in _POSITIONS:
            guard_place += 1
        between, guard = ops[place + 1 : guard_place], ops[guard_place]
        assert op.result
        plain, args = _OVERFLOWING[op.name], [self.resolve(arg) for arg in op.args]
        if guard.name == "guard_no_overflow" and self._cannot_overflow(plain, args):
            self.ops += between
            self._pure(Op(plain, args, op.result))
            return guard_place + 1
        self.ops += [Op(op.name, args, op.result, op.descr), *between, guard.copied(self.resolve)]
        if guard.name == "guard_no_overflow":
            self._learn_sum(op.result, plain, args)
        return guard_place + 1

    def _cannot_overflow(self, plain: str, args: list[str]) -> bool:
        checked = self._computed.get(_key(f"{plain}_ovf", args))
        if faulty("overflow check shared with a sum"):
            checked = checked or self._computed.get(_key(plain, args))
        if checked:
            return True
        a, b = self.range(args[0]), self.range(args[1])
        if faulty("overflow by the first operand") and plain == "int_add":
            b = a
        low, high = self.machine.exact(plain, a, b)
        if faulty("difference checked at one end") and plain == "int_sub":
            return high <= self.machine.high
        return self.machine.is_in(low, high)

    def _learn_sum(self, result: str, plain: str, args: list[str]) -> None:
        """No overflow has happened."""
        exact = self.machine.exact(plain, self.range(args[0]), self.range(args[1]))
        self._producers[result] = plain, args
        self._computed[_key(plain, args)] = self._computed[_key(f"{plain}_ovf", args)] = result
        low, high = self.machine.clipped(exact)
        if low <= high:
            self._ranges[result] = low, high
            self._bind_if_one_value(result)

    # Guards

    def _guard(self, op: Op) -> None:
        value = self.resolve(op.args[0])
        expected = {"guard_true": "1", "guard_false": "0"}.get(op.name) or self.resolve(op.args[1])
        if value == expected:
            return
        if number(expected) is None or not is_variable(value):
            self.ops.append(op.copied(self.resolve))
            return
        passed = int(expected, 0)
        guard = op.copied(self.resolve)
        if op.name == "guard_value" and self.range(value) == (0, 1) and passed in (0, 1):
            guard.name, guard.args = ("guard_true" if passed else "guard_false"), [value]
        self._bind(value, passed)
        if faulty("exit reads what passing taught"):
            guard.failargs = guard.failargs and [self.resolve(one) for one in guard.failargs]
        self.ops.append(guard)

    def _bind(self, value: str, constant: int) -> None:
        """The value is that constant from here on."""
        if not is_variable(value):
            return
        self._forwarded[value] = str(constant)
        producer = self.producer(value)
        if producer is None:
            return
        name, args = producer
        if name in COMPARED or name in UNSIGNED:
            self._learn(name if constant else OPPOSITE[name], args)
        elif name in ("int_is_true", "int_is_zero"):
            self._learn("int_ne" if (name == "int_is_true") == bool(constant) else "int_eq", [*args, "0"])
        elif name == "int_and" and constant == 1 and self._are_bools(args):
            for arg in args:
                self._bind(self.resolve(arg), 1)
        elif name == "int_or" and constant == 0:
            for arg in args:
                self._bind(self.resolve(arg), 0)
        self._narrow_producer(producer, (constant, constant))

    def _are_bools(self, args: list[str]) -> bool:
        return faulty("bits of a conjunction") or all(self.range(arg) in ((0, 1), (1, 1)) for arg in args)

    def _learn(self, name: str, args: list[str]) -> None:
        """That comparison holds."""
        self._computed.setdefault(_key(name, args), "1")
        self._computed.setdefault(_key(OPPOSITE[name], args), "0")
        a, b = args
        kind = name.rpartition("_")[2]
        if kind in ("gt", "ge"):
            a, b, kind = b, a, {"gt": "lt", "ge": "le"}[kind]
        if name in UNSIGNED:
            self._learn_unsigned(a, b, kind)
        elif kind in ("lt", "le"):
            apart = int(kind == "lt" or faulty("le learned as lt"))
            self._narrow(a, (self.machine.low, self.range(b)[1] - apart))
            self._narrow(b, (self.range(a)[0] + apart, self.machine.high))
        elif kind == "eq":
            self._narrow(a, self.range(b))
            self._narrow(b, self.range(a))
        else:
            self._learn_other(a, self.range(b))
            self._learn_other(b, self.range(a))

    def _learn_unsigned(self, a: str, b: str, kind: str) -> None:
        low, high = self.range(b)
        if low >= 0 or (faulty("below an unsigned bound") and high > 0):
            self._narrow(a, (0, high - (kind == "lt")))
            self._narrow(b, (max(self.range(a)[0], 0) + (kind == "lt"), self.machine.high))

    def _learn_other(self, value: str, other: Range) -> None:
        """It is not the only value in the other range."""
        low, high = self.range(value)
        if other == (low, low):
            self._narrow(value, (low + 1, high))
        elif other == (high, high):
            self._narrow(value, (low, high - 1))

    def _narrow(self, value: str, to: Range) -> None:
        value = self.resolve(value)
        old = self.range(value)
        new = max(old[0], to[0]), min(old[1], to[1])
        if not is_variable(value) or new == old or new[0] > new[1]:
            return
        self._ranges[value] = new
        self._bind_if_one_value(value)
        producer = self.producer(value)
        if producer and new[0] != new[1]:
            self._narrow_producer(producer, new)

    def _narrow_producer(self, producer: Call, to: Range) -> None:
        """What is known of x + C says something of x, if the sum cannot wrap."""
        name, args = producer
        constant = number(args[-1])
        if name == "int_add" and constant is not None:
            low, high = self.range(args[0])
            if self.machine.is_in(low + constant, high + constant) or faulty("sum learned backwards"):
                self._narrow(args[0], (to[0] - constant, to[1] - constant))

    def _bind_if_one_value(self, value: str) -> None:
        low, high = self._ranges[value]
        if low == high:
            self._bind(value, low)


def _key(name: str, args: list[str]) -> tuple[str, ...]:
    """One key for all spellings of a computation."""
    kind = name.rpartition("_")[2]
    if kind in ("gt", "ge"):
        return f"{name[:-2]}{ {'gt': 'lt', 'ge': 'le'}[kind] }", args[1], args[0]
    plain = _OVERFLOWING.get(name, name)
    if plain in COMMUTATIVE or (faulty("commuted difference") and plain == "int_sub"):
        return name, *sorted(args)
    return name, *args


def _without_unused(ops: list[Op]) -> list[Op]:
    used: set[str] = set()
    kept: list[Op] = []
    for op in reversed(ops):
        if op.name in PURE and op.result not in used:
            continue
        if faulty("unused overflow check") and op.name in _OVERFLOWING and op.result not in used:
            place = next(place for place, one in enumerate(reversed(kept)) if one.is_guard)
            if kept[-1 - place].name == "guard_no_overflow":
                del kept[-1 - place]
                continue
        if op.name not in _POSITIONS:
            used |= op.uses()
        kept.append(op)
    return kept[::-1]


def optimize(trace: Trace, refuses: bool) -> Trace:
    if refuses:
        for op in trace.ops:
            if op.name not in _KNOWN:
                raise Unsupported(op.name)
    walk = Peephole(trace.word)
    walk.run(trace.ops)
    return Trace(trace.front, trace.inputs, _without_unused(walk.ops))


if __name__ == "__main__":
    serve(__doc__ or "", optimize, FAULTS)
