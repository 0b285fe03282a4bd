"""Functions that PyPy knows, by their names as calls print them (`Line.function`): what they touch."""

from __future__ import annotations

import re
from functools import lru_cache

_FORCES = re.compile(r"<Callv .* EF=2 OS=121>(@.*)?")
_ALLOCATES = re.compile(r"<Calli 8 i EF=[0-9]+ OS=110>(@.*)?")
_FREES = re.compile(r"<Callv 0 i EF=[0-9]+ OS=111>(@.*)?")

_FORCES_REFERENCE = re.compile(r"<Callr 8 r EF=6 OS=120>(@.*)?")
_FRAMES = re.compile(
    r"<Field. (JitVirtualRef|pypy\.interpreter\.pyframe\.PyFrame)\.|<FrameP |<Array|<Interior|<Field. [a-z]\w*\.\w+ "
)
"""Fields of virtual references and of PyPy's frames, which alone are virtualizable (interp_jit.py), and memory that is
not printed by whose it is."""

_OF_C = r"(ccall_|_ll_[0-9]_(raw_(malloc|free)|threadlocalref_get)_)\w+"
_FOREIGN = re.compile(rf"<Call[ifnv] [0-9]+(?: [if]+)? EF=[2-5](?: OS=(5|111))?>@{_OF_C}")

_NUMBERS = re.compile(r"<Array[SUF] ")
"""Arrays of numbers, the address of which C may be given as a number, if they do not move."""

_RPYTHON = re.compile(r"<Call. .* EF=[2-5](?: OS=4)?>@(?P<name>\w+)")
_ANYWHERE = r"_trampoline__v\d+___simple_call__function_\w*"
"""The end of the name of a function into which PyPy looks at some calls: which call it is."""
_TEXT, _TABLE = r"<Array[SU]|<Field. (string|unicode|rpy_)", r"<ArrayU|<Interior|<Field. dict"
_NO_KEY = (
    r"<Field. pypy\.objspace\.std\."
    r"(unicodeobject\.W_UnicodeObject\.inst__length|intobject\.W_IntObject|floatobject\.W_FloatObject)\b"
)
"""Fields that are no part of keys: of a string its bytes are, and the interpreter compares numbers, or unwraps them."""
_KEY = rf"<Field. (rpy_|rpython\.)|(?!{_NO_KEY}).* pure>"
_KEPT = r"(entries|num_live_items|num_ever_used_items)"
"""The fields of dicts that lookups leave as they are: these make no item, but may make the index anew."""
_READ = "entries|indexes|num_ever_used_items"
"""The fields of dicts that a lookup reads behind the choice of the index, which is what `lookup_function_no` tells."""
_OF_LISTS = r"pop(_nonneg|_default|_zero)?|delitem(_nonneg)?|insert_nonneg|reverse|inplace_mul|extend"
"""Functions that change lists, and compare no items."""
_MAKING_LISTS = r"mul|concat|listslice_\w+?"
_LIST, _BUILDER = r"<Array|<Field. list\.", r"<Array[SU]|<Field. (string|unicode)(builder|piece)\."
_OWN = (
    (r"_ll_list_resize_hint_really_look_inside_iff__listPtr_Signed_Bool", _LIST, _LIST),
    (rf"_ll_list_resize_hint{_ANYWHERE}", _LIST, _LIST),
    (rf"ll_({_OF_LISTS})({_ANYWHERE}|__\w*listPtr(_\w+)?)", _LIST, _LIST),
    (rf"ll_list(delslice_\w+?|setslice)({_ANYWHERE}|__\w*listPtr(_\w+)?)", _LIST, _LIST),
    (rf"ll_({_MAKING_LISTS})({_ANYWHERE}|__\w*listPtr(_\w+)?)", _LIST, r"(?!)"),
    (r"ll_extend_with_str(_slice_\w+)?__listPtr_rpy_stringPtr_\w+", rf"{_LIST}|{_TEXT}", _LIST),
    (r"_r?split_by__str", r"<ArrayP|<Field. (list\.|rpy_)", r"(?!)"),
    (r"ll_grow_by__stringbuilderPtr_Signed", _TEXT, _BUILDER),
    (r"_ll_append_multiple_char__stringbuilderPtr_Char_Signed", _TEXT, _BUILDER),
    (r"ll_append_(res0|0_\d+)__stringbuilderPtr_rpy_stringPtr", _TEXT, _BUILDER),
    (r"ll_append_(res_slice|start_\d+)__stringbuilderPtr_rpy_stringPtr(_Signed)+", _TEXT, _BUILDER),
    (rf"ll_build{_ANYWHERE}", _TEXT, _BUILDER),
    (rf"ll_join(_chars|_strs)?({_ANYWHERE}|__\w+)", r"<Array|<Field. rpy_", r"(?!)"),
    (r"_ll_strhash__rpy_stringPtr", rf"<Array[SU]|{_KEY}", r"<Field. rpy_string\."),
    (r"_ll_dictnext_look_inside_iff__dictiterPtr", _TABLE, r"<Field. (dictiter\.|dicttable\.lookup_function_no )"),
    (
        rf"ll_dict_lookup{_ANYWHERE}",
        rf"<ArrayU|<Interior|<Field. dicttable\.({_READ}) |{_KEY}",
        r"<ArrayU|<Field. rpy_",
    ),
    (
        rf"ll_call_lookup_function{_ANYWHERE}",
        rf"{_TABLE}|{_KEY}",
        rf"<ArrayU|<Field. (dicttable\.(?!{_KEPT} )|rpy_)|<Interior.*\.f_hash ",
    ),
    (
        rf"_ll_dict_(setitem_lookup_done|del){_ANYWHERE}",
        rf"{_TABLE}|{_KEY}",
        r"<ArrayU|<Interior|<Field. (dicttable\.|rpy_)",
    ),
    (r"(_ll_1_(gc_id|weakref_create)|_ll_0_alloc_with_del|(may_ignore|register)_finalizer)__\w+", r"(?!)", r"(?!)"),
)
"""RPython's own functions on lists, builders of strings, strings, dicts, iterators of dicts, and for the garbage
collector, by their names, with the memory that they may touch, and the memory that they write. Functions on dicts may
read what is immutable in keys, to compare them, and compute the hashes of strings; an index is of unsigned numbers."""

