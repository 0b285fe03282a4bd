"""The validator's answers, as data."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum
from typing import TYPE_CHECKING

from optimizer.ir.immutable import immutable
from validator.check.certificate import Certificate
from validator.check.certificate import Failargs as Failargs
from validator.check.certificate import Guards as Guards
from validator.solvers.answers import SolverChoice

if TYPE_CHECKING:
    from validator.search.counterexample import Counterexample


class Floats(Enum):
    """Is a solver asked what operations on floats are, where nothing else settles an obligation?"""

    EXACT = "exact"
    OPAQUE = "opaque"


@dataclass(frozen=True, slots=True)
class Options:
    """`effort` is the budget of one query in Z3's rlimit units (about ten million a second); `timeout_s` the net behind
    it, for the pair, in seconds. `memory_mb` is a limit for each process of a solver. `certify`: a proof has its
    certificate; `audit`: and the checker's word on it. `simplify`: counterexamples are made simpler. `notes`: a proof
    is said to be vacuous or not; without them it is not, if failargs are ignored. `moved`: it is told which guards fail
    elsewhere, from this one on, `moved_from`: and of those that stand for this recorded one, or one behind it; None: of
    none.
    `runs`: where parts of a loop, or of a bridge to it, are not proved, runs of the loop are looked for that differ.
    `by_preamble`: in the place of the recorded loop, to which a bridge goes, stands the preamble of the peeled one."""

    guards: Guards = Guards.EARLY
    failargs: Failargs = Failargs.CHECK
    effort: int = 20_000_000
    timeout_s: float = 60.0
    solver: SolverChoice = SolverChoice.AUTO
    memory_mb: int = 4096
    floats: Floats = Floats.EXACT
    certify: bool = False
    audit: bool = False
    simplify: bool = True
    notes: bool = True
    moved: int | None = 0
    moved_from: int | None = None
    runs: bool = True
    by_preamble: bool = False


class Status(Enum):
    PROVED = "proved"
    REFUTED = "refuted"
    UNKNOWN = "unknown"
    SKIPPED = "skipped"


@immutable
class Settled:
    """The outcome of an obligation: by which rung (`structure`, `intervals`, `running`, `solving`), in how long, and
    where it was solving, by which solver."""

    name: str
    status: Status
    by: str
    seconds: float
    solver: str = ""


@dataclass(frozen=True, slots=True)
class Audit:
    """The checker's answer to the certificate of a proof: `checked` obligations hold, or those named in `unsettled` do
    not follow from it, as far as a solver can tell, for that `reason`."""

    checked: int
    unsettled: tuple[str, ...] = ()
    reason: str = ""


@immutable
class Evidence:
    """The evidence that comes with every verdict from the comparison of two traces.

    `vacuous` are the reasons for which a proof says little (empty: none); None where that was not settled. `origins`
    are the resume positions that the verdict holds for, given in the text or inferred. `early` and `stricter` are
    guards of the optimized trace that fail where the recorded one fails later, or not at all. `is_repeatable`: no limit
    of time or memory had a part in it. `cached`: it comes out of a cache. `certificate` is what the checker follows,
    and `audit` what it says, of a proof for which these were asked for.
    """

    vacuous: tuple[str, ...] | None = ()
    assumes: tuple[str, ...] = ()
    origins: tuple[int | None, ...] = ()
    inferred: bool = False
    early: tuple[int, ...] = ()
    stricter: tuple[int, ...] = ()
    obligations: tuple[Settled, ...] = ()
    seconds: float = 0.0
    certificate: Certificate | None = None
    audit: Audit | None = None
    is_repeatable: bool = True
    cached: bool = False


class _Told:
    """A verdict: printed it says what the command `validate` says of it."""

    __slots__ = ()

    def __str__(self) -> str:
        from validator.tell.report import verdict_text  # here: most verdicts are not printed

        return verdict_text(self)  # type: ignore[arg-type]  # one of those below

    def __repr__(self) -> str:
        return f"<{str(self).partition(chr(10))[0]}>"


@immutable
class Proved(_Told):
    evidence: Evidence


@dataclass(frozen=True, slots=True, repr=False)
class Refuted(_Told):
    """`others` are counterexamples to the other ways of matching guards, where origins were inferred."""

    evidence: Evidence
    counterexample: Counterexample
    others: tuple[Counterexample, ...] = ()


@dataclass(frozen=True, slots=True)
class Hard:
    """A cause that makes a query hard: `what` it is, in the operation `text` in that line (0: unknown) of `trace`,
    `before` or `after`."""

    what: str
    trace: str
    line: int
    text: str


@dataclass(frozen=True, slots=True)
class WhyUnknown:
    """The reasons for which an obligation was not settled: what is hard in it, what was tried, and what to try, in
    words."""

    obligation: str
    hard: tuple[Hard, ...]
    tried: tuple[str, ...]
    advice: tuple[str, ...]


@immutable
class Unknown(_Told):
    """`why` is there where it was an obligation that was not settled."""

    evidence: Evidence
    reason: str
    why: WhyUnknown | None = None


@dataclass(frozen=True, slots=True, repr=False)
class Unsupported(_Told):
    """`trace` says in which it stands, `before` or `after`, where it is something in a trace."""

    reason: str
    trace: str = ""


class Fault(Enum):
    """The party at fault for an error; `PROOF`: this tool, which has proved what a run contradicts."""

    INPUT = "input"
    TOOL = "tool"
    PROOF = "proof"


@dataclass(frozen=True, slots=True, repr=False)
class Failed(_Told):
    """No verdict: a mistake in the input, or a fault of this tool. `report` is text worth saving for a report."""

    fault: Fault
    reason: str
    report: str = field(default="", compare=False)


Verdict = Proved | Refuted | Unknown | Unsupported | Failed
