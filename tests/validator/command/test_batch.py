"""What a batch tells of pairs that it could not judge, and that the others do not mind."""

from __future__ import annotations

import json
import os
import signal
import time
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest

from optimizer.ir.trace import Trace
from validator import Options, Verdict, validate
from validator.command.exits import Exit
from validator.command.judging import Judging
from validator.command.requests import Batch, judge_batch

GOOD = "[i0]\nfinish(i0)\n"


def judge(folder: Path, names: list[str], monkeypatch: pytest.MonkeyPatch, jobs: int) -> list[dict[str, Any]]:
    """The verdicts on pairs that make the program do what their first input is called."""

    def planted(before: Trace, after: Trace, options: Options, **_: object) -> Verdict:
        match before.inputs[0].name:
            case "i1":
                time.sleep(1000)
            case "i2":
                os._exit(1)
            case "i3":
                os.kill(os.getpid(), signal.SIGKILL)
            case "i4":
                raise MemoryError
            case "i5":
                raise RuntimeError("planted")
        return validate(before, after, options)

    monkeypatch.setattr("validator.command.judging.validate", planted)
    monkeypatch.setattr("validator.command.requests._LATE_S", 0.1)
    monkeypatch.setattr("tempfile.tempdir", str(folder))
    lines = [json.dumps({"name": f"pair {name}", "before": text, "after": text}) for name, text in texts(names)]
    (folder / "pairs").write_text("\n".join(lines))
    batch = Batch("pairs", Judging(Options(timeout_s=0.2)))
    with (folder / "pairs").open("rb") as file:
        answers = list(judge_batch(file if jobs > 1 else BytesIO(file.read()), batch, jobs))
    told = [json.loads(answer.text) for answer in answers]
    for one, answer in zip(told, answers, strict=True):
        code = {"unknown": Exit.UNKNOWN, "error": Exit.FAULT, "proved": Exit.PROVED}[one["verdict"]]
        assert answer.code == code
    assert [one["name"] for one in told] == [f"pair {name}" for name in names]
    return told


def texts(names: list[str]) -> list[tuple[str, str]]:
    return [(name, GOOD.replace("i0", name)) for name in names]


def test_lost_pairs_are_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    names = ["i0", "i1", "i2", "i0", "i3", "i4", "i5", "i0"]
    told = judge(tmp_path, names, monkeypatch, jobs=2)
    verdicts = ["proved", "unknown", "error", "proved", "unknown", "unknown", "error", "proved"]
    assert [one["verdict"] for one in told] == verdicts
    for number, words in ((1, "the time limit"), (2, "crashed"), (4, "too little memory"), (5, "the memory limit")):
        assert words in told[number]["reason"]
    assert told[2]["fault"] == told[6]["fault"] == "tool"
    assert told[2]["line"] == 3
    reports = [path.read_text() for path in tmp_path.glob("traceproof-fault-*")]
    assert len(reports) == 2
    assert any("pair i2" in report for report in reports)
    assert any("planted" in report for report in reports)


def test_one_job_goes_on_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    told = judge(tmp_path, ["i4", "i5", "i0"], monkeypatch, jobs=1)
    assert [one["verdict"] for one in told] == ["unknown", "error", "proved"]
