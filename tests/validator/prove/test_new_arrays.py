"""Memory of new arrays: their items are not written, all else is 0 or NULL."""

from __future__ import annotations

import pytest

from optimizer.ir.text import parse
from validator import Options, Proved, validate

LOADS = (
    ("i1 = getfield_gc_i(p1, descr=Some.field)", True),
    ("i1 = getarrayitem_gc_i(p1, 0, descr=Others)", True),
    ("i1 = getarrayitem_gc_i(p1, 0, descr=Items)", False),
)


def is_proved(before: str, after: str) -> bool:
    verdict = validate(parse(f"[p0, i0]\n{before}"), parse(f"[p0, i0]\n{after}"), Options(audit=True))
    if not isinstance(verdict, Proved):
        return False
    assert verdict.evidence.audit is not None
    assert not verdict.evidence.audit.unsettled
    return True


@pytest.mark.parametrize(("load", "is_cleared"), LOADS)
@pytest.mark.parametrize("seen", ["", "setfield_gc(p0, p1, descr=Some.array)\n"])
def test_what_an_array_has_beside_its_items_is_cleared(load: str, seen: str, *, is_cleared: bool) -> None:
    made = f"p1 = new_array(2, descr=Items)\n{seen}"
    assert is_proved(f"{made}finish(0)", f"{made}{load}\nfinish(i1)") is is_cleared
    assert not is_proved(f"{made}finish(1)", f"{made}{load}\nfinish(i1)")


@pytest.mark.parametrize(("load", "is_cleared"), LOADS)
def test_an_event_may_write_it(load: str, *, is_cleared: bool) -> None:
    made = f"p1 = new_array(2, descr=Items)\n{'' if is_cleared else 'setarrayitem_gc(p1, 0, 0, descr=Items)'}\n"
    event = "escape_n(p1)\n"
    assert not is_proved(f"{made}{event}finish(0)", f"{made}{event}{load}\nfinish(i1)")
    assert is_proved(f"{made}{event}{load}\nfinish(i1)", f"{made}{event}{load}\nfinish(i1)")


def test_a_string_holds_no_references() -> None:
    load = "p2 = getarrayitem_gc_r(p1, 0, descr=References)"
    assert is_proved("p1 = newstr(2)\nfinish(NULL)", f"p1 = newstr(2)\n{load}\nfinish(p2)")
    assert not is_proved("p1 = newstr(2)\nfinish(0)", "p1 = newstr(2)\ni2 = strgetitem(p1, 0)\nfinish(i2)")
