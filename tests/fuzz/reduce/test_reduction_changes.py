"""What reduction tries: each change gives a trace that may be judged, and does what it says."""

from __future__ import annotations

from contextlib import suppress

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from fuzz.draw.generator import generate_for
from fuzz.edits.reach import reached
from fuzz.edits.walk import numbered as with_lines
from fuzz.reduce.alignment import aligned
from fuzz.reduce.candidate import Candidate, may_be_tried, with_plain_names
from fuzz.reduce.declared import drop_declarations
from fuzz.reduce.drop import without
from fuzz.reduce.operands import forward, simpler_numbers, simplify_constants, simplify_operands
from fuzz.reduce.structure import (
    Changes,
    cut_tail,
    drop_handed_over,
    drop_inputs,
    drop_operations,
    halves,
    made,
    simplify_rows,
)
from optimizer.ir.check import check
from optimizer.ir.faults import Unsupported
from optimizer.ir.immutable import replace
from optimizer.ir.run.interpreter import Program
from optimizer.ir.run.objects import NULL
from optimizer.ir.run.runs import World
from optimizer.ir.text import format_trace, parse
from optimizer.ir.types.trace_layout import layout_of
from validator.search.counterexample import State

CHANGES: tuple[Changes, ...] = (
    cut_tail,
    drop_operations,
    drop_handed_over,
    drop_inputs,
    drop_declarations,
    forward,
    simplify_operands,
    simplify_constants,
    simplify_rows,
)


def candidate_for(seed: int) -> Candidate:
    drawn = generate_for(seed)
    return numbered(Candidate(drawn.trace, None, drawn.state))


def numbered(candidate: Candidate) -> Candidate:
    if candidate.after is None:
        return replace(candidate, before=with_lines(candidate.before))
    before, after = aligned(candidate.before, candidate.after)
    return replace(candidate, before=before, after=after)


@given(st.integers(0, 1 << 20), st.sampled_from(CHANGES), st.integers(0, 1 << 20))
@example(4092, drop_declarations, 12)
def test_a_change_gives_an_honest_candidate(seed: int, changes: Changes, choice: int) -> None:
    """What is well-formed can be printed, read again, and run on its state, as far as it is modelled."""
    candidate = candidate_for(seed)
    listed = list(changes(candidate))
    for number in range(choice, choice + 5) if listed else ():
        changed = made(listed[number % len(listed)], candidate)
        if changed is None or not may_be_tried(changed):
            continue
        check(changed.before)
        assert parse(format_trace(changed.before)) == changed.before
        assert len(changed.state.inputs) == len(changed.before.inputs)
        with suppress(Unsupported):
            Program(changed.before, layout_of(changed.before)).run(
                changed.state.inputs, changed.state.world, heap=changed.state.heap
            )


DECLARED = """
+++
[struct.S]
fields = { x = { type = "int", immutable = true } }

[array.A]
item = "int"
immutable = true

[array.B]
fields = { y = { type = "int", immutable = true } }

[descr]
d = "S.x"
+++
[p0]
i1 = getfield_gc_i(p0, descr=d)
finish(i1)
"""


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('x = { type = "int", immutable = true }', 'x = "int"'),
        ('y = { type = "int", immutable = true }', 'y = "int"'),
        ("\nimmutable = true", ""),
        ('[descr]\nd = "S.x"\n', ""),
    ],
)
def test_less_is_declared(old: str, new: str) -> None:
    """Another name goes with what it is the name of where it stands."""
    candidate = numbered(Candidate(parse(DECLARED), None, State((NULL,))))
    wanted = parse(DECLARED.replace(old, new).replace("descr=d)", f"descr={'S.x' if '[descr]' in old else 'd'})"))
    tried = [made(change, candidate) for change in drop_declarations(candidate)]
    assert format_trace(wanted) in [format_trace(one.before) for one in tried if one is not None]


@pytest.mark.parametrize("guard", ["guard_class", "guard_subclass", "guard_nonnull_class"])
def test_no_number_stands_for_a_class(guard: str) -> None:
    trace = parse(f"[p0, p1]\n{guard}(p1, ConstClass(T)) [p0]\nfinish()\n")
    candidate = numbered(Candidate(trace, None, State((NULL, NULL))))
    tried = [made(change, candidate) for change in simplify_operands(candidate)]
    texts = [format_trace(one.before) for one in tried if one is not None]
    assert any("(p0, " in text for text in texts)
    assert all("ConstClass(T)" in text for text in texts)


@given(st.integers(0, 1 << 20), st.data())
def test_operations_go_and_the_others_compute_the_same(seed: int, data: st.DataObject) -> None:
    """Inputs take the place of what was computed, with the same values."""
    candidate = candidate_for(seed)
    if candidate.state.heap is not None:
        return
    lines = [op.line for op in candidate.before.ops[:-1]]
    gone = data.draw(st.sets(st.sampled_from(lines), min_size=1)) if lines else set()
    changed = without(candidate, gone)
    if changed is None:
        return
    assert may_be_tried(changed)
    assert candidate.run is not None
    assert changed.run is not None
    assert set(changed.run.values.items()) <= set(candidate.run.values.items())
    assert type(changed.run.outcome) is type(candidate.run.outcome)


