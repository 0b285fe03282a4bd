"""Reports: what the files say, and that they are what they claim to be."""

from __future__ import annotations

import json
import re
from collections import Counter
from html.parser import HTMLParser
from pathlib import Path
from xml.etree import ElementTree

import pytest
from jinja2 import UndefinedError
from report_folder import BEFORE, CASES, SCRIPT, WRONG, make_campaign

from fuzz.campaign.coverage import all_coverage
from fuzz.campaign.figures import count, power_of_two_ms
from fuzz.campaign.folder import write_plan
from fuzz.campaign.plan import Plan
from fuzz.campaign.results import Result
from fuzz.cases.store import case_names, read_case
from fuzz.report.beside import beside
from fuzz.report.campaign_facts import CampaignFacts, read_campaign
from fuzz.report.campaign_page import DETAILED, campaign_page
from fuzz.report.folder import FILES, write_report
from fuzz.report.judged import Link, judge_case, judge_pair
from fuzz.report.pages import environment
from fuzz.report.pair_page import pair_page
from fuzz.report.plots import nice_steps, unit_of_time
from fuzz.report.words import duration, share
from optimizer.ir.faults import InputError
from optimizer.ir.immutable import replace
from optimizer.ir.text import parse
from optimizer.pipeline import optimize
from validator.verdict import Options, Proved, Refuted

CORPUS = Path(__file__).parents[3] / "corpus"
OPTIONS = Options(effort=2_000_000, timeout_s=10.0)
_VOID = {"meta", "link", "br", "hr"}


