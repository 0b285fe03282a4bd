"""States with heaps: samples that fit what traces ask for and show differences, and simpler counterexamples."""

from __future__ import annotations

from random import Random

import pytest
from heap_pairs import HeapPair, heap_pair
from hypothesis import given
from hypothesis import strategies as st

from optimizer.ir.run.heap import Heap
from optimizer.ir.run.interpreter import Program
from optimizer.ir.run.objects import NULL, Object, Ref
from optimizer.ir.run.runs import Finished, Undefined, World, Write
from optimizer.ir.text import parse
from optimizer.ir.text.heap_printer import format_heap
from optimizer.ir.text.heap_reader import parse_heap
from optimizer.ir.types.trace_layout import layout_of
from validator.search.counterexample import State
from validator.search.simplify import simplify_state
from validator.search.states import sample_states

BODIES = {
    "chain": (
        "[p0, p1]",
        "i2 = getfield_gc_i(p0, descr=Node.value)\np3 = getfield_gc_r(p0, descr=Node.next)\n"
        "i4 = getfield_gc_i(p3, descr=Other.value)\nguard_class(p1, ConstClass(node_vt)) []\n"
        "p5 = getfield_gc_r(p1, descr=Node.left)\ni6 = getfield_gc_i(p5, descr=Base.tag)\nfinish(i4)",
    ),
    "arrays": (
        "[p0, p1, i2]",
        "i3 = getarrayitem_gc_i(p0, i2, descr=Chars)\np4 = getarrayitem_gc_r(p1, 2, descr=Refs)\n"
        "i5 = getfield_gc_i(p4, descr=Node.value)\ni6 = arraylen_gc(p0, descr=Chars)\nfinish(i5)",
    ),
    "structs in an array": (
        "[p0, i1]",
        "p2 = getinteriorfield_gc_r(p0, i1, descr=Points.y)\ni3 = getfield_gc_i(p2, descr=valuedescr)\n"
        "setinteriorfield_gc(p0, 3, i3, descr=Points.x)\nfinish(i3)",
    ),
    "undeclared": (
        "[p0, p1]",
        "i2 = getfield_gc_i(p0, descr=foo)\nsetfield_gc(p1, p0, descr=bar)\n"
        "i4 = getarrayitem_gc_i(p1, i2, descr=items)\nescape_n(p0)\nfinish(i4)",
    ),
    "constants": (
        "[p0]",
        "p1 = escape_r(p0)\ni2 = getfield_gc_i(p1, descr=Node.value)\nguard_value(p1, ConstPtr(a)) []\n"
        "i4 = getfield_gc_i(ConstPtr(b), descr=Other.value)\nguard_gc_type(p1, 7) []\nguard_not_invalidated() []\n"
        "finish()",
    ),
    "classes": (
        "[p0, p1]",
        "guard_nonnull(p0) []\nguard_class(p0, ConstClass(Other)) []\nguard_subclass(p1, ConstClass(base_vt)) []\n"
        "record_exact_class(p1, ConstClass(node_vt))\ni2 = getfield_gc_i(p1, descr=Node.value)\nfinish(i2)",
    ),
}


def _samples(pair: HeapPair, examples: tuple[State, ...] = ()) -> list[State]:
    return list(sample_states(pair.before, pair.after, examples, pair.layout))


@pytest.mark.parametrize("name", BODIES)
def test_samples_fit_the_declarations(name: str) -> None:
    """What is written is read again: the reader knows all types, ranges and constants."""
    pair = heap_pair(BODIES[name][1], BODIES[name][1], BODIES[name][0])
    samples = _samples(pair)
    for state in [*samples, *_samples(pair, tuple(samples[:3]))]:
        assert state.heap is not None
        assert parse_heap(format_heap(state.heap), pair.layout) == state.heap


@pytest.mark.parametrize("name", BODIES)
def test_most_samples_are_defined(name: str) -> None:
    pair = heap_pair(BODIES[name][1], BODIES[name][1], BODIES[name][0])
    program = Program(pair.before, pair.layout)
    runs = [program.run(state.inputs, state.world, heap=state.heap) for state in _samples(pair)]
    assert sum(not isinstance(run.outcome, Undefined) for run in runs) >= len(runs) // 2
    assert sum(isinstance(run.outcome, Finished) for run in runs) >= len(runs) // 4


