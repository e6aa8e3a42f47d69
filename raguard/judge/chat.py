"""How is a model asked over OpenAI's chat API? One request through the official client, within bounds.

Servers differ in what they take: OpenAI's reasoning models take ``max_completion_tokens`` alone and no temperature;
Ollama, vLLM and llama.cpp take ``max_tokens``, and JSON schemas only in newer versions; some models have no system
role. What a server refuses by name is left out, and that is remembered.
"""

from __future__ import annotations

import json
import logging
import threading
from collections.abc import Mapping
from dataclasses import dataclass, replace
from importlib import import_module
from typing import Any, Literal

from raguard import RaguardError
from raguard.endpoints import AnswerError, checked_seconds
from raguard.judge.calls import THREAD_NAME, Call, Pool, wait_for
from raguard.judge.lines import Line, http_library
from raguard.judge.prompting import Messages
from raguard.judge.provider import JudgeConfigError, Provider, checked_whole
from raguard.judge.replies import Reply, as_reply

__all__ = ["OPTIONS", "Chat", "ChatError"]

OPTIONS = ("extra_body", "headers", "json_schema", "temperature")
"""The options of a Chat that a judge hands on."""

_MOST_BYTES = 1 << 20
_AT_ONCE = 32
_GRACE_S = 1.0
_REFUSALS = (400, 422)
_SIGNS = {
    "response_format": ("response_format", "json_schema", "json schema", "grammar", "guided"),
    "temperature": ("temperature",),
    "max_tokens": ("max_tokens",),
    "system": ("system role", "messages[0].role"),
}
"""By which words in an endpoint's message a parameter is named."""


class ChatError(RaguardError):
    """A model could not be asked, or its answer is unusable; the message holds no text that was sent or came back."""


class _RefusedError(Exception):
    """An endpoint refused a request with ``status`` and named a parameter, or none of those that can be left out."""

    def __init__(self, status: int, named: str | None) -> None:
        super().__init__(f"the endpoint answered with status {status}")
        self.named = named


@dataclass(frozen=True, slots=True)
class _Form:
    """Which parameters an endpoint takes."""

    reply: Literal["json_schema", "json_object", "text"] = "json_schema"
    has_temperature: bool = True
    has_system: bool = True
    budget: Literal["max_tokens", "max_completion_tokens"] = "max_tokens"

    def without(self, named: str | None) -> _Form | None:
        """What may be tried next when a parameter is refused; None when nothing may."""
        if named == "response_format" and self.reply != "text":
            return replace(self, reply="json_object" if self.reply == "json_schema" else "text")
        if named == "temperature" and self.has_temperature:
            return replace(self, has_temperature=False)
        if named == "max_tokens" and self.budget == "max_tokens":
            return replace(self, budget="max_completion_tokens")
        if named == "system" and self.has_system:
            return replace(self, has_system=False)
        return None


class Chat:
    """A model behind an endpoint that speaks OpenAI's chat API: messages in, a Reply out.

    ``model`` is by default the provider's model named "judge". ``max_tokens`` is the budget for one reply, reasoning
    included; ``timeout_s`` bounds a call from its first moment to the last byte, in seconds, whatever the endpoint
    does. With ``temperature=None`` none is sent; with ``json_schema=False`` no form is asked for; ``headers`` and
    ``extra_body`` are sent with each request. A request is repeated only when the endpoint refuses one of its
    parameters; redirects are not followed, an answer has at most 1 MiB, and a proxy from the environment is used for
    other machines only. Threads can share one chat. Needs the extra ``judge``; raises JudgeConfigError.
    Source of the API: https://platform.openai.com/docs/api-reference/chat

    >>> Chat(Provider("http://localhost:11434/v1", models={"judge": "qwen3:8b"})).model
    'qwen3:8b'
    """

    def __init__(
        self,
        provider: Provider,
        model: str | None = None,
        *,
        max_tokens: int = 1200,
        timeout_s: float = 30.0,
        temperature: float | None = 0.0,
        json_schema: bool = True,
        headers: Mapping[str, str] | None = None,
        extra_body: Mapping[str, Any] | None = None,
    ) -> None:
        if not isinstance(provider, Provider):
            raise JudgeConfigError(f"provider must be a Provider, not {type(provider).__name__}")
        self.provider = provider
        self.model = _checked_model(provider, model)
        self.timeout_s = checked_seconds(timeout_s, "timeout_s", error=JudgeConfigError)
        self._budget = checked_whole("max_tokens", max_tokens)
        self._temperature = _checked_temperature(temperature)
        self._headers = _checked_headers(headers)
        if provider.api_key and "authorization" not in map(str.lower, self._headers):
            self._headers["Authorization"] = f"Bearer {provider.api_key}"
        if not isinstance(extra_body, Mapping | None):
            raise JudgeConfigError(f"extra_body must be a mapping or None, not {type(extra_body).__name__}")
        self._extra_body = dict(extra_body or {})
        try:
            import_module("openai")  # what is missing is told when the chat is built
        except ImportError as error:
            raise JudgeConfigError("Chat needs openai: pip install 'raguard-verify[judge]'") from error
        _keep_text_out_of_logs()
        self._certificates = http_library().create_ssl_context()
        self._form = _Form("json_schema" if json_schema else "text", temperature is not None)
        self._pool: Pool[Reply] = Pool(_AT_ONCE)

    def __call__(self, messages: Messages, /) -> Reply:
        """The reply to ``messages``; raises ChatError."""
        call = Call(self.timeout_s)
        try:
            future = self._pool.start(lambda: self.ask(messages, None, call))
        except RuntimeError:
            raise ChatError("the endpoint was not asked: no thread can be started") from None
        if not wait_for(future, call):
            raise ChatError(f"the endpoint took longer than {self.timeout_s:g} s")
        return future.result()

    def ask(self, messages: Messages, schema: Mapping[str, Any] | None, call: Call) -> Reply:
        """The reply within the time of ``call``, in the form of a JSON schema if the endpoint supports one."""
        form = self._form
        while True:
            try:
                reply = _read(self._send(self._arguments(messages, schema, form), call))
            except _RefusedError as refusal:
                simpler = form.without(refusal.named)
                if simpler is None:
                    raise ChatError(str(refusal)) from None
                form = simpler
            else:
                self._form = form
                return reply

    def _arguments(self, messages: Messages, schema: Mapping[str, Any] | None, form: _Form) -> dict[str, Any]:
        told = messages if form.has_system else _as_one(messages)
        arguments: dict[str, Any] = {"model": self.model, "messages": told, form.budget: self._budget}
        if form.has_temperature:
            arguments["temperature"] = self._temperature
        if schema is not None and form.reply == "json_schema":
            named = {"name": "verdict", "strict": True, "schema": dict(schema)}
            arguments["response_format"] = {"type": "json_schema", "json_schema": named}
        elif schema is not None and form.reply == "json_object":
            arguments["response_format"] = {"type": "json_object"}
        if self._extra_body:
            arguments["extra_body"] = self._extra_body
        return arguments

    def _send(self, arguments: dict[str, Any], call: Call) -> bytes:
        """The body of a successful answer."""
        if not call.left_s():
            raise ChatError("the endpoint was not asked in time")
        line = Line(self._headers, at_most=_MOST_BYTES)
        call.on_leave(line.cut)
        try:
            # whoever waits for the call ends it; the client's own limit is for what cannot be cut, such as connecting
            return self._exchange(arguments, line, call.left_s() + _GRACE_S)
        except _RefusedError:
            raise
        except Exception as error:
            # no exception of the client goes on: it holds the request
            raise ChatError(f"the endpoint {_told(error)}") from None
        finally:
            call.on_leave(None)

    def _exchange(self, arguments: dict[str, Any], line: Line, seconds: float) -> bytes:
        import openai

        with line.client(self._certificates, is_local=self.provider.is_local, timeout_s=seconds) as http:
            client = openai.OpenAI(
                base_url=self.provider.base_url,
                # else the client would take one from the environment; what is sent is the line's
                api_key="none",
                max_retries=0,
                timeout=seconds,
                http_client=http,
            )
            try:
                answer = client.chat.completions.with_raw_response.create(**arguments)
            except openai.APIStatusError as error:
                if error.status_code in _REFUSALS:
                    raise _RefusedError(error.status_code, _named(error)) from None
                raise
            return bytes(answer.http_response.content)


