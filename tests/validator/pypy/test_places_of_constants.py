"""Constants at the same place of the program, in a bridge and in the loop that it leaves and goes back to."""

from __future__ import annotations

import pytest

from optimizer.ir.dialects.pypy_log import read_traces
from optimizer.ir.dialects.pypy_pairs import LogPair, pair_sections
from optimizer.ir.trace import Trace
from tests.pypy_logs import bridge, judged, loop, recorded
from validator import Proved
from validator.prove.judge import validate
from validator.pypy import pair_text
from validator.pypy.inferred.constants.places import AT_ONE_PLACE, at_one_place
from validator.pypy.inferred.sameness import Sameness
from validator.pypy.judge import OPTIONS, holds, judge
from validator.pypy.printed.straight import Sides
from validator.pypy.resume_data import Loop
from validator.pypy.study import is_inferred, study
from validator.verdict import Options, Verdict

ITEMS, KEPT = "<FieldP List.inst_items 8>", "<FieldP Node.inst_kept 16>"
AT = "debug_merge_point(0, 0, 'f;a.py:4-9~#{} LOAD_GLOBAL')"
LOADS, STORES = f"p2 = getfield_gc_r(ConstPtr(ptr{{}}), descr={ITEMS})", f"setfield_gc(p0, p2, descr={KEPT})"
GUARD = ("i3 = int_lt(i1, 9)", "guard_true(i3{})", "i4 = int_add(i1, 1)")
BETWEEN = recorded("[p0, i4]", "i5 = int_lt(i4, 5)", "guard_true(i5)", "finish(i4)") + bridge(
    "[p0, i4]", "+1: i5 = int_lt(i4, 5)", "+1: guard_true(i5, descr=<Guard0x7f50>) [p0, i4]", "+1: finish(i4)"
).replace("0x7f10", "0x7f32")


def assumed(
    *own: str,
    at: int = 2,
    guard: str = "7f32",
    between: str = "",
    depth: int = 0,
    is_certain: bool = False,
    bytecode: str = "LOAD_GLOBAL",
    is_deep: bool = False,
) -> tuple[str, ...] | None:
    """The assumptions by which a bridge is proved that hands what it has loaded itself to the label of its loop; None
    where it is not. Another bridge may be `between` them."""
    body = [line.replace("i1", "i4").replace("i3", "i13").replace("i4 =", "i14 =") for line in GUARD]
    body[1] = body[1].replace("i1)", "i4)")
    ask = [line.format(", descr=<Guard0x7f21>) [p0, i1]").replace("])", "]") for line in GUARD]
    again = [line.format(", descr=<Guard0x7f32>) [p0, i4]").replace("])", "]") for line in body]
    log = recorded(
        *("[p0, i1]", AT.format(1), *(line.format("") for line in GUARD), AT.format(2), LOADS.format(1)),
        *(STORES, "jump(p0, i4, descr=<Loop-1>)"),
    ) + loop(
        *("[p0, i1]", "+1: label(p0, i1, descr=TargetToken(140))", AT.format(1), *ask, AT.format(2)),
        *(LOADS.format(2), STORES, "+1: label(p0, i4, p2, descr=TargetToken(141))", AT.format(1), *again),
        *(AT.format(2), STORES, "+1: jump(p0, i14, p2, descr=TargetToken(141))"),
    )
    lines = (AT.format(at).replace("(0,", f"({depth},"), LOADS.format(7), STORES)
    log += between + recorded("[p0, i4]", *(line.format("") for line in own), *lines, "jump(p0, 3, descr=<Loop1>)")
    kept = [line.format(", descr=<Guard0x7f40>) [p0, i4]").replace("])", "]") for line in own]
    kept += [line.replace("ptr7", "ptr17") for line in lines]
    log += bridge("[p0, i4]", *kept, "+1: jump(p0, 3, p2, descr=TargetToken(141))").replace("0x7f10", f"0x{guard}")
    log = log.replace("LOAD_GLOBAL", bytecode).replace(*(f"({depth}, 0, 'f;a.py:4-9~#2" for depth in (0, int(is_deep))))
    items = list(pair_sections(read_traces(log.splitlines())))
    known = study(items, "log").certain() if is_certain else study(items, "log")
    whole, *_, one = (judge(item, "log", known) for item in known.given(items) if isinstance(item, LogPair))
    assert isinstance(whole.verdict, Proved), whole.verdict
    return one.texts.assumes if isinstance(one.verdict, Proved) and one.texts else None


def test_they_are_one_object() -> None:
    told = assumed()
    assert told is not None
    assert AT_ONE_PLACE in told


