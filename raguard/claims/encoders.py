"""Who turns texts into vectors? Anything with ``encode``; ``RemoteEncoder`` asks a service."""

from __future__ import annotations

import json
import socket
from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext
from threading import Lock
from types import TracebackType
from typing import TYPE_CHECKING, Any, Protocol, Self, TypeAlias

import numpy as np
import numpy.typing as npt

from raguard import ConfigError, RaguardError
from raguard.addresses import Address
from raguard.claims.connections import Connection
from raguard.endpoints import AnswerError, checked_key, checked_seconds

if TYPE_CHECKING:
    import httpx

__all__ = ["Encoder", "EncoderError", "Matrix", "RemoteEncoder", "as_matrix", "turn_for", "unit_rows"]

Matrix: TypeAlias = npt.NDArray[np.floating[Any]]
_EMBEDDINGS = "/v1/embeddings"
_MOST_BYTES = 1 << 20
"""How long an answer may be without any vector."""
_MOST_BYTES_EACH = 16_384 * 32
"""How much longer it may be for each vector: room for 16,384 numbers, each on a line of its own."""


class EncoderError(RaguardError):
    """An encoder cannot be reached or gave no usable vectors; the message holds no text that was encoded."""


class Encoder(Protocol):
    """Anything that turns n texts into n vectors of the same width; a ``SentenceTransformer`` is one.

    An encoder with ``concurrent = True`` is called by several threads at once, any other by one at a time.

    >>> class Letters:
    ...     concurrent = True
    ...     def encode(self, texts):
    ...         return [[text.lower().count(letter) for letter in "abcdefghijklmnopqrstuvwxyz"] for text in texts]
    >>> from raguard.claims import Retriever
    >>> retriever = Retriever(["rents", "pets"], encoder=Letters(), mode="cosine")
    >>> [found.chunk.text for found in retriever.retrieve("the pet", top_k=1)]
    ['pets']
    """

    def encode(self, texts: list[str], /) -> Any:
        """Vectors of shape (n, width) as an array, a list of lists or a tensor, all numbers finite."""


