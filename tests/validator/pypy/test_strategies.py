"""The strategies that lists get in a bridge, for the classes of which its loop has asked."""

from __future__ import annotations

import pytest

from optimizer.ir.dialects.pypy_log import read_traces
from optimizer.ir.dialects.pypy_pairs import LogPair, pair_sections
from tests.pypy_logs import WORK, bridge, judged, judged_together, loop, recorded
from validator import Proved
from validator.pypy.judge import judge
from validator.pypy.study import is_inferred, study

OF_LIST = "<FieldP pypy.objspace.std.listobject.W_ListObject.inst_{}>"
STRATEGY, STORAGE = OF_LIST.format("strategy 16"), OF_LIST.format("lstorage 8")
ITEMS, KEPT = "<FieldP list.items 16>", "<FieldP Node.inst_list 8>"
NUMBERS = "<ArrayS 8>"
CONSTANT = "ConstPtr(ptr1)"
TOLD = f"the strategy of a list of {NUMBERS} is of class Numbers"


def iteration(list_: str, at: int, *, guard: str = "", asks: bool = True, array: str = NUMBERS) -> list[str]:
    """An iteration, which asks for the strategy of a list, and takes an item of it."""
    guards = [f", descr=<Guard0x7f{guard}{number}>) [p0, {list_}]" if guard else ")" for number in (1, 2)]
    test = [f"p{at + 1} = getfield_gc_r({list_}, descr={STRATEGY})", f"guard_class(p{at + 1}, ConstClass(Numbers)"]
    return [
        *([test[0], test[1] + guards[0]] if asks else []),
        f"p{at + 2} = getfield_gc_r({list_}, descr={STORAGE})",
        f"p{at + 3} = getfield_gc_r(p{at + 2}, descr={ITEMS})",
        f"i{at + 4} = getarrayitem_gc_i(p{at + 3}, 0, descr={array})",
        f"i{at + 5} = int_lt(i{at + 4}, 9)",
        f"guard_true(i{at + 5}{guards[1]}",
    ]


def made(
    constant: str, array: str = NUMBERS, into: str = "p1", between: tuple[str, ...] = (), empty: str = "Empty"
) -> list[str]:
    """The operations that give a list another strategy, and a storage for that, behind the test for the one before."""
    return [
        *([f"p19 = getfield_gc_r(p1, descr={STRATEGY})", f"guard_class(p19, ConstClass({empty}))"] if empty else []),
        f"p21 = new_array(4, descr={array})",
        f"setarrayitem_gc(p21, 0, 1, descr={array})",
        "p20 = new(descr=<SizeDescr 24>)",
        f"setfield_gc(p20, p21, descr={ITEMS})",
        f"setfield_gc({into}, {constant}, descr={STRATEGY})",
        *between,
        f"setfield_gc(p1, p20, descr={STORAGE})",
    ]


def whole(*own: str, array: str = NUMBERS) -> str:
    """A loop, and a bridge to its label that does this, and goes on, which PyPy has asked for nothing."""
    first, again = (iteration("p1", at, guard=str(at), asks=at < 30, array=array) for at in (10, 30))
    start = recorded("[p0, p1]", *iteration("p1", 10, array=array), "jump(p0, p1, descr=<Loop-1>)") + loop(
        *("[p0, p1]", "label(p0, p1, descr=TargetToken(140))", *first, "label(p0, p1, descr=TargetToken(141))"),
        *(*again, "jump(p0, p1, descr=TargetToken(141))"),
    )
    kept = [line.replace("ptr1", "ptr11") for line in own]
    guards = (f", descr=<Guard0x7f{number}>) [p0, p1]" for number in range(50, 60))
    kept = [f"{line[:-1]}{next(guards)}" if line.startswith("guard") else line for line in kept]
    return (
        start
        + recorded("[p0, p1]", *own, "jump(p0, p1, descr=<Loop1>)")
        + bridge("[p0, p1]", *(f"+1: {line}" for line in kept), "+1: jump(p0, p1, descr=TargetToken(141))")
    )


