"""What intervals decide is so on every input on which the assumed conditions hold."""

from __future__ import annotations

import itertools
from typing import Any

import pytest
from columns import Columns
from test_facts import WIDTH, Built

from optimizer.ir.domains.term import Term
from optimizer.ir.types.layout import Layout
from validator.prove.facts.intervals import Intervals
from validator.prove.facts.journal import Journal
from validator.prove.terms.object_terms import ObjectTerms

STATES = [(x, y, z) for x, y, z in itertools.product(range(-8, 8), repeat=3) if (x + y * 3 + z) % 3 == 0]


def _under(terms: ObjectTerms, conditions: list[Term]) -> Intervals:
    intervals = Intervals(terms, Journal(), lambda _: None)
    for condition in conditions:
        intervals.assume(condition)
    return intervals


@pytest.mark.parametrize("block", range(5))
def test_decided_claims_are_right(block: int) -> None:
    decided = contradictions = 0
    for seed in range(80):
        built = Built(5000 * block + seed)
        if not built.conditions:
            continue
        assumed = built.random.choices(built.conditions, k=built.random.randrange(1, 5))
        assumed = [c if built.random.random() < 0.6 else built.terms.not_(c) for c in assumed]
        intervals = _under(built.terms, assumed)
        said = {claim: truth for claim in built.conditions if (truth := intervals.value(claim)) is not None}
        decided += len(said)
        contradictions += intervals.contradiction
        if not said and not intervals.contradiction:
            continue
        columns = Columns("xyz", STATES, WIDTH)
        reached = columns.where(assumed)
        assert not (reached and intervals.contradiction), assumed
        for claim, truth in said.items():
            column = columns.of(claim)
            assert all(column[i] == truth for i in reached), (assumed, claim)
    assert decided > 100
    assert contradictions > 0


def test_what_intervals_decide() -> None:
    terms = ObjectTerms(64, Layout())
    x, y = terms.var("x"), terms.var("y")
    ten, fifteen = terms.const(10), terms.const(15)
    total = terms.add(x, ten)
    below = terms.slt(total, fifteen)
    wrapped = _under(terms, [below])
    assert wrapped.value(terms.slt(x, terms.const(6))) is None
    exact = _under(terms, [terms.not_(terms.add_overflows(x, ten)), below])
    assert exact.value(terms.slt(x, terms.const(6))) is True
    assert exact.value(terms.slt(x, terms.const(4))) is None
    masked = _under(terms, [terms.eq(terms.bit_and(x, terms.const(7)), terms.const(3))])
    assert masked.value(terms.eq(terms.bit_and(x, terms.one), terms.zero)) is False
    assert masked.value(terms.eq(x, terms.const(3))) is None
    assert masked.value(terms.eq(terms.bit_and(x, terms.const(8)), terms.zero)) is None
    small = _under(terms, [terms.ult(x, ten), terms.ult(y, ten)])
    assert small.value(terms.mul_overflows(x, y)) is False
    assert small.value(terms.add_overflows(x, terms.const(2**62))) is False
    assert _under(terms, [terms.slt(x, ten), terms.slt(fifteen, x)]).contradiction


def test_bounds_of_many_uses_are_looked_at_in_part(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each of many conditions on one variable used to look at all others again."""
    looked, sharpen = 0, Intervals._sharpen

    def counted(self: Intervals, *args: Any) -> Any:
        nonlocal looked
        looked += 1
        return sharpen(self, *args)

    monkeypatch.setattr(Intervals, "_sharpen", counted)
    terms = ObjectTerms(64, Layout())
    x = terms.var("x")
    below = [terms.slt(x, terms.const(4000 - k)) for k in range(300)]
    intervals = Intervals(terms, Journal(), lambda _: None)
    assert {intervals.value(condition) for condition in below} == {None}
    for condition in below:
        intervals.assume(condition)
    assert looked < 80_000
