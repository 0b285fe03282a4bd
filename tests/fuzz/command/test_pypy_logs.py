"""`traceproof pypy-log`, on the logs of the sample programs."""

from __future__ import annotations

import gzip
import json
import lzma
import shutil
import subprocess
import tempfile
import tracemalloc
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from commands import Command, Ended

from fuzz.campaign.plan import Plan
from fuzz.cases.recorded import recorded_text, sections_of
from fuzz.command.main import main
from optimizer.ir.faults import Unsupported
from optimizer.ir.text import format_trace, parse
from optimizer.pipeline import run_passes
from validator.tell.plain_data import to_plain

PROGRAMS = Path(__file__).parents[2] / "programs"
STORED = sorted((PROGRAMS / "logs").glob("*.log.xz"))
LOG = """[1] {jit-log-noopt
# Traced loop or bridge with 2 ops
[i0]
guard_value(i0, 5)
jump(i0, descr=<Loop-1>)
[2] jit-log-noopt}
[3] {jit-log-noopt
# Traced loop or bridge with 9 ops
[i0]
jump(i0)
[4] jit-log-noopt}
[5] {jit-log-noopt
# Traced loop or bridge with 2 ops
[i0]
unheard_of(i0)
jump(i0)
[6] jit-log-noopt}
"""

Run = Callable[..., Ended]


@pytest.fixture
def run(traceproof: Command) -> Run:
    """Runs `traceproof pypy-log`; gives the exit code and both outputs."""
    Path("run.log").write_text(LOG)
    return partial(traceproof, "pypy-log")


def test_a_log_is_listed(run: Run) -> None:
    code, out, err = run("run.log", "--list")
    assert code == 2
    assert out.splitlines() == [
        "     1      2 operations, line 2",
        "     3      2 operations, line 13",
        "run.log: 3 traces of 5 operations, 1 of them left out",
    ]
    assert err == "run.log:8: trace 2 is left out: the heading promises 9 operations, and there are 1\n"


def test_a_log_is_listed_as_json(run: Run) -> None:
    _, out, _ = run("run.log", "--json")
    first, _, _, total = map(json.loads, out.splitlines())
    assert first == {"number": 1, "line": 2, "operations": 2, "loss": "", "file": None}
    assert total == {"log": "run.log", "traces": 3, "operations": 5, "lost": 1}


def test_traces_are_extracted(run: Run) -> None:
    code, out, err = run("run.log", "--extract", "traces")
    assert code == 2
    assert out == "run.log: 3 traces of 5 operations, 2 of them left out, written to traces\n"
    assert "trace 3 is left out: run.log:15:1: there is no operation unheard_of" in err
    assert [path.name for path in Path("traces").iterdir()] == ["run-0001.trace"]
    text = Path("traces/run-0001.trace").read_text()
    assert text.startswith("# run.log, trace 1, line 2\n# A log does not say what guards hand over.")
    assert text.endswith("[i0]\nguard_value(i0, 5) [i0]\njump(i0, descr=<Loop-1>)\n")


def test_bare_traces_have_no_failargs(run: Run) -> None:
    run("run.log", "--extract", "traces", "--bare")
    text = Path("traces/run-0001.trace").read_text()
    assert (
        text
        == "# run.log, trace 1, line 2\n+++\ncleared = false\n+++\n[i0]\nguard_value(i0, 5)\njump(i0, descr=<Loop-1>)\n"
    )


@pytest.mark.parametrize("args", [("--bare",), ("--list", "--extract", "x")])
def test_options_that_do_not_go_together(run: Run, args: tuple[str, ...]) -> None:
    assert run("run.log", *args)[0] == 2


def test_a_log_may_be_compressed(run: Run) -> None:
    _, expected, _ = run("run.log")
    Path("run.log.gz").write_bytes(gzip.compress(LOG.encode()))
    Path("run.log.xz").write_bytes(lzma.compress(LOG.encode()))
    for name in ("run.log.gz", "run.log.xz"):
        assert run(name)[1] == expected.replace("run.log", name)


@pytest.mark.parametrize("name", ["run.log.gz", "run.log.xz"])
def test_damaged_data_is_the_users_mistake(run: Run, name: str) -> None:
    compress = gzip.compress if name.endswith("gz") else lzma.compress
    Path(name).write_bytes(compress(LOG.encode() * 100)[:-20])
    code, _, err = run(name)
    assert code == 2
    assert f"error: {name}: the compressed data is damaged: " in err
    assert run("missing.log")[0] == 2


