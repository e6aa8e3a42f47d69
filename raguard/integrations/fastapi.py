"""How does a route of FastAPI give a checked answer, typed and visible in its OpenAPI? A dependency, or a decorator."""

from __future__ import annotations

import inspect
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import wraps
from typing import Any, Literal, TypeAlias

from raguard import ConfigError, Document
from raguard.gate import Gate, Gated
from raguard.integrations.missing import needs
from raguard.integrations.telling import notify, notify_now, told
from raguard.modes import tenant_named
from raguard.result import EvidenceSource

with needs("fastapi"):
    from fastapi import Depends
    from pydantic import BaseModel, Field

__all__ = ["CheckedAnswer", "Checker", "Verdict", "checked", "checker"]

OnResult: TypeAlias = Callable[[Gated], object]


class _EvidencePlace(BaseModel):
    """Where in the documents, or in the turns before, the rival or the support of a span stands."""

    doc: int | None = Field(description="number of the document or turn, from 0")
    doc_id: str | None = None
    start: int
    end: int
    source: EvidenceSource = "docs"


class _ToldWarning(BaseModel):
    """One warning about ``answer[start:end]`` of the original answer."""

    severity: Literal["high", "medium", "low"]
    type: str
    rule: str
    start: int
    end: int
    evidence: _EvidencePlace | None = None
    text: str | None = Field(None, description="the words it is about, where texts are told")
    suggestion: str | None = Field(None, description="what to do, where texts are told")


class Verdict(BaseModel):
    """What raguard says of an answer."""

    status: str = Field(description='"checked", or "unchecked; reason"')
    action: Literal["proceed", "review"]
    warnings: list[_ToldWarning]
    summary: dict[str, int] = Field(description="how many warnings of each severity")
    facts: dict[str, int] = Field(description="how many facts of each status")
    unchecked: list[str] = Field(description="what was not checked")
    ruleset: dict[str, str]


class CheckedAnswer(BaseModel):
    """An answer as it may be shown; ``raguard`` is missing where the mode is off or shadow, which changes nothing."""

    answer: str
    raguard: Verdict | None = None


@dataclass(frozen=True, slots=True)
class Checker:
    """Judges answers for the tenant of one request; a dependency gives it.

    >>> checker = Checker(Gate(on_review="redact"))
    >>> answer = checker.judge("When?", ["It closed on 4 May 2024."], "It closed on 9 May 2024.")
    >>> answer.answer, answer.raguard.action
    ('(unsupported text removed)', 'review')
    """

    gate: Gate
    tenant_id: str = "default"
    texts: bool = False
    on_result: OnResult | None = None

    async def ajudge(
        self,
        query: str,
        docs: Sequence[str | Document],
        answer: str,
        *,
        history: Sequence[Mapping[str, Any]] | None = None,
    ) -> CheckedAnswer:
        """The answer as it may be shown, for a route that is async."""
        gated = await self.gate.ajudge(query, docs, answer, tenant_id=self.tenant_id, history=history)
        await notify(self.on_result, gated)
        return self._answer(gated)

    def judge(
        self,
        query: str,
        docs: Sequence[str | Document],
        answer: str,
        *,
        history: Sequence[Mapping[str, Any]] | None = None,
    ) -> CheckedAnswer:
        """The same for a route that is not, which FastAPI runs in a worker thread."""
        gated = self.gate.judge(query, docs, answer, tenant_id=self.tenant_id, history=history)
        notify_now(self.on_result, gated)
        return self._answer(gated)

    def _answer(self, gated: Gated) -> CheckedAnswer:
        if not self.gate.modes(self.tenant_id).may_enforce:
            return CheckedAnswer(answer=gated.text)
        verdict = told(gated)
        if self.texts:
            for place, warning in zip(verdict["warnings"], gated.verdict.warnings, strict=True):
                place.update(text=warning.text, suggestion=warning.suggestion)
        return CheckedAnswer(answer=gated.text, raguard=Verdict.model_validate(verdict))


