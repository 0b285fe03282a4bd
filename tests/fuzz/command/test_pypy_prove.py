"""`traceproof pypy-log --prove`: the verdicts on what PyPy's optimizer made of each recorded trace."""

from __future__ import annotations

import gzip
import json
import os
import pty
import random
import signal
import subprocess
import sys
from collections.abc import Callable, Generator
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from commands import Command, Ended, start
from processes import ROOT, children_of, is_running, wait_until
from pypy_logs import LOG, POINT, across_a_call, boxed, bridge, given_up, recorded

from fuzz.cases.log_run import prove_logs
from fuzz.command.pypy.prove import Proving

Run = Callable[..., Ended]


@pytest.fixture
def run(traceproof: Command) -> Run:
    """Runs `traceproof pypy-log` on one process; gives the exit code and both outputs."""
    Path("run.log").write_text(LOG)
    return partial(traceproof, "pypy-log")


def prove(run: Run, log: str, *args: str) -> list[dict[str, Any]]:
    """The JSON of a proof of the log."""
    return [json.loads(line) for line in run(log, "--prove", "--jobs", "1", "--json", *args).out.splitlines()]


def test_limits_are_those_that_are_given() -> None:
    options = Proving(jobs=1, effort=7, timeout_s=3).judging.options
    assert (options.effort, options.timeout_s) == (7, 3)


def test_each_pair_has_a_line_and_the_sums_stand_below(run: Run) -> None:
    code, out, err = run("run.log", "--prove", "--jobs", "1")
    assert code == 1
    first, second, third, *rest = out.splitlines()
    assert first == "     1 loop         proved      5 -> 2 operations, 0 -> 0 guards  f;a.py:4-9~#40 FOR_ITER"
    assert second.startswith("     3 bridge       proved      6 -> 5 operations, 1 -> 1 guards  f;a.py:4-11~#40")
    assert third.startswith(
        "     4 loop         refuted     5 -> 2 operations, 0 -> 0 guards  f;a.py:4-9~#40 FOR_ITER: "
    )
    assert rest[0] == "run.log: 3 pairs, 1 trace without"
    assert [line.split() for line in rest[1:5]] == [
        ["pairs", "proved", "refuted"],
        ["loop", "2", "1", "1"],
        ["bridge", "1", "1", "0"],
        ["all", "3", "2", "1"],
    ]
    assert rest[5].startswith("a pair takes ")
    assert "refuted: argument N of the end is" in "\n".join(rest)
    assert "call <Callv 0 r EF=5>@tell does not write <FieldS Counter.inst_count 8>" in "\n".join(rest)
    assert rest[-1] == "2 proofs, nothing inferred is needed for 1 of them"
    assert err == (
        "run.log:20: trace 2 has no pair: no optimized trace follows: PyPy gave it up, or the log has none\n"
    )


def test_json_has_the_verdict_of_a_batch_and_all_sums(run: Run) -> None:
    first, unpaired, second, third, sums = prove(run, "run.log")
    assert (first["number"], first["kind"], first["verdict"]) == (1, "loop", "proved")
    assert first["recorded"] == {"operations": 5, "guards": 0, "allocations": 1, "loads": 1, "stores": 1, "calls": 0}
    assert first["inferred"] == ["<FieldS W_IntObject.inst_intval 8 pure> never changes"]
    assert first["proved_without_inferred"] is True
    assert unpaired["number"] == 2
    assert "unpaired" in unpaired
    assert second["inferred"] == ["call <Callv 0 r EF=5>@tell does not write <FieldS Counter.inst_count 8>"]
    assert second["proved_without_inferred"] is False
    assert third["counterexample"]
    assert third["proved_without_inferred"] is None
    assert sums["verdicts"]["all"] == {
        "pairs": 3,
        "proved": 2,
        "vacuous": 0,
        "refuted": 1,
        "unknown": 0,
        "unsupported": 0,
        "error": 0,
    }
    assert sums["unpaired"] == 1
    assert sums["proved_without_inferred"] == 1
    assert {"assumes": second["inferred"][0], "proofs": 1} in sums["assumptions"]


def test_resume_data_and_what_a_call_leaves_are_a_line_each(run: Run) -> None:
    lines = run("run.log", "--prove", "--jobs", "1").out.splitlines()
    assert len([line for line in lines if "resume data" in line or "failargs" in line]) == 1
    assert len([line for line in lines if "call <Callv 0 r EF=5>@tell does not write" in line]) == 1


