"""Is the page about the integrations true?"""

from __future__ import annotations

import doctest
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PAGE = ROOT / "docs" / "integrations.md"


def test_the_examples_of_the_page_do_what_it_says() -> None:
    pytest.importorskip("fastapi")
    assert doctest.testfile(str(PAGE), module_relative=False).failed == 0