def _as_one(messages: Messages) -> Messages:
    """The same as one message of the user, for models without a system role."""
    return [{"role": "user", "content": "\n\n".join(message["content"] for message in messages)}]


def _named(error: Any) -> str | None:
    """Which of the parameters that can be left out an endpoint's error names."""
    param = error.param if isinstance(error.param, str) and error.param else None
    told = (param or str(error.body or "")).lower()
    return next((name for name, signs in _SIGNS.items() if any(sign in told for sign in signs)), None)


def _told(error: Exception) -> str:
    """What went wrong, after "the endpoint": by type and status, never by a message, which may hold text."""
    import openai

    if isinstance(error, openai.APIStatusError):
        return f"answered with status {error.status_code}"
    if isinstance(error, openai.APITimeoutError):
        return "did not answer in time"
    # the client wraps what is raised on the way, but for what is raised while it reads the body of an error
    cause = error.__cause__ if isinstance(error, openai.APIConnectionError) else error
    if isinstance(cause, AnswerError):
        return str(cause)
    if isinstance(cause, http_library().ConnectError):
        return "could not be reached"
    if isinstance(cause, http_library().TransportError):
        return f"broke off its answer ({type(cause).__name__})"
    return f"could not be asked ({type(cause or error).__name__})"


def _read(body: bytes) -> Reply:
    try:
        told = json.loads(body)
    except (ValueError, RecursionError):
        raise ChatError("the endpoint answered with something that is no JSON") from None
    reply = as_reply(told)
    if reply is None:
        choices = told.get("choices") if isinstance(told, dict) else None
        is_several = isinstance(choices, list) and len(choices) > 1
        raise ChatError(f"the endpoint answered {'with more than one reply' if is_several else 'without a reply'}")
    return reply


def _checked_model(provider: Provider, model: object) -> str:
    model = provider.models.get("judge") if model is None else model
    if not isinstance(model, str) or not model.strip():
        raise JudgeConfigError('model must be the name of a model, or provider.models must name one for "judge"')
    return model


def _checked_temperature(temperature: object) -> float | None:
    if temperature is None:
        return None
    if isinstance(temperature, bool) or not isinstance(temperature, int | float) or not 0 <= temperature <= 2:
        raise JudgeConfigError(f"temperature must be a number from 0 to 2 or None, not {temperature!r}")
    return temperature


def _checked_headers(headers: object) -> dict[str, str]:
    if headers is None:
        return {}
    if not isinstance(headers, Mapping) or not all(
        isinstance(part, str) and part.isascii() and part.isprintable() for pair in headers.items() for part in pair
    ):
        raise JudgeConfigError("headers must map names to values, both printable ASCII strings")
    return dict(headers)


def _is_of_others(record: logging.LogRecord) -> bool:
    return not threading.current_thread().name.startswith(THREAD_NAME)


def _keep_text_out_of_logs() -> None:
    """Takes from the client's own log, which at debug level holds whole requests, what comes from the threads here."""
    logging.getLogger("openai._base_client").addFilter(_is_of_others)
