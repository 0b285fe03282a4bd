"""What is kept of the logs of a PyPy: one log more, that nobody judges, and that says no more than its logs did."""

from __future__ import annotations

import json
from collections.abc import Callable
from operator import ge

import pytest
from hypothesis import given
from hypothesis import strategies as st

from optimizer.ir.faults import InputError
from tests.pypy_logs import CALL, COUNT, across_a_call, boxed, bridge, judged, judged_together, learned, recorded
from tests.validator.pypy.test_several import (
    HERE,
    THERE,
    A,
    B,
    are_proved,
    asked_twice,
    compared,
    loaded_again,
    loading,
    put_off,
)
from tests.validator.pypy.test_stock import LOG as PEELED
from validator import Unknown
from validator.pypy.inferred.witnesses import SEEN_ELSEWHERE
from validator.pypy.kept import Kept, parse_kept
from validator.pypy.study import Study, study

QUASI = "<FieldS m.A.inst_q 8 pure>"
WATCHED = recorded(
    "[p0]", "quasiimmut_field(p0, descr=<QuasiImmutDescr 7>)", f"i1 = getfield_gc_i(p0, descr={QUASI})", "finish(p0)"
) + bridge("[p0]", "finish(p0)")
LOGS = [
    *(put_off(point) for point in (HERE, THERE)),
    put_off(HERE) + put_off(HERE),
    put_off(HERE, "ConstClass(0x7f1020)"),
    put_off(HERE, field="<FieldS dicttable.num_live_items 8>"),
    across_a_call(),
    loaded_again(),
    *(asked_twice(point, is_gone=is_gone) for point in (HERE, THERE) for is_gone in (True, False)),
    *(compared(point, is_gone=is_gone) for point in (HERE, THERE) for is_gone in (True, False)),
    *(compared(HERE, "h;c.py:1-1~#0 LOAD_ATTR", is_gone=is_gone) for is_gone in (True, False)),
    loading(A.format(8), B.format(8)),
    loading(A.format(8), A.format(16)),
    PEELED,
    WATCHED,
    boxed(),
]
"""Logs that say something of each kind, and contradict one another."""


def texts_of(log: str, *known: Kept) -> list[str]:
    """What the proof of the first pair of a log rests on."""
    first = judged(log, *known)[0]
    assert first.texts is not None
    return [*first.texts.assumes]


# Learning.


@given(st.lists(st.sampled_from(LOGS), min_size=1, max_size=6), st.integers(0, 6))
def test_learning_again_gives_what_learning_all_gives(logs: list[str], split: int) -> None:
    whole = learned(*logs)
    first, rest = learned(*logs[:split]), logs[split:]
    again = learned(*rest, known=[parse_kept(first.text, "known.json")])
    assert again.text == whole.text
    assert parse_kept(whole.text, whole.name) == whole
    assert learned(*logs[split:], *logs[:split]).text == whole.text


@pytest.mark.parametrize("log", LOGS)
def test_what_is_kept_says_what_its_log_has_said(log: str) -> None:
    other = LOGS[(LOGS.index(log) + 5) % len(LOGS)]
    together, _ = judged_together(log, other)
    alone = judged(log, learned(other))
    twice = judged(log, learned(other, other.replace("#40", "#42")))
    assert all(map(ge, are_proved(together), are_proved(alone)))
    assert all(map(ge, are_proved(twice), are_proved(alone)))
    assert are_proved(twice) == are_proved(judged_together(log, other, other.replace("#40", "#42"))[0])


def test_what_is_told_by_its_address_or_shared_is_not_kept() -> None:
    text = learned(*(put_off(HERE, name) * 2 for name in ("ConstClass(0x7f1020)", "139915471225424"))).text
    assert "put off" not in text
    assert "put off" not in learned(put_off(HERE, field="<FieldS dicttable.num_live_items 8>") * 2).text
    assert "put off" in learned(put_off(HERE) * 2).text
    assert "a.py" not in learned(*LOGS).text


# Evidence for and against.


def test_a_witness_in_the_file_and_one_elsewhere_in_the_log_are_two() -> None:
    known = learned(put_off(THERE))
    assert are_proved(judged(put_off(HERE), known)) == [True]
    told = texts_of(put_off(HERE), known)
    assert f"call {CALL}@keep does not read {COUNT}{SEEN_ELSEWHERE}" in told


