"""Z3: the executable that its Python package brings, reading SMT-LIB from a pipe.

Effort is Z3's own resource count (`rlimit`), so that an answer does not depend on how busy the machine is; the limit of
time is a net far behind it. `(reset)` between queries makes the answer depend on the query only.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Mapping
from functools import cache
from pathlib import Path

from optimizer.ir.faults import InputError
from validator.solvers.answers import GaveUp, Reply
from validator.solvers.process import GRACE_S, NoAnswer, Process, converse
from validator.solvers.smtlib import Script

_PACKAGE = "z3-solver"
_VALUE = re.compile(r"\((\|[^|]*\||[^\s()|]+)\s+#([xb])([0-9a-f]+)\)")
_LARGEST = (1 << 32) - 1
"""The largest limit that Z3 can be given; larger ones would wrap around."""

_END = "end of answer"
_NO_MEMORY = 101
"""The exit code of Z3 where memory is at its limit."""

# Measured best on traces among Z3's own preprocessing steps, three times as fast as the solver alone.
_STEPS = "simplify propagate-values propagate-bv-bounds solve-eqs elim-uncnstr"
SOLVING = f"(then {_STEPS} smt)"
PREPROCESSING = f"(then {_STEPS} fail-if-undecided)"

# Ahead of the next query, so that Z3 makes itself ready, which takes it a millisecond, while nobody waits.
READY = b"(reset)\n(declare-const $ready Bool)\n"


def check(script: Script, tactic: str, effort: int, timeout_s: float, memory_mb: int) -> Reply:
    """Asks Z3 by this tactic."""

    def talk(process: Process) -> Reply:
        if process.is_new:
            process.tell(READY)
        reply = _Asking(process, tactic, min(effort, _LARGEST), timeout_s).check(script)
        process.tell(READY)
        return reply

    return converse("z3", (z3_path(), "-in", "-smt2", f"-memory:{memory_mb}"), talk, _cause)


def _cause(code: int) -> str:
    """The reason for which Z3 ended."""
    return "memory" if code == _NO_MEMORY else f"ended with {code}"


class _Asking:
    def __init__(self, process: Process, tactic: str, effort: int, timeout_s: float) -> None:
        self._process = process
        self._solve = f"(check-sat-using {tactic})\n"
        self._effort = effort
        self._timeout_s = timeout_s

    def check(self, script: Script) -> Reply:
        timeout_ms = max(1, int(min(_LARGEST, self._timeout_s * 1000)))
        limits = f"(set-option :rlimit {self._effort})\n(set-option :timeout {timeout_ms})\n"
        said = self._exchange(f"{limits}{script.body}", script)
        match said[0]:
            case "unsat":
                return None
            case "sat":
                values = _values(script, said)
                if script.apart:  # if possible, values for which what need not hold does
                    better = self._exchange(script.apart, script)
                    return _values(script, better) if better[0] == "sat" else values
                return values
            case "unknown" if len(said) > 2:
                return GaveUp(self._why(said[1], said[2]))
        raise NoAnswer("memory" if "out of memory" in said[0] else said[0])

    def _exchange(self, text: str, script: Script) -> list[str]:
        """The lines that Z3 says to assertions: its answer, or what is wrong with them; what that took, the reason for
        an `unknown`, and values, an error where there are none."""
        tell = f"(get-value ({' '.join(script.asked)}))\n" if script.asked else ""
        solve = f"{self._solve}(get-info :rlimit)\n(get-info :reason-unknown)\n{tell}"
        said = self._process.ask(f'{text}{solve}(echo "{_END}")\n', _END, self._timeout_s + GRACE_S)
        return said.split("\n")

    def _why(self, used: str, reason: str) -> str:
        count = re.search(r"\d+", used)
        if count is not None and int(count[0]) >= self._effort:
            return "effort"
        reason = reason.removeprefix("(:reason-unknown ").removesuffix(")").strip('"')
        if "undecided" in reason:  # by preprocessing alone, where the effort is too little for more
            return "effort"
        return {"canceled": "wall", "timeout": "wall", "memout": "memory"}.get(reason, reason)


def _values(script: Script, said: list[str]) -> Mapping[str, int]:
    found = _VALUE.findall("\n".join(said[3:]))
    values = {name: int(digits, 16 if base == "x" else 2) for name, base, digits in found}
    if values.keys() != script.asked.keys():
        raise NoAnswer("values are missing")
    return values


@cache
def z3_path() -> str:
    """The executable of the Python package, never another one."""
    from importlib import metadata  # here: it takes 10 ms, and most commands need no solver

    try:
        files = metadata.files(_PACKAGE) or []
    except metadata.PackageNotFoundError:
        files = []
    found = [Path(str(file.locate())) for file in files if file.name in ("z3", "z3.exe")]
    for path in [*found, Path(sys.executable).with_name("z3")]:
        if path.is_file():
            return str(path.resolve())
    raise InputError(f"the executable of Z3 is missing: pip install {_PACKAGE}")