_STRUCTS = re.compile(r"<Field. (list|string|unicode|dict|rpy_)|<ArrayS ")
"""The fields of their structs, and integers: of those that they may touch they may read each."""

_MOST_ASKED = 1 << 14
"""The number of names of which is kept what they tell."""

RPYTHON = "RPython's own functions on lists, strings, dicts and for the garbage collector touch nothing else"

FOREIGN = "functions of C and for raw memory that are given no object touch none but arrays of numbers"


FORCED = "to force a virtual reference writes frames and references alone"


def touches_nothing(function: str) -> bool:
    """Does the function (as `Line.function`) read and write nothing, as PyPy takes it? It forces a frame that runs: the
    fields of the frame are what they are behind it."""
    return _FORCES.fullmatch(function) is not None


def forces_reference(function: str) -> bool:
    """Does the function (as `Line.function`) force a virtual reference? It writes the frame that this stands for, and
    new objects, as the recorded trace has done (`force_virtual` in virtualref.py)."""
    return _FORCES_REFERENCE.fullmatch(function) is not None


def allocates_raw(function: str) -> bool:
    """Does the function (as `Line.function`) allocate raw memory?"""
    return _ALLOCATES.fullmatch(function) is not None


def frees_raw(function: str) -> bool:
    """Does the function (as `Line.function`) free raw memory?"""
    return _FREES.fullmatch(function) is not None


def touches_no_object(function: str) -> bool:
    """Does the function read and write no object, as PyPy takes it?"""
    return touches_nothing(function) or allocates_raw(function)


def is_foreign(function: str) -> bool:
    """Is it a function of C or for raw memory that is given no object, and does not call back (rffi.py)?"""
    return _FOREIGN.fullmatch(function) is not None


@lru_cache(maxsize=_MOST_ASKED)
def keeps_off(function: str, memory: str | None = None) -> bool:
    """Is it one of RPython's own functions (as `Line.function`), and is the memory none of those that it may touch, or
    a function of C? It runs no code of the interpreter, forces no frame, and invalidates no code. Of what forces a
    virtual reference that is known for memory alone."""
    if forces_reference(function):
        return memory is not None and not _FRAMES.match(memory)
    if is_foreign(function):
        return memory is None or not ("@ccall_" in function and _NUMBERS.match(memory))
    found = _RPYTHON.fullmatch(function)
    touched = (own for name, own, _ in _OWN if found and re.fullmatch(name, found["name"]))
    return any(memory is None or not re.match(own, memory) for own in touched)


@lru_cache(maxsize=_MOST_ASKED)
def does_to_own(function: str, verb: str, memory: str) -> bool:
    """Is it one of these functions, and is this (`reads`, `writes`) what it does to the memory?"""
    found = _RPYTHON.fullmatch(function)
    owns = [own for name, *own in _OWN if found and re.fullmatch(name, found["name"])]
    if verb == "reads":
        return _STRUCTS.match(memory) is not None and any(re.match(touched, memory) for touched, _ in owns)
    return verb == "writes" and any(re.match(written, memory) for _, written in owns)
