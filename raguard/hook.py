"""How does an application keep an unchecked answer from its users? It wraps the function that answers."""

from __future__ import annotations

import inspect
from collections.abc import Awaitable, Callable, Coroutine, Sequence
from dataclasses import dataclass
from functools import wraps
from typing import Any, Literal, ParamSpec, Protocol, TypeAlias, overload

from raguard import Config, ConfigError, Document, Verifier, VerifyResult
from raguard.gate import Gate, Gated
from raguard.modes import tenant_named
from raguard.showing import NOTICE

__all__ = ["NOTICE", "Guarded", "guarded"]

_OWNERS = ("self", "cls")
_QUESTIONS = ("query", "question", "prompt", "user_query", "user_question", "user_input", "input", "message", "text")
"""The arguments that are taken for the question, the first one that a function has."""
_COLLECTING = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)

P = ParamSpec("P")
Answered: TypeAlias = tuple[str, Sequence[str | Document]]
OnReview: TypeAlias = Literal["annotate", "redact", "block"] | Callable[[str, VerifyResult], str]
AsyncOnReview: TypeAlias = OnReview | Callable[[str, VerifyResult], Awaitable[str]]


@dataclass(frozen=True, slots=True)
class Guarded:
    """A checked answer: ``answer`` is what to show, ``original`` what the wrapped function returned.

    In the mode "shadow" ``answer`` is the original, whatever the verdict; in the mode "off", and outside the sample,
    everything is unchecked.
    """

    answer: str
    verdict: VerifyResult
    original: str


class _Wrap(Protocol):
    """What ``guarded`` with nothing but options gives: the decorator."""

    @overload
    def __call__(self, fn: Callable[P, Awaitable[Answered]], /) -> Callable[P, Coroutine[Any, Any, Guarded]]: ...

    @overload
    def __call__(self, fn: Callable[P, Answered], /) -> Callable[P, Guarded]: ...


@overload
def guarded(
    fn: Callable[P, Awaitable[Answered]],
    /,
    *,
    query: str | None = ...,
    history: str | None = ...,
    tenant: str | None = ...,
    on_review: AsyncOnReview = ...,
    notice: str = ...,
    verifier: Verifier | None = ...,
    config: Config | None = ...,
) -> Callable[P, Coroutine[Any, Any, Guarded]]: ...


@overload
def guarded(
    fn: Callable[P, Answered],
    /,
    *,
    query: str | None = ...,
    history: str | None = ...,
    tenant: str | None = ...,
    on_review: OnReview = ...,
    notice: str = ...,
    verifier: Verifier | None = ...,
    config: Config | None = ...,
) -> Callable[P, Guarded]: ...


@overload
def guarded(
    *,
    query: str | None = ...,
    history: str | None = ...,
    tenant: str | None = ...,
    on_review: AsyncOnReview = ...,
    notice: str = ...,
    verifier: Verifier | None = ...,
    config: Config | None = ...,
) -> _Wrap: ...


def guarded(
    fn: Callable[..., Any] | None = None,
    /,
    *,
    query: str | None = None,
    history: str | None = None,
    tenant: str | None = None,
    on_review: AsyncOnReview = "annotate",
    notice: str = NOTICE,
    verifier: Verifier | None = None,
    config: Config | None = None,
) -> Callable[..., Any]:
    """Wraps ``fn(query, ...) -> (answer, docs)``, sync or async, so that its caller gets a ``Guarded``.

    The question is the argument that ``query`` names; without ``query``, it is the argument called query, question,
    prompt, input or the like, or the only argument. ``history`` names the argument that holds the earlier turns, and
    ``tenant`` the one that holds the id of the tenant whose ``modes`` in the config count; an id that is not a string
    is a TypeError of the call, and None means no tenant.
    An answer that needs review is annotated, redacted, blocked (``notice`` is shown in its place), or handed with its
    verdict to a callable that returns what to show. Nothing fails open: whatever ``fn`` or the callable raises
    propagates to the caller, and a wrong return value is a TypeError. A bad option raises ConfigError at once, and
    something that cannot be wrapped raises TypeError. Without ``fn`` it is a decorator:
    ``@guarded(on_review="block")``.

    >>> def answer(query):
    ...     return "The deadline is May 4, 2024.", ["The deadline is June 15."]
    >>> guarded(answer)("When is the deadline?").answer
    'The deadline is May 4, 2024 [unsupported].'
    >>> guarded(answer, on_review="block", notice="Ask a colleague.")("When is the deadline?").answer
    'Ask a colleague.'
    """
    if on_review not in ("annotate", "redact", "block") and not callable(on_review):
        raise ConfigError(f'on_review must be "annotate", "redact", "block" or a callable, not {on_review!r}')
    for option, named, held in (
        ("query", query, "the question"),
        ("history", history, "the turns before"),
        ("tenant", tenant, "the tenant's id"),
    ):
        if not isinstance(named, str | None):
            raise ConfigError(f"{option} must be the name of the argument that holds {held}, not {named!r}")
    gate = Gate(verifier, config=config, on_review="block" if callable(on_review) else on_review, notice=notice)

    def wrap(fn: Callable[..., Any]) -> Callable[..., Any]:
        signature = _signature(fn)
        asked = _asked(fn, signature, query)
        for option, named in (("history", history), ("tenant", tenant)):
            if named is not None:
                _asked(fn, signature, named, option)
        if _is_async(on_review) and not _is_async(fn):
            raise TypeError(f"on_review is async and {_name(fn)} is not; give a plain function, or declare both async")

        def options(call: inspect.BoundArguments) -> tuple[Any, dict[str, Any]]:
            """The question, and what else the gate is told of a call."""
            question, turns, tenant_id = _arguments(fn, call, asked, history, tenant)
            return question, {"history": turns, "tenant_id": tenant_named(tenant_id)}

        @wraps(fn)
        def wrapper(*args: Any, **kwargs: Any) -> Guarded:
            question, told = options(signature.bind(*args, **kwargs))
            answer, docs = _answered(fn, fn(*args, **kwargs))
            gated = gate.judge(question, docs, answer, **told)
            return Guarded(_text(_shown(gated, on_review)), gated.verdict, answer)

        @wraps(fn)
        async def async_wrapper(*args: Any, **kwargs: Any) -> Guarded:
            question, told = options(signature.bind(*args, **kwargs))
            answer, docs = _answered(fn, await fn(*args, **kwargs))
            gated = await gate.ajudge(question, docs, answer, **told)
            shown = _shown(gated, on_review)
            return Guarded(_text(await shown if inspect.isawaitable(shown) else shown), gated.verdict, answer)

        return async_wrapper if _is_async(fn) else wrapper

    return wrap if fn is None else wrap(fn)


