"""The objects that exit blocks make, and which objects of the recorded trace they are."""

from __future__ import annotations

import pytest

from optimizer.ir.text import parse
from optimizer.ir.trace import Trace, exit_of
from tests.validator.pypy.test_exits import NEXT, OTHER, listing, validated
from validator import Options, Proved, Verdict, validate
from validator.prove.judge import OUT_OF_TIME
from validator.pypy.exits import prove_with_exits
from validator.pypy.resume_data import Loop
from validator.verdict import Evidence, Guards, Unknown

VALUE = "<FieldS Node.inst_value 8>"
HEAD = """\
[p0, p1, p9, i1]
i9 = ptr_eq(p0, p1)
record_exact_value_i(i9, 1)
i8 = ptr_eq(p0, p9)
record_exact_value_i(i8, 0)
i3 = int_lt(i1, 5)
i4 = int_lt(i1, 3)
"""


def new(name: str, value: str, to: str, size: int = 24) -> str:
    """A new object, with that value, that is stored to another one."""
    made = f"{name} = new(descr=<SizeDescr {size}>)\nsetfield_gc({name}, {value}, descr={VALUE})\n"
    return f"{made}setfield_gc({to}, {name}, descr={NEXT})\n"


GONE = f"setfield_gc(p0, NULL, descr={NEXT})\nfinish(i1)\n"
RECORDED = f"{HEAD}{new('p2', '6', 'p0')}guard_true(i3)\n{new('p5', '7', 'p1')}guard_true(i4)\n{GONE}"
MORE = f"setfield_gc(p9, NULL, descr={NEXT})\n"
BOTH = f"{new('p6', '6', 'p0')}{new('p7', '7', 'p0')}"
KEPT = f"setfield_gc(p7, p6, descr={OTHER})\n"


def left(*blocks: str) -> str:
    """The optimized trace that leaves at both guards with these blocks."""
    one, other = ("".join(f"    {line}\n" for line in block.splitlines()) for block in blocks)
    return f"{HEAD}guard_true(i3, origin=0) {{\n{one}}}\nguard_true(i4, origin=1) {{\n{other}}}\n{GONE}"


def shown(before: str, after: str) -> Verdict:
    """The verdict with exit blocks that follow from what guards list."""
    return prove_with_exits(parse(before), listing(after), None, Options(guards=Guards.EARLY), validated).verdict


def test_the_latest_store_to_a_place_tells_the_object_by_whatever_name() -> None:
    after = f"{HEAD}guard_true(i3) [p0]\nguard_true(i4) [p0]\n{GONE}"
    assert isinstance(shown(RECORDED, after), Proved)
    for wrong in (after.replace("(i4) [p0]", "(i4) [p9]"), after.replace("NULL", "p9"), after.replace("(i4", "(i3")):
        assert not isinstance(shown(RECORDED, wrong), Proved)


@pytest.mark.parametrize("wrong", [False, True])
def test_what_is_not_settled_in_time_does_not_differ(*, wrong: bool) -> None:
    def hurried(before: Trace, after: Trace, options: Options, loop: Loop) -> Verdict:
        has_blocks = any(exit_of(guard).block for guard in after.guards)
        late = Unknown(Evidence(is_repeatable=False), OUT_OF_TIME)
        return late if has_blocks else validated(before, after, options, loop)

    after = f"{HEAD}guard_true(i3) [p0]\nguard_true(i4) [{'p9' if wrong else 'p0'}]\n{GONE}"
    verdict = prove_with_exits(parse(RECORDED), listing(after), None, Options(guards=Guards.EARLY), hurried).verdict
    assert isinstance(verdict, Unknown)
    assert verdict.reason == OUT_OF_TIME
    assert not verdict.evidence.is_repeatable


@pytest.mark.parametrize("name", ["p0", "p1"])
@pytest.mark.parametrize(
    ("block", "is_right"),
    [
        (new("p6", "7", "p0"), True),
        (BOTH, True),
        (new("p6", "6", "p0"), False),
        (new("p6", "7", "p9"), False),
        (new("p6", "7", "p0", 32), False),
        (new("p6", "7", "p0") + MORE, False),
        (new("p7", "7", "p0") + new("p6", "6", "p0"), False),
        (BOTH + KEPT, False),
    ],
    ids=["right", "both", "value", "place", "kind", "a store too many", "swapped", "a partner that is not there"],
)
def test_a_block_makes_the_object_of_the_latest_store(block: str, name: str, *, is_right: bool) -> None:
    after = left(new("p4", "6", "p0"), block.replace("(p0", f"({name}"))
    assert isinstance(validate(parse(RECORDED), parse(after)), Proved) is is_right


EQUAL = f"""\
[p0, p1, i1]
i3 = int_lt(i1, 5)
i4 = ptr_eq(p0, p1)
{{}}setfield_gc(p0, NULL, descr={NEXT})
setfield_gc(p1, NULL, descr={NEXT})
finish(i1)
"""
IN_ORDER = new("p2", "6", "p0") + new("p3", "7", "p1")
REVERSED = new("p3", "7", "p1") + new("p2", "6", "p0")
LATEST = new("p3", "7", "p0")
OLDER = new("p2", "6", "p0") + new("p3", "6", "p1")


