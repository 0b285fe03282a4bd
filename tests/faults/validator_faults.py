"""Faults of the validator and of what it trusts, and the tests that catch them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any

import pytest
from faults.planting import Plant, ValidatorFault

from optimizer.ir.domains.backward import Backward
from optimizer.ir.domains.bounds import Bounds, BoundsDomain
from optimizer.ir.domains.concrete import Concrete
from optimizer.ir.domains.knownbits import KnownBits, KnownBitsDomain
from optimizer.ir.domains.term import Term
from optimizer.ir.domains.terms import Terms
from validator import cache
from validator.prove import cheap_rungs, encode, encoding, judge, known_places
from validator.prove.cheap_rungs import CheapRungs
from validator.prove.discharge import Discharger
from validator.prove.facts import bounded, differences
from validator.prove.facts.bounded_facts import BoundedFacts
from validator.prove.facts.facts import Facts
from validator.prove.facts.intervals import Intervals
from validator.prove.facts.journal import Journal
from validator.prove.memory.heap_state import HeapState
from validator.prove.obligations import Obligation, Pair
from validator.prove.terms.pointers import Pointers
from validator.search import replay
from validator.search.replay import Replay
from validator.search.running import Running
from validator.solvers import smtlib, z3_process
from validator.solvers.answers import GaveUp
from validator.solvers.process import Process
from validator.solvers.references import References
from validator.solvers.smtlib import Script
from validator.solvers.symbols import literal
from validator.verdict import Guards


def _set(owner: Any, name: str, wrong: Any) -> Plant:
    return lambda patch: patch.setattr(owner, name, wrong)


def _around(owner: Any, name: str, wrong: Callable[..., Any]) -> Plant:
    """What is there goes first to what takes its place, before its arguments."""
    right = vars(owner)[name]
    return lambda patch: patch.setattr(owner, name, lambda *args, **more: wrong(right, *args, **more))


# Obligations.


def _behind_any_event(patch: pytest.MonkeyPatch) -> None:
    for owner in (cheap_rungs, known_places):
        patch.setattr(owner, "is_behind", lambda known, guards, events: known.guards <= guards)


def _nothing(*_: Any, **__: Any) -> Iterator[Any]:
    return iter(())


def _without(what: str) -> Callable[..., Iterator[Any]]:
    """Leaves out the obligations whose names hold `what`."""

    def left(right: Callable[..., Iterator[Obligation]], *args: Any) -> Iterator[Obligation]:
        return (one for one in right(*args) if what not in one.name)

    return left


def _always_left(right: Callable[..., Obligation], pair: Pair, k: int, after: int) -> Obligation:
    return replace(right(pair, k, after), claim=pair.terms.true)


def _any_condition(right: Callable[..., Obligation], pair: Pair, j: int, origin: Any, mode: Guards) -> Obligation:
    return right(pair, j, origin, Guards.SAFE)


def _exit_blocks(pair: Pair, place: Any) -> Iterator[Term]:
    for guard in pair.before.guards[place.before :]:
        for known in guard.exit.block:
            yield pair.terms.implies(pair.terms.not_(guard.passes), known.condition)


def _known_there(rungs: Any, condition: Term, place: Any) -> bool:
    known = rungs._first_defined.get(condition)
    if known is not None and known.guards <= place.before + 1:
        return True
    return bool(rungs._first_before.get(condition, place.before + 1) <= place.before)


def _direct_slice(rungs: Any, start: Sequence[Term], conditions: Sequence[Term]) -> list[Term]:
    wanted = {one for term in start for one in rungs._variables_of(term)}
    return [*start, *(one for one in conditions if rungs._variables_of(one) & wanted)]


def _all_but_one(right: Any, discharger: Discharger, obligations: Sequence[Obligation]) -> Any:
    return right(discharger, obligations[1:] or obligations)


# Facts.


def _sometimes_equal(right: Any, facts: Any, condition: Term) -> Any:
    more = list(right(facts, condition))
    if condition.kind == "slt" and condition.number % 3 == 0:
        a, b = condition.args
        facts._put(facts._terms.eq(a, b), facts._terms.true)
    return more


def _unknown_is_other(facts: Any, p: Term, q: Term) -> bool:
    (low, high), (least, most) = facts._class_range(p), facts._class_range(q)
    if high < least or most < low:
        return True
    one, two = facts._constants.get(p, {}), facts._constants.get(q, {})
    return any(two.get(key) is not constant for key, constant in one.items())


def _third_is_equal(facts: Any, order: str, a: Term, b: Term) -> Any:
    return (facts._terms.eq(a, b),)


def _not_noted(journal: Any, table: dict[Any, Any], key: Any, value: Any) -> None:
    table[key] = value


def _one_case(facts: Any, claim: Term, splits: int = 2) -> bool:
    claim = facts.rebuild(claim)
    if facts.contradiction or claim is facts._terms.true or facts._contradicts(facts._terms.not_(claim)):
        return True
    condition = facts._choice_in(claim) if splits else None
    return condition is not None and facts._proves_where(condition, claim, splits - 1)


# Intervals.


def _mask_stays(_d: KnownBitsDomain, a: KnownBits, amount: int) -> KnownBits:
    return KnownBits(a.value << amount & _d.full & ~a.mask, a.mask)


def _slt(_d: BoundsDomain, a: Bounds, b: Bounds) -> bool | None:
    if a.high <= b.low:
        return True
    return False if a.low >= b.high else None


def _narrowed_too_far(self: Any, holds: bool, a: Any, b: Any) -> Any:
    if holds:
        yield 0, self.domain.between(a.low, b.high - 2)
    else:
        yield 0, self.domain.between(b.low, a.high)


def _always_exact(right: Any, self: Any, value: Any, a: Any, b: Any, exact: bool) -> Any:
    return right(self, value, a, b, True)


def _undecided_holds(right: Any, self: Intervals, claim: Term) -> Any:
    truth = right(self, claim)
    return claim.kind == "ult" if truth is None else truth


# Text for solvers.


def _operator(kind: str, wrong: str) -> Plant:
    return lambda patch: patch.setitem(smtlib._OPERATORS, kind, wrong)


def _swapped(kind: str) -> Plant:
    right = smtlib._Writer._application

    def application(self: Any, term: Term) -> str:
        if term.kind != kind:
            return right(self, term)
        a, b = (self._texts[arg] for arg in term.args)
        return f"({smtlib._OPERATORS[kind]} {b} {a})"

    return _set(smtlib._Writer, "_application", application)


def _rounds_up(self: Any, a: str, b: str) -> str:
    zero, one = literal(0, self._width), literal(1, self._width)
    rounds = f"(and (distinct $r {zero}) (not (bvslt (bvxor $r {b}) {zero})))"
    return f"(let (($q (bvsdiv {a} {b})) ($r (bvsrem {a} {b}))) (ite {rounds} (bvadd $q {one}) $q))"


def _low_word(self: Any, a: str, b: str) -> str:
    return f"(bvmul {a} {b})"


def _unsigned_model(self: Script, values: Any) -> dict[Term, int]:
    return {**self.known, **{term: values[name] for name, term in self.asked.items()}}


def _gave_up_is_no(right: Any, *args: Any) -> Any:
    reply = right(*args)
    return None if isinstance(reply, GaveUp) else reply


def _answer_before(patch: pytest.MonkeyPatch) -> None:
    """A process gives the answer to the query before."""
    right = Process.ask
    last: dict[int, str] = {}

    def ask(self: Process, text: str, end: str, timeout_s: float) -> str:
        said = right(self, text, end, timeout_s)
        before = last.get(id(self), said)
        last[id(self)] = said
        return before

    patch.setattr(Process, "ask", ask)


# Rules on terms.


_MEET = BoundsDomain.meet


def _unchecked(right: Any, rule: Any, *args: Any) -> Any:
    return right(replace(rule, conditions=rule.conditions[:-1]), *args)


# Objects.


def _nothing_seen(heap: Any, roots: Any, may_see: Any) -> frozenset[Term]:
    return frozenset(root for root in roots if root.kind == "alloc" and root in heap.allocations)


def _nothing_happens(right: Any, self: Any, count: int, effects: Any) -> Iterator[Any]:
    return iter(right(self, count, replace(effects, writes=frozenset())))


def _also_added_again(right: Any, facts: Facts, kind: str, a: Term, b: Term) -> Iterator[Term]:
    yield from right(facts, kind, a, b)
    yield facts._terms.add_overflows(getattr(facts._terms, kind.removesuffix("_overflows"))(a, b), b)


def _said_for_good(heap: Any, term: Term) -> Term:
    stands: Term = heap.known.get(term, (term, 0))[0]
    return stands


def _fault(name: str, breaks: str, layer: str, plant: Plant, *catches: str) -> ValidatorFault:
    return ValidatorFault(name, breaks, layer, plant, catches)


def _obligation(name: str, breaks: str, plant: Plant, *catches: str) -> ValidatorFault:
    return _fault(name, breaks, "obligations", plant, *catches)


def _known(name: str, breaks: str, plant: Plant, *catches: str) -> ValidatorFault:
    return _fault(name, breaks, "facts and bounds", plant, *catches)


def _solver(name: str, breaks: str, plant: Plant, *catches: str) -> ValidatorFault:
    return _fault(name, breaks, "solvers", plant, *catches)


_SOUND = "validator/soundness/test_soundness.py::test_verdicts_agree_with_brute_force"
_SOUND_EVENTS = "validator/soundness/test_soundness_events.py::test_verdicts_agree_with_brute_force"
_PAIRS = "validator/verdicts/test_validate.py::"
_GUARDS = "validator/prove/test_guards_judged.py::"
_LIMITS = "validator/prove/test_limits_of_verdicts.py::"
_HEAP = "validator/verdicts/test_heap_pairs.py::"
_DOMAINS = "optimizer/ir/domains/test_abstract_domains.py::"
_TEXT = "validator/solvers/test_solver_text.py::test_operations_mean_what_they_mean_concretely"
_RUNGS = "validator/prove/test_rungs_exhaustive.py"
_CLAIMS = "fuzz/selftest/test_random_claims.py::test_whatever_is_claimed_is_so"
_NARROWING = "optimizer/ir/domains/test_backward.py::test_every_pair_of_arguments"

VALIDATOR_FAULTS = (
    _obligation("failargs are not compared", "a guard may hand over anything", _set(Pair, "_failargs", _nothing),
        f"{_GUARDS}test_swapped_failargs"),
    _obligation("events' arguments are not compared", "an event may be given anything",
        _around(Pair, "_event", _without("argument")), _SOUND_EVENTS),
    _obligation("ends are not compared", "an end may hand over anything", _around(Pair, "end", _without("argument")),
        f"{_PAIRS}test_ends", _SOUND),
    _obligation("guards may be lost", "a recorded guard that fails need not be left at",
        _around(Pair, "left", _always_left), f"{_GUARDS}test_a_weaker_guard", _SOUND),
    _obligation("guards may be stricter", "a guard may fail where its origin passes",
        _around(Pair, "condition", _any_condition), f"{_GUARDS}test_a_stricter_guard", _SOUND),
    _obligation("definedness is not proved", "an operation may be added that is not defined",
        _set(Pair, "_defined", _nothing), f"{_PAIRS}test_a_division_may_not_appear", _SOUND),
    _obligation("definedness is not encoded", "all operations are taken to be defined",
        _set(encode._Computer, "_defined", _nothing), f"{_PAIRS}test_a_division_may_not_appear"),
    _obligation("stores need not be done", "memory is not compared", _around(Pair, "_heaps", _nothing),
        f"{_HEAP}test_a_lost_store"),
    _obligation("events see the same", "what an event sees of memory is not compared",
        _around(Pair, "_seen_by_event", _nothing), f"{_HEAP}test_a_materialized_object_lacks_a_field_at_an_event"),
    _obligation("exit blocks always tell", "an exit block is taken to be defined where an earlier guard fails",
        _set(Pair, "_exit_blocks", _exit_blocks),
        f"{_GUARDS}test_an_exit_block_says_nothing_where_an_earlier_guard_fails"),
    _obligation("defined too early", "what is defined behind an event counts ahead of it",
        _behind_any_event,
        f"{_PAIRS}test_what_is_defined_only_behind_an_event_may_not_move_above_it"),
    _obligation("a guard proves itself", "a guard counts as passed at its own place",
        _set(CheapRungs, "_is_known", _known_there), _SOUND),
    _obligation("all at once but one", "of what is asked all at once, the first is left out",
        _around(Discharger, "together", _all_but_one), "validator/soundness/test_together.py"),
    _obligation("slices are too small", "what shares variables through others is left out",
        _set(CheapRungs, "slice", _direct_slice), "validator/prove/test_slice.py"),
    _obligation("vacuous proofs are not told", "a proof about no run is like any other",
        _set(judge, "vacuity", lambda *_: ()), f"{_LIMITS}test_a_guard_that_never_passes_is_told"),
    _known("stale fact", "what was assumed for one question is known at the next",
        _set(Facts, "take_back", lambda facts: facts._marks.pop()),
        "validator/prove/test_facts.py::test_facts_are_taken_back"),
    _known("changes are not noted", "what was written cannot be taken back", _set(Journal, "put", _not_noted),
        "validator/prove/test_facts.py::test_facts_are_taken_back"),
    _known("below is sometimes equal", "a < b is taken for a == b, for some a and b",
        _around(Facts, "_learn", _sometimes_equal), _RUNGS, _CLAIMS),
    _known("not below is equal", "of less, equal and greater, one excluded leaves the equality",
        _set(Facts, "_third", _third_is_equal), "validator/prove/test_facts.py", _CLAIMS),
    _known("what is added can be added again", "where a + b does not overflow, (a + b) + b does not either",
        _around(Facts, "_undone", _also_added_again), "validator/prove/test_facts.py"),
    _known("unknown content is another one", "objects differ where the content of one is known",
        _set(Facts, "_are_distinct", _unknown_is_other),
        f"{_HEAP}test_objects_that_differ_in_length_or_in_an_immutable_field"),
    _known("one case proves", "a claim holds where it does in one case of a choice",
        _set(BoundedFacts, "proves_by_cases", _one_case), _RUNGS),
    _known("interval off by one", "a < b where the greatest a is the least b", _set(BoundsDomain, "slt", _slt),
        f"{_DOMAINS}test_primitive_is_sound", _CLAIMS),
    _known("shifted bits are known", "unknown bits stay where they were",
        _set(KnownBitsDomain, "_shl", _mask_stays), f"{_DOMAINS}test_primitive_is_sound", _CLAIMS),
    _known("narrowed by two", "a < b says that a is at most b - 2", _set(Backward, "slt", _narrowed_too_far),
        _NARROWING,
        _CLAIMS),
    _known("everything is exact", "a sum that may wrap is taken for that of the integers",
        _around(Backward, "add", _always_exact), _NARROWING, _CLAIMS),
    _known("undecided is true", "an unsigned order that is not decided holds",
        _around(Intervals, "value", _undecided_holds), "validator/prove/test_intervals.py"),
    _known("algebra of a difference", "(a - b) + b is b", _around(
        Terms, "add", lambda right, terms, a, b: b if a.kind == "sub" and a.args[1] is b else right(terms, a, b)),
        "optimizer/ir/domains/test_terms.py"),
    _known("unsigned chains", "of an unsigned comparison only the signed one is asked",
        _set(differences, "_compared", lambda one, right=differences._compared: (right(one)[0], False)),
        "validator/prove/test_differences.py"),
    _known("remainder truncates", "a remainder that rounds down is one that truncates",
        _set(Concrete, "fmod", Concrete.srem), "optimizer/ir/domains/test_semantics.py::test_on_all_inputs"),
    _fault("the last condition", "the last condition of a rule on terms is taken for granted", "rules",
        _around(bounded, "_settled", _unchecked),
        "validator/prove/test_bounded.py::test_values_stay_what_they_are", _CLAIMS),
    _fault("every product is exact", "a product that may wrap is taken for that of the integers", "rules",
        _set(Intervals, "is_exact", lambda *_: True),
        "validator/prove/test_rule_pairs.py::test_division_of_a_product", _CLAIMS),
    _fault("values in gaps", "a value between two others is outside of them", "rules",
        _set(BoundsDomain, "meet", lambda d, a, b: None if a.low < b.low <= b.high < a.high else _MEET(d, a, b)),
        "optimizer/ir/domains/test_abstract_domains.py"),
    _solver("operands change places", "a - b is written as b - a", _swapped("sub"), _TEXT),
    _solver("unsigned is signed", "an unsigned comparison is written as a signed one", _operator("ult", "bvslt"),
        _TEXT),
    _solver("floor division rounds up", "a division that rounds down is written as one that rounds up",
        _set(smtlib._Writer, "_floor_div", _rounds_up), _TEXT),
    _solver("low word", "the high word of a product is written as the low one", _set(smtlib._Writer, "_umulh",
        _low_word),
        _TEXT),
    _solver("remainder by the wrong sign", "a remainder that rounds down is written as one that truncates",
        _operator("fmod", "bvsrem"), _TEXT),
    _solver("models are unsigned", "the values of a model are bit patterns", _set(Script, "model", _unsigned_model),
        "validator/solvers/test_solver_text.py::test_models_are_values_of_the_terms"),
    _solver("giving up is no", "a solver that gives up has found that there are no values",
        _around(z3_process, "check", _gave_up_is_no), f"{_LIMITS}test_too_little_effort_is_unknown"),
    _solver("answer of the query before", "an answer is taken for that of another query", _answer_before,
        "validator/solvers/test_solver_processes.py::test_answers_and_their_cost_do_not_depend_on_other_queries"),
    _fault("no axioms", "nothing is said of classes, lengths and what is old", "objects",
        _set(References, "axioms", _nothing), "validator/verdicts/test_heap_pairs.py"),
    _fault("nothing fresh comes back", "what is read or given is never an object of the trace", "objects",
        _set(Pointers, "may_be", lambda *_: ()), f"{_HEAP}test_the_result_of_an_event_may_be_what_it_has_seen",
        "validator/verdicts/test_heap_exposure.py"),
    _fault("what escapes later is not heard of", "a path knows of nothing that escapes later on", "objects",
        _set(Facts, "move_on", lambda *_: None),
        "validator/prove/test_pointers.py::test_whether_a_call_is_made_is_asked_of_all_that_has_escaped_by_then"),
    _fault("one era for all", "what a function may give stays as it was when it was asked first", "objects",
        _set(Pointers, "_is_told_more", lambda *_: False),
        "validator/prove/test_pointers.py::test_a_later_call_may_give_more_unless_one_was_made_for_certain"),
    _fault("visibility too small", "an event sees no more than what it is given", "objects",
        _set(encoding, "visible", _nothing_seen), "validator/verdicts/test_heap_pairs.py"),
    _fault("events write nothing", "memory is behind an event what it was ahead of it", "objects",
        _around(HeapState, "happen", _nothing_happens), f"{_HEAP}test_events_change_what_they_can_see"),
    _fault("said for good", "what a guard says of a value counts where the guard fails", "objects",
        _set(HeapState, "now", _said_for_good), "validator/prove/test_settled_by_structure.py"),
    _fault("nothing handed over is run", "runs that fail at a guard are not compared", "runs",
        _set(Replay, "_handed_over", lambda *_: None),
        "validator/soundness/test_soundness_events.py::test_replay_agrees_with_the_definition"),
    _fault("events are not compared in runs", "events of two runs may differ", "runs",
        _set(replay, "_at_events", lambda *_: None),
        "validator/soundness/test_soundness_events.py::test_replay_agrees_with_the_definition"),
    _fault("runs rule out nothing", "a counterexample of a solver is believed without a run", "runs",
        _set(Running, "differs", lambda *_: True), "validator/verdicts/test_heap_pairs.py"),
    _fault("key without the mode", "verdicts of all modes of guards have one key", "cache",
        _set(cache, "_BUDGET", ("effort", "timeout_s", "memory_mb", "guards")),
        "validator/test_cache.py::test_a_key_holds_all_that_a_verdict_depends_on"),
    _fault("key of another prover", "verdicts outlive a change of the validator", "cache",
        _set(cache, "prover_digest", lambda: "always"),
        "validator/test_cache.py::test_the_digest_of_the_prover_is_that_of_its_files"),
)  # fmt: skip
