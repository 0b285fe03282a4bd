"""Recorded traces of a log and what PyPy's optimizer made of them, in pairs."""

from __future__ import annotations

from collections.abc import Iterator

from optimizer.ir.dialects.pypy_log import read_traces
from optimizer.ir.dialects.pypy_pairs import Count, Kind, LogPair, Unpaired, counts_of, pair_sections


def section(name: str, heading: str, *lines: str) -> Iterator[str]:
    yield from (f"[1] {{{name}", f"# {heading}", "[p0]", *lines, f"[2] {name}}}")


def recorded(*lines: str, number: int | None = None) -> Iterator[str]:
    return section(
        "jit-log-noopt", f"Traced loop or bridge with {len(lines) if number is None else number} ops", *lines
    )


def loop(*lines: str, kind: str = "loop") -> Iterator[str]:
    return section("jit-log-opt-loop", f"Loop 3 (f (g);a.py:4-5~#0 LOAD) : {kind} with {len(lines)} ops", *lines)


def bridge(*lines: str) -> Iterator[str]:
    return section("jit-log-opt-bridge", f"bridge out of Guard 0x7f1c with {len(lines)} ops", *lines)


def pairs(*sections: Iterator[str]) -> list[LogPair | Unpaired]:
    return list(pair_sections(read_traces(line for lines in sections for line in lines)))


def test_each_kind_is_known_by_its_heading() -> None:
    position = "debug_merge_point(0, 0, 'h;b.py:1-2~#4 ADD')"
    one, two, three = pairs(
        recorded("jump(p0)"),
        loop("jump(p0)"),
        recorded("jump(p0)"),
        loop("jump(p0)", kind="entry bridge"),
        recorded(position, "jump(p0)"),
        bridge(position, "jump(p0)"),
    )
    assert isinstance(one, LogPair)
    assert isinstance(two, LogPair)
    assert isinstance(three, LogPair)
    assert (one.kind, one.point, one.guard) == (Kind.LOOP, "f (g);a.py:4-5~#0 LOAD", None)
    assert (two.kind, two.point, two.guard) == (Kind.ENTRY, "f (g);a.py:4-5~#0 LOAD", None)
    assert (three.kind, three.point, three.guard) == (Kind.BRIDGE, "h;b.py:1-2~#4 ADD", "7f1c")
    assert [pair.number for pair in (one, two, three)] == [1, 2, 3]


def reasons(found: list[LogPair | Unpaired]) -> list[str | None]:
    return [item.reason if isinstance(item, Unpaired) else None for item in found]


def test_a_trace_that_was_given_up_is_told_and_the_next_one_has_its_pair() -> None:
    found = pairs(recorded("jump(p0)"), recorded("jump(p0)"), loop("jump(p0)"), recorded("finish()"))
    given_up = "no optimized trace follows: PyPy gave it up, or the log has none"
    assert reasons(found) == [given_up, None, given_up]
    assert [item.number for item in found] == [1, 2, 3]


def test_an_optimized_trace_alone_is_told() -> None:
    assert reasons(pairs(loop("jump(p0)"))) == ["no recorded trace stands in front of it"]


def test_a_trace_that_is_not_whole_has_no_pair() -> None:
    found = pairs(recorded("jump(p0)", number=2), loop("jump(p0)"))
    assert reasons(found) == ["the heading promises 2 operations, and there are 1"]
    cut_off = [*recorded("jump(p0)"), *list(loop("jump(p0)"))[:-1]]
    assert reasons(pairs(iter(cut_off))) == ["the log ends, or goes on with something else, before the trace does"]


def test_sections_between_do_not_count() -> None:
    other = section("jit-backend-counts", "x", "y")
    assert reasons(pairs(recorded("jump(p0)"), other, loop("jump(p0)"))) == [None]


def test_what_is_counted_stands_behind_the_last_label() -> None:
    lines = (
        "p1 = getfield_gc_r(p0, descr=<FieldP f 8>)",
        "label(p0, p1, descr=TargetToken(1))",
        "debug_merge_point(0, 0, 'x')",
        "guard_nonnull(p1)",
        "guard_future_condition()",
        "p2 = new_with_vtable(descr=<SizeDescr 16>)",
        "p3 = newstr(3)",
        "i4 = getarrayitem_gc_i(p1, 0, descr=<ArrayS 8>)",
        "setfield_gc(p2, p1, descr=<FieldP f 8>)",
        "p5 = new_array(3, descr=<ArrayP 8>)",
        "i6 = int_add(i4, 1)",
        "jump(p0, p2)",
    )
    (found,) = pairs(recorded("debug_merge_point(0, 0, 'x')", "jump(p0)"), loop(*lines))
    assert isinstance(found, LogPair)
    assert counts_of(found.optimized) == {
        Count.OPERATIONS: 8,
        Count.GUARDS: 1,
        Count.ALLOCATIONS: 3,
        Count.LOADS: 1,
        Count.STORES: 1,
        Count.CALLS: 0,
    }
