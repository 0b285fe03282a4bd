"""The playground in a real browser: the ways that people go through it."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from browser import PROGRAM, Page, open_page

from fuzz.cases.store import SHIPPED_CORPUS, read_case
from fuzz.report.judged import judge_case
from fuzz.report.pair_page import playground_file, playground_link
from fuzz.serve.server import Limits, Playground

pytestmark = pytest.mark.skipif(PROGRAM is None, reason="there is no Chromium on this machine")

WRONG = "swapped-failargs"


@pytest.fixture(scope="module")
def tab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Page]:
    with open_page(tmp_path_factory.mktemp("browser") / "profile") as page:
        yield page


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    with Playground("127.0.0.1", 0, Limits(2, 60.0, 2048)) as playground:
        serving = threading.Thread(target=playground.serve_forever)
        serving.start()
        yield playground.address
        playground.shutdown()
        serving.join()


@pytest.fixture
def page(tab: Page, address: str) -> Page:
    tab.complaints.clear()
    tab.requests.clear()
    go(tab, address)
    return tab


def go(page: Page, place: str, width: int = 1280, scheme: str = "light") -> None:
    page.open("about:blank", width, scheme)  # so that an address which differs in its fragment is another page
    page.open(place, width, scheme)


def write(page: Page, side: str, text: str) -> None:
    page.evaluate(f"document.getElementById('{side}').focus(); document.getElementById('{side}').select()")
    page.type(text)


def press(page: Page, action: str) -> None:
    page.evaluate(f"document.querySelector('[data-action={action}]').click()")


SHOWN = "document.getElementById('answer').textContent"
DONE = "document.getElementById('answer').ariaBusy == 'false'"


def waited(page: Page, text: str) -> str:
    page.wait_for(f"{DONE} && {SHOWN}.includes({text!r})")
    return str(page.evaluate(SHOWN))


def test_a_pair_is_written_optimized_and_validated(page: Page, tmp_path: Path) -> None:
    write(page, "before", "[i0, i1]\ni2 = int_add(i0, 0)\ni3 = int_mul(i2, 2)\nguard_true(i1) [i3]\nfinish(i3)\n")
    press(page, "optimize")
    assert "add_zero" in waited(page, "proved at 64 bits")
    assert "int_mul(i2, 2)" not in page.evaluate("document.getElementById('after').value")
    press(page, "validate")
    waited(page, "obligations hold")
    write(page, "after", "[i0, i1]\nguard_true(i1) [i0]\ni3 = int_lshift(i0, 1)\nfinish(i3)\n")
    page.press("Enter", control=True)
    assert "Counterexample" in waited(page, "refuted")
    page.screenshot(tmp_path / "wide.png")
    assert page.complaints == []


def test_an_example_says_what_it_shows_and_is_judged(page: Page) -> None:
    page.evaluate(
        f"const menu = document.getElementById('examples'); menu.value = '{WRONG}';"
        "menu.dispatchEvent(new Event('change'))"
    )
    waited(page, "refuted")
    assert page.evaluate("document.querySelectorAll('#answer path').length") > 0
    assert page.evaluate("document.getElementById('about').textContent").strip()
    press(page, "reduce")
    waited(page, "tried in")
    assert page.complaints == []


def test_a_mistake_is_marked_at_its_line(page: Page) -> None:
    write(page, "before", "[i0]\ni1 = int_ad(i0, 0)\nfinish(i1)\n")
    press(page, "optimize")
    page.wait_for("document.getElementById('before-wrong').textContent.includes('int_ad')")
    assert page.evaluate("document.querySelector('.bad').textContent") == "i1 = int_ad(i0, 0)"
    assert page.evaluate("getSelection().toString() || document.activeElement.id") in ("before", "i1 = int_ad(i0, 0)")
    write(page, "before", "[i0]\ni1 = int_add(i0, 0)\nfinish(i1)\n")
    press(page, "optimize")
    waited(page, "recorded")
    assert page.evaluate("document.getElementById('before-wrong').textContent") == ""
    assert page.complaints == []


def test_a_run_shows_the_values(page: Page) -> None:
    write(page, "before", "[i0]\ni1 = int_add(i0, 1)\nfinish(i1)\n")
    page.evaluate("document.querySelector('details').open = true; document.getElementById('inputs').value = 'i0=41'")
    press(page, "run")
    waited(page, "finish(42)")
    page.evaluate("document.getElementById('inputs').value = 'i7=41'")
    press(page, "run")
    page.wait_for("document.getElementById('inputs-wrong').textContent.includes('i7')")


def test_a_link_holds_the_pair_and_is_judged_when_it_is_opened(page: Page, address: str) -> None:
    write(page, "before", "[i0]\nfinish(i0)\n")
    write(page, "after", "[i0]\nfinish(7)\n")
    page.evaluate("document.getElementById('link').click()")
    page.wait_for("location.hash.length > 10")
    link = page.evaluate("location.href")
    go(page, link)
    waited(page, "refuted")
    assert page.evaluate("document.getElementById('after').value") == "[i0]\nfinish(7)\n"


def test_links_of_reports_are_read(page: Page, address: str) -> None:
    case = read_case(SHIPPED_CORPUS, WRONG)
    pair = judge_case(case, case.options)
    assert pair is not None
    go(page, address + "#" + playground_link(pair).partition("#")[2])
    waited(page, "refuted")


def test_a_broken_link_is_told(page: Page, address: str) -> None:
    go(page, address + "#nonsense")
    waited_for = "the link is not whole"
    page.wait_for(f"{SHOWN}.includes({waited_for!r})")


def test_a_case_is_copied_or_shown(page: Page) -> None:
    write(page, "before", "[i0]\nfinish(i0)\n")
    press(page, "case")
    page.wait_for(f"/copied: commands|to be copied/.test({SHOWN})")


@pytest.mark.parametrize(("width", "scheme"), [(390, "light"), (390, "dark"), (1280, "dark")])
def test_the_page_fits(page: Page, address: str, width: int, scheme: str, tmp_path: Path) -> None:
    case = read_case(SHIPPED_CORPUS, WRONG)
    pair = judge_case(case, case.options)
    assert pair is not None
    go(page, address + "#" + playground_link(pair).partition("#")[2], width, scheme)
    waited(page, "refuted")
    page.screenshot(tmp_path / "page.png")
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert page.complaints == []


def test_text_and_colours_lie_over_each_other(page: Page) -> None:
    write(page, "before", "[i0]\n" + "# " + "long " * 80 + "\n" + "i1 = int_add(i0, 1)\n" * 60)
    sizes = page.evaluate(
        "(() => { const t = document.getElementById('before'), p = t.previousElementSibling;"
        "return [t.scrollWidth, p.scrollWidth, t.scrollHeight, p.scrollHeight, t.clientHeight] })()"
    )
    assert abs(sizes[0] - sizes[1]) <= 1
    assert sizes[2] <= sizes[4] + 1  # the editor itself does not scroll, its frame does


def test_everything_is_reached_by_keys(page: Page) -> None:
    reached = []
    for _ in range(12):
        page.press("Tab")
        reached.append(page.evaluate("document.activeElement.id || document.activeElement.dataset.action"))
    assert {"examples", "before", "after", "validate", "optimize", "run", "reduce", "link", "case"} <= {*reached}


def test_the_page_as_a_file_needs_no_server(tab: Page, tmp_path: Path) -> None:
    case = read_case(SHIPPED_CORPUS, WRONG)
    pair = judge_case(case, case.options)
    assert pair is not None
    (tmp_path / "pair.html").write_text(playground_file(pair))
    tab.complaints.clear()
    tab.requests.clear()
    tab.open(tmp_path / "pair.html", 1280, "light")
    assert "guard_true" in tab.evaluate("document.getElementById('before').value")
    assert "refuted" in tab.evaluate(SHOWN)
    assert [request for request in tab.requests if not request.startswith(("file:", "data:"))] == []
    assert tab.complaints == []
