"""Functions on strings in the validator: pairs that are right, pairs that are not, and which object one gives."""

from __future__ import annotations

import pickle

import pytest
from certificates import is_checked
from declared_calls import event
from reference_strings import DECLARATIONS

from optimizer.ir.text import parse
from optimizer.ir.text.heap_printer import format_heap
from optimizer.ir.text.heap_reader import parse_heap
from optimizer.ir.trace import Trace
from optimizer.ir.types.known_calls import meant
from optimizer.ir.types.trace_layout import layout_of
from validator import Options, Proved, Refuted, Unknown, validate
from validator.prove.memory.shared_strings import sharing
from validator.verdict import Verdict

HEADER = "[p0, p1, i2, i3, p4]\n"
EQUAL = "i9 = call_i(1, {}, {}, descr=strequal)\n"
SLICE = "p5 = call_r(1, p0, i2, i3, descr=strslice)\n"
CONCAT = "p5 = call_r(1, p0, p1, descr=strconcat)\n"
VERY_LONG = f'"{70 * "a"}"'
BEGINS = (
    "p5 = newstr(i3)\ncopystrcontent(p1, p5, 0, 0, i3)\ncopystrcontent(p0, p5, 0, 0, i2)\n"
    "p6 = call_r(1, p0, 0, i3, descr=strslice)\n"
)
EITHER = "p7 = cond_call_value_r(p0, 1, i2, descr=ev)\np5 = newstr(i3)\ncopystrcontent(p7, p5, 0, 0, i3)\n"
CHARACTER = 'i7 = call_i(1, p0, 97, descr=unicodeeq_nonnull_char)\np8 = call_r(1, u"ab", 0, i7, descr=unicodeslice)\n'
EMPTY = (
    'i7 = ptr_eq("", {})\np8 = call_r(1, "", 0, i7, descr=strslice)\n'
    "i9 = call_i(1, p8, i7, i7, p1, descr=streq_slice_checknull)\nfinish(i7, p8, i9)"
)
PART = "i9 = call_i(1, {}, {}, i2, p4, descr=streq_slice_checknull)\n"
IS_SLICE = "i{} = call_i(1, {}, 0, i3, p1, descr=streq_slice_checknull)\nguard_true(i{}) []\n"
SLICES = IS_SLICE.format(8, "p0", 8) + IS_SLICE.format(9, "p4", 9)
LONG = 'i8 = call_i(1, "abcdefghijklmnopqrst", "abcdefghijklmnopqrsu", descr=strequal)\n'
TWICE = CONCAT + CONCAT.replace("p5", "p6")
FOLDED = 'p5 = call_r(1, "ab", "c", descr=strconcat)\n'
NEW = "p7 = newstr(1)\nstrsetitem(p7, 0, 65)\n"
THERE = "guard_nonnull(p0, origin=0) []\n"
BOTH = THERE + "guard_nonnull(p1, origin=1) []\n"
COPIED = (
    "i5 = strlen(p0)\ni6 = strlen(p1)\ni7 = int_add(i5, i6)\np5 = newstr(i7)\n"
    "copystrcontent(p0, p5, 0, 0, i5)\ncopystrcontent(p1, p5, 0, i5, i6)\n"
)

