"""What is known of pointers at a place: a value, which changes no answer that was given before in its era."""

from __future__ import annotations

from optimizer.ir.domains.term import Term
from optimizer.ir.rows.row import REF
from optimizer.ir.text import parse
from optimizer.ir.types.layout import Layout, Struct
from validator import Proved, validate
from validator.prove.terms.object_terms import ObjectTerms
from validator.prove.terms.pointers import NO_POINTERS, Pointers

TERMS = ObjectTerms(64, Layout())
EARLY, LATE = (TERMS.allocate(Struct(name, name), None, True) for name in ("Early", "Late"))
OLD, MIDDLE, YOUNG = (TERMS.pointer("p", epoch) for epoch in (0, 1, 2))
GIVEN = TERMS.applied(REF, (TERMS.var("f"),))

ESCAPES_LATER = """[i1]
cond_call(i1, 1, descr=ev)
p0 = new_with_vtable(descr=Node)
call_n(2, p0, descr=ev)
p1 = call_r(3, descr=ev)
p2 = call_r(4, descr=ev)
i3 = ptr_eq(p1, p2)
i5 = ptr_eq(p2, p0)
guard_true(i3) []
{}finish(i5)
"""


def may_be(p: Term, alloc: Term, pointers: Pointers) -> bool:
    """Is it undecided? What the two ways of asking say is the same."""
    is_undecided = TERMS.knowing(pointers).same(p, alloc) is not TERMS.false
    assert is_undecided == (alloc in pointers.may_be(p)) == pointers.may_be_same(alloc, p)
    return is_undecided


def test_a_reference_may_be_what_was_seen_before_it_came() -> None:
    pointers = NO_POINTERS.exposing((EARLY,), 0).exposing((LATE,), 1)
    told = [[may_be(p, alloc, pointers) for alloc in (EARLY, LATE)] for p in (OLD, MIDDLE, YOUNG)]
    assert told == [[False, False], [True, False], [True, True]]
    assert not may_be(MIDDLE, EARLY, NO_POINTERS)  # which is as it was


def test_terms_are_one_whatever_is_known_of_pointers() -> None:
    seen = TERMS.knowing(NO_POINTERS.exposing((EARLY,), 0))
    assert seen.pointer("p", 1) is MIDDLE
    assert seen.eq(seen.length(OLD), seen.one) is TERMS.eq(TERMS.length(OLD), TERMS.one)
    assert seen.same(MIDDLE, EARLY) is TERMS.knowing(NO_POINTERS.exposing((EARLY, LATE), 0)).same(MIDDLE, EARLY)


def test_choices_by_allocation_are_one_term_in_whatever_order_they_are_made() -> None:
    seen = TERMS.knowing(NO_POINTERS.exposing((EARLY, LATE), 0))
    a, b, c = (seen.var(name) for name in "abc")
    early, late = (seen.same(MIDDLE, alloc) for alloc in (EARLY, LATE))
    chosen = seen.select(early, a, seen.select(late, b, c))
    assert chosen is seen.select(late, b, seen.select(early, a, c))
    assert chosen is not seen.select(early, b, seen.select(late, a, c))
    other = seen.same(YOUNG, LATE)  # both may hold
    assert seen.select(early, a, seen.select(other, b, c)) is not seen.select(other, b, seen.select(early, a, c))


def test_what_becomes_visible_later_leaves_answers_as_they_were() -> None:
    first = NO_POINTERS.exposing((EARLY,), 0)
    then = first.exposing((EARLY, LATE), 1)
    assert then.era is first.era
    assert [may_be(MIDDLE, alloc, then) for alloc in (EARLY, LATE)] == [True, False]
    assert then.visible_from[EARLY] == first.visible_from[EARLY]
    assert then.exposing((TERMS.allocate(Struct("Third", "Third"), None, True),), 0).era is not then.era


def test_functions_give_what_they_were_shown() -> None:
    shown = NO_POINTERS.showing((EARLY,), 0).giving((GIVEN,), 0, surely=False)
    assert may_be(GIVEN, EARLY, shown)
    assert not may_be(YOUNG, EARLY, shown)  # no event has seen it
    assert not may_be(GIVEN, LATE, shown.showing((LATE,), 0))


def test_a_later_call_may_give_more_unless_one_was_made_for_certain() -> None:
    for surely in (False, True):
        first = NO_POINTERS.giving((GIVEN,), 0, surely=surely).showing((EARLY,), 0)
        again = first.giving((GIVEN,), 0, surely=False)
        assert not may_be(GIVEN, EARLY, first)
        assert may_be(GIVEN, EARLY, again) != surely
        assert (again.era is first.era) == surely


def test_what_nobody_has_asked_for_may_be_anything_that_escapes() -> None:
    assert may_be(GIVEN, EARLY, NO_POINTERS.exposing((EARLY,), 3))


def test_whether_a_call_is_made_is_asked_of_all_that_has_escaped_by_then() -> None:
    before, after = (parse(ESCAPES_LATER.format(call)) for call in ("cond_call(i5, 5, descr=ev)\n", ""))
    assert isinstance(validate(before, before), Proved)
    assert not isinstance(validate(before, after), Proved)
