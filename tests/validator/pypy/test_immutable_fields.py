"""Immutable fields, which no call writes."""

from __future__ import annotations

import pytest

from tests.pypy_logs import pairs_of
from validator import Proved
from validator.pypy.inferred.effects import leaves
from validator.pypy.inferred.fields import Fields
from validator.pypy.inferred.sameness import Node, Sameness
from validator.pypy.judge import Judged, judge
from validator.pypy.printed.lines import Line
from validator.pypy.study import study

PURE = "descr=<FieldS Box.value 8 pure>"
WORK = "call_n(ConstClass(work), p2, descr=<Callv 0 r EF=5>)\n"
MADE = f"p2 = new_with_vtable(descr=<SizeDescr 16>)\nsetfield_gc(p2, i1, {PURE})\n"
READ = f"i3 = getfield_gc_i(p2, {PURE})\nfinish(i3)"
INITIALIZED = f"p2 = new_with_vtable(descr=<SizeDescr 16>)\n{WORK}{READ}"


def pair(recorded: str, optimized: str) -> str:
    return f"""\
[1] {{jit-log-noopt
# Traced loop or bridge with {len(recorded.splitlines())} ops
[p0, i1]
{recorded}
[2] jit-log-noopt}}
[3] {{jit-log-opt-loop
# Loop 1 (f;a.py:4-9~#40 FOR_ITER) : entry bridge with {len(optimized.splitlines())} ops
[p0, i1]
{optimized}
[4] jit-log-opt-loop}}
"""


def judged(log: str) -> Judged:
    """The verdict on the first pair of a log."""
    pairs = pairs_of(log)
    return judge(pairs[0], "log", study(pairs, "log"))


def test_no_call_writes_an_immutable_field() -> None:
    late = f"{MADE.splitlines()[0]}\n{WORK}{MADE.splitlines()[1]}\n"
    assert isinstance(judged(2 * pair(MADE + WORK + READ, late + "finish(i1)")).verdict, Proved)
    assert not isinstance(judged(pair(MADE + WORK + READ, late + "finish(7)")).verdict, Proved)
    assert not isinstance(judged(pair(MADE + WORK + READ, late.replace("i1", "7") + "finish(i1)")).verdict, Proved)


def test_a_field_that_a_call_has_initialized_is_not_immutable() -> None:
    right = pair(MADE + WORK + READ, f"{MADE}{WORK}finish(i1)")
    assert isinstance(judged(right).verdict, Proved)
    assert not isinstance(judged(right + pair(INITIALIZED, INITIALIZED)).verdict, Proved)
    assert not isinstance(judged(pair(INITIALIZED, INITIALIZED.replace("finish(i3)", "finish(7)"))).verdict, Proved)


@pytest.mark.parametrize(
    ("field", "is_right"),
    [
        ("pypy.module.struct.interp_struct.W_Struct.inst_size", False),
        ("pypy.module.struct.interp_struct.W_Struct.inst_size_of_it", True),
    ],
)
def test_some_fields_that_are_printed_as_immutable_are_stored_again(field: str, *, is_right: bool) -> None:
    log = pair(MADE + WORK + READ, f"{MADE}{WORK}finish(i1)").replace("Box.value", field)
    assert isinstance(judged(log).verdict, Proved) is is_right


def test_a_store_to_an_object_that_was_there_changes_a_field() -> None:
    """Which object it is nobody knows: one that was loaded from in front of it, and is behind it, say."""
    load, store = f"i{{}} = getfield_gc_i({{}}, {PURE})\n", f"setfield_gc(p4, 7, {PURE})\n"
    again = "p4 = getfield_gc_r(p0, descr=<FieldP Box.other 16>)\n" + load.format(2, "p0")
    recorded = again + "{}" + load.format(3, "p0") + "finish(i{})"
    for between, is_right in (("", True), (store, False)):
        log = pair(recorded.format(between, 3), again + between + "finish(i2)")
        assert isinstance(judged(log).verdict, Proved) is is_right


class AllTheSame(Sameness):
    """The classes of values where all have been taken for one."""

    def __init__(self) -> None:
        pass

    def of(self, trace: str, text: str) -> Node:
        return "", ""


def test_the_value_that_is_watched_is_the_one_that_is_read() -> None:
    def watching(watched: str, read: str) -> set[str]:
        load = PURE.removeprefix("descr=")
        lines = Line(None, "quasiimmut_field", (watched,)), Line("i3", "getfield_gc_i", (read,), load)
        fields = Fields()
        fields.add(lines, AllTheSame())
        return fields.may_change

    assert watching("p0", "p0")
    assert not watching("p0", "p1")
    assert watching("ConstPtr(ptr7)", "ConstPtr(ptr8)")
    assert watching("p0", "ConstPtr(ptr8)")


@pytest.mark.parametrize(
    ("function", "is_left"),
    [
        ("<Calli 8 rrii EF=5 OS=4>@ll_call_lookup_function_trampoline__v1691___simple_call__function_", True),
        ("<Calli 8 rrii EF=7 OS=4>@ll_call_lookup_function_trampoline__v1691___simple_call__function_", False),
        ("<Calli 8 r EF=5>@work", False),
    ],
)
def test_functions_of_rpython_that_invalidate_no_code_change_nothing_that_is_watched(
    function: str, *, is_left: bool
) -> None:
    watched = "<FieldP Dict.inst_strategy 16 pure>"
    assert leaves(function, watched, frozenset(), Fields(may_change={watched})) is is_left
