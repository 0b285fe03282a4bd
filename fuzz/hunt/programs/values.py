"""Constants and first arguments, by type."""

from __future__ import annotations

SMALL = tuple(str(n) if n >= 0 else f"({n})" for n in (1, 2, 3, 5, 7, 10, 12, 0, -1, -2, -3, -7))
BORDERS = tuple(
    f"({sign}2**{bits}{offset})"
    for bits in (31, 32, 62, 63, 64)
    for sign in ("", "-")
    for offset in ("", " - 1", " + 1", " - 2")
)
MASKS = ("255", "65535", "(2**31 - 1)", "(2**32 - 1)", "(2**62 - 1)", "(2**63 - 1)", "1023", "12", "10", "1000", "7")
FLOATS = ("0.0", "(-0.0)", "1.0", "(-1.0)", "0.5", "2.5", "1e300", "5e-324", "(2.0**53)", "float(-2**63)", "0.1")
ODD_FLOATS = ("float('inf')", "(-float('inf'))", "float('nan')", "(2.0**63)", "1e18", "(-0.0)", "5e-324", "1.7e308")

ANY = ("None", "0", "2.5", "'x'", "True", "turn", "5")

ARGUMENTS = {
    "w": ("0", "1", "-3", "100", "12345", "2**31", "-(2**31)"),
    "i": ("0", "1", "-5", "77", "2**40", "123456789"),
    "j": ("0", "None", "2.5", "'x'", "77", "True", "2**31"),
    "f": ("0.0", "1.5", "-2.25", "1e10", "0.1"),
    "t": ("''", "'abc'", "'banana split'", "'a b\\xe9'"),
    "y": ("b''", "b'abc'", "b'\\x00\\xff\\x80\\x01\\x02'", "bytes(range(9))"),
    "u": ("(1, 2)", "(1, 2, 3)", "(7, 2.5)", "(4, 'x', 5)", "(0,)"),
    "l": (
        "[1, 2, 3, 4, 5, 6, 7, 8]",
        "list(range(-4, 6))",
        "[3, 1, 2]",
        "[0] * 9",
        "[2**62, -(2**63), 1, 2, 3, 4, 5, 6]",
    ),
    "e": ("[0.5, 1.5, -0.0, 2.0, 3.0, 4.0, 5.0, 6.0]", "[1.0] * 8", "[0.0, float('inf')]"),
    "n": (
        "[1, 2, 3, 4, 5, 6, 7, 8]",
        "[1.5, 2, 'x', None, 5, (6,), 7, True]",
        "[0.5] * 8",
        "[]",
        "[1, 2.5, 3, -0.0, 5, 2**31, -1, 0.5]",
    ),
    "d": ("{}", "{1: 10, 2: 20}", "{n: n * n for n in range(8)}"),
    "g": ("{}", "{'a': 1}", "{'b': 2, 'a': 3}"),
    "o": ("Point(1, 2)", "Square(3, 4)", "Slotted(5, 6)", "Point(-1, 2**31)"),
    "a": ("bytearray(8)", "bytearray(range(9))", "bytearray(b'abcdefgh')"),
    "r": ("array('q', range(8))", "array('q', [0] * 9)", "array('q', [-(2**63), 2**63 - 1, 3, 4, 5, 6, 7, 8])"),
    "q": ("array('d', [0.5] * 8)", "array('d', [0.0, -0.0, 1.5, 2.5, 3.5, 4.5, 5.5, float('inf')])"),
}
"""Arguments of the first calls."""

ODD = {
    "j": ("2**70", "None", "float('nan')", "b'y'", "-0.0", "-(2**63)"),
    "w": (*BORDERS[4:28], "2**70", "True", "1.5"),
    "i": (*BORDERS, "True", "0.5", "-(2**80)"),
    "f": (*ODD_FLOATS, "3", "2**64"),
    "t": ("'\\u20ac\\U0001f600abcdef'", "'aaaaaaaaaaaa'", "''"),
    "l": ("[]", "[0.5, 1.5, 2.5]", "[1, 'x', 3.5, None]", "[2**70] * 8", "[True, False] * 4", "list(range(30))"),
    "e": ("[]", "[1, 2, 3, 4, 5, 6, 7, 8]", "[float('nan')] * 8"),
    "d": ("{'x': 1, 2: 5}", "{0.0: 3, True: 4}", "{n: -n for n in range(40)}"),
}
"""Arguments of later calls, besides, of types where guards have something to fail at."""
