"""The command `audit`."""

from __future__ import annotations

import json
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

import click

from fuzz.campaign.find import versions
from fuzz.cases.store import Case, store_case
from fuzz.command.options import json_option, seconds_option, seed_option, traces_option, word_option
from fuzz.command.seeds import seeds_from
from fuzz.selftest.comparison import Compared, compare_all
from optimizer.ir.text import format_trace
from validator.command.exits import Exit
from validator.command.files import writable
from validator.command.status import Status
from validator.tell.report import verdict_name
from validator.tell.stored_state import stored_state
from validator.verdict import Options, Proved

_OPTIONS = Options(effort=2_000_000, timeout_s=10.0)


@dataclass
class _Tally:
    """Counts over the seeds from `first` on."""

    first: int
    word: int
    counts: Counter[str] = field(default_factory=Counter)
    pairs: int = 0
    checked: int = 0
    unsettled: int = 0
    cases: list[str] = field(default_factory=list)

    def add(self, compared: Compared) -> None:
        self.pairs += 1
        if compared.verdict is not None:
            self.counts[verdict_name(compared.verdict)] += 1
        if isinstance(compared.verdict, Proved) and compared.verdict.evidence.audit is not None:
            is_unsettled = bool(compared.verdict.evidence.audit.unsettled)
            self.checked += not is_unsettled
            self.unsettled += is_unsettled

    def line(self, seconds: float) -> str:
        return f"{seconds:.0f} s: {self.pairs} pairs, {len(self.cases)} contradictions"

    def text(self, seconds: float, interrupted: bool) -> str:
        ended = "interrupted" if interrupted else "ended"
        lines = [f"audit {ended}: {self.pairs} pairs in {seconds:.1f} s from seed {self.first}, {self.word} bits"]
        verdicts = ", ".join(f"{count} {name}" for name, count in sorted(self.counts.items()))
        lines.append(f"  verdicts: {verdicts or 'none'}")
        lines.append(f"  proofs checked: {self.checked}, not checked: {self.unsettled}")
        lines.append(f"  contradictions: {len(self.cases)}")
        if self.pairs:
            lines.append(f"  repeat with: {command(self.first, self.pairs, self.word)}")
        return "\n".join(lines)

    def data(self, seconds: float, interrupted: bool) -> dict[str, object]:
        return {
            "seed": self.first,
            "word": self.word,
            "pairs": self.pairs,
            "seconds": round(seconds, 3),
            "interrupted": interrupted,
            "verdicts": dict(self.counts),
            "checked": self.checked,
            "not_checked": self.unsettled,
            "cases": self.cases,
            "command": command(self.first, self.pairs, self.word),
        }


@click.command(short_help="Test the validator: proofs, the checker of certificates and runs must agree.")
@seconds_option("Stop after that many; 60 by default.")
@traces_option
@seed_option
@word_option("Width of a machine word in bits; narrow words make solvers fast.", default=16, show_default=True)
@click.option("--corpus", default="audit", show_default=True, metavar="DIR", help="Where contradictions are stored.")
@json_option("Print a JSON object for each contradiction and one at the end.")
def audit(seconds: float | None, traces: int | None, seed: int, word: int, corpus: str, as_json: bool) -> int:
    """Test the validator itself: judge pairs, have the checker follow the certificates of proofs, run what is proved,
    and store each pair where these contradict each other.

    Each seed makes one trace; our optimizer and random edits make another one of it, right or wrong.

    \b
    $ traceproof audit --seconds 600
    $ traceproof audit --seed 7 --traces 1000 --word 8

    Ends with 5 if there was a contradiction, else with 0.
    """
    folder = writable(Path(corpus), "--corpus")
    if seconds is None and traces is None:
        seconds = 60.0
    start = time.monotonic()
    seeds = seeds_from(seed, traces, None if seconds is None else start + seconds)
    tally, status = _Tally(seed, word), Status(start)
    interrupted = False
    try:
        for compared in compare_all(seeds, word, _OPTIONS):
            tally.add(compared)
            if compared.complaint:
                status.clear()
                tally.cases.append(_keep(compared, folder, word))
                click.echo(_told(compared, folder / tally.cases[-1], as_json))
            status.show(tally.line)
    except KeyboardInterrupt:
        interrupted = True
    status.clear()
    spent = time.monotonic() - start
    click.echo(json.dumps(tally.data(spent, interrupted)) if as_json else tally.text(spent, interrupted))
    if interrupted:
        return Exit.INTERRUPTED
    return Exit.FAULT if tally.cases else Exit.PROVED


def command(seed: int, traces: int, word: int) -> str:
    """The command that repeats the pairs of that many seeds."""
    return f"traceproof audit --seed {seed} --traces {traces} --word {word}"


def _keep(compared: Compared, folder: Path, word: int) -> str:
    """Stores the pair as a case; its name."""
    pair = compared.pair
    case = Case(
        name=f"audit-{word}-bits-seed-{pair.seed}",
        before=format_trace(pair.before),
        after=format_trace(pair.after),
        options=_OPTIONS,
        state=stored_state(pair.generated.state, pair.before),
        seed=pair.seed,
        kind="contradiction",
        message=compared.complaint,
        command=command(pair.seed, 1, word),
        versions=versions(),
        report=f"{compared.report}\n{compared.verdict or 'no verdict'}\n",
    )
    store_case(folder, case)
    return case.name


def _told(compared: Compared, case: Path, as_json: bool) -> str:
    if not as_json:
        return f"contradiction: {case}: {compared.complaint}"
    told = {"seed": compared.pair.seed, "case": case.name, "message": compared.complaint}
    return json.dumps(told)
