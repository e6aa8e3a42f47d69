"""How do the pieces of an answer pass through? Each choice by a stream of its own, its verdict on its last chunk.

Where the modes let a warning change the answer and sentences are redacted or blocked, text waits for its sentence to be
judged. Where the claim guard may cut claims out, it waits for the whole answer. Else each chunk goes on as it came.
"""

from __future__ import annotations

import json
import logging
from collections.abc import AsyncIterator, Awaitable, Mapping
from typing import Any

from raguard.service.gateway.judging import UNREADABLE, Judging, LateError
from raguard.service.gateway.pieces import CALLS, Piece, piece_of
from raguard.service.gateway.upstream import DONE, broken, frame_of
from raguard.service.problems import ProblemError
from raguard.service.work import raised
from raguard.streaming import Finished, Released, StreamEvent, Withheld

__all__ = ["Relay"]


class Relay:
    """One streamed completion of ``n`` choices on its way to the caller."""

    def __init__(self, judging: Judging, n: int = 1) -> None:
        self._judging, self._holds_back, self._n = judging, judging.holds_back, n
        self._choices: dict[int, _Choice] = {}
        self._is_unreadable = False
        """Whether something came of which nobody can tell to which choice it belongs."""

    async def lines(self, chunks: AsyncIterator[Any]) -> AsyncIterator[bytes]:
        """Server-sent events; what goes wrong on the way is the last of them, an error, and never a clean end."""
        try:
            is_over = False
            async for chunk in chunks:
                if chunk is DONE:
                    is_over = True
                    break
                async for passed in self._passed(chunk):
                    yield _event(passed)
            if not is_over and not self._have_ended:
                raise broken("it broke off")
            for choice in self._choices.values():
                if not choice.is_over:
                    async for passed in choice.ended(None, None):
                        yield _event(passed)
            if not self._choices and not self._is_unreadable:
                raise broken("it holds no choice")
            yield b"data: [DONE]\n\n"
        except ProblemError as problem:
            yield _event(problem.body())
        except Exception as error:
            # never the message: it may hold text
            logging.getLogger("raguard").error("a stream failed with %s", raised(error))
            yield _event(ProblemError(500, "failed", f"The stream failed ({raised(error)}).").body())

    @property
    def _have_ended(self) -> bool:
        """Whether each choice that was asked for has ended by itself."""
        return len(self._choices) >= self._n and all(choice.is_over for choice in self._choices.values())

    async def _passed(self, chunk: Any) -> AsyncIterator[Any]:
        """What becomes of one chunk; of several choices each goes by itself, and the usage with the last of them."""
        given = chunk.get("choices") if isinstance(chunk, dict) else None
        if not isinstance(given, list):
            self._pass_over("it sent a chunk that is none")
            yield chunk
            return
        if not given:
            # the last chunk may hold the usage alone
            yield frame_of(chunk, "choices", "usage") if self._holds_back else chunk
        for place, entry in enumerate(given, 1):
            own = {**chunk, "choices": [entry]}
            if place < len(given):
                own.pop("usage", None)
            piece = piece_of(entry, is_only=self._n == len(given) == 1)
            if piece.fault is not None:
                self._pass_over(piece.fault, piece.index)
            if piece.index is None:
                yield own
                continue
            async for passed in self._choice(piece.index).passed(own, piece):
                yield passed

    def _choice(self, index: int) -> _Choice:
        if index not in self._choices:
            self._choices[index] = _Choice(index, self._judging)
            self._choices[index].is_unreadable = self._is_unreadable
        return self._choices[index]

    def _pass_over(self, fault: str, index: int | None = None) -> None:
        """Lets what cannot be read pass where nothing may change, as an unchecked choice; else raises ProblemError."""
        if self._judging.modes.may_enforce:
            raise broken(fault)
        self._is_unreadable = self._is_unreadable or index is None
        for choice in self._choices.values() if index is None else [self._choice(index)]:
            choice.is_unreadable = True


