"""Folders of campaigns for tests of reports, made without running one."""

from __future__ import annotations

from pathlib import Path

from fuzz.campaign.folder import write_plan
from fuzz.campaign.plan import Plan
from fuzz.campaign.results import Result
from fuzz.cases.store import Case, store_case
from fuzz.subject.optimizers import OptimizerKind, OptimizerSpec

BEFORE = """\
[i0, i1]
i2 = int_add(i0, i1)
i3 = int_lt(i2, 100)
guard_true(i3) [i0, i1]
i4 = int_is_true(i1)
guard_true(i4) [i1]
i5 = int_mul(i2, 4)
finish(i5)
"""

WRONG = """\
[i0, i1]
i2 = int_add(i0, i1)
i3 = int_lt(i2, 100)
guard_true(i3, origin=0) [i0, i1]
i4 = int_is_true(i1)
guard_true(i4, origin=1) [i0]
i5 = int_lshift(i2, 2)
finish(i5)
"""

SCRIPT = "</pre><script>alert('x')</script><img src=x onerror=alert(1)>"

CASES = (
    Case(
        "seed-5-refuted",
        BEFORE,
        WRONG,
        seed=5,
        kind="refuted",
        message="guard 1: failarg 0: it hands over 2, not 1",
        command="traceproof fuzz --seed 0 --traces 6",
    ),
    Case(
        "seed-8-malformed",
        BEFORE,
        f"[i0]\n{SCRIPT}\n",
        seed=8,
        kind="malformed",
        message=f"expected an operation, got {SCRIPT} \x00\ud800",
        command="traceproof fuzz --seed 0 --traces 9",
    ),
    Case("seed-9-crash", BEFORE, seed=9, kind="crash", message="IndexError | `x`", report=f"Traceback\n{SCRIPT}"),
)


def make_campaign(folder: Path, traces: int = 60) -> Path:
    """A campaign with a find of three kinds and an unknown, in `folder`."""
    (folder / "results").mkdir(parents=True)
    (folder / "cases").mkdir()
    for case in CASES:
        assert store_case(folder / "cases", case)
    found = {case.seed: case for case in CASES}
    with (folder / "results" / "host-1-0.jsonl").open("w") as file:
        for seed in range(traces):
            case = found.get(seed) or (CASES[0] if seed == 30 else None)
            verdict = case.kind if case else "unknown" if seed == 11 else "proved"
            file.write(_result(seed, verdict, case).line())
        file.write('{"seed": 99, "fir')
    write_plan(folder, Plan(0, optimizer=OptimizerSpec(OptimizerKind.FUNCTION, "mine:optimize")))
    return folder


def _result(seed: int, verdict: str, case: Case | None) -> Result:
    return Result(
        seed=seed,
        first=0,
        verdict=verdict,
        made="mutated" if seed % 3 == 0 else "generated",
        vacuous=False,
        seconds={"making": 0.001, "optimizing": 0.002, "judging": 0.25 if seed == 11 else 0.004},
        operations=(20, 12),
        guards=(4, 3),
        rungs={"structure": 9, "solving": 1},
        solver_queries=1,
        early=seed % 2,
        stricter=int(seed == 20),
        fired=("add_zero", "cse") if seed % 2 else ("cse",),
        hard=("i5 = int_mul(i2, i3)",) if verdict == "unknown" else (),
        reason=case.message if case else "guard 3: left was not settled: the effort was used up" * (seed == 11),
        case=case.name if case else "",
        bucket=case.name.removeprefix("seed-") if case else "",
        at=1_790_000_000 + seed * 1.5,
    )
