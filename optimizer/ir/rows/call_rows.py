"""The rows of calls, of exceptions, and of what else the world decides.

A call's descr says what it is, see `optimizer.ir.types.calls`.
"""

from __future__ import annotations

from typing import Any

from optimizer.ir.rows.domain import Domain
from optimizer.ir.rows.heap_rows import TYPES, guard
from optimizer.ir.rows.row import INT, REF, VOID, DescrKind, Kind, Meaning, Memory, Op, Requirement, Role, Type


def _calls(stem: str, letters: str, **memory: Any) -> list[Op]:
    meaning = Memory(DescrKind.CALL, **memory)
    return [Op(f"{stem}_{letter}", None, TYPES[letter], Kind.EVENT, memory=meaning) for letter in letters]


def _is_true(d: Domain[Any, Any], _h: Any, _none: Any, condition: Any) -> Any:
    return d.ne(condition, d.const(0))


def _inert(name: str, args: tuple[Type, ...] | None, result: Type) -> Op:
    return Op(name, args, result, Kind.EVENT, memory=Memory(inert=True))


def _exception(name: str, args: tuple[Type, ...], result: Type, meaning: Meaning, *requires: Requirement) -> Op:
    return Op(name, args, result, Kind.EXCEPTION, memory=Memory(meaning=meaning, requires=requires, pending=True))


_ITS_CLASS: Requirement = (
    lambda d, h, _none, class_, p: d.eq(class_, h.vtable(p)),
    "the class is not that of the exception",
)
_CAUGHT = Memory(
    passes=lambda d, h, _none, name: h.is_pending(name),
    meaning=lambda d, h, _none, _name: h.take_pending(),
    class_arg=0,
    pending=True,
)


CALL_ROWS = [
    *_calls("call", "irfn"),
    *_calls("call_pure", "irfn", role=Role.FUNCTION),
    *_calls("call_may_force", "irfn"),
    *_calls("call_loopinvariant", "irfn", role=Role.INVARIANT),
    *_calls("call_release_gil", "irfn", function=1),
    *_calls("call_assembler", "irfn"),
    Op("cond_call", None, VOID, Kind.EVENT, memory=Memory(DescrKind.CALL, function=1, happens=_is_true)),
    *_calls("cond_call_value", "i", function=1, happens=lambda d, h, _none, value: d.eq(value, d.const(0))),
    *_calls("cond_call_value", "r", function=1, happens=lambda d, h, _none, value: h.is_null(value)),
    Op("record_known_result", None, VOID, Kind.FACT, memory=Memory(DescrKind.CALL, role=Role.FUNCTION, function=1)),
    _inert("check_memory_error", None, VOID),
    _inert("force_token", (), REF),
    _inert("virtual_ref", None, REF),
    _inert("virtual_ref_finish", None, VOID),
    _inert("keepalive", None, VOID),
    _inert("enter_portal_frame", (INT, INT), VOID),
    _inert("leave_portal_frame", (INT,), VOID),
    guard("guard_no_exception", (), lambda d, h, _none: h.is_clear(), pending=True),
    Op("guard_exception", (INT,), REF, Kind.GUARD, memory=_CAUGHT, constant_args=(0,)),
    guard("guard_not_forced", (), lambda d, h, _none: d.not_(h.is_forced())),
    guard("guard_not_forced_2", (), lambda d, h, _none: d.not_(h.is_forced())),
    guard("guard_future_condition", (), lambda d, h, _none: h.has_future()),
    _exception("save_exception", (), REF, lambda d, h, _none: h.take_pending()),
    _exception("save_exc_class", (), INT, lambda d, h, _none: h.vtable(h.pending())),
    _exception("restore_exception", (INT, REF), VOID, lambda d, h, _none, _class, p: h.set_pending(p), _ITS_CLASS),
]
