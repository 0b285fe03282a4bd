"""The one place that speaks to Z3: terms in, `Unsat`, `Sat` or `GaveUp` out.

Effort is Z3's own resource count (`rlimit`), so that an answer does not depend on how busy the machine is; the time
limit is a net far behind it, and an answer that it cut off says so.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any

import z3

from optimizer.ir.domain import PRIMITIVES, wrap
from optimizer.ir.plain_terms import PlainTerms
from optimizer.ir.term import Term, cone
from validator.object_terms import ObjectTerms
from validator.solvers.answers import Answer, GaveUp, Sat, Unsat
from validator.solvers.references import LOADS, NUMBERS, OF_MEMORY, VALUED, References


def _floor_div(a: Any, b: Any) -> Any:
    quotient, remainder = a / b, z3.SRem(a, b)
    return z3.If(z3.And(remainder != 0, (remainder ^ b) < 0), quotient - 1, quotient)


def _umulh(a: Any, b: Any) -> Any:
    width = a.size()
    product = z3.ZeroExt(width, a) * z3.ZeroExt(width, b)
    return z3.Extract(2 * width - 1, width, product)


_BUILD: dict[str, Callable[..., Any]] = {
    "add": lambda a, b: a + b,
    "sub": lambda a, b: a - b,
    "mul": lambda a, b: a * b,
    "umulh": _umulh,
    "neg": lambda a: -a,
    "udiv": z3.UDiv,
    "sdiv": lambda a, b: a / b,
    "srem": z3.SRem,
    "fdiv": _floor_div,
    "fmod": lambda a, b: a % b,
    "bit_and": lambda a, b: a & b,
    "bit_or": lambda a, b: a | b,
    "bit_xor": lambda a, b: a ^ b,
    "bit_not": lambda a: ~a,
    "shl": lambda a, b: a << b,
    "lshr": z3.LShR,
    "ashr": lambda a, b: a >> b,
    "eq": lambda a, b: a == b,
    "slt": lambda a, b: a < b,
    "ult": z3.ULT,
    "add_overflows": lambda a, b: z3.Not(z3.And(z3.BVAddNoOverflow(a, b, True), z3.BVAddNoUnderflow(a, b))),
    "sub_overflows": lambda a, b: z3.Not(z3.And(z3.BVSubNoOverflow(a, b), z3.BVSubNoUnderflow(a, b, True))),
    "mul_overflows": lambda a, b: z3.Not(z3.And(z3.BVMulNoOverflow(a, b, True), z3.BVMulNoUnderflow(a, b))),
    "not_": z3.Not,
    "both": z3.And,
    "either": z3.Or,
    "ite": z3.If,
}
assert set(_BUILD) | {"const", "truth"} == set(PRIMITIVES)

_LARGEST = (1 << 32) - 1
"""The largest limit that Z3 can be given; larger ones would wrap around."""

# Measured best on traces among Z3's own preprocessing steps, three times as fast as the default solver.
_STEPS = ("simplify", "propagate-values", "propagate-bv-bounds", "solve-eqs", "elim-uncnstr")

# Z3 cannot be stopped while it makes a circuit of a query, and overruns its stack on the largest ones. So a query that
# is too large for its effort is only preprocessed. An operation has two gates for each bit of a word, one in `_SQUARE`
# as many as is said there for each pair of bits.
_EFFORT_FOR_GATE = 80

# Most queries are small, and preprocessing takes longer than solving them.
_FIRST_EFFORT = 300_000
_SQUARE = {"mul": 1, "umulh": 4, "mul_overflows": 4, "udiv": 2, "sdiv": 2, "srem": 2, "fdiv": 2, "fmod": 2}


class Solver:
    """Answers queries over `terms`. Each term is translated once."""

    def __init__(self, terms: PlainTerms) -> None:
        self._width = terms.width
        self._context = z3.Context()
        self._translated: dict[Term, Any] = {}
        self._references = References(terms, self._context) if isinstance(terms, ObjectTerms) else None

    @cached_property
    def _preprocessing(self) -> Any:
        return self._tactic("fail-if-undecided")

    @cached_property
    def _solving(self) -> Any:
        return self._tactic("smt")

    def _tactic(self, last: str) -> Any:
        return z3.Then(*[z3.Tactic(step, ctx=self._context) for step in (*_STEPS, last)])

    def check(self, conditions: Sequence[Term], effort: int, timeout_s: float) -> Answer:
        """Can all `conditions` hold at once? `effort` is in units of Z3's rlimit."""
        gates = self._gates(conditions)
        if gates * _EFFORT_FOR_GATE <= _FIRST_EFFORT:
            plain = z3.SimpleSolver(ctx=self._context)
            plain.set("ctrl_c", False)  # it would tell Ctrl-C as it tells that its effort was used up
            answer = self._ask(plain, conditions, min(effort, _FIRST_EFFORT), timeout_s)
            if not isinstance(answer, GaveUp) or effort <= _FIRST_EFFORT:
                return answer
        if gates * _EFFORT_FOR_GATE > effort:
            answer = self._ask(self._preprocessing.solver(), conditions, effort, timeout_s)
            return GaveUp("effort") if isinstance(answer, GaveUp) else answer
        return self._ask(self._solving.solver(), conditions, effort, timeout_s)

    def _ask(self, solver: Any, conditions: Sequence[Term], effort: int, timeout_s: float) -> Answer:
        solver.set("timeout", max(1, int(min(_LARGEST, timeout_s * 1000))))
        solver.set("rlimit", min(_LARGEST, effort))
        solver.add(*[self._translate(condition) for condition in conditions])
        if self._references is not None:
            of_memory = [term for term in cone(conditions) if term.kind in OF_MEMORY]
            solver.add(*self._references.axioms(of_memory, self._translated))
        answer = solver.check()
        if answer == z3.unsat:
            return Unsat()
        if answer == z3.sat:
            return Sat(self._values(self._replayable(solver, conditions), conditions))
        reason = solver.reason_unknown()
        if reason == "interrupted from keyboard":
            # Z3 takes Ctrl-C for itself while it works.
            raise KeyboardInterrupt
        return GaveUp(_why(reason))

    def _replayable(self, solver: Any, conditions: Sequence[Term]) -> Any:
        """A model, if possible one in which classes are apart that a replay takes for different ones."""
        model = solver.model()
        apart = [] if self._references is None else self._references.apart(cone(conditions), self._translated)
        if apart:
            solver.add(*apart)
            model = solver.model() if solver.check() == z3.sat else model
        return model

    def _gates(self, conditions: Sequence[Term]) -> int:
        """How large a circuit the conditions are, roughly."""
        kinds = Counter(term.kind for term in cone(conditions) if term.args)
        return sum(self._width * count * (self._width * _SQUARE.get(kind, 0) or 2) for kind, count in kinds.items())

    def _translate(self, root: Term) -> Any:
        done = self._translated
        if root not in done:
            for term in cone([root], done):
                done[term] = self._build(term)
        return done[root]

    def _build(self, term: Term) -> Any:
        if term.kind == "var":
            return z3.BitVec(term.value, self._width, self._context)
        if term.kind == "const":
            return z3.BitVecVal(term.value, self._width, self._context)
        if term.kind == "truth":
            return z3.BoolVal(term.value, self._context)
        if term.kind in OF_MEMORY:
            assert self._references is not None
            return self._references.build(term, self._translated)
        return _BUILD[term.kind](*[self._translated[arg] for arg in term.args])

    def _values(self, model: Any, conditions: Sequence[Term]) -> dict[Term, int]:
        values: dict[Term, int] = {}
        terms = cone(conditions)
        indices = {term.args[1] for term in terms if term.kind in LOADS and len(term.args) > 1}
        for term in terms:
            if term.kind in VALUED or term in indices:
                value = model.eval(self._translated[term], True).as_long()
                values[term] = value if term.kind in NUMBERS else wrap(value, self._width)
        return values


def _why(reason: str) -> str:
    if "resource" in reason or "rlimit" in reason or "canceled" in reason:
        return "effort"
    return "wall" if "timeout" in reason else reason
