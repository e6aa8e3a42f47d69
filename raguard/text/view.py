"""How does derived text keep the way back to the original? Every offset is looked up, never searched for again."""

from __future__ import annotations

import unicodedata
from bisect import bisect_right
from collections.abc import Iterable
from typing import NamedTuple

__all__ = ["Edit", "View"]

Edit = tuple[int, int, str]
"""Replace ``text[start:end]`` of a view by a string."""


class View(NamedTuple):
    """Text derived from ``source``. Runs of characters stand at consecutive places of both; the lists hold where each
    run starts, empty when the view has every character of the source at its own place."""

    source: str
    text: str
    starts: tuple[int, ...] = ()
    origins: tuple[int, ...] = ()

    def origin(self, position: int) -> int:
        """The place in the source of the character at ``position`` of the view (the end for the end)."""
        if not self.starts:
            return position
        run = bisect_right(self.starts, position) - 1
        place = self.origins[run] + position - self.starts[run]
        # a run longer than its piece of the source (a ligature written out) stays on the piece's last character
        limit = self.origins[run + 1] - 1 if run + 1 < len(self.origins) else len(self.source)
        return min(place, max(limit, self.origins[run]))

    def span(self, start: int, end: int) -> tuple[int, int]:
        """The span of the source that ``text[start:end]`` stands for; combining marks stay with their letter."""
        if not self.starts:
            return start, end
        if start >= end:
            return self.origin(start), self.origin(end)
        first, last = self.origin(start), self.origin(end - 1) + 1
        while last < len(self.source) and unicodedata.combining(self.source[last]):
            last += 1
        return first, last

    def place(self, position: int) -> int:
        """The place in the view of the source's character at ``position``, the other way round than ``origin``."""
        if not self.starts:
            return position
        run = max(bisect_right(self.origins, position) - 1, 0)
        limit = self.starts[run + 1] if run + 1 < len(self.starts) else len(self.text)
        return min(self.starts[run] + max(position - self.origins[run], 0), limit)

    def edit(self, edits: Iterable[Edit]) -> View:
        """A view with the given edits (sorted, not overlapping) made; offsets still lead to the same source."""
        pieces: list[str] = []
        starts: list[int] = []
        origins: list[int] = []
        length = done = 0
        for start, end, replacement in [*edits, (len(self.text), len(self.text), "")]:
            for run_start, origin in self._runs(done, start):
                starts.append(length + run_start - done)
                origins.append(origin)
            pieces += [self.text[done:start], replacement]
            length += start - done
            if replacement:
                starts.append(length)
                origins.append(self.origin(start))
            length += len(replacement)
            done = end
        starts.append(length)
        origins.append(len(self.source))
        return View(self.source, "".join(pieces), tuple(starts), tuple(origins))

    def _runs(self, start: int, end: int) -> Iterable[tuple[int, int]]:
        """The runs of ``text[start:end]``: where each starts here and in the source."""
        if start >= end:
            return
        yield start, self.origin(start)
        if self.starts:
            for run in range(bisect_right(self.starts, start), bisect_right(self.starts, end - 1)):
                yield self.starts[run], self.origins[run]
