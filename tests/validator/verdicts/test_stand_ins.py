"""Constants that stand for new objects, where nobody asks which objects these are."""

from __future__ import annotations

from random import Random

import pytest

from optimizer.ir.faults import InputError
from optimizer.ir.run.interpreter import Finished, run
from optimizer.ir.run.objects import Ref
from optimizer.ir.text import format_trace, parse
from optimizer.ir.trace import Trace
from optimizer.ir.types.trace_layout import layout_of
from validator import Options, Proved, Refuted, Unknown, validate
from validator.prove.stand_ins import reading
from validator.verdict import Verdict

TYPES = """+++
string_identity = false

[struct.Pair]
identity = false
fields = { one = { type = "int", immutable = true }, other = { type = "ref", immutable = true } }

[struct.Loose]
identity = false
fields = { one = { type = "int", immutable = true }, other = "int" }

[struct.Box]
fields = { one = { type = "int", immutable = true } }

[call.change]
result = "void"
writes = ["str"]

[call.h]
result = "int"
elidable = true
reads = ["str"]

[call.known]
result = "int"
elidable = true
results = [{ args = ["five"], value = 7 }]

[const.five]
struct = "Pair"
fields = { one = 5, other = "ConstPtr(x)" }

[const.six]
struct = "Pair"
fields = { one = 6, other = "ConstPtr(x)" }

[const.loose]
struct = "Loose"
fields = { one = 5 }

[const.box]
struct = "Box"
fields = { one = 5 }

[const.x]
struct = "Box"
+++
"""
TYPES = TYPES.replace('"ConstPtr(x)"', '"x"')
FILLED = "p1 = newstr(2)\nstrsetitem(p1, 0, 97)\nstrsetitem(p1, 1, 98)\n"
PAIR = "p1 = new(descr=Pair)\nsetfield_gc(p1, 5, descr=Pair.one)\nsetfield_gc(p1, ConstPtr(x), descr=Pair.other)\n"
SHOWN = "escape_n(p1)\nfinish(p1)"
ASSUMED = "nobody asks for the identity of strings"


def verdict(before: str, after: str, types: str = TYPES) -> Verdict:
    header = f"{types}[p0, i0]\n"
    return validate(parse(f"{header}{before}\n"), parse(f"{header}{after}\n"), Options(audit=True))


ONE_FUNCTION = """i2 = call_i(ConstClass(f), p1, descr=h)
i3 = call_i(ConstClass(f), "ab", descr=h)
i4 = int_eq(i2, i3)
finish(i4)"""


def shown(constant: str) -> str:
    return f"escape_n({constant})\nfinish({constant})"


RIGHT = {
    "a string of constants": (FILLED + SHOWN, shown('"ab"'), ASSUMED),
    "an empty string": ("p1 = newstr(0)\n" + SHOWN, shown('""'), ASSUMED),
    "a string of code points": (
        "p1 = newunicode(1)\nunicodesetitem(p1, 0, 8364)\n" + SHOWN,
        shown('u"\\u20ac"'),
        ASSUMED,
    ),
    "an item of such a string": (
        f"{FILLED}i2 = strgetitem(p1, 1)\np3 = newstr(1)\nstrsetitem(p3, 0, i2)\nescape_n(p3)\nfinish(p1)",
        'escape_n("b")\nfinish("ab")',
        ASSUMED,
    ),
    "a struct of constants": (
        PAIR + SHOWN,
        shown("ConstPtr(five)"),
        "nobody asks for the identity of instances of Pair",
    ),
    "a function of the string and of the constant": (FILLED + ONE_FUNCTION, "finish(1)", ASSUMED),
    "a function of which it is known what it gives": (
        f"{PAIR}i2 = call_i(ConstClass(f), p1, descr=known)\nfinish(i2)",
        "finish(7)",
        "nobody asks for the identity of instances of Pair",
    ),
    "one that is still new": (FILLED + SHOWN, FILLED + SHOWN, None),
    "two strings, one of them new": (
        f"{FILLED}{FILLED.replace('p1', 'p2')}escape_n(p1)\nfinish(p2)",
        f'{FILLED.replace("p1", "p2")}escape_n("ab")\nfinish(p2)',
        ASSUMED,
    ),
}


@pytest.mark.parametrize(("before", "after", "assumed"), RIGHT.values(), ids=RIGHT)
def test_right(before: str, after: str, assumed: str | None) -> None:
    proved = verdict(before, after)
    assert isinstance(proved, Proved)
    assert proved.evidence.assumes == (() if assumed is None else (assumed,))
    assert proved.evidence.audit is not None
    assert proved.evidence.audit.checked
    if assumed is not None:
        assert isinstance(verdict(before, after, TYPES.replace("identity = false", "identity = true")), Refuted)


