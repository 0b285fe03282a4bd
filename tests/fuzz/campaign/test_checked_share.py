"""A campaign has a share of its proofs checked, and tells which are not."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from fuzz.campaign.batch import Task, run_batch
from fuzz.campaign.examine import FindKind
from fuzz.campaign.figures import count
from fuzz.campaign.plan import Plan
from fuzz.campaign.results import Result
from fuzz.campaign.summary import Summary
from fuzz.command.main import main
from fuzz.subject.optimizers import OptimizerKind, OptimizerSpec
from optimizer.ir.domains.terms import Terms
from optimizer.ir.immutable import replace
from optimizer.ir.text import parse
from validator import Failed, Options, Proved, validate
from validator.check.checker import Unsettled
from validator.prove import audit
from validator.tell.plain_data import to_plain
from validator.verdict import Fault


def results(plan: Plan, seeds: int) -> list[Result]:
    told = [one for one in run_batch(plan, Task(plan.seed, seeds)) if one.is_final]
    return [one.result for one in told if one.result is not None]


def test_a_share_of_the_seeds_is_chosen_and_the_same_one_each_time() -> None:
    plan = Plan(1, check_share=5)
    chosen = [seed for seed in range(4000) if plan.options_of(seed).audit]
    assert 150 < len(chosen) < 250
    assert chosen == [seed for seed in range(4000) if Plan(77, check_share=5).options_of(seed).audit]
    assert not any(Plan(1).options_of(seed).audit for seed in range(100))
    assert all(Plan(1, check_share=100).options_of(seed).audit for seed in range(100))
    data = to_plain(plan)
    assert Plan.read(data) == plan
    del data["check_share"], data["options"]["audit"]
    assert Plan.read(data) == replace(plan, check_share=0), "as it was stored before there was such a share"
    assert "--check-share 5" in plan.command(1, 10)
    assert "--check-share" not in Plan(1).command(1, 10)


def test_proofs_are_checked_and_counted() -> None:
    plan = Plan(1, check_share=100)
    found = results(plan, 3)
    proofs = [one for one in found if one.verdict == "proved"]
    assert proofs
    assert all(one.checked is not None for one in proofs)
    assert all(bool(one.not_checked) == (not one.checked) for one in proofs)
    assert {one.checked for one in results(Plan(1), 2)} == {None}


def test_what_is_not_checked_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(audit, "check", lambda *_: Unsettled("guard 7: left", "the solver gave up"))
    plan = Plan(1, check_share=100)
    summary = Summary(plan, "folder")
    found = results(plan, 3)
    for result in found:
        summary.add(result)
    proofs = [one for one in found if one.verdict == "proved"]
    assert {one.not_checked for one in proofs} == {"guard 7: left: the solver gave up"}
    text = summary.text(1.0, False)
    assert f"proofs checked 0, not checked {len(proofs)}" in text
    assert f"    seed {proofs[0].seed}: guard 7: left: the solver gave up" in text
    assert summary.data(1.0, False)["not_checked"] == [{"seed": one.seed, "why": one.not_checked} for one in proofs]
    assert count(found).not_checked == [(one.seed, one.not_checked) for one in proofs]


def _wrong_algebra(monkeypatch: pytest.MonkeyPatch) -> None:
    """From here on x - x is 1."""
    right = Terms.sub
    monkeypatch.setattr(Terms, "sub", lambda terms, a, b: terms.one if a is b else right(terms, a, b))


def test_a_proof_that_a_run_contradicts_is_a_fault_of_this_tool(monkeypatch: pytest.MonkeyPatch) -> None:
    _wrong_algebra(monkeypatch)
    pair = parse("[i0]\ni1 = int_sub(i0, i0)\nfinish(i1)\n"), parse("[i0]\nfinish(1)\n")
    assert isinstance(validate(*pair), Proved)
    verdict = validate(*pair, Options(audit=True))
    assert isinstance(verdict, Failed)
    assert verdict.fault is Fault.PROOF
    assert "a run shows a difference: end: argument 0" in verdict.reason


def test_the_state_that_the_checker_has_come_up_with_is_run(monkeypatch: pytest.MonkeyPatch) -> None:
    """No sample is the one input on which the two traces differ."""
    body = "[i0]\ni1 = int_mul(i0, 7)\ni2 = int_eq(i1, 864157)\nfinish({})\n"
    pair = parse(body.format("i2")), parse(body.format("0"))
    monkeypatch.setattr(Terms, "eq", lambda terms, _a, _b: terms.false)
    verdict = validate(*pair, Options(audit=True))
    assert isinstance(verdict, Failed), verdict
    assert verdict.fault is Fault.PROOF
    assert "i0 = 123451" in verdict.report


def test_a_disagreement_is_a_find_of_its_own_kind(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def contradicted(*_: object) -> Failed:
        return Failed(Fault.PROOF, "proved, and a run shows a difference: end: argument 0")

    monkeypatch.setattr(audit, "audited", contradicted)
    options = ["--seed", "1", "--traces", "2", "--jobs", "1", "--folder", str(tmp_path / "c"), "--json"]
    ends = []
    for share in ("100", "0"):
        with pytest.raises(SystemExit) as ended:
            main(["fuzz", *options, "--check-share", share] if share == "100" else ["fuzz", *_elsewhere(options)])
        ends.append(ended.value.code)
        last = json.loads(capsys.readouterr().out.splitlines()[-1])
        assert bool(last["finds"]["disagreement"]) == (share == "100")
    assert ends == [5, 0]


def test_the_report_names_what_is_not_checked(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(audit, "check", lambda *_: Unsettled("guard 7: left", "the solver gave up"))
    folder = tmp_path / "c"
    with pytest.raises(SystemExit):
        main(["fuzz", "--seed", "1", "--traces", "2", "--jobs", "1", "--folder", str(folder), "--check-share", "100"])
    assert "proofs checked 0, not checked 2" in capsys.readouterr().out
    for name in ("summary.md", "index.html"):
        text = (folder / "report" / name).read_text()
        assert text.count("guard 7: left: the solver gave up") == 2, name


def _elsewhere(options: list[str]) -> list[str]:
    return [f"{one}-2" if one.endswith("/c") else one for one in options]


def test_it_is_ours() -> None:
    assert {kind for kind in FindKind if kind.is_ours} == {FindKind.FAULT, FindKind.DISAGREEMENT}
    assert OptimizerSpec().kind is OptimizerKind.OURS
