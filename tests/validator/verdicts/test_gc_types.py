"""Numbers of types: arrays are declared to have one, and what is concluded from a guard on it."""

from __future__ import annotations

import pytest
from pairs import refuted

from optimizer.ir.text import parse
from validator import Options, validate
from validator.check.certificate import Certificate
from validator.check.checker import Checked, check
from validator.verdict import Guards, Proved

DECLARED = '[array.Refs]\nitem = "ref"\ngc_type = 832\n[array.Ints]\nitem = "int"\n'
BEFORE = "guard_nonnull(p1) []\nguard_nonnull(p2) []\nguard_false(i0) []\nfinish(7)\n"
LENGTH = "i3 = arraylen_gc(p1, descr=Refs)"


def text(body: str, declared: str = DECLARED) -> str:
    return f"+++\n{declared}+++\n[i0, p1, p2]\n{body}"


def is_proved(*lines: str, declared: str = DECLARED) -> bool:
    """Is a trace right that does this behind the guards on NULL, and may leave there where it likes to? The checker
    says so, too."""
    begin, end = BEFORE.split("guard_false")
    texts = BEFORE, begin + "".join(f"{line}\n" for line in lines) + "guard_false" + end
    before, after = (parse(text(body, declared)) for body in texts)
    verdict = validate(before, after, Options(guards=Guards.SAFE))
    certificate = Certificate((0, 1, *[2] * (len(after.guards) - 2)))
    is_checked = isinstance(check(before, after, certificate, Guards.SAFE), Checked)
    assert is_checked == isinstance(verdict, Proved)
    assert not is_checked or verdict.evidence.vacuous == ()
    return is_checked


def test_what_has_the_number_is_such_an_array() -> None:
    assert is_proved("guard_gc_type(p1, 832) []", LENGTH)


@pytest.mark.parametrize(
    ("guard", "use", "declared"),
    [
        ("guard_gc_type(p1, 832) []", LENGTH, DECLARED.replace("gc_type = 832\n", "")),
        ("guard_gc_type(p1, 832) []", LENGTH, DECLARED.replace("832", "833")),
        ("guard_gc_type(p1, 831) []", LENGTH, DECLARED),
        ("guard_gc_type(p2, 832) []", LENGTH, DECLARED),
        ("guard_gc_type(p1, 832) []", LENGTH.replace("Refs", "Ints"), DECLARED),
    ],
)
def test_nothing_else_is(guard: str, use: str, declared: str) -> None:
    assert is_proved("i9 = same_as_i(0)", declared=declared)
    assert not is_proved(guard, use, declared=declared)


def test_arrays_of_one_type_may_have_several_numbers() -> None:
    """Nothing behind two guards on them is left out as impossible."""
    both = "i3 = arraylen_gc(p1, descr=Refs)\ni4 = arraylen_gc(p2, descr=Refs)\n"
    guards = "guard_gc_type(p1, 832) []\nguard_gc_type(p2, 900) []\n"
    before, after = (text(BEFORE.replace("finish(7)", f"{both}{guards}finish({n})")) for n in (7, 8))
    assert not isinstance(validate(parse(before), parse(after)), Proved)


def test_one_number_is_not_another() -> None:
    one, other = (parse(text(f"guard_gc_type(p1, {n}) []\nfinish()\n")) for n in (832, 833))
    assert not isinstance(check(one, other, Certificate((0,))), Checked)
    assert isinstance(check(one, one, Certificate((0,))), Checked)


def test_a_run_shows_what_is_wrong_behind_the_guard() -> None:
    before, after = (text(f"guard_nonnull(p1) []\nguard_gc_type(p1, 832) []\nfinish({n})\n") for n in (7, 8))
    shown = refuted(before, after).counterexample
    assert shown.state.world.gc_types == (("Refs", 832),)
