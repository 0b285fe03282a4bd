"""Names that look misspelt, and names that do not."""

from __future__ import annotations

import pytest

from optimizer.ir.text import parse
from optimizer.ir.text.misspelt import misspelt_names

DECLARATIONS = """+++
[struct.Node]
vtable = "node_vtable"
fields = { value = "int" }
[struct.Leaf]
parent = "Node"
[struct.Empty]
[array.Chars]
item = "u8"
[array.Points]
fields = { x = "int" }
[descr]
valuedescr = "Node.value"
+++
"""
NODE = "Node is declared without a field vlaue, so this is memory of its own; its fields are value"
SLIPS = {
    "i1 = getfield_gc_i(p0, descr=Node.vlaue)": ("Node.vlaue", NODE),
    "i1 = getfield_gc_i(p0, descr=Leaf.vlaue)": ("Leaf.vlaue", NODE.replace("Node", "Leaf")),
    "i1 = getfield_gc_i(p0, descr=Empty.value)": (
        "Empty.value",
        "Empty is declared without a field value, so this is memory of its own; it has no fields",
    ),
    "i1 = getinteriorfield_gc_i(p0, 0, descr=Points.y)": (
        "Points.y",
        "Points is declared without a field y, so this is memory of its own; its fields are x",
    ),
    "i1 = getfield_gc_i(p0, descr=Noed.value)": (
        "Noed.value",
        "Noed.value is not declared, so this is memory or a type of its own; Node.value is declared",
    ),
    "i1 = getarrayitem_gc_i(p0, 0, descr=Char)": (
        "Char",
        "Char is not declared, so this is memory or a type of its own; Chars is declared",
    ),
    "guard_class(p0, ConstClass(Node)) []": (
        "Node",
        "the vtable of Node is declared as node_vtable, so this is a class of its own",
    ),
    "guard_class(p0, ConstClass(node_vtabel)) []": (
        "node_vtabel",
        "node_vtabel is not declared, so this is a class of its own; node_vtable is declared",
    ),
    "guard_nonnull(p0) [p1] {\n    p1 = new(descr=Nodes)\n}": (
        "Nodes",
        "Nodes is not declared, so this is memory or a type of its own; Node is declared",
    ),
}
RIGHT = [
    "i1 = getfield_gc_i(p0, descr=Node.value)",
    "i1 = getfield_gc_i(p0, descr=Leaf.value)",
    "i1 = getfield_gc_i(p0, descr=valuedescr)",
    "i1 = getfield_gc_i(p0, descr=slot0)",
    "i1 = getfield_gc_i(p0, descr=Other.size)",
    "p1 = new(descr=Node+)",
    "guard_class(p0, ConstClass(node_vtable)) []",
    "guard_class(p0, ConstClass(Leaf)) []",
    "call_n(ConstClass(function), p0, descr=Nodes)",
]


@pytest.mark.parametrize("line", SLIPS)
def test_a_slip_is_told_once(line: str) -> None:
    trace = parse(f"{DECLARATIONS}[p0]\n{line}\n")
    (told,) = misspelt_names(trace)
    assert told[1:] == SLIPS[line]
    again = parse(f"{DECLARATIONS}[p0]\n{line}\n{line.replace('p1', 'p3').replace('i1', 'i3')}\n")
    (told_again,) = misspelt_names(again)
    assert told_again[0].line == told[0].line


@pytest.mark.parametrize("line", RIGHT)
def test_names_that_are_right_or_far_from_all(line: str) -> None:
    assert not list(misspelt_names(parse(f"{DECLARATIONS}[p0]\n{line}\n")))


@pytest.mark.parametrize("line", SLIPS)
def test_without_declarations_there_are_no_slips(line: str) -> None:
    assert not list(misspelt_names(parse(f"[p0]\n{line}\n")))


def test_what_pypy_prints_is_no_slip() -> None:
    declared = '+++\n[array."<ArrayU 4>"]\nitem = "u32"\n+++\n'
    trace = parse(f"{declared}[p0]\np1 = getarrayitem_gc_r(p0, 0, descr=<ArrayP 8>)")
    assert not list(misspelt_names(trace))
