"""Well-formedness of traces that did not come from text."""

from __future__ import annotations

from dataclasses import replace

import pytest

from optimizer.ir.check import IllFormed, check, input_type
from optimizer.ir.floats import Float
from optimizer.ir.ill_formed import Part, Place
from optimizer.ir.rows.ops import OPS, Kind, Type
from optimizer.ir.text import parse
from optimizer.ir.trace import (
    ConstFloat,
    ConstInt,
    ConstRef,
    Exit,
    Operation,
    RawText,
    Trace,
    Value,
    Var,
)

I0, I1, I2, P0, F0 = Var("i0"), Var("i1"), Var("i2"), Var("p0", Type.REF), Var("f0", Type.FLOAT)
FINISH = Operation(OPS["finish"], ())


def op(name: str, *args: Value, to: Var | None = None, exit_: Exit | None = None) -> Operation:
    return Operation(OPS[name], args, to, exit_)


def trace(*operations: Operation, inputs: tuple[Var, ...] = (I0, P0, F0), word: int = 64) -> Trace:
    return Trace(inputs, (*operations, FINISH), word)


def fault(ill_formed: Trace) -> IllFormed:
    with pytest.raises(IllFormed) as caught:
        check(ill_formed)
    return caught.value


def guard(block: tuple[Operation, ...] = (), *failargs: Value | None, origin: int | None = None) -> Operation:
    return op("guard_true", I0, exit_=Exit(failargs, origin, block))


NEG = op("int_neg", I0, to=I1)
OVF = op("int_add_ovf", I0, I0, to=I1)
NO_OVERFLOW = op("guard_no_overflow", exit_=Exit((I1,)))
POSITION = op("jit_debug", RawText("x"))

GOOD = {
    "nothing": trace(inputs=()),
    "a copy of a variable": trace(op("int_add", Var("i0"), I0, to=I1), op("escape_n", Var("i1"))),
    "an overflow and its guard": trace(OVF, POSITION, NO_OVERFLOW),
    "an exit block": trace(guard((NEG, op("int_invert", I1, to=I2)), I2, I0, None, ConstInt(4), ConstRef("NULL"))),
    "the word's range": trace(op("escape_n", ConstInt(-8), ConstInt(7)), word=4),
    "unknown failargs": trace(op("guard_true", I0, exit_=Exit())),
    "guard_value of floats": trace(op("guard_value", F0, ConstFloat(Float(0)), exit_=Exit())),
    "falling origins": trace(guard(origin=3), guard(origin=0)),
}

