"""The page of a pair: the verdict, the counterexample, both traces, guards and obligations. And that of the playground,
with links into it that hold a whole pair.

The fragment of such a link is JSON, deflated without a header (RFC 1951) and written in the alphabet of base64 for
addresses (RFC 4648, section 5) without padding. A browser sends no fragment to a server.
"""

from __future__ import annotations

import base64
import hashlib
import json
import zlib
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

from fuzz.cases.store import Case
from fuzz.report.judged import JudgedPair
from fuzz.report.pages import render
from optimizer.ir.immutable import replace
from optimizer.ir.text import format_operation, format_trace
from optimizer.ir.trace import Exit, Trace
from validator.verdict import Evidence, Failargs, Guards, Unknown


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


# The playground.

PORT = 8181
"""The port of the playground, unless another one is asked for."""


def pair_data(pair: JudgedPair) -> dict[str, str]:
    """The fields of the page for this pair."""
    return {
        "before": format_trace(pair.before),
        "after": format_trace(pair.after),
        "guards": pair.options.guards.value,
        "failargs": pair.options.failargs.value,
    }


def playground_link(pair: JudgedPair) -> str:
    """The address at which the playground of this machine shows the pair."""
    packed = zlib.compressobj(9, wbits=-zlib.MAX_WBITS)
    data = packed.compress(json.dumps(pair_data(pair)).encode()) + packed.flush()
    return f"http://127.0.0.1:{PORT}/#{base64.urlsafe_b64encode(data).decode().rstrip('=')}"


def playground(examples: Sequence[str], given: JudgedPair | None = None, told: str = "") -> str:
    """The page that a server shows, with the names of the examples that it has; or, with the pair that is `given` and
    what is `told` of it (a part of a page), one that needs no server."""
    script = render("playground.js")
    return render(
        "playground.html",
        examples=examples,
        given=given and pair_data(given),
        link=given and playground_link(given),
        told=told,
        guards=[mode.value for mode in Guards],
        failargs=[mode.value for mode in Failargs],
        script=script,
        digest=base64.b64encode(hashlib.sha256(script.encode()).digest()).decode(),
    )
