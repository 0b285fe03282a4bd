"""Fields of virtual references, and variables of frames, at which functions that force no frame do not look.

RPython has a type of its own for what `virtual_ref` gives: a field that holds one holds nothing else, and there is
nothing to do with one but to force it (`vref()`, in rlib/jit.py), which the class of a function's effects tells. So one
whose class says that it forces nothing neither reads nor writes such fields, nor those of virtual references
themselves; PyPy's optimizer, which knows what functions do, puts stores to them off over calls. One could hand a
virtual reference on as it is; where PyPy's optimizer shows that a function writes such a field, it is none of these.

The array of a frame's variables is handed to nobody, and an item of it is accessed behind a call that forces the frame
(doc/jit/virtualizable.rst, and `hook_access_field` in rvirtualizable.py), but where code is traced.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import product

from validator.pypy.inferred.effects import Effect
from validator.pypy.printed.kinds.variables import OF_FRAMES, forces_no_frame
from validator.pypy.printed.lines import Line
from validator.pypy.printed.straight import VIRTUAL_REF

_VERBS = "reads", "writes"
_OWN = "<FieldP JitVirtualRef."
_OF_INSTANCES = re.compile(r"<FieldP .*\.inst_")
"""Fields of instances: those of RPython's own structs share their names with others."""


@dataclass(slots=True)
class References:
    """The functions that force no frame, and the fields in which logs store virtual references."""

    _functions: set[str] = field(default_factory=set)
    _fields: set[str] = field(default_factory=set)

    def add(self, lines: Iterable[Line]) -> None:
        references = set[str | None]()
        for line in lines:
            if line.is_call and forces_no_frame(line.function):
                self._functions.add(line.function)
            elif line.descr == VIRTUAL_REF:
                references.add(line.result)
            elif (access := line.access) and access.is_store:
                memory = access.memory
                if memory.startswith(_OWN) or (access.value in references and _OF_INSTANCES.match(memory)):
                    self._fields.add(memory)

    def effects(self) -> Iterator[Effect]:
        """The effects that these functions do not have on these fields."""
        return (Effect(*one) for one in product(self._functions, _VERBS, self._fields))

    def of_frames(self) -> Iterator[Effect]:
        """The effects that these functions do not have on the items of frames."""
        return (Effect(*one) for one in product(self._functions, _VERBS, [OF_FRAMES]))
