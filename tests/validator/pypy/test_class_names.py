"""Classes that guards of a log ask for: those of two names are two."""

from __future__ import annotations

import pytest

from tests.pypy_logs import judged_bridge
from validator import Proved

OTHER = "p1 = getfield_gc_r(p0, descr=<FieldP Node.inst_other 16>)"
MORE = "p2 = getfield_gc_r(p0, descr=<FieldP Node.inst_more 24>)"


def is_proved(*lines: str, compared: str = "p1, p2") -> bool:
    """Is it right to leave out a comparison at the end, if there is one, that finds two objects to be two?"""
    compares = (f"i9 = ptr_eq({compared})", "guard_false(i9) [p0]") if compared else ()
    end = "finish(p1)"
    optimized = [
        line.replace(") [", f", descr=<Guard0x7f{at}>) [") if line.startswith("guard") else line
        for at, line in enumerate(lines, start=10)
    ]
    recorded = [line.partition(" [")[0] if line.startswith("guard") else line for line in (*lines, *compares, end)]
    return isinstance(judged_bridge(recorded, (*optimized, end)).verdict, Proved)


def asked(name: str, class_: str) -> str:
    return f"guard_class({name}, {class_}) [p0]"


LOADED = (OTHER, "guard_nonnull(p1) [p0]", MORE, "guard_nonnull(p2) [p0]")


@pytest.mark.parametrize(
    ("one", "other"),
    [("140356963124568", "140356963305496"), ("ConstClass(W_IntObject)", "7"), ("ConstClass(A)", "ConstClass(B)")],
)
def test_objects_of_two_classes_are_two(one: str, other: str) -> None:
    assert is_proved(*LOADED, asked("p1", one), asked("p2", other))
    assert not is_proved(*LOADED, asked("p1", one), asked("p2", one))
    assert not is_proved(*LOADED, asked("p1", one))


def test_not_where_one_may_inherit_from_the_other() -> None:
    """Declared ones would be known to be unrelated, so that the last guard never passes."""
    classes = asked("p1", "ConstClass(A)"), asked("p2", "ConstClass(B)"), "guard_subclass(p1, ConstClass(B)) [p0]"
    assert is_proved(*LOADED, *classes, compared="")
    assert not is_proved(*LOADED, *classes, compared="p1, p0")


def test_a_new_object_may_be_of_any_of_them() -> None:
    new = ("p1 = new_with_vtable(descr=<SizeDescr 16>)", "setfield_gc(p0, p1, descr=<FieldP Node.inst_more 24>)")
    given = ("p2 = call_r(ConstClass(work), p0, descr=<Callr 8 r EF=5>)", "guard_no_exception() [p0]")
    calls = tuple(line.replace("(, ", "(") for line in (*new, *given, "guard_nonnull(p2) [p0]"))
    assert not is_proved(*calls, asked("p2", "7"), compared="p2, p1")


def test_fields_of_one_that_a_new_object_is_of_are_not_cleared() -> None:
    new = ("p1 = new_with_vtable(descr=<SizeDescr 24>)", "setfield_gc(p1, p0, descr=<FieldP A.inst_one 8>)")
    loaded, store = (
        "p2 = getfield_gc_r(p1, descr=<FieldP A.inst_one 8>)",
        "setfield_gc(p1, 0, descr=<FieldS A.inst_two 16>)",
    )
    for left_out in ((), (store,)):
        recorded = (*new, "guard_class(p1, 7)", loaded, "guard_class(p2, 7)", store, "finish(p1)")
        optimized = (*new, "guard_class(p0, 7, descr=<Guard0x7f11>) [p0]", store, "finish(p1)")
        kept = [line for line in optimized if line not in left_out]
        assert isinstance(judged_bridge(recorded, kept).verdict, Proved) is (left_out == ())


def test_a_class_may_be_called_as_the_type_of_strings_is() -> None:
    assert is_proved(*LOADED, asked("p0", "ConstClass(str)"), asked("p1", "7"), asked("p2", "8"))
