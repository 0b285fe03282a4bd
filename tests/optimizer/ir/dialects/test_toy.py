"""The toy dialect of the articles: read, and printed back."""

from __future__ import annotations

import pytest

from optimizer.ir.dialects.toy import TOY_OPS, Role, is_toy
from optimizer.ir.dialects.toy_printer import format_toy
from optimizer.ir.faults import InputError, Unsupported
from optimizer.ir.rows.ops import OPS, Type
from optimizer.ir.text import format_trace, parse

# As the articles write it, and in PyPy's dialect.
READ = {
    "arithmetic": (
        "v0 = getarg(0)\nv1 = getarg(1)\nv2 = add(v1, 17)\nv3 = mul(v0, v2)\nv4 = lshift(v3, 1)\n",
        "[i0, i1]\nv2 = int_add(i1, 17)\nv3 = int_mul(i0, v2)\nv4 = int_lshift(v3, 1)\nfinish()\n",
    ),
    "escapes, with names that nobody uses": (
        "var0 = getarg(0)\nvar1 = escape(var0)\nvar2 = print(5)\nescape(var0)\n",
        "[i0]\nescape_n(i0)\nescape_n(5)\nescape_n(i0)\nfinish()\n",
    ),
    "escapes that give something": (
        "var0 = getarg(0)\nvar1 = escape(var0)\nvar2 = add(var1, 1)\nvar3 = escape()\nvar4 = load(var3, 0)\n",
        "[i0]\nvar1 = escape_i(i0)\nvar2 = int_add(var1, 1)\nvar3 = escape_r()\n"
        "var4 = getfield_gc_i(var3, descr=slot0)\nfinish()\n",
    ),
    "loads and stores": (
        "var0 = getarg(0)\nvar1 = load(var0, 0)\nvar2 = store(var0, 4, 5)\nvar3 = escape(var1)\n",
        "[p0]\nvar1 = getfield_gc_i(p0, descr=slot0)\nsetfield_gc(p0, 5, descr=slot4)\nescape_n(var1)\nfinish()\n",
    ),
    "objects in objects": (
        "v0 = getarg(0)\nv1 = alloc()\nv2 = store(v0, 0, v1)\nv3 = load(v0, 0)\nv4 = load(v3, 1)\nv5 = neg(v4)\n",
        "[p0]\nv1 = new(descr=object)\nsetfield_gc(p0, v1, descr=slot0_ref)\n"
        "v3 = getfield_gc_r(p0, descr=slot0_ref)\nv4 = getfield_gc_i(v3, descr=slot1)\nv5 = int_neg(v4)\nfinish()\n",
    ),
    "new without a class": (
        "v0 = getarg(0)\nv1 = new()\nstore(v1, 0, v0)\nescape(v1)\n",
        "[i0]\nv1 = new(descr=object)\nsetfield_gc(v1, i0, descr=slot0)\nescape_n(v1)\nfinish()\n",
    ),
    "dummies": (
        "a1 = dummy(1)\na2 = dummy(2)\nv3 = add(a1, 1)\n",
        "[]\na1 = escape_i(1)\nescape_n(2)\nv3 = int_add(a1, 1)\nfinish()\n",
    ),
    "NULL in a slot": (
        "p0 = getarg(0)\nstore(p0, 0, NULL)\nv1 = load(p0, 0)\nescape(v1)\n",
        "[p0]\nsetfield_gc(p0, NULL, descr=slot0_ref)\nv1 = getfield_gc_r(p0, descr=slot0_ref)\n"
        "escape_n(v1)\nfinish()\n",
    ),
    "each object on its own": (
        "p0 = getarg(0)\np1 = getarg(1)\nv2 = load(p0, 0)\nv3 = load(p1, 0)\nv4 = add(v2, 1)\nv5 = load(v3, 0)\n",
        "[p0, p1]\nv2 = getfield_gc_i(p0, descr=slot0)\nv3 = getfield_gc_r(p1, descr=slot0_ref)\n"
        "v4 = int_add(v2, 1)\nv5 = getfield_gc_i(v3, descr=slot0)\nfinish()\n",
    ),
    "the paper": (
        "# arguments to the trace: p0, p1\nguard_class(p1, BoxedInteger)\ni2 = get(p1, intval)\n"
        "guard_class(p0, BoxedInteger) [p0]\ni3 = get(p0, intval)\ni4 = int_add(i2, i3)\n"
        "p5 = new(BoxedInteger)\nset(p5, intval, i4)\nguard_true(i4)\njump(p5, p1)\n",
        "[p0, p1]\nguard_class(p1, ConstClass(BoxedInteger))\ni2 = getfield_gc_i(p1, descr=intval)\n"
        "guard_class(p0, ConstClass(BoxedInteger)) [p0]\ni3 = getfield_gc_i(p0, descr=intval)\n"
        "i4 = int_add(i2, i3)\np5 = new_with_vtable(descr=BoxedInteger)\nsetfield_gc(p5, i4, descr=intval)\n"
        "guard_true(i4)\njump(p5, p1)\n",
    ),
    "free names in the order of their numbers": (
        "i3 = add(i10, i2)\n",
        "[i2, i10]\ni3 = int_add(i10, i2)\nfinish()\n",
    ),
    "with a header": (
        "[i0, p1]\nv2 = add(i0, 1)\nset(p1, x, v2)\n",
        "[i0, p1]\nv2 = int_add(i0, 1)\nsetfield_gc(p1, v2, descr=x)\nfinish()\n",
    ),
    "an input that is not there, and a name that is taken": (
        "v0 = getarg(0)\nv2 = getarg(2)\ni0 = add(v0, v2)\n",
        "[i0_, i1, i2]\ni0 = int_add(i0_, i2)\nfinish()\n",
    ),
    "names that fit stay": ("i7 = getarg(0)\nx = add(i7, 1)\n", "[i7]\nx = int_add(i7, 1)\nfinish()\n"),
    "exit blocks": (
        "v0 = getarg(0)\nguard_true(v0) [v1] {\nv1 = add(v0, 1)\n}\n",
        "[i0]\nguard_true(i0) [v1] {\n    v1 = int_add(i0, 1)\n}\nfinish()\n",
    ),
    "words of 8 bits": (
        "+++\nword = 8\n+++\nv0 = getarg(0)\nescape(v0)\n",
        "+++\nword = 8\n+++\n[i0]\nescape_n(i0)\nfinish()\n",
    ),
}


