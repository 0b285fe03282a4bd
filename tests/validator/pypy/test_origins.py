"""Guards of an optimized trace have the recorded guards that ask the same about the same value."""

from __future__ import annotations

import pytest

from optimizer.ir.dialects.pypy_log import read_traces
from optimizer.ir.dialects.pypy_pairs import LogPair, pair_sections
from tests.pypy_logs import POINT, WORK, bridge, judged, judged_bridge, loop, pairs_of, recorded
from validator import Evidence, Proved, Unknown, Verdict
from validator.pypy.judge import Texts, judge
from validator.pypy.origins import with_places
from validator.pypy.pair_text import translated
from validator.pypy.study import study
from validator.pypy.translate import Translated

LEFT = "<FieldP Node.left 8>"
RIGHT = "<FieldP Node.right 16>"
COUNT = "<FieldS Node.count 24>"
RECORDED = recorded(
    "[p0, i1]",
    f"p2 = getfield_gc_r(p0, descr={LEFT})",
    "guard_isnull(p2)",
    f"p3 = getfield_gc_r(p0, descr={LEFT})",
    "guard_isnull(p3)",
    f"setfield_gc(p0, i1, descr={COUNT})",
    f"p4 = getfield_gc_r(p0, descr={RIGHT})",
    "guard_isnull(p4)",
    "jump(p0, i1, descr=<Loop-1>)",
)


def pair_of(*behind: str) -> LogPair:
    """The pair where that stands behind the guard on the left one."""
    optimized = loop(
        "[p0, i1]",
        "+1: label(p0, i1, descr=TargetToken(140))",
        f"+2: p2 = getfield_gc_r(p0, descr={LEFT})",
        "+3: guard_isnull(p2, descr=<Guard0x7f10>) [p0, i1]",
        *behind,
        "+8: jump(p0, i1, descr=TargetToken(140))",
    )
    (pair,) = (
        item for item in pair_sections(read_traces((RECORDED + optimized).splitlines())) if isinstance(item, LogPair)
    )
    return pair


STORE = f"+4: setfield_gc(p0, i1, descr={COUNT})"
LOAD = f"+5: p4 = getfield_gc_r(p0, descr={RIGHT})"
GUARD = "+6: guard_isnull(p4, descr=<Guard0x7f20>) [p0, i1]"


def test_values_that_are_null_behind_their_guards_are_not_one() -> None:
    pair = pair_of(STORE, LOAD, GUARD)
    known = study([pair], "a.log")
    assert translated(pair, "a.log", known).origins == (0, 2)
    assert isinstance(judge(pair, "a.log", known).verdict, Proved)


def test_values_that_are_one_number_behind_their_guards_are_not_one() -> None:
    load = "i{0} = getfield_gc_i(p0, descr=<FieldS Node.count{0} 32>)"
    guard = "guard_value(i{0}, 0{1})"
    force = "call_n(ConstClass(force), p0, descr=<Callv 0 r EF=2 OS=121>)"
    first, last = ((load.format(number), guard.format(number, "")) for number in (2, 4))
    before = recorded("[p0]", *first, force, *last, "jump(p0, descr=<Loop-1>)")
    after = load.format(4), guard.format(4, ", descr=<Guard0x7f10>") + " [p0]", "jump(p0, descr=TargetToken(140))"
    log = before + loop("[p0]", "+1: label(p0, descr=TargetToken(140))", *(f"+2: {line}" for line in after))
    (pair,) = (item for item in pair_sections(read_traces(log.splitlines())) if isinstance(item, LogPair))
    assert translated(pair, "a.log", study([pair], "a.log")).origins == (1,)


@pytest.mark.parametrize("behind", [(LOAD, GUARD), (STORE, LOAD), (STORE, GUARD.replace("p4", "p2"))])
def test_a_guard_on_another_value_is_not_taken_for_it(behind: tuple[str, ...]) -> None:
    pair = pair_of(*behind)
    assert not isinstance(judge(pair, "a.log", study([pair], "a.log")).verdict, Proved)


