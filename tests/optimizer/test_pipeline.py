import sys
from collections.abc import Callable
from itertools import combinations
from random import Random
from types import ModuleType

import pytest
from agreement import all_inputs, assert_agree, random_inputs
from cases import assert_becomes

from fuzz.draw.generator import generate
from fuzz.draw.shape import Shape
from optimizer import optimize, parse, walk
from optimizer.ir.check import check
from optimizer.ir.faults import Unsupported
from optimizer.ir.rows.ops import OPS
from optimizer.ir.text import format_trace
from optimizer.ir.trace import ConstInt, Exit, Operation, Trace, Var
from optimizer.passes import cse, dead_code, fold, guards, heap, references, simplify, virtuals
from optimizer.pipeline import DEFAULT_PASSES, run_passes

SUBSETS = [chosen for size in range(len(DEFAULT_PASSES) + 1) for chosen in combinations(DEFAULT_PASSES, size)]


def test_the_whole_pipeline() -> None:
    done = assert_becomes(
        """
        [i0, i1]
        i2 = int_mul(i0, 8)
        i3 = int_add(i2, 0)
        i4 = int_add_ovf(i0, i1)
        guard_no_overflow() [i3]
        i5 = int_sub_ovf(i4, i1)
        guard_no_overflow() [i4]
        i6 = int_eq(i1, 3)
        guard_true(i6) [i5]
        i7 = int_mul(i1, 2)
        i8 = int_lshift(i0, i1)
        jump(i7, i8, i3, i6)
        """,
        """
        [i0, i1]
        i2 = int_lshift(i0, 3)
        i4 = int_add_ovf(i0, i1)
        guard_no_overflow(origin=0) [i2]
        guard_value(i1, 3, origin=2) [i0]
        jump(6, i2, i2, 1)
        """,
        *DEFAULT_PASSES,
    )
    assert done.always_fails is None
    assert sum(done.guards.values()) == 1
    assert done.fired["mul_power_of_two"] == 1


def example(text: str) -> tuple[str, str]:
    """The two columns of the example in a docstring: before and after."""
    lines = [line.ljust(44) for line in text.splitlines() if line.startswith("    ")]
    return "\n".join(line[:44].replace("=>", "") for line in lines), "\n".join(line[44:] for line in lines)


@pytest.mark.parametrize(
    ("module", "passes"),
    [
        (walk, DEFAULT_PASSES),
        (fold, ["fold"]),
        (simplify, ["simplify"]),
        (cse, ["cse"]),
        (guards, ["guards"]),
        (references, ["references"]),
        (virtuals, ["virtuals"]),
        (heap, ["heap"]),
        (dead_code, ["dead-code"]),
    ],
)
def test_the_docstrings_say_what_happens(module: ModuleType, passes: list[str]) -> None:
    before, after = example(module.__doc__ or "")
    assert_becomes(before, after, *passes)


@pytest.mark.parametrize("word", [64, 8, 4])
def test_on_random_traces_it_is_idempotent_well_formed_and_right(word: int) -> None:
    random = Random(word)
    shape = Shape(word=word, max_operations=40)
    for _ in range(60):
        made = generate(random, shape)
        passes = random.choice(SUBSETS) if random.random() < 0.4 else DEFAULT_PASSES
        after = optimize(made.trace, passes)
        check(after)
        assert format_trace(optimize(after, passes)) == format_trace(after)
        inputs = [
            [value for value in made.state.inputs if isinstance(value, int)],
            *random_inputs(made.trace, 12, random),
        ]
        assert assert_agree(made.trace, after, inputs, made.state.world)


def test_on_all_inputs_of_small_traces_it_is_right() -> None:
    random = Random(0)
    shape = Shape(word=4, inputs=2, max_operations=25)
    for _ in range(40):
        made = generate(random, shape)
        assert_agree(made.trace, optimize(made.trace), all_inputs(made.trace), made.state.world)


@pytest.mark.parametrize("name", DEFAULT_PASSES)
def test_a_pass_is_usable_alone(name: str) -> None:
    trace = parse("[i0]\ni1 = int_add(1, 2)\ni2 = int_mul(i0, i1)\njump(i2)\n")
    check(optimize(trace, [name]))


def test_an_unknown_pass_is_named() -> None:
    with pytest.raises(
        ValueError, match="unknown pass 'folding'; the passes are fold, simplify, floats, cse, calls, strings, guards, "
    ):
        optimize(parse("[i0]\njump(i0)\n"), ["fold", "folding"])


def test_what_has_no_meaning_is_unsupported_by_name_and_line() -> None:
    with pytest.raises(Unsupported) as caught:
        optimize(parse("[p0]\ni1 = int_neg(3)\np2 = nursery_ptr_increment(p0)\njump(p0)\n"))
    assert (caught.value.what, caught.value.line) == ("nursery_ptr_increment", 3)


def test_a_guard_without_a_list_keeps_what_is_before_it() -> None:
    assert_becomes(
        """
        [i0]
        i1 = int_add(i0, 1)
        i2 = int_mul(i1, i0)
        guard_true(i0)
        i3 = int_add(i2, 3)
        jump(i2)
        """,
        """
        [i0]
        i1 = int_add(i0, 1)
        i2 = int_mul(i1, i0)
        guard_true(i0, origin=0)
        jump(i2)
        """,
        *DEFAULT_PASSES,
    )


