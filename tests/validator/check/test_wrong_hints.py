"""Hints that are wrong, or none at all: the checker does not accept more because of them."""

from __future__ import annotations

import pytest

from optimizer.ir.text import parse
from validator.check.certificate import Certificate
from validator.check.checker import Checked, check
from validator.check.universe import OWN

BOTH = "p1 = new(descr=A)\np2 = new(descr=A)\n"


@pytest.mark.parametrize("number", [-1, -2, OWN - 1, OWN, OWN + 1, (1 << 64) - 1, -(1 << 64) - 1])
@pytest.mark.parametrize("mine", [(0,), (1,), (0, 1)])
def test_partners_that_are_no_operations(mine: tuple[int, ...], number: int) -> None:
    """Two allocations of one trace stay two, and none becomes an object that was there before."""
    wrong = Certificate(partners=tuple((one, number) for one in mine))
    for inputs, two in (("[]", "p1, p2"), ("[p0]", "p0, p1"), ("[p0]", "p0, p2"), ("[p0]", "NULL, p1")):
        before = parse(f"{inputs}\nfinish(1)\n")
        after = parse(f"{inputs}\n{BOTH}i3 = ptr_eq({two})\nfinish(i3)\n")
        assert not isinstance(check(before, after, wrong), Checked), two


def test_an_allocation_is_not_taken_for_two() -> None:
    before = parse(f"[]\n{BOTH}finish(p1, p2)\n")
    for partners in (((0, 0), (0, 1)), ((0, 1), (0, 0)), ((0, 0),)):
        assert not isinstance(
            check(before, parse("[]\np1 = new(descr=A)\nfinish(p1, p1)\n"), Certificate((), partners)), Checked
        )


def test_equalities_that_do_not_hold() -> None:
    before, after = parse("[i0, i1]\ni2 = int_add(i0, i1)\nfinish(i2)\n"), parse("[i0, i1]\nfinish(i0)\n")
    for trace, var, other in (
        ("before", "i2", "i0"),
        ("after", "i0", "i2"),
        ("before", "i0", 0),
        ("before", "i2", "i9"),
    ):
        assert not isinstance(check(before, after, Certificate(equal=((trace, var, other),))), Checked)


CLASSES = """\
+++
[struct.Point]
fields = { x = "int" }

[struct.Small]
parent = "Point"

[struct.Large]
parent = "Point"
+++
"""


@pytest.mark.parametrize("kind", ["Point", "Small"])
@pytest.mark.parametrize("end", ["p2", "i3"])
def test_a_field_is_that_of_all_classes_that_inherit_it(kind: str, end: str) -> None:
    """Whichever of them a descr names last."""
    body = f"[p0]\np2 = new_with_vtable(descr={kind})\nsetfield_gc(p2, 5, descr={kind}.x)\n"
    body += f"i3 = getfield_gc_i(p2, descr={kind}.x)\ni4 = getfield_gc_i(p0, descr=Large.x)\nfinish({end})\n"
    before, partners = parse(CLASSES + body), Certificate(partners=((0, 0),))
    assert isinstance(check(before, parse(CLASSES + body), partners), Checked)
    assert not isinstance(check(before, parse(CLASSES + body.replace("5", "6")), partners), Checked)
