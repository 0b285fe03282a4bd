"""What names stand for."""

from __future__ import annotations

import sys
import weakref
from concurrent.futures import ThreadPoolExecutor

import pytest
from reference_heap import DECLARATIONS

from optimizer.ir.faults import InputError
from optimizer.ir.rows.ops import DescrKind, Type
from optimizer.ir.text import parse
from optimizer.ir.trace import Trace
from optimizer.ir.types.layout import Field, Layout
from optimizer.ir.types.trace_layout import layout_of


def layout(text: str = DECLARATIONS, word: int | None = None) -> Layout:
    return layout_of(parse(f"{text}[]\n", word=word))


def test_an_inherited_field_is_one_memory_with_two_demands() -> None:
    base, node = layout().field("Base.tag"), layout().field("Node.tag")
    assert base.key == node.key == "Base.tag"
    assert (base.owner, node.owner) == ("Base", "Node")
    assert (node.type, node.low, node.high, node.declared) == (Type.INT, 0, 255, True)
    assert [field.name for field in layout().struct("Node").fields] == [
        *("tag", "left", "fixed", "value", "next", "flag", "version")
    ]


def test_aliases() -> None:
    assert layout().field("valuedescr") == layout().field("Node.value")
    assert layout().struct("nodesize") == layout().struct("Node")
    assert layout().array("chars") == layout().array("Chars")


def test_arrays() -> None:
    chars, points = layout().array("Chars"), layout().array("Points")
    assert chars.item == Field("Chars[]", "", Type.INT, "Chars", 0, 255, declared=True)
    assert points.item is None
    assert layout().field("Points.y") == points.fields[1] == Field("Points[].y", "y", Type.REF, "Points", declared=True)
    words = layout().array("Words").item
    assert words is not None
    assert words.immutable


def test_all_fields_of_an_immutable_array_of_structs_are_immutable() -> None:
    array = layout('+++\n[array.P]\nimmutable = true\nfields = { x = "int" }\n+++\n').array("P")
    assert [field.immutable for field in array.fields] == [True]


def test_what_is_not_declared() -> None:
    used = layout_of(
        parse("[p0]\np1 = getfield_gc_r(p0, descr=<FieldP Node.next 8>)\nsetarrayitem_gc(p1, 0, NULL, descr=A)")
    )
    field = used.field("<FieldP Node.next 8>")
    assert field == Field("<FieldP Node.next 8>", "<FieldP Node.next 8>", Type.REF)
    assert used.array("A").item == Field("A[]", "", Type.REF)
    assert used.struct("T").vtable == "T"
    assert not used.struct("T").declared
    assert used.field("never").type is Type.INT


@pytest.mark.parametrize(("word", "low", "high"), [(64, -(2**31), 2**31 - 1), (32, None, None), (16, None, None)])
def test_a_field_as_wide_as_a_word_is_not_narrow(word: int, low: int | None, high: int | None) -> None:
    wide = layout('+++\n[struct.S.fields]\na = "i32"\n+++\n', word).field("S.a")
    assert (wide.low, wide.high) == (low, high)


def test_classes() -> None:
    known = layout()
    assert known.is_subclass("Node", "Base")
    assert known.is_subclass("Node", "Node")
    assert not known.is_subclass("Base", "Node")
    assert known.unrelated("Node", "Other")
    assert known.unrelated("Node", "Chars")
    assert not known.unrelated("Node", "Base")
    assert not known.unrelated("Node", "Undeclared")
    assert known.struct_of_vtable("node_vt").name == "Node"
    assert known.struct_of_vtable("4711").name == "4711"


CONSTANTS = """+++
[struct.Base]
[struct.Node]
parent = "Base"
fields = { tag = { type = "int", immutable = true }, other = { type = "ref", immutable = true } }
[const.a]
struct = "Base"
[const.b]
struct = "Node"
same_as = "a"
fields = { tag = 3, other = "NULL" }
[const.c]
[const.d]
same_as = "e"
[const.f]
same_as = "d"
+++
"""


def test_constants() -> None:
    known = layout(CONSTANTS)
    both = known.constant("a")
    assert both is not None
    assert both is known.constant("b")
    assert both.struct is not None
    assert both.struct.name == "Node"
    assert [(field.key, value) for field, value in both.fields] == [("Node.tag", 3), ("Node.other", "NULL")]
    assert known.constant("unheard_of") is None
    assert known.different_constants("a", "b") is False
    assert known.different_constants("a", "c") is True
    assert known.different_constants("e", "f") is False
    assert known.different_constants("a", "unheard_of") is None
    assert known.different_constants("unheard_of", "unheard_of") is False


