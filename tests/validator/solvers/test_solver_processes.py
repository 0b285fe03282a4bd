"""Solver processes hang, die and talk nonsense; their answers depend on the query and its effort only."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from random import Random

import pytest
from processes import is_running, start_python, wait_until

from optimizer.ir.domains.plain_terms import PlainTerms
from optimizer.ir.domains.term import Term
from optimizer.ir.faults import InputError
from validator.solvers import child_process, z3_process
from validator.solvers.answers import Answer, GaveUp, Sat, SolverChoice, Unsat
from validator.solvers.portfolio import FIRST_EFFORT, Portfolio
from validator.solvers.process import Died, Process, running
from validator.solvers.smtlib import script

FAKES = {
    "it sleeps": ("import time; time.sleep(60)", "wall"),
    "it sleeps in the middle of an answer": ("import time; print('unsat', flush=True); time.sleep(60)", "wall"),
    "it reads nothing and writes for ever": ("\nwhile True: print('nonsense', flush=True)", "wall"),
    "it talks nonsense": (
        "\nfor line in sys.stdin: print('unsat' * 3); print('end of answer', flush=True)",
        "unsatunsatunsat",
    ),
    "it complains": (
        "\nfor line in sys.stdin: print('(error \"no\")\\nunsat'); print('end of answer', flush=True)",
        "error",
    ),
    "it says sat and no values": (
        "\nfor line in sys.stdin: print('sat'); print('end of answer', flush=True)",
        "values",
    ),
    "it says half of an answer": ("print('sat', flush=True)", "ended with 0"),
    "it crashes": ("import os; os.kill(os.getpid(), 11)", "ended with -11"),
    "it has no memory": ("sys.exit(101)", "memory"),
    "it says that it has no memory": (
        "\nfor line in sys.stdin: print('(error \"out of memory\")'); print('end of answer', flush=True)",
        "memory",
    ),
}


def fake(folder: Path, code: str) -> str:
    path = folder / "z3"
    path.write_text(f"#!{sys.executable} -IS\nimport sys\n{code}\n")
    path.chmod(0o755)
    return str(path)


def linear(t: PlainTerms) -> list[Term]:
    """What is inside a range is inside a larger one."""
    start, index, length, whole = (t.var(name) for name in ("start", "index", "length", "whole"))
    ordered = [t.not_(t.slt(whole, t.zero)), t.not_(t.slt(length, t.zero)), t.not_(t.ult(whole, start))]
    inside = [t.not_(t.ult(t.sub(whole, start), length)), t.ult(index, length)]
    return [*ordered, *inside, t.not_(t.ult(t.add(start, index), whole))]


def easy(t: PlainTerms) -> list[Term]:
    return [t.slt(t.var("x"), t.const(3))]


def is_fine() -> bool:
    t = PlainTerms(64)
    return isinstance(Portfolio(t, SolverChoice.Z3).check(easy(t), 1_000_000, 10), Sat)


@pytest.mark.parametrize("name", FAKES)
def test_a_process_that_does_not_answer(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    code, reason = FAKES[name]
    t = PlainTerms(64)
    with monkeypatch.context() as patched:
        patched.setattr("validator.solvers.z3_process.GRACE_S", 0.3)
        patched.setattr("validator.solvers.z3_process.z3_path", lambda: fake(tmp_path, code))
        many = [t.slt(t.var(f"x{number}"), t.const(number)) for number in range(4000)]  # more than a pipe holds
        answer = Portfolio(t, SolverChoice.Z3).check(many, 1_000_000, 0.1)
    assert isinstance(answer, GaveUp)
    assert reason in answer.reason
    assert answer.tried == ("z3",)
    assert not answer.is_repeatable
    assert is_fine()


def test_a_process_that_dies_of_age_has_another_one_asked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It serves two queries, and dies of the third one."""
    code = (
        "answers = 0\nfor line in sys.stdin:\n"
        "    if line.startswith('(check'): answers += 1; print('unsat')\n"
        "    if answers == 3: sys.exit(1)\n"
        "    if 'echo' in line: print('end of answer', flush=True)"
    )
    monkeypatch.setattr("validator.solvers.z3_process.z3_path", lambda: fake(tmp_path, code))
    t = PlainTerms(64)
    for _ in range(6):
        assert isinstance(Portfolio(t, SolverChoice.Z3).check(easy(t), 1_000_000, 10), Unsat)


def test_a_query_that_is_interrupted_says_nothing_of_the_next_one(monkeypatch: pytest.MonkeyPatch) -> None:
    t = PlainTerms(64)
    solver = Portfolio(t, SolverChoice.Z3)
    impossible = t.both(t.slt(t.var("x"), t.zero), t.slt(t.zero, t.var("x")))
    assert isinstance(solver.check([t.slt(t.var("y"), t.zero)], FIRST_EFFORT, 60.0), Sat)

    def interrupted(process: Process, text: bytes) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(Process, "tell", interrupted)
        with pytest.raises(KeyboardInterrupt):
            solver.check([impossible], FIRST_EFFORT, 60.0)
    assert isinstance(solver.check([t.slt(t.var("y"), t.zero)], FIRST_EFFORT, 60.0), Sat)


