"""Finds of a hunt, made small, and stored as cases of a corpus with what a maintainer of PyPy needs to act on them."""

from __future__ import annotations

import ast
import builtins
import hashlib
import re
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from fuzz.campaign.examine import Find as TraceFind
from fuzz.campaign.examine import validating
from fuzz.campaign.find import versions
from fuzz.campaign.triage import settle
from fuzz.cases.log_run import PairRun
from fuzz.cases.store import Case
from fuzz.hunt.observe import Find, FindKind, Observer
from fuzz.hunt.programs.prelude import shortened
from fuzz.hunt.proofs import prove_log
from fuzz.hunt.shrink import shrink
from fuzz.reduce.source import look_at
from fuzz.reduce.trials import Subject
from optimizer.ir.immutable import replace
from optimizer.ir.text import format_trace
from optimizer.ir.trace import Trace
from validator.tell.report import verdict_text
from validator.verdict import Refuted

PROGRAM = "program.py"
_TRACE_SHARE = 4
"""The part of the time of a reduction that its trace may take."""


@dataclass(frozen=True, slots=True)
class Keeper:
    """The way in which finds are kept: as they are run, made small in about so many seconds, and proved within so many
    seconds a trace."""

    observer: Observer
    seconds: float
    timeout_s: float

    def keep(self, find: Find, source: str, command: str, seed: int) -> Case:
        """The case of a find, as small as it gets. Its name is that of its bucket."""
        is_portable = find.kind is FindKind.INTERPRETER
        with tempfile.TemporaryDirectory(prefix="traceproof-") as folder:
            program, log = Path(folder) / PROGRAM, Path(folder) / "program.log"

            def shown(candidate: str) -> Find | None:
                program.write_text(candidate)
                seen = self.observer.observe(program, is_portable=is_portable, log=log)
                return seen.find if seen.find is not None and is_same(seen.find, find) else None

            small = source
            if find.kind is not FindKind.HANG:  # to try one takes minutes
                short = shortened(source)
                small = shrink(
                    short if shown(short) is not None else source,
                    lambda candidate: shown(candidate) is not None,
                    self.seconds,
                )
            log.unlink(missing_ok=True)
            left = shown(small) or find
            refuted = next(iter(prove_log(log, program, self.timeout_s).refuted), None)
            logged = log.read_text(errors="replace") if log.exists() else ""
        target = self.observer.target
        case = Case(
            name=bucket(left, small),
            before="",
            optimizer=False,
            source=f"a program of traceproof hunt, run by {target.version}",
            kind=left.kind.value,
            message=left.message,
            command=command,
            seed=seed,
            jit=target.options,
            versions=(*versions(), ("target", target.version)),
            program=small,
            log=logged,
            report=report(left, small, target.version),
        )
        return case if refuted is None else self.with_pair(case, refuted)

    def with_pair(self, case: Case, refuted: PairRun) -> Case:
        """The case, with the pair that is refuted, made small where that goes."""
        where = f"pair {refuted.pair.number}, {refuted.pair.kind.value} {refuted.pair.point}".rstrip()
        told = str(refuted.verdict["reason"])
        if refuted.texts is None:
            return replace(case, report=f"{case.report}\nThe trace that is wrong, of the log: {where}: {told}\n")
        before, after, options = refuted.texts.before, refuted.texts.after, refuted.texts.options
        if refuted.texts.loop is None:
            subject = Subject(None, validating(options), options)
            found = look_at(before, after, subject)
            if isinstance(found, TraceFind):
                left = settle(found, subject, self.seconds / _TRACE_SHARE).reduced
                if isinstance(left.find.after, Trace):
                    before, after = left.before, left.find.after
                if isinstance(left.find.verdict, Refuted):
                    told = verdict_text(left.find.verdict)
        return replace(
            case,
            before=format_trace(before),
            after=format_trace(after),
            options=options,
            expect="refuted" if refuted.texts.loop is None else "",
            report=f"{case.report}\nThe trace that is wrong, of the log: {where}\n\n{told}\n",
        )


def is_same(one: Find, other: Find) -> bool:
    """Do both fail alike? The words in front of what differs may be others in a smaller program, but not none: then
    it ends otherwise, for a reason of its own."""
    is_crash = one.kind is FindKind.CRASH
    return one.kind is other.kind and (one.what == other.what if is_crash else bool(one.what) == bool(other.what))


def bucket(find: Find, source: str) -> str:
    """The name of the bucket of a find in a small program: of a crash where it crashes, if it tells that, else what is
    left in the program."""
    told = find.what if find.kind is FindKind.CRASH else ""
    if not find.tells_place:
        told = " ".join(filter(None, (told, *sorted(_nature(ast.parse(source))))))
    words = re.sub(r"[^A-Za-z0-9]+", "-", told).strip("-").lower()[:60].rstrip("-")
    return f"{find.kind.value}-{words}-{hashlib.sha256(told.encode()).hexdigest()[:4]}"


def _nature(tree: ast.Module) -> Iterator[str]:
    """The operators of a program, and the functions and methods that are not its own."""
    for node in ast.walk(tree):
        if isinstance(node, ast.operator | ast.unaryop | ast.cmpop):
            yield type(node).__name__
        elif isinstance(node, ast.Attribute):
            yield node.attr
        elif isinstance(node, ast.Name) and hasattr(builtins, node.id) and node.id not in ("print", "range"):
            yield node.id


def report(find: Find, source: str, version: str) -> str:
    """The find for a maintainer of PyPy: what happens, how to see it, and the program."""
    printed = "\n".join(find.printed)
    return f"PyPy: {find.message}\n{version}\n\n{printed}\n\n{PROGRAM}:\n\n{source}"


def again(case: Case, observer: Observer) -> str:
    """The reason for which the program of a case does not show what it is a case of; '' if it does."""
    with tempfile.TemporaryDirectory(prefix="traceproof-") as folder:
        program = Path(folder) / PROGRAM
        program.write_text(case.program)
        target = replace(observer.target, jit=",".join(filter(None, (case.jit, observer.target.jit))))
        is_portable = case.kind == FindKind.INTERPRETER.value
        seen = replace(observer, target=target).observe(program, is_portable=is_portable)
    if seen.find is not None and seen.find.kind.value == case.kind:
        return ""
    found = seen.find.message if seen.find is not None else seen.useless or "nothing"
    return f"expected a {case.kind} of {target.version}, found: {found}"
