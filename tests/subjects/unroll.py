"""A peeler of loops, written for nothing but to be tested: it shares no code with traceproof.

It goes over a loop twice, and hands what the first iteration has found to the second one: results of pure operations,
fields, guards that have passed. The first iteration becomes a preamble, the second one the body; what the body needs of
the preamble are the arguments of the label between them.

    traceproof fuzz --loops --optimizer-server 'python tests/subjects/unroll.py --fault "load over a late store"'
"""

from __future__ import annotations

from planted import Fault, faulty
from server import serve
from trace_text import Op, Trace, Unsupported, is_variable, number

FAULTS = (
    Fault("load over a late store", "what a field holds outlives stores to others' in the last half of the preamble"),
    Fault("load over a call", "what fields hold outlives calls"),
    Fault("old value handed on", "the body hands on what it was given, instead of what it has computed"),
    Fault("arguments swapped", "the body hands on the first two values in the other order"),
    Fault("guard on what moves", "a guard on an input counts as passed for the value of the next iteration"),
    Fault("comparison of what moves", "a comparison of an input with a constant is that of the next iteration"),
    Fault("guard dropped in the body", "guards on comparisons with constants are in the preamble alone"),
    Fault("guard hands over old values", "a guard of the body hands over what that of the preamble does"),
    Fault("resume position of the guard before", "a guard of the body names the recorded guard in front of its own"),
)

_PURE = ("int_", "uint_", "ptr_", "instance_ptr_", "float_")
_LASTING = ("guard_true", "guard_false", "guard_value", "guard_nonnull", "guard_class", "guard_isnull")
_POSITIONS = ("debug_merge_point", "jit_debug")
_BEHIND = "_b"
"""The end of names of the body."""


class _Walk:
    """Two iterations behind each other; `known` are operations by what they compute, `held` fields of objects."""

    def __init__(self) -> None:
        self.known: dict[tuple[str, ...], str] = {}
        self.held: dict[tuple[str | None, str], str] = {}
        self.passed: set[tuple[str, ...]] = set()
        self.made: dict[str, Op] = {}

    def iteration(self, ops: list[Op], names: dict[str, str], behind: str) -> list[Op]:
        """What is left of an iteration, whose values get these `names`, with that end where they are new."""
        left: list[Op] = []
        for place, recorded in enumerate(ops):
            op = recorded.copied(lambda value: names.get(value, value))
            if op.block:
                raise Unsupported("exit blocks")
            known = self._known(op, is_late=place > len(ops) // 2 and not behind)
            if op.is_guard and behind and self._is_gone(op):
                continue
            if op.result is None:
                left += [] if known is not None else [self._told(op, behind)]
            elif known is not None:
                names[op.result] = known
            else:
                result = op.result + behind
                self._note(op, result)
                names[op.result] = op.result = result
                left.append(op)
        return left

    def _known(self, op: Op, *, is_late: bool) -> str | None:
        """The value that the operation gives, "" if it is not needed, None if it is not known."""
        if op.is_guard:
            key = (op.name, *op.args)
            if op.name in _LASTING and key in self.passed:
                return ""
            self.passed.add(key)
        elif op.name.startswith("same_as_"):
            return op.args[0]
        elif op.name.startswith(_PURE) and "_ovf" not in op.name:
            return self.known.get((op.name, *op.args))
        elif op.name.startswith("getfield_gc_"):
            return self.held.get((op.descr, op.args[0]))
        elif op.name == "setfield_gc":
            self._store(op, is_late=is_late)
        elif not op.name.startswith(("new", *_POSITIONS)) and not faulty("load over a call"):
            self.held.clear()
        return None

    def _store(self, op: Op, *, is_late: bool) -> None:
        if not (is_late and faulty("load over a late store")):
            field = (op.descr or "").split(".")[-1]
            for descr, of in [*self.held]:
                if (descr or "").split(".")[-1] == field:  # another struct may inherit it
                    del self.held[descr, of]
        self.held[op.descr, op.args[0]] = op.args[1]

    def _note(self, op: Op, result: str) -> None:
        self.made[result] = op
        if op.name.startswith(_PURE) and "_ovf" not in op.name:
            self.known[op.name, *op.args] = result
        elif op.name.startswith("getfield_gc_"):
            self.held[op.descr, op.args[0]] = result

    def _is_gone(self, guard: Op) -> bool:
        test = self.made.get(guard.args[0]) if guard.args else None
        is_with_constant = test is not None and test.name.startswith("int_") and number(test.args[-1]) is not None
        return faulty("guard dropped in the body") and is_with_constant

    def _told(self, op: Op, behind: str) -> Op:
        if op.is_guard and behind and faulty("guard hands over old values") and op.failargs is not None:
            op.failargs = [value.removesuffix(_BEHIND) for value in op.failargs]
        if op.is_guard and behind and faulty("resume position of the guard before") and op.origin:
            op.origin -= 1
        return op


def optimize(trace: Trace, refuses: bool) -> Trace:
    """The loop, peeled. Raises Unsupported for what is none, or has exit blocks or labels, or hands on one value
    as two that differ later."""
    *ops, end = trace.ops
    if end.name != "jump" or len(end.args) != len(trace.inputs) or any(op.name == "label" for op in ops):
        raise Unsupported("what does not go back to its start, or has a label")
    walk, first = _Walk(), {name: name for name in trace.inputs}
    preamble = walk.iteration(ops, first, "")
    handed_on = [first.get(value, value) for value in end.args]
    again = dict(zip(trace.inputs, handed_on, strict=True))
    _carry(walk, again)
    body = walk.iteration(ops, again, _BEHIND)
    later = {first[name]: again[name] for name in reversed([*first])}
    if any(later.get(first[one], again[one]) != again[one] for one in first):
        raise Unsupported("a value that is two later")
    taken = _taken(preamble, body, handed_on, later)
    label, jump = Op("label", taken, descr="Body"), Op("jump", [later[name] for name in taken], descr="Body")
    if faulty("old value handed on"):
        jump.args = [old if new.endswith(_BEHIND) else new for old, new in zip(taken, jump.args, strict=True)]
    if faulty("arguments swapped") and len(taken) > 1 and taken[0][0] == taken[1][0]:
        jump.args[:2] = jump.args[1::-1]
    return Trace(trace.front, trace.inputs, [*preamble, label, *body, jump])


def _carry(walk: _Walk, again: dict[str, str]) -> None:
    """What is known of inputs is taken to be known of the next ones, by mistake."""
    if faulty("guard on what moves"):
        walk.passed |= {
            (name, again[of], *rest) for name, of, *rest in (key for key in walk.passed if key[1:]) if of in again
        }
    if faulty("comparison of what moves"):
        moved = {(name, again[of], *rest): held for (name, of, *rest), held in walk.known.items() if of in again}
        walk.known |= {key: held for key, held in moved.items() if key[0] in ("int_lt", "int_ge", "int_eq")}


def _taken(preamble: list[Op], body: list[Op], handed_on: list[str], later: dict[str, str]) -> list[str]:
    """The values of the preamble that the body needs, in this iteration or a later one."""
    own = {op.result for op in body}
    waiting = [*handed_on, *(value for op in body for value in sorted(op.uses()))]
    taken: list[str] = []
    while waiting:
        value = waiting.pop(0)
        if is_variable(value) and value not in own and value not in taken:
            taken.append(value)
            waiting.append(later[value])
    return taken


if __name__ == "__main__":
    serve(__doc__ or "", optimize, FAULTS)
