"""Loops that an optimizer has peeled wrongly are reduced by running them, as straight traces are."""

from __future__ import annotations

import pytest
from finding import find_in

from fuzz.campaign.batch import Task, run_batch
from fuzz.campaign.examine import Optimized
from fuzz.campaign.plan import OPTIONS, Plan
from fuzz.draw.generator import generate_for
from fuzz.draw.vocabulary import Vocabulary
from fuzz.reduce.reduce import reduce_find
from fuzz.reduce.trials import Subject, refuted_by
from fuzz.subject.optimizers import OptimizerKind, OptimizerSpec, open_optimizer
from optimizer.ir.check import inner_label
from optimizer.ir.immutable import replace
from optimizer.ir.run.objects import NULL
from optimizer.ir.text import parse
from optimizer.ir.text.heap_reader import parse_heap
from optimizer.ir.trace import Trace
from optimizer.ir.types.trace_layout import layout_of
from optimizer.peel import peel
from validator.prove.judge import validate
from validator.search.counterexample import State
from validator.verdict import Refuted, Unsupported, Verdict

LOOPS = Vocabulary(("integers", "objects"), loops=True)

BEFORE = """\
[i0, i1]
i2 = int_add(i0, i1)
i3 = int_lt(i2, 100)
guard_true(i3) [i2]
jump(i2, i1)
"""

AFTER = """\
[i0, i1]
i2 = int_add(i0, i1)
i3 = int_lt(i2, 100)
guard_true(i3, origin=0) [i2]
label(i2, i1, descr=Body)
i4 = int_add(i2, i1)
i5 = int_lt(i4, 100)
guard_true(i5, origin=0) [i4]
jump(i4, i1, descr=Body)
"""


def judge(before: Trace, after: Trace, state: State) -> Verdict:
    return validate(before, after, OPTIONS, examples=(state,))


def hands_on_too_little(trace: Trace) -> Trace:
    """The trace, peeled, whose body hands on the first number that it was given."""
    peeled = peel(trace).trace
    label = inner_label(peeled)
    if label is None:
        return peeled
    taken, end = peeled.ops[label].args, peeled.end
    first = next((k for k, var in enumerate(taken) if var.type.value == "int"), None)
    args = tuple(taken[k] if k == first else arg for k, arg in enumerate(end.args))
    return peeled.of((*peeled.ops[:-1], replace(end, args=args)))


@pytest.mark.parametrize(("line", "becomes", "obligation"), [
    ("guard_true(i3, origin=0) [i2]", "guard_true(i3, origin=0) [i0]", "guard 0: failarg 0"),
    ("guard_true(i5, origin=0) [i4]", "guard_true(i5, origin=0) [i2]", "guard 1: failarg 0"),
    ("jump(i4, i1, descr=Body)", "jump(i2, i1, descr=Body)", "guard 2: left"),
    ("i5 = int_lt(i4, 100)", "i5 = int_lt(i4, 101)", "guard 1: left"),
])  # fmt: skip
def test_runs_of_a_few_iterations_refute(line: str, becomes: str, obligation: str) -> None:
    before, right, wrong = parse(BEFORE), parse(AFTER), parse(AFTER.replace(line, becomes))
    states = [State((start, step)) for start in (0, 99, 100) for step in (0, 1, 30, 34, 40, 50)]
    assert [refuted_by(before, right, state, OPTIONS) for state in states] == [None] * len(states)
    found = [one for state in states if (one := refuted_by(before, wrong, state, OPTIONS)) is not None]
    assert found
    assert obligation in {one.counterexample.obligation for one in found}
    assert isinstance(validate(before, wrong, OPTIONS), Refuted)


@pytest.mark.parametrize("name", [0, 7])
def test_a_body_of_two_iterations_is_not_refuted_for_its_guards(name: int) -> None:
    again = "i6 = int_add(i4, i1)\ni7 = int_lt(i6, 100)\nguard_true(i7, origin=0) [i6]\njump(i6,"
    before, after = (text.replace("origin=0", f"origin={name}") for text in (BEFORE, AFTER.replace("jump(i4,", again)))
    recorded = parse(before.replace("guard_true(i3)", f"guard_true(i3, origin={name})") if name else before)
    states = [State((start, 10)) for start in range(60, 100, 5)]
    assert [refuted_by(recorded, parse(after), state, OPTIONS) for state in states] == [None] * len(states)
    wrong = parse(after.replace("[i6]", "[i2]"))
    assert any(refuted_by(recorded, wrong, state, OPTIONS) for state in states)


