"""Asks solvers, one after the other, always in the same order: Z3 with a small effort, then whatever else is installed
and fits the query, Z3 with all the effort."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from optimizer.ir.domains.plain_terms import PlainTerms
from optimizer.ir.domains.term import Term, cone
from optimizer.ir.faults import InputError
from validator.solvers.answers import Answer, GaveUp, Sat, SolverChoice, Unsat

if TYPE_CHECKING:
    from validator.solvers.smtlib import Script

FIRST_EFFORT = 300_000
"""An effort in Z3's rlimit units that most queries need far less than."""

# Z3 cannot be stopped while it makes a circuit of a query, which takes memory and stack. So a query that is too large
# for its effort is only preprocessed. An operation has half a gate for each bit of a word, one
# in `_SQUARE` as many as is said there for each pair of bits.
_EFFORT_FOR_GATE = 80
_EFFORT_OF_A_SECOND = 10_000_000
"""About as much; other solvers than Z3 have no less."""
_SQUARE_OF_FLOATS = {
    "float_mul": 1,
    "float_div": 3,
    "float_sqrt": 3,
    "float_add": 0.5,
    "float_sub": 0.5,
    "float_of_int": 0.5,
}
_SQUARE = {"mul": 1, "umulh": 4, "mul_overflows": 4, "udiv": 2, "sdiv": 2, "srem": 2, "fdiv": 2, "fmod": 2}
_SUMS = frozenset({"add", "sub", "neg", "add_overflows", "sub_overflows"})
_BITWISE = frozenset({"bit_and", "bit_or", "bit_xor", "bit_not", "shl", "lshr", "ashr"})


@dataclass(frozen=True, slots=True)
class Query:
    """A query as it was put: SMT-LIB text that any solver reads, with `(check-sat)`, and what was answered."""

    text: str
    answer: Answer


class Portfolio:
    """The solvers for the queries over `terms`. `memory_mb` is a limit for each solver's process. `observe` is told
    every query and its last answer. Raises `InputError` where the solver that is chosen is not installed."""

    def __init__(
        self,
        terms: PlainTerms,
        choice: SolverChoice = SolverChoice.AUTO,
        memory_mb: int = 4096,
        observe: Callable[[Query], None] | None = None,
    ) -> None:
        require(choice)
        self._terms = terms
        self._choice = choice
        self._memory_mb = memory_mb
        self._observe = observe

    def check(self, conditions: Sequence[Term], effort: int, left_s: float, exact: bool = False) -> Answer:
        """Can all `conditions` hold at once? `effort` is in units of Z3's rlimit; with no more than `FIRST_EFFORT`, Z3
        alone is asked, if no other one is chosen. `left_s` is the time until the net closes. `exact`: operations on
        floats are what they are, and not functions of which nothing is known."""
        if left_s <= 0:
            return GaveUp("wall", ())
        from validator.solvers.smtlib import script  # here: most pairs put no query

        query = script(self._terms, conditions, exact=exact)
        circuit = Circuit.of(cone(conditions), self._terms.width, exact=exact)
        answer = self._ask(query, circuit, effort, time.monotonic() + left_s)
        if self._observe is not None:
            self._observe(Query(f"{query.text}(check-sat)\n", answer))
        return answer

    def fits(self, conditions: Sequence[Term], effort: int) -> bool:
        """Is a query small enough for Z3 to solve it, and not preprocess it only, with this effort?"""
        return Circuit.of(cone(conditions), self._terms.width).fits(effort)

    def _ask(self, query: Script, circuit: Circuit, effort: int, deadline: float) -> Answer:
        from validator.solvers import child_process, z3_process

        gave_up: list[GaveUp] = []
        for solver, units in self._turns(circuit, effort):
            left_s = deadline - time.monotonic()
            if left_s <= 0:
                gave_up.append(GaveUp("wall", ()))
                break
            if solver == "z3":
                tactic = z3_process.SOLVING if circuit.fits(units) else z3_process.PREPROCESSING
                reply = z3_process.check(query, tactic, units, left_s, self._memory_mb)
            else:
                reply = child_process.check(solver, query, max(units, _EFFORT_OF_A_SECOND), left_s, self._memory_mb)
            if reply is None:
                return Unsat(solver)
            if not isinstance(reply, GaveUp):
                return Sat(query.model(reply), solver)
            gave_up.append(reply)
        return _together(gave_up)

    def _turns(self, circuit: Circuit, effort: int) -> Iterator[tuple[str, int]]:
        """The solvers in their order, each with its effort, as long as nobody has an answer."""
        if self._choice is not SolverChoice.AUTO:
            yield self._choice.value, effort
            return
        from validator.solvers import child_process

        others = effort > FIRST_EFFORT
        has_bitwuzla, has_cvc5 = (others and child_process.is_installed(name) for name in ("bitwuzla", "cvc5"))
        if has_bitwuzla or (has_cvc5 and circuit.is_linear):
            yield "z3", FIRST_EFFORT
        if has_cvc5 and circuit.is_linear:
            yield "cvc5", min(effort, _EFFORT_OF_A_SECOND)
        if has_bitwuzla:
            yield "bitwuzla", effort
        yield "z3", effort
        if has_cvc5 and circuit.has_products:
            yield "cvc5", effort


def require(choice: SolverChoice) -> None:
    """Raises `InputError` where the solver that is chosen is not installed."""
    if choice not in (SolverChoice.BITWUZLA, SolverChoice.CVC5):
        return
    from validator.solvers import child_process

    if not child_process.is_installed(choice.value):
        raise InputError(f"{choice.value} is not installed: pip install 'traceproof[solvers]'")


def _together(gave_up: Sequence[GaveUp]) -> GaveUp:
    """The joint answer of solvers that gave up: "effort" only if all of them say so."""
    reasons = [one.reason for one in gave_up if one.reason != "effort"]
    tried = dict.fromkeys(name for one in gave_up for name in one.tried)
    return GaveUp(reasons[-1] if reasons else "effort", tuple(tried))


class Circuit(NamedTuple):
    """The size of the circuit that a query is, roughly, and whether there are products or divisions in it. `is_linear`:
    sums are compared, and nothing else is computed, which solvers that read words as integers settle best."""

    gates: float
    has_products: bool
    is_linear: bool = False

    @staticmethod
    def of(terms: Sequence[Term], width: int, *, exact: bool = False) -> Circuit:
        kinds = Counter(term.kind for term in terms if term.args)
        square = _SQUARE | _SQUARE_OF_FLOATS if exact else _SQUARE
        gates = sum(width * count * (width * square.get(kind, 0) or 0.5) for kind, count in kinds.items())
        is_linear = not kinds.keys() & (square.keys() | _BITWISE) and not kinds.keys().isdisjoint(_SUMS)
        return Circuit(gates, not kinds.keys().isdisjoint(_SQUARE), is_linear)

    def fits(self, effort: int) -> bool:
        """Is it small enough for Z3 to make with this effort?"""
        return self.gates * _EFFORT_FOR_GATE <= effort
