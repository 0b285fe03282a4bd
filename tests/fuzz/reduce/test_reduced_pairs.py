"""Pairs without an optimizer are reduced in lockstep: what both traces do goes from both, their difference stays."""

from __future__ import annotations

import json
from itertools import product
from pathlib import Path

import pytest
from commands import Command
from faults.reduced_pairs import reduced_pair
from finding import find_in

from fuzz.campaign.examine import Find
from fuzz.campaign.triage import settle
from fuzz.cases.store import case_names, read_case
from fuzz.edits.walk import is_well_formed
from fuzz.reduce.alignment import aligned, is_same
from fuzz.reduce.change import Change, parts_of
from fuzz.reduce.reduce import Reduced, reduce_find
from fuzz.reduce.trials import Subject, candidate_of, refuted_by
from optimizer.ir.check import inner_label
from optimizer.ir.immutable import replace
from optimizer.ir.text import format_trace, parse
from optimizer.ir.trace import Trace, exit_of
from validator.prove.judge import validate
from validator.search.counterexample import State
from validator.verdict import Options, Refuted, Verdict

CORPUS = Path(__file__).parents[3] / "corpus"
OPTIONS = Options(effort=1_000_000, timeout_s=5.0)


def judge(before: Trace, after: Trace, state: State) -> Verdict:
    return validate(before, after, OPTIONS, examples=(state,))


def pair_of(before: str, after: str) -> tuple[Find, Subject]:
    subject = Subject(None, judge, OPTIONS)
    find = find_in(parse(before), parse(after), subject)
    assert find is not None
    return find, subject


def reduced(before: str, after: str) -> Reduced:
    left = reduce_find(*pair_of(before, after), 60.0)
    assert left.repeated
    assert left.complete
    return left


def texts(left: Reduced) -> tuple[str, str]:
    assert isinstance(left.find.after, Trace)
    return format_trace(left.before), format_trace(left.find.after)


THREE_GUARDS = """\
[i0, i1, i2]
i3 = int_add(i0, i1)
i4 = int_lt(i3, 100)
guard_true(i4) [i0, i1]
i5 = int_mul(i3, i2)
i6 = int_lt(i5, 1000)
guard_true(i6) [i0, i5]
i7 = int_sub(i5, i1)
i8 = int_lt(i7, 50)
guard_true(i8) [i7, i0, i2]
jump(i7, i1, i0)
"""


def test_a_wrong_failarg_stays_one_where_origins_are_inferred() -> None:
    left = reduced(THREE_GUARDS, THREE_GUARDS.replace("[i7, i0, i2]", "[i7, i1, i2]"))
    assert left.failure.what == "guard: failarg"
    assert texts(left) == (
        "[i0, i1]\nguard_true(i1) [i0]\nfinish()\n",
        "[i0, i1]\nguard_true(i1) [i1]\nfinish()\n",
    )


def test_a_run_is_told_under_the_likely_origins() -> None:
    before, after = parse(THREE_GUARDS), parse(THREE_GUARDS.replace("[i7, i0, i2]", "[i7, i1, i2]"))
    found = refuted_by(before, after, State((50, 0, 1)), OPTIONS)
    assert found is not None
    assert found.counterexample.obligation == "guard 2: failarg 1"
    assert found.counterexample.origins == (0, 1, 2)


def test_origins_of_the_recorded_trace_are_names() -> None:
    """An optimized trace that is optimized again: both name guards of a third one."""
    before = "[i0, i1]\nguard_true(i0, origin=4) [i0]\nguard_true(i1, origin=7) [i0]\nfinish()\n"
    after = before.replace("origin=7) [i0]", "origin=7) [i1]")
    assert texts(reduced(before, after))[1].endswith("guard_true(i1, origin=0) [i1]\nfinish()\n")


LOADS = """\
[p0, p1, i2, i3]
i4 = int_add(i2, i3)
i5 = getfield_gc_i(p0, descr=Node.value)
guard_true(i3) [i2, i5]
setfield_gc(p1, i4, descr=Node.value)
i6 = getfield_gc_i(p0, descr=Node.value)
i7 = int_mul(i6, i2)
finish(i7, i5)
"""


def test_a_stale_load_stays_one() -> None:
    after = LOADS.replace("i6 = getfield_gc_i(p0, descr=Node.value)\n", "").replace("i6", "i5")
    before, after = texts(reduced(LOADS, after))
    names = [op.op.name for op in parse(before).ops]
    assert names == ["getfield_gc_i", "setfield_gc", "getfield_gc_i", "finish"]
    assert [op.op.name for op in parse(after).ops] == ["getfield_gc_i", "setfield_gc", "finish"]


def test_an_allocation_stays_that_leaves_what_is_read_unwritten() -> None:
    """An object that existed before has been written, and then the change is right."""
    before = "[p0, i1]\np2 = newunicode(1)\nescape_n(i1)\ncopyunicodecontent(p2, p0, 0, 0, 1)\nfinish(i1)\n"
    after = before.replace(
        "copyunicodecontent(p2, p0, 0, 0, 1)", "i3 = unicodegetitem(p2, 0)\nunicodesetitem(p0, 0, i3)"
    )
    left = texts(reduced(before, after))
    assert [op.op.name for op in parse(left[0]).ops] == ["newunicode", "copyunicodecontent", "finish"]
    assert isinstance(validate(*map(parse, left), OPTIONS), Refuted)


