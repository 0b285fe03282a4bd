"""Random declarations, and the memory that a trace can name under them."""

from __future__ import annotations

from collections.abc import Sequence

from fuzz.draw.choices import Choices, float_constant
from fuzz.draw.shape import HeapShape
from optimizer.ir.immutable import immutable
from optimizer.ir.rows.ops import FLOAT, INT, REF, DescrKind
from optimizer.ir.rows.row import FIELD, INTERIOR, ITEM
from optimizer.ir.text.string_text import HIGHEST, STR, UNICODE, is_text
from optimizer.ir.types import declared
from optimizer.ir.types.calls import MEANINGS
from optimizer.ir.types.declaration_rules import inherited_fields
from optimizer.ir.types.declared import Declarations
from optimizer.ir.types.known_calls import STRING_CALLS
from optimizer.ir.types.layout import Array, Field, Layout, Struct
from optimizer.ir.types.memory_types import NARROW, Content, declared_field, declared_type, string_type

_TEXTS = ((STR, ('"abc"', '""', '"\\x00\\xff"')), (UNICODE, ('u"a\\u20ac"', 'u"b"')))
"""Constant strings."""

NARROW_FROM = 16
"""The width of words that narrow memory needs, in bits."""


@immutable
class Place:
    """Memory that an access can name: the text of its descr, and what that stands for."""

    kind: DescrKind
    descr: str
    slot: Field


@immutable
class Types:
    """The classes of objects, the memory that objects of each have, and the opaque constants.

    `places` are by the name of the class; those of a parent's fields are there for subclasses too, under both names.
    """

    declarations: Declarations
    layout: Layout
    structs: tuple[Struct, ...]
    arrays: tuple[Array, ...]
    places: dict[str, tuple[Place, ...]]
    constants: tuple[str, ...]

    @property
    def classes(self) -> tuple[Struct | Array, ...]:
        """All of them, structs twice: they are wanted more often."""
        return (*self.structs, *self.structs, *self.arrays)


def draw_types(choices: Choices, shape: HeapShape, word: int) -> Types:
    """Declared classes, and undeclared ones in the style of traces that are written by hand."""
    declarations = _declarations(choices, shape, word)
    layout = Layout(declarations, word)
    structs = [layout.struct(struct.name) for struct in declarations.structs]
    arrays = [layout.array(array.name) for array in declarations.arrays]
    aliases = {descr.target: descr.name for descr in declarations.descrs}
    places = {struct.name: _fields(struct, layout, aliases) for struct in structs}
    places |= {array.name: _items(array, layout, aliases) for array in arrays}
    constants = [const.name for const in declarations.consts]
    if shape.strings:
        strings = [string_type(name, word) for name in HIGHEST if HIGHEST[name] < 1 << (word - 1)]
        arrays += strings
        places |= {string.name: _items(string, layout, {}) for string in strings}
        constants += choices.pick([texts for name, texts in _TEXTS if any(name == one.name for one in strings)] or [()])
        layout.texts.update(dict.fromkeys(filter(is_text, constants)))
    if shape.undeclared or not places:
        loose = _undeclared_fields(layout, shape.floats)
        if shape.vocabulary.has("objects") or not places:
            structs += [layout.struct(name) for name in ("U", "V")[: choices.integer(1, 2)]]
        places = {name: (*own, *loose) if own and own[0].kind is FIELD else own for name, own in places.items()}
        places |= {struct.name: loose for struct in structs if struct.name not in places}
        for name, type_ in (("ints", INT), ("refs", REF)) if shape.vocabulary.has("arrays") else ():
            layout.learn_use(name, ITEM, type_, "")
            arrays.append(layout.array(name))
            places[name] = _items(arrays[-1], layout, {})
        constants += ["k0", "k1"][: choices.integer(0, 2)] if shape.references else []
    return Types(declarations, layout, tuple(structs), tuple(arrays), places, tuple(constants))


# Declarations.


