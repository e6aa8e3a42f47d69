"""How does a person read a verdict on a page? The answer with its marks, what is said of each, and what was not judged.

A layer: ``VerifyResult`` and ``GuardResult`` call it when they are asked for a page, and nothing else of them knows it.
``markdown.py`` and ``html.py`` know marked spans and nothing of verdicts; ``verify_report.py`` and ``guard_report.py``
say what of a result is marked.
"""

from __future__ import annotations

from raguard.report.html import to_html
from raguard.report.markdown import to_markdown
from raguard.report.marks import MarkedSpan, Passage, Report

__all__ = ["MarkedSpan", "Passage", "Report", "to_html", "to_markdown"]
