"""The page of the playground, and links into it that hold a whole pair.

The fragment of such a link is JSON, deflated without a header (RFC 1951) and written in the alphabet of base64 for
addresses (RFC 4648, section 5) without padding. A browser sends no fragment to a server.
"""

from __future__ import annotations

import base64
import hashlib
import json
import zlib
from collections.abc import Sequence

from fuzz.report.judged import JudgedPair
from fuzz.report.pages import render
from optimizer.ir.text import format_trace
from validator.verdict import Failargs, Guards

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
