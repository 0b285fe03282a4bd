"""Memory at side exits of pairs of a log."""

from __future__ import annotations

import pytest

from optimizer.ir.immutable import replace
from optimizer.ir.text import parse
from optimizer.ir.trace import Trace
from validator import Options, Proved, Refuted, Unknown, Verdict, validate
from validator.pypy.exits import prove_with_exits
from validator.pypy.resume_data import Loop
from validator.verdict import Settled, Status

COUNT = "<FieldS Counter.inst_count 8>"
NEXT = "<FieldP Node.inst_next 16>"
BEFORE = f"""
[p0, i1]
i2 = getfield_gc_i(p0, descr={COUNT})
guard_true(i1)
setfield_gc(p0, 5, descr={COUNT})
finish(i1)
"""
LIST = f"""
[p0, i1]
p2 = new(descr=<SizeDescr 24>)
setfield_gc(p0, p2, descr={NEXT})
i3 = int_lt(i1, 5)
guard_true(i3)
finish(p2)
"""


def validated(before: Trace, after: Trace, options: Options, loop: Loop) -> Verdict:
    return validate(before, after, options, loop=loop)


def judged(before: str, after: str, *, finds_runs: bool = True, loop: tuple[str, str] | None = None) -> Verdict:
    """The verdict, also where no run shows what differs."""

    def prove(one: Trace, other: Trace, options: Options, to: Loop) -> Verdict:
        verdict = validated(one, other, options, to)
        if finds_runs or not isinstance(verdict, Refuted):
            return verdict
        unsettled = Settled(verdict.counterexample.obligation, Status.UNKNOWN, "", 0.0)
        return Unknown(replace(verdict.evidence, obligations=(unsettled,)), "not settled")

    to = loop and (parse(loop[0]), parse(loop[1]))
    return prove_with_exits(parse(before), listing(after), to, Options(), prove).verdict


def listing(text: str) -> Trace:
    """The trace, whose guards hand over all that there is where they do not say what."""
    trace = parse(text)
    ahead = [(*trace.inputs, *(op.result for op in trace.ops[:at] if op.result)) for at in range(len(trace.ops))]
    return trace.of(
        replace(op, exit=replace(op.exit, failargs=names)) if op.exit and op.exit.failargs is None else op
        for op, names in zip(trace.ops, ahead, strict=True)
    )


def test_a_store_is_not_done_ahead_of_a_guard() -> None:
    assert isinstance(judged(BEFORE, BEFORE), Proved)
    guard, store = BEFORE.splitlines(keepends=True)[3:5]
    verdict = judged(BEFORE, BEFORE.replace(guard + store, store + guard))
    assert isinstance(verdict, Refuted)
    assert verdict.counterexample.obligation == f"guard 0: heap {COUNT}"


def test_a_number_is_not_stored_late() -> None:
    late = BEFORE.replace("guard_true(i1)\n", "").replace("finish", "guard_true(i1)\nfinish")
    assert isinstance(judged(late, BEFORE), Refuted)


def test_resume_data_may_store_an_object_that_is_made_later() -> None:
    lines = LIST.splitlines(keepends=True)
    late = "".join([*lines[:2], *lines[4:6], *lines[2:4], lines[6]])
    shown = prove_with_exits(parse(LIST), listing(late), None, Options(), validated)
    assert isinstance(shown.verdict, Proved)
    assert f"resume data makes objects and stores them to {NEXT} at side exits" in shown.verdict.evidence.assumes
    assert isinstance(validate(parse(LIST), parse(str(shown.after)), shown.options), Proved)
    assert isinstance(judged(LIST, late, finds_runs=False), Proved)


def test_a_guard_that_fails_where_the_recorded_trace_goes_on_is_refuted() -> None:
    verdict = judged(LIST, LIST.replace("int_lt(i1, 5)", "int_lt(i1, 4)"))
    assert isinstance(verdict, Refuted)


