"""Several logs of one PyPy: what one says helps the others, and what one contradicts is assumed in none."""

from __future__ import annotations

import pytest

from optimizer.ir.dialects.pypy_log import read_traces
from optimizer.ir.dialects.pypy_pairs import LogPair, pair_sections
from optimizer.ir.faults import InputError
from tests.pypy_logs import BOX, CALL, COUNT, across_a_call, bridge, judged_together, loop, recorded
from tests.validator.pypy.test_stock import LOG as PEELED
from validator import Proved, Unknown
from validator.pypy.inferred.witnesses import are_two, witness
from validator.pypy.judge import Judged
from validator.pypy.printed.lines import is_named
from validator.pypy.study import Study

HERE, THERE = "f;/home/a.py:4-9~#40 FOR_ITER", "g;/home/b.py:4-9~#40 FOR_ITER"


def passed(point: str) -> str:
    return f"debug_merge_point(0, 0, '{point}')"


def put_off(point: str, function: str = "ConstClass(keep)", value: str = "i1", field: str = COUNT) -> str:
    """A new object whose field is filled behind the call that it is given to."""
    made, call = "p2 = new_with_vtable(descr=<SizeDescr 24>)", f"call_n({function}, p2, descr={CALL})"
    before = (passed(point), made, f"setfield_gc(p2, i1, descr={field})", call, "finish(p2)")
    after = (passed(point), made, call, f"setfield_gc(p2, {value}, descr={field})", "finish(p2)")
    return recorded("[p0, i1]", *before) + bridge("[p0, i1]", *(f"+1: {line}" for line in after))


def loaded_again() -> str:
    """A pair that loads a field again behind a call which others do not load it behind."""
    load, call = f"i{{}} = getfield_gc_i(p0, descr={COUNT})", f"call_n(ConstClass(tell), p0, descr={CALL})"
    lines = (load.format(1), call, "guard_no_exception({})", load.format(2), "i3 = int_add(i1, i2)", "finish(i3)")
    before = (line.replace("({})", "()") for line in lines)
    after = (line.replace("({})", "(descr=<Guard0x7f20>) [p0]") for line in lines)
    return recorded("[p0]", *before) + bridge("[p0]", *(f"+1: {line}" for line in after))


def are_proved(judged: list[Judged]) -> list[bool]:
    return [isinstance(one.verdict, Proved) for one in judged]


def test_a_pair_of_another_log_is_a_second_witness() -> None:
    first, second = judged_together(put_off(HERE), put_off(THERE))
    assert are_proved(first) == are_proved(second) == [True]
    assert first[0].texts is not None
    assert f"call {CALL}@keep does not read {COUNT}" in first[0].texts.assumes


def test_another_value_shows_with_two_witnesses() -> None:
    first, second = judged_together(put_off(HERE, value="7"), put_off(THERE))
    assert are_proved(first) == [False]
    assert are_proved(second) == [False]


@pytest.mark.parametrize(
    "again", [HERE, HERE.replace("/home", "/tmp/x"), HERE.replace(":4-9", ":5-10"), HERE.replace("a.py", "tmp7.py"), ""]
)
def test_the_same_code_in_another_process_is_no_second_witness(again: str) -> None:
    here = HERE if again else ""
    first, second = judged_together(put_off(here), put_off(again))
    assert are_proved(first) == are_proved(second) == [False]


@pytest.mark.parametrize(
    ("point", "again"),
    [("at 0x7f4de6520e40", "at 0x7f0e2c720e40"), ("line 48", "line 49"), (". <code", ", <code"), ("tests/", "/tmp/")],
)
def test_starts_in_loops_of_rpython_are_one_place(point: str, again: str) -> None:
    join = 'unicode.join [tpfirst=<W_TypeObject object at 0x7f4de6520e40>. <code object f. file "tests/a.py". line 48>]'
    first, second = judged_together(put_off(join), put_off(join.replace(point, again)))
    assert are_proved(first) == are_proved(second) == [False]