def test_what_the_log_does_not_say_is_told(run: Run) -> None:
    again = across_a_call().replace(
        "i3 = int_add(i1, i1)", "i2 = getfield_gc_i(p0, descr=<FieldS Counter.inst_count 8>)\n+4: i3 = int_add(i1, i2)"
    )
    Path("denied.log").write_text(across_a_call() + again.replace("with 6 ops", "with 7 ops"))
    first, *_, sums = prove(run, "denied.log")
    assert first["verdict"] == "unknown"
    assert {"missing": "call <Callv 0 r EF=5>@tell does not write <FieldS Counter.inst_count 8>", "pairs": 1} in sums[
        "missing"
    ]
    lines = run("denied.log", "--prove", "--jobs", "1").out.splitlines()
    assert "the log does not say what PyPy knew: call <Callv 0 r EF=5>@tell does not " in lines[0]
    assert "not in the log, each with the number of pairs that may be right because of it:" in lines


def test_the_place_in_the_program_is_told(run: Run) -> None:
    """PyPy knew what a constant holds, and left a guard out."""
    load = "p1 = getfield_gc_r(ConstPtr(ptr5), descr=<FieldP A.inst_map 8>)"
    before = recorded("[p0]", POINT.format(line=7), load, "guard_value(p1, ConstPtr(ptr6))", "finish(p0)")
    Path("gone.log").write_text(before + bridge("[p0]", POINT.format(line=7), "+1: finish(p0)"))
    where = "guard 0 of the recorded trace: guard_value of what a constant object holds at f;a.py:4-7~#40 FOR_ITER"
    first, _ = prove(run, "gone.log")
    assert (first["verdict"], first["where"]) == ("unknown", where)
    assert f"; {where}: " in run("gone.log", "--prove", "--jobs", "1", "--html", "page.html").out
    assert where in Path("page.html").read_text()


def test_several_processes_say_the_same(run: Run) -> None:
    def said(jobs: str) -> list[str]:
        lines = run("run.log", "--prove", "--jobs", jobs).out.splitlines()
        return [line for line in lines if not line.startswith("a pair takes")]

    assert said("2") == said("1")


def test_a_pair_alone_is_judged_with_what_the_whole_log_says(run: Run) -> None:
    only, sums = prove(run, "run.log", "--only", "3")
    assert (only["number"], only["verdict"]) == (3, "proved")
    assert only["inferred"]
    assert sums["pairs"] == 1
    code, _, err = run("run.log", "--prove", "--only", "9", "--jobs", "1")
    assert code == 2
    assert err == "run.log: there is no pair 9: it has 3 pairs\n"
    assert run("run.log", "--prove", "--jobs", "1", "--only", "3", "--only", "9").err == err


def test_exit_codes_are_those_of_a_batch(run: Run) -> None:
    Path("good.log").write_text(boxed() + given_up())
    assert run("good.log", "--prove", "--jobs", "1").code == 0
    peeled = boxed().replace("+19: ", "+18: label(p0, i1, descr=TargetToken(141))\n+18: label(p0, i1, descr=T(1))\n")
    Path("odd.log").write_text(peeled.replace("with 4 ops", "with 5 ops"))
    assert run("odd.log", "--prove", "--jobs", "1").code in (2, 4)


def test_verdicts_are_kept_in_a_cache(run: Run) -> None:
    prove(run, "run.log", "--cache", "kept")
    again = prove(run, "run.log", "--cache", "kept")
    assert [pair["cached"] for pair in again if "cached" in pair] == [True, True, True]


def test_junit_fails_for_what_is_refuted(run: Run) -> None:
    run("run.log", "--prove", "--jobs", "1", "--junit", "pairs.xml")
    suite = ElementTree.parse("pairs.xml").getroot()[0]
    assert (suite.get("tests"), suite.get("failures"), suite.get("errors")) == ("3", "1", "0")
    (failure,) = suite.iter("failure")
    assert "argument 1 of the end" in (failure.get("message") or "")


def test_the_page_shows_refuted_pairs_with_their_runs(run: Run) -> None:
    run("run.log", "--prove", "--jobs", "1", "--html", "run.html")
    page = Path("run.html").read_text()
    assert "3 pairs of recorded traces" in page
    assert "Pair 4, loop: f;a.py:4-9~#40 FOR_ITER" in page
    assert "call &lt;Callv 0 r EF=5&gt;@tell does not write" in page
    assert "first" in page
    assert "<script" not in page


