"""Raw memory: what descrs say, fields of raw structs, events, the text of heaps, and what is not modelled."""

from __future__ import annotations

import pytest
from declared_calls import event
from runs_compared import compare_runs

from optimizer.ir.faults import InputError, Unsupported
from optimizer.ir.rows.ops import Type
from optimizer.ir.run.heap import Heap
from optimizer.ir.run.heap_comparison import visible_heap
from optimizer.ir.run.interpreter import Finished, Program, Run, World, run
from optimizer.ir.run.objects import NULL, RAW_REF, Datum
from optimizer.ir.run.runs import Write
from optimizer.ir.text import parse
from optimizer.ir.text.heap_printer import format_heap
from optimizer.ir.text.heap_reader import parse_heap
from optimizer.ir.types.call_questions import effects_at
from optimizer.ir.types.memory_types import BYTES, RawItem
from optimizer.ir.types.trace_layout import layout_of

CALLS = (
    """+++
[struct.Node.fields]
value = "int"
tag = "u8"
"""
    + event("none")
    + event("all", reads="raw", writes="raw")
    + event("one", writes="Node.value")
    + "+++\n"
)


def ran(text: str, inputs: list[Datum], heap: str = "", world: World | None = None) -> Run:
    trace = parse(text)
    return run(trace, inputs, world, parse_heap(heap, layout_of(trace)) if heap else None)


@pytest.mark.parametrize(
    ("descr", "word", "item"),
    [
        ("<ArrayU 1>", 64, RawItem(1, False, Type.INT)),
        ("<ArrayS 4>", 64, RawItem(4, True, Type.INT)),
        ("<ArrayS 8>", 64, RawItem(8, True, Type.INT)),
        ("anything", 64, RawItem(8, True, Type.INT)),
        ("anything", 32, RawItem(4, True, Type.INT)),
        ("Chars", 32, RawItem(1, False, Type.INT)),
        ("chars", 16, RawItem(1, False, Type.INT)),
        ("Shorts", 16, RawItem(2, True, Type.INT)),
        ("Words", 24, RawItem(3, True, Type.INT)),
    ],
)
def test_descrs_say_sizes_and_signs(descr: str, word: int, item: RawItem) -> None:
    trace = parse(
        '+++\n[array.Chars]\nitem = "u8"\n[array.Shorts]\nitem = "i16"\n[array.Words]\nitem = "int"\n'
        f'[descr]\nchars = "Chars"\n+++\n[i0]\ni1 = raw_load_i(i0, 0, descr={descr})',
        word=word,
    )
    assert layout_of(trace).descr_of(trace.ops[0]) == item


@pytest.mark.parametrize(
    ("line", "word", "message"),
    [
        ("i1 = raw_load_i(i0, 0, descr=<ArrayS 8>)", 32, "raw_load_i takes 8 bytes, and a word has 32 bits"),
        ("i1 = gc_load_i(i0, 0, 3)", 64, "gc_load_i takes a size of 1, 2, 4 or 8 bytes (negative: signed), got 3"),
        ("i1 = gc_load_i(i0, 0, i0)", 64, "argument 3 of gc_load_i must be a constant, got i0"),
        ("gc_store(i0, 0, 1, 8)", 32, "gc_store takes 8 bytes, and a word has 32 bits"),
        ("i1 = raw_load_i(i0, 0)", 8, "raw_load_i needs words of 16 bits or more, not of 8"),
        ("i1 = getfield_raw_i(i0)", 64, "getfield_raw_i needs the descr of a field of a raw struct"),
        ("setarrayitem_gc(p0, 0, 1, descr=raw)", 64, "raw stands for raw memory, and setarrayitem_gc takes an array"),
        ("setfield_gc(p0, 1, descr=raw[])", 64, "a name holds no [], got raw[]"),
        ("setfield_gc(p0, 1, descr=gc_bytes[])", 64, "a name holds no [], got gc_bytes[]"),
        ("setinteriorfield_gc(p0, 0, 1, descr=raw[].x)", 64, "a name holds no [], got raw[].x"),
    ],
)
def test_what_is_wrong_is_told(line: str, word: int, message: str) -> None:
    with pytest.raises(InputError) as caught:
        parse(f"[i0, p0]\n{line}", word=word)
    assert message in str(caught.value)


def test_a_declared_array_is_not_raw_memory() -> None:
    with pytest.raises(InputError, match="raw stands for raw memory, and setarrayitem_gc takes an array"):
        parse("+++\n[array.raw]\nitem = 'int'\n+++\n[p0]\nsetarrayitem_gc(p0, 0, 1, descr=raw)")


@pytest.mark.parametrize(
    ("lines", "what"),
    [
        ("p1 = gc_load_r(i0, 0, 8)", "gc_load_r of a reference in raw memory"),
        ("p1 = gc_load_r(p0, 0, 4)", "gc_load_r of a reference in 4 bytes"),
        ("f1 = gc_load_f(p0, 0, 4)", "gc_load_f of a float in 4 bytes"),
        ("raw_store(i0, 0, p0, descr=a)", "raw_store of a reference"),
        ("f1 = raw_load_f(i0, 0, descr=<ArrayF 4>)", "raw_load_f of a float in 4 bytes"),
    ],
)
def test_what_is_not_modelled_is_unsupported(lines: str, what: str) -> None:
    with pytest.raises(Unsupported, match=what):
        Program(parse(f"[i0, p0]\n{lines}"))


