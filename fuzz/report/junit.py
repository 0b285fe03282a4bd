"""A campaign as JUnit XML: a test for each verdict and step, and one that fails for each bucket of finds."""

from __future__ import annotations

from datetime import UTC, datetime
from xml.etree import ElementTree

from fuzz.campaign import FindKind
from fuzz.report.campaign_facts import CampaignFacts, KeptFind, Step
from fuzz.report.markup import printable
from fuzz.results import COUNTED


def junit_text(told: CampaignFacts) -> str:
    """The file, by the rules of https://github.com/windyroad/JUnit-Schema. A fault of this tool is an error, any other
    find a failure."""
    figures = told.figures
    seconds = f"{figures.wall_seconds:.3f}"
    suites = ElementTree.Element("testsuites")
    suite = ElementTree.SubElement(suites, "testsuite", name=printable(f"campaign {told.name}"), id="0", time=seconds)
    suite.set("package", "traceproof")
    suite.set("hostname", "localhost")
    suite.set("timestamp", datetime.fromtimestamp(figures.began or 0, UTC).strftime("%Y-%m-%dT%H:%M:%S"))
    properties = ElementTree.SubElement(suite, "properties")
    for name in ("traces", "finds"):
        ElementTree.SubElement(properties, "property", name=name, value=str(getattr(figures, name)))
    for verdict in COUNTED:
        _test(suite, "verdicts", f"{verdict}: {figures.verdicts[verdict]}")
    for step in told.steps:
        _step(suite, step)
    for find in told.finds:
        _find(suite, find)
    ElementTree.SubElement(suite, "system-out").text = printable(told.outcome)
    ElementTree.SubElement(suite, "system-err")
    for name, tag in (("tests", "testcase"), ("failures", "failure"), ("errors", "error")):
        suite.set(name, str(sum(1 for _ in suite.iter(tag))))
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
    kind = "error" if bucket.kind == FindKind.FAULT.value else "failure"
    test = _test(suite, "finds", bucket.name)
    failure = ElementTree.SubElement(test, kind, message=printable(bucket.message), type=bucket.kind)
    lines = [f"finds: {bucket.count}", *(["repeat with:", f"  {find.command}"] if find.command else [])]
    if find.case is not None:
        lines += ["", "before:", find.case.before]
        lines += ["after:", find.case.after] if find.case.after else []
    failure.text = printable("\n".join(lines))
