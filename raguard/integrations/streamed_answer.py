"""What of a streamed body goes on to the reader, and when? Each part when its text is judged, or at once."""

from __future__ import annotations

from collections import deque
from collections.abc import AsyncIterator, Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Generic, Protocol, TypeAlias, TypeVar

from raguard.gate import Gate, Gated
from raguard.integrations.places import NOWHERE
from raguard.streaming import AnswerStream, Finished, Released, StreamEvent, Withheld

__all__ = ["Asked", "Part", "StreamedAnswer"]

Asked: TypeAlias = tuple[str, Sequence[Any]]
"""Question and documents."""
Raw = TypeVar("Raw")


class Part(Protocol[Raw]):
    """A part of a stream: ``raw`` as it came, ``text`` of the answer if it has any, and ``data`` if it is JSON."""

    raw: Raw
    text: str
    data: Any
    is_aside: bool
    """Whether it keeps its connection awake and waits for nothing."""

    @property
    def size(self) -> int:
        """How much it takes to hold it, in bytes or so."""

    def holding(self, text: str) -> Raw | None:
        """The same part with another text; None where nothing of it would be left."""


@dataclass(slots=True)
class _Held(Generic[Raw]):
    """A part that waits for the verdict about its text, which is ``[start, end)`` of the answer."""

    part: Part[Raw]
    start: int
    end: int
    is_begun: bool = False
    """Whether some of it is out."""


class StreamedAnswer(Generic[Raw]):
    """One stream on its way: it ``take``s the parts, then ``finish``es, and what comes is sent on.

    ``asked`` gives question and documents once they are known: it is shown the data of each part, and whether this is
    the end, when it must answer. Where the gate redacts or blocks, each part waits until its text is judged; otherwise
    it goes on at once, and is judged then.
    """

    def __init__(self, gate: Gate, asked: Callable[[Any, bool], Asked | None], tenant_id: str) -> None:
        self._gate, self._asked, self._tenant_id = gate, asked, tenant_id
        self._holds = gate.on_review != "annotate"
        self._stream: AnswerStream | None = None
        self._unfed: list[str] = []
        """Text that came before question and documents were known."""
        self._queue: deque[_Held[Raw]] = deque()
        self._text: list[str] = []
        self._shown: list[str] = []
        self.length = 0
        """How many characters of the answer came so far."""
        self.waiting = 0
        """How much is held, by the sizes of the parts."""
        self.is_blocked = False
        """Whether text was withheld for good."""

    @property
    def has_text(self) -> bool:
        """Whether any text of an answer was found so far."""
        return self.length > 0

    def abandon(self) -> list[Raw]:
        """All that is held, as it came; nothing of it is judged."""
        return [held.part.raw for held in self._queue]

    async def take(self, part: Part[Raw]) -> AsyncIterator[Raw]:
        """What may be sent on, given the next part; what goes on at once comes before its text is judged."""
        if part.is_aside or not self._holds or not (part.text or self._queue):
            yield part.raw
        else:
            self._queue.append(_Held(part, self.length, self.length + len(part.text)))
            self.waiting += part.size
        if part.text:
            self._text.append(part.text)
            self._unfed.append(part.text)
            self.length += len(part.text)
        stream = self._judging(part.data, is_end=False)
        if stream is not None and self._unfed:
            for raw in self._decided(await self._fed(stream)):
                yield raw

    async def finish(self) -> list[Raw]:
        """What may be sent on at the end; then ``gated`` is known."""
        stream = self._judging(NOWHERE, is_end=True)
        assert stream is not None, "asked must answer at the end"
        events = await self._fed(stream)
        events += await stream.afinish()
        self._end = events[-1]
        return self._decided(events)

    def gated(self) -> Gated:
        """What became of the answer."""
        assert isinstance(self._end, Finished)
        modes, verdict = self._gate.modes(self._tenant_id), self._end.result
        original = "".join(self._text)
        shown = "".join(self._shown) if self._holds else original
        return Gated(shown, original, verdict, modes.mode, modes.enforced(verdict.warnings))

    def _judging(self, data: Any, *, is_end: bool) -> AnswerStream | None:
        """The stream that judges, from when question and documents are known."""
        if self._stream is None and (asked := self._asked(data, is_end)) is not None:
            self._stream = self._gate.stream(*asked, tenant_id=self._tenant_id)
        return self._stream

    async def _fed(self, stream: AnswerStream) -> list[StreamEvent]:
        unfed, self._unfed = self._unfed, []
        return [event for text in unfed for event in await stream.afeed(text)]

    def _decided(self, events: Iterable[StreamEvent]) -> list[Raw]:
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
        if self._gate.on_review != "block" or self.is_blocked:
            return ""
        self.is_blocked = True
        return f"\n\n{self._gate.notice}" if any(map(str.strip, self._shown)) else self._gate.notice

    def _out(self, start: int, end: int, text: str, is_same: bool) -> list[Raw]:
        """The parts of ``answer[start:end]``, with ``text`` in its place unless that ``is_same``."""
        if not text:
            text = self._notice()
        self._shown.append(text)
        parts: list[Raw] = []
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
                raw = held.part.holding(shown)
                parts += [] if raw is None else [raw]
                held.is_begun = True
            if last < held.end:
                break
            self.waiting -= held.part.size
            self._queue.popleft()
        return parts