BAD: dict[str, tuple[Trace, str, int | None, Place]] = {
    # by name: the trace, a part of the message, the index of the operation, the place
    "no operations": (Trace((), ()), "at its end", None, Place(Part.OPERATION)),
    "no end": (Trace((I0,), (NEG,)), "ends with jump or finish", 0, Place(Part.OPERATION)),
    "behind the end": (trace(FINISH), "stands behind finish", 1, Place(Part.OPERATION)),
    "a narrow word": (trace(word=3), "4 to 64 bits, not 3", None, Place(Part.OPERATION)),
    "a wide word": (trace(word=65), "4 to 64 bits, not 65", None, Place(Part.OPERATION)),
    "an input's name": (trace(inputs=(I0, Var("v0"))), "got v0", None, Place(Part.INPUT, 1)),
    "an input's type": (trace(inputs=(Var("i0", Type.REF),)), "got i0", None, Place(Part.INPUT, 0)),
    "an input twice": (trace(inputs=(I0, I0)), "twice", None, Place(Part.INPUT, 1)),
    "too few arguments": (
        trace(op("int_add", I0, to=I1)),
        "int_add takes 2 arguments, got 1",
        0,
        Place(Part.LAST_ARGUMENT),
    ),
    "too many arguments": (
        trace(op("int_neg", I0, I0, to=I1)),
        "int_neg takes 1 argument, got 2",
        0,
        Place(Part.ARGUMENT, 1),
    ),
    "an undefined variable": (trace(op("int_add", I0, I2, to=I1)), "i2 is not", 0, Place(Part.ARGUMENT, 1)),
    "used before": (trace(op("escape_n", I1), NEG), "i1 is not", 0, Place(Part.ARGUMENT, 0)),
    "its own argument": (trace(op("int_neg", I1, to=I1)), "i1 is not", 0, Place(Part.ARGUMENT, 0)),
    "an undefined failarg": (trace(guard((), I0, I1)), "i1 is not", 0, Place(Part.FAILARG, 1)),
    "a variable of two types": (
        trace(op("escape_n", Var("i0", Type.REF))),
        "i0 is a machine int",
        0,
        Place(Part.ARGUMENT, 0),
    ),
    "defined twice": (trace(NEG, NEG), "i1 is defined twice", 1, Place(Part.RESULT)),
    "an input defined": (trace(op("int_neg", I0, to=I0)), "it is an input", 0, Place(Part.RESULT)),
    "a result's type": (trace(op("int_neg", I0, to=Var("i1", Type.REF))), "gives", 0, Place(Part.RESULT)),
    "a result's name": (trace(op("int_neg", I0, to=Var("a b"))), "cannot be", 0, Place(Part.RESULT)),
    "a constant's name": (trace(op("int_neg", I0, to=Var("nan"))), "cannot be", 0, Place(Part.RESULT)),
    "no result": (trace(op("int_neg", I0)), "has a result", 0, Place(Part.OPERATION)),
    "a result of nothing": (trace(op("escape_n", to=I1)), "has no result", 0, Place(Part.RESULT)),
    "an argument's type": (
        trace(op("int_add", I0, P0, to=I1)),
        "argument 2 of int_add must be a machine int, got p0, which is a reference",
        0,
        Place(Part.ARGUMENT, 1),
    ),
    "two types": (
        trace(op("guard_value", P0, I0, exit_=Exit())),
        "must be a reference",
        0,
        Place(Part.ARGUMENT, 1),
    ),
    "too great": (trace(op("escape_n", ConstInt(8)), word=4), "4 bits", 0, Place(Part.ARGUMENT, 0)),
    "too small": (trace(guard((), ConstInt(-9)), word=4), "-2^3 to 2^3 - 1", 0, Place(Part.FAILARG, 0)),
    "not a constant": (
        trace(op("int_signext", I0, I0, to=I1)),
        "must be a constant",
        0,
        Place(Part.ARGUMENT, 1),
    ),
    "too narrow for it": (
        trace(op("int_signext", I0, ConstInt(1), to=I1), word=8),
        "16 bits or more, not of 8",
        0,
        Place(Part.OPERATION),
    ),
    "free text": (trace(op("escape_n", RawText("x"))), "free text", 0, Place(Part.ARGUMENT, 0)),
    "no free text": (trace(op("jit_debug", I0)), "free text", 0, Place(Part.OPERATION)),
    "an overflow alone": (trace(OVF, NEG), "must be followed", 0, Place(Part.OPERATION)),
    "an overflow at the end": (trace(OVF), "must be followed", 0, Place(Part.OPERATION)),
    "two overflows": (
        trace(OVF, op("int_add_ovf", I0, I0, to=I2), NO_OVERFLOW),
        "must be followed",
        0,
        Place(Part.OPERATION),
    ),
    "an overflow's guard alone": (
        trace(NEG, NO_OVERFLOW),
        "directly behind an operation",
        1,
        Place(Part.OPERATION),
    ),
    "its guard twice": (
        trace(OVF, NO_OVERFLOW, NO_OVERFLOW),
        "directly behind an operation",
        2,
        Place(Part.OPERATION),
    ),
    "a guard without an exit": (trace(op("guard_true", I0)), "has no exit", 0, Place(Part.OPERATION)),
    "an exit without a guard": (trace(replace(NEG, exit=Exit())), "not a guard", 0, Place(Part.FAILARGS)),
    "a negative origin": (trace(guard(origin=-1)), "0 or more, got -1", 0, Place(Part.ORIGIN)),
    "out of an exit block": (
        trace(guard((NEG,), I1), op("escape_n", I1)),
        "defined in an exit block",
        1,
        Place(Part.ARGUMENT, 0),
    ),
    "out of an exit block into a failarg": (
        trace(guard((NEG,), I1), guard((), I1)),
        "defined in an exit block",
        1,
        Place(Part.FAILARG, 0),
    ),
    "again behind an exit block": (trace(guard((NEG,)), NEG), "defined twice", 1, Place(Part.RESULT)),
}


@pytest.mark.parametrize("name", GOOD)
def test_accepts(name: str) -> None:
    check(GOOD[name])


@pytest.mark.parametrize("name", BAD)
def test_refuses(name: str) -> None:
    ill_formed, message, index, place = BAD[name]
    caught = fault(ill_formed)
    assert message in caught.message
    assert caught.operation is (None if index is None else ill_formed.ops[index])
    assert caught.place == place


def test_an_exit_block_holds_pure_operations_allocations_and_stores() -> None:
    held = {name for name, row in OPS.items() if row.in_exit_block}
    assert {"int_add", "int_py_div", "same_as_i", "new_with_vtable", "new_array", "setfield_gc"} <= held
    assert not held & {"int_add_ovf", "guard_true", "escape_i", "jump", "debug_merge_point", "call_i", "label"}
    kinds = {OPS[name].kind for name in held}
    assert kinds == {Kind.PURE, Kind.STORE, Kind.RAW_STORE, Kind.NEW, Kind.COPY}
    for name in OPS.keys() - held:
        row = OPS[name]
        args = [{Type.REF: P0, Type.FLOAT: F0}.get(type_, I0) for type_ in row.args or ()]
        inner = Operation(row, tuple(args), None, Exit() if row.is_guard else None)
        caught = fault(trace(guard((inner,))))
        assert "cannot stand in an exit block" in caught.message
        assert caught.operation is inner


def test_says_where_the_first_definition_is() -> None:
    twice = replace(NEG, line=7)
    assert fault(trace(twice, twice)).message == "i1 is defined twice, the first time on line 7"


@pytest.mark.parametrize(
    ("name", "type_"),
    [("i0", Type.INT), ("p", Type.REF), ("r1", Type.REF), ("f0", Type.FLOAT), ("x", None), ("", None)],
)
def test_the_type_of_an_input(name: str, type_: Type | None) -> None:
    assert input_type(name) is type_


def test_what_is_parsed_is_well_formed() -> None:
    check(parse("[i0]\nguard_true(i0) [i1] {\ni1 = int_neg(i0)\n}\njump(i0)"))