@pytest.mark.parametrize(
    ("question", "at_first", "then", "is_right"),
    [
        ("guard_true(i4)", IN_ORDER, IN_ORDER, True),
        ("guard_true(i4)", IN_ORDER, REVERSED, True),
        ("guard_true(i4)", REVERSED, IN_ORDER, False),
        ("guard_true(i4)", LATEST, IN_ORDER, False),
        ("guard_true(i4)", IN_ORDER, LATEST, False),
        ("guard_true(i4)", IN_ORDER, OLDER, False),
        ("guard_false(i4)", IN_ORDER, LATEST, True),
        ("guard_false(i4)", IN_ORDER, LATEST.replace("p0", "p1"), True),
        ("guard_false(i4)", IN_ORDER, REVERSED, False),
        ("guard_false(i4)", REVERSED, LATEST, False),
        ("guard_false(i4)", OLDER, LATEST, False),
    ],
)
def test_places_are_one_as_far_as_is_known_where_the_guard_fails(
    question: str, at_first: str, then: str, *, is_right: bool
) -> None:
    """What later guards ask, or that this one holds, says nothing of the objects that its block makes."""
    before = EQUAL.format(f"{IN_ORDER}guard_true(i3)\n{question}\n")
    blocks = at_first, then.replace("p2", "p4").replace("p3", "p5")
    one, other = ("".join(f"    {line}\n" for line in block.splitlines()) for block in blocks)
    asked = question.replace(")", ", origin=1)")
    after = EQUAL.format(f"guard_true(i3, origin=0) {{\n{one}}}\n{asked} {{\n{other}}}\n")
    assert isinstance(validate(parse(before), parse(after)), Proved) is is_right


AND, SAME_AND = "i5 = int_and(i1, i6)\n", "i7 = int_or(i1, i6)\ni8 = int_xor(i1, i6)\ni5 = int_sub(i7, i8)\n"
SUM = f"""\
[p0, p1, i1, i6]
i9 = ptr_eq(p0, p1)
guard_false(i9)
p7 = getfield_gc_r(p0, descr={NEXT})
p8 = getfield_gc_r(p1, descr={NEXT})
i3 = int_lt(i1, 5)
"""
LATER = f"setfield_gc(p0, NULL, descr={NEXT})\nguard_nonnull(p7)\nsetfield_gc(p1, NULL, descr={NEXT})\n"
ASKS = "guard_true(i4)\nfinish(i1)\n"


@pytest.mark.parametrize(
    ("later", "is_right"),
    [(LATER, True), (LATER.replace("p1, NULL", "p1, p1"), False), (LATER.replace("p1, NULL", "p0, NULL"), False)],
    ids=["right", "value", "place"],
)
def test_a_guard_seems_to_come_from_one_of_the_same_operation(later: str, *, is_right: bool) -> None:
    """It asks the same in other words than the recorded one, and the guard in front asks something else."""
    is_true = "i4 = int_is_true(i5)\n"
    before = f"{SUM}{new('p2', '6', 'p0')}guard_true(i3)\n{LATER}{AND}{is_true}{ASKS}"
    after = f"{SUM}guard_true(i3) [p0]\n{later}{SAME_AND}{is_true}{ASKS}"
    assert isinstance(shown(before, after), Proved) is is_right


MULTIPLIED = """\
i20 = int_rshift(i1, 63)
i21 = int_xor(i1, i20)
i22 = uint_mul_high(i21, -6148914691236517205)
i23 = uint_rshift(i22, 1)
i24 = int_xor(i23, i20)
i25 = int_mul(i24, 3)
i10 = int_sub(i1, i25)
"""
SIGN = {"open": "", "negative": "i12 = int_lt(i1, -9)\nguard_true(i12)\n", "positive": "guard_true(i3)\n"}


@pytest.mark.parametrize("known", SIGN.values(), ids=SIGN)
@pytest.mark.parametrize(
    ("multiplied", "listed", "is_right"),
    [
        (MULTIPLIED, "p0, i10", True),
        (MULTIPLIED, "p0, i25", False),
        (MULTIPLIED, "p0, i24", False),
        (MULTIPLIED.replace("6517205", "6000000"), "p0, i10", False),
        (MULTIPLIED.replace("i24, 3", "i24, 4"), "p0, i10", False),
    ],
    ids=["right", "product", "quotient", "multiplier", "divisor"],
)
def test_a_remainder_that_is_handed_over_may_be_computed_by_multiplication(
    multiplied: str, listed: str, known: str, *, is_right: bool
) -> None:
    head = SUM.replace("i3 = int_lt(i1, 5)", "i3 = int_lt(-5, i1)")
    end = f"i13 = int_lt(i6, 1)\nguard_true(i13){{}}\nsetfield_gc(p0, NULL, descr={NEXT})\nfinish(i1)\n"
    before = f"{head}{known}i10 = int_py_mod(i1, 3)\n{new('p2', 'i10', 'p0')}{end.format('')}"
    after = f"{head}{known}{multiplied}{end.format(f' [{listed}]')}"
    assert isinstance(shown(before, after), Proved) is is_right
