"""What is known of references: NULL or not, classes, lengths, and what no event has seen."""

from __future__ import annotations

from collections.abc import Mapping

from planted import faulty
from trace_text import Op, is_variable, number


class KnownObjects:
    """Facts that allocations, accesses and passed guards have told. `unseen` are objects that the trace has allocated
    and that no other object and no event has got."""

    def __init__(self) -> None:
        self.unseen: set[str] = set()
        self.nonnull: set[str] = set()
        self.lengths: dict[str, str] = {}
        self._instances: set[str] = set()
        self._classes: dict[str, str] = {}
        self._superclasses: set[tuple[str, str]] = set()

    def is_nonnull(self, value: str) -> bool:
        return value in self.nonnull or value.startswith("ConstPtr(")

    def add_instance(self, value: str, of: str) -> None:
        """A new object of that class."""
        self.unseen.add(value)
        self.nonnull.add(value)
        self._instances.add(value)
        self._classes[value] = of

    def add_array(self, value: str, length: str) -> None:
        self.unseen.add(value)
        self.nonnull.add(value)
        self.lengths[value] = length

    def are_apart(self, p: str, q: str) -> bool:
        """Are they two objects, or is one of them NULL and the other one not?"""
        if p == q:
            return False
        if "NULL" in (p, q):
            return self.is_nonnull(q if p == "NULL" else p)
        if p in self.unseen or q in self.unseen:
            return True
        lengths = {array: length for array, length in self.lengths.items() if number(length) is not None}
        return _differ(self._classes, p, q) or _differ(lengths, p, q)

    def needs_class_alone(self, value: str) -> bool:
        """Is that it is no instance of that class all that can be wrong with it?"""
        return self.is_nonnull(value) and (value in self._instances or faulty("null check of a class"))

    def always_passes(self, op: Op) -> bool:
        value = op.args[0] if op.args else ""
        match op.name:
            case "guard_nonnull":
                return self.is_nonnull(value)
            case "guard_class" | "guard_nonnull_class":
                return self._classes.get(value) == op.args[1]
            case "guard_subclass":
                return self._classes.get(value) == op.args[1] or (value, op.args[1]) in self._superclasses
            case "guard_is_object":
                return value in self._instances
            case "guard_isnull":
                return value == "NULL"
        taught = taught_value(op)
        return taught is not None and value == taught

    def learn(self, op: Op) -> None:
        """The guard has passed."""
        value = op.args[0] if op.args else ""
        if not is_variable(value):
            return
        if op.name in ("guard_nonnull", "guard_class", "guard_nonnull_class", "guard_subclass", "guard_is_object"):
            self.nonnull.add(value)
        if op.name in ("guard_class", "guard_nonnull_class", "guard_subclass", "guard_is_object"):
            self._instances.add(value)
        if op.name in ("guard_class", "guard_nonnull_class"):
            self._classes[value] = op.args[1]
        if op.name == "guard_subclass":
            self._superclasses.add((value, op.args[1]))
            if faulty("subclass taken for the class"):
                self._classes[value] = op.args[1]


def taught_value(guard: Op) -> str | None:
    """The constant that the guard's argument is where it passes."""
    if guard.name == "guard_value":
        return None if is_variable(guard.args[1]) else guard.args[1]
    return {"guard_isnull": "NULL", "guard_true": "1", "guard_false": "0"}.get(guard.name)


def _differ(known: Mapping[str, str], p: str, q: str) -> bool:
    return p in known and q in known and known[p] != known[q]