def test_the_store_stays_that_makes_a_forwarded_value_wrong() -> None:
    """Without it the change is right, so that it is decisive; without the first store the change is no sensible one."""
    before = (
        "[p0, p1, i2, i3]\nescape_n(i3)\nsetfield_gc(p0, i2, descr=Node.value)\nsetfield_gc(p1, i3, descr=Node.value)\n"
        "i4 = getfield_gc_i(p0, descr=Node.value)\nescape_n(i2)\nfinish(i4)\n"
    )
    after = before.replace("i4 = getfield_gc_i(p0, descr=Node.value)\n", "").replace("i4", "i2")
    names = [op.op.name for op in reduced(before, after).before.ops]
    assert names == ["setfield_gc", "setfield_gc", "getfield_gc_i", "finish"]


@pytest.mark.parametrize("rename", [False, True])
def test_what_is_right_of_a_change_is_undone(rename: bool) -> None:
    before = "[i0, i1]\ni2 = int_mul(i0, 8)\ni3 = int_add(i2, i1)\ni4 = int_floordiv(i3, 2)\nfinish(i3, i4)\n"
    after = before.replace("int_mul(i0, 8)", "int_lshift(i0, 3)").replace("int_floordiv(i3, 2)", "int_rshift(i3, 1)")
    if rename:
        after = after.replace("i2", "i12").replace("i3", "i2").replace("i4", "i3")
    assert texts(reduced(before, after)) == (
        "[i0]\ni1 = int_floordiv(i0, 2)\nfinish(i1)\n",
        "[i0]\ni1 = int_rshift(i0, 1)\nfinish(i1)\n",
    )


def test_two_faults_that_have_nothing_to_do_with_each_other() -> None:
    before = "[i0, i1]\ni2 = int_floordiv(i0, 2)\nescape_n(i2)\ni3 = int_floordiv(i1, 4)\nfinish(i3)\n"
    after = before.replace("int_floordiv(i0, 2)", "int_rshift(i0, 1)").replace(
        "int_floordiv(i1, 4)", "int_rshift(i1, 2)"
    )
    assert len(reduced(before, after).before.ops) == 3


@pytest.mark.parametrize("name", ["load-behind-a-store-through-an-alias", "c-division-by-shift", "swapped-failargs"])
def test_a_case_of_the_corpus_shows_what_it_is_about(name: str) -> None:
    pair = reduced_pair(read_case(CORPUS, name))
    assert pair.shows
    assert pair.left.complete


WRONG = [name for name in case_names(CORPUS) if read_case(CORPUS, name).expect == "refuted"]


@pytest.mark.parametrize("name", WRONG[1::5])
def test_what_the_traces_differ_in_still_shows(name: str) -> None:
    pair = reduced_pair(read_case(CORPUS, name))
    assert pair.shows_in_part
    assert isinstance(pair.left.find.verdict, Refuted)


@pytest.mark.parametrize("name", ["peeled-stale-value", "peeled-load-over-store"])
def test_a_peeled_loop_becomes_a_smaller_one_that_is_refuted(name: str) -> None:
    case = read_case(CORPUS, name)
    left = reduced(case.before, case.after or "")
    assert len(left.before.ops) < len(parse(case.before).ops)
    assert isinstance(left.find.after, Trace)
    assert inner_label(left.find.after) is not None
    assert isinstance(validate(left.before, left.find.after, case.options), Refuted)


# What corresponds.


@pytest.mark.parametrize("name", case_names(CORPUS)[::7])
def test_a_trace_is_aligned_with_itself(name: str) -> None:
    before = parse(read_case(CORPUS, name).before)
    change = Change(*aligned(before, before))
    assert not change.removed
    assert not change.inserted
    assert not change.altered
    assert all(is_same(one, two) for one, two in change.shared)


def test_values_of_different_types_are_never_one() -> None:
    before = "[p0, i5]\np1 = getfield_gc_r(p0, descr=N.next)\nguard_nonnull(p1) []\nfinish(i5)\n"
    after = "[p0, i5]\ni1 = getfield_gc_i(p0, descr=N.value)\nguard_true(i1) []\nfinish(i5)\n"
    assert texts(reduced(before, after))[1] == (
        "[p0]\ni0 = getfield_gc_i(p0, descr=N.value)\nguard_true(i0) []\nfinish()\n"
    )


def test_traces_that_have_nothing_to_do_with_each_other_can_be_aligned() -> None:
    cases = [read_case(CORPUS, name) for name in case_names(CORPUS)[::12]]
    for one, two in product(cases, cases):
        assert is_well_formed(aligned(parse(one.before), parse(two.before))[1])


