"""Strings: their rows against an independent reference, their text, and what is undefined."""

from __future__ import annotations

from collections import Counter
from random import Random

import pytest
from reference_strings import CALLS, DECLARATIONS, Machine, Text, random_trace

from optimizer.ir.faults import InputError
from optimizer.ir.run.heap import Heap
from optimizer.ir.run.interpreter import TOO_LONG, Finished, Undefined, World, run
from optimizer.ir.run.objects import NULL, Object, Ref
from optimizer.ir.run.runs import Write
from optimizer.ir.text import format_trace, parse
from optimizer.ir.text.heap_printer import format_heap
from optimizer.ir.text.heap_reader import parse_heap
from optimizer.ir.trace import Trace
from optimizer.ir.types.trace_layout import layout_of


def heap_of(trace: Trace, texts: dict[str, Text]) -> Heap:
    heap = Heap(layout_of(trace))
    for name, text in texts.items():
        kind = heap.layout.array("unicode" if text.wide else "str")
        cells = {(f"{kind.name}[]", index): item for index, item in enumerate(text.items) if item is not None}
        heap.add(name, Object(kind, len(text.items), cells))
    return heap


@pytest.mark.parametrize("calls", [False, True])
def test_the_rows_do_what_their_reference_does(calls: bool) -> None:
    ended: Counter[str] = Counter()
    made: Counter[str | None] = Counter()
    for seed in range(400):
        random = Random(seed)
        trace = parse((DECLARATIONS if calls else "") + random_trace(random, calls=calls))
        wide = "unicode" in str(trace.ops)
        texts = {
            name: Text(wide, [random.choice((0, 65, 255)) for _ in range(random.randrange(2, 5))])
            for name in ("p0", "p1")
        }
        ints = [random.choice((0, 1, 1, 2)) for _ in range(2)]
        done = run(trace, [Ref("p0"), Ref("p1"), *ints], heap=heap_of(trace, texts))
        machine = Machine(trace, {**texts, "i0": ints[0], "i1": ints[1]}, done.values)
        wanted = machine.run()
        outcome, heap = done.outcome, done.heap
        assert heap is not None
        if isinstance(wanted, int):
            assert isinstance(outcome, Undefined), seed
            assert outcome.op == wanted, (seed, outcome)
            ended[trace.ops[wanted].descr or trace.ops[wanted].op.name] += 1
            continue
        ended["finish"] += 1
        made.update(op.descr for op in trace.ops)
        assert isinstance(outcome, Finished), (seed, outcome)
        same: dict[object, object] = {}
        for one, other in zip(wanted, outcome.args, strict=True):
            if not isinstance(one, Text):
                assert one == other or (one is None and other == NULL), seed
                continue
            assert isinstance(other, Ref)
            assert same.setdefault(one, other) == other, seed
            held = heap.objects[other]
            key = f"{held.type.name}[]"
            assert [held.value((key, index), 0) for index in range(held.length or 0)] == one.items, seed
        by_items: dict[object, object] = {}
        for items, number in machine.hashes:
            assert number != 0, seed
            assert by_items.setdefault(items, number) == number, seed
        assert len(set(by_items.values())) == len(by_items)
    assert ended["finish"] > 90
    assert min(ended[name] for name in ("strgetitem", "strsetitem", "copystrcontent", "newstr", "strhash")) > 0
    assert not calls or min(made[f"{stem}{what}"] for what in CALLS for stem in ("str", "unicode")) > 0


CANONICAL = {
    '"abc"': '"abc"',
    's"abc"': '"abc"',
    '"a\\x62\\n\\"\\\\"': '"ab\\n\\"\\\\"',
    'u"a\\u20ac\\U0001f600"': 'u"a\\u20ac\\U0001f600"',
    'u"€"': 'u"\\u20ac"',
    '"\\xe9é"': '"\\xe9\\xe9"',
    'ConstPtr("ab")': '"ab"',
    '""': '""',
}


@pytest.mark.parametrize(("written", "canonical"), CANONICAL.items())
def test_constants_have_one_text(written: str, canonical: str) -> None:
    text = format_trace(parse(f"[]\nfinish({written})\n"))
    assert text == f"[]\nfinish({canonical})\n"
    assert format_trace(parse(text)) == text


WRONG = {
    '"€"': "bytes, up to",
    '"\\u20ac"': "the escape",
    'u"\\U00110000"': "code points, up to",
    '"\\q"': "the escape",
}


@pytest.mark.parametrize(("written", "why"), WRONG.items())
def test_what_is_no_string_is_told(written: str, why: str) -> None:
    with pytest.raises(InputError, match=why):
        parse(f"[]\nfinish({written})\n")


HEAPS = [
    'p0 = str["a\\"b\\\\"]\n',
    'p0 = str["abc"]\n',
    'p0 = Refs["abc", NULL, u"x"]\np1 = Node(next="abc")\n"abc" = str["abc"]\nu"x" = unicode[u"x"]\n',
    'p0 = "abc"\n"abc" = str["abc"]\n',
    'p0 = unicode[u"\\u20ac"]\n',
    "p0 = str[7: 1, length=300]\n",
    "p0 = str[1, length=3, ...]\n",
]


