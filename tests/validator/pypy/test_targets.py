"""Whoever comes to the label of a loop vouches for what memory holds there: it has that in hand, or its parents had, or
it was so at the label, and nobody has written there since."""

from __future__ import annotations

import pytest

from tests.pypy_logs import pairs_of
from tests.validator.pypy.test_parents import VALUE, pair, without_blanks
from validator.pypy.printed.lines import Line
from validator.pypy.printed.targets import Targets

LABEL = Line(None, "label", ("p0", "i2"), "1")
WRITES, READS = (f"call_n(ConstClass({name}), p0, descr=<Callv 0 r EF=5>)" for name in ("writes", "reads"))
STORES = f"setfield_gc(p0, i1, descr={VALUE})"


def may_change(*bridges: str, preamble: str = "", body: str = "", value: str = "i2") -> bool:
    """May a field that the preamble stores to hold something else at its label, where these bridges come there?"""
    log = pair(
        "[p0, i1]\njump(p0, i1, descr=<Loop-1>)",
        without_blanks(f"""
            [p0, i1]
            label(p0, i1, descr=TargetToken(140))
            {preamble}
            guard_true(i1, descr=<Guard0x7f00>) [p0, i1]
            i2 = int_add(i1, 1)
            setfield_gc(p0, i2, descr={VALUE})
            label(p0, i2, descr=TargetToken(141))
            {body}
            guard_true(i2, descr=<Guard0x7f01>) [p0, i2]
            setfield_gc(p0, i2, descr={VALUE})
            jump(p0, i2, descr=TargetToken(141))"""),
    )
    targets = Targets()
    for item in pairs_of(log + "".join(bridges)):
        targets.add(item, "log")
    function = Line(None, "call_n", ("ConstClass(reads)",), "<Callv 0 r EF=5>").function
    return targets.comers.may_change(LABEL, (VALUE, "p0"), value, lambda called, _: called == function)


def bridge(guard: str, *lines: str, jump: str | None = "p0, i1") -> str:
    end = "finish(i1)" if jump is None else "jump({}, descr={})"
    recorded, optimized = (end.format(jump, target) for target in ("<Loop-1>", "TargetToken(141)"))
    return pair(f"[p0, i1]\n{recorded}", "\n".join(["[p0, i1]", *lines, optimized]), guard)


@pytest.mark.parametrize(
    ("lines", "jump", "changes"),
    [
        ((STORES,), "p0, i1", False),
        ((STORES,), "p0, 7", True),
        ((STORES, READS), "p0, i1", False),
        ((STORES, WRITES), "p0, i1", True),
        ((WRITES, STORES), "p0, i1", False),
        ((STORES, f"setfield_gc(p0, 7, descr={VALUE})"), "p0, i1", True),
        ((f"i3 = getfield_gc_i(p0, descr={VALUE})",), "p0, i3", False),
        ((f"i3 = getfield_gc_i(p0, descr={VALUE})", "guard_value(i3, 7, descr=<Guard0x7f09>) []"), "p0, 7", False),
        ((), "p0, i1", True),
    ],
)
def test_a_bridge_has_it_in_hand(lines: tuple[str, ...], jump: str, *, changes: bool) -> None:
    assert may_change(bridge("7f00", *lines, jump=jump)) is changes


@pytest.mark.parametrize(
    ("parent", "own", "jump", "changes"),
    [
        ((STORES, "{}"), (), "p0, i1", False),
        ((WRITES, STORES, READS, "{}"), (READS,), "p0, i1", False),
        ((STORES, WRITES, "{}"), (), "p0, i1", True),
        ((STORES, "{}"), (WRITES,), "p0, i1", True),
        ((STORES, "{}"), (), "p0, 7", True),
        (("{}", STORES), (), "p0, i1", True),
    ],
)
def test_its_parent_has_had_it(parent: tuple[str, ...], own: tuple[str, ...], jump: str, *, changes: bool) -> None:
    guard = "guard_true(i1, descr=<Guard0x7f20>) [p0, i1]"
    first = bridge("7f00", *(line.format(guard) for line in parent), jump=None)
    assert may_change(first, bridge("7f20", *own, jump=jump)) is changes


@pytest.mark.parametrize(
    ("guard", "lines", "jump", "changes"),
    [
        ("7f01", (), "p0, i1", False),
        ("7f01", (READS,), "p0, i1", False),
        ("7f01", (WRITES,), "p0, i1", True),
        ("7f01", (), "p0, 7", True),
        ("7f00", (), "p0, i1", True),
        ("7f99", (), "p0, i1", True),
    ],
)
def test_it_was_so_at_the_label(guard: str, lines: tuple[str, ...], jump: str, *, changes: bool) -> None:
    assert may_change(bridge(guard, *lines, jump=jump), preamble=WRITES) is changes


def test_what_was_so_at_another_label_is_not_known() -> None:
    other = pair(
        "[p0, i2]\njump(p0, i2, descr=<Loop-1>)",
        without_blanks(f"""
            [p0, i2]
            label(p0, i2, descr=TargetToken(150))
            setfield_gc(p0, i2, descr={VALUE})
            label(p0, i2, descr=TargetToken(151))
            guard_true(i2, descr=<Guard0x7f31>) [p0, i2]
            jump(p0, i2, descr=TargetToken(151))"""),
    )
    assert may_change(other, bridge("7f31"))


def test_what_a_bridge_has_computed_itself_was_not_at_the_label() -> None:
    assert may_change(bridge("7f01", "i2 = int_add(i1, 1)", jump="p0, i2"))


def test_the_body_has_written_there_in_front_of_the_guard() -> None:
    assert may_change(bridge("7f01"), body=WRITES)
    assert may_change(bridge("7f01"), body=f"setfield_gc(p0, 7, descr={VALUE})")
    assert not may_change(bridge("7f01"), body=f"setfield_gc(p0, i2, descr={VALUE})")


def test_each_of_them_has_to_vouch() -> None:
    assert may_change(bridge("7f00", STORES), bridge("7f00"))
    assert not may_change()


def test_a_value_that_the_label_does_not_take_nobody_hands_over() -> None:
    assert may_change(bridge("7f00", STORES), value="i1")
