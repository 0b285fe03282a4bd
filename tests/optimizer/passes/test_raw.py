"""Loads and stores of raw memory: what goes, what must stay, and random traces, each proved."""

from __future__ import annotations

from collections import Counter
from random import Random

import pytest
from cases import assert_becomes, assert_stays
from declared_calls import event
from raw_traces import Writer

from optimizer.ir.text import format_trace, parse
from optimizer.pipeline import DEFAULT_PASSES, run_passes
from validator import Guards, Options, Proved, validate

TYPES = (
    """+++
[struct.Node.fields]
value = "int"
tag = "u8"
next = "ref"
"""
    + event("blind")
    + event("poke", writes="raw")
    + event("look", reads="raw")
    + event("to_tag", writes="Node.tag")
    + "+++\n"
)


def becomes(before: str, after: str, *passes: str) -> None:
    assert_becomes(TYPES + before, TYPES + after, *(passes or ("raw",)))


def stays(text: str, *passes: str) -> None:
    assert_stays(TYPES + text, *(passes or ("raw",)))


def body(*lines: str) -> str:
    return "\n".join(["[i0, i1, p2]", *lines])


@pytest.mark.parametrize(
    ("store", "load", "loaded"),
    [
        ("raw_store(i0, 0, i1, descr=w)", "raw_load_i(i0, 0, descr=w)", "i1"),
        ("raw_store(i0, 8, i1, descr=w)", "getarrayitem_raw_i(i0, 1, descr=w)", "i1"),
        ("gc_store(i0, 8, i1, 8)", "gc_load_indexed_i(i0, 2, 2, 4, 8)", "i1"),
        ("raw_store(i0, 0, 258, descr=<ArrayS 2>)", "raw_load_i(i0, 1, descr=<ArrayU 1>)", "1"),
        ("raw_store(i0, 0, -1, descr=<ArrayS 2>)", "raw_load_i(i0, 0, descr=<ArrayU 2>)", "65535"),
        ("raw_store(i0, 0, 255, descr=<ArrayU 1>)", "raw_load_i(i0, 0, descr=<ArrayS 1>)", "-1"),
        ("setfield_raw(i0, i1, descr=Node.value)", "getfield_raw_i(i0, descr=Node.value)", "i1"),
    ],
)
def test_a_load_takes_what_was_stored(store: str, load: str, loaded: str) -> None:
    becomes(body(store, f"i3 = {load}", "finish(i3)"), body(store, f"finish({loaded})"))


def test_so_does_a_load_of_a_float() -> None:
    store = "[i0, f1]\nraw_store(i0, 0, f1, descr=<ArrayF 8>)\n"
    loaded = parse(f"{store}f2 = raw_load_f(i0, 0, descr=<ArrayF 8>)\nfinish(f2)")
    assert format_trace(run_passes(loaded).trace) == f"{store}finish(f1)\n"
    as_a_word = parse(f"{store}i2 = raw_load_i(i0, 0, descr=<ArrayS 8>)\nfinish(i2)")
    assert run_passes(as_a_word).trace == as_a_word


@pytest.mark.parametrize(
    ("load", "instead"),
    [
        ("raw_load_i(i0, 0, descr=<ArrayU 1>)", "int_and(i1, 255)"),
        ("raw_load_i(i0, 0, descr=<ArrayS 2>)", "int_signext(i1, 2)"),
        ("gc_load_i(i0, 0, -4)", "int_signext(i1, 4)"),
    ],
)
def test_a_narrow_load_takes_the_lowest_bytes(load: str, instead: str) -> None:
    store = "raw_store(i0, 0, i1, descr=w)"
    becomes(body(store, f"i3 = {load}", "finish(i3)"), body(f"i3 = {instead}", store, "finish(i3)"))


def test_it_is_as_it_is_where_it_fits() -> None:
    load = "i3 = raw_load_i(i0, 0, descr=<ArrayU 1>)"
    again = "i4 = raw_load_i(i0, 0, descr=<ArrayU 1>)"
    becomes(body(load, again, "finish(i3, i4)"), body(load, "finish(i3, i3)"))
    becomes(body(load, "i4 = int_and(i3, 255)", "finish(i4)"), body(load, "finish(i3)"), "simplify", "raw", "fold")


@pytest.mark.parametrize(
    ("between", "load"),
    [
        ("raw_store(i1, 0, 7, descr=<ArrayU 1>)", "raw_load_i(i0, 0, descr=w)"),
        ("raw_store(i0, 7, 7, descr=<ArrayU 1>)", "raw_load_i(i0, 0, descr=w)"),
        ("raw_store(i0, -1, 7, descr=<ArrayU 2>)", "raw_load_i(i0, 0, descr=w)"),
        ("escape_n()", "raw_load_i(i0, 0, descr=w)"),
        ("call_n(1, descr=poke)", "raw_load_i(i0, 0, descr=w)"),
        ("call_n(1, descr=to_tag)\ni9 = getfield_raw_i(i0, descr=Node.tag)", "raw_load_i(i0, 0, descr=w)"),
        ("setfield_raw(i1, 7, descr=Node.value)", "raw_load_i(i0, 0, descr=w)"),
        ("call_n(1, descr=blind)", "raw_load_i(i0, 1, descr=<ArrayU 2>)"),
        ("call_n(1, descr=blind)", "raw_load_i(i0, 1, descr=w)"),
        ("call_n(1, descr=blind)", "raw_load_i(i0, i1, descr=w)"),
        ("raw_store(i0, 0, 1.5, descr=<ArrayF 8>)", "raw_load_i(i0, 0, descr=w)"),
    ],
)
def test_a_load_stays_where_something_may_have_changed(between: str, load: str) -> None:
    before = body("raw_store(i0, 0, i1, descr=w)", *between.split("\n"), f"i3 = {load}", "finish(i3)")
    assert f"i3 = {load}" in format_trace(run_passes(parse(TYPES + before)).trace)


