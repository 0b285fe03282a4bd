"""The generator: every trace is well-formed and runs to its end on its example."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from itertools import count
from random import Random
from typing import Any

import pytest

from fuzz import Shape, generate
from fuzz.draw.choices import RandomChoices
from fuzz.draw.generator import GeneratedTrace, generate_for
from fuzz.draw.mixes import AIMED_FLOAT_MIX, AIMED_MIX, DEFAULT_MIX, HEAP_MIX, RAW_MIX
from fuzz.draw.rows import rows
from fuzz.draw.shape import HeapShape, Mix
from fuzz.draw.steps import floats, strings
from optimizer.ir.check import check
from optimizer.ir.rows.call_rows import CALL_ROWS
from optimizer.ir.rows.ops import OPS, Kind, Type
from optimizer.ir.run.interpreter import Finished, Jumped, Run, run
from optimizer.ir.text import format_trace, parse
from optimizer.ir.trace import ConstInt, Operation, Trace, Value, Var, all_operations

MORE_SEEDS = 2431, 1394519800


@pytest.fixture(scope="module")
def generated(first_traces: list[GeneratedTrace]) -> list[GeneratedTrace]:
    return [*first_traces, *map(generate_for, MORE_SEEDS)]


@pytest.fixture(scope="module")
def integer_traces(generated: list[GeneratedTrace]) -> list[GeneratedTrace]:
    return [one for one in generated if one.state.heap is None]


def _run(one: GeneratedTrace) -> Run:
    return run(one.trace, one.state.inputs, one.state.world, heap=one.state.heap)


def test_every_trace_is_well_formed_and_survives_its_text(generated: list[GeneratedTrace]) -> None:
    for one in generated:
        check(one.trace)
    for one in generated[::3]:
        assert parse(format_trace(one.trace)) == one.trace


def test_every_guard_passes_and_every_operation_is_defined_on_the_example(
    generated: list[GeneratedTrace],
) -> None:
    for one in generated:
        assert isinstance(_run(one).outcome, Finished | Jumped)


def test_the_values_of_the_example_are_those_of_the_interpreter(generated: list[GeneratedTrace]) -> None:
    for one in generated:
        assert _run(one).values == one.values


def test_the_same_seed_makes_the_same_trace() -> None:
    for seed in range(20):
        assert generate_for(seed) == generate_for(seed)
        assert generate(Random(seed)) == generate(Random(seed))
    assert generate_for(1) != generate_for(2)


def test_every_operation_with_a_meaning_occurs(generated: list[GeneratedTrace]) -> None:
    seen = {operation.op for one in generated for operation in all_operations(one.trace)}
    # What can never pass cannot be on a trace that runs to its end.
    meaningful = {row for row in OPS.values() if row.has_meaning and Type.FLOAT not in (row.result, *(row.args or ()))}
    hopeless = {row for row in meaningful if row.is_guard and not (row.args or row.reads_flag or row.memory)}
    calls = {row for row in OPS.values() if row in CALL_ROWS or row.is_entry}
    assert meaningful - seen - calls == hopeless


def test_each_kind_of_exit_occurs(generated: list[GeneratedTrace]) -> None:
    exits = [guard.exit for one in generated for guard in one.trace.guards if guard.exit]
    assert any(exit.failargs is None for exit in exits)
    assert any(None in exit.failargs for exit in exits if exit.failargs)
    assert any(exit.block for exit in exits)
    inner = [exit for exit in exits if any(op.result in (exit.failargs or ()) for op in exit.block)]
    assert inner, "no guard hands over what its exit block computes"


def test_all_words_of_campaigns_occur(generated: list[GeneratedTrace]) -> None:
    words = Counter(one.trace.word for one in generated)
    assert set(words) == {4, 8, 16, 32, 64}
    assert words.most_common(1)[0][0] == 64


def _hidden(trace: Trace) -> int:
    """How many results neither another operation uses, nor a guard or the end hands over."""
    used: set[object] = set()
    for operation in all_operations(trace):
        used.update(operation.args)
        used.update((operation.exit.failargs or ()) if operation.exit else ())
    return sum(operation.result not in used for operation in trace.ops if operation.result)


def test_nearly_all_results_can_be_observed(generated: list[GeneratedTrace]) -> None:
    results = sum(operation.result is not None for one in generated for operation in one.trace.ops)
    assert sum(_hidden(one.trace) for one in generated) < 0.03 * results


def test_facts_are_checked_and_their_variables_used_again(integer_traces: list[GeneratedTrace]) -> None:
    """Range checks are there for what they say of variables that other operations use behind them."""
    reused = 0
    for one in integer_traces:
        checked: set[Var] = set()
        tests: dict[Var, tuple[object, ...]] = {}
        for operation in one.trace.ops:
            reused += any(arg in checked for arg in operation.args)
            if operation.op in rows(one.trace.word).tests and operation.result:
                tests[operation.result] = operation.args
            if operation.op.is_guard:
                for arg in operation.args:
                    if isinstance(arg, Var) and arg in tests:
                        checked |= {var for var in tests[arg] if isinstance(var, Var)}
    assert reused > 5 * len(integer_traces)


def test_operations_are_repeated_for_the_sake_of_common_subexpressions(integer_traces: list[GeneratedTrace]) -> None:
    def repeats(trace: Trace) -> int:
        counts = Counter((op.op, op.args) for op in trace.ops if op.op.is_pure)
        return sum(count - 1 for count in counts.values())

    assert sum(repeats(one.trace) for one in integer_traces) > 0.7 * len(integer_traces)


@pytest.mark.parametrize("heap", [None, HeapShape()])
@pytest.mark.parametrize("word", [4, 5, 8, 16, 31, 32, 63, 64])
def test_any_word_will_do(word: int, heap: HeapShape | None) -> None:
    for seed in range(20):
        one = generate(Random(seed), Shape(word=word, heap=heap, mix=DEFAULT_MIX + HEAP_MIX))
        check(one.trace)
        assert one.trace.word == word
        assert isinstance(_run(one).outcome, Finished | Jumped)


@pytest.mark.parametrize("heap", [None, HeapShape()])
@pytest.mark.parametrize("step", dict(AIMED_MIX + AIMED_FLOAT_MIX + HEAP_MIX + RAW_MIX))
def test_a_shape_may_consist_of_one_step(step: Callable[[Any], None], heap: HeapShape | None) -> None:
    for seed in range(10):
        one = generate(Random(seed), Shape(mix=((step, 1),), max_operations=10, heap=heap))
        check(one.trace)
        assert isinstance(_run(one).outcome, Finished | Jumped)


def test_the_limits_of_a_shape_hold() -> None:
    shape = Shape(inputs=2, max_operations=12, failargs=1, dead_slots=0, exit_blocks=0, unknown_failargs=0)
    for seed in range(50):
        trace = generate(Random(seed), shape).trace
        assert len(trace.inputs) <= 2
        assert len(trace.ops) <= 12 + 12
        for guard in trace.guards:
            assert guard.exit is not None
            assert guard.exit.failargs is not None
            assert len(guard.exit.failargs) <= 1
            assert None not in guard.exit.failargs
            assert not guard.exit.block


def test_a_shape_without_operations_makes_an_end() -> None:
    trace = generate(Random(1), Shape(max_operations=0)).trace
    assert [operation.op.kind for operation in trace.ops] == [Kind.END]


def test_constants_repeat_those_from_which_an_operand_was_computed() -> None:
    repeated = {percent: _repeated(Shape(same_constants=percent, max_operations=60)) for percent in (0, 100)}
    assert repeated[100] > 2 * repeated[0]


def _repeated(shape: Shape) -> int:
    """How many constants of 40 traces stand beside the result of an operation on the same constant?"""
    found = 0
    for seed in range(40):
        made: dict[Value, Operation] = {}
        for operation in generate(Random(seed), shape).trace.ops:
            above = {
                arg for var in operation.args if var in made for arg in made[var].args if isinstance(arg, ConstInt)
            }
            found += operation.op.is_pure and not above.isdisjoint(operation.args)
            if operation.result is not None:
                made[operation.result] = operation
    return found


def _made_by(mix: Mix, heap: HeapShape | None = None) -> Iterator[Trace]:
    """Forty traces of a shape of these steps."""
    for seed in range(40):
        yield generate(Random(seed), Shape(mix=mix, max_operations=60, heap=heap)).trace


def test_floats_of_ints_that_may_be_large_are_added_and_compared() -> None:
    found: Counter[str] = Counter()
    for trace in _made_by(((floats.floats_of_ints, 1),)):
        made = {op.result: op for op in trace.ops}
        of_inputs = {
            op.result for op in made.values() if op.op.name == "cast_int_to_float" and {*op.args} & {*trace.inputs}
        }
        on_two = [op for op in made.values() if len(op.args) == 2 and of_inputs.issuperset(op.args)]
        found.update(op.op.name for op in on_two)
        cast = [made.get(op.args[0]) for op in made.values() if op.op.name == "cast_float_to_int"]
        found["again an int"] += any(op in on_two for op in cast)
    assert {"float_add", "float_sub", "float_lt", "float_eq"} <= {*found}
    assert found["again an int"] > 5


def test_a_string_is_hashed_again_behind_a_store() -> None:
    again = 0
    for trace in _made_by(((strings.use_strings, 1),), HeapShape(strings=True)):
        kinds = [op.op.kind for op in trace.ops if op.op.kind in (Kind.SCAN, Kind.STORE)]
        again += any(kinds[at : at + 3] == [Kind.SCAN, Kind.STORE, Kind.SCAN] for at in range(len(kinds)))
    assert again > 5


def test_rows_of_single_bits_are_found() -> None:
    assert [row.name for row in rows(64).bitwise] == ["int_and", "int_or", "int_xor"]


def test_picks_and_chances_are_even() -> None:
    choices = RandomChoices(Random(1))
    picked = Counter(choices.pick("abc") for _ in range(3000))
    assert picked.keys() == set("abc")
    assert min(picked.values()) > 900
    assert 800 < sum(choices.chance(30) for _ in range(3000)) < 1000
    assert not any(choices.chance(0) for _ in range(1000))
    assert all(choices.chance(100) for _ in range(1000))


def test_some_are_those_that_chances_choose() -> None:
    one, other = RandomChoices(Random(1)), RandomChoices(Random(1))
    assert one.some(range(100), 30) == [number for number in range(100) if other.chance(30)]


def test_the_latest_are_picked_evenly_and_nothing_before_them() -> None:
    choices = RandomChoices(Random(1))
    picked = Counter(choices.latest("abcde", 3) for _ in range(3000))
    assert picked.keys() == set("cde")
    assert min(picked.values()) > 900
    assert {choices.latest("ab", 3) for _ in range(100)} == set("ab")
    with pytest.raises(ValueError, match="empty range"):
        choices.latest("", 3)


def test_several_are_made_in_turn() -> None:
    choices, made = RandomChoices(Random(1)), count()
    lengths = {len(choices.several(1, 4, lambda: next(made))) for _ in range(200)}
    assert lengths == {1, 2, 3, 4}
    assert choices.several(2, 2, lambda: next(made)) == [first := next(made) - 2, first + 1]


def test_numbers_are_those_of_the_generator() -> None:
    ours, theirs = RandomChoices(Random(1)), Random(1)
    bounds = [(0, 0), (0, 1), (-3, 4), (0, 99), (-(1 << 63), (1 << 63) - 1), (5, 12)] * 50
    assert [ours.integer(*one) for one in bounds] == [theirs.randint(*one) for one in bounds]
    with pytest.raises(ValueError, match="empty range"):
        ours.integer(1, 0)