def test_what_else_differs_at_the_exit_is_not_resume_data() -> None:
    before = LIST.replace("guard_true(i3)\n", f"guard_true(i3)\nsetfield_gc(p0, 7, descr={COUNT})\n").replace(
        "[p0, i1]\n", f"[p0, i1]\ni9 = getfield_gc_i(p0, descr={COUNT})\n"
    )
    lines = before.splitlines(keepends=True)
    late = "".join([*lines[:3], *lines[5:7], *lines[3:5], *lines[7:]])
    assert isinstance(judged(before, late), Proved)
    early = "".join([*lines[:3], lines[7], *lines[5:7], *lines[3:5], *lines[8:]])
    assert not isinstance(judged(before, early), Proved)
    assert not isinstance(judged(before, early, finds_runs=False), Proved)


def test_a_constant_that_is_stored_late_is_not_resume_data() -> None:
    before = LIST.replace("p2 = new(descr=<SizeDescr 24>)\n", "").replace("p2, descr", "ConstPtr(k1), descr")
    before = before.replace("finish(p2)", "finish(p0)")
    lines = before.splitlines(keepends=True)
    late = "".join([*lines[:2], *lines[3:5], lines[2], lines[5]])
    assert not isinstance(judged(before, late), Proved)
    assert not isinstance(judged(before, late, finds_runs=False), Proved)


def test_a_store_that_is_done_early_is_not_resume_data() -> None:
    """Resume data stores what was put off into the one object, and takes nothing back in the other one."""
    accessed = f"[p0, p1, i1]\ni8 = ptr_eq(p0, p1)\nguard_false(i8)\np9 = getfield_gc_r(p1, descr={NEXT})\n"
    before = LIST.replace("[p0, i1]\n", f"{accessed}p7 = getfield_gc_r(p0, descr={NEXT})\n")
    before = before.replace("finish", f"setfield_gc(p1, p0, descr={NEXT})\nfinish")
    lines = before.splitlines(keepends=True)
    new, guard, early = lines[6:8], lines[8:10], lines[10]
    late = "".join([*lines[:6], *guard, *new, *lines[10:]])
    assert isinstance(judged(before, late), Proved)
    wrong = "".join([*lines[:6], early, *guard, *new, lines[11]])
    assert not isinstance(judged(before, wrong), Proved)
    assert not isinstance(judged(before, wrong, finds_runs=False), Proved)


def test_what_is_loaded_of_a_store_that_is_put_off_was_made() -> None:
    before = LIST.replace("i3 =", f"p4 = getfield_gc_r(p0, descr={NEXT})\nsetfield_gc(p2, p4, descr={NEXT})\ni3 =")
    lines = before.splitlines(keepends=True)
    late = "".join([*lines[:2], *lines[6:8], *lines[2:4], f"setfield_gc(p2, p2, descr={NEXT})\n", lines[8]])
    assert isinstance(judged(before, late), Proved)


def test_a_new_object_that_is_stored_early_is_not_resume_data() -> None:
    head = f"[p0, p1, i1]\ni8 = ptr_eq(p0, p1)\nguard_false(i8)\np9 = getfield_gc_r(p1, descr={NEXT})\n"
    head += f"p7 = getfield_gc_r(p0, descr={NEXT})\ni3 = int_lt(i1, 5)\n"
    one = f"p2 = new(descr=<SizeDescr 24>)\nsetfield_gc(p0, p2, descr={NEXT})\n"
    two = f"p4 = new(descr=<SizeDescr 24>)\nsetfield_gc(p1, p4, descr={NEXT})\n"
    before = f"{head}{one}guard_true(i3)\n{two}finish(i1)\n"
    assert isinstance(judged(before, f"{head}guard_true(i3)\n{one}{two}finish(i1)\n"), Proved)
    early = f"{head}{two}guard_true(i3)\n{one}finish(i1)\n"
    assert not isinstance(judged(before, early), Proved)
    assert not isinstance(judged(before, early, finds_runs=False), Proved)
    assert not isinstance(judged(before, swapped(early)), Proved)