@pytest.mark.parametrize(
    ("own", "more"),
    [
        pytest.param((), {"at": 3}, id="another place"),
        pytest.param((), {"bytecode": "BINARY_SUBSCR"}, id="it may come from the failed comparison"),
        pytest.param((AT.format(9),), {}, id="another way"),
        pytest.param((AT.format(1),), {"is_deep": True}, id="a function that the loop calls"),
        pytest.param((), {"depth": 1}, id="a function that something else may have called"),
        pytest.param((), {"guard": "7f99"}, id="a bridge from elsewhere"),
        pytest.param((), {"guard": "7f50", "between": BETWEEN}, id="a bridge from another bridge"),
        pytest.param((f"p8 = getfield_gc_r(p0, descr={KEPT})", "guard_value(p8, ConstPtr(ptr9){})"), {}, id="a guard"),
        pytest.param((AT.format(2), LOADS.format(6).replace("p2", "p8")), {}, id="twice at that place"),
    ],
)
def test_others_may_be_two(own: tuple[str, ...], more: dict[str, int | str]) -> None:
    told = assumed(*own, **more)  # type: ignore[arg-type]
    assert told is None or AT_ONE_PLACE not in told


def test_that_is_inferred_and_not_certain() -> None:
    assert is_inferred(AT_ONE_PLACE)
    assert assumed(is_certain=True) is None


def prove(before: Trace, after: Trace, options: Options, loop: Loop) -> Verdict:
    return validate(before, after, options, loop=loop)


def around(
    *points: int,
    found: str = "",
    guard: str = "7f32",
    between: str = "",
    at: str = AT,
    last: int = 3,
    kept: bool = False,
) -> str:
    """A bridge that goes round with a constant, as its loop does, in the place of which the label takes nothing. It
    passes these points, and may have `found` that a value is a constant. Another bridge may stand `between` them. The
    loop may have what it goes round with `kept`: the body stores the constant."""
    keep = f"setfield_gc(p0, {{}}, descr={KEPT})"
    keeps, keeps_constant = ([keep.format(value)] if kept else [] for value in ("p5", "ConstPtr(ptr11)"))
    ask, again = ("i3 = int_lt(i1, 9)", "guard_true(i3{})"), ("i6 = int_lt(i4, 9)", "guard_true(i6{})")
    rest = [at.format(point) for point in range(2, last + 1)]
    log = recorded(
        *("[p0, i1, p5]", at.format(1), ask[0], ask[1].format(""), "i4 = int_add(i1, 1)", *keeps, *rest),
        "jump(p0, i4, ConstPtr(ptr1), descr=<Loop-1>)",
    ) + loop(
        *("[p0, i1, p5]", "+1: label(p0, i1, p5, descr=TargetToken(140))", at.format(1), ask[0]),
        *(f"{ask[1].format(', descr=<Guard0x7f21>')} [p0, i1, p5]", "i4 = int_add(i1, 1)", *keeps, *rest),
        *("+1: label(p0, i4, descr=TargetToken(141))", at.format(1), again[0]),
        *(f"{again[1].format(', descr=<Guard0x7f32>')} [p0, i4]", "i7 = int_add(i4, 1)", *keeps_constant, *rest),
        "+1: jump(p0, i7, descr=TargetToken(141))",
    )
    asks = [f"guard_value({found}, ConstPtr(ptr{{}}){{}})"] if found else []
    way = [at.format(point) for point in points]
    before = *(one.format(9, "") for one in asks), *way, "jump(p0, 3, ConstPtr(ptr7), descr=<Loop1>)"
    asked = [one.format(19, ", descr=<Guard0x7f40>") + " [p0, i4]" for one in asks]
    after = *asked, *way, "+1: jump(p0, 3, descr=TargetToken(141))"
    own = bridge("[p0, i4]", *after).replace("0x7f10", f"0x{guard}")
    return log + between + recorded("[p0, i4]", *before) + own


def gone_round(log: str) -> bool:
    """Is the bridge proved, as its constant is that of the loop?"""
    whole, *_, one = judged(log)
    assert isinstance(whole.verdict, Proved), whole.verdict
    told = one.texts is not None and AT_ONE_PLACE in one.texts.assumes
    return isinstance(one.verdict, Proved) and told


def test_they_go_round_with_one_object_behind_one_way(monkeypatch: pytest.MonkeyPatch) -> None:
    told: list[tuple[str, str]] = []

    def telling(pair: LogPair, sides: Sides, sameness: Sameness) -> list[tuple[str, str]]:
        told.extend(found := at_one_place(pair, sides, sameness))
        return found

    monkeypatch.setattr(pair_text, "at_one_place", telling)
    for log in (around(2, 3), around(3)):
        assert gone_round(log)
    assert {*told} == {("ConstPtr(ptr7)", "ConstPtr(ptr1_1)")}


