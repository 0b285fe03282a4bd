"""Declarations: reading, merging, printing, and what is said of bad ones."""

from __future__ import annotations

import time

import pytest

from optimizer.ir.faults import InputError
from optimizer.ir.floats import Float
from optimizer.ir.text import parse
from optimizer.ir.text.declaration_writer import format_declarations
from optimizer.ir.text.declarations import merge, parse_declarations
from optimizer.ir.types.declared import Call, Declarations, Descr, KnownObject, KnownResult
from optimizer.ir.types.layout import Layout
from optimizer.ir.types.memory_types import Array, Struct, declared_field
from validator import Proved, validate

EVERYTHING = """\
[struct.Object]
[struct.Node]
parent = "Object"
vtable = "node_vtable"
cleared = false
[struct.Node.fields]
value = "int"
tag = { type = "u8", immutable = true }
"odd name" = { type = "ref", quasi_immutable = true }
[array.Chars]
item = "u8"
immutable = true
[array.Pairs]
fields = { a = "float", b = { type = "i16" } }
[call.poke]
result = "int"
elidable = true
can_raise = true
oopspec = "int_py_div"
reads = ["Node.value"]
writes = "*"
results = [ { args = [3, -4, 0.5], value = 7 }, { args = ["myptr"], value = true } ]
[call.other]
result = "void"
loop_invariant = true
can_invalidate = true
[call.pure]
result = "ref"
elidable = true
[descr]
valuedescr = "Node.value"
nodesize = "Node"
pairsa = "Pairs.a"
[const.myptr]
struct = "Node"
fields = { tag = 7, "odd name" = "otherptr" }
same_as = "otherptr"
[const.text]
array = "Chars"
length = 13
"""

READ = Declarations(
    structs=(
        Struct("Object", "Object"),
        Struct(
            "Node",
            "node_vtable",
            "Object",
            False,
            (
                declared_field("Node", "value", "int"),
                declared_field("Node", "tag", "u8", immutable=True),
                declared_field("Node", "odd name", "ref", quasi_immutable=True),
            ),
        ),
    ),
    arrays=(
        Array("Chars", declared_field("Chars", "", "u8", items=True), immutable=True),
        Array(
            "Pairs",
            None,
            tuple(declared_field("Pairs", name, of, items=True) for name, of in (("a", "float"), ("b", "i16"))),
        ),
    ),
    calls=(
        Call(
            "poke",
            "int",
            elidable=True,
            can_raise=True,
            oopspec="int_py_div",
            reads=("Node.value",),
            writes=("*",),
            results=(
                KnownResult(
                    (3, -4, Float(0x3FE0000000000000)),
                    7,
                ),
                KnownResult(("myptr",), 1),
            ),
        ),
        Call("other", "void", loop_invariant=True, can_invalidate=True, reads=("*",), writes=("*",)),
        Call("pure", "ref", elidable=True, reads=(), writes=()),
    ),
    descrs=(Descr("valuedescr", "Node.value"), Descr("nodesize", "Node"), Descr("pairsa", "Pairs.a")),
    consts=(
        KnownObject(
            "myptr",
            struct="Node",
            fields=(("tag", 7), ("odd name", "otherptr")),
            same_as="otherptr",
        ),
        KnownObject("text", array="Chars", length=13),
    ),
)


def test_reads_everything() -> None:
    assert parse_declarations(EVERYTHING) == READ
    assert hash(parse_declarations(EVERYTHING)) == hash(READ)


def test_nothing() -> None:
    assert parse_declarations("") == Declarations()
    assert format_declarations(Declarations()) == ""


def test_prints_canonically() -> None:
    text = format_declarations(READ)
    assert parse_declarations(text) == READ
    assert format_declarations(parse_declarations(text)) == text
    assert 'fields = { tag = 7, "odd name" = "otherptr" }' in text
    assert "cleared = false" in text
    assert "writes" in text


def test_prints_defaults_as_nothing() -> None:
    text = '[struct.A]\n\n[call.f]\nresult = "int"\n\n[call.g]\nresult = "int"\nelidable = true\n'
    assert format_declarations(parse_declarations(text)) == text


@pytest.mark.parametrize("number", ["nan", "-nan", "inf", "-inf", "-0.0", "1e300", "0.1"])
def test_known_floats_are_known_by_their_bits(number: str) -> None:
    text = (
        "[struct.A]\nfields = { x = { type = 'float', immutable = true } }\n"
        f"[const.c]\nstruct = 'A'\nfields.x = {number}"
    )
    declarations = parse_declarations(text)
    assert parse_declarations(format_declarations(declarations)) == declarations
    assert (declarations.consts[0].fields[0][1] == Float(1 << 63)) == (number == "-0.0")


def test_the_front_matter_of_a_trace_is_the_same() -> None:
    assert parse(f"+++\n{EVERYTHING}+++\n[i0]\n").declarations == READ


