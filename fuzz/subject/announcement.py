"""Announcements of an optimizer, of what it understands: operations, kinds of them, the width of words.

A server prints it as its first line, a function has it as its attribute `operations`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from fnmatch import fnmatchcase
from typing import Protocol, TypeGuard, runtime_checkable

from fuzz.campaign.examine import Crashes, Optimizer
from fuzz.draw.vocabulary import EVERYTHING, WORDS, Vocabulary, check_names
from optimizer.ir.faults import InputError
from optimizer.ir.rows.ops import OPS
from optimizer.ir.text import parse
from optimizer.ir.trace import Trace

_KEYS = frozenset({"operations", "kinds", "without", "word"})


@runtime_checkable
class Announcing(Protocol):
    """An optimizer that announces something when it is used for the first time."""

    announced: dict[str, object] | None

    def __call__(self, before: Trace) -> object: ...

    def check_start(self) -> None: ...


_TRACE = parse("[i0]\nfinish(i0)")


def is_announcement(line: object) -> TypeGuard[dict[str, object]]:
    """Is it what a server may print before it is asked?"""
    return isinstance(line, dict) and bool(line) and _KEYS.issuperset(line)


def announced(optimizer: Optimizer) -> tuple[Vocabulary, tuple[str, ...]]:
    """The vocabulary that the optimizer announces, and the patterns in it that stand for no operation of the table. A
    server is asked for a small trace first; nothing depends on what it answers. Raises InputError for what is no
    announcement, and for a program that does not start."""
    if isinstance(optimizer, Announcing):
        try:
            optimizer(_TRACE)
        except Crashes:
            optimizer.check_start()
        except Exception:  # which the campaign will find
            return _read(optimizer.announced or {})
        return _read(optimizer.announced or {})
    return _read({"operations": getattr(optimizer, "operations", ())})


def _read(said: Mapping[str, object]) -> tuple[Vocabulary, tuple[str, ...]]:
    word = said.get("word")
    if word is not None and word not in WORDS:
        raise InputError(
            f"the optimizer announces words of {word!r} bits, expected one of {', '.join(map(str, WORDS))}"
        )
    operations, kinds, without = (_names(said.get(key, ()), key) for key in ("operations", "kinds", "without"))
    known = [pattern for pattern in operations if _is_known(pattern)]
    if operations and not known:
        raise InputError("the optimizer announces operations none of which is in the table")
    vocabulary = Vocabulary(kinds, tuple(known), tuple(filter(_is_known, without)), word)
    if vocabulary != EVERYTHING:
        check_names(vocabulary, lambda field: f"what the optimizer announces ({field})")
    return vocabulary, tuple(pattern for pattern in (*operations, *without) if not _is_known(pattern))


def _names(said: object, key: str) -> tuple[str, ...]:
    if isinstance(said, str) or not isinstance(said, Iterable):
        raise InputError(f"the optimizer announces {key!r}: expected a list of names, got {said!r}")
    return tuple(map(str, said))


def _is_known(pattern: str) -> bool:
    return any(fnmatchcase(name, pattern) for name in OPS)