PROVED = {
    "the sum of the lengths": (
        CONCAT + "i6 = strlen(p0)\ni7 = strlen(p1)\ni8 = int_add_ovf(i6, i7)\nguard_no_overflow() [i2]\nfinish(i8)",
        CONCAT + "i8 = strlen(p5)\nfinish(i8)",
    ),
    "of a constant by another name": (
        'p5 = same_as_r("ab")\np6 = same_as_r(p5)\np7 = call_r(1, p6, "c", descr=strconcat)\nfinish(p7)',
        'finish("abc")',
    ),
    "of a string by another name": (
        CONCAT + "p6 = same_as_r(p0)\np7 = call_r(1, p6, p1, descr=strconcat)\nfinish(p5, p7)",
        CONCAT + "finish(p5, p5)",
    ),
    "the same object, an event between": (
        CONCAT + "escape_n()\n" + CONCAT.replace("p5", "p6") + "finish(p5, p6)",
        CONCAT + "escape_n()\nfinish(p5, p5)",
    ),
    "a comparison behind an event": (
        EQUAL.format("p0", "p1") + "escape_n()\nfinish(i9)",
        "escape_n()\n" + EQUAL.format("p0", "p1") + "finish(i9)",
    ),
    "a string is equal to itself": (EQUAL.format("p0", "p0") + "finish(i9)", "finish(1)"),
    "in the other order": (EQUAL.format("p0", "p1") + "finish(i9)", EQUAL.format("p1", "p0") + "finish(i9)"),
    "the empty string": (
        THERE + EQUAL.format("p0", '""') + "finish(i9)",
        THERE + "i8 = strlen(p0)\ni9 = int_is_zero(i8)\nfinish(i9)",
    ),
    "NULL": (THERE + EQUAL.format("p0", "NULL") + "finish(i9)", THERE + "finish(0)"),
    "NULL twice": (EQUAL.format("NULL", "NULL") + "finish(i9)", "finish(1)"),
    "constants": (
        EQUAL.format('"abc"', '"abd"') + 'i8 = call_i(1, u"ab", u"ab", descr=unicodeequal)\nfinish(i8, i9)',
        "finish(1, 0)",
    ),
    "other lengths": (
        BOTH + "i5 = strlen(p0)\ni6 = strlen(p1)\ni7 = int_lt(i5, i6)\nguard_true(i7) []\n"
        f"{EQUAL.format('p0', 'p1')}finish(i9)",
        BOTH + "i5 = strlen(p0)\ni6 = strlen(p1)\ni7 = int_lt(i5, i6)\nguard_true(i7, origin=2) []\nfinish(0)",
    ),
    "a single character": (
        THERE + "i5 = strlen(p0)\nguard_value(i5, 1) []\n" + EQUAL.format("p0", '"x"') + "finish(i9)",
        THERE + "i5 = strlen(p0)\nguard_value(i5, 1, origin=1) []\ni8 = strgetitem(p0, 0)\ni9 = int_eq(i8, 120)\n"
        "finish(i9)",
    ),
    "with a single character": (
        THERE + EQUAL.format("p0", '"x"') + "finish(i9)",
        THERE + "i9 = call_i(1, p0, 120, descr=streq_nonnull_char)\nfinish(i9)",
    ),
    "that may be NULL": (
        EQUAL.format("p0", '"x"') + "finish(i9)",
        "i9 = call_i(1, p0, 120, descr=streq_checknull_char)\nfinish(i9)",
    ),
    "neither is NULL": (
        BOTH + EQUAL.format("p0", "p1") + "finish(i9)",
        BOTH + "i9 = call_i(1, p0, p1, descr=streq_nonnull)\nfinish(i9)",
    ),
    "of one length": (
        BOTH + "i5 = strlen(p0)\ni6 = strlen(p1)\ni7 = int_eq(i5, i6)\nguard_true(i7) []\n"
        f"{EQUAL.format('p0', 'p1')}finish(i9)",
        BOTH + "i5 = strlen(p0)\ni6 = strlen(p1)\ni7 = int_eq(i5, i6)\nguard_true(i7, origin=2) []\n"
        "i9 = call_i(1, p0, p1, descr=streq_lengthok)\nfinish(i9)",
    ),
    "a slice": (
        SLICE + EQUAL.format("p5", "p1") + "finish(i9)",
        "i7 = int_sub(i3, i2)\ni9 = call_i(1, p0, i2, i7, p1, descr=streq_slice_checknull)\nfinish(i9)",
    ),
    "a slice and what is there": (
        "guard_nonnull(p1, origin=0) []\n" + SLICE + EQUAL.format("p1", "p5") + "finish(i9)",
        "guard_nonnull(p1, origin=0) []\ni7 = int_sub(i3, i2)\n"
        "i9 = call_i(1, p0, i2, i7, p1, descr=streq_slice_nonnull)\nfinish(i9)",
    ),
    "a slice and a character": (
        SLICE + EQUAL.format("p5", '"x"') + "finish(i9)",
        "i7 = int_sub(i3, i2)\ni9 = call_i(1, p0, i2, i7, 120, descr=streq_slice_char)\nfinish(i9)",
    ),
    "items of equal strings": (
        EQUAL.format("p0", "p1")
        + "guard_true(i9) []\ni5 = strgetitem(p0, i2)\ni6 = strgetitem(p1, i2)\ni7 = int_eq(i5, i6)\nfinish(i7)",
        EQUAL.format("p0", "p1") + "guard_true(i9, origin=0) []\nfinish(1)",
    ),
    "equal to one and the other": (
        EQUAL.format("p0", "p1")
        + "guard_true(i9) []\ni5 = call_i(1, p1, p4, descr=strequal)\nguard_true(i5) []\n"
        + "i6 = call_i(1, p4, p0, descr=strequal)\nfinish(i6)",
        EQUAL.format("p0", "p1")
        + "guard_true(i9, origin=0) []\ni5 = call_i(1, p1, p4, descr=strequal)\nguard_true(i5, origin=1) []\nfinish(1)",
    ),
    "hashes of equal strings": (
        THERE + EQUAL.format("p0", "p1") + "guard_true(i9) []\ni5 = strhash(p0)\ni6 = strhash(p1)\nfinish(i5, i6)",
        THERE + EQUAL.format("p0", "p1") + "guard_true(i9, origin=1) []\ni5 = strhash(p0)\nfinish(i5, i5)",
    ),
    "two slices that are the same": (
        SLICE + SLICE.replace("p5", "p6") + EQUAL.format("p5", "p6") + "finish(i9)",
        "finish(1)",
    ),
    "a long constant, an event between": (
        SLICE + EQUAL.format("p5", VERY_LONG) + f"i6 = strhash({VERY_LONG})\nescape_n()\n"
        + EQUAL.replace("i9", "i8").format("p5", VERY_LONG) + f"i7 = strhash({VERY_LONG})\nfinish(i6, i7, i8, i9)",
        SLICE + EQUAL.format("p5", VERY_LONG) + f"i6 = strhash({VERY_LONG})\nescape_n()\nfinish(i6, i6, i9, i9)",
    ),
    "an event behind it": (
        EQUAL.format("p0", "p1") + "escape_n()\nfinish(i9)",
        EQUAL.format("p1", "p0") + "escape_n()\nfinish(i9)",
    ),
    "a slice that is not made": (
        SLICE + "i6 = strlen(p5)\ni7 = strgetitem(p5, 2)\nfinish(i6, i7)",
        "i6 = int_sub(i3, i2)\ni8 = int_add(i2, 2)\ni7 = strgetitem(p0, i8)\nfinish(i6, i7)",
    ),
    "a slice by a copy": (
        SLICE + "finish(p5)",
        "i6 = int_sub(i3, i2)\np5 = newstr(i6)\ncopystrcontent(p0, p5, i2, 0, i6)\nfinish(p5)",
    ),
    "a slice of a slice": (
        SLICE + "p6 = call_r(1, p5, 1, 3, descr=strslice)\nfinish(p6)",
        "i6 = int_add(i2, 1)\ni7 = int_add(i2, 3)\np5 = call_r(1, p0, i6, i7, descr=strslice)\nfinish(p5)",
    ),
    "a concatenation by copies": (CONCAT + "finish(p5)", COPIED + "finish(p5)"),
    "copies by a concatenation": (
        COPIED + "finish(p5)",
        CONCAT + "finish(p5)",
    ),
    "a concatenation of constants": (
        'p5 = call_r(1, "ab", "c", descr=strconcat)\ni6 = strlen(p5)\ni7 = strgetitem(p5, 2)\nfinish(i6, i7)',
        "finish(3, 99)",
    ),
    "that nobody needs": (CONCAT + SLICE.replace("p5", "p6") + EQUAL.format("p5", "p6") + "finish()", "finish()"),
    "the same object twice": (TWICE + "finish(p5, p6)", CONCAT + "finish(p5, p5)"),
    "the same object, of what is the same": (
        TWICE + CONCAT.replace("p5", "p7").replace("p0", "p5") + CONCAT.replace("p5", "p8").replace("p0", "p6")
        + "finish(p7, p8)",
        CONCAT + CONCAT.replace("p5", "p7").replace("p0", "p5") + "finish(p7, p7)",
    ),
    "the same object of constants twice": (
        FOLDED + FOLDED.replace("p5", "p6") + "finish(p5, p6)",
        FOLDED + "finish(p5, p5)",
    ),
    "a constant that is there": ('p5 = call_r(1, "ab", "c", descr=strconcat)\nescape_n(p5)\nfinish()',
        'escape_n("abc")\nfinish()'),
}  # fmt: skip