def test_that_they_do_is_inferred() -> None:
    items = list(pair_sections(read_traces(around(2, 3).splitlines())))
    known = study(items, "log")
    *_, one = known.given(items)
    assert isinstance(one, LogPair)
    assert not holds(judge(one, "log", known), one, "log", known, OPTIONS, prove)


def test_a_bridge_from_another_bridge_may_have_another_one_from_that() -> None:
    assert not gone_round(around(2, 3, guard="7f50", between=BETWEEN))


def test_not_where_the_bridge_has_found_a_constant_of_its_own() -> None:
    assert not gone_round(around(2, 3, found="p0"))


@pytest.mark.parametrize(
    ("bytecodes", "is_one"),
    [
        (("LOAD_CONST", "STORE_FAST"), True),
        (("COMPARE_OP", "STORE_FAST"), False),
        (("STORE_FAST", "LOAD_CONST"), False),
        (("LOAD_CONST", "EXTENDED_ARG"), False),
        (("JUMP_FORWARD", "STORE_FAST"), False),
        (("LOAD_CONST", "JUMP_FORWARD", "STORE_FAST"), True),
    ],
)
def test_a_variable_holds_the_constant_of_the_code_that_was_loaded_for_it(
    bytecodes: tuple[str, ...], is_one: bool
) -> None:
    """The guard at which the bridge starts may have left what is stored by the same way."""
    log = around(*range(2, len(bytecodes) + 2), last=len(bytecodes) + 1)
    for at, bytecode in enumerate(bytecodes, 2):
        log = log.replace(f"~#{at} LOAD_GLOBAL", f"~#{at} {bytecode}")
    assert gone_round(log) is is_one


@pytest.mark.parametrize("points", [(2,), (4,), (4, 3), (3, 2), ()])
def test_behind_another_way_it_may_be_another(points: tuple[int, ...]) -> None:
    assert not gone_round(around(*points))


def test_not_where_nothing_tells_of_the_way() -> None:
    assert not gone_round(around(2, 3, at="leave_portal_frame({})"))


@pytest.mark.parametrize(("bytecode", "is_one"), [("LOAD_CONST", True), ("COMPARE_OP", False)])
def test_that_the_loop_stores_its_constant_does_not_make_it_that_of_the_bridge(bytecode: str, is_one: bool) -> None:
    log = around(2, 3, kept=True).replace("~#2 LOAD_GLOBAL", f"~#2 {bytecode}")
    assert gone_round(log.replace("~#3 LOAD_GLOBAL", "~#3 STORE_FAST")) is is_one


def test_nor_where_both_go_round_with_new_objects_that_hold_them() -> None:
    """The label takes nothing of such an object: what it holds is a constant of the loop."""
    held, size = "<FieldP Box.inst_held 8>", "p9 = new_with_vtable(descr=<SizeDescr 16>)"
    ask, step = ("i3 = int_lt(i1, 9)", "guard_true(i3{})", "i4 = int_add(i1, 1)"), AT.format(2)
    loads = (f"p6 = getfield_gc_r(p5, descr={held})", f"setfield_gc(p0, p6, descr={KEPT})")
    boxed = (size, f"setfield_gc(p9, ConstPtr(ptr{{}}), descr={held})")
    again = [line.replace("i4", "i14").replace("i3", "i13").replace("i1,", "i4,") for line in ask]
    before = (*ask, *loads, step, boxed[0], boxed[1].format(1), "jump(p0, i4, p9, descr=<Loop-1>)")
    first = [line.format(", descr=<Guard0x7f21>") + " [p0, i1, p5]" * ("guard" in line) for line in ask]
    last = [line.format(", descr=<Guard0x7f32>") + " [p0, i4]" * ("guard" in line) for line in again]
    log = recorded("[p0, i1, p5]", *(line.format("") if "guard" in line else line for line in before)) + loop(
        *("[p0, i1, p5]", "+1: label(p0, i1, p5, descr=TargetToken(140))", *first, *loads, step),
        *("+1: label(p0, i4, descr=TargetToken(141))", *last, f"setfield_gc(p0, ConstPtr(ptr11), descr={KEPT})", step),
        "+1: jump(p0, i14, descr=TargetToken(141))",
    )
    log += recorded("[p0, i4]", step, boxed[0], boxed[1].format(7), "jump(p0, 3, p9, descr=<Loop1>)")
    log += bridge("[p0, i4]", step, "+1: jump(p0, 3, descr=TargetToken(141))").replace("0x7f10", "0x7f32")
    whole, one = judged(log)
    assert isinstance(whole.verdict, Proved), whole.verdict
    assert not isinstance(one.verdict, Proved)
