"""Triage: the guilty part of the optimizer for a find, and the finds that are the same: buckets.

A bucket is what is wrong, and the guilty pass and rule with the names of the operations of the reduced trace in order,
or, where the guilty cannot be told, what the optimizer holds for known and is not so, or what is left of the change.
"""

from __future__ import annotations

import hashlib
import re
import traceback
from collections.abc import Callable, Collection, Container, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Protocol

from fuzz.campaign.examine import Find, Judge, Optimizer
from fuzz.campaign.find import returned
from fuzz.cases.store import Case
from fuzz.reduce.failure import Failure, failure_of, shortened
from fuzz.reduce.reduce import Progress, Reduced, reduce_find
from fuzz.reduce.trials import Subject, Trials, candidate_of, change_left
from fuzz.reduce.wrong_fact import wrong_fact
from fuzz.subject.optimizers import OptimizerSpec, ours, within
from optimizer.ir.immutable import replace
from optimizer.ir.text import format_trace
from optimizer.ir.trace import Trace, all_operations
from optimizer.passes.simplify import Simplify
from optimizer.pipeline import ALL_RULES, DEFAULT_PASSES
from validator.tell.stored_state import stored_state
from validator.verdict import Options


class Separable(Protocol):
    """An optimizer whose parts can be switched off."""

    @property
    def parts(self) -> Mapping[str, Sequence[str]]:
        """The passes in order, and the names of the rules of each."""

    def without(self, names: Collection[str]) -> Optimizer:
        """The optimizer without these passes and rules."""


@dataclass(frozen=True, slots=True)
class OurParts:
    """Our own optimizer, taken apart; the rules of its table are those of one pass. It may take so many seconds."""

    limit_s: float = OptimizerSpec().limit_s

    @property
    def parts(self) -> Mapping[str, Sequence[str]]:
        return {name: [rule.name for rule in ALL_RULES] if name == Simplify.name else () for name in DEFAULT_PASSES}

    def without(self, names: Collection[str]) -> Optimizer:
        passes = [name for name in DEFAULT_PASSES if name not in names]
        return within(partial(ours, passes=passes, without=names), self.limit_s)


@dataclass(frozen=True, slots=True)
class Guilt:
    """The passes that it takes for a failure, or one and those of its rules that it takes."""

    passes: tuple[str, ...]
    rules: tuple[str, ...] = ()

    @property
    def rule(self) -> str:
        """The first of the rules; empty where there is none."""
        return self.rules[0] if self.rules else ""

    @property
    def parts(self) -> frozenset[str]:
        """The guilty rules, else the guilty passes: without any of these, the failure is gone."""
        return frozenset(self.rules or self.passes)

    def __str__(self) -> str:
        return "-".join([*self.passes, *self.rules[:1]])


def find_guilt(find: Find, judge: Judge, options: Options, separable: Separable, *, ask: bool = True) -> Guilt | None:
    """The guilty parts, found by switching passes and rules off, one by one. None where the find cannot be repeated, or
    shows with everything switched off. Without `ask`, running decides alone."""
    subject = Subject(separable.without(()), judge, options)
    trials, candidate = Trials(subject, failure_of(find)), candidate_of(find, subject)

    def shows_without(names: Collection[str]) -> bool:
        return trials.shows(candidate, separable.without(names), ask)

    passes = list(separable.parts)
    if not shows_without(()) or shows_without(passes):
        return None
    needed = [name for name in passes if not shows_without([name])]
    alone = [name for name in needed if shows_without([other for other in passes if other != name])]
    guilty = alone[:1] or needed or _several(passes, shows_without)
    if len(guilty) > 1:
        return Guilt(tuple(guilty))
    rules = [rule for rule in separable.parts[guilty[0]] if not find.fired or rule in find.fired]
    return Guilt(tuple(guilty), tuple(rule for rule in rules if not shows_without([rule])))


def _several(passes: Sequence[str], shows_without: Callable[[Collection[str]], bool]) -> list[str]:
    """Passes that have to be switched off together: none of them can be left out of these."""
    off = list(passes)
    for name in passes:
        fewer = [other for other in off if other != name]
        if not shows_without(fewer):
            off = fewer
    return off


def bucket_of(failure: Failure, guilt: Guilt | None, trace: Trace, cause: str | None = None) -> str:
    """A short name, the same for finds of one cause: `simplify-mul_add_const-end-argument-3f2a`. It tells of the guilty
    or, where nobody knows, of what is known of the `cause`: `fact-of-int_mod-3f2a`."""
    if cause is not None:
        words = re.sub(r"[^A-Za-z0-9_]+", "-", cause.replace("->", "to"))
        return f"{shortened(words)}-{_digest(cause)}"
    shape = [operation.op.name for operation in all_operations(trace)]
    told = [str(guilt or ""), failure.kind.value, failure.what.partition(" /")[0], *shape]
    return "-".join([part for part in (str(guilt or ""), failure.words) if part] + [_digest(*told)])


