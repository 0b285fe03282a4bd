"""Labels, and constants that are loaded from a table: what has a meaning, and which."""

from __future__ import annotations

import pytest

from optimizer import optimize
from optimizer.ir.faults import Unsupported as Limit
from optimizer.ir.run.interpreter import Finished, run
from optimizer.ir.text import format_trace, parse
from validator import Proved, Refuted, Unsupported, validate

LOOP = "[i0, p1]\nlabel(i0, p1, descr=TargetToken(7))\ni2 = int_add(i0, 0)\nescape_n(i2)\njump(i2, p1)\n"
PLAIN = "[i0, p1]\nescape_n(i0)\njump(i0, p1)\n"
TABLE = "[i0]\np1 = load_from_gc_table(3)\np2 = load_from_gc_table(4)\nfinish(p1, p2)\n"


def test_a_label_that_says_what_the_header_says_is_a_position() -> None:
    for before, after in ((LOOP, PLAIN), (PLAIN, LOOP), (LOOP, LOOP)):
        assert isinstance(validate(parse(before), parse(after)), Proved)
    assert isinstance(validate(parse(LOOP), parse(PLAIN.replace("jump(i0", "jump(7"))), Refuted)
    assert format_trace(optimize(parse(LOOP))) == LOOP.replace("i2 = int_add(i0, 0)\n", "").replace("i2", "i0")
    assert run(parse("[i0]\nlabel(i0)\nfinish(i0)\n"), [7]).outcome == Finished((7,))


@pytest.mark.parametrize(
    "text",
    [
        LOOP.replace("label(i0, p1", "label(p1, i0"),
        LOOP.replace("label(i0, p1", "label(i0"),
        "[i0]\ni1 = int_neg(i0)\nlabel(i1)\njump(i1)\n",
        "[i0]\nguard_true(i0) [i0]\nlabel(i0)\njump(i0)\n",
        "[i0]\nlabel(i0)\nlabel(i0)\njump(i0)\n",
    ],
)
def test_any_other_label_is_unsupported(text: str) -> None:
    trace = parse(text)
    verdict = validate(trace, trace)
    assert isinstance(verdict, Unsupported)
    assert "label that is not in front, with the inputs as its arguments" in verdict.reason
    with pytest.raises(Limit):
        optimize(trace)
    with pytest.raises(Limit):
        run(trace, [0] * len(trace.inputs))


def test_a_loop_that_is_peeled_already_is_not_optimized() -> None:
    with pytest.raises(Limit, match="an inner label: a loop that is peeled already"):
        optimize(parse("[i0]\ni1 = int_neg(i0)\nlabel(i1, descr=Body)\ni2 = int_neg(i1)\njump(i2, descr=Body)\n"))


def test_what_a_table_holds_are_constants() -> None:
    same = TABLE.replace("p2)", "ConstPtr(gc_table.4))")
    assert isinstance(validate(parse(TABLE), parse(same)), Proved)
    assert isinstance(validate(parse(TABLE), parse(TABLE.replace("_table(4)", "_table(3)"))), Refuted)
    assert format_trace(optimize(parse(TABLE))) == "[i0]\nfinish(ConstPtr(gc_table.3), ConstPtr(gc_table.4))\n"
