"""Targets of jumps: those that are told apart are compared, and of all others the verdict says what it assumes."""

from __future__ import annotations

import pytest
from pairs import proved, refuted

ASSUMED = ("targets of jumps correspond",)


def trace(label: str, target: str, op: str = "i1 = int_add(i0, 0)") -> str:
    front = f"label(i0, descr={label})\n" if label else ""
    descr = f", descr={target}" if target else ""
    return f"[i0]\n{front}{op}\njump(i1{descr})\n"


@pytest.mark.parametrize(
    ("before", "after", "assumes"),
    [
        (("", ""), ("", ""), ()),
        (("", "T"), ("", "T"), ()),
        (("", "T"), ("", "U"), ASSUMED),
        (("", "T"), ("", ""), ASSUMED),
        (("", ""), ("", "T"), ASSUMED),
        (("T", "T"), ("T", "T"), ()),
        (("T", "T"), ("U", "U"), ()),
        (("T", "T"), ("T", ""), ()),
        (("T", "T"), ("", "T"), ()),
        (("T", "T"), ("", ""), ()),
        (("T", "T"), ("", "U"), ASSUMED),
        (("T", "T"), ("U", "T"), ()),
        (("T", "T"), ("U", "V"), ASSUMED),
        (("T", "U"), ("T", "U"), ()),
        (("T", "U"), ("T", "V"), ASSUMED),
    ],
)
def test_targets_that_may_be_the_same(
    before: tuple[str, str], after: tuple[str, str], assumes: tuple[str, ...]
) -> None:
    assert proved(trace(*before), trace(*after, "i1 = same_as_i(i0)")).evidence.assumes == assumes


@pytest.mark.parametrize(
    ("before", "after"), [(("T", "T"), ("T", "U")), (("T", "U"), ("T", "T")), (("T", ""), ("T", "U"))]
)
def test_the_start_is_no_other_target(before: tuple[str, str], after: tuple[str, str]) -> None:
    found = refuted(trace(*before), trace(*after, "i1 = same_as_i(i0)"), "end: target")
    there, here = before[1] or "T", after[1]
    assert found.counterexample.difference == f"the recorded trace jumps to {there}, the optimized one to {here}"


def test_a_jump_that_is_never_made_goes_anywhere() -> None:
    ends = "i1 = int_add(i0, 0)\ni2 = int_lt(i0, i0)\nguard_true(i2) [i0]"
    assert proved(trace("T", "T", ends), trace("T", "U", ends)).evidence.vacuous


def test_an_end_that_does_not_jump_has_no_target() -> None:
    assert proved("[i0]\nfinish(i0)\n", "[i0]\nfinish(i0)\n").evidence.assumes == ()