def _digest(*told: str) -> str:
    return hashlib.sha256("\0".join(told).encode()).hexdigest()[:4]


def cause_told(reduced: Reduced, subject: Subject) -> str | None:
    """The cause of a reduced find of an optimizer that cannot be taken apart, the same wherever it shows: a wrong
    fact, or the change. None where no two runs differ."""
    change = change_left(reduced.find, subject)
    if change is None:
        return None
    fact = wrong_fact(reduced.find, subject)
    if fact is not None:
        return f"fact of {fact}"
    in_exit = "exit: " * (reduced.failure.what == "guard: heap")
    if change.effects:
        return f"{in_exit}{change}"
    return str(change) if change.is_of_operations else f"{reduced.failure.words}: {change}"


@dataclass(frozen=True, slots=True)
class Settled:
    """A find that is settled: its bucket, what is left of it, and who is guilty where that can be told."""

    bucket: str
    reduced: Reduced
    guilt: Guilt | None


def settle(
    find: Find,
    subject: Subject,
    budget_s: float,
    separable: Separable | None = None,
    observe: Callable[[Progress], None] | None = None,
    jobs: int = 1,
) -> Settled:
    """Reduce a find, in about so many seconds, and say which bucket it belongs to. `separable` is the optimizer where
    its parts can be switched off: then what is left is the same parts' fault as the find is."""
    judge, options = subject.judge, subject.options
    guilt = None if separable is None else find_guilt(find, judge, options, separable, ask=False)
    if separable is not None and guilt is not None:
        subject = replace(subject, innocent=separable.without(guilt.parts))
    reduced = reduce_find(find, subject, budget_s, jobs=jobs, observe=observe)
    if separable is not None and reduced.repeated and not reduced.interrupted:
        guilt = find_guilt(reduced.find, judge, options, separable) or guilt
    cause = None
    if guilt is None and not reduced.interrupted:
        reduced = _shown_otherwise(reduced, subject, budget_s, jobs, observe)
        cause = cause_told(reduced, subject)
    return Settled(bucket_of(reduced.failure, guilt, reduced.before, cause), reduced, guilt)


def _shown_otherwise(
    reduced: Reduced, subject: Subject, budget_s: float, jobs: int, observe: Callable[[Progress], None] | None
) -> Reduced:
    """The reduction where the runs may differ in another thing: a wrong value that decides a guard is shown sooner by
    an end that hands it over."""
    change = change_left(reduced.find, subject)
    if subject.optimizer is None or change is None or not change.is_of_operations or not reduced.complete:
        return reduced
    more = reduce_find(
        reduced.find, replace(subject, change=change), budget_s - reduced.seconds, jobs=jobs, observe=observe
    )
    if not more.repeated:
        return reduced
    return replace(
        more,
        tried=reduced.tried + more.tried,
        seconds=reduced.seconds + more.seconds,
        smaller=reduced.smaller or more.smaller,
    )


@dataclass(frozen=True, slots=True)
class Kept:
    """The bucket of a find, what the reduced one says, and the case to store for it: None where its bucket has one
    already."""

    bucket: str
    case: Case | None
    message: str


def settle_find(
    find: Find,
    case: Case,
    subject: Subject,
    known_buckets: Container[str],
    budget_s: float,
    separable: Separable | None = None,
) -> Kept:
    """The part of a find that a campaign keeps, in about so many seconds. `case` is that of the find as it is.

    The case that comes back is named as the bucket, so that of two processes that store one of the same bucket at once,
    the first one wins. Not for finds over which a process was lost: the optimizer is run in this one.
    """
    try:
        settled = settle(find, subject, budget_s, separable)
        bucket, reduced = settled.bucket, settled.reduced
        kept = None if bucket in known_buckets else reduced_case(case, reduced, bucket)
        return Kept(bucket, kept, reduced.find.message)
    except Exception:  # a campaign goes on, and the find is not lost
        bucket = f"not-reduced-{bucket_of(failure_of(find), None, find.generated.trace)}"
        report = f"The find could not be reduced:\n{traceback.format_exc()}\n{case.report}"
        kept = None if bucket in known_buckets else replace(case, name=bucket, report=report)
        return Kept(bucket, kept, find.message)


def reduced_case(case: Case, reduced: Reduced, name: str) -> Case:
    """The case with the reduced traces; those of the find stand beside."""
    if not reduced.repeated:
        return replace(case, name=name)
    find = reduced.find
    after, report = returned(find)
    return replace(
        case,
        name=name,
        before=format_trace(reduced.before),
        after=after,
        obligation=find.obligation,
        expect="refuted" if find.obligation else "",
        state=stored_state(reduced.state, reduced.before),
        message=find.message,
        report=report or case.report,
        original=case.before,
        original_after=case.after,
    )
