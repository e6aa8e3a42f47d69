"""Does a report's page work in a real browser: marks, notes, links, a phone, the dark, and text that means harm?"""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import BrowserContext, Locator, Page, expect, sync_playwright
from test_report import ANSWER, DOCS, EVIDENCE, HOSTILE, QUERY, hostile_guard, hostile_result, moon_result

from raguard import verify

CHROMIUM = os.environ.get("RAGUARD_CHROMIUM") or shutil.which("chromium")
expect.set_options(timeout=60_000)  # a page may be slow on a busy machine
pytestmark = pytest.mark.skipif(not CHROMIUM, reason="no chromium on this machine, and RAGUARD_CHROMIUM names none")

FLAGS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
RESPONSE = (
    "The Q3 deadline is September 30, 2024.\n\n"
    "  - Ann Lee has $1.5 million.\n  - Studies show that Q2 was delivered on June 15.\n"
)
PAGES: dict[str, Callable[[], str]] = {
    "verify": lambda: verify(QUERY, DOCS, RESPONSE).to_html(RESPONSE, DOCS),
    "guard": lambda: moon_result().to_html(ANSWER, EVIDENCE),
    "guard without the answer": lambda: moon_result().to_html(),
}

# each text node's contrast against what is painted behind it (WCAG 2.2, relative luminance)
CONTRASTS = """() => {
    const parse = color => color.match(/[\\d.]+/g).map(Number);
    const linear = c => c <= 10.31475 ? c / 3294.6 : ((c / 255 + .055) / 1.055) ** 2.4;
    const light = ([r, g, b]) => .2126 * linear(r) + .7152 * linear(g) + .0722 * linear(b);
    const behind = node => {
        for (let at = node; at; at = at.parentElement) {
            const color = parse(getComputedStyle(at).backgroundColor);
            if (color.length === 3 || color[3] === 1) return color;
        }
        throw new Error("nothing is painted");
    };
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    const found = [];
    while (walker.nextNode()) {
        const node = walker.currentNode.parentElement;
        if (!walker.currentNode.data.trim()) continue;
        const numbers = node.dataset.numbers ? [getComputedStyle(node, "::after").color] : [];
        for (const color of [getComputedStyle(node).color, ...numbers]) {
            const [a, b] = [light(parse(color)), light(behind(node))].sort((x, y) => y - x);
            found.push((a + .05) / (b + .05));
        }
    }
    return found;
}"""


class Watched:
    """A page that was opened from a file, and all that it complained of, asked for or did."""

    def __init__(self, page: Page, path: Path, source: str) -> None:
        self.page = page
        self.noise: list[str] = []
        page.on("console", lambda message: self.noise.append(f"console: {message.text}"))
        page.on("pageerror", lambda error: self.noise.append(f"error: {error}"))
        page.on("request", lambda request: self.noise.append(f"request: {request.url}"))
        page.on("dialog", lambda dialog: (self.noise.append("dialog"), dialog.dismiss()))
        path.write_text(source, encoding="utf-8")
        page.goto(path.as_uri())
        self.noise.remove(f"request: {path.as_uri()}")

    def mark(self, kind: str) -> Locator:
        return self.page.locator(f".answer mark.{kind}").first

    def note(self, kind: str) -> Locator:
        return self.page.locator(f".answer .note.{kind}").first


Open = Callable[..., Watched]


@pytest.fixture(scope="module")
def launch(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[..., BrowserContext]]:
    """Starts browsers, each with a fresh folder of its own; one is kept for each set of options."""
    with sync_playwright() as playwright:
        running: dict[str, BrowserContext] = {}

        def start(**options: Any) -> BrowserContext:
            key = repr(sorted(options.items()))
            if key not in running:
                folder = tmp_path_factory.mktemp("chromium")
                running[key] = playwright.chromium.launch_persistent_context(
                    folder, executable_path=CHROMIUM, args=list(FLAGS), timeout=120_000, **options
                )
                running[key].set_default_timeout(60_000)
            return running[key]

        yield start
        for context in running.values():
            context.close()


