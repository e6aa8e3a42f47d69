"""Is the page about the integrations true?"""

from __future__ import annotations

import doctest
import re
from pathlib import Path

ROOT = Path(__file__).parent.parent
PAGE = ROOT / "docs" / "integrations.md"


def test_the_examples_of_the_page_do_what_it_says() -> None:
    assert doctest.testfile(str(PAGE), module_relative=False).failed == 0


def test_what_the_page_shows_of_the_examples_stands_in_them() -> None:
    written = "".join(path.read_text(encoding="utf-8") for path in (ROOT / "examples").glob("*.py"))
    blocks = re.findall(r"```python\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    shown = [block for block in blocks if not block.startswith(">>>")]
    assert shown
    assert [block for block in shown if block not in written] == []
