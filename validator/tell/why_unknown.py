"""The reasons for which an obligation was not settled: operations that make it hard, what was tried, and what to
try."""

from __future__ import annotations

from collections.abc import Iterator
from importlib.util import find_spec

from optimizer.ir.domains.term import Term, cone
from optimizer.ir.text.trace_printer import format_operation
from optimizer.ir.trace import ConstInt, Operation, Var, all_operations
from validator.prove.discharge import NotSettled
from validator.prove.encoding import Encoding
from validator.prove.obligations import Obligation, Pair
from validator.prove.terms.object_kinds import OPAQUE
from validator.solvers.answers import SolverChoice
from validator.verdict import Failargs, Hard, Options, WhyUnknown

_MOST = 4
"""The number of operations that are named, at most, of what is claimed, and of what is assumed."""

_LARGE = 2000
"""A query of more terms is hard by its size."""

OUT_OF_EFFORT = "the solver's effort was used up (a larger one: --effort)"

_EFFORT_A_SECOND = 10_000_000

_PRODUCTS = {
    "mul": "a product of two unknowns",
    "mul_overflows": "an overflow check of a product",
    "umulh": "the high word of a product",
}
_DIVISIONS = frozenset({"udiv", "sdiv", "srem", "fdiv", "fmod"})
_BYTES = frozenset({"float_to_bytes", "float_to_single"})
_SHIFTS = frozenset({"shl", "lshr", "ashr"})


def why_unknown(pair: Pair, obligation: Obligation, answer: NotSettled) -> WhyUnknown:
    """The reasons for which that obligation was not settled."""
    hard, size = _hard(pair, obligation)
    return WhyUnknown(
        obligation.name, hard, tuple(_tried(pair.options, answer)), tuple(_advice(pair, obligation, answer, size))
    )


def explain(reason: str) -> str:
    """The reason for which nothing was settled, in words."""
    known = {
        "effort": OUT_OF_EFFORT,
        "abstraction": "a candidate was found, and the two traces do not differ on it",
        "wall": "the time limit was reached (a larger one: --timeout)",
    }
    return known.get(reason, f"the solver gave up ({reason})")


def _hard(pair: Pair, obligation: Obligation) -> tuple[tuple[Hard, ...], int]:
    """The operations that are hard in what is claimed, then those in what is assumed; and how many terms the query
    has."""
    named: list[Hard] = []
    claimed = cone([obligation.claim, *obligation.given])
    assumed = cone(pair.assumptions(obligation.place), set(claimed))
    for terms in (claimed, assumed):
        found = {term: what for term in terms if (what := _difficulty(term)) is not None}
        named += list(_named(pair, found))[:_MOST]
    return tuple(named), len(claimed) + len(assumed)


def _difficulty(term: Term) -> str | None:
    if term.kind in _BYTES:
        return "the bytes of a float, which nobody says of NaN"
    if term.kind in OPAQUE:
        return "arithmetic on floats"
    if len(term.args) != 2:
        return None
    a, b = term.args
    is_constant = [arg.kind == "const" for arg in (a, b)]
    if term.kind in _PRODUCTS and (term.kind == "umulh" or not any(is_constant)):
        return _PRODUCTS[term.kind]
    if term.kind in _DIVISIONS and not all(is_constant):
        return "a division by a constant" if is_constant[1] else "a division by an unknown"
    if term.kind in _SHIFTS and not is_constant[1]:
        return "a shift by an unknown"
    return None


def _named(pair: Pair, found: dict[Term, str]) -> Iterator[Hard]:
    """The operations of both traces that make those terms, each once."""
    for which, encoding in (("before", pair.before), ("after", pair.after)):
        for operation in all_operations(encoding.trace):
            made = [term for term in _made(pair, encoding, operation) if term in found]
            if made:
                # What the recorded trace has already is not named again.
                yield Hard(found[made[0]], which, operation.line, format_operation(operation))
            for term in made:
                del found[term]


def _made(pair: Pair, encoding: Encoding, operation: Operation) -> Iterator[Term]:
    """The terms that the operation is: its result, and the flag of its overflow."""
    if operation.result is not None and operation.result.name in encoding.values:
        result = encoding.values[operation.result.name]
        yield result
        # Some operations are a few terms: a shift of a sum, a quotient and a correction.
        yield from (term for term in result.args if _difficulty(term) is not None)
    args = [
        encoding.values.get(arg.name) if isinstance(arg, Var) else pair.terms.const(arg.value)
        for arg in operation.args
        if isinstance(arg, Var | ConstInt)
    ]
    if operation.op.overflows is not None and None not in args:
        yield operation.op.overflows(pair.terms, *args)


def _tried(options: Options, answer: NotSettled) -> Iterator[str]:
    yield "structure and intervals, then runs on samples"
    seconds = options.effort / _EFFORT_A_SECOND
    for solver in answer.tried:
        took = "" if answer.reason == "wall" else f" (about {seconds:.1g} s)"
        yield f"{solver}, with an effort of {options.effort} for a query{took}"
    if answer.reason == "abstraction":
        yield "a solver, which came up with the candidate"
    elif not answer.tried:
        yield f"no solver: the {options.timeout_s:g} s of the pair were over"


def _advice(pair: Pair, obligation: Obligation, answer: NotSettled, size: int) -> Iterator[str]:
    options = pair.options
    match answer.reason:
        case "abstraction":
            yield "declarations of what the optimizer relied on, see docs/heap.md"
        case "wall":
            yield f"--timeout {10 * options.timeout_s:g}, or a machine that is less busy"
        case "memory":
            yield f"--memory {2 * options.memory_mb}"
        case _:
            yield f"--effort {10 * options.effort}"
    if answer.reason != "abstraction":
        yield from _other_solvers(options)
    if size > _LARGE:
        yield f"a shorter trace: the query has {size} terms"
    if ": failarg" in obligation.name and options.failargs is Failargs.CHECK:
        yield "--failargs ignore, if what guards hand over need not be compared"


def _other_solvers(options: Options) -> Iterator[str]:
    others = (SolverChoice.BITWUZLA, SolverChoice.CVC5)
    missing = [one.value for one in others if find_spec(one.value) is None]
    if missing:
        yield f"pip install 'traceproof[solvers]', for {' and '.join(missing)}"
    elif options.solver is not SolverChoice.AUTO:
        yield "--solver auto, which asks all that are installed"
