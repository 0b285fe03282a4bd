"""An example run up to an operation: what is known there, and what another operation would do in its place."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from random import Random

from fuzz.draw.rows import rows
from fuzz.edits.rows import alike
from optimizer.ir.addresses import address_of
from optimizer.ir.domains.concrete import concrete
from optimizer.ir.floats import ZERO, Float
from optimizer.ir.immutable import replace
from optimizer.ir.rows.ops import Op, Type
from optimizer.ir.run.interpreter import Run
from optimizer.ir.run.objects import NULL, Datum, Object, Ref
from optimizer.ir.trace import ConstClass, ConstFloat, ConstInt, ConstRef, Operation, Value, Var
from optimizer.ir.types.byte_access import WrongDescr
from optimizer.ir.types.layout import Layout, Struct

_FEW = 6


@dataclass(frozen=True, slots=True)
class Scene:
    """`run` came to the operation, before which `visible` are defined. `flag` is that of the overflow operation."""

    layout: Layout
    run: Run
    visible: list[Var]
    flag: bool = False

    def datum(self, value: Value) -> Datum | None:
        """The datum of a value; None where it is not known."""
        match value:
            case Var(name):
                return self.run.values.get(name)
            case ConstInt(number):
                return number
            case ConstRef(text) if self.run.heap is not None:
                return self.run.heap.named(text)
            case ConstClass(name):
                return address_of(name, self.layout.word)
        return None

    def goes_on(self, operation: Operation) -> bool:
        """Is the operation defined here and, if it is a guard, does it pass?"""
        row, memory, d = operation.op, operation.memory, concrete(self.layout.word)
        data = [self.datum(arg) for arg in operation.args]
        if any(datum is None for datum in data):
            return False
        if memory is not None:
            return self._goes_on_in_memory(operation)
        if row.defined is not None and not row.defined(d, *data):
            return False
        if row.passes is None:
            return True
        return bool(row.passes(d, self.flag) if row.reads_flag else row.passes(d, *data))

    def _goes_on_in_memory(self, operation: Operation) -> bool:
        memory, heap, d = operation.memory, self.run.heap, concrete(self.layout.word)
        assert memory is not None
        args = [
            (arg.name if isinstance(arg, ConstClass) else str(arg)) if index == memory.class_arg else self.datum(arg)
            for index, arg in enumerate(operation.args)
        ]
        try:
            descr = self.layout.descr_of(operation)
        except WrongDescr:
            return False
        if not memory.defined(d, heap, descr, *args):
            return False
        return memory.passes is None or bool(memory.passes(d, heap, descr, *args))

    # What else could stand there.

    def others(self, operation: Operation, random: Random) -> Iterator[Operation]:
        """Operations like this one, in random order: by another row, or with one other argument."""
        found = [replace(operation, op=row) for row in alike(operation.op, self.layout.word)]
        found += self._guards(operation)
        for index, arg in enumerate(operation.args):
            args = operation.args
            found += [
                replace(operation, args=(*args[:index], value, *args[index + 1 :]))
                for value in self._values(operation, index, random)
                if value != arg
            ]
        random.shuffle(found)
        return iter(found)

    def _guards(self, guard: Operation) -> list[Operation]:
        """Guards that say all about the first argument."""
        if not guard.op.is_guard or not guard.args or guard.args[0].type is not Type.INT:
            return []
        known = self.datum(guard.args[0])
        if not isinstance(known, int):
            return []
        both = (guard.args[0], ConstInt(known))
        return [replace(guard, op=row, args=both[: len(row.args or ())]) for row in rows(self.layout.word).guards]

    def _values(self, operation: Operation, index: int, random: Random) -> list[Value]:
        row, arg = operation.op, operation.args[index]
        if isinstance(arg, ConstClass):
            types = [one.type for one in self._objects(operation)]
            return [ConstClass(type_.vtable) for type_ in types if isinstance(type_, Struct)]
        same_type: list[Value] = [var for var in self.visible if var.type is arg.type]
        if index in row.constant_args:
            same_type = []
        few = random.sample(same_type, min(_FEW, len(same_type)))
        if arg.type is Type.INT:
            return few + [ConstInt(number) for number in self._numbers(operation, random)]
        if arg.type is Type.FLOAT:
            return few + [ConstFloat(Float.of(number)) for number in (0.0, 1.0, 2.0, 0.5)]
        return few

    def _numbers(self, operation: Operation, random: Random) -> set[int]:
        numbers = {0, 1, 2, 3, 5} | {datum for datum in map(self.datum, operation.args) if isinstance(datum, int)}
        for described in self._objects(operation):
            if described.length:
                numbers.add(random.randrange(described.length))
            if self.run.heap is not None:
                numbers.add(self.run.heap.gc_types.get(described.type.name, 0))
        half = 1 << (self.layout.word - 1)
        return {number for number in numbers if -half <= number < half}

    def _objects(self, operation: Operation) -> list[Object]:
        """The objects that the arguments refer to."""
        heap = self.run.heap
        refs = [datum for datum in map(self.datum, operation.args) if isinstance(datum, Ref)]
        return [heap.objects[ref] for ref in refs if heap is not None and ref in heap.objects]

    def stand_in(self, var: Var, random: Random) -> Value:
        """A value of the variable's type that is there without it; one that equals it most often, if there is one."""
        among = [one for one in self.visible if one.type is var.type and one != var]
        datum = self.datum(var)
        equal = [one for one in among if datum is not None and self.datum(one) == datum]
        if equal and random.random() < 0.7:
            return random.choice(equal)
        if var.type is Type.FLOAT and (not among or random.random() < 0.5):
            return ConstFloat(datum if isinstance(datum, Float) else ZERO)
        if var.type is Type.INT and (not among or random.random() < 0.5):
            return ConstInt(datum if isinstance(datum, int) else 0)
        return random.choice(among) if among else ConstRef(NULL.name)


def computed(row: Op, numbers: Sequence[int | None], word: int) -> int | None:
    """The result of the row on numbers; None where it is not defined, or one of them is not known."""
    d = concrete(word)
    if row.meaning is None or None in numbers or (row.defined is not None and not row.defined(d, *numbers)):
        return None
    result: int = row.meaning(d, *numbers)
    return result