@given(st.integers(0, 1 << 20))
@example(104357)
def test_plain_names_change_nothing(seed: int) -> None:
    candidate = candidate_for(seed)
    named = with_plain_names(candidate)
    assert may_be_tried(named)
    assert named.run is not None
    assert candidate.run is not None
    assert [op.op for op in named.before.ops] == [op.op for op in candidate.before.ops]
    assert type(named.run.outcome) is type(candidate.run.outcome)


@given(st.integers(0, 1 << 20))
def test_garbage_is_not_missed(seed: int) -> None:
    candidate = candidate_for(seed)
    layout = layout_of(candidate.before)
    cleaned = replace(candidate, state=reached(candidate.state, [candidate.before], layout))
    assert cleaned.run is not None
    assert candidate.run is not None
    assert cleaned.run.outcome == candidate.run.outcome


def test_an_overflow_check_may_go_alone() -> None:
    trace = parse("[i0]\ni1 = int_add_ovf(i0, 1)\nguard_no_overflow() []\nfinish(i1)\n")
    candidate = numbered(Candidate(trace, None, State((1,))))
    changed = without(candidate, {trace.ops[1].line - 1})
    assert changed is not None
    assert format_trace(changed.before) == "[i0]\ni1 = int_add(i0, 1)\nfinish(i1)\n"
    changed = without(candidate, {1})
    assert changed is not None
    assert format_trace(changed.before) == "[i0, i1]\nfinish(i1)\n"
    assert changed.state.inputs == (1, 2)


@pytest.mark.parametrize(("line", "results", "stops"), [(0, (8, 9), 1), (1, (7, 9), 1), (3, (7, 8, 9), 2)])
def test_what_is_told_of_events_goes_with_them(line: int, results: tuple[int, ...], stops: int) -> None:
    """Also behind where the recorded trace leaves: the optimized one may get there."""
    trace = parse("[]\ni0 = escape_i()\ni1 = escape_i()\nguard_true(0) []\ni2 = escape_i(3)\nfinish()\n")
    candidate = numbered(Candidate(trace, None, State((), World((7, 8, 9), stops_at=2))))
    changed = without(candidate, {candidate.before.ops[line].line})
    assert changed is not None
    assert (changed.state.world.results, changed.state.world.stops_at) == (results, stops)


def test_what_does_not_return_goes() -> None:
    trace = parse("[]\nescape_n()\nescape_n(1)\nfinish()\n")
    candidate = numbered(Candidate(trace, None, State((), World(stops_at=1))))
    changed = without(candidate, {candidate.before.ops[1].line})
    assert changed is not None
    assert changed.state.world.stops_at is None


def test_an_earlier_value_stands_for_a_result_or_the_number_that_it_is() -> None:
    trace = parse("[i0]\ni1 = int_add(i0, 5)\ni2 = int_lt(i1, 8)\nescape_n(i1, 7)\nfinish(i2)\n")
    candidate = numbered(Candidate(trace, None, State((2,))))
    changed = [one for change in forward(candidate) if (one := made(change, candidate)) is not None]
    texts = [format_trace(one.before) for one in changed]
    assert "[i0]\ni2 = int_lt(i0, 8)\nescape_n(i0, 7)\nfinish(i2)\n" in texts
    assert "[i0]\ni2 = int_lt(i0, 3)\nescape_n(i0, 7)\nfinish(i2)\n" in texts
    assert "[i0]\ni2 = int_lt(7, 8)\nescape_n(7, 7)\nfinish(i2)\n" in texts


def test_an_event_gives_nothing_where_nothing_needs_it() -> None:
    trace = parse("[]\np0 = escape_r()\np1 = escape_r(1)\nfinish(p1)\n")
    candidate = numbered(Candidate(trace, None, State((), World((NULL, NULL)))))
    changed = [one for change in simplify_rows(candidate) if (one := made(change, candidate)) and may_be_tried(one)]
    texts = [format_trace(one.before) for one in changed]
    assert texts == ["[]\nescape_n()\np1 = escape_r(1)\nfinish(p1)\n"]


def test_origins_are_renumbered() -> None:
    before = parse("[i0]\nguard_true(i0) [1]\nguard_false(0) []\nfinish(i0)\n")
    after = parse("[i5]\nguard_true(i5, origin=0) [1]\nguard_false(0, origin=1) []\nfinish(i5)\n")
    candidate = numbered(Candidate(before, after, State((1,))))
    changed = without(candidate, {candidate.before.ops[0].line})
    assert changed is not None
    assert changed.after is not None
    assert format_trace(changed.before) == "[i0]\nguard_false(0) []\nfinish(i0)\n"
    assert format_trace(changed.after) == "[i0]\nguard_false(0, origin=0) []\nfinish(i0)\n"


@pytest.mark.parametrize("count", [0, 1, 2, 3, 7, 8])
def test_halves_cover_everything(count: int) -> None:
    chunks = list(halves(count))
    assert chunks[:1] == ([(0, count)] if count else [])
    assert [chunk for chunk in chunks if chunk[1] - chunk[0] == 1][-count:] == [(k, k + 1) for k in range(count)][::-1]


@given(st.integers(4, 64), st.data())
def test_simpler_numbers_are_words(word: int, data: st.DataObject) -> None:
    half = 1 << (word - 1)
    number = data.draw(st.integers(-half, half - 1))
    simpler = list(simpler_numbers(number, word))
    assert number not in simpler
    assert all(-half <= one < half for one in simpler)
    assert bool(simpler) == (number != 0)