WRONG = [
    ("getfield_gc_i(p0)", "getfield_gc_i needs the descr of a field behind its arguments"),
    ("getfield_gc_i(p0, descr=Chars)", "Chars is an array, and getfield_gc_i takes a field"),
    ("getfield_gc_i(p0, descr=Node)", "Node is a struct, and getfield_gc_i takes a field"),
    ("getfield_gc_r(p0, descr=Node.value)", "Node.value is declared to hold a machine int, and getfield_gc_r uses it"),
    (
        "getfield_gc_i(p0, descr=Points.x)",
        "Points.x is a field of an array of structs, and getfield_gc_i takes a field",
    ),
    ("getarrayitem_gc_i(p0, 0, descr=Points)", "Points is an array of structs, and getarrayitem_gc_i takes an array"),
    ("arraylen_gc(p0, descr=Node.value)", "Node.value is a field, and arraylen_gc takes an array"),
    ("new(descr=Chars)", "Chars is an array, and new takes a struct"),
    ("new(descr=f)", "f is a call, and new takes a struct"),
    (
        "int_neg(1)\nsetfield_gc(p0, p0, descr=valuedescr)",
        "valuedescr is declared to hold a machine int, and setfield_gc",
    ),
]


@pytest.mark.parametrize(("use", "message"), WRONG, ids=[use for use, _ in WRONG])
def test_wrong_descrs(use: str, message: str) -> None:
    declared = DECLARATIONS.replace("[descr]", '[call.f]\nresult = "int"\n[descr]')
    with pytest.raises(InputError) as caught:
        parse(f"{declared}[p0]\nx = {use}\n")
    assert message in caught.value.message


def test_an_undeclared_field_is_typed_by_its_first_use() -> None:
    with pytest.raises(InputError) as caught:
        parse("[p0]\nsetfield_gc(p0, 1, descr=x)\np1 = getfield_gc_r(p0, descr=x)\n", file="f")
    assert str(caught.value) == (
        "f:3:24: x is used for a machine int, and getfield_gc_r uses it for a reference\n"
        "    p1 = getfield_gc_r(p0, descr=x)\n"
        "                           ^"
    )
    with pytest.raises(InputError, match="x is used as a field before, and arraylen_gc takes an array"):
        parse("[p0]\nsetfield_gc(p0, 1, descr=x)\ni1 = arraylen_gc(p0, descr=x)\n")


def test_narrow_memory_needs_words_of_16_bits() -> None:
    text = f"{DECLARATIONS}[p0]\ni1 = getfield_gc_i(p0, descr=Base.tag)\n"
    parse(text, word=16)
    with pytest.raises(InputError, match=r"Base\.tag is narrow, which needs words of 16 bits or more, not of 8"):
        parse(text, word=8)


def test_two_traces_may_disagree() -> None:
    def use(letter: str) -> Trace:
        return parse(f"[p0]\nx = getfield_gc_{letter}(p0, descr=a)\n")

    assert layout_of(use("r"), use("r")).field("a").type is Type.REF
    with pytest.raises(InputError, match="a is used for a reference, and getfield_gc_i uses it for a machine int"):
        layout_of(use("r"), use("i"))


def test_what_a_descr_stands_for_is_what_its_row_takes() -> None:
    trace = parse(
        f"{DECLARATIONS}[p0]\ni1 = arraylen_gc(p0, descr=Chars)\ni2 = getarrayitem_gc_i(p0, 0, descr=Chars)\n"
    )
    known = layout_of(trace)
    assert known.descr_of(trace.ops[0]) == known.array("Chars") == known.resolve(DescrKind.ARRAY, "Chars")
    assert known.descr_of(trace.ops[1]) == known.array("Chars").item
    assert known.descr_of(trace.ops[2]) is None


def test_what_one_layout_learns_another_one_of_the_same_trace_does_not() -> None:
    trace = parse('[p0]\ni1 = getfield_gc_i(p0, descr=F)\nfinish("a")\n')
    one, other = layout_of(trace), layout_of(trace)
    one.learn_use("G", DescrKind.ITEM, Type.REF, "")
    one.learn_texts(parse('[]\nfinish("b")\n').ops)
    one.learn_roles(parse("[]\ncall_pure_n(1, descr=C)\nfinish()\n"))
    one.constant('"c"')
    one.raw_field("H")
    one.resolve(DescrKind.ITEM, "G")
    told = vars(other)
    assert told.keys() == vars(one).keys()
    assert told == vars(layout_of(trace))
    assert {name for name in told if told[name] != vars(one)[name]} == {
        *("texts", "uses", "_roles", "_raw_fields", "_resolved")
    }


def test_both_traces_are_learned() -> None:
    before = parse("[p0]\ni1 = getfield_gc_i(p0, descr=F)\nfinish(i1)\n")
    after = before.of([*before.ops[:1], *parse("[p0]\ni2 = getfield_gc_i(p0, descr=G)\nfinish(i2)\n").ops])
    assert layout_of(before, after).uses.keys() == {"F", "G"}
    assert layout_of(before).uses.keys() == {"F"}


def test_a_layout_keeps_no_trace() -> None:
    trace = parse("[p0]\nfinish(p0)\n")
    layout_of(trace)
    found = weakref.ref(trace)
    del trace
    assert found() is None


def test_threads_get_the_layouts_of_their_traces() -> None:
    traces = [parse(f"[p0]\ni1 = getfield_gc_i(p0, descr={name})\nfinish(i1)\n") for name in "FGHI"]
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        with ThreadPoolExecutor(4) as threads:
            found = list(threads.map(lambda trace: sorted(layout_of(trace).uses.keys()), traces * 500))
    finally:
        sys.setswitchinterval(interval)
    assert found == [["F"], ["G"], ["H"], ["I"]] * 500
