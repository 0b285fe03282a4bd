"""`traceproof run` on heaps."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from commands import Command, Ended

from fuzz.cases.run_state import parts

TRACE = """+++
[struct.Node]
fields = { value = "int", next = "ref" }
[array.Chars]
item = "u8"
+++
[p0, i1, p2]
i3 = getfield_gc_i(p0, descr=Node.value)
p4 = new_with_vtable(descr=Node)
setfield_gc(p4, i3, descr=Node.value)
setfield_gc(p4, p0, descr=Node.next)
p5 = escape_r(p4)
guard_nonnull(p5) [p6] {
    p6 = new(descr=Node)
    setfield_gc(p6, p4, descr=Node.next)
}
setarrayitem_gc(p2, i1, 7, descr=Chars)
jump(p4, p5)
"""
TOY = "v0 = getarg(0)\nv1 = alloc()\nstore(v1, 0, 123)\nstore(v0, 1, v1)\nv4 = load(v1, 0)\nprint(v4)\n"
PAPER = "[p0]\nguard_class(p0, Box) [p0]\ni1 = get(p0, intval)\np2 = new(Box)\nset(p2, intval, i1)\njump(p2)\n"

Run = Callable[..., Ended]


@pytest.fixture
def run(traceproof: Command) -> Run:
    """Runs `traceproof run` on a text; gives the exit code and both outputs."""

    def command(text: str, *args: str, heap: str | None = None) -> Ended:
        Path("a.trace").write_text(text)
        if heap is not None:
            Path("a.heap").write_text(heap)
            args = (*args, "--heap", "a.heap")
        return traceproof("run", "a.trace", *args)

    return command


def test_a_run_shows_the_heap_that_it_leaves(run: Run) -> None:
    heap = "# a list\np0 = Node(value=5, next=p9)\np9 = Node(next=p0)\np2 = Chars[1, 2, 3]\n"
    code, out, _ = run(TRACE, "--input", "i1=1", "--results", "p9", heap=heap)
    assert code == 0
    assert out == (
        "p0 = Node(value=5, next=p9)\ni1 = 1\np2 = Chars[1, 2, 3]\ni3 = 5\np4 = new0\np5 = p9\n"
        "event 0: escape_r(new0)\njump(new0, p9)\n"
        "new0 = Node(value=5, next=p0)\np0 = Node(value=5, next=p9)\np2 = Chars[1, 7, 3]\np9 = Node(next=p0)\n"
    )


def test_an_input_that_is_another_one_again(run: Run) -> None:
    _, out, _ = run("[p0, p1, p2]\nfinish()\n", "--input", "p0=Node(), p1=p0, p2=NULL")
    assert out.startswith("p0 = Node()\np1 = p0\np2 = NULL\n")


def test_objects_among_the_inputs(run: Run) -> None:
    code, out, _ = run(TRACE, "--input", "p0 = Node(value=5, next=p2), i1=0", "--input", "p2=Chars[1, 2]")
    assert code == 0
    assert out.endswith(
        "guard 0 fails and hands over (new1)\nnew0 = Node(value=5, next=p0)\nnew1 = Node(next=new0)\n"
        "p0 = Node(value=5, next=p2)\np2 = Chars[1, 2]\n"
    )


def test_the_heap_in_json(run: Run) -> None:
    _, out, _ = run(TRACE, "--input", "p0=Node(), p2=NULL, i1=0", "--json")
    told = json.loads(out)
    assert told["values"]["p2"] == "NULL"
    assert told["failargs"] == ["new1"]
    assert told["heap"]["new1"] == "Node(next=new0)"


def test_the_toy_dialect_runs(run: Run) -> None:
    _, out, _ = run(TOY, "--input", "p0=object(slot0=3)")
    assert out.endswith(
        "event 0: escape_n(123)\nfinish()\nnew0 = object(slot0=123)\np0 = object(slot0=3, slot1_ref=new0)\n"
    )


def test_the_dialect_of_the_paper_runs(run: Run) -> None:
    _, out, _ = run(PAPER, "--input", "p0=Box(intval=3)")
    assert out.endswith("jump(new0)\nnew0 = Box(intval=3)\np0 = Box(intval=3)\n")
    _, out, _ = run(PAPER, "--input", "p0=Bag(intval=3)")
    assert "guard 0 fails and hands over (p0)\n" in out


def test_a_trace_with_values(run: Run) -> None:
    _, out, _ = run(TRACE, "--trace", "--input", "p0=Node(), p2=Chars[1], i1=0", "--results", "p0")
    assert "p4 = new_with_vtable(descr=Node)  # new0\n" in out
    assert "event 0 (new0) = p0\n" in out


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (["--input", "p0=Node(), i1=0"], "the input p2 has no value; give one with --input 'p2=NULL'"),
        (["--input", "p0=Node(), p2=NULL"], "the input i1 has no value; give one with --input i1=VALUE"),
        (["--input", "p0=Nodes(value=1), p2=q, i1=1"], "--input:2:4: q is not described"),
        (["--input", "i1=x, p0=NULL, p2=NULL"], "--input i1: expected a number, got 'x'"),
        (["--input", "q=5"], "--input: there is no input q; the inputs are p0, i1, p2"),
        (["--input", "p0=Node(value=NULL)"], "--input:1:15: value is a machine int, got NULL"),
        (["--heap", "none.heap"], "none.heap: there is no such file"),
        (["--input", "p0=Node(),p2=Chars[1,i1=0"], "a bracket or quote is not closed: p0=Node(),p2=Chars[1,i1=0"),
        (["--input", "p0=Node(,p2=NULL"], "a bracket or quote is not closed: p0=Node(,p2=NULL"),
        (
            ["--input", "p0=Node(),p2=NULL,i1=0", "--results", "zz"],
            "--results: expected NULL or the name of an object, got 'zz'",
        ),
        (
            ["--input", "p0=Node(),p2=NULL,i1=0", "--results", "5"],
            "--results: expected NULL or the name of an object, got '5'",
        ),
        (["--input", "p0=Node(),p2=NULL,i1=0", "--results", "p0,zz"], "--results: expected a number, got 'zz'"),
    ],
)
def test_mistakes(run: Run, args: list[str], message: str) -> None:
    code, out, err = run(TRACE, *args)
    assert (code, out) == (2, "")
    assert message in err


def test_an_object_where_an_event_gives_a_machine_int(run: Run) -> None:
    code, _, err = run("[p0]\ni1 = escape_i(p0)\nfinish(i1)\n", "--input", "p0=Box()", "--results", "p0")
    assert code == 2
    assert "--results: expected a number, got 'p0'" in err


def test_mistakes_in_a_file(run: Run) -> None:
    code, _, err = run(TRACE, heap="p0 = Node()\np2 = Chars[256]\n")
    assert code == 2
    assert "a.heap:2:12: item 0 is from 0 to 255, got 256\n    p2 = Chars[256]\n               ^" in err


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("i0=1,i1 = 2 i2=3", ["i0=1", "i1=2", "i2=3"]),
        ("p0=N(a=1, b=p1), p1 = NULL", ["p0=N(a=1, b=p1)", "p1=NULL"]),
        ("p0=P[(x=1, y=2), (x=3)](u=5), i1=5", ["p0=P[(x=1, y=2), (x=3)](u=5)", "i1=5"]),
        ('p0="a, b"(x=1)', ['p0="a, b"(x=1)']),
        ("ConstPtr(a)=N()", ["ConstPtr(a)=N()"]),
    ],
)
def test_parts(text: str, expected: list[str]) -> None:
    assert parts([text]) == expected
