"""The command `validate`."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from typing import Any

import click

from optimizer.ir.declarations import Declarations, merge, parse_declarations
from optimizer.ir.faults import InputError
from optimizer.ir.text import format_trace, parse
from optimizer.ir.trace import Trace
from validator.cli_invoke import invoke
from validator.exits import Exit, exit_code, report_fault, run_command, worst
from validator.files import file_name, read_text, read_trace, read_types
from validator.judge import validate as validate_pair
from validator.report import plain, verdict_json, verdict_text
from validator.verdict import Failargs, Failed, Fault, Guards, Options, Verdict

_DEFAULT = Options()

_EPILOG = """\b
Example:
  validate before.trace after.trace
  validate --batch pairs.jsonl > verdicts.jsonl

\b
Exit codes:
  0    proved
  1    refuted: a counterexample is shown
  2    a mistake in the input or the options
  3    unknown, or a vacuous proof under --strict
  4    unsupported: an operation that cannot be judged
  5    a fault of this tool
  130  interrupted
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
@click.option(
    "--effort",
    type=click.IntRange(1),
    default=_DEFAULT.effort,
    show_default=True,
    help="Budget of one solver query, in the solver's own units (about ten million a second); verdicts do "
    "not depend on how busy the machine is.",
)
@click.option(
    "--timeout",
    "timeout_s",
    type=click.FloatRange(0, min_open=True),
    default=_DEFAULT.timeout_s,
    show_default=True,
    metavar="S",
    help="Seconds for one pair, the net behind the effort.",
)
@click.option(
    "--guards",
    type=click.Choice([mode.value for mode in Guards]),
    default=_DEFAULT.guards.value,
    show_default=True,
    help="Where a guard may fail: exactly where the recorded one does (same), where the "
    "recorded trace leaves there or later (early), or also where it goes on (safe).",
)
@click.option(
    "--failargs",
    type=click.Choice([mode.value for mode in Failargs]),
    default=_DEFAULT.failargs.value,
    show_default=True,
    help="Compare the values that guards hand over, or ignore them (for texts without resume data).",
)
@click.option("--types", metavar="FILE", help="Declarations (TOML) for both traces.")
@click.option(
    "--word",
    type=click.IntRange(4, 64),
    help="Width of a machine word in bits, if the traces do not say it; else 64.",
)
@click.option("--strict", is_flag=True, help="Do not accept a vacuous proof.")
@click.option("--json", "as_json", is_flag=True, help="Print the verdict as one line of JSON.")
def validate(
    before: str | None,
    after: str | None,
    batch: str | None,
    effort: int,
    timeout_s: float,
    guards: str,
    failargs: str,
    types: str | None,
    word: int | None,
    strict: bool,
    as_json: bool,
) -> int:
    """Prove that the trace in AFTER does what the trace in BEFORE does, on every input, or show an input on which it
    does not.

    BEFORE is a recorded trace, AFTER what an optimizer made of it; `-` is standard input. Every guard is compared: that
    it fails where the recorded one does, and hands over the same values.
    """
    options = Options(Guards(guards), Failargs(failargs), effort, timeout_s)
    if batch is not None:
        if before is not None:
            raise click.UsageError("--batch takes its pairs from its file, not from BEFORE and AFTER.")
        return _batch(batch, options, types, word, strict)
    if before is None or after is None:
        raise click.UsageError("Two traces are needed, BEFORE and AFTER (or --batch FILE).")
    if before == after == "-":
        raise click.UsageError("Only one of BEFORE and AFTER can be standard input.")
    return _single(before, after, options, types, word, strict, as_json)


def main(args: Sequence[str] | None = None) -> None:
    """The entry point."""
    arguments = sys.argv[1:] if args is None else args
    sys.exit(run_command(lambda: invoke(validate, arguments, "validate")))


