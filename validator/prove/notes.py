"""Notes on a proof: what it takes for granted, which guards fail elsewhere than recorded ones, and whether it says
anything at all.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from optimizer.ir.rows.row import Type
from optimizer.ir.trace import all_operations
from optimizer.ir.types.memory_types import MemoryKind, kind_of
from validator.prove.discharge import Discharger, Holds
from validator.prove.facts.facts import Facts
from validator.prove.jump_targets import must_correspond
from validator.prove.obligations import Obligation, Pair, Place
from validator.prove.terms.object_kinds import are_opaque
from validator.prove.witness import is_satisfiable
from validator.solvers.answers import Sat, Unsat
from validator.solvers.portfolio import FIRST_EFFORT
from validator.verdict import Failargs, Guards

RESUME_DATA = "resume data"
"""The assumption where nothing of them is compared."""

BLIND = "functions do not look into objects that the traces allocate"
"""The assumption where one that is declared to read nothing is given such an object."""

UNLISTED = "failargs of"
"""The beginning of the assumption on guards that list none."""


def assumptions(pair: Pair) -> tuple[str, ...]:
    """The assumptions of the verdict beyond its usual trust, in words."""
    within = tuple(_of_objects(pair))
    if must_correspond(pair.before.trace, pair.after.trace):
        within = ("targets of jumps correspond", *within)
    if pair.options.failargs is Failargs.IGNORE:
        return (RESUME_DATA, *within)
    bare = [str(k) for k, guard in enumerate(pair.before.guards) if guard.failargs is None]
    if not bare:
        return within
    return (f"{UNLISTED} guard{'s' * (len(bare) > 1)} {', '.join(bare)} of before, which are not listed", *within)


def _of_objects(pair: Pair) -> Iterator[str]:
    if _hands_allocations(pair):
        yield BLIND
    if any(kind_of(key) is MemoryKind.RAW for key in pair.memory.slots) and _takes_addresses(pair):
        yield "no access to raw memory goes to an object, though addresses of objects are taken"


def _takes_addresses(pair: Pair) -> bool:
    operations = [*all_operations(pair.before.trace), *all_operations(pair.after.trace)]
    of_memory = [one for one in operations if one.op.memory is not None and one.op.memory.shows]
    return any(one.args[0].type is Type.REF for one in of_memory)


def _hands_allocations(pair: Pair) -> bool:
    """Does the optimized trace call a function with an object that it has allocated, though it is not declared to read
    anything?"""
    blind = [application for application in pair.after.applications if application.effects.sees_nothing]
    args = [arg for application in blind for arg in application.args]
    while args:
        arg = args.pop()
        if arg.kind == "alloc":
            return True
        if arg.kind == "choose":
            args += arg.args[1:]
    return False


def lost_failargs(pair: Pair, origins: Sequence[int | None]) -> str | None:
    """A guard whose failargs are listed before and not after: they could not be compared."""
    if pair.options.failargs is Failargs.IGNORE:
        return None
    for j, origin in enumerate(origins):
        if origin is None or pair.after.guards[j].failargs is not None:
            continue
        if pair.before.guards[origin].failargs is not None:
            return (
                f"guard {j}: its failargs are not listed after the optimization, and could not be compared "
                "(to leave them out of the comparison: --failargs ignore)"
            )
    return None


def unlisted_origin(pair: Pair, origins: Sequence[int | None], elsewhere: Sequence[int]) -> str | None:
    """The reason to doubt a guard that fails `elsewhere` than its origin, which was inferred and lists no failargs,
    where others do: nothing speaks for that origin but that nothing can be compared there."""
    if pair.options.failargs is Failargs.IGNORE or all(guard.failargs is None for guard in pair.before.guards):
        return None
    for j in elsewhere:
        origin = origins[j]
        if origin is not None and pair.before.guards[origin].failargs is None:
            return (
                f"guard {j}: its origin was inferred to be guard {origin}, which lists no failargs, so that its own "
                f"could not be compared (if that is the origin, say so: origin={origin})"
            )
    return None


def guards_elsewhere(
    pair: Pair, discharger: Discharger, origins: Sequence[int | None], inferred: Sequence[int]
) -> tuple[list[int], list[int]]:
    """The guards that fail more often than their origins: `early` and `stricter` ones, of those that are to be told,
    and of those with `inferred` origins, which are doubted where lists are compared. The last one is asked first: what
    is known at a place is there as long as nobody has asked for a place ahead."""
    early: list[int] = []
    stricter: list[int] = []
    if pair.options.guards is Guards.SAME:
        return early, stricter
    first, first_origin = pair.options.moved, pair.options.moved_from
    told = [] if first is None else range(first, len(origins))
    of_origin = [j for j, k in enumerate(origins) if k is not None and first_origin is not None and k >= first_origin]
    doubted = inferred if pair.options.failargs is not Failargs.IGNORE else ()
    for j in sorted({*told, *of_origin, *doubted}, reverse=True):
        origin = origins[j]
        if origin is None or pair.after.guards[j].passes is pair.before.guards[origin].passes:
            continue
        if _holds(pair, discharger, pair.condition(j, origin, Guards.SAME)):
            continue
        is_early = pair.options.guards is Guards.EARLY or _holds(
            pair, discharger, pair.condition(j, origin, Guards.EARLY)
        )
        (early if is_early else stricter).insert(0, j)
    return early, stricter


def _holds(pair: Pair, discharger: Discharger, obligation: Obligation) -> bool:
    """Does it hold? Where that is not plain it most often does not, and a search that finds out takes less time than
    rungs that do not settle it."""
    if discharger.at_once(obligation) is not None:
        return True
    if discharger.can_fail(obligation):
        return False
    return isinstance(discharger.settle(obligation, note_effort(pair)), Holds)


_FIRST = 1

LONGEST_SAMPLED = 200
"""The length of traces up to which samples are made before a solver is asked, in operations: for longer ones they are
made later, if at all, since their heaps are as large as the traces."""


def vacuity(
    pair: Pair, discharger: Discharger, reaches_end: Callable[[int, int | None], bool]
) -> tuple[str, ...] | None:
    """The reasons for which a proof would be vacuous (empty: it is not); None where that could not be settled.
    `reaches_end` says whether the recorded trace goes to its end on one of the samples from a first to a last one.

    Values that satisfy what is known at the end show that it is not, and so does a sample on which the recorded trace
    goes to its end. The solver is asked behind the first ones, which run farthest: all samples together take longer
    than a query. Its effort is small: this is a note on a proof, and not part of it.

    A trace that is given up where it is too long ends with a guard that always fails: it is meant to leave there.
    """
    last = pair.before.trace.guards[-1:]
    if last and last[0].op.gives_up:
        reachable = _satisfiable(pair, discharger, len(pair.before.guards) - 1, to_end=True)
        return _first_unreachable(pair, discharger) if reachable is False else () if reachable else None
    ends = discharger.known(Place(len(pair.before.guards), len(pair.after.guards), len(pair.before.events)))
    if not ends.contradiction and is_satisfiable(pair.terms, ends.learned):
        return ()
    is_sampled = len(pair.before.trace.ops) <= LONGEST_SAMPLED
    if is_sampled and reaches_end(0, _FIRST):
        return ()
    reachable = _satisfiable(pair, discharger, len(pair.before.guards), to_end=True)
    if reachable is False:
        return _first_unreachable(pair, discharger)
    return () if reachable or (is_sampled and reaches_end(_FIRST, None)) else None


def note_effort(pair: Pair) -> int:
    """The effort of a query for a note on a proof."""
    return FIRST_EFFORT if len(pair.before.trace.ops) <= LONGEST_SAMPLED else FIRST_EFFORT // 8


def _satisfiable(pair: Pair, discharger: Discharger, guards: int, *, to_end: bool) -> bool | None:
    """Is there a state on which the first `guards` guards pass, everything ahead of the last of them (with `to_end`,
    of the next one, or of the end) being defined?"""
    facts = passed_up_to(pair, guards, to_end=to_end)
    if facts.contradiction:
        return False
    match discharger.query(facts.learned, note_effort(pair)):
        case Sat():
            return None if are_opaque(facts.learned) else True
        case Unsat():
            return False
        case _:
            return None


def passed_up_to(pair: Pair, guards: int, *, to_end: bool) -> Facts:
    """The facts where the first `guards` guards of the recorded trace pass, and everything ahead of the last of them is
    defined, or with `to_end` everything ahead of the next one, or of the end."""
    facts = Facts(pair.terms)
    for known in pair.before.defined:
        if known.guards < guards + to_end:
            facts.assume(known.condition)
    for passed in pair.passed(Place(guards, 0, None)):
        facts.assume(passed)
    return facts


def _first_unreachable(pair: Pair, discharger: Discharger) -> tuple[str, ...]:
    """The first guard that cannot be passed, if that is easy to tell. The search halves: what cannot be passed stays so
    further on."""
    low, high = 0, len(pair.before.guards) + 1
    while low < high:
        middle = (low + high) // 2
        reachable = middle <= len(pair.before.guards) and _satisfiable(pair, discharger, middle, to_end=False)
        if reachable is None:
            low = len(pair.before.guards) + 1
            break
        low, high = (middle + 1, high) if reachable else (low, middle)
    if low > len(pair.before.guards):
        return ("the recorded trace is defined up to its end on no input",)
    return (f"guard {low - 1} of the recorded trace never passes",)
