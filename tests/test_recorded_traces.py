"""`scripts/recorded-traces`: what is told of recorded traces."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from fuzz.cases.recorded import traces_of
from optimizer.ir.dialects.pypy_log import Section
from optimizer.ir.dialects.pypy_pairs import Unpaired, pair_sections
from recorded_traces.measure import Judged, Task, judge
from recorded_traces.tables import cause_table, program_table, summary

ROOT = Path(__file__).parent.parent
BOXED = """[p0, i1]
debug_merge_point(0, 0, 'f;a.py:1-1~#0 LOAD')
i2 = int_add(i1, 1)
p3 = new_with_vtable(descr=<SizeDescr 16>)
setfield_gc(p3, i2, descr=<FieldS W.value 8>)
i4 = getfield_gc_i(p3, descr=<FieldS W.value 8>)
i5 = int_lt(i4, 10)
guard_true(i5)
jump(p0, i4)
"""


def task(text: str, seconds: float = 5.0) -> Task:
    return Task("x/boxed.log.xz", 3, Section(1, tuple(text.splitlines()), None, True), seconds)


def test_a_recorded_trace_is_judged() -> None:
    told = judge(task(BOXED))
    assert (told.program, told.number, told.verdict, told.vacuous) == ("boxed", 3, "proved", False)
    assert told.before == {"operations": 7, "guards": 1, "allocations": 1, "loads": 1, "stores": 1}
    assert told.after == {"operations": 4, "guards": 1, "allocations": 0, "loads": 0, "stores": 0}


@pytest.mark.parametrize(
    ("text", "verdict", "cause"),
    [
        (
            "[p0]\nescape_n(p0)\nlabel(p0)\nfinish()",
            "unsupported",
            "optimizing: label that is not in front, with the inputs as its arguments",
        ),
        ("[p0]\nunheard_of(p0)", "crash", "InputError: x/boxed.log.xz:N:N: there is no operation unheard_of"),
    ],
)
def test_why_a_trace_is_not_proved(text: str, verdict: str, cause: str) -> None:
    told = judge(task(text))
    assert (told.verdict, told.cause, told.after) == (verdict, cause, {})


def test_what_takes_longer_is_not_proved() -> None:
    told = judge(task(BOXED, 1e-9))
    assert told.verdict == "unknown"
    assert told.seconds > 1e-9


def test_a_crash_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    def crashes(_: object) -> None:
        raise ValueError("no 17")

    monkeypatch.setattr("recorded_traces.measure.run_passes", crashes)
    told = judge(task(BOXED))
    assert (told.verdict, told.cause, told.before["operations"]) == ("crash", "ValueError: no N", 7)


def test_the_tables() -> None:
    proved = judge(task(BOXED))
    lost = [Judged("boxed", number, "unknown", "time") for number in (4, 5)]
    all_told = [proved, Judged("other", 1, "unsupported", "label"), *lost]
    table = program_table(all_told)
    assert "| boxed | 3 | 1 | 7 → 4 | 1 → 1 | 1 → 0 | 1 → 0 | 1 → 0 |" in table
    assert "| all | 4 | 1 | 7 → 4 |" in table
    assert cause_table(all_told).splitlines()[2:] == [
        "| 2 | unknown | time | boxed 4 |",
        "| 1 | unsupported | label | other 1 |",
    ]
    assert cause_table([proved]) == ""
    assert summary(all_told).startswith("4 traces: 2 unknown, 1 proved, 1 unsupported (25.0 % proved, none of them")
    assert "1 of them vacuous" in summary([replace(proved, vacuous=True)])


def test_the_command(tmp_path: Path) -> None:
    log = tmp_path / "boxed.log"
    log.write_text(f"[1] {{jit-log-noopt\n# Traced loop or bridge with 8 ops\n{BOXED}[2] jit-log-noopt}}\n")
    environment = {**os.environ, "PYTHONPATH": f"{ROOT}:{ROOT / 'scripts'}"}
    command = [sys.executable, "-m", "recorded_traces", str(log), "--jobs", "1", "--json"]
    done = subprocess.run(command, env=environment, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
    told = json.loads(done.stdout)
    assert told["verdicts"] == {"proved": 1}
    assert told["traces"][0]["before"]["operations"] == 7


def test_every_trace_of_the_stored_logs_has_its_pair() -> None:
    logs = sorted((ROOT / "tests" / "programs" / "pairs").glob("*.log.xz"))
    assert len(logs) == 20
    items = [item for log in logs for item in pair_sections(traces_of(str(log)))]
    assert len(items) > 250
    assert [item.reason for item in items if isinstance(item, Unpaired)] == []