def test_what_lies_beside_it_changes_nothing() -> None:
    stores = ["raw_store(i0, 0, i1, descr=w)", "raw_store(i0, 8, 7, descr=w)", "raw_store(i0, -1, 7, descr=<ArrayU 1>)"]
    becomes(body(*stores, "i3 = raw_load_i(i0, 0, descr=w)", "finish(i3)"), body(*stores, "finish(i1)"))
    fields = ["setfield_raw(i0, i1, descr=Node.value)", "setfield_raw(i1, 7, descr=Node.tag)"]
    becomes(body(*fields, "i3 = getfield_raw_i(i0, descr=Node.value)", "finish(i3)"), body(*fields, "finish(i1)"))


def test_a_store_that_is_overwritten_goes() -> None:
    last = "raw_store(i0, 0, 8, descr=w)"
    becomes(body("raw_store(i0, 2, 7, descr=<ArrayU 2>)", last, "finish()"), body(last, "finish()"))
    becomes(
        body("raw_store(i0, 0, 7, descr=w)", "guard_true(i1) [i0]", last, "finish()"),
        body("guard_true(i1, origin=0) [i0] {", "    raw_store(i0, 0, 7, descr=w)", "}", last, "finish()"),
    )
    becomes(
        body("raw_store(i0, 0, 7, descr=w)", "call_n(descr=blind)", last, "finish()"),
        body("call_n(descr=blind)", last, "finish()"),
    )


@pytest.mark.parametrize(
    "lines",
    [
        ("raw_store(i0, 2, 7, descr=w)", "raw_store(i0, 0, 8, descr=w)"),
        ("raw_store(i0, 0, 7, descr=w)", "raw_store(i1, 0, 8, descr=w)"),
        ("raw_store(i0, 0, 7, descr=w)", "escape_n()", "raw_store(i0, 0, 8, descr=w)"),
        ("raw_store(i0, 0, 7, descr=w)", "call_n(descr=look)", "raw_store(i0, 0, 8, descr=w)"),
        ("raw_store(i0, 0, 7, descr=w)", "i3 = raw_load_i(i1, 0, descr=w)", "raw_store(i0, 0, i3, descr=w)"),
        ("raw_store(i0, 0, 7, descr=w)", "setfield_raw(i1, 7, descr=Node.value)", "raw_store(i0, 0, 8, descr=w)"),
        ("raw_store(i0, 0, 7, descr=w)", "guard_true(i1)", "raw_store(i0, 0, 8, descr=w)"),
    ],
)
def test_a_store_that_somebody_may_see_stays(lines: tuple[str, ...]) -> None:
    done = run_passes(parse(TYPES + body(*lines, "finish()"))).trace
    assert "raw_store(i0, 0, 7, descr=w)" in format_trace(done) or "raw_store(i0, 2, 7" in format_trace(done)


def test_a_store_of_what_is_there_goes() -> None:
    load = "i3 = raw_load_i(i0, 0, descr=<ArrayU 2>)"
    becomes(body(load, "raw_store(i0, 0, i3, descr=<ArrayS 2>)", "finish(i3)"), body(load, "finish(i3)"))
    stays(body(load, "raw_store(i0, 0, i3, descr=<ArrayS 4>)", "finish(i3)"))


def test_an_object_in_a_raw_struct_can_be_found() -> None:
    stays(
        body(
            "p3 = new(descr=Node)",
            "setfield_raw(i0, p3, descr=Node.next)",
            "escape_n()",
            "i4 = getfield_gc_i(p3, descr=Node.value)",
            "finish(i4)",
        ),
        *DEFAULT_PASSES,
    )


@pytest.mark.parametrize("word", [16, 32, 64])
def test_random_traces_stay_right(word: int) -> None:
    random, fired = Random(word), Counter[str]()
    for _ in range(60):
        trace = parse(Writer(random, word).trace(random.randint(4, 14)), word=word)
        done = run_passes(trace)
        fired.update(done.fired)
        verdict = validate(trace, done.trace, Options(Guards.SAME, effort=5_000_000, timeout_s=20))
        assert isinstance(verdict, Proved), f"{verdict}\n{format_trace(trace)}\n{format_trace(done.trace)}"
    wanted = {"raw_content", "delayed_raw_store", "dead_raw_store"}
    assert wanted <= set(fired)
    assert fired["raw_masked"] + fired["raw_extended"]
