"""Does the page of scores work in a real browser: plots, links, a phone, the dark, and names that mean harm?"""

from __future__ import annotations

import pytest
from browser import CONTRASTS, style
from playwright.sync_api import expect
from test_report import HOSTILE
from test_report_browser import Open, launch, opened, pytestmark

from raguard.metrics import MetricScore, ScoredSlice, Summary, summarize

__all__ = ["launch", "opened", "pytestmark"]


def summary(name: str = "tone", id: str = "case", reason: str = "2 of 8 held") -> Summary:
    return summarize(
        ScoredSlice(
            f"{id} {place}",
            (
                MetricScore(name, None if place == 3 else place / 10, reason),
                MetricScore("risk", 1 - place / 10, reason, higher_is_better=False),
                MetricScore("recall", None, "no gold chunk ids are given"),
            ),
            words=place,
            unsupported=place < 4,
        )
        for place in range(11)
    )


def test_page_shows_each_metric_with_its_table_row_plot_and_worst_cases(opened: Open) -> None:
    page = opened(summary().to_html("answers.jsonl")).page
    expect(page.locator("h1")).to_have_text("answers.jsonl")
    assert page.locator(".counts li").all_inner_texts() == ["11 answers", "11 with a label, 4 of them unsupported"]
    rows = page.get_by_role("row").all()
    cells = [row.locator("th, td").all_inner_texts() for row in rows]
    assert [row[0] for row in cells] == ["metric", "tone", "risk higher is worse", "recall"]
    assert cells[1][1:3] == ["10", "0.520"]
    assert cells[3][1:] == ["0", "–", "–", "–", "–"]
    assert page.locator("#metric-1 ~ .cases").first.locator("li").all_inner_texts()[0].split("\n") == [
        "0.000",
        "case 0",
        "2 of 8 held",
    ]
    expect(page.locator("section.metric").nth(0)).to_contain_text("Undefined for 1")
    expect(page.locator("section.metric").nth(2)).to_contain_text("Undefined for every answer.")
    expect(page.locator("section.metric").nth(2)).to_contain_text("no gold chunk ids are given")


def test_plots_are_told_in_words_to_who_cannot_see_them(opened: Open) -> None:
    page = opened(summary().to_html()).page
    plots = page.get_by_role("img")
    expect(plots).to_have_count(2)
    expect(plots.first).to_have_accessible_name(
        "tone: 1 from 0 to 0.1, 1 from 0.1 to 0.2, 1 from 0.2 to 0.3, 1 from 0.4 to 0.5, 1 from 0.5 to 0.6, "
        "1 from 0.6 to 0.7, 1 from 0.7 to 0.8, 1 from 0.8 to 0.9, 2 from 0.9 to 1"
    )


def test_bars_are_as_high_as_their_counts(opened: Open) -> None:
    page = opened(summary().to_html()).page
    heights = [float(bar.get_attribute("height") or 0) for bar in page.get_by_role("img").first.locator("rect").all()]
    assert heights == [heights[-1] / 2] * 8 + [heights[-1]]
    boxes = [bar.bounding_box() for bar in page.get_by_role("img").first.locator("rect").all()]
    assert all(box is not None and box["width"] > 10 for box in boxes)


def test_name_in_the_table_leads_to_its_section(opened: Open) -> None:
    page = opened(summary().to_html()).page
    page.get_by_role("link", name="risk").click()
    assert page.evaluate("location.hash") == "#metric-2"
    expect(page.locator("h2:target")).to_have_text("risk")


@pytest.mark.parametrize("dark", [False, True])
def test_text_and_bars_stand_out_from_what_is_behind_them(opened: Open, dark: bool) -> None:
    page = opened(summary().to_html(), dark=dark).page
    contrasts = page.evaluate(CONTRASTS)
    assert len(contrasts) > 40
    assert min(contrasts) >= 4.5
    plot = page.get_by_role("img").first
    looks = [style(plot.locator("text").first, "fill"), style(plot.locator("rect").first, "fill")]
    quiet, bar = ("rgb(163, 170, 178)", "rgb(102, 159, 224)") if dark else ("rgb(90, 96, 104)", "rgb(74, 134, 208)")
    assert looks == [quiet, bar]


def test_nothing_leaves_the_width_of_a_phone(opened: Open) -> None:
    page = opened(summary(id="x" * 90).to_html("y" * 90), phone=True).page
    assert page.evaluate("document.documentElement.scrollWidth") <= 360
    assert page.locator("td.number").first.evaluate("node => getComputedStyle(node, '::before').content") != "none"


def test_names_that_mean_harm_do_nothing(opened: Open) -> None:
    text = "\n".join(HOSTILE)
    page = opened(summary(text, text, text).to_html(text)).page
    assert page.evaluate("window.hit") is None
    assert page.evaluate("document.querySelectorAll('script, iframe, foreignObject').length") == 0
    assert page.evaluate("document.querySelectorAll('svg').length") == 2