WRONG = {
    "other items": (FILLED + SHOWN, shown('"ac"')),
    "more items": (FILLED + SHOWN, shown('"abb"')),
    "other bytes than code points": (FILLED + SHOWN, shown('u"ab"')),
    "another constant at one place": (FILLED + SHOWN, 'escape_n("ab")\nfinish("ba")'),
    "an item that is not a constant": (
        "p1 = newstr(1)\ni1 = int_and(i0, 127)\nstrsetitem(p1, 0, i1)\n" + SHOWN,
        shown('"a"'),
    ),
    "an item that is stored too late": (
        "p1 = newstr(1)\nescape_n(p1)\nstrsetitem(p1, 0, 97)\nfinish(p1)",
        shown('"a"'),
    ),
    "an item that changes": (f"{FILLED}strsetitem(p1, 0, 98)\n{SHOWN}", shown('"ab"')),
    "an item that changes later": (f"{FILLED}escape_n(p1)\nstrsetitem(p1, 0, 98)\nfinish(p1)", shown('"ab"')),
    "an item that is copied": (f"{FILLED}copystrcontent(p1, p1, 0, 1, 1)\n{SHOWN}", shown('"ab"')),
    "items that an event may change": (
        f"{FILLED}call_n(1, p1, descr=change)\nfinish(p1)",
        'call_n(1, "ab", descr=change)\nfinish("ab")',
    ),
    "an item that changes under another name": (
        f"{FILLED}p2 = escape_r(p1)\nstrsetitem(p2, 0, 98)\nfinish(p1)",
        'p2 = escape_r("ab")\nstrsetitem(p2, 0, 98)\nfinish("ab")',
    ),
    "a string that is asked which it is": (
        f"{FILLED}i2 = ptr_eq(p1, p0)\nescape_n(p1)\nfinish(i2)",
        'escape_n("ab")\nfinish(0)',
    ),
    "a struct of other constants": (PAIR + SHOWN, shown("ConstPtr(six)")),
    "a struct that may change": (
        "p1 = new(descr=Loose)\nsetfield_gc(p1, 5, descr=Loose.one)\nsetfield_gc(p1, 5, descr=Loose.other)\n" + SHOWN,
        shown("ConstPtr(loose)"),
    ),
    "a struct that has an identity": (
        "p1 = new(descr=Box)\nsetfield_gc(p1, 5, descr=Box.one)\n" + SHOWN,
        shown("ConstPtr(box)"),
    ),
    "a field that is not set": (
        PAIR.replace("setfield_gc(p1, 5, descr=Pair.one)\n", "") + SHOWN,
        shown("ConstPtr(five)"),
    ),
    "a function that gives something else": (FILLED + ONE_FUNCTION, "finish(2)"),
    "a guard that hands over what is not filled": (
        "p1 = newstr(1)\nguard_isnull(p0) [p1]\nstrsetitem(p1, 0, 97)\nfinish(p1)",
        'guard_isnull(p0, origin=0) ["a"]\nfinish("a")',
    ),
}


@pytest.mark.parametrize(("before", "after"), WRONG.values(), ids=WRONG)
def test_wrong(before: str, after: str) -> None:
    assert isinstance(verdict(before, after), Refuted)


def test_where_not_all_possibilities_are_settled_nothing_is_refuted() -> None:
    twice = f"{FILLED}{FILLED.replace('p1', 'p2')}escape_n(p1)\nescape_n(p2)\nfinish(p1)"
    made = FILLED.replace("p1", "p2")
    assert isinstance(verdict(twice, f'{made}escape_n(p2)\nescape_n("ab")\nfinish(p2)'), Proved | Unknown)
    assert isinstance(verdict(twice, f'{made}escape_n("ab")\nescape_n(p2)\nfinish(p2)'), Unknown)


@pytest.mark.parametrize(
    "asks",
    [
        'setfield_gc(p0, p1, descr=f)\np3 = getfield_gc_r(p0, descr=f)\ni1 = ptr_eq(p3, "ab")\nfinish(i1)',
        'p3 = escape_r(p1)\nguard_value(p3, "ab") [p0]\nfinish(p1)',
        "p3 = escape_r(p1)\ni1 = ptr_eq(p0, p3)\nfinish(i1)",
        "p3 = escape_r(p1)\ni1 = cast_ptr_to_int(p3)\nfinish(i1)",
    ],
)
def test_nobody_knows_what_a_trace_gets_to_know_that_asks_under_another_name(asks: str) -> None:
    given = verdict(FILLED + asks, asks.replace("p1", '"ab"'))
    assert isinstance(given, Unknown), given
    other = asks.replace('"ab"', '"cd"').replace("(p0, p3)", "(NULL, p3)").replace("cast_ptr_to_int", "strlen")
    assert isinstance(verdict(FILLED + other, other.replace("p1", '"ab"')), Proved)


@pytest.mark.parametrize("seed", range(60))
def test_the_other_reading_does_the_same(seed: int) -> None:
    """Random fillings, stores, copies and uses: where a constant stands for a string, both runs end with the same
    items."""
    random = Random(seed)
    lines = []
    for _ in range(random.randrange(1, 4)):
        name, length = f"p{len(lines) + 1}", random.randrange(1, 3)
        lines.append(f"{name} = newstr({length})")
        stores = [f"strsetitem({name}, {at}, {random.choice((97, 98))})" for at in range(length)]
        random.shuffle(stores)
        lines += stores
    names = [line.partition(" ")[0] for line in lines if "newstr" in line]
    for number in range(random.randrange(4)):
        one, other = random.choice(names), random.choice(names)
        lines.insert(
            random.randrange(len(lines) + 1),
            random.choice(
                (
                    f"strsetitem({one}, 0, 99)",
                    f"copystrcontent({one}, {other}, 0, 0, 1)",
                    f"x{number} = strgetitem({one}, 0)",
                    f"escape_n({one})",
                )
            ),
        )
    recorded = f"{TYPES}[]\n" + "\n".join(lines) + f"\nfinish({', '.join(names)})\n"
    try:
        before = parse(recorded)
    except InputError:  # a use in front of its definition
        return
    after = parse(f'{TYPES}[]\nfinish("a", "b", "ab", "ba", "aa", "bb")\n')
    other_reading = reading(before, after, layout_of(before, after))
    if other_reading is not None:
        assert "newstr" in format_trace(before)
        assert _ends(before) == _ends(other_reading.trace)


def _ends(trace: Trace) -> object:
    done = run(trace, [])
    if not isinstance(done.outcome, Finished) or done.heap is None:
        return None
    return [
        [done.heap.objects[ref].cells.get(("str[]", at)) for at in range(done.heap.length(ref))]
        for ref in done.outcome.args
        if isinstance(ref, Ref)
    ]