def test_what_the_validator_does_not_take_is_not_refuted_either() -> None:
    """A store to an immutable field, of an object that may be of an earlier iteration."""
    declared = '+++\n[struct.Node]\nfields = { tag = { type = "int", immutable = true } }\n+++\n'
    store = "setfield_gc(p0, i0, descr=Node.tag)\n"
    before = f"{declared}[p0, i0, i1]\n{store}guard_true(i1) [i1]\njump(p0, i1, i0)\n"
    preamble = f"[p0, i0, i1]\n{store}guard_true(i1, origin=0) [i1]\nlabel(p0, i1, i0, descr=Body)\n"
    body = f"{store.replace('i0', 'i1')}guard_true(i0, origin=0) [i1]\njump(p0, i0, i1, descr=Body)\n"
    verdicts = {}
    for stored, again in ((store, store.replace("i0", "i1")), ("", "")):
        after = declared + preamble.replace(store, stored) + body.replace(store.replace("i0", "i1"), again)
        pair = parse(before.replace(store, stored)), parse(after)
        heap = parse_heap("p0 = Node()", layout_of(*pair))
        found = refuted_by(*pair, State((heap.named("p0") or NULL, 0, 1), heap=heap), OPTIONS)
        verdicts[stored] = type(validate(*pair, OPTIONS)), None if found is None else type(found)
    assert verdicts == {store: (Unsupported, None), "": (Refuted, Refuted)}


def test_a_loop_is_reduced_to_what_is_handed_on_wrongly() -> None:
    subject = Subject(hands_on_too_little, judge, OPTIONS)
    for seed in range(100):
        made = generate_for(seed, LOOPS)
        find = find_in(made.trace, None, subject, made.state)
        if find is not None and len(made.trace.ops) > 15:
            break
    else:
        raise AssertionError("no seed shows it")
    left = reduce_find(find, subject, 60.0)
    assert left.repeated
    assert left.complete
    assert len(left.before.ops) <= 5
    assert isinstance(left.find.after, Trace)
    assert inner_label(left.find.after) is not None
    assert isinstance(validate(left.before, left.find.after, OPTIONS), Refuted)


COUNTS = """\
[i0, p0]
setfield_gc(p0, i0, descr=a)
p3 = new(descr=U)
setfield_gc(p3, p0, descr=b)
escape_n(p3)
i1 = getfield_gc_i(p0, descr=c)
guard_value(i1, 5, origin=0) [p0, p3]
escape_n(p0)
i4 = int_add(i0, 1)
jump(i4, p0)
"""


def test_a_pair_is_reduced_in_its_preamble_and_its_body_alike() -> None:
    body = COUNTS.partition("\n")[2].replace("i0", "i4").replace("i1", "i6").replace("p3", "p5")
    body = body.replace("i4 = int_add(i4, 1)\n", "").replace("jump(i4, p0)", "jump(i4, p0, descr=Body)")
    after = parse(COUNTS.replace("jump(i4, p0)\n", f"label(i4, p0, descr=Body)\n{body}"))
    subject = Subject(None, judge, OPTIONS)
    find = find_in(parse(COUNTS.replace(", origin=0", "")), after, subject)
    assert find is not None
    left = reduce_find(find, subject, 60.0)
    assert isinstance(left.find.after, Trace)
    assert isinstance(validate(left.before, left.find.after, OPTIONS), Refuted)
    done = [op.op.name for op in left.find.after.ops]
    assert done == ["setfield_gc", "escape_n", "int_add", "label", "setfield_gc", "escape_n", "jump"]


def test_loops_are_peeled_by_our_own_optimizer() -> None:
    spec = OptimizerSpec(OptimizerKind.PEELING)
    plan = Plan(0, 30, optimizer=spec, asked=LOOPS)
    assert [done.result.verdict for done in run_batch(plan, Task(0, 30)) if done.result and done.result.is_find] == []
    with open_optimizer(spec) as optimizer:
        optimized = [optimizer(generate_for(seed, LOOPS).trace) for seed in range(30)]
    peeled = [one for one in optimized if isinstance(one, Optimized) and inner_label(one.trace) is not None]
    assert len(peeled) > 15
