"""The bytes of objects: what they are in a run, in the text of a heap, and against their independent reference."""

from __future__ import annotations

from random import Random

import pytest
from reference_bytes import Nobody, Strips

from optimizer.ir.faults import InputError, Unspecified
from optimizer.ir.run.heap import Heap
from optimizer.ir.run.interpreter import Finished, Undefined, World, run
from optimizer.ir.run.objects import NULL, Ref
from optimizer.ir.run.runs import Write
from optimizer.ir.text import parse
from optimizer.ir.text.heap_printer import format_heap
from optimizer.ir.text.heap_reader import parse_heap
from optimizer.ir.trace import Trace
from optimizer.ir.types.trace_layout import layout_of


def on(text: str, heap: str, *inputs: str | int, word: int = 64, world: World | None = None) -> tuple[object, str]:
    """How the trace ends on that heap, and the heap at the end."""
    trace = parse(text, word=word)
    given = parse_heap(heap, layout_of(trace))
    values = [one if isinstance(one, int) else given.named(one) or NULL for one in inputs]
    done = run(trace, values, world, given)
    assert done.heap is not None
    return done.outcome, format_heap(done.heap)


STORED = """
[p0, i1]
gc_store(p0, 8, i1, 4)
gc_store_indexed(p0, i1, 7, 2, 8, 1)
i2 = gc_load_i(p0, 8, -2)
i3 = gc_load_indexed_i(p0, 2, 4, 0, 4)
finish(i2, i3)
"""


def test_a_store_of_bytes_is_there_until_the_end() -> None:
    ended, heap = on(STORED, "p0 = Node()", "p0", 2)
    assert ended == Finished((2, 2))
    assert heap == "p0 = Node(gc_bytes[8]=2, gc_bytes[9]=0, gc_bytes[10]=0, gc_bytes[11]=0, gc_bytes[12]=7)\n"


def test_what_a_heap_says_of_bytes_is_read_back() -> None:
    text = "[p0]\ni1 = gc_load_i(p0, 24, 2)\np2 = gc_load_r(p0, 32, 8)\nfinish(i1, p2)\n"
    heap = 'p0 = str["abc"](gc_bytes[24]=97, gc_bytes[25]=1, gc_references[32]=q)\nq = Node()\n'
    assert on(text, heap, "p0") == (Finished((97 + 256, Ref("q"))), heap)
    with pytest.raises(InputError, match=r"gc_bytes is from 0 to 255, got 256"):
        on(text, "p0 = Node(gc_bytes[0]=256)", "p0")


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("i2 = gc_load_i(NULL, 0, 1)", "the object is NULL"),
        ("gc_store(NULL, 0, 1, 1)", "the object is NULL"),
        ("i2 = gc_load_i(p0, -1, 1)", "the offset is negative, or as large as a word can be"),
        ("gc_store_indexed(p0, 9223372036854775807, 1, 1, 0, 1)", "the offset is negative, or as large as"),
        ('gc_store("abc", 24, 1, 1)', "a constant string is changed"),
    ],
)
def test_where_bytes_are_undefined(line: str, reason: str) -> None:
    ended, _ = on(f"[p0]\n{line}\nfinish()\n", "p0 = Node()", "p0")
    assert isinstance(ended, Undefined)
    assert ended.reason.startswith(reason)


@pytest.mark.parametrize(
    "lines",
    [
        "p1 = newstr(4)\ni2 = gc_load_i(p1, 24, 1)",
        "p1 = new(descr=Node)\np2 = gc_load_r(p1, 24, 8)",
        'i2 = gc_load_i("abc", 24, 1)',
        "setfield_gc(p0, 1, descr=x)\ni2 = gc_load_i(p0, 8, 8)",
        "i2 = gc_load_i(p0, 8, 8)\ni3 = getfield_gc_i(p0, descr=x)",
        "i2 = strgetitem(p9, 0)\ngc_store(p9, 24, 0, 1)",
        "gc_store(p9, 24, 0, 1)\np2 = newstr(4)\ncopystrcontent(p9, p2, 0, 0, 1)",
    ],
)
def test_a_run_asks_nothing_that_depends_on_where_fields_and_items_are(lines: str) -> None:
    with pytest.raises(Unspecified):
        on(f"[p0, p9]\n{lines}\nfinish()\n", "p0 = Node()\np9 = str[1]\n", "p0", "p9")


def test_an_event_sees_bytes_with_any_memory_of_objects_and_writes_them() -> None:
    front = '+++\n[call.f]\nresult = "void"\nreads = []\nwrites = ["{}"]\n+++\n'
    text = "[p0]\ngc_store(p0, 0, 1, 1)\ncall_n(ConstClass(f), descr=f)\ni1 = gc_load_i(p0, 0, 2)\nfinish(i1)\n"
    poked = World(writes=((Write(Ref("p0"), "gc_bytes", 5, 1),),))
    for named, value in (("x", 1 + 5 * 256), ("raw", 1), ("*", 1 + 5 * 256)):
        trace = parse(front.format(named) + text)
        heap = parse_heap("p0 = array[0, 0, 0]", layout_of(trace))
        done = run(trace, [Ref("p0")], poked, heap)
        assert done.outcome == Finished((value,)), named
        assert bool(done.events[0].objects[Ref("p0")].cells) == (named != "raw")


def test_an_event_writes_bytes_at_any_offset_of_any_object() -> None:
    load = "i1 = gc_load_i(p0, 24, 2)\np2 = gc_load_r(p0, 8, 8)\n"
    text = f"[p0]\ngc_store(p0, 24, 1, 1)\nescape_n()\n{load}finish(i1, p2)\n"
    poked = World(writes=((Write(Ref("p0"), "gc_bytes", 5, 25), Write(Ref("p0"), "gc_references", Ref("p0"), 8)),))
    for type_ in ("Node()", "array[0]"):
        heap = parse_heap(f"p0 = {type_}", layout_of(parse(text)))
        assert run(parse(text), [Ref("p0")], poked, heap).outcome == Finished((1 + 5 * 256, Ref("p0")))


