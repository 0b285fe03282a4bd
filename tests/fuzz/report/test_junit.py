"""The JUnit XML of a report: it fits the schema, its counts add up, and what it tells is what was told."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from xml.etree import ElementTree
from xml.etree.ElementTree import Element

import pytest
from report_folder import SCRIPT, WRONG, make_campaign

from fuzz.campaign.results import Result
from fuzz.report.campaign_facts import read_campaign
from fuzz.report.junit import junit_text

ANY, COUNT, SECONDS, TOKEN = r"(?s).*", r"\d+", r"\d+\.\d{3}", r"(?s).*\S.*"
TIMESTAMP = r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d"


@dataclass(frozen=True)
class Rule:
    """An element: a pattern for each attribute, all of them required but those in `optional`, the children in their
    order, each with how often it may be there, and whether it may hold text."""

    attributes: dict[str, str]
    optional: frozenset[str] = frozenset()
    children: tuple[tuple[str, int, float], ...] = ()
    is_text: bool = False


MANY = float("inf")
OUTCOME = Rule({"message": ANY, "type": ANY}, frozenset({"message"}), is_text=True)

# The rules of https://github.com/windyroad/JUnit-Schema (JUnit.xsd), which the one of Jenkins is a superset of.
SCHEMA = {
    "testsuites": Rule({}, children=(("testsuite", 0, MANY),)),
    "testsuite": Rule(
        {
            "name": TOKEN,
            "package": ANY,
            "id": COUNT,
            "timestamp": TIMESTAMP,
            "hostname": TOKEN,
            "tests": COUNT,
            "failures": COUNT,
            "errors": COUNT,
            "skipped": COUNT,
            "time": SECONDS,
        },
        frozenset({"skipped"}),
        (("properties", 1, 1), ("testcase", 0, MANY), ("system-out", 1, 1), ("system-err", 1, 1)),
    ),
    "properties": Rule({}, children=(("property", 0, MANY),)),
    "property": Rule({"name": TOKEN, "value": ANY}),
    "testcase": Rule(
        {"name": ANY, "classname": ANY, "time": SECONDS},
        children=(("skipped", 0, 1), ("error", 0, 1), ("failure", 0, 1)),
    ),
    "failure": OUTCOME,
    "error": OUTCOME,
    "skipped": Rule({}),
    "system-out": Rule({}, is_text=True),
    "system-err": Rule({}, is_text=True),
}


def mistakes(root: Element) -> list[str]:
    """Where a document breaks a rule of the schema, or its counts do not add up."""
    found = [] if root.tag == "testsuites" else [f"the root is {root.tag}"]
    for element in root.iter():
        found += _mistakes_at(element)
    for number, suite in enumerate(root.iter("testsuite")):
        counts = {name: len(suite.findall(f".//{tag}")) for name, tag in COUNTED.items()}
        found += [f"{name} is not {count}" for name, count in counts.items() if suite.get(name) != str(count)]
        found += [f"id is not {number}"] * (suite.get("id") != str(number))
    return found


COUNTED = {"tests": "testcase", "failures": "failure", "errors": "error"}


def _mistakes_at(element: Element) -> Iterator[str]:
    rule = SCHEMA.get(element.tag)
    if rule is None:
        yield f"element {element.tag}"
        return
    for name in rule.attributes.keys() - rule.optional - set(element.keys()):
        yield f"{element.tag} without {name}"
    for name, value in element.items():
        if not re.fullmatch(rule.attributes.get(name, r"(?!)"), value):
            yield f"{element.tag} with {name}={value!r}"
    order = [name for name, _, _ in rule.children]
    children = [child.tag for child in element]
    if not set(children) <= set(order) or [order.index(tag) for tag in children] != sorted(map(order.index, children)):
        yield f"{element.tag} of {children}"
    for name, least, most in rule.children:
        if not least <= children.count(name) <= most:
            yield f"{element.tag} with {children.count(name)} {name}"
    if element.tag == "testcase" and len(children) > 1:
        yield f"testcase of {children}"
    texts = [element.text, *(child.tail for child in element)]
    if not rule.is_text and any(text and text.strip() for text in texts):
        yield f"text in {element.tag}"


@pytest.fixture(scope="module")
def text(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The file of a night with a find of each kind, among them a fault of this tool, and a step that needs a look."""
    folder = make_campaign(tmp_path_factory.mktemp("junit") / "to <night> & \x07")
    fault = Result(seed=70, first=0, verdict="fault", bucket="seed-70-fault", reason=f"ours {SCRIPT}", at=1_790_000_200)
    (folder / "results" / "host-2-0.jsonl").write_text(fault.line())
    step = {"name": "audit", "command": "traceproof audit 'a' > \x1b[1mb", "result": "2 & <more>\x00", "seconds": 3.0}
    looked = [step | {"needs_a_look": look, "output": "]]> \x1b[31mred\x0b\ufffe"} for look in (True, False)]
    (folder / "steps.jsonl").write_text("".join(json.dumps(one) + "\n" for one in looked))
    return junit_text(read_campaign(folder))


