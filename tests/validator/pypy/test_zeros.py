"""Constants that hold 0: which ones is inferred of places of the program."""

from __future__ import annotations

import pytest

from tests.pypy_logs import BOX, bridge, judged, judged_last, judged_together, recorded
from validator import Proved
from validator.pypy.judge import Judged

POINT = "debug_merge_point(0, 0, 'f;a.py:4-{line}~#16 BINARY_ADD')"
ASSUMED = "the constant that is operand {} of the addition at f;a.py:4-9~#16 BINARY_ADD holds 0"


def added(*left: str, line: int = 9, operands: str = "i3, i1", where: str = "p2, ConstPtr(ptr1)") -> str:
    """A pair that adds the number in a constant, which it has put into a new object; what the optimizer has `left` of
    that gives the last result."""
    into, constant = where.split(", ")
    before = (
        f"i1 = getfield_gc_i(p0, descr={BOX})",
        "p2 = new_with_vtable(descr=<SizeDescr 24>)",
        f"setfield_gc({into}, {constant}, descr=<FieldP Cell.inst_w_value 8>)",
        "p4 = getfield_gc_r(p2, descr=<FieldP Cell.inst_w_value 8>)",
        "guard_class(p4, ConstClass(W_IntObject))",
        f"i3 = getfield_gc_i(p4, descr={BOX})",
        f"i5 = int_add_ovf({operands})",
        "guard_no_overflow()",
        "finish(i5)",
    )
    end = left[-1].partition(" =")[0] if left else "i1"
    kept = ("guard_no_overflow(descr=<Guard0x11>) [p0]",) if left and "ovf" in left[-1] else ()
    after = (f"i1 = getfield_gc_i(p0, descr={BOX})", *left, *kept, f"finish({end})")
    point = POINT.format(line=line)
    return recorded("[p0, p9]", point, *before) + bridge("[p0, p9]", point, *(f"+1: {one}" for one in after))


def is_proved(one: Judged) -> bool:
    return isinstance(one.verdict, Proved)


@pytest.mark.parametrize(("operand", "operands"), [(0, "i3, i1"), (1, "i1, i3")])
def test_two_pairs_say_that_a_constant_holds_0(operand: int, operands: str) -> None:
    first, second = judged(added(operands=operands) * 2)
    assert is_proved(first)
    assert is_proved(second)
    assert first.texts is not None
    assert ASSUMED.format(operand) in first.texts.assumes


def test_one_pair_alone_would_say_of_itself_that_it_is_right() -> None:
    (one,) = judged(added())
    assert not is_proved(one)


@pytest.mark.parametrize("kept", ["i5 = int_add_ovf(i1, 1)", "i5 = int_add(i1, 1)"])
def test_an_addition_that_stays_at_the_place_contradicts_it(kept: str) -> None:
    assert not any(map(is_proved, judged(added() * 2 + added(kept))))


def test_what_is_left_of_another_operation_is_not_proved() -> None:
    *right, wrong = judged(added() * 2 + added("i5 = int_sub(i1, 1)"))
    assert all(map(is_proved, right))
    assert not is_proved(wrong)


@pytest.mark.parametrize("other", [{"line": 8}, {"operands": "i1, i3"}])
def test_another_place_has_a_constant_of_its_own(other: dict[str, str]) -> None:
    *right, wrong = judged(added() * 2 + added(**other))  # type: ignore[arg-type]  # one of the keywords
    assert all(map(is_proved, right))
    assert not is_proved(wrong)


@pytest.mark.parametrize(
    ("code", "is_one"),
    [("f;<builtin>/a.py", True), ("<lambda>;a.py", False), ("<genexpr>;a.py", False), ("__init__;<string>", False)],
)
def test_codes_that_share_their_places_may_have_other_constants(code: str, is_one: bool) -> None:
    assert all(is_proved(one) is is_one for one in judged((added() * 2).replace("f;a.py", code)))


@pytest.mark.parametrize("where", ["p9, ConstPtr(ptr1)", "p2, p9"])
def test_what_is_no_constant_may_hold_any_number(where: str) -> None:
    assert not any(map(is_proved, judged(added(where=where) * 2)))
    assert not is_proved(judged(added() * 2 + added(where=where))[-1])


LOAD = "i1 = getfield_gc_i(p0, descr=<FieldS Counter.inst_count 8>)"
KNOWN = "guard_value(i1, 7{})".format


def plain(recorded_guard: str, guard: str, *ends: str) -> str:
    """A pair that adds the number in a constant, of which the optimizer has left no addition, with these ends."""
    constant = f"i3 = getfield_gc_i(ConstPtr(ptr1), descr={BOX})"
    before = (LOAD, recorded_guard, constant, "i5 = int_add(i3, i1)", ends[0])
    after = ("[p0]", POINT.format(line=9), *(f"+1: {line}" for line in (LOAD, guard, ends[1])))
    return recorded("[p0]", POINT.format(line=9), *before) + bridge(*after)


@pytest.mark.parametrize(
    ("gone", "wrong"),
    [
        (("finish(i1)", "finish(i1)"), ("finish(i5)", "finish(i1)")),  # nobody needs the sum
        (("finish(i5)", "finish(12)"), ("finish(i5)", "finish(7)")),  # both numbers are known
    ],
)
def test_a_sum_that_is_gone_for_another_reason_says_nothing(gone: tuple[str, str], wrong: tuple[str, str]) -> None:
    guards = KNOWN(""), KNOWN(", descr=<Guard0x11>") + " [p0]"
    last = judged_last(plain(*guards, *gone) * 2 + plain(*guards, *wrong))
    assert not is_proved(last)


def test_other_processes_have_other_constants() -> None:
    assert not any(is_proved(one) for log in judged_together(added(), added(line=8)) for one in log)
    (one,), (other,) = judged_together(added(), added())
    assert not is_proved(one)
    assert not is_proved(other)


def added_twice(*lines: int) -> str:
    """A pair that adds the numbers in two constants at these lines of the program; the optimizer adds none."""
    tell, end = "call_n(ConstClass(tell), {}, descr=<Callv 0 i EF=5>)".format, "finish(i1)"
    before, after = [LOAD], [LOAD]
    for at, line in enumerate(lines, start=2):
        constant = f"i{at} = getfield_gc_i(ConstPtr(ptr{at}), descr={BOX})"
        before += [POINT.format(line=line), constant, f"i{at}0 = int_add(i{at}, i1)", tell(f"i{at}0")]
        after += [POINT.format(line=line), tell("i1")]
    return recorded("[p0]", *before, end) + bridge("[p0]", *(f"+1: {one}" for one in (*after, end)))


def test_the_places_of_a_trace_are_not_those_of_an_equal_one() -> None:
    *right, wrong = judged(added_twice(9, 8) * 2 + added_twice(9, 7))
    assert all(map(is_proved, right))
    assert not is_proved(wrong)
