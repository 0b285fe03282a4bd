"""Loads that find no memory of a new object that is not written."""

from __future__ import annotations

import pytest

from optimizer.ir.dialects.pypy_log import read_traces
from tests.pypy_logs import judged, judged_bridge
from tests.validator.pypy.test_stock import LOG
from validator import Proved, Unsupported
from validator.pypy.inferred.fields import Fields
from validator.pypy.inferred.written import check_places, reads_written_only
from validator.pypy.kept import shipped
from validator.pypy.printed.descrs import Descrs
from validator.pypy.printed.lines import Line, Printed, read_printed
from validator.pypy.printed.straight import NotStraight, Sides

SPANS = {"Frame": (8, 16), "Large": (8, 40), "m.Large": (8, 40)}
NEW = "p2 = new_with_vtable(descr=<SizeDescr 24>)\n"
STORE = "setfield_gc(p2, i1, descr=<FieldS Int.value 8 pure>)\n"
HELD = "setfield_gc(p2, p0, descr=<FieldP Int.value 8 pure>)\n"
LOAD = "i3 = getfield_gc_i(p0, descr=<FieldS Pair.second 16>)\n"


@pytest.mark.parametrize(
    ("trace", "is_written"),
    [
        (NEW + STORE, True),
        (NEW + STORE + LOAD, False),
        (NEW.replace("24", "16") + STORE + LOAD, True),  # too small
        (NEW + STORE + LOAD.replace("16>", "0>"), True),  # where the class stands
        (NEW.replace("_with_vtable", "") + STORE + LOAD.replace("16>", "0>"), False),
        (NEW + STORE + LOAD.replace("16>", "8>"), True),  # there is another field
        (NEW + STORE + LOAD.replace("S Pair.second 16>", "P Pair.second 16>").replace("_i(", "_r("), True),
        (NEW + STORE + "setfield_gc(p2, 0, descr=<FieldS Pair.second 16>)\n" + LOAD, True),
        (NEW + STORE + LOAD + "setfield_gc(p2, 0, descr=<FieldS Pair.second 16>)\n", True),  # nobody has the object
        (NEW + STORE + LOAD.replace("p0", "p2") + "setfield_gc(p2, 0, descr=<FieldS Pair.second 16>)\n", False),
        (
            NEW + "setfield_gc(p0, p2, descr=<FieldP Pair.first 8>)\n" + LOAD
            + "setfield_gc(p2, 0, descr=<FieldS Pair.second 16>)\n",
            False,
        ),
        (NEW + "label(p0, i1, p2)\nsetfield_gc(p2, 0, descr=<FieldS Pair.second 16>)\n" + LOAD, False),
        (NEW + "setfield_gc(p2, p0, descr=<FieldP Large.back 8>)\n" + LOAD, False),  # another struct
        (NEW + "setfield_gc(p2, p0, descr=<FieldP m.Large.back 8>)\n" + LOAD, False),
        (NEW + HELD + LOAD.replace("Pair", "Large"), False),  # there may be a smaller one of that name
        (NEW + HELD + LOAD.replace("Pair", "m.Large"), True),  # the class is too large
        (NEW + "setfield_gc(p2, p0, descr=<FieldP Frame.back 8>)\n" + LOAD, True),  # among the fields of frames
        (NEW + "setfield_gc(p2, p0, descr=<FieldP Other.back 8>)\n" + LOAD, False),
        (NEW + "setfield_gc(p2, p0, descr=<FieldP Other.back 8>)\n" + LOAD.replace("Pair.second", "Frame.next"), True),
        (NEW + "setfield_gc(p2, p0, descr=<FieldP Other.back 0>)\n" + LOAD.replace("Pair.second", "Frame.next"), False),
        (NEW + "setfield_gc(p2, p0, descr=<FieldP Other.back 8>)\n" + LOAD.replace("16>", "12>"), True),  # within it
        (NEW + STORE + LOAD.replace("16>", "12>"), False),  # behind a field that may be narrow
        (NEW + STORE + LOAD.replace("Pair.second 16", "strange"), False),
        (NEW.replace("_with_vtable", "") + STORE + LOAD, False),
        (NEW.replace("_with_vtable", "") + STORE + LOAD.replace("second", "inst_second"), True),  # no instance
        (NEW + STORE + LOAD.replace("second", "inst_second"), False),
        (NEW + HELD + LOAD.replace("Pair.second 16", "Int.value 8"), True),
        (NEW + STORE + LOAD.replace("S Pair.second 16", "U Int.value 8"), True),  # the same one
    ],
)  # fmt: skip
def test_fields_that_new_objects_have_are_written_before_they_are_loaded(trace: str, *, is_written: bool) -> None:
    text = f"[1] {{jit-log-noopt\n# Traced\n[p0, i1]\n{trace}finish(i1)\n[2] jit-log-noopt}}\n"
    (section,) = read_traces(text.splitlines())
    printed = read_printed(section, "log")
    assert reads_written_only(Sides(printed, printed), SPANS) is is_written


