"""Verdicts on disk: the same words as without, and never a wrong one, whatever happens to the files."""

from __future__ import annotations

import errno
import json
import multiprocessing
from collections.abc import Callable, Iterator
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import click
import pytest
from click.testing import CliRunner, Result
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.workloads import WORKLOADS
from optimizer.ir.text import parse
from optimizer.ir.trace import Trace
from validator import Options, Proved, Refuted, Unknown, Unsupported, Verdict, validate
from validator import cache as module
from validator.cache import Cache, Question, validate_cached
from validator.command import validate as cli
from validator.search.counterexample import State
from validator.solvers.answers import GaveUp, SolverChoice
from validator.solvers.portfolio import Portfolio
from validator.tell.plain_data import WrongData, from_plain, to_plain
from validator.tell.report import verdict_json, verdict_text
from validator.verdict import Evidence, Failargs, Floats, Guards

BEFORE = """[i0, i1]
i2 = int_mul(i0, i1)
i3 = int_lt(i2, 100)
guard_true(i3) [i0]
i4 = int_mul(i1, i0)
finish(i4)
"""
AFTER = "[i0, i1]\ni2 = int_mul(i0, i1)\ni3 = int_lt(i2, 100)\nguard_true(i3) [i0]\nfinish(i2)\n"
WRONG = AFTER.replace("[i0]\n", "[i1]\n")
VACUOUS = "[i0]\ni1 = int_lt(i0, i0)\nguard_true(i1) []\nfinish(i0)\n"
SQUARES = "[i0, i1]\ni2 = int_mul(i0, i0)\ni3 = int_mul(i1, i1)\ni4 = int_sub(i2, i3)\nfinish(i4)\n"
PRODUCT = "[i0, i1]\ni2 = int_add(i0, i1)\ni3 = int_sub(i0, i1)\ni4 = int_mul(i2, i3)\nfinish(i4)\n"
HARD = (SQUARES, PRODUCT)
LITTLE = Options(effort=20_000)


def question(before: str = BEFORE, after: str = AFTER, options: Options = LITTLE, **more: Any) -> Question:
    return Question(parse(before), parse(after), options, **more)


def judged(asked: Question) -> Verdict:
    return validate(asked.before, asked.after, asked.options, examples=asked.examples)


def bare(verdict: Verdict) -> Verdict:
    """Without what belongs to one run."""
    assert isinstance(verdict, Proved | Refuted | Unknown)
    obligations = tuple(replace(one, seconds=0.0) for one in verdict.evidence.obligations)
    evidence = replace(verdict.evidence, obligations=obligations, seconds=0.0, cached=False, is_repeatable=True)
    return replace(verdict, evidence=evidence)


def told(verdict: Verdict, before: Trace, after: Trace) -> tuple[str, str]:
    return json.dumps(verdict_json(verdict, "name", before, after)), verdict_text(verdict)


def entry_of(cache: Cache, asked: Question) -> Path:
    (path,) = cache.folder.glob(f"{asked.key[:2]}/{asked.key[2:]}.json")
    return path


@pytest.mark.parametrize("workload", WORKLOADS, ids=lambda workload: workload.name)
def test_what_comes_out_is_what_went_in(workload: Any, tmp_path: Path) -> None:
    cache, kept = Cache(tmp_path), 0
    for seed in range(8):
        sample = workload.sample(seed)
        asked = Question(sample.before, sample.after, LITTLE)
        verdict = validate_cached(sample.before, sample.after, LITTLE, cache)
        if isinstance(verdict, Unsupported):
            assert cache.get(asked) is None
            continue
        kept += 1
        again = validate_cached(sample.before, sample.after, LITTLE, cache)
        assert isinstance(again, Proved | Refuted | Unknown)
        assert again.evidence.cached
        assert told(bare(verdict), sample.before, sample.after) == told(bare(again), sample.before, sample.after)
        assert cache.get(asked) is not None
    assert kept > 5


@pytest.mark.parametrize("pair", [(BEFORE, AFTER), (BEFORE, WRONG), (VACUOUS, VACUOUS), HARD], ids=str)
def test_a_cached_verdict_says_so(pair: tuple[str, str], tmp_path: Path) -> None:
    cache, asked = Cache(tmp_path), question(*pair)
    cache.put(asked, judged(asked))
    found = cache.get(asked)
    assert found is not None
    first_line = verdict_text(found).splitlines()[0]
    assert " (cached)" in first_line
    assert verdict_json(found, "x", asked.before, asked.after)["cached"] is True
    fresh = verdict_text(replace(found, evidence=replace(found.evidence, cached=False)))
    assert first_line.replace(" (cached)", "") == fresh.splitlines()[0]


