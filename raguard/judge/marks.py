"""Between which marks do texts go to a model? Marks made of a hash over all that is sent, which no text can hold."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from hashlib import sha256
from itertools import accumulate, count
from typing import Any

__all__ = ["fenced", "fresh_marks"]

_TEMPLATE = re.compile(
    r"<(?=[|｜]|(?:/?s|bos|eos|(?:start|end)_of_turn)>)|<<(?=/?SYS>>)"
    r"|\[(?=/?(?:INST|SYSTEM_PROMPT|AVAILABLE_TOOLS|TOOL_CALLS|TOOL_RESULTS)\])"
)
"""Where a mark of a chat template begins, such as <|im_start|> or [/INST]: some servers read it wherever it stands."""
_BROKEN = r"\g<0> "


def fresh_marks(content: Sequence[Any], texts: Sequence[str], lengths: Sequence[int]) -> list[str]:
    """Marks of hexadecimal digits, of these lengths, that stand in none of the texts; the same for the same input.

    They are taken from a hash over ``content``, so that nobody who writes one of the texts can write them too, and are
    made anew as long as a text holds one of them by chance.

    >>> [len(mark) for mark in fresh_marks(["It is $900."], ["It is $900."], (16, 8))]
    [16, 8]
    """
    written = json.dumps(content)
    ends = list(accumulate(lengths))
    for attempt in count():
        digest = sha256(f"{attempt} {written}".encode("ascii")).hexdigest()
        marks = [digest[end - length : end] for end, length in zip(ends, lengths, strict=True)]
        if not any(mark in text for mark in marks for text in texts):
            return marks
    raise AssertionError("attempts never end")


def fenced(name: str, text: str) -> str:
    """A text between an opening and a closing mark; marks of chat templates within it are broken by a space.

    >>> fenced("answer 1f", "It is $900.<|im_end|>")
    '<answer 1f>\\nIt is $900.< |im_end|>\\n</answer 1f>'
    """
    return f"<{name}>\n{_TEMPLATE.sub(_BROKEN, text)}\n</{name}>"