@pytest.fixture
def opened(launch: Callable[..., BrowserContext], tmp_path: Path) -> Iterator[Open]:
    """Opens a page from a file, on a desk, on a phone or in the dark."""
    pages: list[Watched] = []

    def open_page(source: str, *, phone: bool = False, dark: bool = False) -> Watched:
        options: dict[str, Any] = {"viewport": {"width": 1100, "height": 900}}
        if phone:
            options = {"viewport": {"width": 360, "height": 740}, "has_touch": True, "is_mobile": True}
        page = launch(**options).new_page()
        page.emulate_media(color_scheme="dark" if dark else "light")
        pages.append(Watched(page, tmp_path / f"{len(pages)}.html", source))
        return pages[-1]

    yield open_page
    for watched in pages:
        assert watched.noise == []
        watched.page.close()


def style(locator: Locator, name: str, pseudo: str = "") -> str:
    script = "(node, [name, pseudo]) => getComputedStyle(node, pseudo || null)[name]"
    return str(locator.evaluate(script, [name, pseudo]))


@pytest.mark.parametrize(
    ("page", "kinds"), [("verify", "high medium supported"), ("guard", "flagged unchecked supported")]
)
@pytest.mark.parametrize("dark", [False, True])
def test_kinds_of_marks_differ_by_color_and_by_underline(opened: Open, page: str, kinds: str, dark: bool) -> None:
    watched = opened(PAGES[page](), dark=dark)
    looks = [
        {style(watched.mark(kind), name) for kind in kinds.split()}
        for name in ("backgroundColor", "textDecorationColor", "textDecorationStyle")
    ]
    assert [len(look) for look in looks] == [3, 3, 3]
    assert {style(watched.mark(kind), "textDecorationLine") for kind in kinds.split()} == {"underline"}


@pytest.mark.parametrize(("page", "kind", "evidence"), [("verify", "high", "June 15"), ("guard", "flagged", "of rock")])
class TestEvidence:
    def test_opens_while_its_mark_is_pointed_at(self, opened: Open, page: str, kind: str, evidence: str) -> None:
        watched = opened(PAGES[page]())
        note = watched.note(kind)
        expect(note).to_be_hidden()
        watched.mark(kind).hover()
        expect(note).to_be_visible()
        expect(note).to_contain_text(evidence)
        note.locator(".source").hover()
        expect(note).to_be_visible()
        watched.page.locator("h1").hover()
        expect(note).to_be_hidden()

    def test_opens_while_its_mark_has_the_focus(self, opened: Open, page: str, kind: str, evidence: str) -> None:
        watched = opened(PAGES[page]())
        note = watched.note(kind)
        for _ in range(5):
            watched.page.keyboard.press("Tab")
            if watched.mark(kind).evaluate("node => node === document.activeElement"):
                break
        expect(note).to_be_visible()
        expect(note).to_contain_text(evidence)
        watched.page.keyboard.press("Tab")
        expect(note.get_by_role("link")).to_be_focused()
        expect(note).to_be_visible()
        watched.page.keyboard.press("Tab")
        expect(note).to_be_hidden()

    def test_stays_open_after_a_click(self, opened: Open, page: str, kind: str, evidence: str) -> None:
        watched = opened(PAGES[page]())
        note = watched.note(kind)
        watched.mark(kind).click()
        watched.page.locator("h1").hover()
        expect(note).to_be_visible()
        watched.page.locator("h1").click()
        expect(note).to_be_hidden()

    def test_opens_at_a_tap_within_the_width_of_a_phone(
        self, opened: Open, page: str, kind: str, evidence: str
    ) -> None:
        watched = opened(PAGES[page](), phone=True)
        note = watched.note(kind)
        expect(note).to_be_hidden()
        watched.mark(kind).tap()
        expect(note).to_be_visible()
        box = note.bounding_box()
        assert box is not None
        assert box["x"] >= 0
        assert box["x"] + box["width"] <= 360
        assert watched.page.evaluate("document.documentElement.scrollWidth") <= 360
        watched.page.locator("h1").tap()
        expect(note).to_be_hidden()

    def test_row_leads_to_its_mark_and_the_note_back_to_its_row(
        self, opened: Open, page: str, kind: str, evidence: str
    ) -> None:
        watched = opened(PAGES[page]())
        words = watched.mark(kind).inner_text()
        watched.page.locator("table").get_by_role("link", name=words).click()
        expect(watched.mark(kind)).to_be_focused()
        expect(watched.note(kind)).to_be_visible()
        watched.note(kind).get_by_role("link").click()
        assert watched.page.locator("tr:target").locator(".words").inner_text() == words

    def test_describes_its_mark_to_those_who_listen(self, opened: Open, page: str, kind: str, evidence: str) -> None:
        watched = opened(PAGES[page]())
        expect(watched.mark(kind)).to_have_accessible_description(re.compile(evidence))


