"""The answers to what the page of the playground asks: data in, data out."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module

from fuzz.serve.question import Answer, Asked
from optimizer.ir.faults import InputError, Unsupported

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
