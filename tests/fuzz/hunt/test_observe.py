"""What counts as a fault of a target, and what a slow machine or a moody program explains."""

from __future__ import annotations

from pathlib import Path

import pytest
from fakes import MISCOMPILED, SOURCE, fake

from fuzz.hunt.observe import FindKind, Observer, Seen
from fuzz.hunt.target import Limits, Target, open_target


def seen(folder: Path, plant: str, source: str = SOURCE, seconds: float = 0.5, *, is_portable: bool = True) -> Seen:
    (folder / "program.py").write_text(source)
    observer = Observer(Target(fake(folder, plant)), Limits(seconds, 256))
    return observer.observe(folder / "program.py", is_portable=is_portable)


def kind_of(result: Seen) -> FindKind | None:
    assert (result.find is None) or not (result.useless or result.once)
    return None if result.find is None else result.find.kind


def test_nothing_is_wrong(tmp_path: Path) -> None:
    assert seen(tmp_path, "") == Seen()


@pytest.mark.parametrize(
    ("plant", "kind"),
    [
        (MISCOMPILED, FindKind.DIFFERENCE),
        ("if jit: exec(compile(source, '', 'exec')); sys.exit(3)", FindKind.DIFFERENCE),
        ("if jit: os.abort()", FindKind.CRASH),
        ("os.abort()", FindKind.CRASH),
        ("if jit: os.kill(os.getpid(), 11)", FindKind.CRASH),
        ("if jit: sys.stderr.write('Fatal RPython error: X'); sys.exit(1)", FindKind.CRASH),
        ("if jit: time.sleep(100)", FindKind.HANG),
        ("source = source.replace('//', '-')", FindKind.INTERPRETER),
    ],
)
def test_planted_faults_are_found(tmp_path: Path, plant: str, kind: FindKind) -> None:
    assert kind_of(seen(tmp_path, plant)) is kind


@pytest.mark.parametrize(
    "plant",
    [
        "if jit and first_time('slow'): time.sleep(100)",
        "if first_time('crash'): os.abort()",
        "if jit: raise MemoryError",
        "if jit: sys.stderr.write('out of memory: a few KB'); os.abort()",
        "if jit: os.kill(os.getpid(), 9)",
        "if jit: x = bytearray(2 << 30)",
        "time.sleep(100)",
        "source += 'print(time.time_ns())'",
        "if jit and first_time('odd'): print('odd')",
        "if jit: print('odd') if first_time('odd') else os.kill(os.getpid(), 9)",
    ],
)
def test_what_the_machine_explains_is_no_find(tmp_path: Path, plant: str) -> None:
    result = seen(tmp_path, plant)
    assert result.find is None
    assert bool(result.once) is ("odd" in plant)


def test_a_program_that_other_pythons_do_not_run_is_not_compared_with_them(tmp_path: Path) -> None:
    plant = "source = source.replace('//', '-')"
    assert seen(tmp_path, plant, is_portable=False) == Seen()


def test_what_differs_first_is_told(tmp_path: Path) -> None:
    find = seen(tmp_path, MISCOMPILED).find
    assert find is not None
    assert find.what == "f1"
    assert find.printed[1] == "f1 3 2"
    assert find.printed[3] == "f1 5 2"
    assert "--jit off" in find.printed[0]


def test_exceptions_that_both_runs_end_with_are_the_same(tmp_path: Path) -> None:
    assert seen(tmp_path, "", "print('f0')\n1 / 0\n") == Seen()


def test_a_target_is_asked_what_it_is(tmp_path: Path) -> None:
    target = open_target(fake(tmp_path), "vec=1")
    assert target.version[0].isdigit()
    words = target.words("program.py")
    assert words[-5:-3] == ("--jit", target.options)
    assert target.options.endswith(",vec=1")