def other_questions() -> dict[str, Question]:
    declared = "+++\n[struct.Node.fields]\nvalue = 'int'\n+++\n"
    options = {
        "guards": Guards.SAFE,
        "failargs": Failargs.IGNORE,
        "solver": SolverChoice.Z3,
        "floats": Floats.OPAQUE,
        "certify": True,
        "audit": True,
        "simplify": False,
        "notes": False,
        "moved": None,
        "moved_from": 1,
        "runs": False,
        "by_preamble": True,
    }
    found = {name: question(options=replace(LITTLE, **{name: value})) for name, value in options.items()}
    return found | {
        "before": question(BEFORE.replace("100", "101")),
        "after": question(after=AFTER.replace("100", "101")),
        "declarations": question(declared + BEFORE, declared + AFTER),
        "word": question("+++\nword = 8\n+++\n" + BEFORE, "+++\nword = 8\n+++\n" + AFTER),
        "examples": question(examples=(State((1, 2)),)),
    }


def test_a_key_holds_all_that_a_verdict_depends_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    others = other_questions()
    assert {field.name for field in fields(Options)} <= {*others, "effort", "timeout_s", "memory_mb"}
    keys = {asked.key for asked in (question(), *others.values())}
    assert len(keys) == len(others) + 1
    assert question("\n\n# A comment.\n" + BEFORE.replace("int_mul(i0, i1)", "int_mul( i0,i1 )")).key == question().key
    assert question(options=Options(timeout_s=1.0, memory_mb=100)).key == question().key
    monkeypatch.setattr(module, "prover_digest", lambda: "another prover")
    assert question().key not in keys


def test_the_digest_of_the_prover_is_that_of_its_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def digest() -> str:
        module.prover_digest.cache_clear()
        return module.prover_digest()

    first = digest()
    monkeypatch.setattr("validator.__path__", [str(tmp_path)])
    with pytest.raises(Exception, match="the cache needs the source"):
        digest()
    (tmp_path / "solvers").mkdir()
    (tmp_path / "solvers" / "one.py").write_text("x = 1\n")
    second = digest()
    (tmp_path / "solvers" / "one.py").write_text("x = 2\n")
    third = digest()
    (tmp_path / "solvers" / "one.py").rename(tmp_path / "one.py")
    assert len({first, second, third, digest()}) == 4
    module.prover_digest.cache_clear()


