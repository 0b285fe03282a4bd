"""Stores that PyPy's optimizer does behind a call in front of which they were recorded."""

from __future__ import annotations

import pytest

from tests.pypy_logs import BOX, CALL, COUNT, bridge, judged, loop, recorded
from validator import Proved, Unknown
from validator.pypy.printed.calls.functions import FOREIGN, RPYTHON


def put_off(field: str, value: str = "i1", function: str = "keep", descr: str = CALL) -> str:
    """A new object whose field is filled behind the call that it is given to."""
    made, call = "p2 = new_with_vtable(descr=<SizeDescr 64>)", f"call_n(ConstClass({function}), p2, descr={descr})"
    store, end = f"setfield_gc(p2, {{}}, descr={field})", "finish(p2)"
    before = recorded("[p0, i1]", made, store.format("i1"), call, end)
    return before + bridge("[p0, i1]", *(f"+1: {line}" for line in (made, call, store.format(value), end)))


def reloaded() -> str:
    """A pair in which the optimizer takes the same function to write the field."""
    call, load = f"call_n(ConstClass(keep), p0, descr={CALL})", f"i{{}} = getfield_gc_i(p0, descr={COUNT})"
    lines = ("[p0]", load.format(1), call, load.format(2), "finish(i1, i2)")
    return recorded(*lines) + bridge(lines[0], *(f"+1: {line}" for line in lines[1:]))


@pytest.mark.parametrize("field", [BOX, COUNT])
def test_the_function_does_not_read_it(field: str) -> None:
    one, _ = judged(put_off(field) * 2)
    assert isinstance(one.verdict, Proved)
    assert one.texts is not None
    assert f"call {CALL}@keep does not read {field}" in one.texts.assumes


@pytest.mark.parametrize("field", [BOX, COUNT])
def test_a_store_alone_does_not_say_that_it_is_right_behind_the_call(field: str) -> None:
    (one,) = judged(put_off(field))
    assert isinstance(one.verdict, Unknown)
    assert f"call {CALL}@keep does not read {field}" in one.missing


@pytest.mark.parametrize("field", [BOX, COUNT])
def test_another_value_shows(field: str) -> None:
    (one,) = judged(put_off(field, value="7"))
    assert not isinstance(one.verdict, Proved)


def test_the_function_does_not_write_it_either() -> None:
    one, *_ = judged(put_off(COUNT) * 2 + reloaded())
    assert isinstance(one.verdict, Unknown)
    assert f"call {CALL}@keep does not write {COUNT}" in one.missing


def test_stores_to_an_object_that_is_not_made_say_nothing() -> None:
    store, call = f"setfield_gc(p2, i1, descr={COUNT})", f"call_n(ConstClass(keep), p0, descr={CALL})"
    load = f"i3 = getfield_gc_i(p2, descr={COUNT})"
    made = recorded("[p0, i1]", "p2 = new_with_vtable(descr=<SizeDescr 64>)", store, call, load, "finish(i3)")
    made += bridge("[p0, i1]", f"+1: {call}", "+1: finish(i1)")
    *others, last = judged(made * 2 + put_off(COUNT))
    assert all(isinstance(one.verdict, Proved) for one in others)
    assert not isinstance(last.verdict, Proved)


def done_in_front(*behind_it: str) -> str:
    """A pair in which the optimizer does a store to a field directly in front of the same function, behind these."""
    store, call = f"setfield_gc(p0, i1, descr={COUNT})", f"call_n(ConstClass(keep), p0, descr={CALL})"
    before = ("[p0, i1]", store, "i2 = int_add(i1, 1)", call, "finish(i2)")
    after = (*behind_it, store, call, "finish(i2)")
    return recorded(*before) + bridge("[p0, i1]", *(f"+1: {line}" for line in after))


def test_a_store_that_is_put_off_until_the_call_says_that_it_is_read() -> None:
    one, *_ = judged(put_off(COUNT) * 2 + done_in_front("i2 = int_add(i1, 1)"))
    assert isinstance(one.verdict, Unknown)
    assert f"call {CALL}@keep does not read {COUNT}" in one.missing


def test_a_store_that_stands_there_in_both_says_nothing() -> None:
    in_place = done_in_front("i2 = int_add(i1, 1)").replace(
        f"setfield_gc(p0, i1, descr={COUNT})\ni2 = int_add(i1, 1)",
        f"i2 = int_add(i1, 1)\nsetfield_gc(p0, i1, descr={COUNT})",
    )
    one, *_ = judged(put_off(COUNT) * 2 + in_place)
    assert isinstance(one.verdict, Proved)