@pytest.mark.parametrize("is_right", [True, False])
def test_a_trace_is_given_up_where_the_recorded_one_is(is_right: bool) -> None:
    stores = [f"setfield_gc(p0, {number}, descr={COUNT})" for number in (5, 6)]
    give_up = "guard_always_fails({})"
    before = (stores[0], WORK.format("p0"), "guard_no_exception()", stores[1], give_up.format(""))
    after = [line.replace("exception()", "exception(descr=<Guard0x7f20>) [p0]") for line in before[: 3 + is_right]]
    one = judged_bridge(before, (*after, f"{give_up.format('descr=<Guard0x7f21>')} [p0]"))
    assert isinstance(one.verdict, Proved) is is_right


def placed(*optimized: str, recorded_too: tuple[str, ...] = ()) -> tuple[int | None, ...]:
    """The origins of three guards, by their places, too; the one between the others asks in other words."""
    first, second = POINT.format(line=5), POINT.format(line=6)
    product = "i5 = int_mul(i1, 8)", "i6 = int_lt(i5, 80)", "guard_true(i6)"
    between = f"p4 = getfield_gc_r(p0, descr={RIGHT})"
    ends = "guard_isnull(p0)", between, "guard_isnull(p4)", "jump(p0, i1, descr=<Loop-1>)"
    before = recorded("[p0, i1]", ends[0], first, *product, *recorded_too, second, *ends[1:])
    shift = "i5 = int_lshift(i1, 3)", "i6 = int_lt(i5, 80)", "guard_true(i6, descr=<Guard0x7f20>) [p0, i1]"
    told = dict(zip(("first", "shift", "second"), ((first,), shift, (second,)), strict=True))
    after = loop(
        "[p0, i1]",
        "label(p0, i1, descr=TargetToken(140))",
        "guard_isnull(p0, descr=<Guard0x7f10>) [p0, i1]",
        *(line for one in optimized for line in told[one]),
        between,
        "guard_isnull(p4, descr=<Guard0x7f30>) [p0, i1]",
        "jump(p0, i1, descr=TargetToken(140))",
    )
    (pair,) = pairs_of(before + after)
    text = translated(pair, "a.log", study([pair], "a.log"))
    assert text.origins[1] is None
    return with_places(text.sides, text.origins, text.earliest)


def test_a_guard_that_asks_in_other_words_comes_from_that_at_its_place() -> None:
    assert placed("first", "shift", "second") == (0, 1, 2)


@pytest.mark.parametrize("words", [("shift", "shift"), ("sum", "shift")])
def test_preamble_and_body_ask_at_the_places_of_one_iteration(words: tuple[str, str]) -> None:
    """Each asks once, if in other words."""
    points = [POINT.format(line=line) for line in (5, 6)]
    asked = {"shift": "int_lshift(i{}, 3)", "sum": "int_add(i{0}, i{0})", "recorded": "int_mul(i{}, 8)"}

    def iteration(of: int, word: str, guards: tuple[str, ...]) -> list[str]:
        i, j, k, n = range(of, of + 4)
        lines = points[0], f"i{j} = {asked[word].format(i)}", f"i{k} = int_lt(i{j}, 80)"
        return [
            *lines,
            f"guard_true(i{k}{guards[0]}",
            points[1],
            f"i{n} = int_sub(i{i}, 1)",
            f"guard_true(i{n}{guards[1]}",
        ]

    before = recorded("[p0, i1]", *iteration(1, "recorded", (")", ")")), "jump(p0, i4, descr=<Loop-1>)")
    after = loop(
        "[p0, i1]",
        "label(p0, i1, descr=TargetToken(140))",
        *iteration(1, words[0], (", descr=<Guard0x7f10>) [p0, i1]", ", descr=<Guard0x7f20>) [p0, i1]")),
        "label(p0, i4, descr=TargetToken(141))",
        *iteration(4, words[1], (", descr=<Guard0x7f30>) [p0, i4]", ", descr=<Guard0x7f40>) [p0, i4]")),
        "jump(p0, i7, descr=TargetToken(141))",
    )
    (pair,) = pairs_of(before + after)
    text = translated(pair, "a.log", study([pair], "a.log"))
    assert text.origins == (None, 1, None, 1)
    assert with_places(text.sides, text.origins, text.earliest) == (0, 1, 0, 1)


