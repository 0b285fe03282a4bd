"""Bridges to an inner label, with the preamble of the loop in the place of what was recorded of it."""

from __future__ import annotations

import pytest

from optimizer.ir.immutable import replace
from optimizer.ir.text import parse
from tests.validator.loop_pairs import LOADED_ONCE, edited
from validator import Failargs, Guards, Options, Proved, Unknown, Unsupported, Verdict, validate

LABEL = LOADED_ONCE.index("label(")
PREAMBLE = edited(f"{LOADED_ONCE[:LABEL]}jump(p0, i0)", ", origin=0", "")
ENTERED = edited(PREAMBLE, "[p0, i0]", "[p0, i0]\nguard_true(1)")
BRIDGE = "[p0, i0]\njump(p0, i0)"
BRIDGED = "[p0, i0]\ni3 = getfield_gc_i(p0, descr=Node.step)\njump(p0, i0, i3, descr=Body)"
SOONER = LOADED_ONCE[:LABEL] + edited(LOADED_ONCE[LABEL:], "1000", "500")
LATER = LOADED_ONCE[:LABEL] + edited(LOADED_ONCE[LABEL:], "1000", "2000")

BY_PREAMBLE = Options(by_preamble=True, moved=None)


def bridged(after: str, preamble: str, peeled: str, options: Options = BY_PREAMBLE) -> Verdict:
    return validate(parse(BRIDGE), parse(after), options, loop=(parse(preamble), parse(peeled)))


def test_the_body_does_what_the_preamble_would() -> None:
    assert isinstance(bridged(BRIDGED, PREAMBLE, LOADED_ONCE), Proved)


def test_its_guards_fail_where_those_of_the_preamble_do() -> None:
    """Only there is it known that the preamble has what was recorded: a recorded loop has that everywhere."""
    assert isinstance(bridged(BRIDGED, PREAMBLE, SOONER, Options(guards=Guards.SAFE)), Proved)
    assert isinstance(bridged(BRIDGED, PREAMBLE, SOONER), Unknown)
    assert isinstance(bridged(BRIDGED, PREAMBLE, LATER), Unknown)
    without_notes = replace(BY_PREAMBLE, failargs=Failargs.IGNORE, notes=False)
    assert isinstance(bridged(BRIDGED, PREAMBLE, LOADED_ONCE, without_notes), Proved)
    assert isinstance(bridged(BRIDGED, PREAMBLE, SOONER, without_notes), Unknown)


@pytest.mark.parametrize(
    ("begun", "asked", "kind"),
    [
        ("guard_true(1)", "guard_true(i4, origin=0) [p0, i0]", Proved),
        ("assert_not_none(p0)\nguard_true(1)", "guard_true(i4, origin=0) [p0, i0]", Proved),
        ("guard_true(1)", "guard_true(i4, origin=1) [p0, i5]", Unknown),
        ("guard_true(1) [p0, i0]", "guard_true(i4, origin=0) [p0, i0]", Unknown),
        ("guard_true(1) [p0, 77]", "guard_true(i4, origin=0) [p0, 77]", Unknown),
        ("i9 = same_as_i(1)\nguard_true(i9)", "guard_true(i4, origin=0) [p0, i0]", Unknown),
    ],
)
def test_what_the_label_wants_is_asked_in_front_of_the_preamble(begun: str, asked: str, kind: type[Verdict]) -> None:
    """Where that has begun: of what another guard lists that never fails, no proof of the loop has said anything."""
    after = edited(BRIDGED, "jump", f"i4 = int_lt(i0, 77)\ni5 = int_add(i0, i3)\n{asked}\njump")
    entered, peeled = edited(ENTERED, "guard_true(1)", begun), LOADED_ONCE.replace("origin=0", "origin=1")
    assert isinstance(bridged(after, entered, peeled), kind)