WRONG = {
    "equal by identity": (EQUAL.format("p0", "p1") + "finish(i9)", "i9 = ptr_eq(p0, p1)\nfinish(i9)"),
    "equal by length": (
        BOTH + EQUAL.format("p0", "p1") + "finish(i9)",
        BOTH + "i5 = strlen(p0)\ni6 = strlen(p1)\ni9 = int_eq(i5, i6)\nfinish(i9)",
    ),
    "equal by the first character": (
        BOTH + "i7 = strgetitem(p0, 0)\ni8 = strgetitem(p1, 0)\n" + EQUAL.format("p0", "p1") + "finish(i9)",
        BOTH + "i7 = strgetitem(p0, 0)\ni8 = strgetitem(p1, 0)\ni9 = int_eq(i7, i8)\nfinish(i9)",
    ),
    "NULL is told apart": (
        EQUAL.format("p0", '"x"') + "finish(i9)",
        "i9 = call_i(1, p0, 120, descr=streq_nonnull_char)\nfinish(i9)",
    ),
    "the empty string": (
        THERE + EQUAL.format("p0", '""') + "finish(i9)",
        THERE + "i8 = strlen(p0)\ni9 = int_is_true(i8)\nfinish(i9)",
    ),
    "a slice starts at 0": (
        SLICE + EQUAL.format("p5", "p1") + "finish(i9)",
        "i7 = int_sub(i3, i2)\ni9 = call_i(1, p0, 0, i7, p1, descr=streq_slice_checknull)\nfinish(i9)",
    ),
    "a slice ends where it should not": (
        SLICE + EQUAL.format("p5", "p1") + "finish(i9)",
        "i9 = call_i(1, p0, i2, i3, p1, descr=streq_slice_checknull)\nfinish(i9)",
    ),
    "items behind slices that are equal": (
        SLICES + "i5 = strgetitem(p0, i2)\ni6 = strgetitem(p4, i2)\ni7 = int_eq(i5, i6)\nfinish(i7)",
        SLICES.replace("true(i8", "true(i8, origin=0").replace("true(i9", "true(i9, origin=1") + "finish(1)",
    ),
    "a copy of one string or another is compared again behind a change": (
        EITHER
        + EQUAL.format("p5", "p4")
        + "strsetitem(p1, 0, 65)\n"
        + EQUAL.replace("i9", "i8").format("p5", "p4")
        + "finish(i8, i9)",
        EITHER + EQUAL.format("p5", "p4") + "strsetitem(p1, 0, 65)\nfinish(i9, i9)",
    ),
    "an item of a slice": (
        SLICE + "i7 = strgetitem(p5, 2)\nfinish(i7)",
        "i7 = strgetitem(p0, 2)\nfinish(i7)",
    ),
    "concatenated the other way": (CONCAT + "finish(p5)", CONCAT.replace("p0, p1", "p1, p0") + "finish(p5)"),
    "concatenated with itself": (CONCAT + "finish(p5)", CONCAT.replace("p0, p1", "p0, p0") + "finish(p5)"),
    "the first part": (CONCAT + "finish(p5)", "finish(p0)"),
    "a constant with other items": ('p5 = call_r(1, "ab", "c", descr=strconcat)\nfinish(p5)', 'finish("abd")'),
    "the same object, changed between": (
        CONCAT + "strsetitem(p0, 0, 65)\n" + CONCAT.replace("p5", "p6") + "finish(p5, p6)",
        CONCAT + "strsetitem(p0, 0, 65)\nfinish(p5, p5)",
    ),
    "the same object, of a new string that was changed between": (
        (NEW + CONCAT + "strsetitem(p0, 0, 66)\n" + CONCAT.replace("p5", "p6") + "finish(p5, p6)").replace("p0", "p7"),
        (NEW + CONCAT + "strsetitem(p0, 0, 66)\nfinish(p5, p5)").replace("p0", "p7"),
    ),
    "a store goes behind, where constants are compared too": (
        "strsetitem(p4, 0, 99)\n" + LONG + EQUAL.format("p0", "p1") + "finish(i8, i9)",
        EQUAL.format("p0", "p1") + "strsetitem(p4, 0, 99)\n" + LONG + "finish(i8, i9)",
    ),
    "undefined where it was not": ("finish()", "i9 = call_i(1, p0, p1, descr=streq_nonnull)\nfinish()"),
}