def test_pairs_are_cases_that_other_commands_work_on(run: Run, traceproof: Command) -> None:
    code, out, _ = run("run.log", "--pairs", "--extract", "pairs", "--jobs", "1")
    assert code == 1
    assert out.endswith("\nthe pairs are in pairs; their case.toml says with what --failargs they are judged\n")
    assert sorted(path.name for path in Path("pairs").iterdir()) == ["run-0001", "run-0003", "run-0004"]
    traces = [f"pairs/run-0003/{name}.trace" for name in ("before", "after")]
    assert "# assumes: call <Callv 0 r EF=5>@tell does not write" in Path(traces[0]).read_text()
    assert traceproof("validate", *traces).code == 0
    assert traceproof("report", "pairs/run-0004").code == 0
    reduced = traceproof("reduce", "pairs/run-0004", "--json")
    assert reduced.code == 0
    assert json.loads(reduced.out)["operations"][1] < 7
    assert traceproof("corpus", "run", "--corpus", "pairs", "--jobs", "1").code == 0
    again = run("run.log", "--prove", "--extract", "pairs", "--only", "1", "--jobs", "1")
    assert again.code == 2
    assert "pair 1 is not extracted: pairs/run-0001 is there already" in again.err


@pytest.mark.parametrize(
    "args",
    [
        ("--prove", "--pairs"),
        ("--prove", "--bare", "--extract", "x"),
        ("--prove", "--list"),
        ("--only", "1"),
        ("--html", "x.html"),
    ],
)
def test_options_that_do_not_go_together(run: Run, args: tuple[str, ...]) -> None:
    assert run("run.log", *args).code == 2


# Logs that are not whole.


@pytest.mark.parametrize(
    ("missing", "message"),
    [
        ("jit-log-opt", "only recorded traces are in it; PyPy prints the others with jit-log-opt in PYPYLOG, too"),
        ("jit-log-noopt", "only optimized traces are in it; PyPy prints the others with jit-log-noopt in PYPYLOG, too"),
    ],
)
def test_a_missing_section_is_told_by_its_option(run: Run, missing: str, message: str) -> None:
    Path("half.log").write_text(LOG.replace(missing, "jit-else"))
    code, _, err = run("half.log", "--prove", "--jobs", "1")
    assert code == 2
    assert err.endswith(f"half.log: {message}\n")


@pytest.mark.parametrize(
    "data", [b"", b"\0\xff\x80" * 1000, b"[1] {jit-log-noopt\n\n[2] jit-log-noopt}\n", b"{\n" * 99]
)
def test_what_is_no_log_is_told(run: Run, data: bytes) -> None:
    Path("odd.log").write_bytes(data)
    code, _, err = run("odd.log", "--prove", "--jobs", "1")
    assert code == 2
    assert "odd.log: " in err
    assert "Traceback" not in err


def test_a_log_may_end_anywhere(run: Run) -> None:
    whole = LOG.encode()
    for end in range(0, len(whole), 97):
        Path("cut.log").write_bytes(whole[:end])
        code, _, err = run("cut.log", "--prove", "--jobs", "1")
        assert code in (0, 1, 2)
        assert "Traceback" not in err


