"""Names that a trace uses and its declarations do not have, where they look like a slip.

That is allowed: what is not declared is memory, or a class, of its own. But so is a misspelt name.
"""

from __future__ import annotations

from collections.abc import Iterator

from optimizer.ir.rows.ops import DescrKind
from optimizer.ir.trace import ConstClass, Operation, Trace, all_operations
from optimizer.ir.types.layout import Layout
from optimizer.ir.types.memory_names import is_declared
from optimizer.ir.types.memory_types import SUBCLASS


def misspelt_names(trace: Trace) -> Iterator[tuple[Operation, str, str]]:
    """The first operation that uses such a name, the name, and a sentence about it."""
    names = _Names(trace)
    told: set[str] = set()
    for operation in all_operations(trace):
        for name, message in names.of(operation):
            if name not in told:
                told.add(name)
                yield operation, name, message


class _Names:
    def __init__(self, trace: Trace) -> None:
        self._layout = Layout(trace.declarations, trace.word)
        self._structs = {struct.name: struct.vtable for struct in trace.declarations.structs}
        self._arrays = {array.name for array in trace.declarations.arrays}
        self._known = [*self._structs, *self._arrays]
        for struct in trace.declarations.structs:
            self._known += [f"{struct.name}.{field.name}" for field in struct.fields]
        for array in trace.declarations.arrays:
            self._known += [f"{array.name}.{field.name}" for field in array.fields]
        self._known += [alias.name for alias in trace.declarations.descrs]

    def of(self, operation: Operation) -> Iterator[tuple[str, str]]:
        """The names of an operation that look like slips, and why."""
        name, memory = operation.descr, operation.op.memory
        takes_call = memory is not None and memory.descr is DescrKind.CALL
        if name is not None and memory is not None and not takes_call and not is_declared(self._layout, name):
            message = self._descr(name)
            if message:
                yield name, message
        for arg in operation.args:
            if isinstance(arg, ConstClass) and arg.name not in self._structs.values():
                message = self._class(arg.name)
                if message:
                    yield arg.name, message

    def _descr(self, name: str) -> str:
        owner, _, own = name.rpartition(".")
        if owner in self._structs or owner in self._arrays:
            type_ = self._layout.struct(owner) if owner in self._structs else self._layout.array(owner)
            fields = ", ".join(field.name for field in type_.fields)
            has = f"its fields are {fields}" if fields else "it has no fields"
            return f"{owner} is declared without a field {own}, so this is memory of its own; {has}"
        return self._near(name, self._known, "memory or a type")

    def _class(self, name: str) -> str:
        if name in self._structs:
            return f"the vtable of {name} is declared as {self._structs[name]}, so this is a class of its own"
        return self._near(name, [*self._structs.values()], "a class")

    def _near(self, name: str, known: list[str], what: str) -> str:
        if not known or name.startswith("<"):  # as PyPy prints descrs, which nobody types
            return ""
        from difflib import get_close_matches  # here: most traces declare nothing

        near = get_close_matches(name.removesuffix(SUBCLASS), known, n=1, cutoff=0.75)
        if not near or near[0] == name.removesuffix(SUBCLASS):
            return ""
        return f"{name} is not declared, so this is {what} of its own; {near[0]} is declared"
