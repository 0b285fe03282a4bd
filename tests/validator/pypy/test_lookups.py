"""Lookups in dicts that are left out since the same was looked up before."""

from __future__ import annotations

import pytest

from tests.pypy_logs import judged, judged_bridge, loop, recorded
from validator import Proved
from validator.pypy.printed.calls.lookups import LOOKED_UP

LOOKUP = "ll_call_lookup_function_trampoline__v1954___simple_call__function_"
NO_RAISE = "guard_no_exception({}) [p0, i1]"
ITEMS = "<FieldS dicttable.num_live_items 8>"


def looked(result: str, where: str = "p0", key: str = "i1", flag: int = 0, function: str = LOOKUP) -> str:
    return f"{result} = call_i(ConstClass({function}), {where}, {key}, {key}, {flag}, descr=<Calli 8 riii EF=5 OS=4>)"


def guarded(*lines: str) -> list[str]:
    """The lines of an optimized trace, whose guards have descrs."""
    return [
        line.replace(") [", f", descr=<Guard0x7f{at}>) [").replace("(, ", "(") if line.startswith("guard") else line
        for at, line in enumerate(lines, start=10)
    ]


KEY = "i1 = getfield_gc_i(p0, descr=<FieldS dict.inst_key 64>)"
THERE = ("i4 = int_lt(i2, 0)", "guard_false(i4) [p0, i1]")
FIRST = (looked("i2"), NO_RAISE.format(""))
SECOND = (looked("i3"), NO_RAISE.format(""))
END = "finish({}, descr=<DoneWithThisFrame>)"


def is_proved(between: tuple[str, ...], second: tuple[str, ...] = SECOND, first: tuple[str, ...] = FIRST) -> bool:
    """Is it right to leave the second lookup out? Nothing is said of it if the recorded one is kept."""
    before = [KEY, *first, *between, *second, END.format("i3")]
    left = [KEY, *guarded(*first, *between), END.format("i2")]
    kept = [KEY, *guarded(*first, *between, *second), END.format("i3")]
    shown = judged_bridge(before, left)
    again = judged_bridge(before, kept)
    assert isinstance(again.verdict, Proved), again.verdict
    assert again.texts is not None
    assert LOOKED_UP not in again.texts.assumes
    assert shown.texts is not None
    assert (LOOKED_UP in shown.texts.assumes) is isinstance(shown.verdict, Proved)
    return isinstance(shown.verdict, Proved)


TEXT = "p5 = getfield_gc_r(p0, descr=<FieldP app.Node.inst_text 40>)"
SET = "call_n(ConstClass({}), p0, i1, i2, i1, 5, descr=<Callv 0 ririi EF=5>)"
STORED = "_ll_dict_setitem_lookup_done_trampoline__v2106___simple_call__function_"


@pytest.mark.parametrize(
    "between",
    [
        (),
        THERE,
        (f"i5 = getfield_gc_i(p0, descr={ITEMS})", "i6 = int_is_true(i5)", "guard_true(i6) [p0, i1]"),
        ("setfield_gc(p0, 5, descr=<FieldS app.Node.inst_value 8>)",),
        (
            "call_n(ConstClass(_ll_list_resize_hint_really_look_inside_iff__listPtr_Signed_Bool), p0, 5, 1, "
            "descr=<Callv 0 rii EF=5>)",
            NO_RAISE.format(""),
        ),
        (looked("i5", key="7"), NO_RAISE.format("")),
    ],
)
def test_a_key_is_not_looked_up_again(between: tuple[str, ...]) -> None:
    assert is_proved(between)


@pytest.mark.parametrize(
    "between",
    [
        (f"setfield_gc(p0, 5, descr={ITEMS})",),
        ("setfield_gc(p0, p0, descr=<FieldP entry.key 8>)",),
        ("setinteriorfield_gc(p0, 0, 5, descr=<InteriorFieldDescr <FieldS entry.value 8>>)",),
        ("call_n(ConstClass(work), p0, descr=<Callv 0 r EF=5>)", NO_RAISE.format("")),
        (SET.format(STORED), NO_RAISE.format("")),
        (TEXT, "strsetitem(p5, 0, 7)"),
        (TEXT, "copystrcontent(p5, p5, 0, 0, 1)"),
        (TEXT, "setarrayitem_gc(p5, 0, 7, descr=<ArrayU 1>)"),
        (TEXT, "gc_store_indexed(p5, 0, 7, 1, 16, 4, descr=<ArrayS 4>)"),
        (TEXT, "setfield_raw(140, 7, descr=<FieldS raw.value 0>)"),
        (looked("i5", key="7", flag=1), NO_RAISE.format("")),
        (looked("i5", key="7", flag=2), NO_RAISE.format("")),
    ],
)
def test_it_is_if_the_dict_may_have_changed(between: tuple[str, ...]) -> None:
    assert not is_proved(between)