def swapped(trace: str) -> str:
    """The same trace, in which either of two inputs has the name of the other."""
    return trace.replace("p0", "p#").replace("p1", "p0").replace("p#", "p1")


def test_inputs_correspond_by_position() -> None:
    first, second = (
        f"{name} = new(descr=<SizeDescr 24>)\nsetfield_gc(p0, {name}, descr={NEXT})\n" for name in ("p2", "p3")
    )
    head, last = f"[p0, p1, i1]\np7 = getfield_gc_r(p0, descr={NEXT})\n", f"{second}guard_false(i1)\nfinish(i1)\n"
    before, after = f"{head}{first}guard_true(i1)\n{last}", f"{head}guard_true(i1)\n{last}"
    assert isinstance(judged(before, after), Proved)
    assert isinstance(judged(before, swapped(after)), Proved)


HEAD = f"[p0, p1, i1]\np8 = getfield_gc_r(p0, descr={NEXT})\np9 = getfield_gc_r(p1, descr={NEXT})\n"
OTHER = "<FieldP Node.inst_other 24>"
NEW, LEFT, STORED = "p2 = new(descr=<SizeDescr 32>)\n", "guard_true(i1)\n", f"setfield_gc(p0, p2, descr={NEXT})\n"
SEEN, KEPT = "escape_n(p2)\n", f"setfield_gc(p1, p2, descr={OTHER})\n"
LOST = f"setfield_gc(p0, NULL, descr={NEXT})\n"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ((NEW, KEPT, STORED, LEFT), (NEW, KEPT, LEFT, STORED)),
        ((NEW, SEEN, STORED, LEFT), (NEW, SEEN, LEFT, STORED)),
        ((NEW, STORED, LEFT), (NEW, LEFT, STORED)),
        ((NEW, STORED, KEPT, LEFT, LOST), (NEW, KEPT, LEFT, LOST)),
    ],
    ids=["kept", "seen", "made for nothing", "kept, and stored nowhere"],
)
def test_an_object_that_is_made_is_not_stored_late(before: tuple[str, ...], after: tuple[str, ...]) -> None:
    texts = ["".join((HEAD, *lines, "finish(i1)\n")) for lines in (before, after)]
    assert not isinstance(judged(*texts), Proved)
    assert not isinstance(judged(texts[0], texts[1], finds_runs=False), Proved)


def test_what_is_made_for_another_place_is_stored_there_in_both() -> None:
    first = f"p3 = new(descr=<SizeDescr 32>)\nsetfield_gc(p1, p3, descr={NEXT})\n"
    before = f"{HEAD}{NEW}{SEEN}guard_false(i1)\n{STORED}{first}guard_true(i2)\nfinish(i1)\n".replace("i1]", "i1, i2]")
    after = before.replace(f"{first}guard_true(i2)\n", f"guard_true(i2)\n{first}")
    assert isinstance(judged(before, after), Proved)


def test_an_object_that_is_made_is_not_filled_early() -> None:
    filled = f"p4 = new(descr=<SizeDescr 32>)\nsetfield_gc(p2, p4, descr={NEXT})\n"
    one = f"p3 = new(descr=<SizeDescr 32>)\nsetfield_gc(p0, p3, descr={NEXT})\n"
    before = f"{HEAD}{NEW}{KEPT}{one}{LEFT}{filled}finish(i1)\n"
    assert isinstance(judged(before, f"{HEAD}{NEW}{KEPT}{LEFT}{one}{filled}finish(i1)\n"), Proved)
    for wrong in (f"{NEW}{KEPT}{filled}{LEFT}{one}", f"{NEW}{filled}{KEPT}{LEFT}{one}"):
        assert not isinstance(judged(before, f"{HEAD}{wrong}finish(i1)\n"), Proved)


CONTEXT = """\
+++
[call."get"]
result = "ref"
elidable = true
+++
[p0, i1]
p5 = call_r(ConstClass(current), 64, descr=get)
"""
AGAIN = f"setfield_gc(p5, p7, descr={NEXT})\n"