def test_what_a_witness_is() -> None:
    one, again = witness(0, 1, HERE), witness(1, 1, HERE.replace(":4-9", ":40-90"))
    assert not are_two([one])
    assert not are_two([one, again])
    assert are_two([one, witness(0, 2, HERE)])
    assert are_two([one, witness(1, 1, THERE)])
    assert are_two([one, witness(1, 1, HERE.replace("#40", "#42"))])


@pytest.mark.parametrize("function", ["ConstClass(0x7f1020)", "139915471225424", "p9", "ConstClass(139915471225424)"])
def test_an_address_is_a_name_in_one_log_alone(function: str) -> None:
    inputs = "[p0, i1, p9]" if function == "p9" else "[p0, i1]"
    logs = [put_off(point, function).replace("[p0, i1]", inputs) for point in (HERE, THERE)]
    first, second = judged_together(*logs)
    assert are_proved(first) == are_proved(second) == [False]
    (both,) = judged_together("".join(logs))
    assert are_proved(both) == [True, True]


def test_a_name_that_several_structs_have_says_nothing() -> None:
    logs = [put_off(point, field="<FieldS dicttable.num_live_items 8>") for point in (HERE, THERE)]
    (both,) = judged_together("".join(logs))
    assert are_proved(both) == [False, False]


@pytest.mark.parametrize(
    ("text", "same"),
    [
        (f"{CALL}@W_UnicodeObject.descr_islower", True),
        (f"{CALL}@_ll_dict_del_trampoline__v2622___simple_call__function_", True),
        (f"{CALL}@139895602807376", False),
        (f"{CALL}@0x7f10", False),
        (CALL, False),
        ("<Loop2 r>", False),
        (COUNT, True),
        (BOX, True),
        ("<FieldP JitVirtualRef.forced 16>", True),
        ("<FieldP list.items 16>", False),
        ("<InteriorFieldDescr <FieldP odictentry.key 0>>", False),
        ("<ArrayP 8>", False),
        ("code", True),
        ("ConstClass(W_IntObject)", True),
        ("ConstClass(140460682577088)", False),
    ],
)
def test_what_means_the_same_in_all_processes(text: str, same: bool) -> None:
    assert is_named(text) is same


def test_an_effect_that_another_log_contradicts_is_assumed_in_none() -> None:
    (alone,) = judged_together(across_a_call())
    assert are_proved(alone) == [True]
    for logs in ((across_a_call(), loaded_again()), (loaded_again(), across_a_call())):
        found = judged_together(*logs)
        (wrong,) = found[logs.index(across_a_call())]
        assert isinstance(wrong.verdict, Unknown)
        assert f"call {CALL}@tell does not write {COUNT}" in wrong.missing


HOOKS = "<FieldP Holder.inst_hooks 8>"


def asked_twice(point: str, *, is_gone: bool = True) -> str:
    """A pair that looks twice whether the field of a constant is NULL."""
    asked = [(f"p{at} = getfield_gc_r(ConstPtr(ptr{at}), descr={HOOKS})", f"guard_isnull(p{at})") for at in (2, 3)]
    first, second = asked
    after = (*first, *(() if is_gone else second), "finish(p0)")
    kept = (f"{line[:-1]}, descr=<Guard0x1{at}>) [p0]" if "guard" in line else line for at, line in enumerate(after))
    optimized = loop("[p0]", passed(point), *(f"+1: {line}" for line in kept)).replace("f;a.py", point.split(":")[0])
    return recorded("[p0]", passed(point), *first, *second, "finish(p0)") + optimized


def test_how_many_constants_there_are_another_log_does_not_say() -> None:
    first, second = judged_together(asked_twice(HERE), asked_twice(THERE))
    assert are_proved(first) == are_proved(second) == [False]
    both = asked_twice(HERE) + asked_twice(THERE)
    assert [are_proved(judged) for judged in judged_together(both, asked_twice(THERE))] == [[True] * 2, [False]]
    found = judged_together(both, asked_twice(THERE, is_gone=False))
    assert [are_proved(judged) for judged in found] == [[False] * 2, [True]]


