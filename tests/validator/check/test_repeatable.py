"""A check comes out the same, whatever has been asked of Z3 in the process before."""

from __future__ import annotations

from operator import add, and_, lshift, mul
from random import Random
from typing import Any

import z3

from optimizer.ir.text import parse
from optimizer.ir.trace import Trace
from validator.check.certificate import Certificate
from validator.check.checker import Checked, Unsettled, check

CERTIFICATE = Certificate(equal=(("after", "i2", "i2"), ("after", "i3", "i3")))


def trace_of(*lines: str) -> Trace:
    return parse("\n".join(["[i0, i1]", *lines, "finish(i3)", ""]), word=16)


def checked() -> Checked | Unsettled:
    before = trace_of("i2 = int_mul(i0, i1)", "i3 = int_lshift(i2, 3)")
    after = trace_of("i2 = int_mul(i1, i0)", "i3 = int_mul(i2, 8)")
    return check(before, after, CERTIFICATE, effort=1_000_000)


def test_the_terms_of_others_change_nothing() -> None:
    random, kept = Random(2), list[Any]()
    alone = checked()
    assert isinstance(alone, Checked)
    for _ in range(12):
        terms = [z3.BitVec(f"input {random.randrange(4)}", 16) for _ in range(20)]
        for _ in range(random.randrange(200)):
            terms.append(random.choice((add, mul, lshift, and_))(random.choice(terms), random.choice(terms)))
        kept += random.sample(terms, len(terms) // 2)
        del kept[: random.randrange(len(kept))]
        assert checked() == alone
