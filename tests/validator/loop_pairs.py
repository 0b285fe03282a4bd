"""Loops, peeled rightly and wrongly."""

from __future__ import annotations

ADDS = """
[p0, i0]
i1 = getfield_gc_i(p0, descr=Node.step)
i2 = int_add(i0, i1)
i3 = int_lt(i2, 1000)
guard_true(i3) [p0, i2]
jump(p0, i2)
"""
LOADED_ONCE = """
[p0, i0]
i1 = getfield_gc_i(p0, descr=Node.step)
i2 = int_add(i0, i1)
i3 = int_lt(i2, 1000)
guard_true(i3, origin=0) [p0, i2]
label(p0, i2, i1, descr=Body)
i4 = int_add(i2, i1)
i5 = int_lt(i4, 1000)
guard_true(i5, origin=0) [p0, i4]
jump(p0, i4, i1, descr=Body)
"""
STORES = """
[p0, i0]
i1 = getfield_gc_i(p0, descr=Node.step)
i2 = int_add(i0, i1)
setfield_gc(p0, i2, descr=Node.step)
i3 = int_lt(i2, 1000)
guard_true(i3) [p0, i2]
jump(p0, i2)
"""
FORWARDED = """
[p0, i0]
i1 = getfield_gc_i(p0, descr=Node.step)
i2 = int_add(i0, i1)
setfield_gc(p0, i2, descr=Node.step)
i3 = int_lt(i2, 1000)
guard_true(i3, origin=0) [p0, i2]
label(p0, i2, descr=Body)
i4 = int_add(i2, i2)
setfield_gc(p0, i4, descr=Node.step)
i5 = int_lt(i4, 1000)
guard_true(i5, origin=0) [p0, i4]
jump(p0, i4, descr=Body)
"""
BOXES = """
[p0]
guard_class(p0, ConstClass(Box)) [p0]
i1 = getfield_gc_i(p0, descr=Box.value)
i2 = int_add(i1, 1)
p1 = new_with_vtable(descr=Box)
setfield_gc(p1, i2, descr=Box.value)
i3 = int_lt(i2, 1000)
guard_true(i3) [p1]
jump(p1)
"""
UNBOXED = """
[p0]
guard_class(p0, ConstClass(Box), origin=0) [p0]
i1 = getfield_gc_i(p0, descr=Box.value)
i2 = int_add(i1, 1)
i3 = int_lt(i2, 1000)
guard_true(i3, origin=1) [p1] {
    p1 = new_with_vtable(descr=Box)
    setfield_gc(p1, i2, descr=Box.value)
}
label(i2, descr=Body)
i4 = int_add(i2, 1)
i5 = int_lt(i4, 1000)
guard_true(i5, origin=1) [p2] {
    p2 = new_with_vtable(descr=Box)
    setfield_gc(p2, i4, descr=Box.value)
}
jump(i4, descr=Body)
"""
SWAPS = """
[i0, i1]
i2 = int_add(i0, i1)
i3 = int_lt(i2, 1000)
guard_true(i3) [i0, i1]
jump(i1, i2)
"""
SWAPPED = """
[i0, i1]
i2 = int_add(i0, i1)
i3 = int_lt(i2, 1000)
guard_true(i3, origin=0) [i0, i1]
label(i1, i2, descr=Body)
i4 = int_add(i1, i2)
i5 = int_lt(i4, 1000)
guard_true(i5, origin=0) [i1, i2]
jump(i2, i4, descr=Body)
"""
CALLS = """
[i0]
i1 = call_loopinvariant_i(ConstClass(f), descr=invariant)
guard_no_exception() [i0]
i2 = int_add(i0, i1)
i3 = int_lt(i2, 1000)
guard_true(i3) [i2]
escape_n(i2)
guard_no_exception() [i2]
jump(i2)
"""
CALLED_ONCE = """
[i0]
i1 = call_i(ConstClass(f), descr=invariant)
guard_no_exception(origin=0) [i0]
i2 = int_add(i0, i1)
i3 = int_lt(i2, 1000)
guard_true(i3, origin=1) [i2]
escape_n(i2)
guard_no_exception(origin=2) [i2]
label(i2, i1, descr=Body)
i4 = int_add(i2, i1)
i5 = int_lt(i4, 1000)
guard_true(i5, origin=1) [i4]
escape_n(i4)
guard_no_exception(origin=2) [i4]
jump(i4, i1, descr=Body)
"""
HASHES = """
[i0, i1]
i2 = call_pure_i(ConstClass(hash), i1, descr=hash)
guard_no_exception() [i0]
i3 = int_add(i0, i2)
i4 = int_lt(i3, 1000)
guard_true(i4) [i3]
jump(i3, i1)
"""
HASHED_ONCE = """
[i0, i1]
i2 = call_i(ConstClass(hash), i1, descr=hash)
guard_no_exception(origin=0) [i0]
i3 = int_add(i0, i2)
i4 = int_lt(i3, 1000)
guard_true(i4, origin=1) [i3]
label(i3, i1, i2, descr=Body)
i5 = int_add(i3, i2)
i6 = int_lt(i5, 1000)
guard_true(i6, origin=1) [i5]
jump(i5, i1, i2, descr=Body)
"""
RAISES = """
[i0]
guard_no_exception() [i0]
call_n(ConstClass(f), i0, descr=work)
jump(i0)
"""
RAISED = """
[i0]
guard_no_exception(origin=0) [i0]
call_n(ConstClass(f), i0, descr=work)
label(i0, descr=Body)
guard_no_exception(origin=0) [i0]
call_n(ConstClass(f), i0, descr=work)
jump(i0, descr=Body)
"""
INVARIANT_GUARD = """
[p0, i0, i1]
guard_nonnull(p0) [i0]
i2 = int_lt(i1, 10)
guard_true(i2) [i0, i1]
i3 = getfield_gc_i(p0, descr=Node.value)
i4 = int_add(i0, i3)
escape_n(i4)
guard_no_exception() [i4]
jump(p0, i4, i1)
"""
GUARDED_ONCE = """
[p0, i0, i1]
guard_nonnull(p0, origin=0) [i0]
i2 = int_lt(i1, 10)
guard_true(i2, origin=1) [i0, i1]
i3 = getfield_gc_i(p0, descr=Node.value)
i4 = int_add(i0, i3)
escape_n(i4)
guard_no_exception(origin=2) [i4]
label(p0, i4, descr=Body)
i5 = getfield_gc_i(p0, descr=Node.value)
i6 = int_add(i4, i5)
escape_n(i6)
guard_no_exception(origin=2) [i6]
jump(p0, i6, descr=Body)
"""
WATCHES = """
[i0]
p1 = escape_r(i0)
quasiimmut_field(p1, descr=Node.step)
guard_not_invalidated() [p1]
i2 = getfield_gc_i(p1, descr=Node.step)
jump(i2)
"""
WATCHED_EACH_TIME = """
[i0]
p1 = escape_r(i0)
quasiimmut_field(p1, descr=Node.step)
guard_not_invalidated(origin=0) [p1]
i2 = getfield_gc_i(p1, descr=Node.step)
label(i2, descr=Body)
p3 = escape_r(i2)
quasiimmut_field(p3, descr=Node.step)
guard_not_invalidated(origin=0) [p3]
i4 = getfield_gc_i(p3, descr=Node.step)
jump(i4, descr=Body)
"""
RIGHT = {
    "an object that is watched": (WATCHES, WATCHED_EACH_TIME),
    "a load": (ADDS, LOADED_ONCE),
    "a store forwarded": (STORES, FORWARDED),
    "an allocation": (BOXES, UNBOXED),
    "values that change places": (SWAPS, SWAPPED),
    "a loop-invariant call": (CALLS, CALLED_ONCE),
    "a call of a function": (HASHES, HASHED_ONCE),
    "an exception at the head": (RAISES, RAISED),
    "guards": (INVARIANT_GUARD, GUARDED_ONCE),
}


