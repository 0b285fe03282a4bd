"""What events see and change, aliases, and what has not been written: a pair of a few lines for each caution.

The solver judges alone, so that running does not hide what the encoding gets wrong.
"""

from __future__ import annotations

import pytest
from heap_traces import DECLARED, WIDE

from optimizer.ir.text import parse
from optimizer.ir.text.trace_printer import format_trace
from validator import Options, Proved, Refuted, Verdict, validate

RIGHT = {
    "a length is not negative": (
        """
        [pW1, i1]
        i2 = arraylen_gc(pW1, descr=Words)
        i3 = int_lt(i2, 0)
        finish(i3)
        """,
        {"i3 = int_lt(i2, 0)": "", "finish(i3)": "finish(0)"},
    ),
    "the length of an event's result that is an allocation": (
        """
        [i1]
        pW1 = new_array_clear(2, descr=Words)
        pW2 = escape_r(pW1)
        i2 = ptr_eq(pW1, pW2)
        i4 = int_and(i2, i1)
        guard_true(i4) []
        i3 = arraylen_gc(pW2, descr=Words)
        finish(i3)
        """,
        {"i3 = arraylen_gc(pW2, descr=Words)": "", "finish(i3)": "finish(2)"},
    ),
    "the class of an event's result that is an allocation": (
        """
        [i1]
        pN1 = new_with_vtable(descr=Node)
        pN2 = escape_r(pN1)
        i2 = ptr_eq(pN1, pN2)
        i4 = int_and(i2, i1)
        guard_true(i4) []
        guard_class(pN2, ConstClass(Node)) []
        finish()
        """,
        {"guard_class(pN2, ConstClass(Node)) []": ""},
    ),
    "an event that did not see the allocation left it alone": (
        """
        []
        pN1 = new_with_vtable(descr=Node)
        setfield_gc(pN1, 5, descr=Node.value)
        escape_n()
        pN2 = call_r(1, pN1, descr=none_r)
        i1 = getfield_gc_i(pN2, descr=Node.value)
        i2 = ptr_eq(pN1, pN2)
        guard_true(i2) [i2]
        finish(i1)
        """,
        {"finish(i1)": "finish(5)"},
    ),
    "of two stores that may be to one object the later one counts": (
        """
        [pN1, pN2, pN3]
        setfield_gc(pN1, 1, descr=Node.value)
        setfield_gc(pN2, 2, descr=Node.value)
        i1 = getfield_gc_i(pN3, descr=Node.value)
        i2 = ptr_eq(pN3, pN1)
        guard_true(i2) []
        i3 = ptr_eq(pN3, pN2)
        guard_true(i3) []
        finish(i1)
        """,
        {"finish(i1)": "finish(2)"},
    ),
    "an index is known behind a guard, of stores ahead of it as well": (
        """
        [pW1, i1]
        setarrayitem_gc(pW1, i1, 5, descr=Words)
        guard_value(i1, 3) [pW1]
        setarrayitem_gc(pW1, 3, 6, descr=Words)
        i2 = getarrayitem_gc_i(pW1, 2, descr=Words)
        finish(i2)
        """,
        {
            "setarrayitem_gc(pW1, i1, 5, descr=Words)": "i3 = arraylen_gc(pW1, descr=Words)",
            "guard_value(i1, 3) [pW1]": (
                "guard_value(i1, 3) [pW1] {\nsetarrayitem_gc(pW1, i1, 5, descr=Words)\n}\n"
                "i2 = getarrayitem_gc_i(pW1, 2, descr=Words)"
            ),
            "i2 = getarrayitem_gc_i(pW1, 2, descr=Words)": "",
        },
    ),
    "an object is known behind a guard, of stores ahead of it as well": (
        """
        [pN1]
        setfield_gc(pN1, 5, descr=Node.value)
        guard_value(pN1, ConstPtr(k)) [pN1]
        setfield_gc(ConstPtr(k), 6, descr=Node.value)
        finish(pN1)
        """,
        {
            "setfield_gc(pN1, 5, descr=Node.value)": "",
            "guard_value(pN1, ConstPtr(k)) [pN1]": (
                "guard_value(pN1, ConstPtr(k)) [pN1] {\nsetfield_gc(pN1, 5, descr=Node.value)\n}"
            ),
        },
    ),
    "a store that is overwritten, with others between": (
        """
        [pN1, pN2, i1]
        setfield_gc(pN1, 1, descr=Node.value)
        setfield_gc(pN2, i1, descr=Node.value)
        setfield_gc(pN1, 3, descr=Node.value)
        finish()
        """,
        {"setfield_gc(pN1, 1, descr=Node.value)": ""},
    ),
    "what has a class is not NULL, though it may be an allocation": (
        """
        [pN1]
        pN2 = new_with_vtable(descr=Other)
        pN3 = new_with_vtable(descr=<SizeDescr 16>)
        escape_n(pN2, pN3)
        pN4 = getfield_gc_r(pN1, descr=x)
        guard_nonnull(pN4) [pN4]
        guard_class(pN4, ConstClass(C)) [pN4]
        finish(pN4)
        """,
        {
            "guard_nonnull(pN4) [pN4]": "guard_nonnull_class(pN4, ConstClass(C), origin=0) [pN4]",
            "guard_class(pN4, ConstClass(C)) [pN4]": "",
        },
    ),
    "an allocation that two events see": (
        """
        []
        pN1 = new_with_vtable(descr=Node)
        setfield_gc(pN1, 5, descr=Node.value)
        escape_n(pN1)
        i1 = getfield_gc_i(pN1, descr=Node.value)
        escape_n(pN1)
        finish(i1)
        """,
        {"[]": "[]"},
    ),
    "a field that is protected keeps its value": (
        """
        [pN1]
        quasiimmut_field(pN1, descr=Node.quasi)
        guard_not_invalidated() []
        i1 = getfield_gc_i(pN1, descr=Node.quasi)
        call_n(1, descr=fix_n)
        i2 = getfield_gc_i(pN1, descr=Node.quasi)
        finish(i1, i2)
        """,
        {"i2 = getfield_gc_i(pN1, descr=Node.quasi)": "", "finish(i1, i2)": "finish(i1, i1)"},
    ),
}
"""Names, the recorded trace, and what the optimizer put for some of its lines."""

