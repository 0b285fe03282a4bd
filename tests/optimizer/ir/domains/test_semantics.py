"""Every operation of the table against its independent reference: interpreter, DAG and solver encoding."""

from __future__ import annotations

import copy
import itertools
import pickle
from collections.abc import Iterable

import pytest
import reference
from hypothesis import given
from hypothesis import strategies as st

from optimizer.ir.domains.concrete import concrete
from optimizer.ir.domains.term import Term, evaluate
from optimizer.ir.domains.terms import Terms
from optimizer.ir.rows.ops import OPS, Kind, Op, Type
from optimizer.ir.run.interpreter import Finished, GuardFailed, Program, Undefined
from optimizer.ir.trace import ConstInt, Exit, Operation, Trace, Value, Var
from validator.solvers.answers import SolverChoice, Unsat
from validator.solvers.portfolio import Portfolio

PURE = [row for row in OPS.values() if row.is_pure]
GUARDS = [row for row in OPS.values() if row.kind is Kind.GUARD and row.modelled]
FINISH, NO_OVERFLOW = OPS["finish"], OPS["guard_no_overflow"]


def by_name(row: Op) -> str:
    return row.name


def arity(row: Op) -> int:
    assert row.args is not None
    return len(row.args)


def all_inputs(row: Op, width: int) -> list[tuple[int, ...]]:
    words = range(-(2 ** (width - 1)), 2 ** (width - 1))
    return list(itertools.product(words, repeat=arity(row)))


def boundary_inputs(row: Op, width: int) -> list[tuple[int, ...]]:
    return list(itertools.product(reference.boundary_values(width), repeat=arity(row)))


def expected(row: Op, width: int, args: tuple[int, ...]) -> int | None:
    value = reference.OPERATIONS[row.name](width, *args)
    return None if value is None else reference.to_word(int(value), width)


def a_trace(row: Op, width: int, args: tuple[int, ...]) -> Trace:
    """The operation on inputs (constants where it asks for them), its overflow guard, and its result handed over."""
    inputs = tuple(Var(f"i{n}") for n in range(arity(row)))
    values = tuple(ConstInt(args[n]) if n in row.constant_args else var for n, var in enumerate(inputs))
    result = Var("r")
    ops = [Operation(row, values, result)]
    if row.overflows is not None:
        ops.append(Operation(NO_OVERFLOW, (), exit=Exit((result,))))
    return Trace(inputs, (*ops, Operation(FINISH, (result,))), width)


def check_interpreter(row: Op, width: int, inputs: Iterable[tuple[int, ...]]) -> None:
    programs: dict[tuple[int, ...], Program] = {}  # by the constants that it asks for
    for args in inputs:
        constants = tuple(args[n] for n in row.constant_args)
        if constants not in programs:
            programs[constants] = Program(a_trace(row, width, args))
        outcome = programs[constants].run(args).outcome
        wanted = expected(row, width, args)
        if wanted is None:
            assert isinstance(outcome, Undefined), (row.name, args)
        elif row.overflows is not None and reference.OVERFLOWS[row.name](width, *args):
            assert outcome == GuardFailed(0, (wanted,)), (row.name, args)
        else:
            assert outcome == Finished((wanted,)), (row.name, args)


def encoded(row: Op, terms: Terms) -> tuple[list[Term], Term, Term, Term]:
    """The variables, and the row's definedness, result and flag over them."""
    variables = [terms.var(f"x{n}") for n in range(arity(row))]
    defined = terms.true if row.defined is None else row.defined(terms, *variables)
    flag = terms.false if row.overflows is None else row.overflows(terms, *variables)
    assert row.meaning is not None
    return variables, defined, row.meaning(terms, *variables), flag


def check_terms(row: Op, width: int, inputs: Iterable[tuple[int, ...]]) -> None:
    terms = Terms(width)
    _, *roots = encoded(row, terms)
    for args in inputs:
        defined, value, flag = evaluate(roots, {f"x{n}": arg for n, arg in enumerate(args)}, width)
        wanted = expected(row, width, args)
        assert defined == (wanted is not None), (row.name, args)
        if defined:
            assert value == wanted, (row.name, args)
            assert flag == reference.OVERFLOWS.get(row.name, lambda *_: False)(width, *args), (row.name, args)


