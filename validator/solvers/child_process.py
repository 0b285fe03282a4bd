"""Bitwuzla and cvc5: Python extensions, each in a process of its own (`validator.solvers.child`)."""

from __future__ import annotations

import json
import signal
import sys
from functools import cache
from importlib.util import find_spec
from pathlib import Path

from validator.solvers.answers import GaveUp, Reply
from validator.solvers.process import GRACE_S, NoAnswer, Process, converse
from validator.solvers.smtlib import Script

_CHILD = Path(__file__).with_name("child.py")
_END = "end of answer"
_LONGEST_S = 1_000_000.0


@cache
def is_installed(solver: str) -> bool:
    """Can the solver be imported? It is not imported here."""
    return find_spec(solver) is not None


def check(solver: str, script: Script, effort: int, timeout_s: float, memory_mb: int) -> Reply:
    """Asks the solver of that name."""
    timeout_s = min(_LONGEST_S, timeout_s)
    query = {
        "text": script.text,
        "apart": script.apart,
        "names": list(script.asked),
        "effort": effort,
        "timeout_ms": max(1, int(timeout_s * 1000)),
    }

    def talk(process: Process) -> Reply:
        said = process.ask(f"{json.dumps(query)}\n", _END, timeout_s + GRACE_S)
        try:
            return _reply(solver, script, said)
        except (ValueError, KeyError, TypeError):
            raise NoAnswer("not an answer") from None

    return converse(solver, (sys.executable, "-P", str(_CHILD), solver, str(memory_mb)), talk, _cause)


def _reply(solver: str, script: Script, said: str) -> Reply:
    reply = json.loads(said)
    match reply["answer"]:
        case "unsat":
            return None
        case "sat":
            return {name: int(reply["values"][name]) for name in script.asked}
        case reason:
            return GaveUp(str(reason), (solver,))


def _cause(code: int) -> str:
    """The reason for which a process ended: C++ aborts where there is no memory left."""
    return "memory" if code == -signal.SIGABRT else f"ended with {code}"
