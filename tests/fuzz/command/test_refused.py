"""Options of which nothing would come are refused, not left out without a word."""

from __future__ import annotations

import pytest
from commands import OPTIMIZERS, TRACE, Command

NO_OPTIMIZER = "no optimizer is run on a pair"
STARTED = "--resume goes on with what the campaign was started with"


@pytest.fixture(autouse=True)
def _files(traceproof: Command) -> None:
    traceproof.write("a.trace", TRACE)
    traceproof.write("mine.py", OPTIMIZERS)
    traceproof("fuzz", "--seed", "1", "--traces", "1", "--jobs", "1", "--optimizer", "mine:crash")


@pytest.mark.parametrize(
    ("words", "why"),
    [
        ("reduce a.trace a.trace --optimizer mine:same", f"--optimizer: {NO_OPTIMIZER}"),
        ("reduce a.trace a.trace --optimizer-timeout 3", f"--optimizer-timeout: {NO_OPTIMIZER}"),
        ("reduce CASE --optimizer mine:crash --word 8", "--word: a case says so itself"),
        ("reduce CASE --optimizer mine:crash --types no.toml", "--types: a case says so itself"),
        ("report CASE --types no.toml", "--types: a case says so itself"),
        ("report CASE --guards safe", "--guards: a case says so itself"),
        ("report campaign --types no.toml", "--types: this is for a pair, not for a campaign"),
        ("report campaign --playground", "--playground: this is for a pair, not for a campaign"),
        ("fuzz --resume --optimizer-timeout 1", f"--optimizer-timeout: {STARTED}"),
        ("fuzz --resume --optimizer-memory 100", f"--optimizer-memory: {STARTED}"),
        ("fuzz --traces 1 --seeds-skip 2", "--seeds-skip: no traces are given by --seeds-from"),
        ("mine a.trace --seed 3", "--seed: the traces are given, and none is generated"),
    ],
)
def test_what_nothing_would_come_of_is_refused(words: str, why: str, traceproof: Command) -> None:
    (case,) = (traceproof.folder / "campaign" / "cases").iterdir()
    ended = traceproof(*words.replace("CASE", f"campaign/cases/{case.name}").split())
    assert (ended.code, ended.out, ended.err) == (2, "", f"error: {why}\n")
