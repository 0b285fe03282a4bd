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