def _single(
    before_path: str,
    after_path: str,
    options: Options,
    types: str | None,
    word: int | None,
    strict: bool,
    as_json: bool,
) -> int:
    name = file_name(after_path)
    try:
        before, after = read_trace(before_path, word, types), read_trace(after_path, word, types)
    except InputError as mistake:
        if not as_json:
            raise
        return _print_json(Failed(Fault.INPUT, str(mistake)), name, None, None, strict)
    verdict = _guarded(before, after, options)
    if as_json:
        return _print_json(verdict, name, before, after, strict)
    colour = sys.stdout.isatty()
    text = verdict_text(verdict, before, after, _coloured if colour else plain)
    click.echo(text, err=isinstance(verdict, Failed))
    return exit_code(verdict, strict)


def _print_json(verdict: Verdict, name: str, before: Trace | None, after: Trace | None, strict: bool) -> int:
    import json  # here: what is told in words does without it

    click.echo(json.dumps(verdict_json(verdict, name, before, after)))
    return exit_code(verdict, strict)


def _coloured(text: str, colour: str) -> str:
    return click.style(text, bold=True) if colour == "bold" else click.style(text, fg=colour, bold=True)


def _guarded(before: Trace, after: Trace, options: Options) -> Verdict:
    """The verdict; where the tool itself fails, both traces are saved for a report."""
    traces = f"before:\n{format_trace(before)}\nafter:\n{format_trace(after)}\noptions: {options}\n"
    try:
        verdict = validate_pair(before, after, options)
    except Exception as problem:
        import traceback

        details = f"{traces}\n{traceback.format_exc()}"
        return Failed(Fault.TOOL, report_fault(details), repr(problem))
    if isinstance(verdict, Failed) and verdict.fault is Fault.TOOL:
        return Failed(Fault.TOOL, report_fault(f"{traces}\n{verdict.report}\n{verdict.reason}"), verdict.report)
    return verdict


# Batches.


def _batch(path: str, options: Options, types: str | None, word: int | None, strict: bool) -> int:
    import json

    codes: list[Exit] = []
    declared = read_types(types)
    for number, line in _lines(path):
        verdict, name, before, after = _pair(file_name(path), number, line, options, declared, word)
        result = verdict_json(verdict, name, before, after)
        if isinstance(verdict, Failed):
            result["line"] = number
        click.echo(json.dumps(result))
        codes.append(exit_code(verdict, strict))
    return worst(codes)


def _lines(path: str) -> Iterator[tuple[int, str]]:
    """The lines of a batch with their numbers, as they come; blank ones are passed over."""
    if path == "-":
        lines: Any = sys.stdin.buffer
    else:
        lines = read_text(path).encode().splitlines()
    for number, line in enumerate(lines, start=1):
        text = line.decode(errors="replace").strip()
        if text:
            yield number, text


def _pair(
    file: str, number: int, line: str, options: Options, declared: Declarations, word: int | None
) -> tuple[Verdict, str, Trace | None, Trace | None]:
    """The verdict on one line of a batch, its name, and its traces where they could be read."""
    name = f"line {number}"
    try:
        request = _request(file, number, line)
        name = str(request.get("name", name))
        types = merge(declared, parse_declarations(request.get("types", ""), file=f"{name}: types"))
        before = parse(request["before"], file=f"{name}: before", word=word, types=types)
        after = parse(request["after"], file=f"{name}: after", word=word, types=types)
    except InputError as mistake:
        return Failed(Fault.INPUT, str(mistake)), name, None, None
    return _guarded(before, after, options), name, before, after


def _request(file: str, number: int, line: str) -> dict[str, Any]:
    import json

    try:
        request = json.loads(line)
    except (ValueError, RecursionError) as problem:
        raise InputError(f"a JSON object was expected: {problem}", file=file, line=number) from None
    if not isinstance(request, dict):
        raise InputError("a JSON object with name, before and after was expected", file=file, line=number)
    for key in ("before", "after"):
        if not isinstance(request.get(key), str):
            raise InputError(f'the text of a trace was expected as "{key}"', file=file, line=number)
    if not isinstance(request.get("types", ""), str):
        raise InputError('TOML text was expected as "types"', file=file, line=number)
    return request
