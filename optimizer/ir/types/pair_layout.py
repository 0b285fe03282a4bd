"""The layouts of traces: what their operations, and those of traces that they are compared with, say of descrs."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from optimizer.ir.faults import InputError
from optimizer.ir.trace import Operation, Trace, all_operations
from optimizer.ir.types.byte_access import RAW_KINDS, check_bytes
from optimizer.ir.types.declared import NO_DECLARATIONS, Declarations
from optimizer.ir.types.layout import Layout, WrongDescr
from optimizer.ir.types.memory_types import RawItem, is_of_object


def learned_of(trace: Trace, declarations: Declarations | None = None) -> Layout:
    """The layout of the recorded trace alone, by its own declarations or by those."""
    layout = Layout(trace.declarations if declarations is None else declarations, trace.word)
    layout.learn_roles(trace)
    _learn_all(layout, all_operations(trace), "before")
    return layout


def pair_layout(*traces: Trace, of_first: Callable[[Trace], Layout] = learned_of) -> Layout:
    """The layout that the traces share, all their operations learned. They have the same width.

    Declarations of one hold for a trace that has none. The first one is told as `before`, others as `after`. Raises
    InputError where the traces have different ones, or use a descr in different ways.
    """
    declarations = NO_DECLARATIONS
    for trace in traces:
        if declarations == NO_DECLARATIONS:
            declarations = trace.declarations
        elif trace.declarations not in (declarations, NO_DECLARATIONS) and not _are_the_same(
            declarations, trace.declarations
        ):
            raise InputError("the traces have different declarations: they must have the same, or one of them none")
    first, *others = traces
    layout = of_first(first) if declarations is first.declarations else learned_of(first, declarations)
    known = set(map(id, all_operations(first))) if others else set()
    for trace in others:
        _learn_all(layout, [one for one in all_operations(trace) if id(one) not in known], "after")
    return layout


def uses_raw(trace: Trace, layout: Layout) -> bool:
    """Does it use raw memory? Raises Unsupported where it uses bytes, of objects too, in a way that is not modelled."""
    found = False
    for operation in all_operations(trace):
        if operation.op.memory is not None and operation.op.memory.descr in RAW_KINDS:
            descr = layout.descr_of(operation)
            if isinstance(descr, RawItem):
                check_bytes(operation, descr, layout.word)
            found |= not is_of_object(descr)
    return found


def _learn_all(layout: Layout, operations: Sequence[Operation], which: str) -> None:
    layout.learn_texts(operations)
    for operation in [one for one in operations if one.op.memory is not None]:
        try:
            layout.learn(operation)
        except WrongDescr as problem:
            message = f"the traces do not agree: {problem}"
            raise InputError(message, file=which, line=operation.line) from None


def _are_the_same(one: Declarations, other: Declarations) -> bool:
    """Do they say the same, in whatever order?"""
    mine, others = one.sections, other.sections
    return one.flags == other.flags and all(set(mine[section]) == set(others[section]) for section in mine)
