"""The answers of the playground."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Any

import pytest

from fuzz.cases.store import SHIPPED_CORPUS, case_names, read_case
from fuzz.serve.judge import answer
from fuzz.serve.question import Asked, read_asked
from fuzz.serve.server import example
from optimizer.ir.faults import InputError

RECORDED = "[i0, i1]\ni2 = int_add(i0, 0)\ni3 = int_mul(i2, 2)\nguard_true(i1) [i3]\nfinish(i3)\n"
RIGHT = "[i0, i1]\ni3 = int_lshift(i0, 1)\nguard_true(i1) [i3]\nfinish(i3)\n"
WRONG = "[i0, i1]\ni3 = int_lshift(i0, 1)\nguard_true(i1) [i0]\nfinish(i3)\n"


def asked(action: str, before: str = RECORDED, after: str = "", **others: str) -> dict[str, Any]:
    return answer(read_asked({"action": action, "before": before, "after": after, **others}))


def test_a_right_pair_is_proved() -> None:
    told = asked("validate", after=RIGHT)
    assert told["verdict"] == "proved"
    assert "tone-proved" in told["html"]


def test_a_wrong_pair_is_refuted_with_both_traces_on_the_input() -> None:
    told = asked("validate", after=WRONG)
    assert told["verdict"] == "refuted"
    assert "Counterexample" in told["html"]
    assert "hands over" in told["html"]


def test_modes_are_obeyed() -> None:
    assert asked("validate", after=WRONG, failargs="ignore")["verdict"] == "proved"


def test_the_optimizer_tells_each_pass_its_rules_and_their_proofs() -> None:
    told = asked("optimize")
    assert asked("validate", after=told["after"])["verdict"] == "proved"
    assert "4 operations and 1 guard recorded; 3 and 1 left." in told["html"]
    assert "add_zero" in told["html"]
    assert "at 64 bits by Z3" in told["html"]
    assert "dead-code" in told["html"]
    assert told["html"].count("add_zero (1)") == 1  # in the pass in which it fires


def test_rules_are_not_proved_when_the_time_is_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("fuzz.serve.optimizing._PROVING_S", 0.0)
    html = asked("optimize")["html"]
    assert "not tried</span> the time is up" in html
    assert "at 64 bits" not in html


def test_both_traces_run_on_the_inputs() -> None:
    told = asked("run", after=WRONG, inputs="i0=5, i1=0")
    assert "hands over (10)" in told["html"]
    assert "hands over (5)" in told["html"]


def test_a_trace_alone_runs_with_results_of_its_events() -> None:
    before = "[]\ni0 = call_i(7)\ni1 = int_add(i0, 1)\nfinish(i1)\n"
    assert "finish(42)" in asked("run", before, results="41")["html"]


@pytest.mark.parametrize(
    ("action", "before", "after", "inputs", "side", "line"),
    [
        ("validate", "[i0]\ni1 = int_ad(i0, 0)\nfinish(i1)\n", RIGHT, "", "before", 2),
        ("validate", RECORDED, "[i0, i1]\nfinish(i7)\n", "", "after", 2),
        ("optimize", "", "", "", "before", None),
        ("run", RECORDED, "", "i0=5", "inputs", None),
        ("run", RECORDED, "", "i9=5", "inputs", None),
    ],
)
def test_a_mistake_is_told_at_its_place(
    action: str, before: str, after: str, inputs: str, side: str, line: int | None
) -> None:
    told = asked(action, before, after, inputs=inputs)
    assert told["side"] == side
    assert line is None or told["line"] == line
    assert told["error"]
    assert "Traceback" not in told["error"]


def test_a_wrong_pair_is_made_smaller() -> None:
    told = asked("reduce", after=WRONG)
    assert told["verdict"] == "refuted"
    assert len(told["before"].splitlines()) < len(RECORDED.splitlines())
    assert asked("validate", told["before"], told["after"])["verdict"] == "refuted"


def test_a_reduction_that_is_not_complete_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    assert "the time was up" not in asked("reduce", after=WRONG)["note"]
    monkeypatch.setattr("fuzz.serve.reducing._REDUCING_S", 0.0)
    assert "the time was up" in asked("reduce", after=WRONG)["note"]


def test_of_a_right_pair_there_is_nothing_to_reduce() -> None:
    told = asked("reduce", after=RIGHT)
    assert "nothing wrong" in told["note"]
    assert "before" not in told


def test_the_copied_commands_make_a_case(tmp_path: Path) -> None:
    quoted = WRONG.replace("[i0, i1]", "# it's $(touch broken) `touch broken`\n[i0, i1]")
    commands = asked("case", after=quoted)["copy"]
    subprocess.run(["sh", "-c", commands], cwd=tmp_path, check=True)
    case = read_case(tmp_path / "corpus", "from-the-playground")
    assert (case.before, case.after, case.expect) == (RECORDED, quoted, "refuted")
    assert not (tmp_path / "broken").exists()


@pytest.mark.parametrize(
    "question",
    [
        [],
        None,
        {},
        {"action": "validate"},
        {"action": "validate", "before": 1},
        {"action": "validate", "before": "", "guards": "none"},
        {"action": "validate", "before": "", "more": ""},
    ],
)
def test_what_is_no_question_is_refused(question: object) -> None:
    with pytest.raises(InputError):
        read_asked(question)


def test_there_is_no_other_action() -> None:
    with pytest.raises(InputError):
        asked("exec")


def test_text_of_a_trace_is_not_taken_for_html() -> None:
    before = "# <script>alert(1)</script>\n[i0]\nescape(i0, descr=<b onclick=alert(1)>)\nfinish(i0)\n"
    told = asked("optimize", before)
    assert "<script>" not in str(told.get("html"))
    assert "<b onclick" not in str(told.get("html"))


def test_each_example_has_the_verdict_of_its_case() -> None:
    names = case_names(SHIPPED_CORPUS)
    assert "toy-dialect-with-objects" in names
    assert "trace-from-a-log" in names
    for name in ("toy-dialect-with-objects", "trace-from-a-log", names[0]):
        fields = example(name)
        question = {key: fields[key] for key in ("before", "after", "guards", "failargs")}
        told = answer(read_asked({"action": "validate" if fields["after"] else "optimize", **question}))
        assert "error" not in told, told


def test_there_is_no_other_example() -> None:
    with pytest.raises(InputError):
        example("../store.py")


def test_questions_are_values() -> None:
    assert read_asked({"action": "run", "before": RECORDED}) == Asked("run", RECORDED)
