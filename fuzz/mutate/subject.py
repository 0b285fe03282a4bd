"""What a mutation is given, and what mutations share."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from random import Random
from typing import TypeVar

from fuzz.draw.choices import NotDrawable, RandomChoices, constant, float_constant
from fuzz.draw.generator import GeneratedTrace
from fuzz.draw.rows import Rows, family, rows_but
from fuzz.draw.vocabulary import EVERYTHING, Vocabulary
from fuzz.edits.rows import alike
from fuzz.mutate.sketch import Sketch, results_of
from optimizer.ir.domains.concrete import concrete
from optimizer.ir.floats import Float
from optimizer.ir.immutable import replace
from optimizer.ir.rows.ops import Op, Type
from optimizer.ir.run.objects import Datum
from optimizer.ir.trace import ConstFloat, ConstInt, Operation, Value, Var, exit_of
from optimizer.riders import Names

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Subject:
    """A trace to change: its `sketch`, and the values of its variables on the example. `other` is for splices."""

    sketch: Sketch
    values: dict[str, Datum]
    other: GeneratedTrace
    random: Random
    names: Names
    vocabulary: Vocabulary = EVERYTHING

    @property
    def rows(self) -> Rows:
        """The rows that may be put in, by what can be done with them."""
        return rows_but(self.sketch.word, self.vocabulary.excluded)

    def alike(self, row: Op) -> tuple[Op, ...]:
        """The other rows that can stand in that one's place."""
        return tuple(other for other in alike(row, self.sketch.word) if other not in self.vocabulary.excluded)

    def pick(self, among: Sequence[T]) -> T | None:
        return self.random.choice(among) if among else None

    def relatives(self, row: Op) -> tuple[Op, ...]:
        """Those of them that are close relatives; all of them where there are none."""
        if not row.is_pure:
            return self.alike(row)
        close = family(row, self.sketch.word)
        return tuple(other for other in self.alike(row) if other in close) or self.alike(row)

    def choose(self, among: Sequence[T]) -> T:
        """One of those. Raises NotDrawable where there are none."""
        if not among:
            raise NotDrawable
        return self.random.choice(among)

    @property
    def flag_guard(self) -> Op:
        """The guard that there has been no overflow. Raises NotDrawable where it may not be put in."""
        if not self.rows.flag_guards:
            raise NotDrawable
        return self.rows.flag_guards[0]

    def chance(self, percent: int) -> bool:
        return self.random.random() * 100 < percent

    def lines_with(self, holds: Callable[[Operation], object]) -> list[int]:
        return [index for index, line in enumerate(self.sketch.lines) if holds(line.operation)]

    def number(self, value: Value) -> int | None:
        """What an integer is on the example, where that is known."""
        datum = self.values.get(value.name) if isinstance(value, Var) else getattr(value, "value", None)
        return datum if isinstance(datum, int) else None

    def constant(self, near: int | None) -> ConstInt:
        """A constant: close to `near`, another one of the trace, a value of the example, or any."""
        word, random = self.sketch.word, self.random
        wrap = concrete(word).const
        others = [value.value for _, _, value in sites(self.sketch) if isinstance(value, ConstInt)]
        others += [value for value in self.values.values() if isinstance(value, int)]
        match random.randrange(8):
            case 0 | 1 if near is not None:
                return ConstInt(wrap(near + random.choice((-2, -1, 1, 2))))
            case 2 if near is not None:
                power = 1 << min(abs(near).bit_length(), word - 1)
                border = power + random.choice((-1, 0, 1))
                flipped = near ^ 1 << random.randrange(word)
                return ConstInt(wrap(random.choice((-near, ~near, flipped, near << 1, near >> 1, border, -border))))
            case 3 | 4 if others:
                return ConstInt(random.choice(others))
            case 5 if others:
                other = random.choice(others)
                return ConstInt(wrap(random.choice((other, -other, word - other)) + random.choice((-1, 0, 1))))
        return ConstInt(constant(RandomChoices(random), word))

    def float_constant(self, near: Float | None) -> ConstFloat:
        """The same of floats."""
        others = [value.value for _, _, value in sites(self.sketch) if isinstance(value, ConstFloat)]
        others += [value for value in self.values.values() if isinstance(value, Float)]
        if near is not None and self.chance(25):
            d = concrete(self.sketch.word).floats
            return ConstFloat(self.random.choice((d.neg(near), d.add(near, Float.of(1.0)), d.div(Float.of(1.0), near))))
        if others and self.chance(50):
            return ConstFloat(self.random.choice(others))
        return ConstFloat(float_constant(RandomChoices(self.random)))

    def variable(self, index: int, type_: Type) -> Var | None:
        """A variable that the operation on that line can name, most often a recent one."""
        among = [var for var in self.sketch.visible(index) if var.type is type_]
        return self.pick(among[-6:] if self.chance(60) else among)

    def shown(self, sketch: Sketch, var: Var) -> Sketch:
        """The sketch where the end hands over that variable, or what stands behind uses it in an operand's place."""
        defined = next(i for i, line in enumerate(sketch.lines) if line.operation.result == var)
        if self.chance(50):
            places = [
                site for site, _, value in sites(sketch) if site.line > defined and value and value.type is var.type
            ]
            site = self.pick([site for site in places if not site.is_constant(sketch)])
            if site is not None:
                return site.replaced(sketch, var)
        end = sketch.lines[-1].operation
        return sketch.with_operation(len(sketch.lines) - 1, replace(end, args=(*end.args, var)))

    def named_apart(self, operation: Operation) -> dict[Var, Value]:
        """New names for all that the operation defines."""
        return {var: self.names.fresh(var.type) for var in results_of(operation)}


