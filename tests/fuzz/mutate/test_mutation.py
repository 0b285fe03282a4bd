"""Mutations: what comes out is a trace with an example on which it runs to its end, and each kind does what it says."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from random import Random

import pytest

from fuzz.draw.generator import GeneratedTrace, generate_for
from fuzz.mutate import drawn, operations, splice, values
from fuzz.mutate.mutate import MUTATIONS, Mutation, apply, mutate
from fuzz.mutate.settle import settle
from fuzz.mutate.sketch import sketch_of
from fuzz.mutate.splice import merged
from optimizer.ir.check import check
from optimizer.ir.rows.ops import Kind
from optimizer.ir.run.interpreter import Finished, GuardFailed, Jumped, Program
from optimizer.ir.run.objects import NULL
from optimizer.ir.text import format_trace, parse
from optimizer.ir.text.declarations import parse_declarations
from optimizer.ir.text.heap_printer import format_heap
from optimizer.ir.text.heap_reader import parse_heap
from optimizer.ir.trace import ConstFloat, ConstInt, Trace, Value, all_operations, exit_of
from optimizer.ir.types.trace_layout import layout_of
from optimizer.pipeline import run_passes
from validator.search.counterexample import State

SEEDS = range(44)

Pair = tuple[GeneratedTrace, GeneratedTrace]


@pytest.fixture(scope="module")
def parents() -> list[GeneratedTrace]:
    return [generate_for(seed) for seed in SEEDS]


@pytest.fixture(scope="module")
def children(parents: list[GeneratedTrace]) -> dict[Mutation, list[Pair]]:
    """Of each kind, those that worked out, with their parents."""
    made: dict[Mutation, list[Pair]] = {kind: [] for kind in MUTATIONS}
    for kind in MUTATIONS:
        for number, parent in enumerate(parents):
            random = Random(f"{kind.__name__} {number}")
            other = random.choice([one for one in parents if one.trace.word == parent.trace.word])
            child = apply(kind, parent, other, random)
            if child is not None:
                made[kind].append((parent, child))
    return made


def assert_sound(one: GeneratedTrace) -> None:
    """Well-formed, also as text, and on the example everything is defined, exit blocks too, and every guard passes."""
    check(one.trace)
    assert parse(format_trace(one.trace)) == one.trace
    program = Program(one.trace)
    done = program.run(one.state.inputs, one.state.world, heap=one.state.heap)
    assert isinstance(done.outcome, Finished | Jumped)
    assert done.values == one.values
    assert done.world.writes == one.state.world.writes
    if one.state.heap is not None:
        assert parse_heap(format_heap(one.state.heap), layout_of(one.trace)) == one.state.heap
    for number, guard in enumerate(one.trace.guards):
        assert exit_of(guard).origin is None
        if exit_of(guard).block:
            left = program.run(one.state.inputs, one.state.world, heap=one.state.heap, leave_at=number)
            assert isinstance(left.outcome, GuardFailed)


@pytest.mark.parametrize("kind", MUTATIONS)
def test_each_kind_keeps_the_example_going(children: dict[Mutation, list[Pair]], kind: Mutation) -> None:
    for _, child in children[kind]:
        assert_sound(child)


@pytest.mark.parametrize("kind", MUTATIONS)
def test_each_kind_works_out_on_traces_with_and_without_heaps(
    children: dict[Mutation, list[Pair]], kind: Mutation
) -> None:
    heaps = [child.state.heap is not None for _, child in children[kind]]
    assert sum(heaps) >= 6
    assert kind is operations.other_descr or len(heaps) - sum(heaps) >= 3


def test_stacked_mutations_keep_the_example_going_too(parents: list[GeneratedTrace]) -> None:
    changed = 0
    for number, parent in enumerate(parents):
        same_word = [one for one in parents if one.trace.word == parent.trace.word]
        child = mutate(parent, same_word, Random(number))
        assert_sound(child)
        changed += child.trace != parent.trace
    assert changed > 0.9 * len(parents)


def test_bytes_that_cannot_be_read_are_repaired() -> None:
    trace = parse("[p0, i1]\ni2 = gc_load_i(p0, i1, 4)\np3 = gc_load_r(p0, i1, 8)\nfinish(i2, p3)")
    for seed in range(5):
        repaired = settle(sketch_of(GeneratedTrace(trace, State((NULL, -1)), {})), Random(seed))
        assert repaired is not None
        assert_sound(repaired)


def test_what_is_settled_already_stays_as_it_is(parents: list[GeneratedTrace]) -> None:
    for parent in parents:
        assert settle(sketch_of(parent), Random(0)) == parent


def test_the_same_random_numbers_make_the_same_trace(parents: list[GeneratedTrace]) -> None:
    for number, parent in enumerate(parents[:20]):
        assert mutate(parent, parents, Random(number)) == mutate(parent, parents, Random(number))


# What each kind does.


def _rows(trace: Trace) -> Counter[str]:
    return Counter(operation.op.name for operation in trace.ops)


def _more(before: Trace, after: Trace, kind: Kind) -> bool:
    def count(trace: Trace) -> int:
        return sum(operation.op.kind is kind for operation in trace.ops)

    return count(after) > count(before)


def _other_args(before: Trace, after: Trace) -> bool:
    pairs = list(zip(before.ops, after.ops, strict=False))
    return any(one.op is two.op and one.args != two.args for one, two in pairs)


def _constants(trace: Trace) -> list[Value]:
    """Of integers and floats, wherever they stand: a third of them in failargs and exit blocks."""
    placed = [arg for operation in all_operations(trace) for arg in operation.args]
    placed += [value for guard in trace.guards for value in exit_of(guard).failargs or () if value is not None]
    return [value for value in placed if isinstance(value, ConstInt | ConstFloat)]


def _failargs(trace: Trace) -> list[object]:
    return [exit_of(guard).failargs for guard in trace.guards]


def _dead(trace: Trace) -> int:
    return sum((exit_of(guard).failargs or ()).count(None) for guard in trace.guards)


def _masked_check(before: Trace, after: Trace) -> bool:
    return _more(before, after, Kind.PURE) and _more(before, after, Kind.GUARD)


DOES: dict[Mutation, Callable[[Trace, Trace], bool]] = {
    values.other_operand: _other_args,
    values.other_constant: lambda before, after: _constants(before) != _constants(after),
    operations.other_operation: lambda before, after: _rows(before) != _rows(after),
    operations.other_descr: lambda before, after: [op.descr for op in before.ops] != [op.descr for op in after.ops],
    operations.other_sense: lambda before, after: (
        _rows(before)["guard_true"] != _rows(after)["guard_true"] and len(before.guards) == len(after.guards)
    ),
    values.other_failarg: lambda before, after: _failargs(before) != _failargs(after),
    values.dead_slot: lambda before, after: _dead(after) == _dead(before) + 1,
    values.other_input: lambda before, after: len(before.inputs) == len(after.inputs),
    values.one_for_another: _other_args,
    operations.duplicated: lambda before, after: len(after.ops) > len(before.ops),
    operations.repeated: lambda before, after: _more(before, after, Kind.PURE),
    operations.moved: lambda before, after: before.ops != after.ops and _rows(before) == _rows(after),
    operations.without_one: lambda before, after: len(after.ops) < len(before.ops),
    operations.other_kind_of_end: lambda before, after: before.end.op is not after.end.op,
    splice.spliced: lambda before, after: before.end != after.end,
    drawn.range_checked: lambda before, after: len(after.ops) == len(before.ops) + 2,
    drawn.bits_checked: _masked_check,
    drawn.compared: lambda before, after: len(after.ops) == len(before.ops) + 2,
    drawn.related: lambda before, after: _more(before, after, Kind.PURE),
}


@pytest.mark.parametrize("kind", MUTATIONS)
def test_each_kind_does_what_it_says(children: dict[Mutation, list[Pair]], kind: Mutation) -> None:
    """Nearly always: what repairs a trace may undo some of it."""
    done = [DOES[kind](parent.trace, child.trace) for parent, child in children[kind]]
    assert sum(done) >= 0.85 * len(done) > 0


UNSEEN = (values.dead_slot, values.other_failarg, operations.other_kind_of_end, values.other_input)
"""What these change, no rule of an optimizer looks at."""


def test_guards_follow_the_inputs_of_the_example(children: dict[Mutation, list[Pair]]) -> None:
    assert all(parent.state != child.state for parent, child in children[values.other_input])
    assert any(parent.trace != child.trace for parent, child in children[values.other_input])


@pytest.mark.parametrize("kind", [kind for kind in MUTATIONS if kind not in UNSEEN])
def test_each_kind_matters_to_an_optimizer(children: dict[Mutation, list[Pair]], kind: Mutation) -> None:
    """Something else fires, now and then."""
    pairs = children[kind][:30]
    assert any(run_passes(parent.trace).fired != run_passes(child.trace).fired for parent, child in pairs)


def test_all_kinds_are_chosen() -> None:
    assert set(MUTATIONS) == set(DOES)
    assert all(weight > 0 for weight in MUTATIONS.values())


# Repairs.


def _settled(text: str, *inputs: int, seed: int = 0) -> GeneratedTrace | None:
    trace = parse(text)
    return settle(sketch_of(GeneratedTrace(trace, State(inputs), {})), Random(seed))


REPAIRED = {
    "a guard of the wrong sense": "[i0]\ni1 = int_lt(i0, 5)\nguard_true(i1) [i0]\njump(i1)\n",
    "a guard of another value": "[i0]\nguard_value(i0, 5) [i0]\njump(i0)\n",
    "a guard of no truth": "[i0]\nguard_true(i0) [i0]\njump(i0)\n",
    "a guard on a flag": "[i0]\ni1 = int_add_ovf(i0, 1)\nguard_overflow() [i0]\njump(i1)\n",
    "a guard that always fails": "[i0]\nguard_always_fails() [i0]\njump(i0)\n",
    "a shift": "[i0]\ni1 = int_lshift(i0, i0)\njump(i1)\n",
    "a division": "[i0]\ni1 = int_sub(i0, i0)\ni2 = int_floordiv(i0, i1)\njump(i2)\n",
    "a division in an exit block": (
        "[i0]\nguard_value(i0, 77) [i2, i1] {\n    i1 = int_floordiv(i0, 0)\n    i2 = int_add(i1, 1)\n}\njump(i0)\n"
    ),
    "a field of NULL": "[i0]\ni1 = getfield_gc_i(NULL, descr=f)\ni2 = int_add(i1, 1)\njump(i2)\n",
}


@pytest.mark.parametrize("text", REPAIRED.values(), ids=REPAIRED)
def test_what_does_not_go_on_is_repaired(text: str) -> None:
    found = set()
    for seed in range(12):
        made = _settled(text, 77, seed=seed)
        assert made is not None
        assert_sound(made)
        found.add(format_trace(made.trace))
    assert text not in found


# Splices.

STRUCT = '[struct.S]\nfields = { x = "int" }\n'
OTHER_STRUCT = '[struct.S]\nfields = { y = "int" }\n'
ARRAY = '[array.A]\nitem = "int"\n'


def test_declarations_are_merged_where_they_do_not_contradict_each_other() -> None:
    one, two = parse_declarations(STRUCT), parse_declarations(ARRAY)
    both = merged(one, two)
    assert both is not None
    assert (both.structs, both.arrays) == (one.structs, two.arrays)
    assert merged(one, one) == one
    assert merged(one, parse_declarations('[field.S]\ntype = "int"\n')) is None
    dirty = parse_declarations("cleared = false\n")
    assert merged(dirty, dirty) == dirty
    assert merged(one, dirty) is None
    assert merged(one, parse_declarations(OTHER_STRUCT)) is None
    assert merged(one, parse_declarations('[array.S]\nitem = "int"\n')) is None


def _given(text: str, *inputs: int) -> GeneratedTrace:
    made = settle(sketch_of(GeneratedTrace(parse(text), State(inputs), {})), Random(0))
    assert made is not None
    return made


def test_a_splice_takes_from_both_and_joins_the_inputs() -> None:
    one = _given("[i0]\ni1 = int_add(i0, 1)\njump(i1)\n", 3)
    two = _given("[i0, i1]\ni2 = int_mul(i0, i1)\nfinish(i2)\n", 5, 6)
    made = [apply(splice.spliced, one, two, Random(seed)) for seed in range(30)]
    traces = [child.trace for child in made if child is not None]
    assert any({"int_add", "int_mul", "finish"} <= set(_rows(trace)) for trace in traces)
    assert any(len(trace.inputs) > 1 for trace in traces)


def test_traces_of_different_words_or_declarations_are_not_spliced() -> None:
    one = _given("[i0]\ni1 = int_add(i0, 1)\njump(i1)\n", 3)
    short = parse("+++\nword = 8\n+++\n[i0]\njump(i0)\n")
    other = settle(sketch_of(GeneratedTrace(short, State((3,)), {})), Random(0))
    assert other is not None
    assert all(apply(splice.spliced, one, other, Random(seed)) is None for seed in range(10))
    first = _given(f"+++\n{STRUCT}+++\n[i0]\njump(i0)\n", 3)
    second = _given(f"+++\n{OTHER_STRUCT}+++\n[i0]\njump(i0)\n", 3)
    assert all(apply(splice.spliced, first, second, Random(seed)) is None for seed in range(10))