def check_solver(row: Op, width: int, inputs: Iterable[tuple[int, ...]]) -> None:
    """Ask the solver for one of `inputs` on which its encoding and the reference differ."""
    terms = Terms(width)
    variables, defined, value, flag = encoded(row, terms)
    differs = terms.false
    for args in inputs:
        here = terms.all_of(terms.eq(x, terms.const(a)) for x, a in zip(variables, args, strict=True))
        wanted = expected(row, width, args)
        agrees = terms.not_(defined)
        if wanted is not None:
            overflows = reference.OVERFLOWS.get(row.name, lambda *_: False)(width, *args)
            right_flag = flag if overflows else terms.not_(flag)
            agrees = terms.all_of([defined, terms.eq(value, terms.const(wanted)), right_flag])
        differs = terms.either(differs, terms.both(here, terms.not_(agrees)))
    assert Portfolio(terms, SolverChoice.Z3).check([differs], 50_000_000, 60.0) == Unsat(), row.name


def test_the_reference_is_complete() -> None:
    assert {row.name for row in PURE} == set(reference.OPERATIONS)
    assert {row.name for row in PURE if row.overflows} == set(reference.OVERFLOWS)
    assert {row.name for row in GUARDS} == set(reference.GUARDS)


@pytest.mark.parametrize("width", [4, 5])
@pytest.mark.parametrize("row", [row for row in PURE if row.min_word <= 4], ids=by_name)
def test_on_all_inputs(row: Op, width: int) -> None:
    inputs = all_inputs(row, width)
    check_interpreter(row, width, inputs)
    check_terms(row, width, inputs)
    if width == 4:  # Z3 takes long at 5 bits
        check_solver(row, width, inputs)


@pytest.mark.parametrize("width", [16, 32, 64])
@pytest.mark.parametrize("row", PURE, ids=by_name)
def test_on_boundary_values(row: Op, width: int) -> None:
    inputs = boundary_inputs(row, width)
    check_interpreter(row, width, inputs[::7] if len(inputs) > 500 else inputs)
    check_terms(row, width, inputs if width == 64 else inputs[::3])


@pytest.mark.parametrize("row", PURE, ids=by_name)
def test_the_solver_on_boundary_values(row: Op) -> None:
    inputs = boundary_inputs(row, 64)
    check_solver(row, 64, inputs[:: max(1, len(inputs) // 60)])


@pytest.mark.parametrize("row", PURE, ids=by_name)
def test_on_random_values(row: Op) -> None:
    words = {
        width: st.integers(-(2 ** (width - 1)), 2 ** (width - 1) - 1)
        | st.sampled_from(reference.boundary_values(width))
        for width in (16, 32, 64)
    }

    @given(st.data())
    def check(data: st.DataObject) -> None:
        width = data.draw(st.sampled_from([*words]))
        inputs = data.draw(st.lists(st.tuples(*[words[width]] * arity(row)), min_size=1, max_size=5))
        check_interpreter(row, width, inputs)
        check_terms(row, width, inputs)

    check()


@pytest.mark.parametrize("row", GUARDS, ids=by_name)
def test_guards(row: Op) -> None:
    assert row.passes is not None
    inputs: list[tuple[int | bool, ...]] = [(False,), (True,)] if row.reads_flag else [*all_inputs(row, 4)]
    terms = Terms(4)
    for args in inputs:
        wanted = reference.GUARDS[row.name](4, *args)
        if row.defined is not None:
            assert row.defined(concrete(4), *args) == (wanted is not None)
            if wanted is None:
                continue
        assert row.passes(concrete(4), *args) == wanted
        symbols = [terms.truth(a) if row.reads_flag else terms.const(a) for a in args]
        assert row.passes(terms, *symbols) is terms.truth(bool(wanted))


def test_commutative_rows_commute_and_others_do_not() -> None:
    for row in PURE:
        if arity(row) == 2 and row.min_word <= 4:
            function = reference.OPERATIONS[row.name]
            commutes = all(expected(row, 4, (a, b)) == expected(row, 4, (b, a)) for a, b in all_inputs(row, 4))
            assert commutes == row.commutative, (row.name, function)


def test_wrapping_names_the_same_operation_without_flag() -> None:
    for row in PURE:
        if row.overflows is not None:
            assert row.wrapping is not None
            plain = OPS[row.wrapping]
            assert plain.overflows is None
            assert all(expected(row, 4, args) == expected(plain, 4, args) for args in all_inputs(row, 4))


def test_rows_are_typed() -> None:
    for row in PURE:
        assert row.result is Type.INT
        assert row.args is not None
        assert all(kind is Type.INT for kind in row.args)


def test_undefined_rows_say_when() -> None:
    for row in OPS.values():
        assert bool(row.undefined_when) == (row.defined is not None), row.name


def test_values_are_told() -> None:
    value: Value = Var("i0")
    assert str(value) == "i0"


def test_a_row_is_copied_by_its_name() -> None:
    for row in OPS.values():
        assert pickle.loads(pickle.dumps(row)) is row
        assert copy.deepcopy(row) is row
