"""Obligations at one place of which a search finds values on which they do not hold, for many of them at once."""

from __future__ import annotations

from optimizer.ir.text import parse
from optimizer.ir.types.trace_layout import layout_of
from validator import Options
from validator.prove.discharge import Budget, Discharger, Holds
from validator.prove.obligations import Obligation, Place
from validator.prove.pairing import encode_pair

TRACE = """\
[i0, i1, i2]
i3 = int_lt(i0, 5)
guard_true(i3)
i4 = int_lt(i2, 3)
guard_true(i4)
finish(i0, i1, i2)
"""


def test_those_that_fail_are_told_apart_from_those_that_hold() -> None:
    trace = parse(TRACE)
    pair = encode_pair(trace, trace, layout_of(trace, trace), Options())
    place, terms = Place(len(pair.before.guards), len(pair.after.guards), None), pair.terms
    (i0, i1, i2), const = pair.after.end, terms.const
    claims = {
        "never": terms.not_(terms.eq(i0, const(4))),
        "holds": terms.slt(i0, const(6)),
        "elsewhere": terms.eq(i1, const(7)),
        "behind": terms.slt(i2, const(3)),
        "other": terms.eq(i1, i2),
    }
    discharger = Discharger(pair, Budget(10_000_000, 60.0, lambda: 0.0))
    wanted = {name: Obligation(name, place, claim) for name, claim in claims.items()}
    failing = [one.name for one in discharger.failing([*wanted.values()])]
    holding = [name for name, one in wanted.items() if isinstance(discharger.settle(one), Holds)]
    assert sorted(failing) == ["elsewhere", "never", "other"]
    assert holding == ["holds", "behind"]
