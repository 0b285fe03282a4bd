"""Traces as text: what is read, and how it is printed back."""

from __future__ import annotations

import pytest

from optimizer.ir.faults import InputError
from optimizer.ir.floats import Float
from optimizer.ir.rows.ops import OPS, Kind, Type
from optimizer.ir.text import format_operation, format_trace, parse
from optimizer.ir.text.declarations import parse_declarations
from optimizer.ir.trace import ConstClass, ConstFloat, ConstInt, ConstRef, RawText, Value, Var, exit_of

# As it is written, and as it is printed where that differs.
CANONICAL = {
    "inputs by letter": ("[i0, p1, r2, f3]\njump(i0, p1, r2, f3)\n", None),
    "no inputs": ("[]\nfinish()\n", None),
    "an excerpt ends by finish": ("[i0]\ni1 = int_neg(i0)\n", "[i0]\ni1 = int_neg(i0)\nfinish()\n"),
    "a header alone": ("[i0]", "[i0]\nfinish()\n"),
    "free names": (
        "[i_x]\np5 = int_add(i_x, 1)\nr.b$ = int_neg(p5)\nfinish(r.b$)\n",
        None,
    ),
    "jump with another number of arguments": ("[i0, i1]\njump(i0)\n", None),
    "offsets": (
        "[i0]\n+251: i1 = int_neg(i0)\n+255: jump(i1)\n",
        "[i0]\ni1 = int_neg(i0)\njump(i1)\n",
    ),
    "comments": (
        "# one\n[i0] # two\n  # three\ni1 = int_neg(i0) # four ) ] }\njump(i1)#five\n",
        "[i0]\ni1 = int_neg(i0)\njump(i1)\n",
    ),
    "indentation, tabs, blank lines": (
        "\n\t[i0]\n\n\ti1\t=\tint_neg ( i0 )\n  \n\tjump(i1)",
        "[i0]\ni1 = int_neg(i0)\njump(i1)\n",
    ),
    "CRLF and a byte order mark": ("\ufeff[i0]\r\njump(i0)\r\n", "[i0]\njump(i0)\n"),
    "CR alone": ("[i0]\rjump(i0)\r", "[i0]\njump(i0)\n"),
    "the end mark of a log": ("[i0]\njump(i0)\n--end of the loop--\n", "[i0]\njump(i0)\n"),
    "suffixes of constants": (
        "[i0, p0, f0]\nfinish(5/ci, NULL/cr, 1.5/cf, ConstClass(x)/ci)\n",
        "[i0, p0, f0]\nfinish(5, NULL, 1.5, ConstClass(x))\n",
    ),
    "bit patterns": (
        "[]\nfinish(0xffffffffffffffff, 0x8000000000000000, 0X7F)\n",
        "[]\nfinish(-1, -9223372036854775808, 127)\n",
    ),
    "the least and the greatest": ("[]\nfinish(-9223372036854775808, 9223372036854775807)\n", None),
    "floats": (
        "[]\nfinish(1.5, 1., .5, -0.0, 1e5, nan, inf, -inf, 0x1.8p+1, -0x1p-1074, 1E-3)\n",
        "[]\nfinish(1.5, 1.0, 0.5, -0.0, 100000.0, nan, inf, -inf, 3.0, -5e-324, 0.001)\n",
    ),
    "strings": ('[]\nfinish("a # ), b", u"\\"\\\\", "")\n', None),
    "opaque constants": (
        "[]\nfinish(ConstPtr(ptr1), ConstPtr( a b(c, d) ), ConstClass(f(g(h))))\n",
        "[]\nfinish(ConstPtr(ptr1), ConstPtr(a b(c, d)), ConstClass(f(g(h))))\n",
    ),
    "failargs": ("[i0]\nguard_true(i0) [i0, None, 5, NULL]\njump()\n", None),
    "no failargs": ("[i0]\nguard_true(i0) []\njump()\n", None),
    "unknown failargs": ("[i0]\nguard_true(i0)\njump()\n", None),
    "origins": (
        "[i0]\nguard_true( i0,origin = 3 )[i0]\njump()\n",
        "[i0]\nguard_true(i0, origin=3) [i0]\njump()\n",
    ),
    "origin in front of the descr": (
        "[i0]\nguard_true(i0, origin=3, descr=<G>)\njump()\n",
        "[i0]\nguard_true(i0, descr=<G>, origin=3)\njump()\n",
    ),
    "an exit block": (
        "[i0]\nguard_true(i0) [p5, i0] { # rebuild\n  # more\n p5 = new_with_vtable(descr=Box)\n"
        "setfield_gc(p5, i0, descr=Box.a)\n  } # done\njump()\n",
        "[i0]\nguard_true(i0) [p5, i0] {\n    p5 = new_with_vtable(descr=Box)\n"
        "    setfield_gc(p5, i0, descr=Box.a)\n}\njump()\n",
    ),
    "an empty exit block": (
        "[i0]\nguard_true(i0) [] {\n}\njump()\n",
        "[i0]\nguard_true(i0) []\njump()\n",
    ),
    "an exit block with unknown failargs": ("[i0]\nguard_true(i0) {\n    i1 = int_neg(i0)\n}\njump()\n", None),
    "debug operations": (
        "[]\ndebug_merge_point(0, 0, 're \" # ( [17. 4) x')\njit_debug( a ) # b\nfinish()\n",
        "[]\ndebug_merge_point(0, 0, 're \" # ( [17. 4) x')\njit_debug( a )\nfinish()\n",
    ),
    "labels": ("[i0]\nlabel(i0, descr=TargetToken(123))\njump(i0, descr=TargetToken(123))\n", None),
    "a guard with a result": ("[]\np1 = guard_exception(ConstClass(E)) []\nfinish(p1)\n", None),
    "guard_value of references": ("[p0]\nguard_value(p0, ConstPtr(x)) []\nfinish()\n", None),
    "positions behind an overflow": (
        "[i0]\ni1 = int_add_ovf(i0, 1)\ndebug_merge_point()\nguard_no_overflow() [i1]\nfinish()\n",
        None,
    ),
    "words of 16 bits": ("+++\nword = 16\n+++\n[]\nfinish(-32768, 32767)\n", None),
    "declarations": (
        '# a\n\n+++\n[descr]\na = "N"\n[struct.N]\n+++\n[]\n',
        '+++\n[struct.N]\n\n[descr]\na = "N"\n+++\n[]\nfinish()\n',
    ),
}