def entered(*lines: str, name: str = "p5") -> str:
    """A trace that stores a new object into another one, which a function gives."""
    head = f"{CONTEXT}p7 = getfield_gc_r(p5, descr={NEXT})\n"
    return "".join((head, *lines, "finish(i1)\n")).replace("p5", name)


ENTER = f"p2 = new(descr=<SizeDescr 24>)\nsetfield_gc(p5, p2, descr={NEXT})\n"
OTHERS = f"p4 = new(descr=<SizeDescr 32>)\nsetfield_gc(p5, p4, descr={NEXT})\n"
ALIKE = OTHERS.replace("32", "24")
MADE, FILLED = OTHERS.splitlines(keepends=True)
SHOWN = "escape_n(p4)\n"
BACK = f"setfield_gc(p5, p2, descr={NEXT})\n"
LEAVE, BEHIND = "i3 = int_lt(i1, 5)\nguard_true(i3)\n", "i4 = int_lt(i1, 3)\nguard_true(i4)\n"
LAST = "i6 = int_lt(i1, 1)\nguard_true(i6)\n"


def test_an_object_that_a_function_gives_is_one_in_both_traces() -> None:
    before, after = entered(ENTER, LEAVE, BEHIND), entered(LEAVE, ENTER, BEHIND, name="p9")
    assert isinstance(judged(before, after), Proved)


def test_what_is_stored_again_later_is_not_early() -> None:
    before, after = entered(ENTER, LEAVE, BEHIND, AGAIN, LAST), entered(LEAVE, ENTER, BEHIND, AGAIN, LAST, name="p9")
    assert isinstance(judged(before, after), Proved)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ((LEAVE, ENTER, BEHIND, AGAIN), (ENTER, LEAVE, BEHIND, AGAIN)),
        ((ENTER, LEAVE, AGAIN, BEHIND, LAST), (LEAVE, ENTER, BEHIND, AGAIN, LAST)),
        ((ENTER, LEAVE, OTHERS, BEHIND, BACK, LAST), (OTHERS, LEAVE, ENTER, LAST)),
        ((ENTER, LEAVE, ALIKE, BEHIND, BACK, LAST), (ALIKE, LEAVE, ENTER, BEHIND, BACK, LAST)),
        ((ENTER, LEAVE, BEHIND, OTHERS, BACK, LAST), (LEAVE, OTHERS, BEHIND, ENTER, LAST)),
        ((ENTER, MADE, SHOWN, FILLED, BEHIND, LAST), (ENTER, MADE, SHOWN, BEHIND, FILLED, LAST)),
    ],
    ids=["early", "late again", "another one", "another one alike", "another one behind", "made already"],
)
def test_what_a_function_gives_is_not_stored_to_at_another_place(
    before: tuple[str, ...], after: tuple[str, ...]
) -> None:
    texts = entered(*before), entered(*after, name="p9")
    assert not isinstance(judged(*texts), Proved)
    assert not isinstance(judged(*texts, finds_runs=False), Proved)


VALUE = "<FieldS Node.inst_value 8>"
SUM = f"""\
[p0, p1, i1]
i9 = ptr_eq(p0, p1)
guard_false(i9)
p7 = getfield_gc_r(p0, descr={NEXT})
p8 = getfield_gc_r(p1, descr={NEXT})
i4 = int_add(i1, 1)
"""
EXIT = "i3 = int_lt(i1, 5)\nguard_true(i3)"


def made(name: str, value: str = "i4") -> str:
    return f"{name} = new(descr=<SizeDescr 24>)\nsetfield_gc({name}, {value}, descr={VALUE})\n"


def stored(name: str, to: str = "p0", field: str = NEXT) -> str:
    return f"setfield_gc({to}, {name}, descr={field})\n"


def summed(*lines: str, listed: str = "") -> str:
    return "".join((SUM, *lines, "finish(i1)\n")).replace("EXIT", EXIT + listed + "\n")