WRONG = {
    "an immutable field of an old object that has been read is stored to": (
        """
        [pN1]
        i1 = getfield_gc_i(pN1, descr=Base.fixed)
        finish()
        """,
        {"finish()": "setfield_gc(pN1, i1, descr=Base.fixed)\nfinish()"},
    ),
    "an event that only reads sees a store": (
        """
        [pN1]
        setfield_gc(pN1, 1, descr=Node.value)
        call_n(1, descr=peek_n)
        setfield_gc(pN1, 2, descr=Node.value)
        finish()
        """,
        {"setfield_gc(pN1, 1, descr=Node.value)": ""},
    ),
    "what is not of a class may be NULL": (
        """
        [pN1]
        i1 = ptr_eq(pN1, NULL)
        guard_nonnull_class(pN1, ConstClass(Node)) [i1]
        finish()
        """,
        {"guard_nonnull_class(pN1, ConstClass(Node)) [i1]": "guard_nonnull_class(pN1, ConstClass(Node)) [0]"},
    ),
    "two undeclared constants may be two objects": (
        """
        []
        i1 = ptr_eq(ConstPtr(x), ConstPtr(y))
        finish(i1)
        """,
        {"i1 = ptr_eq(ConstPtr(x), ConstPtr(y))": "", "finish(i1)": "finish(1)"},
    ),
    "what an exit block needs does not hold where its guard passes": (
        """
        [pN1, i1]
        guard_true(i1) [] {
        setfield_gc(pN1, 1, descr=Node.value)
        }
        finish()
        """,
        {"guard_true(i1) [] {": "i2 = getfield_gc_i(pN1, descr=Node.value)\nguard_true(i1) [] {"},
    ),
    "a class that is not declared is not that of a declared struct by its name": (
        """
        [pN1]
        guard_class(pN1, ConstClass(Loose)) []
        guard_class(pN1, ConstClass(Other)) []
        finish()
        """,
        {"guard_class(pN1, ConstClass(Other)) []": ""},
    ),
    "objects with different values in different fields": (
        """
        [pN1, pN2]
        i1 = getfield_gc_i(pN1, descr=Node.quasi)
        guard_value(i1, 1) []
        i2 = getfield_gc_i(pN2, descr=Base.fixed)
        guard_value(i2, 2) []
        i3 = ptr_eq(pN1, pN2)
        finish(i3)
        """,
        {"i3 = ptr_eq(pN1, pN2)": "", "finish(i3)": "finish(0)"},
    ),
    "objects with different values at different times": (
        """
        [pN1, pN2]
        i1 = getfield_gc_i(pN1, descr=Node.quasi)
        guard_value(i1, 1) []
        escape_n()
        i2 = getfield_gc_i(pN2, descr=Node.quasi)
        guard_value(i2, 2) []
        i3 = ptr_eq(pN1, pN2)
        finish(i3)
        """,
        {"i3 = ptr_eq(pN1, pN2)": "", "finish(i3)": "finish(0)"},
    ),
    "an immutable field that has been read of what an event has seen is stored to": (
        """
        []
        pN1 = new_with_vtable(descr=Node)
        escape_n(pN1)
        i1 = getfield_gc_i(pN1, descr=Base.fixed)
        finish()
        """,
        {"finish()": "setfield_gc(pN1, i1, descr=Base.fixed)\nfinish()"},
    ),
    "that it was stored to does not say more than that no event has seen it": (
        """
        [pN1, pN2]
        pN3 = new_with_vtable(descr=Node)
        setfield_gc(pN1, pN3, descr=Node.next)
        setfield_gc(pN2, NULL, descr=Node.next)
        escape_n()
        i1 = getfield_gc_i(pN3, descr=Base.fixed)
        setfield_gc(pN3, 7, descr=Base.fixed)
        finish(0)
        """,
        {"finish(0)": "finish(1)"},
    ),
    "an event sees what objects hold that were seen before": (
        """
        []
        pN1 = new_with_vtable(descr=Node)
        escape_n(pN1)
        pN2 = new_with_vtable(descr=Node)
        setfield_gc(pN1, pN2, descr=Node.next)
        escape_n()
        i1 = getfield_gc_i(pN2, descr=Node.value)
        finish(i1)
        """,
        {"i1 = getfield_gc_i(pN2, descr=Node.value)": "", "finish(i1)": "finish(0)"},
    ),
    "a store that was not there": (
        """
        [pN1]
        i1 = getfield_gc_i(pN1, descr=Node.value)
        finish()
        """,
        {"finish()": "setfield_gc(pN1, 5, descr=Node.value)\nfinish()"},
    ),
    "an event may write what the allocation did not clear": (
        """
        []
        pR1 = new_with_vtable(descr=Raw)
        escape_n(pR1)
        i1 = getfield_gc_i(pR1, descr=Raw.a)
        finish(i1)
        """,
        {"i1 = getfield_gc_i(pR1, descr=Raw.a)": "", "finish(i1)": "finish(0)"},
    ),
    "a protected field keeps the value that it had then, not that of the start": (
        """
        [pN1]
        i0 = getfield_gc_i(pN1, descr=Node.quasi)
        setfield_gc(pN1, 3, descr=Node.quasi)
        quasiimmut_field(pN1, descr=Node.quasi)
        guard_not_invalidated() []
        call_n(1, descr=fix_n)
        i1 = getfield_gc_i(pN1, descr=Node.quasi)
        finish(i1)
        """,
        {"i1 = getfield_gc_i(pN1, descr=Node.quasi)": "", "finish(i1)": "finish(i0)"},
    ),
    "an index is not known where the guard fails": (
        """
        [pW1, i1]
        setarrayitem_gc(pW1, i1, 5, descr=Words)
        guard_value(i1, 3) [pW1]
        finish()
        """,
        {
            "setarrayitem_gc(pW1, i1, 5, descr=Words)": "i2 = arraylen_gc(pW1, descr=Words)",
            "guard_value(i1, 3) [pW1]": (
                "guard_value(i1, 3) [pW1] {\nsetarrayitem_gc(pW1, 3, 5, descr=Words)\n}\n"
                "setarrayitem_gc(pW1, 3, 5, descr=Words)"
            ),
        },
    ),
    "an index is not known ahead of the guard": (
        """
        [pW1, i1]
        i2 = getarrayitem_gc_i(pW1, 3, descr=Words)
        guard_value(i1, 3) [pW1, i2]
        setarrayitem_gc(pW1, i1, 5, descr=Words)
        finish(i2)
        """,
        {
            "guard_value(i1, 3) [pW1, i2]": "setarrayitem_gc(pW1, 3, 5, descr=Words)\nguard_value(i1, 3) [pW1, i2]",
            "setarrayitem_gc(pW1, i1, 5, descr=Words)": "",
        },
    ),
    "another guard than that of the index has failed": (
        """
        [pW1, i1, i2]
        setarrayitem_gc(pW1, i1, 5, descr=Words)
        guard_value(i2, 7) [pW1]
        guard_value(i1, 3) [pW1]
        finish()
        """,
        {
            "setarrayitem_gc(pW1, i1, 5, descr=Words)": "i3 = arraylen_gc(pW1, descr=Words)",
            "guard_value(i2, 7) [pW1]": (
                "guard_value(i2, 7) [pW1] {\nsetarrayitem_gc(pW1, 3, 5, descr=Words)\n}\n"
                "setarrayitem_gc(pW1, i1, 5, descr=Words)"
            ),
        },
    ),
    "an object is not known where the guard fails": (
        """
        [pN1]
        setfield_gc(pN1, 5, descr=Node.value)
        guard_value(pN1, ConstPtr(k)) [pN1]
        setfield_gc(ConstPtr(k), 6, descr=Node.value)
        finish(pN1)
        """,
        {
            "setfield_gc(pN1, 5, descr=Node.value)": "",
            "guard_value(pN1, ConstPtr(k)) [pN1]": (
                "guard_value(pN1, ConstPtr(k)) [pN1] {\nsetfield_gc(ConstPtr(k), 5, descr=Node.value)\n}"
            ),
        },
    ),
    "a store that is overwritten behind one that may be to the same object": (
        """
        [pN1, pN2, i1]
        setfield_gc(pN1, 1, descr=Node.value)
        setfield_gc(pN2, i1, descr=Node.value)
        setfield_gc(pN1, 3, descr=Node.value)
        finish()
        """,
        {
            "setfield_gc(pN1, 1, descr=Node.value)": "setfield_gc(pN1, 3, descr=Node.value)",
            "setfield_gc(pN1, 3, descr=Node.value)": "",
        },
    ),
    "a store that is overwritten, and that an event sees": (
        """
        [pN1]
        setfield_gc(pN1, 1, descr=Node.value)
        escape_n()
        setfield_gc(pN1, 3, descr=Node.value)
        finish()
        """,
        {"setfield_gc(pN1, 1, descr=Node.value)": ""},
    ),
    "a store that is overwritten, and that a load sees": (
        """
        [pN1, pN2]
        setfield_gc(pN1, 1, descr=Node.value)
        i1 = getfield_gc_i(pN2, descr=Node.value)
        setfield_gc(pN1, 3, descr=Node.value)
        finish(i1)
        """,
        {"setfield_gc(pN1, 1, descr=Node.value)": ""},
    ),
    "what may be an allocation may be NULL": (
        """
        [pN1]
        pN2 = new_with_vtable(descr=Other)
        escape_n(pN2)
        pN4 = getfield_gc_r(pN1, descr=x)
        guard_nonnull(pN4) [pN4]
        finish()
        """,
        {"guard_nonnull(pN4) [pN4]": ""},
    ),
    "what is not NULL may be of another class than the allocation": (
        """
        [pN1]
        pN2 = new_with_vtable(descr=Other)
        escape_n(pN2)
        pN4 = getfield_gc_r(pN1, descr=x)
        guard_nonnull(pN4) [pN4]
        guard_class(pN4, ConstClass(C)) [pN4]
        finish()
        """,
        {"guard_class(pN4, ConstClass(C)) [pN4]": ""},
    ),
    "what only seems to be visible to an event is not compared there": (
        """
        [pN1, pN2]
        i3 = ptr_eq(pN1, pN2)
        guard_true(i3) []
        pN3 = new_with_vtable(descr=Node)
        setfield_gc(pN3, 5, descr=Node.value)
        setfield_gc(pN1, pN3, descr=Node.next)
        setfield_gc(pN2, NULL, descr=Node.next)
        escape_n()
        finish(pN3)
        """,
        {
            "setfield_gc(pN3, 5, descr=Node.value)": "setfield_gc(pN3, 6, descr=Node.value)",
            "setfield_gc(pN1, pN3, descr=Node.next)": "",
        },
    ),
    "what only seems to be visible is allocated behind the event": (
        """
        [pN1, pN2]
        i3 = ptr_eq(pN1, pN2)
        guard_true(i3) []
        pN3 = new_with_vtable(descr=Node)
        setfield_gc(pN3, 5, descr=Node.value)
        setfield_gc(pN1, pN3, descr=Node.next)
        setfield_gc(pN2, NULL, descr=Node.next)
        escape_n()
        finish(pN3)
        """,
        {
            "pN3 = new_with_vtable(descr=Node)": "",
            "setfield_gc(pN3, 5, descr=Node.value)": "",
            "setfield_gc(pN1, pN3, descr=Node.next)": "",
            "escape_n()": "escape_n()\npN3 = new_with_vtable(descr=Node)",
        },
    ),
    "an item that had not been written shows an allocation too early": (
        """
        []
        pF1 = new_array(1, descr=Refs)
        pN2 = new_with_vtable(descr=Node)
        escape_n(pF1)
        i1 = getfield_gc_i(pN2, descr=Node.value)
        escape_n(pN2)
        finish(i1)
        """,
        {"escape_n(pF1)": "setarrayitem_gc(pF1, 0, pN2, descr=Refs)\nescape_n(pF1)"},
    ),
    "a store to another index": (
        """
        [pW1]
        setarrayitem_gc(pW1, 0, 5, descr=Words)
        setarrayitem_gc(pW1, 1, 6, descr=Words)
        finish()
        """,
        {"setarrayitem_gc(pW1, 0, 5, descr=Words)": ""},
    ),
    "of two stores that may be to one object the earlier one": (
        """
        [pN1, pN2, pN3]
        setfield_gc(pN1, 1, descr=Node.value)
        setfield_gc(pN2, 2, descr=Node.value)
        i1 = getfield_gc_i(pN3, descr=Node.value)
        i2 = ptr_eq(pN3, pN1)
        guard_true(i2) []
        i3 = ptr_eq(pN3, pN2)
        guard_true(i3) []
        finish(i1)
        """,
        {"finish(i1)": "finish(1)"},
    ),
    "an item that is not written": (
        """
        []
        pF1 = new_array(1, descr=Refs)
        setarrayitem_gc(pF1, 0, NULL, descr=Refs)
        finish(pF1)
        """,
        {"setarrayitem_gc(pF1, 0, NULL, descr=Refs)": ""},
    ),
    "a field of an object from the world that is not written yet": (
        """
        []
        pR1 = new_with_vtable(descr=Raw)
        escape_n(pR1)
        pR2 = call_r(1, descr=none_r)
        guard_class(pR2, ConstClass(Raw)) []
        finish()
        """,
        {"finish()": "i1 = getfield_gc_i(pR2, descr=Raw.a)\nfinish()"},
    ),
    "an undeclared class may be any": (
        """
        []
        pL1 = new_with_vtable(descr=Loose)
        guard_class(pL1, ConstClass(base_vt)) []
        finish()
        """,
        {"guard_class(pL1, ConstClass(base_vt)) []": ""},
    ),
    "an allocation that two events see may come from the first": (
        """
        []
        pN1 = new_with_vtable(descr=Node)
        pN2 = escape_r(pN1)
        escape_n(pN1)
        i1 = ptr_eq(pN1, pN2)
        finish(i1)
        """,
        {"i1 = ptr_eq(pN1, pN2)": "", "finish(i1)": "finish(0)"},
    ),
    "what is read of a quasi-immutable field without a guard": (
        """
        [pN1]
        quasiimmut_field(pN1, descr=Node.quasi)
        i1 = getfield_gc_i(pN1, descr=Node.quasi)
        call_n(1, descr=fix_n)
        i2 = getfield_gc_i(pN1, descr=Node.quasi)
        finish(i1, i2)
        """,
        {"i2 = getfield_gc_i(pN1, descr=Node.quasi)": "", "finish(i1, i2)": "finish(i1, i1)"},
    ),
    "what was protected before an event that can invalidate": (
        """
        [pN1]
        quasiimmut_field(pN1, descr=Node.quasi)
        guard_not_invalidated() []
        i1 = getfield_gc_i(pN1, descr=Node.quasi)
        call_n(1, descr=turn_n)
        i2 = getfield_gc_i(pN1, descr=Node.quasi)
        finish(i1, i2)
        """,
        {"i2 = getfield_gc_i(pN1, descr=Node.quasi)": "", "finish(i1, i2)": "finish(i1, i1)"},
    ),
    "what was protected before an event that can invalidate, at a later event": (
        """
        [pN1]
        quasiimmut_field(pN1, descr=Node.quasi)
        guard_not_invalidated() []
        call_n(1, descr=turn_n)
        i1 = getfield_gc_i(pN1, descr=Node.quasi)
        call_n(1, descr=fix_n)
        i2 = getfield_gc_i(pN1, descr=Node.quasi)
        finish(i1, i2)
        """,
        {"i2 = getfield_gc_i(pN1, descr=Node.quasi)": "", "finish(i1, i2)": "finish(i1, i1)"},
    ),
    "a field that is not immutable": (
        """
        [pN1]
        i1 = getfield_gc_i(pN1, descr=Node.value)
        call_n(1, descr=poke_n)
        i2 = getfield_gc_i(pN1, descr=Node.value)
        finish(i1, i2)
        """,
        {"i2 = getfield_gc_i(pN1, descr=Node.value)": "", "finish(i1, i2)": "finish(i1, i1)"},
    ),
    "an immutable field that an event names, before it is read": (
        """
        [pN1, pN2]
        i1 = getfield_gc_i(pN2, descr=Base.fixed)
        call_n(1, descr=fix_n)
        i2 = getfield_gc_i(pN1, descr=Base.fixed)
        finish(i2)
        """,
        {
            "i2 = getfield_gc_i(pN1, descr=Base.fixed)": "",
            "i1 = getfield_gc_i(pN2, descr=Base.fixed)": "i2 = getfield_gc_i(pN1, descr=Base.fixed)",
        },
    ),
}


