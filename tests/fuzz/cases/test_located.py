"""Places in a program that unknown verdicts are about."""

from __future__ import annotations

import pytest

from fuzz.cases.located import located
from optimizer.ir.immutable import replace
from tests.pypy_logs import POINT, judged, judged_bridge, loop, recorded
from tests.validator.pypy.test_labels import judged_bridge as judged_to_label
from validator import Proved, Unknown
from validator.pypy.judge import Judged
from validator.verdict import Evidence

MAP = "<FieldP A.inst_map 8>"


def told(reason: str, judged: Judged) -> str:
    """The place that an unknown verdict on the pair with that reason would be about."""
    return located(replace(judged, verdict=Unknown(Evidence(), reason)))


def test_a_guard_on_a_constant_is_told_with_its_place_in_the_program() -> None:
    point = POINT.format(line=7)
    asks = "p1 = getfield_gc_r(ConstPtr(ptr5), descr=<FieldP A.inst_map 8>)", "guard_value(p1, ConstPtr(ptr6))"
    one = judged_bridge(("guard_nonnull(p0)", point, *asks), ("guard_nonnull(p0, descr=<Guard0x11>) [p0]", point))
    assert isinstance(one.verdict, Unknown)
    assert "guard 1: left" in one.verdict.reason
    assert located(one) == (
        "guard 1 of the recorded trace: guard_value of what a constant object holds at f;a.py:4-7~#40 FOR_ITER"
    )


@pytest.mark.parametrize(
    ("reason", "place"),
    [
        ("body: guard 5: left: the recorded trace leaves at guard 5", "guard 5 is guard 4 of the recorded loop: "),
        ("body: guard 0: left was not settled", "guard 0 of the recorded loop at its start: guard_true"),
        (
            "body: event 0: reached: the recorded one leaves at guard 1 before",
            "guard 1 is guard 0 of the recorded loop",
        ),
        ("body: guard 0: condition differs", "guard 0 of the optimized bridge: guard_nonnull"),
        ("body: guard 6: heap F was not settled", "guard 6 is guard 0 of the optimized loop, counted from its label: "),
        ("body: op 2: defined: the optimized trace does it", "op 2 of the optimized trace: guard_nonnull"),
        ("body: op 99: defined: the optimized trace does it", ""),
        ("body: guard 99: left was not settled", ""),
        ("step: guard 0: left was not settled", ""),  # a part of the optimized trace stands on the recorded side
        ("again: op 2: defined: the optimized trace does it", ""),
        ("the time limit was reached", ""),
    ],
)
def test_guards_of_a_bridge_and_of_its_loop_are_counted_one_after_the_other(reason: str, place: str) -> None:
    shown = told(reason, judged_to_label())
    assert shown.startswith(place)
    assert bool(shown) is bool(place)


@pytest.mark.parametrize(("number", "place"), [(2, "op 2 of the optimized trace: int_add"), (3, ""), (4, "")])
def test_operations_behind_a_label_have_other_numbers(number: int, place: str) -> None:
    peeled = (
        "[i0]",
        "+1: label(i0, descr=TargetToken(140))",
        *("+1: i2 = int_sub(i0, 0)", "+1: i1 = int_add(i0, 1)", "+1: label(i1, descr=TargetToken(141))"),
        *("+1: i3 = int_add(i1, 1)", "+1: jump(i3, descr=TargetToken(141))"),
    )
    before = recorded("[i0]", "i1 = int_add(i0, 1)", "jump(i1, descr=<Loop-1>)")
    (one,) = judged(before + loop(*peeled))
    shown = told(f"body: op {number}: defined: the optimized trace does it", one)
    assert shown.startswith(place)
    assert bool(shown) is bool(place)


def test_nothing_is_told_of_a_proof_nor_of_traces_with_other_guards() -> None:
    one = judged_bridge(("guard_nonnull(p0)",), ("guard_nonnull(p0, descr=<Guard0x11>) [p0]",))
    assert isinstance(one.verdict, Proved)
    assert one.texts is not None
    assert located(one) == ""
    assert told("guard 0: left differs", one).startswith("guard 0 of the recorded trace")
    others = replace(one, texts=replace(one.texts, before=one.texts.after))
    assert told("guard 0: left differs", others) == told("guard 0: left differs", replace(one, texts=None)) == ""