@pytest.mark.parametrize("name", READ)
def test_reads(name: str) -> None:
    toy, ours = READ[name]
    trace = parse(toy)
    assert format_trace(trace) == ours
    assert parse(ours) == trace


def test_ours_stays_ours() -> None:
    text = "[p0]\np1 = new(descr=T)\nguard_class(p1, ConstClass(T)) []\nfinish()\n"
    assert format_trace(parse(text)) == text
    assert not is_toy(text)


@pytest.mark.parametrize("text", ["v0 = getarg(0)", "# add(1, 2)\n\n  store (p0, 1, 2)", "[i0]\nx=add(i0, i0)"])
def test_a_toy_is_known_by_its_names(text: str) -> None:
    assert is_toy(text)


@pytest.mark.parametrize("text", ["", "# v0 = getarg(0)", "[p0]\nset = int_add(1, 2)\nescape_n(set)"])
def test_others_are_no_toys(text: str) -> None:
    assert not is_toy(text)


BAD = {
    "a clash": (
        "v0 = getarg(0)\nv1 = add(v0, 1)\nv2 = load(v1, 0)\n",
        "3:11: v1 is used as a machine int and as a reference",
    ),
    "a clash of slots": (
        "v0 = getarg(0)\nstore(v0, 3, 1)\nv1 = load(v0, 3)\nv2 = load(v1, 0)\n",
        "4:11: v1 is used as a machine int and as a reference",
    ),
    "a clash in one slot": (
        "v0 = getarg(0)\nv1 = alloc()\nstore(v0, 3, 1)\nstore(v0, 3, v1)\n",
        "4:14: v1 is used as a reference and as a machine int",
    ),
    "a clash of a constant": (
        "v0 = getarg(0)\nstore(v0, 3, 1)\nstore(v0, 3, NULL)\n",
        "3:14: slot 3 of v0 is used as a machine int and as a reference",
    ),
    "a store that is used": (
        "v0 = getarg(0)\nv1 = store(v0, 0, 1)\nescape(v1)\n",
        "2:6: store gives nothing, but v1 is used",
    ),
    "no number": ("v0 = getarg(x)\n", "1:6: an input has the form v0 = getarg(0)"),
    "no name": ("getarg(0)\n", "1:1: an input has the form v0 = getarg(0)"),
    "a large number": ("v0 = getarg(1000)\n", "1:13: the number of an input is below 1000, got 1000"),
    "twice": ("v0 = getarg(0)\nv1 = getarg(0)\n", "2:13: input 0 has a name already: v0"),
    "a header and getarg": ("[i0]\nv0 = getarg(0)\n", "2:6: the inputs stand in the header already"),
    "a variable for a slot": (
        "v0 = getarg(0)\nv1 = getarg(1)\nv2 = load(v0, v1)\n",
        "3:15: a slot is a number or a name of its own, and v1 is a variable",
    ),
    "arity": ("v0 = getarg(0)\nv1 = add(v0)\n", "2:11: add takes 2 arguments, got 1"),
    "undefined": ("v0 = getarg(0)\nv1 = add(v0, v9)\n", "2:14: v9 is not defined"),
    "no result": ("v0 = getarg(0)\nadd(v0, 1)\n", "2:1: int_add has a result: "),
    "unknown": ("v0 = getarg(0)\nv1 = frob(v0)\n", "2:6: there is no operation frob"),
}