def test_a_line_without_an_end_is_not_held() -> None:
    with tempfile.NamedTemporaryFile(suffix=".log") as log:
        log.write(b"\0" * (1 << 25) + b"\n" + LOG.encode())
        log.flush()
        tracemalloc.start()
        sections = list(sections_of(log.name))
        most = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
    assert [section.line for section in sections] == [3, 9, 14]
    assert most < 1 << 23


def test_a_log_without_recorded_traces_is_told(run: Run) -> None:
    Path("empty.log").write_text(LOG.replace("noopt", "opt-loop"))
    code, out, err = run("empty.log")
    assert code == 2
    assert out == "empty.log: 0 traces of 0 operations\n"
    assert "PYPYLOG=jit-log-noopt" in err


def fuzz(*args: str) -> list[dict[str, Any]]:
    """The results of a campaign, by seed."""
    folder = Path("campaign")
    shutil.rmtree(folder, ignore_errors=True)
    with pytest.raises(SystemExit) as ended:
        main(["fuzz", *args, "--jobs", "1", "--folder", str(folder)])
    assert ended.value.code == 0
    lines = [line for file in (folder / "results").iterdir() for line in file.read_text().splitlines()]
    return sorted(map(json.loads, lines), key=lambda told: int(told["seed"]))


def test_a_campaign_begins_with_the_recorded_traces_and_goes_on_with_mutations_of_them(run: Run) -> None:
    Path("run.log").write_text(
        f"{LOG.split('[5]')[0]}[7] {{jit-log-noopt\n[i0]\ni1 = int_add(i0, 0)\njump(i1)\n[8] jit-log-noopt}}\n"
    )
    told = fuzz("--seeds-from", "run.log", "--seed", "50", "--traces", "6")
    assert [one["made"] for one in told] == ["given"] * 2 + ["mutated"] * 4
    assert [one["verdict"] for one in told[:2]] == ["proved", "proved"]
    assert [one["operations"] for one in told[:2]] == [[2, 2], [2, 1]]
    told = fuzz("--seeds-from", "run.log", "--seed", "51", "--traces", "2", "--seeds-skip", "1", "--mutate", "0")
    assert [(one["made"], one["operations"]) for one in told[:1]] == [("given", [2, 1])]
    assert told[1]["made"] == "generated"


def test_what_cannot_be_read_is_told_before_a_campaign_begins(run: Run, capsys: pytest.CaptureFixture[str]) -> None:
    Path("folder").mkdir()
    Path("folder/wrong.trace").write_text("[i0]\nfinish(i1)\n")
    with pytest.raises(SystemExit) as ended:
        main(["fuzz", "--seeds-from", "folder", "--folder", "campaign"])
    assert ended.value.code == 2
    told = capsys.readouterr().err
    assert told.startswith("--seeds-from: left out: folder/wrong.trace:2:8: i1 is not defined\n")
    assert told.endswith("error: --seeds-from: there is no trace in folder\n")
    assert not Path("campaign").exists()
    Path("right.trace").write_text("[i0]\nfinish(i0)\n")
    assert [one["made"] for one in fuzz("--seeds-from", "folder", "--seeds-from", "right.trace", "--traces", "1")] == [
        "given"
    ]
    assert capsys.readouterr().err.startswith("--seeds-from: left out: folder/wrong.trace:2:8: i1 is not defined\n")


@pytest.mark.parametrize(
    "option", [("--jobs", "1"), ("--effort", "9"), ("--timeout", "3"), ("--only", "1"), ("--html", "page.html")]
)
@pytest.mark.parametrize("what", [(), ("--pairs",)])
def test_options_of_proofs_are_not_passed_over(run: Run, option: tuple[str, str], what: tuple[str, ...]) -> None:
    Path("run.log").write_text(LOG)
    code, _, err = run("run.log", *what, *option)
    assert code == 2
    assert f"{option[0]} is for --prove" in err


def test_a_log_without_traces_is_told_with_how_to_get_some(run: Run) -> None:
    Path("none.log").write_text("[1] {jit-summary\n[2] jit-summary}\n")
    code, out, err = run("none.log")
    assert (code, out) == (2, "none.log: 0 traces of 0 operations\n")
    assert err == "none.log: nothing was recorded in it; PyPy records with PYPYLOG=jit-log-noopt:run.log\n"


