"""Judges a pair for a command line: out of a cache or not, with faults of this tool told as such."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from optimizer.ir.faults import InputError
from optimizer.ir.text import format_trace
from optimizer.ir.trace import Trace
from validator.command.exits import report_fault
from validator.prove.judge import validate
from validator.verdict import Evidence, Failed, Fault, Options, Unknown, Verdict

if TYPE_CHECKING:
    from validator.cache import Cache
    from validator.solvers.query_files import QueryFiles

OUT_OF_MEMORY = "the memory limit was reached (a larger one: --memory)"


def open_cache(folder: str, read_only: bool = False) -> Cache:
    """The cache in that folder, which has to be there if it is only read. Raises InputError."""
    from pathlib import Path

    from validator.cache import Cache

    path = Path(folder)
    if not path.is_dir() and (read_only or path.exists()):
        raise InputError(f"{folder}: {'this is no folder' if path.exists() else 'there is no such folder'}")
    return Cache(path)


@dataclass(frozen=True, slots=True)
class Judging:
    """The way in which pairs are judged. `cache_only`: what the cache does not know is an error. `loop`, as recorded
    and peeled, is what they are bridges to; such verdicts are in no cache."""

    options: Options
    cache: Cache | None = None
    cache_only: bool = False
    queries: QueryFiles | None = None
    loop: tuple[Trace, Trace] | None = None

    def verdict(self, before: Trace, after: Trace, name: str) -> Verdict:
        """The verdict; where the tool itself fails, both traces are saved for a report."""
        try:
            verdict = self._verdict(before, after, name)
        except MemoryError:
            return Unknown(Evidence(is_repeatable=False), OUT_OF_MEMORY)
        except Exception as problem:
            import traceback  # here: only a fault needs it

            return self._fault(before, after, traceback.format_exc(), repr(problem))
        if isinstance(verdict, Failed) and verdict.fault is not Fault.INPUT:
            return self._fault(before, after, f"{verdict.report}\n{verdict.reason}", verdict.report, verdict.fault)
        return verdict

    def _verdict(self, before: Trace, after: Trace, name: str) -> Verdict:
        if self.cache is None or self.loop is not None:
            observe = None if self.queries is None else self.queries.of_pair(name)
            return validate(before, after, self.options, observe=observe, loop=self.loop)
        from validator.cache import Question, validate_cached

        if not self.cache_only:
            return validate_cached(before, after, self.options, self.cache)
        found = self.cache.get(Question(before, after, self.options))
        return found or Failed(Fault.INPUT, f"{name}: the verdict is not in the cache {self.cache.folder}")

    def _fault(self, before: Trace, after: Trace, details: str, report: str, fault: Fault = Fault.TOOL) -> Failed:
        traces = f"before:\n{format_trace(before)}\nafter:\n{format_trace(after)}\noptions: {self.options}\n"
        return Failed(fault, report_fault(f"{traces}\n{details}"), report)
