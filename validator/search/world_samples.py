"""Random scripts of what functions give, of exceptions, and of what else the world decides."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

from optimizer.ir.immutable import replace
from optimizer.ir.rows.ops import Type
from optimizer.ir.run.objects import NULL, Datum, Ref
from optimizer.ir.run.runs import Given, World
from validator.search.heap_plan import Place, Plan


class WorldSampler:
    """Draws for a pair of traces: `pick` gives an object for a place, `number` a number."""

    def __init__(
        self, plan: Plan, random: Random, pick: Callable[[Place], Ref], number: Callable[[Type], Datum]
    ) -> None:
        self._plan = plan
        self._random = random
        self._pick = pick
        self._number = number

    def filled(self, world: World, *, tame: bool) -> World:
        """The world with functions, exceptions and conditions. A `tame` one raises nothing, and forces nothing."""
        plan = self._plan
        functions = tuple(Given(self._given(type_), self._raised(tame, raises)) for type_, raises in plan.functions)
        raises = tuple(self._raised(tame, effects.can_raise) for _, effects in plan.events)
        return replace(
            world,
            functions=functions,
            raises=raises if any(one != NULL for one in raises) else (),
            pending=self._exception() if plan.is_pending and self._random.random() < 0.8 else NULL,
            forced=self._numbers(tame),
            false_conditions=self._numbers(tame),
        )

    def _given(self, type_: Type) -> Datum:
        if type_ is Type.REF:
            return self._pick(Place())
        return 0 if type_ is Type.VOID else self._number(type_)

    def _raised(self, tame: bool, can_raise: bool) -> Ref:
        often = 0.35 if self._plan.caught else 0.12
        return self._exception() if can_raise and not tame and self._random.random() < often else NULL

    def _exception(self) -> Ref:
        caught = self._plan.caught
        return self._pick(Place(types=[self._random.choice(caught)] if caught else [], is_null=False))

    def _numbers(self, tame: bool) -> frozenset[int]:
        if not self._plan.asks_world or tame or self._random.random() < 0.7:
            return frozenset()
        return frozenset({self._random.randrange(len(self._plan.events) + 1)})
