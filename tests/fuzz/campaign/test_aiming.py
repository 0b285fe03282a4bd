"""Aiming: what an optimizer has changed is mutated near there, and faults are found that drawing misses."""

from __future__ import annotations

from random import Random

from fuzz.campaign.changes import seen_changes
from fuzz.campaign.drawing import Drawing
from fuzz.campaign.examine import Counted, Made
from fuzz.campaign.plan import AIMED, BATCH, Plan, usual_mutate
from fuzz.draw.generator import GeneratedTrace, generate_for
from fuzz.draw.rows import family
from fuzz.draw.vocabulary import Vocabulary
from fuzz.mutate.mutate import mutate
from fuzz.subject.optimizers import OptimizerKind, OptimizerSpec
from optimizer.ir.immutable import replace
from optimizer.ir.rows.ops import OPS
from optimizer.ir.text import parse
from optimizer.ir.trace import ConstInt, Operation, Trace
from validator.search.counterexample import State
from validator.verdict import Evidence, Proved

FOREIGN = OptimizerSpec(OptimizerKind.SERVER, "serve")
VOCABULARY = Vocabulary(
    ("integers",), ("int_add", "int_sub", "int_mul", "int_and", "int_lt", "guard_*", "jump"), word=64
)


def masks_subtracted(trace: Trace) -> list[tuple[Operation, int, int]]:
    """Each (x & C) - D, with both constants."""
    made = {operation.result: operation for operation in trace.ops if operation.result is not None}
    found = []
    for operation in trace.ops:
        inner = made.get(operation.args[0]) if operation.op is OPS["int_sub"] else None  # type: ignore[call-overload]  # any key
        if inner is not None and inner.op is OPS["int_and"]:
            match operation.args[1], inner.args[1]:
                case ConstInt(d), ConstInt(c):
                    found.append((operation, c, d))
    return found


def rewritten(trace: Trace) -> Trace:
    """What a foreign optimizer makes of it, which changes each of these."""
    changed = {operation: c for operation, c, _ in masks_subtracted(trace)}
    ops = (
        replace(one, op=OPS["int_or"], args=(one.args[0], ConstInt(changed[one]))) if one in changed else one
        for one in trace.ops
    )
    return replace(trace, ops=tuple(ops))


def is_wrong(trace: Trace) -> bool:
    """Its fault: the border where D is C + 1."""
    return any(d == c + 1 > 5 for _, c, d in masks_subtracted(trace))


CHANGED = GeneratedTrace(
    parse("[i0]\ni1 = int_and(i0, 12)\ni2 = int_sub(i1, 11)\njump(i2)\n"), State((14,)), {"i0": 14, "i1": 12, "i2": 1}
)


def changed_in_a_batch(share: int) -> int:
    """The number of traces that the optimizer changes, of a batch in which it has changed one."""
    drawing, count = Drawing((), share, vocabulary=VOCABULARY), 0
    drawing.note(Counted(0, Proved(Evidence()), Made(0, CHANGED), rewritten(CHANGED.trace)))
    for seed in range(1, BATCH):
        made = drawing.draw(seed, 0)
        count += bool(masks_subtracted(made.generated.trace))
        drawing.note(Counted(seed, Proved(Evidence()), made, rewritten(made.generated.trace)))
    return count


def test_aiming_finds_what_drawing_misses() -> None:
    """The numbers are far enough apart that they are no matter of seeds: 170 and 5 in a batch, 12 and 0 of 900."""
    assert changed_in_a_batch(80) > 5 * changed_in_a_batch(0)
    random = Random(0)
    mutated = sum(is_wrong(mutate(CHANGED, [CHANGED], random, VOCABULARY).trace) for _ in range(900))
    drawn = sum(is_wrong(generate_for(seed, VOCABULARY).trace) for seed in range(900))
    assert mutated >= 5 > drawn


def test_a_batch_is_aimed_the_same_again() -> None:
    def draw() -> list[object]:
        drawing, drawn = Drawing((), 60, vocabulary=VOCABULARY), []
        for seed in range(60):
            made = drawing.draw(seed, 0)
            drawing.note(Counted(seed, Proved(Evidence()), made, rewritten(made.generated.trace)))
            drawn.append(made)
        return drawn  # type: ignore[return-value]  # the objects are compared, and nothing else

    assert draw() == draw()


def test_what_is_not_changed_is_not_kept() -> None:
    drawing = Drawing((), 100, vocabulary=VOCABULARY)
    for seed in range(40):
        made = drawing.draw(seed, 0)
        assert not made.parents
        drawing.note(Counted(seed, Proved(Evidence()), made, made.generated.trace))


def test_changes_are_named_by_operations_and_what_they_stand_on() -> None:
    before = parse("[i0]\ni1 = int_mul(i0, 2)\ni2 = int_lt(i1, 9)\nguard_true(i2) []\njump(i1)\n")
    after = parse("[i5]\ni6 = int_lshift(i5, 1)\ni2 = int_lt(i6, 9)\njump(i6)\n")
    assert seen_changes(before, before) == frozenset()
    assert {
        "-guard_true(int_lt)",
        "+int_lshift(int, 1)",
        "int_mul(int, constant) -> int_lshift(int, 1)",
    } <= seen_changes(before, after)
    renamed = parse("[i7]\ni8 = int_mul(i7, 2)\ni9 = int_lt(i8, 9)\nguard_true(i9) []\njump(i8)\n")
    assert seen_changes(before, renamed) == frozenset()


def test_relatives_are_of_a_family() -> None:
    names = {row.name for row in family(OPS["int_rshift"], 64)}
    assert names == {"int_lshift", "int_rshift", "uint_rshift"}
    assert OPS["uint_le"] in family(OPS["int_lt"], 64)
    assert OPS["int_mul"] in family(OPS["int_add"], 64)
    assert OPS["int_add"] not in family(OPS["int_lt"], 64)


def test_foreign_optimizers_are_aimed_at_without_an_option() -> None:
    assert usual_mutate(FOREIGN, ()) == AIMED
    assert usual_mutate(OptimizerSpec(), ()) == 0
    assert usual_mutate(OptimizerSpec(), ("run.log",)) == 100
    assert "--mutate" not in Plan(1, optimizer=FOREIGN, mutate=AIMED).command(1, 2)
    assert Plan(1, optimizer=FOREIGN, mutate=0).command(1, 2).endswith("--mutate 0")
