"""The smallest trace that still shows the same failure, whatever kind of failure it is."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import pytest
from faults.planting import OptimizerFault
from faults.reducing import find_large, reduced, smallest_known
from faults.table import OPTIMIZER_FAULTS
from finding import find_in

from fuzz.campaign.examine import AlwaysFails, Find, FindKind, Garbled, Hangs, Made, Optimizer, examine
from fuzz.campaign.triage import Guilt, find_guilt, settle
from fuzz.cases.store import case_names, read_case
from fuzz.draw.generator import generate_for
from fuzz.reduce.failure import failure_of, obligation_kind
from fuzz.reduce.reduce import Reduced, reduce_find
from fuzz.reduce.source import look_at_case
from fuzz.reduce.trials import Subject
from optimizer.ir.check import check
from optimizer.ir.rows.ops import OPS
from optimizer.ir.text import format_trace, parse
from optimizer.ir.trace import ConstInt, Operation, Trace
from optimizer.ir.types.trace_layout import layout_of
from optimizer.pipeline import optimize
from validator.prove.judge import validate
from validator.search.counterexample import State
from validator.tell.stored_state import restored_state, stored_state
from validator.verdict import Options, Proved, Refuted, Verdict

CORPUS = Path(__file__).parents[3] / "corpus"
OPTIONS = Options(effort=1_000_000, timeout_s=5.0)


def judge(before: Trace, after: Trace, state: State) -> Verdict:
    return validate(before, after, OPTIONS, examples=(state,))


def find_with(optimizer: Optimizer, seed: int, judged: Callable[[Trace, Trace, State], Verdict] = judge) -> Find:
    record = examine(Made(seed, generate_for(seed)), optimizer, judged)
    assert isinstance(record, Find)
    return record


def reduce_with(optimizer: Optimizer, seed: int) -> Reduced:
    return reduce_find(find_with(optimizer, seed), Subject(optimizer, judge, OPTIONS), 30.0)


def has(trace: Trace, name: str) -> bool:
    return any(op.op is OPS[name] for op in trace.ops)


def seed_with(name: str, least: int = 30) -> int:
    """The first seed whose trace has the operation, and so many in all."""
    traces = ((seed, generate_for(seed).trace) for seed in range(1000))
    return next(seed for seed, trace in traces if has(trace, name) and len(trace.ops) >= least)


# Kinds of finds.


def _wrong_product(trace: Trace) -> Trace:
    """Takes int_mul for int_add."""
    ops = (replace(op, op=OPS["int_add"]) if op.op is OPS["int_mul"] else op for op in trace.ops)
    return replace(trace, ops=tuple(map(_with_origin, ops, _origins(trace))))


def _origins(trace: Trace) -> list[int]:
    found, number = [], 0
    for op in trace.ops:
        found.append(number)
        number += op.op.is_guard
    return found


def _with_origin(op: Operation, number: int) -> Operation:
    return op if op.exit is None else replace(op, exit=replace(op.exit, origin=number))


def _crashing(trace: Trace) -> Trace:
    if not has(trace, "int_mul"):
        return trace
    if len(trace.ops) > 10:
        raise IndexError(len(trace.ops))
    raise IndexError("another place")


def _hanging(trace: Trace) -> Trace:
    if has(trace, "int_mul"):
        raise Hangs("no answer within 10 s")
    return trace


def _garbling(trace: Trace) -> Trace:
    if has(trace, "int_mul"):
        raise Garbled(f"line {len(trace.ops)}: expected an operation", "nothing")
    return trace


def _ill_formed(trace: Trace) -> Trace:
    gone = [op for op in trace.ops if op.op is not OPS["int_mul"]]
    return replace(trace, ops=tuple(gone))


def _claiming(trace: Trace) -> Trace:
    if has(trace, "int_mul") and trace.guards:
        raise AlwaysFails(0)
    return trace


def _seed_where_products_show() -> int:
    """The first seed with a product and a guard where it matters that it is one."""
    for seed in range(1000):
        made = generate_for(seed)
        trace = made.trace
        if has(trace, "int_mul") and trace.guards and len(trace.ops) >= 30:
            record = examine(Made(seed, made), _wrong_product, judge)
            if isinstance(record, Find) and record.kind is FindKind.REFUTED:
                return seed
    raise AssertionError("no seed shows a wrong product")


SEED = _seed_where_products_show()


@pytest.mark.parametrize(
    ("optimizer", "kind", "least"),
    [
        (_wrong_product, FindKind.REFUTED, 2),
        (_hanging, FindKind.HANG, 2),
        (_garbling, FindKind.MALFORMED, 2),
        (_ill_formed, FindKind.MALFORMED, 2),
        (_claiming, FindKind.REFUTED, 3),
    ],
    ids=lambda value: getattr(value, "__name__", None),
)
def test_each_kind_of_find_is_reduced(optimizer: Optimizer, kind: FindKind, least: int) -> None:
    left = reduce_with(optimizer, SEED)
    assert left.find.kind is kind
    assert left.repeated
    assert left.complete
    assert has(left.before, "int_mul")
    assert len(left.before.ops) <= 2 * least
    again = examine(left.find.made, optimizer, judge)
    assert isinstance(again, Find)
    assert failure_of(again) == left.failure


def test_a_crash_at_another_place_is_another_failure() -> None:
    left = reduce_with(_crashing, SEED)
    assert len(left.before.ops) == 11
    assert left.find.message.startswith("IndexError: 11")


def test_a_fault_of_the_validator_is_reduced() -> None:
    def faulty(before: Trace, after: Trace, state: State) -> Verdict:
        if has(before, "int_mul"):
            raise ValueError(len(before.ops))
        return judge(before, after, state)

    find = find_with(optimize, SEED, faulty)
    assert find.kind is FindKind.FAULT
    left = reduce_find(find, Subject(optimize, faulty, OPTIONS), 30.0)
    assert left.find.kind is FindKind.FAULT
    assert len(left.before.ops) == 2


def test_the_optimizer_is_only_given_well_formed_traces() -> None:
    def strict(trace: Trace) -> Trace:
        check(trace)
        layout_of(trace)
        return _wrong_product(trace)

    assert reduce_with(strict, SEED).find.kind is FindKind.REFUTED


def test_a_find_that_does_not_show_again_stays() -> None:
    find = find_with(_wrong_product, SEED)
    left = reduce_find(find, Subject(lambda trace: trace, judge, OPTIONS), 30.0)
    assert not left.repeated
    assert left.find is find


# The same failure.


@dataclass(frozen=True)
class TwoFaults:
    """Takes int_mul for int_add, and (part b) hands over another value where an end has one argument only."""

    parts: Mapping[str, Sequence[str]]

    def without(self, names: Collection[str]) -> Optimizer:
        def optimized(trace: Trace) -> Trace:
            done = trace if "a" in names else _wrong_product(trace)
            if "b" not in names and len(trace.end.args) == 1:
                done = replace(done, ops=(*done.ops[:-1], replace(done.end, args=(ConstInt(3),))))
            return done

        return optimized


TWICE = """\
[i0, i1]
i2 = int_mul(i0, i1)
i3 = int_add(i2, 1)
i4 = int_sub(i1, i0)
jump(i3, i4)
"""


@pytest.mark.parametrize("knows_parts", [True, False])
def test_one_fault_does_not_become_another(knows_parts: bool) -> None:
    parts = TwoFaults({"a": (), "b": ()})
    optimizer = parts.without(())
    find = find_in(parse(TWICE), None, Subject(optimizer, judge, OPTIONS))
    assert find is not None
    assert failure_of(find).what == "end: argument"
    settled = settle(find, Subject(optimizer, judge, OPTIONS), 30.0, parts if knows_parts else None)
    assert has(settled.reduced.before, "int_mul") == knows_parts
    assert settled.bucket.startswith("a-end-argument-" if knows_parts else "end-argument-")


AT_A_GUARD = """\
[i0, i1]
i2 = int_mul(i0, i1)
i3 = int_lt(i2, 100)
guard_true(i3) []
i4 = int_sub(i1, i0)
jump(i4, i0)
"""


@pytest.mark.parametrize("knows_parts", [True, False])
def test_a_wrong_value_is_handed_over_by_the_end(knows_parts: bool) -> None:
    """The other fault, which shows where an end has one argument, is not taken for it, also where it is not known who
    is guilty: it makes another change."""
    parts = TwoFaults({"a": (), "b": ()})
    subject = Subject(parts.without(()), judge, OPTIONS)
    find = find_in(parse(AT_A_GUARD), None, subject, State((20, 10)))
    assert find is not None
    assert failure_of(find).what.startswith("guard: ")
    left = settle(find, subject, 30.0, parts if knows_parts else None).reduced
    assert has(left.before, "int_mul")
    assert not left.before.guards
    assert left.failure.what.startswith("end: ")


@dataclass(frozen=True)
class OnlyTogether:
    """Takes int_mul for int_add, if all of these are there."""

    needed: frozenset[str]

    @property
    def parts(self) -> Mapping[str, Sequence[str]]:
        return {"a": ("turn", "other", "add"), "b": ()}

    def without(self, names: Collection[str]) -> Optimizer:
        return (lambda trace: trace) if self.needed & set(names) else _wrong_product


@pytest.mark.parametrize(
    ("needed", "guilt", "name", "parts"),
    [
        ("a turn add", Guilt(("a",), ("turn", "add")), "a-turn", {"turn", "add"}),
        ("a b turn", Guilt(("a", "b")), "a-b", {"a", "b"}),
    ],
    ids=["rules of one pass", "passes"],
)
def test_all_that_is_needed_is_guilty(needed: str, guilt: Guilt, name: str, parts: set[str]) -> None:
    find = find_in(parse(TWICE), None, Subject(_wrong_product, judge, OPTIONS))
    assert find is not None
    found = find_guilt(find, judge, OPTIONS, OnlyTogether(frozenset(needed.split())))
    assert found == guilt
    assert str(found) == name
    assert found.parts == parts


def test_parts_that_fail_alike_are_guilty_together() -> None:
    parts = TwoFaults({"a": (), "b": (), "c": ()})
    optimizer = parts.without(())
    both = parse("[i0, i1]\ni2 = int_mul(i0, i1)\njump(i2)\n")
    find = find_in(both, None, Subject(optimizer, judge, OPTIONS))
    assert find is not None
    guilt = find_guilt(find, judge, OPTIONS, parts)
    assert guilt == Guilt(("a", "b"))
    assert settle(find, Subject(optimizer, judge, OPTIONS), 30.0, parts).reduced.repeated


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("guard 3: failarg 2", "guard: failarg"),
        ("guard 3: heap Node.value", "guard: heap"),
        ("guard 12: origin's exit block", "guard: origin's exit block"),
        ("end: argument 1", "end: argument"),
        ("end: events", "end: events"),
        ("op 7: defined", "op: defined"),
        ("event 0: heap A1.x", "event: heap"),
    ],
)
def test_kinds_of_obligations(name: str, kind: str) -> None:
    assert obligation_kind(name) == kind


# Pairs.

PAIRS = [name for name in case_names(CORPUS) if read_case(CORPUS, name).expect == "refuted"]


@pytest.mark.parametrize("name", PAIRS[::6])
def test_both_sides_of_a_pair_shrink_together(name: str) -> None:
    case = read_case(CORPUS, name)

    def judged(before: Trace, after: Trace, state: State) -> Verdict:
        return validate(before, after, case.options, examples=(state,))

    find, subject = look_at_case(case, optimize, judged, case.options)
    assert isinstance(find, Find)
    left = reduce_find(find, subject, 30.0)
    assert left.repeated
    assert len(left.before.ops) <= len(find.generated.trace.ops)
    assert isinstance(left.find.after, Trace)
    again = validate(left.before, left.find.after, case.options, examples=(left.state,))
    assert isinstance(again, Refuted)
    assert obligation_kind(again.counterexample.obligation) == left.failure.what


# Limits.


def test_an_interrupt_keeps_the_best_so_far() -> None:
    calls = 0

    def interrupted(trace: Trace) -> Trace:
        nonlocal calls
        calls += 1
        if calls == 20:
            raise KeyboardInterrupt
        return _wrong_product(trace)

    find = find_with(_wrong_product, SEED)
    left = reduce_find(find, Subject(interrupted, judge, OPTIONS), 30.0)
    assert left.interrupted
    assert not left.complete
    assert len(left.before.ops) < len(find.generated.trace.ops)
    assert isinstance(examine(left.find.made, _wrong_product, judge), Find)


def test_time_ends_it() -> None:
    find, times = find_with(_wrong_product, SEED), iter(range(10_000))
    left = reduce_find(find, Subject(_wrong_product, judge, OPTIONS), 30.0, clock=lambda: float(next(times)))
    assert not left.complete
    assert len(left.before.ops) < len(find.generated.trace.ops)
    assert isinstance(examine(left.find.made, _wrong_product, judge), Find)


def test_more_processes_come_to_the_same() -> None:
    find = find_with(_wrong_product, SEED)
    subject = Subject(_wrong_product, judge, OPTIONS)
    texts = {format_trace(reduce_find(find, subject, 60.0, jobs=jobs).before) for jobs in (1, 2)}
    assert len(texts) == 1


class _Unsendable:
    """An object of the optimizer's own."""

    def __reduce__(self) -> str | tuple[object, ...]:
        raise TypeError("planted")


