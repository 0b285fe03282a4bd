"""Sections of logs of PyPy."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from optimizer.ir.dialects.pypy_log import read_traces

WHOLE = """[1e47] {jit-summary
Tracing:      	2	0.006706
[1e48] jit-summary}
[1e49] {jit-log-noopt
# Traced loop or bridge with 3 ops
[p0, i1]
debug_merge_point(0, 0, 'f;/a (1)/[b]/it's.py:4-9~#40 FOR_ITER')
i2 = int_add(i1, 1)
jump(p0, i2, descr=<Loop-1>)
[1e4a] jit-log-noopt}
"""


def test_a_section_is_found_between_others() -> None:
    (section,) = read_traces(WHOLE.splitlines())
    assert (section.line, section.promised, section.operations, section.loss) == (5, 3, 3, "")
    assert section.lines[1] == "[p0, i1]"


def test_sections_nest() -> None:
    lines = WHOLE.splitlines()
    nested = [
        "[1] {jit-tracing",
        *lines[3:7],
        "[2] {gc-minor",
        "i9 = int_neg(i1)",
        "[3] gc-minor}",
        *lines[7:],
        "[4] x}",
    ]
    (section,) = read_traces(nested)
    assert section.loss == ""
    assert section.operations == 3


def test_a_recorded_trace_in_a_recorded_trace() -> None:
    lines = WHOLE.splitlines()
    inner, outer = read_traces([*lines[3:7], *lines[3:], *lines[7:]])
    assert (inner.loss, inner.line) == ("", 6)
    assert (outer.loss, outer.line) == ("", 2)


@pytest.mark.parametrize("kept", range(4, 9))
def test_a_log_that_is_cut_off_is_told(kept: int) -> None:
    (section,) = read_traces(WHOLE.splitlines()[:kept])
    assert not section.ends
    assert section.loss == "the log ends, or goes on with something else, before the trace does"


def test_a_section_around_it_that_ends_ends_it() -> None:
    (section,) = read_traces(["[1] {jit", *WHOLE.splitlines()[3:8], "[2] jit}"])
    assert not section.ends


def test_an_end_without_a_beginning_is_passed_over() -> None:
    (section,) = read_traces(["[2] jit-log-noopt}", "rubbish", *WHOLE.splitlines(), "[5] jit}"])
    assert section.loss == ""


def test_operations_that_are_missing_are_told() -> None:
    (section,) = read_traces(line for line in WHOLE.splitlines() if "int_add" not in line)
    assert section.loss == "the heading promises 3 operations, and there are 2"


def test_a_heading_need_not_be_there() -> None:
    (section,) = read_traces(line for line in WHOLE.splitlines() if "Traced" not in line)
    assert (section.promised, section.loss) == (None, "")


def test_a_log_is_read_as_it_comes() -> None:
    taken = 0

    def endless() -> Iterator[str]:
        nonlocal taken
        while True:
            for line in WHOLE.splitlines():
                taken += 1
                yield line

    next(read_traces(endless()))
    assert taken == len(WHOLE.splitlines())