def peeled(*is_late: bool, value: str = "i1") -> str:
    """A loop of which the preamble and the body fill a new object behind the call that it is given to, or in front."""
    made, call = "p{} = new_with_vtable(descr=<SizeDescr 24>)", f"call_n(ConstClass(keep), p{{}}, descr={CALL})"
    store = f"setfield_gc(p{{}}, {{}}, descr={BOX})"
    before = recorded("[p0, i1]", made.format(2), store.format(2, "i1"), call.format(2), "jump(p0, i1, descr=<Loop-1>)")
    parts = [
        [made.format(new), *([call.format(new), done] if late else [done, call.format(new)]), end]
        for late, new, stored, end in (
            (is_late[0], 2, "i1", "label(p0, i1, descr=TargetToken(141))"),
            (is_late[1], 3, value, "jump(p0, i1, descr=TargetToken(141))"),
        )
        for done in [store.format(new, stored)]
    ]
    lines = (line for part in parts for line in part)
    return before + loop("[p0, i1]", "label(p0, i1, descr=TargetToken(140))", *(f"+1: {line}" for line in lines))


def test_a_preamble_and_its_body_are_one_pair_that_says_so() -> None:
    for is_late in ((True, True), (True, False), (False, True)):
        (one,) = judged(peeled(*is_late))
        assert not isinstance(one.verdict, Proved)
        loop_, *others = judged(peeled(*is_late) + put_off(BOX) * 2)
        assert all(isinstance(other.verdict, Proved) for other in (loop_, *others))
    wrong, *_ = judged(peeled(True, True, value="7") + put_off(BOX) * 2)
    assert not isinstance(wrong.verdict, Proved)


GROW, FIELD = "ll_grow_by__stringbuilderPtr_Signed", "<FieldS pypy.interpreter.pyframe.PyFrame.inst_last_instr 40>"


LOOKUP = "ll_call_lookup_function_trampoline__v1691___simple_call__function_"
SET = "_ll_dict_setitem_lookup_done_trampoline__v1707___simple_call__function_"


@pytest.mark.parametrize(
    ("function", "descr"),
    [
        (GROW, CALL),
        ("_ll_append_multiple_char__stringbuilderPtr_Char_Signed", CALL),
        ("_split_by__str", CALL),
        ("_rsplit_by__str", CALL),
        ("ll_append_res_slice__stringbuilderPtr_rpy_stringPtr_Signed_Signed", CALL),
        (LOOKUP, "<Callv 0 r EF=5 OS=4>"),
        (SET, CALL),
        ("may_ignore_finalizer__pypy_interpreter_generator_GeneratorOrCoroutine", "<Callv 0 r EF=2>"),
        ("register_finalizer___pypy_interpreter_executioncon", "<Callv 0 r EF=2>"),
        ("_ll_0_alloc_with_del___", CALL),
        ("ll_pop_nonneg__dum_checkidxConst_listPtr_Signed", CALL),
        ("ll_listsetslice__listPtr_Signed_Signed_listPtr", CALL),
        ("ll_mul_trampoline__v2380___simple_call__function_", CALL),
        ("ll_extend_with_str_slice_startonly__listPtr_rpy_stringPtr_Signed", CALL),
        ("ll_join_chars_trampoline__v1287___simple_call__function_", CALL),
        ("ll_join__rpy_stringPtr_Signed_arrayPtr", CALL),
    ],
)
def test_what_functions_of_rpython_touch_is_known(function: str, descr: str) -> None:
    (one,) = judged(put_off(FIELD, function=function, descr=descr))
    assert isinstance(one.verdict, Proved)
    assert one.texts is not None
    assert RPYTHON in one.texts.assumes


STRING, NUMBER = (f"pypy.objspace.std.{name}" for name in ("unicodeobject.W_UnicodeObject", "intobject.W_IntObject"))


@pytest.mark.parametrize("function", [LOOKUP, SET])
@pytest.mark.parametrize("field", [f"<FieldS {STRING}.inst__length 16 pure>", f"<FieldS {NUMBER}.inst_intval 8 pure>"])
def test_the_length_of_a_string_and_objects_that_are_numbers_are_no_part_of_keys(function: str, field: str) -> None:
    (one,) = judged(put_off(field, function=function))
    assert isinstance(one.verdict, Proved)
    for wrong in ({"value": "7"}, {"descr": "<Callv 0 r EF=7>"}):
        (one,) = judged(put_off(field, function=function, **wrong))
        assert not isinstance(one.verdict, Proved)