def test_damaged_lines_are_counted_and_never_a_fault(run: Run) -> None:
    draw = random.Random(5)
    for _ in range(60):
        lines = LOG.splitlines()
        for _ in range(draw.randrange(1, 4)):
            at = draw.randrange(len(lines))
            lines[at : at + 1] = draw.choice(
                ([], [lines[at]] * 2, [lines[at][: len(lines[at]) // 2]], ["\x00 garbage("])
            )
        Path("odd.log").write_text("\n".join(lines))
        code, _, err = run("odd.log", "--prove", "--jobs", "1", "--timeout", "5")
        assert code in (0, 1, 2, 3, 4), err


def test_a_damaged_log_is_an_error_in_all_that_machines_read(run: Run) -> None:
    data = gzip.compress(LOG.encode(), mtime=0)
    Path("cut.log.gz").write_bytes(data[: len(data) - 20])
    args = "--junit", "cut.xml", "--html", "cut.html"
    code, out, err = run("cut.log.gz", "--prove", "--jobs", "1", "--json", *args)
    sums = json.loads(out.splitlines()[-1])
    suite = ElementTree.parse("cut.xml").getroot()[0]
    assert (code, suite.get("errors")) == (2, "1")
    assert sums["problems"] == [err.strip()]
    assert err.strip() in Path("cut.html").read_text()


def test_a_byte_order_mark_hides_no_trace(run: Run) -> None:
    Path("marked.log").write_text(f"\ufeff{LOG}", encoding="utf-8")
    assert [one["pairs"] for one in prove(run, "marked.log")[-1:]] == [3]


def test_traces_of_two_processes_are_no_pair(run: Run) -> None:
    """Their sections stand behind each other, or in each other."""
    first, second = boxed(), across_a_call()
    middle = first.index("[1] {jit-log-opt")
    cut = second.index("[1] {jit-log-opt")
    Path("mixed.log").write_text(second[:cut] + first[:middle] + second[cut:] + first[middle:])
    code, out, err = run("mixed.log", "--prove", "--jobs", "1")
    assert code == 2
    assert "mixed.log: 0 pairs, 3 traces without" in out
    assert "passes other places of the program" in err
    at = first.index("p2 = new")
    Path("nested.log").write_text(first[:at] + second + first[at:])
    code, out, _ = run("nested.log", "--prove", "--jobs", "1")
    assert out.splitlines()[-1] or code in (0, 2)


def test_a_log_comes_through_a_pipe_and_compressed(run: Run, tmp_path: Path) -> None:
    Path("run.log.gz").write_bytes(gzip.compress(LOG.encode()))
    assert "3 pairs, 1 trace without" in run("run.log.gz", "--prove", "--jobs", "1").out
    piped = subprocess.run(
        [sys.executable, "-c", "from fuzz.command.main import main; main()", "pypy-log", "-", "--prove", "--jobs", "2"],
        input=LOG,
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )
    assert piped.returncode == 1
    assert "<standard input>: 3 pairs, 1 trace without" in piped.stdout
    assert "\r" not in piped.stderr
    Path("cut.log.gz").write_bytes(gzip.compress((LOG * 40).encode())[:-30])
    code, out, err = run("cut.log.gz", "--prove", "--jobs", "1")
    assert code in (1, 2)
    assert "\ncut.log.gz: the compressed data is damaged" in err
    assert "proved" in out
    Path("plain.gz").write_text(LOG)
    code, _, err = run("plain.gz", "--prove", "--jobs", "1")
    assert (code, err) == (2, "plain.gz: the compressed data is damaged: Not a gzipped file (b'[1')\n")


# Terminals, and being killed.


def test_a_terminal_shows_how_far_it_is(tmp_path: Path) -> None:
    (tmp_path / "run.log").write_text(LOG * 20)
    code = (
        "import validator.command.status as status; status._EVERY_S = 0.0\nfrom fuzz.command.main import main; main()"
    )
    head, tail = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-c", code, "pypy-log", "run.log", "--prove", "--jobs", "1"],
        cwd=tmp_path,
        stdout=subprocess.DEVNULL,
        stderr=tail,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )
    os.close(tail)
    told = b""
    while True:
        try:
            part = os.read(head, 1 << 16)
        except OSError:
            break
        if not part:
            break
        told += part
    os.close(head)
    assert process.wait() == 1
    assert b"pairs are read" in told
    assert b" of 60 pairs in " in told


def test_workers_end_with_the_command(tmp_path: Path) -> None:
    (tmp_path / "run.log").write_text(LOG * 100)
    process = start(["pypy-log", "run.log", "--prove", "--jobs", "2"], tmp_path)
    wait_until(lambda: len(children_of(process.pid)) == 2)
    workers = children_of(process.pid)
    os.kill(process.pid, signal.SIGKILL)
    wait_until(lambda: not any(map(is_running, workers)))


def test_ctrl_c_ends_the_proofs(tmp_path: Path) -> None:
    (tmp_path / "run.log").write_text(LOG * 100)
    process = start(["pypy-log", "run.log", "--prove", "--jobs", "2"], tmp_path)
    wait_until(lambda: len(children_of(process.pid)) == 2)
    os.kill(process.pid, signal.SIGINT)
    process.communicate()
    assert process.returncode == 130


def test_what_was_judged_before_an_interruption_is_told(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    from fuzz.command.pypy import prove as command

    def broken_off(*args: Any) -> Generator[Any]:
        with closing(prove_logs(*args)) as outcomes:
            yield next(outcomes)
        raise KeyboardInterrupt

    monkeypatch.setattr(command, "prove_logs", broken_off)
    told = "interrupted: 1 pair of 3 judged"
    ended = run(
        "run.log", "--prove", "--jobs", "1", "--html", "run.html", "--junit", "pairs.xml", "--only", "1", "--only", "2"
    )
    assert (ended.code, ended.err) == (130, f"{told}\n")
    assert ended.out.endswith("1 proof, nothing inferred is needed for 1 of them\n")
    assert f"<strong>{told}</strong>" in Path("run.html").read_text()
    suite = ElementTree.parse("pairs.xml").getroot()[0]
    assert (suite.get("tests"), suite.get("errors")) == ("2", "1")
    assert prove(run, "run.log")[-1]["problems"] == [told]


def test_a_reader_that_goes_ends_the_proofs_quietly(tmp_path: Path) -> None:
    (tmp_path / "run.log").write_text(LOG)
    reader, writer = os.pipe()
    os.close(reader)
    program = [sys.executable, "-c", "from fuzz.command.main import main; main()", "pypy-log", "run.log", "--prove"]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        program, cwd=tmp_path, env=environment, stdout=writer, stderr=subprocess.PIPE, text=True, check=False
    )
    os.close(writer)
    assert (done.returncode, done.stderr) == (141, "")
