"""The readable form of heaps."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.strategies import DrawFn
from reference_heap import DECLARATIONS

from optimizer.ir.faults import InputError
from optimizer.ir.rows.ops import Type
from optimizer.ir.run.heap import Heap
from optimizer.ir.run.objects import NO_INDEX, NULL, Cell, Datum, Object, Ref
from optimizer.ir.text import parse
from optimizer.ir.text.heap_printer import format_heap
from optimizer.ir.text.heap_reader import parse_heap
from optimizer.ir.types.layout import Array, Layout, Struct
from optimizer.ir.types.trace_layout import layout_of

USES = """[p0]
setfield_gc(p0, 1, descr=u)
setfield_gc(p0, p0, descr=Loose.w)
setfield_gc(p0, p0, descr=w)
setfield_gc(p0, 1, descr=<FieldS Node.value 8>)
setarrayitem_gc(p0, 0, p0, descr=Others)
setinteriorfield_gc(p0, 0, 3, descr=inner)
"""
CONSTANTS = """[const.known]
struct = "Base"
fields = { fixed = 6 }
[const.twin]
same_as = "known"
[const.chars]
array = "Chars"
length = 2
"""


def layout() -> Layout:
    declared = DECLARATIONS.replace("[descr]", CONSTANTS + "[descr]")
    return layout_of(parse(declared + USES))


CANONICAL = [
    "",
    "p0 = Node(value=5, next=p1)\np1 = Node(value=7, next=NULL)\np2 = Chars[1, 2, 3]\np3 = p0\n",
    "p0 = Node()\np1 = NULL\nConstPtr(a) = Node(tag=7)\nConstPtr(b) = ConstPtr(a)\n",
    "p0 = Node(tag=1, left=p0, fixed=-2, value=5, next=NULL, flag=1)\n",
    "p0 = Chars[]\np1 = Chars[length=3]\np2 = Chars[7: 1, 2, length=10]\np10 = Refs[p0, NULL]\n",
    "p0 = Raw(b=NULL, ...)\np1 = Chars[1, length=3, ...]\n",
    "p0 = Points[(x=1, y=p0), (z=2), length=4]\np1 = Points[3: (x=1)]\n",
    'p0 = Node("<FieldS Node.value 8>"=3, u=1, w=p0)\np1 = Loose(w=p0, u=2, "w"=p1)\n',
    'p0 = "<SizeDescr 16>"(u=1)\np1 = Some[1, 2](Others[0]=p0, inner[1]=3, u=5)\n',
    "p0 = Loose(anything=5, q=NULL)\n",
]


@pytest.mark.parametrize("text", CANONICAL)
def test_canonical_texts_come_back(text: str) -> None:
    assert format_heap(parse_heap(text, layout())) == text


def test_what_is_read_is_printed_in_order() -> None:
    text = "ConstPtr(a) = p2 # a comment\n\n  p10=Node( next = p2,value=0x10 , )\np2=Node()"
    assert format_heap(parse_heap(text, layout())) == "p2 = Node()\np10 = Node(value=16, next=p2)\nConstPtr(a) = p2\n"


def test_what_is_not_mentioned() -> None:
    known = layout()
    heap = parse_heap("p0 = Raw()\np1 = Raw(...)\np2 = Chars[length=2]\np3 = Chars[length=2, ...]", known)
    number, reference = known.field("Raw.a"), known.field("Raw.b")
    item = known.array("Chars").item
    assert item is not None
    p0, p1, p2, p3 = (Ref(f"p{n}") for n in range(4))
    assert (heap.get(p0, number), heap.get(p0, reference), heap.get(p2, item, 1)) == (0, NULL, 0)
    assert not heap.is_set(p1, number)
    assert heap.is_set(p1, reference)
    assert not heap.is_set(p3, item, 1)


ERRORS = [
    ("p0 = Node(vaule=5)", 11, "there is no field vaule in Node; its fields are tag, left, fixed, value, next, flag"),
    ("p0 = Node(value=5", 18, "expected , or ), got the end of the line"),
    ("p0 = Node(value)", 16, "expected =, got )"),
    ("p0 = Node(value=p9)", 17, "p9 is not described"),
    ("p0 = Node(value=NULL)", 17, "value is a machine int, got NULL"),
    ("p0 = Node(next=5)", 16, "next is a reference, got 5"),
    ("p0 = Node(tag=256)", 15, "tag is from 0 to 255, got 256"),
    ("p0 = Node(value=1, value=2)", 26, "value is given twice"),
    ("p0 = Node(value=99999999999999999999)", 17, "outside the range of a machine int of 64 bits"),
    ("p0 = Node[1]", 6, "Node is a struct: its fields stand in parentheses"),
    ("p0 = Chars(1)", 12, "expected a field, such as value=5, got 1"),
    ("p0 = Chars()", 6, "Chars is an array: its items stand in brackets"),
    ("p0 = Chars[1, 2, 300]", 18, "item 2 is from 0 to 255, got 300"),
    ("p0 = Chars[1, 2, length=1]", 25, "the length is 1, but there is an item 1"),
    ("p0 = Chars[-1: 2]", 12, "expected an index, 0 or more, got -1"),
    ("p0 = Points[1]", 13, "the items of Points are structs, such as (x=1)"),
    ("p0 = Points[(a=1)]", 14, "there is no field a in the structs of Points; their fields are x, y, z"),
    ("p0 = Node(value=5.5)", 17, "value is a machine int, got 5.5"),
    ("p0 = p1", 6, "p1 is not described"),
    ("p0 = Node", 6, "Node is a struct, not an object; Node() is one whose fields are 0 or NULL"),
    ("p0 = Chars", 6, "Chars is an array, not an object; Chars[] is one without items"),
    ("NULL = Node()", 1, "expected the name of an object, such as p0, got NULL"),
    ("p0 = NULL()", 10, "expected the end of the line, got ("),
    ("p0 = ConstPtr(a)[1]", 17, "expected the end of the line, got ["),
    ("p0 = p0", 6, "p0 only stands for itself"),
    ("p0 = Node()\np0 = Node()", 1, "p0 is given twice"),
    ("p0 Node()", 4, "expected =, got Node"),
    ("= Node()", 1, "expected the name of an object, such as p0, got ="),
    ("p0=", 4, "expected an object, such as Node(value=5) or Chars[1, 2], or the name of one, got the end of the line"),
    ("p0 = 5", 6, "expected an object, such as Node(value=5) or Chars[1, 2], or the name of one, got 5"),
    ("p0 = Node() 5", 13, "expected the end of the line, got 5"),
    ("p0 = Node(; )", 11, "the character ; has no meaning here"),
    ("p0 = Node(u=NULL)", 13, "u is a machine int, got NULL"),
    ('p0 = Chars[1]("Node.value"=5)', 15, "Node.value is not memory of this object"),
    ("ConstPtr(a) = NULL", 1, "ConstPtr(a) is an object, not NULL"),
    ("ConstPtr(known) = Other()", 1, "ConstPtr(known) is declared as Base, not as Other"),
    ("ConstPtr(known) = Node(fixed=5)", 1, "ConstPtr(known) is declared with fixed = 6"),
    ("ConstPtr(chars) = Chars[1]", 1, "ConstPtr(chars) is declared with the length 2, not 1"),
    (
        "ConstPtr(known) = Node(fixed=6)\nConstPtr(twin) = Node(fixed=6)",
        1,
        "ConstPtr(known) and ConstPtr(twin) are declared to be one object",
    ),
    (
        "ConstPtr(chars) = Chars[1, 2]\nConstPtr(known) = ConstPtr(chars)",
        1,
        "ConstPtr(chars) and ConstPtr(known) are declared to be different objects",
    ),
]


@pytest.mark.parametrize(("text", "column", "message"), ERRORS, ids=[text for text, _, _ in ERRORS])
def test_errors(text: str, column: int, message: str) -> None:
    with pytest.raises(InputError) as caught:
        parse_heap(text, layout(), file="f")
    assert message in caught.value.message
    assert caught.value.column == column


def test_an_error_as_it_is_told() -> None:
    with pytest.raises(InputError) as caught:
        parse_heap("p1 = Node()\np0 = Node(next=p2)", layout(), file="a.heap")
    assert str(caught.value) == "a.heap:2:16: p2 is not described\n    p0 = Node(next=p2)\n                   ^"


PIECES = [
    "p0",
    "p1",
    "Node",
    "Chars",
    "Points",
    "u",
    "value",
    "next",
    "(",
    ")",
    "[",
    "]",
    "=",
    ",",
    ":",
    "...",
    "5",
    " ",
]
PIECES += ["\n", "NULL", "length", "ConstPtr(a)", '"w"', "-1", "0x", "\x00", "p0 = Node(", "p1 = Chars["]


def read_or_fault(text: str, known: Layout) -> Heap | InputError:
    """Nothing else may be raised."""
    try:
        return parse_heap(text, known)
    except InputError as fault:
        return fault


@given(st.lists(st.sampled_from(PIECES), max_size=25).map("".join))
def test_any_words(text: str) -> None:
    known = layout()
    heap = read_or_fault(text, known)
    if isinstance(heap, InputError):
        assert heap.message
        assert 0 < heap.line <= text.count("\n") + 1
        return
    printed = format_heap(heap)
    assert parse_heap(printed, known) == heap
    assert format_heap(parse_heap(printed, known)) == printed


@st.composite
def heaps(draw: DrawFn) -> Heap:
    heap = Heap(layout())
    names = [f"p{number}" for number in range(draw(st.integers(0, 5)))] + draw(st.sampled_from([[], ["ConstPtr(a)"]]))
    refs = st.sampled_from([NULL, *map(Ref, names)])

    def value(type_: Type, low: int, high: int) -> Datum:
        return draw(refs) if type_ is Type.REF else draw(st.integers(low, high))

    for name in names:
        cells: dict[Cell, Datum] = {}
        kind = draw(st.sampled_from(["Node", "Other", "Raw", "Loose", "Chars", "Refs", "Points", "Unknown"]))
        is_array = draw(st.booleans()) if kind == "Unknown" else kind in ("Chars", "Refs", "Points")
        type_: Struct | Array = heap.layout.array(kind) if is_array else heap.layout.struct(kind)
        length = draw(st.integers(0, 4)) if isinstance(type_, Array) else None
        own = [type_.item] if isinstance(type_, Array) and type_.item is not None else type_.fields
        loose = [heap.layout.field(text) for text in ("u", "w", "Loose.w", "<FieldS Node.value 8>")]
        for slot in draw(st.lists(st.sampled_from([*own, *loose]), unique=True)):
            is_own = slot in own and length is not None
            for index in range(length) if is_own and length is not None else [NO_INDEX]:
                if draw(st.booleans()):
                    cells[slot.key, index] = value(slot.type, slot.low or 0, slot.high or 9)
        if length is not None and draw(st.booleans()):
            cells["Others[]", draw(st.integers(0, 3))] = draw(refs)
        heap.add(name, Object(type_, length, cells, draw(st.booleans())))
    for alias in draw(st.lists(st.sampled_from(["q0", "q1", "ConstPtr(b)"]), unique=True)):
        target = draw(refs)
        if target != NULL or alias.startswith("q"):
            heap.names[alias] = target
    return heap


@given(heaps())
def test_printing_is_the_inverse_of_parsing(heap: Heap) -> None:
    text = format_heap(heap)
    read = parse_heap(text, heap.layout)
    assert read == heap
    assert format_heap(read) == text
