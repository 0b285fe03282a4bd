"""A run of the corpus as JUnit XML, and what the optimizer said."""

from __future__ import annotations

import json
from pathlib import Path
from xml.etree import ElementTree

import pytest
from commands import OPTIMIZERS, Command

CORPUS = Path(__file__).parents[3] / "corpus"


@pytest.fixture
def corpus(traceproof: Command) -> Command:
    traceproof.write("mine.py", OPTIMIZERS)
    Path("corpus").mkdir()
    for name in ("swapped-failargs", "boxed-integers-in-a-loop"):
        (Path("corpus") / name).symlink_to(CORPUS / name)
    return traceproof


def suite() -> ElementTree.Element:
    (found,) = ElementTree.parse("corpus.xml").getroot()
    return found


def test_a_run_as_expected_has_a_test_for_each_case(corpus: Command) -> None:
    assert corpus("corpus", "run", "--junit", "corpus.xml").code == 0
    told = suite()
    assert [told.get(name) for name in ("name", "tests", "failures", "errors")] == ["corpus corpus", "2", "0", "0"]
    assert [test.get("name") for test in told.iter("testcase")] == ["boxed-integers-in-a-loop", "swapped-failargs"]
    assert told.findtext("system-out") == "all as expected"


def test_a_case_that_differs_is_a_failure_and_an_unreadable_one_an_error(corpus: Command) -> None:
    Path("corpus/a-stray-folder").mkdir()
    ended = corpus("corpus", "run", "--junit", "corpus.xml", "--optimizer", "mine:crash")
    assert ended.code == 1
    told = suite()
    assert [told.get(name) for name in ("tests", "failures", "errors")] == ["3", "2", "1"]
    failure = told.findall(".//failure")[0]
    assert failure.get("message", "").startswith("the optimizer crashes: RuntimeError: planted")
    assert (failure.text or "").endswith("\nRuntimeError: planted")
    assert "there is no such file" in told.findall(".//error")[0].get("message", "")


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_what_the_optimizer_said_is_shown(jobs: str, corpus: Command) -> None:
    args = ["corpus", "run", "--optimizer", "mine:crash", "--jobs", jobs]
    assert corpus(*args).out.count("\n    RuntimeError: planted\n") == 2
    told = [json.loads(line) for line in corpus(*args, "--json").out.splitlines()]
    assert [one["report"].splitlines()[-1] for one in told] == ["RuntimeError: planted"] * 2


def test_a_file_that_cannot_be_written_is_told(corpus: Command) -> None:
    ended = corpus("corpus", "run", "--junit", "nowhere/corpus.xml")
    assert ended.code == 2
    assert ended.err.startswith("error: nowhere/corpus.xml: ")