@pytest.mark.parametrize(("texts", "is_written"), [((), False), (("<FieldP m.Frame.vable_token 8>",), True)])
def test_a_frame_has_its_token_where_another_log_prints_it(texts: tuple[str, ...], *, is_written: bool) -> None:
    descrs = Descrs()
    descrs.take("another log", ("<FieldP m.Frame.inst_next 24>", *texts))
    new = NEW.replace("24", "32") + "setfield_gc(p2, p0, descr=<FieldP m.Frame.inst_next 24>)\n"
    trace = new + "f3 = getfield_gc_f(p0, descr=<FieldF m.Float.inst_value 8 pure>)\n"
    text = f"[1] {{jit-log-noopt\n# Traced\n[p0, i1]\n{trace}finish(i1)\n[2] jit-log-noopt}}\n"
    (section,) = read_traces(text.splitlines())
    printed = read_printed(section, "log")
    spans = Fields().with_places(descrs.fields).spans
    assert reads_written_only(Sides(printed, printed), spans) is is_written


def test_where_a_frame_of_pypy_has_its_token_is_shipped() -> None:
    assert "<FieldP pypy.interpreter.pyframe.PyFrame.vable_token 8>" in shipped().descrs


def test_what_a_recorded_trace_alone_loads_is_written() -> None:
    text = "[1] {jit-log-noopt\n# Traced\n[p0, i1]\n" + NEW + STORE + "%sfinish(i1)\n[2] jit-log-noopt}\n"
    with_load, without = (read_printed(*read_traces((text % load).splitlines()), "log") for load in (LOAD, ""))
    assert reads_written_only(Sides(with_load, without), SPANS)
    assert not reads_written_only(Sides(without, with_load), SPANS)


def test_what_is_in_a_new_object_is_not_relied_on() -> None:
    """No field of the object stands at 16 that is stored to, so that it may hold anything."""
    stored = LOG.replace("new_with_vtable(descr=<SizeDescr 16>)", "new_with_vtable(descr=<SizeDescr 24>)")
    assert isinstance(judged(stored)[0].verdict, Proved)
    label = "label(p0, i3, i2, descr=TargetToken(141))"
    wrong = (
        stored.replace("loop with 16 ops", "loop with 18 ops")
        .replace(
            f"+26: {label}",
            "+26: i30 = getfield_gc_i(p4, descr=<FieldS Pair.second 16>)\n+26: i31 = int_add(i3, i30)\n"
            f"+26: {label.replace('i3,', 'i31,')}",
        )
        .replace("i8 = int_add(i3, i2)", "i8 = int_add(i31, i2)")
    )
    loop, _ = judged(wrong)
    assert not isinstance(loop.verdict, Proved)


@pytest.mark.parametrize("field", ["Pair.second 8", "Pair.second 16", "Node.step 8"])
@pytest.mark.parametrize("base", ["p4", "p30"])
def test_a_load_from_a_new_object_that_has_no_such_field_is_not_proved(field: str, base: str) -> None:
    """An object of that size with another field there; a load that finds it must not be taken to give 0."""
    label = "label(p0, i3, i2, descr=TargetToken(141))"
    load = "+26: p30 = getfield_gc_r(p0, descr=<FieldP Node.last 16>)\n"
    load += f"+26: i31 = getfield_gc_i({base}, descr=<FieldS {field}>)\n+26: i32 = int_add(i3, i31)\n"
    wrong = (
        LOG.replace("loop with 16 ops", "loop with 19 ops")
        .replace(f"+26: {label}", f"{load}+26: {label.replace('i3,', 'i32,')}")
        .replace("i8 = int_add(i3, i2)", "i8 = int_add(i32, i2)")
    )
    loop, _ = judged(wrong)
    assert not isinstance(loop.verdict, Proved)