FIRST, SECOND, GONE = made("p2") + stored("p2"), made("p5", "7") + stored("p5"), stored("NULL")
SHOW, SHOW_FIRST = "escape_n(p5)\n", "escape_n(p2)\n"
ITEM = "p6 = new(descr=<SizeDescr 24>)\nsetarrayitem_gc(p0, {}, p6, descr=<ArrayP 8>)\n"
EMPTY = "setarrayitem_gc(p0, {}, NULL, descr=<ArrayP 8>)\n"
STRUCTS = "descr=<InteriorFieldDescr <FieldP entry.key 0>>"
WITHIN = f"p6 = new(descr=<SizeDescr 24>)\nsetinteriorfield_gc(p0, 1, p6, {STRUCTS})\n"
GONE_WITHIN = f"setinteriorfield_gc(p0, 1, NULL, {STRUCTS})\n"
BACK_AGAIN, ANYTHING = stored("p8"), "escape_n(i1)\n"


def test_resume_data_makes_an_object_that_is_never_made() -> None:
    before, after = summed(FIRST, "EXIT", GONE), summed("EXIT", GONE, listed=" [p0, i4]")
    assert isinstance(judged(before, after), Proved)


@pytest.mark.parametrize("listed", ["p0", "i4", "p0, i1", "p1, i4"])
def test_resume_data_has_nothing_but_what_the_guard_hands_over(listed: str) -> None:
    before, after = summed(FIRST, "EXIT", GONE), summed("EXIT", GONE, listed=f" [{listed}]")
    assert isinstance(judged(before, after), Unknown)


def test_resume_data_takes_what_is_made_from_what_the_guard_hands_over() -> None:
    lines = made("p5"), made("p2"), stored("p5", "p2", OTHER)
    before = summed(*lines, stored("p2"), "EXIT", GONE, SHOW)
    for listed, is_proved in (("p0, i4, p5", True), ("p0, i4", False)):
        after = summed(made("p5"), "EXIT", GONE, SHOW, listed=f" [{listed}]")
        assert isinstance(judged(before, after), Proved) == is_proved


