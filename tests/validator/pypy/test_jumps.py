"""Optimized traces go to the loop to which the recorded ones go."""

from __future__ import annotations

import pytest

from tests.pypy_logs import bridge, judged_last, loop, recorded
from validator import Proved, Unsupported

COUNT = "i3 = int_add(i1, {})"


def counting(step: int, label: int, target: int) -> str:
    """A loop that counts, and begins with that label; it goes back to the target."""
    return recorded("[p0, i1]", COUNT.format(step), "jump(p0, i3, descr=<Loop-1>)") + loop(
        "[p0, i1]",
        f"+1: label(p0, i1, descr=TargetToken({label}))",
        f"+2: {COUNT.format(step)}",
        f"+3: jump(p0, i3, descr=TargetToken({target}))",
    ).replace("# Loop 1 ", f"# Loop {step} ")


def is_proved(log: str) -> bool:
    last = judged_last(log)
    assert isinstance(last.verdict, Proved | Unsupported), last.verdict
    return isinstance(last.verdict, Proved)


@pytest.mark.parametrize(("target", "is_right"), [(141, True), (140, False), (142, False)])
def test_a_loop_goes_back_to_its_own_label(target: int, is_right: bool) -> None:
    assert is_proved(counting(1, 140, 140) + counting(2, 141, target)) is is_right


@pytest.mark.parametrize(("target", "is_right"), [(140, False), (141, True)])
def test_a_bridge_goes_to_the_loop_of_the_recorded_one(target: int, is_right: bool) -> None:
    loops = counting(1, 140, 140) + counting(2, 141, 141)
    before = recorded("[p0, i1]", "jump(p0, i1, descr=<Loop2>)")
    assert is_proved(loops + before + bridge("[p0, i1]", f"+1: jump(p0, i1, descr=TargetToken({target}))")) is is_right