@pytest.mark.parametrize("name", WRONG[::3])
def test_undoing_all_gives_the_recorded_trace(name: str) -> None:
    case = read_case(CORPUS, name)
    before = parse(case.before)
    subject = Subject(None, judge, case.options)
    find = find_in(before, parse(case.after or "", word=before.word), subject)
    if find is None:
        return  # it takes the state of the case
    change = candidate_of(find, subject).change
    assert change is not None
    again = Change(change.before, change.undone(frozenset().union(*parts_of(change))))
    assert not again.removed
    assert not again.inserted
    assert not again.altered


# Buckets of optimizers that cannot be taken apart.


def _wrong_difference(trace: Trace) -> Trace:
    """Takes `y - x` for `x - y` where that is computed already, and names no origins."""
    known: dict[object, object] = {}
    ops = []
    values: dict[object, object] = {}
    for op in trace.ops:
        args = tuple(values.get(arg, arg) for arg in op.args)
        op = replace(op, args=args)
        if op.exit is not None:
            failargs = tuple(values.get(arg, arg) for arg in exit_of(op).failargs or ())
            op = replace(op, exit=replace(op.exit, failargs=failargs))
        if op.op.name == "int_sub" and frozenset(args) in known:
            values[op.result] = known[frozenset(args)]
            continue
        if op.op.name == "int_sub":
            known[frozenset(args)] = op.result
        ops.append(op)
    return replace(trace, ops=tuple(ops))


ENDS = [
    "finish(i3)",
    "i4 = int_lt(i3, 10)\nguard_true(i4) [i0]\nfinish(i0)",
    "guard_true(i0) [i3]\nfinish()",
    "escape_n(i3)\nfinish(i0, i1)",
    "i4 = int_is_true(i0)\nguard_true(i4) [i0]\ni5 = int_mul(i3, i3)\ni6 = int_add(i5, i3)\nfinish(i6)",
    "setfield_gc(p7, i3, descr=Node.value)\nescape_n(p7)\nfinish()",
]


def test_one_fault_gives_one_bucket_wherever_it_shows() -> None:
    buckets = set()
    for end in ENDS:
        inputs = "i0, i1, p7" if "p7" in end else "i0, i1"
        before = parse(f"[{inputs}]\ni2 = int_sub(i0, i1)\nescape_n(i2)\ni3 = int_sub(i1, i0)\n{end}\n")
        subject = Subject(_wrong_difference, judge, OPTIONS)
        find = find_in(before, None, subject)
        assert find is not None
        settled = settle(find, subject, 30.0)
        buckets.add(settled.bucket)
        assert [op.op.name for op in settled.reduced.before.ops] == ["int_sub", "int_sub", "finish"]
    assert len(buckets) == 1


# The command.


def test_the_first_line_says_that_nothing_was_reduced(traceproof: Command) -> None:
    traceproof.write("before.trace", "[i0, i1]\nfinish(i0)\n")
    traceproof.write("after.trace", "[i0, i1]\nfinish(i1)\n")
    code, out, _ = traceproof("reduce", "before.trace", "after.trace", "-o", "pair")
    assert code == 3
    assert out.startswith("not reduced: it is the smallest already")
    code, _, err = traceproof("reduce", "before.trace", "before.trace")
    assert code == 2
    assert "it is proved: there is nothing to reduce" in err


def test_a_find_that_does_not_show_again_was_not_reproduced(traceproof: Command, tmp_path: Path) -> None:
    traceproof.write("before.trace", THREE_GUARDS)
    (tmp_path / "mine_twice.py").write_text(
        "calls = 0\ndef optimize(trace):\n    global calls\n    calls += 1\n    return 1 // (calls - 1)\n"
    )
    code, out, _ = traceproof("reduce", "before.trace", "--optimizer", "mine_twice:optimize", "-o", "crash")
    assert code == 3
    assert out.startswith("not reproduced: the failure did not show again")
    code, out, _ = traceproof("reduce", "crash")
    assert code == 3
    assert out.startswith("not reproduced: the case crash is a crash, and that does not show now")


def test_an_optimizer_that_does_not_show_the_failure_of_a_case_is_told(traceproof: Command) -> None:
    traceproof.write("before.trace", THREE_GUARDS)
    traceproof.write("after.trace", THREE_GUARDS.replace("[i7, i0, i2]", "[i7, i1, i2]"))
    traceproof.write("mended.py", "def optimize(trace):\n    return trace\n")
    pair = traceproof("reduce", "before.trace", "after.trace", "-o", "case")
    told = traceproof("reduce", "case", "--optimizer", "mended:optimize")
    assert "\nthe optimizer does not show this, the stored pair was reduced\n" in told.out
    assert "does not show" not in pair.out
    told = traceproof("reduce", "case", "--json")
    assert json.loads(told.out)["optimizer_shows_it"] is False
    pair = traceproof("reduce", "before.trace", "after.trace", "--json")
    assert json.loads(pair.out)["optimizer_shows_it"] is None


def test_what_is_unknown_is_not_reduced(traceproof: Command) -> None:
    traceproof.write("before.trace", "[i0]\nlabel(i0)\nlabel(i0)\nfinish(i0)\n")
    code, _, err = traceproof("reduce", "before.trace", "before.trace")
    assert code == 4
    assert "not reduced: nothing wrong was found there (unsupported: " in err
