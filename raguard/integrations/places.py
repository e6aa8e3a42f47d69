"""Where in an exchange stand question, documents and answer? JSON Pointers, and parameters of the address."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias
from urllib.parse import parse_qs

from raguard import ConfigError, Document

__all__ = ["NOWHERE", "Place", "Source", "documents", "found", "placed"]

Source: TypeAlias = Literal["response", "request", "parameter"]

NOWHERE = object()
"""What is found where nothing stands."""
_TEXTS = ("text", "content", "page_content")
"""The keys under which an object holds the text of a document, the first one that it has."""
_IDS = ("id", "doc_id", "document_id")


@dataclass(frozen=True, slots=True)
class Place:
    """Where a value stands: at the JSON Pointer ``name`` of a body, or in the address as the parameter ``name``.

    >>> Place.read("/answer"), Place.read("parameter:q")
    (Place(source='response', name='/answer'), Place(source='parameter', name='q'))
    """

    source: Source
    name: str

    @classmethod
    def read(cls, notation: object, what: str = "place") -> Place:
        """Reads "/pointer" (of the response), "request:/pointer" and "parameter:name"; raises ConfigError."""
        if isinstance(notation, str):
            source, colon, name = notation.partition(":")
            if colon and source == "parameter" and name:
                return cls("parameter", name)
            if colon and source == "request" and _is_pointer(name):
                return cls("request", name)
            if _is_pointer(notation):
                return cls("response", notation)
        raise ConfigError(
            f'{what} must be a JSON Pointer into the response ("/answer"), one into the request ("request:/query"), '
            f'or a parameter of the address ("parameter:q"), not {notation!r}'
        )

    def of(self, *, response: object, request: object, address: bytes) -> object:
        """What stands there, given the bodies as they were parsed and the query string; NOWHERE for nothing."""
        if self.source == "parameter":
            values = parse_qs(address.decode("latin-1"), keep_blank_values=True).get(self.name)
            return values[0] if values else NOWHERE
        return found(response if self.source == "response" else request, self.name)


def found(body: object, pointer: str) -> object:
    """What stands at a JSON Pointer (RFC 6901); NOWHERE where nothing does.

    >>> found({"choices": [{"delta": "It"}]}, "/choices/0/delta"), found([1], "/1") is NOWHERE
    ('It', True)
    """
    value = body
    for token in _tokens(pointer):
        if isinstance(value, Mapping) and token in value:
            value = value[token]
        elif isinstance(value, list) and token.isascii() and token.isdigit() and int(token) < len(value):
            value = value[int(token)]
        else:
            return NOWHERE
    return value


def placed(body: Any, pointer: str, text: str) -> Any:
    """The body, changed in its place, with ``text`` at a pointer where something stands.

    >>> placed({"answer": "It", "more": 1}, "/answer", "No"), placed("It", "", "No")
    ({'answer': 'No', 'more': 1}, 'No')
    """
    tokens = _tokens(pointer)
    if not tokens:
        return text
    holder: Any = found(body, pointer.rpartition("/")[0])
    holder[int(tokens[-1]) if isinstance(holder, list) else tokens[-1]] = text
    return body


def documents(value: object) -> list[Any]:
    """The documents of plain data: strings, or objects with a text and perhaps an id, in a list or one alone.

    What is neither stays as it is, so that the verdict says it could not be read.

    >>> documents([{"content": "It closed.", "id": 7}, "It opened."])
    [Document(text='It closed.', id='7', metadata=None), 'It opened.']
    >>> documents(None), documents([None])
    ([], [None])
    """
    if value is NOWHERE or value is None:
        return []
    return [_document(entry) for entry in (value if isinstance(value, list | tuple) else [value])]


def _document(entry: object) -> Any:
    if not isinstance(entry, Mapping):
        return entry
    text = next((entry[key] for key in _TEXTS if key in entry), None)
    name = next((entry[key] for key in _IDS if isinstance(entry.get(key), str | int)), None)
    return entry if text is None else Document(text, None if name is None else str(name))


def _tokens(pointer: str) -> list[str]:
    return [token.replace("~1", "/").replace("~0", "~") for token in pointer.split("/")[1:]]


def _is_pointer(text: str) -> bool:
    return not text or text.startswith("/")
