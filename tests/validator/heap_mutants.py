"""Random edits of heap traces: right optimizations, and many that are not."""

from __future__ import annotations

from dataclasses import replace
from random import Random

from heap_traces import ARRAYS, CALLS, CLASSES, INTS, REFS, STRUCTS, kind_of

from optimizer.ir.check import IllFormed, check
from optimizer.ir.rows.ops import OPS, Kind, Type
from optimizer.ir.trace import ConstClass, ConstInt, ConstRef, Exit, Operation, Trace, Value, Var, exit_of

Ops = list[Operation]

_FIELDS = [text for texts in (*INTS.values(), *REFS.values()) for text in texts]


def edited(trace: Trace, random: Random) -> Trace:
    """Another well-formed trace with the same inputs; the same one where no edit worked out."""
    for _ in range(30):
        ops = random.choice(EDITS)(list(trace.ops), trace, random)
        candidate = replace(trace, ops=tuple(ops))
        if candidate == trace:
            continue
        try:
            check(candidate)
        except IllFormed:
            continue
        return candidate
    return trace


def _pick(ops: Ops, random: Random, *kinds: Kind) -> int | None:
    found = [n for n, op in enumerate(ops) if op.op.kind in kinds]
    return random.choice(found) if found else None


def _values(trace: Trace, type_: Type) -> list[Value]:
    found: list[Value] = [var for var in trace.inputs if var.type is type_]
    return found + [op.result for op in trace.ops if op.result is not None and op.result.type is type_]


def _other(trace: Trace, type_: Type, random: Random) -> Value:
    if type_ is Type.REF:
        return random.choice([*_values(trace, type_) * 3, ConstRef("NULL"), ConstRef("ConstPtr(k)")])
    return random.choice([*_values(trace, type_) * 2, ConstInt(0), ConstInt(1)])


def _substituted(ops: Ops, old: Var, new: Value, start: int = 0) -> Ops:
    """The operations, those from `start` on with another value for a variable."""

    def one(op: Operation) -> Operation:
        args = tuple(new if arg == old else arg for arg in op.args)
        exit_ = op.exit
        if exit_ is not None:
            failargs = exit_.failargs
            if failargs is not None:
                failargs = tuple(new if arg == old else arg for arg in failargs)
            exit_ = replace(exit_, failargs=failargs, block=tuple(map(one, exit_.block)))
        return replace(op, args=args, exit=exit_)

    return [*ops[:start], *map(one, ops[start:])]


def _drop(ops: Ops, trace: Trace, random: Random) -> Ops:
    del ops[random.randrange(len(ops))]
    return ops


def _drop_store(ops: Ops, trace: Trace, random: Random) -> Ops:
    n = _pick(ops, random, Kind.STORE, Kind.FACT)
    if n is not None:
        del ops[n]
    return ops


def _drop_guard(ops: Ops, trace: Trace, random: Random) -> Ops:
    n = _pick(ops, random, Kind.GUARD)
    if n is not None:
        del ops[n]
    return ops


def _forward(ops: Ops, trace: Trace, random: Random) -> Ops:
    """A load gives what an earlier store or load of the same memory had, as a careful optimizer does or a careless."""
    n = _pick(ops, random, Kind.LOAD)
    if n is None:
        return ops
    load = ops[n]
    assert load.result is not None
    sources: list[Value] = []
    for op in ops[:n]:
        if op.descr == load.descr and op.op.kind is Kind.STORE:
            sources += [op.args[-1]] * (3 if op.args[0] == load.args[0] else 1)
        elif op.descr == load.descr and op.op.kind is Kind.LOAD and op.result is not None:
            sources += [op.result] * (3 if op.args == load.args else 1)
    if any(op.op.kind is Kind.NEW and op.result == load.args[0] for op in ops[:n]):
        sources.append(ConstRef("NULL") if load.op.result is Type.REF else ConstInt(0))
    if not sources:
        return ops
    del ops[n]
    return _substituted(ops, load.result, random.choice(sources))