@pytest.mark.parametrize(
    ("field", "changes"),
    [
        (FIELD, {"value": "7", "function": GROW}),
        (f"<FieldS {STRING}.inst__utf8 24 pure>", {"function": LOOKUP}),
        (FIELD, {"function": f"{GROW}_trampoline"}),
        (FIELD, {"function": f"not_{GROW}"}),
        (FIELD, {"function": GROW, "descr": "<Callv 0 r EF=7>"}),
        ("<FieldS stringbuilder.current_pos 16>", {"function": GROW}),
        ("<FieldS rpython.rlib.rsiphash.Seed.inst_k0l 8>", {"function": "_ll_strhash__rpy_stringPtr"}),
        ("<FieldS dicttable.num_live_items 8>", {"function": LOOKUP, "descr": "<Callv 0 r EF=5 OS=4>"}),
        ("<FieldS Key.inst_hash 8 pure>", {"function": LOOKUP, "descr": "<Callv 0 r EF=5 OS=4>"}),
        (FIELD, {"function": LOOKUP, "descr": "<Callv 0 r EF=7 OS=4>"}),
        (FIELD, {"function": "ll_call_lookup_function_trampoline"}),
        ("<FieldS list.length 8>", {"function": "_ll_list_resize_hint_really_look_inside_iff__listPtr_Signed_Bool"}),
        ("<FieldS dicttable.num_live_items 8>", {"function": "_ll_dictnext_look_inside_iff__dictiterPtr"}),
        ("<FieldS rpy_string.hash 8>", {"function": "_ll_strhash__rpy_stringPtr"}),
        ("<FieldS list.length 8>", {"function": "ll_pop_nonneg__dum_checkidxConst_listPtr_Signed"}),
        ("<FieldS list.length 8>", {"function": "ll_reverse_trampoline__v1548___simple_call__function_"}),
        ("<FieldS rpy_string.hash 8>", {"function": "ll_join_strs_trampoline__v1300___simple_call__function_"}),
        (FIELD, {"function": "ll_listcontains__listPtr_pypy_interpreter_baseobjspace_W_RootPtr"}),
        (FIELD, {"function": "ll_listeq__listPtr_listPtr_funcPtr"}),
        (FIELD, {"function": "ccall_getpid"}),
        (FIELD, {"function": "_ll_1_raw_free__timespecPtr", "descr": "<Callv 0 r EF=2 OS=111>"}),
    ],
)
def test_what_they_may_touch_is_not_put_off(field: str, changes: dict[str, str]) -> None:
    (one,) = judged(put_off(field, **changes))
    assert not isinstance(one.verdict, Proved)


@pytest.mark.parametrize(
    ("function", "given", "descr", "is_right"),
    [
        ("ccall_clock_gettime", ", i1, 7", "<Callv 0 ii EF=2>", True),
        ("ccall_getpid", "", "<Callv 0 EF=2>", True),
        ("_ll_0_raw_malloc_fixedsize___", "", "<Callv 0 EF=5>", True),
        ("_ll_1_raw_free__timespecPtr", ", i1", "<Callv 0 i EF=2 OS=111>", True),
        ("_ll_1_threadlocalref_get__INTLlT_Signed", ", 48", "<Callv 0 i EF=2 OS=5>", True),
        ("_ll_1_threadlocalref_get__INTLlT_Signed", ", 48", "<Callv 0 i EF=7 OS=5>", False),
        ("ccall_clock_gettime", ", i1, p0", "<Callv 0 ir EF=2>", False),
        ("ccall_clock_gettime", ", i1, 7", "<Callv 0 ii EF=7>", False),
        ("call_clock_gettime", ", i1, 7", "<Callv 0 ii EF=2>", False),
    ],
)
def test_functions_of_c_that_are_given_no_object_touch_none(
    function: str, given: str, descr: str, *, is_right: bool
) -> None:
    call = f"call_n(ConstClass({function}){given}, descr={descr})"
    store, end = f"setfield_gc(p0, i1, descr={FIELD})", "finish(i1)"
    before = recorded("[p0, i1]", store, call, end)
    (one,) = judged(before + bridge("[p0, i1]", *(f"+1: {line}" for line in (call, store, end))))
    assert isinstance(one.verdict, Proved) == is_right
    assert one.texts is not None
    assert (FOREIGN in one.texts.assumes) == is_right


