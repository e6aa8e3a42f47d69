"""What becomes of a model's answer? The gate's verdict and the claim guard's, and the stricter of what they show."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from raguard import VerifyResult, Warning
from raguard.gate import Gate, Gated
from raguard.service.gateway.asking import Asked
from raguard.service.keys import Caller
from raguard.service.parts import Parts
from raguard.service.routes import guarded
from raguard.service.telling import disclosed, told_guard
from raguard.showing import redacted

__all__ = ["UNREADABLE", "Judged", "Judging"]

_NO_TEXT = "the answer holds no text"
UNREADABLE = "the answer, or a part of it, cannot be read"
_MOST_HEADER = 200


@dataclass(frozen=True, slots=True)
class Judged:
    """An answer to show: ``text``, whether something ``is_removed`` from it, and what is told of it."""

    text: str
    is_removed: bool
    is_blocked: bool
    rag: dict[str, Any]


class Judging:
    """Judges the answers to one request."""

    def __init__(self, parts: Parts, caller: Caller, tenant_id: str, asked: Asked) -> None:
        self._parts, self._texts, self._tenant, self._asked = parts, caller.texts, tenant_id, asked
        self.gate: Gate = parts.gate(tenant_id)
        self.modes = self.gate.modes(tenant_id)
        self.run = parts.work.run
        """Runs a call in one of the threads of the service."""

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

    async def judged(self, answer: str) -> Judged:
        """What is shown of a whole answer."""
        asked = self._asked
        gated: Gated = await self.gate.ajudge(
            asked.question,
            asked.docs,
            answer,
            tenant_id=self._tenant,
            lang=asked.lang,
            history=asked.history,
            runner=self.run,
        )
        result, cut = await self._guarded(answer)
        # what bears no label, such as JSON, is withheld also where answers are annotated
        is_removed = bool(gated.enforced) and (self.gate.on_review != "annotate" or gated.text == self.gate.notice)
        text, is_blocked = gated.text, bool(gated.enforced) and self.gate.on_review == "block"
        if _cuts(result) and self.modes.mode == "enforce" and not is_blocked:
            is_removed, is_blocked = True, str(result.action) == "block"
            text = cut if is_blocked or not gated.enforced else self._both(answer, gated.enforced, result)
        rag = self.told(gated.verdict, result, is_changed=text != answer)
        return Judged(text, is_removed, is_blocked, rag)

    async def finished(self, answer: str, verdict: VerifyResult, *, is_changed: bool) -> dict[str, Any]:
        """What is told of an answer that was streamed."""
        result, _ = await self._guarded(answer)
        return self.told(verdict, result, is_changed=is_changed)

    def unread(self, why: str = _NO_TEXT) -> dict[str, Any]:
        """What is told of an answer that nobody could judge, such as one without text."""
        return self.told(self._parts.verifier.skip(why), None, is_changed=False)

    def told(self, verdict: VerifyResult, result: Any, *, is_changed: bool) -> dict[str, Any]:
        """What the response carries as ``rag``."""
        self._parts.metering.count_verdict(verdict)
        self._parts.metering.count_answer(self.modes.mode, changed=is_changed)
        return {
            "mode": self.modes.mode,
            "status": self._status(verdict),
            "changed": is_changed,
            "verify": disclosed(verdict, texts=self._texts),
            "guard": None if result is None else told_guard(result, texts=self._texts),
        }

    def _status(self, verdict: VerifyResult) -> str:
        """ "checked", "shadow", or "unchecked" and why."""
        for gap in verdict.unchecked:
            if gap.what == "everything":
                why = " ".join(gap.why.split())
                return f"unchecked; {why}"[:_MOST_HEADER].encode("ascii", "replace").decode("ascii")
        return "checked" if self.modes.may_enforce else "shadow"

    async def _guarded(self, answer: str) -> tuple[Any, str]:
        """What the claim guard says, where it is asked; None where it is not."""
        asked = self._asked
        if not self._parts.guards_answers or not self.modes.checks(asked.question, answer):
            return None, answer
        return await guarded(self._parts, self._tenant, answer, asked.evidence or None, asked.question)

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
