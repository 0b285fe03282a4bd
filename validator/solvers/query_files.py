"""Queries to solvers as files: `validate --emit-smt2`."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import TextIO

from validator.command.exits import input_errors
from validator.solvers.answers import Answer, GaveUp, Sat, Unsat
from validator.solvers.portfolio import Query

_UNSAFE = re.compile(r"[^A-Za-z0-9_.-]+")
_LONGEST = 200
"""The letters that are kept of a long name: systems take 255, with what is added."""


@dataclass(frozen=True, slots=True)
class QueryFiles:
    """Writes each query as a file of its own: `NAME-001.smt2` for the first one of a pair of that name, the next free
    number for the next. No file is written over."""

    folder: Path

    def of_pair(self, name: str) -> Callable[[Query], None]:
        """A function that writes the queries of a pair. Raises InputError where the folder cannot be written to."""
        stem = _UNSAFE.sub("-", Path(name).name).strip(".-") or "pair"
        if len(stem) > _LONGEST:
            stem = f"{stem[:_LONGEST]}-{hashlib.sha256(name.encode(errors='backslashreplace')).hexdigest()[:16]}"
        paths = (self.folder / f"{stem}-{number:03}.smt2" for number in count(1))

        def write(query: Query) -> None:
            with input_errors():
                self.folder.mkdir(parents=True, exist_ok=True)
                with next(filter(None, map(_made, paths))) as file:
                    file.write(f"; {_told(query.answer)}\n{query.text}")

        return write


def _made(path: Path) -> TextIO | None:
    """The file of that name, None where there is one already."""
    try:
        return path.open("x")
    except FileExistsError:
        return None


def _told(answer: Answer) -> str:
    match answer:
        case Unsat(by):
            return f"{by}: unsat\n(set-info :status unsat)"
        case Sat(_, by):
            return f"{by}: sat\n(set-info :status sat)"
        case GaveUp(reason, tried):
            return f"{', '.join(tried) or 'nobody was asked'}: {reason}\n(set-info :status unknown)"
