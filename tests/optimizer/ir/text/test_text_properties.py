"""Random texts and traces: nothing but InputError comes out of the parser, and printing is the inverse of parsing."""

from __future__ import annotations

import struct
from contextlib import suppress
from dataclasses import dataclass, field

import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.strategies import DrawFn, SearchStrategy

from optimizer.ir.check import check
from optimizer.ir.faults import InputError
from optimizer.ir.floats import Float
from optimizer.ir.rows.ops import OPS, Kind, Op, Type
from optimizer.ir.text import format_trace, parse
from optimizer.ir.text.declaration_writer import format_declarations
from optimizer.ir.text.declarations import parse_declarations
from optimizer.ir.trace import (
    ConstClass,
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
from optimizer.ir.types.declared import Call, Declarations, Descr, KnownObject, KnownResult
from optimizer.ir.types.memory_types import Array, Struct, declared_field

SEEDS = [
    "[i0, p1]\ni2 = int_add_ovf(i0, 10)\nguard_no_overflow() [i0, p1]\ni3 = getfield_gc_i(p1, descr=Node.value)\n"
    "i4 = int_lt(i2, i3)\n"
    "guard_true(i4, origin=1) [i2, p1, None]\nsetfield_gc(p1, i2, descr=Node.value)\njump(i2, p1)\n",
    "+++\nword = 16\n[struct.A]\nparent = 'B'\n[struct.B.fields]\nx = 'int'\n+++\n[i0]\nguard_true(i0) [p5, i0] {\n"
    "    p5 = new_with_vtable(descr=<A <b>>)\n    setfield_gc(p5, i0, descr=A.x)\n}\nfinish(i0, -1, 0xff)\n",
    '# a\n  [f0, i1]\n  +251: f2 = float_add(f0, 0x1.8p+1) # b\n  debug_merge_point(0, "x) # ")\n'
    '  finish("abc", u"d", NULL/cr, ConstPtr(p(q)), ConstClass(c), nan, 1e5)\n--end of the loop--\n',
    "v0 = getarg(0)\nv1 = load(v0, 1)\nv2 = add(v1, 17)\nv3 = store(v0, 1, v2)\nv4 = alloc()\nstore(v0, 2, v4)\n"
    "v5 = new(T)\nguard_class(v5, T) [v5]\nv6 = get(v5, a)\nv7 = escape(v6)\nprint(v7)\n",
]
PIECES = st.sampled_from(
    [
        *"[](){}=,<>\"'#+-\\.:/ \n\r\t\x00é²٣",
        *["+++\n", "descr=", "origin=", "None", "NULL", "nan", "-inf", "1e999", "ConstPtr(", "/ci", "0x", "i0", "i1"],
        *["getarg(0)", "[i0]\n", "word = 3\n", "[struct.A]\n", "9" * 5000, "<" * 50, "guard_true(i0) [] {\n", "}\n"],
        *[f"{name}(" for name in ("add", "load", "store", "new", "jump", "int_add", "guard_class", "jit_debug")],
    ]
)


def parse_or_fault(text: str) -> Trace | InputError:
    """Nothing else may be raised."""
    try:
        return parse(text, file="f")
    except InputError as fault:
        return fault


def parse_or_complain(text: str) -> None:
    """A trace is well-formed and comes back; a complaint names a place that exists."""
    trace = parse_or_fault(text)
    if isinstance(trace, InputError):
        fault = trace
        lines = text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n").split("\n")
        assert 0 <= fault.line <= len(lines)
        assert fault.message
        assert str(fault).startswith("f:")
        if fault.source:
            assert lines[fault.line - 1] == fault.source
            assert 0 <= fault.column <= len(fault.source) + 1
        return
    check(trace)
    assert parse(format_trace(trace)) == trace


@given(st.text())
def test_any_text(text: str) -> None:
    parse_or_complain(text)


@given(st.lists(PIECES).map("".join))
def test_any_words(text: str) -> None:
    parse_or_complain(text)
    parse_or_complain("[i0]\n" + text)


@given(st.data())
def test_damaged_traces(data: st.DataObject) -> None:
    text = data.draw(st.sampled_from(SEEDS))
    for _ in range(data.draw(st.integers(1, 3))):
        by_line = data.draw(st.booleans())
        parts = text.splitlines(keepends=True) if by_line else list(text)
        first = data.draw(st.integers(0, len(parts)))
        last = data.draw(st.integers(first, min(len(parts), first + 3)))
        middle = parts[first:last]
        damaged: SearchStrategy[list[str]] = st.one_of(
            st.just([]), st.just(middle * 2), st.lists(PIECES, max_size=2), st.just(middle[::-1])
        )
        text = "".join(parts[:first] + data.draw(damaged) + parts[last:])
    parse_or_complain(text)


@pytest.mark.parametrize("text", SEEDS)
def test_the_texts_that_are_damaged_are_whole(text: str) -> None:
    assert parse(text).ops


# Traces of every operation, whatever they would compute.

NAMES = st.from_regex(r"[a-zé_][\w.$]{0,3}", fullmatch=True).filter(lambda name: name not in ("nan", "inf"))
DESCRS = st.sampled_from(["a", "Node.value", "<Calli 8 <r> EF=5>", "TargetToken(1)", "two words"])
LETTERS = {Type.INT: "i", Type.REF: "p", Type.FLOAT: "f"}


def constants(type_: Type, word: int) -> SearchStrategy[Value]:
    names = st.sampled_from(["a", "f(x)", "some name", "1"])
    match type_:
        case Type.INT:
            half = 1 << (word - 1)
            return st.integers(-half, half - 1).map(ConstInt) | names.map(ConstClass)
        case Type.REF:
            texts = [st.just("NULL"), names.map("ConstPtr({})".format), st.sampled_from(['"a # ) \\" b"', 'u""'])]
            return st.one_of(texts).map(ConstRef)
        case _:
            return st.floats().map(lambda value: ConstFloat(Float.of(value)))


@dataclass
class _Scope:
    """What a trace under construction has defined."""

    draw: DrawFn
    word: int
    visible: list[Var] = field(default_factory=list)
    taken: set[str] = field(default_factory=set)

    def define(self, type_: Type, prefix: str = "") -> Var:
        name = prefix + self.draw(NAMES)
        while name in self.taken:
            name += "_"
        self.taken.add(name)
        self.visible.append(Var(name, type_))
        return self.visible[-1]

    def value(self, type_: Type) -> Value:
        known = [var for var in self.visible if var.type is type_]
        values = constants(type_, self.word)
        return self.draw(st.sampled_from(known) | values if known else values)

    def one_of(self, type_: Type) -> Type:
        return self.draw(st.sampled_from([Type.INT, Type.REF])) if type_ is Type.PLACE else type_

    def any_value(self) -> Value:
        return self.value(self.draw(st.sampled_from(list(LETTERS))))

    def operation(self, row: Op) -> Operation:
        draw = self.draw
        args: list[Value]
        if row.raw:
            args = [RawText(draw(st.sampled_from(["", "0, '#) x'", "(", '[{"'])))]
        elif row.args is None:
            args = [self.any_value() for _ in range(draw(st.integers(0, 3)))]
            if row.memory is not None and row.memory.happens is not None:
                args = [self.value(Type.INT if row.result is Type.VOID else row.result), *args]
        else:
            args = [self.any_value() if type_ is Type.ANY else self.value(self.one_of(type_)) for type_ in row.args]
        for index in row.constant_args:
            args[index] = ConstInt(1) if args[index].type is Type.INT else ConstRef("NULL")
        exit_ = self.exit() if row.is_guard else None
        result = self.define(row.result) if row.result is not Type.VOID else None
        descr = None if row.raw else draw(st.none() | DESCRS)
        if row.memory is not None and row.memory.descr is not None:
            type_ = row.result if row.memory.stores is None else args[row.memory.stores].type
            descr = f"{draw(DESCRS)} {row.memory.descr.value} {type_.value}"  # one use, whatever the operation
        return Operation(row, tuple(args), result, exit_, descr)

    def exit(self) -> Exit:
        draw, before = self.draw, list(self.visible)
        rows = [row for row in OPS.values() if row.in_exit_block and row.min_word <= self.word]
        block = [self.operation(draw(st.sampled_from(rows))) for _ in range(draw(st.sampled_from([0, 0, 1, 2])))]
        failargs: tuple[Value | None, ...] | None = None
        if draw(st.booleans()):
            failargs = tuple(None if draw(st.booleans()) else self.any_value() for _ in range(draw(st.integers(0, 3))))
        self.visible = before
        return Exit(failargs, draw(st.none() | st.integers(0, 20)), tuple(block))


@st.composite
def traces(draw: DrawFn) -> Trace:
    scope = _Scope(draw, draw(st.sampled_from([4, 8, 16, 32, 64])))
    types = draw(st.lists(st.sampled_from(list(LETTERS)), max_size=3))
    inputs = tuple([scope.define(type_, LETTERS[type_]) for type_ in types])
    ends = [row for row in OPS.values() if row.kind is Kind.END]
    flag_guards = [row for row in OPS.values() if row.reads_flag]
    middle = [
        row
        for row in OPS.values()
        if row.kind is not Kind.END and not row.reads_flag and not row.of_table and row.min_word <= scope.word
    ]
    operations: list[Operation] = []
    for row in draw(st.lists(st.sampled_from(middle), max_size=6)):
        operations.append(scope.operation(row))
        if row.overflows is not None:
            operations.append(scope.operation(draw(st.sampled_from(flag_guards))))
    operations.append(scope.operation(draw(st.sampled_from(ends))))
    return Trace(inputs, tuple(operations), scope.word, draw(st.just(Declarations()) | declarations()))


@given(traces())
def test_printing_is_the_inverse_of_parsing(trace: Trace) -> None:
    check(trace)
    text = format_trace(trace)
    parsed = parse(text)
    assert parsed == trace
    assert format_trace(parsed) == text


@given(st.floats())
def test_floats_keep_their_bits(value: float) -> None:
    for written in (repr(value), value.hex()):
        read = parse(f"[]\nfinish({written})").end.args[0]
        assert isinstance(read, ConstFloat)
        if value == value:
            assert read.value.bits == struct.unpack("<Q", struct.pack("<d", value))[0]
        assert read == ConstFloat(Float.of(value))


# Declarations that hold together.

SCALARS = (
    st.integers(-(1 << 63), (1 << 63) - 1)
    | st.sampled_from([0, 1 << 63, 0x7FF8000000000000, 0x3FB999999999999A]).map(Float)
    | st.sampled_from(["a", "b c", '"'])
)
TOML_NAMES = st.lists(st.text("ab.- \"'\\\x7fé\n\t", min_size=1, max_size=4), min_size=10, max_size=10, unique=True)


@st.composite
def declarations(draw: DrawFn) -> Declarations:
    names = draw(TOML_NAMES)
    plain = names[1].replace(".", "_")
    flag = st.booleans()
    narrow = st.sampled_from(["int", "ref", "float", "u8", "i32", "bool"])
    immutable = draw(st.sampled_from([{}, {"immutable": True}, {"quasi_immutable": True}]))
    structs = (
        Struct(names[0], names[0], None, draw(flag), (declared_field(names[0], plain, draw(narrow), **immutable),)),
        Struct(names[2], names[3], names[0], draw(flag), (declared_field(names[2], "only", "int", immutable=True),)),
    )
    arrays = (
        Array(names[4], declared_field(names[4], "", draw(narrow), items=True), immutable=draw(flag)),
        Array(names[5], None, (declared_field(names[5], plain, "u8", items=True),), draw(flag)),
    )
    known = KnownResult(tuple(draw(st.lists(SCALARS, max_size=2))), draw(st.integers(-9, 9)))
    effects = st.sampled_from([("*",), (), ("x", f"{names[4]}")])
    calls = (
        Call(names[6], "int", True, draw(flag), draw(flag), draw(flag), "x", draw(effects), draw(effects), (known,)),
        Call(names[7], draw(st.sampled_from(["void", "ref"])), reads=draw(effects), writes=draw(effects)),
    )
    consts = (
        KnownObject("c", struct=names[2], fields=(("only", 3),), same_as=draw(st.sampled_from([None, "d"]))),
        KnownObject(names[9], array=names[4], length=draw(st.integers(0, 5))),
    )
    return Declarations(structs, arrays, calls, (Descr(names[8], f"{names[0]}.{plain}"),), consts, draw(flag))


@given(declarations())
def test_declarations_come_back(declared: Declarations) -> None:
    text = format_declarations(declared)
    assert parse_declarations(text) == declared
    assert format_declarations(parse_declarations(text)) == text


@given(st.lists(PIECES | st.sampled_from(['[call.f]\nresult = "int"\n', "x = 1\n", '"a"', "fields", "."])).map("".join))
def test_any_declarations(text: str) -> None:
    with suppress(InputError):
        declared = parse_declarations(text)
        printed = format_declarations(declared)
        assert_comes_back(declared, printed)


def assert_comes_back(declared: Declarations, printed: str) -> None:
    try:
        assert parse_declarations(printed) == declared
    except InputError:
        pytest.fail(f"not read back: {printed}")
