"""Faults in common subexpressions, guards, folding, dead code, and what guards hand over."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from faults.planting import OptimizerFault, Plant

from optimizer import walk
from optimizer.facts import orders
from optimizer.facts.facts import Facts
from optimizer.facts.orders import Orders
from optimizer.ir.domains.concrete import concrete
from optimizer.ir.rows.ops import OPS, Kind
from optimizer.ir.trace import ConstInt, Exit, Operation, Var, exit_of
from optimizer.passes import cse, dead_code, guards
from optimizer.passes.cse import CommonSubexpressions
from optimizer.passes.fold import Fold
from optimizer.passes.guards import Guards
from optimizer.passes.references import ReferenceTests
from optimizer.riders import Becomes, Equal, Merged, Passes

_WALK: Any = walk._Walk

# Common subexpressions.


def _key(wrong: Callable[[Any, str, Any], Any]) -> Plant:
    """Operations are looked up by what `wrong` makes of the row, its name and the arguments."""
    right: Any = vars(cse)["_key"]
    return lambda patch: patch.setattr(cse, "_key", lambda op, name, args: wrong(right, op, (name, args)))


def _sorted(right: Any, op: Any, found: Any) -> Any:
    name, args = found
    return name, tuple(sorted(args, key=lambda arg: (isinstance(arg, Var), str(arg))))


def _without_sign(right: Any, op: Any, found: Any) -> Any:
    name, args = right(op, *found)
    return name.removeprefix("u"), args


def _first_argument(right: Any, op: Any, found: Any) -> Any:
    name, args = right(op, *found)
    return name, type(args)(arg for arg in args if isinstance(arg, Var)) or args


def _flag_is_clear(patch: pytest.MonkeyPatch) -> None:
    right: Any = CommonSubexpressions.rewrite

    def rewrite(self: Any, operation: Operation, facts: Facts) -> Any:
        if operation.op.wrapping is None:
            return right(self, operation, facts)
        earlier = self._computed.get(vars(cse)["_key"](operation.op, operation.op.wrapping, operation.args))
        return None if earlier is None else Equal(facts.find(earlier), "cse", False)

    patch.setattr(CommonSubexpressions, "rewrite", rewrite)


def _also_loads(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(CommonSubexpressions, "kinds", frozenset({Kind.PURE, Kind.LOAD}))
    patch.setattr(CommonSubexpressions, "learned", frozenset({Kind.PURE, Kind.LOAD}))
    patch.setattr(cse, "_is_function", lambda op: op.kind in (Kind.PURE, Kind.LOAD) and op.has_meaning)


# Guards and orders.


def _flag_by_a_constant(patch: pytest.MonkeyPatch) -> None:
    right: Any = vars(guards)["_judge_flag"]

    def judge_flag(operation: Operation, overflowed: Any) -> Any:
        has_constant = any(isinstance(arg, ConstInt) for arg in operation.args)
        return right(operation, False if overflowed is None and has_constant else overflowed)

    patch.setattr(guards, "_judge_flag", judge_flag)


def _flag_never_set(patch: pytest.MonkeyPatch) -> None:
    right: Any = vars(guards)["_judge_flag"]
    patch.setattr(guards, "_judge_flag", lambda operation, overflowed: right(operation, overflowed or None))
    right_rewrite: Any = Guards.rewrite

    def rewrite(self: Any, operation: Operation, facts: Facts) -> Any:
        answer = right_rewrite(self, operation, facts)
        return replace(answer, overflowed=False) if isinstance(answer, Becomes) else answer

    patch.setattr(Guards, "rewrite", rewrite)


def _some_way_passes(patch: pytest.MonkeyPatch) -> None:
    def passes(self: Orders, guard: Any, test: Any, a: Any, b: Any) -> bool | None:
        passing = orders.passing_ways(guard, test)
        if passing is None or (a, b) not in self._ways:
            return None
        return bool(self.ways(a, b) & passing)

    patch.setattr(Orders, "passes", passes)


def _not_swapped(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(orders, "_SWAPPED", (0, 1, 2, 3, 4))


def _one_result(patch: pytest.MonkeyPatch) -> None:
    def outcome(self: Orders, test: Any, a: Any, b: Any) -> int | None:
        results = orders._results(test)
        if results is None or (a, b) not in self._ways:
            return None
        return results[min(self.ways(a, b))]

    patch.setattr(Orders, "outcome", outcome)


def _value_guard_is_truth(patch: pytest.MonkeyPatch) -> None:
    """A guard that x is a constant tells nothing, and one on truth that it is that constant."""
    right: Any = Guards.learn

    def learn(self: Any, operation: Operation, facts: Facts) -> None:
        right(self, operation, facts)
        if operation.op is OPS["guard_false"] and isinstance(operation.args[0], Var):
            facts.equate(operation.args[0], ConstInt(1))

    patch.setattr(Guards, "learn", learn)


def _known_before_it_passed(patch: pytest.MonkeyPatch) -> None:
    right: Any = _WALK._emit

    def emit(self: Any, operation: Operation) -> None:
        place = len(self._output)
        right(self, operation)
        for at in range(place, len(self._output)):
            emitted = self._output[at]
            if emitted.exit is not None and emitted.exit.failargs:
                handed = tuple(arg and self._facts.find(arg) for arg in emitted.exit.failargs)
                self._output[at] = replace(emitted, exit=replace(emitted.exit, failargs=handed))

    patch.setattr(_WALK, "_emit", emit)


def _merged_with_its_block(patch: pytest.MonkeyPatch) -> None:
    right: Any = ReferenceTests.learn

    def learn(self: Any, operation: Operation, facts: Facts) -> None:
        self._with_block.clear()
        right(self, operation, facts)

    patch.setattr(ReferenceTests, "learn", learn)


def _merged_guard_leaves_later(patch: pytest.MonkeyPatch) -> None:
    right: Any = _WALK._ask

    def ask(self: Any, operation: Operation) -> Any:
        found = right(self, operation)
        if found is not None and isinstance(found[1], Merged):
            place = self._places[id(found[1].earlier)]
            earlier = self._output[place]
            failargs = operation.exit and operation.exit.failargs
            self._output[place] = replace(earlier, exit=replace(earlier.exit, failargs=failargs))
        return found

    patch.setattr(_WALK, "_ask", ask)


def _second_guard_passes(patch: pytest.MonkeyPatch) -> None:
    right: Any = ReferenceTests._judge

    def judge(self: Any, guard: Operation, facts: Facts) -> Any:
        seen = self.__dict__.setdefault("seen", set())
        if not seen.isdisjoint(guard.args[:1]):
            return Passes("planted")
        seen.update(guard.args[:1])
        return right(self, guard, facts)

    patch.setattr(ReferenceTests, "_judge", judge)


def _guard_dropped(patch: pytest.MonkeyPatch) -> None:
    """A comparison that was checked to be true passes whatever it is checked for again."""
    right: Any = Guards.rewrite

    def rewrite(self: Any, operation: Operation, facts: Facts) -> Any:
        seen = self.__dict__.setdefault("seen", set())
        test = facts.definition(operation.args[0]) if operation.op.is_guard and operation.args else None
        if test is not None and len(operation.args) == 1 and len(test.args) == 2:
            if test.args in seen:
                return Passes("planted")
            seen.add(test.args)
        return right(self, operation, facts)

    patch.setattr(Guards, "rewrite", rewrite)


# Folding.


def _folded_at_64_bits(patch: pytest.MonkeyPatch) -> None:
    right: Any = Fold.rewrite

    class Wide:
        def __init__(self, facts: Facts) -> None:
            self.word = max(64, facts.word)

    patch.setattr(Fold, "rewrite", lambda self, operation, facts: right(self, operation, Wide(facts)))


def _folded(wrong: Callable[[Operation, list[int], Any], Any]) -> Plant:
    """What folding gives is what `wrong` makes of it."""
    right: Any = Fold.rewrite

    def plant(patch: pytest.MonkeyPatch) -> None:
        def rewrite(self: Any, operation: Operation, facts: Facts) -> Any:
            answer = right(self, operation, facts)
            if not isinstance(answer, Equal):
                return answer
            return wrong(operation, [arg.value for arg in operation.args if isinstance(arg, ConstInt)], answer)

        patch.setattr(Fold, "rewrite", rewrite)

    return plant


def _no_flag(operation: Operation, args: list[int], answer: Equal) -> Equal:
    return answer if answer.overflowed is None else replace(answer, overflowed=False)


def _truncated(operation: Operation, args: list[int], answer: Equal) -> Equal:
    if operation.op.name not in ("int_py_div", "int_py_mod"):
        return answer
    d = concrete(64)
    a, b = args
    return replace(answer, value=ConstInt(d.sdiv(a, b) if operation.op.name == "int_py_div" else d.srem(a, b)))


def _signed_shift(operation: Operation, args: list[int], answer: Equal) -> Equal:
    if operation.op.name != "uint_rshift":
        return answer
    return replace(answer, value=ConstInt(args[0] >> args[1]))


def _signed_order(operation: Operation, args: list[int], answer: Equal) -> Equal:
    if operation.op.name not in ("uint_lt", "uint_ge"):
        return answer
    return replace(answer, value=ConstInt(int((args[0] < args[1]) == (operation.op.name == "uint_lt"))))


# What guards hand over.


def _exit(wrong: Callable[[Any, Exit, Exit], Exit]) -> Plant:
    right: Any = _WALK._resolve_exit

    def plant(patch: pytest.MonkeyPatch) -> None:
        patch.setattr(
            _WALK, "_resolve_exit", lambda self, exit_, number: wrong(self, exit_, right(self, exit_, number))
        )

    return plant


def _dead_slots_go(_walk: Any, _given: Exit, made: Exit) -> Exit:
    return replace(made, failargs=made.failargs and tuple(arg for arg in made.failargs if arg is not None))


def _constants_are_dead(_walk: Any, _given: Exit, made: Exit) -> Exit:
    alive = made.failargs and tuple(None if isinstance(arg, ConstInt) else arg for arg in made.failargs)
    return replace(made, failargs=alive)


def _swapped_failargs(_walk: Any, _given: Exit, made: Exit) -> Exit:
    if made.failargs is None or len(made.failargs) < 2:
        return made
    first, second, *rest = made.failargs
    return replace(made, failargs=(second, first, *rest))


def _block_as_recorded(_walk: Any, given: Exit, made: Exit) -> Exit:
    return replace(made, block=given.block)


def _no_block(_walk: Any, _given: Exit, made: Exit) -> Exit:
    defined = {operation.result for operation in made.block}
    kept = made.failargs and tuple(None if arg in defined else arg for arg in made.failargs)
    return replace(made, block=(), failargs=kept)


def _wrong_origin(_walk: Any, _given: Exit, made: Exit) -> Exit:
    return replace(made, origin=max(0, (made.origin or 0) - 1))


# Dead code.


def _dead(wrong: Callable[[Operation], bool]) -> Plant:
    liveness: Any = vars(dead_code)["_Liveness"]
    right = liveness._goes
    return lambda patch: patch.setattr(liveness, "_goes", lambda self, one: right(self, one) or wrong(one))


def _needing(less: Callable[[Operation], Operation]) -> Plant:
    """What stays needs only what it needs in the operation that `less` gives."""
    liveness: Any = vars(dead_code)["_Liveness"]
    right = liveness._find_roots
    return lambda patch: patch.setattr(liveness, "_find_roots", lambda self, all_: right(self, list(map(less, all_))))


def _without_failargs(one: Operation) -> Operation:
    no_failargs = one.exit is None or one.exit.failargs is None
    return one if no_failargs else replace(one, exit=replace(exit_of(one), failargs=()))


def _ending_with_one(one: Operation) -> Operation:
    return replace(one, args=one.args[:1]) if one.op.kind is Kind.END else one


def _stores_are_dead(patch: pytest.MonkeyPatch) -> None:
    right: Any = vars(dead_code)["_Liveness"]._changed_allocation

    def changed(self: Any, operation: Operation) -> Any:
        return operation.args[0] if operation.op.kind is Kind.STORE else right(self, operation)

    patch.setattr(vars(dead_code)["_Liveness"], "_changed_allocation", changed)


def _cse(name: str, breaks: str, plant: Plant, smallest: str = "") -> OptimizerFault:
    return OptimizerFault(name, breaks, "common subexpressions", plant, smallest)


def _guard(name: str, breaks: str, plant: Plant, smallest: str = "") -> OptimizerFault:
    return OptimizerFault(name, breaks, "guards", plant, smallest)


def _fold(name: str, breaks: str, plant: Plant, smallest: str = "") -> OptimizerFault:
    return OptimizerFault(name, breaks, "fold", plant, smallest)


def _handed(name: str, breaks: str, plant: Plant, smallest: str = "") -> OptimizerFault:
    return OptimizerFault(name, breaks, "failargs and exit blocks", plant, smallest)


def _dead_code(name: str, breaks: str, plant: Plant, smallest: str = "") -> OptimizerFault:
    return OptimizerFault(name, breaks, "dead code", plant, smallest)


WALK_FAULTS = (
    _cse(
        "everything commutes", "a - b has been computed where b - a has", _key(_sorted),
        "[i0, i1]\ni2 = int_sub(i0, i1)\ni3 = int_sub(i1, i0)\njump(i2, i3)\n",
    ),
    _cse(
        "signed is unsigned", "an unsigned operation has been computed where the signed one has", _key(_without_sign),
        "[i0, i1]\ni2 = int_lt(i0, i1)\ni3 = uint_lt(i0, i1)\njump(i2, i3)\n",
    ),
    _cse(
        "constants are not looked at", "an operation has been computed where one with another constant has",
        _key(_first_argument), "[i0]\ni2 = int_xor(i0, 1)\ni3 = int_xor(i0, 2)\njump(i2, i3)\n",
    ),
    _cse(
        "computed without a flag", "an overflow operation does not overflow where its sum is known", _flag_is_clear,
        "[i0, i1]\ni2 = int_add(i0, i1)\ni3 = int_add_ovf(i0, i1)\nguard_no_overflow() []\njump(i2, i3)\n",
    ),
    _cse(
        "loads are functions", "a load gives what it gave before, whatever was stored", _also_loads,
        "[p0, i1]\ni2 = getfield_gc_i(p0, descr=a)\ncall_n(i1, descr=f)\ni3 = getfield_gc_i(p0, descr=a)\n"
        "jump(i2, i3)\n",
    ),
    _guard(
        "flag by a constant", "a sum with a constant does not overflow", _flag_by_a_constant,
        "[i0]\ni1 = int_add_ovf(i0, 1)\nguard_no_overflow() []\njump(i1)\n",
    ),
    _guard(
        "a flag is never set", "what certainly overflows does not", _flag_never_set,
        "[i0]\ni1 = int_or(i0, 4611686018427387904)\ni2 = int_gt(i1, 0)\nguard_true(i2) []\n"
        "i3 = int_add_ovf(i1, i1)\nguard_overflow() []\njump(i3)\n",
    ),
    _guard(
        "some way passes", "a guard passes where it may pass by what is known of the order", _some_way_passes,
        "[i0, i1]\ni2 = int_le(i0, i1)\nguard_true(i2) []\ni3 = int_lt(i0, i1)\nguard_true(i3) []\njump()\n",
    ),
    _guard(
        "order not turned around", "b stands to a as a stands to b", _not_swapped,
        "[i0, i1]\ni2 = int_lt(i0, i1)\nguard_true(i2) []\ni3 = int_lt(i1, i0)\njump(i3)\n",
    ),
    _guard(
        "outcome of one way", "a test has the outcome that it has in one of the ways that are left", _one_result,
        "[i0, i1]\ni2 = int_le(i0, i1)\nguard_true(i2) []\ni3 = int_eq(i0, i1)\njump(i3)\n",
    ),
    _guard(
        "false is one", "what was checked to be false is 1", _value_guard_is_truth,
        "[i0]\nguard_false(i0) []\njump(i0)\n",
    ),
    _guard(
        "guard on the same values", "of two guards on comparisons of the same values, the second one goes",
        _guard_dropped,
        "[i0, i1]\ni2 = int_le(i0, i1)\nguard_true(i2) []\ni3 = int_ne(i0, i1)\nguard_true(i3) []\njump()\n",
    ),
    _guard(
        "guard on the same reference", "of two guards on one reference, the second one goes", _second_guard_passes,
        "[p0, p1]\nguard_nonnull(p0) []\nguard_value(p0, p1) []\njump()\n",
    ),
    _guard(
        "merged with its exit block", "a guard becomes stricter although its exit block is defined only where it fails",
        _merged_with_its_block,
        "[p0, i1]\nguard_nonnull(p0) [i2] {\n    i2 = int_lshift(i1, 100)\n}\n"
        "guard_class(p0, ConstClass(A)) []\njump()\n",
    ),
    _guard(
        "merged guard leaves later", "a merged guard hands over what the later one does", _merged_guard_leaves_later,
        "[p0, i1]\nguard_nonnull(p0) [i1]\nguard_class(p0, ConstClass(A)) [p0]\njump()\n",
    ),
    _fold("folded at 64 bits", "constants are folded at 64 bits, whatever the word is", _folded_at_64_bits,
        "+++\nword = 32\n+++\n[]\ni1 = int_add(2147483647, 1)\njump(i1)\n"),
    _fold("folded without a flag", "constants do not overflow", _folded(_no_flag),
        "[i0]\ni1 = int_add_ovf(9223372036854775807, 1)\nguard_no_overflow() []\njump(i1)\n"),
    _fold("folded division", "a division of constants that rounds down is folded as one that truncates",
        _folded(_truncated), "[]\ni1 = int_py_mod(-1, 3)\njump(i1)\n"),
    _fold("folded shift", "an unsigned shift of constants is folded as a signed one", _folded(_signed_shift),
        "[]\ni1 = uint_rshift(-1, 1)\njump(i1)\n"),
    _fold("folded order", "an unsigned comparison of constants is folded as a signed one", _folded(_signed_order),
        "[]\ni1 = uint_lt(-1, 1)\njump(i1)\n"),
    _handed(
        "known before it passed", "a guard hands over what is known only where it has passed", _known_before_it_passed,
        "[i0]\nguard_value(i0, 5) [i0]\njump()\n",
    ),
    _handed("dead slots go", "slots that hold nothing are left out", _exit(_dead_slots_go),
        "[i0, i1]\nguard_true(i0) [None, i1]\njump()\n"),
    _handed("constants are dead", "a slot that holds a constant is left empty", _exit(_constants_are_dead),
        "[i0]\nguard_true(i0) [5]\njump()\n"),
    _handed("swapped failargs", "the first two failargs change places", _exit(_swapped_failargs),
        "[i0, i1]\nguard_true(i0) [i0, i1]\njump()\n"),
    _handed("exit block as recorded", "an exit block keeps variables that are gone", _exit(_block_as_recorded),
        "[i0, i1]\ni2 = int_add(i1, 0)\nguard_true(i0) [i3] {\n    i3 = int_neg(i2)\n}\njump()\n"),
    _handed("no exit block", "an exit block is lost", _exit(_no_block),
        "[i0]\nguard_true(i0) [i1] {\n    i1 = int_neg(i0)\n}\njump()\n"),
    _handed("origin of the guard before", "a guard is told to be the one before it", _exit(_wrong_origin),
        "[i0, i1]\nguard_true(i0) [i0]\nguard_true(i1) [i1]\njump()\n"),
    _dead_code("calls are dead", "a call whose result nobody needs goes", _dead(
        lambda one: one.op.kind is Kind.EVENT and one.result is not None),
        "[i0]\ni1 = call_i(i0, descr=f)\njump()\n"),
    _dead_code("failargs need nothing", "what only guards hand over is dead", _needing(_without_failargs),
        "[i0]\ni1 = int_neg(i0)\nguard_true(i0) [i1]\njump()\n"),
    _dead_code("ends need one value", "only the first value of an end is needed", _needing(_ending_with_one),
        "[i0]\ni1 = int_neg(i0)\njump(i0, i1)\n"),
    _dead_code("stores are dead", "a store to an object of which nothing else is said goes", _stores_are_dead,
        "[p0, i1]\nsetfield_gc(p0, i1, descr=a)\njump()\n"),
)  # fmt: skip