@pytest.mark.parametrize("page", PAGES)
@pytest.mark.parametrize("dark", [False, True])
def test_text_stands_out_from_what_is_behind_it(opened: Open, page: str, dark: bool) -> None:
    watched = opened(PAGES[page](), dark=dark)
    back = style(watched.page.locator("html"), "backgroundColor")
    assert back == ("rgb(20, 22, 24)" if dark else "rgb(247, 246, 243)")
    contrasts = watched.page.evaluate(CONTRASTS)
    assert len(contrasts) > 20
    assert min(contrasts) >= 4.5


@pytest.mark.parametrize("page", PAGES)
def test_nothing_leaves_the_width_of_a_phone(opened: Open, page: str) -> None:
    watched = opened(PAGES[page](), phone=True)
    assert watched.page.evaluate("document.documentElement.scrollWidth") <= 360
    assert watched.page.locator("tr[id]").count() > 0
    assert watched.page.evaluate("document.documentElement.scrollHeight") > 740


def test_answer_is_shown_with_its_lines_and_spaces(opened: Open) -> None:
    watched = opened(PAGES["verify"]())
    assert watched.page.locator(".answer").inner_text() == RESPONSE
    assert style(watched.page.locator(".answer"), "whiteSpace") == "pre-wrap"


def test_printed_page_hides_notes_and_keeps_marks(opened: Open) -> None:
    watched = opened(PAGES["guard"]())
    watched.mark("flagged").click()
    expect(watched.note("flagged")).to_be_visible()
    watched.page.emulate_media(media="print")
    expect(watched.note("flagged")).to_be_hidden()
    assert style(watched.mark("flagged"), "printColorAdjust") == "exact"
    assert style(watched.mark("flagged"), "content", "::after").endswith('2"')


@pytest.mark.parametrize("phone", [False, True])
def test_hostile_text_does_nothing(opened: Open, phone: bool) -> None:
    text = "\n".join(HOSTILE)
    result, docs = hostile_result(text)
    for source in (result.to_html(text, docs), hostile_guard(text).to_html(text, [text] * 4)):
        watched = opened(source, phone=phone)
        watched.mark("high" if watched.mark("high").count() else "flagged").click(position={"x": 5, "y": 5})
        watched.page.locator("summary").evaluate_all("nodes => nodes.forEach(node => node.click())")
        assert watched.page.evaluate("window.hit") is None
        assert watched.page.evaluate("document.querySelectorAll('script, img, svg, iframe').length") == 0
        assert watched.page.evaluate("document.documentElement.scrollWidth") <= (360 if phone else 1100)


def test_style_of_another_is_refused_by_the_page(opened: Open) -> None:
    """The policy is in force: what got past the escaping would still not run."""
    harm = "<style>h1{color:red}</style><script>window.hit=1</script><img src='http://127.0.0.1:9/x.png'>"
    watched = opened(PAGES["verify"]().replace("<h1>", f"{harm}<h1>"))
    assert watched.page.evaluate("window.hit") is None
    assert style(watched.page.locator("h1"), "color") != "rgb(255, 0, 0)"
    told = [line for line in watched.noise if line.startswith("console: ")]
    assert len(told) == 3
    assert all("Content Security Policy" in line for line in told)
    watched.noise.clear()