# Sites: where a value stands.


@dataclass(frozen=True, slots=True)
class Site:
    """An argument, or a failarg, of the operation on a line; `inner` is the place in its exit block, or None."""

    line: int
    inner: int | None
    place: int
    failarg: bool = False

    def _operation(self, sketch: Sketch) -> Operation:
        outer = sketch.lines[self.line].operation
        return outer if self.inner is None else exit_of(outer).block[self.inner]

    def is_constant(self, sketch: Sketch) -> bool:
        """Must a constant stand here?"""
        operation = self._operation(sketch)
        return not self.failarg and self.place in operation.op.constant_args

    def replaced(self, sketch: Sketch, value: Value | None) -> Sketch:
        """The sketch with that value there; None, which is a dead slot, only in failargs."""
        outer = sketch.lines[self.line].operation
        if self.failarg:
            failargs = list(exit_of(outer).failargs or ())
            failargs[self.place] = value
            return sketch.with_operation(
                self.line, replace(outer, exit=replace(exit_of(outer), failargs=tuple(failargs)))
            )
        operation = self._operation(sketch)
        assert value is not None
        changed = replace(operation, args=(*operation.args[: self.place], value, *operation.args[self.place + 1 :]))
        if self.inner is None:
            return sketch.with_operation(self.line, changed)
        block = exit_of(outer).block
        block = (*block[: self.inner], changed, *block[self.inner + 1 :])
        return sketch.with_operation(self.line, replace(outer, exit=replace(exit_of(outer), block=block)))


def sites(sketch: Sketch) -> Iterator[tuple[Site, Operation, Value | None]]:
    """All sites with their operation and what stands there; free text left out."""
    for index, line in enumerate(sketch.lines):
        operation = line.operation
        if operation.op.raw:
            continue
        for place, value in enumerate(operation.args):
            yield Site(index, None, place), operation, value
        if operation.exit is None:
            continue
        for inner, one in enumerate(operation.exit.block):
            for place, value in enumerate(one.args):
                yield Site(index, inner, place), one, value
        for place, failarg in enumerate(operation.exit.failargs or ()):
            yield Site(index, None, place, failarg=True), operation, failarg
