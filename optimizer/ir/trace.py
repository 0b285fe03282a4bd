"""Traces: immutable values.

A trace is its inputs, its operations in order, the last of which is a `jump` or `finish`, and the width of a machine
word in bits. Machine integers, in constants as everywhere, are signed Python integers in [-2**(word-1), 2**(word-1)).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import field
from typing import Any, ClassVar, NamedTuple

from optimizer.ir.floats import Float
from optimizer.ir.immutable import immutable
from optimizer.ir.rows.ops import FLOAT, INT, REF, VOID, Meaning, Memory, Op, Type
from optimizer.ir.text.string_text import constant_name
from optimizer.ir.types.declared import NO_DECLARATIONS, Declarations


class Var(NamedTuple):
    """A variable: an input or the result of an operation. Its name is unique in its trace.

    A tuple, because variables are looked up all the time: tuples are hashed and compared in C.
    """

    name: str
    type: Type = INT

    def __str__(self) -> str:
        return self.name


class ConstInt(NamedTuple):
    """A machine integer; a tuple as variables are."""

    value: int

    @property
    def type(self) -> Type:
        return INT

    def __str__(self) -> str:
        return str(self.value)


@immutable
class ConstRef:
    """`NULL`, `ConstPtr(name)` (an opaque object that existed before the trace) or `"text"`, as it is written."""

    text: str
    type: ClassVar[Type] = REF

    @property
    def name(self) -> str | None:
        """The name of the constant object; None of NULL."""
        return constant_name(self.text)

    def __str__(self) -> str:
        return self.text


@immutable
class ConstClass:
    """`ConstClass(name)`: the address of a class or function, a machine integer that is not known."""

    name: str
    type: ClassVar[Type] = INT

    def __str__(self) -> str:
        return f"ConstClass({self.name})"


@immutable
class ConstFloat:
    """A float, equal to another one if its bits are."""

    value: Float
    type: ClassVar[Type] = FLOAT

    def __str__(self) -> str:
        return str(self.value)


@immutable
class RawText:
    """The arguments of a debug operation, kept as they are written."""

    text: str
    type: ClassVar[Type] = VOID

    def __str__(self) -> str:
        return self.text


Const = ConstInt | ConstRef | ConstClass | ConstFloat | RawText
Value = Var | Const


@immutable
class Exit:
    """The state that a guard hands to the interpreter when it fails.

    `failargs` are the live values, None for a dead slot; without a list they are *unknown* (None), which is not the
    same as empty. `origin` is the number of the guard of the recorded trace whose resume position is used. `block` is
    the exit block: operations that run when the guard fails, before the failargs are read.
    """

    failargs: tuple[Value | None, ...] | None = None
    origin: int | None = None
    block: tuple[Operation, ...] = ()


@immutable
class Operation:
    """One use of an operation. `exit` is there for guards, and for them only. `line` is that of the source, or 0."""

    op: Op
    args: tuple[Value, ...]
    result: Var | None = None
    exit: Exit | None = None
    descr: str | None = None
    line: int = field(default=0, compare=False)

    @property
    def memory(self) -> Memory | None:
        """The meaning on the heap, if it has one; a row of `same_type` has two meanings."""
        return None if self.op.same_type and self.args[0].type is not REF else self.op.memory

    @property
    def passes(self) -> Meaning | None:
        """The condition under which a guard without a meaning on the heap goes on; a row of `same_type` has another
        meaning on floats."""
        return self.op.passes_floats if self.op.same_type and self.args[0].type is FLOAT else self.op.passes

    def on(self, args: tuple[Value, ...], exit_: Exit | None = None) -> Operation:
        """The same operation on other arguments, with another exit if there is one."""
        if exit_ is None and args == self.args:
            return self
        return Operation(self.op, args, self.result, exit_ or self.exit, self.descr, self.line)


class _Walked:
    """A base that weak references can be made to, and that keeps the guards, which are asked for often."""

    __slots__ = ("__weakref__", "guards_found")

    guards_found: tuple[Operation, ...]


@immutable
class Trace(_Walked):
    inputs: tuple[Var, ...]
    ops: tuple[Operation, ...]
    word: int = 64
    declarations: Declarations = NO_DECLARATIONS
    header_line: int = field(default=0, compare=False)

    def __str__(self) -> str:
        from optimizer.ir.text.trace_printer import format_trace  # here: who reads traces alone does not print them

        return format_trace(self)

    def __repr__(self) -> str:
        from optimizer.ir.text.trace_printer import represent

        return represent(self)

    def _repr_pretty_(self, printer: Any, _cycle: bool) -> None:
        printer.text(repr(self))  # Hypothesis and IPython look at fields otherwise

    @property
    def guards(self) -> tuple[Operation, ...]:
        """The guards in order; a guard's number is its index here."""
        found: tuple[Operation, ...] | None = getattr(self, "guards_found", None)
        if found is None:
            found = self.guards_found = tuple([op for op in self.ops if op.op.is_guard])
        return found

    def of(self, operations: Iterable[Operation]) -> Trace:
        """The same trace of other operations."""
        return Trace(self.inputs, tuple(operations), self.word, self.declarations, self.header_line)

    @property
    def end(self) -> Operation:
        return self.ops[-1]


def exit_of(guard: Operation) -> Exit:
    """The exit of an operation that is a guard."""
    assert guard.exit is not None
    return guard.exit


def all_operations(trace: Trace) -> tuple[Operation, ...]:
    """Every operation in the order of the text, those of exit blocks behind their guard."""
    if not [None for op in trace.ops if op.exit is not None and op.exit.block]:
        return trace.ops
    return tuple([one for op in trace.ops for one in (op, *(() if op.exit is None else op.exit.block))])