def test_bytes_are_of_an_object_or_at_an_address() -> None:
    for line in ("gc_load_i(f0, 0, 1)", "load_effective_address(f0, 0, 1, 1)"):
        with pytest.raises(InputError, match=r"argument 1 of \w+ must be an address or an object, got f0"):
            parse(f"[f0]\ni1 = {line}\nfinish(i1)\n")


def test_the_names_of_bytes_are_taken() -> None:
    with pytest.raises(InputError, match=r"gc_bytes stands for the bytes of objects, and getarrayitem_gc_i takes"):
        parse("[p0]\ni1 = getarrayitem_gc_i(p0, 0, descr=gc_bytes)\nfinish(i1)\n")


# Against the reference.


def written(random: Random, word: int) -> list[str]:
    """Lines of a random trace on bytes of objects."""
    ints, refs, lines = ["i0", "i1"], ["p0", "p1"], ["p90 = new(descr=Node)"]
    largest = word // 8
    for number in range(2, 12):
        p, at, size = random.choice([*refs[:2], "p90"]), random.choice("012345"), random.choice((1, 2, largest))
        place, scale = random.choice(("0", "1", "2", "i0")), random.choice("0123")
        match random.randrange(7):
            case 0 | 1:
                lines.append(f"gc_store({p}, {at}, {random.choice([*ints, '-2', '300'])}, {size})")
            case 2:
                value = random.choice([*ints, "129"])
                lines.append(f"gc_store_indexed({p}, {place}, {value}, {scale}, {at}, {size})")
            case 3:
                lines.append(f"i{number} = gc_load_i({p}, {at}, {random.choice((size, -size))})")
                ints.append(f"i{number}")
            case 4:
                lines.append(
                    f"i{number} = gc_load_indexed_i({p}, {place}, {scale}, {at}, {random.choice((size, -size))})"
                )
                ints.append(f"i{number}")
            case 5:
                lines.append(f"gc_store({p}, {at}, {random.choice([*refs, 'NULL'])}, {largest})")
            case _:
                lines.append(f"p{number} = gc_load_r({p}, {at}, {largest})")
                refs.append(f"p{number}")
    return [*lines, f"finish({', '.join([*ints, *refs])})"]


def on_strips(trace: Trace, inputs: list[object], strips: Strips) -> list[object]:
    """What the trace hands over, by the reference; objects by their names."""
    values: dict[str, object] = {var.name: one for var, one in zip(trace.inputs, inputs, strict=True)}

    def value(arg: object) -> object:
        text = str(arg)
        return None if text == "NULL" else values[text] if text in values else int(text)

    for operation in trace.ops[:-1]:
        args = [value(arg) for arg in operation.args]
        name, result = operation.op.name, operation.result
        given: object = None
        match name, args:
            case "new", _:
                given = "p90"
            case "gc_store", [str(p), int(at), int(number), int(size)]:
                strips.write(p, at, size, number)
            case "gc_store_indexed", [str(p), int(i), int(number), int(scale), int(at), int(size)]:
                strips.write(p, at + scale * i, size, number)
            case "gc_store", [str(p), int(at), held, _]:
                strips.write_object(p, at, None if held is None else str(held))
            case "gc_load_i", [str(p), int(at), int(size)]:
                given = strips.read(p, at, size)
            case "gc_load_indexed_i", [str(p), int(i), int(scale), int(at), int(size)]:
                given = strips.read(p, at + scale * i, size)
            case "gc_load_r", [str(p), int(at), _]:
                given = strips.read_object(p, at)
            case _:
                raise AssertionError(operation)
        if result is not None:
            values[result.name] = given
    return [value(arg) for arg in trace.end.args]


@pytest.mark.parametrize("word", [16, 32, 64])
def test_random_traces_run_as_on_strips(word: int) -> None:
    random, finished = Random(word), 0
    for _ in range(300):
        trace = parse("[i0, i1, p0, p1]\n" + "\n".join(written(random, word)), word=word)
        one = random.random() < 0.3
        inputs: list[object] = [random.choice((0, 1, 2)), random.randrange(-300, 300), "p0", "p0" if one else "p1"]
        strips = Strips(word, {"p0", "p1"})
        heap = Heap(layout_of(trace))
        for name, ref in (("p0", Ref("p0")), ("p1", Ref("p1"))):
            numbers = {k: random.randrange(256) for k in range(8) if random.random() < 0.5}
            strips.numbers[name] = dict(numbers)
            described = parse_heap("q = Node()", heap.layout).objects[Ref("q")]
            for k, byte in numbers.items():
                described = described.put(("gc_bytes[]", k), byte)
            heap.objects[ref] = described
        given = [Ref(one) if isinstance(one, str) else one for one in inputs]
        try:
            wanted = on_strips(trace, inputs, strips)
        except Nobody:
            with pytest.raises(Unspecified):
                run(trace, given, heap=heap)  # type: ignore[arg-type]  # machine ints and references
            continue
        done = run(trace, given, heap=heap)  # type: ignore[arg-type]  # machine ints and references
        assert isinstance(done.outcome, Finished), trace
        names = {"new0": "p90", "NULL": None}
        got = [names.get(str(x), str(x)) if isinstance(x, Ref) else x for x in done.outcome.args]
        assert got == wanted, trace
        finished += 1
    assert finished > 40