def test_fields_of_raw_structs_are_memory_of_their_own() -> None:
    text = """[i0, i1, p2]
        setfield_raw(i0, 5, descr=Node.value)
        setfield_raw(i0, p2, descr=Node.next)
        setfield_raw(i1, 6, descr=Node.value)
        i3 = getfield_raw_i(i0, descr=Node.value)
        p4 = getfield_raw_r(i1, descr=Node.next)
        finish(i3, p4)"""
    heap = Heap(layout_of(parse(text)))
    assert run(parse(text), [1, 2, NULL], heap=heap).outcome == Finished((5, NULL))
    assert run(parse(text), [1, 1, NULL], heap=heap).outcome == Finished((6, NULL))


def test_a_narrow_field_takes_what_fits() -> None:
    text = CALLS + "[i0]\nsetfield_raw(i0, 256, descr=Node.tag)\nfinish()"
    assert "outside the range" in str(ran(text, [1]).outcome)


@pytest.mark.parametrize("line", ["raw[]", "raw[-1: 7, 2, 1, 8: 255]", "raw[](x[-8]=5)", "raw[](x[4]=5, y[4]=NULL)"])
def test_the_text_of_raw_memory_is_read_back(line: str) -> None:
    layout = layout_of(parse("[i0]\nsetfield_raw(i0, 1, descr=x)"))
    heap = parse_heap(line, layout)
    assert format_heap(heap) == ("" if line == "raw[]" else f"{line}\n")
    assert parse_heap(format_heap(heap), layout).objects.get(RAW_REF) == (
        None if line == "raw[]" else heap.objects[RAW_REF]
    )


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("raw[1: 256]", "a byte is from 0 to 255, got 256"),
        ("raw[1: 1, 1: 2]", "a byte is given twice"),
        ("raw[1: p0]", "expected a byte, got p0"),
        ("raw[](x=1)", "expected x[address]"),
        ("raw[](x[1]=NULL)", "x is a machine int, got NULL"),
    ],
)
def test_what_is_wrong_with_the_text_is_told(line: str, message: str) -> None:
    with pytest.raises(InputError) as caught:
        parse_heap(line, layout_of(parse("[i0]\nsetfield_raw(i0, 1, descr=x)")))
    assert message in str(caught.value)


def test_an_event_may_touch_raw_memory_if_it_says_so() -> None:
    may = {}
    for name in ("none", "all", "one", "other"):
        trace = parse(CALLS + f"[i0]\nsetfield_raw(i0, 1, descr=Node.value)\ncall_n(1, descr={name})")
        layout = layout_of(trace)
        effects = effects_at(trace.ops[1], layout)
        field = layout.raw_field("Node.value")
        may[name] = (effects.may_write(BYTES), effects.may_see(BYTES), effects.may_write(field))
    assert may == {
        "none": (False, False, False),
        "all": (True, True, True),
        "one": (False, False, True),
        "other": (True, True, True),
    }


def test_events_write_to_raw_memory() -> None:
    world = World(writes=((Write(RAW_REF, "raw", 7, 2**64 - 1), Write(RAW_REF, "raw", 256, 3)),))
    done = ran("[i0]\nescape_n()\ni1 = raw_load_i(i0, 0, descr=<ArrayU 4>)\nfinish(i1)", [-1], "raw[0: 1]", world)
    assert done.outcome == Finished((0x107,))
    declared = CALLS + "[i0]\ncall_n(1, descr=none)\ni1 = raw_load_i(i0, 0, descr=<ArrayU 4>)\nfinish(i1)"
    assert ran(declared, [-1], "raw[0: 1]", world).outcome == Finished((0x100,))


def test_raw_memory_is_compared_wherever_somebody_looks() -> None:
    def compared(one: str, other: str) -> str:
        runs = []
        traces = [parse(CALLS + f"[i0]\n{text}") for text in (one, other)]
        layout = layout_of(*traces)
        heap = Heap(layout)
        programs = [Program(trace, layout) for trace in traces]
        for program in programs:
            program.prepare(heap)
        runs = [program.run([16], heap=heap) for program in programs]
        return str(compare_runs(*runs))

    store = "raw_store(i0, 0, 3, descr=<ArrayS 2>)"
    assert compared(store, f"{store}\n{store}") == "None"
    assert compared(f"{store}\nfinish()", "finish()") == "raw memory[16] is 0, not 3"
    assert compared(f"{store}\nescape_n()\nfinish()", f"escape_n()\n{store}\nfinish()") == (
        "at event 0, raw memory[16] is 0, not 3"
    )
    assert compared(f"{store}\ncall_n(descr=none)\nfinish()", f"call_n(descr=none)\n{store}\nfinish()") == "None"


def test_the_heap_at_the_end_tells_raw_memory() -> None:
    done = ran("[i0]\nraw_store(i0, 0, 258, descr=<ArrayS 2>)", [4])
    assert format_heap(visible_heap(done)) == "raw[4: 2, 1]\n"
