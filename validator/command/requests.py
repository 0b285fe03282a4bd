"""Many pairs as lines of JSON: a request in, a verdict out, and on a terminal how far it is."""

from __future__ import annotations

import json
import sys
import time
from collections import Counter
from collections.abc import Generator
from contextlib import AbstractContextManager, closing, nullcontext
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, BinaryIO

import click

from optimizer.ir.faults import InputError
from optimizer.ir.text import parse
from optimizer.ir.text.declarations import merge, parse_declarations
from optimizer.ir.trace import Trace
from optimizer.ir.types.declared import NO_DECLARATIONS, Declarations
from validator.command.exits import Exit, describe, exit_code, report_fault, worst
from validator.command.files import file_name, no_text
from validator.command.judging import OUT_OF_MEMORY, Judging
from validator.command.status import Status
from validator.processes.ordered import Answer, Request, judge_all
from validator.processes.workers import Loss, Supervision
from validator.tell.report import verdict_json
from validator.verdict import Evidence, Failed, Fault, Unknown, Verdict

_LATE_S = 10.0
"""The seconds that a worker may take beyond twice the time that a pair may take."""


@dataclass(frozen=True, slots=True)
class Batch:
    """The settings that the requests of a batch share. `file` is its name for messages, `word` the width of words where
    a trace does not say it."""

    file: str
    judging: Judging
    declared: Declarations = NO_DECLARATIONS
    word: int | None = None
    strict: bool = False


def run_batch(path: str, batch: Batch, jobs: int) -> int:
    """Print the verdicts on the pairs of a file, each when those before it are there; the exit code."""
    codes: Counter[int] = Counter()
    status, warning = Status(time.monotonic()), ""
    with _opened(path) as lines, closing(judge_batch(lines, batch, jobs)) as answers:
        try:
            for answer in answers:
                status.clear()
                click.echo(answer.text)
                codes[answer.code] += 1
                if answer.warning and not warning:
                    warning = answer.warning
                    click.echo(f"warning: {warning}", err=True)
                status.show(partial(_line, codes))
        finally:
            status.clear()
    if not codes:
        click.echo(f"warning: {file_name(path)}: there are no pairs", err=True)
    return worst(map(Exit, codes))


def _opened(path: str) -> AbstractContextManager[BinaryIO]:
    if path == "-":
        return nullcontext(sys.stdin.buffer)
    try:
        return Path(path).open("rb")
    except OSError as problem:
        raise InputError(describe(problem)) from None


def _line(codes: Counter[int], seconds: float) -> str:
    kinds = ", ".join(f"{count} {Exit(code).name.lower()}" for code, count in sorted(codes.items()))
    return f"{codes.total()} pairs in {seconds:.0f} s: {kinds}"


def judge_batch(lines: BinaryIO, batch: Batch, jobs: int = 1) -> Generator[Answer]:
    """The verdicts on the pairs of a file, in its order, by so many processes at once. To be closed when it is not run
    to its end."""
    options = batch.judging.options
    supervision = Supervision(jobs, options.memory_mb, 2 * options.timeout_s + _LATE_S)
    return judge_all(lines, partial(judge_line, batch), partial(_lost, batch), supervision)


def judge_line(batch: Batch, line: Request) -> Answer:
    """The verdict on one line."""
    name, before, after = f"line {line.number}", None, None
    try:
        request = _request(batch.file, line)
        name = str(request.get("name", name))
        types = merge(batch.declared, parse_declarations(request.get("types", ""), file=f"{name}: types"))
        before = parse(request["before"], file=f"{name}: before", word=batch.word, types=types)
        after = parse(request["after"], file=f"{name}: after", word=batch.word, types=types)
    except InputError as mistake:
        return _answer(batch, line, Failed(Fault.INPUT, str(mistake)), name)
    except MemoryError:
        return _answer(batch, line, Unknown(Evidence(is_repeatable=False), OUT_OF_MEMORY), name)
    return _answer(batch, line, batch.judging.verdict(before, after, name), name, before, after)


def _answer(
    batch: Batch, line: Request, verdict: Verdict, name: str, before: Trace | None = None, after: Trace | None = None
) -> Answer:
    result = verdict_json(verdict, name, before, after)
    if isinstance(verdict, Failed):
        result["line"] = line.number
    cache = batch.judging.cache
    return Answer(json.dumps(result), exit_code(verdict, batch.strict), "" if cache is None else cache.problem)


def _request(file: str, line: Request) -> dict[str, Any]:
    try:
        request = json.loads(line.text)
    except UnicodeDecodeError as problem:
        raise no_text(problem, file, line.number) from None
    except (ValueError, RecursionError) as problem:
        raise InputError(f"a JSON object was expected: {problem}", file=file, line=line.number) from None
    if not isinstance(request, dict):
        raise InputError("a JSON object with name, before and after was expected", file=file, line=line.number)
    for key in ("before", "after"):
        if not isinstance(request.get(key), str):
            raise InputError(f'the text of a trace was expected as "{key}"', file=file, line=line.number)
    if not isinstance(request.get("types", ""), str):
        raise InputError('TOML text was expected as "types"', file=file, line=line.number)
    return request


def _lost(batch: Batch, line: Request, loss: Loss) -> Answer:
    """The answer about a pair whose worker did not answer."""
    try:
        name = str(_request(batch.file, line).get("name", f"line {line.number}"))
    except InputError:
        name = f"line {line.number}"
    details = f"{line.text.decode(errors='replace')}\noptions: {batch.judging.options}"
    return _answer(batch, line, lost_verdict(loss, details), name)


def lost_verdict(loss: Loss, details: str) -> Verdict:
    """The verdict on a pair whose worker did not answer; `details` are for a report."""
    evidence = Evidence(is_repeatable=False)
    match loss:
        case Loss.LATE:
            reason = "the time limit was reached, and the process that judged the pair had to be ended"
            return Unknown(evidence, f"{reason} (a larger one: --timeout)")
        case Loss.KILLED:
            reason = "the process that judged the pair was killed, probably because the machine has too little memory"
            return Unknown(evidence, f"{reason} (fewer at once: --jobs)")
        case Loss.MEMORY:
            return Unknown(evidence, OUT_OF_MEMORY)
        case Loss.CRASHED:
            crash = f"the process that judged a pair has crashed\n\n{details}\n\ncrashed"
            return Failed(Fault.TOOL, report_fault(crash))
