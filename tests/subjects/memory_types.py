"""What the front matter of a trace says of fields, classes and calls."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from planted import faulty


class Types:
    """The declarations. A field has one name, whatever struct inherits it."""

    def __init__(self, declarations: dict[str, Any]) -> None:
        self._structs: dict[str, Any] = declarations.get("struct", {})
        self._arrays: dict[str, Any] = declarations.get("array", {})
        self._calls: dict[str, Any] = declarations.get("call", {})
        self._other_names: dict[str, str] = declarations.get("descr", {})

    def field(self, name: str) -> str:
        """The field under the name of the struct that declares it; of the items of an array, the array."""
        name = self._other_names.get(name, name)
        owner, _, plain = name.rpartition(".")
        while owner in self._structs and plain not in self._structs[owner].get("fields", {}):
            owner = self._structs[owner].get("parent", "")
        return f"{owner}.{plain}" if owner else name

    def vtable(self, struct: str) -> str:
        """The class of instances of that struct, as guards name it."""
        struct = self._other_names.get(struct, struct)
        return f"ConstClass({self._structs.get(struct, {}).get('vtable', struct)})"

    def call(self, descr: str | None) -> dict[str, Any] | None:
        """The declaration of calls with that descr."""
        return None if descr is None else self._calls.get(self._other_names.get(descr, descr))

    def sees(self, call: dict[str, Any], field: str) -> bool:
        """Must the field hold what it should when the call begins?"""
        names: list[str] = [*call.get("writes", ["*"])]
        if not (faulty("store put off over a reading call") and "writes" in call):
            names += call.get("reads", ["*"])
        return any(one == "*" or self._covers(one, field) for one in names)

    def may_write(self, call: dict[str, Any], field: str) -> bool:
        writes: Sequence[str] = call.get("writes", ["*"])
        if self._is_immutable(field):
            return not faulty("immutable field that a call names") and any(self._covers(one, field) for one in writes)
        if faulty("call that writes an inherited field"):
            return any(one in ("*", field) or one in self._structs for one in writes)
        return any(one == "*" or self._covers(one, field) for one in writes)

    def _covers(self, name: str, field: str) -> bool:
        """Does that name in a declaration stand for the field, or for all fields of its struct or array?"""
        if name in self._structs:
            return not faulty("call that writes a whole struct") and field.rpartition(".")[0] in self._ancestors(name)
        return self.field(name) == field or (name in self._arrays and field.startswith(f"{name}."))

    def _ancestors(self, struct: str) -> list[str]:
        found = []
        while struct in self._structs:
            found.append(struct)
            struct = self._structs[struct].get("parent", "")
        return found

    def _is_immutable(self, field: str) -> bool:
        owner, _, plain = field.rpartition(".")
        if field in self._arrays:
            return bool(self._arrays[field].get("immutable"))
        declared = {**self._arrays, **self._structs}.get(owner, {}).get("fields", {}).get(plain)
        return isinstance(declared, dict) and bool(declared.get("immutable"))
