"""Announcements of an optimizer, of what it understands: operations, kinds of them, the width of words.

A server prints it as its first line, a function has it as its attribute `operations`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from fuzz.campaign.examine import Crashes, Optimizer
from fuzz.draw.vocabulary import EVERYTHING, WORDS, Vocabulary, check_names, stands_for_some
from fuzz.subject.external import ServerOptimizer
from optimizer.ir.faults import InputError
from optimizer.ir.text import parse

_TRACE = parse("[i0]\nfinish(i0)")


def announced(optimizer: Optimizer) -> tuple[Vocabulary, tuple[str, ...]]:
    """The vocabulary that the optimizer announces, and the patterns in it that stand for no operation of the table. A
    server is asked for a small trace first; nothing depends on what it answers. Raises InputError for what is no
    announcement, and for a program that does not start."""
    if isinstance(optimizer, ServerOptimizer):
        try:
            optimizer(_TRACE)
        except Crashes:
            optimizer.check_start()
        except Exception:
            pass  # the campaign will find it
        return _read(optimizer.announced or {})
    return _read({"operations": getattr(optimizer, "operations", ())})


def _read(said: Mapping[str, object]) -> tuple[Vocabulary, tuple[str, ...]]:
    word = said.get("word")
    if word is not None and word not in WORDS:
        raise InputError(
            f"the optimizer announces words of {word!r} bits, expected one of {', '.join(map(str, WORDS))}"
        )
    operations, kinds, without = (_names(said.get(key, ()), key) for key in ("operations", "kinds", "without"))
    known = [pattern for pattern in operations if stands_for_some(pattern)]
    if operations and not known:
        raise InputError("the optimizer announces operations none of which is in the table")
    vocabulary = Vocabulary(kinds, tuple(known), tuple(filter(stands_for_some, without)), word)
    if vocabulary != EVERYTHING:
        check_names(vocabulary, lambda field: f"what the optimizer announces ({field})")
    return vocabulary, tuple(pattern for pattern in (*operations, *without) if not stands_for_some(pattern))


def _names(said: object, key: str) -> tuple[str, ...]:
    if isinstance(said, str) or not isinstance(said, Iterable):
        raise InputError(f"the optimizer announces {key!r}: expected a list of names, got {said!r}")
    return tuple(map(str, said))
