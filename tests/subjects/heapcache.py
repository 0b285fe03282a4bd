"""A heap cache with virtual objects, written for nothing but to be tested: it shares no code with traceproof.

It walks the trace once, forwards. It knows what fields and items hold from loads and stores, puts stores off until
somebody can see them, drops those that are overwritten before, allocates objects when they escape and not earlier, has
the exits of guards make the ones that they need, and removes guards on classes and NULL that cannot fail. Its planted
faults are in two halves: the held-out half must not be tuned on.

    traceproof fuzz --optimizer-server 'python tests/subjects/heapcache.py --fault "aliasing store"'
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from heapcache_faults import FAULTS
from known_objects import KnownObjects, taught_value
from memory_types import Types
from planted import faulty
from server import serve
from trace_text import Op, Trace, Unsupported, is_variable, number
from virtual_objects import Exit, Place, Virtual

_LOADS = ("getfield_gc_", "getarrayitem_gc_", "getinteriorfield_gc_")
_STORES = ("setfield_gc", "setarrayitem_gc", "setinteriorfield_gc")
_ARRAYS = ("new_array", "new_array_clear")
_COMPARISONS = {"ptr_eq": 1, "instance_ptr_eq": 1, "ptr_ne": 0, "instance_ptr_ne": 0}
_PURE = ("int_", "uint_", "float_", "convert_", "cast_int_to_float", "cast_float", "cast_single", "strlen",
         "strgetitem", "unicodelen", "unicodegetitem", "newstr", "newunicode", "record_exact_")  # fmt: skip
_POSITIONS = ("debug_merge_point", "jit_debug", "label")
_EVENTS = ("call_", "cond_call", "escape_", "jump", "finish")
_LONGEST = 8


class HeapCache:
    """One walk over a trace. Values are names and constants, as text."""

    def __init__(self, types: Types) -> None:
        self.types = types
        self.ops: list[Op] = []
        self._forwarded: dict[str, str] = {}
        self._virtuals: dict[str, Virtual] = {}
        self._forced: dict[str, Virtual] = {}
        self._known: dict[Place, str] = {}
        self._put_off: dict[Place, Op] = {}
        self._last_stored: dict[Place, str] = {}
        self._objects = KnownObjects()

    def run(self, ops: list[Op]) -> None:
        for op in ops:
            self._step(op)

    def _step(self, op: Op) -> None:
        if op.name in _POSITIONS:
            self.ops.append(op)
        elif op.name in ("new", "new_with_vtable", *_ARRAYS):
            self._allocate(op.copied(self.resolve))
        elif op.name.startswith(_LOADS):
            self._load(op.copied(self.resolve))
        elif op.name in _STORES:
            self._store(op.copied(self.resolve))
        elif op.is_guard:
            self._guard(op)
        else:
            self._other(op.copied(self.resolve))

    def _other(self, op: Op) -> None:
        if op.name.startswith("same_as_"):
            self._forward(op, op.args[0])
        elif op.name in _COMPARISONS:
            self._compare(op)
        elif op.name == "arraylen_gc":
            self._length(op)
        elif op.name == "assert_not_none":
            self._emit(op)
            self._objects.nonnull.add(op.args[0])
        elif op.name.startswith(_PURE):
            self._emit(op)
        else:
            self._event(op)

    # Values

    def resolve(self, value: str) -> str:
        while value in self._forwarded:
            value = self._forwarded[value]
        return value

    def _forward(self, op: Op, value: str) -> None:
        assert op.result
        self._forwarded[op.result] = value

    def _emit(self, op: Op) -> None:
        """The operation as it is; its arguments are allocated in front of it."""
        for arg in op.args:
            self._force(arg)
        self.ops.append(op)

    def _may_be_one(self, one: Place, other: Place) -> bool:
        if one[0] != other[0] or self._objects.are_apart(one[1], other[1]):
            return False
        if faulty("indices compared by name"):
            return one[2] == other[2]
        constants = number(one[2]), number(other[2])
        return one[2] == other[2] or None in constants

    # Objects

    def _allocate(self, op: Op) -> None:
        assert op.result
        if op.name not in _ARRAYS:
            self._objects.add_instance(op.result, self.types.vtable(op.descr) if op.descr else op.args[0])
            self._virtuals[op.result] = Virtual(op)
            return
        self._objects.add_array(op.result, op.args[0])
        length = number(op.args[0])
        if length is not None and 0 <= length <= _LONGEST:
            self._virtuals[op.result] = Virtual(op, length)
        else:
            self.ops.append(op)

    def _force(self, value: str) -> None:
        """The object is allocated here at the latest."""
        virtual = self._virtuals.pop(value, None)
        if virtual is None:
            return
        self.ops.append(virtual.op)
        for (field, index), store in virtual.stores.items():
            inner = store.args[-1]
            if inner in self._virtuals:
                self._forced[inner] = self._virtuals[inner]
            self._force(inner)
            if not faulty("escape inside an escaping object"):
                self._objects.unseen.discard(inner)
            self.ops.append(store)
            self._known[field, value, index] = inner

    def _compare(self, op: Op) -> None:
        p, q = op.args
        if p == q or self._objects.are_apart(p, q):
            self._forward(op, str(int((p == q) == bool(_COMPARISONS[op.name]))))
        else:
            self._emit(op)

    def _length(self, op: Op) -> None:
        assert op.result
        array = (op.descr or "") if faulty("lengths by descr") else op.args[0]
        self._objects.nonnull.add(op.args[0])
        if array in self._objects.lengths:
            self._forward(op, self._objects.lengths[array])
        else:
            self._emit(op)
            self._objects.lengths[array] = op.result

    # Memory

    def _place(self, op: Op) -> Place:
        index = op.args[1] if "field_gc" not in op.name or op.name.startswith(("getint", "setint")) else ""
        if faulty("interior index ignored") and "interior" in op.name and op.args[0] not in self._virtuals:
            index = "0"
        return self.types.field(op.descr or ""), op.args[0], index

    def _load(self, op: Op) -> None:
        assert op.result
        place = self._place(op)
        virtual = self._virtuals.get(op.args[0])
        if virtual is not None and virtual.holds(place[2]):
            self._forward(op, self.resolve(virtual.read(op, place)))
            return
        if faulty("inner object read as virtual") and (place[0], place[2]) in (
            self._forced[place[1]].stores if place[1] in self._forced else ()
        ):
            self._forward(op, self._forced[place[1]].read(op, place))
            return
        self._force(op.args[0])
        self._objects.nonnull.add(op.args[0])
        if place in self._known:
            self._forward(op, self.resolve(self._known[place]))
            return
        if not (place[2] and faulty("put-off item hides a read at another index")):
            self._do_stores(lambda other: self._may_be_one(place, other))
        self.ops.append(op)
        self._known[place] = op.result

    def _store(self, op: Op) -> None:
        place = self._place(op)
        virtual = self._virtuals.get(op.args[0])
        if virtual is not None and virtual.holds(place[2]):
            virtual.stores[place[0], place[2]] = op
            return
        for arg in op.args:
            self._force(arg)
        self._objects.unseen.discard(op.args[-1])
        self._objects.nonnull.add(op.args[0])
        if self._is_redundant(place, op.args[-1]):
            return
        self._put_off.pop(place, None)
        self._do_stores(lambda other: self._may_be_one(place, other))
        if not faulty("aliasing store"):
            self._forget(self._known, lambda other: self._may_be_one(place, other))
        self._forget(self._last_stored, lambda other: self._may_be_one(place, other))
        self._put_off[place] = op
        self._known[place] = self._last_stored[place] = op.args[-1]

    def _is_redundant(self, place: Place, value: str) -> bool:
        if faulty("store redundant across a call that writes") and self._last_stored.get(place) == value:
            return True
        return self._known.get(place) == value

    def _do_stores(self, chosen: Callable[[Place], bool]) -> None:
        for place in list(filter(chosen, self._put_off)):
            self.ops.append(self._put_off.pop(place))

    def _forget(self, known: dict[Place, str], chosen: Callable[[Place], bool]) -> None:
        for place in list(filter(chosen, known)):
            del known[place]

    # Events

    def _event(self, op: Op) -> None:
        call = self._declared(op)
        if call is not None and call.get("elidable"):
            reads = {"reads": call.get("reads", []), "writes": []}
            self._do_stores(lambda place: self.types.sees(reads, place[0]))
            self._emit(op)
            return
        for arg in op.args:
            self._force(arg)
        self._do_stores(lambda place: call is None or self.types.sees(call, place[0]))
        self._objects.unseen.difference_update(op.args)
        self._forget(self._known, lambda place: place[1] not in self._objects.unseen and self._changes(call, place))
        if call is None or "writes" not in call:
            self._last_stored.clear()
        self.ops.append(op)

    def _declared(self, op: Op) -> dict[str, Any] | None:
        """What the event may do; None where it is not known, and may be all."""
        if op.name.startswith("escape_"):
            return {}
        call = self.types.call(op.descr) or {}
        return call if op.name.startswith("call_") and not call.get("loop_invariant") else None

    def _changes(self, call: dict[str, Any] | None, place: Place) -> bool:
        if place[2] and faulty("event that keeps items") and not (call and "writes" in call):
            return False
        return call is None or self.types.may_write(call, place[0])

    # Guards

    def _guard(self, recorded: Op) -> None:
        op = recorded.copied(self.resolve)
        if self._objects.always_passes(op):
            return
        if op.name == "guard_nonnull_class" and self._objects.needs_class_alone(op.args[0]):
            op.name = "guard_class"
        for arg in op.args:
            self._force(arg)
        taught = taught_value(op)
        learned = {op.args[0]: taught} if taught is not None and is_variable(op.args[0]) else {}
        exit_block = Exit(self._virtuals, self.resolve, f".exit{op.origin}")
        exit_block.complete(op, self._stores_of_exit(learned))
        self.ops.append(op)
        self._objects.learn(op)
        self._forwarded.update(learned)

    def _stores_of_exit(self, learned: dict[str, str]) -> list[Op]:
        stores = list(self._put_off.values())
        if faulty("store of NULL missing in an exit"):
            stores = [store for store in stores if store.args[-1] not in ("NULL", "0", "0.0")]
        if faulty("exit stores what passing taught"):
            stores = [store.copied(lambda value: learned.get(value, value)) for store in stores]
        return stores[-1:] if faulty("one store in an exit") else stores


def optimize(trace: Trace, refuses: bool) -> Trace:
    if refuses:
        for op in trace.ops:
            known = (*_LOADS, *_STORES, *_POSITIONS, *_PURE, *_COMPARISONS, *_EVENTS, "new", "guard_", "same_as_")
            if not op.name.startswith((*known, "arraylen_gc", "assert_not_none")):
                raise Unsupported(op.name)
    walk = HeapCache(Types(trace.declarations))
    walk.run(trace.ops)
    return Trace(trace.front, trace.inputs, walk.ops)


if __name__ == "__main__":
    serve(__doc__ or "", optimize, FAULTS)
