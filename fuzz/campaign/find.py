"""A find of a campaign as a case of the corpus."""

from __future__ import annotations

import platform

from fuzz.campaign.examine import Find, Made, describe, text_of
from fuzz.campaign.plan import Plan
from fuzz.cases.store import Case
from optimizer.ir.text import format_trace
from validator.tell.stored_state import stored_state


def case_of(find: Find, plan: Plan) -> Case:
    """The case that is stored."""
    after, report = returned(find)
    return Case(
        name=f"seed-{find.seed}-{find.kind.value}",
        before=format_trace(find.generated.trace),
        after=after,
        expect="refuted" if find.obligation and after is not None else "",
        obligation=find.obligation,
        options=plan.options,
        state=stored_state(find.state, find.generated.trace),
        seed=find.seed,
        kind=find.kind.value,
        message=find.message,
        command=_command(find.made, plan),
        versions=versions(),
        report=report,
    )


def _command(made: Made, plan: Plan) -> str:
    """The command that finds it again. What is mutated depends on the batch up to here; the first trace of a batch is
    generated, if there are no others from files."""
    is_generated = not made.parents and not plan.seeds_from
    first = made.seed if made.first is None or made.is_given or is_generated or not plan.mutate else made.first
    return plan.command(first, made.seed - first + 1)


PRINTED = "the optimizer printed:"
"""The heading of what an optimizer printed that is no trace."""


def returned(find: Find) -> tuple[str | None, str]:
    """The text of what the optimizer returned, if it can be written as a trace, and the report."""
    if find.after is None:
        return None, find.report
    if isinstance(find.after, str):
        printed = f"{PRINTED}\n{find.after}" if find.after.strip() else "the optimizer printed nothing"
        return None, f"{printed}\n{find.report}"
    if (text := text_of(find.after)) is not None:
        return text, find.report
    try:
        shown = repr(find.after)
    except Exception as error:  # its class is the optimizer's
        shown = describe(error)
    return None, f"{find.report}the optimizer returned a {type(find.after).__name__}\n{shown}\n"


def versions() -> tuple[tuple[str, str], ...]:
    """The versions that a verdict depends on."""
    packages = (("traceproof", "traceproof"), ("z3", "z3-solver"))
    return (
        *((name, _version(package)) for name, package in packages),
        ("python", platform.python_version()),
    )


def _version(package: str) -> str:
    from importlib.metadata import PackageNotFoundError, version  # here: it takes a while, and finds are few

    try:
        return version(package)
    except PackageNotFoundError:
        return "not installed"
