"""What is told beside an answer, and to a listener? Whether it was checked, and the verdict without its texts."""

from __future__ import annotations

import inspect
import logging
from collections.abc import Callable
from typing import Any

from raguard.gate import Gated, disclosed

__all__ = ["note_of", "notify", "notify_now", "status_of", "told"]

_LOG = logging.getLogger("raguard")


def status_of(gated: Gated) -> str:
    """Whether the answer was checked, and if not, why.

    >>> from raguard.gate import Gate
    >>> status_of(Gate().judge("When?", [], "It closed on 4 May 2024."))
    'unchecked; no documents were retrieved'
    """
    gaps = [gap.why for gap in gated.verdict.unchecked if gap.what == "everything"]
    return f"unchecked; {gaps[0]}" if gaps else "checked"


def told(gated: Gated, *, texts: bool = False) -> dict[str, Any]:
    """Status and verdict as plain data; what the warnings say only with ``texts``."""
    return {"status": status_of(gated), **disclosed(gated.verdict, texts=texts)}


def note_of(gated: Gated) -> str:
    """What readers of a text that is out already are told at its end; "" for nothing.

    >>> from raguard.gate import Gate
    >>> note_of(Gate().judge("When?", ["It closed on 4 May 2024."], "It closed on 9 May 2024."))
    'the retrieved documents do not support all of this text: 1'
    """
    unsupported = sum(bool(warning.text) for warning in gated.enforced)
    if len(gated.enforced) > unsupported:
        return "not checked"
    return f"the retrieved documents do not support all of this text: {unsupported}" if unsupported else ""


async def notify(listener: Callable[[Any], object] | None, value: object) -> None:
    """Calls a listener, which may be async; a fault of it is logged by its type and is none of the answer."""
    returned = notify_now(listener, value)
    if inspect.isawaitable(returned):
        try:
            await returned
        except Exception as error:
            _log(error)


def notify_now(listener: Callable[[Any], object] | None, value: object) -> object:
    """The same where nothing can be awaited; gives what the listener returned."""
    try:
        return listener(value) if listener is not None else None
    except Exception as error:
        _log(error)
        return None


def _log(error: Exception) -> None:
    _LOG.error("on_result raised %s", type(error).__name__)