def test_merges() -> None:
    one = parse_declarations("[struct.A]\n[struct.B]")
    two = parse_declarations('[struct.B]\n[array.C]\nitem = "int"')
    both = merge(one, two)
    assert [struct.name for struct in both.structs] == ["A", "B"]
    assert both.arrays == two.arrays
    with pytest.raises(InputError, match="struct B is declared twice, in different ways"):
        merge(one, parse_declarations("[struct.B]\ncleared = false"))


def test_structs_that_are_not_declared_need_not_be_cleared() -> None:
    for text in ("cleared = false\nstring_identity = false\n", "string_identity = false\n"):
        assert format_declarations(parse_declarations(text)) == text
    declared = parse_declarations("cleared = false")
    assert format_declarations(declared) == "cleared = false\n"
    assert not merge(declared, parse_declarations("[struct.A]")).cleared
    layout = Layout(declared)
    assert not layout.struct("B").cleared
    assert layout.struct("B").declared is Layout().struct("B").declared is False


STRUCT = '[struct.A]\nfields = { a = "u8" }\n'

# By what is wrong: the text, the line and column of the fault, and what is said.
BAD = {
    "no TOML": ("a = [1,\n[struct.A]\n", 2, 2, "the declarations are not valid TOML: "),
    "an unknown section": ("[structs.A]", 1, 2, "the outermost table has no key structs; its keys are struct, "),
    "an unknown key": ("[struct.A]\nparnt = 'B'", 2, 1, "[struct.A] has no key parnt; its keys are parent, "),
    "an unknown type": ("[struct.A.fields]\nx = 'long'", 2, 1, "struct.A.fields.x must be one of int, ref, "),
    "a number for a type": ("[struct.A.fields]\nx = 5", 2, 1, "struct.A.fields.x must be one of int, "),
    "a dot": ("[struct.A.fields]\n'x.y' = 'int'", 2, 1, "the name of a field holds no dot, got x.y"),
    "no type": ("[struct.A.fields]\nx = { immutable = true }", 2, 1, "struct.A.fields.x lacks its type"),
    "a list for a struct": ("struct.A = []", 1, 1, "struct.A must be a table, got a list"),
    "a text for a section": ('descr = "x"', 1, 1, 'descr must be a table, got "x"'),
    "a flag of another type": ("[struct.A]\ncleared = 1", 2, 1, "struct.A.cleared must be true or false, got 1"),
    "a name that is none": ("[struct.A]\nparent = ''", 2, 1, "struct.A.parent must be a name in quotes, got"),
    "an unknown parent": ("[struct.A]\nparent = 'B'", 2, 1, "the parent B is not a declared struct"),
    "a cycle": ("[struct.A]\nparent = 'A'", 2, 1, "struct A inherits from itself: A -> A"),
    "a field twice": (
        STRUCT + "[struct.B]\nparent = 'A'\nfields.a = 'int'",
        5,
        1,
        "field a of struct B is inherited from its parent already",
    ),
    "two numbers of types": (
        "[array.A]\nitem = 'int'\ngc_type = 8\n[array.B]\nitem = 'int'\ngc_type = 8",
        6,
        1,
        "arrays A and B have the same gc_type",
    ),
    "two vtables": ("[struct.A]\n[struct.B]\nvtable = 'A'", 2, 2, "structs A and B have the same vtable"),
    "both immutable": (
        "[struct.A.fields]\nx = { type = 'int', immutable = true, quasi_immutable = true }",
        2,
        1,
        "field x is either immutable or quasi_immutable, not both",
    ),
    "a name twice": (STRUCT + "[array.A]\nitem = 'int'", 3, 2, "A is declared twice, as a struct and as an array"),
    "a struct like items": ("[struct.'raw[]']\nfields.x = 'int'", 1, 2, "a name holds no [], got raw[]"),
    "a field like items": ("[struct.A.fields]\n'x[]' = 'int'", 2, 1, "a name holds no [], got x[]"),
    "an array like items": ("[array.'A[]']\nitem = 'int'", 1, 2, "a name holds no [], got A[]"),
    "a call like items": ("[call.f]\nresult = 'int'\nwrites = ['raw[]']", 3, 1, "a name holds no [], got raw[]"),
    "strings": (
        "[array.str]\nitem = 'u8'\nimmutable = true",
        1,
        2,
        "str is the built-in type of strings, and cannot be declared",
    ),
    "an array of nothing": ("[array.A]", 1, 2, "array.A must have either an item or fields"),
    "no result": ("[call.f]\nelidable = true", 1, 2, "call.f lacks its result: one of int, ref, float, void"),
    "an unknown result": ("[call.f]\nresult = 'u8'", 2, 1, "call.f.result must be one of int, ref, float, void"),
    "an unknown field": (
        STRUCT + "[call.f]\nresult = 'int'\nreads = ['A.b']",
        5,
        1,
        "struct A has no field b",
    ),
    "results of an event": (
        "[call.f]\nresult = 'int'\nresults = [{ args = [], value = 1 }]",
        3,
        1,
        "call f has known results, but is not elidable",
    ),
    "a result of another type": (
        "[call.f]\nresult = 'int'\nelidable = true\nresults = [{ args = [], value = 1.5 }]",
        4,
        1,
        "call f gives int, but a known result is float",
    ),
    "two results of the same arguments": (
        "[call.f]\nresult = 'int'\nelidable = true\nresults = [{ args = [3], value = 1 }, { args = [3], value = 2 }]",
        4,
        1,
        "call f has two known results of the same arguments",
    ),
    "half a result": (
        "[call.f]\nresult = 'int'\nresults = [{ args = [] }]",
        3,
        1,
        "a known result has the form { args = [3, 4], value = 7 }",
    ),
    "another name of nothing": ("[descr]\na = 'B'", 2, 1, "B is not a declared struct, array, call or field"),
    "a struct and an array": (
        STRUCT + "[array.C]\nitem = 'u8'\n[const.c]\nstruct = 'A'\narray = 'C'",
        5,
        2,
        "const c is either a struct or an array, not both",
    ),
    "a length of a struct": (
        STRUCT + "[const.c]\nstruct = 'A'\nlength = 1",
        5,
        1,
        "const c has a length, but is not declared as an array",
    ),
    "a negative length": ("[const.c]\nlength = -1", 2, 1, "const.c.length must be a whole number from 0 to"),
    "a mutable field": (
        STRUCT + "[const.c]\nstruct = 'A'\nfields.a = 1",
        5,
        1,
        "field a of struct A may change: its value cannot be known",
    ),
    "a field too wide": (
        STRUCT.replace("'u8'", "x").replace('"u8"', "{ type = 'u8', immutable = true }")
        + "[const.c]\nstruct = 'A'\nfields.a = 256",
        5,
        1,
        "field a of struct A is u8, got 256",
    ),
    "a huge number": ("[const.c.fields]\na = 0x" + "f" * 5000, 2, 1, "const.c.fields.a must be a 64-bit number"),
    "too many digits": ("a = " + "1" * 5000, 1, 0, "a number in the declarations has too many digits"),
    "too deep": ("a = " + "[" * 5000, 1, 0, "the declarations are nested too deeply"),
    "a key of many names": (
        "cleared = true\n" + "a. 'b.c' ." * 51 + "d = 1",
        2,
        1,
        "a key in the declarations has more than",
    ),
    "a table of many names": ("[" + ".".join("a" * 40_000) + "]", 1, 2, "a key in the declarations has more than 100"),
    "many names in braces": (
        "x = {" + ".".join("a" * 101) + " = 1}",
        1,
        6,
        "a key in the declarations has more than 100",
    ),
    "a line of many ancestors": (
        "[struct.S0]\n" + "".join(f"[struct.S{k}]\nparent = 'S{k - 1}'\n" for k in range(1, 1001)),
        2001,
        1,
        "struct S1000 has more than 999 ancestors, the most there may be",
    ),
    "a word in a file of types": ("word = 16", 1, 1, "`word` stands in the front matter of a trace, not in a file"),
}


