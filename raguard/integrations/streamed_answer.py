"""What of a streamed body goes on to the reader, and when? Each part when its text is judged, or at once."""

from __future__ import annotations

from collections import deque
from collections.abc import AsyncIterator, Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from raguard.gate import Gate, Gated
from raguard.integrations.places import NOWHERE
from raguard.integrations.stream_bodies import Body, Unit
from raguard.streaming import AnswerStream, Finished, Released, StreamEvent, Withheld

__all__ = ["Asked", "StreamedAnswer"]

Asked: TypeAlias = tuple[str, Sequence[Any]]
"""Question and documents."""


@dataclass(slots=True)
class _Held:
    """A unit that waits for the verdict about its text, which is ``[start, end)`` of the answer."""

    unit: Unit
    start: int
    end: int
    is_begun: bool = False
    """Whether a part of it is out."""


class StreamedAnswer:
    """One body on its way: ``feed`` it chunks, then ``finish``, and send on what comes; ``gated`` is known at the end.

    ``asked`` gives question and documents once they are known: it is shown the JSON of each unit, and whether this is
    the end, when it must answer. Where the gate redacts or blocks, each unit waits until its text is judged; otherwise
    it goes on at once, and is judged then.
    """

    def __init__(self, gate: Gate, body: Body, asked: Callable[[Any, bool], Asked | None], tenant_id: str) -> None:
        self.body = body
        self._gate, self._asked, self._tenant_id = gate, asked, tenant_id
        self._holds = gate.on_review != "annotate"
        self._stream: AnswerStream | None = None
        self._unfed: list[str] = []
        """Text that came before question and documents were known."""
        self._queue: deque[_Held] = deque()
        self._text: list[str] = []
        self._shown: list[str] = []
        self._length = 0
        self._is_blocked = False

    @property
    def waiting(self) -> int:
        """How many bytes are held."""
        return len(self.body.open) + sum(len(held.unit.raw) for held in self._queue)

    @property
    def has_text(self) -> bool:
        """Whether any text of an answer was found so far."""
        return self._length > 0

    def abandon(self) -> bytes:
        """All that is held, as it came; nothing of it is judged."""
        return b"".join(held.unit.raw for held in self._queue) + self.body.open

    async def feed(self, chunk: bytes) -> AsyncIterator[bytes]:
        """What may be sent on, given the next bytes."""
        for unit in self.body.feed(chunk):
            async for part in self._take(unit):
                yield part

    async def finish(self) -> AsyncIterator[bytes]:
        """What may be sent on at the end."""
        for unit in self.body.finish():
            async for part in self._take(unit):
                yield part
        stream = self._judging(NOWHERE, is_end=True)
        assert stream is not None, "asked must answer at the end"
        events = await self._fed(stream)
        events += await stream.afinish()
        for part in self._decided(events):
            yield part
        self._end = events[-1]

    def gated(self) -> Gated:
        """What became of the answer."""
        assert isinstance(self._end, Finished)
        modes, verdict = self._gate.modes(self._tenant_id), self._end.result
        original = "".join(self._text)
        shown = "".join(self._shown) if self._holds else original
        return Gated(shown, original, verdict, modes.mode, modes.enforced(verdict.warnings))

    async def _take(self, unit: Unit) -> AsyncIterator[bytes]:
        if unit.is_aside or not self._holds or not (unit.text or self._queue):
            yield unit.raw
        else:
            self._queue.append(_Held(unit, self._length, self._length + len(unit.text)))
        if unit.text:
            self._text.append(unit.text)
            self._unfed.append(unit.text)
            self._length += len(unit.text)
        stream = self._judging(unit.data, is_end=False)
        if stream is not None and self._unfed:
            for part in self._decided(await self._fed(stream)):
                yield part

    def _judging(self, data: Any, *, is_end: bool) -> AnswerStream | None:
        """The stream that judges, from when question and documents are known."""
        if self._stream is None and (asked := self._asked(data, is_end)) is not None:
            self._stream = self._gate.stream(*asked, tenant_id=self._tenant_id)
        return self._stream

    async def _fed(self, stream: AnswerStream) -> list[StreamEvent]:
        unfed, self._unfed = self._unfed, []
        return [event for text in unfed for event in await stream.afeed(text)]

    def _decided(self, events: Iterable[StreamEvent]) -> list[bytes]:
        """The parts whose text is decided by these events."""
        if not self._holds:
            return []
        decided: dict[tuple[int, int], tuple[str, bool]] = {}
        """For each span its text, and whether that is the span itself."""
        for event in events:
            if isinstance(event, Withheld):
                decided[event.start, event.end] = "", False
            elif isinstance(event, Released):
                span = event.start, event.end
                decided[span] = event.text, span not in decided
        return [part for span, (text, is_same) in decided.items() for part in self._out(*span, text, is_same)]

    def _notice(self) -> str:
        """What stands in the place of the first text that is blocked; behind it comes nothing."""
        if self._gate.on_review != "block" or self._is_blocked:
            return ""
        self._is_blocked = True
        return f"\n\n{self._gate.notice}" if any(map(str.strip, self._shown)) else self._gate.notice

    def _out(self, start: int, end: int, text: str, is_same: bool) -> list[bytes]:
        """The units of ``answer[start:end]``, with ``text`` in its place unless that ``is_same``."""
        if not text:
            text = self._notice()
        self._shown.append(text)
        parts = []
        while self._queue:
            held = self._queue[0]
            first, last = max(start, held.start), min(end, held.end)
            if held.start < held.end and first >= last:
                break
            if is_same:
                shown = text[first - start : last - start]
            else:
                shown, text = text, ""
            if shown or (last == held.end and not held.is_begun):
                parts.append(held.unit.holding(shown))
                held.is_begun = True
            if last < held.end:
                break
            self._queue.popleft()
        return parts