def compared(*points: str, is_gone: bool = True) -> str:
    """A pair that passes these points and compares an object of a known class with a constant of another one; is the
    comparison gone?"""
    way, known = [*map(passed, points)], "guard_class(p0, ConstClass(Number))"
    test = ("i2 = instance_ptr_eq(ConstPtr(ptr3), p0)", "guard_false(i2)")
    after = (known, *(() if is_gone else test), "finish(p0)")
    kept = (f"{line[:-1]}, descr=<Guard0x1{at}>) [p0]" if "guard" in line else line for at, line in enumerate(after))
    return recorded("[p0]", *way, known, *test, "finish(p0)") + bridge("[p0]", *way, *kept)


def test_which_classes_constants_are_of_another_log_does_not_say() -> None:
    here, there = (point.replace("FOR_ITER", "IS_OP") for point in (HERE, THERE))
    first, second = judged_together(compared(here), compared(there))
    assert are_proved(first) == are_proved(second) == [False]
    assert are_proved(judged_together(compared(here), compared(there) * 2)[0]) == [False]
    third = compared(THERE, is_gone=False)
    assert [are_proved(judged) for judged in judged_together(compared(HERE) * 2, third)] == [[True] * 2, [True]]
    assert [are_proved(judged) for judged in judged_together(compared(HERE) + compared(THERE), third)] == [
        [False, False],
        [True],
    ]


def test_with_which_constants_a_bytecode_compares_another_log_says() -> None:
    """These are the interpreter's own, but for bytecodes that compare with what the program names."""
    bytecode, asked = ("h;c.py:1-1~#0 LOAD_ATTR", "k;d.py:2-2~#6 LOAD_ATTR"), compared(HERE, "k;c.py:1-1~#0 IS_OP")
    one, other = (compared(start, at) for start, at in zip((HERE, THERE), bytecode, strict=True))
    assert [are_proved(judged) for judged in judged_together(one, other)] == [[True], [True]]
    assert [are_proved(judged) for judged in judged_together(one, one)] == [[False], [False]]
    kept = compared(THERE, bytecode[1], is_gone=False)
    assert [are_proved(judged) for judged in judged_together(one, other, kept)] == [[False], [False], [True]]
    assert [are_proved(judged) for judged in judged_together(asked, compared(THERE, "m;c.py:1-1~#0 IS_OP"))] == [
        [False],
        [False],
    ]


def test_which_constant_stands_at_a_place_another_log_does_not_say() -> None:
    """Both start elsewhere and compare at one place, but in two processes."""
    place = "h;c.py:1-1~#0 FOR_ITER"
    logs, kept = [compared(start, place) for start in (HERE, THERE)], compared(HERE, is_gone=False)
    first, second, _ = judged_together(*logs, kept)
    assert are_proved(first) == are_proved(second) == [False]
    both, _ = judged_together("".join(logs), kept)
    assert are_proved(both) == [True, True]


def immutable(*watched: str) -> str:
    """A pair in which a field that is printed as immutable is not loaded again behind a call."""
    load, call = f"i{{}} = getfield_gc_i(p0, descr={BOX})", f"call_n(ConstClass(work), p0, descr={CALL})"
    before = ("[p0]", *watched, load.format(1), call, load.format(2), "finish(i1, i2)")
    return recorded(*before) + bridge("[p0]", load.format(1), call, "finish(i1, i1)")


def test_a_field_that_one_log_watches_may_change_in_all() -> None:
    watched = immutable("quasiimmut_field(p0, descr=<QuasiImmutDescr object>)")
    first, _ = judged_together(immutable(), watched)
    assert are_proved(first) == [False]
    first, _ = judged_together(immutable(), immutable())
    assert are_proved(first) == [True]


