"""Bridges to the inner label of a loop that is not proved, but taken to be right."""

from __future__ import annotations

import pytest

from optimizer.ir.dialects.pypy_log import read_traces
from optimizer.ir.dialects.pypy_pairs import LogPair, pair_sections
from optimizer.ir.trace import Trace
from tests.pypy_logs import bridge, judged, loop, recorded
from tests.validator.pypy.test_labels import BRIDGE, LITTLE, PEELED, ROUND, judged_bridge
from tests.validator.pypy.test_target_constants import LOOP
from validator import Proved, Unknown, validate
from validator.loops.shape import Loop
from validator.pypy.judge import OPTIONS, Judged, judge
from validator.pypy.printed.straight import NotStraight, Sides
from validator.pypy.study import study
from validator.verdict import Evidence, Options, Verdict

KNOWN = ("i20 = getfield_gc_i(p9, descr=<FieldS W_Other.inst_flag 16>)", "guard_true(i20)")
"""Operations that PyPy's optimizer has left out, for a reason that no log tells."""
ASKED = ROUND.index("guard_class(p7, ConstClass(W_Int))")


def judged_pairs(right: str = "", wrong: str = "") -> list[Judged]:
    """Both verdicts, with another line in the place of one of the bridge or the body."""
    heading, peeled = ([wrong if line == right else line for line in lines] for lines in (BRIDGE, PEELED))
    assert right in (*BRIDGE, *PEELED, "")
    printed = loop(*peeled).replace(f"with {len(PEELED) - 1} ops", f"with {len(PEELED) - 2} ops")
    whole = recorded(*ROUND[:ASKED], *KNOWN, *ROUND[ASKED:])
    log = whole + printed + recorded("[p0, p9]", "jump(p0, p9, descr=<Loop1>)") + bridge(*heading)
    return judged(log, options=LITTLE)


def test_the_preamble_says_what_the_bridge_has_to_do() -> None:
    first, second = judged_pairs()
    assert not isinstance(first.verdict, Proved)
    assert isinstance(second.verdict, Proved), second.verdict
    assert second.texts is not None
    assert second.texts.rests_on == (1,)


@pytest.mark.parametrize(
    ("right", "wrong"),
    [
        (
            "+1: jump(p0, p9, i3, i4, p6, descr=TargetToken(141))",
            "+1: jump(p0, p9, i4, i3, p6, descr=TargetToken(141))",
        ),
        ("+1: i18 = int_add(i8, 1)", "+1: i18 = int_add(i8, 2)"),
        ("+1: i15 = uint_ge(i8, i4)", "+1: i15 = uint_gt(i8, i4)"),
        ("+1: i15 = uint_ge(i8, i4)", "+1: i15 = int_ge(i18, i4)"),
    ],
)
def test_faults_are_found(right: str, wrong: str) -> None:
    _, second = judged_pairs(right, wrong)
    assert not isinstance(second.verdict, Proved)


def test_a_preamble_that_is_no_straight_line_leaves_the_recorded_loop(monkeypatch: pytest.MonkeyPatch) -> None:
    def crooked(sides: Sides) -> Sides:
        raise NotStraight("it is none")

    monkeypatch.setattr("validator.pypy.pair_text.by_preamble", crooked)
    second = judged_bridge()
    assert isinstance(second.verdict, Proved), second.verdict


def test_no_run_is_looked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    """None would refute a bridge to the inner label."""
    tried: list[Loop] = []
    monkeypatch.setattr("validator.loops.judge.unrolled", lambda loop, _: tried.append(loop))
    second = judged_bridge("guard_nonnull(p1, descr=<Guard0x7f21>) [p0]", options=OPTIONS)
    assert not tried
    assert isinstance(second.verdict, Unknown)
    assert second.verdict.reason.endswith("; but no run of the loop was looked for")


@pytest.mark.parametrize("is_right", [True, False])
def test_a_loop_is_proved_before_runs_are_looked_for(*, is_right: bool) -> None:
    """Each proof that fails, as where resume data has to store something, would look for them."""
    asked: list[bool] = []

    def prove(before: Trace, after: Trace, options: Options, loop: tuple[Trace, Trace] | None) -> Verdict:
        asked.append(options.runs)
        return validate(before, after, options, loop=loop) if is_right else Unknown(Evidence(), "open")

    items = list(pair_sections(read_traces(LOOP.splitlines())))
    (pair,) = (item for item in items if isinstance(item, LogPair))
    one = judge(pair, "log", study(items, "log"), OPTIONS, prove)
    assert isinstance(one.verdict, Proved) is is_right
    assert not asked[0]
    assert asked[-1] is not is_right
    assert one.texts is not None
    assert one.texts.options.runs