def judge(before: str, edits: dict[str, str]) -> Verdict:
    declarations = format_trace(DECLARED[WIDE]).rpartition("+++\n")[0] + "+++\n"
    lines = [line.strip() for line in before.strip().splitlines()]
    assert edits.keys() <= set(lines)
    after = [edits.get(line, line) for line in lines]
    one, other = (parse(declarations + "\n".join(text)) for text in (lines, after))
    return validate(one, other, Options())


@pytest.fixture(autouse=True)
def solver_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("validator.search.running.sample_states", lambda *_: iter(()))


@pytest.mark.parametrize("name", RIGHT)
def test_right(name: str) -> None:
    assert isinstance(judge(*RIGHT[name]), Proved)


def test_that_an_object_is_there_is_settled_by_structure() -> None:
    verdict = judge(*RIGHT["what has a class is not NULL, though it may be an allocation"])
    assert isinstance(verdict, Proved)
    assert {one.by for one in verdict.evidence.obligations} == {"structure"}


@pytest.mark.parametrize("name", WRONG)
def test_wrong(name: str) -> None:
    verdict = judge(*WRONG[name])
    assert not isinstance(verdict, Proved), verdict


MADE_ARRAY = """
    [i1]
    pW1 = new_array(2, descr=Words)
    setarrayitem_gc(pW1, i1, 7, descr=Words)
    escape_n(pW1)
    i2 = getarrayitem_gc_i(pW1, 0, descr=Words)
    finish(i2)
    """
MADE_STRUCT = """
    [i1]
    p1 = new(descr=Raw)
    escape_n(p1)
    i2 = getfield_gc_i(p1, descr=Raw.value)
    finish(i2)
    """


@pytest.mark.parametrize("before", [MADE_ARRAY, MADE_STRUCT], ids=["array", "struct"])
def test_an_event_may_have_written_what_a_new_object_has_not(before: str) -> None:
    declared = '+++\n[struct.Raw]\ncleared = false\nfields = { value = "int" }\n[array.Words]\nitem = "int"\n+++\n'
    lines = [line.strip() for line in before.strip().splitlines()]
    after = [f"guard_value(i1, 0) []\n{line}" if line == "finish(i2)" else line for line in lines]
    one, other = (parse(declared + "\n".join(text) + "\n") for text in (lines, after))
    assert isinstance(validate(one, other, Options()), Refuted)
    assert isinstance(validate(one, one, Options()), Proved)
