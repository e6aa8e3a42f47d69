"""How do the pieces of an answer pass through? Each choice by a stream of its own, its verdict on its last chunk.

Where the modes let a warning change the answer and sentences are redacted or blocked, text waits for its sentence to be
judged. Where the claim guard may cut claims out, it waits for the whole answer. Else each chunk goes on as it came.
"""

from __future__ import annotations

import json
import logging
from collections.abc import AsyncIterator
from typing import Any

from raguard.service.gateway.judging import Judging
from raguard.service.gateway.upstream import DONE, broken, frame_of
from raguard.service.problems import ProblemError
from raguard.streaming import Finished, Released, StreamEvent, Withheld

__all__ = ["Relay"]

_CALLS = frozenset({"tool_calls", "function_call"})
_MOST_CHOICES = 128
"""As many as OpenAI's API lets a request ask for; each takes memory."""


class Relay:
    """One streamed completion on its way to the caller."""

    def __init__(self, judging: Judging) -> None:
        self._judging, self._holds_back = judging, judging.holds_back
        self._choices: dict[int, _Choice] = {}

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
            if not is_over and not all(choice.is_over for choice in self._choices.values()):
                raise broken("it broke off")
            for choice in self._choices.values():
                if not choice.is_over:
                    async for passed in choice.ended(None, None):
                        yield _event(passed)
            if not self._choices:
                raise broken("it holds no choice")
            yield b"data: [DONE]\n\n"
        except ProblemError as problem:
            yield _event(problem.body())
        except Exception as error:
            # never the message: it may hold text
            logging.getLogger("raguard").error("a stream failed with %s", type(error).__name__)
            yield _event(ProblemError(500, "failed", f"The stream failed ({type(error).__name__}).").body())

    async def _passed(self, chunk: Any) -> AsyncIterator[dict[str, Any]]:
        """What becomes of one chunk."""
        given = chunk.get("choices") if isinstance(chunk, dict) else None
        if not isinstance(given, list):
            raise broken("it sent a chunk that is none")
        if not given:
            # the last chunk may hold the usage alone
            yield frame_of(chunk, "choices", "usage") if self._holds_back else chunk
        for entry in given:
            index, delta = (entry.get("index"), entry.get("delta")) if isinstance(entry, dict) else (None, None)
            if type(index) is not int or not 0 <= index < _MOST_CHOICES or not isinstance(delta, dict):
                raise broken("it sent a chunk whose choice is none")
            if not isinstance(delta.get("content"), str | None):
                raise broken("it sent a content that is no text")
            if not isinstance(entry.get("finish_reason"), str | None):
                raise broken("it sent a finish_reason that is no text")
            if index not in self._choices:
                self._choices[index] = _Choice(index, self._judging)
            choice = self._choices[index]
            if choice.is_over:
                raise broken("it went on behind the end of a choice")
            async for passed in choice.passed({**chunk, "choices": [entry]}, entry, delta):
                yield passed


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
        self.is_over = False

    async def passed(
        self, chunk: dict[str, Any], entry: dict[str, Any], delta: dict[str, Any]
    ) -> AsyncIterator[dict[str, Any]]:
        """What becomes of one chunk of it."""
        self._frame = frame_of(chunk)
        self._usage = {"usage": chunk["usage"]} if chunk.get("usage") else self._usage
        # some models end no choice with an empty reason, but say that it goes on
        content, reason = delta.get("content"), entry.get("finish_reason") or None
        self._unread.update(dict.fromkeys(key for key in delta if key not in ("role", "content") and delta[key]))
        if content:
            self._pieces.append(content)
        if self._holds_back:
            async for passed in self._let_through(delta, content):
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

    async def ended(self, reason: str | None, chunk: dict[str, Any] | None) -> AsyncIterator[dict[str, Any]]:
        """The end of it: what is still let through, and the last chunk with what is told of the answer."""
        self.is_over = True
        answer, is_blocked = "".join(self._pieces), False
        if not answer:
            rag = self._judging.unread()
        elif self._stream is None:
            judged = await self._judging.judged(answer)
            self._is_withheld, is_blocked, rag = judged.is_removed, judged.is_blocked, judged.rag
            yield self._chunk({"content": judged.text})
        else:
            events: list[StreamEvent] = await self._stream.afinish()
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
        if self._unread:
            rag = {**rag, "unread": sorted(self._unread)}
        last = {**self._chunk({}, reason), **self._usage} if chunk is None else chunk
        yield {**last, "rag": rag}

    async def _let_through(self, delta: dict[str, Any], content: str | None) -> AsyncIterator[dict[str, Any]]:
        """Of a chunk that is held back the role, and the text of sentences that are judged."""
        if "role" in delta:
            yield self._chunk({"role": delta["role"], "content": ""})
        if calls := {key: value for key, value in delta.items() if key in _CALLS and value}:
            self._waiting.append(calls)
        if content:
            for passed in self._released(await self._fed(content)):
                yield passed

    async def _fed(self, content: str) -> list[StreamEvent]:
        events: list[StreamEvent] = [] if self._stream is None else await self._stream.afeed(content)
        return events

    def _released(self, events: list[StreamEvent]) -> list[dict[str, Any]]:
        """Chunks with the text that may be shown; without it where each chunk went on as it came."""
        self._is_withheld = self._is_withheld or any(isinstance(event, Withheld) for event in events)
        if not self._holds_back:
            return []
        return [self._chunk({"content": event.text}) for event in events if isinstance(event, Released) and event.text]

    def _chunk(self, delta: dict[str, Any], reason: str | None = None) -> dict[str, Any]:
        choice = {"index": self._index, "delta": delta, "finish_reason": reason}
        return {**self._frame, "choices": [choice]}


def _event(content: dict[str, Any]) -> bytes:
    return b"data: " + json.dumps(content, separators=(",", ":")).encode("ascii") + b"\n\n"