class _Choice:
    """One choice of a completion."""

    def __init__(self, index: int, judging: Judging) -> None:
        self._index, self._judging = index, judging
        self._stream = None if judging.needs_whole else judging.stream()
        self._holds_back = judging.holds_back
        self._pieces: list[str] = []
        self._unread: dict[str, None] = {}
        self._waiting: list[dict[str, Any]] = []
        """Deltas with calls of tools, which wait for the verdict on the text."""
        self._frame: dict[str, Any] = {}
        self._usage: dict[str, Any] = {}
        self._is_withheld = False
        self.is_unreadable = False
        """Whether a part of it could not be read, and passed."""
        self._late = ""
        """Why it is not judged any more, and passes."""
        self.is_over = False
        self._rag: dict[str, Any] = {}

    async def passed(self, chunk: dict[str, Any], piece: Piece) -> AsyncIterator[dict[str, Any]]:
        """What becomes of one chunk of it."""
        self._unread.update(dict.fromkeys(piece.unread))
        if self.is_over:
            for each in self._behind(chunk, piece):
                yield each
            return
        self._frame = frame_of(chunk)
        self._usage = {"usage": chunk["usage"]} if chunk.get("usage") else self._usage
        content, reason = piece.content, piece.reason
        if content:
            self._pieces.append(content)
        if self._holds_back:
            async for passed in self._let_through(piece.delta, content):
                yield passed
        elif reason is None:
            yield chunk
            # the token is out before its sentence is judged
            if content:
                await self._fed(content)
        elif content:
            await self._fed(content)
        if reason is not None:
            async for passed in self.ended(reason, None if self._holds_back else chunk):
                yield passed

    def _behind(self, chunk: dict[str, Any], piece: Piece) -> list[dict[str, Any]]:
        """What becomes of a chunk behind the end: some models tell the usage there, and add nothing."""
        if piece.is_empty and self._holds_back:
            return [{**frame_of(chunk, "usage"), "choices": []}] if chunk.get("usage") else []
        if piece.is_empty:
            return [{**chunk, "rag": self._with_unread()} if piece.unread else chunk]
        if self._judging.modes.may_enforce:
            raise broken("it went on behind the end of a choice")
        return [{**chunk, "rag": self._judging.unread(UNREADABLE)}]

    async def ended(self, reason: str | None, chunk: dict[str, Any] | None) -> AsyncIterator[dict[str, Any]]:
        """The end of it: what is still let through, and the last chunk with what is told of the answer."""
        self.is_over = True
        answer, is_blocked = "".join(self._pieces), False
        events = await self._last_events() if answer else []
        if self.is_unreadable or self._late:
            rag = self._judging.unread(UNREADABLE if self.is_unreadable else self._late)
        elif not answer:
            rag = self._judging.unread()
        elif self._stream is None:
            judged = await self._judging.judged(answer)
            self._is_withheld, is_blocked, rag = judged.is_removed, judged.is_blocked, judged.rag
            yield self._chunk({"content": judged.text})
        else:
            for passed in self._released(events):
                yield passed
            finished = next(event for event in events if isinstance(event, Finished))
            is_blocked = self._is_withheld and self._judging.gate.on_review == "block"
            if is_blocked:
                notice = self._judging.gate.notice
                yield self._chunk({"content": f"\n\n{notice}" if finished.shown.strip() else notice})
            rag = await self._judging.finished(answer, finished.result, is_changed=self._is_withheld)
        calls = [] if is_blocked else self._waiting
        for delta in calls:
            yield self._chunk(delta)
        if self._is_withheld and not calls:
            reason = "content_filter"
        self._rag = rag
        last = {**self._chunk({}, reason), **self._usage} if chunk is None else chunk
        yield {**last, "rag": self._with_unread()}

    def _with_unread(self) -> dict[str, Any]:
        """What is told of it, with the parts that nobody has judged."""
        return {**self._rag, "unread": sorted(self._unread)} if self._unread else self._rag

    async def _let_through(self, delta: Mapping[str, Any], content: str | None) -> AsyncIterator[dict[str, Any]]:
        """Of a chunk that is held back the role, and the text of sentences that are judged."""
        if "role" in delta:
            yield self._chunk({"role": delta["role"], "content": ""})
        if calls := {key: value for key, value in delta.items() if key in CALLS and value}:
            self._waiting.append(calls)
        if content:
            for passed in self._released(await self._fed(content)):
                yield passed

    async def _fed(self, content: str) -> list[StreamEvent]:
        if self._stream is None or self._late:
            return []
        return await self._in_time(self._stream.afeed(content, self._judging.run))

    async def _last_events(self) -> list[StreamEvent]:
        if self._stream is None or self._late or self.is_unreadable:
            return []
        return await self._in_time(self._stream.afinish(self._judging.run))

    async def _in_time(self, judging: Awaitable[list[StreamEvent]]) -> list[StreamEvent]:
        """What follows of the answer; where nothing may change and the judging is late it passes, and nothing does."""
        try:
            return await judging
        except LateError as late:
            if self._judging.modes.may_enforce:
                raise
            self._late = late.why
            return []

    def _released(self, events: list[StreamEvent]) -> list[dict[str, Any]]:
        """Chunks with the text that may be shown; without it where each chunk went on as it came."""
        self._is_withheld = self._is_withheld or any(isinstance(event, Withheld) for event in events)
        if not self._holds_back:
            return []
        return [self._chunk({"content": event.text}) for event in events if isinstance(event, Released) and event.text]

    def _chunk(self, delta: dict[str, Any], reason: str | None = None) -> dict[str, Any]:
        choice = {"index": self._index, "delta": delta, "finish_reason": reason}
        return {**self._frame, "choices": [choice]}


def _event(content: Any) -> bytes:
    return b"data: " + json.dumps(content, separators=(",", ":"), allow_nan=False).encode("ascii") + b"\n\n"
