"""Faults of an optimizer about calls and exceptions."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from faults.planting import OptimizerFault, Plant

from optimizer import pipeline
from optimizer.facts.facts import Facts
from optimizer.ir.rows.ops import OPS, Kind, Role
from optimizer.ir.trace import Operation
from optimizer.ir.types.calls import NOTHING, CallSite, Effects
from optimizer.ir.types.layout import Layout
from optimizer.passes import calls, dead_code, heap
from optimizer.passes.calls import Calls
from optimizer.riders import Answer, Becomes, Needless, Passes


def _around(owner: Any, name: str, wrong: Callable[..., Any]) -> Plant:
    """What is there goes first to what takes its place, before its arguments."""
    right = vars(owner)[name]
    return lambda patch: patch.setattr(owner, name, lambda *args, **more: wrong(right, *args, **more))


def _fault(name: str, breaks: str, plant: Plant, *lines: str) -> OptimizerFault:
    return OptimizerFault(name, breaks, "calls", plant, "\n".join([*lines, ""]))


def _first_argument_only(right: Any, self: Calls, operation: Operation, call: CallSite) -> Any:
    role, type_, args = right(self, operation, call)
    return role, type_, args[:1]


def _any_function(right: Any, self: Calls, operation: Operation, call: CallSite) -> Any:
    role, type_, args = right(self, operation, call)
    return role, type_, args[1:]


def _always_clear(right: Any, self: Calls, guard: Operation) -> Answer | None:
    memory = guard.op.memory
    is_check = memory is not None and memory.pending and memory.class_arg is None
    return Passes("planted") if is_check else right(self, guard)


def _keeps_clear(role: Role) -> Callable[..., None]:
    def learn_call(right: Any, self: Calls, operation: Operation, call: CallSite) -> None:
        clear = self._is_clear
        right(self, operation, call)
        if call.role is role:
            self._is_clear = clear

    return learn_call


def _any_known_result(right: Any, call: CallSite) -> Any:
    for known in () if call.declared is None else call.declared.results:
        return calls._constant(known.value)
    return right(call)


def _as_in_c(right: Any, self: Calls, operation: Operation, facts: Facts) -> Answer | None:
    answer: Answer | None = right(self, operation, facts)
    if isinstance(answer, Becomes) and answer.op.name in ("int_py_div", "int_py_mod"):
        return replace(answer, op=OPS["int_floordiv" if answer.op.name == "int_py_div" else "int_mod"])
    return answer


def _settled_for_good(right: Any, self: Calls, operation: Operation, call: CallSite) -> None:
    settled = set(self._settled)
    right(self, operation, call)
    self._settled |= settled


def _always_made(right: Any, operation: Operation, call: CallSite, facts: Facts) -> Answer | None:
    if operation.result is None:
        return Becomes(OPS[call.name], call.args, "planted")
    return right(operation, call, facts)


def _never_made(right: Any, operation: Operation, call: CallSite, facts: Facts) -> Answer | None:
    return Needless("planted") if operation.result is None else right(operation, call, facts)


def _goes_with_its_exception(right: Any, self: Any, operation: Operation) -> bool:
    call = calls.call_of(operation, self._layout) if operation.op.kind is Kind.EVENT else None
    return bool(right(self, operation)) or (call is not None and call.role is Role.FUNCTION)


def _invariants_go(right: Any, self: Any, operation: Operation) -> bool:
    call = calls.call_of(operation, self._layout) if operation.op.kind is Kind.EVENT else None
    return bool(right(self, operation)) or (call is not None and call.role is Role.INVARIANT)


def _undeclared_is_harmless(right: Any, self: Facts, operation: Operation) -> None:
    if operation.op.is_call and operation.descr is None:
        return
    right(self, operation)


def _above_its_guard(right: Any, *args: Any) -> Any:
    """Functions that cannot raise are called ahead of the guard in front of them."""
    walked = right(*args)
    layout, ops = args[2], list(walked.trace.ops)
    for place in range(1, len(ops)):
        call = calls.call_of(ops[place], layout) if ops[place].op.is_call else None
        is_plain = (
            call is not None and call.role is Role.FUNCTION and not call.is_conditional and not call.effects.can_raise
        )
        guard = ops[place - 1]
        if is_plain and guard.op.is_guard and not guard.op.reads_flag and guard.result not in ops[place].args:
            ops[place - 1 : place + 1] = [ops[place], guard]
    return replace(walked, trace=walked.trace.of(ops))


def _reads_once(right: Any, self: Calls, operation: Operation, call: CallSite) -> None:
    right(self, operation, call)
    self.upheavals = 0


def _said_of_others(right: Any, self: Calls, operation: Operation, call: CallSite) -> None:
    right(self, operation, call)
    if call.role is Role.RECORD and call.meaning is None:
        for key in list(self._given):
            if key[2][:1] == call.args[:1]:
                self._given[key] = operation.args[0], None
                self._calm.add(key)


def _blind(_right: Any, operation: Operation, layout: Layout) -> Effects:
    call = calls.call_of(operation, layout)
    return NOTHING if call is None or call.role is Role.FUNCTION else call.effects


_G = ("+++", "[call.g]", 'result = "int"', "elidable = true", "+++")
_RAISES = (*_G[:-1], "can_raise = true", "results = [{ args = [3], value = 3 }]", "+++")
_CHECKED = ("[]", "escape_n()", "guard_no_exception() []", "finish()")

CALL_FAULTS = (
    _fault(
        "functions of one argument",
        "calls of a function are merged over their arguments",
        _around(Calls, "_key", _first_argument_only),
        *_G,
        "[]",
        "i0 = call_i(1, 1, descr=g)",
        "i1 = call_i(1, 2, descr=g)",
        "finish(i1)",
    ),
    _fault(
        "any function",
        "calls of two functions are merged, and loop-invariant ones too",
        _around(Calls, "_key", _any_function),
        *_G,
        "[]",
        "i0 = call_i(1, descr=g)",
        "i1 = call_i(2, descr=g)",
        "finish(i1)",
    ),
    _fault(
        "calls go with their exceptions",
        "a call goes whatever it may raise, and whatever is pending",
        lambda patch: patch.setattr(Calls, "_may_go", lambda *_: True),
        *_RAISES,
        "[]",
        "escape_n()",
        "i0 = call_i(1, 3, descr=g)",
        "finish()",
    ),
    _fault(
        "no exceptions",
        "every check for exceptions passes",
        _around(Calls, "_guard", _always_clear),
        *_CHECKED,
    ),
    _fault(
        "functions do not raise",
        "what a function raises is not pending",
        _around(Calls, "_learn_call", _keeps_clear(Role.FUNCTION)),
        "[]",
        "i0 = call_pure_i(1)",
        "guard_no_exception() []",
        "finish()",
    ),
    _fault(
        "events do not raise",
        "what an event raises is not pending",
        _around(Calls, "_learn_call", _keeps_clear(Role.EVENT)),
        *_CHECKED,
    ),
    _fault(
        "loop-invariant calls do not raise",
        "what a loop-invariant call raises is not pending",
        _around(Calls, "_learn_call", _keeps_clear(Role.INVARIANT)),
        "[]",
        "i0 = call_loopinvariant_i(1)",
        "guard_no_exception() []",
        "finish()",
    ),
    _fault(
        "exceptions are not put back",
        "what is put back is not pending",
        lambda patch: patch.setattr(Calls, "learned", Calls.learned - {Kind.EXCEPTION}),
        "[p0]",
        "restore_exception(ConstClass(KeyError), p0)",
        "guard_no_exception() []",
        "finish()",
    ),
    _fault(
        "any known result",
        "a known result is that of all arguments",
        _around(calls, "_declared", _any_known_result),
        *_RAISES,
        "[]",
        "i0 = call_i(1, 4, descr=g)",
        "finish()",
    ),
    _fault(
        "read for good",
        "what belongs to the thread never changes",
        _around(Calls, "_learn_call", _reads_once),
        *_G[:3],
        'oopspec = "threadlocalref_get"',
        "+++",
        "[]",
        "i0 = call_i(1, 0, descr=g)",
        "escape_n()",
        "i1 = call_i(1, 0, descr=g)",
        "finish(i1)",
    ),
    _fault(
        "divided as in C",
        "Python's division is C's",
        _around(Calls, "rewrite", _as_in_c),
        "+++",
        "[call.g]",
        'result = "int"',
        "elidable = true",
        'oopspec = "int_py_mod"',
        "+++",
        "[]",
        "i0 = call_i(1, -1, 2, descr=g)",
        "finish(i0)",
    ),
    _fault(
        "forced once",
        "what only events change is checked once",
        _around(Calls, "_learn_call", _settled_for_good),
        "[]",
        "guard_not_forced_2() []",
        "escape_n()",
        "guard_not_forced_2() []",
        "finish()",
    ),
    _fault(
        "conditional calls are made",
        "a conditional call is made always",
        _around(calls, "_conditional", _always_made),
        "[]",
        "cond_call(0, 1)",
        "finish()",
    ),
    _fault(
        "conditional calls are not made",
        "a conditional call is not made",
        _around(calls, "_conditional", _never_made),
        "[]",
        "cond_call(1, 1)",
        "finish()",
    ),
    _fault(
        "unused calls go",
        "a call whose result nobody needs goes with its exception",
        _around(vars(dead_code)["_Liveness"], "_goes", _goes_with_its_exception),
        *_RAISES,
        "[]",
        "i0 = call_i(1, 4, descr=g)",
        "finish()",
    ),
    _fault(
        "loop-invariant calls go",
        "a loop-invariant call whose result nobody needs goes",
        _around(vars(dead_code)["_Liveness"], "_goes", _invariants_go),
        "[]",
        "i0 = call_loopinvariant_i(1)",
        "finish()",
    ),
    _fault(
        "undeclared calls are harmless",
        "memory outlives calls without a descr",
        _around(Facts, "_learn_call", _undeclared_is_harmless),
        "[p0]",
        "i1 = getfield_gc_i(p0, descr=x)",
        "call_n(1)",
        "i2 = getfield_gc_i(p0, descr=x)",
        "finish(i2)",
    ),
    _fault(
        "called too early",
        "a function is called above the guard in front of it",
        _around(pipeline, "walk", _above_its_guard),
        *_G,
        "[i0]",
        "guard_true(i0) []",
        "i1 = call_i(1, descr=g)",
        "finish(i1)",
    ),
    _fault(
        "said of others",
        "what is recorded of a call holds for all of that function",
        _around(Calls, "_learn_call", _said_of_others),
        *_G,
        "[]",
        "i0 = call_i(1, 1, descr=g)",
        "record_known_result(7, 1, 2, descr=g)",
        "i1 = call_i(1, 1, descr=g)",
        "finish(i1)",
    ),
    _fault(
        "functions are blind",
        "stores that a function reads wait behind it",
        _around(heap, "effects_at", _blind),
        *_G[:-1],
        'reads = ["x"]',
        "+++",
        "[p0]",
        "setfield_gc(p0, 1, descr=x)",
        "i1 = call_i(1, p0, descr=g)",
        "setfield_gc(p0, 2, descr=x)",
        "finish(i1)",
    ),
)
