"""The subject of a mutation, and the parts that mutations share."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from random import Random
from typing import TypeVar

from fuzz.draw.choices import NotDrawable, RandomChoices, constant, float_constant
from fuzz.draw.generator import GeneratedTrace
from fuzz.draw.rows import Rows, family, rows_but
from fuzz.draw.vocabulary import EVERYTHING, Vocabulary
from fuzz.edits.edit import Become, Put
from fuzz.edits.rows import alike
from fuzz.edits.walk import operands, visible
from fuzz.mutate.sketch import Sketch
from optimizer.ir.domains.concrete import concrete
from optimizer.ir.floats import Float
from optimizer.ir.immutable import immutable, replace
from optimizer.ir.rows.ops import Op, Type
from optimizer.ir.run.objects import Datum
from optimizer.ir.trace import ConstFloat, ConstInt, Operation, Trace, Value, Var, all_operations
from optimizer.riders import Names

T = TypeVar("T")


@immutable
class Subject:
    """A trace to change: its `sketch`, and the values of its variables on the example. `other` is for splices."""

    sketch: Sketch
    values: dict[str, Datum]
    other: GeneratedTrace
    random: Random
    names: Names
    vocabulary: Vocabulary = EVERYTHING

    @property
    def trace(self) -> Trace:
        return self.sketch.trace

    @property
    def rows(self) -> Rows:
        """The rows that may be put in, by what can be done with them."""
        return rows_but(self.sketch.word, self.vocabulary.excluded)

    def alike(self, row: Op) -> tuple[Op, ...]:
        """The other rows that can stand in that one's place."""
        return tuple(other for other in alike(row, self.sketch.word) if other not in self.vocabulary.excluded)

    def relatives(self, row: Op) -> tuple[Op, ...]:
        """The close relatives among the rows like it; all of those where there are none."""
        if not row.is_pure:
            return self.alike(row)
        close = family(row, self.sketch.word)
        return tuple(other for other in self.alike(row) if other in close) or self.alike(row)

    def choose(self, among: Sequence[T]) -> T:
        """A random one of those. Raises NotDrawable where there are none."""
        if not among:
            raise NotDrawable
        return self.random.choice(among)

    def operation(self, holds: Callable[[Operation], object]) -> Operation:
        """An operation outside of exit blocks of which that holds. Raises NotDrawable where there is none."""
        return self.choose([op for op in self.trace.ops if holds(op)])

    @property
    def flag_guard(self) -> Op:
        """The guard that there has been no overflow. Raises NotDrawable where it may not be put in."""
        if not self.rows.flag_guards:
            raise NotDrawable
        return self.rows.flag_guards[0]

    def chance(self, percent: int) -> bool:
        return self.random.random() * 100 < percent

    def number(self, value: Value) -> int | None:
        """The number of an integer on the example, None where it is not known."""
        datum = self.values.get(value.name) if isinstance(value, Var) else getattr(value, "value", None)
        return datum if isinstance(datum, int) else None

    def constant(self, near: int | None) -> ConstInt:
        """A constant: close to `near`, another one of the trace, a value of the example, or any."""
        word, random = self.sketch.word, self.random
        wrap = concrete(word).const
        others = [put.old.value for _, put in places(self.trace) if isinstance(put.old, ConstInt)]
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
        others = [put.old.value for _, put in places(self.trace) if isinstance(put.old, ConstFloat)]
        others += [value for value in self.values.values() if isinstance(value, Float)]
        if near is not None and self.chance(25):
            d = concrete(self.sketch.word).floats
            return ConstFloat(self.random.choice((d.neg(near), d.add(near, Float.of(1.0)), d.div(Float.of(1.0), near))))
        if others and self.chance(50):
            return ConstFloat(self.random.choice(others))
        return ConstFloat(float_constant(RandomChoices(self.random)))

    def variable(self, line: int, type_: Type) -> Var:
        """A variable that the operation on that line can name, most often a recent one."""
        among = [var for var in visible(self.trace, line) if var.type is type_]
        return self.choose(among[-6:] if self.chance(60) else among)

    def shown(self, sketch: Sketch, var: Var) -> Sketch:
        """The sketch where the end hands over that variable, or what stands behind uses it in an operand's place."""
        if self.chance(50):
            fitting = [
                put
                for op, put in places(sketch.trace, var)
                if put.old and put.old.type is var.type and put.place not in op.op.constant_args
            ]
            if fitting:
                return sketch.on(replace(self.choose(fitting), new=var))
        end = sketch.trace.end
        return sketch.on(Become(end.line, replace(end, args=(*end.args, var))))


def places(trace: Trace, behind: Var | None = None) -> Iterator[tuple[Operation, Put]]:
    """All operands, with their operations, as edits that change nothing yet; free text left out. With `behind`, those
    behind the operation that defines that variable."""
    is_behind = behind is None
    for op in all_operations(trace):
        if is_behind and not op.op.raw:
            yield from ((op, Put(op.line, place, value, value)) for place, value in enumerate(operands(op)))
        is_behind = is_behind or op.result == behind
