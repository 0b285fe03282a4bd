"""Random traces on integers and floats, as they test an optimizer by themselves, written as a loop in Python."""

from __future__ import annotations

from collections.abc import Iterator
from textwrap import indent

from fuzz.draw.choices import Choices
from fuzz.draw.generator import generate_from
from fuzz.draw.mixes import draw_shape
from fuzz.draw.vocabulary import Vocabulary
from fuzz.hunt.programs.values import BORDERS, ODD_FLOATS
from optimizer.ir.floats import Float
from optimizer.ir.rows.ops import FLOAT, INT, Kind
from optimizer.ir.trace import ConstFloat, ConstInt, Operation, RawText, Trace, Value, Var

_WRITTEN = {
    **{f"int_{name}": f"intop.int_{name}({{}}, {{}})" for name in ("add", "sub", "mul")},
    **{f"int_{name}_ovf": f"{{}} {sign} {{}}" for name, sign in (("add", "+"), ("sub", "-"), ("mul", "*"))},
    **{f"int_{name}": f"{{}} {sign} {{}}" for name, sign in (("and", "&"), ("or", "|"), ("xor", "^"))},
    **{
        f"{kind}_{name}": f"{{}} {sign} {{}}"
        for kind in ("int", "float")
        for name, sign in (("lt", "<"), ("le", "<="), ("eq", "=="), ("ne", "!="), ("gt", ">"), ("ge", ">="))
    },
    **{
        f"uint_{name}": f"intop.int_add({{}}, -2**63) {sign} intop.int_add({{}}, -2**63)"
        for name, sign in (("lt", "<"), ("le", "<="), ("gt", ">"), ("ge", ">="))
    },
    **{f"float_{name}": f"{{}} {sign} {{}}" for name, sign in (("add", "+"), ("sub", "-"), ("mul", "*"))},
    "float_truediv": "{} / ({} or 1.0)",
    "float_neg": "-{}",
    "float_abs": "abs({})",
    "cast_int_to_float": "float({})",
    "int_neg": "intop.int_sub(0, {})",
    "int_invert": "~{}",
    "int_lshift": "intop.int_lshift({}, {} & 63)",
    "int_rshift": "{} >> ({} & 63)",
    "uint_rshift": "intop.uint_rshift({}, {} & 63)",
    "int_py_div": "{} // ({} or 1)",
    "int_py_mod": "{} % ({} or 1)",
    "int_floordiv": "intop.int_floordiv({}, {} & 2**62 - 1 | 1)",
    "int_mod": "intop.int_mod({}, {} & 2**62 - 1 | 1)",
    "int_force_ge_zero": "max({}, 0)",
    "same_as_i": "{}",
    "same_as_f": "{}",
    "int_is_zero": "{} == 0",
    "int_is_true": "{} != 0",
    "guard_true": "{} == 1",
    "guard_false": "{} == 0",
    "guard_value": "{} == {}",
    "guard_no_overflow": "-2**63 <= {} < 2**63",
    "guard_overflow": "not -2**63 <= {} < 2**63",
}
"""The operations as Python on ints that fit into a word. What is undefined there is something else here."""

_VOCABULARY = Vocabulary(ops=(*_WRITTEN, "jump", "finish"), word=64)
_LISTS = {INT: "l", FLOAT: "e"}
_ITEMS = 8


def trace_function(name: str, choices: Choices) -> str:
    """A function whose loop is a random trace, and its calls. What a guard hands over, or the end, is returned.

    Inputs are items of lists, most of them those of the example on which all guards pass, or what the end before has
    handed on.
    """
    made = generate_from(choices, draw_shape(choices, vocabulary=_VOCABULARY))
    carried = [choices.chance(25) for _ in made.trace.inputs]
    locals_ = [
        str(var) if kept else f"{_LISTS[var.type]}{var}" for var, kept in zip(made.trace.inputs, carried, strict=True)
    ]
    names = ", ".join(["seen", "total", *locals_])
    reads = [
        f"{var} = {local}[turn & 7]" for var, local in zip(made.trace.inputs, locals_, strict=True) if local != str(var)
    ]
    handed_on = [
        _handed_on(var, made.trace, choices) for var, kept in zip(made.trace.inputs, carried, strict=True) if kept
    ]
    body = indent("\n".join([*reads, *_statements(made.trace, choices), *handed_on]), " " * 8)
    calls = ""
    for odd in (0, 20, 60):
        values = [
            _item(value, choices, odd) if kept else f"[{', '.join(_item(value, choices, odd) for _ in range(_ITEMS))}]"
            for value, kept in zip(made.state.inputs, carried, strict=True)
        ]
        calls += f"    lambda: ({', '.join(['None', '0', *values])}),\n"
    loop = f"def {name}(start, stop, {names}):\n    for turn in range(start, stop):\n{body}\n    return ({names})"
    return f"{loop}\n\n\nrun(\n    {name},\n{calls})"


def _handed_on(var: Var, trace: Trace, choices: Choices) -> str:
    """The assignment of a value of the end to an input, if there is one of its type."""
    like = [value for value in trace.ops[-1].args if not isinstance(value, RawText) and value.type is var.type]
    value = _value(choices.pick(like)) if like else str(var)
    return f"{var} = {value}" if var.type is FLOAT else f"{var} = {value} if -2**63 <= {value} < 2**63 else 0"


def _statements(trace: Trace, choices: Choices) -> Iterator[str]:
    flagged: Operation | None = None
    for operation in trace.ops:
        args = [_value(value) for value in operation.args if isinstance(value, Var | ConstInt | ConstFloat)]
        if operation.op.kind is Kind.END:
            yield f"seen = ({''.join(f'{arg}, ' for arg in args)})"
        elif operation.op.is_guard:
            if operation.op.reads_flag and flagged is not None:
                args = [str(flagged.result)]
            exit_ = (operation.exit and operation.exit.failargs) or ()
            handed = [_value(value) for value in exit_ if isinstance(value, Var | ConstInt | ConstFloat)]
            yield f"if not {_WRITTEN[operation.op.name].format(*args)}:"
            yield f"    seen = ({''.join(f'{value}, ' for value in handed)})"
            yield "    continue"
        else:
            yield f"{operation.result} = {_WRITTEN[operation.op.name].format(*args)}"
            flagged = operation
            if operation.result is not None and operation.result.type is not FLOAT and choices.chance(15):
                yield f"total = total * 3 + {operation.result} & 2**62 - 1"


def _value(value: Value) -> str:
    if isinstance(value, ConstFloat):
        return _float(value.value)
    text = str(value)
    return f"({text})" if text.startswith("-") else text


def _float(value: Float) -> str:
    number = value.value
    if number != number or abs(number) >= 2.0**63:  # infinite, or -(2.0**63): PyPy displays a list of it as one of ints
        return f"float('{number}')"
    return f"({number!r})"


def _item(value: object, choices: Choices, odd: int) -> str:
    """The value of the example, or with so many percent another one."""
    if isinstance(value, int):
        near = (str(value + 1), str(value - 1), str(-value), choices.pick(BORDERS[4:28]), str(choices.integer(-9, 99)))
        return choices.pick(near) if choices.chance(odd) else str(value)
    assert isinstance(value, Float)
    return choices.pick(ODD_FLOATS) if choices.chance(odd) else _float(value)