def test_samples_are_the_same_for_a_pair() -> None:
    pair = heap_pair(BODIES["chain"][1], BODIES["chain"][1])
    assert _samples(pair) == _samples(pair)


def test_traces_without_references_have_no_heap() -> None:
    pair = heap_pair("i1 = escape_i(i0)\nfinish(i1)", "finish(i0)", "[i0]")
    assert all(state.heap is None for state in _samples(pair))


def test_examples_come_first_and_are_varied() -> None:
    body = "i2 = getfield_gc_i(p0, descr=Node.value)\nescape_n(p1)\nfinish(i2)"
    pair = heap_pair(body, body)
    example = pair.state("p0 = Node(value=77, next=p1)\np1 = Other(value=5)")
    samples = _samples(pair, (example,))
    assert samples[0] == example
    near = [state for state in samples[1:] if state.heap is not None and state.heap.objects.get(Ref("p1"))]
    assert any("value=77" in format_heap(state.heap) for state in near if state.heap is not None)
    assert any(state.inputs != example.inputs for state in near)


WRONG = {
    # Each is wrong on heaps with an alias, a class or a write of one sort only.
    "a load above a store through an alias": (
        "[p0, p1]",
        "i9 = getfield_gc_i(p0, descr=Node.value)\nsetfield_gc(p1, 7, descr=Node.value)\n"
        "i8 = getfield_gc_i(p0, descr=Node.value)\nfinish(i8)",
        "i9 = getfield_gc_i(p0, descr=Node.value)\nsetfield_gc(p1, 7, descr=Node.value)\nfinish(i9)",
        "p0 = Node()\n",
    ),
    "a load above an event that writes": (
        "[p0]",
        "i1 = getfield_gc_i(p0, descr=Node.value)\nescape_n()\ni2 = getfield_gc_i(p0, descr=Node.value)\nfinish(i2)",
        "i1 = getfield_gc_i(p0, descr=Node.value)\nescape_n()\nfinish(i1)",
        "p0 = Node()\n",
    ),
    "another item": (
        "[p0, i1, i2]",
        "setarrayitem_gc(p0, i1, 1, descr=Chars)\nsetarrayitem_gc(p0, i2, 2, descr=Chars)\n"
        "i3 = getarrayitem_gc_i(p0, i1, descr=Chars)\nfinish(i3)",
        "setarrayitem_gc(p0, i1, 1, descr=Chars)\nsetarrayitem_gc(p0, i2, 2, descr=Chars)\nfinish(1)",
        "p0 = Chars[length=1]\n",
    ),
    "a subclass taken for its parent": (
        "[p0]",
        "guard_subclass(p0, ConstClass(base_vt)) [p0]\nfinish(p0)",
        "guard_class(p0, ConstClass(base_vt)) [p0]\nfinish(p0)",
        "p0 = Node()\n",
    ),
    "a chain that is a cycle": (
        "[p0]",
        "p1 = getfield_gc_r(p0, descr=Node.next)\nsetfield_gc(p1, 5, descr=Node.value)\n"
        "i2 = getfield_gc_i(p0, descr=Node.value)\nfinish(i2)",
        "i2 = getfield_gc_i(p0, descr=Node.value)\np1 = getfield_gc_r(p0, descr=Node.next)\n"
        "setfield_gc(p1, 5, descr=Node.value)\nfinish(i2)",
        "p0 = Node(next=p0)\n",
    ),
    "an object that comes back from an event": (
        "[]",
        "p0 = new(descr=Node)\np1 = escape_r(p0)\nguard_nonnull_class(p1, ConstClass(node_vt)) []\n"
        "setfield_gc(p1, 5, descr=Node.value)\ni2 = getfield_gc_i(p0, descr=Node.value)\nfinish(i2)",
        "p0 = new(descr=Node)\np1 = escape_r(p0)\nguard_nonnull_class(p1, ConstClass(node_vt)) []\n"
        "setfield_gc(p1, 5, descr=Node.value)\nfinish(0)",
        "q0 = Node()\n",
    ),
    "a constant that an input is": (
        "[p0]",
        "i1 = ptr_eq(p0, ConstPtr(a))\nfinish(i1)",
        "finish(0)",
        "ConstPtr(a) = object()\n",
    ),
    "NULL": ("[p0]", "guard_nonnull(p0) [p0]\nfinish()", "finish()", ""),
    "code that is valid no more": (
        "[]",
        "escape_n()\nguard_not_invalidated() []\nfinish()",
        "escape_n()\nfinish()",
        "",
    ),
}