def test_the_command_that_repeats_a_seed_counts_the_traces_before_it() -> None:
    plan = Plan(100, seeds_from=("run.log",), seeds_skip=2, mutate=100)
    assert plan.command(100, 3) == "traceproof fuzz --seed 100 --traces 3 --seeds-from run.log --seeds-skip 2"
    assert "--seeds-skip 258" in plan.command(356, 1)
    assert not plan.makes_as(replace(plan, seed=101))
    assert plan.makes_as(replace(plan, seed=101, seeds_skip=3))
    assert Plan.read(to_plain(plan)) == plan


def test_twenty_programs_have_logs() -> None:
    assert [path.name.partition(".")[0] for path in STORED] == sorted(path.stem for path in PROGRAMS.glob("*.py"))
    assert len(STORED) == 20
    assert sum(path.stat().st_size for path in STORED) < 500_000


@pytest.mark.parametrize("log", STORED, ids=lambda path: path.name.partition(".")[0])
def test_every_recorded_trace_is_read_and_printed_and_not_too_much_for_the_optimizer(log: Path) -> None:
    sections = list(sections_of(str(log)))
    assert sections
    for number, section in enumerate(sections, start=1):
        assert section.loss == ""
        text = recorded_text(section, str(log), number)
        trace = parse(text)
        assert len(trace.ops) == section.promised
        assert text.endswith(printed := format_trace(trace))
        if number % 5 == 1:
            assert parse(printed) == trace
            with suppress(Unsupported):
                run_passes(trace)


PYPY = shutil.which("pypy3")


@pytest.mark.skipif(PYPY is None, reason="pypy3 is not installed")
@pytest.mark.parametrize("name", ["integers", "shapes", "generators"])
def test_fresh_logs_are_read(run: Run, tmp_path: Path, name: str) -> None:
    environment = {"PYPYLOG": f"jit-log-noopt,jit-summary:{tmp_path / 'fresh.log'}"}
    subprocess.run([str(PYPY), str(PROGRAMS / f"{name}.py")], env=environment, check=True, capture_output=True)
    code, out, _ = run("fresh.log", "--extract", "traces", "--json")
    assert code == 0
    *traces, _ = map(json.loads, out.splitlines())
    assert traces
    for told in traces:
        text = Path(told["file"]).read_text()
        assert text.endswith(format_trace(parse(text)))


PAIR = """\
[1] {jit-log-noopt
# Traced loop or bridge with 3 ops
[i0]
i1 = int_add(i0, 0)
guard_true(i1)
jump(i1)
[2] jit-log-noopt}
[3] {jit-log-opt-loop
# Loop 1 (f;a.py:1) : loop with 2 ops
[i0]
+1: guard_true(i0, descr=<Guard0x1>) [i0]
+2: jump(i0, descr=TargetToken(1))
[4] jit-log-opt-loop}
"""


def test_pairs_are_listed(run: Run) -> None:
    Path("both.log").write_text(PAIR)
    code, out, err = run("both.log", "--pairs")
    assert (code, err) == (0, "")
    assert out.splitlines() == [
        "     1 loop         3 -> 2 operations, 1 -> 1 guards  f;a.py:1",
        "both.log: 1 pair",
        "  1 loop: 3 -> 2 operations, 1 -> 1 guards, 0 -> 0 allocations, 0 -> 0 loads, 0 -> 0 stores, 0 -> 0 calls",
    ]
    code, out, _ = run("both.log", "--pairs", "--json")
    pair, total = map(json.loads, out.splitlines())
    assert (pair["kind"], pair["point"], pair["line"], pair["recorded"]["operations"]) == ("loop", "f;a.py:1", 2, 3)
    assert total == {"log": "both.log", "pairs": 1, "unpaired": 0}


def test_a_log_without_one_kind_of_trace_is_told_with_how_to_get_it(run: Run) -> None:
    half = PAIR.splitlines(keepends=True)
    for text, advice in (
        ("".join(half[:7]), "only recorded traces are in it; PyPy prints the others with jit-log-opt in PYPYLOG, too"),
        (
            "".join(half[7:]),
            "only optimized traces are in it; PyPy prints the others with jit-log-noopt in PYPYLOG, too",
        ),
        ("nothing\n", "no trace is in it; PyPy prints pairs with PYPYLOG=jit-log-noopt,jit-log-opt:run.log"),
    ):
        Path("half.log").write_text(text)
        code, _, err = run("half.log", "--pairs")
        assert code == 2
        assert err.endswith(f"half.log: {advice}\n")


def test_pairs_stand_alone(run: Run) -> None:
    assert run("run.log", "--pairs", "--list").code == 2
