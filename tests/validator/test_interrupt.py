"""Ctrl-C reaches the program also while the solver works."""

from __future__ import annotations

import os
import signal
import threading
import time

import pytest

from optimizer.ir.terms import Terms
from validator.exits import Exit, run_command
from validator.solvers.portfolio import Portfolio


@pytest.mark.parametrize("first_effort", [0, 1_000_000_000], ids=["with all steps", "plain"])
def test_ctrl_c_interrupts_a_query(first_effort: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("validator.solvers.portfolio.FIRST_EFFORT", first_effort)
    t = Terms(64)
    x, y, one = t.var("x"), t.var("y"), t.const(1)
    product = t.eq(t.mul(x, y), t.const(0x7FFF_FFFF_FFFF_FFE7 * 3))
    hard = [product, t.eq(t.umulh(x, y), t.const(1)), t.ult(one, x), t.ult(x, y)]
    timer = threading.Timer(0.5, lambda: os.kill(os.getpid(), signal.SIGINT))
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        Portfolio(t).check(hard, effort=1_000_000_000, left_s=5.0)
    timer.join()


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
