"""Faults about calls and exceptions: of an optimizer, and of the validator."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import pytest
from faults.planting import OptimizerFault, Plant, ValidatorFault

from optimizer import pipeline
from optimizer.facts import Facts
from optimizer.ir.calls import Call
from optimizer.ir.ops import OPS, Kind, Role
from optimizer.ir.term import Term
from optimizer.ir.trace import Operation
from optimizer.passes import calls, dead_code
from optimizer.passes.calls import Calls
from optimizer.riders import Answer, Becomes, Needless, Passes
from validator import symbolic_heap, visibility
from validator.call_encoder import CallEncoder
from validator.object_terms import ObjectTerms
from validator.obligations import Obligation, Pair
from validator.symbolic_heap import SymbolicHeap


def _around(owner: Any, name: str, wrong: Callable[..., Any]) -> Plant:
    """What is there goes first to what takes its place, before its arguments."""
    right = vars(owner)[name]
    return lambda patch: patch.setattr(owner, name, lambda *args, **more: wrong(right, *args, **more))


# Of the optimizer.


def _fault(name: str, breaks: str, plant: Plant) -> OptimizerFault:
    return OptimizerFault(name, breaks, "calls", plant)


def _first_argument_only(right: Any, self: Calls, operation: Operation, call: Call) -> Any:
    role, type_, args = right(self, operation, call)
    return role, type_, args[:1]


def _any_function(right: Any, self: Calls, operation: Operation, call: Call) -> Any:
    role, type_, args = right(self, operation, call)
    return role, type_, args[1:]


def _always_clear(right: Any, self: Calls, guard: Operation) -> Answer | None:
    memory = guard.op.memory
    is_check = memory is not None and memory.pending and memory.class_arg is None
    return Passes("planted") if is_check else right(self, guard)


def _keeps_clear(role: Role) -> Callable[..., None]:
    def learn_call(right: Any, self: Calls, operation: Operation, call: Call) -> None:
        clear = self._is_clear
        right(self, operation, call)
        if call.role is role:
            self._is_clear = clear

    return learn_call


def _any_known_result(right: Any, call: Call) -> Any:
    for known in () if call.declared is None else call.declared.results:
        return calls._constant(known.value)
    return right(call)


def _as_in_c(right: Any, self: Calls, operation: Operation, facts: Facts) -> Answer | None:
    answer: Answer | None = right(self, operation, facts)
    if isinstance(answer, Becomes) and answer.op.name in ("int_py_div", "int_py_mod"):
        return replace(answer, op=OPS["int_floordiv" if answer.op.name == "int_py_div" else "int_mod"])
    return answer


def _settled_for_good(right: Any, self: Calls, operation: Operation, call: Call) -> None:
    settled = set(self._settled)
    right(self, operation, call)
    self._settled |= settled


def _always_made(right: Any, operation: Operation, call: Call, facts: Facts) -> Answer | None:
    if operation.result is None:
        return Becomes(OPS[call.name], call.args, "planted")
    return right(operation, call, facts)


def _never_made(right: Any, operation: Operation, call: Call, facts: Facts) -> Answer | None:
    return Needless("planted") if operation.result is None else right(operation, call, facts)


def _goes_with_its_exception(right: Any, self: Any, operation: Operation) -> bool:
    call = calls.call_of(operation, self._layout) if operation.op.kind is Kind.EVENT else None
    return bool(right(self, operation)) or (call is not None and call.is_function)


def _invariants_go(right: Any, self: Any, operation: Operation) -> bool:
    call = calls.call_of(operation, self._layout) if operation.op.kind is Kind.EVENT else None
    return bool(right(self, operation)) or (call is not None and call.is_invariant)


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
        is_plain = call is not None and call.is_function and not call.is_conditional and not call.effects.can_raise
        guard = ops[place - 1]
        if is_plain and guard.op.is_guard and not guard.op.reads_flag and guard.result not in ops[place].args:
            ops[place - 1 : place + 1] = [ops[place], guard]
    return replace(walked, trace=walked.trace.of(ops))


def _reads_once(right: Any, self: Calls, operation: Operation, call: Call) -> None:
    right(self, operation, call)
    self._upheavals = 0


def _said_of_others(right: Any, self: Calls, operation: Operation, call: Call) -> None:
    right(self, operation, call)
    if call.role is Role.RECORD and call.meaning is None:
        for key in list(self._given):
            if key[2][:1] == call.args[:1]:
                self._given[key] = operation.args[0]
                self._calm.add(key)


CALL_FAULTS = (
    _fault(
        "functions of one argument",
        "calls of a function are merged over their arguments",
        _around(Calls, "_key", _first_argument_only),
    ),
    _fault(
        "any function",
        "calls of two functions are merged, and loop-invariant ones too",
        _around(Calls, "_key", _any_function),
    ),
    _fault(
        "calls go with their exceptions",
        "a call goes whatever it may raise, and whatever is pending",
        lambda patch: patch.setattr(Calls, "_may_go", lambda *_: True),
    ),
    _fault("no exceptions", "every check for exceptions passes", _around(Calls, "_guard", _always_clear)),
    _fault(
        "functions do not raise",
        "what a function raises is not pending",
        _around(Calls, "_learn_call", _keeps_clear(Role.FUNCTION)),
    ),
    _fault(
        "events do not raise",
        "what an event raises is not pending",
        _around(Calls, "_learn_call", _keeps_clear(Role.EVENT)),
    ),
    _fault(
        "loop-invariant calls do not raise",
        "what a loop-invariant call raises is not pending",
        _around(Calls, "_learn_call", _keeps_clear(Role.INVARIANT)),
    ),
    _fault(
        "any known result", "a known result is that of all arguments", _around(calls, "_declared", _any_known_result)
    ),
    _fault("read for good", "what belongs to the thread never changes", _around(Calls, "_learn_call", _reads_once)),
    _fault("divided as in C", "Python's division is C's", _around(Calls, "rewrite", _as_in_c)),
    _fault("forced once", "what only events change is checked once", _around(Calls, "_learn_call", _settled_for_good)),
    _fault(
        "conditional calls are made", "a conditional call is made always", _around(calls, "_conditional", _always_made)
    ),
    _fault(
        "conditional calls are not made", "a conditional call is not made", _around(calls, "_conditional", _never_made)
    ),
    _fault(
        "unused calls go",
        "a call whose result nobody needs goes with its exception",
        _around(vars(dead_code)["_Liveness"], "_goes", _goes_with_its_exception),
    ),
    _fault(
        "loop-invariant calls go",
        "a loop-invariant call whose result nobody needs goes",
        _around(vars(dead_code)["_Liveness"], "_goes", _invariants_go),
    ),
    _fault(
        "undeclared calls are harmless",
        "memory outlives calls without a descr",
        _around(Facts, "_learn_call", _undeclared_is_harmless),
    ),
    _fault(
        "called too early",
        "a function is called above the guard in front of it",
        _around(pipeline, "walk", _above_its_guard),
    ),
    _fault(
        "said of others",
        "what is recorded of a call holds for all of that function",
        _around(Calls, "_learn_call", _said_of_others),
    ),
)


# Of the validator.

_RIGHT = "validator/test_call_pairs.py::test_right"
_WRONG = "validator/test_call_pairs.py::test_wrong"
_NOT_PROVED = "validator/test_call_pairs.py::test_not_proved"
_REVIEW = "validator/test_call_review.py"


def _caught(name: str, breaks: str, plant: Plant, *catches: str) -> ValidatorFault:
    return ValidatorFault(name, breaks, "calls", plant, catches)


def _always_made_before(right: Any, self: Pair, *args: Any) -> Obligation:
    made: Obligation = right(self, *args)
    return made._replace(claim=self.terms.true)


def _never(*_: Any) -> Iterator[Obligation]:
    return iter(())


def _one_argument(right: Any, self: ObjectTerms, result: Any, args: Any, events: int) -> Any:
    return right(self, result, args[:1], events)


def _nothing_raised(_right: Any, self: ObjectTerms, *_: Any) -> Any:
    return self.null


def _known_for_all(right: Any, self: CallEncoder, *args: Any) -> Any:
    found = []
    for one in right(self, *args):
        found.append(one.args[1] if one.kind == "either" else one)
    return found


def _forced_at_once(_right: Any, _events: int) -> str:
    return "forced"


def _decided_at_once(right: Any, self: CallEncoder, *args: Any) -> Any:
    given = right(self, *args)
    self._terms.decide(*given)
    return given


def _recorded_is_old(right: Any, self: CallEncoder, *args: Any) -> Any:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(CallEncoder, "_show", lambda *_: None)
        return right(self, *args)


def _settled_for_all(right: Any, self: SymbolicHeap, p: Term, *more: Any) -> Any:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(self, "_lenient", self._lenient and p.kind == "alloc")
        return right(self, p, *more)


CALL_VALIDATOR_FAULTS = (
    _caught(
        "made whenever",
        "a function may be called where it has not been",
        _around(Pair, "_made_before", _always_made_before),
        _WRONG,
    ),
    _caught(
        "exceptions are not compared", "what is pending is not compared", _around(Pair, "_exception", _never), _WRONG
    ),
    _caught(
        "functions of their address",
        "what a function gives does not depend on its arguments",
        _around(ObjectTerms, "applied", _one_argument),
        _WRONG,
    ),
    _caught(
        "functions raise nothing",
        "what a function raises is not pending",
        _around(ObjectTerms, "raised", _nothing_raised),
        _WRONG,
    ),
    _caught(
        "calls raise nothing",
        "no call changes what is pending",
        lambda patch: patch.setattr(CallEncoder, "_raise", lambda *_: None),
        _WRONG,
    ),
    _caught(
        "functions give nothing new",
        "what a function gives is never an object of the trace",
        lambda patch: patch.setattr(CallEncoder, "_show", lambda *_, **__: None),
        _NOT_PROVED,
    ),
    _caught(
        "functions give what is seen",
        "what a function gives is no object that no event has seen, so that it shows none",
        lambda patch: patch.setattr(visibility, "_given", lambda *_: []),
        f"{_REVIEW}::test_not_proved",
    ),
    _caught(
        "decided at once",
        "what a conditional call gives is as old as the first one, made or not",
        _around(CallEncoder, "_asked", _decided_at_once),
        f"{_REVIEW}::test_not_proved",
    ),
    _caught(
        "seen too late",
        "a function gives nothing that it was shown itself",
        lambda patch: patch.setattr(ObjectTerms, "now", lambda _, events: (events, 0)),
        f"{_REVIEW}::test_not_proved",
    ),
    _caught(
        "what is recorded is old",
        "no function is recorded to give an object of the trace",
        _around(CallEncoder, "_record", _recorded_is_old),
        f"{_REVIEW}::test_wrong",
    ),
    _caught(
        "settled for all",
        "what a function gives has been seen, so that its immutable fields are settled",
        _around(SymbolicHeap, "_is_settled", _settled_for_all),
        f"{_REVIEW}::test_not_proved",
    ),
    _caught(
        "conditions of calls",
        "a conditional call counts as made",
        lambda patch: patch.setattr(CallEncoder, "_happens", lambda self, *_: self._terms.true),
        _WRONG,
    ),
    _caught(
        "forced is forced",
        "all guards on forced frames are one",
        _around(symbolic_heap, "forced_name", _forced_at_once),
        _WRONG,
    ),
)
