"""Faults of the validator where it judges calls and exceptions, and the tests that catch them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from faults.planting import Plant, ValidatorFault

from optimizer.ir.domains.term import Term
from optimizer.ir.immutable import replace
from optimizer.ir.run.functions import Functions
from validator.prove import obligations
from validator.prove.call_encoder import CallEncoder
from validator.prove.memory import symbolic_heap, visibility
from validator.prove.memory.symbolic_heap import SymbolicHeap
from validator.prove.obligations import Obligation, Pair
from validator.prove.terms.object_terms import ObjectTerms
from validator.prove.terms.pointers import Pointers

_RIGHT = "validator/verdicts/test_call_pairs.py::test_right"
_WRONG = "validator/verdicts/test_call_pairs.py::test_wrong"
_NOT_PROVED = "validator/verdicts/test_call_pairs.py::test_not_proved"
_REVIEW = "validator/verdicts/test_call_review.py::test_verdicts"


def _around(owner: Any, name: str, wrong: Callable[..., Any]) -> Plant:
    """What is there goes first to what takes its place, before its arguments."""
    right = vars(owner)[name]
    return lambda patch: patch.setattr(owner, name, lambda *args, **more: wrong(right, *args, **more))


def _caught(name: str, breaks: str, plant: Plant, *catches: str) -> ValidatorFault:
    return ValidatorFault(name, breaks, "calls", plant, catches)


def _always_made_before(right: Any, self: Pair, *args: Any) -> Obligation:
    made: Obligation = right(self, *args)
    return replace(made, claim=self.terms.true)


def _never(*_: Any) -> Iterator[Obligation]:
    return iter(())


def _one_argument(right: Any, self: ObjectTerms, result: Any, args: Any) -> Any:
    return right(self, result, args[:1])


def _nothing_raised(_right: Any, self: ObjectTerms, *_: Any) -> Any:
    return self.null


def _forced_at_once(_right: Any, _events: int) -> str:
    return "forced"


def _decided_at_once(right: Any, self: CallEncoder, *args: Any, surely: bool) -> Any:
    return right(self, *args, surely=True)


def _recorded_is_old(right: Any, self: CallEncoder, *args: Any) -> Any:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(CallEncoder, "_show", lambda *_: None)
        return right(self, *args)


def _valid_if_at_first(right: Any, self: ObjectTerms, _invalidations: int) -> Any:
    return right(self, 0)


def _valid_again(_right: Any, self: ObjectTerms, invalidations: int) -> Any:
    return self.eq(self.var(f"invalid{invalidations}"), self.zero)


def _settled_for_all(right: Any, self: SymbolicHeap, p: Term, *more: Any) -> Any:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(self, "lenient", self.lenient and p.kind == "alloc")
        return right(self, p, *more)


CALL_VALIDATOR_FAULTS = (
    _caught(
        "made whenever",
        "a function may be called where it has not been",
        _around(Pair, "_made_before", _always_made_before),
        _WRONG,
    ),
    _caught(
        "functions find anything",
        "it does not matter what a function finds in memory",
        _around(obligations, "finds_the_same", lambda _, terms, *__: terms.true),
        _WRONG,
    ),
    _caught(
        "functions see no events",
        "what events change that the traces do not name does not matter to functions",
        _around(visibility, "_may_change", lambda *_: False),
        _WRONG,
    ),
    _caught(
        "any look",
        "what the interpreter finds in front of a function is always what is recorded",
        _around(Functions, "_finds", lambda *_: True),
        _WRONG,
    ),
    _caught(
        "exceptions are not compared", "what is pending is not compared", _around(Pair, "_exception", _never), _WRONG
    ),
    _caught(
        "functions of their address",
        "what a function gives does not depend on its arguments",
        _around(ObjectTerms, "applied", _one_argument),
        _WRONG,
    ),
    _caught(
        "functions raise nothing",
        "what a function raises is not pending",
        _around(ObjectTerms, "raised", _nothing_raised),
        _WRONG,
    ),
    _caught(
        "calls raise nothing",
        "no call changes what is pending",
        lambda patch: patch.setattr(CallEncoder, "raise_", lambda *_: None),
        _WRONG,
    ),
    _caught(
        "functions give nothing new",
        "what a function gives is never an object of the trace",
        lambda patch: patch.setattr(CallEncoder, "_show", lambda *_, **__: None),
        _NOT_PROVED,
    ),
    _caught(
        "functions give what is seen",
        "what a function gives is no object that no event has seen, so that it shows none",
        lambda patch: patch.setattr(visibility, "_given", lambda *_: []),
        _REVIEW,
    ),
    _caught(
        "decided at once",
        "what a conditional call gives is as old as the first one, made or not",
        _around(CallEncoder, "_asked", _decided_at_once),
        _REVIEW,
    ),
    _caught(
        "seen too late",
        "a function gives nothing that it was shown itself",
        lambda patch: patch.setattr(Pointers, "next_call", lambda _, events: (events, 0)),
        _REVIEW,
    ),
    _caught(
        "what is recorded is old",
        "no function is recorded to give an object of the trace",
        _around(CallEncoder, "promise", _recorded_is_old),
        _REVIEW,
    ),
    _caught(
        "settled for all",
        "what a function gives has been seen, so that its immutable fields are settled",
        _around(SymbolicHeap, "_is_settled", _settled_for_all),
        _REVIEW,
    ),
    _caught(
        "conditions of calls",
        "a conditional call counts as made",
        lambda patch: patch.setattr(CallEncoder, "happens", lambda self, *_: self._terms.true),
        _WRONG,
    ),
    _caught(
        "valid for good",
        "code that is valid at the start stays so",
        _around(ObjectTerms, "is_valid", _valid_if_at_first),
        "validator/verdicts/test_invalidation.py::test_all_small_traces",
    ),
    _caught(
        "valid again",
        "code that is invalid may be valid again",
        _around(ObjectTerms, "is_valid", _valid_again),
        "validator/verdicts/test_invalidation.py::test_all_small_traces",
    ),
    _caught(
        "forced is forced",
        "all guards on forced frames are one",
        _around(symbolic_heap, "forced_name", _forced_at_once),
        _WRONG,
    ),
)
