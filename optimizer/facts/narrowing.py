"""Narrowing: the facts that a single operation implies for its arguments and its result, forward and backward.

A *template* is what a row of the table says (when it is defined, whether it overflows or passes, what it
computes) as a list of primitives, each behind its arguments. Narrowing one use of the row evaluates the list
over bounds, then goes through it from its end and narrows the arguments of each primitive by what is known of its
result. So what is inferred follows from the row's one meaning and from one inverse for each primitive.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from types import new_class
from typing import Any, cast

from optimizer.ir.domains.backward import EXACT, INVERSES, narrowed
from optimizer.ir.domains.bounds import Bounds, BoundsDomain, bounds_domain
from optimizer.ir.domains.ranges import Truth
from optimizer.ir.immutable import immutable
from optimizer.ir.rows.domain import PRIMITIVES, Domain
from optimizer.ir.rows.ops import Op

Fact = Bounds | Truth
"""Bounds of a word, or the truth of a condition."""

_ROUNDS = 2


class Contradiction(Exception):
    """No input makes these facts hold together: the place is not reached."""


def agree(d: BoundsDomain, known: Any, fact: Fact) -> Any:
    """The fact that holds where both facts about the same thing do. Raises Contradiction if they cannot."""
    if fact is None or fact is known:
        return known
    if known is None:
        return fact
    if isinstance(known, Bounds) and isinstance(fact, Bounds):
        met = d.meet(known, fact)
        if met is None:
            raise Contradiction
        return met
    if known is not fact:
        raise Contradiction
    return known


class _Recording(Domain[int, int]):
    """Records the primitives that a meaning uses. Its words and conditions are the numbers of steps."""

    __slots__ = ("steps",)

    def __init__(self, width: int) -> None:
        super().__init__(width)
        self.steps: dict[tuple[str, tuple[int, ...]], int] = {}

    def record(self, kind: str, *parts: int) -> int:
        if kind in EXACT:
            self.record(f"{kind}_overflows", *parts)
        return self.steps.setdefault((kind, parts), len(self.steps))


def _recorder(kind: str) -> Callable[..., int]:
    return lambda recording, *parts: recording.record(kind, *parts)


_Recorder = cast(
    type[_Recording],
    new_class(
        "_Recorder", (_Recording,), {}, lambda body: body.update({k: _recorder(k) for k in (*PRIMITIVES, "bit")})
    ),
)
"""The recording domain with all primitives, none of which needs a line of its own, and `bit`: many rows end in it."""


@immutable
class _Step:
    """One primitive on the results of earlier steps.

    `flag` is the step that says whether this one, an `add`, `sub` or `mul`, wraps around.
    """

    kind: str
    args: tuple[int, ...]
    evaluate: Callable[..., Fact]
    flag: int | None


@dataclass(frozen=True, slots=True)
class _Template:
    """The steps of a row, the first of which are its arguments, and which of them are its terms.

    `fixed` are the facts of the steps behind the arguments, None of those that are not constant: these are `computed`,
    and those of them that have an inverse are `inverted`, the last one first. `choice` is the condition of a choice
    between words that are not both constants.
    """

    fixed: tuple[Fact, ...]
    computed: tuple[tuple[int, _Step], ...]
    inverted: tuple[tuple[int, _Step], ...]
    sure: tuple[int, ...]
    overflows: int | None
    meaning: int | None
    choice: int | None


@cache
def _template(row: Op, word: int, arity: int) -> _Template:
    recording = _Recorder(word)
    args = [recording.record("argument", index) for index in range(arity)]
    defined, passes, overflows, meaning = (
        None if term is None else cast(int, term(recording, *args))
        for term in (row.defined, row.passes, row.overflows, row.meaning)
    )
    kinds = [kind for kind, _ in recording.steps]
    choices = [
        parts[0]
        for kind, parts in recording.steps
        if kind == "ite" and (kinds[parts[1]], kinds[parts[2]]) != ("const", "const")
    ]
    given = ("argument", "const", "truth")
    computed = [(index, _step(recording, *step)) for index, step in enumerate(recording.steps) if step[0] not in given]
    return _Template(
        tuple(_fixed(word, *step) for step in list(recording.steps)[arity:]),
        tuple(computed),
        tuple((index, step) for index, step in reversed(computed) if step.kind in INVERSES),
        tuple(term for term in (defined, passes) if term is not None),
        overflows,
        meaning,
        choices[0] if choices else None,
    )


def _step(recording: _Recording, kind: str, parts: tuple[int, ...]) -> _Step:
    flag = recording.steps[f"{kind}_overflows", parts] if kind in EXACT else None
    return _Step(kind, parts, getattr(bounds_domain(recording.width), kind), flag)


def _fixed(word: int, kind: str, parts: tuple[int, ...]) -> Fact:
    """The fact of a constant step."""
    fact: Fact = getattr(bounds_domain(word), kind)(*parts) if kind in ("const", "truth") else None
    return fact


def _evaluate(d: BoundsDomain, step: _Step, facts: list[Any]) -> Fact:
    fact = step.evaluate(*map(facts.__getitem__, step.args))
    if step.flag is not None and facts[step.flag] is False:
        a, b = step.args
        exact = d.between(*EXACT[step.kind](facts[a].range, facts[b].range))
        if exact is None:
            raise Contradiction
        return cast(Fact, agree(d, fact, exact))
    return fact


def _invert(d: BoundsDomain, step: _Step, result: Fact, facts: list[Any]) -> None:
    """Narrow the facts of the step's arguments."""
    known = tuple([facts[arg] for arg in step.args])
    exact = step.flag is not None and facts[step.flag] is False
    for place, fact in narrowed(d.width, step.kind, result, known, exact):
        if fact is None:
            raise Contradiction
        arg = step.args[place]
        facts[arg] = agree(d, facts[arg], fact)


