"""The commands `optimize`, `run` and `toy`."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import TYPE_CHECKING

import click

from fuzz.campaign.examine import FAILURES, Counted, Find, Made, examine, text_of
from fuzz.cases.run_state import event_results, read_run_state, run_state
from fuzz.command.options import Reading, json_option, optimizer_options, reading_options
from fuzz.draw.generator import GeneratedTrace
from fuzz.report.words import last_lines
from fuzz.subject.optimizers import OptimizerKind, OptimizerSpec, open_optimizer
from optimizer.ir.check import inner_label
from optimizer.ir.dialects.toy import is_toy
from optimizer.ir.dialects.toy_printer import format_toy
from optimizer.ir.loops import iterated
from optimizer.ir.run.heap import Heap
from optimizer.ir.run.interpreter import Program, Run, World
from optimizer.ir.text import format_trace, parse
from optimizer.ir.text.lexer import Source
from optimizer.ir.trace import Trace
from validator.command.exits import Exit
from validator.command.files import file_name, read_text, write_text
from validator.search.counterexample import State
from validator.tell.run_text import end_lines, run_json, value_lines
from validator.verdict import Unsupported

if TYPE_CHECKING:
    from optimizer.pipeline import Optimization

_LOOP = 100
"""The most iterations of a loop with an inner label, unless another number is asked for."""

_reading_options = reading_options(
    "TOML declarations to add to those of the trace.",
    "Width of a machine int, 4 to 64; the default is what the trace says, else 64.",
)


@click.command(short_help="Optimize a trace with our own optimizer.")
@click.argument("source", metavar="IN")
@click.option("-o", "--output", default="-", metavar="OUT", help="Write the trace there, not to standard output.")
@click.option("--passes", metavar="NAMES", help="The passes to run, separated by commas; the default is all.")
@click.option("--stats", is_flag=True, help="Say on standard error what each pass and rule has done.")
@click.option("--peel", is_flag=True, help="Peel the loop that the trace is: a preamble, and a body behind it.")
@optimizer_options
@_reading_options
def optimize(
    source: str,
    output: str,
    passes: str | None,
    stats: bool,
    peel: bool,
    optimizer: OptimizerSpec,
    reading: Reading,
) -> int:
    """Optimize the trace in the file IN (`-`: standard input) with our own optimizer, or the one that an option names.

    \b
    $ traceproof optimize before.trace -o after.trace
    $ traceproof optimize before.trace --passes fold,cse --stats
    $ traceproof optimize loop.trace --peel
    $ traceproof optimize before.trace --optimizer mine:optimize
    """
    if optimizer.kind is not OptimizerKind.OURS:
        if passes is not None or stats or peel:
            raise click.UsageError("--passes, --stats and --peel are for our own optimizer.")
        return _optimize_by(optimizer, reading.trace(source), output)
    from optimizer.peel import peel as peeled
    from optimizer.pipeline import DEFAULT_PASSES, run_passes

    chosen = DEFAULT_PASSES if passes is None else tuple(name.strip() for name in passes.split(","))
    for name in chosen:
        if name not in DEFAULT_PASSES:
            raise click.BadParameter(
                f"there is no pass {name!r}; the passes are {', '.join(DEFAULT_PASSES)}",
                param_hint="'--passes'",
            )
    trace = reading.trace(source)
    done = peeled(trace, chosen) if peel else run_passes(trace, chosen)
    if done.always_fails is not None:
        click.echo(f"always fails: guard {done.always_fails}", err=True)
    if stats:
        click.echo(f"operations: {len(trace.ops)} before, {len(done.trace.ops)} after", err=True)
        click.echo(f"guards: {len(trace.guards)} before, {len(done.trace.guards)} after", err=True)
        click.echo("".join(f"{line}\n" for line in _stats(done)), err=True, nl=False)
    write_text(output, format_trace(done.trace))
    return 0


def _optimize_by(spec: OptimizerSpec, trace: Trace, output: str) -> Exit:
    """Write what another optimizer makes of the trace, and say what is wrong with that, judgment apart."""
    made = Made(0, GeneratedTrace(trace, State(()), {}))
    with open_optimizer(spec) as chosen:
        record = examine(made, chosen, lambda *_: Unsupported("nobody has asked"))
    code, told = Exit.PROVED, []
    match record:
        case Find(kind=kind, message=message, report=report):
            code, told = Exit.REFUTED, [f"error: {FAILURES[kind]}: {message}", *last_lines(report).splitlines()]
        case Counted(after=None, verdict=Unsupported(reason)):
            code, told = Exit.UNSUPPORTED, [f"error: unsupported: {reason}"]
    click.echo("\n    ".join(told), err=True, nl=bool(told))
    if after := text_of(record.after):
        write_text(output, after)
    return code


def _stats(done: Optimization) -> Iterator[str]:
    """By how much each pass has changed the numbers of operations and guards, and how often each of its rules fired."""
    from optimizer.pipeline import DEFAULT_PASSES

    for name in DEFAULT_PASSES:
        fired = [(rule, count) for (pass_, rule), count in done.answers.items() if pass_ == name]
        operations, guards = done.operations.get(name, 0), done.guards.get(name, 0)
        if fired or operations or guards:
            yield f"{name}: operations {-operations}, guards {-guards}"
            yield from (f"{count:6} {rule}" for rule, count in sorted(fired, key=lambda item: (-item[1], item[0])))


@click.command(short_help="Translate a trace of the toy dialect, or into it.")
@click.argument("source", metavar="TRACE")
@click.option("-o", "--output", default="-", metavar="OUT", help="Write the trace there, not to standard output.")
def toy(source: str, output: str) -> int:
    """Write a TRACE (`-`: standard input) that is in the dialect of the articles on toy optimizers in the trace
    language, and any other one in that dialect, as far as it has words for it. All commands read both.

    \b
    $ traceproof toy article.trace
    $ traceproof optimize article.trace | traceproof toy -
    """
    text = read_text(source)
    trace = parse(text, file=file_name(source))
    write_text(output, format_trace(trace) if is_toy(text) else format_toy(trace))
    return 0


@click.command(short_help="Run a trace on values.")
@click.argument("source", metavar="TRACE")
@click.option("--input", "inputs", multiple=True, metavar="NAME=VALUE", help="The value of an input, or an object.")
@click.option("--heap", "heap_file", metavar="FILE", help="Objects, such as p0 = Node(value=5, next=p1), a line each.")
@click.option("--state", "state_file", metavar="FILE", help="All of it, with what functions give and what is raised.")
@click.option("--results", metavar="VALUES", help="What the events return, in order; the default is 0 or NULL.")
@click.option(
    "--iterations",
    type=click.IntRange(1),
    metavar="N",
    help=f"Go on for so many iterations of a loop; the default is {_LOOP} for one with an inner label, else 1.",
)
@click.option("--trace", "show_trace", is_flag=True, help="Show the trace with the value of each operation.")
@json_option("Print a JSON object.")
@_reading_options
def run(
    source: str,
    inputs: tuple[str, ...],
    heap_file: str | None,
    state_file: str | None,
    results: str | None,
    iterations: int | None,
    show_trace: bool,
    as_json: bool,
    reading: Reading,
) -> int:
    """Run TRACE (`-`: standard input) and show its values, its events and how it ends.

    Each input needs a value, decimal or 0x...; several fit into one --input, separated by commas. A reference is
    NULL or an object, whose fields are 0 or NULL where they are not told. Events may return objects, by their names.

    \b
    $ traceproof run before.trace --input i0=5 --input i1=-1
    $ traceproof run before.trace --input i0=5,i1=0x10 --results 7,8 --trace
    $ traceproof run before.trace --input i0=5,i1=0 --iterations 10
    $ traceproof run before.trace --input 'p0=Node(value=5, next=p1)' --input 'p1=Node()'
    $ traceproof run campaign/cases/seed-7-refuted/before.trace --state campaign/cases/seed-7-refuted/case.toml
    """
    if state_file is not None and (inputs or heap_file is not None or results is not None):
        raise click.UsageError("--state says all that --input, --heap and --results say; give it alone.")
    trace = reading.trace(source)
    program = Program(trace)
    if state_file is not None:
        state = read_run_state(trace, state_file, program.layout)
    else:
        sources = [] if heap_file is None else [Source(file_name(heap_file), read_text(heap_file).split("\n"))]
        values, heap = run_state(trace, inputs, sources, program.layout)
        state = State(tuple(values), World(event_results(trace, results or "", heap)), heap)
    wanted = iterations or (_LOOP if inner_label(trace) is not None else 1)
    heap = state.heap or Heap(program.layout)
    done = program.run(state.inputs, state.world, heap=heap, iterations=wanted)
    if as_json:
        click.echo(json.dumps(run_json(done) | ({"iterations": done.iterations} if wanted > 1 else {})))
        return 0
    shown = value_lines(trace, done, heap)
    if show_trace:
        shown = _trace_lines(trace, done) if wanted == 1 else _iterated_lines(trace, done.iterations, state, heap)
    ends = end_lines(done, f", in iteration {done.iterations}" if wanted > 1 else "")
    click.echo("".join(f"{line}\n" for line in (*shown, *ends)), nl=False)
    return 0


def _trace_lines(trace: Trace, done: Run) -> Iterator[str]:
    from validator.tell.side_by_side import annotated

    return map(str, annotated(trace, done))


def _iterated_lines(trace: Trace, iterations: int, state: State, heap: Heap) -> Iterator[str]:
    """The lines of a loop that goes round so many times, one iteration behind the other."""
    straight = iterated(trace, iterations)
    return _trace_lines(straight, Program(straight, heap.layout).run(state.inputs, state.world, heap=heap))