@pytest.mark.parametrize("pair", [(BEFORE, AFTER), HARD], ids=["proved", "unknown"])
def test_versions_of_solvers(pair: tuple[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    cache, asked = Cache(tmp_path), question(*pair)

    def is_known(**versions: str) -> bool:
        monkeypatch.setattr(module, "installed_solvers", lambda: versions)
        return cache.get(asked) is not None

    monkeypatch.setattr(module, "installed_solvers", lambda: {"z3": "1", "cvc5": "1"})
    cache.put(asked, judged(asked))
    assert is_known(z3="1", cvc5="1")
    assert is_known(z3="1")
    assert is_known()
    assert not is_known(z3="2")
    assert not is_known(z3="1", cvc5="2")
    assert is_known(z3="1", bitwuzla="1") == (pair is not HARD)


def test_more_effort_tries_again(tmp_path: Path) -> None:
    cache, asked = Cache(tmp_path), question(*HARD)
    verdict = judged(asked)
    assert isinstance(verdict, Unknown)
    cache.put(asked, verdict)
    for effort, is_known in ((20_000, True), (10_000, True), (20_001, False)):
        assert (cache.get(replace(asked, options=Options(effort=effort))) is not None) == is_known
    sure = question()
    cache.put(sure, judged(sure))
    assert cache.get(replace(sure, options=Options(effort=10**9))) is not None


def test_what_is_hard_is_told_in_its_line(tmp_path: Path) -> None:
    cache, asked = Cache(tmp_path), question(*HARD)
    verdict = judged(asked)
    cache.put(asked, verdict)
    found = cache.get(asked)
    assert found is not None
    assert bare(found) == bare(verdict)
    assert cache.get(question("\n" + HARD[0], HARD[1])) is None


def test_a_proof_that_may_be_vacuous_is_tried_again(tmp_path: Path) -> None:
    cache, asked = Cache(tmp_path), question()
    cache.put(asked, Proved(Evidence(vacuous=None)))
    assert isinstance(cache.get(asked), Proved)
    assert cache.get(replace(asked, options=Options())) is None


def test_what_is_not_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    cache, asked = Cache(tmp_path), question(*HARD)
    monkeypatch.setattr(Portfolio, "check", lambda *_: GaveUp("wall"))
    unrepeatable = judged(asked)
    assert isinstance(unrepeatable, Unknown)
    strings = question(
        "[i0]\np1 = call_malloc_nursery(i0)\nfinish(i0)\n", "[i0]\np1 = call_malloc_nursery(i0)\nfinish(i0)\n"
    )
    mistaken = question("[i0]\nfinish(i0)\n", "[i0, i1]\nfinish(i0)\n")
    for one, verdict in (
        (asked, unrepeatable),
        (asked, Proved(Evidence(vacuous=None, is_repeatable=False))),
        (strings, judged(strings)),
        (mistaken, judged(mistaken)),
    ):
        cache.put(one, verdict)
        assert cache.get(one) is None
    assert list(tmp_path.iterdir()) == []
    cache.put(asked, Proved(Evidence(is_repeatable=False)))
    assert cache.get(asked) is not None


# Files that are not whole.


@pytest.mark.parametrize("after", [AFTER, WRONG], ids=["proved", "refuted"])
def test_a_damaged_entry_is_none(after: str, tmp_path: Path) -> None:
    cache, asked = Cache(tmp_path), question(after=after)
    verdict = judged(asked)
    cache.put(asked, verdict)
    path = entry_of(cache, asked)
    whole = path.read_bytes()
    damaged = [whole[:length] for length in range(0, len(whole), 7)]
    damaged += [whole[:at] + bytes([whole[at] ^ 1]) + whole[at + 1 :] for at in range(0, len(whole), 5)]
    for data in (*damaged, b"[]", b"\xff", b"null", whole + b" "):
        path.write_bytes(data)
        assert cache.get(asked) is None
    assert not isinstance(validate_cached(asked.before, asked.after, LITTLE, cache), Unknown)
    assert path.read_bytes() == whole
    other = question(BEFORE.replace("100", "101"))
    (tmp_path / other.key[:2]).mkdir(exist_ok=True)
    (tmp_path / other.key[:2] / f"{other.key[2:]}.json").write_bytes(whole)
    assert cache.get(other) is None


def tampered(cache: Cache, asked: Question, change: Callable[[dict[str, Any]], object]) -> bool:
    """Is the verdict still there when an entry with a good checksum has been changed?"""
    path = entry_of(cache, asked)
    entry = json.loads(path.read_text())
    del entry["checksum"]
    change(entry)
    module._write(path, entry)
    return cache.get(asked) is not None


def shapes(value: Any) -> Iterator[Any]:
    """Data of that shape in which one thing is another one, or is not there."""
    others = [None, [], {}, "x", -1, 10**30, [[]]]
    yield from (other for other in others if other != value)
    parts = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, part in parts:
        for changed in shapes(part):
            copy = value.copy()
            copy[key] = changed
            yield copy
        if isinstance(value, dict):
            yield {name: one for name, one in value.items() if name != key}


@pytest.mark.parametrize("after", [AFTER, WRONG], ids=["proved", "refuted"])
def test_an_entry_of_others_is_never_a_fault(after: str, tmp_path: Path) -> None:
    cache, asked = Cache(tmp_path), question(after=after)
    verdict = judged(asked)
    cache.put(asked, verdict)
    path = entry_of(cache, asked)
    entry = json.loads(path.read_text())
    del entry["checksum"]
    count = 0
    for changed in shapes(entry):
        if not isinstance(changed, dict):
            continue
        module._write(path, changed)
        found = cache.get(asked)
        if found is not None:
            assert type(found) is type(verdict)
            verdict_text(found)
            verdict_json(found, "name", asked.before, asked.after)
        count += 1
    assert count > 100
    for rest in (b"\n", b'"key": 3}', b"}", b"1}"):
        path.write_bytes(module._first_line(rest) + b"\n" + rest)
        assert cache.get(asked) is None


def test_a_counterexample_is_run_again(tmp_path: Path) -> None:
    cache, asked = Cache(tmp_path), question(after=WRONG)

    def change(name: str, value: object) -> Callable[[dict[str, Any]], object]:
        return lambda entry: entry["counterexamples"][0].__setitem__(name, value)

    wrong: list[Callable[[dict[str, Any]], object]] = [
        lambda entry: entry["counterexamples"][0]["state"].__setitem__("inputs", [["i0", 1], ["i1", 1]]),
        lambda entry: entry["counterexamples"][0]["state"].__setitem__("inputs", [["i0", 1]]),
        lambda entry: entry.__setitem__("counterexamples", []),
        lambda entry: entry.pop("counterexamples"),
        change("obligation", "end: argument 0"),
        change("origins", []),
        change("state", {}),
    ]
    for one in (lambda entry: entry, *wrong):
        cache.put(asked, judged(asked))
        assert tampered(cache, asked, one) == (one not in wrong)


def test_many_processes_use_one_cache(tmp_path: Path) -> None:
    cache = Cache(tmp_path)
    asked = [question(after=after) for after in (AFTER, WRONG)]
    verdicts = [judged(one) for one in asked]

    def work() -> None:
        for _ in range(100):
            for one, verdict in zip(asked, verdicts, strict=True):
                cache.put(one, verdict)
                found = cache.get(one)
                assert found is not None
                assert type(found) is type(verdict)

    processes = [multiprocessing.get_context("fork").Process(target=work) for _ in range(3)]
    for process in processes:
        process.start()
    for process in processes:
        process.join()
    assert [process.exitcode for process in processes] == [0, 0, 0]
    assert len([path for path in tmp_path.rglob("*") if path.is_file()]) == 2


# The command.


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    for name, text in (("before", BEFORE), ("after", AFTER), ("wrong", WRONG)):
        (tmp_path / f"{name}.trace").write_text(text)
    lines = [{"name": name, "before": BEFORE, "after": after} for name, after in (("one", AFTER), ("two", WRONG))]
    (tmp_path / "pairs.jsonl").write_text("".join(f"{json.dumps(line)}\n" for line in lines))
    return tmp_path


def run(*args: str) -> Result:
    return CliRunner().invoke(click.Command("validate", callback=lambda: cli.main(args)), [])


def refuse(*_: object) -> None:
    raise AssertionError("a solver was asked")


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_only_the_cache(folder: Path, jobs: str, monkeypatch: pytest.MonkeyPatch) -> None:
    batch = ("--batch", "pairs.jsonl", "--jobs", jobs, "--cache", "known")
    pair = ("before.trace", "after.trace", "--cache", "known")
    assert run(*batch, "--cache-only").exit_code == 2
    (folder / "known").mkdir()
    missing = run(*batch, "--cache-only")
    assert missing.exit_code == 2
    assert [json.loads(line)["reason"] for line in missing.stdout.splitlines()] == [
        f"{name}: the verdict is not in the cache known" for name in ("one", "two")
    ]
    assert run(*pair, "--cache-only").stderr == "error: after.trace: the verdict is not in the cache known\n"
    first = run(*batch)
    assert first.exit_code == 1
    monkeypatch.setattr(Portfolio, "check", refuse)
    monkeypatch.setattr(module, "validate", refuse)
    second = run(*batch, "--cache-only")
    assert second.exit_code == 1
    verdicts = [[json.loads(line)["verdict"] for line in one.stdout.splitlines()] for one in (first, second)]
    assert verdicts == [["proved", "refuted"]] * 2
    assert run(*pair, "--cache-only").stdout.startswith("proved (cached): ")


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_a_cache_that_cannot_be_written_is_told_once(folder: Path, jobs: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, "")

    monkeypatch.setattr("os.replace", full)
    result = run("--batch", "pairs.jsonl", "--jobs", jobs, "--cache", "known")
    assert result.exit_code == 1
    assert len(result.stdout.splitlines()) == 2
    assert result.stderr.startswith("warning: the cache cannot be written: known/")
    assert result.stderr.endswith(": no space is left on the device\n")
    assert result.stderr.count("\n") == 1
    assert run("before.trace", "after.trace", "--cache", "known").stderr.startswith("warning: the cache cannot")
    assert [path for path in (folder / "known").rglob("*") if path.is_file()] == []


def test_wrong_usage(folder: Path) -> None:
    (folder / "file").touch()
    for args in (["--cache-only"], ["--cache", "file"], ["--jobs", "2"], ["--jobs", "0"]):
        assert run("before.trace", "after.trace", *args).exit_code == 2


# Plain data.


@given(st.from_type(Evidence))
def test_evidence_is_plain_data(evidence: Evidence) -> None:
    data = json.loads(json.dumps(to_plain(evidence, module._OF_THE_RUN)))
    assert Proved(from_plain(Evidence, data, module._OF_THE_RUN)) == bare(Proved(evidence))


@pytest.mark.parametrize(
    "change",
    [{"early": 1}, {"early": ["1"]}, {"inferred": 1}, {"vacuous": [None]}, {"more": 1}, {"obligations": [{}]}],
    ids=str,
)
def test_wrong_data_is_refused(change: dict[str, Any]) -> None:
    data = to_plain(Evidence())
    assert from_plain(Evidence, data) == Evidence()
    with pytest.raises(WrongData):
        from_plain(Evidence, data | change)
