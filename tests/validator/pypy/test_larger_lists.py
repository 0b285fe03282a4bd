"""Lists that RPython makes larger: which arrays that touches, their items tell."""

from __future__ import annotations

import pytest

from tests.pypy_logs import bridge, judged, recorded
from validator import Proved, Refuted
from validator.pypy.judge import Judged

RESIZE = "_ll_list_resize_hint_really_look_inside_iff__listPtr_Signed_Bool"
DESCR = "<Callv 0 rii EF=5>"
ITEMS = "getfield_gc_r(p0, descr=<FieldP list.items 16>)"
INTS, REFS = "<ArrayS 8>", "<ArrayP 8>"
STORE = "setarrayitem_gc(p1, 0, p2, descr={})"


def grown(*behind: str, items: str = INTS, array: str = REFS, function: str = RESIZE, known: bool = True) -> str:
    """A pair that stores to an array and makes a list with such items larger; the optimizer has these behind that."""
    told = (
        f"p3 = {ITEMS}",
        f"i4 = arraylen_gc(p3, descr={items})" if known else "i4 = int_add(i5, 1)",
        "i6 = int_lt(i4, 7)",
    )
    call = f"cond_call(i6, ConstClass({function}), p0, i5, 1, descr={DESCR})"
    store, end = STORE.format(array), "finish(p3)"
    before = recorded("[p0, p1, p2, i5]", store, *told, call, end)
    return before + bridge("[p0, p1, p2, i5]", *(f"+1: {one}" for one in (*told, call, *behind, end)))


def is_proved(one: Judged) -> bool:
    return isinstance(one.verdict, Proved)


@pytest.mark.parametrize(("items", "array"), [(INTS, REFS), (REFS, INTS), ("<ArrayU 1>", REFS), ("<ArrayF 8>", REFS)])
def test_an_item_of_another_array_is_stored_behind_it(items: str, array: str) -> None:
    value = "7" if array == INTS else "p2"
    store = STORE.format(array)
    (one,) = judged(grown(store, items=items, array=array).replace("0, p2", f"0, {value}"))
    assert is_proved(one)
    (wrong,) = judged(grown(items=items, array=array).replace("0, p2", f"0, {value}"))
    assert not is_proved(wrong)


@pytest.mark.parametrize(
    "changes",
    [{"items": REFS}, {"known": False}, {"function": "keep"}, {"function": f"{RESIZE}_again"}, {"items": "<ArrayX 8>"}],
)
def test_arrays_that_it_may_touch_are_written_in_front(changes: dict[str, str]) -> None:
    (one,) = judged(grown(STORE.format(REFS), **changes))  # type: ignore[arg-type]  # one of the keywords
    assert not is_proved(one)
    assert not isinstance(one.verdict, Refuted)


@pytest.mark.parametrize("items", [INTS, REFS])
def test_items_that_are_copied_and_nowhere_accessed_are_its_own(items: str) -> None:
    copy = "call_n(ConstClass(ll_arraycopy), p1, p3, 0, 0, i5, descr=<Callv 0 rriii EF=2 OS=1>)"
    told = (f"p3 = {ITEMS}", f"i4 = arraylen_gc(p3, descr={items})", "i6 = int_lt(i4, 7)")
    call = f"cond_call(i6, ConstClass({RESIZE}), p0, i5, 1, descr={DESCR})"

    def made(*lines: str) -> Judged:
        ended = (*told, *lines, "finish(p3)")
        before = recorded("[p0, p1, i5]", *told, copy, call, "finish(p3)")
        return judged(before + bridge("[p0, p1, i5]", *(f"+1: {one}" for one in ended)))[0]

    assert is_proved(made(copy, call))
    assert not is_proved(made(call, copy))


