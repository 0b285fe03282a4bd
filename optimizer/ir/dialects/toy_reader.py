"""The toy dialect rewritten to PyPy's, statement by statement.

Inputs are `getarg`, or, where there is neither a header nor a `getarg`, the names that nothing defines. Values have
no types: whether a name or an object's slot is a machine int or a reference shows in its use, for each object on its
own; what shows nothing is a machine int. A name for what gives nothing (`v3 = store(...)`) is dropped.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from optimizer.ir.check import input_type
from optimizer.ir.dialects.toy import GETARG, SLOT_SUFFIXES, TOY_OPS, TYPE_LETTERS, Role, ToyOp, is_toy_name
from optimizer.ir.faults import InputError
from optimizer.ir.rows.ops import OPS, Type
from optimizer.ir.text.lexer import Source, Token, is_variable_name
from optimizer.ir.text.syntax import Body, Header, Statement

_MOST_INPUTS = 1000
_INPUT_LETTERS = {Type.INT: "i", Type.REF: "p", Type.FLOAT: "f"}
_KINDS = {Type.INT: "a machine int", Type.REF: "a reference", Type.FLOAT: "a float"}
_ROLES = {Type.INT: Role.INT, Type.REF: Role.OBJECT}
_TYPES = {Role.INT: Type.INT, Role.OBJECT: Type.REF}

# A variable, or an object's slot: the names of the object and of the slot.
_Place = str | tuple[str, str]


def rewrite(body: Body, source: Source) -> Body:
    """The same in PyPy's dialect, with a header; a text is in the toy's if it uses a name that only the toy has. Raises
    InputError."""
    inputs = _find_inputs(body, source)
    types = _infer_types(body, source)
    rewriter = _Rewriter(body, source, types, inputs)
    header = body.header or Header(inputs.line, [rewriter.rename(token) for token in inputs.tokens])
    return Body(header, [rewriter.statement(one) for one in body.statements if one.name.text != GETARG])


def _every(statements: list[Statement]) -> Iterator[Statement]:
    for statement in statements:
        yield statement
        yield from statement.block or ()


def _toy_op(statement: Statement) -> ToyOp | None:
    """The toy operation; `new` and `guard_class` are PyPy's with a descr, or with a constant for the class. `new()` is
    `alloc()`."""
    if statement.name.text == "new" and not statement.args and statement.descr is None:
        return TOY_OPS["alloc"]
    op = TOY_OPS.get(statement.name.text)
    if op is not None and not is_toy_name(statement.name.text):
        classes = [token.kind for token in statement.args[len(op.args or ()) - 1 :]]
        if statement.descr is not None or classes != ["name"]:
            return None
    return op


def _roles(statement: Statement, source: Source) -> list[tuple[Role, Token]]:
    """The arguments and live values, each with its role."""
    name, args = statement.name.text, statement.args
    live = [(Role.ANY, token) for token in statement.failargs or ()]
    op = _toy_op(statement)
    row = OPS.get(name)
    if op is not None and op.args is not None:
        if len(args) != len(op.args):
            message = f"{name} takes {len(op.args)} argument{'s' * (len(op.args) != 1)}, got {len(args)}"
            raise source.fault(message, statement.line, statement.closing - 1)
        return list(zip(op.args, args, strict=True)) + live
    if op is None and row is not None and row.args is not None and len(row.args) == len(args):
        roles = [_ROLES.get(type_, Role.ANY) for type_ in row.args]
        return list(zip(roles, args, strict=True)) + live
    return [(Role.ANY, token) for token in args] + live


def _uses(statements: list[Statement], source: Source) -> list[tuple[Statement, Token]]:
    """The names of variables where they are used."""
    return [
        (statement, token)
        for statement in _every(statements)
        for role, token in _roles(statement, source)
        if role in (Role.INT, Role.OBJECT, Role.ANY, Role.SLOT)
        and token.kind == "name"
        and is_variable_name(token.text)
    ]


@dataclass(frozen=True, slots=True)
class _Inputs:
    """The inputs in order, and the line of the first."""

    line: int
    tokens: list[Token]


def _find_inputs(body: Body, source: Source) -> _Inputs:
    getargs = [one for one in body.statements if one.name.text == GETARG]
    if body.header is not None:
        if getargs:
            raise source.fault("the inputs stand in the header already", getargs[0].line, getargs[0].name.column)
        return _Inputs(body.header.line, body.header.inputs)
    if getargs:
        return _number_inputs(getargs, source)
    defined = {one.result.text for one in _every(body.statements) if one.result is not None}
    free = {token.text: token for _, token in _uses(body.statements, source) if token.text not in defined}
    tokens = [free[name] for name in sorted(free, key=_natural)]
    return _Inputs(body.statements[0].line, tokens)


def _natural(name: str) -> list[tuple[int, str]]:
    """Sorts p2 in front of p10."""
    return [(len(part.lstrip("0")) if part.isdigit() else 0, part) for part in re.split("([0-9]+)", name)]


def _number_inputs(getargs: list[Statement], source: Source) -> _Inputs:
    tokens: dict[int, Token] = {}
    for one in getargs:
        number = one.args[0] if len(one.args) == 1 else None
        if one.result is None or number is None or not re.fullmatch("[0-9]{1,4}", number.text):
            raise source.fault("an input has the form v0 = getarg(0)", one.line, one.name.column)
        index = int(number.text)
        if index >= _MOST_INPUTS:
            message = f"the number of an input is below {_MOST_INPUTS}, got {index}"
            raise source.fault(message, one.line, number.column)
        if index in tokens:
            message = f"input {index} has a name already: {tokens[index].text}"
            raise source.fault(message, one.line, number.column)
        tokens[index] = one.result
    unused = [Token("name", f"unused{index}", 1) for index in range(max(tokens) + 1)]
    ordered = [tokens.get(index, unused[index]) for index in range(max(tokens) + 1)]
    return _Inputs(getargs[0].line, ordered)


class _Types:
    """The types of variables and slots as far as they are known: classes of places that have one type."""

    def __init__(self) -> None:
        self._above: dict[_Place, _Place] = {}
        self._known: dict[_Place, Type] = {}

    def of(self, place: _Place) -> Type:
        return self._known.get(self._find(place), Type.INT)

    def is_of(self, place: _Place, type_: Type) -> str | None:
        """Learns the type of a place; what is wrong with that, or None."""
        known = self._known.setdefault(self._find(place), type_)
        return None if known is type_ else _clash(place, known, type_)

    def are_alike(self, place: _Place, other: _Place) -> str | None:
        """Learns that two places have one type; what is wrong with that, or None."""
        one, two = self._find(place), self._find(other)
        if one == two:
            return None
        known, known_of_other = self._known.get(one), self._known.get(two)
        if known is not None and known_of_other is not None and known is not known_of_other:
            return _clash(place, known, known_of_other)
        self._above[one] = two
        if known is not None:
            self._known[two] = known
        return None

    def _find(self, place: _Place) -> _Place:
        while place in self._above:
            above = self._above[place]
            if above in self._above:
                self._above[place] = self._above[above]
            place = above
        return place


def _clash(place: _Place, one: Type, other: Type) -> str:
    name = place if isinstance(place, str) else f"slot {place[1]} of {place[0]}"
    return f"{name} is used as {_KINDS[one]} and as {_KINDS[other]}"


def _infer_types(body: Body, source: Source) -> _Types:
    types = _Types()
    for token in body.header.inputs if body.header is not None else ():
        type_ = input_type(token.text)
        if type_ is not None:
            types.is_of(token.text, type_)
    for statement in _every(body.statements):
        slot: _Place = ("", "")
        pairs = _roles(statement, source)
        names = [token.text for _, token in pairs]
        if len(names) > 1:
            slot = (names[0], names[1])
        for role, token in [*pairs, *_result(statement)]:
            problem = _learn(types, role, token, slot)
            if problem is not None:
                raise source.fault(problem, statement.line, token.column)
    return types


def _result(statement: Statement) -> list[tuple[Role, Token]]:
    op, row, result = _toy_op(statement), OPS.get(statement.name.text), statement.result
    if result is None:
        return []
    if op is not None:
        return [(op.result, result)]
    return [(_ROLES.get(row.result, Role.ANY) if row is not None else Role.ANY, result)]


def _learn(types: _Types, role: Role, token: Token, slot: _Place) -> str | None:
    """Learns types from the use of a token in a role; returns the fault in that use, or None."""
    is_variable = token.kind == "name" and is_variable_name(token.text)
    if role in _TYPES and is_variable:
        return types.is_of(token.text, _TYPES[role])
    if role is not Role.SLOT:
        return None
    if is_variable:
        return types.are_alike(token.text, slot)
    is_int = token.kind == "number" and re.fullmatch("-?[0-9]+|0x[0-9a-f]+", token.text, re.IGNORECASE)
    return types.is_of(slot, Type.INT if is_int else Type.FLOAT if token.kind == "number" else Type.REF)


class _Rewriter:
    def __init__(self, body: Body, source: Source, types: _Types, inputs: _Inputs) -> None:
        self._source = source
        self._types = types
        uses = [token.text for _, token in _uses(body.statements, source)]
        results = [one.result.text for one in _every(body.statements) if one.result is not None]
        self._used = set(uses)
        self._variables = {*results, *(token.text for token in inputs.tokens)}
        self._names: dict[str, str] = {}
        if body.header is None:
            self._name_inputs(inputs, {*uses, *results})

    def _name_inputs(self, inputs: _Inputs, taken: set[str]) -> None:
        """An input's name must begin with the letter of its type."""
        for index, token in enumerate(inputs.tokens):
            type_ = self._types.of(token.text)
            if input_type(token.text) is not type_:
                name = f"{_INPUT_LETTERS[type_]}{index}"
                while name in taken:
                    name += "_"
                taken.add(name)
                self._names[token.text] = name

    def rename(self, token: Token) -> Token:
        return token._replace(text=self._names.get(token.text, token.text)) if token.kind == "name" else token

    def statement(self, statement: Statement) -> Statement:
        op = _toy_op(statement)
        if op is not None:
            statement = self._toy(statement, op)
        return statement._replace(
            result=self.rename(statement.result) if statement.result is not None else None,
            args=[self.rename(token) for token in statement.args],
            failargs=statement.failargs and [self.rename(token) for token in statement.failargs],
            block=statement.block and [self.statement(inner) for inner in statement.block],
        )

    def _toy(self, statement: Statement, op: ToyOp) -> Statement:
        args: list[Token] = []
        descr = statement.descr
        if op.descr is not None:
            descr = statement.name._replace(text=op.descr)
        for role, token in zip(op.args or (Role.ANY,) * len(statement.args), statement.args, strict=True):
            match role:
                case Role.STRUCT:
                    descr = token
                case Role.CLASS:
                    args.append(Token("constant", f"ConstClass({token.text})", token.column))
                case Role.SLOT_NAME:
                    if token.text in self._variables:
                        message = f"a slot is a number or a name of its own, and {token.text} is a variable"
                        raise self._source.fault(message, statement.line, token.column)
                    descr = token._replace(text=self._slot_descr(statement.args[0], token))
                case _:
                    args.append(token)
        result = self._result(statement, op)
        name = statement.name._replace(text=self._op_name(statement, op, result))
        return statement._replace(result=result, name=name, args=args, descr=descr)

    def _slot_descr(self, target: Token, slot: Token) -> str:
        name = f"slot{slot.text}" if slot.kind == "number" else slot.text
        return name + SLOT_SUFFIXES[self._types.of((target.text, slot.text))]

    def _op_name(self, statement: Statement, op: ToyOp, result: Token | None) -> str:
        if not op.typed:
            return op.name
        if op.result is Role.SLOT:
            type_ = self._types.of((statement.args[0].text, statement.args[1].text))
        else:
            type_ = self._types.of(result.text) if result is not None else Type.VOID
        return f"{op.name}_{TYPE_LETTERS[type_]}"

    def _result(self, statement: Statement, op: ToyOp) -> Token | None:
        """The result, if it is one."""
        result = statement.result
        if result is None or op.result not in (Role.NOTHING, Role.ANY):
            return result
        if result.text not in self._used:
            return None
        if op.result is Role.NOTHING:
            raise self._fault(statement, f"{statement.name.text} gives nothing, but {result.text} is used")
        return result

    def _fault(self, statement: Statement, message: str) -> InputError:
        return self._source.fault(message, statement.line, statement.name.column)