def test_a_missing_executable_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("importlib.metadata.files", lambda _: [])
    monkeypatch.setattr("sys.executable", "/nowhere/python")
    z3_process.z3_path.cache_clear()
    with pytest.raises(InputError, match="pip install z3-solver"):
        z3_process.z3_path()
    monkeypatch.undo()
    assert z3_process.z3_path().endswith("z3")


def hard(t: PlainTerms) -> list[Term]:
    x, y, z = map(t.var, "xyz")
    return [
        t.eq(t.mul(t.bit_xor(x, y), t.umulh(y, z)), t.const(0x1234_5678_9ABC_DEF1)),
        t.eq(t.udiv(z, x), t.const(12345)),
        t.eq(t.fmod(y, t.bit_or(x, z)), t.const(77_777_777)),
    ]


@pytest.mark.parametrize("choice", [SolverChoice.Z3, SolverChoice.BITWUZLA])
def test_a_limit_of_memory_ends_the_query_only(choice: SolverChoice) -> None:
    if choice is not SolverChoice.Z3:
        pytest.importorskip(choice.value)
    limit_mb = 24 if choice is SolverChoice.Z3 else 150
    t = PlainTerms(64)
    divisions = [t.udiv(t.var(f"x{number}"), t.bit_or(t.var(f"y{number}"), t.one)) for number in range(60)]
    conditions = [t.slt(one, other) for one, other in pairwise(divisions)]
    answer = Portfolio(t, choice, limit_mb).check([*conditions, *hard(t)], 400_000_000, 30)
    assert isinstance(answer, GaveUp)
    assert answer.reason == "memory"
    assert isinstance(Portfolio(t, choice, limit_mb).check(easy(t), 1_000_000, 10), Sat)


@pytest.mark.parametrize("choice", [SolverChoice.BITWUZLA, SolverChoice.CVC5])
def test_limits_of_effort_and_time_are_kept(choice: SolverChoice) -> None:
    pytest.importorskip(choice.value)
    t = PlainTerms(64)
    start = time.monotonic()
    assert Portfolio(t, choice).check(hard(t), 10_000_000, 60) == GaveUp("effort", (choice.value,))
    assert Portfolio(t, choice).check(hard(t), 100_000_000, 0.5) == GaveUp("wall", (choice.value,))
    assert time.monotonic() - start < 9


@pytest.mark.parametrize("solver", ["bitwuzla", "cvc5"])
def test_other_solvers_count_their_effort(solver: str) -> None:
    """It is not their time that decides what they answer."""
    pytest.importorskip(solver)
    t = PlainTerms(64)
    x, y = t.var("x"), t.var("y")
    query = script(t, [t.slt(t.one, y), t.slt(t.zero, x), t.not_(t.slt(t.sdiv(x, y), x))])
    assert child_process.check(solver, query, 10_000_000, 60, 4096) is None
    assert child_process.check(solver, query, 100_000, 60, 4096) == GaveUp("effort", (solver,))


