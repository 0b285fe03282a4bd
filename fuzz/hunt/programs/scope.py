"""The text of parts: their holes filled from the local variables of a function, and from other parts."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from textwrap import indent

from fuzz.draw.choices import Choices
from fuzz.hunt.programs.part import HELD, HOLE, LOCALS, Part
from fuzz.hunt.programs.prelude import CALLS, ROUNDS
from fuzz.hunt.programs.values import ANY, BORDERS, FLOATS, MASKS, ODD_FLOATS, SMALL

_DEEPEST = 2
"""The levels of expressions in expressions, and of blocks in blocks."""
_MOST_LOCALS = 3
"""Of a type."""

_BOUNDED = (
    "($w & $M)",
    "($w % $M)",
    "($w >> 59)",
    "($w | $M)",
    "($w ^ $m)",
    "($w < $w)",
    "min(max($w, $k), $M)",
    "(turn & 7)",
    "(turn % 5)",
    "$k",
)
_CLEARED = "{0}: object = {0} if len({0}) < 20 else {0}.clear() or {0}"
_SETTLED = {
    "i": (
        "{0}: int = {0} if -{1} <= {0} <= {1} else {0} % {1}",
        "{0}: int = {0} & {1}",
        "{0}: int = {0} % {1} - {2}",
        "{0}: int = {0} if -(2**64) < {0} < {1} else {2}",
        "{0}: int = {0} if -{1} - 2**64 < {0} < {1} + 2**64 else {0} // 2**65 % 3 - {2}",
    ),
    "t": ("{0}: str = {0}[:12]", "{0}: str = {0}[-9:]", "{0}: str = {0} if len({0}) < 16 else 'cab'"),
    "y": ("{0}: bytes = {0}[:12]", "{0}: bytes = {0} if len({0}) < 16 else b'cab'"),
    **dict.fromkeys("len", ("{0}: list = {0} if len({0}) < 16 else {0}[:9]", _CLEARED)),
    "d": (_CLEARED,),
}
"""Statements that keep a variable from growing without end. They are annotated, which tells mutation to let them be."""


class Scope:
    """The local variables of one function, made where they are first needed, and the parts that it may be made of.

    `mix` are the families, the more often the likelier.
    """

    def __init__(self, choices: Choices, families: Mapping[str, Sequence[Part]], mix: Sequence[str]) -> None:
        self.choices = choices
        self.families = families
        self.mix = mix
        self.locals: dict[str, list[str]] = {}
        self.before: list[str] = []
        self.used: list[Part] = []
        self._touched: list[str] = []
        self._temporaries = 0
        self._by_kind: dict[str, list[Part]] = {}
        for family in mix:
            for part in families[family]:
                self._by_kind.setdefault(part.kind, []).append(part)

    def statement(self, depth: int = 0) -> str:
        """A statement: a part that is one, or an assignment of a part that is an expression."""
        pick = self.choices.pick
        part = pick(self.families[pick(self.mix)])
        while depth >= _DEEPEST and ("$B" in part.text or "$D" in part.text):
            part = pick(self.families[pick(self.mix)])
        if part.kind == "do":
            return self._filled(part, depth)
        if part.kind == "b":
            text = f"if {self._filled(part, 0)}:\n"
            return text + indent(self.block(depth + 1) if depth < _DEEPEST else self._assigned("w", "$w"), "    ")
        target = "i" if part.kind == "w" and self.choices.chance(30) else part.kind
        return self._assigned(target, self._filled(part, 0))

    def _assigned(self, kind: str, text: str) -> str:
        sign = " = "
        return f"{self._target(kind)}{sign}{self._fill(text, {}, 1)}"

    def block(self, depth: int) -> str:
        """One or two statements."""
        return "\n".join(self.choices.several(1, 2, lambda: self.statement(depth)))

    def repeated(self, make: Callable[[], str]) -> str:
        """Statements that a loop repeats: what they may let grow is settled first."""
        outer, self._touched = self._touched, []
        text = make()
        settled = [self._settled(name) for name in dict.fromkeys(self._touched)]
        self._touched += outer
        return "\n".join([*settled, text])

    def _settled(self, name: str) -> str:
        text = self.choices.pick(_SETTLED[name[0]])
        return text.format(name, self.choices.pick(MASKS), self.choices.pick(SMALL))

    def local(self, kind: str) -> str:
        """A variable of that type: one there is, or a new one."""
        held = self.locals.setdefault(kind, [])
        if not held or (len(held) < _MOST_LOCALS and self.choices.chance(25)):
            held.append(f"{kind}{len(held)}")
        return self.choices.pick(held)

    def _target(self, kind: str) -> str:
        name = self.local(kind)
        if kind in _SETTLED:
            self._touched.append(name)
        return name

    def _filled(self, part: Part, depth: int) -> str:
        self.used.append(part)
        same: dict[str, str] = {}
        if part.before:
            self.before.append(self._fill(part.before, same, depth))
        return self._fill(part.text, same, depth)

    def _fill(self, text: str, same: dict[str, str], depth: int) -> str:
        def filled(hole: re.Match[str]) -> str:
            letter, digit = hole.groups()
            # What stands in several places is not nested: it would only repeat itself.
            deep = _DEEPEST if digit else depth
            if not digit:
                return self._hole(letter, deep)
            if letter + digit not in same:
                same[letter + digit] = self._hole(letter, deep)
            return same[letter + digit]

        lines = []
        for line in text.splitlines():
            made = HOLE.sub(filled, line)
            margin = line[: len(line) - len(line.lstrip())]
            lines.append(indent(made.lstrip(), margin) if "\n" in made else made)
        return "\n".join(lines)

    def _hole(self, letter: str, depth: int) -> str:
        if letter == "B":
            return self.block(depth + 1)
        if letter == "D":
            return self.repeated(lambda: self.block(depth + 1))
        if letter.isupper() and letter.lower() in LOCALS:
            return self._target(letter.lower())
        if letter in HELD:
            return self._target(letter)
        return getattr(self, f"_hole_{letter}")(depth) if hasattr(self, f"_hole_{letter}") else self._constant(letter)

    def _constant(self, letter: str) -> str:
        return self.choices.pick({"k": SMALL, "K": BORDERS, "M": MASKS, "x": FLOATS + ODD_FLOATS}[letter])

    def _expression(self, kind: str, depth: int, simple: Callable[[], str]) -> str:
        """A part of that type in parentheses, where expressions may go deeper; or something simple."""
        if depth < _DEEPEST and kind in self._by_kind and self.choices.chance(30):
            return f"({self._filled(self.choices.pick(self._by_kind[kind]), depth + 1)})"
        return simple()

    def _hole_w(self, depth: int) -> str:
        return self._expression("w", depth, self._simple_w)

    def _simple_w(self) -> str:
        local = self.local
        return self.choices.pick((local, local, local, local, local, self._turn, self._near, self._bounded))("w")

    def _bounded(self, _: str) -> str:
        return self._fill(self.choices.pick(_BOUNDED), {}, _DEEPEST)

    def _turn(self, _: str) -> str:
        return "turn"

    def _near(self, _: str) -> str:
        return self.choices.pick(self.choices.pick((SMALL, SMALL, BORDERS)))

    def _hole_m(self, depth: int) -> str:
        return self._bounded("m")

    def _hole_i(self, depth: int) -> str:
        if self.choices.chance(40):
            return self._hole_w(depth)
        return self._expression("i", depth, lambda: self.local("i"))

    def _hole_j(self, depth: int) -> str:
        return self.local("j") if self.choices.chance(75) else self.choices.pick(ANY)

    def _hole_f(self, depth: int) -> str:
        return self._expression("f", depth, lambda: self.local("f") if self.choices.chance(80) else self._constant("x"))

    def _hole_t(self, depth: int) -> str:
        return self._expression("t", depth, lambda: self.local("t") if self.choices.chance(85) else '"abc"')

    def _hole_y(self, depth: int) -> str:
        return self._expression("y", depth, lambda: self.local("y"))

    def _hole_u(self, depth: int) -> str:
        return self._expression("u", depth, lambda: self.local("u"))

    def _hole_b(self, depth: int) -> str:
        return f"({self._filled(self.choices.pick(self._by_kind['b']), min(depth + 1, _DEEPEST))})"

    def _hole_z(self, depth: int) -> str:
        return self.choices.pick(
            (self._constant("M"), f"-{self._constant('M')}", f"({self.local('w')} | 1)", f"({self.local('w')} or 3)")
        )

    def _hole_s(self, depth: int) -> str:
        return self.choices.pick(
            (str(self.choices.integer(0, 7)), f"({self.local('w')} & 7)", "(turn & 7)", "(turn % 5)")
        )

    def _hole_h(self, depth: int) -> str:
        return self.choices.pick((str(self.choices.integer(0, 63)), f"({self.local('w')} & 63)", "(turn & 15)"))

    def _hole_c(self, depth: int) -> str:
        """A condition that changes late: after a number of iterations, or now and then."""
        at = self.choices.integer(ROUNDS, ROUNDS * CALLS)
        late = (
            f"turn == {at}",
            f"turn > {at}",
            f"turn % {at} > {at - 4}",
            "turn & 63 == 63",
            f"start > {at}",
            f"{self.local('w')} == {self._constant('k')}",
        )
        return f"({self.choices.pick(late)})"

    def _hole_v(self, depth: int) -> str:
        self._temporaries += 1
        return f"v{self._temporaries}"
