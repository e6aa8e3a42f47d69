"""What can be asked of a service? Verdicts on answers, claims, texts and vectors; each route asks one part."""

from __future__ import annotations

import asyncio
import base64
import logging
from threading import Lock
from typing import Any

import numpy as np
from fastapi import APIRouter, Request
from starlette.responses import Response

from raguard import ConfigError, Document, VerifyResult
from raguard.claims.context import Context
from raguard.claims.encoders import EncoderError, as_matrix, turn_for
from raguard.claims.running import run
from raguard.claims.verdicts import GuardResult
from raguard.service.bodies import BatchBody, EmbeddingsBody, GuardBody, ScreenBody, VerifyBody, documents_of
from raguard.service.examples import EMBEDDINGS, GUARDED, SCREENED, VERIFIED, VERIFIED_MANY, responses
from raguard.service.keys import Caller
from raguard.service.metering import CONTENT_TYPE
from raguard.service.parts import Parts
from raguard.service.problems import Json, ProblemError
from raguard.service.telling import disclosed, told_guard, told_screens
from raguard.service.work import raised

__all__ = ["GuardFailedError", "caller_of", "ends_of", "guarded", "key_tenant", "parts_of", "router"]

router = APIRouter()
_TURN = Lock()
"""An encoder that does not say that it is concurrent is asked by one at a time."""


def parts_of(request: Request) -> Parts:
    """The parts of the app."""
    parts: Parts = request.app.state.parts
    return parts


def caller_of(request: Request) -> Caller:
    """Who asks."""
    caller: Caller = request.state.caller
    return caller


def ends_of(request: Request) -> float:
    """When the door gives the request up, as a time of the loop."""
    ends: float = request.state.ends
    return ends


def key_tenant(request: Request) -> str:
    """The tenant of the key that a request brings."""
    return caller_of(request).tenant


@router.get("/healthz", tags=["operation"], summary="Is the process alive?")
async def healthz() -> Response:
    """200 as soon as it listens."""
    return Json({"status": "alive"})


@router.get("/readyz", tags=["operation"], summary="Is it warm?")
async def readyz(request: Request) -> Response:
    """200 when the language model is loaded, 503 before."""
    is_ready = parts_of(request).is_ready
    return Json({"status": "ready" if is_ready else "warming up"}, 200 if is_ready else 503)


@router.get("/metrics", tags=["operation"], summary="Counts and times for Prometheus")
async def metrics(request: Request) -> Response:
    """Counts per route, rule and type; never a text."""
    return Response(await asyncio.to_thread(parts_of(request).metering.page), media_type=CONTENT_TYPE)


@router.post("/v1/verify", tags=["answers"], summary="Is this answer fit to show?", responses=responses(VERIFIED))
async def verify(request: Request, body: VerifyBody) -> Response:
    """The verdict on one answer. What could not be checked is an error warning, which is high."""
    parts = parts_of(request)
    result = await parts.work.run(
        parts.verifier.verify,
        body.query,
        documents_of(body.docs),
        body.response,
        lang=body.lang,
        history=body.history,
    )
    parts.metering.count_verdict(result)
    return Json(disclosed(result, texts=caller_of(request).texts))


@router.post("/v1/verify/batch", tags=["answers"], summary="And are these?", responses=responses(VERIFIED_MANY))
async def verify_batch(request: Request, body: BatchBody) -> Response:
    """The verdicts on many answers, in their order."""
    parts, most = parts_of(request), parts_of(request).config.max_cases
    if len(body.cases) > most:
        raise ProblemError(413, "too_many", f"cases: at most {most:,} may come at once.", param="cases")
    told = []
    for case in body.cases:
        result: VerifyResult = await parts.work.run(
            lambda case=case: next(parts.verifier.verify_many([case], lang=body.lang))
        )
        parts.metering.count_verdict(result)
        told.append(disclosed(result, texts=caller_of(request).texts))
    return Json({"results": told})


@router.post("/v1/guard", tags=["answers"], summary="Is each claim carried?", responses=responses(GUARDED))
async def guard(request: Request, body: GuardBody) -> Response:
    """The verdict of the claim guard, and the answer to show; it is changed only where the modes enforce that."""
    parts, caller = parts_of(request), caller_of(request)
    tenant_id = caller.tenant_of(body.tenant_id)
    evidence = None if body.evidence is None else documents_of(body.evidence)
    result, shown = await guarded(parts, tenant_id, body.answer, evidence, body.question)
    may_change = parts.config.modes(tenant_id).mode == "enforce"
    return Json({"result": told_guard(result, texts=caller.texts), "answer": shown if may_change else body.answer})