@pytest.mark.parametrize(
    "second",
    [
        looked("i3", key="7"),
        looked("i3", where="p9"),
        looked("i3", function=LOOKUP.replace("1954", "1955")),
        looked("i3", flag=2),
        looked("i3", flag=1),
    ],
)
def test_it_is_if_another_thing_is_asked(second: str) -> None:
    other = ("p9 = getfield_gc_r(p0, descr=<FieldP app.Node.inst_other 16>)",)
    assert not is_proved(other, (second, NO_RAISE.format("")))


def test_in_order_to_store_it_is_not_looked_up_again_if_it_is_there() -> None:
    to_store = (looked("i3", flag=1), NO_RAISE.format(""))
    assert is_proved(THERE, to_store)
    for other in ("i4 = int_lt(i1, 0)", "i4 = int_lt(i2, -7)", "i4 = int_gt(i2, 0)"):
        assert not is_proved((other, "guard_false(i4) [p0, i1]"), to_store)
    assert not is_proved(THERE, (looked("i3", flag=2), NO_RAISE.format("")))
    absent = ("i4 = int_lt(i2, 0)", "guard_true(i4) [p0, i1]")
    assert not is_proved(absent, to_store)
    assert not is_proved(THERE, (looked("i3"), NO_RAISE.format("")), (looked("i2", flag=1), NO_RAISE.format("")))


def test_a_trace_may_begin_behind_a_call() -> None:
    before = ("guard_no_exception()", KEY, *FIRST, *SECOND, END.format("i3"))
    after = ("guard_no_exception(descr=<Guard0x7f77>) [p0]", KEY, *guarded(*FIRST), END.format("i2"))
    assert isinstance(judged_bridge(before, after).verdict, Proved)


def test_one_that_may_have_raised_has_given_nothing() -> None:
    assert not is_proved((), first=FIRST[:1])
    assert not is_proved(THERE, first=FIRST[:1])


ONE, OTHER = (f"p{n} = getfield_gc_r(p0, descr=<FieldP app.Node.inst_{n} {8 * n}>)" for n in (5, 6))
SAME = ("i7 = ptr_eq(p5, p6)", "guard_true(i7) [p0, i1]")


@pytest.mark.parametrize("is_known", [True, False])
def test_what_later_guards_find_is_not_known_yet(*, is_known: bool) -> None:
    """Where the dicts are two, another number is stored, before that is found."""
    ahead, behind = (SAME, ()) if is_known else ((), SAME)
    mark = "setfield_gc(p0, {}, descr=<FieldS app.Node.inst_mark 24>)"
    first = (looked("i2", "p5"), NO_RAISE.format(""))
    second = (looked("i3", "p6"), NO_RAISE.format(""))
    begin = (KEY, ONE, OTHER, *ahead, *first)
    before = (*begin, *second, mark.format("i3"), *behind, END.format("i3"))
    after = (*guarded(*begin, mark.format("i2"), *behind), END.format("i2"))
    assert isinstance(judged_bridge(before, after).verdict, Proved) is is_known


@pytest.mark.parametrize(("key", "is_right"), [("p5", True), ("p6", False)])
def test_a_string_has_one_hash(key: str, *, is_right: bool) -> None:
    def hashed(key: str, number: int) -> tuple[str, ...]:
        hashes = f"i{number + 1} = cond_call_value_i(i{number}, ConstClass(_ll_strhash__rpy_stringPtr), {key}, "
        return f"i{number} = strhash({key})", f"{hashes}descr=<Calli 8 r EF=5>)", NO_RAISE.format("")

    def at(result: str, key: str, number: int) -> tuple[str, ...]:
        return looked(result, key=key).replace(f"{key}, {key}", f"{key}, i{number + 1}"), NO_RAISE.format("")

    begin = (KEY, ONE, OTHER, *hashed("p5", 10), *at("i2", "p5", 10))
    before = (*begin, *hashed(key, 20), *at("i3", key, 20), END.format("i3"))
    after = (*guarded(*begin), END.format("i2"))
    assert isinstance(judged_bridge(before, after).verdict, Proved) is is_right


def test_a_loop_does_so_in_each_iteration() -> None:
    mark = "setfield_gc(p0, i2, descr=<FieldS app.Node.inst_mark 24>)"
    again = "setfield_gc(p0, i3, descr=<FieldS app.Node.inst_again 32>)"
    one = (KEY, looked("i2"), NO_RAISE.format(""), mark)
    before = recorded("[p0]", *one, looked("i3"), NO_RAISE.format(""), again, "jump(p0, descr=<Loop-1>)")
    half = guarded(*(line.replace(", i1]", "]") for line in one), again.replace("i3", "i2"))
    body = [line.replace("i1", "i11").replace("i2", "i12").replace("7f1", "7f3") for line in half]
    peeled = loop(
        "[p0]",
        *(f"+1: {line}" for line in ("label(p0, descr=TargetToken(140))", *half)),
        *(f"+1: {line}" for line in ("label(p0, descr=TargetToken(141))", *body)),
        "+1: jump(p0, descr=TargetToken(141))",
    )
    (shown,) = judged(before.replace(", i1]", "]") + peeled)
    assert isinstance(shown.verdict, Proved), shown.verdict
