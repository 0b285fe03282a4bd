"""The command `validate`."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

import click

from optimizer.ir.faults import InputError
from optimizer.ir.immutable import replace
from optimizer.ir.trace import Trace
from validator.command.exits import exit_code, run_command
from validator.command.files import file_name, read_trace, read_types, write_text
from validator.command.invoke import invoke
from validator.command.judging import Judging, open_cache
from validator.command.shared_options import (
    choice_option,
    effort_option,
    memory_option,
    mode_options,
    output_file_option,
    timeout_option,
)
from validator.solvers.answers import SolverChoice
from validator.solvers.portfolio import require
from validator.tell.report import verdict_json, verdict_text
from validator.verdict import Failargs, Failed, Fault, Floats, Guards, Options, Proved, Verdict

_DEFAULT = Options()

_EPILOG = """\b
Example:
  validate before.trace after.trace
  validate --batch pairs.jsonl --jobs 4 --cache verdicts > verdicts.jsonl

\b
Exit codes:
  0    proved
  1    refuted: a counterexample is shown
  2    a mistake in the input or the options
  3    unknown, or a vacuous proof under --strict
  4    unsupported: an operation that cannot be judged
  5    a fault of this tool
  130  interrupted
  141  whoever read the output has gone
A batch ends with the first of 5, 1, 2, 4, 3, 0 that occurred."""


@click.command(
    epilog=_EPILOG,
    short_help="Prove that an optimized trace does what the recorded one does.",
    context_settings={"help_option_names": ["-h", "--help"]},
)
@click.version_option(package_name="traceproof")
@click.argument("before", required=False)
@click.argument("after", required=False)
@click.option(
    "--batch",
    metavar="FILE",
    help="Validate many pairs: one JSON object a line, with name, before, after "
    "(texts) and optionally types (TOML). Prints one JSON line a pair.",
)
@effort_option(_DEFAULT.effort)
@timeout_option(_DEFAULT.timeout_s, "Seconds for one pair, the net behind the effort.")
@mode_options(
    "Where a guard may fail: exactly where the recorded one does (same), where the recorded trace leaves there or "
    "later (early), or also where it goes on (safe).",
    "Compare the values that guards hand over, or ignore them (for texts without resume data).",
)
@click.option("--types", metavar="FILE", help="Declarations (TOML) for both traces.")
@click.option(
    "--loop",
    nargs=2,
    metavar="RECORDED PEELED",
    help="Both traces are bridges to this loop: BEFORE jumps to its start, AFTER to its inner label.",
)
@click.option(
    "--word",
    type=click.IntRange(4, 64),
    metavar="BITS",
    help="Width of a machine word in bits, if the traces do not say it; else 64.",
)
@click.option(
    "--audit",
    is_flag=True,
    help="Have the checker follow the certificate of a proof, over the traces as they are written.",
)
@output_file_option("--certificate", "Write the certificate of a proof there, for --check.")
@click.option("--check", "check_file", metavar="FILE", help="Prove nothing: check this certificate.")
@click.option(
    "--jobs",
    type=click.IntRange(1),
    default=1,
    show_default=True,
    metavar="N",
    help="Judge so many pairs of a batch at once, each in a process of its own; the output is the same.",
)
@click.option(
    "--cache",
    metavar="DIR",
    help="Keep verdicts in this folder, and look them up there: by both traces, their declarations, the options and "
    "the version of all that takes part in a proof.",
)
@click.option(
    "--cache-only",
    is_flag=True,
    help="Prove nothing: a pair that is not in the cache is an error (exit code 2).",
)
@choice_option(_DEFAULT.solver, "Ask this solver alone; auto: all that are installed, in a fixed order.")
@choice_option(
    _DEFAULT.floats,
    "Ask solvers what arithmetic on floats is, where its laws do not settle it (exact), or never (opaque).",
)
@memory_option(64, _DEFAULT.memory_mb, "Memory for the process of each solver.")
@click.option(
    "--emit-smt2",
    metavar="DIR",
    help="Write each query to a solver as a file that any solver reads, named by its pair.",
)
@click.option(
    "--strict", is_flag=True, help="Do not accept a vacuous proof, nor under --audit one that is not checked."
)
@click.option("--json", "as_json", is_flag=True, help="Print the verdict as one line of JSON.")
def validate(
    before: str | None,
    after: str | None,
    batch: str | None,
    effort: int,
    timeout_s: float,
    guards: Guards,
    failargs: Failargs,
    types: str | None,
    loop: tuple[str, str] | None,
    word: int | None,
    audit: bool,
    certificate: str | None,
    check_file: str | None,
    jobs: int,
    cache: str | None,
    cache_only: bool,
    solver: SolverChoice,
    floats: Floats,
    memory_mb: int,
    emit_smt2: str | None,
    strict: bool,
    as_json: bool,
) -> int:
    """Prove that the trace in AFTER does what the trace in BEFORE does, on every input, or show an input on which it
    does not.

    BEFORE is a recorded trace, AFTER what an optimizer made of it; `-` is standard input. Every guard is compared: that
    it fails where the recorded one does, and hands over the same values.
    """
    options = Options(guards, failargs, effort, timeout_s, solver, memory_mb, floats, certificate is not None, audit)
    require(solver)
    judging = _judging(options, cache, cache_only, emit_smt2)
    if loop is not None:
        if batch is not None or cache is not None or check_file is not None:
            raise click.UsageError("--loop is for one pair, and goes with neither --cache nor --check.")
        judging = replace(judging, loop=(read_trace(loop[0], word, types), read_trace(loop[1], word, types)))
    if batch is not None:
        if options.certify or check_file is not None:
            raise click.UsageError("--certificate and --check are for one pair, not for --batch.")
        return _batch(batch, before, judging, types, word, strict, jobs)
    if jobs > 1:
        raise click.UsageError("--jobs is for --batch.")
    if check_file is not None:
        if options.certify or audit or cache is not None or emit_smt2 is not None:
            raise click.UsageError("--check proves nothing: it goes with none of the options of a proof.")
        from validator.command.check import check_pair  # here, with the checker: a proof needs none

        return check_pair(*_named(before, after), check_file, options, types, word, as_json)
    return _single(*_named(before, after), judging, types, word, strict, as_json, certificate)


def main(args: Sequence[str] | None = None) -> None:
    """The entry point."""
    arguments = sys.argv[1:] if args is None else args
    sys.exit(run_command(lambda: invoke(validate, arguments, "validate")))


def _judging(options: Options, cache: str | None, cache_only: bool, emit_smt2: str | None) -> Judging:
    if cache_only and cache is None:
        raise click.UsageError("--cache-only needs a cache: --cache DIR.")
    if emit_smt2 is not None and cache is not None:
        raise click.UsageError("--emit-smt2 is not for --cache: there are no queries where verdicts are looked up.")
    queries = None
    if emit_smt2 is not None:
        from pathlib import Path  # here: it is seldom asked for

        from validator.solvers.query_files import QueryFiles

        queries = QueryFiles(Path(emit_smt2))
    return Judging(options, None if cache is None else open_cache(cache, cache_only), cache_only, queries)


def _named(before: str | None, after: str | None) -> tuple[str, str]:
    """The files of the pair that is to be judged."""
    if before is None or after is None:
        raise click.UsageError("Two traces are needed, BEFORE and AFTER (or --batch FILE).")
    if before == after == "-":
        raise click.UsageError("Only one of BEFORE and AFTER can be standard input.")
    return before, after


def _batch(
    file: str, before: str | None, judging: Judging, types: str | None, word: int | None, strict: bool, jobs: int
) -> int:
    if before is not None:
        raise click.UsageError("--batch takes its pairs from its file, not from BEFORE and AFTER.")
    from validator.command.requests import Batch, run_batch  # here, with all that makes processes: one pair needs none

    return run_batch(file, Batch(file_name(file), judging, read_types(types), word, strict), jobs)


def _single(
    before_path: str,
    after_path: str,
    judging: Judging,
    types: str | None,
    word: int | None,
    strict: bool,
    as_json: bool,
    certificate: str | None,
) -> int:
    name = file_name(after_path)
    try:
        before, after = read_trace(before_path, word, types), read_trace(after_path, word, types)
    except InputError as mistake:
        if not as_json:
            raise
        return _print_json(Failed(Fault.INPUT, str(mistake)), name, None, None, strict)
    verdict = judging.verdict(before, after, name)
    if certificate is not None and isinstance(verdict, Proved):
        if verdict.evidence.certificate is None:
            raise click.UsageError("The proofs of a loop have no certificate together; --audit has each one checked.")
        write_text(certificate, _json_line(asdict(verdict.evidence.certificate)))
    if judging.cache is not None and judging.cache.problem:
        click.echo(f"warning: {judging.cache.problem}", err=True)
    if as_json:
        return _print_json(verdict, name, before, after, strict)
    if sys.stdout.isatty():
        import shutil  # here: only a terminal has a width

        text = verdict_text(verdict, _coloured, shutil.get_terminal_size().columns)
    else:
        text = verdict_text(verdict)
    click.echo(text, err=isinstance(verdict, Failed))
    return exit_code(verdict, strict)


def _print_json(verdict: Verdict, name: str, before: Trace | None, after: Trace | None, strict: bool) -> int:
    click.echo(_json_line(verdict_json(verdict, name, before, after)), nl=False)
    return exit_code(verdict, strict)


def _coloured(text: str, colour: str) -> str:
    return click.style(text, bold=True) if colour == "bold" else click.style(text, fg=colour, bold=True)


def _json_line(value: dict[str, Any]) -> str:
    import json  # here: what is told in words does without it

    return json.dumps(value) + "\n"
