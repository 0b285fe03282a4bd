"""`traceproof hunt` on targets with planted faults, from the command to the cases that it stores."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path

import pytest
from commands import Command, Ended, claiming, start
from fakes import BRANCHING, MISCOMPILED, RIGHT, SOURCE, WRONG, drawn, fake, mutant, spoiled
from processes import wait_until
from pypy_logs import POINT

from fuzz.cases.store import Case, read_case
from fuzz.hunt.finds import again, bucket, is_same
from fuzz.hunt.hunting import Hunt
from fuzz.hunt.observe import Find, FindKind, Observer
from fuzz.hunt.plan import Plan, Result, read_plan, read_results
from fuzz.hunt.programs.program import Program
from fuzz.hunt.proofs import Proofs
from fuzz.hunt.target import Target
from fuzz.hunt.trial import likeness
from optimizer.ir.immutable import replace
from tests.validator.pypy.test_stock import LOG

PYPY = shutil.which("pypy3")


@pytest.fixture(autouse=True)
def _small_programs(monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> None:
    if "real" not in request.node.name:
        monkeypatch.setattr("fuzz.hunt.hunting.draw_program", drawn)
        monkeypatch.setattr("fuzz.hunt.hunting.mutated", mutant)
        monkeypatch.setattr("fuzz.hunt.trial.mutated", mutant)


def hunted(traceproof: Command, target: str, *args: str, programs: int = 1) -> Ended:
    chosen = ("--seed", "5", "--programs", str(programs), "--jobs", "1", "--prove", "100")
    return traceproof("hunt", "--target", target, *chosen, *args)


def test_a_sound_target_shows_nothing(traceproof: Command) -> None:
    done = hunted(traceproof, fake(traceproof.folder))
    assert done.code == 0
    assert "1 program, 1 trace in" in done.out
    assert "1 proved (100.0 % judged, 100.0 % of these proved)" in done.out
    assert "found: nothing" in done.out
    assert "refuted" not in done.out
    assert not list((traceproof.folder / "hunt" / "cases").iterdir())


def test_a_loop_that_differs_where_no_run_of_it_was_found_is_a_suspect(traceproof: Command) -> None:
    right = LOG.partition("[5]")[0].replace("a.py", "program.py")
    wrong = right.replace("setfield_gc(p10, i8,", "setfield_gc(p10, i3,")
    done = hunted(traceproof, fake(traceproof.folder, log=wrong), "--json")
    end = json.loads(done.out.splitlines()[-1])
    (told,) = end["suspects"]
    assert told["where"].startswith("pair 1: loop")
    assert "but no run of the loop was found that shows it" in told["reason"]
    assert "resume data" in told["assumes"]
    assert end["unconfirmed"] == []
    done = hunted(traceproof, fake(traceproof.folder, log=wrong), "--folder", "again")
    assert "differ in a loop, but no run was found that shows it: 1\n    seed 5, pair 1: loop" in done.out
    done = hunted(traceproof, fake(traceproof.folder, log=right), "--folder", "right")
    assert "differ in a loop" not in done.out


def test_a_trace_that_no_run_shows_is_listed_apart(traceproof: Command) -> None:
    done = hunted(traceproof, fake(traceproof.folder, log=WRONG), "--json")
    assert done.code == 3
    listed, end = map(json.loads, done.out.splitlines())
    assert listed["kind"] == "unconfirmed"
    assert listed["seed"] == 5
    assert listed["where"].startswith("pair 1: loop")
    assert listed["reason"]
    assert isinstance(listed["assumes"], list)
    assert end["finds"] == {}
    assert end["verdicts"]["refuted"] == 1
    assert end["unconfirmed"] == [{key: listed[key] for key in ("seed", "where", "reason", "assumes")}]
    assert not list((traceproof.folder / "hunt" / "cases").iterdir())


def test_what_is_printed_otherwise_is_a_find_with_its_wrong_trace(traceproof: Command) -> None:
    done = hunted(traceproof, fake(traceproof.folder, MISCOMPILED, WRONG))
    assert done.code == 1
    assert "found: 1 difference" in done.out
    cases = traceproof.folder / "hunt" / "cases"
    (name,) = (path.name for path in cases.iterdir())
    case = read_case(cases, name)
    assert name.startswith("difference-floordiv-")
    assert case.kind == "difference"
    assert "//" in case.program
    assert "for" not in case.program
    assert len(case.program.splitlines()) == 1
    assert case.log == WRONG
    assert case.expect == "refuted"
    assert case.after is not None
    assert "int_add" in case.after
    assert dict(case.versions)["target"]
    assert "threshold=" in case.jit
    assert "it prints something else with the JIT than without" in case.report
    assert "refuted" in case.report


def test_a_difference_is_a_find_though_all_traces_are_proved(
    traceproof: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("fuzz.hunt.finds.shrink", lambda source, *_: source)
    done = hunted(traceproof, fake(traceproof.folder, MISCOMPILED), programs=2)
    assert done.code == 1
    assert "found: 2 difference" in done.out
    (case,) = (traceproof.folder / "hunt" / "cases").iterdir()  # one bucket
    assert not (case / "before.trace").exists()


def test_a_crash_is_a_find_and_named_after_where_it_crashed(traceproof: Command) -> None:
    words = 'RPython traceback:\\n  File "a.c", line 1, in optimize_loop\\nFatal RPython error: AssertionError\\n'
    plant = f"if jit and '*' in source: sys.stderr.write({words!r}.replace('\\\\n', chr(10))); os.abort()"
    done = hunted(traceproof, fake(traceproof.folder, plant))
    assert done.code == 1
    (case,) = (traceproof.folder / "hunt" / "cases").iterdir()
    assert case.name.startswith("crash-assertionerror-in-optimize-loop-")
    assert len((case / "program.py").read_text().splitlines()) <= 2
    assert "Fatal RPython error: AssertionError" in (case / "report.txt").read_text()


def test_a_signal_alone_tells_no_place() -> None:
    """So it is no cause that may be known already, and what is left of the programs tells finds apart."""
    signal, place = (Find(FindKind.CRASH, what) for what in ("SIGSEGV", "AssertionError in optimize_loop"))
    programs = ("print(7 // 2)", "print(5 - 3)")
    assert [bucket(signal, one).rpartition("-")[0] for one in programs] == [
        "crash-sigsegv-floordiv",
        "crash-sigsegv-sub",
    ]
    assert len({bucket(place, one) for one in programs}) == 1
    assert (likeness(signal, Proofs()), likeness(place, Proofs())) == ("crash SIGSEGV", f"crash: {place.what}")


@pytest.mark.parametrize(
    ("kind", "one", "other", "same"),
    [
        (FindKind.CRASH, "SIGSEGV", "SIGSEGV", True),
        (FindKind.CRASH, "SIGSEGV", "SIGABRT", False),
        (FindKind.DIFFERENCE, "f0 f1", "f2", True),  # a smaller program may have other functions
        (FindKind.DIFFERENCE, "f0", "", False),  # one of the runs ends otherwise
    ],
)
def test_a_smaller_program_fails_in_the_same_way(kind: FindKind, one: str, other: str, *, same: bool) -> None:
    assert is_same(Find(kind, one), Find(kind, other)) is is_same(Find(kind, other), Find(kind, one)) is same
    assert not is_same(Find(kind, one), Find(FindKind.INTERPRETER, one))


def test_it_stops_at_a_number_of_finds(traceproof: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("fuzz.hunt.finds.shrink", lambda source, *_: source)
    done = hunted(traceproof, fake(traceproof.folder, MISCOMPILED), "--stop-after", "2", programs=9)
    assert "hunt ended, at 2 finds: 2 programs" in done.out


def test_programs_of_finds_are_tried_again(traceproof: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("fuzz.hunt.finds.shrink", lambda source, *_: source)
    target = fake(traceproof.folder, MISCOMPILED, WRONG)
    hunted(traceproof, target)
    again = traceproof("corpus", "run", "--corpus", "hunt/cases", "--jobs", "1", "--target", target)
    assert again.code == 0
    assert "all as expected" in again.out
    repaired = traceproof("corpus", "run", "--corpus", "hunt/cases", "--jobs", "1", "--target", fake(traceproof.folder))
    assert repaired.code == 1
    assert "expected a difference of " in repaired.out
    assert traceproof("corpus", "run", "--corpus", "hunt/cases", "--jobs", "1").code == 0  # its pair alone
    shown = traceproof("corpus", "list", "--corpus", "hunt/cases")
    assert "it prints something else" in shown.out or "refuted" in shown.out


def test_a_program_is_tried_again_with_the_options_with_which_it_was_found(tmp_path: Path) -> None:
    observer = Observer(Target(fake(tmp_path, "if 'vec=1' in sys.argv[2]: os.abort()")))
    case = Case(name="one", before="", program=SOURCE, kind="crash")
    assert again(replace(case, jit="vec=1"), observer) == ""
    assert again(case, observer).startswith("expected a crash of ")


def test_without_a_target_it_is_told_how_to_get_one(traceproof: Command) -> None:
    for args, reason in (
        ((), "say which PyPy"),
        (("--target", "no-such-pypy"), "there is no program no-such-pypy"),
        (("--target", "python3"), "is no PyPy with a JIT"),
        (("--target", "false"), "it ends with 1"),
        (("--target", ""), "expected a command, got nothing"),
        (("--target", "pypy3 '"), "No closing quotation"),
    ):
        done = traceproof("hunt", "--programs", "1", *args)
        assert done.code == 2
        assert reason in done.err
        assert "apt-get install pypy3" in done.err
    assert not (traceproof.folder / "hunt").exists()


def test_a_folder_has_one_hunt(traceproof: Command) -> None:
    target = fake(traceproof.folder)
    hunted(traceproof, target)
    done = hunted(traceproof, target)
    assert done.code == 2
    assert "go on with it by --resume" in done.err
    assert traceproof("hunt", "--resume", "--target", target).code == 2
    assert traceproof("hunt", "--resume", "--folder", "elsewhere").code == 2


def test_what_a_hunt_is_resumed_with_is_what_may_change(traceproof: Command) -> None:
    begun = hunted(traceproof, fake(traceproof.folder, log=WRONG), "--prove", "0", "--jit", "vec=1")
    assert begun.code == 0
    done = traceproof("hunt", "--resume", "--prove", "100", "--programs", "1", "--jobs", "1")
    assert done.code == 3, "the traces of the second program are proved"
    assert "1 refuted" in done.out
    assert done.out.endswith(" --jit vec=1 --prove 100 --seed 5\n")
    (traceproof.folder / "hunt" / "hunt.json").write_text("{}")
    done = traceproof("hunt", "--resume")
    assert done.code == 2
    assert "hunt.json: this is no plan of a hunt" in done.err


def test_a_share_of_the_programs_has_its_traces_proved(traceproof: Command) -> None:
    done = hunted(traceproof, fake(traceproof.folder, log=WRONG), "--prove", "0", "--json")
    assert done.code == 0
    assert json.loads(done.out)["verdicts"] == {}
    half = Plan(0, Target("pypy3"), prove=50)
    assert 300 < sum(map(half.tries, range(1000))) < 700
    assert all(map(Plan(0, Target("pypy3"), prove=100).tries, range(1000)))


def test_a_trace_whose_guard_hands_over_what_is_lost_is_told_of(traceproof: Command) -> None:
    point = POINT.format(line=9).replace("a.py", "program.py")
    lost = f"+20: label(p0, i4, descr=TargetToken(141))\n{point}\n+20: guard_true(i4, descr=<Guard0x1>) [i1]\n+21: jump"
    losing = RIGHT.replace("+21: jump(p0, i4, descr=TargetToken(140))", f"{lost}(p0, i4, descr=TargetToken(141))")
    losing = losing.replace("loop with 4 ops", "loop with 7 ops")
    done = hunted(traceproof, fake(traceproof.folder, log=losing), "--json")
    assert done.code == 3
    (told,) = json.loads(done.out.splitlines()[-1])["unconfirmed"]
    assert "what the label in front of it does not take" in told["reason"]


# What is drawn.


def programs_of(folder: Path) -> dict[int, tuple[int, ...]]:
    return {result.seed: result.parents for result in read_results(folder)}


def test_a_hunt_that_was_killed_goes_on_as_if_it_had_not_been(
    traceproof: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("fuzz.hunt.hunting.GENERATION", 3)
    target = fake(traceproof.folder)
    hunted(traceproof, target, "--folder", "whole", programs=8)
    hunted(traceproof, target, "--folder", "killed", programs=4)
    with (traceproof.folder / "killed" / "results.jsonl").open("a") as file:
        file.write('{"seed": 9, "program": {"seed"')  # it was writing
    done = traceproof("hunt", "--resume", "--folder", "killed", "--programs", "4", "--jobs", "2")
    assert "8 programs" in done.out
    whole = programs_of(traceproof.folder / "whole")
    assert programs_of(traceproof.folder / "killed") == whole
    assert [*whole] == [*range(5, 13)]
    assert any(whole.values()), "none was made from others"


def test_a_hunt_that_somebody_is_at_is_left_as_it_is(traceproof: Command) -> None:
    hunted(traceproof, fake(traceproof.folder), "--folder", "taken", programs=2)
    results = traceproof.folder / "taken" / "results.jsonl"
    with results.open("a") as file:
        file.write('{"seed": 9')  # it is writing
    before = results.read_bytes()
    claiming(traceproof.folder / "taken" / "claims", 0)
    done = traceproof("hunt", "--resume", "--folder", "taken", "--programs", "1")
    assert (done.code, results.read_bytes()) == (2, before)
    assert "somebody is at the hunt" in done.err


def test_programs_that_do_something_new_are_kept(traceproof: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("fuzz.hunt.hunting.GENERATION", 2)
    hunted(traceproof, fake(traceproof.folder), programs=9)
    results = list(read_results(traceproof.folder / "hunt"))
    assert results[0].covered == results[1].covered != ()  # of one generation
    assert not any(result.covered for result in results[2:])
    assert {parent for result in results for parent in result.parents} == {5}


def test_programs_of_finds_are_not_made_into_others(traceproof: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("fuzz.hunt.hunting.GENERATION", 2)
    monkeypatch.setattr("fuzz.hunt.finds.shrink", lambda source, *_: source)
    hunted(traceproof, fake(traceproof.folder, MISCOMPILED), programs=5)
    assert not any(result.parents for result in read_results(traceproof.folder / "hunt"))


def test_a_result_is_read_as_it_was_written(traceproof: Command) -> None:
    hunted(traceproof, fake(traceproof.folder, log=WRONG))
    (result,) = read_results(traceproof.folder / "hunt")
    assert result.unconfirmed[0].before
    assert result.verdicts == {"refuted": 1}
    assert result.program == drawn(5)
    assert json.loads(result.line)["seed"] == 5
    (traceproof.folder / "hunt" / "results.jsonl").write_text(result.line.replace('"refuted": 1', '"refuted": "1"'))
    done = traceproof("hunt", "--resume", "--programs", "0")
    assert (done.code, done.out) == (2, "")
    assert done.err.startswith("error: hunt/results.jsonl: this is no result of a hunt: ")


@pytest.mark.parametrize(
    ("like", "times", "known"),
    [
        *(("crash: here", 1, True), ("crash SIGSEGV", 3, False), ("crash SIGSEGV", 4, True)),
        *(("difference: lost", 1, True), ("difference", 3, False), ("difference", 4, True)),
    ],
)
def test_finds_that_are_like_others_are_only_counted(tmp_path: Path, like: str, times: int, known: bool) -> None:
    hunt = Hunt(tmp_path, Plan(0, Target("pypy3")))
    for seed in range(times):
        hunt.known[seed] = Result(seed, drawn(seed), kind=re.split("[: ]", like)[0], like=like, bucket="one")
    assert hunt.draw(50).known == ({like} if known else set())
    hunt.close()


def test_the_plan_is_kept(traceproof: Command) -> None:
    target = fake(traceproof.folder)
    hunted(traceproof, target, "--jit", "vec=1", "--timeout", "2")
    assert read_plan(traceproof.folder / "hunt") == Plan(5, Target(target, "vec=1"), 2.0, prove=100)


def test_ctrl_c_ends_it_with_the_summary(tmp_path: Path) -> None:
    slow = fake(tmp_path, f"open(os.path.join({str(tmp_path)!r}, 'begun'), 'w'); time.sleep(100)")
    process = start(["hunt", "--target", slow, "--seed", "1", "--jobs", "1"], tmp_path)
    wait_until((tmp_path / "begun").exists)
    process.send_signal(2)
    out, err = process.communicate(timeout=30)
    assert process.returncode == 130
    assert "hunt ended, interrupted: 0 programs" in out
    assert "Traceback" not in err


@pytest.mark.skipif(PYPY is None, reason="needs pypy3")
def test_programs_are_run_on_a_real_pypy(traceproof: Command) -> None:
    done = hunted(traceproof, "pypy3", "--timeout", "0.2", "--json")
    end = json.loads(done.out.splitlines()[-1])
    assert done.code in (0, 1, 3)
    assert end["traces"] > 5
    assert end["verdicts"]["proved"] > 0
    assert any(one.startswith("bridge guard") for one in end["covered"])
    assert "PyPy" in end["target"]


@pytest.mark.skipif(PYPY is None, reason="needs pypy3")
@pytest.mark.parametrize("put", ["15", "14"])
def test_a_trace_of_a_pypy_is_proved_unless_it_was_spoiled(
    traceproof: Command, monkeypatch: pytest.MonkeyPatch, put: str
) -> None:
    monkeypatch.setattr("fuzz.hunt.hunting.draw_program", lambda seed: Program(seed, BRANCHING, (), True))
    target = spoiled(traceproof.folder, r"(= int_and\(i\d+, )15", rf"\g<1>{put}")
    done = hunted(traceproof, target, "--timeout", "20")
    assert ("100.0 % of these proved" in done.out) == (put == "15"), done.out
    assert ("1 unknown: step: end: " in done.out) == (put == "14"), done.out


def test_the_fake_is_what_it_is_taken_for() -> None:
    assert "//" in SOURCE
    assert RIGHT != WRONG