@pytest.mark.parametrize("name", BAD)
def test_says_what_is_wrong(name: str) -> None:
    text, line, column, message = BAD[name]
    with pytest.raises(InputError) as fault:
        parse_declarations(text, file="types.toml", first_line=10)
    assert fault.value.message.startswith(message)
    assert (fault.value.line, fault.value.column) == (line + 9, column)
    assert fault.value.source == text.split("\n")[line - 1]


def test_a_long_chain_of_parents() -> None:
    chain = "".join(f'[struct.S{n}]\nparent = "S{n + 1}"\n' for n in range(999)) + "[struct.S999]\n"
    assert len(parse_declarations(chain).structs) == 1000
    with pytest.raises(InputError, match="inherits from itself"):
        parse_declarations(chain + 'parent = "S0"')


def test_a_line_of_many_ancestors_is_read() -> None:
    structs = "".join(f"[struct.S{k}]\nparent = 'S{k - 1}'\n" for k in range(1, 1000))
    structs = structs.replace("[struct.S500]\n", "[struct.S500]\nfields = { f500 = 'int' }\n")
    trace = parse(
        f"+++\n{structs}[struct.S0]\n+++\n[p0]\nguard_class(p0, ConstClass(S999)) [p0]\n"
        "i1 = getfield_gc_i(p0, descr=S500.f500)\nfinish(i1)\n"
    )
    assert isinstance(validate(trace, trace), Proved)


def test_many_fields_are_read_at_once() -> None:
    """It took four seconds for four thousand, and four times as much for twice as many."""
    start = time.process_time()
    fields = "".join(f"f{k} = 'int'\n" for k in range(8000))
    trace = parse(f"+++\n[struct.A.fields]\n{fields}+++\n[p0]\ni1 = getfield_gc_i(p0, descr=A.f7999)\nfinish(i1)\n")
    assert trace.ops
    assert time.process_time() - start < 5