@pytest.mark.parametrize(
    ("before", "after", "listed"),
    [
        ((FIRST, SECOND, "EXIT", GONE), (FIRST, "EXIT", GONE), "[p1]"),
        ((FIRST, "EXIT", GONE), (made("p2"), "EXIT", GONE), "[p0, i4]"),
    ],
)
def test_what_resume_data_may_do_is_not_refuted(before: tuple[str, ...], after: tuple[str, ...], listed: str) -> None:
    assert isinstance(judged(summed(*before), summed(*after, listed=f" {listed}")), Unknown)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ((FIRST, SECOND, "EXIT", GONE), ("EXIT", GONE)),
        ((FIRST, SECOND, "EXIT", GONE), (FIRST, "EXIT", GONE)),
        ((ITEM.format(1), "EXIT", EMPTY.format(1)), ("EXIT", EMPTY.format(1))),
    ],
    ids=["of two", "of two, one of which is done", "an item"],
)
def test_resume_data_does_the_last_store_to_a_place(before: tuple[str, ...], after: tuple[str, ...]) -> None:
    assert isinstance(judged(summed(*before), summed(*after)), Proved)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ((FIRST, SECOND, SHOW, "EXIT"), (made("p5", "7"), SHOW, "EXIT", stored("p5"))),
        ((FIRST, SECOND, SHOW, "EXIT"), (FIRST, made("p5", "7"), SHOW, "EXIT", stored("p5"))),
        ((FIRST, SECOND, SHOW, "EXIT", GONE), (made("p5", "7"), SHOW, "EXIT", GONE)),
        (
            (FIRST, SHOW_FIRST, "EXIT", GONE),
            (made("p2"), stored("p2", "p1"), SHOW_FIRST, stored("p8", "p1"), "EXIT", GONE),
        ),
        (
            (FIRST, made("p5"), stored("p5", "p1"), "EXIT", GONE, stored("NULL", "p1")),
            ("EXIT", GONE, stored("NULL", "p1")),
        ),
        ((ITEM.format("i1"), "EXIT", EMPTY.format("i1")), ("EXIT", EMPTY.format("i1"))),
        ((FIRST, "EXIT", SECOND, SHOW_FIRST), (SECOND, "EXIT", made("p2"), SHOW_FIRST)),
        ((FIRST, "EXIT", GONE, SHOW_FIRST), (GONE, "EXIT", made("p2"), SHOW_FIRST)),
        ((FIRST, "EXIT", SHOW_FIRST), ("EXIT", SECOND, SHOW)),
        ((FIRST, "EXIT", SHOW_FIRST), ("EXIT", made("p2", "i1"), stored("p2"), SHOW_FIRST)),
        ((FIRST, "EXIT", SHOW_FIRST), ("EXIT", "p2 = new(descr=<SizeDescr 24>)\n", stored("p2"), SHOW_FIRST)),
        ((FIRST, "EXIT", GONE), (made("p2"), "EXIT", GONE)),
        ((FIRST, "EXIT", GONE), (made("p9", "9"), "EXIT", GONE)),
        ((WITHIN, "EXIT", GONE_WITHIN), ("EXIT", GONE_WITHIN)),
        ((BACK_AGAIN, ANYTHING, FIRST, "EXIT", BACK_AGAIN), (BACK_AGAIN, ANYTHING, BACK_AGAIN, "EXIT")),
    ],
    ids=[
        "the second one late",
        "the second one late behind the first",
        "the second one nowhere",
        "shown elsewhere",
        "two objects",
        "an index that is not known",
        "another object taken back",
        "nothing taken back",
        "another object",
        "another value",
        "a value missing",
        "made for nothing",
        "another one made for nothing",
        "in a struct of an array",
        "a store taken back behind a call",
    ],
)
def test_what_resume_data_cannot_do_is_not_proved(before: tuple[str, ...], after: tuple[str, ...]) -> None:
    for listed in ("", " [p0, p1, i1, i4, p7, p8]"):
        texts = summed(*before), summed(*after, listed=listed)
        assert not isinstance(judged(*texts), Proved)
        assert not isinstance(judged(*texts, finds_runs=False), Proved)


ELSEWHERE, OTHER_ITEM = stored("p8", "p1"), "setarrayitem_gc(p1, 0, p8, descr=<ArrayP 8>)\n"
READ_ELSEWHERE = f"p10 = getfield_gc_r(p1, descr={NEXT})\nescape_n(p10)\n"
MORE = "i5 = int_lt(i1, 3)\nguard_true(i5)\n"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ((FIRST, ELSEWHERE, "EXIT"), (ELSEWHERE, "EXIT", FIRST)),
        ((FIRST, ELSEWHERE, "EXIT", GONE), (ELSEWHERE, "EXIT", GONE)),
        ((FIRST, READ_ELSEWHERE, "EXIT"), (READ_ELSEWHERE, "EXIT", FIRST)),
        ((ITEM.format(0), OTHER_ITEM, "EXIT", EMPTY.format(0)), (OTHER_ITEM, "EXIT", EMPTY.format(0))),
        ((FIRST, "EXIT", MORE), ("EXIT", MORE)),
        ((BACK_AGAIN, "EXIT", GONE), ("EXIT", GONE)),
    ],
    ids=["a store", "a store, and taken back", "a load", "an item", "done nowhere", "an object that is there"],
)
def test_a_store_is_not_put_off_where_inputs_may_be_one_object(before: tuple[str, ...], after: tuple[str, ...]) -> None:
    texts = [summed(*lines).replace("i9 = ptr_eq(p0, p1)\nguard_false(i9)\n", "") for lines in (before, after)]
    assert not isinstance(judged(*texts), Proved)
    assert not isinstance(judged(texts[0], texts[1], finds_runs=False), Proved)


