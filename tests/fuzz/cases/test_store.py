"""The corpus on disk: what is written is read again, whole or not at all."""

from __future__ import annotations

import tomllib
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fuzz.cases import store
from fuzz.cases.store import Case, case_names, read_case, store_case
from fuzz.cases.toml import format_toml
from optimizer.ir.faults import InputError
from optimizer.ir.run.runs import Argument, Given, World
from optimizer.ir.text import parse
from optimizer.ir.types.trace_layout import layout_of
from validator.search.counterexample import State
from validator.search.heap_plan import plan_heap
from validator.search.heap_samples import HeapSampler
from validator.tell.stored_state import StoredState, StoredWrite, restored_state, stored_state
from validator.verdict import Failargs, Guards, Options

CASE = Case(
    name="seed-7-refuted",
    before="[i0]\njump(i0)\n",
    after="[i0]\njump(0)\n",
    about='a "quoted" \\ thing\nin two lines',
    expect="refuted",
    obligation="end: argument 0",
    optimizer=False,
    options=Options(guards=Guards.SAFE, failargs=Failargs.IGNORE),
    state=StoredState(
        inputs=(("i0", -(1 << 63)), ("p1", "p1")),
        event_results=(1, -2, "NULL", "seen 0"),
        heap="p1 = Node(value=5, next=q0)\nq0 = Chars[length=3]\nConstPtr(a) = q0\n",
        writes=((), (StoredWrite("p1", "Node.value", 3), StoredWrite("seen 1", "Chars", "q0", 2))),
        invalid=(0, 2),
        gc_types=(("Node", 7),),
        stops_at=1,
    ),
    seed=7,
    kind="refuted",
    message="argument 0 of the end is 0, not 1",
    command="traceproof fuzz --seed 7 --traces 1",
    versions=(("traceproof", "0.1.0"), ("python", "3.11")),
    report="a traceback\n",
)


@pytest.mark.parametrize(
    "case",
    [
        CASE,
        Case("bare", "[]\nfinish()\n"),
        replace(CASE, after=None, expect="", report=""),
        replace(CASE, optimizer=True, options=Options(), seed=0),
    ],
)
def test_a_case_is_read_as_it_was_stored(case: Case, tmp_path: Path) -> None:
    assert store_case(tmp_path, case)
    assert case_names(tmp_path) == (case.name,)
    assert read_case(tmp_path, case.name) == case


def test_a_case_once_stored_stays(tmp_path: Path) -> None:
    assert store_case(tmp_path, CASE)
    assert not store_case(tmp_path, replace(CASE, message="another"))
    assert read_case(tmp_path, CASE.name) == CASE
    assert [entry.name for entry in tmp_path.iterdir()] == [CASE.name]


def test_a_failure_in_the_middle_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write, written = store._write, []

    def full_disk(path: Path, text: str) -> None:
        written.append(path.name)
        if len(written) == 2:
            raise OSError(28, "No space left on device")
        write(path, text)

    monkeypatch.setattr(store, "_write", full_disk)
    with pytest.raises(OSError, match="No space left"):
        store_case(tmp_path, CASE)
    assert list(tmp_path.iterdir()) == []


def test_a_campaign_that_was_killed_leaves_no_half_case(tmp_path: Path) -> None:
    (tmp_path / ".seed-7-refuted-x7d").mkdir()
    assert case_names(tmp_path) == ()
    assert store_case(tmp_path, CASE)
    assert case_names(tmp_path) == (CASE.name,)


def _folder(tmp_path: Path, toml: str) -> None:
    folder = tmp_path / "one"
    folder.mkdir()
    (folder / "before.trace").write_text("[i0]\njump(i0)\n")
    (folder / "case.toml").write_text(toml)


@pytest.mark.parametrize(
    ("toml", "message"),
    [
        ("about = ", "one/case.toml: not valid TOML: Invalid value (at end of document)"),
        ("abuot = 'x'", "one/case.toml: unknown key `abuot`"),
        (
            "expect = 'maybe'",
            "one/case.toml: `expect` must be one of proved, refuted, unknown, unsupported, got 'maybe'",
        ),
        (
            "expect = 'proved'",
            "one/case.toml: `expect` is the verdict on a pair, and there is no after.trace",
        ),
        ("seed = 'x'", "one/case.toml: `seed` must be a whole number, got 'x'"),
        ("optimizer = 1", "one/case.toml: `optimizer` must be true or false, got 1"),
        ("options = 1", "one/case.toml: `options` must be a table, got 1"),
        (
            "[options]\nguards = 'lax'",
            "one/case.toml: `guards` must be one of same, early, safe, got 'lax'",
        ),
        ("[options]\nlimit = 1", "one/case.toml: unknown key `limit`"),
        ("[inputs]\ni0 = true", "one/case.toml: `i0` must hold whole numbers and names of objects, got True"),
        (
            "event_results = [1.5]",
            "one/case.toml: `event_results` must hold whole numbers and names of objects, got 1.5",
        ),
        ("writes = [1]", "one/case.toml: `writes` must be a list of lists, one for each event, got [1]"),
        (
            "writes = [[{object = 'p0', descr = 'v', value = true}]]",
            "one/case.toml: a write is {object = ..., descr = ..., value = ...} with or without index, got "
            "{'object': 'p0', 'descr': 'v', 'value': True}",
        ),
        ("invalid = ['x']", "one/case.toml: `invalid` must be a list of whole numbers, got ['x']"),
        ("heap = 1", "one/case.toml: `heap` must be text in quotes, got 1"),
    ],
)
def test_a_mistake_in_a_case_is_told_with_its_file(toml: str, message: str, tmp_path: Path) -> None:
    _folder(tmp_path, toml)
    with pytest.raises(InputError) as told:
        read_case(tmp_path, "one")
    assert str(told.value) == f"{tmp_path}/{message}"


