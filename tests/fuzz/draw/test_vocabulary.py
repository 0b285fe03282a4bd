"""What an optimizer understands: whatever is chosen, traces keep to it."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest
from commands import Command

from fuzz.campaign.drawing import Drawing
from fuzz.campaign.folder import read_plan
from fuzz.campaign.plan import Plan
from fuzz.campaign.results import read_results
from fuzz.draw.choices import RandomChoices
from fuzz.draw.generator import GeneratedTrace, can_draw, generate_for
from fuzz.draw.mixes import draw_shape
from fuzz.draw.vocabulary import EVERYTHING, KINDS, WORDS, Vocabulary, check_names
from fuzz.mutate.mutate import mutate
from fuzz.mutate.pool import load_pool
from fuzz.subject.optimizers import OptimizerKind, OptimizerSpec
from optimizer.ir.check import check
from optimizer.ir.faults import InputError
from optimizer.ir.immutable import replace
from optimizer.ir.loops import goes_back
from optimizer.ir.rows.ops import OPS, Kind
from optimizer.ir.run.interpreter import Finished, Jumped, run
from optimizer.ir.trace import all_operations
from validator.tell.plain_data import to_plain

NAMES = [kind.name for kind in KINDS]


def random_vocabulary(random: Random) -> Vocabulary:
    """One with which something can be drawn."""
    while True:
        kinds = tuple(name for name in NAMES if random.random() < 0.4)
        without = tuple(random.sample(list(OPS), random.choice((0, 0, 3, 20, 90))))
        loops = "jump" not in without and random.random() < 0.3
        vocabulary = Vocabulary(kinds, (), without, random.choice((None, None, *WORDS)), loops)
        try:
            check_names(vocabulary, str)
        except InputError:
            continue
        if can_draw(vocabulary):
            return vocabulary


def keeps_to(vocabulary: Vocabulary, made: GeneratedTrace) -> None:
    trace = made.trace
    assert vocabulary.foreign(trace) == ()
    assert {operation.op for operation in all_operations(trace)} <= vocabulary.rows
    assert vocabulary.word in (None, trace.word)
    assert not vocabulary.loops or goes_back(trace)
    check(trace)
    done = run(trace, made.state.inputs, made.state.world, heap=made.state.heap)
    assert isinstance(done.outcome, Finished | Jumped)


@pytest.mark.parametrize("number", range(40))
def test_what_is_drawn_keeps_to_any_choice(number: int) -> None:
    vocabulary = random_vocabulary(Random(number))
    for seed in range(12):
        keeps_to(vocabulary, generate_for(seed, vocabulary))


@pytest.mark.parametrize("number", range(15))
def test_what_is_mutated_and_spliced_keeps_to_any_choice(number: int) -> None:
    random = Random(number)
    vocabulary = random_vocabulary(random)
    parents = [generate_for(seed, vocabulary) for seed in range(12)]
    for parent in parents:
        others = [one for one in parents if one.trace.word == parent.trace.word]
        keeps_to(vocabulary, mutate(parent, others, random, vocabulary))


@pytest.mark.parametrize("kind", NAMES)
def test_each_kind_alone_can_be_drawn_and_nearly_all_its_rows_are(kind: str) -> None:
    vocabulary = Vocabulary((kind,))
    drawn = {operation.op for seed in range(250) for operation in all_operations(generate_for(seed, vocabulary).trace)}
    own = {row for row in vocabulary.rows if not (row.is_guard or row.kind is Kind.END or row.is_entry)}
    assert len(own & drawn) >= 0.8 * len(own)


def test_kinds_cover_the_table() -> None:
    everything = Vocabulary(tuple(NAMES))
    assert everything.rows == {row for row in OPS.values() if row.kind is not Kind.OTHER}


def test_integers_are_integers() -> None:
    rows = Vocabulary(("integers",)).rows
    kinds = {row.kind for row in rows}
    assert kinds == {Kind.PURE, Kind.GUARD, Kind.END}
    assert {OPS["int_add_ovf"], OPS["guard_no_overflow"], OPS["guard_value"], OPS["finish"]} <= rows
    assert {OPS["float_add"], OPS["guard_nonnull"], OPS["escape_i"], OPS["debug_merge_point"]}.isdisjoint(rows)


def test_without_a_choice_nothing_changes() -> None:
    for seed in range(20):
        assert generate_for(seed) == generate_for(seed, EVERYTHING)
        choices, again = RandomChoices(Random(seed)), RandomChoices(Random(seed))
        assert draw_shape(choices) == draw_shape(again, vocabulary=EVERYTHING)


def test_a_narrower_choice_is_in_both() -> None:
    one, other = Vocabulary(("integers", "floats"), word=64), Vocabulary(ops=("int_*", "jump", "escape_i"))
    assert replace(one, loops=True).narrowed(other).loops
    both = one.narrowed(other)
    assert both.rows == one.rows & other.rows
    assert both.word == 64
    assert both.narrowed(EVERYTHING) == EVERYTHING.narrowed(both) == both
    with pytest.raises(InputError, match="--word 8: the optimizer announces words of 64 bits"):
        one.narrowed(Vocabulary(word=8))


def test_a_plan_remembers_what_was_chosen() -> None:
    asked, announced = Vocabulary(("integers",), (), ("int_mul*",), 32, loops=True), Vocabulary(ops=("int_*", "jump"))
    spec = OptimizerSpec(OptimizerKind.SERVER, "serve")
    plan = Plan(3, optimizer=spec, asked=asked, announced=announced)
    assert Plan.read(to_plain(plan)) == plan
    assert plan.makes_as(Plan.read(to_plain(plan)))
    assert not plan.makes_as(Plan(3, optimizer=spec, asked=asked))
    assert plan.vocabulary.rows == asked.rows & announced.rows
    assert plan.command(3, 5).endswith("--kinds integers --without 'int_mul*' --word 32 --loops")


def test_loops_end_with_jump() -> None:
    with pytest.raises(InputError, match="--loops: a loop ends with jump, which was not chosen"):
        check_names(Vocabulary(without=("jump",), loops=True), str)


def test_what_an_optimizer_does_not_announce_is_not_drawn_for_it() -> None:
    with pytest.raises(InputError, match="--loops: a loop ends with jump, which the optimizer does not announce"):
        Vocabulary(ops=("int_*", "finish")).narrowed(Vocabulary(loops=True))
    with pytest.raises(InputError, match="the optimizer announces none of the operations that are left"):
        Vocabulary(ops=("int_*", "finish")).narrowed(Vocabulary(ops=("float_*", "jump")))


def test_loops_hand_on_what_they_compute_and_what_they_were_given() -> None:
    vocabulary = Vocabulary(("integers",), loops=True)
    traces = [generate_for(seed, vocabulary).trace for seed in range(100)]
    handed_on = [(arg, var) for trace in traces for arg, var in zip(trace.end.args, trace.inputs, strict=True)]
    same = sum(arg == var for arg, var in handed_on)
    assert 0.4 * len(handed_on) < same < 0.8 * len(handed_on)


def test_loops_count() -> None:
    traces = [generate_for(seed, Vocabulary(("integers",), loops=True)).trace for seed in range(300)]
    made = [(trace, {op.result: op for op in trace.ops}) for trace in traces]
    counters = [
        (trace, var)
        for trace, by in made
        for arg, var in zip(trace.end.args, trace.inputs, strict=True)
        if arg in by and by[arg].op.name in ("int_add", "int_sub_ovf") and by[arg].args[0] == var
    ]
    assert len(counters) > 15
    scaled = [(trace, op) for trace, var in counters for op in trace.ops if op.op.name == "int_mul" and var in op.args]
    assert any(op.result in one.args for trace, op in scaled for one in trace.ops[:-1])


# Traces from files.

LOGGED = (
    "[i0]\ndebug_merge_point(0, 0, 'here')\ni1 = int_add(i0, 1)\ni2 = int_lt(i1, 9)\nguard_true(i2) [i1]\njump(i1)\n"
)


def test_marks_of_places_are_removed_and_other_traces_left_out(tmp_path: Path) -> None:
    (tmp_path / "a.trace").write_text(LOGGED)
    (tmp_path / "b.trace").write_text("[p0]\njump(p0)\n")
    (tmp_path / "c.trace").write_text("[i0]\nescape_n(i0)\njump(i0)\n")
    (tmp_path / "d.trace").write_text("+++\nword = 8\n+++\n[i0]\njump(i0)\n")
    vocabulary = Vocabulary(("integers",), word=64)
    pool = load_pool((str(tmp_path),), vocabulary)
    (kept,) = pool.traces
    assert [operation.op.name for operation in kept.trace.ops] == ["int_add", "int_lt", "guard_true", "jump"]
    assert pool.foreign == (("values of type ref",), ("escape_n",), ("words of 8 bits",))
    drawing = Drawing(pool.traces, 100, vocabulary=vocabulary)
    for seed in range(1, 30):
        keeps_to(vocabulary, drawing.draw(seed, 0).generated)


# The command.


def test_a_campaign_keeps_to_the_choice_and_says_so(traceproof: Command) -> None:
    traceproof.write("six.trace", LOGGED)
    traceproof.write("wanted", "int_add  # sums\nint_lt, jump\nguard_true\nguard_false\n")
    told = traceproof(
        *("fuzz", "--seed", "1", "--traces", "20", "--ops", "wanted", "--without", "int_l?", "--word", "32"),
        *("--kinds", "integers", "--mutate", "50"),
    )
    assert told.code == 0
    plan = read_plan(Path("campaign"))
    assert plan.asked == Vocabulary(
        ("integers",), ("int_add", "int_lt", "jump", "guard_true", "guard_false"), ("int_l?",), 32
    )
    (repeat,) = [line for line in told.out.splitlines() if "repeat with" in line]
    chosen = "--kinds integers --ops int_add,int_lt,jump,guard_true,guard_false --without 'int_l?' --word 32"
    assert repeat.endswith(chosen)
    names = {name for result in read_results(Path("campaign")) for name in result.names}
    assert names <= {"int_add", "guard_true", "guard_false", "jump"}
    assert "words of 32 bits" in Path("campaign/report/summary.md").read_text()
    assert "words of 32 bits" in Path("campaign/report/index.html").read_text()
    resumed = traceproof("fuzz", "--resume", "--traces", "30")
    assert resumed.code == 0
    assert repeat.replace("--traces 20", "--traces 30") in resumed.out
    again = traceproof("fuzz", "--resume", "--word", "64")
    assert (again.code, again.err.split(":")[1]) == (2, " --word")


def test_seeds_that_do_not_fit_are_counted(traceproof: Command) -> None:
    traceproof.write("a.trace", LOGGED)
    traceproof.write("b.trace", "[p0]\njump(p0)\n")
    told = traceproof(
        *("fuzz", "--seed", "1", "--traces", "3", "--kinds", "integers"),
        *("--seeds-from", "a.trace", "--seeds-from", "b.trace"),
    )
    assert told.code == 0
    assert told.err == "--seeds-from: 1 of 2 traces are left out, for what was not chosen: values of type ref in 1\n"
    told = traceproof("fuzz", "--traces", "3", "--kinds", "integers", "--seeds-from", "b.trace", "--folder", "other")
    assert told.code == 2
    assert told.err.endswith("\nerror: --seeds-from: none is left of the traces in b.trace\n")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ("--kinds integer", "--kinds: there is no kind 'integer'; the kinds are integers, floats, "),
        ("--kinds floats --word 8", "--kinds: with words of 8 bits there are no floats"),
        ("--ops int_ad,jump", "--ops: no operation is called 'int_ad'; is it int_"),
        ("--without nothing_*", "--without: no operation is called 'nothing_*'"),
        ("--ops int_add", "--ops: no operation is left that ends a trace; these are jump and finish"),
        ("--without *", "--without: no operation is left that ends a trace; these are jump and finish"),
        ("--kinds ,", "--kinds: expected names with commas between them, got ','"),
        ("--ops ,", "--ops: expected names with commas between them, got ','"),
        ("--ops int_add_ovf,jump", "--kinds, --ops, --without, --word: of what is left no trace can be made"),
    ],
)
def test_a_choice_that_cannot_be_is_said(traceproof: Command, arguments: str, words: str) -> None:
    told = traceproof("fuzz", "--traces", "1", *arguments.split())
    assert told.code == 2
    assert told.err.startswith(f"error: {words}")
    assert not Path("campaign").exists()


def test_the_help_lists_the_kinds(traceproof: Command) -> None:
    text = " ".join(traceproof("fuzz", "--help").out.split())
    assert ", ".join(NAMES) in text
