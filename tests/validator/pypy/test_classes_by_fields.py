"""Classes of new objects that a log does not print: a guard that was recorded at another time tells of none."""

from __future__ import annotations

from tests.pypy_logs import judged, loop, recorded
from validator import Proved
from validator.pypy.translate import BY_FIELDS, BY_NAME

INT, OTHER = "<FieldS W_Number.inst_intval 8 pure>", "<FieldS W_OtherObject.inst_value 8 pure>"
OWN = "<FieldS pypy.objspace.std.intobject.W_IntObject.inst_intval 8 pure>"
NOTHING = "i5 = int_add(i1, 2)"
MADE = ("i3 = int_add(i1, 1)", "p4 = new_with_vtable(descr=<SizeDescr 16>)")
CLASS = "guard_class({}, ConstClass({}))"
LOADS = f"i5 = getfield_gc_i(p2, descr={INT})"


def judged_loop(
    stored: str, *asked: str, loads: str = LOADS, more: tuple[str, ...] = ()
) -> tuple[bool, tuple[str, ...]]:
    """Is a loop proved that hands a new object to itself, with a number in that field, the body of which does not ask
    for its class? And what is assumed. The recorded loop and the preamble ask so, too."""

    def guarded(lines: tuple[str, ...], handed: str, first: int) -> list[str]:
        return [
            f"{line[:-1]}, descr=<Guard0x7f{at}>) [p0, {handed}]" * ("guard" in line) or line
            for at, line in enumerate(lines, first)
        ]

    store = f"setfield_gc(p4, i3, descr={stored})"
    lines = (CLASS.format("p2", "W_IntObject"), *asked, loads)
    log = recorded("[p0, i1, p2]", *lines, *MADE, store, *more, "jump(p0, i3, p4, descr=<Loop-1>)") + loop(
        "[p0, i1, p2]",
        "+1: label(p0, i1, p2, descr=TargetToken(140))",
        *(f"+1: {line}" for line in (*guarded(lines, "i1", 10), MADE[0])),
        "+1: label(p0, i3, descr=TargetToken(141))",
        *(f"+1: {line}" for line in guarded(asked, "i3", 20)),
        "+1: i13 = int_add(i3, 1)",
        "+1: jump(p0, i13, descr=TargetToken(141))",
    )
    (one,) = judged(log)
    return isinstance(one.verdict, Proved), one.texts.assumes if one.texts else ()


def test_a_new_object_is_of_the_class_that_others_with_its_field_were_found_to_be_of() -> None:
    is_proved, assumes = judged_loop(INT)
    assert is_proved
    assert BY_FIELDS in assumes


def test_one_with_another_field_may_be_of_another_class() -> None:
    """The guard that asks for it was recorded of the object in front of the loop."""
    assert not judged_loop(OTHER, loads=NOTHING)[0]


def test_so_may_one_with_a_field_of_objects_of_two_classes() -> None:
    also = (CLASS.format("p0", "W_BoolObject"), f"i6 = getfield_gc_i(p0, descr={INT})")
    assert not judged_loop(INT, *also)[0]


def test_the_class_may_be_the_one_that_the_field_belongs_to_by_its_name() -> None:
    is_proved, assumes = judged_loop(OWN, loads=NOTHING)
    assert is_proved
    assert BY_NAME in assumes
    assert not judged_loop(OWN.replace("W_IntObject", "W_Int"), loads=NOTHING)[0]


def test_with_a_field_more_it_may_be_of_a_class_that_inherits_from_it() -> None:
    """A `float` of Python's own classes has a map, too."""
    store = "setfield_gc(p4, ConstPtr(ptr7), descr=<FieldP pypy.interpreter.typedef.Own.inst_map 16>)"
    assert not judged_loop(OWN, loads=LOADS.replace(INT, OWN), more=(store,))[0]
