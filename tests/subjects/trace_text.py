"""Traces as text: a line-based reader and printer, which knows no operation."""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass, field
from typing import Any

_QUOTED = r"""(?:"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|<[^<>]*>|\([^()]*\)|[^,"'<()])"""
_ARGUMENT = re.compile(rf"\s*({_QUOTED}+)")
_LINE = re.compile(rf"\s*(?:([A-Za-z_][\w.$]*) = )?(\w+)\(((?:{_QUOTED}|,)*)\)(?: \[(.*)\])?( \{{)?\Z")
_VARIABLE = re.compile(r"[A-Za-z_][\w.$]*\Z")
_NUMBER = re.compile(r"-?(?:0x[0-9a-f]+|\d+)\Z")
_NO_VARIABLES = {"NULL", "None", "nan", "inf"}


class Unsupported(Exception):
    """The optimizer does not know something in the trace."""


@dataclass
class Op:
    """An operation: a guard has an origin, perhaps failargs and an exit block."""

    name: str
    args: list[str]
    result: str | None = None
    descr: str | None = None
    failargs: list[str] | None = None
    block: list[Op] = field(default_factory=list)
    origin: int | None = None

    @property
    def is_guard(self) -> bool:
        return self.name.startswith("guard_")

    def copied(self, resolve: Any) -> Op:
        """The same on other values."""
        failargs = None if self.failargs is None else [resolve(value) for value in self.failargs]
        args = [resolve(value) for value in self.args]
        block = [inner.copied(resolve) for inner in self.block]
        return Op(self.name, args, self.result, self.descr, failargs, block, self.origin)

    def uses(self) -> set[str]:
        """The variables that it, its failargs and its exit block read."""
        values = {*self.args, *(self.failargs or ())}
        for inner in self.block:
            values |= inner.uses()
        return {value for value in values if is_variable(value)}

    def lines(self, indent: str = "") -> list[str]:
        args = list(self.args)
        if self.descr is not None:
            args.append(f"descr={self.descr}")
        if self.origin is not None:
            args.append(f"origin={self.origin}")
        text = f"{indent}{self.result} = " if self.result else indent
        text += f"{self.name}({', '.join(args)})"
        if self.failargs is not None:
            text += f" [{', '.join(self.failargs)}]"
        if not self.block:
            return [text]
        return [f"{text} {{", *(line for inner in self.block for line in inner.lines("    ")), "}"]


@dataclass
class Trace:
    """A trace, with its front matter as text."""

    front: str
    inputs: list[str]
    ops: list[Op]

    @property
    def declarations(self) -> dict[str, Any]:
        return tomllib.loads(self.front)

    @property
    def word(self) -> int:
        return int(self.declarations.get("word", 64))

    def text(self) -> str:
        front = f"+++\n{self.front}+++\n" if self.front else ""
        lines = [f"[{', '.join(self.inputs)}]", *(line for op in self.ops for line in op.lines())]
        return front + "\n".join(lines) + "\n"


def is_variable(value: str) -> bool:
    return _VARIABLE.match(value) is not None and value not in _NO_VARIABLES


def number(value: str) -> int | None:
    """The machine int that a value is, None if it is no constant one."""
    return int(value, 0) if _NUMBER.match(value) else None


def split(text: str) -> list[str]:
    return [found.group(1).strip() for found in _ARGUMENT.finditer(text)]


def parse(text: str) -> Trace:
    """The trace; its guards are numbered, if they have no origins. Raises Unsupported."""
    front, lines = _front(text)
    header = next(lines)
    ops = _ops(lines)
    guards = [op for op in ops if op.is_guard]
    for place, guard in enumerate(guards):
        if guard.origin is None:
            guard.origin = place
    if any(op.name == "label" for op in ops[1:]):
        raise Unsupported("a label behind the first operation")
    return Trace(front, split(header.strip()[1:-1]), ops)


def _front(text: str) -> tuple[str, Any]:
    lines = [line for line in text.splitlines() if line.strip()]
    if lines[0].strip() != "+++":
        return "", iter(lines)
    close = lines.index("+++", 1)
    return "".join(f"{line}\n" for line in lines[1:close]), iter(lines[close + 1 :])


def _ops(lines: Any) -> list[Op]:
    """The operations up to the end of the text or of the exit block."""
    ops = []
    for line in lines:
        if line.strip() == "}":
            break
        found = _LINE.match(line)
        if found is None:
            raise Unsupported(f"the line {line.strip()!r}")
        result, name, args, failargs, opens = found.groups()
        op = Op(name, [], result, failargs=None if failargs is None else split(failargs))
        for value in split(args):
            if value.startswith("descr="):
                op.descr = value[6:]
            elif value.startswith("origin="):
                op.origin = int(value[7:])
            else:
                op.args.append(value)
        if opens:
            op.block = _ops(lines)
        ops.append(op)
    return ops