def test_a_guard_elsewhere_comes_from_none_that_is_seen() -> None:
    assert placed("first", "second", "shift") == (0, None, 2)
    assert placed("shift", "first", "second") == (0, None, 2)


def test_where_more_guards_are_recorded_at_its_place_none_is_seen() -> None:
    more = "i7 = int_gt(i5, -80)", "guard_true(i7)"
    assert placed("first", "shift", "second", recorded_too=more) == (0, None, 3)


def test_in_a_body_code_is_valid_from_the_first_check_on() -> None:
    """A loop-invariant call between two checks is not done again there, and changes nothing that they ask."""
    call = "call_loopinvariant_r(ConstClass(thread), descr=<Callr 8 EF=1>)"
    rest = f"i3 = getfield_gc_i(p2, descr={COUNT})", "guard_true(i3)"
    gone = "i9 = call_pure_i(ConstClass(look), i3, descr=<Calli 8 i EF=0>)"
    check = "guard_not_invalidated()"
    preamble = (
        "guard_not_invalidated(descr=<Guard0x7f20>) [p0]",
        *(f"p2 = {call}", rest[0]),
        "guard_true(i3, descr=<Guard0x7f21>) [p0]",
    )
    body = (
        "guard_not_invalidated(descr=<Guard0x7f22>) [p0]",
        f"i4 = getfield_gc_i(p2, descr={COUNT})",
        "guard_true(i4, descr=<Guard0x7f23>) [p0]",
    )
    before = recorded("[p0]", check, f"p2 = {call}", check, *rest, gone, "jump(p0, descr=<Loop-1>)")
    label, inner = ("label(p0{}, descr=TargetToken({}))".format(*one) for one in (("", 140), (", p2", 141)))
    after = loop("[p0]", label, *preamble, inner, *body, "jump(p0, p2, descr=TargetToken(141))")
    (pair,) = pairs_of(before + after)
    assert translated(pair, "a.log", study([pair], "a.log")).origins == (0, 2, 0, 2)


MADE = "p7 = new_with_vtable(descr=<SizeDescr 32>)", f"setfield_gc(p7, p0, descr={LEFT})"
COPIED = "p7 = newstr(1)", "copystrcontent(p8, p7, 0, 0, 1)"


@pytest.mark.parametrize(
    ("in_front", "between", "is_shared"),
    [("p0, p1", (), True), ("p0", (), False), ("p0, p1", MADE, False), ("p0, p1", COPIED, False), (None, (), False)],
)
def test_a_guard_stands_for_an_earlier_one_only_where_it_shares_resume_data(
    in_front: str | None, between: tuple[str, ...], *, is_shared: bool
) -> None:
    """Two objects that are one hold the same: a trace that asks for that alone leaves, too, but goes on elsewhere."""
    known = "guard_nonnull(p1{})"
    loads = [f"p{number + 2} = getfield_gc_r(p{number}, descr={LEFT})" for number in (0, 1)]
    loads += ["i9 = strgetitem(p8, 0)"]
    dropped = "i5 = ptr_eq(p0, p1)", "guard_false(i5)"
    kept = "i6 = ptr_eq(p2, p3)", "guard_false(i6{})"
    before = *loads, *((known.format(""),) if in_front else ()), *dropped, *between, kept[0], kept[1].format("")
    first = (f"{known.format(', descr=<Guard0x7f20>')} [{in_front}]",) if in_front else ()
    after = *loads, *first, *between, kept[0], f"{kept[1].format(', descr=<Guard0x7f21>')} [p0, p1]"
    inputs = "[p0, p1, p8]"
    (one,) = judged(recorded(inputs, *before, "finish(p0)") + bridge(inputs, *after, "finish(p0)"))
    assert isinstance(one.verdict, Proved) is is_shared
    assert is_shared or "has to resume in front of where it comes from" in str(one.verdict)