def is_proved(log: str, told: str = TOLD) -> bool:
    """Is the bridge proved, as the class of the strategy is known?"""
    of_loop, one, *_ = judged(log)
    assert isinstance(of_loop.verdict, Proved), of_loop.verdict
    assert one.texts is not None
    is_told = told in one.texts.assumes
    assert isinstance(one.verdict, Proved) is is_told, one.verdict
    return is_told


def test_a_list_of_numbers_has_the_strategy_for_which_recorded_traces_ask() -> None:
    log = whole(*made(CONSTANT))
    assert is_proved(log)
    assert is_inferred(TOLD)
    items = list(pair_sections(read_traces(log.splitlines())))
    known = study(items, "log").certain()
    *_, one = known.given(items)
    assert isinstance(one, LogPair)
    assert not isinstance(judge(one, "log", known).verdict, Proved)


@pytest.mark.parametrize(
    "own",
    [
        pytest.param(made(CONSTANT, into="p0"), id="another list has got it"),
        pytest.param(made(CONSTANT, between=(WORK.format("p0"),)), id="in front of a call"),
        pytest.param(made("p0"), id="no constant"),
        pytest.param([*made(CONSTANT)[:2], WORK.format("p0"), *made(CONSTANT)[2:]], id="a call may have changed it"),
        pytest.param(
            [*made(CONSTANT)[:2], f"setfield_gc(p0, ConstPtr(ptr1), descr={STRATEGY})", *made(CONSTANT)[2:]],
            id="a store may have changed it",
        ),
        pytest.param(made(CONSTANT, empty=""), id="nothing tells of its strategy so far"),
        pytest.param(made(CONSTANT, empty="Numbers"), id="it has held such items"),
        pytest.param(
            [one.replace("new(descr=<SizeDescr 24>)", f"getfield_gc_r(p0, descr={KEPT})") for one in made(CONSTANT)],
            id="a list that was there",
        ),
        pytest.param([line for line in made(CONSTANT) if STORAGE not in line], id="no storage of its own"),
        pytest.param(
            made(CONSTANT, between=(f"setfield_gc(p0, ConstPtr(ptr1), descr={STRATEGY})",)), id="by two names"
        ),
    ],
)
def test_any_other_strategy_may_be_of_another_class(own: list[str]) -> None:
    assert not is_proved(whole(*own))


def test_lists_of_characters_and_truths_are_of_several_types() -> None:
    array = "<ArrayU 1>"
    assert not is_proved(whole(*made(CONSTANT, array), array=array), TOLD.replace(NUMBERS, array))


@pytest.mark.parametrize("has_pair", [True, False])
def test_not_if_a_recorded_trace_finds_two(has_pair: bool) -> None:
    lines = [line.replace("Numbers", "Others") for line in iteration("p0", 10)]
    kept = [line.replace("Numbers", "Others") for line in iteration("p0", 10, guard="5")]
    other = recorded("[p0]", *lines, "finish()")
    other += bridge("[p0]", *(f"+1: {line}" for line in kept), "+1: finish()") if has_pair else ""
    assert not is_proved(whole(*made(CONSTANT)) + other)
    assert is_proved(whole(*made(CONSTANT)) + other.replace(NUMBERS, "<ArrayS 4>"))


def test_of_another_process_it_says_nothing() -> None:
    """The class of another name is another one there, be it by its address."""
    log = whole(*made(CONSTANT))
    for shown in judged_together(log.replace("Numbers", "Others"), log)[1]:
        assert isinstance(shown.verdict, Proved)


def test_of_a_trace_that_goes_to_no_label_it_is_not_said() -> None:
    ended = whole(*made(CONSTANT)).replace("jump(p0, p1, descr=<Loop1>)", "finish()")
    first, _, rest = ended.rpartition("jump(p0, p1, descr=TargetToken(141))")
    assert TOLD not in str([one.texts and one.texts.assumes for one in judged(f"{first}finish(){rest}")])
