"""JUnit XML, by the rules of https://github.com/windyroad/JUnit-Schema.

A campaign has a test for each verdict and step, and one that fails for each bucket of finds; a run of a corpus has one
for each case, a log of PyPy one for each pair.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING
from xml.etree import ElementTree

from fuzz.campaign.examine import FindKind
from fuzz.campaign.results import COUNTED
from fuzz.report.campaign_facts import CampaignFacts, KeptFind, Step
from fuzz.report.words import printable

if TYPE_CHECKING:  # all about logs of PyPy is not loaded for campaigns
    from fuzz.cases.run import CaseRun
    from fuzz.report.log_figures import LogFigures


def junit_text(campaign: CampaignFacts) -> str:
    """The file of a campaign. A fault of this tool is an error, any other find a failure."""
    figures = campaign.figures
    numbers = {name: getattr(figures, name) for name in ("traces", "finds")}
    suite = _suite(f"campaign {campaign.name}", figures.wall_seconds, figures.began or 0, numbers)
    for verdict in COUNTED:
        _test(suite, "verdicts", f"{verdict}: {figures.verdicts[verdict]}")
    for step in campaign.steps:
        _step(suite, step)
    for find in campaign.finds:
        _find(suite, find)
    return _file(suite, campaign.outcome)


def corpus_junit_text(folder: str, began: float, seconds: float, cases: Sequence[CaseRun], outcome: str) -> str:
    """The file of a run of the corpus in the folder. A case that is not as expected is a failure, one that cannot be
    read an error."""
    suite = _suite(f"corpus {folder}", seconds, began, {"cases": len(cases)})
    for case in cases:
        test = _test(suite, "corpus", case.name)
        wrong = [*case.differences, *([case.report] if case.report else [])]
        if case.differences or not case.is_readable:
            kind = "failure" if case.is_readable else "error"
            first = ElementTree.SubElement(test, kind, message=printable(wrong[0]), type="case")
            first.text = printable("\n".join(wrong))
    return _file(suite, outcome)


def log_junit_text(
    figures: LogFigures, began: float, seconds: float, pairs: Sequence[tuple[str, str, str, float]]
) -> str:
    """The file of logs whose pairs were proved, each with its name, verdict, reason and seconds. What is refuted is a
    failure; of what is not settled, the test is skipped. A log that is damaged, say, is an error."""
    suite = _suite(figures.title, seconds, began, {"pairs": figures.pairs, "unpaired": figures.unpaired})
    for name, verdict, reason, spent in pairs:
        test = _test(suite, "pairs", name, spent)
        if verdict in ("refuted", "error"):
            kind = "failure" if verdict == "refuted" else "error"
            ElementTree.SubElement(test, kind, message=printable(reason), type=verdict).text = printable(reason)
        elif verdict != "proved":
            ElementTree.SubElement(test, "skipped")
    for problem in figures.problems:
        test = _test(suite, "logs", problem.partition(": ")[0])
        ElementTree.SubElement(test, "error", message=printable(problem), type="log").text = printable(problem)
    return _file(suite, "\n".join(figures.lines()))


def _suite(name: str, seconds: float, began: float, numbers: Mapping[str, int]) -> ElementTree.Element:
    suite = ElementTree.Element("testsuite", name=printable(name), id="0", time=f"{seconds:.3f}")
    suite.set("package", "traceproof")
    suite.set("hostname", "localhost")
    suite.set("timestamp", datetime.fromtimestamp(began, UTC).strftime("%Y-%m-%dT%H:%M:%S"))
    properties = ElementTree.SubElement(suite, "properties")
    for key, value in numbers.items():
        ElementTree.SubElement(properties, "property", name=key, value=str(value))
    return suite


def _file(suite: ElementTree.Element, outcome: str) -> str:
    ElementTree.SubElement(suite, "system-out").text = printable(outcome)
    ElementTree.SubElement(suite, "system-err")
    for name, tag in (("tests", "testcase"), ("failures", "failure"), ("errors", "error")):
        suite.set(name, str(sum(1 for _ in suite.iter(tag))))
    suites = ElementTree.Element("testsuites")
    suites.append(suite)
    ElementTree.indent(suites)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + ElementTree.tostring(suites, encoding="unicode") + "\n"


def _test(suite: ElementTree.Element, group: str, name: str, seconds: float = 0.0) -> ElementTree.Element:
    return ElementTree.SubElement(
        suite, "testcase", classname=f"traceproof.{group}", name=printable(name), time=f"{seconds:.3f}"
    )


def _step(suite: ElementTree.Element, step: Step) -> None:
    test = _test(suite, "steps", step.name, step.seconds)
    if step.needs_a_look:
        failure = ElementTree.SubElement(test, "failure", message=printable(step.result), type="step")
        failure.text = printable(f"$ {step.command}\n{step.output}")


def _find(suite: ElementTree.Element, find: KeptFind) -> None:
    bucket = find.bucket
    kind = "error" if FindKind(bucket.kind).is_ours else "failure"
    test = _test(suite, "finds", bucket.name)
    failure = ElementTree.SubElement(test, kind, message=printable(bucket.message), type=bucket.kind)
    lines = [f"finds: {bucket.count}", *(["repeat with:", f"  {find.command}"] if find.command else [])]
    if find.case is not None:
        lines += ["", "before:", find.case.before]
        lines += ["after:", find.case.after] if find.case.after else []
    failure.text = printable("\n".join(lines))
