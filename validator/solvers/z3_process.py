"""Z3: the executable that its Python package brings, reading SMT-LIB from a pipe.

Effort is Z3's own resource count (`rlimit`), so that an answer does not depend on how busy the machine is; the limit of
time is a net far behind it. `(reset)` ahead of each query makes the answer depend on the query only.
"""

from __future__ import annotations

import re
import sys
from functools import cache
from importlib import metadata
from pathlib import Path

from optimizer.ir.faults import InputError
from validator.solvers.answers import GaveUp
from validator.solvers.process import Died, Process, Silent, running
from validator.solvers.replies import Reply, values_in
from validator.solvers.smtlib import Script

_PACKAGE = "z3-solver"
_LARGEST = (1 << 32) - 1
"""The largest limit that Z3 can be given; larger ones would wrap around."""

_END = "end of answer"
_GRACE_S = 1.0

PLAIN = "smt"
"""Z3's solver as it is: best for small queries."""

# Measured best on traces among Z3's own preprocessing steps, three times as fast as the solver alone.
_STEPS = "simplify propagate-values propagate-bv-bounds solve-eqs elim-uncnstr"
SOLVING = f"(then {_STEPS} smt)"
PREPROCESSING = f"(then {_STEPS} fail-if-undecided)"


def check(script: Script, tactic: str, effort: int, timeout_s: float, memory_mb: int) -> Reply:
    """Asks Z3 by this tactic. A process that served others before and dies has a new one asked again."""
    command = (z3_path(), "-in", "-smt2", f"-memory:{memory_mb}")
    while True:
        with running(command) as process:
            try:
                return _ask(process, script, tactic, min(effort, _LARGEST), timeout_s)
            except Silent:
                return GaveUp("wall")
            except Died as death:
                if death.is_new:
                    return GaveUp("memory" if "out of memory" in death.said else f"Z3 ended with {death.code}")


def _ask(process: Process, script: Script, tactic: str, effort: int, timeout_s: float) -> Reply:
    timeout_ms = max(1, int(min(_LARGEST, timeout_s * 1000)))
    limits = f"(reset)\n(set-option :rlimit {effort})\n(set-option :timeout {timeout_ms})\n"
    solve = f"(check-sat-using {tactic})\n"

    def exchange(text: str) -> str:
        answer = process.ask(f'{text}(echo "{_END}")\n', _END, timeout_s + _GRACE_S)
        if "(error" in answer:
            process.kill()
            raise Died(answer, 0, is_new=True)
        return answer

    words = exchange(f"{limits}{script.text}{solve}(get-info :rlimit)\n(get-info :reason-unknown)\n").split("\n")
    match words[0]:
        case "unsat":
            return None
        case "sat":
            names = " ".join(script.asked)
            tell = f"(get-value ({names}))\n" if names else ""
            if script.apart and exchange(f"(push)\n{script.apart}{solve}").startswith("sat"):
                return values_in(exchange(tell))
            if script.apart:
                exchange(f"(pop)\n{solve}")
            return values_in(exchange(tell))
        case "unknown":
            return GaveUp(_why(words, effort))
        case _:
            process.kill()
            return GaveUp("Z3 answered what it should not")


def _why(words: list[str], effort: int) -> str:
    used = re.search(r":rlimit (\d+)", words[1])
    reason = words[2].removeprefix("(:reason-unknown ").removesuffix(")").strip('"')
    if used is not None and int(used[1]) >= effort:
        return "effort"
    return "wall" if reason in ("canceled", "timeout") else reason


@cache
def z3_path() -> str:
    """The executable of the Python package, never another one."""
    try:
        files = metadata.files(_PACKAGE) or []
    except metadata.PackageNotFoundError:
        files = []
    found = [Path(str(file.locate())) for file in files if file.name in ("z3", "z3.exe")]
    for path in [*found, Path(sys.executable).with_name("z3")]:
        if path.is_file():
            return str(path.resolve())
    raise InputError(f"the executable of Z3 is missing: pip install {_PACKAGE}")
