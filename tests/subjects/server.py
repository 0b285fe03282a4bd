"""The command line of a subject: it answers a line of JSON for each trace, or lists its faults."""

from __future__ import annotations

import argparse
import json
import sys
import traceback
from collections.abc import Callable, Sequence

from planted import Fault, halves, switch_on
from trace_text import Trace, Unsupported, parse

Optimize = Callable[[Trace, bool], Trace]


def serve(about: str, optimize: Optimize, faults: Sequence[Fault]) -> None:
    """Answers each line of the standard input. `optimize` is told whether to refuse what it does not know."""
    options = _options(about, faults).parse_args()
    if options.list:
        half = halves(faults)
        for fault in faults:
            print(json.dumps({"fault": fault.name, "half": half[fault.name], "breaks": fault.breaks}))
        return
    switch_on(options.fault)
    for line in sys.stdin:
        print(json.dumps(_answer(line, optimize, options.unknown == "refuse")), flush=True)


def _options(about: str, faults: Sequence[Fault]) -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description=about)
    names = [fault.name for fault in faults]
    parser.add_argument("--fault", action="append", default=[], choices=names, metavar="NAME", help="make this mistake")
    parser.add_argument("--list", action="store_true", help="list the faults, as JSON, and do nothing")
    parser.add_argument(
        "--unknown",
        choices=["keep", "refuse"],
        default="keep",
        help="operations that it does not know: keep them, and take them for able to do anything (the default), or "
        "answer that the trace is unsupported",
    )
    return parser


def _answer(line: str, optimize: Optimize, refuses: bool) -> dict[str, str]:
    try:
        return {"trace": optimize(parse(json.loads(line)["trace"]), refuses).text()}
    except Unsupported as limit:
        return {"unsupported": str(limit)}
    except Exception:
        return {"error": traceback.format_exc()}