def traces(*bodies: str) -> list[Trace]:
    return [parse(f"{DECLARATIONS}{HEADER}{body}\n") for body in bodies]


def verdict(before: str, after: str, options: Options | None = None) -> Verdict:
    return validate(*traces(before, after), options)


@pytest.mark.parametrize("name", PROVED)
def test_what_is_right_is_proved(name: str) -> None:
    assert isinstance(found := verdict(*PROVED[name]), Proved), found
    assert not found.evidence.vacuous


@pytest.mark.parametrize("name", WRONG)
def test_what_is_wrong_is_refuted(name: str) -> None:
    assert isinstance(found := verdict(*WRONG[name]), Refuted), found


@pytest.mark.parametrize("name", WRONG)
def test_what_is_wrong_is_never_checked(name: str) -> None:
    assert not is_checked(*traces(*WRONG[name]))


@pytest.mark.usefixtures("no_samples")
@pytest.mark.parametrize("name", WRONG)
def test_what_is_wrong_is_not_proved_without_samples(name: str) -> None:
    assert not isinstance(verdict(*WRONG[name]), Proved)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (EQUAL.format("p5", "p4"), EQUAL.format("p6", "p4")),
        (PART.format("p5", 1), PART.format("p5", 0)),
        (PART.format("p5", 1), PART.format("p0", 0)),
    ],
)
def test_a_string_is_not_compared_as_what_it_begins_with(before: str, after: str) -> None:
    pair = f"{BEGINS}{before}finish(i9)", f"{BEGINS}{after}finish(i9)"
    assert not isinstance(verdict(*pair), Proved)
    assert not is_checked(*traces(*pair))


