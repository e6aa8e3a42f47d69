"""How does an application keep an unchecked answer from its users? It wraps the function that answers."""

from __future__ import annotations

import inspect
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from functools import wraps
from itertools import pairwise
from typing import Any, Concatenate, Literal, ParamSpec, TypeAlias, overload

from raguard import Config, ConfigError, Document, Verifier, VerifyResult

__all__ = ["NOTICE", "Guarded", "guarded"]

NOTICE = "This answer is withheld: the retrieved documents do not support all of it."
"""What ``on_review="block"`` shows in place of an answer."""

_LABEL = " [unsupported]"

P = ParamSpec("P")
Answered: TypeAlias = tuple[str, Sequence[str | Document]]
OnReview: TypeAlias = Literal["annotate", "block"] | Callable[[str, VerifyResult], str]


@dataclass(frozen=True, slots=True)
class Guarded:
    """A checked answer: ``answer`` is what to show, ``original`` what the wrapped function returned."""

    answer: str
    verdict: VerifyResult
    original: str


@overload
def guarded(
    fn: Callable[Concatenate[str, P], Awaitable[Answered]],
    *,
    on_review: OnReview = ...,
    notice: str = ...,
    verifier: Verifier | None = ...,
    config: Config | None = ...,
) -> Callable[Concatenate[str, P], Awaitable[Guarded]]: ...


@overload
def guarded(
    fn: Callable[Concatenate[str, P], Answered],
    *,
    on_review: OnReview = ...,
    notice: str = ...,
    verifier: Verifier | None = ...,
    config: Config | None = ...,
) -> Callable[Concatenate[str, P], Guarded]: ...


def guarded(
    fn: Callable[..., Any],
    *,
    on_review: OnReview = "annotate",
    notice: str = NOTICE,
    verifier: Verifier | None = None,
    config: Config | None = None,
) -> Callable[..., Any]:
    """Wraps ``fn(query, ...) -> (answer, docs)``, sync or async, so that its caller gets a ``Guarded``.

    An answer that needs review is annotated, blocked (``notice`` stands in its place) or handed with its
    verdict to a callable that returns what to show. Nothing fails open: what ``fn`` or the callable raises
    goes on to the caller, and a wrong return value is a TypeError. A bad option raises ConfigError at once.

    >>> def answer(query):
    ...     return "The deadline is May 4, 2024.", ["The deadline is June 15."]
    >>> guarded(answer)("When is the deadline?").answer
    'The deadline is May 4, 2024 [unsupported].'
    >>> guarded(answer, on_review="block", notice="Ask a colleague.")("When is the deadline?").answer
    'Ask a colleague.'
    """
    if on_review not in ("annotate", "block") and not callable(on_review):
        raise ConfigError(f'on_review must be "annotate", "block" or a callable, not {on_review!r}')
    if verifier is not None and config is not None:
        raise ConfigError("config must be left out when verifier is given; the verifier has its own")
    judge = verifier if verifier is not None else Verifier(config)
    signature = inspect.signature(fn)

    def shown(answer: str, verdict: VerifyResult) -> Guarded:
        text = answer if verdict.action == "proceed" else _reviewed(answer, verdict, on_review, notice)
        return Guarded(text, verdict, answer)

    @wraps(fn)
    def wrapper(*args: Any, **kwargs: Any) -> Guarded:
        query = _query(signature, args, kwargs)
        answer, docs = _answered(fn, fn(*args, **kwargs))
        return shown(answer, judge.verify(query, docs, answer))

    @wraps(fn)
    async def async_wrapper(*args: Any, **kwargs: Any) -> Guarded:
        query = _query(signature, args, kwargs)
        answer, docs = _answered(fn, await fn(*args, **kwargs))
        return shown(answer, await judge.averify(query, docs, answer))

    return async_wrapper if _is_async(fn) else wrapper


def _is_async(fn: Callable[..., Any]) -> bool:
    return inspect.iscoroutinefunction(fn) or inspect.iscoroutinefunction(type(fn).__call__)


def _query(signature: inspect.Signature, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """The argument named ``query``, else the first one; raises the TypeError of a call that does not fit."""
    bound = signature.bind(*args, **kwargs)
    if "query" in bound.arguments:
        return bound.arguments["query"]
    return next(iter((*bound.args, *bound.kwargs.values())), "")


def _answered(fn: Callable[..., Any], returned: Any) -> Answered:
    name = getattr(fn, "__qualname__", repr(fn))
    if inspect.iscoroutine(returned):
        returned.close()
        raise TypeError(f"{name} returned a coroutine; declare it with async def, so that it can be awaited")
    if not isinstance(returned, tuple) or len(returned) != 2:
        size = f" of {len(returned)}" if isinstance(returned, tuple) else ""
        raise TypeError(f"{name} must return a pair (answer, docs), not {type(returned).__name__}{size}")
    answer, docs = returned
    if not isinstance(answer, str):
        raise TypeError(f"{name} must return a string as answer, not {type(answer).__name__}")
    return answer, docs


def _reviewed(answer: str, verdict: VerifyResult, on_review: OnReview, notice: str) -> str:
    if on_review == "annotate":
        return _annotated(answer, verdict)
    if on_review == "block":
        return notice
    text = on_review(answer, verdict)
    if not isinstance(text, str):
        raise TypeError(f"on_review must return the text to show as a string, not {type(text).__name__}")
    return text


def _annotated(answer: str, verdict: VerifyResult) -> str:
    """The answer with a label behind each high-severity span, and a last line for what was not checked."""
    high = [warning for warning in verdict.warnings if warning.severity == "high"]
    places = [0, *sorted({warning.end for warning in high if warning.text}), len(answer)]
    text = _LABEL.join(answer[start:end] for start, end in pairwise(places))
    return "\n\n".join([text, *(f"[not checked: {warning.suggestion}]" for warning in high if not warning.text)])