def test_a_case_may_be_a_trace_alone(tmp_path: Path) -> None:
    (tmp_path / "bare").mkdir()
    (tmp_path / "bare" / "before.trace").write_text("[i0]\nfinish(i0)\n")
    assert read_case(tmp_path, "bare") == Case("bare", "[i0]\nfinish(i0)\n")


def test_a_case_that_is_not_there_is_told(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"there is no case 'two' in .*; `traceproof corpus list` shows"):
        read_case(tmp_path, "two")


def test_a_trace_that_is_no_text_is_told(tmp_path: Path) -> None:
    _folder(tmp_path, "")
    (tmp_path / "one" / "before.trace").write_bytes(b"\xff\xfe")
    with pytest.raises(InputError, match=r"before.trace: expected UTF-8 text"):
        read_case(tmp_path, "one")


SCALARS = st.text() | st.integers(-(1 << 63), (1 << 63) - 1) | st.booleans()
TABLES = st.dictionaries(st.text(), SCALARS)


@given(st.dictionaries(st.text(), SCALARS | st.tuples(st.integers(0, 9)) | TABLES))
def test_what_is_written_as_toml_is_read_again(data: dict[str, object]) -> None:
    read = tomllib.loads(format_toml(data))
    assert read == {key: list(value) if isinstance(value, tuple) else value for key, value in data.items()}


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ("a\r\nb\n", "a\r\nb\n"),
        ('a\rb\n"""\'', 'a\rb\n"""\''),
        ("\ud800\n", "\\ud800\n"),
        ("\n\n a \\\n", "\n\n a \\\n"),
    ],
)
def test_odd_texts_survive_as_toml(text: str, read: str) -> None:
    assert tomllib.loads(format_toml({"text": text, "table": {"text": text}})) == {
        "text": read,
        "table": {"text": read},
    }


def test_a_heap_is_stored_as_it_is_read(tmp_path: Path) -> None:
    store_case(tmp_path, CASE)
    text = (tmp_path / CASE.name / "case.toml").read_text()
    assert 'heap = """\np1 = Node(value=5, next=q0)\nq0 = Chars[length=3]\nConstPtr(a) = q0\n"""\n' in text


HEADER = """+++
[struct.Node]
fields = { value = "int", next = "ref", tag = "u8" }
[array.Chars]
item = "u8"
[array.Refs]
item = "ref"
[const.a]
struct = "Node"
+++
[p0, i1, p2, p3]
p4 = escape_r(p0)
setfield_gc(p4, i1, descr=loose)
i5 = getfield_gc_i(ConstPtr(a), descr=Node.value)
i6 = escape_i(ConstPtr(b))
p7 = getarrayitem_gc_r(p3, i6, descr=Refs)
i8 = getarrayitem_gc_i(p2, i5, descr=Chars)
p9 = getfield_gc_r(p7, descr=Node.next)
guard_gc_type(p9, 7) []
guard_not_invalidated() []
finish()
"""


@given(st.integers(0, 10**6))
def test_a_state_is_restored_as_it_was_stored(tmp_path_factory: pytest.TempPathFactory, seed: int) -> None:
    """Through the file: samples have all that a state can have."""
    trace = parse(HEADER)
    layout = layout_of(trace)
    sampler = HeapSampler(trace, plan_heap(trace, trace, layout), (-128, 0, 1, 255, -(1 << 63)), Random(seed))
    state = sampler.state()
    state = replace(state, world=replace(state.world, stops_at=Random(seed).choice([None, 0, 1])))
    folder = tmp_path_factory.mktemp("cases")
    store_case(folder, Case("one", HEADER, state=stored_state(state, trace)))
    again = restored_state(read_case(folder, "one").state, trace, layout_of(trace), "case.toml")
    assert again == state


def test_what_a_function_gives_back_is_told_as_its_argument() -> None:
    trace = parse("[i0]\nfinish(i0)\n")
    state = State((3,), World(functions=(Given(Argument(1)),)))
    stored = stored_state(state, trace)
    assert stored.function_results == ("argument 1",)
    assert restored_state(stored, trace, layout_of(trace), "case.toml") == state


MISTAKES = [
    ({"inputs": (("p0", "q"),)}, "case.toml: 'q' is no object of the heap"),
    ({"inputs": (("p0", 5),)}, "case.toml: the input p0 is of type ref, got 5"),
    ({"inputs": (("p0", "seen 0"),)}, "case.toml: the input p0 is of type ref, got 'seen 0'"),
    ({"inputs": (("p0", "NULL"),), "heap": "p = 5"}, "case.toml: heap:1:5: expected an object"),
    ({"inputs": (("p0", "NULL"),), "event_results": ("x",)}, "case.toml: 'x' is no object of the heap"),
]


@pytest.mark.parametrize(("parts", "message"), MISTAKES)
def test_a_state_that_is_none_is_told(parts: dict[str, Any], message: str) -> None:
    trace = parse("[p0]\nfinish(p0)\n")
    with pytest.raises(InputError) as told:
        restored_state(StoredState(**parts), trace, layout_of(trace), "case.toml")
    assert str(told.value).startswith(message)


def test_a_state_of_another_trace_is_not_used() -> None:
    trace = parse("[p0]\nfinish(p0)\n")
    assert restored_state(StoredState(inputs=(("i0", 1),)), trace, layout_of(trace), "case.toml") is None
    assert restored_state(StoredState(), parse("[]\nfinish()\n"), layout_of(trace), "case.toml") is None
