"""Constants that PyPy knows and a log does not tell, and objects whose sizes it prints."""

from __future__ import annotations

from itertools import count

import pytest

from optimizer.ir.dialects.pypy_log import read_traces
from optimizer.ir.dialects.pypy_pairs import LogPair, pair_sections
from optimizer.ir.trace import Trace
from tests.pypy_logs import bridge, recorded
from tests.pypy_logs import judged as of_log
from validator import Proved, Refuted, Unknown
from validator.prove.judge import validate
from validator.pypy.exits import Loop, Prove
from validator.pypy.judge import OPTIONS, Judged, judge
from validator.pypy.study import study
from validator.verdict import Evidence, Options, Verdict

THREE = "guard_value(i0, 3, descr=<Guard0x1>) []\n"
LOADED = "p1 = getfield_gc_r(ConstPtr(ptr1), descr=<FieldP Box.value 8 pure>)\nfinish(p1)"


def by_validating(before: Trace, after: Trace, options: Options, loop: Loop) -> Verdict:
    return validate(before, after, options, loop=loop)


def judged(recorded: str, optimized: str, prove: Prove = by_validating) -> Judged:
    log = f"""\
[1] {{jit-log-noopt
# Traced loop or bridge with {len(recorded.splitlines())} ops
[i0, f0]
{recorded}
[2] jit-log-noopt}}
[3] {{jit-log-opt-loop
# Loop 1 (f;a.py:4-9~#40 FOR_ITER) : entry bridge with {len(optimized.splitlines())} ops
[i0, f0]
{optimized}
[4] jit-log-opt-loop}}
"""
    pair = next(iter(pair_sections(read_traces(log.splitlines()))))
    assert isinstance(pair, LogPair)
    return judge(pair, "a.log", study([pair], "a.log"), OPTIONS, prove)


@pytest.mark.parametrize(
    ("recorded", "optimized"),
    [
        ("f1 = float_truediv(f0, 2.000000)\nfinish(f1)", "f1 = float_mul(f0, 0.500000)\nfinish(f1)"),
        ("f1 = float_mul(f0, -1.000000)\nfinish(f1)", "f1 = float_neg(f0)\nfinish(f1)"),
        (f"{THREE}f1 = cast_int_to_float(i0)\nfinish(f1)", f"{THREE}finish(3.000000)"),
        (f"{THREE}i1 = call_i(ConstClass(f), i0, descr=<Calli 8 i EF=0>)\nfinish(i1)", f"{THREE}finish(7)"),
        (f"{THREE}i1 = strgetitem(ConstPtr(ptr1), i0)\nfinish(i1)", f"{THREE}finish(7)"),
        ("i1 = ptr_eq(ConstPtr(ptr1), ConstPtr(ptr2))\nfinish(i1)", "finish(0)"),
        (LOADED, "finish(ConstPtr(ptr2))"),
    ],
)
def test_operations_of_constants_that_pypy_has_folded(recorded: str, optimized: str) -> None:
    whole = judged(recorded, optimized)
    assert isinstance(whole.verdict, Unknown)
    assert whole.missing


def test_what_is_not_settled_with_all_that_is_granted_may_rest_on_constants() -> None:
    asked = count()

    def prove(before: Trace, after: Trace, options: Options, loop: Loop) -> Verdict:
        return Unknown(Evidence(), "not settled") if next(asked) else by_validating(before, after, options, loop)

    whole = judged(LOADED, "finish(ConstPtr(ptr2))", prove)
    assert isinstance(whole.verdict, Unknown)
    assert "what constant objects are, and what is in them" in whole.missing


@pytest.mark.parametrize(
    ("recorded", "optimized"),
    [
        (
            "i2 = int_add(i0, 1)\nf1 = float_add(f0, 1.000000)\nfinish(i2, f1)",
            "f1 = float_add(f0, 1.000000)\nfinish(i0, f1)",
        ),
        (f"{THREE}i1 = int_add(i0, 1)\nfinish(i1)", f"{THREE}finish(5)"),
    ],
)
def test_what_constants_do_not_explain(recorded: str, optimized: str) -> None:
    assert isinstance(judged(recorded, optimized).verdict, Refuted)


@pytest.mark.parametrize("name", ["new", "new_with_vtable"])
def test_objects_of_two_sizes_are_of_two_classes(name: str) -> None:
    trace = f"p2 = {name}(descr=<SizeDescr 16>)\nfinish(p2)"
    assert isinstance(judged(trace, trace).verdict, Proved)
    assert not isinstance(judged(trace, trace.replace("16", "24")).verdict, Proved)


def test_of_stores_that_were_put_off_up_to_a_guard_the_last_one_is_done() -> None:
    """A guard for a class that is not NULL stands for two recorded ones."""
    store = "setfield_gc(p0, ConstPtr(ptr{}), descr=<FieldP P.kept 16>)"
    ask, last = ("guard_nonnull(p1)", "guard_class(p1, ConstClass(Kept))"), ("guard_nonnull(p2)", store.format(3))
    before = (*map(store.format, (1, 2)), *ask, *last, "finish()")
    after = (store.format(12), "guard_nonnull_class(p1, ConstClass(Kept), descr=<Guard0x7f21>) [p0, p1, p2]")
    after += "guard_nonnull(p2, descr=<Guard0x7f22>) [p0, p1, p2]", store.format(13), "finish()"
    inputs = "[p0, p1, p2]"
    (one,) = of_log(recorded(inputs, *before) + bridge(inputs, *(f"+1: {line}" for line in after)))
    assert isinstance(one.verdict, Proved), one.verdict


@pytest.mark.parametrize("at", [4, 6])
def test_of_stores_that_were_put_off_where_no_guard_tells_the_last_one_in_front_is_done(at: int) -> None:
    """The optimized one is done at that point of the program, in front of the call behind it."""
    store, point = (
        "setfield_gc(p0, ConstPtr(ptr{}), descr=<FieldP P.kept 16>)",
        "debug_merge_point(0, 0, 'f;a.py:4-9~#{}')",
    )
    call = "call_n(ConstClass(tell), p0, descr=<Callv 0 r EF=5>)"
    points = [point.format(number) for number in (2, 4, 6)]
    before = (points[0], store.format(1), points[1], store.format(2), points[2], call, store.format(3), "finish()")
    put_off = [
        one
        for number, one in zip((2, 4, 6), points, strict=True)
        for one in (one, *[store.format(12)] * (at == number))
    ]
    after = (*put_off, call, store.format(13), "finish()")
    (one,) = of_log(
        recorded("[p0]", *before) + bridge("[p0]", *(f"+1: {line}" if "(0, 0" not in line else line for line in after))
    )
    assert isinstance(one.verdict, Proved), one.verdict