@pytest.mark.parametrize("handed", ["p0, p1, i2", "p1, i2"])
def test_a_guard_in_front_of_the_one_behind_which_it_stood_has_resume_data_of_its_own(handed: str) -> None:
    """In front of a store that it stood behind it would lose that, where it resumed."""
    store = f"setfield_gc(p1, i2, descr={COUNT})"
    tests = "i5 = int_lt(i2, 9)", "i6 = int_gt(i2, -9)"
    before = "guard_nonnull(p1)", *tests, "guard_true(i5)", store, "guard_true(i6)", "finish(p0)"
    guards = [
        "guard_true(i5, descr=<Guard0x7f22>) [p0, p1, i2]",
        store,
        f"guard_true(i6, descr=<Guard0x7f21>) [{handed}]",
    ]
    for after, is_right in ((guards, True), ([guards[2], guards[0], guards[1]], False)):
        lines = ("guard_nonnull(p1, descr=<Guard0x7f20>) [p0, p1]", *tests, *after, "finish(p0)")
        (one,) = judged(recorded("[p0, p1, i2]", *before) + bridge("[p0, p1, i2]", *lines))
        assert isinstance(one.verdict, Proved) is is_right, one.verdict


def test_guards_are_not_in_another_order() -> None:
    before = "i2 = int_lt(i1, 1000)", "guard_true(i2)", "i3 = int_add_ovf(i1, 1)", "guard_no_overflow()", "finish(i3)"
    less, more = "guard_true(i2, descr=<Guard0x7f20>) [i1]", "guard_no_overflow(descr=<Guard0x7f21>) [i1]"
    for after, is_right in (
        ((before[0], less, before[2], more), True),
        ((before[0], before[2], more, less), False),
    ):
        (one,) = judged(recorded("[i1]", *before) + bridge("[i1]", *after, "finish(i3)"))
        assert isinstance(one.verdict, Proved) is is_right, one.verdict


@pytest.mark.parametrize(
    ("handed", "is_same"),
    [("p0, i1, i2", True), ("p0, i2", True), ("i1, i2", False), ("i2", False), ("p0, i1, i2, p3", False)],
)
def test_guards_of_one_place_hand_over_the_same_but_for_constants_that_one_has_found(
    handed: str, *, is_same: bool
) -> None:
    before = "i5 = int_or(i1, i2)", "i6 = int_eq(i5, 0)", "guard_true(i6)", "finish(p0)"
    after = (
        "guard_value(i1, 0, descr=<Guard0x7f20>) [p0, i1, i2]",
        f"guard_value(i2, 0, descr=<Guard0x7f21>) [{handed}]",
        "finish(p0)",
    )
    inputs = "[p0, i1, i2, p3]"
    (one,) = judged(recorded(inputs, *before) + bridge(inputs, *after))
    assert isinstance(one.verdict, Proved) is is_same, one.verdict


@pytest.mark.parametrize(
    ("stored", "handed", "is_same"),
    [
        ("i1", "p0, p4, i2", True),
        ("7|i1", "p0, p4, i2", True),
        ("i1|7", "p0, p4, i2", False),  # it holds that no more
        ("i1|i2", "p0, p4", False),
        ("i1", "p0, i1, p4, i2", True),  # which another object may hold, too
        ("i1", "p0, i2", False),
        ("i2", "p0, p4, i2", False),  # where is the other number?
        ("i1", "p4, i2", False),
    ],
)
def test_guards_of_one_place_hand_over_new_objects_for_what_they_hold(
    stored: str, handed: str, *, is_same: bool
) -> None:
    made, store = "p4 = new_with_vtable(descr=<SizeDescr 16>)", "setfield_gc(p4, {}, descr=<FieldS Box.value 8>)"
    stores = [store.format(value) for value in stored.split("|")]
    before = made, *stores, "i5 = int_or(i1, i2)", "i6 = int_lt(i5, 0)", "guard_false(i6)", "finish(p0)"
    after = (
        "i5 = int_lt(i1, 0)",
        "guard_false(i5, descr=<Guard0x7f20>) [p0, i1, i2]",
        made,
        *stores,
        "i6 = int_lt(i2, 0)",
        f"guard_false(i6, descr=<Guard0x7f21>) [{handed}]",
        "finish(p0)",
    )
    inputs = "[p0, i1, i2, p3]"
    (one,) = judged(recorded(inputs, *before) + bridge(inputs, *after))
    assert isinstance(one.verdict, Proved) is is_same, one.verdict


