"""The rules that declarations satisfy together: the names that they use exist and are used as what they are."""

from __future__ import annotations

from collections.abc import Iterator

from optimizer.ir.text.string_text import HIGHEST
from optimizer.ir.types.declared import SECTIONS, Declarations, KnownObject
from optimizer.ir.types.memory_types import Array, Field, Struct, declared_type, type_of_content

Problem = tuple[tuple[str, ...], str]
"""The path of the wrong value in the TOML text, and what is wrong with it."""

ITEMS = "[]"
"""The suffix of an array's name where its items are meant, and of no other name: memory is told apart by its name."""

DEEPEST = 1000
"""The depth of inheritance of structs, at most."""


def find_problems(declarations: Declarations) -> Iterator[Problem]:
    """All that is wrong, in the order of the sections; the inheritance comes first and hides the rest."""
    structs = {item.name: item for item in declarations.structs}
    bad_parents = list(_parents(declarations, structs))
    if bad_parents:
        yield from bad_parents
        return
    fields = {item.name: inherited_fields(item, structs) for item in declarations.structs}
    yield from _names(declarations)
    yield from _fields(declarations, fields)
    yield from _calls(declarations, fields)
    yield from _descrs(declarations, fields)
    for const in declarations.consts:
        yield from _const(const, declarations, fields)


_Fields = dict[str, dict[str, Field]]
"""The fields of each struct by their names, the inherited ones included."""


def lineage(struct: Struct, structs: dict[str, Struct]) -> list[Struct]:
    """The struct and its ancestors, from the root on."""
    chain = [struct]
    while chain[-1].parent is not None:
        chain.append(structs[chain[-1].parent])
    return chain[::-1]


def inherited_fields(struct: Struct, structs: dict[str, Struct]) -> dict[str, Field]:
    """The fields of the struct by name, its ancestors' included."""
    return {field.name: field for item in lineage(struct, structs) for field in item.fields}


def _parents(declarations: Declarations, structs: dict[str, Struct]) -> Iterator[Problem]:
    """The first struct whose ancestors are not as they should be."""
    for item in declarations.structs:
        here, chain = item, {item.name: 0}
        while (parent := here.parent) is not None:
            if parent not in structs:
                yield ("struct", here.name, "parent"), f"the parent {parent} is not a declared struct"
                return
            if parent in chain:
                told = f"struct {parent} inherits from itself: {' -> '.join([*[*chain][chain[parent] :], parent])}"
            elif len(chain) == DEEPEST:
                told = f"struct {item.name} has more than {DEEPEST - 1} ancestors, the most there may be"
            else:
                here, chain[parent] = structs[parent], len(chain)
                continue
            yield ("struct", item.name, "parent"), told
            return


def _names(declarations: Declarations) -> Iterator[Problem]:
    taken: dict[str, str] = {}
    for section, items in declarations.sections.items():
        what = SECTIONS[section]
        for item in items if section != "const" else ():
            before = taken.setdefault(item.name, what)
            if item.name in HIGHEST:
                yield (section, item.name), f"{item.name} is the built-in type of strings, and cannot be declared"
            elif before != what:
                yield (section, item.name), f"{item.name} is declared twice, as {before} and as {what}"
    vtables: dict[str, str] = {}
    for struct in declarations.structs:
        owner = vtables.setdefault(struct.vtable, struct.name)
        if owner != struct.name:
            yield ("struct", struct.name), f"structs {owner} and {struct.name} have the same vtable"
    numbers: dict[int, str] = {}
    for array in declarations.arrays:
        if array.gc_type is not None and (owner := numbers.setdefault(array.gc_type, array.name)) != array.name:
            yield ("array", array.name, "gc_type"), f"arrays {owner} and {array.name} have the same gc_type"