def _move(ops: Ops, trace: Trace, random: Random) -> Ops:
    n = random.randrange(len(ops))
    ops.insert(max(0, min(len(ops) - 1, n + random.choice([-3, -2, -1, 1, 2, 3]))), ops.pop(n))
    return ops


def _move_store(ops: Ops, trace: Trace, random: Random) -> Ops:
    n = _pick(ops, random, Kind.STORE, Kind.NEW)
    if n is not None:
        ops.insert(random.randrange(len(ops)), ops.pop(n))
    return ops


def _sink(ops: Ops, trace: Trace, random: Random) -> Ops:
    """An allocation with the stores into it, or a store, goes behind what follows, and into exit blocks on the way."""
    n = _pick(ops, random, Kind.STORE, Kind.NEW)
    if n is None:
        return ops
    first = ops[n]
    group = [first]
    rest = ops[:n]
    behind = ops[n + 1 :]
    steps = random.randrange(1, 5)
    while behind and steps and behind[0].op.kind is not Kind.END:
        op = behind.pop(0)
        if op.op.kind is Kind.STORE and op.args[0] in [one.result for one in group] + [
            one.args[0] for one in group if one.op.kind is Kind.STORE
        ]:
            group.append(op)
            continue
        if op.op.kind is Kind.GUARD and random.random() < 0.85:
            op = _with_block(op, group, random, len(rest))
        rest.append(op)
        steps -= 1
    return [*rest, *group, *behind]


def _with_block(guard: Operation, group: Ops, random: Random, salt: int) -> Operation:
    """The guard, with operations in its exit block under names of their own."""
    exit_ = exit_of(guard)
    block = list(group)
    if len(block) > 1 and random.random() < 0.1:
        block.pop()
    failargs = exit_.failargs
    inner = [*block, *exit_.block]
    wrapped = [Operation(guard.op, (), None, Exit(failargs, None, tuple(inner)))]
    for op in block:
        if op.result is not None:
            wrapped = _renamed(wrapped, op.result, Var(f"{op.result.name}_{salt}", op.result.type))
    made = exit_of(wrapped[0])
    return replace(guard, exit=replace(exit_, failargs=made.failargs, block=made.block))


def _renamed(ops: Ops, old: Var, new: Var) -> Ops:
    def one(op: Operation) -> Operation:
        exit_ = op.exit
        if exit_ is not None:
            exit_ = replace(exit_, block=tuple(map(one, exit_.block)))
        return replace(op, result=new if op.result == old else op.result, exit=exit_)

    return [one(op) for op in _substituted(ops, old, new)]


def _sink_all(ops: Ops, trace: Trace, random: Random) -> Ops:
    """An allocation that nothing but guards and stores into it use goes into exit blocks for good."""
    n = _pick(ops, random, Kind.NEW)
    if n is None:
        return ops
    made = ops[n].result
    group = [ops[n], *(op for op in ops[n:] if op.op.kind is Kind.STORE and op.args[0] == made)]
    rest: Ops = []
    for place, op in enumerate(ops):
        if any(op is one for one in group):
            continue
        if op.op.kind is Kind.GUARD and op.exit is not None and made in (op.exit.failargs or ()):
            done = [one for one in group if any(one is earlier for earlier in ops[:place])]
            op = _with_block(op, done, random, place)
        rest.append(op)
    return rest


def _replace_operand(ops: Ops, trace: Trace, random: Random) -> Ops:
    n = random.randrange(len(ops))
    op = ops[n]
    if op.args:
        i = random.randrange(len(op.args))
        value = _other(trace, op.args[i].type, random)
        ops[n] = replace(op, args=(*op.args[:i], value, *op.args[i + 1 :]))
    return ops