def _is_async(fn: object) -> bool:
    return inspect.iscoroutinefunction(fn) or inspect.iscoroutinefunction(type(fn).__call__)


def _name(fn: Callable[..., Any]) -> str:
    return getattr(fn, "__qualname__", repr(fn))


def _signature(fn: Callable[..., Any]) -> inspect.Signature:
    if not callable(fn):
        raise TypeError(f"guarded must wrap the function that answers, not {type(fn).__name__}")
    if inspect.isgeneratorfunction(fn) or inspect.isasyncgenfunction(fn):
        raise TypeError(f"{_name(fn)} yields its answer in parts; wrap a function that returns it whole")
    try:
        return inspect.signature(fn)
    except ValueError:
        raise TypeError(
            f"the arguments of {_name(fn)} cannot be looked up; call it from a function of your own"
        ) from None


def _asked(fn: Callable[..., Any], signature: inspect.Signature, named: str | None, option: str = "query") -> str:
    """The name of the argument that holds the question, or what the option names; raises TypeError for none."""
    names = [
        name for name, taken in signature.parameters.items() if name not in _OWNERS and taken.kind not in _COLLECTING
    ]
    if named is not None:
        collects = any(taken.kind is inspect.Parameter.VAR_KEYWORD for taken in signature.parameters.values())
        if named not in names and not collects:
            raise TypeError(f"{_name(fn)} has no argument {named}, which the option {option} names")
        return named
    known = [name for name in _QUESTIONS if name in names] or (names if len(names) == 1 else [])
    if not known:
        taken = f"it takes {', '.join(names)}" if names else "it takes none by name"
        raise TypeError(
            f'{_name(fn)} must take the question as an argument; {taken}; say which one it is with guarded(query="...")'
        )
    return known[0]


def _arguments(fn: Callable[..., Any], call: inspect.BoundArguments, asked: str, *named: str | None) -> list[Any]:
    """What the call gives as question and under each name; raises TypeError when it gives no question."""
    call.apply_defaults()
    given = {**call.arguments, **call.kwargs}
    if asked not in given:
        raise TypeError(f"{_name(fn)} was called without {asked}, which holds the question")
    return [given[asked], *(None if name is None else given.get(name) for name in named)]


def _answered(fn: Callable[..., Any], returned: Any) -> Answered:
    """The pair that ``fn`` returned; raises TypeError saying what came in place of it."""
    name = _name(fn)
    if inspect.iscoroutine(returned):
        returned.close()
        raise TypeError(f"{name} returned a coroutine; declare it with async def, so that it can be awaited")
    if not isinstance(returned, (tuple, list)) or len(returned) != 2:
        size = f" of {len(returned)}" if isinstance(returned, (tuple, list)) else ""
        raise TypeError(f"{name} must return a pair (answer, docs), not {type(returned).__name__}{size}")
    answer, docs = returned
    if not isinstance(answer, str):
        raise TypeError(f"{name} must return a string as answer, not {type(answer).__name__}")
    if not isinstance(docs, Sequence) or isinstance(docs, (str, bytes, bytearray)):
        raise TypeError(f"{name} must return its documents as a list, not {type(docs).__name__}")
    for number, doc in enumerate(docs, 1):
        if not isinstance(doc, (str, Document)):
            raise TypeError(f"{name} must return strings or Documents; document {number} is {type(doc).__name__}")
    return answer, docs


def _shown(gated: Gated, on_review: AsyncOnReview) -> str | Awaitable[str]:
    return on_review(gated.original, gated.verdict) if gated.enforced and callable(on_review) else gated.text


def _text(shown: object) -> str:
    if inspect.iscoroutine(shown):
        shown.close()
        raise TypeError("on_review returned a coroutine; it can only be awaited when the wrapped function is async")
    if not isinstance(shown, str):
        raise TypeError(f"on_review must return the text to show as a string, not {type(shown).__name__}")
    return shown