class _Unreceivable:
    """The same, sent well."""

    def __reduce__(self) -> str | tuple[object, ...]:
        return int, ("x",)


class _Noted(Trace):
    """A trace that is the same."""

    def __reduce__(self) -> str | tuple[object, ...]:
        raise TypeError("planted")


@pytest.mark.parametrize("returned", [_Unsendable, _Unreceivable, _Noted])
def test_more_processes_come_to_the_same_of_what_cannot_be_sent(
    returned: type, capfd: pytest.CaptureFixture[str]
) -> None:
    def optimizer(trace: Trace) -> Trace:
        if not has(trace, "int_mul"):
            return trace
        if returned is not _Noted:
            return returned()  # type: ignore[no-any-return]  # planted
        wrong = _wrong_product(trace)
        return _Noted(wrong.inputs, wrong.ops, wrong.word, wrong.declarations)

    find, subject = find_with(optimizer, SEED), Subject(optimizer, judge, OPTIONS)
    one, two = (reduce_find(find, subject, 60.0, jobs=jobs) for jobs in (1, 2))
    assert format_trace(one.before) == format_trace(two.before)
    assert len(two.before.ops) < len(find.generated.trace.ops)
    assert capfd.readouterr() == ("", "")


def test_nothing_is_wrong_with_what_is_right() -> None:
    assert find_in(parse(TWICE), None, Subject(optimize, judge, OPTIONS)) is None
    assert isinstance(judge(parse(TWICE), parse(TWICE), State((0, 0))), Proved)


# Planted faults; `scripts/reduce-table` reduces finds of all of them.


@pytest.mark.parametrize("name", ["zero minus x", "unsigned above is signed above"])
def test_a_planted_fault_comes_out_small(name: str) -> None:
    fault: OptimizerFault = next(one for one in OPTIMIZER_FAULTS if one.name == name)
    found, known = find_large(fault, 30, 60.0), smallest_known(fault)
    assert found is not None
    assert known is not None
    settled = reduced(*found)
    assert settled.reduced.complete
    assert len(settled.reduced.before.ops) <= 2 * known
    assert settled.guilt is not None
    assert settled.guilt.passes == ("simplify",)


@pytest.mark.parametrize("seed", range(0, 60, 3))
def test_a_crash_on_anything_leaves_nothing(seed: int) -> None:
    """What the trace no longer names goes with it, from the declarations and from the state, which can be told."""

    def crashing(_: Trace) -> Trace:
        raise ValueError("whatever it is")

    found = reduce_with(crashing, seed)
    assert format_trace(replace(found.before, word=64)) == "[]\nfinish()\n"
    told = stored_state(found.state, found.before)
    assert not told.heap
    restored_state(told, found.before, layout_of(found.before), "state")