def _fields(declarations: Declarations, structs: _Fields) -> Iterator[Problem]:
    for lone in declarations.fields:
        if lone.name.rpartition(".")[0] in structs:
            yield ("field", lone.name), f"{lone.name} is a field of a declared struct, and is declared there"
        yield from _one_kind_of_immutable(("field", lone.name), lone)
    whole: list[Struct | Array] = [*declarations.structs, *declarations.arrays]
    for owner, field in ((one, field) for one in whole for field in one.fields):
        path = "struct" if isinstance(owner, Struct) else "array", owner.name, "fields", field.name
        if isinstance(owner, Struct) and owner.parent and field.name in structs[owner.parent]:
            yield path, f"field {field.name} of struct {owner.name} is inherited from its parent already"
        yield from _one_kind_of_immutable(path, field)


def _one_kind_of_immutable(path: tuple[str, ...], field: Field) -> Iterator[Problem]:
    if field.immutable and field.quasi_immutable:
        yield path, f"field {field.name} is either immutable or quasi_immutable, not both"


def _calls(declarations: Declarations, structs: _Fields) -> Iterator[Problem]:
    whole = structs.keys() | HIGHEST.keys() | {array.name for array in declarations.arrays}
    for call in declarations.calls:
        for key, name in [("reads", name) for name in call.reads] + [("writes", name) for name in call.writes]:
            if ITEMS in name:
                yield ("call", call.name, key), f"a name holds no {ITEMS}, got {name}"
            elif name not in whole:
                yield from _field_of_a_struct(("call", call.name, key), name, structs)
        path = "call", call.name, "results"
        for known in call.results:
            if not call.elidable:
                yield path, f"call {call.name} has known results, but is not elidable"
            elif (type_ := type_of_content(known.value).value) != call.result:
                yield path, f"call {call.name} gives {call.result}, but a known result is {type_}"
        if len({known.args for known in call.results}) < len(set(call.results)):
            yield path, f"call {call.name} has two known results of the same arguments"


def _field_of_a_struct(path: tuple[str, ...], name: str, structs: _Fields) -> Iterator[Problem]:
    """The fault of a name for a struct's field that the struct does not have; fields of structs that are not declared
    have none."""
    owner, _, field = name.rpartition(".")
    if owner in structs and field not in structs[owner]:
        yield path, f"struct {owner} has no field {field}"


def _descrs(declarations: Declarations, structs: _Fields) -> Iterator[Problem]:
    sections = declarations.sections
    whole = [item for section in sections.keys() - {"descr", "const"} for item in sections[section]]
    named = {item.name for item in whole} | HIGHEST.keys()
    interiors = {f"{array.name}.{field.name}" for array in declarations.arrays for field in array.fields}
    for descr in declarations.descrs:
        if descr.target.rpartition(".")[0] in structs and descr.target not in named:
            yield from _field_of_a_struct(("descr", descr.name), descr.target, structs)
        elif descr.target not in named | interiors:
            yield ("descr", descr.name), f"{descr.target} is not a declared struct, array, call or field"


def _const(const: KnownObject, declarations: Declarations, structs: _Fields) -> Iterator[Problem]:
    path, struct, array = ("const", const.name), const.struct, const.array
    if struct is not None and array is not None:
        yield path, f"const {const.name} is either a struct or an array, not both"
    if struct is not None and struct not in structs:
        yield (*path, "struct"), f"{struct} is not a declared struct"
    if array is not None and array not in HIGHEST and all(array != one.name for one in declarations.arrays):
        yield (*path, "array"), f"{array} is not a declared array"
    if const.length is not None and array is None:
        yield (*path, "length"), f"const {const.name} has a length, but is not declared as an array"
    fields = structs.get(struct or "", {})
    if const.fields and struct not in structs:
        yield (*path, "fields"), f"const {const.name} has fields, but is not declared as a struct"
    for name, value in const.fields if struct in structs else ():
        field, where = fields.get(name), (*path, "fields", name)
        if field is None:
            yield where, f"struct {struct} has no field {name}"
        elif not (field.immutable or field.quasi_immutable):
            yield where, f"field {name} of struct {struct} may change: its value cannot be known"
        elif type_of_content(value) is not field.type or (isinstance(value, int) and not field.has_room_for(value)):
            yield where, f"field {name} of struct {struct} is {declared_type(field)}, got {value}"
