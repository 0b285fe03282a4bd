"""The commands `corpus run`, `list` and `show`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from commands import OPTIMIZERS, TRACE, Command


def _case(folder: Path, name: str, toml: str, after: str | None = None, before: str = TRACE) -> None:
    (folder / "corpus" / name).mkdir(parents=True)
    (folder / "corpus" / name / "case.toml").write_text(toml)
    (folder / "corpus" / name / "before.trace").write_text(before)
    if after is not None:
        (folder / "corpus" / name / "after.trace").write_text(after)


def test_a_corpus_says_what_differs(traceproof: Command) -> None:
    wrong = TRACE.replace("jump(i3, i4)", "jump(i3, i3)")
    _case(traceproof.folder, "a-right", "expect = 'proved'", TRACE)
    _case(traceproof.folder, "b-wrong", "expect = 'proved'", wrong)
    _case(traceproof.folder, "c-other", "expect = 'refuted'\nobligation = 'guard 0: failarg 0'", wrong)
    _case(traceproof.folder, "d-known", "expect = 'refuted'\nobligation = 'end: argument 1'", wrong)
    _case(traceproof.folder, "e-text", "expect = 'proved'", TRACE + "junk")
    ended = traceproof("corpus", "run")
    assert ended.code == 1
    lines = ended.out.splitlines()
    assert lines[0].startswith("b-wrong: expected proved, found refuted: argument 1 of the end is ")
    assert lines[1] == ("c-other: expected 'guard 0: failarg 0' to be refuted, found 'end: argument 1'")
    assert ended.err.startswith("error: e-text/after.trace:9:")
    assert lines[-1].endswith("2 not as expected, 1 unreadable")
    in_json = [json.loads(line) for line in traceproof("corpus", "run", "--json").out.splitlines()]
    assert [(one["name"], one["verdict"], bool(one["differences"])) for one in in_json] == [
        ("a-right", "proved", False),
        ("b-wrong", "refuted", True),
        ("c-other", "refuted", True),
        ("d-known", "refuted", False),
        ("e-text", None, False),
    ]


def test_a_pair_of_which_no_verdict_is_expected_is_told_not_to_be_judged(traceproof: Command) -> None:
    _case(traceproof.folder, "open", "optimizer = false", TRACE)
    _case(traceproof.folder, "right", "expect = 'proved'", TRACE)
    ended = traceproof("corpus", "run")
    assert (ended.code, ended.err) == (0, "")
    assert ended.out.endswith("all as expected, 1 pair not judged: no `expect` in case.toml\n")


def test_a_case_that_cannot_be_read_is_told_and_those_behind_it_too(traceproof: Command) -> None:
    _case(traceproof.folder, "a-odd", "expect = 'maybe'", TRACE)
    _case(traceproof.folder, "b-right", "expect = 'proved'", TRACE)
    listed, ran = traceproof("corpus", "list"), traceproof("corpus", "run", "--json")
    assert (listed.code, ran.code) == (2, 2)
    assert "a-odd" in listed.err
    assert listed.out.startswith("b-right")
    first, second = map(json.loads, ran.out.splitlines())
    assert (first["name"], first["verdict"], second["verdict"]) == ("a-odd", None, "proved")
    assert first["report"] in ran.err


def test_a_corpus_runs_the_optimizer_unless_told_not_to(traceproof: Command) -> None:
    traceproof.write("mine.py", OPTIMIZERS)
    _case(traceproof.folder, "with", "about = 'x'")
    _case(traceproof.folder, "without", "optimizer = false")
    ended = traceproof("corpus", "run", "--optimizer", "mine:crash")
    assert ended.code == 1
    assert ended.out.startswith("with: the optimizer crashes: RuntimeError: planted (")
    assert "without" not in ended.out


def test_a_case_is_shown(traceproof: Command) -> None:
    _case(traceproof.folder, "one", "about = 'an example'\nexpect = 'proved'\n[inputs]\ni0 = 3", TRACE)
    ended = traceproof("corpus", "show", "one")
    assert ended.code == 0
    assert ended.out.startswith("name: one\nabout: an example\nexpect: proved\n")
    assert "inputs: i0 = 3\n" in ended.out
    assert f"\nbefore:\n{TRACE}" in ended.out
    assert json.loads(traceproof("corpus", "show", "one", "--json").out)["after"] == TRACE


@pytest.mark.parametrize("command", [["list"], ["run"], ["show", "x"]])
def test_a_corpus_that_is_not_there_ends_with_2(command: list[str], traceproof: Command) -> None:
    ended = traceproof("corpus", *command)
    assert (ended.code, ended.out) == (2, "")
    assert ended.err.startswith("error: ")


def test_the_folder_of_a_case_is_none_of_cases(traceproof: Command) -> None:
    _case(traceproof.folder, "a-right", "expect = 'proved'", TRACE)
    ended = traceproof("corpus", "run", "--corpus", "corpus/a-right")
    assert (ended.code, ended.err) == (2, "error: --corpus: corpus/a-right is a case; expected the folder of cases\n")
    (traceproof.folder / "none").mkdir()
    ended = traceproof("corpus", "run", "--corpus", "none")
    assert ended.code == 0
    assert ended.out.endswith(", there is none in none\n")