@pytest.mark.parametrize(
    ("text", "left", "is_right"),
    [
        ('"x"', "i9 = call_i(1, p0, 120, descr=streq_nonnull_char)\n", True),
        ('"x"', "i9 = call_i(1, p0, 121, descr=streq_nonnull_char)\n", False),
        ('"xy"', "i9 = call_i(1, p0, 120, descr=streq_nonnull_char)\n", False),
        ('""', "i8 = strlen(p0)\ni9 = int_is_zero(i8)\n", True),
    ],
)
def test_a_comparison_with_a_constant_needs_no_solver(text: str, left: str, is_right: bool) -> None:
    length = "i5 = strlen(p0)\n"
    for one in ("p0", text), (text, "p0"):
        found = verdict(length + EQUAL.format(*one) + "finish(i9)", length + left + "finish(i9)")
        assert isinstance(found, Proved if is_right else Refuted)
        if isinstance(found, Proved):
            assert {settled.by for settled in found.evidence.obligations} == {"structure"}


@pytest.mark.parametrize("name", [*PROVED, *WRONG])
def test_every_trace_refines_itself(name: str) -> None:
    for body in {**PROVED, **WRONG}[name]:
        body = body.replace(", origin=0", "").replace(", origin=1", "").replace(", origin=2", "")
        assert isinstance(verdict(body, body), Proved)


@pytest.mark.parametrize(
    "after",
    [
        CONCAT + "i7 = ptr_eq(p5, p4)\nfinish(p5, i7)",
        CONCAT + "p6 = same_as_r(p5)\nfinish(p6, 0)",
    ],
)
def test_which_object_it_is_nobody_says(after: str) -> None:
    before = CONCAT + "i7 = ptr_eq(p5, p4)\nfinish(p5, i7)"
    assert isinstance(verdict(before, after), Proved)
    assert not isinstance(verdict(before, CONCAT + "i7 = ptr_eq(p5, p4)\nfinish(p4, i7)"), Proved)
    assert not isinstance(verdict(CONCAT + CONCAT.replace("p5", "p6") + "i7 = ptr_eq(p5, p6)\nfinish(i7)", "finish(1)"),
        Refuted)  # fmt: skip