def checker(
    gate: Gate,
    *,
    tenant: Callable[..., str | Awaitable[str]] | None = None,
    texts: bool = False,
    on_result: OnResult | None = None,
) -> Callable[..., Checker]:
    """A dependency that gives a Checker: ``check: Annotated[Checker, Depends(checker(gate))]``.

    ``tenant`` is a dependency that gives the id of the tenant, such as the one that reads the caller's key; with
    ``texts`` the verdict has what the warnings say; ``on_result`` is given each Gated. Raises ConfigError.
    """
    if not isinstance(gate, Gate):
        raise ConfigError(f"gate must be a Gate, not {type(gate).__name__}")
    if tenant is not None and not callable(tenant):
        raise ConfigError(f"tenant must be a dependency that gives the tenant's id, not {type(tenant).__name__}")

    def dependency(tenant_id: str = "default") -> Checker:
        return Checker(gate, tenant_named(tenant_id), texts, on_result)

    _declare(dependency, [] if tenant is None else [_dependent("tenant_id", str, tenant)], Checker)
    return dependency


def checked(
    gate: Gate,
    *,
    query: str = "query",
    tenant: Callable[..., str | Awaitable[str]] | None = None,
    texts: bool = False,
    on_result: OnResult | None = None,
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Makes of a function that returns ``(answer, docs)`` a route with a CheckedAnswer; it stands below ``@app.get``.

    ``query`` names the parameter that holds the question, with dots where it is a field of a body: "question.text".
    The others are those of ``checker``. What the function raises goes on; another return value is a TypeError. Raises
    ConfigError for what cannot be used.
    """
    depends_on = checker(gate, tenant=tenant, texts=texts, on_result=on_result)

    def wrap(route: Callable[..., Any]) -> Callable[..., Any]:
        name = getattr(route, "__qualname__", repr(route))
        parameters = list(inspect.signature(route, eval_str=True).parameters.values())
        if not isinstance(query, str) or query.partition(".")[0] not in [parameter.name for parameter in parameters]:
            raise ConfigError(f"{name} has no parameter {query!r}; name the one that holds the question with query=")

        @wraps(route)
        async def async_wrapper(*, raguard_checker: Checker, **given: Any) -> CheckedAnswer:
            answer, docs = _pair(name, await route(**given))
            return await raguard_checker.ajudge(_question(given, query), docs, answer)

        @wraps(route)
        def wrapper(*, raguard_checker: Checker, **given: Any) -> CheckedAnswer:
            answer, docs = _pair(name, route(**given))
            return raguard_checker.judge(_question(given, query), docs, answer)

        wrapped = async_wrapper if inspect.iscoroutinefunction(route) else wrapper
        _declare(wrapped, [*parameters, _dependent("raguard_checker", Checker, depends_on)], CheckedAnswer)
        return wrapped

    return wrap


def _declare(function: Any, parameters: Sequence[inspect.Parameter], returned: type) -> None:
    """Says what FastAPI is to read of a function."""
    named = [each.replace(kind=inspect.Parameter.KEYWORD_ONLY) for each in parameters]
    function.__signature__ = inspect.Signature(named, return_annotation=returned)
    function.__annotations__ = {**{each.name: each.annotation for each in named}, "return": returned}


def _dependent(name: str, kind: type, depends_on: Callable[..., Any]) -> inspect.Parameter:
    return inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, annotation=kind, default=Depends(depends_on))


def _question(given: Mapping[str, Any], query: str) -> str:
    first, *fields = query.split(".")
    value = given[first]
    for field in fields:
        value = value[field] if isinstance(value, Mapping) else getattr(value, field)
    return value if isinstance(value, str) else ""


def _pair(name: str, returned: object) -> tuple[str, Sequence[Any]]:
    if isinstance(returned, tuple | list) and len(returned) == 2:
        answer, docs = returned
        if isinstance(answer, str) and isinstance(docs, list | tuple):
            return answer, docs
    raise TypeError(f"{name} must return a pair of the answer, a string, and the list of its documents")
