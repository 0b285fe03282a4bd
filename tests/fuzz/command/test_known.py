"""Knowledge of a PyPy in files: `pypy-log --learn`, `--with`, and what comes with traceproof."""

from __future__ import annotations

import json
import lzma
import re
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest
from commands import Command, Ended
from pypy_logs import LOG, learned

from optimizer.ir.immutable import replace
from tests.validator.pypy.test_several import HERE, THERE, A, B, loading, put_off
from validator.pypy import kept
from validator.pypy.inferred.witnesses import SEEN_ELSEWHERE
from validator.pypy.kept import Kept, shipped

Run = Callable[..., Ended]
UNUSED = "known of PyPy 7.3.11: not used, this seems to be another PyPy"


@pytest.fixture
def run(traceproof: Command) -> Run:
    """Runs `traceproof pypy-log`; gives the exit code and both outputs."""
    Path("here.log").write_text(put_off(HERE))
    Path("there.log").write_text(put_off(THERE))
    return partial(traceproof, "pypy-log")


def test_what_was_learned_is_used(run: Run) -> None:
    assert run("there.log", "--learn", "known.json") == (0, "known.json: 5 statements of 1 log\n", "")
    assert "unknown" in run("here.log", "--prove", "--jobs", "1").out
    code, out, _ = run("here.log", "--prove", "--jobs", "1", "--with", "known.json")
    assert code == 0
    assert "known of known.json: 1 log" in out.splitlines()
    assert f"does not read <FieldS Counter.inst_count 8>{SEEN_ELSEWHERE}" in out


def test_learning_goes_on(run: Run) -> None:
    run("there.log", "--learn", "first.json")
    run("here.log", "--with", "first.json", "--learn", "second.json")
    run("there.log", "here.log", "--learn", "both.json")
    assert Path("second.json").read_text() == Path("both.json").read_text()
    Path("both.json.xz").write_bytes(lzma.compress(Path("both.json").read_bytes()))
    *_, sums = run("here.log", "--prove", "--jobs", "1", "--json", "--with", "both.json.xz").out.splitlines()
    assert json.loads(sums)["known"] == ["known of both.json.xz: 2 logs", UNUSED]


def test_what_cannot_be_read_is_told(run: Run) -> None:
    Path("cut.json").write_text(learned(put_off(HERE)).text[:100])
    Path("noise.json").write_bytes(b"\xff\xfe")
    Path("noise.json.xz").write_bytes(b"\xff\xfe")
    for file, message in (
        ("cut.json", "cut.json: what is known of a PyPy is damaged here: learn it anew"),
        ("noise.json", "noise.json: what is known of a PyPy is damaged here: learn it anew"),
        ("noise.json.xz", "noise.json.xz: the compressed data is damaged"),
        ("no.json", "no.json: there is no such file"),
        ("here.log", "here.log: what is known of a PyPy is damaged here"),
    ):
        code, out, err = run("there.log", "--prove", "--jobs", "1", "--with", file)
        assert (code, out) == (2, "")
        assert message in err


def test_knowledge_of_another_pypy_is_refused(run: Run) -> None:
    Path("one.log").write_text(loading(A.format(8), B.format(8)))
    Path("other.log").write_text(loading(A.format(16), B.format(16)))
    run("other.log", "--learn", "known.json")
    code, out, err = run("one.log", "--prove", "--with", "known.json")
    assert (code, out) == (2, "")
    assert "one.log and known.json are of two PyPys" in err
    assert run("one.log", "other.log", "--learn", "both.json").code == 2
    assert not Path("both.json").exists()


def test_what_is_shipped_is_used_where_it_is_of_that_pypy(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    assert UNUSED in run("here.log", "--prove", "--jobs", "1").out.splitlines()
    known = replace(learned(put_off(THERE)), name="PyPy 1.2.3")
    monkeypatch.setattr("fuzz.cases.log_run.shipped", lambda: known)
    code, out, _ = run("here.log", "--prove", "--jobs", "1")
    assert code == 0
    assert "known of PyPy 1.2.3: 1 log" in out.splitlines()
    code, out, _ = run("here.log", "--prove", "--jobs", "1", "--without-known")
    assert "unknown" in out
    assert "known of" not in out
    assert json.loads(run("here.log", "--prove", "--json", "--without-known").out.splitlines()[-1])["known"] == []


def test_a_log_without_pairs_teaches_nothing(run: Run) -> None:
    Path("half.log").write_text(LOG.replace("jit-log-opt", "jit-else"))
    code, _, err = run("half.log", "--learn", "known.json")
    assert code == 2
    assert "half.log: only recorded traces are in it" in err
    assert "known.json is not written" in err
    code, out, err = run("half.log", "here.log", "--learn", "known.json")
    assert (code, out) == (2, "known.json: 6 statements of 2 logs\n")
    assert "half.log: only recorded traces are in it" in err


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (
            ("here.log", "--learn", "a.json", "--prove"),
            "only one of --list, --bare, --pairs, --prove, --compare and --learn",
        ),
        (("here.log", "--learn", "a.json", "--extract", "pairs"), "either --learn or --extract"),
        (("here.log", "--learn", "a.json", "--timeout", "3"), "--timeout is for --prove"),
        (("here.log", "--learn", "a.json", "--without-known"), "--without-known is for --prove"),
        (("here.log", "--list", "--with", "a.json"), "--with is for --prove, --compare and --learn"),
        (("here.log", "here.log", "--learn", "a.json"), "a log is given twice"),
    ],
)
def test_what_does_not_go_together(run: Run, args: tuple[str, ...], message: str) -> None:
    code, _, err = run(*args)
    assert code == 2
    assert message in err


# What is shipped.


@pytest.fixture(scope="module")
def known() -> Kept:
    return shipped()


def test_what_is_shipped_is_small_and_of_many_logs(known: Kept) -> None:
    assert known.name == "PyPy 7.3.11"
    assert known.logs > 40
    (file,) = Path(kept.__file__).parent.glob("*.xz")
    assert file.stat().st_size < 300_000
    assert lzma.decompress(file.read_bytes()).decode() == known.text


def test_what_is_shipped_has_no_stores_that_were_put_off(known: Kept) -> None:
    assert not [row for row in known.rows if row[1] == "put off"]


def test_what_is_shipped_says_nothing_of_which_constants_there_are(known: Kept) -> None:
    said = {row[:2] for row in known.rows if row[0] in ("class", "constant")}
    assert said == {("class", "denied"), ("class", "gone"), ("constant", "denied")}
    assert all(row[2].partition("'")[0].isupper() for row in known.rows if row[:2] == ("class", "gone"))
    assert {("class", "denied", "FOR_ITER'"), ("class", "denied", "ConstClass(W_NoneObject)")} <= known.rows


def test_what_is_shipped_has_no_addresses_and_no_paths(known: Kept) -> None:
    assert not [row for row in known.rows for text in row if re.search(r"0x[0-9a-f]|[0-9]{9}|\.py\b", text)]