@pytest.mark.parametrize("field", [BOX, "<FieldS tuple2.item0 8>", "<FieldS Foo.inst_a 8>"])
def test_where_fields_stand_another_log_does_not_say(field: str) -> None:
    """The other log has a field of a struct of that name at 24, so that none of others would stand at 16."""
    label = "label(p0, i3, i2, descr=TargetToken(141))"
    load = "+26: i30 = getfield_gc_i(p4, descr=<FieldS Pair.second 16>)\n+26: i31 = int_add(i3, i30)\n"
    wrong = (
        PEELED.replace("new_with_vtable(descr=<SizeDescr 16>)", "new_with_vtable(descr=<SizeDescr 24>)")
        .replace(BOX, field)
        .replace("loop with 16 ops", "loop with 18 ops")
        .replace(f"+26: {label}", f"{load}+26: {label.replace('i3,', 'i31,')}")
        .replace("i8 = int_add(i3, i2)", "i8 = int_add(i31, i2)")
    )
    struct, _, name = field.split(" ")[1].partition(".")
    first, _ = judged_together(wrong, loading(field, f"<FieldS {struct}.{name}_last 24>"))
    assert not are_proved(first)[0]


def test_a_guard_of_another_log_is_no_parent() -> None:
    guarded = across_a_call().replace("0x7f20", "0x7f10")

    def parents(*logs: str) -> list[int]:
        together = Study()
        items = [list(pair_sections(read_traces(log.splitlines()))) for log in logs]
        for read in items:
            together.add(read, "log")
        *_, last = together.knowledge(len(logs) - 1).given(items[-1])
        assert isinstance(last, LogPair)
        return [parent.number for parent in last.parents]

    assert parents(guarded + guarded) == [1]
    assert parents(guarded, guarded) == []


# Logs of two PyPys.


def loading(*fields: str, function: str = "ConstClass(work)", descr: str = "<Callv 0 r EF=5>") -> str:
    lines = [*(f"i{at} = getfield_gc_i(p0, descr={name})" for at, name in enumerate(fields, start=1)), "finish(p0)"]
    lines.insert(0, f"call_n({function}, p0, descr={descr})")
    return recorded("[p0]", *lines) + bridge("[p0]", *lines)


def check(*logs: str) -> None:
    together = Study()
    for number, log in enumerate(logs):
        together.add(pair_sections(read_traces(log.splitlines())), f"{number}.log")
    together.check()


A, B = "<FieldS m.A.inst_x {}>", "<FieldS m.B.inst_y {}>"


def test_logs_of_one_pypy_are_studied_together() -> None:
    check(loading(A.format(8), B.format(8)), loading(A.format(8)), loading(B.format(8)))


def test_fields_that_stand_elsewhere_are_of_another_pypy() -> None:
    with pytest.raises(InputError, match=r"0\.log and 1\.log are of two PyPys: <FieldS m\.A\.inst_x 8> of one is <F"):
        check(loading(A.format(8), B.format(8)), loading(A.format(16), B.format(16)))
    with pytest.raises(InputError, match="two PyPys"):
        check(loading(A.format(8), B.format(8)), loading(A.format("8 pure"), B.format(8).replace("FieldS", "FieldU")))


def test_functions_with_other_effects_are_of_another_pypy() -> None:
    with pytest.raises(InputError, match="two PyPys"):
        check(loading(A.format(8)), loading(A.format(16), descr="<Callv 0 r EF=4>"))
    check(loading(A.format(8)), loading(A.format(8), descr="<Callv 0 ri EF=4>"))
    check(*(loading(A.format(at), function="140", descr=f"<Callv 0 r EF={at // 4}>") for at in (8, 16)))


def test_a_name_that_several_classes_have_tells_nothing() -> None:
    check(loading(A.format(8)), loading(A.format(16)))
    check(loading(A.format(8), B.format(8)), loading(A.format(16), B.format(16)), loading(A.format(8), A.format(16)))
    check(loading("<FieldS tuple2.item0 8>", A.format(8)), loading("<FieldU tuple2.item0 8>", A.format(16)))