@pytest.mark.parametrize("name", WRONG)
def test_a_sample_shows_what_is_wrong_and_becomes_simple(name: str) -> None:
    header, before, after, simplest = WRONG[name]
    pair = heap_pair(before, after, header)
    shown = [found for state in _samples(pair) if (found := pair.counterexample(state)) is not None]
    assert shown, "no sample shows it"

    def still(state: State) -> bool:
        again = pair.counterexample(state)
        return again is not None and again.obligation == shown[0].obligation

    state = simplify_state(shown[0].state, pair.before, still)
    assert still(state)
    found = pair.counterexample(state)
    assert found is not None
    assert format_heap(found.state.heap or Heap(pair.layout)) == simplest
    assert sum(map(len, state.world.writes)) <= 1


def _big(pair: HeapPair, random: Random, count: int) -> Heap:
    """Objects that refer to each other at random."""
    heap = Heap(pair.layout)
    refs = [Ref(f"o{number}") for number in range(count)]
    for ref in refs:
        cells = {
            ("Node.value", -1): random.choice((0, 1, 123456)),
            ("Base.left", -1): random.choice([NULL, *refs]),
            ("Node.next", -1): random.choice([NULL, *refs]),
            ("u", -1): random.randrange(100),
        }
        heap.objects[ref] = Object(pair.layout.struct("Node"), cells=cells)
    heap.add("words", Object(pair.layout.array("Refs"), 9, {("Refs[]", number): refs[number] for number in range(5)}))
    heap.names["other"] = refs[0]
    return heap


BODY = (
    "setfield_gc(p0, 1, descr=u)\np3 = getfield_gc_r(p1, descr=Node.next)\np4 = getfield_gc_r(p2, descr=Base.left)\n"
    "escape_n(p4)\nfinish()"
)


@given(st.integers(0, 10**9))
def test_a_big_heap_with_one_alias_becomes_the_smallest_one(seed: int) -> None:
    random = Random(seed)
    pair = heap_pair(BODY, BODY, "[p0, p1, p2]")
    heap = _big(pair, random, 12)
    one = random.choice([ref for ref in heap.objects if ref.name != "words"])
    other = random.choice(list(heap.objects))
    writes = tuple((Write(one, "Node.value", 5), Write(other, "u", 9)) for _ in range(2))
    state = State((one, other, one), World((3, other), 1, writes, frozenset({0, 2}), (("Node", 4),)), heap)

    def still(candidate: State) -> bool:
        p0, _, p2 = candidate.inputs
        return p0 != NULL and p0 == p2 and candidate.heap is not None and p0 in candidate.heap.objects

    simple = simplify_state(state, pair.before, still)
    assert still(simple)
    assert simple.inputs == (Ref("p0"), NULL, Ref("p0"))
    assert simple.heap is not None
    assert format_heap(simple.heap) == "p0 = Base()\n"
    assert simple.world == World((0, NULL))


@given(st.integers(0, 10**9))
def test_a_needed_length_and_value_stay(seed: int) -> None:
    random = Random(seed)
    pair = heap_pair(BODY, BODY, "[p0, p1, p2]")
    heap = _big(pair, random, 6)
    words = Ref("words")
    state = State((words, words, Ref("o0")), World(), heap)

    def still(candidate: State) -> bool:
        assert candidate.heap is not None
        held = candidate.heap.objects.get(candidate.inputs[0])  # type: ignore[call-overload]  # an input is a reference
        if held is None or (held.length or 0) < 4:
            return False
        item = held.cells.get(("Refs[]", 3))
        return item in candidate.heap.objects

    simple = simplify_state(state, pair.before, still)
    assert simple.heap is not None
    assert format_heap(simple.heap) == "p0 = Refs[3: q0]\nq0 = Base()\n"


def test_aliases_that_are_not_needed_are_taken_apart() -> None:
    pair = heap_pair(BODY, BODY, "[p0, p1, p2]")
    state = pair.state("p0 = Node(value=3, next=p0)\np1 = p0\np2 = p0\nConstPtr(a) = p0")

    def still(candidate: State) -> bool:
        assert candidate.heap is not None
        return all(value in candidate.heap.objects for value in candidate.inputs)

    simple = simplify_state(state, pair.before, still)
    assert simple.heap is not None
    assert format_heap(simple.heap) == "p0 = Base()\np1 = Base()\np2 = Base()\n"


