"""Golden texts: what a user is told of a text that is no trace.

`parse_errors.txt` holds the cases: behind `==` the name, then the text, behind `--` what is said of it.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from optimizer.ir.faults import InputError
from optimizer.ir.text import parse

_FILE = Path(__file__).with_name("parse_errors.txt")


def _cases() -> dict[str, tuple[str, str]]:
    cases: dict[str, tuple[str, str]] = {}
    for section in ("\n" + _FILE.read_text(encoding="utf-8")).split("\n== ")[1:]:
        name, _, rest = section.partition("\n")
        text, _, expected = rest.partition("--\n")
        cases[name] = (text, expected.rstrip("\n"))
    return cases


CASES = _cases()


def _complaint(text: str) -> str:
    with pytest.raises(InputError) as fault:
        parse(text, file="bad.trace")
    return str(fault.value)


@pytest.mark.parametrize("name", CASES)
def test_says_what_is_wrong(name: str) -> None:
    text, expected = CASES[name]
    assert _complaint(text) == expected


def test_an_empty_file() -> None:
    expected = "bad.trace: the file is empty: a trace begins with its inputs, such as [i0, i1]"
    assert _complaint("") == expected
    assert _complaint("\ufeff \r\n") == expected


@pytest.mark.parametrize(
    ("garbage", "place", "character"),
    [
        ("\x7fELF\x02\x01\x00", "1:1", "U+007F"),
        ("[i0]\r\njump(\x00)", "2:6", "U+0000"),
        ("[i0]\njump(\ufffd)", "2:6", "U+FFFD"),
        ("\ud800", "1:1", "U+D800"),
    ],
)
def test_what_is_not_text(garbage: str, place: str, character: str) -> None:
    said = _complaint(garbage)
    assert said == f"bad.trace:{place}: this is not text: it holds the character {character}"


def test_shows_a_part_of_a_long_line() -> None:
    said = _complaint("[i0]\nfinish(" + "i0, " * 100 + "i1" + ", i0" * 100 + ")")
    message, line, caret = said.split("\n")
    assert message == "bad.trace:2:408: i1 is not defined"
    assert line.startswith("    ...")
    assert line.endswith("...")
    assert len(line) < 170
    assert line[caret.index("^") :].startswith("i1,")