DESCRS = [
    "Node.value",
    "a",
    "<FieldS list.length 8>",
    "<Calli 8 rr EF=5>",
    "<A <B, <C>> (d, e)>",
    "TargetToken(140, 3)",
    "<FieldP pypy.module.__builtin__.W_Range.inst_x 16 pure>",
    "<rpython.jit.ResumeGuardDescr object at 0x7f>",
    '"quoted, #)"',
    "two words",
]


@pytest.mark.parametrize("name", CANONICAL)
def test_prints_canonically(name: str) -> None:
    text, printed = CANONICAL[name]
    trace = parse(text)
    assert format_trace(trace) == (printed or text)
    assert parse(format_trace(trace)) == trace


@pytest.mark.parametrize("descr", DESCRS)
def test_reads_descrs(descr: str) -> None:
    trace = parse(f"[p0]\ni1 = getfield_gc_i(p0, descr= {descr} ) # x\njump(p0)")
    assert trace.ops[0].descr == descr
    assert trace.ops[0].args == (trace.inputs[0],)
    assert parse(format_trace(trace)) == trace


def test_types_results_by_operation_and_inputs_by_letter() -> None:
    trace = parse("[i0, p1, r2, f3]\np5 = getfield_gc_i(p1, descr=a)\nf6 = getfield_gc_r(r2, descr=b)")
    assert [var.type for var in trace.inputs] == [Type.INT, Type.REF, Type.REF, Type.FLOAT]
    assert [operation.result for operation in trace.ops] == [Var("p5"), Var("f6", Type.REF), None]


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("-3", ConstInt(-3)),
        ("0xFFFFFFFFFFFFFFFE", ConstInt(-2)),
        ("NULL", ConstRef("NULL")),
        ("ConstPtr(a)", ConstRef("ConstPtr(a)")),
        ("ConstClass(a)", ConstClass("a")),
        ('u"x"', ConstRef('u"x"')),
        ("1.0", ConstFloat(Float(0x3FF0000000000000))),
        ("0x1.8p+1", ConstFloat(Float(0x4008000000000000))),
        ("-0.0", ConstFloat(Float(1 << 63))),
        ("nan", ConstFloat(Float(0x7FF8000000000000))),
        ("-inf", ConstFloat(Float(0xFFF0000000000000))),
    ],
)
def test_reads_constants(text: str, value: Value) -> None:
    assert parse(f"[]\nfinish({text})").end.args == (value,)