@pytest.mark.parametrize("again", [HERE, HERE.replace("/home", "/tmp/x"), HERE.replace(":4-9", ":5-10")])
def test_a_witness_in_the_file_and_one_at_the_same_place_of_the_log_are_one(again: str) -> None:
    assert are_proved(judged(put_off(HERE), learned(put_off(again)))) == [False]
    assert are_proved(judged(put_off(HERE), learned(put_off(again)), learned(put_off(again)))) == [False]


def test_two_files_that_say_it_of_two_places_are_two_witnesses() -> None:
    files = [learned(put_off(point)) for point in (HERE, THERE)]
    assert are_proved(judged(put_off(HERE), *files)) == [True]


def test_what_the_log_says_itself_is_not_said_to_be_seen_elsewhere() -> None:
    known = learned(put_off(THERE) * 2, across_a_call())
    assert not [what for what in texts_of(put_off(HERE) * 2, known) if what.endswith(SEEN_ELSEWHERE)]
    assert not [what for what in texts_of(across_a_call(), known) if what.endswith(SEEN_ELSEWHERE)]


def test_what_files_say_of_bytecodes_is_used_and_told() -> None:
    one, other = compared(HERE, "h;c.py:1-1~#0 LOAD_ATTR"), compared(THERE, "k;d.py:2-2~#6 LOAD_ATTR")
    apart = "constants that objects of Number are compared with{} are of other classes"
    assert are_proved(judged(one, learned(other))) == are_proved(judged(one, learned(one, other))) == [True]
    assert are_proved(judged(one, learned(one))) == [False]
    assert apart.format(" in LOAD_ATTR") + SEEN_ELSEWHERE in texts_of(one, learned(other))
    assert apart.format("") in texts_of(one + one, learned(other))
    assert are_proved(judged(one, learned(one, other, compared(HERE, "m;e.py:4-4~#8 LOAD_ATTR", is_gone=False)))) == [
        False
    ]


def test_what_the_file_denies_is_not_assumed_though_the_log_relies_on_it() -> None:
    assert are_proved(judged(across_a_call())) == [True]
    (wrong,) = judged(across_a_call(), learned(loaded_again()))
    assert isinstance(wrong.verdict, Unknown)
    assert f"call {CALL}@tell does not write {COUNT}" in wrong.missing


def test_an_effect_that_was_relied_on_once_is_not_assumed_elsewhere() -> None:
    def assumed(*known: Kept) -> list[str]:
        return [*map(str, study([], "log", *known).effects)]

    once, elsewhere = learned(across_a_call()), learned(across_a_call().replace("#40", "#42"))
    assert assumed(once) == assumed(once, once) == []
    effect = f"call {CALL}@tell does not write {COUNT}"
    assert assumed(once, elsewhere) == assumed(learned(across_a_call() * 2)) == [effect]
    assert assumed(once, elsewhere, learned(loaded_again())) == []


def test_what_the_log_denies_is_not_assumed_though_the_file_relies_on_it() -> None:
    known = learned(across_a_call() * 3)
    assert are_proved(judged(across_a_call(), known)) == [True]
    assert are_proved(judged(loaded_again() + across_a_call(), known)) == [True, False]


@pytest.mark.parametrize("pair", [asked_twice, compared])
def test_of_constants_the_file_says_what_they_are_not(pair: Callable[..., str]) -> None:
    here, there = (pair(point.replace("FOR_ITER", "IS_OP")) for point in (HERE, THERE))
    known, contradicted = learned(there * 2), learned(pair(THERE, is_gone=False))
    assert are_proved(judged(here, known)) == [False]
    assert are_proved(judged(here + there, known)) == [True] * 2
    assert are_proved(judged(here + there, contradicted)) == [False] * 2


def test_what_contradicts_statements_on_bytecodes_is_kept() -> None:
    assert ("class", "denied", "FOR_ITER'") in learned(compared(THERE, is_gone=False)).rows


def test_a_field_that_was_watched_elsewhere_may_change() -> None:
    never, log = f"{QUASI} never changes", loading(QUASI)
    assert never in texts_of(log)
    assert never not in texts_of(log, learned(WATCHED))


# Faults of an optimizer.


