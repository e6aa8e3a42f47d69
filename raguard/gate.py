"""What becomes of an answer on its way to a reader? One gate for middleware, adapters, service and gateway."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, get_args

from raguard import Config, ConfigError, Document, Verifier, VerifyResult, Warning
from raguard.modes import NOT_CHECKED, Mode, Modes
from raguard.showing import NOTICE, annotated, redacted
from raguard.streaming import AnswerStream, OnReview

__all__ = ["Gate", "Gated", "disclosed"]


_PLACE = ("doc", "doc_id", "start", "end", "source")


@dataclass(frozen=True, slots=True)
class Gated:
    """An answer that has passed the gate: ``text`` is what to show, ``original`` is what was given.

    ``mode`` is that of the tenant, and ``enforced`` are the warnings that decided what is shown; without any, ``text``
    is the original. In the mode "off", and outside the sample, everything is unchecked.
    """

    text: str
    original: str
    verdict: VerifyResult
    mode: Mode
    enforced: tuple[Warning, ...] = ()


class Gate:
    """Judges answers and shows as much of each as the modes of its tenant allow; as thread-safe as its Verifier.

    ``on_review`` says what happens to an answer with a high warning that is enforced: it is annotated, its sentences
    are redacted, or ``notice`` is shown in its place ("block"). Raises ConfigError for a bad option.

    >>> gate = Gate(on_review="redact")
    >>> gate.judge("When?", ["It closed on 4 May 2024."], "It was cold. It closed on 9 May 2024.").text
    'It was cold. (unsupported text removed)'
    >>> gate.judge("When?", ["It closed on 4 May 2024."], "It closed on 4 May 2024.").text
    'It closed on 4 May 2024.'
    """

    def __init__(
        self,
        verifier: Verifier | None = None,
        *,
        config: Config | None = None,
        on_review: OnReview = "annotate",
        notice: str = NOTICE,
    ) -> None:
        if verifier is not None and config is not None:
            raise ConfigError("config must be left out when verifier is given; the verifier has its own")
        if not isinstance(verifier, Verifier | None):
            raise ConfigError(f"verifier must be a Verifier, not {type(verifier).__name__}")
        if not isinstance(on_review, str) or on_review not in get_args(OnReview):
            raise ConfigError(f"on_review must be one of {', '.join(get_args(OnReview))}, not {on_review!r}")
        if not isinstance(notice, str):
            raise ConfigError(f"notice must be the text to show as a string, not {type(notice).__name__}")
        self.verifier = verifier if verifier is not None else Verifier(config)
        self.on_review: OnReview = on_review
        self.notice = notice

    def modes(self, tenant_id: str | None) -> Modes:
        """What verdicts may do for a tenant; raises TypeError for an id that is neither a string nor None."""
        return self.verifier.config.modes.of(tenant_id)

    def judge(
        self,
        query: str,
        docs: Sequence[str | Document],
        answer: str,
        *,
        tenant_id: str | None = "default",
        lang: str = "auto",
        history: Sequence[Mapping[str, Any]] | None = None,
    ) -> Gated:
        """The answer as it may be shown; of an answer that is not a string, nothing is shown.

        Raises TypeError for a tenant's id that is neither a string nor None, since nobody could say whose modes count,
        and nothing for any other fault.
        """
        if not self.modes(tenant_id).checks(query, answer):
            return self.settle(answer, self.verifier.skip(NOT_CHECKED), tenant_id)
        return self.settle(answer, self.verifier.verify(query, docs, answer, lang=lang, history=history), tenant_id)

    async def ajudge(
        self,
        query: str,
        docs: Sequence[str | Document],
        answer: str,
        *,
        tenant_id: str | None = "default",
        lang: str = "auto",
        history: Sequence[Mapping[str, Any]] | None = None,
        runner: Callable[..., Awaitable[Any]] | None = None,
    ) -> Gated:
        """``judge`` in a worker thread, or in one of ``runner``, so that the event loop keeps running."""
        import asyncio  # a tenth of the import time, for those who await

        run: Callable[..., Awaitable[Any]] = runner or asyncio.to_thread
        gated: Gated = await run(self.judge, query, docs, answer, tenant_id=tenant_id, lang=lang, history=history)
        return gated

    def settle(self, answer: str, verdict: VerifyResult, tenant_id: str | None = "default") -> Gated:
        """The answer as it may be shown, given its verdict."""
        modes = self.modes(tenant_id)
        enforced = modes.enforced(verdict.warnings)
        original = answer if isinstance(answer, str) else ""
        return Gated(self._shown(original, enforced), original, verdict, modes.mode, enforced)

    def stream(
        self,
        query: str,
        docs: Sequence[str | Document],
        *,
        tenant_id: str | None = "default",
        lang: str = "auto",
        history: Sequence[Mapping[str, Any]] | None = None,
    ) -> AnswerStream:
        """``judge`` for an answer that is still being written."""
        return self.verifier.stream(
            query, docs, on_review=self.on_review, tenant_id=tenant_id, lang=lang, history=history
        )

    def _shown(self, answer: str, enforced: Sequence[Warning]) -> str:
        if not enforced:
            return answer
        if self.on_review == "annotate":
            return annotated(answer, enforced, self.notice)
        if self.on_review == "redact":
            return redacted(answer, enforced, self.verifier.sentence_ends(answer), self.notice)
        return self.notice


def disclosed(verdict: VerifyResult, *, texts: bool = False) -> dict[str, Any]:
    """A verdict as plain data that may leave the process: types, offsets, ids of documents and counts.

    With ``texts`` it is ``verdict.to_dict()``, which includes the words of the warnings and their evidence.

    >>> from raguard import verify
    >>> told = disclosed(verify("When?", ["It closed on 4 May 2024."], "On 9 May 2024."))
    >>> told["action"], told["warnings"][0]["type"], "text" in told["warnings"][0]
    ('review', 'unsupported_date', False)
    """
    if texts:
        return verdict.to_dict()
    statuses = [fact.status for fact in verdict.facts]
    return {
        "action": verdict.action,
        "warnings": [_told(warning) for warning in verdict.warnings],
        "summary": verdict.to_dict()["summary"],
        "facts": {status: statuses.count(status) for status in sorted({*statuses})},
        # the place of a leaf names keys of the answer
        "unchecked": ["a leaf" if gap.what.startswith("/") else gap.what for gap in verdict.unchecked],
        "ruleset": {"version": verdict.ruleset.version, "hash": verdict.ruleset.hash},
    }


def _told(warning: Warning) -> dict[str, Any]:
    evidence = warning.evidence
    place = None if evidence is None else {key: getattr(evidence, key) for key in _PLACE}
    told = {key: getattr(warning, key) for key in ("severity", "type", "rule", "start", "end")}
    return {**told, "evidence": place}