def test_what_may_be_an_object_of_its_own_is_not_refuted_where_it_is_none() -> None:
    there = f'i6 = strlen("abc")\n{FOLDED}'
    squares = "i7 = int_mul(i2, i2)\ni8 = int_mul(i3, i3)\ni9 = int_sub(i7, i8)\nfinish(p5, i6, i9)"
    product = "i7 = int_add(i2, i3)\ni8 = int_sub(i2, i3)\ni9 = int_mul(i7, i8)\nfinish(p5, i6, i9)"
    traces = [parse(f"{DECLARATIONS}{HEADER}{there}{body}\n") for body in (product, squares)]
    assert isinstance(validate(*traces, Options(effort=1)), Unknown)
    folded = parse(f'{DECLARATIONS}{HEADER}finish("abc", 3, i2)\n')
    shared = sharing(traces[0], folded, layout_of(*traces))
    assert shared is not traces[0]
    assert isinstance(validate(shared, traces[1], Options(effort=1)), Refuted)


@pytest.mark.parametrize(
    "between", ["call_n(1, descr=fill)", "strsetitem(p7, 0, 66)", "copystrcontent(p1, p7, 0, 0, 1)"]
)
def test_what_may_have_been_changed_between_gives_another_string(between: str) -> None:
    made = CONCAT.replace("p0", "p7")
    declared = DECLARATIONS.removesuffix("+++\n") + event("fill", writes="str") + "+++\n"
    trace, once = (
        parse(f"{declared}{HEADER}{NEW}{made}{between}\n{more}\n")
        for more in (f"{made.replace('p5', 'p6')}finish(p5, p6)", "finish(p5, p5)")
    )
    assert sharing(trace, once, layout_of(trace)) is trace


def test_a_call_gives_again_what_it_gave_where_the_optimized_trace_has_fewer_of_them() -> None:
    twice = f"{TWICE}p7 = call_r(1, p1, p0, descr=strconcat)\n"
    before, kept, once = (
        parse(f"{DECLARATIONS}{HEADER}{body}\n")
        for body in (f"{twice}finish(p5, p6, i2)", f"{TWICE}finish(p5, p6, i2)", f"{CONCAT}finish(p5, p5, i2)")
    )
    layout = layout_of(before)
    assert sharing(before, kept, layout) is before
    assert sharing(before, once, layout) is not before
    assert isinstance(validate(before, kept), Proved)
    assert isinstance(validate(before, once), Proved)


def test_what_the_trace_changes_is_no_constant() -> None:
    made = 'p5 = call_r(1, "ab", "c", descr=strconcat)\ni7 = ptr_eq(p5, p4)\nstrsetitem(p5, 0, 65)\n'
    assert not isinstance(verdict(made + "finish(i3)", 'i8 = strlen("abc")\nfinish(i2)'), Proved)


@pytest.mark.parametrize(
    ("call", "text"),
    [
        ('"a", u"b", descr=strconcat', '"ab"'),
        ('"abc", 1, 5, descr=strslice', '"bc"'),
        ('"abc", -1, 3, descr=strslice', '"c"'),
        ('"abc", 2, 1, descr=strslice', '""'),
        ('"a", "b", descr=unicodeconcat', '"ab"'),
    ],
)
def test_a_call_that_is_undefined_gives_no_constant(call: str, text: str) -> None:
    trace = parse(f"{DECLARATIONS}[]\np5 = call_r(1, {call})\nfinish({text})\n")
    folded = parse(f"{DECLARATIONS}[]\nfinish({text})\n")
    assert sharing(trace, folded, layout_of(trace)) is trace


@pytest.mark.parametrize(
    ("declared", "call"),
    [
        ('result = "int"', "i5 = call_i(1, p0, p1, p1, descr=f)"),
        ('result = "int"', "i5 = call_i(1, p0, i2, descr=f)"),
        ('result = "int"\nloop_invariant = true', "i5 = call_i(1, p0, p1, descr=f)"),
        ('result = "int"', "i5 = cond_call_value_i(i2, 1, p0, p1, descr=f)"),
        ('result = "int"', "i5 = call_release_gil_i(0, ConstPtr(g), p1, descr=f)"),
        ('result = "void"', "call_n(1, p0, p1, descr=f)"),
        ('result = "ref"', "p5 = call_r(1, p0, p1, descr=f)"),
    ],
)
def test_other_calls_are_no_comparisons(declared: str, call: str) -> None:
    trace = parse(f'+++\n[call.f]\noopspec = "strequal"\n{declared}\n+++\n{HEADER}{call}\nfinish()\n')
    assert meant(trace.ops[0], layout_of(trace)) is trace.ops[0]


