"""Logs of PyPy that tests change, and what is said of their pairs."""

from __future__ import annotations

from collections.abc import Sequence

from optimizer.ir.dialects.pypy_log import read_traces
from optimizer.ir.dialects.pypy_pairs import LogPair, pair_sections
from validator.pypy.judge import OPTIONS, Judged, judge
from validator.pypy.kept import Kept
from validator.pypy.study import Study, study
from validator.verdict import Options

BOX = "<FieldS W_IntObject.inst_intval 8 pure>"
COUNT = "<FieldS Counter.inst_count 8>"
POINT = "debug_merge_point(0, 0, 'f;a.py:4-{line}~#40 FOR_ITER')"
CALL = "<Callv 0 r EF=5>"
WORK = f"call_n(ConstClass(work), {{}}, descr={CALL})"
"""A call with the argument that is put there."""


def pairs_of(log: str) -> list[LogPair]:
    return [item for item in pair_sections(read_traces(log.splitlines())) if isinstance(item, LogPair)]


def judged(log: str, *known: Kept, options: Options = OPTIONS) -> list[Judged]:
    """What is said of the pairs of a log, in the order in which they are judged, with what is known beside it."""
    items = list(pair_sections(read_traces(log.splitlines())))
    knowledge = study(items, "log", *known)
    return [judge(item, "log", knowledge, options) for item in knowledge.given(items) if isinstance(item, LogPair)]


def judged_last(log: str, *known: Kept, options: Options = OPTIONS) -> Judged:
    """What is said of the last pair of a log."""
    items = list(pair_sections(read_traces(log.splitlines())))
    knowledge = study(items, "log", *known)
    *_, last = (item for item in knowledge.given(items) if isinstance(item, LogPair))
    return judge(last, "log", knowledge, options)


def judged_together(*logs: str) -> list[list[Judged]]:
    """What is said of the pairs of logs of one PyPy that are studied together."""
    together = Study()
    items = [list(pair_sections(read_traces(log.splitlines()))) for log in logs]
    for number, read in enumerate(items):
        together.add(read, f"{number}.log")
    return [
        [
            judge(item, f"{number}.log", together.knowledge(number))
            for item in together.knowledge(number).given(read)
            if isinstance(item, LogPair)
        ]
        for number, read in enumerate(items)
    ]


def learned(*logs: str, known: Sequence[Kept] = ()) -> Kept:
    """What logs say of their PyPy, with what is known beside them."""
    together = Study()
    for number, log in enumerate(logs):
        together.add(pair_sections(read_traces(log.splitlines())), f"{number}.log")
    for kept in known:
        together.take(kept)
    return together.kept("known.json")


def judged_bridge(before: Sequence[str], after: Sequence[str], inputs: str = "[p0]") -> Judged:
    """What is said of a bridge from one object, as recorded and optimized; one that does not end finishes."""
    ended = [lines if lines[-1].startswith("finish") else (*lines, "finish()") for lines in (before, after)]
    (one,) = judged(recorded(inputs, *ended[0]) + bridge(inputs, *(f"+1: {line}" for line in ended[1])))
    return one


def recorded(*lines: str, times: str = "1") -> str:
    return _section("jit-log-noopt", f"# Traced loop or bridge with {len(lines) - 1} ops", lines, times)


def loop(*lines: str, times: str = "1") -> str:
    heading = f"# Loop 1 (f;a.py:4-9~#40 FOR_ITER) : loop with {len(lines) - 1} ops"
    return _section("jit-log-opt-loop", heading, lines, times)


def bridge(*lines: str, times: str = "1") -> str:
    return _section("jit-log-opt-bridge", f"# bridge out of Guard 0x7f10 with {len(lines) - 1} ops", lines, times)


def _section(name: str, heading: str, lines: tuple[str, ...], times: str) -> str:
    return "\n".join((f"[{times}] {{{name}", heading, *lines, f"[{times}] {name}}}", ""))


def boxed(added: int = 1) -> str:
    """A loop that adds to a number in a box; PyPy's optimizer adds what it is told to."""
    return recorded(
        "[p0, i1]",
        POINT.format(line=9),
        "p2 = new_with_vtable(descr=<SizeDescr 16>)",
        f"setfield_gc(p2, i1, descr={BOX})",
        f"i3 = getfield_gc_i(p2, descr={BOX})",
        "i4 = int_add(i3, 1)",
        "jump(p0, i4, descr=<Loop-1>)",
    ) + loop(
        "[p0, i1]",
        "+17: label(p0, i1, descr=TargetToken(140))",
        POINT.format(line=9),
        f"+19: i4 = int_add(i1, {added})",
        "+21: jump(p0, i4, descr=TargetToken(140))",
    )


def across_a_call() -> str:
    """A bridge in which a field is not loaded again behind a call, though the log does not say that this is right."""
    call = f"call_n(ConstClass(tell), p0, descr={CALL})"
    return recorded(
        "[p0]",
        POINT.format(line=11),
        f"i1 = getfield_gc_i(p0, descr={COUNT})",
        call,
        "guard_no_exception()",
        f"i2 = getfield_gc_i(p0, descr={COUNT})",
        "i3 = int_add(i1, i2)",
        "finish(i3)",
    ) + bridge(
        "[p0]",
        POINT.format(line=11),
        f"+1: i1 = getfield_gc_i(p0, descr={COUNT})",
        f"+2: {call}",
        "+3: guard_no_exception(descr=<Guard0x7f20>) [p0]",
        "+4: i3 = int_add(i1, i1)",
        "+5: finish(i3)",
    )


def given_up() -> str:
    """A recorded trace of which PyPy made nothing."""
    return recorded("[i0]", POINT.format(line=13), "jump(i0)")


LOG = boxed() + given_up() + across_a_call() + boxed(2)