class RemoteEncoder:
    """Vectors of a service that speaks OpenAI's embeddings API, over ``http://``, ``https://`` or a Unix socket.

    ``url`` is the service's address, with the path before ``/v1/embeddings`` if it has one; a socket is written
    ``http+unix://%2Frun%2Fencoder.sock``, its path percent-encoded. When the encoder is built, ``GET health_path`` must
    be answered with a status of 2xx; a service without that endpoint may have ``/health`` or ``/v1/models``.
    ``timeout_s`` bounds one whole request, in seconds, from connecting to the last byte. A request holds at most
    ``batch_size`` texts, and an answer at most 1 MiB plus 512 KiB per text, not compressed. Redirects are never
    followed. A request over a kept connection that ends before the head of an answer is made once more, over a new one.
    A proxy from the environment is used for other machines only, never for a socket or this machine.

    Raises ConfigError for an argument that cannot be used and where ``httpx`` is missing, and EncoderError when
    the service is not healthy. One encoder can be shared by threads; ``close`` it, or use it as a context manager.
    Source of the API: https://platform.openai.com/docs/api-reference/embeddings

    >>> RemoteEncoder("ftp://localhost")
    Traceback (most recent call last):
    raguard.errors.ConfigError: url must begin with http://, https:// or http+unix://, not 'ftp://'
    """

    concurrent = True

    def __init__(
        self,
        url: str,
        *,
        model: str = "default",
        api_key: str | None = None,
        timeout_s: float = 10.0,
        batch_size: int = 64,
        health_path: str = "/healthz",
    ) -> None:
        self._address = Address.read(url)
        if not isinstance(model, str) or not model:
            raise ConfigError(f"model must be the name of a model as a string, not {model!r}")
        checked_key(api_key)
        self._timeout = checked_seconds(timeout_s, "timeout_s")
        if type(batch_size) is not int or batch_size < 1:
            raise ConfigError(f"batch_size must be a whole number of texts of at least 1, not {batch_size!r}")
        if not isinstance(health_path, str) or not health_path.startswith("/"):
            raise ConfigError(f"health_path must be a path that begins with /, not {health_path!r}")
        try:
            import httpx
        except ImportError as error:
            raise ConfigError("RemoteEncoder needs httpx: pip install 'raguard-verify[remote]'") from error
        self._model, self._batch = model, batch_size
        self._headers = {"Authorization": f"Bearer {api_key}"} if api_key else {}
        self._certificates = httpx.create_ssl_context()
        self._lock, self._is_closed = Lock(), False
        self._idle: list[Connection] = []
        try:
            self._idle.append(Connection(self._client()))
        except (httpx.InvalidURL, ValueError, ImportError) as error:
            raise ConfigError("a proxy that the environment names is no address that httpx can use") from error
        try:
            if self._address.socket:
                self._knock(self._address.socket, self._address.of(health_path))
            self._answer("GET", health_path, 0)
        except BaseException:
            self.close()
            raise

    def encode(self, texts: Sequence[str], /) -> Matrix:
        """The vectors of n texts in their order, an array of shape (n, width); (0, 0) of no text.

        Raises EncoderError for what goes wrong on the way and for an answer that does not hold exactly one vector
        of finite numbers, all of one width, for each text; ConfigError for what is not a list of strings.
        """
        listed = isinstance(texts, Sequence) and not isinstance(texts, str | bytes)
        if not listed or not all(isinstance(text, str) for text in texts):
            raise ConfigError("texts must be a list of strings")
        batches = [self._encode(texts[first : first + self._batch]) for first in range(0, len(texts), self._batch)]
        widths = sorted({batch.shape[1] for batch in batches})
        if len(widths) > 1:
            raise EncoderError(f"{self._address.of(_EMBEDDINGS)} gave vectors of {widths[0]} and {widths[-1]} numbers")
        return np.concatenate(batches) if batches else np.empty((0, 0))

    def close(self) -> None:
        """Closes the connections, those in use after their answer; the encoder cannot be used any more."""
        with self._lock:
            self._is_closed = True
            idle, self._idle = self._idle, []
        for connection in idle:
            connection.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()

    def _client(self) -> httpx.Client:
        """What one connection is made with."""
        import httpx

        file = self._address.socket
        return httpx.Client(
            headers=self._headers,
            timeout=self._timeout,
            follow_redirects=False,
            verify=self._certificates,
            # with a transport of its own a client looks for no proxy in the environment
            transport=httpx.HTTPTransport(uds=file, verify=self._certificates) if self._address.is_local else None,
        )

    def _knock(self, file: str, source: str) -> None:
        """Connects once: httpcore leaves a socket open that it could not connect."""
        if not hasattr(socket, "AF_UNIX"):
            raise ConfigError("this system has no Unix sockets; url must begin with http:// or https://")
        with socket.socket(socket.AF_UNIX) as probe:
            probe.settimeout(self._timeout)
            try:
                probe.connect(file)
            except OSError as error:
                raise EncoderError(f"{source} cannot be reached: {error}") from error

    def _encode(self, texts: Sequence[str]) -> Matrix:
        # no server can read a lone surrogate
        valid = [text.encode("utf-8", "replace").decode("utf-8") for text in texts]
        body = self._answer("POST", _EMBEDDINGS, len(texts), json.dumps({"model": self._model, "input": valid}))
        source = self._address.of(_EMBEDDINGS)
        return as_matrix(_vectors(body, len(texts), source), len(texts), source)

    def _answer(self, method: str, path: str, count: int, content: str | None = None) -> bytes:
        """The body of a successful answer that holds ``count`` vectors."""
        import httpx

        source, late = self._address.of(path), f"did not answer within {self._timeout:g} s"
        with self._lock:
            if self._is_closed:
                raise EncoderError(f"{source}: the encoder is closed")
            connection = self._idle.pop() if self._idle else Connection(self._client())
        most = _MOST_BYTES + count * _MOST_BYTES_EACH
        try:
            body = connection.ask(method, self._address.base + path, content, within_s=self._timeout, at_most=most)
        except AnswerError as error:
            raise EncoderError(f"{source} {error}") from None
        except (TimeoutError, httpx.TimeoutException) as error:
            raise EncoderError(f"{source} {late}") from error
        except httpx.ConnectError as error:
            raise EncoderError(f"{source} cannot be reached: {error}") from error
        except httpx.HTTPError as error:
            raise EncoderError(f"{source} broke off its answer ({type(error).__name__})") from error
        except (httpx.InvalidURL, ValueError) as error:
            raise EncoderError(f"{source} is no address that can be asked ({type(error).__name__})") from error
        with self._lock:
            if not self._is_closed:
                self._idle.append(connection)
                return body
        connection.close()
        return body


