"""Planted faults of the checker: each condition is there because a wrong pair is accepted without it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest
import z3
from certificates import as_if_proved

from optimizer.ir.text import parse
from validator.check import checker, memory
from validator.check.certificate import Certificate
from validator.check.checker import Checked, Unsettled, check
from validator.check.contents import Contents
from validator.check.memory import Memory
from validator.check.reach import Reach
from validator.check.universe import NULL

NODE = '+++\n[struct.Node]\nfields = { value = "int", next = "ref", fixed = { type = "int", immutable = true } }\n+++\n'


@dataclass(frozen=True)
class Fault:
    """A change of the checker, and a wrong pair that it then accepts."""

    name: str
    owner: Any
    attribute: str
    change: Callable[[Any], Any]
    before: str
    after: str


def _wider(right: Any) -> Any:
    """Reads numbers of bytes as if none had a sign."""

    def wrong(self: Memory, p: Any, what: Any, at: Any) -> Any:
        value = right(self, p, what, at)
        return z3.ZeroExt(56, z3.Extract(7, 0, value)) if getattr(what, "size", 8) == 1 else value

    return wrong


def _of_one_byte(right: Any) -> Any:
    """Writes the lowest byte of a number alone."""
    return lambda self, p, what, at, value: self._put(p, what.slot, at, z3.Extract(7, 0, value))


def _highest_first(right: Any) -> Any:
    def wrong(self: Memory, p: Any, what: Any, at: Any, value: Any) -> None:
        for i in range(what.size):
            k = what.size - 1 - i
            self._put(p, what.slot, at + i, z3.Extract(8 * k + 7, 8 * k, value))

    return wrong


def _never_zero(right: Any) -> Any:
    def wrong(self: Memory, p: Any) -> Any:
        address = right(self, p)
        self.universe.facts.append(address != 0)
        return address

    return wrong


def _itself(right: Any) -> Any:
    """The object at any address is the one whose address was taken last."""
    return lambda self, address: z3.Const("input 0", NULL.sort())


def _constantly(value: Any) -> Callable[[Any], Any]:
    return lambda right: lambda *_args, **_more: value


STORED = "[i0, i1]\nraw_store(i0, 0, i1, descr=<ArrayS 4>)\n"
FIELD = "[i0, i1]\nsetfield_raw(i0, i1, descr=F.x)\n"
WRITES = "raw_store(i0, 8, 5, descr=<ArrayS 8>)\n"
VIEW = "[p0, i1]\ngc_store(p0, 8, i1, 8)\n"
NEW = f"{NODE}[i0]\np1 = new(descr=Node)\nsetfield_gc(p1, i0, descr=Node.value)\n"

FAULTS = (
    Fault("bytes have no sign", Memory, "get_bytes", _wider,
        "[i0]\ni1 = raw_load_i(i0, 0, descr=<ArrayS 1>)\nfinish(i1)",
        "[i0]\ni1 = raw_load_i(i0, 0, descr=<ArrayU 1>)\nfinish(i1)"),
    Fault("numbers are a byte", Memory, "set_bytes", _of_one_byte, f"{STORED}finish()",
        "[i0, i1]\nraw_store(i0, 0, i1, descr=<ArrayS 1>)\nfinish()"),
    Fault("the highest byte is first", Memory, "set_bytes", _highest_first,
        f"{STORED}i2 = raw_load_i(i0, 0, descr=<ArrayU 1>)\nfinish(i2)",
        f"{STORED}i3 = uint_rshift(i1, 24)\ni2 = int_and(i3, 255)\nfinish(i2)"),
    Fault("raw fields are apart from bytes", memory, "overlap", _constantly(False),
        f"{FIELD}{WRITES}i2 = getfield_raw_i(i0, descr=F.x)\nfinish(i2)", f"{FIELD}{WRITES}finish(i1)"),
    Fault("bytes are apart from raw fields", memory, "overlap", _constantly(False),
        "[i0, i1]\nraw_store(i0, 0, i1, descr=<ArrayS 8>)\nsetfield_raw(i0, 5, descr=F.x)\n"
        "i2 = raw_load_i(i0, 0, descr=<ArrayS 8>)\nfinish(i2)",
        "[i0, i1]\nraw_store(i0, 0, i1, descr=<ArrayS 8>)\nsetfield_raw(i0, 5, descr=F.x)\nfinish(i1)"),
    Fault("bytes of objects are apart from fields", memory, "overlap", _constantly(False),
        f"{VIEW}setfield_gc(p0, 5, descr=F.x)\ni2 = gc_load_i(p0, 8, 8)\nfinish(i2)",
        f"{VIEW}setfield_gc(p0, 5, descr=F.x)\nfinish(i1)"),
    Fault("no address is 0", Memory, "address", _never_zero,
        "[p0]\ni1 = cast_ptr_to_int(p0)\ni2 = int_eq(i1, 0)\nfinish(i2)", "[p0]\nfinish(0)"),
    Fault("any address is the input's", Memory, "object_at", _itself,
        "[p0, i1]\np2 = cast_int_to_ptr(i1)\nfinish(p2)", "[p0, i1]\nfinish(p0)"),
    Fault("origins are not looked at", checker, "_problem", _constantly(None),
        "[i0]\ni1 = int_lt(i0, 5)\nguard_true(i1) [1]\nguard_true(i1) [2]\nfinish(i0)",
        "[i0]\ni1 = int_lt(i0, 5)\nguard_true(i1, origin=1) [1]\nfinish(i0)"),
    Fault("nothing is found", Reach, "found", _constantly(frozenset()), f"{NEW}finish(p1)",
        f"{NODE}[i0]\np1 = new(descr=Node)\nfinish(p1)"),
    Fault("all is the same by its looks", Contents, "differs", _constantly(False), f"{NEW}finish(p1)",
        f"{NODE}[i0]\np1 = new(descr=Node)\nfinish(p1)"),
    Fault("all is settled", Memory, "is_settled", _constantly(z3.BoolVal(False)),
        f"{NODE}[p0]\ni1 = getfield_gc_i(p0, descr=Node.fixed)\nfinish(i1)",
        f"{NODE}[p0]\ni1 = getfield_gc_i(p0, descr=Node.fixed)\nsetfield_gc(p0, i1, descr=Node.fixed)\nfinish(i1)"),
)  # fmt: skip


def _checked(fault: Fault) -> bool:
    before = parse(fault.before)
    after = parse(fault.after)
    certificates = Certificate((0,) * len(after.guards), ((0, 0), (1, 1))), as_if_proved(before, after)
    return any(isinstance(check(before, after, one, effort=1_000_000), Checked) for one in certificates)


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.name)
def test_a_wrong_pair_is_accepted_with_the_fault_alone(fault: Fault, monkeypatch: pytest.MonkeyPatch) -> None:
    assert not _checked(fault)
    right = getattr(fault.owner, fault.attribute)
    monkeypatch.setattr(fault.owner, fault.attribute, fault.change(right))
    assert _checked(fault)


def test_raw_references_beside_bytes_are_not_judged() -> None:
    text = "[i0]\nraw_store(i0, 0, 1, descr=<ArrayS 8>)\nr1 = getfield_raw_r(i0, descr=F.x)\nfinish(r1)"
    found = check(parse(text), parse(text), Certificate())
    assert isinstance(found, Unsettled)
    assert found.reason.endswith("beside bytes of raw memory")
