"""Ctrl-C reaches the program also while the solver works."""

from __future__ import annotations

import os
import signal
import threading

import pytest

from optimizer.ir.terms import Terms
from validator.z3_solver import Solver


def test_ctrl_c_interrupts_a_query() -> None:
    t = Terms(64)
    x, y, one = t.var("x"), t.var("y"), t.const(1)
    product = t.eq(t.mul(x, y), t.const(0x7FFF_FFFF_FFFF_FFE7 * 3))
    hard = [product, t.eq(t.umulh(x, y), t.const(1)), t.ult(one, x), t.ult(x, y)]
    timer = threading.Timer(0.5, lambda: os.kill(os.getpid(), signal.SIGINT))
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        Solver(t).check(hard, effort=1_000_000_000, timeout_s=30.0)
    timer.join()