def test_it_fits_the_schema(text: str) -> None:
    assert text.startswith('<?xml version="1.0" encoding="UTF-8"?>\n')
    root = ElementTree.fromstring(text.encode())
    assert mistakes(root) == []
    (suite,) = root
    assert [suite.get(name) for name in COUNTED] == ["9", "4", "1"]


def test_what_was_told_is_told_without_control_characters(text: str) -> None:
    assert re.search("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff]", text) is None
    assert "<script" not in text
    root = ElementTree.fromstring(text.encode())
    tests = {test.get("name"): test for test in root.iter("testcase")}
    crash, fault = tests["9-crash"].find("failure"), next(root.iter("error"))
    assert crash is not None
    assert crash.get("message") == "IndexError | `x`"
    assert (fault.get("type"), fault.get("message")) == ("fault", f"ours {SCRIPT}")
    (malformed,) = [one for one in root.iter("failure") if one.get("type") == "malformed"]
    assert malformed.get("message") == f"expected an operation, got {SCRIPT} \\u0000\\ud800"
    assert SCRIPT in str(malformed.text)
    (step,) = [one for one in root.iter("failure") if one.get("type") == "step"]
    assert step.get("message") == "2 & <more>\\u0000"
    assert step.text == "$ traceproof audit 'a' > \\u001b[1mb\n]]> \\u001b[31mred\\u000b\\ufffe"
    refuted = tests["5-refuted"].find("failure")
    assert refuted is not None
    assert WRONG.strip() in str(refuted.text)
    assert "traceproof fuzz --seed 0 --traces 6" in str(refuted.text)


def _without(name: str) -> tuple[str, str]:
    return rf' {name}="[^"]*"', ""


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (r"<testsuites>", '<testsuites name="night">'),
        (r'tests="9"', 'tests="8"'),
        (r'failures="4"', 'failures="5"'),
        (r'errors="1"', 'errors="0"'),
        (r'id="0"', 'id="1"'),
        (r'timestamp="([^"]*)"', r'timestamp="\1Z"'),
        (r'time="\d', 'time="-1'),
        (r'hostname="localhost"', 'hostname=""'),
        (r"<system-err />", ""),
        (r"(?s)(<properties>.*</properties>)(.*)(?=<system-out>)", r"\2\1"),
        (r"<property ", "<unknown "),
        (r"</failure>", '</failure><skipped type="x" />'),
        (r"</testcase>", "text</testcase>"),
        *map(_without, ("classname", "type", "package", "value", "timestamp")),
    ],
)
def test_what_does_not_fit_the_schema_is_seen(old: str, new: str, text: str) -> None:
    changed, count = re.subn(old, new, text, count=1)
    assert count == 1
    assert mistakes(ElementTree.fromstring(changed.encode())) != []
