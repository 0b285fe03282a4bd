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
_CONSTANTS = {"k": SMALL, "K": BORDERS, "M": MASKS, "x": FLOATS + ODD_FLOATS}
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
        return f"{self._target(kind)} = {self._fill(text, {}, 1)}"

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
            if not digit:
                return self._hole(letter, depth)
            if letter + digit not in same:  # what stands in several places is not nested: it would only repeat itself
                same[letter + digit] = self._hole(letter, _DEEPEST)
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
        return self.choices.pick(_CONSTANTS[letter]) if letter in _CONSTANTS else self._value(letter, depth)

    def _value(self, letter: str, depth: int) -> str:
        choices, local = self.choices, self.local
        match letter:
            case "w":
                return self._expression("w", depth, self._simple_word)
            case "m":
                return self._bounded()
            case "i" if choices.chance(40):
                return self._value("w", depth)
            case "i" | "y" | "u":
                return self._expression(letter, depth, lambda: local(letter))
            case "j":
                return local("j") if choices.chance(75) else choices.pick(ANY)
            case "f":
                return self._expression("f", depth, lambda: local("f") if choices.chance(80) else self._hole("x", 0))
            case "t":
                return self._expression("t", depth, lambda: local("t") if choices.chance(85) else '"abc"')
            case "b":
                return f"({self._filled(choices.pick(self._by_kind['b']), min(depth + 1, _DEEPEST))})"
            case "z":
                masks = self._hole("M", 0), f"-{self._hole('M', 0)}"
                return choices.pick((*masks, f"({local('w')} | 1)", f"({local('w')} or 3)"))
            case "s":
                return choices.pick((str(choices.integer(0, 7)), f"({local('w')} & 7)", "(turn & 7)", "(turn % 5)"))
            case "h":
                return choices.pick((str(choices.integer(0, 63)), f"({local('w')} & 63)", "(turn & 15)"))
            case "c":
                return self._late_condition()
        assert letter == "v"
        self._temporaries += 1
        return f"v{self._temporaries}"

    def _expression(self, kind: str, depth: int, simple: Callable[[], str]) -> str:
        """A part of that type in parentheses, where expressions may go deeper; or something simple."""
        if depth < _DEEPEST and kind in self._by_kind and self.choices.chance(30):
            return f"({self._filled(self.choices.pick(self._by_kind[kind]), depth + 1)})"
        return simple()

    def _simple_word(self) -> str:
        makers = (*[lambda: self.local("w")] * 5, lambda: "turn", self._near, self._bounded)
        return self.choices.pick(makers)()

    def _bounded(self) -> str:
        return self._fill(self.choices.pick(_BOUNDED), {}, _DEEPEST)

    def _near(self) -> str:
        return self.choices.pick(self.choices.pick((SMALL, SMALL, BORDERS)))

    def _late_condition(self) -> str:
        """A condition that changes late: after a number of iterations, or now and then."""
        at = self.choices.integer(ROUNDS, ROUNDS * CALLS)
        late = (
            f"turn == {at}",
            f"turn > {at}",
            f"turn % {at} > {at - 4}",
            "turn & 63 == 63",
            f"start > {at}",
            f"{self.local('w')} == {self._hole('k', 0)}",
        )
        return f"({self.choices.pick(late)})"