@pytest.mark.parametrize("name", BAD)
def test_says_what_is_wrong(name: str) -> None:
    text, expected = BAD[name]
    with pytest.raises(InputError) as fault:
        parse(text, file="toy")
    assert str(fault.value).startswith(f"toy:{expected}")


@pytest.mark.parametrize("name", [name for name, op in TOY_OPS.items() if op.result is Role.INT])
def test_every_integer_operation_goes_there_and_back(name: str) -> None:
    arity = len(TOY_OPS[name].args or ())
    args = ", ".join(f"v{n}" for n in range(arity))
    toy = "".join(f"v{n} = getarg({n})\n" for n in range(arity)) + f"v{arity} = {name}({args})\nescape(v{arity})\n"
    trace = parse(toy)
    assert trace.ops[0].op is OPS[TOY_OPS[name].name]
    assert format_toy(trace) == toy


def test_the_table_names_operations_of_ours() -> None:
    for op in TOY_OPS.values():
        names = [f"{op.name}_{letter}" for letter in "ir"] if op.typed else [op.name]
        assert all(name in OPS for name in names)
        assert op.result is not Role.INT or OPS[op.name].result is Type.INT


@pytest.mark.parametrize(
    ("text", "toy"),
    [
        ("[i5]\nx = escape_i(i5)\nescape_n(x)\njump(x)", "v0 = getarg(0)\nv1 = escape(v0)\nescape(v1)\njump(v1)\n"),
        ("[]\ni0 = int_add(1, 2)\nfinish(i0)", "v0 = add(1, 2)\nfinish(v0)\n"),
        (
            "[p0, i1]\nguard_class(p0, ConstClass(T), origin=1) [p0]\ni2 = getfield_gc_i(p0, descr=x)\n"
            "p3 = new_with_vtable(descr=T)\nsetfield_gc(p3, i2, descr=x)\nsetfield_gc(p0, p3, descr=y_ref)\n"
            "p4 = getfield_gc_r(p0, descr=slot7_ref)\nsetfield_gc(p4, i1, descr=slot8)\np5 = new(descr=object)\n"
            "setfield_gc(p0, p5, descr=slot7_ref)\njump(p0, i2)",
            "v0 = getarg(0)\nv1 = getarg(1)\nguard_class(v0, T, origin=1) [v0]\nv2 = get(v0, x)\nv3 = new(T)\n"
            "set(v3, x, v2)\nset(v0, y, v3)\nv4 = load(v0, 7)\nstore(v4, 8, v1)\nv5 = alloc()\nstore(v0, 7, v5)\n"
            "jump(v0, v2)\n",
        ),
        (
            "[i0, p1]\ncall_n(i0, descr=d)\np2 = getarrayitem_gc_r(p1, i0, descr=A)\nguard_nonnull(p2) []",
            "v0 = getarg(0)\nv1 = getarg(1)\ncall_n(v0, descr=d)\nv2 = getarrayitem_gc_r(v1, v0, descr=A)\n"
            "guard_nonnull(v2) []\n",
        ),
        (
            "[i0]\ni1 = int_add_ovf(i0, 1)\nguard_no_overflow(origin=2) [i1, None]\nfinish()",
            "v0 = getarg(0)\nv1 = int_add_ovf(v0, 1)\nguard_no_overflow(origin=2) [v1, None]\n",
        ),
    ],
)
def test_prints_in_the_toy_dialect(text: str, toy: str) -> None:
    assert format_toy(parse(text)) == toy
    assert format_toy(parse(toy)) == toy


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("[p0]\nr1 = getfield_gc_r(p0, descr=a)\nescape_n(r1)", "line 2: getfield_gc_r in the toy dialect"),
        ("[p0]\nr1 = getfield_gc_r(p0, descr=a_ref)\nescape_n(r1)", "line 2: getfield_gc_r in the toy dialect"),
        ("[p0]\nescape_n(p0)", "line 1: an input whose type does not show in its uses in the toy dialect"),
        ("[f0]\nf1 = float_neg(f0)", "line 2: float_neg in the toy dialect"),
        ("[i0]\ni1 = escape_i(i0)", "line 2: escape_i in the toy dialect"),
        ("[i0]\nguard_true(i0) [i1] {\ni1 = int_neg(i0)\n}", "line 2: an exit block in the toy dialect"),
        ("+++\nword = 8\n+++\n[i0]", "declarations, and words of other than 64 bits, in the toy dialect"),
        ("[]\nfinish(1)", "line 1: a trace without inputs and toy operations in the toy dialect"),
    ],
)
def test_what_the_toy_dialect_cannot_say(text: str, what: str) -> None:
    with pytest.raises(Unsupported) as fault:
        format_toy(parse(text))
    assert str(fault.value) == what