FIRST, SECOND = "<FieldP Cell.first 8>", "<FieldP Cell.second 16>"
NULL_TO = "setfield_gc(p2, ConstPtr(null), descr={})".format
KEPT = (NEW.rstrip(), f"setfield_gc(p2, p0, descr={FIRST})")


@pytest.mark.parametrize(
    ("access", "is_there"),
    [
        (NULL_TO(SECOND), True),
        (NULL_TO("<FieldP Cell.third 24>"), False),
        (NULL_TO("<FieldP Cell.third 20>"), False),  # behind the end with its last bytes
        (NULL_TO("<FieldP Other.first 8>"), False),
        (NULL_TO("<FieldP Other.first 12>"), False),  # across another field
        (NULL_TO("<FieldP Other.second 16>"), True),  # one of a struct that it may inherit from
        (
            "p3 = getfield_gc_r(p2, descr=<FieldP Cell.third 24>)\nsetfield_gc(p2, p3, descr=<FieldP Cell.second 16>)",
            False,
        ),
        ("p3 = same_as_r(p2)\nsetfield_gc(p3, ConstPtr(null), descr=<FieldP Cell.third 24>)", False),
        (f"p3 = new_array_clear(2, descr=<ArrayP 8>)\nsetfield_gc(p3, ConstPtr(null), descr={FIRST})", False),
        ("p3 = new_array_clear(2, descr=<ArrayP 8>)\nsetarrayitem_gc(p3, 0, ConstPtr(null), descr=<ArrayP 8>)", True),
        ("p3 = new_array_clear(2, descr=<ArrayP 8>)\nsetarrayitem_gc(p3, 0, 0, descr=<ArrayS 8>)", False),
        ("setarrayitem_gc(p2, 0, ConstPtr(null), descr=<ArrayP 8>)", False),
    ],
)
def test_new_objects_are_accessed_where_they_have_something(access: str, *, is_there: bool) -> None:
    """A store of NULL to a place that is NULL would change nothing that the language knows of."""
    one = judged_bridge((*KEPT, "finish(p2)"), (*KEPT, *access.split("\n"), "finish(p2)"))
    assert isinstance(one.verdict, Proved if is_there else Unsupported)


@pytest.mark.parametrize(
    ("field", "is_its_own"),
    [
        ("<FieldP JitVirtualRef.forced 16>", True),
        ("<FieldP pypy.interpreter.pyframe.PyFrame.inst_f_generator_wref 32>", False),
        ("<FieldP pypy.interpreter.pyframe.PyFrame.inst_f_backref 16>", False),
    ],
)
def test_a_virtual_reference_has_its_own_fields_alone(field: str, *, is_its_own: bool) -> None:
    """They are printed as other objects are, and taken for what they are."""
    token = "setfield_gc({}, {}, descr=<FieldP JitVirtualRef.virtual_token 8>)"
    before = ("p1 = virtual_ref(p0, 0)", "setfield_gc(p0, p1, descr=<FieldP Frame.inst_ref 8>)")
    after = (
        "p2 = force_token()",
        "p1 = new_with_vtable(descr=<SizeDescr 24>)",
        token.format("p1", "p2"),
        f"setfield_gc(p1, ConstPtr(null), descr={field})",
        before[1],
    )
    verdict = judged_bridge(before, after).verdict
    assert isinstance(verdict, Proved if is_its_own else Unsupported), verdict


def test_new_objects_of_one_class_of_values_are_several() -> None:
    lines = [Line(f"p{number}", "new_with_vtable", (), "<SizeDescr 24>") for number in (1, 2)]
    lines += [
        Line(None, "setfield_gc", ("p1", "5"), "<FieldS A.x 8>"),
        Line(None, "setfield_gc", ("p2", "5"), "<FieldS B.y 8>"),
    ]
    check_places(Printed((), tuple(lines)), lambda text: "all")
    wrong = Line(None, "setfield_gc", ("p2", "5"), "<FieldS B.z 24>")
    with pytest.raises(NotStraight):
        check_places(Printed((), (*lines, wrong)), lambda text: "all")
