"""Texts of traces in any dialect."""

from __future__ import annotations

from optimizer.ir.dialects.toy import is_toy_name
from optimizer.ir.text import parser
from optimizer.ir.text.lexer import Source
from optimizer.ir.text.syntax import Body
from optimizer.ir.trace import Trace
from optimizer.ir.types.declared import NO_DECLARATIONS, Declarations


def parse(text: str, *, file: str = "<trace>", word: int | None = None, types: Declarations = NO_DECLARATIONS) -> Trace:
    """The trace that `text` writes, in PyPy's form or in the articles' toy dialect.

    `word` is the width of a machine int in bits (4 to 64); without it the front matter says it, else it is 64.
    `types` are added to the declarations of the front matter. Raises InputError, and nothing else.
    """
    return parser.parse(text, file=file, word=word, types=types, translate=_translate)


def _translate(body: Body, source: Source) -> Body:
    """The same in PyPy's form. A text is in the toy's if it uses a name that only the toy has."""
    if not any(is_toy_name(statement.name.text) for statement in body.statements):
        return body
    from optimizer.ir.dialects.toy_reader import rewrite  # here: most traces are read without it

    return rewrite(body, source)
