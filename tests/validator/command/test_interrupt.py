"""Ctrl-C reaches the program also while the solver works; a reader that goes ends it quietly."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from optimizer.ir.domains.terms import Terms
from validator.command.exits import Exit, run_command
from validator.solvers.answers import Sat, SolverChoice
from validator.solvers.portfolio import Portfolio


@pytest.mark.parametrize("choice", [SolverChoice.Z3, SolverChoice.BITWUZLA, SolverChoice.CVC5])
def test_ctrl_c_interrupts_a_query(choice: SolverChoice) -> None:
    t = Terms(64)
    if choice is not SolverChoice.Z3:
        pytest.importorskip(choice.value)
    x, y, z = map(t.var, "xyz")
    hard = [
        t.eq(t.mul(t.bit_xor(x, y), t.umulh(y, z)), t.const(0x1234_5678_9ABC_DEF1)),
        t.eq(t.udiv(z, x), t.const(12345)),
        t.eq(t.fmod(y, t.bit_or(x, z)), t.const(77_777_777)),
    ]
    timer = threading.Timer(0.5, lambda: os.kill(os.getpid(), signal.SIGINT))
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        Portfolio(t, choice).check(hard, effort=1_000_000_000, left_s=5.0)
    timer.join()
    assert isinstance(Portfolio(t, choice).check([t.eq(x, t.one)], effort=1_000_000, left_s=5.0), Sat)


IN_THE_CHECKER = """
import os, signal, sys, threading, z3
from optimizer.ir.types.layout import Layout
from validator.check.asking import Asking
from validator.check.universe import Universe
asking = Asking(Universe(Layout(), {}, frozenset()), 10_000_000, 1.5 if sys.argv[1] == "ignored" else 3.0)
x, y = z3.BitVecs("x y", 64)
hard = z3.And(x * y == 0x7FFF_FFFF_FFFF_FFE7, z3.UGT(x, 1), z3.UGT(y, 1), z3.ULT(x, 1 << 32), z3.ULT(y, 1 << 32))
if sys.argv[1] == "ignored":
    signal.signal(signal.SIGINT, signal.SIG_IGN)
threading.Timer(0.5, os.kill, [os.getpid(), signal.SIGINT]).start()
try:
    print(asking._refutes([hard], 1_000_000_000), asking._solver.reason_unknown() == "interrupted from keyboard")
except KeyboardInterrupt:
    print("interrupted")
"""


@pytest.mark.parametrize(("handler", "printed"), [("default", "interrupted\n"), ("ignored", "None False\n")])
def test_ctrl_c_is_not_lost_in_the_checker(handler: str, printed: str) -> None:
    """Z3, in this process, takes the signal for itself while it works."""
    command = [sys.executable, "-c", IN_THE_CHECKER, handler]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert (done.stdout, done.stderr) == (printed, "")


class _Going:
    """Where it goes, somebody presses Ctrl-C, and it complains."""

    def __del__(self) -> None:
        signal.raise_signal(signal.SIGINT)


def test_an_interrupt_that_is_swallowed_comes_again(capfd: pytest.CaptureFixture[str]) -> None:
    def command() -> int:
        _Going()
        for _ in range(1000):
            time.sleep(0.001)
        return Exit.PROVED

    assert run_command(command) is Exit.INTERRUPTED
    assert capfd.readouterr().err == "interrupted\n"
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_a_reader_that_goes_ends_a_command_quietly() -> None:
    reader, writer = os.pipe()
    os.close(reader)
    command = [sys.executable, "-c", "from fuzz.command.main import main; main(['ops'])"]
    done = subprocess.run(command, stdout=writer, stderr=subprocess.PIPE, text=True)
    os.close(writer)
    assert (done.returncode, done.stderr) == (Exit.UNREAD, "")


LOADING = """
import os, signal
os.kill(os.getpid(), signal.SIGINT)
def main():
    print("loaded")
"""


@pytest.mark.parametrize(
    ("handler", "outcome"),
    [
        ("signal.default_int_handler", (Exit.INTERRUPTED, "", "interrupted\n")),
        ("signal.SIG_IGN", (0, "loaded\n", "")),
    ],
)
def test_ctrl_c_while_modules_load_is_an_interruption(handler: str, outcome: object, tmp_path: Path) -> None:
    (tmp_path / "loading.py").write_text(LOADING)
    entered = "from validator.command.entry import enter\nenter('loading')"
    program = f"import signal; signal.signal(signal.SIGINT, {handler})\n{entered}"
    path = os.pathsep.join([str(tmp_path), *sys.path])
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, env={"PYTHONPATH": path})
    assert (done.returncode, done.stdout, done.stderr) == outcome


@pytest.mark.parametrize("stream", ["pipe", "full"])
def test_mistakes_that_nobody_reads_end_as_others_do(stream: str) -> None:
    reader, errors = os.pipe()
    os.close(reader)
    if stream == "full":
        os.close(errors)
        errors = os.open("/dev/full", os.O_WRONLY)
    command = [sys.executable, "-c", "from validator.command.validate import main; main(['no.trace', 'no.trace'])"]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=errors, check=False)
    os.close(errors)
    assert (done.returncode, done.stdout) == (Exit.USAGE, b"")