@pytest.mark.parametrize("text", HEAPS)
def test_heaps_with_strings_print_as_they_are_read(text: str) -> None:
    layout = layout_of(parse('+++\n[array.Refs]\nitem = "ref"\n+++\n[p0]\nfinish(p0)\n'))
    heap = parse_heap(text, layout)
    assert parse_heap(format_heap(heap), layout) == heap
    assert format_heap(heap) == text


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ('p0 = str[u"abc"]', "stands for items of unicode"),
        ('"abc" = str["abd"]', "is another string"),
        ('"abc" = p0\np0 = str["abc"]', "is an object of its own"),
        ("p0 = str[256]", "from 0 to 255"),
    ],
)
def test_a_wrong_string_in_a_heap_is_told(text: str, why: str) -> None:
    with pytest.raises(InputError, match=why):
        parse_heap(text, layout_of(parse("[p0]\nfinish(p0)\n")))


@pytest.mark.parametrize("section", ["[struct.str]", '[array.unicode]\nitem = "u8"', '[call.str]\nresult = "int"'])
def test_the_types_of_strings_are_not_declared_again(section: str) -> None:
    with pytest.raises(InputError, match="the built-in type of strings"):
        parse(f"+++\n{section}\n+++\n[]\nfinish()\n")


def test_a_string_has_no_descr_of_arrays() -> None:
    with pytest.raises(InputError, match="operations of their own"):
        parse("[p0]\ni1 = getarrayitem_gc_i(p0, 0, descr=str)\nfinish(i1)\n")


@pytest.mark.parametrize(
    ("writes", "found"),
    [('["*"]', 120), ('["gc_bytes"]', 120), ('["str"]', 65), ('["*", "str"]', 65), ('["unicode"]', 120)],
)
def test_an_event_changes_strings_that_it_names(writes: str, found: int) -> None:
    declared = f'+++\n[call.f]\nresult = "void"\nwrites = {writes}\n+++\n'
    called = "call_n(1, p0, descr=f)\n"
    trace = parse(f'{declared}[p0]\n{called}i1 = strgetitem("abc", 0)\ni2 = strgetitem(p0, 0)\nfinish(i1, i2)\n')
    heap = parse_heap('p0 = str["xy"]', layout_of(trace))
    poked = ((Write(Ref('"abc"'), "str", 65, 0), Write(Ref("p0"), "str", 65, 0)),)
    assert run(trace, [Ref("p0")], World(writes=poked), heap).outcome == Finished((97, found))


def test_no_event_changes_the_bytes_of_a_string() -> None:
    trace = parse("[p0, p1]\nescape_n(p0)\ni2 = gc_load_i(p0, 16, 1)\ni3 = gc_load_i(p1, 16, 1)\nfinish(i2, i3)\n")
    heap = parse_heap("p0 = str[length=1]\np1 = Node()", layout_of(trace))
    poked = (tuple(Write(Ref(name), "gc_bytes", 65, 16) for name in ("p0", "p1")),)
    assert run(trace, [Ref("p0"), Ref("p1")], World(writes=poked), heap).outcome == Finished((0, 65))


def test_a_copy_of_too_many_items_is_not_followed() -> None:
    trace = parse("[p0, i1]\np2 = newstr(i1)\ncopystrcontent(p0, p2, 0, 0, i1)\nfinish()\n")
    heap = parse_heap("p0 = str[length=0x1000000000]", layout_of(trace))
    assert run(trace, [Ref("p0"), 1 << 36], heap=heap).outcome == Undefined(1, TOO_LONG)
    assert run(trace, [Ref("p0"), 1 << 10], heap=heap).outcome == Finished(())


@pytest.mark.parametrize(("length", "is_defined"), [(16383, True), (16384, False)])
def test_a_concatenation_that_is_too_long_is_undefined(length: int, is_defined: bool) -> None:
    declared = '+++\nword = 16\n[call.strconcat]\nresult = "ref"\nelidable = true\noopspec = "strconcat"\n+++\n'
    trace = parse(f"{declared}[p0, p1]\np2 = call_r(1, p0, p1, descr=strconcat)\ni3 = strlen(p2)\nfinish(i3)\n")
    heap = parse_heap(f"p0 = str[length=16384]\np1 = str[length={length}]", layout_of(trace))
    outcome = run(trace, [Ref("p0"), Ref("p1")], heap=heap).outcome
    assert outcome == (Finished((32767,)) if is_defined else Undefined(0, "the sum of the lengths overflows"))
    p0, p1 = Text(False, [0] * 16384), Text(False, [0] * length)
    assert Machine(trace, {"p0": p0, "p1": p1}, {}).run() == ([32767] if is_defined else 0)
