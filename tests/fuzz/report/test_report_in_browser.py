"""Pages in a real browser: nothing is asked for, nothing complained of, and what should meet meets."""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterator
from pathlib import Path

import pytest
from browser import PROGRAM, Page, open_page
from report_folder import make_campaign

from fuzz.cases.store import read_case
from fuzz.report.folder import write_report
from fuzz.report.judged import judge_case
from fuzz.report.pair_page import pair_page

pytestmark = pytest.mark.skipif(PROGRAM is None, reason="there is no Chromium on this machine")

CORPUS = Path(__file__).parents[3] / "corpus"
PAIR = "boxed-integers-in-a-loop"

# For each line between guards: how far its ends are from the middle of the lines of text that they belong to.
_OFF = """
[...document.querySelectorAll('.trace')].flatMap(trace => {
  const drawing = trace.querySelector('svg').getBoundingClientRect();
  const box = trace.querySelector('svg').viewBox.baseVal;
  const rows = {};
  trace.querySelectorAll('.g').forEach(g => {
    if (!g.textContent) return;
    const r = g.parentElement.getBoundingClientRect();
    rows[(g.closest('td').dataset.side == 'after' ? 'a' : 'b') + g.textContent.slice(1)] = r.top + r.height / 2;
  });
  return [...trace.querySelectorAll('path')].map(path => {
    const numbers = path.getAttribute('d').match(/[0-9.]+/g).map(Number);
    const at = y => drawing.top + y / box.height * drawing.height;
    const near = (side, y) => Math.min(...Object.entries(rows).filter(([k]) => k[0] == side)
      .map(([, row]) => Math.abs(row - at(y))));
    return Math.max(near('b', numbers[1]), near('a', numbers[7]));
  });
})
"""


@pytest.fixture(scope="module")
def tab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Page]:
    with open_page(tmp_path_factory.mktemp("browser") / "profile") as page:
        yield page


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    folder = make_campaign(tmp_path_factory.mktemp("pages") / "tonight")
    write_report(folder)
    case = read_case(CORPUS, PAIR)
    pair = judge_case(case, case.options)
    assert pair is not None
    (folder / "pair.html").write_text(pair_page(PAIR, pair))
    return {"campaign": folder / "report" / "index.html", "pair": folder / "pair.html"}


def first_pixel(png: bytes) -> tuple[int, ...]:
    """Red, green and blue in the top left corner."""
    data, at = b"", 8
    while at < len(png):
        (length,) = struct.unpack(">I", png[at : at + 4])
        if png[at + 4 : at + 8] == b"IDAT":
            data += png[at + 8 : at + 8 + length]
        at += length + 12
    return tuple(zlib.decompress(data)[1:4])


@pytest.mark.parametrize("name", ["campaign", "pair"])
@pytest.mark.parametrize("width", [390, 1280])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_pages_are_quiet_and_fit(
    tab: Page, pages: dict[str, Path], name: str, width: int, scheme: str, tmp_path: Path
) -> None:
    tab.complaints.clear()
    tab.requests.clear()
    tab.open(pages[name], width, scheme)
    assert tab.evaluate("document.documentElement.scrollWidth") == width
    shown = "[...document.querySelectorAll('svg[role=img]')].filter(one => one.getBoundingClientRect().height).length"
    assert tab.evaluate(shown) == (5 if name == "campaign" else 0)
    tab.screenshot(tmp_path / "page.png")
    assert (max if scheme == "dark" else min)(first_pixel((tmp_path / "page.png").read_bytes())) in (
        range(64) if scheme == "dark" else range(200, 256)
    )
    assert tab.complaints == []
    assert [url for url in tab.requests if not url.startswith("data:")] == [pages[name].as_uri()]


@pytest.mark.parametrize("name", ["campaign", "pair"])
def test_lines_meet_their_guards(tab: Page, pages: dict[str, Path], name: str) -> None:
    tab.open(pages[name], 1280, "light")
    off = tab.evaluate(_OFF)
    assert len(off) == (2 if name == "campaign" else 3)
    assert max(off) < 3  # CSS pixels


@pytest.mark.parametrize("name", ["campaign", "pair"])
def test_pages_can_be_printed(tab: Page, pages: dict[str, Path], name: str) -> None:
    tab.open(pages[name], 703, "dark", media="print")  # A4 with margins of 12 mm
    wide = "[...document.querySelectorAll('.trace')].every(one => one.scrollWidth <= one.clientWidth)"
    assert tab.evaluate(wide)
    assert tab.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(253, 253, 251)"


def test_a_complaint_would_be_noticed(tab: Page, tmp_path: Path) -> None:
    tab.complaints.clear()
    tab.requests.clear()
    (tmp_path / "bad.html").write_text("<script>console.error('x')</script><img src='http://127.0.0.1:9/x.png'>")
    tab.open(tmp_path / "bad.html", 390, "light")
    assert tab.complaints
    assert any(url.endswith("x.png") for url in tab.requests)
