"""Strings in the optimizer: what is not allocated, read or copied, and that nothing else changes."""

from __future__ import annotations

from collections import Counter
from random import Random

import pytest
from reference_strings import DECLARATIONS, random_trace, small_states

from optimizer import optimize
from optimizer.ir.text import format_trace, parse
from optimizer.ir.types.trace_layout import layout_of
from optimizer.pipeline import run_passes
from validator import Options, Proved, Refuted, validate
from validator.search.replay import Replay

CASES = {
    "constants": (
        '[]\nescape_n()\ni1 = strgetitem("abc", 1)\ni2 = unicodelen(u"ab")\ni3 = ptr_eq("a", "b")\n'
        "finish(i1, i2, i3)\n",
        "[]\nescape_n()\nfinish(98, 2, 0)\n",
    ),
    "a string that nobody sees": (
        '[p0, i1]\np2 = newstr(2)\nstrsetitem(p2, 0, i1)\ncopystrcontent("x", p2, 0, 1, 1)\ni3 = strgetitem(p2, 0)\n'
        "i4 = strgetitem(p2, 1)\ni5 = strlen(p2)\nfinish(i3, i4, i5)\n",
        "[p0, i1]\nfinish(i1, 120, 2)\n",
    ),
    "a concatenation, rebuilt at a guard": (
        '[i0, i1]\np2 = newstr(3)\ncopystrcontent("ab", p2, 0, 0, 2)\nstrsetitem(p2, 2, i0)\n'
        "guard_true(i1) [p2]\nfinish()\n",
        "[i0, i1]\nguard_true(i1, origin=0) [p0] {\n    p0 = newstr(3)\n    strsetitem(p0, 0, 97)\n"
        "    strsetitem(p0, 1, 98)\n    strsetitem(p0, 2, i0)\n}\nfinish()\n",
    ),
    "a slice of a virtual string": (
        '[i0]\np1 = newstr(3)\ncopystrcontent("abc", p1, 0, 0, 3)\np2 = newstr(2)\n'
        "copystrcontent(p1, p2, 1, 0, 2)\nfinish(p2)\n",
        "[i0]\np2 = newstr(2)\nstrsetitem(p2, 0, 98)\nstrsetitem(p2, 1, 99)\nfinish(p2)\n",
    ),
    "a copy to a string that nobody sees": (
        "[p0, i1]\np2 = newstr(i1)\ncopystrcontent(p0, p2, 0, 0, i1)\nfinish()\n",
        "[p0, i1]\nfinish()\n",
    ),
    "a store behind which something is copied over it": (
        "[p0, p1]\nstrsetitem(p0, 0, 65)\ncopystrcontent(p1, p0, 0, 0, 1)\ni2 = strgetitem(p0, 0)\nfinish(i2)\n",
        "[p0, p1]\nstrsetitem(p0, 0, 65)\ncopystrcontent(p1, p0, 0, 0, 1)\ni2 = strgetitem(p0, 0)\nfinish(i2)\n",
    ),
    "what was read goes with a copy": (
        "[p0, p1]\ni2 = strgetitem(p0, 1)\ncopystrcontent(p0, p1, 0, 0, 2)\ni3 = strgetitem(p1, 1)\nfinish(i2, i3)\n",
        "[p0, p1]\ni2 = strgetitem(p0, 1)\ncopystrcontent(p0, p1, 0, 0, 2)\nfinish(i2, i2)\n",
    ),
    "a store that a hash sees": (
        "[p0]\nstrsetitem(p0, 0, 65)\ni1 = strhash(p0)\nfinish(i1)\n",
        "[p0]\nstrsetitem(p0, 0, 65)\ni1 = strhash(p0)\nfinish(i1)\n",
    ),
}


@pytest.mark.parametrize(("before", "after"), CASES.values(), ids=CASES)
def test_what_is_made_of_strings(before: str, after: str) -> None:
    recorded = parse(before)
    optimized = optimize(recorded)
    assert format_trace(optimized) == after
    assert isinstance(validate(recorded, optimized), Proved)


def with_exits(text: str, random: Random) -> str:
    """The trace with events and guards in it, which hand over all strings that there are."""
    lines = text.split("\n")
    for at in sorted(random.sample(range(1, len(lines)), 3), reverse=True):
        refs = ["p0", "p1", *(line.split(" = ")[0] for line in lines[1:at] if line.startswith("p"))]
        handed = ", ".join(random.sample(refs, min(len(refs), 3)))
        lines.insert(
            at, random.choice([f"guard_true(i0) [{handed}]", f"guard_false(i1) [{handed}]", f"escape_n({refs[-1]})"])
        )
    return "\n".join(lines)


@pytest.mark.parametrize("calls", [False, True])
def test_random_traces_do_the_same(calls: bool) -> None:
    fired: Counter[str] = Counter()
    compared = 0
    for seed in range(50):
        random = Random(seed)
        text = with_exits(random_trace(random, 12, calls=calls), random)
        trace = parse((DECLARATIONS if calls else "") + text)
        done = run_passes(trace)
        fired.update(done.fired)
        layout = layout_of(trace, done.trace)
        replay = Replay(trace, done.trace, Options(), layout)
        origins = [guard.exit.origin if guard.exit else None for guard in done.trace.guards]
        kind = "unicode" if "unicode" in str(trace.ops) else "str"
        for state in list(small_states(layout, kind))[seed % 13 :: 13]:
            runs = replay.run(state)
            compared += runs is not None
            found = replay.counterexample(state, origins)
            assert found is None, (seed, found)
        if seed % 5 == 0:
            assert not isinstance(validate(trace, done.trace), Refuted), seed
    assert compared > 90
    assert {"virtual_load", "virtual", "known_content", "delayed_store"} <= fired.keys()
    assert calls or "virtual_copy" in fired