@pytest.mark.parametrize("is_behind", [False, True])
def test_a_guard_behind_a_store_is_none_at_which_the_preamble_has_begun(*, is_behind: bool) -> None:
    """The recorded loop has such a guard in front of the store."""
    store, asks = "setfield_gc(p0, 5, descr=Node.step)", "i4 = int_lt(i0, 77)\nguard_true(i4, origin=0) [p0, i0]"
    first = [store, "guard_true(1)"] if is_behind else ["guard_true(1)", store]
    rest = "i2 = int_add(i0, 1)\ni3 = int_lt(i2, 1000)\nguard_true(i3) [p0, i2]\n"
    preamble = "\n".join(["[p0, i0]", *first, f"{rest}jump(p0, i2)\n"])
    named = "\n".join(["[p0, i0]", *first, rest]).replace("guard_true(1)", "guard_true(1, origin=0)")
    body = rest.replace("i2", "i5").replace("i0", "i2").replace("i3", "i6").replace("i6)", "i6, origin=1)")
    peeled = (
        f"{named.replace('i3)', 'i3, origin=1)')}label(p0, i2, descr=Body)\n{store}\n{body}jump(p0, i5, descr=Body)\n"
    )
    ahead = (store, asks) if is_behind else (asks,)
    after = "\n".join(["[p0, i0]", *ahead, "jump(p0, i0, descr=Body)"])
    verdict = bridged(after, preamble, peeled, Options(by_preamble=True, guards=Guards.SAFE))
    assert isinstance(verdict, Proved) is not is_behind, verdict


@pytest.mark.parametrize(("first", "kind"), [("guard_true(1)", Proved), ("guard_not_invalidated()", Unknown)])
def test_that_guard_in_front_always_passes(first: str, kind: type[Verdict]) -> None:
    entered = edited(ENTERED, "guard_true(1)", first)
    asked = "i4 = int_lt(i0, 77)\nguard_true(i4, origin=0) [p0, i0]\njump"
    named = f"{first[:-1]}, origin=0)".replace("(, ", "(")
    after = edited(edited(BRIDGED, "[p0, i0]\n", f"[p0, i0]\n{named} [p0, i0]\n"), "jump", asked)
    assert isinstance(bridged(after, entered, LOADED_ONCE.replace("origin=0", "origin=1")), kind)


OF_FIRST = """[p0, p1, i0]
i1 = getfield_gc_i(p0, descr=Node.step)
i2 = int_add(i0, i1)
i3 = int_lt(i2, 1000)
guard_true(i3) [p1, i2]
jump(p1, p1, i2)
"""
OF_SECOND = edited(
    OF_FIRST,
    "jump(p1, p1, i2)\n",
    """label(p1, i2, descr=Body)
i4 = getfield_gc_i(p1, descr=Node.step)
i5 = int_add(i2, i4)
i6 = int_lt(i5, 1000)
guard_true(i6) [p1, i5]
jump(p1, i5, descr=Body)
""",
).replace(") [", ", origin=0) [")


@pytest.mark.parametrize(("stored", "kind"), [("setfield_gc(p2, i7, descr=Node.step)\n", Proved), ("", Unsupported)])
def test_a_preamble_that_may_read_what_the_bridge_has_not_written_says_nothing(
    stored: str, kind: type[Verdict]
) -> None:
    """What was recorded need not read that, and goes on."""
    bridge = f"[p1, i0]\ni7 = getfield_gc_i(p1, descr=Node.step)\np2 = new(descr=Node)\n{stored}jump(p2, p1, i0)"
    after = edited(bridge, "jump(p2, p1, i0)", "jump(p1, i0, descr=Body)")
    declared = '+++\n[struct.Node]\ncleared = false\nfields = { step = "int" }\n+++\n'
    before, after, preamble, peeled = (parse(declared + text) for text in (bridge, after, OF_FIRST, OF_SECOND))
    assert isinstance(validate(before, after, BY_PREAMBLE, loop=(preamble, peeled)), kind)


