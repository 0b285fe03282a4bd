"""What a recorded loop asks in each iteration of what it goes round with is known behind its label: who has come there
without it has not come to where a guard further on resumes."""

from __future__ import annotations

import pytest

from optimizer.ir.dialects.pypy_pairs import LogPair
from tests.pypy_logs import judged, pairs_of
from tests.validator.pypy.test_parents import pair, without_blanks
from validator import Proved
from validator.pypy.facts import asked_each_time
from validator.pypy.study import study

MAP, VALUE = "<FieldP Box.map 32>", "<FieldS Box.value 16>"
POINT = "debug_merge_point(0, 0, 'f;a.py:4-9~#{} LOAD_ATTR')"
ASKS = f"p9 = getfield_gc_r(p0, descr={MAP})\nguard_value(p9, ConstPtr(ptr5){{}})"
BEHIND = POINT.format(12)
INPUTS = "[p0, p7, i1]"
STORES = f"setfield_gc(p7, ConstPtr(ptr8), descr={MAP})"
NEW = f"p6 = new(descr=<SizeDescr 40>)\n{STORES.replace('p7', 'p6')}\nsetfield_gc(p6, 1, descr={VALUE})"
CALL = "call_n(ConstClass(work), p0, descr=<Callv 0 r EF=5>)\nguard_no_exception({})"


def loop(ahead: str = "", *, point: int = 1, sooner: int = 0, swaps: bool = False) -> str:
    """A loop that does something ahead and asks for the map: in front of a guard, and of a position if `point` is 1, or
    else behind both (2), or without one in between (3). The preamble may ask `sooner`, and its body does not ask, but
    if each iteration `swaps` its objects: of the other one."""

    def made(asked: str, ahead: str, guard: str, names: tuple[str, ...], point: int) -> str:
        one, test, two = names
        points = (POINT.format(4), POINT.format(8))
        tested = f"{test} = int_lt({one}, 9)\nguard_true({test}{guard}"
        first, between, second = {1: (asked, points[1], tested), 2: (tested, points[1], asked), 3: (asked, "", tested)}[
            point or 1
        ]
        step = f"{two} = int_add({one}, 1)\nsetfield_gc(p0, {two}, descr={VALUE})"
        return "\n".join([points[0], ahead, first, between, second, BEHIND, step])

    there = "p7, p0" if swaps else "p0, p7"
    recorded = made(ASKS.format(""), ahead.format(""), ")", ("i1", "i3", "i2"), point)
    listed = " [p0, p7, i1]"
    first = made(
        ASKS.format(", descr=<Guard0x7f00>") + listed,
        ahead.format(", descr=<Guard0x7f01>") + listed * ("guard" in ahead),
        f", descr=<Guard0x7f02>){listed}",
        ("i1", "i3", "i2"),
        sooner or point,
    )
    listed = f" [{there}, i2]"
    again = made(
        ASKS.replace("p0", "p7").replace("p9", "p19").format(", descr=<Guard0x7f10>") + listed if swaps else "",
        ahead.replace("p6", "p16").format(", descr=<Guard0x7f11>") + listed * ("guard" in ahead),
        f", descr=<Guard0x7f12>){listed}",
        ("i2", "i13", "i12"),
        point,
    )
    again = again.replace("setfield_gc(p0", "setfield_gc(p7") if swaps else again
    labels = "label(p0, p7, i1, descr=TargetToken(140))", f"label({there}, i2, descr=TargetToken(141))"
    back = "p0, p7" if swaps else there
    return pair(
        without_blanks(f"[p0, p7, i1]\n{recorded}\njump({there}, i2, descr=<Loop-1>)"),
        without_blanks(
            f"[p0, p7, i1]\n{labels[0]}\n{first}\n{labels[1]}\n{again}\njump({back}, i12, descr=TargetToken(141))"
        ),
    )


LOOKS = f"{INPUTS}\n{BEHIND}\n{ASKS.format('')}\nfinish(p0)", f"{INPUTS}\n{BEHIND}\nfinish(p0)", "7f12"