@pytest.mark.parametrize(("done", "is_right"), [(FIRST, True), (stored("p8"), False)])
def test_a_store_is_put_off_behind_one_to_what_may_be_the_same_object(done: str, *, is_right: bool) -> None:
    other, last = made("p5", "7") + stored("p5", "p1"), made("p3", "i1") + stored("p3")
    texts = [summed(*lines) for lines in ((FIRST, other, last, "EXIT"), (done, other, "EXIT", last))]
    texts = [text.replace("i9 = ptr_eq(p0, p1)\nguard_false(i9)\n", "") for text in texts]
    assert isinstance(judged(*texts), Proved) == is_right


NULL_FIELD = f"p6 = getfield_gc_r(p2, descr={OTHER})\nguard_isnull(p6)\n"


def test_a_guard_may_come_from_the_one_in_front() -> None:
    guard = "i5 = int_lt(i1, 3)\nguard_true(i5)"
    before = summed("EXIT", FIRST, f"{guard}\n", GONE)
    assert isinstance(judged(before, summed("EXIT", f"{guard} [p1]\n", GONE, listed=" [p1]")), Proved)
    made_between = made("p5")
    before = summed("EXIT", made_between, FIRST, f"{guard}\n", GONE, SHOW)
    after = summed("EXIT", made_between, f"{guard} [p1]\n", GONE, SHOW, listed=" [p1]")
    assert not isinstance(judged(before, after), Proved)
    seen = "escape_n(p1)\n"
    before = summed("EXIT", seen, FIRST, f"{guard}\n", GONE)
    assert not isinstance(judged(before, summed("EXIT", seen, f"{guard} [p1]\n", GONE, listed=" [p1]")), Proved)


@pytest.mark.parametrize(("listed", "between", "is_proved"), [("p7", "", True), ("p8", "", False), ("p7", GONE, False)])
def test_a_guard_on_a_value_changes_nothing_that_the_one_behind_it_hands_over(
    listed: str, between: str, *, is_proved: bool
) -> None:
    value, guard = "guard_value(p7, ConstPtr(k1))", "i5 = int_lt(i1, 3)\nguard_true(i5)"
    before = summed(f"{value}\n", between, FIRST, f"{guard}\n", GONE)
    after = summed(f"{value} [p7]\n", between, f"{guard} [{listed}]\n", GONE)
    assert isinstance(judged(before, after), Proved) is is_proved


def test_a_guard_may_come_from_a_later_one_that_asks_the_same() -> None:
    before = summed(FIRST, NULL_FIELD, GONE, "guard_isnull(p7)\n")
    assert isinstance(judged(before, summed(GONE, "guard_isnull(p7, origin=1) [p7]\n")), Proved)


def test_items_are_made_by_whatever_they_came_there() -> None:
    array = "<ArrayP 8>"
    copy = '+++\n[array."<ArrayP 8>"]\nitem = "ref"\n[call.copy]\nresult = "void"\noopspec = "arraycopy"\n'
    copy += 'reads = ["<ArrayP 8>"]\nwrites = ["<ArrayP 8>"]\n+++\n'
    two = f"p2 = new_array_clear(1, descr={array})\nsetarrayitem_gc(p2, 0, p8, descr={array})\n"
    two += f"p3 = new_array_clear(1, descr={array})\ncall_n(ConstClass(f), p2, p3, 0, 0, 1, descr=copy)\n{stored('p3')}"
    before, after = copy + summed(two, "EXIT", GONE), copy + summed("EXIT", GONE, listed=" [p0, p8]")
    assert isinstance(judged(before, after), Proved)
    assert not isinstance(judged(before, after.replace("p0, p8]", "p0, p7]")), Proved)


