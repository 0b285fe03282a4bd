"""The commands `ops` and `prove-rules`."""

from __future__ import annotations

import json
import time
from collections.abc import Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import click

from fuzz.command.options import json_option, word_option
from optimizer.ir.rows.notation import meaning, signature
from optimizer.ir.rows.ops import OPS, Op
from validator.command.exits import Exit, worst

if TYPE_CHECKING:
    from optimizer.ir.rules.language import Rule
    from validator.rules.proofs import RuleProof
    from validator.rules.status import Status


@click.command(short_help="Print the operation table.")
@word_option("Width of a machine int; 64 usually.", default=64)
@click.option("--all", "everything", is_flag=True, help="Also those on a heap, and those not modelled yet.")
@json_option("Print one JSON object an operation.")
def ops(word: int, everything: bool, as_json: bool) -> int:
    """Print the operation table: each operation with its meaning and when it is defined.

    Words are signed; `<u`, `>>u`, `*u` and `/u` take them as unsigned. `//` and `%` round to minus infinity,
    quotient and remainder to 0. WORD is the number of bits of a word, MININT its smallest number.

    \b
    $ traceproof ops
    $ traceproof ops --all --json
    """
    for row in OPS.values():
        if everything or (row.modelled and row.min_word <= word):
            meanings = meaning(row, word)
            click.echo(json.dumps(_json(row, meanings)) if as_json else _line(row, meanings))
    return 0


def _json(row: Op, meanings: dict[str, str]) -> dict[str, Any]:
    return {
        "name": row.name,
        "kind": row.kind.value,
        "args": None if row.args is None else [type_.value for type_ in row.args],
        "result": row.result.value,
        "commutative": row.commutative,
        "modelled": row.modelled,
        "heap": row.memory is not None,
        "min_word": row.min_word,
        "constant_args": list(row.constant_args),
        "meaning": meanings,
    }


_WORDS = {"result": "r = ", "overflows": "flag: ", "passes": "passes if ", "defined": "defined if "}


def _line(row: Op, meanings: dict[str, str]) -> str:
    is_told = row.result.value == "void" or "result" in meanings
    said = "; ".join(f"{_WORDS[key]}{meanings[key]}" for key in _WORDS if key in meanings and is_told)
    if not said and not row.modelled:
        said = f"{row.kind.value}, on a heap" if row.memory is not None else "not modelled"
    return f"{signature(row):32} {said or row.kind.value}"


@click.command("prove-rules", short_help="Prove the rules of our optimizer and of the validator.")
@click.argument("texts", nargs=-1, metavar="[RULE]...")
@click.option("--analyses", is_flag=True, help="Prove the transfer functions of bounds, not the rules.")
@click.option("--all", "everything", is_flag=True, help="With --analyses: all bounds at the larger widths, for hours.")
@json_option("Print one JSON object a rule, or a transfer function.")
def prove_rules(texts: tuple[str, ...], analyses: bool, everything: bool, as_json: bool) -> int:
    """Prove the rules of our optimizer and of the validator, or those named, or rules as they are written here, and
    print the table of proofs.

    A rule is proved for all inputs at 64 bits, where Z3 manages that, and on all inputs at a small width, where these
    are not too many; where only the latter was possible, the width is told. A rule must also be able to fire. One whose
    numbers or operations need words of more than 4 bits says so.

    \b
    $ traceproof prove-rules
    $ traceproof prove-rules add_zero sub_self --json
    $ traceproof prove-rules 'int_mul(x, C) => int_lshift(x, log2(C)) if is_power_of_two(C)'
    $ traceproof prove-rules --analyses
    $ traceproof prove-rules --analyses --all

    With --analyses, transfer functions of intervals and known bits are proved: those of results from arguments
    (forward) for all bounds at 3 bits, those that narrow both at 2 bits. At 4 and 3 bits there are millions, of which
    a few thousand are tried, or, with --all, all. It tells how often no answer could be more precise.

    Ends with 1 if a rule or a transfer function is wrong, or a rule never fires, with 3 if one is not settled, else
    with 0.
    """
    if analyses:
        if texts:
            raise click.UsageError("--analyses proves all transfer functions, no rules")
        return _prove_analyses(None if everything else _TRIED, as_json)
    if everything:
        raise click.UsageError("--all is for --analyses; rules are proved for all inputs")
    from optimizer.pipeline import ALL_RULES
    from validator.prove.facts.bounded_rules import BOUNDED_RULES
    from validator.rules.proofs import prove_rules as prove
    from validator.rules.status import Proved, Unproved

    table = (*ALL_RULES, *BOUNDED_RULES)
    rules = [_rule(text, table) for text in texts] or table
    proofs: list[RuleProof] = []
    for proof in prove(rules, time.monotonic):
        proofs.append(proof)
        click.echo(json.dumps(proof.json()) if as_json else str(proof))
    proved = [proof.status for proof in proofs if isinstance(proof.status, Proved)]
    unproved = [proof.status for proof in proofs if isinstance(proof.status, Unproved)]
    if not as_json:
        full = sum(status.width == 64 for status in proved)
        wrong = len(proofs) - len(proved) - len(unproved)
        click.echo(
            f"{len(proofs)} rule{'s' * (len(proofs) != 1)}: {full} proved at 64 bits, "
            f"{len(proved) - full} at a small width only, {len(unproved)} not settled, {wrong} wrong"
        )
    return worst(_exit_code(proof.status) for proof in proofs)


_TRIED = 3_000
"""So many bounds of the arguments of an operation are tried at the larger widths."""


def _prove_analyses(large: int | None, as_json: bool) -> Exit:
    from fuzz.selftest.analyses import prove_analyses

    proofs = []
    for proof in prove_analyses(None, large):
        proofs.append(proof)
        if as_json:
            click.echo(json.dumps(asdict(proof)))
        else:
            tried = "all" if proof.is_all else "those tried"
            said = f"wrong for {proof.wrong}" if proof.wrong else f"right at {proof.width} bits for {tried}"
            best = f"{proof.best} of {proof.questions} are the best, {100 * proof.best / proof.questions:.1f} %"
            click.echo(f"{proof.operation:18} {proof.direction:10} {said}; {best}")
    wrong = sum(bool(proof.wrong) for proof in proofs)
    if not as_json:
        click.echo(f"{len(proofs)} proofs of transfer functions: {len(proofs) - wrong} right, {wrong} wrong")
    return Exit.REFUTED if wrong else Exit.PROVED


def _rule(text: str, table: Sequence[Rule]) -> Rule:
    """The rule of the table that has this name, or the rule that is written here."""
    from optimizer.ir.rules.language import RuleError, rule

    if "=>" not in text and "(" not in text:
        for row in table:
            if row.name == text:
                return row
        raise click.BadParameter(f"there is no rule {text!r}; without names all are proved")
    line, _, conditions = text.partition(" if ")
    try:
        return rule("given", line.strip(), *(part.strip() for part in conditions.split(" and ") if part.strip()))
    except RuleError as error:
        raise click.BadParameter(str(error)) from None


def _exit_code(status: Status) -> Exit:
    from validator.rules.status import Proved, Unproved

    if isinstance(status, Proved):
        return Exit.PROVED
    return Exit.UNKNOWN if isinstance(status, Unproved) else Exit.REFUTED