@pytest.mark.parametrize("name", ["in the other order", "two slices that are the same"])
def test_what_is_plainly_the_same_needs_no_solver(name: str) -> None:
    found = verdict(*PROVED[name])
    assert isinstance(found, Proved)
    assert "solving" not in {one.by for one in found.evidence.obligations}


AGAIN = SLICE.replace("p5", "p6")
STORE = "gc_store({}, 16, 99, 1)\n"


@pytest.mark.parametrize(
    ("between", "behind"), [(STORE.format("p0"), ""), ("", STORE.format("p5")), ("", STORE.format("p6"))]
)
def test_where_bytes_are_stored_a_call_gives_an_object_of_its_own(between: str, behind: str) -> None:
    before = SLICE + between + AGAIN + behind + "finish(p5, p6)"
    after = (SLICE + between + behind + "finish(p5, p5)").replace("p6,", "p5,")
    assert not isinstance(verdict(before, after), Proved)


@pytest.mark.parametrize("name", ["the same object twice", "a constant that is there", "a slice"])
def test_what_is_proved_is_audited(name: str) -> None:
    assert isinstance(verdict(*PROVED[name], options=Options(audit=True)), Proved)


def test_there_is_always_memory_left() -> None:
    declarations = DECLARATIONS.replace("elidable = true\n", "elidable = true\ncan_raise = true\n")
    before = parse(declarations + HEADER + CONCAT + "guard_no_exception() []\nfinish(p5)")
    assert isinstance(validate(before, parse(declarations + HEADER + COPIED + "finish(p5)")), Proved)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (f"{CHARACTER}finish(p8)", f"{CHARACTER}finish(p0)"),
        (EMPTY.format("p0"), EMPTY.format("p1")),
    ],
)
def test_a_string_holds_nothing_outside(before: str, after: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """In a model a character may be one that the comparison with a string of another length does not look at. A slice
    that is empty may be the empty string that is there."""
    monkeypatch.setattr("validator.search.running.sample_states", lambda *_: iter(()))
    found = verdict(before, after)
    if isinstance(found, Refuted):
        heap = found.counterexample.state.heap
        assert heap is not None
        assert parse_heap(format_heap(heap), heap.layout) == heap


def test_a_verdict_on_functions_on_strings_goes_to_another_process() -> None:
    found = verdict(CONCAT + "finish(p5)", CONCAT.replace("p0, p1", "p1, p0") + "finish(p5)")
    assert isinstance(found, Refuted)
    told = pickle.loads(pickle.dumps(found)).counterexample
    assert told.difference == found.counterexample.difference
    assert found.counterexample.state.heap.layout.known_calls
    assert told.state.heap.layout.known_calls == {}


KNOWN = """+++
[call.f]
result = "int"
elidable = true

[call.cc]
result = "ref"
elidable = true
oopspec = "strconcat"
+++
"""
ASKED = """i4 = call_i(2, p3, descr=f)
i5 = call_i(2, {}, descr=f)
i6 = int_eq(i4, i5)
finish(i6)
"""


@pytest.mark.parametrize(("other", "kind"), [('"ab"', Unknown), ('"abc"', Refuted), ("p7", Unknown)])
def test_a_function_may_be_given_the_constant_that_another_one_may_give(other: str, kind: type) -> None:
    """Then both calls of it are one; where it is given another string they are two."""
    made = [f'p{name} = call_r(1, "a", "b", descr=cc)\n' for name in (3, 7)]
    before = parse(f"{KNOWN}[]\n{''.join(made)}{ASKED.format(other)}")
    assert isinstance(validate(before, parse(f"{KNOWN}[]\nfinish(1)\n"), Options()), kind)
    assert isinstance(validate(before, before, Options()), Proved)
