"""The rows of calls, of exceptions, and of what else the world decides.

A call's descr says what it is, see `optimizer.ir.types.calls`.
"""

from __future__ import annotations

from typing import Any

from optimizer.ir.rows.domain import Domain
from optimizer.ir.rows.heap_rows import TYPES, memory_row
from optimizer.ir.rows.row import INT, REF, VOID, DescrKind, Kind, Memory, Op, Role, Type


def _calls(stem: str, letters: str, **memory: Any) -> list[Op]:
    meaning = Memory(DescrKind.CALL, **memory)
    return [memory_row(f"{stem}_{letter}", None, TYPES[letter], Kind.EVENT, meaning) for letter in letters]


def _is_true(d: Domain[Any, Any], _h: Any, _none: Any, condition: Any) -> Any:
    return d.ne(condition, d.const(0))


def _inert(name: str, args: tuple[Type, ...] | None, result: Type) -> Op:
    return memory_row(name, args, result, Kind.EVENT, Memory(inert=True))


def _exception(name: str, args: tuple[Type, ...], result: Type, memory: Memory) -> Op:
    return memory_row(name, args, result, Kind.EXCEPTION, memory)


def _restore(_d: Domain[Any, Any], h: Any, _none: Any, _class: Any, exception: Any) -> None:
    h.set_pending(exception)


_RESTORE = Memory(
    meaning=_restore,
    pending=True,
    requires=((lambda d, h, _none, class_, p: d.eq(class_, h.vtable(p)), "the class is not that of the exception"),),
)


CALL_ROWS = [
    *_calls("call", "irfn"),
    *_calls("call_pure", "irfn", role=Role.FUNCTION),
    *_calls("call_may_force", "irfn"),
    *_calls("call_loopinvariant", "irfn", role=Role.INVARIANT),
    *_calls("call_release_gil", "irfn", function=1),
    *_calls("call_assembler", "irfn"),
    memory_row("cond_call", None, VOID, Kind.EVENT, Memory(DescrKind.CALL, function=1, happens=_is_true)),
    *_calls("cond_call_value", "i", function=1, happens=lambda d, h, _none, value: d.eq(value, d.const(0))),
    *_calls("cond_call_value", "r", function=1, happens=lambda d, h, _none, value: h.is_null(value)),
    memory_row("record_known_result", None, VOID, Kind.FACT, Memory(DescrKind.CALL, role=Role.FUNCTION, function=1)),
    _inert("check_memory_error", None, VOID),
    _inert("force_token", (), REF),
    _inert("virtual_ref", None, REF),
    _inert("virtual_ref_finish", None, VOID),
    _inert("keepalive", None, VOID),
    _inert("enter_portal_frame", (INT, INT), VOID),
    _inert("leave_portal_frame", (INT,), VOID),
    memory_row(
        "guard_no_exception", (), VOID, Kind.GUARD, Memory(passes=lambda d, h, _none: h.is_clear(), pending=True)
    ),
    memory_row(
        "guard_exception",
        (INT,),
        REF,
        Kind.GUARD,
        Memory(
            passes=lambda d, h, _none, name: h.is_pending(name),
            meaning=lambda d, h, _none, _name: h.take_pending(),
            class_arg=0,
            pending=True,
        ),
        constant_args=(0,),
    ),
    *(
        memory_row(name, (), VOID, Kind.GUARD, Memory(passes=lambda d, h, _none: d.not_(h.is_forced())))
        for name in ("guard_not_forced", "guard_not_forced_2")
    ),
    memory_row("guard_future_condition", (), VOID, Kind.GUARD, Memory(passes=lambda d, h, _none: h.has_future())),
    _exception("save_exception", (), REF, Memory(meaning=lambda d, h, _none: h.take_pending(), pending=True)),
    _exception("save_exc_class", (), INT, Memory(meaning=lambda d, h, _none: h.vtable(h.pending()), pending=True)),
    _exception("restore_exception", (INT, REF), VOID, _RESTORE),
]
