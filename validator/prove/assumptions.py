"""What a verdict takes for granted, and what could not be compared."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from optimizer.ir.rows.row import Type
from optimizer.ir.trace import all_operations
from optimizer.ir.types.memory_types import MemoryKind, kind_of
from validator.prove.jump_targets import must_correspond
from validator.prove.obligations import Pair
from validator.verdict import Failargs


def assumptions(pair: Pair) -> tuple[str, ...]:
    """What the verdict takes for granted beyond its usual trust, in words."""
    within = tuple(_of_objects(pair))
    if must_correspond(pair.before.trace, pair.after.trace):
        within = ("targets of jumps correspond", *within)
    if pair.options.failargs is Failargs.IGNORE:
        return ("resume data", *within)
    bare = [str(k) for k, guard in enumerate(pair.before.guards) if guard.failargs is None]
    if not bare:
        return within
    return (f"failargs of guard{'s' * (len(bare) > 1)} {', '.join(bare)} of before, which are not listed", *within)


def _of_objects(pair: Pair) -> Iterator[str]:
    if _hands_allocations(pair):
        yield "functions do not look into objects that the traces allocate"
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
    """Of the guards that fail `elsewhere` than their origins, which were inferred, one whose origin lists no failargs,
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
