"""Which runs of a text may be names, when a run is tried at every character?"""

from __future__ import annotations

import re

_REST = r"(?:\.(?:[A-Z]\.){0,4}|\w{0,40}(?:['&.-][A-Za-z0-9]\w{0,40}){0,5})"
_JOINTS = "of|the|for|&|de|la|du|von|van|der|bin|al|del|di|da"
_WORD = rf"(?:[A-Z]{_REST}|[a-z]{{1,2}}[A-Z]\w{{1,40}})"
_RUN = re.compile(
    rf"(?<![\w'])(?<!\w[.&-]){_WORD}(?:(?:[ ]{{1,2}}|[ ](?:{_JOINTS})[ ]|[ ]of[ ]the[ ]|/){_WORD}){{0,8}}"
)
_TOKEN = re.compile(r"(?:[A-Z]\.){1,5}(?![A-Za-z])|[^\W_]+(?:&[^\W_]+)*")


def runs(text: str) -> list[list[tuple[str, int]]]:
    """The words of each run as they are written, and where they begin."""
    return [
        [(part.group(), run.start() + part.start()) for part in _TOKEN.finditer(run.group())]
        for run in _RUN.finditer(text)
    ]
