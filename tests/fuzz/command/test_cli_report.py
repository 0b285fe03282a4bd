"""The command `report`."""

from __future__ import annotations

from pathlib import Path

import pytest
from report_folder import BEFORE, CASES, WRONG, make_campaign

from fuzz.cases.store import store_case
from fuzz.command.main import main


def report(*args: str) -> int:
    with pytest.raises(SystemExit) as ended:
        main(["report", *args])
    return int(ended.value.code or 0)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_two_traces(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "before.trace").write_text(BEFORE)
    (folder / "after.trace").write_text(WRONG)
    assert report("before.trace", "after.trace") == 0
    assert capsys.readouterr().out == "after.html\n"
    assert "guard 1: failarg 0" in (folder / "after.html").read_text()
    assert report("before.trace", "after.trace", "--failargs", "ignore", "-o", "-") == 0
    assert "obligations hold" in capsys.readouterr().out


def test_a_case_by_name_and_by_folder(folder: Path) -> None:
    (folder / "corpus").mkdir()
    for one in CASES:
        store_case(folder / "corpus", one)
    for what in (CASES[0].name, f"corpus/{CASES[1].name}", CASES[2].name):
        assert report(what) == 0
        assert (folder / f"{Path(what).name}.html").read_text().startswith("<!doctype html>")


def test_a_campaign(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    make_campaign(folder / "tonight")
    assert report("tonight", "-o", "page.html") == 0
    assert not (folder / "tonight" / "report").exists()
    assert report("tonight") == 0
    assert capsys.readouterr().out.splitlines()[-1] == "found: 1 crash, 1 malformed, 2 refuted in 3 buckets"
    assert (folder / "page.html").read_text() == (folder / "tonight" / "report" / "index.html").read_text()


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (["nothing"], "there is no case 'nothing' in corpus"),
        (["a", "b", "c"], "Expected a case, a folder, or two traces"),
        (["-", "-"], "Only one of BEFORE and AFTER"),
        (["one.trace"], "one.trace is one trace: a pair is two, BEFORE and AFTER"),
        (["x.trace", "y.trace"], "x.trace: there is no such file"),
    ],
)
def test_mistakes(folder: Path, capsys: pytest.CaptureFixture[str], args: list[str], message: str) -> None:
    (folder / "one.trace").write_text("[]\nfinish()\n")
    assert report(*args) == 2
    assert message in capsys.readouterr().err
