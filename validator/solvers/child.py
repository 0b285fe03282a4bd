"""A process around a solver that comes as a Python extension only: `python child.py bitwuzla 4096`, with a limit of
memory in MB. Each line that it reads is a query in JSON, with `text`, `apart`, `names`, `effort` and `timeout_ms`; the
answer is a line of JSON, with `answer` (sat, unsat, or a reason) and `values`, and a line that says that this was all.

Effort is what the solver itself counts, so that an answer does not depend on how busy the machine is: cvc5 its
resources, Bitwuzla how often it asks whether it is to end. The limit of time is a net behind it.

It is run as a file, and imports nothing of this package.
"""

from __future__ import annotations

import json
import resource
import signal
import sys
import time
from collections.abc import Callable, Sequence
from typing import Any

_END = "end of answer"
_GRACE_S = 5.0
_EFFORT_OF_A_QUESTION = 1000
_EFFORT_OF_A_RESOURCE = 50
"""The efforts that stand for one question of Bitwuzla, and one resource of cvc5: about as much work of Z3's."""

Answer = tuple[str, dict[str, int]]


def bitwuzla(text: str, apart: str, names: Sequence[str], effort: int, timeout_ms: int) -> Answer:
    import bitwuzla as library

    def solve(commands: str) -> tuple[str, dict[str, int]]:
        end, left = time.monotonic() + timeout_ms / 1000, effort // _EFFORT_OF_A_QUESTION
        reason = "effort"

        def is_to_end() -> bool:
            nonlocal left, reason
            left -= 1
            reason = "wall" if left >= 0 else "effort"
            return left < 0 or time.monotonic() > end

        options = library.Options()
        options.set(library.Option.PRODUCE_MODELS, True)
        parser = library.Parser(library.TermManager(), options)
        parser.parse(commands, True, False)
        solver = parser.bitwuzla()
        solver.configure_terminator(is_to_end)
        result = solver.check_sat()
        if result == library.Result.SAT:
            return "sat", {name: int(solver.get_value(parser.parse_term(name)).value(10)) for name in names}
        return ("unsat" if result == library.Result.UNSAT else reason), {}

    return _replayable(solve, text, apart)


def cvc5(text: str, apart: str, names: Sequence[str], effort: int, timeout_ms: int) -> Answer:
    import cvc5 as library

    def solve(commands: str) -> tuple[str, dict[str, int]]:
        solver = library.Solver()
        solver.setOption("produce-models", "true")
        solver.setOption("solve-bv-as-int", "sum")
        solver.setOption("rlimit-per", str(effort // _EFFORT_OF_A_RESOURCE))
        solver.setOption("tlimit-per", str(timeout_ms))
        parser = library.InputParser(solver)
        parser.setIncrementalStringInput(library.InputLanguage.SMT_LIB_2_6, "query")
        parser.appendIncrementalStringInput(commands)
        symbols = parser.getSymbolManager()
        while not (command := parser.nextCommand()).isNull():
            said = command.invoke(solver, symbols)
            if "error" in said:
                raise ValueError(said)
        result = solver.checkSat()
        if result.isSat():
            parser.setIncrementalStringInput(library.InputLanguage.SMT_LIB_2_6, "names")
            parser.appendIncrementalStringInput("\n".join(names))
            return "sat", {name: int(solver.getValue(parser.nextTerm()).getBitVectorValue(10)) for name in names}
        return ("unsat" if result.isUnsat() else _why(str(result))), {}

    return _replayable(solve, text, apart)


def _why(unknown: str) -> str:
    return "wall" if "TIMEOUT" in unknown else "effort" if "RESOURCEOUT" in unknown else unknown


def _replayable(solve: Callable[[str], Answer], text: str, apart: str) -> Answer:
    """The answer, and if possible values that satisfy also what need not hold."""
    answer = solve(text)
    if answer[0] == "sat" and apart:
        better = solve(text + apart)
        return better if better[0] == "sat" else answer
    return answer


_SOLVERS: dict[str, Callable[[str, str, Sequence[str], int, int], Answer]] = {"bitwuzla": bitwuzla, "cvc5": cvc5}


def _answer(solver: str, query: dict[str, Any]) -> Answer:
    try:
        return _SOLVERS[solver](query["text"], query["apart"], query["names"], query["effort"], query["timeout_ms"])
    except MemoryError:
        return "memory", {}
    except Exception as problem:
        return "memory" if "bad_alloc" in str(problem) else f"{type(problem).__name__}: {problem}", {}


def main(solver: str, memory_mb: str) -> None:
    limit = int(memory_mb) << 20
    resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
    for line in sys.stdin:
        query = json.loads(line)
        # What nobody waits for any more ends, whatever the solver does.
        signal.setitimer(signal.ITIMER_REAL, query["timeout_ms"] / 1000 + _GRACE_S)
        answer, values = _answer(solver, query)
        signal.setitimer(signal.ITIMER_REAL, 0)
        sys.stdout.write(f"{json.dumps({'answer': answer, 'values': values})}\n{_END}\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main(*sys.argv[1:])