@pytest.mark.parametrize("known", [[put_off(HERE)], [put_off(THERE)], [put_off(HERE) * 2, put_off(THERE) * 2]])
def test_a_wrong_store_is_not_made_right(known: list[str]) -> None:
    assert are_proved(judged(put_off(HERE, value="7"), learned(*known))) == [False]
    lost = "\n".join(line for line in put_off(HERE).splitlines() if not line.startswith("+1: setfield"))
    assert are_proved(judged(lost.replace("0x7f10 with 5 ops", "0x7f10 with 4 ops"), learned(*known))) == [False]


def test_a_load_that_is_forwarded_though_the_file_has_it_loaded_again_is_not_proved() -> None:
    known = learned(loaded_again() * 2, across_a_call())
    assert are_proved(judged(across_a_call(), known)) == [False]


# Files.


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda text: text[: len(text) // 2], "is damaged"),
        (lambda text: "", "is damaged"),
        (lambda text: "[]", "this is not what"),
        (lambda text: text.replace('"version": 3', '"version": 1'), "of version 1, not 3"),
        (lambda text: text.replace('"version": 3, ', ""), "of version None, not 3"),
        (lambda text: text.replace('"logs": 1', '"logs": "many"'), "is damaged"),
        (lambda text: text.replace('"logs": 1', '"logs": 1e999'), "is damaged"),
        (lambda text: text.replace('"logs": 1', '"logs": -1'), "is damaged"),
        (lambda text: text.replace('["call", "put off"', '["call", "put away"'), "is damaged"),
        (lambda text: text.replace('["call", "put off"', '["tall", "put off"'), "is damaged"),
        (lambda text: text.replace('"put off", ', ""), "is damaged"),
        (lambda text: text.replace('"put off"', "7"), "is damaged"),
        (lambda text: text.replace('"reads"', '"eats"'), "is damaged"),
        (lambda text: text.replace('["call", "put off"', '[], ["call", "put off"', 1), "is damaged"),
    ],
)
def test_a_file_that_nobody_has_written_so_is_refused(change: object, message: str) -> None:
    assert callable(change)
    text = learned(put_off(HERE)).text
    assert change(text) != text
    with pytest.raises(InputError, match=message):
        judged(boxed(), parse_kept(change(text), "known.json"))


def test_a_statement_has_a_line() -> None:
    text = learned(put_off(HERE)).text
    rows = [json.loads(line.rstrip(",")) for line in text.splitlines()[1:-1]]
    assert ["call", "put off", f"{CALL}@keep", "reads", COUNT, "f~#40 FOR_ITER"] in rows
    assert rows == sorted(rows)


# Two PyPys.


def agrees(log: str, *known: str) -> bool:
    one = Study()
    one.add([], "empty.log")
    one.take(learned(log))
    return one.agrees(learned(*known))


def test_knowledge_of_another_pypy_is_told() -> None:
    fields = ("<FieldS m.C.inst_z 8>", "<FieldS m.D.inst_z 8>", "<FieldS m.E.inst_z 8>")
    log = loading(A.format(8), B.format(8), *fields)
    assert agrees(log, log)
    assert agrees(log, log, loading(A.format(24)))
    assert not agrees(loading(A.format(16), B.format(8), *fields), log)
    assert not agrees(loading(A.format(16), B.format(16), *fields), log)


def test_a_log_that_names_little_of_what_is_known_is_not_of_that_pypy() -> None:
    known = loading(A.format(8))
    assert agrees(loading(A.format(8), B.format(8)), known)
    assert not agrees(loading(A.format(8), B.format(8), "<FieldS m.C.inst_z 8>"), known)
    assert not agrees(boxed(), known)


@pytest.mark.parametrize(
    ("known", "spans"),
    [
        (("<FieldP m.A.inst_y 24>", "<FieldP list.items 16>"), {"m.A": (8, 24)}),  # several structs are called list
        (("<FieldP m.A.inst_y 24>", "<FieldP m.A.inst_y 32>"), {}),  # two classes have that name
    ],
)
def test_where_fields_of_instances_stand_other_logs_tell(
    known: tuple[str, ...], spans: dict[str, tuple[int, int]]
) -> None:
    one = Study()
    one.add([], "empty.log")
    for field in (A.format(8), *known):
        one.take(learned(loading(field)))
    assert one.knowledge(0).fields.spans == spans
