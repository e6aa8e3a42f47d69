"""How is an answer judged while a model still writes it? Sentence by sentence, and once more as a whole at its end.

A sentence is judged once, when it is complete, with the text before it as context. The context is bounded, so that the
time grows with the length of the answer and not with its square. Where the whole answer shows something that its
sentences did not (a table far above, a name that only later text explains), the final result says so, and it alone
counts.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import AsyncIterable, AsyncIterator, Awaitable, Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, TypeAlias, get_args

from raguard.errors import ConfigError, RaguardError
from raguard.result import VerifyResult, Warning
from raguard.showing import marked
from raguard.streaming.events import Finished, OnReview, Released, StreamEvent, Warned, Withheld
from raguard.text.fences import FenceReader, LineKind, may_begin_fence

if TYPE_CHECKING:
    from raguard.verifier import Verifier

__all__ = ["AnswerStream", "Runner"]

Runner: TypeAlias = Callable[[Callable[[], list[StreamEvent]]], Awaitable[list[StreamEvent]]]
"""Runs a call in a thread, as ``asyncio.to_thread`` does."""

_CONTEXT = 1_500
"""How many characters are read to judge a sentence, its own included, unless it is longer."""
_LONGEST = 2_000
"""How many characters wait for the end of their sentence before they are judged as they are."""
_STOPS = "。！？؟۔।॥։።။។"
"""What ends sentences of Chinese and Japanese, Arabic, Urdu, Hindi, Armenian, Amharic, Burmese and Khmer."""
_MAY_END = re.compile(rf"[.!?][.!?\"')\]”’»]{{0,5}}\s|\n|[{_STOPS}]")
"""Where a look at the sentences is worth its time."""
_STOPPED = re.compile(rf"[{_STOPS}][”’»」』）]{{0,3}}")
_LOOK_BACK = 8
_NUMERAL = re.compile(r"(?<!\S)(\d{1,2})[.)]$")
_ONE_THING = re.compile(r"\ufeff?\s*(?:\{|\[\s*[\[{\"]|```[^\n]*\n\s*[\[{])")
"""How an answer begins that is judged as one thing: as JSON, also in a fence."""
_HARDLY_BEGUN = re.compile(r"\ufeff?\s*(?:\[\s*|`{1,2}|```[^\n]*(?:\n\s*)?)?")
"""What does not tell yet whether an answer begins so."""


class AnswerStream:
    """One answer while it is being written, for one consumer: ``feed`` it tokens, ``finish`` it, show what is released.

    With ``on_review="annotate"`` all text is released at once, and a warning follows its sentence. With "redact" and
    "block" a sentence is released when it is complete and has no high warning; one that has a high warning is replaced
    by REDACTED, or withheld together with everything after it. Where the modes enforce nothing, text is never held
    back. An answer that is JSON counts as one sentence. Made by ``Verifier.stream``.

    >>> from raguard import Verifier
    >>> stream = Verifier().stream("When?", ["It closed on 4 May 2024."], on_review="redact")
    >>> for token in ["It closed on", " 4 May 2024. It", " opened on 9 May 2024", ". "]:
    ...     for event in stream.feed(token):
    ...         print(event.warning.text if isinstance(event, Warned) else event)
    Released(text='It closed on 4 May 2024.', start=0, end=24)
    9 May 2024
    Withheld(start=24, end=49)
    Released(text=' (unsupported text removed)', start=24, end=49)
    >>> end = stream.finish()[-1]
    >>> end.result.action, end.shown
    ('review', 'It closed on 4 May 2024. (unsupported text removed) ')
    """

    def __init__(
        self,
        verifier: Verifier,
        verify: Callable[[str], VerifyResult],
        on_review: OnReview,
        decisive: Callable[[Iterable[Warning]], Sequence[Warning]] | None,
    ) -> None:
        """``verify`` judges a text by the case, ``decisive`` picks the warnings by which a sentence is not shown."""
        if not isinstance(on_review, str) or on_review not in get_args(OnReview):
            raise ConfigError(f"on_review must be one of {', '.join(get_args(OnReview))}, not {on_review!r}")
        self._verify, self._decisive = verify, decisive
        self._refuse, self._ends = verifier.refuse, verifier.sentence_ends
        self._most_chars = verifier.config.max_response_chars
        self._on_review: OnReview = on_review if decisive is not None else "annotate"
        self._pieces: list[str] = []
        self._length = 0
        self._recent = ""
        """The answer from ``_first`` on: what may be read with the next sentence, and what is not judged yet."""
        self._first = 0
        self._judged = 0
        """Up to where sentences are judged."""
        self._looked = 0
        """Up to where it was asked whether a sentence may be complete."""
        self._considered = 0
        """Up to where it is known which of the ends that were found end a sentence."""
        self._is_one_thing: bool | None = None
        """None as long as the answer has hardly begun."""
        self._shown: list[str] = []
        self._context: deque[int] = deque()
        """Where sentences begin that may be read with the next one."""
        self._fences = FenceReader()
        self._line: LineKind = "text"
        """What the line is that the answer is in."""
        self._begins_line = True
        self._told: set[tuple[str, int, int]] = set()
        self._is_blocked = self._is_over = False
        self._fault: str | None = None
        self._last: tuple[int, VerifyResult] | None = None
        """The result for the answer's first so many characters, when it was judged from its beginning."""

    def feed(self, token: str) -> list[StreamEvent]:
        """Takes the next piece of the answer, of any length, and returns the events that follow from it, in order.

        A token that is not a string is a fault: nothing is released from then on, and the final result says so. Raises
        RaguardError after the end.
        """
        events = self._take(token)
        return events + self._complete() if self._is_due() else events

    async def afeed(self, token: str, runner: Runner | None = None) -> list[StreamEvent]:
        """``feed`` for an event loop: a sentence is judged in a worker thread, or by ``runner`` in one of its own."""
        import asyncio  # a tenth of the import time, for those who await

        events = self._take(token)
        return events + await (runner or asyncio.to_thread)(self._complete) if self._is_due() else events

    @property
    def holds_back(self) -> bool:
        """Whether text is released only once its sentence has been judged; otherwise every token is, at once."""
        return self._on_review != "annotate"

    def finish(self) -> list[StreamEvent]:
        """Ends the answer: the events for its last sentence, then Finished. Raises RaguardError after the end."""
        self._refuse_ended()
        self._is_over = True
        if self._fault is not None:
            result = self._refuse(self._fault)
            return [*self._withheld(self._judged, self._length), Finished(result, "".join(self._shown))]
        events: list[StreamEvent] = []
        if not self._is_one_thing and self._judged < self._length:
            events += self._sentence(self._judged, self._length)
        result = self._whole()
        if self._judged < self._length:
            self._recent, self._first = "".join(self._pieces), 0
            events += self._decided(0, self._length, result.warnings)
        return [*events, Finished(result, "".join(self._shown), self._late(result))]

    def events(self, tokens: Iterable[str]) -> Iterator[StreamEvent]:
        """The events of all tokens and of the end; whatever the iterable of tokens raises propagates to the caller."""
        for token in tokens:
            yield from self.feed(token)
        yield from self.finish()

    async def afinish(self, runner: Runner | None = None) -> list[StreamEvent]:
        """``finish`` for an event loop: the last sentence and the whole answer are judged as ``afeed`` judges one."""
        import asyncio  # a tenth of the import time, for those who await

        return await (runner or asyncio.to_thread)(self.finish)

    async def aevents(self, tokens: AsyncIterable[str]) -> AsyncIterator[StreamEvent]:
        """``events`` for an event loop: text is released before its sentence is judged in a worker thread."""
        import asyncio  # a tenth of the import time, for those who await

        async for token in tokens:
            for event in self._take(token):
                yield event
            if self._is_due():
                for event in await asyncio.to_thread(self._complete):
                    yield event
        for event in await self.afinish():
            yield event

    def _take(self, token: object) -> list[StreamEvent]:
        self._refuse_ended()
        if self._fault is None and not isinstance(token, str):
            self._fault = f"a token is {type(token).__name__}, not a string; the answer was not checked."
        if self._fault is not None or not token:
            return []
        start, text = self._length, str(token)
        self._pieces.append(text)
        self._length += len(text)
        if not self._is_one_thing:
            self._recent += text
            if self._is_one_thing is None and (
                self._length > _LONGEST or _HARDLY_BEGUN.fullmatch(self._recent) is None
            ):
                self._is_one_thing = _ONE_THING.match(self._recent) is not None
        return [self._released(text, start, self._length)] if self._on_review == "annotate" else []

    def _is_due(self) -> bool:
        """Whether a sentence may be complete."""
        if self._fault is not None or self._is_one_thing is not False:
            return False
        since = max(self._judged, self._looked - _LOOK_BACK)
        self._looked = self._length
        is_long = self._length - self._judged > _LONGEST
        return is_long or _MAY_END.search(self._recent, since - self._first) is not None

    def _complete(self) -> list[StreamEvent]:
        """What follows for the sentences that are complete."""
        start, ends = self._judged, list[int]()
        pending = self._text(start, self._length)
        stopped = (match.end() for match in _STOPPED.finditer(pending))
        for end in (start + each for each in sorted({*self._ends(pending), *stopped})):
            if end > self._considered:
                self._considered = end
                begins = (ends or [start])[-1]
                if not self._is_numeral(begins, end) and not self._may_be_fence(begins, end):
                    ends.append(end)
        last = ends[-1] if ends else start
        while self._length - last > _LONGEST:
            part = self._text(last, last + _LONGEST)
            last += part.rfind(" ", 1) + 1 or _LONGEST
            ends.append(last)
        return [event for end in ends for event in self._sentence(self._judged, end)]

    def _is_numeral(self, start: int, end: int) -> bool:
        """Whether what seems a sentence ends with the number of an item, which belongs to what comes."""
        text = self._text(start, end)
        if text.endswith("\n"):
            return False
        if not any(map(str.isalpha, text)):
            return True
        numeral = _NUMERAL.search(text[-4:])
        if numeral is None:
            return False
        before = int(numeral[1]) - 1
        return before == 0 or re.search(rf"(?<!\S){before}[.)]\s", self._text(self._first, end)) is not None

    def _may_be_fence(self, start: int, end: int) -> bool:
        """Whether the line that goes on behind ``end`` begins like a fence, which its end will tell."""
        text = self._text(start, end)
        begins_line = self._begins_line if start == self._judged else self._text(start - 1, start) == "\n"
        return begins_line and not text.endswith("\n") and may_begin_fence(text)

    def _sentence(self, start: int, end: int) -> list[StreamEvent]:
        """Judges one sentence with what stands before it."""
        self._judged = end
        text = self._text(start, end)
        self._context.append(start)
        while len(self._context) > 1 and end - self._context[0] > _CONTEXT:
            self._context.popleft()
        first = self._context[0]
        self._recent, self._first = self._recent[first - self._first :], first
        if self._is_code(text) or not any(map(str.isalnum, text)):
            return self._decided(start, end, [])
        if end > self._most_chars:
            return self._decided(start, end, self._beyond().warnings)
        result = self._verify(self._text(first, end))
        if first == 0:
            self._last = end, result
        return self._decided(start, end, [_moved(warning, first) for warning in result.warnings])

    def _is_code(self, text: str) -> bool:
        """Whether a text, which is of one line, stands in a fenced block or is its fence.

        A block is no context for what follows: read from its middle, its end would look like a beginning.
        """
        if self._begins_line:
            self._line = self._fences.read(text.rstrip("\n"))
        self._begins_line = text.endswith("\n")
        if self._line == "text":
            return False
        self._context.clear()
        return True

    def _beyond(self) -> VerifyResult:
        return self._refuse(f"the answer is longer than max_response_chars, {self._most_chars:,} characters.")

    def _decided(self, start: int, end: int, warnings: list[Warning]) -> list[StreamEvent]:
        """What follows for the text from ``start`` to ``end``, given the warnings of a text that ends with it."""
        own = [each for each in warnings if each.end > start or each.end == 0]
        events: list[StreamEvent] = []
        for warning in own:
            key = (warning.rule if warning.end else warning.suggestion, warning.start, warning.end)
            if key not in self._told:
                self._told.add(key)
                events.append(Warned(warning))
        if self._on_review == "annotate":
            return events
        needs_review = self._decisive is not None and bool(self._decisive(own))
        if self._on_review == "block" and (needs_review or self._is_blocked):
            self._is_blocked = True
            return [*events, *self._withheld(start, end)]
        if not needs_review:
            return [*events, self._released(self._text(start, end), start, end)]
        marker = marked(self._text(start, end))
        return [*events, *self._withheld(start, end), self._released(marker, start, end)]

    def _whole(self) -> VerifyResult:
        """The result for the whole answer; where its last sentence was judged with all before it, that is known."""
        if self._last is not None and self._last[0] == self._length:
            return self._last[1]
        return self._verify("".join(self._pieces))

    def _late(self, result: VerifyResult) -> tuple[Warning, ...]:
        high = [each for each in result.warnings if each.severity == "high" and each.end]
        return tuple(each for each in high if (each.rule, each.start, each.end) not in self._told)

    def _withheld(self, start: int, end: int) -> list[StreamEvent]:
        return [Withheld(start, end)] if start < end and self._on_review != "annotate" else []

    def _released(self, text: str, start: int, end: int) -> Released:
        self._shown.append(text)
        return Released(text, start, end)

    def _text(self, start: int, end: int) -> str:
        """``answer[start:end]``, of what is recent."""
        return self._recent[start - self._first : end - self._first]

    def _refuse_ended(self) -> None:
        if self._is_over:
            raise RaguardError("the stream has ended; ask the Verifier for another one")


def _moved(warning: Warning, by: int) -> Warning:
    return replace(warning, start=warning.start + by, end=warning.end + by) if by and warning.end else warning
