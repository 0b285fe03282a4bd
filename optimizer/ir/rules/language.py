"""The language of the rule table: lines in trace syntax.

    int_mul(x, C) => int_lshift(x, log2(C))        if  is_power_of_two(C)

A lower-case name is any value, an upper-case name a constant, the same name the same value; `MININT`, `MAXINT`, `WORD`
and `SIGN`, which is WORD - 1, are constants of the word; numbers are
written as in traces with words of 64 bits. Operations nest. In a pattern, an operation on the inside
stands for the definition of the value it is compared with; an overflow operation there is one whose guard has told that
it did not overflow, and an operation without flag stands for its overflow operation too, which computes the same. In a
replacement and in a condition, operations and the named functions of `optimizer.ir.rules.terms` compute. A replacement
is a value, or *one* operation on values and computed constants. A condition holds where it is defined and not 0.

    slt(x, C) => eq(x, L)                          if  sle(L, x) and slt(L, C) and outside(x, L + 1, C - 1)

A rule on terms is written in the vocabulary of domains instead (`optimizer.ir.rows.domain`): words become words and
conditions conditions, in any number of steps. An `exact_add`, `exact_sub` or `exact_mul` inside of a pattern is one
that does not wrap around. It may name constants that do not stand in the pattern; its `hints` are guesses at these,
made of what is known of the values. Guesses are not trusted: the conditions say what must hold of them.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from optimizer.ir.rows.ops import OPS, Kind, Op, Type
from optimizer.ir.rules.guesses import HINTS
from optimizer.ir.rules.terms import (
    EXACT,
    FUNCTIONS,
    NAMES_OF_PRIMITIVES,
    SMALLEST_WORD,
    WORD_CONSTANTS,
    Apply,
    Call,
    Constant,
    FloatLiteral,
    Literal,
    Primitive,
    Term,
    Variable,
    applications,
    is_constant,
    is_leaf,
    min_word,
    named_leaves,
    parts,
)
from optimizer.ir.text.lexer import NUMBER, Token
from optimizer.ir.text.parser import read_constant
from optimizer.ir.text.string_text import BadConstant
from optimizer.ir.trace import ConstFloat, ConstInt


class RuleError(Exception):
    """A rule that is not of the language; its text says what was expected."""


@dataclass(frozen=True, slots=True, eq=False)
class Rule:
    """`pattern => replacement`, where all conditions hold. `text` and `condition_texts` are as they were
    written.

    `min_word` is the smallest width at which all of its operations exist and its numbers are machine integers. `hints`
    are the constants that stand in conditions first, by name, and the functions that guess them.
    """

    name: str
    text: str
    condition_texts: tuple[str, ...]
    pattern: Apply | Primitive
    replacement: Term
    conditions: tuple[Term, ...]
    min_word: int
    hints: tuple[tuple[str, Term], ...] = ()

    @property
    def root(self) -> Op:
        """The row that a rule on operations rewrites."""
        assert isinstance(self.pattern, Apply)
        return self.pattern.op

    @property
    def names(self) -> tuple[str, ...]:
        """The variables and constants of the pattern, in order of their first use, and those of the hints."""
        hinted = (name for name, _ in self.hints)
        return tuple(dict.fromkeys((*(leaf.name for leaf in named_leaves(self.pattern)), *hinted)))

    @property
    def types(self) -> Mapping[str, Type]:
        """The types of the names."""
        places = [pair for use in applications(self.pattern) for pair in zip(use.args, use.op.args or (), strict=True)]
        return {leaf.name: type_ for leaf, type_ in places if isinstance(leaf, Variable | Constant)}

    @property
    def has_floats(self) -> bool:
        return any(use.op.has_floats for use in applications(self.pattern))

    def __str__(self) -> str:
        return f"{self.text}{' if ' * bool(self.conditions)}{' and '.join(self.condition_texts)}"


def rule(name: str, text: str, *conditions: str, **hints: str) -> Rule:
    """A line of a table. Raises `RuleError` if it is not of the language."""
    try:
        left, arrow, right = text.partition("=>")
        if not arrow:
            raise RuleError("expected `pattern => replacement`, found no =>")
        pattern = _parse(left)
        if not isinstance(pattern, Apply | Primitive):
            raise RuleError("expected an operation as the pattern")
        terms = (_parse(right), *map(_parse, conditions))
        guesses = tuple((hint, _parse(guess)) for hint, guess in hints.items())
        least = max(map(min_word, (pattern, *terms, *(guess for _, guess in guesses))))
        made = Rule(name, text, conditions, pattern, terms[0], terms[1:], least, guesses)
        _check(made)
    except RuleError as error:
        raise RuleError(f"rule {name}: {error}") from None
    return made


_TOKEN = re.compile(rf"\s*({NUMBER}|[A-Za-z_]\w*|[(),])")


def _parse(text: str) -> Term:
    tokens = _tokens(text)
    term = _parse_term(tokens)
    if tokens:
        raise RuleError(f"expected the end of the term, found {tokens[-1]!r}")
    return term


def _tokens(text: str) -> list[str]:
    """The tokens, last one first."""
    found: list[str] = []
    place = 0
    text = text.strip()
    while place < len(text):
        token = _TOKEN.match(text, place)
        if token is None:
            raise RuleError(f"expected a term, found {text[place:].lstrip()!r}")
        found.append(token[1])
        place = token.end()
    return found[::-1]


def _parse_term(tokens: list[str]) -> Term:
    if not tokens:
        raise RuleError("expected a term, found the end")
    head = tokens.pop()
    if (literal := _literal(head)) is not None:
        return literal
    if not tokens or tokens[-1] != "(":
        return _leaf(head)
    args: list[Term] = []
    while tokens and tokens[-1] in "(,":
        tokens.pop()
        args.append(_parse_term(tokens))
    if not tokens or tokens.pop() != ")":
        raise RuleError(f"expected ')' behind the arguments of {head}")
    return _application(head, tuple(args))


def _literal(text: str) -> Literal | FloatLiteral | None:
    """The number that a trace with words of the usual width writes so; None for what is no number."""
    try:
        match read_constant(Token("number" if re.match(NUMBER, text) else "name", text, 1), 64):
            case ConstInt(value):
                least = max(SMALLEST_WORD, (value if value >= 0 else ~value).bit_length() + 1)
                return Literal(str(value), lambda width: value, least)
            case ConstFloat(float_):
                return FloatLiteral(float_)
            case _:
                return None
    except BadConstant as fault:
        raise RuleError(str(fault)) from None


def _leaf(name: str) -> Term:
    if name in WORD_CONSTANTS:
        return Literal(name, WORD_CONSTANTS[name])
    if not name[0].isalpha():
        raise RuleError(f"expected a name, found {name!r}")
    return Constant(name) if name[0].isupper() else Variable(name)


def _application(name: str, args: tuple[Term, ...]) -> Term:
    if name in FUNCTIONS:
        arity, _ = FUNCTIONS[name]
        term: Term = Call(name, args)
    elif name in HINTS:
        arity, _ = HINTS[name]
        term = Call(name, args)
    elif name in NAMES_OF_PRIMITIVES:
        arity = 1 if name in ("neg", "bit_not", "not_") else 2
        term = Primitive(name, args)
    elif name in EXACT:
        arity = 2
        term = Primitive(EXACT[name], args, exact=True)
    elif name in OPS and OPS[name].args is not None and (OPS[name].modelled or OPS[name].has_floats):
        arity = len(OPS[name].args or ())
        term = Apply(OPS[name], args)
    else:
        raise RuleError(f"expected an operation with a meaning or a named function, found {name}")
    if arity != len(args):
        raise RuleError(f"{name} takes {arity} arguments, got {len(args)}")
    return term


def _check(made: Rule) -> None:
    if any(isinstance(part, Call) for part in parts(made.pattern)):
        raise RuleError("a named function cannot be matched")
    for term in (made.replacement, *made.conditions):
        for leaf in named_leaves(term):
            if leaf.name not in made.names:
                raise RuleError(f"{leaf.name} does not stand in the pattern")
        if any(isinstance(part, Call) and part.name in HINTS for part in parts(term)):
            raise RuleError("a guess is no condition")
    if isinstance(made.pattern, Apply):
        _check_of_operations(made.pattern.op, made.pattern, made.replacement)
    else:
        _check_of_terms(made.pattern, made.replacement)


def _check_of_terms(pattern: Primitive, replacement: Term) -> None:
    if any(isinstance(part, Apply) for side in (pattern, replacement) for part in parts(side)):
        raise RuleError("a rule is on operations or on terms")
    if pattern.exact:
        raise RuleError("what is exact stands inside of a pattern")
    if pattern.is_condition != (isinstance(replacement, Primitive) and replacement.is_condition):
        raise RuleError("a condition becomes a condition, and nothing else does")


def _check_of_operations(root: Op, pattern: Apply, replacement: Term) -> None:
    if any(isinstance(part, Primitive) for side in (pattern, replacement) for part in parts(side)):
        raise RuleError("a rule is on operations or on terms")
    new_root = replacement.op if isinstance(replacement, Apply) and not is_constant(replacement) else None
    if new_root is not None and isinstance(replacement, Apply):
        if not all(is_leaf(arg) or is_constant(arg) for arg in replacement.args):
            raise RuleError("a replacement is a value or one operation on values and computed constants")
        if new_root.overflows and not root.overflows:
            raise RuleError("only an overflow operation can become one")
    if (root.kind is Kind.GUARD) != (new_root is not None and new_root.kind is Kind.GUARD):
        raise RuleError("a guard becomes a guard, and nothing else does")