@pytest.mark.parametrize(
    ("function", "array", "is_right"),
    [
        ("ccall_read", "<ArrayU 1>", False),
        ("ccall_read", "<ArrayS 8>", False),
        ("ccall_read", "<ArrayF 8>", False),
        ("ccall_read", "<ArrayP 8>", True),
        ("_ll_1_raw_free__bufferPtr", "<ArrayU 1>", True),
    ],
)
def test_functions_of_c_may_be_given_the_address_of_numbers(function: str, array: str, *, is_right: bool) -> None:
    kind = {"P": "r", "F": "f"}.get(array[6], "i")
    value = {"r": "p", "f": "f"}.get(kind, "i")
    load = f"{{}} = getarrayitem_gc_{kind}(p0, 0, descr={array})"
    call = f"call_n(ConstClass({function}), i1, descr=<Callv 0 i EF=2>)"
    first, second = (load.format(f"{value}{number}") for number in (2, 3))
    before, after = (first, call, second, f"finish({value}3)"), (first, call, f"finish({value}2)")
    (one,) = judged(recorded("[p0, i1]", *before) + bridge("[p0, i1]", *(f"+1: {line}" for line in after)))
    assert isinstance(one.verdict, Proved) == is_right


RESIZE = "_ll_list_resize_hint_really_look_inside_iff__listPtr_Signed_Bool"
EXTEND = "ll_extend_with_str_slice_startonly__listPtr_rpy_stringPtr_Signed"
NEXT, BUILD = "_ll_dictnext_look_inside_iff__dictiterPtr", "ll_build_trampoline__v1187___simple_call__function_"


@pytest.mark.parametrize(
    ("function", "load"),
    [
        (RESIZE, "getfield_gc_i(p0, descr=<FieldS list.length 8>)"),
        (EXTEND, "getfield_gc_i(p0, descr=<FieldS list.length 8>)"),
        (EXTEND, "getarrayitem_gc_i(p0, 0, descr=<ArrayU 1>)"),
        (GROW, "getfield_gc_i(p0, descr=<FieldS stringbuilder.current_pos 16>)"),
        (BUILD, "getfield_gc_i(p0, descr=<FieldS unicodebuilder.current_pos 16>)"),
        (NEXT, "getfield_gc_i(p0, descr=<FieldS dictiter.index 16>)"),
        (NEXT, "getfield_gc_i(p0, descr=<FieldS dicttable.lookup_function_no 40>)"),
        (SET, "getfield_gc_i(p0, descr=<FieldS dicttable.num_live_items 8>)"),
        (SET, "getinteriorfield_gc_i(p0, 0, descr=<InteriorFieldDescr <FieldS odictentry.value 8>>)"),
        (LOOKUP, "getarrayitem_gc_i(p0, 0, descr=<ArrayU 1>)"),
    ],
)
def test_what_they_do_write_has_to_be_loaded_again(function: str, load: str) -> None:
    call, end = f"call_n(ConstClass({function}), p0, descr={CALL})", "finish(i1, {})"
    before = recorded("[p0]", f"i1 = {load}", call, f"i2 = {load}", end.format("i2"))
    (wrong,) = judged(before + bridge("[p0]", *(f"+1: {line}" for line in (f"i1 = {load}", call, end.format("i1")))))
    assert not isinstance(wrong.verdict, Proved)


@pytest.mark.parametrize(
    ("function", "store"),
    [
        (LOOKUP, "setfield_gc(p0, i1, descr=<FieldS dicttable.entries 48>)"),
        (LOOKUP, "setinteriorfield_gc(p0, 0, i1, descr=<InteriorFieldDescr <FieldS odictentry.key 0>>)"),
        (NEXT, "setfield_gc(p0, i1, descr=<FieldS dicttable.num_ever_used_items 16>)"),
    ],
)
def test_two_stores_do_not_say_that_they_do_not_read_their_own(function: str, store: str) -> None:
    call, end = f"call_n(ConstClass({function}), p0, descr={CALL})", "finish()"
    wrong = recorded("[p0, i1]", store, call, end) + bridge("[p0, i1]", f"+1: {call}", f"+2: {store}", f"+3: {end}")
    one, _ = judged(wrong * 2)
    assert not isinstance(one.verdict, Proved)


@pytest.mark.parametrize("function", [RESIZE, "keep"])
def test_what_functions_do_to_items_is_never_assumed(function: str) -> None:
    """Pairs may speak of arrays of another type: items of frames, say, where the function copies or turns lists."""
    store, call = (
        "setarrayitem_gc(p0, 0, p1, descr=<ArrayP 8>)",
        f"call_n(ConstClass({function}), p2, 3, 1, descr=<Callv 0 rii EF=5>)",
    )
    before = recorded("[p0, p1, p2]", store, call, "finish()")
    pair = before + bridge("[p0, p1, p2]", *(f"+1: {line}" for line in (call, store, "finish()")))
    one, _ = judged(pair * 2)
    assert not isinstance(one.verdict, Proved)


