"""Knowledge of a PyPy in a file: what its logs say that means the same in all processes, without the logs.

It is JSON, with a statement a line, sorted, so that the same logs give the same file. A statement is a row of texts: of
what it is (calls, fields, ...), its kind, and what it says. `logs` counts those that have said it.
"""

from __future__ import annotations

import json
import lzma
from dataclasses import dataclass
from pathlib import Path

from optimizer.ir.faults import InputError
from validator.pypy.inferred.witnesses import Row

_FORMAT, _VERSION = "what is known of a PyPy", 3
_SHIPPED, _FILE = "PyPy 7.3.11", "pypy-7.3.11.json.xz"


@dataclass(frozen=True, slots=True)
class Kept:
    """Statements that so many logs have made, and the name of their file."""

    name: str
    logs: int
    rows: frozenset[Row]

    @property
    def descrs(self) -> set[str]:
        """The descrs that tell of which PyPy it is."""
        return {text for row in self.rows if row[0] == "descr" for text in row[1:]}

    @property
    def text(self) -> str:
        """The text of the file."""
        head = json.dumps({"format": _FORMAT, "version": _VERSION, "logs": self.logs})
        rows = ",\n".join(json.dumps(row) for row in sorted(self.rows))
        return f'{head[:-1]}, "statements": [\n{rows}\n]}}\n'


def parse_kept(text: str, name: str) -> Kept:
    """The knowledge in a text. Raises InputError."""
    try:
        said = json.loads(text)
        if not isinstance(said, dict) or said.get("format") != _FORMAT:
            raise InputError("this is not what `traceproof pypy-log --learn` writes", file=name)
        if said.get("version") != _VERSION:
            raise InputError(f"it is of version {said.get('version')}, not {_VERSION}: learn it anew", file=name)
        logs, rows = said["logs"], frozenset(map(tuple, said["statements"]))
    except (ValueError, KeyError, TypeError, RecursionError):
        raise damaged(name) from None
    are_texts = all(rows) and all(isinstance(text, str) for row in rows for text in row)
    if type(logs) is not int or logs < 0 or not are_texts:
        raise damaged(name)
    return Kept(name, logs, rows)


def damaged(name: str) -> InputError:
    """The fault of a file that nobody has written so."""
    return InputError("what is known of a PyPy is damaged here: learn it anew", file=name)


def shipped() -> Kept:
    """The knowledge of the PyPy that this was measured with."""
    return parse_kept(lzma.decompress(Path(__file__).with_name(_FILE).read_bytes()).decode(), _SHIPPED)
