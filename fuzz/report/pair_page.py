"""The page of a pair: the verdict, the counterexample, both traces, guards and obligations."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

from fuzz.cases.store import Case
from fuzz.report.judged import JudgedPair
from fuzz.report.pages import render
from fuzz.report.playground import playground, playground_link
from optimizer.ir.immutable import replace
from optimizer.ir.text import format_operation
from optimizer.ir.trace import Exit, Trace
from validator.verdict import Evidence, Unknown


def pair_page(title: str, pair: JudgedPair, intro: str = "") -> str:
    """The page of a single pair."""
    return render("pair.html", title=title, intro=intro, link=playground_link(pair), **_shown(pair))


def judged_part(pair: JudgedPair) -> str:
    """The part of a page that tells of a pair."""
    return render("judged.html", **_shown(pair))


def playground_file(pair: JudgedPair) -> str:
    """The page of the playground with this pair, as a file that needs no server."""
    return playground((), pair, judged_part(pair))


def _shown(pair: JudgedPair) -> dict[str, Any]:
    settled = (pair.evidence or Evidence()).obligations
    obligations = [
        (
            item.name,
            item.status.value,
            item.by + (f" ({item.solver})" if item.solver else ""),
            f"{item.seconds * 1000:.2f}",
        )
        for item in settled
    ]
    return {
        "pair": pair,
        "why": pair.verdict.why if isinstance(pair.verdict, Unknown) else None,
        "guards": list(_guards(pair)),
        "rungs": Counter(item.by for item in settled),
        "obligations": obligations,
    }


def case_page(case: Case, pair: JudgedPair | None) -> str:
    """The page of a case; without `pair`, because its texts are no pair, it shows these."""
    about = " ".join(text for text in (case.about or case.message, case.taught) if text)
    if pair is not None:
        return pair_page(case.name, pair, about)
    return render("case.html", title=case.name, case=case, intro=about)


def _guards(pair: JudgedPair) -> Iterator[tuple[Any, ...]]:
    before, after = _guard_texts(pair.before), _guard_texts(pair.after)
    settled = (pair.evidence or Evidence()).obligations
    for link in pair.links:
        rungs = Counter(item.by for item in settled if item.name.startswith(f"guard {link.after}:"))
        by = ", ".join(f"{rung} {count}" for rung, count in rungs.items()) or "nothing to settle"
        yield (
            link.after,
            ("code", after[link.after]),
            link.before,
            ("code", before[link.before]),
            "not settled" if link.how is None else ("kind", link.how),
            by,
        )


def _guard_texts(trace: Trace) -> list[str]:
    return [format_operation(replace(guard, exit=Exit())).partition(" [")[0] for guard in trace.guards]
