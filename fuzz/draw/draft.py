"""A trace in the making, with the value that each variable has on the example.

Whatever is added keeps the example going: every operation is defined on it and every guard passes.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from functools import cache

from fuzz.draw.choices import Choices, NotDrawable, constant, float_constant, relatives
from fuzz.draw.rows import Rows, guards_of, rows_without
from fuzz.draw.shape import Shape
from fuzz.draw.steps.laws import Law, laws_of
from fuzz.edits.walk import LETTERS, results
from optimizer.ir.domains.concrete import concrete
from optimizer.ir.floats import Float
from optimizer.ir.rows.ops import FLOAT, INT, OPS, VOID, Op, Type
from optimizer.ir.run.objects import Datum
from optimizer.ir.run.runs import Scripted, World
from optimizer.ir.trace import ConstFloat, ConstInt, Exit, Operation, Trace, Value, Var
from validator.search.counterexample import State

Args = tuple[Value, ...]

_RECENT = 6

_GIVES_FLOAT = OPS["escape_f"]


@cache
def _variable(type_: Type, number: int) -> Var:
    """The variable of that number, of as many as the longest trace has: all traces name theirs alike."""
    return Var(f"{LETTERS[type_]}{number}", type_)


class Draft:
    """`variables` are those that an operand can name, oldest first; `values` what they are on the example.

    `truths` are the variables that are results of tests, `numbers` the others, `checked` those that guards tell of,
    `unused` those that nothing shows yet, `computed` the pure operations, from which others are derived, `made` the one
    that computed each variable. `floats` are the variables that are, with their values, `on_floats` the operations on
    them. What is in `kept` each guard hands over. What an exit block does to `of_block` is forgotten behind it.
    """

    of_block: tuple[str, ...] = (
        *("ops", "variables", "numbers", "truths", "values"),
        *("computed", "floats", "on_floats"),
    )

    def __init__(self, choices: Choices, shape: Shape) -> None:
        self.choices = choices
        self.shape = shape
        self.excluded = shape.vocabulary.excluded
        self.rows: Rows = rows_without(shape.left_out, shape.word, shape.products, shape.divisions, self.excluded)
        self._tests = frozenset((*self.rows.tests, *self.rows.signed, *self.rows.unsigned))
        self._laws: Sequence[Law] | None = None  # until they are asked for
        self.domain = concrete(shape.word)
        self.variables: list[Var] = []
        self.numbers: list[Var] = []
        self.truths: list[Var] = []
        self.values: dict[str, int] = {}
        self.checked: list[Var] = []
        self.unused: dict[str, Var] = {}
        self.ops: list[Operation] = []
        self.computed: list[Operation] = []
        self.made: dict[str, Operation] = {}
        self.floats: dict[str, Float] = {}
        self.on_floats: list[Operation] = []
        self.results: list[Scripted] = []
        self.constants: list[int] = []
        self.kept: Args = ()
        self.named = 0
        self.inputs: list[Var] = []
        self.inputs += choices.several(self.fewest_inputs, shape.inputs, self.input)

    @property
    def laws(self) -> Sequence[Law]:
        if self._laws is None:
            self._laws = laws_of(self.shape)
        return self._laws

    @property
    def fewest_inputs(self) -> int:
        return 1

    def input(self) -> Var:
        if self.numbers and self.choices.chance(self.shape.floats):
            return self.define_float(float_constant(self.choices))
        var = self.define(self.constant())
        self.numbers.append(var)
        return var

    def finished(self) -> tuple[Trace, State, dict[str, Datum]]:
        """The trace, the example, and the values of the variables on it."""
        trace = Trace(tuple(self.inputs), tuple(self.ops), self.shape.word)
        state = State(tuple(self.datum(var) for var in self.inputs), World(tuple(self.results)))
        return trace, state, {**self.values, **self.floats}

    # Operands.

    def constant(self) -> int:
        """A constant, now and then one that has occurred: what optimizers have to say of constants is often about equal
        ones."""
        if self.constants and self.choices.chance(20):
            return self.choices.pick(self.constants[-_RECENT:])
        value = constant(self.choices, self.shape.word)
        self.constants.append(value)
        return value

    def constant_beside(self, operand: Value) -> int:
        """A constant for an operation on that operand: now and then one from which it was computed, or one that has to
        do with that, since they cancel out, cover each other or decide a test."""
        known = self.constants_of(operand)
        if not (known and self.choices.chance(self.shape.same_constants)):
            return self.constant()
        value = self.choices.pick(known)
        return value if self.choices.chance(60) else self.choices.pick(relatives(value, self.shape.word))

    def constants_of(self, operand: Value) -> list[int]:
        """The constants from which an operand was computed, in one operation or two."""
        if not isinstance(operand, Var) or operand.name not in self.made:
            return []
        above = [arg for arg in self.made[operand.name].args if isinstance(arg, Var) and arg.name in self.made]
        args = list(self.made[operand.name].args)
        for var in above:
            args += self.made[var.name].args
        return [arg.value for arg in args if isinstance(arg, ConstInt)]

    def near(self, var: Var) -> int:
        """A constant close to the value of a variable, or any."""
        if self.choices.chance(30):
            return self.constant_beside(var)
        return self.domain.const(self.values[var.name] + self.choices.integer(-3, 3))

    def variable(self) -> Var:
        """Most are recent, some are among those that a guard is about, few are results of tests."""
        choices = self.choices
        which = choices.integer(0, 9)
        if which < 4:
            return choices.latest(self.numbers, _RECENT)
        if which < 6:
            return choices.latest(self.variables, _RECENT)
        if which < 8 and self.checked:
            return choices.latest(self.checked, _RECENT)
        return choices.latest(self.variables, len(self.variables))

    def operand(self) -> Value:
        return ConstInt(self.constant()) if self.choices.chance(15) else self.variable()

    def knows(self, operand: Value) -> bool:
        """Is it an integer whose value is known on the example?"""
        return operand.name in self.values if isinstance(operand, Var) else isinstance(operand, ConstInt)

    def value(self, operand: Value) -> int:
        if isinstance(operand, Var):
            return self.values[operand.name]
        assert isinstance(operand, ConstInt)
        return operand.value

    def datum(self, value: Value) -> Datum:
        """The value of a variable or constant on the example."""
        if isinstance(value, Var):
            return self.floats[value.name] if value.type is FLOAT else self.values[value.name]
        return value.value if isinstance(value, ConstFloat) else self.value(value)

    def float_variable(self) -> Var:
        """A recent one most often; where there is none, an event brings one."""
        if not self.floats:
            self.event(_GIVES_FLOAT, ())
        names = list(self.floats)
        return Var(self.choices.latest(names, _RECENT if self.choices.chance(70) else len(names)), FLOAT)

    def float_operand(self) -> Value:
        is_constant = not self.floats or self.choices.chance(20)
        return ConstFloat(float_constant(self.choices)) if is_constant else self.float_variable()

    def operands(self, row: Op) -> Args | None:
        """Arguments on which the row is defined; None if none were found."""
        arity = len(row.args or ())
        args: Args = ()
        for _ in range(3):
            args = ()
            for index in range(arity):
                if index in row.constant_args or self.choices.chance(30 if index else 8):
                    value = self.constant_beside(args[0]) if args else self.constant()
                    args = (*args, ConstInt(value))
                else:
                    args = (*args, self.variable())
            if self.is_defined(row, args):
                return args
        return self.repaired(row, args)

    def repaired(self, row: Op, args: Args) -> Args | None:
        """The arguments with a last one for which the row is defined."""
        last = len(args) - 1
        options: list[Value] = [ConstInt(value) for value in (1, 2, 3, 4, 5)]
        if last not in row.constant_args:
            options += self.variables
        fitting = [value for value in options if self.is_defined(row, (*args[:-1], value))]
        return (*args[:-1], self.choices.pick(fitting)) if fitting else None

    # What rows say of the example.

    def is_defined(self, row: Op, args: Sequence[Value]) -> bool:
        return row.defined is None or bool(row.defined(self.domain, *map(self.value, args)))

    # Adding operations.

    def need(self, row: Op) -> None:
        """Raises NotDrawable where operations of that row are not wanted. Asked before anything is changed."""
        if row in self.excluded:
            raise NotDrawable

    def define(self, value: int) -> Var:
        """A new variable."""
        var = self.named_next(INT)
        self.variables.append(var)
        self.values[var.name] = value
        return var

    def define_float(self, value: Float) -> Var:
        """A new variable."""
        var = self.named_next(FLOAT)
        self.floats[var.name] = value
        return var

    def named_next(self, type_: Type) -> Var:
        """The next variable, which nothing shows yet."""
        var = _variable(type_, self.named)
        self.unused[var.name] = var
        self.named += 1
        return var

    def handed(self) -> Value:
        """A value that an event, the end or a guard's exit hands over."""
        if self.floats and self.choices.chance(30):
            return self.float_operand()
        return self.operand()

    def shown_at_end(self, var: Var) -> int:
        """The chance, in percent, that the end carries a variable that nothing else shows."""
        return 95

    def some_handed(self, most: int) -> Args:
        return tuple(self.choices.several(0, most, self.handed))

    def use(self, operands: Sequence[Value | None]) -> None:
        unused = self.unused
        for operand in operands:
            if isinstance(operand, Var):
                unused.pop(operand.name, None)

    def compute(self, row: Op, args: Args) -> Var:
        """Adds a pure operation that is defined, with its overflow guard where it has a flag."""
        self.need(row)
        assert row.meaning is not None
        known = self.values
        values = [known[arg.name] if isinstance(arg, Var) else self.value(arg) for arg in args]
        checks = () if row.overflows is None else self._flag_guards(row.overflows(self.domain, *values))
        self.use(args)
        result = self.define(row.meaning(self.domain, *values))
        (self.truths if row in self._tests else self.numbers).append(result)
        operation = Operation(row, args, result)
        self.ops.append(operation)
        self.computed.append(operation)
        self.made[result.name] = operation
        for check in checks[:1]:
            self.guard(check, ())
        return result

    def test(self, *args: Value) -> Var:
        """Adds a comparison of these, or of two variables."""
        row = self.choices.pick(self.rows.tests)
        return self.compute(row, args or (self.variable(), self.variable()))

    def _flag_guards(self, flag: bool) -> list[Op]:
        """The guards that pass on that flag. Raises NotDrawable where there are none."""
        fitting = [guard for guard in self.rows.flag_guards if guard.passes and guard.passes(self.domain, flag)]
        if not fitting:
            raise NotDrawable
        return fitting

    def guard(self, row: Op, args: Args) -> None:
        """Adds a guard that passes."""
        self.need(row)
        self.use(args)
        ints = [arg for arg in args if isinstance(arg, Var) and arg.type is INT]
        self.checked += [var for var in ints if var.name not in self.made or self.made[var.name].op not in self._tests]
        self.ops.append(Operation(row, args, None, self.exit()))

    def guard_on(self, var: Var) -> None:
        """Adds a guard that says all about a variable: that it is true, false, or its value."""
        value = self.values[var.name]
        fitting = guards_of(self.shape.word, value, self.excluded)
        if not fitting:
            raise NotDrawable
        # Where a sense will do, the value is said now and then only.
        row = fitting[0] if self.choices.chance(80) else self.choices.pick(fitting)
        self.guard(row, (var,) if len(row.args or ()) == 1 else (var, ConstInt(value)))

    def event(self, row: Op, args: Args) -> None:
        self.need(row)
        self.use(args)
        value = self.given(row.result)
        self.results.append(value)
        self.ops.append(Operation(row, args, None if row.result is VOID else self.defined(value)))

    def given(self, type_: Type) -> int | Float:
        """The result of an event that gives no reference."""
        return float_constant(self.choices) if type_ is FLOAT else self.constant() if type_ is INT else 0

    def defined(self, value: Datum) -> Var:
        """A new variable."""
        assert isinstance(value, int | Float)
        return self.define_float(value) if isinstance(value, Float) else self.define(value)

    def add(self, row: Op, args: Args) -> None:
        """Adds an operation without result or condition."""
        self.need(row)
        self.use(args)
        self.ops.append(Operation(row, args))

    # Exits.

    def exit(self) -> Exit:
        if self.choices.chance(self.shape.unknown_failargs):
            return Exit(None)
        if not self.choices.chance(self.shape.exit_blocks):
            return Exit(self._slots())
        return self.exit_with_block()

    def exit_with_block(self) -> Exit:
        """An exit with a block, whose definitions are forgotten behind it."""
        before = {name: getattr(self, name) for name in self.of_block}
        for name, value in before.items():
            setattr(self, name, value.copy())
        self.ops = []
        self.choices.repeat(1, 3, self._in_block)
        exit = Exit(self._slots(), block=tuple(self.ops))
        for var in results(self.ops):
            self.unused.pop(var.name, None)
        for name, value in before.items():
            setattr(self, name, value)
        return exit

    def _in_block(self) -> None:
        with suppress(NotDrawable):
            self.in_block()

    def in_block(self) -> None:
        """Adds an operation to an exit block."""
        row = self.choices.pick(self.rows.pure)
        args = self.operands(row)
        if args is not None:
            self.compute(row, args)

    def _slots(self) -> tuple[Value | None, ...]:
        kept = self.kept[: self.shape.failargs]
        slots = (*kept, *self.choices.several(0, self.shape.failargs - len(kept), self._slot))
        self.use(slots)
        return slots

    def _slot(self) -> Value | None:
        if self.choices.chance(self.shape.dead_slots):
            return None
        return self.handed()
