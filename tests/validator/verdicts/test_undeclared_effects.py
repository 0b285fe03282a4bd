"""Calls that are declared to read or write arrays which are not declared themselves."""

from __future__ import annotations

import pytest

from tests.validator.pairs import judge
from validator import Proved, Refuted

TYPES = """+++
[call.f]
result = "void"
reads = [{reads}]
writes = [{writes}]
+++
[p0, i1, p2]
"""
STORE, CALL = "setarrayitem_gc(p0, i1, p2, descr=<ArrayP 8>)\n", "call_n(ConstClass(f), p0, descr=f)\n"
LOAD = "p{} = getarrayitem_gc_r(p0, i1, descr=<ArrayP 8>)\n"


@pytest.mark.parametrize("named", ["reads", "writes"])
def test_a_store_does_not_move_over_a_call_that_names_its_array(named: str) -> None:
    for memory, verdict in (('"<ArrayP 8>"', Refuted), ('"<FieldP a.b 8>"', Proved)):
        types = TYPES.format(**({"reads": "", "writes": ""} | {named: memory}))
        before, after = (f"{types}{one}{other}finish()\n" for one, other in ((STORE, CALL), (CALL, STORE)))
        assert isinstance(judge(before, after), verdict)


def test_no_item_is_forwarded_over_a_call_that_writes_its_array() -> None:
    for memory, verdict in (('"<ArrayP 8>"', Refuted), ('"<FieldP a.b 8>"', Proved)):
        types = TYPES.format(reads="", writes=memory)
        before = f"{types}{LOAD.format(3)}{CALL}{LOAD.format(4)}finish(p3, p4)\n"
        after = f"{types}{LOAD.format(3)}{CALL}finish(p3, p3)\n"
        assert isinstance(judge(before, after), verdict)