LOOP = f"""\
[p0, i1]
p7 = getfield_gc_r(p0, descr={NEXT})
i4 = int_add(i1, 1)
{made("p2")}{stored("p2")}i3 = int_lt(i4, 100)
guard_true(i3)
{GONE}jump(p0, i4)
"""
PEELED = f"""\
[p0, i1]
i4 = int_add(i1, 1)
i3 = int_lt(i4, 100)
guard_true(i3) [p0, i4]
{GONE}label(p0, i4, descr=Body)
i5 = int_add(i4, 1)
i6 = int_lt(i5, 100)
guard_true(i6) [p0, i5]
{GONE}jump(p0, i5, descr=Body)
"""
TEST = "i3 = int_lt(i1, 500)\n"
MAKES = f"{made('p2', 'i1')}{stored('p2')}{TEST}guard_true(i3)\n{GONE}"
BRIDGE = f"[p0, i1]\np7 = getfield_gc_r(p0, descr={NEXT})\n{MAKES}jump(p0, i1)\n"
TO_BODY = f"[p0, i1]\n{TEST}guard_true(i3) [p0, i1]\n{GONE}jump(p0, i1, descr=Body)\n"


def test_resume_data_of_a_body() -> None:
    assert isinstance(judged(LOOP, PEELED), Proved)
    for values in ("p0, i4", "p0, i5"):
        assert not isinstance(judged(LOOP, PEELED.replace(f"[{values}]", "[p0]")), Proved)
    assert not isinstance(judged(LOOP, PEELED.replace("[p0, i5]", "[p0, i4]")), Proved)


def test_resume_data_of_a_bridge_to_a_body() -> None:
    assert isinstance(judged(BRIDGE, TO_BODY, loop=(LOOP, PEELED)), Proved)
    assert not isinstance(judged(BRIDGE, TO_BODY.replace("[p0, i1]\nset", "[p0]\nset"), loop=(LOOP, PEELED)), Proved)
    assert not isinstance(judged(BRIDGE, TO_BODY, loop=(LOOP, PEELED.replace("[p0, i5]", "[p0]"))), Proved)


PASSING = LIST.replace("finish(p2)", f"setfield_gc(p0, NULL, descr={NEXT})\nfinish(i1)")
NEVER_MADE = f"""
[p0, i1]
i3 = int_lt(i1, 5)
guard_true(i3, origin=0)
setfield_gc(p0, NULL, descr={NEXT})
finish(i1)
"""
UNSEEN = PASSING.replace("guard_true", f"setfield_gc(p0, NULL, descr={NEXT})\nguard_true")
IN_TIME = NEVER_MADE.replace("guard_true", f"setfield_gc(p0, NULL, descr={NEXT})\nguard_true")


@pytest.mark.parametrize(
    ("before", "after", "proofs", "is_proved"),
    [
        (PASSING, NEVER_MADE, 1, True),
        (PASSING, NEVER_MADE.replace(", origin=0", ""), 2, True),
        (PASSING, NEVER_MADE.replace("finish(i1)", "finish(i3)"), 2, False),
        (PASSING, NEVER_MADE.replace("NULL", "p0"), 2, False),
        (UNSEEN, IN_TIME, 1, True),
        (UNSEEN, NEVER_MADE, 2, False),
    ],
)
def test_what_resume_data_has_to_do_is_proved_at_once(before: str, after: str, proofs: int, *, is_proved: bool) -> None:
    asked: list[Trace] = []

    def prove(one: Trace, other: Trace, options: Options, to: Loop) -> Verdict:
        asked.append(other)
        return validated(one, other, options, to)

    shown = prove_with_exits(parse(before), listing(after), None, Options(), prove)
    assert isinstance(shown.verdict, Proved) is is_proved
    assert len(asked) == proofs
    is_resumed = "resume data makes" in str(shown.verdict)
    assert is_resumed == (is_proved and before is PASSING)


def test_operations_have_the_numbers_of_the_trace_that_is_shown() -> None:
    before, after = (text.replace("i1]", "i1, p8]") for text in (PASSING, NEVER_MADE))
    after = after.replace("finish", f"i9 = getfield_gc_i(p8, descr={COUNT})\nfinish")
    shown = prove_with_exits(parse(before), listing(after), None, Options(), validated)
    assert isinstance(shown.verdict, Refuted)
    assert shown.verdict.counterexample.obligation == "op 3: defined"
    assert shown.after.ops[3].op.name == "getfield_gc_i"
