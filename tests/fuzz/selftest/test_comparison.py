"""Verdicts, the checker and runs: on random pairs, right and wrong, none contradicts another."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable
from functools import cache, partial
from itertools import islice
from pathlib import Path
from random import Random
from typing import Any

import pytest

import fuzz.command.audit
from fuzz.cases.store import read_case
from fuzz.command.main import main
from fuzz.draw.generator import generate
from fuzz.draw.mixes import HEAP_MIX
from fuzz.draw.shape import HeapShape, Shape
from fuzz.selftest.comparison import Compared, compare_all, make_pair
from fuzz.selftest.random_edits import edit, edit_unseen
from fuzz.selftest.random_terms import wrongly_simplified
from optimizer.ir.check import check
from optimizer.ir.domains.term import Term
from optimizer.ir.domains.terms import Terms
from optimizer.ir.rows.ops import Kind
from optimizer.ir.text import format_trace, parse
from validator.prove.discharge import Discharger
from validator.prove.facts.facts import Facts
from validator.solvers.answers import Unsat
from validator.tell.report import verdict_name
from validator.verdict import Options, Proved

_OPTIONS = Options(effort=2_000_000, timeout_s=20.0)
_PAIRS = 8


def test_nothing_contradicts_anything() -> None:
    counts: Counter[str] = Counter()
    checked = 0
    for compared in compare_all(range(_PAIRS), 8, _OPTIONS):
        assert not compared.complaint, f"seed {compared.pair.seed}: {compared.complaint}\n{compared.report}"
        assert compared.verdict is not None
        counts[verdict_name(compared.verdict)] += 1
        if isinstance(compared.verdict, Proved):
            assert compared.verdict.evidence.audit is not None
            checked += not compared.verdict.evidence.audit.unsettled
    assert counts["proved"] > _PAIRS // 4, counts
    assert counts["refuted"] > _PAIRS // 4, counts
    assert checked > 0.9 * counts["proved"]


def first_complaint(pairs: int) -> Compared | None:
    compared = islice(compare_all(range(12, 10**6), 8, _OPTIONS), pairs)
    return next((one for one in compared if one.complaint), None)


def _stale(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(Facts, "take_back", lambda facts: facts._marks.pop())


def _together(patch: pytest.MonkeyPatch) -> None:
    right = Discharger.together
    patch.setattr(Discharger, "together", lambda discharger, found: (right(discharger, found), Unsat())[1])


@pytest.mark.parametrize("plant", [_stale, _together], ids=lambda plant: plant.__name__)
def test_faults_are_found(plant: Callable[[pytest.MonkeyPatch], None], monkeypatch: pytest.MonkeyPatch) -> None:
    plant(monkeypatch)
    assert first_complaint(40) is not None


# Terms.


def test_simplified_terms_have_the_values_of_those_that_are_written() -> None:
    for word in (4, 8, 64):
        assert wrongly_simplified(Random(word), word, 300) == ""


def _as(wrong: Callable[[Terms, Term, Term], Term | None]) -> Callable[[Any], Callable[[Terms, Term, Term], Term]]:
    """A method that is right but where `wrong` says something."""
    return lambda right: lambda terms, a, b: wrong(terms, a, b) or right(terms, a, b)


@pytest.mark.parametrize(
    ("kind", "fault"),
    [
        ("add", _as(lambda _, a, b: b if a.kind == "sub" and a.args[1] is b else None)),
        ("slt", _as(lambda t, a, b: t.not_(t.slt(b, a)) if a.kind == "const" and b.kind != "const" else None)),
        ("shl", _as(lambda _, a, b: a.args[0] if a.kind == "lshr" and a.args[1] is b else None)),
    ],
    ids=["sum of a difference", "comparison the other way round", "shift back"],
)
def test_wrong_algebra_is_found(kind: str, fault: Callable[[Any], Any], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Terms, kind, fault(getattr(Terms, kind)))
    found = (wrongly_simplified(Random(seed), 8, 200) for seed in range(40))
    assert any("when it is simplified" in one for one in found)


# Pairs.


def test_a_seed_makes_one_pair() -> None:
    for seed in range(20):
        one, other = make_pair(seed, 8), make_pair(seed, 8)
        assert (one.before, one.after) == (other.before, other.after)
        assert one.before.word == 8


def test_edits_leave_traces_well_formed_and_change_all_kinds_of_operations() -> None:
    random = Random(3)
    touched: set[Kind] = set()
    for _ in range(300):
        trace = generate(random, Shape(max_operations=25, heap=HeapShape(), mix=HEAP_MIX)).trace
        edited = edit(trace, random)
        check(edited)
        assert edited != trace, format_trace(trace)
        assert edited.inputs == trace.inputs
        touched |= {op.op.kind for op in set(trace.ops) ^ set(edited.ops)}
    assert touched >= {Kind.PURE, Kind.GUARD, Kind.LOAD, Kind.STORE, Kind.NEW, Kind.EVENT, Kind.END}


_EXIT = """\
[i0, i1, p0, p1]
i2 = int_lt(i0, i1)
guard_true(i2) [i0, i4, p0] {
    i3 = int_add(i0, 1)
    i4 = int_mul(i1, 2)
}
finish()
"""


@cache
def exit_edits() -> list[list[set[str]]]:
    """The lines that edits of any kind change, and those that are not seen on an example."""
    trace, values = parse(_EXIT), {"i0": 1, "i1": 2, "i2": 1}
    found = []
    for edited in (partial(edit, trace), partial(edit_unseen, trace, values)):
        texts = {format_trace(edited(Random(seed))) for seed in range(1500)}
        found.append([set(text.splitlines()) ^ set(_EXIT.splitlines()) for text in texts])
    return found


@pytest.mark.parametrize(
    "line",
    [
        "guard_true(i2) [i0, i2, p0] {",
        "guard_true(i2) [i0, i3, p0] {",
        "guard_true(i2) [i0, i4, p1] {",
        "guard_true(i2) [i4, i0, p0] {",
        "guard_true(i2) [p0, i4, i0] {",
        "    i3 = int_add(i1, 1)",
        "    i4 = int_mul(i3, 2)",
        "",
    ],
)
def test_edits_change_exits_in_all_ways(line: str) -> None:
    """Also those that are not seen on an example, where the guard passes."""
    for lines in exit_edits():
        if line:
            assert any(line in changed and len(changed) == 2 for changed in lines)
        else:
            assert {"    i3 = int_add(i0, 1)"} in lines


# The command.


@pytest.fixture
def audit(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Callable[..., tuple[int, str]]:
    def run(*args: str) -> tuple[int, str]:
        with pytest.raises(SystemExit) as ended:
            main(["audit", "--corpus", str(tmp_path / "found"), "--word", "8", *args])
        told = capsys.readouterr()
        assert told.err == ""
        return int(ended.value.code or 0), told.out

    return run


def test_the_command_counts(audit: Callable[..., tuple[int, str]]) -> None:
    code, out = audit("--seed", "0", "--traces", "2")
    assert code == 0
    assert "audit ended: 2 pairs" in out
    assert "contradictions: 0" in out
    assert "repeat with: traceproof audit --seed 0 --traces 2 --word 8" in out


def test_the_command_stores_contradictions(
    audit: Callable[..., tuple[int, str]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _together(monkeypatch)
    code, out = audit("--seed", "14", "--traces", "4", "--json")
    *found, ended = map(json.loads, out.splitlines())
    assert code == 5
    assert found
    assert [one["case"] for one in found] == ended["cases"]
    assert ended["pairs"] == 4
    case = read_case(tmp_path / "found", found[0]["case"])
    assert case.message == found[0]["message"]
    assert case.command == f"traceproof audit --seed {found[0]['seed']} --traces 1 --word 8"
    assert case.kind == "contradiction"


def test_ctrl_c_ends_it_with_a_summary(audit: Callable[..., tuple[int, str]], monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_: object) -> Any:
        yield next(compare_all([0], 8, _OPTIONS))
        raise KeyboardInterrupt

    monkeypatch.setattr(fuzz.command.audit, "compare_all", interrupted)
    code, out = audit("--seed", "0")
    assert code == 130
    assert "audit interrupted: 1 pairs" in out
