"""What becomes of a model's answer? The gate's verdict and the claim guard's, and the stricter of what they show."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeVar

from raguard import VerifyResult, Warning
from raguard.claims import GuardConfig
from raguard.claims.asking import Fault
from raguard.claims.deciding import decide, unjudged
from raguard.gate import Gate, Gated
from raguard.service.gateway.asking import Asked
from raguard.service.keys import Caller
from raguard.service.parts import Parts
from raguard.service.problems import ProblemError
from raguard.service.routes import GuardFailedError, guarded
from raguard.service.telling import disclosed, told_guard
from raguard.showing import redacted

__all__ = ["UNREADABLE", "Judged", "Judging", "LateError"]

_NO_TEXT = "the answer holds no text"
UNREADABLE = "the answer, or a part of it, cannot be read"
_MOST_HEADER = 200
_SPARE = 0.1
"""The share of ``timeout_s`` that is left for the response when the judging has ended."""

Value = TypeVar("Value")


class LateError(ProblemError):
    """What judges, as ``who`` names it, has not ended within ``timeout_s``; ``why`` says so within a sentence."""

    def __init__(self, who: str, seconds: float) -> None:
        self.why = f"{who} took longer than {seconds:g} seconds"
        super().__init__(503, "timeout", f"{self.why[0].upper()}{self.why[1:]}.")


@dataclass(frozen=True, slots=True)
class Judged:
    """An answer to show: ``text``, whether something ``is_removed`` from it, and what is told of it."""

    text: str
    is_removed: bool
    is_blocked: bool
    rag: dict[str, Any]


@dataclass(frozen=True, slots=True)
class _Claims:
    """What the claim guard says of an answer, and what it leaves of it; nothing where it was not asked."""

    result: Any = None
    shown: str = ""
    fault: str = ""
    """Why it could say nothing."""


class Judging:
    """Judges the answers to one request."""

    def __init__(self, parts: Parts, caller: Caller, tenant_id: str, asked: Asked) -> None:
        self._parts, self._texts, self._tenant, self._asked = parts, caller.texts, tenant_id, asked
        self.gate: Gate = parts.gate(tenant_id)
        self.modes = self.gate.modes(tenant_id)
        self._timeout_s = parts.config.timeout_s

    @property
    def needs_whole(self) -> bool:
        """Whether nothing may be shown before all of the answer is there: its claims may be cut out of it."""
        config = getattr(self._parts.guard, "config", None)
        may_cut = getattr(config, "action", None) != "annotate"
        return self._parts.guards_answers and self.modes.mode == "enforce" and may_cut

    @property
    def holds_back(self) -> bool:
        """Whether text is shown only when its sentence, or all of the answer, was judged."""
        return self.needs_whole or bool(self.stream().holds_back)

    def stream(self) -> Any:
        """The AnswerStream of an answer that is still being written."""
        asked = self._asked
        return self.gate.stream(
            asked.question, asked.docs, tenant_id=self._tenant, lang=asked.lang, history=asked.history
        )

    async def run(self, call: Callable[..., Value], *arguments: Any, **options: Any) -> Value:
        """Runs a call in one of the threads of the service; raises LateError."""
        return await self._run(None, call, *arguments, **options)

    def deadline(self, ends: float) -> float:
        """When all judging that begins now is late: ahead of the door, which gives the request up at ``ends``."""
        return min(self._latest(), ends - _SPARE * self._timeout_s)

    async def judged(self, answer: str, until: float | None = None) -> Judged:
        """What is shown of a whole answer; raises LateError where a verdict may change it, else that is unchecked.

        It is late at ``until``, a time of the loop, or after ``timeout_s``.
        """
        try:
            return await self._judged(answer, until or self._latest())
        except LateError as late:
            if self.modes.may_enforce:
                raise
            return Judged(answer, False, False, self.unread(late.why))

    async def _judged(self, answer: str, until: float) -> Judged:
        asked = self._asked
        gated: Gated = await self.gate.ajudge(
            asked.question,
            asked.docs,
            answer,
            tenant_id=self._tenant,
            lang=asked.lang,
            history=asked.history,
            runner=partial(self._run, until),
        )
        claims = await self._guarded(answer, until)
        result, cut = claims.result, claims.shown
        # what bears no label, such as JSON, is withheld also where answers are annotated
        is_removed = bool(gated.enforced) and (self.gate.on_review != "annotate" or gated.text == self.gate.notice)
        text, is_blocked = gated.text, bool(gated.enforced) and self.gate.on_review == "block"
        if _cuts(result) and self.modes.mode == "enforce" and not is_blocked:
            is_removed, is_blocked = True, str(result.action) == "block"
            text = cut if is_blocked or not gated.enforced else self._both(answer, gated.enforced, result)
        rag = self.told(gated.verdict, claims, is_changed=text != answer)
        return Judged(text, is_removed, is_blocked, rag)

    async def finished(self, answer: str, verdict: VerifyResult, *, is_changed: bool) -> dict[str, Any]:
        """What is told of an answer that was streamed."""
        return self.told(verdict, await self._guarded(answer), is_changed=is_changed)

    def unread(self, why: str = _NO_TEXT) -> dict[str, Any]:
        """What is told of an answer that nobody could judge, such as one without text."""
        return self.told(self._parts.verifier.skip(why), _Claims(), is_changed=False)

    def told(self, verdict: VerifyResult, claims: _Claims, *, is_changed: bool) -> dict[str, Any]:
        """What the response carries as ``rag``."""
        self._parts.metering.count_verdict(verdict)
        self._parts.metering.count_answer(self.modes.mode, changed=is_changed)
        return {
            "mode": self.modes.mode,
            "status": self._status(verdict, claims.fault),
            "changed": is_changed,
            "verify": disclosed(verdict, texts=self._texts),
            "guard": None if claims.result is None else told_guard(claims.result, texts=self._texts),
        }

    def _status(self, verdict: VerifyResult, fault: str) -> str:
        """ "checked", "shadow", or "unchecked" and why; ``fault`` is that of the claim guard."""
        for why in (*(gap.why for gap in verdict.unchecked if gap.what == "everything"), fault):
            if why:
                return f"unchecked; {' '.join(why.split())}"[:_MOST_HEADER].encode("ascii", "replace").decode("ascii")
        return "checked" if self.modes.may_enforce else "shadow"

    async def _guarded(self, answer: str, until: float | None = None) -> _Claims:
        """What the claim guard says, where it is asked."""
        asked = self._asked
        if not self._parts.guards_answers or not self.modes.checks(asked.question, answer):
            return _Claims()
        try:
            work = guarded(self._parts, self._tenant, answer, asked.evidence or None, asked.question)
            return _Claims(*await self._in_time("the claim guard", work, until))
        except (GuardFailedError, LateError) as error:
            return self._unguarded(answer, error)

    def _latest(self) -> float:
        return asyncio.get_running_loop().time() + self._timeout_s

    async def _run(self, until: float | None, call: Callable[..., Value], *arguments: Any, **options: Any) -> Value:
        work = self._parts.work.run(call, *arguments, **options)
        return await self._in_time("the judging of the answer", work, until)

    async def _in_time(self, who: str, work: Awaitable[Value], until: float | None = None) -> Value:
        """What ``work`` gives within ``timeout_s``, or until a time of the loop; raises LateError."""
        try:
            async with asyncio.timeout_at(until or self._latest()) as clock:
                return await work
        except TimeoutError:
            if not clock.expired():
                raise
            raise LateError(who, self._timeout_s) from None

    def _unguarded(self, answer: str, error: GuardFailedError | LateError) -> _Claims:
        """An answer whose guard has failed: one unchecked claim, with which is done what the guard's config says.

        Raises the error where claims may be cut out and no config says what becomes of those that nobody judged.
        """
        config = getattr(self._parts.guard, "config", None)
        if not isinstance(config, GuardConfig):
            if self.modes.mode == "enforce":
                raise error
            config = GuardConfig()
        found = unjudged(answer, Fault(error.why))
        result, shown = decide(answer, found, config, config.threshold_for(self._tenant))
        self._parts.metering.count_guard(result)
        return _Claims(result, shown, f"{error.why}; no claim was judged")

    def _both(self, answer: str, enforced: Sequence[Warning], result: Any) -> str:
        """The answer without what either of the two would cut out."""
        flagged = [claim for claim in result.claims if claim.status == "hallucination_flag"]
        if len(flagged) < result.blocked_n or any(claim.start is None for claim in flagged):
            return self.gate.notice
        claims = [
            Warning("high", "unsupported_claim", answer[claim.start : claim.end], "", claim.start, claim.end, "")
            for claim in flagged
        ]
        ends = self._parts.verifier.sentence_ends(answer)
        return redacted(answer, [*enforced, *claims], ends, self.gate.notice)


def _cuts(result: Any) -> bool:
    return result is not None and str(result.verdict.value) == "blocked"