def test_a_solver_that_is_not_installed_is_a_mistake(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("validator.solvers.child_process.is_installed", lambda _: False)
    with pytest.raises(InputError, match=r"cvc5 is not installed: pip install 'traceproof\[solvers\]'"):
        Portfolio(PlainTerms(64), SolverChoice.CVC5)
    t = PlainTerms(64)
    assert Portfolio(t).check(hard(t), 1_000_000, 30) == GaveUp("effort", ("z3",))


def test_sums_that_are_compared_are_settled() -> None:
    t = PlainTerms(64)
    assert Portfolio(t).check(linear(t), 20_000_000, 60) == Unsat("cvc5")
    assert isinstance(Portfolio(t).check(linear(t)[:-1], 20_000_000, 60), Sat)


def test_the_order_is_fixed(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[tuple[str, int]] = []

    def z3(_script: object, _tactic: str, effort: int, _left_s: float, _memory_mb: int) -> GaveUp:
        asked.append(("z3", effort))
        return GaveUp("effort")

    def child(solver: str, _script: object, effort: int, _left_s: float, _memory_mb: int) -> GaveUp:
        asked.append((solver, effort))
        return GaveUp("memory", (solver,))

    monkeypatch.setattr("validator.solvers.z3_process.check", z3)
    monkeypatch.setattr("validator.solvers.child_process.check", child)
    monkeypatch.setattr("validator.solvers.child_process.is_installed", lambda _: True)
    t = PlainTerms(64)
    answer = Portfolio(t).check(hard(t), 30_000_000, 60)
    assert asked == [("z3", FIRST_EFFORT), ("bitwuzla", 30_000_000), ("z3", 30_000_000), ("cvc5", 30_000_000)]
    assert answer == GaveUp("memory", ("z3", "bitwuzla", "cvc5"))
    asked.clear()
    assert Portfolio(t).check(easy(t), 1_000_000, 60) == GaveUp("memory", ("z3", "bitwuzla"))
    assert asked == [("z3", FIRST_EFFORT), ("bitwuzla", 10_000_000), ("z3", 1_000_000)]
    asked.clear()
    Portfolio(t).check(linear(t), 30_000_000, 60)
    assert asked == [("z3", FIRST_EFFORT), ("cvc5", 10_000_000), ("bitwuzla", 30_000_000), ("z3", 30_000_000)]
    asked.clear()
    assert Portfolio(t).check(hard(t), FIRST_EFFORT, 60) == GaveUp("effort", ("z3",))
    assert asked == [("z3", FIRST_EFFORT)]


# An answer depends on the query and its effort only.


def queries() -> list[tuple[str, str]]:
    """Texts of queries, some of which need more than their effort, with the names of their variables."""
    found = []
    for seed in range(24):
        random, t = Random(seed), PlainTerms(16)
        words = [t.var(name) for name in ("x", "y", "z")]
        kinds = ["add", "mul", "bit_and", "bit_xor", "umulh", "sub", "srem"]
        for _ in range(random.randrange(3, 12)):
            words.append(getattr(t, random.choice(kinds))(random.choice(words), random.choice(words)))
        conditions = [t.slt(words[-1], words[-2]), t.eq(words[-3], t.const(random.randrange(100)))]
        query = script(t, conditions)
        found.append((query.body, " ".join(query.asked)))
    return found


def answers(order: Sequence[int], texts: Sequence[tuple[str, str]], *, is_fresh: bool = False) -> dict[int, str]:
    """What Z3 says, with its count and values, asked in that order, in one process or in one each."""
    found = {}
    command = (z3_process.z3_path(), "-in", "-smt2", "-memory:1000")
    for number in order:
        body, names = texts[number]
        with running(command) as process:
            solve = f"(check-sat-using {z3_process.SOLVING})\n(get-info :rlimit)\n"
            if process.is_new:
                process.tell(z3_process.READY)
            said = process.ask(f'(set-option :rlimit 30000)\n{body}{solve}(echo "end")\n', "end", 60)
            if said.startswith("sat"):
                said += process.ask(f'(get-value ({names}))\n(echo "end")\n', "end", 60)
            found[number] = said
            process.tell(z3_process.READY)
            if is_fresh:
                process.kill()
    return found


def test_answers_and_their_cost_do_not_depend_on_other_queries() -> None:
    texts = queries()
    forward = list(range(len(texts)))
    first = answers(forward, texts)
    assert {said.split()[0] for said in first.values()} == {"sat", "unsat", "unknown"}
    assert answers(forward[::-1], texts) == first
    assert answers(forward, texts, is_fresh=True) == first


def test_answers_do_not_depend_on_how_busy_the_machine_is() -> None:
    texts = queries()
    idle = answers(range(len(texts)), texts)
    for _ in range(2 * (os.cpu_count() or 1)):
        start_python("while True: pass")
    assert answers(range(len(texts)), texts) == idle


# Programs that fork, use threads, or end.


def test_a_forked_program_has_solvers_of_its_own() -> None:
    assert is_fine()
    child = os.fork()
    if child == 0:
        status = 1
        try:
            status = 0 if is_fine() and is_fine() else 2
        finally:
            os._exit(status)
    assert is_fine()
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert is_fine()


def test_threads_take_turns() -> None:
    wrong: list[Answer] = []

    def work(number: int) -> None:
        t = PlainTerms(64)
        for value in range(20):
            answer = Portfolio(t, SolverChoice.Z3).check(
                [t.eq(t.var("x"), t.const(100 * number + value))], 1_000_000, 30
            )
            if not isinstance(answer, Sat) or answer.model != {t.var("x"): 100 * number + value}:
                wrong.append(answer)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
    for one in threads:
        one.start()
    for one in threads:
        one.join()
    assert not wrong


PROGRAM = """
import os, signal, sys
from optimizer.ir.domains.plain_terms import PlainTerms
from validator.solvers.portfolio import Portfolio
from validator.solvers.process import _KEPT
t = PlainTerms(64)
Portfolio(t).check([t.slt(t.var("x"), t.const(3))], 1000000, 10)
print(*[process.pid for process in _KEPT.values()], flush=True)
"""


@pytest.mark.parametrize("end", ["", "os.kill(os.getpid(), signal.SIGKILL)", "os._exit(0)"])
def test_solvers_end_with_the_program(end: str) -> None:
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", PROGRAM + end], capture_output=True, text=True, check=False, timeout=30
    )
    assert done.stderr == ""
    (pid,) = map(int, done.stdout.split())
    wait_until(lambda: not is_running(pid))


def test_a_process_that_was_killed_is_no_zombie() -> None:
    with running(("cat",)) as process:
        pid = process.pid
        os.kill(pid, signal.SIGKILL)
        with pytest.raises(Died):
            process.ask("", "end", 10)
    assert not Path(f"/proc/{pid}").exists()


def test_other_solvers_are_not_imported_here() -> None:
    code = "import sys; import validator.solvers.child_process as c; c.is_installed('cvc5'); c.is_installed('bitwuzla')"
    check = "; print({'z3', 'cvc5', 'bitwuzla'} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code + check], capture_output=True, text=True, check=True)
    assert done.stdout == "set()\n"
    assert child_process.is_installed("no_such_solver") is False