@pytest.mark.parametrize(("items", "is_index"), [("<ArrayU 8>", True), (INTS, False)])
def test_functions_on_dicts_have_copied_items_in_front_of_them(items: str, *, is_index: bool) -> None:
    """Their index is of unsigned numbers."""
    field = "<FieldS pypy.objspace.std.unicodeobject.W_UnicodeObject.inst__length 16 pure>"
    name = "_ll_dict_setitem_lookup_done_trampoline__v1707___simple_call__function_"
    told = (f"i7 = getfield_gc_i(p0, descr={field})", f"i4 = arraylen_gc(p1, descr={items})")
    copy = "call_n(ConstClass(ll_arraycopy), p1, p3, 0, 0, i5, descr=<Callv 0 rriii EF=2 OS=1>)"
    call = f"call_n(ConstClass({name}), p0, p3, descr=<Callv 0 rr EF=5>)"
    guard, end = "guard_no_exception({})", "finish(i7, i4)"

    def made(*lines: str) -> Judged:
        ended = (*told, *lines, f"{guard.format('descr=<Guard0x7f20>')} []", end)
        before = recorded("[p0, p1, p3, i5]", *told, copy, call, guard.format(""), end)
        return judged(before + bridge("[p0, p1, p3, i5]", *(f"+1: {one}" for one in ended)))[0]

    assert is_proved(made(copy, call))
    assert is_proved(made(call, copy)) is not is_index


def test_a_new_list_that_is_made_larger_in_any_case() -> None:
    told = ("p6 = new_array(4, descr=<ArrayS 8>)", "p7 = new(descr=<SizeDescr 24>)")
    stores = ("setfield_gc(p7, {}, descr=<FieldS list.length 8>)", "setfield_gc(p7, p6, descr=<FieldP list.items 16>)")
    call = f"({{}}ConstClass({RESIZE}), p7, 5, 1, descr={DESCR})"
    test = ("i4 = int_mul(2, 2)", "i8 = arraylen_gc(p6, descr=<ArrayS 8>)", "i9 = int_lt(i8, 5)")

    def made(length: str, *lines: str) -> tuple[str, ...]:
        return (*lines, *told, stores[0].format(length), stores[1])

    before = recorded("[p0]", *made("i4", *test[:1]), *test[1:], f"cond_call{call.format('i9, ')}", "finish()")
    after = (line.replace("p7", "p2") for line in (*made("4"), f"call_n{call.format('')}", "finish()"))
    (one,) = judged(before + bridge("[p0]", *(f"+1: {line}" for line in after)))
    assert is_proved(one)


@pytest.mark.parametrize(("items", "is_kept"), [(REFS, True), (INTS, False), ("<ArrayF 8>", True)])
def test_a_list_with_another_array_stays_as_it_is(items: str, *, is_kept: bool) -> None:
    """Other pairs of the log make lists of its kind larger: so nothing is inferred of the function."""
    length = "getfield_gc_i(p7, descr=<FieldS list.length 8>)"
    other = ("p8 = getfield_gc_r(p7, descr=<FieldP list.items 16>)", f"i9 = arraylen_gc(p8, descr={INTS})")
    call = f"cond_call(i6, ConstClass({RESIZE}), {{}}, i5, 1, descr={DESCR})".format
    told = (f"p3 = {ITEMS}", f"i4 = arraylen_gc(p3, descr={items})", *other, "i6 = int_lt(i4, i9)", f"i10 = {length}")
    inputs, again = "[p0, i5, p7]", f"i11 = {length}"
    before = recorded(inputs, *told, call("p0"), again, "finish(i11)")
    pair = before + bridge(inputs, *(f"+1: {one}" for one in (*told, call("p0"), "finish(i10)")))
    same = (*told, call("p7"), again, "finish(i11)")
    one, _ = judged(pair + recorded(inputs, *same) + bridge(inputs, *(f"+1: {line}" for line in same)))
    assert is_proved(one) is is_kept, one.verdict
    assert one.texts is not None
    assert not any("list.length" in what for what in one.texts.assumes)