def is_known(log: str, of: str = "p0") -> bool:
    """Need a bridge out of the body not ask for the map of that one, where another bridge comes to the label behind a
    call, without asking for it, and a third one writes maps?"""
    comes = pair(
        f"{INPUTS}\n{CALL.format('')}\njump(p0, p7, 5, descr=<Loop1>)",
        f"{INPUTS}\n{CALL.format('descr=<Guard0x7fa1>')} [p0]\njump(p0, p7, 5, descr=TargetToken(141))",
        "7f02",
    )
    looks = pair(LOOKS[0].replace("_r(p0", f"_r({of}"), *LOOKS[1:])
    writes = pair(*[f"{INPUTS}\n{STORES}\nfinish(p0)"] * 2, "7f00")
    first, _, last, _ = judged(log + comes + looks + writes)
    assert isinstance(first.verdict, Proved), first.verdict
    return isinstance(last.verdict, Proved)


def test_it_is_known_though_a_trace_writes_the_field() -> None:
    assert is_known(loop())


def test_what_is_stored_to_new_objects_does_not_matter() -> None:
    assert is_known(loop(NEW))


@pytest.mark.parametrize(
    ("ahead", "is_there"),
    [
        ("", True),
        (NEW, True),
        ("p8 = getarrayitem_gc_r(p7, 0, descr=<ArrayP 8>)\nguard_value(p8, ConstPtr(ptr9){})", True),
        (STORES, False),
        ("call_n(ConstClass(work), p0, descr=<Callv 0 r EF=5>)", False),
    ],
)
def test_it_is_what_was_there_where_the_iteration_began(ahead: str, *, is_there: bool) -> None:
    items = pairs_of(loop(ahead) + pair(*LOOKS))
    (*_, last) = (item for item in study(items, "log").given(items) if isinstance(item, LogPair))
    assert bool(asked_each_time(last, "log", lambda _, __: False)) is is_there
    assert asked_each_time(last, "log", lambda _, __: True) or ahead == STORES


@pytest.mark.parametrize("point", [2, 3])
def test_it_is_not_known_where_the_guard_may_resume_in_front_of_the_question(point: int) -> None:
    assert not is_known(loop(point=point))


def test_nor_where_the_preamble_alone_asks_in_front_of_it() -> None:
    first = "guard_class(p0, ConstClass(W_Box){})"
    assert not is_known(loop(first, point=2, sooner=1))


def test_nor_of_an_object_with_which_the_loop_goes_round_in_another_place() -> None:
    assert not is_known(loop(swaps=True), "p7")


def test_nor_where_the_preamble_asks_what_was_not_recorded() -> None:
    asked = ASKS.format("") + "\n"
    assert loop().count(asked) == 1
    items = pairs_of(loop().replace(asked, "i20 = int_add(i1, 1)\ni21 = int_add(i1, 2)\n") + pair(*LOOKS))
    (*_, last) = (item for item in study(items, "log").given(items) if isinstance(item, LogPair))
    assert not asked_each_time(last, "log", lambda _, __: True)


@pytest.mark.parametrize("first", ["", POINT.format(4), POINT.format(16)])
def test_nor_where_the_bridge_goes_on_with_another_position(first: str) -> None:
    """The guard may resume in front of where it stands, or who knows where."""
    recorded, optimized = (text.replace(f"{BEHIND}\n", first and f"{first}\n") for text in LOOKS[:2])
    looks = pair(recorded, optimized, LOOKS[2])
    items = pairs_of(loop() + looks)
    (*_, last) = (item for item in study(items, "log").given(items) if isinstance(item, LogPair))
    assert not asked_each_time(last, "log", lambda _, __: True)


@pytest.mark.parametrize("by_name", ["p0", "p20", "p7"])
def test_nor_where_the_body_asks_itself_be_it_by_another_name(by_name: str) -> None:
    again = ASKS.replace("p9", "p19").format(", descr=<Guard0x7f10>") + " [p0, p7, i2]"
    again = again.replace("_r(p0", f"_r({by_name}")
    copied = "p20 = same_as_r(p0)\n" if by_name == "p20" else ""
    test = "i13 = int_lt(i2, 9)"
    text = loop().replace(f"{test}\n", f"{test}\n{copied}{again}\n")
    text = text.replace(": loop with 19 ops", f": loop with {22 if copied else 21} ops")
    items = pairs_of(text + pair(*LOOKS))
    (*_, last) = (item for item in study(items, "log").given(items) if isinstance(item, LogPair))
    assert len(items) == 2
    assert bool(asked_each_time(last, "log", lambda _, __: True)) is (by_name == "p7")
