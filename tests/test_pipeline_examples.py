"""Does the example print what its page says, and what of it is blocked, left out and answered?"""

from __future__ import annotations

import runpy
import subprocess
import sys
from pathlib import Path

CLINIC = Path(__file__).parent.parent / "examples" / "clinic"


def test_the_clinic_prints_what_its_page_shows() -> None:
    told = subprocess.run([sys.executable, CLINIC / "ask.py"], capture_output=True, text=True, check=True)
    page = (CLINIC / "README.md").read_text(encoding="utf-8")
    assert f"What it prints:\n\n```\n{told.stdout}```\n" in page
    assert told.stderr == ""


def test_the_clinic_answers_blocks_and_leaves_out() -> None:
    reports = list(runpy.run_path(str(CLINIC / "ask.py"))["reports"]())
    assert [report.state for report in reports] == ["pass", "pass", "pass", "block", "block", "pass", "block"]
    assert [report.blocked for report in reports] == [False, False, False, True, True, False, False]
    assert [report.left_out != () for report in reports] == [True, False, True, False, False, True, True]
    assert all(not report.errors for report in reports)
    assert {document.split("::")[0] for report in reports for document in report.left_out} == {"guest-book-18"}
    assert all("guest-book-18" not in chunk.id for report in reports for chunk in report.chunks)