def _replace_failarg(ops: Ops, trace: Trace, random: Random) -> Ops:
    n = _pick(ops, random, Kind.GUARD)
    if n is None:
        return ops
    exit_ = exit_of(ops[n])
    failargs = list(exit_.failargs or ())
    if failargs:
        i = random.randrange(len(failargs))
        failargs[i] = random.choice([None, _other(trace, random.choice([Type.REF, Type.INT]), random)])
        ops[n] = replace(ops[n], exit=replace(exit_, failargs=tuple(failargs)))
    return ops


def _swap(ops: Ops, trace: Trace, random: Random) -> Ops:
    if len(ops) > 2:
        n = random.randrange(len(ops) - 2)
        ops[n], ops[n + 1] = ops[n + 1], ops[n]
    return ops


def _swap_stores(ops: Ops, trace: Trace, random: Random) -> Ops:
    stores = [n for n, op in enumerate(ops) if op.op.kind is Kind.STORE]
    if len(stores) > 1:
        n = random.randrange(len(stores) - 1)
        a, b = stores[n], stores[n + 1]
        ops[a], ops[b] = ops[b], ops[a]
    return ops


def _change_descr(ops: Ops, trace: Trace, random: Random) -> Ops:
    n = random.randrange(len(ops))
    op = ops[n]
    if op.op.kind is Kind.EVENT and op.descr is not None:
        ops[n] = replace(op, descr=f"{random.choice(CALLS)}_{op.op.name[-1]}")
    elif op.descr in STRUCTS.values():
        ops[n] = replace(op, descr=random.choice(list(STRUCTS.values())))
    elif op.descr in ARRAYS.values():
        ops[n] = replace(op, descr=random.choice(list(ARRAYS.values())))
    elif op.descr is not None:
        ops[n] = replace(op, descr=random.choice(_FIELDS))
    elif op.op.constant_args and isinstance(op.args[-1], ConstClass):
        ops[n] = replace(op, args=(*op.args[:-1], ConstClass(random.choice(CLASSES))))
    return ops


def _change_allocation(ops: Ops, trace: Trace, random: Random) -> Ops:
    n = _pick(ops, random, Kind.NEW)
    if n is None:
        return ops
    op = ops[n]
    if op.args:
        length = random.choice([*op.args, *op.args, ConstInt(1), ConstInt(2), _other(trace, Type.INT, random)])
        ops[n] = replace(op, op=OPS[random.choice(["new_array", "new_array_clear"])], args=(length,))
    else:
        ops[n] = replace(op, descr=random.choice(list(STRUCTS.values())))
    return ops


def _duplicate(ops: Ops, trace: Trace, random: Random) -> Ops:
    """An allocation or load is done twice, and what is behind uses the second one, here and there."""
    n = _pick(ops, random, Kind.NEW, Kind.LOAD)
    if n is None or ops[n].result is None:
        return ops
    old = ops[n].result
    assert old is not None
    new = Var(f"{old.name}d{random.randrange(1000)}", old.type)
    where = random.randrange(n + 1, len(ops))
    ops.insert(where, replace(ops[n], result=new))
    if random.random() < 0.3:
        return ops
    if random.random() < 0.5:
        return _substituted(ops, old, new, where + 1)
    user = random.randrange(where + 1, len(ops))
    return [*ops[:user], *_substituted([ops[user]], old, new), *ops[user + 1 :]]


def _substitute_fresh(ops: Ops, trace: Trace, random: Random) -> Ops:
    """One allocation, event result or load stands for another."""
    made = [(n, op.result) for n, op in enumerate(ops) if op.op.kind in (Kind.NEW, Kind.EVENT, Kind.LOAD)]
    results = [(n, var) for n, var in made if var is not None]
    if len(results) < 2:
        return ops
    (_, one), (b, other) = sorted(random.sample(results, 2), key=lambda entry: entry[0])
    if one.type is not other.type:
        return ops
    return _substituted(ops, other, one, random.randrange(b + 1, len(ops) + 1))


