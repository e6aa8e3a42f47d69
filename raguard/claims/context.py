"""For whom is an answer checked? The tenant decides the threshold, the request is named in reports."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["Context"]


@dataclass(frozen=True, slots=True)
class Context:
    """One check's surroundings; a value that is not a string as declared raises ValueError naming the field.

    ``question`` is set by the guard for scorers that read it; it is not evidence.

    >>> Context(tenant_id="acme")
    Context(tenant_id='acme', request_id=None, question=None)
    """

    tenant_id: str = "default"
    """Whose thresholds count; not empty. It stands in spans, so it must name nobody."""
    request_id: str | None = None
    """What the application calls this request; the guard only hands it on."""
    question: str | None = None
    """What was asked, for scorers that read it."""

    def __post_init__(self) -> None:
        """Checks every value."""
        if not isinstance(self.tenant_id, str) or not self.tenant_id:
            raise ValueError(f"tenant_id must be a string that is not empty, not {type(self.tenant_id).__name__}")
        for key in ("request_id", "question"):
            value = getattr(self, key)
            if not isinstance(value, str | None):
                raise ValueError(f"{key} must be a string or None, not {type(value).__name__}")
