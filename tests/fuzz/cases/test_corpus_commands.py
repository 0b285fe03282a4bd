"""The commands `corpus add`, `prune`, `export`, and what a case says of itself."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from random import Random

import pytest
from commands import Command, Ended

from fuzz.cases.duplicates import Duplicate, canonical_pair, duplicates
from fuzz.cases.run import run_case
from fuzz.cases.store import Case, Expected, case_names, read_case, store_case
from fuzz.draw.choices import RandomChoices
from fuzz.draw.generator import generate_from
from fuzz.draw.mixes import draw_shape
from fuzz.edits.walk import renumbered
from optimizer.ir.text import parse
from validator import validate
from validator.verdict import Failargs, Guards, Options

BEFORE = "[i0]\ni1 = int_mul(i0, 6)\ni2 = int_lt(i1, 100)\nguard_true(i2) [i1]\njump(i1)\n"
WRONG = BEFORE.replace("int_mul(i0, 6)", "int_lshift(i0, 1)")
RENAMED = BEFORE.replace("i0", "i5").replace("i1", "i7").replace("i2", "i1")

Run = Callable[..., Ended]


@pytest.fixture
def corpus(traceproof: Command) -> Run:
    for name, text in {"b.trace": BEFORE, "w.trace": WRONG, "r.trace": RENAMED, "bad.trace": "[i0"}.items():
        Path(name).write_text(text)
    Path("corpus").mkdir()
    return partial(traceproof, "corpus")


@pytest.mark.parametrize("command", ["list", "run", "prune", "export"])
def test_the_folder_of_a_campaign_is_told_from_its_cases(command: str, corpus: Run) -> None:
    Path("finds/cases").mkdir(parents=True)
    assert corpus(command, "--corpus", "finds") == (2, "", "error: finds: the cases of a campaign are in finds/cases\n")
    assert corpus(command, "--corpus", "nowhere") == (2, "", "error: nowhere: there is no such folder\n")
    assert corpus(command, "--corpus", "finds/cases")[0] == 0


def test_a_case_that_cannot_be_stored_is_told_by_its_name(tmp_path: Path) -> None:
    with pytest.raises(OSError, match=r"nowhere/one'$"):
        store_case(tmp_path / "nowhere", Case("one", BEFORE))


# add


def test_a_pair_becomes_a_case_with_its_verdict(corpus: Run) -> None:
    added = corpus("add", "b.trace", "w.trace", "--name", "six", "--about", "A", "--taught", "T", "--source", "S")
    assert added == (0, "added corpus/six: refuted, end: argument 0\n", "")
    case = read_case(Path("corpus"), "six")
    assert (case.before, case.after) == (BEFORE, WRONG)
    assert (case.about, case.taught, case.source) == ("A", "T", "S")
    assert (case.expect, case.obligation) == ("refuted", "end: argument 0")
    assert dict(case.state.inputs).keys() == {"i0"}  # the counterexample, to be tried first
    assert corpus("run")[0] == 0
    code, shown, _ = corpus("show", "six")
    assert (code, "taught: T\nsource: S\nexpect: refuted\n" in shown) == (0, True)


def test_what_the_verdict_says_besides_is_kept(corpus: Run) -> None:
    Path("s.trace").write_text(BEFORE.replace("(i1, 100)", "(i1, 50)"))
    added = corpus("add", "b.trace", "s.trace", "--name", "s", "--about", "A", "--guards", "safe", "--expect", "proved")
    assert added == (0, "added corpus/s: proved\n", "")
    case = read_case(Path("corpus"), "s")
    assert case.options.guards is Guards.SAFE
    assert case.expected == Expected(stricter=(0,))
    assert corpus("run")[0] == 0


def test_a_find_of_a_campaign_becomes_a_case(corpus: Run) -> None:
    Path("campaign").mkdir()
    find = Case(
        "seed-7-refuted",
        BEFORE,
        WRONG,
        expect="refuted",
        obligation="end: argument 0",
        options=Options(guards=Guards.SAFE),
        seed=7,
        kind="refuted",
        command="traceproof fuzz --seed 7 --traces 1",
    )
    store_case(Path("campaign"), find)
    store_case(Path("campaign"), Case("seed-8-crash", BEFORE, seed=8, kind="crash", message="RuntimeError"))
    assert corpus("add", "campaign/seed-7-refuted", "--name", "six", "--about", "A")[0] == 0
    case = read_case(Path("corpus"), "six")
    assert replace(case, name=find.name, about="", state=find.state) == find
    crash = corpus("add", "campaign/seed-8-crash/", "--name", "crash", "--about", "A")
    assert crash == (0, "added corpus/crash: a recorded trace\n", "")
    assert read_case(Path("corpus"), "crash").message == "RuntimeError"


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (["b.trace", "w.trace", "--expect", "proved"], "error: --expect: the pair is refuted, not proved; nothing was"),
        (["b.trace", "--expect", "proved"], "error: --expect: the pair is not there, not proved; nothing was added"),
        (["bad.trace", "w.trace"], "error: bad.trace:1:"),
        (["b.trace", "bad.trace"], "error: after:1:"),
        (["b.trace", "none.trace"], "error: none.trace: "),
        (["corpus", "w.trace"], "error: corpus is the folder of a case, which has its own optimized trace"),
        (["b.trace", "b.trace", "--name", "../x"], "error: --name: expected a name of letters, digits, - and _, got "),
    ],
)
def test_what_cannot_be_added_is_told(args: list[str], message: str, corpus: Run) -> None:
    code, out, err = corpus("add", "--name", "x", "--about", "A", *args)
    assert (code, out, err[: len(message)]) == (2, "", message)
    assert list(Path("corpus").iterdir()) == []


def test_a_case_is_not_overwritten(corpus: Run) -> None:
    assert corpus("add", "b.trace", "b.trace", "--name", "x", "--about", "A")[0] == 0
    again = corpus("add", "b.trace", "w.trace", "--name", "x", "--about", "B")
    assert again == (2, "", "error: there is a case 'x' in corpus already\n")
    assert read_case(Path("corpus"), "x").about == "A"


# What else a verdict says.


@pytest.mark.parametrize(
    ("before", "after", "options", "right", "wrong", "message"),
    [
        (
            BEFORE,
            BEFORE.replace("(i1, 100)", "(i1, 50)"),
            Options(guards=Guards.SAFE),
            Expected(stricter=(0,), early=()),
            Expected(stricter=()),
            "expected stricter [], found [0]",
        ),
        (
            "[i0]\nguard_value(i0, 1) [i0]\nguard_value(i0, 2) [i0]\nfinish()\n",
            "[i0]\nguard_value(i0, 1) [i0]\nguard_value(i0, 2) [i0]\nfinish()\n",
            Options(),
            Expected(vacuous=("guard 1 of the recorded trace never passes",)),
            Expected(vacuous=()),
            "expected vacuous [], found ['guard 1 of the recorded trace never passes']",
        ),
        (
            BEFORE,
            BEFORE,
            Options(failargs=Failargs.IGNORE),
            Expected(assumes=("resume data",), vacuous=()),
            Expected(assumes=("the moon",)),
            "expected assumes ['the moon'], found ['resume data']",
        ),
        (
            "[i0]\ni1 = int_lt(i0, 9)\nguard_true(i1) []\ni2 = int_lt(i0, 5)\nguard_true(i2) []\nfinish()\n",
            "[i0]\ni2 = int_lt(i0, 5)\nguard_true(i2, origin=0) []\nfinish()\n",
            Options(),
            Expected(early=(0,)),
            Expected(early=(1,)),
            "expected early [1], found [0]",
        ),
    ],
    ids=["stricter", "vacuous", "assumes", "early"],
)
def test_what_a_case_expects_besides_is_compared(
    before: str, after: str, options: Options, right: Expected, wrong: Expected, message: str, tmp_path: Path
) -> None:
    case = Case("one", before, after, expect="proved", options=options, expected=right, optimizer=False)
    store_case(tmp_path, case)
    assert read_case(tmp_path, "one") == case
    ended = run_case(case, lambda trace: trace, lambda b, a, how, states: validate(b, a, how, examples=states))
    assert ended.differences == ()
    ended = run_case(
        replace(case, expected=wrong),
        lambda trace: trace,
        lambda b, a, how, states: validate(b, a, how, examples=states),
    )
    assert ended.differences == (message,)


# run


def test_an_optimizer_that_is_a_program_is_run_on_the_cases(corpus: Run) -> None:
    corpus("add", "b.trace", "--name", "one", "--about", "A")
    assert corpus("run", "--optimizer-server", "cat")[0] == 0
    program = "sed 's/int_mul(i0, 6)/int_lshift(i0, 1)/'"
    code, out, _ = corpus("run", "--optimizer-cmd", program)
    assert (code, out.splitlines()[0].partition(": ")[2][:49]) == (
        1,
        "the optimizer's trace is refuted: end: argument 0",
    )
    assert corpus("run", "--optimizer-cmd", "false")[1].startswith("one: the optimizer crashes: the optimizer ended")
    hanging = corpus("run", "--optimizer-cmd", "sleep 60", "--optimizer-timeout", "0.2")
    assert (hanging[0], hanging[1].splitlines()[0]) == (1, "one: the optimizer hangs: no answer within 0.2 s")
    assert corpus("run", "--optimizer-cmd", "echo")[1].startswith("one: the optimizer's trace is malformed: output")


@pytest.mark.parametrize("how", [[], ["--json"]])
def test_any_number_of_jobs_tells_the_same(how: list[str], corpus: Run) -> None:
    for number in range(8):
        store_case(Path("corpus"), Case(f"case-{number}", BEFORE, WRONG if number % 3 else BEFORE, expect="proved"))
    (Path("corpus") / "case-4" / "case.toml").write_text("seed = [")
    alone = corpus("run", "--jobs", "1", *how)
    assert (alone[0], alone[1].count("case-4"), alone[1].count("\n")) == (1, *((2, 8) if how else (0, 5)))
    assert alone[2].startswith("error: corpus/case-4/case.toml")
    for jobs in ("2", "5"):
        told = corpus("run", "--jobs", jobs, "--optimizer-server", "cat", *how)
        assert [re.sub(r"in \S+ s", "", text) for text in told[1:]] == [re.sub(r"in \S+ s", "", x) for x in alone[1:]]
        assert told[0] == 1


def test_a_case_that_ends_its_process_is_told_in_its_place(corpus: Run) -> None:
    for name in ("a", "b", "c"):
        store_case(Path("corpus"), Case(name, BEFORE.replace("6", "7") if name == "b" else BEFORE, about="A"))
    text = "import os\nfrom optimizer import format_trace\n"
    Path("dying.py").write_text(text + "def f(t):\n    return os._exit(3) if 'i0, 7' in format_trace(t) else t\n")
    code, out, _ = corpus("run", "--jobs", "2", "--optimizer", "dying:f")
    assert code == 1
    assert out.startswith("b: the process that worked on the case was lost (crashed)\n3 cases in ")


def test_an_unknown_optimizer_is_told_before_any_case(corpus: Run) -> None:
    code, out, err = corpus("run", "--jobs", "2", "--optimizer", "nowhere:f")
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert err.startswith("error: --optimizer: there is no module nowhere in this folder")


# prune


def test_a_program_says_what_the_same_one_with_the_same_options_says() -> None:
    one = Case("one", "", program="print(1)\n", jit="vec=1")
    others = [replace(one, name="two"), replace(one, name="x", program="print(2)\n"), replace(one, name="y", jit="")]
    assert duplicates([one, *others]) == (Duplicate("two", "one"),)


def test_prune_tells_and_removes_what_is_there_twice(corpus: Run) -> None:
    for name, after in {"one": BEFORE, "wrong": WRONG, "seed-1": RENAMED}.items():
        case = Case(name, BEFORE, after, expect="refuted" if after == WRONG else "proved", about="A")
        store_case(Path("corpus"), replace(case, seed=1 if name == "seed-1" else None))
    store_case(Path("corpus"), Case("a-crash", RENAMED, kind="crash"))
    store_case(Path("corpus"), Case("other", RENAMED.replace("100", "101"), kind="crash"))
    told = "a-crash: says no more than one\nseed-1: says no more than one\n5 cases, "
    assert corpus("prune") == (0, f"{told}2 can go (with --yes)\n", "")
    assert len(case_names(Path("corpus"))) == 5
    assert [json.loads(line) for line in corpus("prune", "--json")[1].splitlines()] == [
        {"name": "a-crash", "same_as": "one", "removed": False},
        {"name": "seed-1", "same_as": "one", "removed": False},
    ]
    assert corpus("prune", "--yes") == (0, f"{told}removed 2\n", "")
    assert case_names(Path("corpus")) == ("one", "other", "wrong")
    assert corpus("prune") == (0, "3 cases, 0 can go\n", "")


@pytest.mark.parametrize(
    "other",
    [
        Case("b", BEFORE, WRONG, expect="refuted"),
        Case("b", BEFORE, BEFORE, expect="proved", options=Options(guards=Guards.SAFE)),
        Case("b", BEFORE.replace("jump", "finish"), BEFORE, expect="proved"),
        Case("b", "+++\nword = 32\n+++\n" + BEFORE, BEFORE, expect="proved"),
        Case("b", "[i0", kind="crash"),
    ],
)
def test_cases_that_differ_both_stay(other: Case) -> None:
    assert duplicates([Case("a", BEFORE, BEFORE, expect="proved"), other]) == ()


def test_a_case_on_which_the_optimizer_does_not_run_replaces_none_on_which_it_does() -> None:
    silent = Case("a", BEFORE, BEFORE, expect="proved", optimizer=False)
    assert duplicates([silent, Case("b", BEFORE, kind="crash")]) == ()
    (one,) = duplicates([silent, Case("b", BEFORE, BEFORE, expect="proved")])
    assert one.name == "a"


@pytest.mark.parametrize("seed", range(20))
def test_renumbering_is_canonical(seed: int) -> None:
    choices = RandomChoices(Random(seed))
    shape = draw_shape(choices)
    # What is recorded of a function that is handed an object that nobody else sees goes by the object's name.
    heap = shape.heap and replace(shape.heap, functions=0)
    trace = generate_from(choices, replace(shape, heap=heap)).trace
    again = renumbered(trace)
    assert renumbered(again) == again
    assert [op.op for op in again.ops] == [op.op for op in trace.ops]
    assert validate(trace, again).__class__ is validate(trace, trace).__class__


def test_the_corpus_says_nothing_twice() -> None:
    folder = Path(__file__).parents[3] / "corpus"
    cases = [read_case(folder, name) for name in case_names(folder)]
    assert duplicates(cases) == ()
    assert len({canonical_pair(case) for case in cases}) > 150


# export


def test_pairs_are_exported_for_a_batch(corpus: Run) -> None:
    narrow = "+++\nword = 8\n+++\n" + BEFORE
    store_case(Path("corpus"), Case("narrow", narrow, BEFORE, expect="proved"))
    store_case(Path("corpus"), Case("none", BEFORE, kind="crash"))
    store_case(Path("corpus"), Case("wrong", BEFORE, WRONG, expect="refuted", options=Options(guards=Guards.SAFE)))
    code, out, _ = corpus("export")
    first, second = map(json.loads, out.splitlines())
    assert code == 0
    assert (first["name"], first["expect"], first["guards"]) == ("narrow", "proved", "early")
    assert (second["name"], second["expect"], second["guards"]) == ("wrong", "refuted", "safe")
    assert parse(first["after"]) == parse(first["before"]) == parse(narrow)
    assert corpus("export", "--folder", "traces") == (0, "", "")
    assert sorted(path.name for path in Path("traces").iterdir()) == [
        "narrow.after.trace",
        "narrow.before.trace",
        "none.before.trace",
        "wrong.after.trace",
        "wrong.before.trace",
    ]
    assert parse(Path("traces/narrow.after.trace").read_text()) == parse(narrow)
