"""What of a streamed text may be shown so far? For frameworks that stream an answer as pieces of text."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from raguard import RaguardError
from raguard.gate import Gate, Gated
from raguard.integrations.telling import note_of
from raguard.streaming import Finished, Released, StreamEvent, Withheld

__all__ = ["ReleasedText"]

_NOTHING = object()


class ReleasedText:
    """One answer on its way: ``feed`` it the pieces, then ``finish``, and show what they return.

    Where the modes of the tenant enforce nothing, every piece is released as it comes and the answer is judged at its
    end. A gate that annotates does so too, and adds a last paragraph; one that redacts or blocks releases what is
    judged, and the notice stands in the place of the first sentence that is blocked.

    >>> text = ReleasedText(Gate(on_review="redact"), "When?", ["It closed on 4 May 2024."])
    >>> [text.feed(piece) for piece in ("It was cold. It closed", " on 9 May 2024.")], text.finish()
    (['It was cold.', ''], ' (unsupported text removed)')
    >>> text.gated().verdict.action
    'review'
    """

    def __init__(self, gate: Gate, query: str, docs: Sequence[Any], tenant_id: str = "default") -> None:
        self._gate, self._query, self._docs, self._tenant_id = gate, query, docs, tenant_id
        self._enforces = gate.modes(tenant_id).may_enforce
        self._stream = gate.stream(query, docs, tenant_id=tenant_id)
        self._pieces: list[str] = []
        self._shown: list[str] = []
        self._other: Any = _NOTHING
        """A piece that was not a string."""
        self._is_blocked = False
        self._gated: Gated | None = None

    def feed(self, piece: str) -> str:
        """What may be shown, given the next piece; what is not a string is an error of the answer."""
        if not isinstance(piece, str):
            self._other = piece
        text = piece if isinstance(piece, str) else ""
        self._pieces.append(text)
        return self._released(self._stream.feed(piece)) if self._enforces else text

    def finish(self) -> str:
        """What may be shown at the end; then ``gated`` is known."""
        if not self._enforces:
            answer: Any = "".join(self._pieces) if self._other is _NOTHING else self._other
            self._gated = self._gate.judge(self._query, self._docs, answer, tenant_id=self._tenant_id)
            return ""
        return self._ended(self._stream.finish())

    def gated(self) -> Gated:
        """What became of the answer; raises RaguardError before the end."""
        if self._gated is None:
            raise RaguardError("the answer has not ended; gated is known after finish")
        return self._gated

    def _ended(self, events: list[StreamEvent]) -> str:
        end = events[-1]
        assert isinstance(end, Finished)
        last = self._released(events)
        modes = self._gate.modes(self._tenant_id)
        enforced = modes.enforced(end.result.warnings)
        gated = Gated("".join(self._shown), "".join(self._pieces), end.result, modes.mode, enforced)
        note = note_of(gated) if self._gate.on_review == "annotate" else ""
        tail = f"\n\n[{note}]" if note else ""
        self._gated = Gated(gated.text + tail, gated.original, gated.verdict, gated.mode, enforced)
        return last + tail

    def _released(self, events: Iterable[StreamEvent]) -> str:
        before = len(self._shown)
        texts: dict[tuple[int, int], str] = {}
        for event in events:
            if isinstance(event, Withheld):
                texts[event.start, event.end] = ""
            elif isinstance(event, Released):
                texts[event.start, event.end] = event.text
        for text in texts.values():
            self._shown.append(text or self._notice())
        return "".join(self._shown[before:])

    def _notice(self) -> str:
        if self._gate.on_review != "block" or self._is_blocked:
            return ""
        self._is_blocked = True
        return f"\n\n{self._gate.notice}" if any(map(str.strip, self._shown)) else self._gate.notice