@pytest.mark.parametrize(
    "field", ["<FieldS list.length 8>", "<FieldS tuple2.item0 8>", "<FieldS dicttable.num_live_items 8>"]
)
def test_nothing_is_assumed_of_fields_that_several_types_have(field: str) -> None:
    one, _ = judged(put_off(field) * 2)
    assert not isinstance(one.verdict, Proved)


@pytest.mark.parametrize(
    ("function", "field", "is_right"),
    [
        ("ll_call_lookup_function_trampoline__v1___simple_call__function_x", "<FieldP dicttable.entries 48>", True),
        ("ll_call_lookup_function_trampoline__v1___simple_call__function_x", "<FieldP dicttable.indexes 32>", False),
        ("_ll_dict_del_trampoline__v1___simple_call__function_x", "<FieldP dicttable.entries 48>", False),
        ("ll_dict_lookup_trampoline__v1___simple_call__function_x", "<FieldS dicttable.num_live_items 8>", True),
        ("ll_dict_lookup_trampoline__v1___simple_call__function_x", "<FieldS dicttable.num_ever_used_items 16>", True),
        ("ll_dict_lookup_trampoline__v1___simple_call__function_x", "<FieldS dicttable.resize_counter 24>", True),
        (
            "ll_call_lookup_function_trampoline__v1___simple_call__function_x",
            "<FieldS dicttable.resize_counter 24>",
            False,
        ),
        ("_ll_dict_del_trampoline__v1___simple_call__function_x", "<FieldS dicttable.num_live_items 8>", False),
    ],
)
def test_lookups_leave_items_where_they_are(function: str, field: str, *, is_right: bool) -> None:
    letter, kind = ("p", "r") if field.startswith("<FieldP") else ("i", "i")
    load = f"{letter}{{}} = getfield_gc_{kind}(p0, descr={field})".format
    call = f"call_n(ConstClass({function}), p0, descr={CALL})"
    before = recorded("[p0]", load(2), call, load(3), f"finish({letter}2, {letter}3)")
    after = (load(2), call, f"finish({letter}2, {letter}2)")
    pair = before + bridge("[p0]", *(f"+1: {line}" for line in after))
    one, _ = judged(pair * 2)
    assert isinstance(one.verdict, Proved) is is_right


def test_no_item_is_forwarded_over_a_call() -> None:
    load, call = (
        "p{} = getarrayitem_gc_r(p0, 0, descr=<ArrayP 8>)".format,
        f"call_n(ConstClass(keep), p1, descr={CALL})",
    )
    before = recorded("[p0, p1]", load(2), call, load(3), "finish(p2, p3)")
    pair = before + bridge("[p0, p1]", *(f"+1: {line}" for line in (load(2), call, "finish(p2, p2)")))
    one, _ = judged(pair * 2)
    assert not isinstance(one.verdict, Proved)


TABLE = "<FieldS dicttable.{} 8>"
LOOKUP = "i{{}} = call_i(ConstClass({name}_trampoline__v1___simple_call__function_), p2, i1, i1, 1, descr={descr})"


@pytest.mark.parametrize(
    ("function", "memory", "is_right"),
    [
        ("ll_dict_lookup", "lookup_function_no", True),
        ("ll_dict_lookup", "resize_counter", True),
        ("ll_dict_lookup", "num_live_items", True),
        ("ll_dict_lookup", "num_ever_used_items", False),
        ("ll_dict_lookup", "entries", False),
        ("ll_dict_lookup", "indexes", False),
        ("ll_call_lookup_function", "lookup_function_no", False),
        ("ll_call_lookup_function", "num_live_items", False),
    ],
)
def test_a_lookup_reads_what_it_needs_of_a_new_dict(function: str, memory: str, *, is_right: bool) -> None:
    made, store = "p2 = new(descr=<SizeDescr 56>)", f"setfield_gc(p2, 0, descr={TABLE.format(memory)})"
    call = LOOKUP.format(name=function, descr="<Calli 8 riii EF=5 OS=4>").format(3)
    rest = ("guard_no_exception({})", "finish(i3, p2)")
    before = recorded("[p0, i1]", made, store, call, *(line.format("") for line in rest))
    after = (made, call, store, rest[0].format("descr=<Guard0x7f10>) [i1]")[:-1], rest[1])
    (one,) = judged(before + bridge("[p0, i1]", *(f"+1: {line}" for line in after)))
    assert isinstance(one.verdict, Proved) is is_right