def _merge_guards(ops: Ops, trace: Trace, random: Random) -> Ops:
    """A check for NULL and one of the class of the same reference become one, at either's place."""
    tests = [n for n, op in enumerate(ops) if op.op is OPS["guard_nonnull"]]
    classes = [n for n, op in enumerate(ops) if op.op is OPS["guard_class"]]
    pairs = [(a, b) for a in tests for b in classes if a < b]
    if not pairs:
        return ops
    a, b = random.choice(pairs)
    merged = Operation(OPS["guard_nonnull_class"], ops[b].args, None, ops[random.choice([a, a, b])].exit)
    keep = random.choice([a, a, b])
    ops[keep] = merged
    del ops[a + b - keep]
    return ops


def _fold_identity(ops: Ops, trace: Trace, random: Random) -> Ops:
    found = [n for n, op in enumerate(ops) if op.op.kind is Kind.PURE and op.result is not None]
    if not found:
        return ops
    n = random.choice(found)
    op = ops.pop(n)
    assert op.result is not None
    return _substituted(ops, op.result, ConstInt(random.choice([0, 1, 1, 2])))


def _repeat_guard(ops: Ops, trace: Trace, random: Random) -> Ops:
    n = _pick(ops, random, Kind.GUARD)
    if n is not None:
        ops.insert(random.randrange(len(ops)), ops[n])
    return ops


def _extra_store(ops: Ops, trace: Trace, random: Random) -> Ops:
    n = _pick(ops, random, Kind.STORE)
    if n is not None:
        op = ops[n]
        kept = (
            op if random.random() < 0.5 else replace(op, args=(*op.args[:-1], _other(trace, op.args[-1].type, random)))
        )
        ops.insert(random.randrange(len(ops)), kept)
    return ops


def _store_back(ops: Ops, trace: Trace, random: Random) -> Ops:
    """What was loaded is put back: right as long as it is still there."""
    n = _pick(ops, random, Kind.LOAD)
    if n is None:
        return ops
    load = ops[n]
    assert load.result is not None
    row = OPS[load.op.name.replace("get", "set").removesuffix("_i").removesuffix("_r")]
    store = Operation(row, (*load.args, load.result), None, None, load.descr)
    ops.insert(min(len(ops) - 1, n + random.choice([1, 1, 2, 3])), store)
    return ops


def _append_allocation(ops: Ops, trace: Trace, random: Random) -> Ops:
    kind = random.choice("NBOR")
    new = Var(f"p{kind}e{random.randrange(1000)}", Type.REF)
    ops.insert(random.randrange(len(ops)), Operation(OPS["new"], (), new, None, STRUCTS[kind]))
    if random.random() < 0.5:
        values = [value for value in _values(trace, Type.REF) if isinstance(value, Var) and kind_of(value) == kind]
        if values:
            old = random.choice(values)
            assert isinstance(old, Var)
            ops = _substituted(ops, old, new, random.randrange(len(ops)))
    return ops


def _change_stored(ops: Ops, trace: Trace, random: Random) -> Ops:
    """A store puts another value."""
    n = _pick(ops, random, Kind.STORE)
    if n is not None:
        args = ops[n].args
        ops[n] = replace(ops[n], args=(*args[:-1], _other(trace, args[-1].type, random)))
    return ops


def _drop_two_stores(ops: Ops, trace: Trace, random: Random) -> Ops:
    return _drop_store(_change_stored(ops, trace, random), trace, random)


EDITS = [
    _change_stored,
    _drop_two_stores,
    _drop,
    _drop_store,
    _drop_store,
    _drop_guard,
    _forward,
    _forward,
    _forward,
    _move,
    _move_store,
    _sink,
    _sink,
    _sink_all,
    _sink_all,
    _replace_operand,
    _replace_failarg,
    _swap,
    _swap_stores,
    _change_descr,
    _change_allocation,
    _duplicate,
    _substitute_fresh,
    _merge_guards,
    _fold_identity,
    _repeat_guard,
    _extra_store,
    _store_back,
    _append_allocation,
]