def _vectors(body: bytes, count: int, source: str) -> list[Any]:
    """The embeddings of an answer, in the order of the texts."""
    try:
        answer = json.loads(body)
    except (ValueError, RecursionError):
        # the error itself would carry the answer
        raise EncoderError(f"{source} answered with something that is no JSON") from None
    data = answer.get("data") if isinstance(answer, dict) else None
    if not isinstance(data, list) or not all(isinstance(entry, dict) for entry in data):
        raise EncoderError(f"{source} answered without a list of vectors under data")
    if len(data) != count:
        raise EncoderError(f"{source} gave {len(data)} vectors for {count} texts")
    placed = {entry["index"]: entry.get("embedding") for entry in data if type(entry.get("index")) is int}
    if sorted(placed) != list(range(count)):
        raise EncoderError(f"{source} must number its vectors by an index from 0 to {count - 1}, each once")
    return [placed[index] for index in range(count)]


def as_matrix(vectors: Any, count: int, source: str = "the encoder") -> Matrix:
    """What an encoder gave for ``count`` texts as an array of shape (count, width) of 64-bit numbers.

    Raises EncoderError, with ``source`` for its subject, for another shape, for what are not numbers and for NaN
    and infinity.

    >>> as_matrix([[1, 0], [0, 2]], 2).shape
    (2, 2)
    """
    try:
        for step in ("detach", "cpu", "numpy"):
            # a tensor may stand on another device or belong to a graph
            vectors = getattr(vectors, step)() if callable(getattr(vectors, step, None)) else vectors
        matrix = np.asarray(vectors)
    except (ValueError, TypeError, RuntimeError, AttributeError):
        raise EncoderError(f"{source} must give vectors of numbers, all of one width") from None
    if matrix.dtype.kind not in "fiu":
        raise EncoderError(f"{source} must give vectors of numbers, all of one width")
    if matrix.ndim != 2 or matrix.shape[0] != count or matrix.shape[1] == 0:
        raise EncoderError(f"{source} must give one vector for each of {count} texts, not an array of {matrix.shape}")
    matrix = matrix.astype(np.float64)
    if not np.isfinite(matrix).all():
        raise EncoderError(f"{source} gave vectors with NaN or infinity in them")
    return matrix


def turn_for(encoder: object, lock: Lock) -> AbstractContextManager[Any]:
    """What to enter while an encoder is asked: ``lock``, or nothing for one that says it is ``concurrent``.

    Tokenizers of transformers fail when two threads enter them.
    """
    return nullcontext() if getattr(encoder, "concurrent", False) is True else lock


def unit_rows(matrix: Matrix) -> Matrix:
    """Every row divided by its length, as 32-bit numbers; a row of zeros stays as it is: it is like nothing.

    >>> unit_rows(np.array([[3.0, 4.0], [0.0, 0.0]])).tolist()
    [[0.6000000238418579, 0.800000011920929], [0.0, 0.0]]
    """
    largest = np.abs(matrix).max(axis=1, keepdims=True, initial=0.0)
    # scaled first, so that the square of no number is too large or too small
    scaled = matrix / np.where(largest > 0, largest, 1.0)
    length = np.linalg.norm(scaled, axis=1, keepdims=True)
    units: Matrix = (scaled / np.where(length > 0, length, 1.0)).astype(np.float32)
    return units
