"""What fired, of all that could."""

from __future__ import annotations

from fuzz.campaign.coverage import all_coverage, never_fired, what_fired
from fuzz.draw.generator import generate_for
from optimizer.ir.rows.ops import OPS
from optimizer.ir.text import parse
from optimizer.pipeline import DEFAULT_PASSES, run_passes
from optimizer.rules.table import RULES


def fired(text: str) -> frozenset[str]:
    return what_fired(run_passes(parse(text)))


def test_rules_and_passes_are_told() -> None:
    told = fired("[i0]\ni1 = int_add(i0, 0)\ni2 = int_add(2, 3)\ni3 = int_mul(i0, 5)\njump(i1, i2)\n")
    assert told == {"add_zero", "fold", "pass:simplify", "pass:fold", "pass:dead-code"}


def test_what_an_operation_tells_of_its_result_is_told() -> None:
    assert fired("[i0]\ni1 = int_and(i0, 15)\njump(i1)\n") == {"result:int_and"}
    assert fired("[i0, i1]\ni2 = int_and(i0, i1)\njump(i2)\n") == frozenset()


def test_what_an_operation_tells_of_its_arguments_is_told() -> None:
    told = fired(
        "[i0]\ni1 = int_add_ovf(i0, 10)\nguard_no_overflow() []\ni2 = int_lt(i1, 15)\nguard_true(i2) []\njump(i1)\n"
    )
    assert {"argument:int_add_ovf", "argument:int_lt"} <= told
    assert "argument:int_add" not in told


def test_all_that_could_fire_is_from_the_tables() -> None:
    everything = all_coverage()
    assert {rule.name for rule in RULES} <= everything
    assert {f"pass:{name}" for name in DEFAULT_PASSES} <= everything
    rows = {name.partition(":")[2] for name in everything if name.startswith(("result:", "argument:"))}
    assert rows <= OPS.keys()
    assert {"int_add", "int_mul_ovf", "uint_rshift", "guard_value"} <= rows
    assert "argument:uint_mul_high" not in everything, "nothing is inferred backward through it"


def test_all_kinds_of_what_can_fire_do_on_generated_traces() -> None:
    found = frozenset[str]().union(*(what_fired(run_passes(generate_for(seed).trace)) for seed in range(250)))
    told = {name for name in found if ":" in name}
    assert told <= all_coverage()
    assert {f"pass:{name}" for name in DEFAULT_PASSES} <= told
    tabled = {name for name in all_coverage() if name.startswith(("result:", "argument:"))}
    assert len(told & tabled) > 0.6 * len(tabled)


def test_what_never_fired_is_told_of_our_optimizer_only() -> None:
    everything = all_coverage()
    assert never_fired(everything) == ()
    assert never_fired(everything - {"pass:fold", "add_zero", "result:int_and"} | {"cse"}) == (
        "add_zero",
        "pass:fold",
        "result:int_and",
    )
    assert never_fired(frozenset()) == never_fired({"their_rule"}) == ()