def test_what_the_preamble_watches_is_no_promise_of_the_recorded_loop() -> None:
    """Where the event changes the field, the guard of the recorded loop fails with 5, and that of the body with 6."""
    declared = '+++\n[call.ev]\nresult = "void"\ncan_invalidate = true\nwrites = ["C.version"]\n'
    declared += '[struct.C]\nfields = { version = "int" }\n+++\n'
    again = "guard_not_invalidated() [p0]\ncall_n(1, i1, descr=ev)\nguard_not_invalidated() [p0]\n"
    again += "i2 = getfield_gc_i(p0, descr=C.version)\ni3 = int_eq(i1, i2)\nguard_true(i3) [p0, i0]\n"
    load, watch = "i1 = getfield_gc_i(p0, descr=C.version)\n", "quasiimmut_field(p0, descr=C.version)\n"
    first = f"{declared}[p0, i0]\n{load}{watch}{again}"
    body = f"{load}{again}".replace("i1", "i4").replace("i0", "i1").replace("i2", "i5").replace("i3", "i6")
    peeled = parse(f"{first}label(p0, i1, descr=Body)\n{body}jump(p0, i4, descr=Body)\n")
    loop = parse(f"{first}jump(p0, i1)\n"), peeled
    bridge = parse("[p0, i0]\njump(p0, 5)\n")
    right, wrong = (parse(f"[p0, i0]\njump(p0, {number}, descr=Body)\n") for number in (5, 6))
    assert isinstance(validate(bridge, right, BY_PREAMBLE, loop=loop), Proved)
    assert isinstance(validate(bridge, wrong, BY_PREAMBLE, loop=loop), Unknown)


@pytest.mark.parametrize("can_raise", [False, True])
def test_a_preamble_may_not_ask_any_more_whether_an_exception_is_pending(*, can_raise: bool) -> None:
    """The result of its own call is known, which may raise nevertheless for all that is declared."""
    declared = '+++\n[call.f]\nresult = "int"\nelidable = true\ncan_raise = true\n'
    declared += "results = [ { args = [3], value = 7 } ]\n"
    declared += f'[call.ev]\nresult = "void"\ncan_raise = {str(can_raise).lower()}\nreads = []\nwrites = []\n+++\n'
    first = "escape_n(i0)\ni1 = call_i(1, 3, descr=f)\ni2 = int_add(i0, 7)\ni3 = int_lt(i2, 100)\nguard_true(i3) [i2]\n"
    body = first.replace("i2", "i4").replace("i0", "i2").replace("i1", "i5").replace("i3", "i6")
    peeled = parse(f"{declared}[i0]\n{first}label(i2, descr=Body)\n{body}jump(i4, descr=Body)\n")
    bridge = f"{declared}[i0]\ncall_n(2, i0, descr=ev)\njump(i0"
    verdict = validate(
        parse(f"{bridge})\n"),
        parse(f"{bridge}, descr=Body)\n"),
        BY_PREAMBLE,
        loop=(parse(f"{declared}[i0]\n{first}jump(i2)\n"), peeled),
    )
    assert isinstance(verdict, Unsupported if can_raise else Proved), verdict


@pytest.mark.parametrize(("declared", "kind"), [("", Unsupported), ("elidable = true\ncan_raise = true\n", Proved)])
def test_calls_of_a_preamble_are_declared(declared: str, kind: type[Verdict]) -> None:
    """What the recorded trace alone says of them, the preamble says in another way."""
    head = f'+++\n[call.hash]\nresult = "int"\n{declared}+++\n' if declared else ""
    first = "i1 = call_pure_i(ConstClass(h), i0, descr=hash)\nguard_no_exception() [p0]\n"
    body = first.replace("i0", "i2").replace("i1", "i3")
    peeled = f"{head}[p0, i0]\n{first}i2 = int_add(i0, i1)\nlabel(p0, i2, descr=Body)\n{body}i4 = int_add(i2, i3)\n"
    preamble = f"{head}[p0, i0]\n{first}i2 = int_add(i0, i1)\njump(p0, i2)\n"
    verdict = bridged("[p0, i0]\njump(p0, i0, descr=Body)", preamble, f"{peeled}jump(p0, i4, descr=Body)\n")
    assert isinstance(verdict, kind), verdict