def _declarations(choices: Choices, shape: HeapShape, word: int) -> Declarations:
    structs: list[Struct] = []
    choices.repeat(0, shape.structs, lambda: structs.append(_struct(choices, structs, word, shape.floats)))
    arrays: list[Array] = []
    choices.repeat(0, shape.arrays, lambda: arrays.append(_array(choices, len(arrays), word, shape.floats)))
    named = [f"{struct.name}.{field.name}" for struct in structs for field in struct.fields]
    named += [array.name for array in arrays]
    calls: list[declared.Call] = []
    choices.repeat(0, shape.calls, lambda: calls.append(_call(choices, len(calls), structs, named)))
    calls += _functions(choices, shape.functions, shape.floats, named)
    if shape.strings and shape.vocabulary.has("calls"):
        calls += [*declare_string_calls(choices, word), *declare_array_copies(arrays)]
    targets = choices.some(named, 10)
    descrs = [declared.Descr(f"d{number}", target) for number, target in enumerate(targets)]
    consts: list[declared.KnownObject] = []
    choices.repeat(0, shape.constants, lambda: consts.append(_const(choices, consts, structs, arrays)))
    return Declarations(tuple(structs), tuple(arrays), tuple(calls), tuple(descrs), tuple(consts))


def _slot_type(choices: Choices, word: int, floats: bool) -> str:
    if floats and choices.chance(35):
        return "float"
    if word >= NARROW_FROM and choices.chance(12):
        return choices.pick(("u8", "bool", "i16", "i8", "u16"))
    return "ref" if choices.chance(40) else "int"


def _struct(choices: Choices, above: list[Struct], word: int, floats: bool) -> Struct:
    number = len(above)
    name = f"S{number}"
    parent = choices.pick(above) if above and choices.chance(70) else None
    fields: list[Field] = []

    def field() -> None:
        type_ = _slot_type(choices, word, floats)
        flag = choices.integer(0, 9)
        letter = "n" if type_ == "ref" else "x"
        own = f"{letter}{number}{len(fields)}"
        fields.append(declared_field(name, own, type_, immutable=flag in (7, 8), quasi_immutable=flag == 9))

    choices.repeat(0 if parent else 1, 3, field)
    vtable = f"{name}_vtable" if choices.chance(30) else name
    return Struct(name, vtable, parent.name if parent else None, cleared=not choices.chance(15), fields=tuple(fields))


def _array(choices: Choices, number: int, word: int, floats: bool) -> Array:
    name = f"A{number}"
    if choices.chance(20):
        types = (("x", _slot_type(choices, word, floats)), ("n", "ref"))
        fields = tuple(declared_field(name, own, type_, items=True) for own, type_ in types)
        return Array(name, None, fields[: choices.integer(1, 2)])
    item = declared_field(name, "", _slot_type(choices, word, floats), items=True)
    return Array(name, item, (), immutable=choices.chance(15))


def _call(choices: Choices, number: int, structs: list[Struct], named: list[str]) -> declared.Call:
    immutable = [f"{struct.name}.{field.name}" for struct in structs for field in struct.fields if field.immutable]

    wholes = [struct.name for struct in structs if struct.fields]

    def effects() -> tuple[str, ...]:
        if not named or choices.chance(25):
            return ("*",)
        names: list[str] = []
        choices.repeat(0, 2, lambda: names.append(choices.pick((*named, *wholes))))
        if immutable and choices.chance(50):
            names.append(choices.pick(immutable))
        return tuple(dict.fromkeys(names))

    reads, writes = effects(), effects()
    invalidates = choices.chance(30)
    return declared.Call(
        f"f{number}", choices.pick(("int", "void", "ref")), can_invalidate=invalidates, reads=reads, writes=writes
    )


def _functions(choices: Choices, most: int, floats: bool, named: list[str]) -> list[declared.Call]:
    """Elidable functions, of which some read memory, one that is loop invariant, and those that are operations."""
    functions: list[declared.Call] = []

    def reads() -> tuple[str, ...]:
        if not named or choices.chance(50):
            return ()
        return ("*",) if choices.chance(20) else tuple(choices.some(named, 40))

    def one() -> None:
        result = choices.pick(("int", "int", "ref"))
        known: list[declared.KnownResult] = []
        if result == "int" and choices.chance(50):
            numbers = [choices.integer(-4, 7) for _ in range(2)]
            known.append(declared.KnownResult((numbers[0],), numbers[1]))
        functions.append(
            declared.Call(
                f"g{len(functions)}",
                result,
                elidable=True,
                can_raise=choices.chance(50),
                reads=reads(),
                writes=(),
                results=tuple(known),
            )
        )

    choices.repeat(0, most, one)
    if not functions:
        return functions
    once = declared.Call("once", "int", loop_invariant=True, can_raise=choices.chance(50))
    oopspecs = [
        declared.Call(f"{name}_call", row.result.value, elidable=True, oopspec=name, reads=(), writes=())
        for name, row in MEANINGS.items()
        if floats or row.result is not FLOAT
    ]
    local = declared.Call("local", "int", oopspec="threadlocalref_get")
    return [*functions, once, *oopspecs, local]


