"""Declarations of what a pair of a log names: fields, arrays, classes, and what calls do."""

from __future__ import annotations

from collections.abc import Iterator, Set

from optimizer.ir.dialects.pypy_trace import declarations_of, declared_call
from optimizer.ir.immutable import replace
from optimizer.ir.text.string_text import HIGHEST
from optimizer.ir.types.declared import Call, Declarations
from optimizer.ir.types.memory_types import RAW, Struct
from validator.pypy.inferred.effects import CODE, Effect, leaves
from validator.pypy.inferred.fields import Fields
from validator.pypy.inferred.written import reads_written_only
from validator.pypy.printed.calls.copies import Copies
from validator.pypy.printed.calls.functions import allocates_raw, keeps_off, touches_no_object, touches_nothing
from validator.pypy.printed.kinds.tables import CLASS_TESTS, class_name
from validator.pypy.printed.lines import Line
from validator.pypy.printed.straight import Sides

_RESULTS = {"i": "int", "r": "ref", "f": "float", "n": "void"}


def possible(lines: tuple[Line, ...], copies: Copies) -> Iterator[Effect]:
    """The effects that calls of these may have."""
    memories = {found.memory for line in lines if (found := line.access)}
    may_write = (line for line in lines if line.may_write and not touches_no_object(line.function))
    for function in {line.function for line in may_write if line.args not in copies.arrays}:
        if not keeps_off(function):
            yield Effect(function, "invalidates", CODE)
        for memory in [one for one in memories if not keeps_off(function, one)]:
            yield Effect(function, "reads", memory)
            yield Effect(function, "writes", memory)


def declarations(sides: Sides, effects: frozenset[Effect], fields: Fields, copied: Set[str]) -> Declarations:
    """The declarations of what a pair names, where calls do not have these effects, and copy items of these arrays."""
    lines, is_loop = sides.lines, sides.is_peeled or sides.target is not None
    accessed = sorted({found.memory for line in lines if (found := line.access)})
    named = sorted({*accessed, *copied})
    memories = [memory for memory in named if not fields.never_changes(memory)]
    has_bytes = any(line.name.startswith(("gc_load", "gc_store")) for line in lines)
    calls: dict[str, Call] = {}
    for line in lines:
        function = line.function if line.is_call else ""
        call = _declared(line) if function and function not in calls else None
        if call is None:
            continue
        if touches_nothing(function):
            calls[function] = replace(call, reads=(), writes=(), can_invalidate=False)
            continue
        if allocates_raw(function):
            calls[function] = replace(call, reads=(), writes=(RAW,), can_invalidate=False)
            continue
        if call.loop_invariant:  # in a straight line it is a function, and does nothing
            call = replace(call, loop_invariant=False, elidable=True, oopspec=None, can_invalidate=False)
        written = tuple(memory for memory in memories if not leaves(function, memory, effects, fields))
        read = tuple(
            memory
            for memory in named
            if Effect(function, "reads", memory) not in effects and not keeps_off(function, memory)
        )
        if len(written) < len(named) and not has_bytes:
            call = replace(call, writes=(*written, RAW))
        if len(read) < len(named) and not has_bytes:
            call = replace(call, reads=(*read, RAW))
        if Effect(function, "invalidates", CODE) in effects or keeps_off(function):
            call = replace(call, can_invalidate=False)
        calls[function] = call
    told = declarations_of(accessed), fields.declared(accessed), tuple(calls.values())
    certain = replace(told[0], structs=_classes(lines), fields=told[1], calls=told[2])
    return (
        replace(certain, hands_on_unwritten=False) if is_loop and reads_written_only(sides, fields.spans) else certain
    )


def _classes(lines: tuple[Line, ...]) -> tuple[Struct, ...]:
    """The classes that guards ask for, which are different ones; none where it may matter which inherits from which."""
    if any(line.name == "guard_subclass" for line in lines):
        return ()
    names = {class_name(line.args[1]) for line in lines if line.name in CLASS_TESTS}
    return tuple(Struct(name, name, cleared=False) for name in sorted(names - HIGHEST.keys()))


def _declared(call: Line) -> Call | None:
    """The declaration of a call as far as it is printed; that of compiled code prints none, and may do everything."""
    kind = call.name.removeprefix("call_assembler_")
    if kind in _RESULTS:
        return Call(call.function, _RESULTS[kind], can_raise=True, can_invalidate=True)
    return declared_call(call.descr, call.function)
