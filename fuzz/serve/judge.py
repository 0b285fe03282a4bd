"""The process that answers one question of the page: JSON on its standard input, JSON on its standard output."""

from __future__ import annotations

import json
import sys
import traceback
from collections.abc import Callable
from importlib import import_module

from fuzz.serve.question import Answer, Asked, read_asked
from optimizer.ir.faults import InputError, Unsupported
from validator.command.exits import collect_seldom

_ACTIONS = {
    "validate": "fuzz.serve.judging:validate",
    "reduce": "fuzz.serve.reducing:reduce",
    "case": "fuzz.serve.keeping:case",
    "optimize": "fuzz.serve.optimizing:optimize",
    "run": "fuzz.serve.running:run",
}


def answer(asked: Asked) -> Answer:
    """The answer to a question. What is wrong with the texts, and what is not modelled, is an answer too. Raises
    InputError where there is no such action."""
    if asked.action not in _ACTIONS:
        raise InputError(f"there is no action {asked.action!r}; there are {', '.join(_ACTIONS)}")
    module, name = _ACTIONS[asked.action].split(":")
    action: Callable[[Asked], Answer] = getattr(import_module(module), name)
    try:
        return action(asked)
    except InputError as mistake:
        return {"error": str(mistake), "line": mistake.line, "side": mistake.file}
    except Unsupported as limit:
        return {"error": f"unsupported: {limit}", "line": limit.line, "side": limit.file or "before"}


def main() -> None:
    """Answers what is asked, whatever it is."""
    collect_seldom()
    try:
        told = answer(read_asked(json.load(sys.stdin)))
    except (InputError, ValueError) as mistake:
        told = {"error": str(mistake)}
    except (MemoryError, RecursionError, SystemError):  # the last is what an import says that has no memory left
        told = {"error": "these traces take more memory than a question may have"}
    except ImportError:
        raise  # it says anything where no memory is left; the server tells how the process ended
    except Exception:
        told = {"error": f"a fault of traceproof; please report it\n\n{traceback.format_exc()}"}
    json.dump(told, sys.stdout)


if __name__ == "__main__":
    main()