def edited(after: str, old: str, new: str) -> str:
    assert after.count(old) == 1, old
    return after.replace(old, new)


WRONG = {
    "NULL is watched": (WATCHES, edited(WATCHED_EACH_TIME, "quasiimmut_field(p3,", "quasiimmut_field(NULL,")),
    "a load moved over a store": (
        STORES,
        FORWARDED.replace("p0, i2, descr=Body", "p0, i2, i1, descr=Body")
        .replace("int_add(i2, i2)", "int_add(i2, i1)")
        .replace("p0, i4, descr=Body", "p0, i4, i1, descr=Body"),
    ),
    "a load moved over an event": (
        INVARIANT_GUARD,
        edited(
            edited(GUARDED_ONCE, "i5 = getfield_gc_i(p0, descr=Node.value)\n", ""), "int_add(i4, i5)", "int_add(i4, i3)"
        )
        .replace("p0, i4, descr=Body", "p0, i4, i3, descr=Body")
        .replace("p0, i6, descr=Body", "p0, i6, i3, descr=Body"),
    ),
    "a guard moved out that may fail later": (ADDS, edited(LOADED_ONCE, "guard_true(i5, origin=0) [p0, i4]\n", "")),
    "a value of the first iteration in the second": (
        ADDS,
        edited(LOADED_ONCE, "jump(p0, i4, i1,", "jump(p0, i2, i1,"),
    ),
    "failargs of the iteration before": (ADDS, edited(LOADED_ONCE, "origin=0) [p0, i4]", "origin=0) [p0, i2]")),
    "arguments of the label in another order": (SWAPS, edited(SWAPPED, "label(i1, i2,", "label(i2, i1,")),
    "arguments of the jump in another order": (SWAPS, edited(SWAPPED, "jump(i2, i4,", "jump(i4, i2,")),
    "a call moved out": (CALLS.replace("loopinvariant_", ""), CALLED_ONCE),
    "a call made again": (
        CALLS.replace("loopinvariant_i", "i"),
        edited(CALLED_ONCE, "i4 = int_add(i2, i1)", "i4 = int_add(i2, 0)"),
    ),
    "a store dropped": (STORES, edited(FORWARDED, "setfield_gc(p0, i4, descr=Node.step)\n", "")),
    "a store of the iteration before": (
        STORES,
        edited(FORWARDED, "setfield_gc(p0, i4, descr=Node.step)", "setfield_gc(p0, i2, descr=Node.step)"),
    ),
    "another value in an allocation": (
        BOXES,
        edited(UNBOXED, "setfield_gc(p2, i4, descr=Box.value)", "setfield_gc(p2, i2, descr=Box.value)"),
    ),
    "an exception that is not looked for": (
        RAISES,
        RAISED.replace("guard_no_exception(origin=0) [i0]\n", ""),
    ),
    "a guard of the entry dropped": (INVARIANT_GUARD, edited(GUARDED_ONCE, "guard_true(i2, origin=1) [i0, i1]\n", "")),
    "a constant of the first iteration": (SWAPS, edited(SWAPPED, "i4 = int_add(i1, i2)", "i4 = int_add(i1, 1)")),
}
