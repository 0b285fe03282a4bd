"""What a page says of a pair: the verdict, the counterexample, both traces, guards and obligations."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from fuzz.cases.store import Case
from fuzz.report.beside import beside
from fuzz.report.judged import JudgedPair
from fuzz.report.markup import Markup, tag
from fuzz.report.page import kind_label, listing, page, section
from optimizer.ir.immutable import replace
from optimizer.ir.text import format_operation
from optimizer.ir.text.declarations import format_declarations
from optimizer.ir.trace import Exit, Trace
from validator.tell.report import verdict_name, verdict_text
from validator.verdict import Evidence, Refuted, Unknown

_HOW = {
    "same": "where the recorded one fails",
    "early": "where the recorded one fails, or a later one would",
    "stricter": "also where the recorded trace goes on",
}


def pair_page(title: str, pair: JudgedPair, intro: str = "") -> str:
    """The page of a single pair."""
    parts = [
        tag("h1", title),
        tag("p", intro, class_="lead") if intro else "",
        tag("p", kind_label(verdict_name(pair.verdict)), " ", _told(pair), class_="lead"),
        _why(pair),
        section("traces", "Both traces", *pair_parts(pair)),
    ]
    if pair.links:
        parts.append(section("guards", "Guards", _guards(pair)))
    if pair.evidence is not None and pair.evidence.obligations:
        parts.append(section("obligations", "Obligations", *_obligations(pair.evidence)))
    return page(title, *parts)


def case_page(case: Case, pair: JudgedPair | None) -> str:
    """The page of a case; without `pair`, because its texts are no pair, it shows these."""
    about = " ".join(text for text in (case.about or case.message, case.taught) if text)
    if pair is not None:
        return pair_page(case.name, pair, about)
    kind = [kind_label(case.kind)] if case.kind else []
    return page(case.name, tag("h1", case.name), tag("p", *kind, " ", about, class_="lead"), *case_texts(case))


def case_texts(case: Case) -> Iterator[Markup]:
    """The texts of a case that is no pair."""
    texts = {"before": case.before, "what the optimizer gave": case.after or "", "report": case.report}
    for name, text in texts.items():
        if text:
            yield tag("p", name, class_="quiet")
            yield tag("pre", text.rstrip())


def pair_parts(pair: JudgedPair) -> Iterator[Markup]:
    """The state, both traces on it, and what differs."""
    if pair.state:
        shown = isinstance(pair.verdict, Refuted)
        what = "Counterexample" if shown else "Values of one run"
        yield tag("p", what, class_="quiet")
        yield tag("pre", "\n".join(pair.state).removesuffix(":"))
    yield beside(pair)
    yield _legend(pair)
    declared = format_declarations(pair.before.declarations)
    if declared.strip():
        yield tag("details", tag("summary", "Declarations"), tag("pre", declared.rstrip()))


def _told(pair: JudgedPair) -> str:
    if isinstance(pair.verdict, Refuted):
        found = pair.verdict.counterexample
        return f"{found.obligation}: {found.difference}."
    first, *_ = verdict_text(pair.verdict).splitlines()
    return first.partition(": ")[2]


def _legend(pair: JudgedPair) -> Markup:
    entries = [
        tag("li", kind_label(how, "same place" if how == "same" else how), f" fails {told}")
        for how, told in _HOW.items()
        if any(link.how == how for link in pair.links)
    ]
    if entries:
        numbers = "g1←0: guard 1 after stands for guard 0 before"
        entries.append(tag("li", numbers, class_="quiet"))
    return tag("ul", *entries, class_="legend") if entries else Markup("")


def _guards(pair: JudgedPair) -> Markup:
    before, after = _guard_texts(pair.before), _guard_texts(pair.after)
    settled = pair.evidence.obligations if pair.evidence else ()
    lines = []
    for link in pair.links:
        mine = [one for one in settled if one.name.startswith(f"guard {link.after}:")]
        by = ", ".join(f"{rung} {count}" for rung, count in Counter(one.by for one in mine).items())
        left, right = before[link.before], after[link.after]
        lines.append(
            (
                link.after,
                tag("code", right),
                link.before,
                tag("code", left),
                kind_label(link.how),
                by or "nothing to settle",
            )
        )
    heads = ("after|", "guard", "stands for|", "guard", "fails", "settled by")
    return listing(heads, lines, "which guard stands for which")


def _guard_texts(trace: Trace) -> list[str]:
    return [format_operation(replace(guard, exit=Exit())).partition(" [")[0] for guard in trace.guards]


def _obligations(evidence: Evidence) -> Iterator[Markup]:
    counts = Counter(one.by for one in evidence.obligations)
    yield tag(
        "p", ", ".join(f"{count} by {rung}" for rung, count in counts.items()), f"; {evidence.seconds:.3f} s in all."
    )
    lines = [
        (one.name, one.status.value, one.by + (f" ({one.solver})" if one.solver else ""), f"{one.seconds * 1000:.2f}")
        for one in evidence.obligations
    ]
    yield listing(("obligation", "status", "rung", "ms|"), lines, "obligations")


def _why(pair: JudgedPair) -> Markup:
    """What is known of a verdict that did not settle the pair."""
    if not isinstance(pair.verdict, Unknown) or pair.verdict.why is None:
        return Markup("")
    why = pair.verdict.why
    told = [f"hard: {hard.what}, in {hard.trace}: {hard.text}" for hard in why.hard]
    told += [f"tried: {what}" for what in why.tried] + [f"try: {advice}" for advice in why.advice]
    return tag("ul", *(tag("li", line) for line in told))
