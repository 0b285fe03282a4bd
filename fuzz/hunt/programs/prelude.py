"""The frame of each program: what runs the functions, and what tells how they differ."""

from __future__ import annotations

import ast

ROUNDS = 41
"""The iterations of a call's loop, after which all its variables are observed."""
CALLS = 11
"""The calls with what the one before left, for each set of arguments."""

PRELUDE = f'''\
import os
import sys
from types import FunctionType
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


def called(function, makers):
    """Calls the function with each set of arguments, again and again with what it has returned."""
    global digest, rows
    digest = rows = 0
    for make in makers:
        state = make()
        failures = 0
        for start in range(0, {ROUNDS * CALLS}, {ROUNDS}):
            try:
                state = function(*(start, start + {ROUNDS}) + state)
            except Exception as error:
                failures += 1
                observe(start, type(error).__name__, state)
                if failures > 2:
                    break
            else:
                observe(start, state)
    print(function.__name__, rows, "%08x" % digest, flush=True)


def run(function, *makers):
    """Does so by new copies of the code, which are never hot: all traces are of the function."""
    global observe
    observe, calls = (FunctionType(each.__code__.replace(), globals()) for each in (observe, called))
    calls(function, makers)
'''

_SHORT = f"""\
def run(function, *makers):
    for make in makers:
        state = make()
        for start in range(0, {ROUNDS * CALLS}, {ROUNDS}):
            try:
                state = function(start, start + {ROUNDS}, *state)
            except Exception as error:
                state = make()
            print(function.__name__, state)
"""


def shortened(source: str) -> str:
    """The program with a shorter frame, which prints all values; what has no such frame stays as it is."""
    tree = ast.parse(source)
    named = {node.name: place for place, node in enumerate(tree.body) if isinstance(node, ast.FunctionDef)}
    if "observe" not in named or "run" not in named:
        return source
    imports = [node for node in tree.body if isinstance(node, ast.Import | ast.ImportFrom)]
    behind = [node for node in tree.body[named["run"] + 1 :] if node not in imports]
    return ast.unparse(ast.Module([*imports, *ast.parse(_SHORT).body, *behind], [])) + "\n"
