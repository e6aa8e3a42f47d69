"""How does a test look at a page in a real browser? In Chromium, where this machine has one."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, TypeAlias

import pytest
from playwright.sync_api import BrowserContext, Locator, expect, sync_playwright

__all__ = ["CONTRASTS", "Launch", "browsers", "needs_browser", "style"]

Launch: TypeAlias = Callable[..., BrowserContext]
_CHROMIUM = os.environ.get("RAGUARD_CHROMIUM") or shutil.which("chromium")
needs_browser = pytest.mark.skipif(not _CHROMIUM, reason="no chromium on this machine, and RAGUARD_CHROMIUM names none")

_SLOW_S = 60
"""A page may take so many seconds on a busy machine."""
_FLAGS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
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


@contextmanager
def browsers(folders: pytest.TempPathFactory) -> Iterator[Launch]:
    """A function that starts browsers, each with a fresh folder of its own; one is kept for each set of options."""
    expect.set_options(timeout=1_000 * _SLOW_S)
    with sync_playwright() as playwright:
        running: dict[str, BrowserContext] = {}

        def start(**options: Any) -> BrowserContext:
            key = repr(sorted(options.items()))
            if key not in running:
                running[key] = playwright.chromium.launch_persistent_context(
                    folders.mktemp("chromium"),
                    executable_path=_CHROMIUM,
                    args=list(_FLAGS),
                    timeout=2_000 * _SLOW_S,
                    **options,
                )
                running[key].set_default_timeout(1_000 * _SLOW_S)
            return running[key]

        yield start
        for context in running.values():
            context.close()


def style(locator: Locator, name: str, pseudo: str = "") -> str:
    """What the browser computes for a property of an element, or of a pseudo-element of it."""
    script = "(node, [name, pseudo]) => getComputedStyle(node, pseudo || null)[name]"
    return str(locator.evaluate(script, [name, pseudo]))
