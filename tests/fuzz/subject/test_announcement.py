"""What servers and functions announce that they understand."""

from __future__ import annotations

import json
import shlex
import sys
from pathlib import Path

import pytest
from commands import Command

from fuzz.campaign.folder import read_plan
from fuzz.campaign.results import read_results
from fuzz.draw.vocabulary import EVERYTHING, Vocabulary
from fuzz.subject.announcement import announced
from fuzz.subject.optimizers import OptimizerKind, OptimizerSpec, open_optimizer
from optimizer.ir.faults import InputError
from optimizer.ir.text import parse
from validator.command.exits import Exit

SERVER = """\
import json, sys
{first}
for line in sys.stdin:
    print(json.dumps({{"trace": json.loads(line)["trace"]}}), flush=True)
    {after}
"""
SAID = {"operations": ["int_add", "int_sub", "guard_*", "jump", "of_mine"], "kinds": ["integers"], "word": 16}
SAYS = f"print({json.dumps(json.dumps(SAID))}, flush=True)"


def server(first: str, after: str = "pass") -> OptimizerSpec:
    Path("serve.py").write_text(SERVER.format(first=first, after=after))
    return OptimizerSpec(OptimizerKind.SERVER, shlex.join([sys.executable, "-S", "serve.py"]), 20.0)


@pytest.fixture(autouse=True)
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def test_a_first_line_is_an_announcement_and_answers_follow() -> None:
    trace = parse("[i0]\ni1 = int_add(i0, 1)\njump(i1)")
    with open_optimizer(server(SAYS)) as optimizer:
        vocabulary, unknown = announced(optimizer)
        assert vocabulary == Vocabulary(("integers",), ("int_add", "int_sub", "guard_*", "jump"), (), 16)
        assert unknown == ("of_mine",)
        assert optimizer(trace) == trace


@pytest.mark.parametrize(
    "first",
    [
        f"import time; time.sleep(0.3); {SAYS}",
        f"line = sys.stdin.readline(); {SAYS}; print(json.dumps({{'trace': json.loads(line)['trace']}}), flush=True)",
        f"line = sys.stdin.readline(); {SAYS.replace('flush=True', 'flush=False')}; "
        "print(json.dumps({'trace': json.loads(line)['trace']}), flush=True)",
    ],
)
def test_it_may_come_late_or_together_with_the_first_answer(first: str) -> None:
    with open_optimizer(server(first)) as optimizer:
        assert announced(optimizer)[0].word == 16
        trace = parse("[i0]\njump(i0)")
        assert optimizer(trace) == trace


def test_a_server_that_is_started_anew_announces_again() -> None:
    trace = parse("[i0]\njump(i0)")
    with open_optimizer(server(SAYS, "break")) as optimizer:
        for _ in range(3):
            assert optimizer(trace) == trace


def test_who_says_nothing_announces_nothing() -> None:
    with open_optimizer(server("")) as optimizer:
        assert announced(optimizer) == (EVERYTHING, ())
    with open_optimizer(server("sys.stdin.readline(); sys.exit(3)")) as optimizer:
        assert announced(optimizer) == (EVERYTHING, ())


def test_a_server_that_does_not_start_is_told(traceproof: Command) -> None:
    told = "--optimizer-server: the program ends with exit code 3 when it is started"
    with open_optimizer(server("sys.exit(3)")) as optimizer, pytest.raises(InputError, match=told):
        announced(optimizer)
    missing = shlex.join([sys.executable, "-S", "missing.py"])
    done = traceproof("fuzz", "--traces", "50", "--optimizer-server", missing)
    assert done.code == Exit.USAGE
    assert "the program ends with exit code 2 when it is started: " in done.err
    assert "missing.py" in done.err
    assert not Path("campaign").exists()


def test_a_campaign_takes_what_is_announced(traceproof: Command) -> None:
    spec = server(SAYS)
    told = traceproof("fuzz", "--seed", "3", "--traces", "20", "--jobs", "2", "--optimizer-server", spec.text)
    assert told.code == 0
    assert told.err == "the optimizer announces operations that are not in the table: of_mine\n"
    plan = read_plan(Path("campaign"))
    assert plan.announced.word == 16
    assert plan.asked == EVERYTHING
    names = {name for result in read_results(Path("campaign")) for name in result.names}
    assert {"int_add", "int_sub", "jump"} <= names <= {row.name for row in plan.announced.rows}
    narrower = traceproof(
        *("fuzz", "--seed", "3", "--traces", "20", "--without", "int_sub", "--folder", "narrower"),
        *("--optimizer-server", spec.text),
    )
    assert narrower.code == 0
    assert not any("int_sub" in result.names for result in read_results(Path("narrower")))
    wider = traceproof("fuzz", "--traces", "20", "--word", "64", "--optimizer-server", spec.text)
    assert (wider.code, "announces words of 16 bits" in wider.err) == (2, True)


@pytest.mark.parametrize(
    ("said", "words"),
    [
        ({"operations": "int_add"}, "expected a list of names"),
        ({"operations": ["of_mine"]}, "none of which is in the table"),
        ({"kinds": ["numbers"]}, "there is no kind 'numbers'"),
        ({"word": 7}, "announces words of 7 bits, expected one of 8, 16, 32, 64"),
    ],
)
def test_what_is_no_announcement_is_said(traceproof: Command, said: object, words: str) -> None:
    spec = server(f"print({json.dumps(json.dumps(said))}, flush=True)")
    told = traceproof("fuzz", "--traces", "2", "--optimizer-server", spec.text)
    assert told.code == 2
    assert words in told.err


def test_a_function_may_have_operations(traceproof: Command) -> None:
    traceproof.write("mine.py", "def same(trace):\n    return trace\nsame.operations = ['int_*', 'finish']\n")
    told = traceproof("fuzz", "--seed", "1", "--traces", "60", "--optimizer", "mine:same")
    assert told.code == 0
    assert read_plan(Path("campaign")).announced.ops == ("int_*", "finish")
    assert told.err.startswith("warning: the optimizer has handed back all of 60 traces unchanged")
