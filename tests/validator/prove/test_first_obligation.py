"""Of a long pair, the first obligation that is left to solvers is asked at once; before they work hard, it is run."""

from __future__ import annotations

import pytest

from optimizer.ir.text import parse
from optimizer.ir.trace import Trace
from validator import Options, Proved, Refuted, validate
from validator.prove.cheap_rungs import CheapRungs
from validator.prove.notes import LONGEST_SAMPLED
from validator.prove.obligations import Obligation
from validator.solvers.portfolio import Query

STEPS = LONGEST_SAMPLED
EVENTS = "".join(f"i{n + 1} = int_sub(i{n}, i0)\nescape(i{n + 1})\n" for n in range(3, STEPS))
BEFORE = (
    f"[i0, i1]\ni2 = int_or(i0, i1)\nescape(i2)\ni3 = int_sub(i1, i0)\n{EVENTS}i3000 = int_xor(i0, 3)\nfinish(i3000)\n"
)
OR = "i1000 = int_xor(i0, i1)\ni1001 = int_and(i0, i1)\ni2 = int_xor(i1000, i1001)"


def test_what_is_wrong_at_first_is_refuted_before_the_rest_is_looked_at(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: set[str] = set()
    settle = CheapRungs.settle

    def counted(rungs: CheapRungs, obligation: Obligation) -> str | None:
        asked.add(obligation.name)
        return settle(rungs, obligation)

    monkeypatch.setattr(CheapRungs, "settle", counted)
    verdict = validate(parse(BEFORE), parse(BEFORE.replace("int_or", "int_add")), Options(effort=1_000_000))
    assert isinstance(verdict, Refuted)
    assert verdict.counterexample.obligation == "event 0: argument 0"
    assert len(asked) < STEPS


@pytest.mark.parametrize(("end", "is_right"), [("int_xor(i0, 3)", True), ("int_xor(i0, 2)", False)])
def test_what_is_right_at_first_may_be_wrong_behind(end: str, is_right: bool) -> None:
    after = BEFORE.replace("i2 = int_or(i0, i1)", OR).replace("int_xor(i0, 3)", end)
    assert isinstance(validate(parse(BEFORE), parse(after), Options(effort=1_000_000)), Proved) == is_right


def chain(last: str) -> Trace:
    """A trace in which each operation needs many others."""
    middle = [
        f"i{k} = {('int_add', 'int_sub', 'int_xor')[k % 3]}(i{k - 1}, i{max(k - 7, 1)})\n" for k in range(2, 5 * STEPS)
    ]
    ends = f"i{5 * STEPS} = {last}(i{5 * STEPS - 1}, i{5 * STEPS - 7})\nfinish(i{5 * STEPS})\n"
    return parse(f"[i0, i1]\n{''.join(middle)}{ends}")


def test_a_long_wrong_pair_is_run_before_solvers_work_hard() -> None:
    queries: list[Query] = []
    verdict = validate(chain("int_add"), chain("int_or"), observe=queries.append)
    assert isinstance(verdict, Refuted)
    assert verdict.counterexample.by == "running"
    assert not queries
