"""The frame of each program: what runs the functions, and what tells how they differ."""

from __future__ import annotations

ROUNDS = 41
"""The iterations of a call's loop, after which all its variables are observed."""
CALLS = 11
"""The calls with what the one before left, for each set of arguments."""

PRELUDE = f'''\
import os
import sys
from zlib import crc32

VERBOSE = "TRACEPROOF_VERBOSE" in os.environ
digest = 0
rows = 0


def observe(*values):
    """Takes the values into the digest, exactly: floats and the types of numbers are told by their repr."""
    global digest, rows
    text = repr(values)
    digest = crc32(text.encode("utf-8", "surrogatepass"), digest)
    rows += 1
    if VERBOSE:
        print("   ", rows, text)


def run(function, *makers):
    """Calls the function with each set of arguments, again and again with what it has returned."""
    global digest, rows
    digest = rows = 0
    for make in makers:
        state = make()
        failures = 0
        for start in range(0, {ROUNDS * CALLS}, {ROUNDS}):
            try:
                state = function(start, start + {ROUNDS}, *state)
            except Exception as error:
                failures += 1
                observe(start, type(error).__name__, state)
                if failures > 2:
                    break
            else:
                observe(start, state)
    print(function.__name__, rows, "%08x" % digest, flush=True)
'''
