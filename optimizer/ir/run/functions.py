"""The results of functions in a run: those of elidable calls, and what they raise.

The world has them in the order in which the recorded trace comes to new ones (another function, or other arguments).
The optimized trace, which is run with the world of that run, is given the same; what the recorded trace has not called
by then, it must not call, nor where the function finds something else in the memory that it is declared to read.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from optimizer.ir.immutable import replace
from optimizer.ir.rows.call_domain import OTHERWISE
from optimizer.ir.rows.row import Type
from optimizer.ir.run.heap import Heap
from optimizer.ir.run.heap_comparison import Renaming, Sight
from optimizer.ir.run.objects import NULL, Datum, Object, Ref, blank, type_of
from optimizer.ir.run.runs import Applied, Argument, Given, Look, Scripted, Seen, World, datum_of
from optimizer.ir.types.calls import Effects

if TYPE_CHECKING:
    from optimizer.ir.types.calls import CallSite
    from optimizer.ir.types.declared import Call

NOT_MADE = "the function is called as the recorded trace has not called it there"
FINDS_OTHER = "the function finds other memory than where the recorded trace calls it"
CONTRADICTED = "the function gives something else than what is declared"

Arguments = tuple[Datum, ...]


class Functions:
    """The functions of one run, on `heap`. `unclear`: it is not known which of several calls one stands for, or what it
    gives here."""

    def __init__(self, world: World, heap: Heap) -> None:
        self._world = world
        self._heap = heap
        self._known: dict[tuple[Type, Arguments], Applied] = {}
        self._made: dict[tuple[Type, Arguments], Applied] = {}
        self.unclear = False

    @property
    def applied(self) -> tuple[Applied, ...]:
        """The calls of functions, those that are the same once; what has only been said of one is not `made`."""
        said = [one for key, one in self._known.items() if key not in self._made]
        return (*self._made.values(), *said)

    def told(self) -> tuple[Applied, ...]:
        """The same, for another run: objects that an event has seen are told by their numbers, others that the
        trace has made and a function gives back as its arguments."""
        numbers = {ref: Seen(number) for number, ref in enumerate(self._heap.seen)}

        def name(value: Scripted) -> Scripted:
            return numbers.get(value, value) if isinstance(value, Ref) else value

        def given(one: Applied) -> Scripted:
            is_made = isinstance(one.result, Ref) and one.result.fresh and one.result in one.args
            return Argument(one.args.index(one.result)) if is_made else name(one.result)

        seen = tuple(self._heap.seen)
        return tuple(
            replace(
                one,
                args=tuple(map(name, one.args)),
                result=given(one),
                raises=name(one.raises),
                looks=tuple([replace(look, seen=seen) for look in one.looks]),
            )
            for one in self.applied
        )

    def call(self, op: int, args: Arguments, type_: Type, events: int, call: CallSite) -> Applied | str:
        """The result and the exception of the function `args[0]` on the other arguments, or the reason why it is
        undefined."""
        key = type_, args
        wanted = self._declared(call.declared, args[1:])
        if any(one != wanted[0] for one in wanted):
            return CONTRADICTED
        known = self._again(op, args, type_, events) if self._world.checked else None
        if isinstance(known, str):
            return known
        if key in self._made:
            known = self._made[key]
        elif known is None:
            self.unclear |= self._may_be_known(args, type_, call.declared)
            said = self._known.get(key)
            known = self._new(op, args, type_, events, wanted) if said is None else self._as_said(said, op, events)
        if not self._world.checked:
            known = replace(known, looks=(*known.looks, self._look(args, events, call.effects)))
        self._known[key] = self._made[key] = known
        if wanted and (known.result, known.raises) != (wanted[0], NULL):
            self.unclear |= self._world.checked
            return CONTRADICTED
        return known

    def say(self, op: int, args: Arguments, value: Datum, declared: Call | None) -> str | None:
        """The trace says that the function gives that value; why this is undefined, if it is."""
        type_ = type_of(value)
        known = self._known.get((type_, args))
        if known is None and self._world.checked:
            found = self._matching(args, type_)
            self.unclear |= len({(one.result, one.raises) for one in found}) > 1
            known = self._as_here(found[0], op, args, 0) if found else None
            if known is None:
                return OTHERWISE
        if known is None:
            wanted = self._declared(declared, args[1:])
            known = Applied(op, type_, args, wanted[0] if wanted else value, NULL, 0, False)
        self._known[type_, args] = known
        return None if (known.result, known.raises) == (value, NULL) else OTHERWISE

    # The recorded trace.

    def _look(self, args: Arguments, events: int, effects: Effects) -> Look:
        return Look(events, args, self._found(args, effects), effects)

    def _found(self, args: Arguments, effects: Effects) -> dict[Ref, Object]:
        return {} if effects.sees_nothing else self._heap.visible(args, effects)

    def _may_be_known(self, args: Arguments, type_: Type, declared: Call | None) -> bool:
        """May the function have been called with these before, or its result be declared, under other names?"""
        called = [one for kind, one in self._known if kind is type_]
        results = () if declared is None else declared.results
        called += [(args[0], *map(self._heap.content, one.args)) for one in results]
        others = (one for one in called if one != args and len(one) == len(args))
        return any(all(map(self._heap.may_be_one, one, args)) for one in others)

    def _as_said(self, said: Applied, op: int, events: int) -> Applied:
        """The call of which the trace has said what it gives."""
        return replace(said, op=op, events=events, made=True)

    def _new(self, op: int, args: Arguments, type_: Type, events: int, wanted: Sequence[Datum]) -> Applied:
        number, given = len(self._made), self._world.functions
        script = given[number] if number < len(given) else Given()
        raises, result = datum_of(script.raises, self._heap), self._result(script.result, type_, args)
        if wanted:
            return Applied(op, type_, args, wanted[0], NULL, events)
        return Applied(op, type_, args, result, raises if isinstance(raises, Ref) else NULL, events)

    def _result(self, scripted: Scripted, type_: Type, args: Arguments) -> Datum:
        value = datum_of(scripted, self._heap, args)
        return blank(type_) if value is None or type_of(value) is not type_ else value

    # The optimized trace.

    def _again(self, op: int, args: Arguments, type_: Type, events: int) -> Applied | str:
        """The result that the recorded trace was given, if it has made that call by now; or the reason why there is
        none."""
        made = [one for one in self._matching(args, type_) if one.made and one.events <= events]
        if not made:
            return NOT_MADE
        found = [one for one in made if self._looks_alike(one, args, events)]
        results = {(one.result, one.raises) for one in found}
        self.unclear |= len(results) > 1
        return self._as_here(found[0], op, args, events) if found else FINDS_OTHER

    def _looks_alike(self, one: Applied, args: Arguments, events: int) -> bool:
        """Has the function found in one of those calls by now what it finds here?"""
        return any(look.events <= events and self._finds(look, args) for look in one.looks)

    def _finds(self, look: Look, args: Arguments) -> bool:
        if look.effects.sees_nothing:
            return True
        renaming = Renaming()
        for ref, other in zip(look.seen, self._heap.seen, strict=False):
            renaming.matches(ref, other)
        wanted = Sight(look.args, look.objects, effects=look.effects)
        found = renaming.difference(wanted, Sight(args, self._found(args, look.effects), effects=look.effects))
        self.unclear |= renaming.doubtful
        return found is None

    def _as_here(self, one: Applied, op: int, args: Arguments, events: int) -> Applied:
        raises, result = datum_of(one.raises, self._heap), self._result(one.result, one.type, args)
        self.unclear |= not (self._is_here(one.raises, args) and self._is_here(one.result, args))
        return Applied(op, one.type, args, result, raises if isinstance(raises, Ref) else NULL, events)

    def _is_here(self, told: Scripted, args: Arguments) -> bool:
        """Is it known what that is here? Of an object that no event has seen yet, and is no argument, it is not."""
        return datum_of(told, self._heap, args) is not None and not (isinstance(told, Ref) and told.fresh)

    def _matching(self, args: Arguments, type_: Type) -> list[Applied]:
        return [one for one in self._world.known if one.type is type_ and self._is_same(one.args, args)]

    def _is_same(self, told: Sequence[Scripted], args: Arguments) -> bool:
        """May those be the same arguments? Of an object that no event has seen, nobody can tell which one it is."""
        return len(told) == len(args) and all(map(self._may_be, told, args))

    def _may_be(self, told: Scripted, arg: Datum) -> bool:
        if not isinstance(arg, Ref) or not arg.fresh:
            return told == arg
        seen = list(self._heap.seen)
        if arg in self._heap.seen:
            return told == Seen(seen.index(arg))
        return (isinstance(told, Seen) and told.number >= len(seen)) or (isinstance(told, Ref) and told.fresh)

    # Declarations.

    def _declared(self, declared: Call | None, args: Sequence[Datum]) -> list[Datum]:
        """The declared results of the function on these arguments: more than one, where constants with different names
        are one object."""
        return [
            self._heap.content(known.value)
            for known in (() if declared is None else declared.results)
            if len(known.args) == len(args)
            and all(self._heap.content(one) == arg for one, arg in zip(known.args, args, strict=True))
        ]