class GuardFailedError(ProblemError):
    """The claim guard raised something of the type ``kind``, or gave no verdict; ``why`` says so within a sentence."""

    def __init__(self, kind: str) -> None:
        super().__init__(500, "guard_failed", f"The claim guard failed ({kind}).")
        self.why = f"the claim guard failed ({kind})"


async def guarded(
    parts: Parts, tenant_id: str, answer: str, evidence: list[str | Document] | None, question: str | None
) -> tuple[Any, str]:
    """What the claim guard says, in a thread: its scorers may never await. Raises GuardFailedError when it fails."""
    context = Context(tenant_id=tenant_id)
    try:
        result, shown = await parts.work.run(lambda: run(parts.guard.check(context, answer, evidence, question)))
        if not isinstance(result, GuardResult) or not isinstance(shown, str):
            raise TypeError("a guard gives a GuardResult and the answer to show")
    except Exception as error:
        logging.getLogger("raguard").error("the claim guard failed with %s", raised(error))
        raise GuardFailedError(raised(error)) from None
    parts.metering.count_guard(result)
    return result, shown


@router.post("/v1/screen", tags=["texts"], summary="Should it be processed?", responses=responses(SCREENED))
async def screen(request: Request, body: ScreenBody) -> Response:
    """What the screens say of a text and of documents; ``blocked`` when one of them should not be processed."""
    parts, texts = parts_of(request), caller_of(request).texts
    if isinstance(parts.screens, ConfigError):
        raise ProblemError(501, "not_configured", str(parts.screens))
    if body.text is None and not body.docs:
        raise ProblemError(422, "invalid_request", "text or docs: one of them must be given.", param="text")
    report = None if body.text is None else await parts.work.run(parts.screens.check, body.text)
    docs = None if body.docs is None else documents_of(body.docs)
    reports = () if docs is None else await parts.work.run(parts.screens.check_documents, docs)
    told = [*(() if report is None else (report,)), *reports]
    parts.metering.count_findings(told)
    return Json(
        {
            "blocked": any(each.blocked for each in told),
            "passed": all(each.passed for each in told),
            "text": None if report is None else told_screens(report, texts=texts),
            "docs": None if docs is None else [told_screens(each, texts=texts) for each in reports],
        }
    )


@router.post("/v1/embeddings", tags=["texts"], summary="Vectors of texts", responses=responses(EMBEDDINGS))
async def embeddings(request: Request, body: EmbeddingsBody) -> Response:
    """Vectors as in OpenAI's embeddings API, where an encoder is configured."""
    parts = parts_of(request)
    if parts.encoder is None:
        raise ProblemError(501, "not_configured", "No encoder is configured; set encoder in the table [service].")
    texts = [body.input] if isinstance(body.input, str) else body.input
    if not texts:
        raise ProblemError(422, "invalid_request", "input: it holds no text.", param="input")
    if len(texts) > parts.config.max_texts:
        raise ProblemError(
            413, "too_many", f"input: at most {parts.config.max_texts:,} texts may come at once.", param="input"
        )
    matrix = await _vectors(parts, texts)
    data = [
        {"object": "embedding", "index": index, "embedding": _written(vector, body.encoding_format)}
        for index, vector in enumerate(matrix)
    ]
    return Json({"object": "list", "data": data, "model": body.model, "usage": {"prompt_tokens": 0, "total_tokens": 0}})


async def _vectors(parts: Parts, texts: list[str]) -> Any:
    """A row for each text; raises ProblemError 500 when the encoder fails."""
    try:
        return await parts.work.run(_encoded, parts.encoder, texts)
    except EncoderError as error:
        raise ProblemError(500, "encoder_failed", f"{error}.") from None
    except Exception as error:
        logging.getLogger("raguard").error("the encoder failed with %s", raised(error))
        raise ProblemError(500, "encoder_failed", f"The encoder failed ({raised(error)}).") from None


def _encoded(encoder: Any, texts: list[str]) -> Any:
    with turn_for(encoder, _TURN):
        vectors = encoder.encode(texts)
    return as_matrix(vectors, len(texts))


def _written(vector: Any, encoding: str) -> Any:
    if encoding == "float":
        return vector.tolist()
    with np.errstate(over="ignore"):
        narrow = vector.astype(np.dtype("<f4"))
    if not np.isfinite(narrow).all():
        raise ProblemError(500, "encoder_failed", "The encoder gave a number that base64 cannot hold in its 32 bits.")
    return base64.b64encode(narrow.tobytes()).decode("ascii")