def test_subclasses_and_their_fields_go_where_the_parent_does_as_well() -> None:
    text = "+++\n[struct.A.fields]\nx = 'int'\n[struct.B]\nparent = 'A'\nfields = { y = 'int' }\n"
    text += "[struct.C]\nparent = 'B'\n[const.c]\nstruct = 'C'\n+++\n"
    text += "[p0, p1]\nsetfield_gc(p1, 1, descr=B.y)\nfinish(ConstPtr(c))\n"
    trace = parse(text)
    heap = parse_heap("p0 = C(x=1, y=2)\np1 = C(y=3)\nConstPtr(c) = C()\n", layout_of(trace))
    state = State((Ref("p0"), Ref("p1")), World(), heap)

    def still(candidate: State) -> bool:
        assert candidate.heap is not None
        run = Program(trace).run(list(candidate.inputs), candidate.world, heap=candidate.heap)
        is_whole = len(candidate.heap.objects) == 3 and candidate.inputs == state.inputs
        return is_whole and isinstance(run.outcome, Finished)

    simple = simplify_state(state, trace, still)
    assert simple.heap is not None
    assert format_heap(simple.heap) == "p0 = A()\np1 = B()\nConstPtr(c) = C()\n"


def test_an_alias_that_is_read_through_is_taken_apart_too() -> None:
    pair = heap_pair(
        "p2 = getfield_gc_r(p0, descr=Node.next)\np3 = getfield_gc_r(p2, descr=Node.next)\nfinish()", "", "[p0, p1]"
    )
    state = pair.state("p0 = Node(next=q)\np1 = p0\nq = Node()")

    def still(candidate: State) -> bool:
        run = Program(pair.before, pair.layout).run(list(candidate.inputs), candidate.world, heap=candidate.heap)
        return isinstance(run.outcome, Finished) and candidate.inputs[1] != NULL

    simple = simplify_state(state, pair.before, still)
    assert simple.heap is not None
    assert format_heap(simple.heap) == "p0 = Node(next=q0)\np1 = Base()\nq0 = Node()\n"


def test_what_is_declared_of_a_constant_stays() -> None:
    text = "+++\n[struct.N]\nfields = { t = { type = 'int', immutable = true }, v = 'int' }\n[const.a]\nstruct = 'N'\n"
    text += "fields = { t = 7 }\n+++\n[p0]\nfinish(p0, ConstPtr(a))\n"
    trace = parse(text)
    heap = parse_heap("ConstPtr(a) = N(t=7, v=9)\np0 = N(t=3)", layout_of(trace))

    def still(state: State) -> bool:
        return state.heap is not None and Ref("ConstPtr(a)") in state.heap.objects

    simple = simplify_state(State((Ref("p0"),), World(), heap), trace, still)
    assert simple.heap is not None
    assert format_heap(simple.heap) == "ConstPtr(a) = N(t=7)\n"


def test_the_first_sample_has_the_numbers_that_guards_ask_for() -> None:
    trace = parse(
        '+++\n[struct.Box]\nfields = { value = "int" }\n+++\n[p0, i0]\nguard_class(p0, ConstClass(Box)) []\n'
        "guard_value(i0, 777) []\ni1 = getfield_gc_i(p0, descr=Box.value)\nguard_value(i1, -12345) []\n"
        "i2 = escape_i()\nguard_value(i2, 4242) []\np1 = new_with_vtable(descr=Box)\n"
        "guard_gc_type(p1, 6) []\nfinish(p1)\n"
    )
    layout = layout_of(trace, trace)
    state = next(iter(sample_states(trace, trace, (), layout)))
    run = Program(trace, layout).run(state.inputs, state.world, heap=state.heap)
    assert isinstance(run.outcome, Finished)


def test_an_example_may_have_an_array_that_is_longer_than_all_memory() -> None:
    trace = parse("[p0]\ni1 = getarrayitem_gc_i(p0, 0, descr=Ints)\nfinish(i1)")
    layout = layout_of(trace)
    heap = Heap(layout)
    example = State((heap.add("p0", Object(layout.array("Ints"), 1 << 60)),), heap=heap)
    assert len(list(sample_states(trace, trace, [example], layout))) > 10