def _round(d: BoundsDomain, template: _Template, args: tuple[Fact, ...], wanted: Mapping[int, Fact]) -> list[Any]:
    """The facts of all steps, those in `wanted` holding. Raises Contradiction."""
    facts: list[Any] = [*args, *template.fixed]
    for index, fact in wanted.items():
        facts[index] = agree(d, facts[index], fact)
    for index, step in template.computed:
        fact = _evaluate(d, step, facts)
        facts[index] = agree(d, fact, wanted[index]) if index in wanted else fact
    for index, step in template.inverted:
        if facts[index] is not None:
            _invert(d, step, facts[index], facts)
    return facts


@immutable
class Narrowed:
    """The facts about an operation's arguments and, if it has one, about its result."""

    args: tuple[Fact, ...]
    result: Bounds | None


def _narrow(
    d: BoundsDomain, template: _Template, args: tuple[Fact, ...], wanted: Mapping[int, Fact]
) -> Narrowed | None:
    try:
        for _ in range(_ROUNDS):
            facts = _round(d, template, args, wanted)
            before, args = args, tuple(facts[: len(args)])
            if args == before:
                break
    except Contradiction:
        return None
    return Narrowed(args, None if template.meaning is None else facts[template.meaning])


def _either_way(d: BoundsDomain, a: Narrowed | None, b: Narrowed | None) -> Narrowed | None:
    if a is None or b is None:
        return a or b
    pairs = zip((*a.args, a.result), (*b.args, b.result), strict=True)
    *args, result = (d.join(x, y) if isinstance(x, Bounds) and isinstance(y, Bounds) else None for x, y in pairs)
    return Narrowed(tuple(args), result)


@lru_cache(maxsize=1 << 14)
def narrow(
    row: Op, word: int, args: tuple[Fact, ...], result: Bounds | None = None, overflowed: Truth = None
) -> Narrowed | None:
    """The facts that hold where an operation is defined and, if it is a guard, passes; None if that cannot be.

    `args` are the bounds of its arguments, of a guard on the overflow flag the truth of that flag; `result`
    the bounds of its result and `overflowed` its own flag, as far as they are known already. `word` is in bits.
    """
    d, template = bounds_domain(word), _template(row, word, len(args))
    wanted: dict[int, Fact] = dict.fromkeys(template.sure, True)
    if template.overflows is not None:
        wanted[template.overflows] = overflowed
    if template.meaning is not None:
        wanted[template.meaning] = result
    if template.choice is None:
        return _narrow(d, template, args, wanted)
    sides = [_narrow(d, template, args, {template.choice: side, **wanted}) for side in (True, False)]
    return _either_way(d, *sides)