def _const(
    choices: Choices,
    before: list[declared.KnownObject],
    structs: list[Struct],
    arrays: list[Array],
) -> declared.KnownObject:
    name = f"c{len(before)}"
    if arrays and (not structs or choices.chance(30)):
        return declared.KnownObject(name, array=choices.pick(arrays).name, length=choices.integer(0, 4))
    if before and choices.chance(15):
        return declared.KnownObject(name, same_as=choices.pick(before).name)
    if not structs:
        return declared.KnownObject(name)
    struct = choices.pick(structs)
    fields = []
    for field in inherited_fields(struct, {one.name: one for one in structs}).values():
        if (field.immutable or field.quasi_immutable) and choices.chance(70):
            fields.append((field.name, _known_value(choices, declared_type(field), before)))
    return declared.KnownObject(name, struct=struct.name, fields=tuple(fields))


def _known_value(choices: Choices, type_: str, before: list[declared.KnownObject]) -> Content:
    if type_ == "ref":
        return choices.pick(["NULL", *(const.name for const in before)])
    if type_ == "float":
        return float_constant(choices)
    low, high = NARROW.get(type_, (-4, 7))
    return choices.integer(max(low, -4), min(high, 7))


# Places.


def _fields(struct: Struct, layout: Layout, aliases: dict[str, str]) -> tuple[Place, ...]:
    """The fields, each under the name of the struct and of each ancestor that has it."""
    places = []
    owner: Struct | None = struct
    while owner is not None:
        for field in owner.fields:
            descr = f"{owner.name}.{field.name}"
            slot = layout.field(descr)
            places.append(Place(FIELD, aliases.get(descr, descr), slot))
        owner = layout.struct(owner.parent) if owner.parent is not None else None
    return tuple(places)


def _items(array: Array, layout: Layout, aliases: dict[str, str]) -> tuple[Place, ...]:
    if array.item is not None:
        return (Place(ITEM, aliases.get(array.name, array.name), array.item),)
    names = [f"{array.name}.{field.name}" for field in array.fields]
    return tuple(Place(INTERIOR, name, layout.field(name)) for name in names)


def _undeclared_fields(layout: Layout, floats: bool) -> tuple[Place, ...]:
    places = []
    for name, type_ in (("a", INT), ("b", REF), ("c", FLOAT if floats else INT)):
        layout.learn_use(name, FIELD, type_, "")
        places.append(Place(FIELD, name, layout.field(name)))
    return tuple(places)


# Calls: functions on strings, and copies of arrays.

_COMMON = ("concat", "slice", "equal")
_RARE = (
    *("eq_slice_checknull", "eq_slice_nonnull", "eq_slice_char"),
    *("eq_nonnull", "eq_nonnull_char", "eq_checknull_char", "eq_lengthok"),
)


def declare_array_copies(arrays: Sequence[Array]) -> list[declared.Call]:
    """Calls that copy items of one of these arrays, where they can."""
    return [
        declared.Call(f"{oopspec}_{array.name}", "void", oopspec=oopspec, reads=(array.name,), writes=(array.name,))
        for array in arrays[:2]
        if array.item is not None and array.item.type is not FLOAT and not array.immutable
        for oopspec in ("arraycopy", "arraymove")
    ]


def declare_string_calls(choices: Choices, word: int) -> list[declared.Call]:
    """Functions on strings that there may be at that width."""
    kinds = [name for name in HIGHEST if HIGHEST[name] < 1 << (word - 1)]
    names = [f"{kind}{what}" for kind in kinds for what in (*_COMMON, choices.pick(_RARE), choices.pick(_RARE))]
    return [
        declared.Call(name, STRING_CALLS[name].result.value, elidable=True, oopspec=name, reads=(), writes=())
        for name in dict.fromkeys(names)
    ]