def long_trace(length: int) -> Trace:
    """Chains of sums, tests and guards in which much is found to be constant, equal, or further simplified."""
    inputs = (Var("i0"), Var("i1"))
    ops: list[Operation] = []
    last: Var = inputs[0]
    for number in range(length):
        row = OPS[("int_add", "int_sub", "int_xor", "int_mul", "int_neg", "int_lt", "int_eq", "int_add")[number % 8]]
        other = ConstInt(number % 5) if number % 3 else inputs[1]
        result = Var(f"v{number}")
        ops.append(Operation(row, (last, other)[: len(row.args or ())], result))
        last = result if number % 8 < 5 else last
    ops.append(Operation(OPS["finish"], tuple(op.result for op in ops if op.result is not None)))
    return Trace(inputs, tuple(ops))


def late_constants(length: int) -> Trace:
    """A chain of sums of which it is learned too late that all terms are constants, and sums with its end."""
    inputs = tuple(Var(f"i{number}") for number in range(length))
    sums = [Operation(OPS["int_add"], (inputs[0], inputs[1]), Var("s1"))]
    for number in range(2, length):
        sums.append(Operation(OPS["int_add"], (Var(f"s{number - 1}"), inputs[number]), Var(f"s{number}")))
    guards = [Operation(OPS["guard_value"], (var, ConstInt(3)), None, Exit(())) for var in inputs[1:]]
    uses = [
        Operation(OPS["int_add"], (Var(f"s{length - 1}"), ConstInt(number)), Var(f"u{number}"))
        for number in range(length)
    ]
    end = Operation(OPS["finish"], tuple(use.result for use in uses if use.result is not None))
    return Trace(inputs, (*sums, *guards, *uses, end))


HEAP = """+++
[struct.Node]
fields = { value = "int", next = "ref", tag = { type = "int", immutable = true } }
[array.Ints]
item = "int"
+++
"""


def objects(length: int) -> Trace:
    """Objects that are stored to, escape and are handed to guards, with all kinds of stores between."""
    lines = [
        line
        for n in range(length // 9)
        for line in (
            f"p{n}x = new_with_vtable(descr=Node)",
            f"setfield_gc(p{n}x, i{n}, descr=Node.value)",
            f"setfield_gc(p0, p{n}x, descr=Node.next)",
            f"i{n}y = getfield_gc_i(p0, descr=Node.tag)",
            f"setarrayitem_gc(p1, {n}, i{n}, descr=Ints)",
            f"setarrayitem_gc(p2, i{n}, i{n}, descr=Ints)",
            f"i{n + 1} = getarrayitem_gc_i(p1, {n}, descr=Ints)",
            f"escape_n(p{n}x)" if n % 3 else f"guard_true(i{n}y) [p{n}x]",
            f"setfield_gc(p{n}x, 5, descr=f{n})",
        )
    ]
    return parse("\n".join([f"{HEAP}[i0, p0, p1, p2]", *lines, "jump()"]))


def live_virtuals(length: int) -> Trace:
    """Half of the trace makes virtual objects, the other half has guards that need one each."""
    made = [
        f"p{n}x = new(descr=Node)\nsetfield_gc(p{n}x, i0, descr=Node.value)\nsetfield_gc(p{n}x, {n}, descr=Node.tag)"
        for n in range(length // 5)
    ]
    used = [f"i{n}y = int_lt(i0, {n})\nguard_false(i{n}y) [p{n}x]" for n in reversed(range(length // 5))]
    end = ", ".join(f"p{n}x" for n in range(length // 5))
    return parse("\n".join([f"{HEAP}[i0]", *made, *used, f"jump({end})"]))


def calls(trace: Trace) -> int:
    """How many functions are called when the trace is optimized."""
    count = 0

    def counting(_frame: object, event: str, _arg: object) -> None:
        nonlocal count
        count += event == "call"

    run_passes(trace)
    sys.setprofile(counting)
    try:
        run_passes(trace)
    finally:
        sys.setprofile(None)
    return count


@pytest.mark.parametrize("made", [objects, live_virtuals])
def test_work_on_the_heap_grows_with_the_length_and_no_faster(made: Callable[[int], Trace]) -> None:
    short, long = calls(made(400)), calls(made(1600))
    assert long <= 4.4 * short


def work(trace: Trace, monkeypatch: pytest.MonkeyPatch) -> int:
    """How often a pass was asked or a value was compared with a pattern."""
    matched = 0
    match = simplify._match

    def counting(*args: object) -> bool:
        nonlocal matched
        matched += 1
        return match(*args)  # type: ignore[arg-type]  # passed on as it came

    with monkeypatch.context() as patch:
        patch.setattr(simplify, "_match", counting)
        return run_passes(trace).asked + matched


@pytest.mark.parametrize("made", [long_trace, late_constants])
def test_work_grows_with_the_length_and_no_faster(
    made: Callable[[int], Trace], monkeypatch: pytest.MonkeyPatch
) -> None:
    short, long = work(made(300), monkeypatch), work(made(1500), monkeypatch)
    assert long <= 5.2 * short
    assert long <= 100 * 1500
