"""Asks solvers, one after the other, always in the same order: Z3 with a small effort, then whatever else is installed
and chosen, Z3 with all the effort."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from optimizer.ir.plain_terms import PlainTerms
from optimizer.ir.term import Term, cone
from validator.solvers import z3_process
from validator.solvers.answers import Answer, GaveUp, Sat, SolverChoice, Unsat
from validator.solvers.replies import Reply
from validator.solvers.smtlib import Script, script

FIRST_EFFORT = 300_000
"""What most queries need far less than, in Z3's rlimit units."""

# Z3 cannot be stopped while it makes a circuit of a query, which takes memory and stack. So a query that is too large
# for its effort is only preprocessed. An operation has two gates for each bit of a word, one in `_SQUARE` as many as is
# said there for each pair of bits.
_EFFORT_FOR_GATE = 80
_SQUARE = {"mul": 1, "umulh": 4, "mul_overflows": 4, "udiv": 2, "sdiv": 2, "srem": 2, "fdiv": 2, "fmod": 2}


@dataclass(frozen=True, slots=True)
class Query:
    """A query as it was put: SMT-LIB text that any solver reads, with `(check-sat)`, and what was answered."""

    text: str
    answer: Answer


class Portfolio:
    """The solvers for the queries over `terms`. `memory_mb` is a limit for each solver's process. `observe` is told
    every query and its last answer."""

    def __init__(
        self,
        terms: PlainTerms,
        choice: SolverChoice = SolverChoice.AUTO,
        memory_mb: int = 4096,
        observe: Callable[[Query], None] | None = None,
    ) -> None:
        self._terms = terms
        self._choice = choice
        self._memory_mb = memory_mb
        self._observe = observe

    def check(self, conditions: Sequence[Term], effort: int, left_s: float) -> Answer:
        """Can all `conditions` hold at once? `effort` is in units of Z3's rlimit; with no more than `FIRST_EFFORT`, Z3
        alone is asked. `left_s` is the time until the net closes."""
        if left_s <= 0:
            return GaveUp("wall", ())
        query = script(self._terms, conditions)
        gates = _gates(cone(conditions), self._terms.width)
        answer = self._z3(query, gates, effort, left_s)
        if self._observe is not None:
            self._observe(Query(f"{query.text}(check-sat)\n", answer))
        return answer

    def _z3(self, query: Script, gates: int, effort: int, left_s: float) -> Answer:
        if gates * _EFFORT_FOR_GATE <= FIRST_EFFORT:
            first = z3_process.check(query, z3_process.PLAIN, min(effort, FIRST_EFFORT), left_s, self._memory_mb)
            if not isinstance(first, GaveUp) or effort <= FIRST_EFFORT:
                return _answer(query, first)
        fits = gates * _EFFORT_FOR_GATE <= effort
        tactic = z3_process.SOLVING if fits else z3_process.PREPROCESSING
        reply = z3_process.check(query, tactic, effort, left_s, self._memory_mb)
        return GaveUp("effort") if isinstance(reply, GaveUp) and not fits else _answer(query, reply)


def _answer(query: Script, reply: Reply) -> Answer:
    if reply is None:
        return Unsat()
    return reply if isinstance(reply, GaveUp) else Sat(query.model(reply))


def _gates(terms: Sequence[Term], width: int) -> int:
    """How large a circuit the terms are, roughly."""
    kinds = Counter(term.kind for term in terms if term.args)
    return sum(width * count * (width * _SQUARE.get(kind, 0) or 2) for kind, count in kinds.items())
