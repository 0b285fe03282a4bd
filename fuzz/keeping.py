"""What is kept of the finds of a batch: each is reduced at once, and one case of each bucket is stored."""

from __future__ import annotations

from collections import Counter

from fuzz.campaign import Find, FindKind, Judge, Optimizer
from fuzz.optimizers import OptimizerKind
from fuzz.plan import REDUCE_S, Plan
from fuzz.reduction.failure import failure_of
from fuzz.store import Case
from fuzz.triage import Kept, OurParts, settle_find
from optimizer.ir.immutable import replace

_ALIKE = 3
_MOST = 8
"""So many finds that fail alike are reduced in a batch, and so many in all; the others are only counted, so that an
optimizer that is wrong everywhere does not hold up its campaign."""


def unreduced(find: Find, case: Case) -> Kept:
    """The bucket of the finds of this kind that are not reduced, with the case of the find as it is."""
    name = f"{find.kind.value}-not-reduced"
    return Kept(name, replace(case, name=name), find.message)


class Keeping:
    """Reduces the finds of one batch, and says which are cases."""

    def __init__(self, plan: Plan, optimizer: Optimizer, judge: Judge) -> None:
        self._plan = plan
        self._optimizer = optimizer
        self._judge = judge
        self._alike: Counter[str] = Counter()
        self._buckets: set[str] = set()

    def keep(self, find: Find, case: Case, *, lost: bool) -> Kept:
        """The bucket of the find, and its case if it is the first one of that. Where a process was `lost` over it, or
        the optimizer hangs, it is kept as it is: to try again takes too long. Each of the lost ones is kept."""
        words = failure_of(find).words
        if lost:
            return Kept(case.name, case, find.message)
        if find.kind is FindKind.HANG:
            return self._first(Kept(words, case, find.message))
        self._alike[words] += 1
        if self._alike[words] > _ALIKE or self._alike.total() > _MOST:
            return self._first(unreduced(find, case))
        separable = OurParts() if self._plan.optimizer.kind is OptimizerKind.OURS else None
        kept = settle_find(
            find,
            case,
            self._optimizer,
            self._judge,
            self._buckets,
            REDUCE_S,
            options=self._plan.options,
            separable=separable,
        )
        return self._first(kept)

    def _first(self, kept: Kept) -> Kept:
        """Without the case, if its bucket has one."""
        if kept.bucket in self._buckets:
            return replace(kept, case=None)
        self._buckets.add(kept.bucket)
        return kept