@pytest.mark.parametrize(("handed", "is_same"), [("p0, p1", True), ("p1", False)])
def test_what_a_guard_finds_not_to_be_null_is_no_constant(handed: str, *, is_same: bool) -> None:
    asks = (f"i{number + 2} = ptr_ne(p{number}, ConstPtr(null))" for number in (0, 1))
    before = *asks, "i4 = int_and(i2, i3)", "guard_true(i4)", "finish(p1)"
    after = (
        "guard_nonnull(p0, descr=<Guard0x7f20>) [p0, p1]",
        f"guard_nonnull(p1, descr=<Guard0x7f21>) [{handed}]",
        "finish(p1)",
    )
    (one,) = judged(recorded("[p0, p1]", *before) + bridge("[p0, p1]", *after))
    assert isinstance(one.verdict, Proved) is is_same, one.verdict


@pytest.mark.parametrize(("vacuous", "times"), [((), 2), (("the end is never reached",), 1)])
def test_other_origins_are_not_tried_where_a_proof_is_vacuous(
    vacuous: tuple[str, ...], times: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    tried: list[tuple[int | None, ...]] = []

    def sharing(text: Translated, *_: object) -> tuple[Verdict, Texts]:
        tried.append(text.origins)
        return Unknown(Evidence(vacuous=vacuous), "not settled"), Texts(text.before, text.after, text.assumes)

    monkeypatch.setattr("validator.pypy.judge._sharing", sharing)
    monkeypatch.setattr("validator.pypy.judge.with_places", lambda *_: (0,))
    guard = "guard_isnull(p0, descr=<Guard0x7f10>) [p0]"
    after = loop("[p0]", "label(p0, descr=TargetToken(140))", guard, guard, "jump(p0, descr=TargetToken(140))")
    (pair,) = pairs_of(recorded("[p0]", *["guard_isnull(p0)"] * 2, "jump(p0, descr=<Loop-1>)") + after)
    judge(pair, "a.log", study([pair], "a.log"))
    assert len(tried) == times
    assert tried[0] == (0,)


@pytest.mark.parametrize(("name", "origin"), [("guard_class", 1), ("guard_nonnull_class", 0)])
def test_a_guard_for_a_class_alone_comes_from_one(name: str, origin: int) -> None:
    """The optimizer knows that a value is not NULL, and not of which class; else it asks both at once, and sooner."""
    new = "p3 = new_with_vtable(descr=<SizeDescr 32>)", f"setfield_gc(p0, p3, descr={RIGHT})"
    value, ends = f"p2 = getfield_gc_r(p1, descr={LEFT})", "jump(p0, p1, descr={})"
    asks = f"{name}(p2, ConstClass(Node), descr=<Guard0x7f10>) [p0, p1]"
    sooner, later = ((asks,), ()) if origin == 0 else ((), (asks,))
    log = recorded(
        "[p0, p1]",
        value,
        "assert_not_none(p2)",
        "guard_nonnull(p2)",
        *new,
        "guard_class(p2, ConstClass(Node))",
        ends.format("<Loop-1>"),
    )
    after = "label(p0, p1, descr=TargetToken(140))", value, *sooner, *new, *later, ends.format("TargetToken(140)")
    log += loop("[p0, p1]", *(f"+1: {line}" for line in after))
    (pair,) = pairs_of(log)
    known = study([pair], "a.log")
    assert translated(pair, "a.log", known).origins == (origin,)
    assert isinstance(judge(pair, "a.log", known).verdict, Proved)
