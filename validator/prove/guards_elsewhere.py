"""Which guards of a proved trace fail elsewhere than recorded ones."""

from __future__ import annotations

from collections.abc import Sequence

from validator.prove.discharge import Discharger, Holds
from validator.prove.obligations import Obligation, Pair
from validator.prove.vacuity import note_effort
from validator.verdict import Guards


def guards_elsewhere(pair: Pair, discharger: Discharger, origins: Sequence[int | None]) -> tuple[list[int], list[int]]:
    """The guards that fail more often than their origins: `early` and `stricter` ones. They are asked from the last one
    back: what is known at a place is there as long as nobody has asked for a place ahead."""
    early: list[int] = []
    stricter: list[int] = []
    if pair.options.guards is Guards.SAME:
        return early, stricter
    for j, origin in reversed(list(enumerate(origins))):
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
