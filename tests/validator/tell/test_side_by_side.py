"""Two traces beside each other: what stands beside what, which line is marked, and how wide it is."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

import pytest

from fuzz.cases.store import case_names, read_case
from optimizer.ir.rows.ops import Kind
from optimizer.ir.text import parse
from validator.command.validate import main
from validator.prove.judge import validate
from validator.tell.line_pairs import Row
from validator.tell.report import plain, verdict_text
from validator.tell.side_by_side import rows
from validator.verdict import Guards, Options, Refuted

LOADS = """\
[p0, i1, i2]
i3 = int_lt(i1, 100)
guard_true(i3) [i1]
i4 = getfield_gc_i(p0, descr=Node.value)
setfield_gc(p0, i2, descr=Node.value)
i5 = getfield_gc_i(p0, descr=Node.value)
finish(i5)
"""

STALE = """\
[p0, i1, i2]
i3 = int_ge(i1, 100)
guard_false(i3, origin=0) [i1]
i4 = getfield_gc_i(p0, descr=Node.value)
setfield_gc(p0, i2, descr=Node.value)
finish(i4)
"""


def refuted(before: str, after: str, options: Options | None = None) -> tuple[Row, ...]:
    one, two = parse(before), parse(after)
    verdict = validate(one, two, options)
    assert isinstance(verdict, Refuted)
    found = verdict.counterexample
    return tuple(rows(one, found.before, two, found.after, found.obligation, found.origins))


def first(found: Sequence[Row]) -> tuple[str, str]:
    (row,) = [row for row in found if row.is_first]
    return row.before.text, row.after.text


def test_guards_stand_beside_their_origins_and_ends_beside_ends() -> None:
    found = refuted(LOADS, STALE)
    texts = [(row.before.text, row.after.text) for row in found]
    assert ("guard_true(i3) [i1]", "guard_false(i3, origin=0) [i1]") in texts
    assert ("i5 = getfield_gc_i(p0, descr=Node.value)", "") in texts
    assert first(found) == ("finish(i5)", "finish(i4)")


def test_a_guard_does_not_stand_beside_another_one() -> None:
    before = "[i0, i1]\nguard_true(i0) [i0]\nguard_true(i1) [i0]\nfinish()\n"
    after = "[i0, i1]\nguard_true(i1, origin=1) [i0]\nfinish()\n"
    found = refuted(before, after)
    assert [(row.before.guard, row.after.guard) for row in found] == [(None, None), (0, None), (1, 0), (None, None)]
    assert first(found) == ("guard_true(i0) [i0]", "")


def test_an_operation_stands_beside_the_one_that_it_became() -> None:
    before = "[i0]\ni1 = int_add(i0, 1)\ni2 = int_floordiv(i1, 2)\nfinish(i2)\n"
    after = "[i0]\ni2 = int_rshift(i0, 1)\nfinish(i2)\n"
    texts = [(row.before.text, row.after.text) for row in refuted(before, after)]
    assert texts[1:3] == [("i1 = int_add(i0, 1)", ""), ("i2 = int_floordiv(i1, 2)", "i2 = int_rshift(i0, 1)")]


GUARDED = "[i0, i1]\ni2 = int_lt(i0, 5)\nguard_true(i2) [i0, i1]\nescape_n(i0)\nfinish(i0)\n"


@pytest.mark.parametrize(
    ("old", "new", "marked"),
    [
        ("[i0, i1]\ne", "[i1, i1]\ne", ("guard_true(i2) [i0, i1]", "guard_true(i2) [i1, i1]")),
        ("guard_true(i2) [i0, i1]\n", "", ("guard_true(i2) [i0, i1]", "")),
        ("int_lt(i0, 5)", "int_lt(i0, 4)", ("guard_true(i2) [i0, i1]", "guard_true(i2) [i0, i1]")),
        ("escape_n(i0)", "escape_n(i1)", ("escape_n(i0)", "escape_n(i1)")),
        ("escape_n(i0)\n", "", ("escape_n(i0)", "")),
        ("escape_n(i0)\n", "escape_n(i0)\nescape_n(i0)\n", ("", "escape_n(i0)")),
        ("finish(i0)", "finish(i1)", ("finish(i0)", "finish(i1)")),
        ("finish(i0)", "jump(i0)", ("finish(i0)", "jump(i0)")),
        ("i2 = ", "i3 = int_lshift(i0, i1)\ni2 = ", ("", "i3 = int_lshift(i0, i1)")),
    ],
)
def test_the_line_is_marked_where_the_runs_first_differ_in_what_matters(
    old: str, new: str, marked: tuple[str, str]
) -> None:
    assert first(refuted(GUARDED, GUARDED.replace(old, new), Options(guards=Guards.SAME))) == marked


def test_a_guard_that_fails_in_both_is_not_marked_where_an_event_differs() -> None:
    before = "[i0, i1]\nescape_n(i0)\nguard_true(i1) []\nfinish()\n"
    after = "[i0, i1]\nescape_n(7)\nguard_true(i1, origin=0) []\nfinish()\n"
    assert first(refuted(before, after)) == ("escape_n(i0)", "escape_n(7)")


CORPUS = Path(__file__).parents[3] / "corpus"
WRONG = [name for name in case_names(CORPUS) if read_case(CORPUS, name).expect == "refuted"]


@pytest.mark.parametrize("name", WRONG)
def test_of_each_wrong_pair_one_row_is_marked_and_all_lines_are_there(name: str) -> None:
    case = read_case(CORPUS, name)
    before = parse(case.before)
    after = parse(case.after or "", word=before.word)
    verdict = validate(before, after, case.options)
    if not isinstance(verdict, Refuted):
        return  # it takes the state of the case
    found = verdict.counterexample
    before, after = found.traces
    shown = list(rows(before, found.before, after, found.after, found.obligation, found.origins))
    assert sum(row.is_first for row in shown) == 1
    for side, trace in ((0, before), (1, after)):
        lines = [(row.before, row.after)[side] for row in shown]
        assert sum(bool(line.text) for line in lines) == 1 + len(trace.ops) + sum(
            len(op.exit.block) for op in trace.ops if op.exit is not None
        )
        assert [line.guard for line in lines if line.guard is not None] == list(range(len(trace.guards)))
    for row in shown:
        if row.before.text and row.after.text:
            assert (row.before.kind is Kind.END) == (row.after.kind is Kind.END)
            assert (row.before.guard is None) == (row.after.guard is None)


# Terminals.


def shown(width: int | None) -> list[str]:
    before, after = parse(LOADS), parse(STALE)
    return verdict_text(validate(before, after), plain, width).splitlines()


@pytest.mark.parametrize("width", [200, 120, 90, 80, 71, 70, 60, 40])
def test_no_line_is_longer_than_the_terminal(width: int) -> None:
    lines = shown(width)
    table = lines[lines.index("", 2) + 1 : -1]
    assert max(map(len, table)) <= width
    assert sum(line.startswith("  > ") for line in table) == (1 if width > 70 else 2)
    words = " ".join("".join(table).split())
    for op in (*parse(LOADS).ops, *parse(STALE).ops):
        assert op.op.name in words


def test_what_fits_is_as_in_a_pipe() -> None:
    assert shown(200) == shown(None)


def test_on_a_narrow_terminal_one_trace_stands_below_the_other() -> None:
    lines = shown(60)
    assert lines.index("    before") < lines.index("    after")
    assert "    i3 = int_lt(i1, 100)  # 1" in lines
    assert "    i3 = int_ge(i1, 100)  # 0" in lines


@pytest.mark.parametrize(("columns", "is_narrow"), [("60", True), ("200", False)])
def test_a_terminal_says_how_wide_it_is(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    columns: str,
    is_narrow: bool,
) -> None:
    (tmp_path / "before.trace").write_text(LOADS)
    (tmp_path / "after.trace").write_text(STALE)
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    monkeypatch.setenv("COLUMNS", columns)
    with suppress(SystemExit):
        main([str(tmp_path / "before.trace"), str(tmp_path / "after.trace")])
    assert ("\n    after\n" in capsys.readouterr().out) == is_narrow
