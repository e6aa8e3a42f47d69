"""What is a caller told when something is wrong? JSON in the shape of OpenAI's errors, without any of the input."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

from starlette.responses import Response

__all__ = ["Json", "ProblemError", "invalid", "problem_body"]

_KEY = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,39}")
_NO_STEPS = frozenset({"body", "str", "DocumentBody", "list[str]"})
"""Parts of a place that are none of the body: pydantic names the kinds that it has tried."""
_PLAIN = frozenset(
    {
        *("bool_type", "dict_type", "extra_forbidden", "float_type", "int_from_float", "int_parsing", "int_type"),
        *("greater_than_equal", "less_than_equal", "list_type", "literal_error", "missing", "model_attributes_type"),
        *("string_too_long", "string_too_short", "string_type", "too_long", "too_short", "bool_parsing"),
    }
)
"""The kinds of faults whose message holds nothing of the input."""


class Json(Response):
    """JSON in ASCII alone, so that it holds whatever a string can, also halves of surrogate pairs."""

    media_type = "application/json"

    def render(self, content: Any) -> bytes:
        """The bytes of the body."""
        return json.dumps(content, separators=(",", ":"), allow_nan=False).encode("ascii")


class ProblemError(Exception):
    """Why a request is not answered: its HTTP status, a code for programs and a sentence for people.

    >>> ProblemError(413, "too_large", "The body is too long.").body()
    {'error': {'message': 'The body is too long.', 'type': 'invalid_request_error', 'param': None, 'code': 'too_large'}}
    """

    def __init__(
        self,
        status: int,
        code: str,
        message: str,
        *,
        param: str | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> None:
        super().__init__(message)
        self.status, self.code, self.message, self.param = status, code, message, param
        self.headers = dict(headers or {})

    def body(self) -> dict[str, Any]:
        """What the caller is told."""
        return problem_body(self.status, self.code, self.message, self.param)

    def response(self) -> Json:
        """The same as a response."""
        return Json(self.body(), self.status, self.headers)


def problem_body(status: int, code: str, message: str, param: str | None = None) -> dict[str, Any]:
    """An error in the shape of OpenAI's."""
    return {"error": {"message": message, "type": _type(status), "param": param, "code": code}}


def invalid(faults: Sequence[Mapping[str, Any]]) -> ProblemError:
    """What is wrong with a body, according to pydantic: the most exact fault and its place, without the value.

    For something that should be a string or an object and is neither, pydantic reports both; the fault inside the
    object is the more exact one.

    >>> fault = {"type": "missing", "loc": ("body", "docs"), "msg": "Field required", "input": "the whole text"}
    >>> invalid([fault]).message
    'docs: Field required'
    """
    fault = max(faults, key=lambda each: len(_steps(each)), default={"loc": (), "msg": "The body cannot be read"})
    place = ".".join(_steps(fault))
    if fault.get("type") == "json_invalid":
        return ProblemError(400, "invalid_json", "The body is no valid JSON.")
    if not place:
        return ProblemError(422, "invalid_request", "The body must be an object, sent as application/json.")
    message = str(fault["msg"]) if fault.get("type") in _PLAIN else "Input is not valid"
    return ProblemError(422, "invalid_request", f"{place}: {message}", param=place)


def _steps(fault: Mapping[str, Any]) -> list[str]:
    return [_step(step) for step in fault["loc"] if step not in _NO_STEPS]


def _step(step: object) -> str:
    """A key or place in a body; what is no plain name may be text of the caller."""
    return str(step) if isinstance(step, int) or _KEY.fullmatch(str(step)) else "(a key)"


def _type(status: int) -> str:
    if status in (401, 403):
        return "authentication_error" if status == 401 else "permission_error"
    if status == 429:
        return "rate_limit_error"
    return "invalid_request_error" if status < 500 else "server_error"