def test_a_guard_without_a_list_has_unknown_failargs() -> None:
    trace = parse("[i0]\nguard_true(i0)\nguard_true(i0) []\nguard_true(i0, origin=0) [None, i0]")
    unknown, none, two = (exit_of(guard) for guard in trace.guards)
    assert unknown.failargs is None
    assert none.failargs == ()
    assert two.failargs == (None, trace.inputs[0])
    assert (unknown.origin, two.origin) == (None, 0)


def test_keeps_the_text_of_debug_operations() -> None:
    trace = parse("[]\ndebug_merge_point(0, ')#]', (1) ) # (")
    assert trace.ops[0].args == (RawText("0, ')#]', (1) "),)


def test_a_variable_is_one_object() -> None:
    trace = parse("[i0]\ni1 = int_add(i0, i0)\nguard_true(i1) [i1]\njump(i1)")
    used = [trace.ops[0].result, *trace.ops[1].args, *(exit_of(trace.ops[1]).failargs or ()), *trace.end.args]
    assert {id(var) for var in used} == {id(trace.ops[0].result)}


def test_remembers_lines() -> None:
    trace = parse("# a\n[i0]\n\nguard_true(i0) [i1] {\ni1 = int_neg(i0)\n}\njump()")
    assert trace.header_line == 2
    assert [operation.line for operation in trace.ops] == [4, 7]
    assert exit_of(trace.ops[0]).block[0].line == 5
    assert trace == parse("[i0]\nguard_true(i0) [i1] {\ni1 = int_neg(i0)\n}\njump()")


def test_the_word_comes_from_the_argument_or_the_front_matter() -> None:
    assert parse("[]").word == 64
    assert parse("[]", word=8).word == 8
    assert parse("+++\nword = 8\n+++\n[]", word=8).word == 8
    assert parse("[]\nfinish(0xff)", word=8).end.args == (ConstInt(-1),)
    with pytest.raises(InputError, match="words of 8 bits, but words of 16"):
        parse("+++\nword = 8\n+++\n[]", word=16)
    with pytest.raises(InputError, match="4 to 64"):
        parse("[]", word=3)


def test_adds_given_declarations_to_the_front_matter() -> None:
    types = parse_declarations("[struct.Base]")
    trace = parse('+++\n[struct.Node]\nparent = "Base"\n+++\n[]', types=types)
    assert [struct.name for struct in trace.declarations.structs] == ["Base", "Node"]
    assert parse("[]", types=types).declarations == types
    with pytest.raises(InputError, match="struct Base is declared twice"):
        parse("+++\n[struct.Base]\ncleared = false\n+++\n[]", types=types)


def test_formats_one_operation_without_its_exit_block() -> None:
    trace = parse("[i0]\nguard_true(i0) [i1] {\ni1 = int_neg(i0)\n}")
    assert format_operation(trace.ops[0]) == "guard_true(i0) [i1]"


def _use(name: str) -> str:
    """A line that uses the operation, whatever it takes."""
    row = OPS[name]
    samples = {Type.INT: "i0", Type.REF: "p0", Type.FLOAT: "f0", Type.ANY: "i0", Type.PLACE: "i0"}
    constants = {Type.INT: "4", Type.REF: "NULL"}
    types = (row.result if row.result in samples else Type.INT, Type.INT) if row.args is None else row.args
    args = [samples[type_] for type_ in types]
    for index in row.constant_args:
        args[index] = constants[types[index]]
    if row.memory is not None and row.memory.descr is not None:
        args.append("descr=a")
    text = f"{name}({', '.join(args)})"
    return text if row.result is Type.VOID else f"x = {text}"


@pytest.mark.parametrize("name", OPS)
def test_reads_every_operation_of_the_table(name: str) -> None:
    row = OPS[name]
    before = "y = int_add_ovf(i0, 1)\n" if row.reads_flag else ""
    behind = "\nguard_no_overflow() [x]" if row.overflows is not None else ""
    trace = parse(f"[i0, p0, f0]\n{before}{_use(name)}{behind}\n")
    wanted = OPS["same_as_r"] if row.of_table else row
    assert any(operation.op is wanted for operation in trace.ops)
    assert trace.end.op.kind is Kind.END
    assert parse(format_trace(trace)) == trace
