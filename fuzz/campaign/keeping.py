"""Finds of a batch that are kept: each is reduced at once, and one case of each bucket is stored."""

from __future__ import annotations

from collections import Counter

from fuzz.campaign.examine import Find, FindKind, Judge, Optimizer
from fuzz.campaign.plan import REDUCE_S, Plan
from fuzz.campaign.triage import Kept, OurParts, settle_find
from fuzz.cases.store import Case
from fuzz.reduce.failure import failure_of
from fuzz.reduce.trials import Subject
from fuzz.subject.optimizers import OptimizerKind
from optimizer.ir.immutable import replace

_REPEATED = 2
_MOST = 8
"""Finds of a batch are reduced until so many that fail alike came to a bucket that the batch had already, and so many
in all; the others are only counted, so that an optimizer that is wrong everywhere does not hold up its campaign."""


def unreduced(find: Find, case: Case) -> Kept:
    """The case of a find as it is, which stands for those of its kind; its bucket is not known."""
    return Kept("", replace(case, name=f"{find.kind.value}-not-reduced"), find.message)


class Keeping:
    """Reduces the finds of one batch, and says which are cases."""

    def __init__(self, plan: Plan, optimizer: Optimizer, judge: Judge) -> None:
        self._plan = plan
        self._subject = Subject(optimizer, judge, plan.options)
        self._reduced = 0
        self._repeated: Counter[str] = Counter()
        self._buckets: set[str] = set()

    def keep(self, find: Find, case: Case, *, lost: bool) -> Kept:
        """The bucket of the find, and its case if it is the first one of that. Where a process was `lost` over it, or
        the optimizer hangs, it is kept as it is: to try again takes too long. Each of the lost ones is kept, of those
        that are not reduced the first one that does not fail like reduced ones."""
        words = failure_of(find).words
        if lost:
            return Kept(case.name, case, find.message)
        if find.kind is FindKind.HANG:
            return self._first(Kept(words, case, find.message))
        if self._repeated[words] >= _REPEATED:
            return Kept("", None, find.message)
        if self._reduced >= _MOST:
            return self._first(unreduced(find, case))
        self._reduced += 1
        separable = OurParts() if self._plan.optimizer.kind is OptimizerKind.OURS else None
        kept = settle_find(find, case, self._subject, self._buckets, REDUCE_S, separable)
        self._repeated[words] += kept.bucket in self._buckets
        return self._first(kept)

    def _first(self, kept: Kept) -> Kept:
        """The find as it is kept, without the case if its bucket has one."""
        name = kept.bucket or (kept.case.name if kept.case is not None else "")
        if name in self._buckets:
            return replace(kept, case=None)
        self._buckets.add(name)
        return kept