class _Checked(HTMLParser):
    """Reads a page: elements must be closed in order, and ids be there once."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self._open: list[str] = []
        self.tags: Counter[str] = Counter()
        self.ids: Counter[str] = Counter()
        self.links: set[str] = set()
        self.attributes: Counter[str] = Counter()
        self.text = ""
        self.feed(page)
        self.close()
        assert not self._open
        assert set(self.ids.values()) == {1} or not self.ids
        assert {link.removeprefix("#") for link in self.links if link.startswith("#")} <= set(self.ids)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags[tag] += 1
        self.attributes.update(name for name, _ in attrs)
        given = dict(attrs)
        if "id" in given:
            self.ids[str(given["id"])] += 1
        self.links |= {str(given[name]) for name in ("href", "src") if name in given}
        if tag not in _VOID:
            self._open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self._open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text += data


@pytest.fixture(scope="module")
def campaign(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = make_campaign(tmp_path_factory.mktemp("report") / "tonight")
    write_report(folder, "its time was up")
    return folder


@pytest.fixture(scope="module")
def facts(campaign: Path) -> CampaignFacts:
    return read_campaign(campaign)


def test_a_report_has_all_its_files(campaign: Path) -> None:
    assert {path.name for path in (campaign / "report").iterdir()} == set(FILES)


def test_figures_are_counted(facts: CampaignFacts) -> None:
    figures = facts.figures
    assert figures.verdicts == {"proved": 55, "unknown": 1, "refuted": 2, "malformed": 1, "crash": 1}
    assert (figures.traces, figures.finds, figures.first, figures.last) == (60, 4, 0, 59)
    assert figures.rungs == {"structure": 540, "solving": 60}
    assert figures.unknown == {"int_mul": 1}
    assert figures.causes == {"the effort was used up": 1}
    assert (figures.early.traces, figures.stricter.guards, figures.strictest) == (30, 1, [(1, -20)])
    assert figures.slowest[0][2].seed == 11
    assert [bucket.count for bucket in figures.buckets.values()] == [2, 1, 1]
    spans = figures.spans()
    assert sum(span.counts.total() for span in spans) == 60
    assert all(span.seconds == spans[0].seconds == 1 for span in spans)


def test_what_never_fired_is_named(facts: CampaignFacts, campaign: Path) -> None:
    assert set(facts.never_fired) == all_coverage() - {"add_zero"}
    text = (campaign / "report" / "summary.md").read_text()
    (told,) = re.findall(r"^## Rules, passes and transfer functions that never fired \((\d+)\)\n\n(.*)$", text, re.M)
    assert told == (str(len(facts.never_fired)), ", ".join(f"`{name}`" for name in facts.never_fired))


def test_the_summary_tells_each_find(campaign: Path) -> None:
    text = (campaign / "report" / "summary.md").read_text()
    assert "found: 1 crash, 1 malformed, 2 refuted in 3 buckets" in text
    assert "60 traces through mine:optimize" in text
    assert "ended because its time was up" in text
    assert WRONG in text
    assert "traceproof fuzz --seed 0 --traces 6" in text
    assert "IndexError \\| \\`x\\`" in text
    assert "int_mul" in text


def test_the_page_begins_with_what_to_look_at(tmp_path: Path) -> None:
    folder = make_campaign(tmp_path / "night")
    step = {"name": "audit", "command": "traceproof audit", "result": "2 contradictions", "seconds": 3.0}
    (folder / "steps.jsonl").write_text(json.dumps(step | {"needs_a_look": True, "output": "told"}) + "\n")
    text = _Checked(campaign_page(read_campaign(folder))).text
    assert "Found: 1 crash, 1 malformed, 2 refuted in 3 buckets; look at: audit. 60 traces" in text
    assert "look at it 2 contradictionstraceproof audit" in text


def test_the_page_escapes_what_traces_say(campaign: Path) -> None:
    page = (campaign / "report" / "index.html").read_text()
    read = _Checked(page)
    assert not {"script", "img", "iframe", "object"} & set(read.tags)
    assert "onerror" not in read.attributes
    assert SCRIPT in read.text
    assert "\x00" not in page
    assert {link for link in read.links if not link.startswith("#")} == {"data:,"}


def test_the_page_has_each_plot_in_two_widths_with_a_title(campaign: Path) -> None:
    root = ElementTree.fromstring(
        "<x>" + (campaign / "report" / "index.html").read_text().partition("<main>")[2].partition("</main>")[0] + "</x>"
    )
    plots = [svg for svg in root.iter("svg") if svg.get("role") == "img"]
    assert Counter(svg.get("class") for svg in plots) == {"wide": 5, "narrow": 5}
    assert all(svg.get("aria-label") and svg.find("title") is not None for svg in plots)


def test_every_figure_is_a_line(campaign: Path, facts: CampaignFacts) -> None:
    lines = [json.loads(line) for line in (campaign / "report" / "figures.jsonl").read_text().splitlines()]
    assert all(set(line) >= {"name", "of", "value", "unit"} for line in lines)
    values = {(line["name"], line["of"]): line["value"] for line in lines if "start" not in line}
    assert values["traces", None] == 60
    assert values["verdicts", "refuted"] == 2
    assert values["fired", "add_zero"] == 30
    assert {of for (name, of), value in values.items() if name == "fired" and not value} == set(facts.never_fired)
    assert sum(line["value"] for line in lines if line["name"] == "verdicts over time") == 60


def test_a_step_that_needs_a_look_fails(tmp_path: Path) -> None:
    folder = make_campaign(tmp_path / "night")
    step = {"name": "audit", "command": "traceproof audit", "result": "2 contradictions", "seconds": 3.0}
    (folder / "steps.jsonl").write_text(json.dumps(step | {"needs_a_look": True, "output": "told"}) + "\n")
    told = write_report(folder)
    assert told.outcome.endswith("; look at: audit")
    assert '<failure message="2 contradictions" type="step">' in (folder / "report" / "junit.xml").read_text()
    assert "| audit | 2 contradictions | 3.0 s | `traceproof audit` |" in (folder / "report" / "summary.md").read_text()


def test_an_empty_campaign_has_a_report(tmp_path: Path) -> None:
    (tmp_path / "results").mkdir()
    write_plan(tmp_path, Plan(0))
    told = write_report(tmp_path)
    assert told.outcome == "nothing found"
    _Checked((tmp_path / "report" / "index.html").read_text())


def test_a_folder_without_a_campaign_is_told(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="there is no campaign"):
        write_report(tmp_path)


def test_a_case_that_is_gone_is_told(tmp_path: Path) -> None:
    folder = make_campaign(tmp_path / "night")
    for file in (folder / "cases" / "seed-9-crash").iterdir():
        file.unlink()
    assert "Its case is not in the folder." in campaign_page(read_campaign(folder))


# Pairs.


def test_a_refuted_pair_shows_its_counterexample() -> None:
    pair = judge_pair(parse(BEFORE), parse(WRONG), OPTIONS)
    assert isinstance(pair.verdict, Refuted)
    (first,) = [row for row in pair.rows if row.is_first]
    assert (first.before.guard, first.after.guard) == (1, 1)
    assert "fails, hands over" in first.after.note
    assert pair.links == (Link(0, 0, None), Link(1, 1, None))
    read = _Checked(pair_page("pair", pair))
    assert "same place" not in read.text
    assert "not settled" in read.text
    assert "◂ first difference" in read.text
    assert read.tags["path"] == 2


def test_a_proved_pair_shows_a_run_and_what_stands_for_what() -> None:
    before = parse(BEFORE)
    pair = judge_pair(before, optimize(before), OPTIONS)
    assert isinstance(pair.verdict, Proved)
    assert not any(row.is_first for row in pair.rows)
    assert pair.state
    assert any(row.after.note for row in pair.rows)
    assert {link.how for link in pair.links} == {"same"}
    text = _Checked(pair_page("pair", pair)).text
    for obligation in pair.verdict.evidence.obligations:
        assert obligation.name in text


def test_guards_that_moved_are_drawn_otherwise() -> None:
    before = parse("[i0, i1]\nguard_true(i0) []\nguard_true(i1) []\nfinish()")
    after = parse("[i0, i1]\ni2 = int_and(i0, i1)\nguard_true(i1, origin=0) []\nguard_true(i0, origin=0) []\nfinish()")
    pair = judge_pair(before, after, OPTIONS)
    if isinstance(pair.verdict, Proved):
        assert {link.how for link in pair.links} == {"early", "same"}


@pytest.mark.parametrize("name", case_names(CORPUS)[::6])
def test_the_drawing_is_as_high_as_the_table(name: str) -> None:
    case = read_case(CORPUS, name)
    pair = judge_case(case, case.options)
    if pair is None:
        return
    both_traces = environment().get_template("traces.html").module.both_traces  # type: ignore[attr-defined]  # a macro
    table = ElementTree.fromstring(both_traces(beside(pair)))
    rows = next(table.iter("tbody"))
    heights = []
    for row in rows:
        sides = [cell for cell in row if cell.get("class") == "side"]
        assert len(sides) == 2
        (height,) = {int(str(cell.get("style")).removeprefix("--lines:")) for cell in sides}
        assert height == max(1, *(len(cell) for cell in sides))
        assert all(len("".join(line.itertext())) <= 80 for cell in sides for line in cell)
        heights.append(height)
    (drawing,) = table.iter("svg")
    assert drawing.get("viewBox") == f"0 0 72 {sum(heights) * 20}"
    text = "".join(table.itertext())
    for trace in (pair.before, pair.after):
        assert all(var.name in text for var in trace.inputs)


def test_a_case_that_is_no_pair_shows_its_texts() -> None:
    assert judge_case(CASES[1], OPTIONS) is None
    assert judge_case(CASES[2], OPTIONS) is None


# Parts.


def test_text_is_escaped() -> None:
    paragraph = environment().from_string('<p title="{{ title }}">{{ text }}</p>')
    assert paragraph.render(title='"', text="<b>&") == '<p title="&#34;">&lt;b&gt;&amp;</p>'
    assert paragraph.render(title="a\x00\ud800b", text=1.5) == '<p title="a\\u0000\\ud800b">1.5</p>'
    with pytest.raises(UndefinedError):
        paragraph.render(title="what a page forgets is told")


def test_more_finds_than_are_shown_in_full_are_listed(facts: CampaignFacts) -> None:
    page = _Checked(campaign_page(replace(facts, finds=facts.finds * (DETAILED // 3 + 1))))
    shown = 3 * (DETAILED // 3 + 1) - DETAILED
    assert f"And {shown} more bucket{'s' * (shown > 1)}" in page.text
    assert f"The first {DETAILED}; the other {shown} are in the folder of cases." in page.text
    assert page.tags["article"] == DETAILED


@pytest.mark.parametrize("most", [0.003, 0.4, 1, 7, 99, 100, 101, 12345])
def test_steps_reach_the_top(most: float) -> None:
    steps = nice_steps(most)
    assert steps[0] == 0
    assert steps[-1] >= most * 0.999
    assert steps[-2] < most
    assert 2 <= len(steps) <= 6


def test_words() -> None:
    assert [duration(s) for s in (0.0123, 12.34, 200, 25500)] == ["12 ms", "12.3 s", "3 min 20 s", "7 h 5 min"]
    assert [share(1, 10_000), share(0, 5), share(1, 3)] == ["under 0.1 %", "0.0 %", "33.3 %"]
    assert [unit_of_time(s)[1] for s in (1, 119, 121, 8000, 200_000)] == [
        "seconds",
        "seconds",
        "minutes",
        "hours",
        "days",
    ]
    assert [power_of_two_ms(s) for s in (1e-6, 0.001, 0.0011, 0.25)] == [0, 0, 1, 8]


def test_a_find_that_is_in_no_bucket_is_counted() -> None:
    given = [Result(seed, 0, "crash", bucket=bucket) for seed, bucket in enumerate(["one", "", "one", ""])]
    figures = count([*given, Result(4, 0, "refuted", case="refuted-not-reduced")])
    assert {name: bucket.count for name, bucket in figures.buckets.items()} == {"one": 2, "refuted-not-reduced": 1}
    assert figures.sorted_finds == "in 2 buckets, 3 of them not reduced"
