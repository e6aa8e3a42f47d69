"""Which spans does the entity recogniser mark? Asked in numpy where that is exact, of spaCy itself where it is not."""

from __future__ import annotations

import os
from collections.abc import Sequence
from contextlib import AbstractContextManager
from threading import RLock
from typing import Any, TypeAlias

import numpy as np
from threadpoolctl import ThreadpoolController

from raguard.ner.decoder import Decoder, Tokens
from raguard.ner.encoder import Encoder
from raguard.ner.weights import ArchitectureError, read_weights
from raguard.ner.zone import RenewedZone

__all__ = ["EntityRuntime"]

Labelled: TypeAlias = tuple[int, int, str]
"""First character, character after the last, label."""

_COMPARED = (
    "Apple opened a second office in Leeds on 3 May 2021, and Dr. Priya Norlow of Corford Systems Inc. runs it.",
    "The Kelmar Group paid $4.2 million (about 12%) to the University of Ghent; Mr O'Neill didn't agree.",
    "\nPoints:\n\n- Marford Foods GmbH   ships to Osaka, Turin and Bergen\n- call (555) 010-0199 before 5 p.m.",
    "no names here, just common words in one long sentence that says little about anything at all",
)
"""Texts on which both ways must agree when a model is loaded."""
_NOISE = 1e-4
"""By how much the vectors of both may differ: rounding makes some 1e-6, another computation far more."""


class EntityRuntime:
    """The entities of texts; safe to call from several threads (one after the other)."""

    def __init__(self, nlp: Any) -> None:
        self._nlp = nlp
        self._lock = RLock()
        if hasattr(os, "register_at_fork"):
            # a process forked in the middle of a text would wait for a thread that it does not have
            release = self._lock.release
            os.register_at_fork(before=self._lock.acquire, after_in_parent=release, after_in_child=release)
        self._zone = RenewedZone(nlp)
        self._exact: _Exact | None = None
        self.description = "numpy, exact"
        """Which of the two runs, and why."""
        for word in sorted(nlp.Defaults.stop_words):
            nlp.make_doc(word)  # outside of a memory zone the tokenizer remembers it for good
        try:
            exact = _Exact(nlp)
            exact.compare(_COMPARED)
            self._exact = exact
        except ArchitectureError as unknown:
            self.description = f"spaCy's own, slower: {unknown}"
        except Exception as fault:  # a model of another make can fail in any way; spaCy itself still runs it
            self.description = f"spaCy's own, slower: the weights cannot be read ({type(fault).__name__})"

    def entities(self, text: str) -> list[Labelled]:
        """The entities of ``text`` from left to right, just as spaCy's own call gives them."""
        with self._lock:
            self._zone.enter(text)
            doc = self._nlp.make_doc(text)
            found = self._exact.entities(doc) if self._exact is not None else None
            if found is None:
                return [(e.start_char, e.end_char, e.label_) for e in self._nlp(doc).ents]
            return [(doc[start].idx, doc[end - 1].idx + len(doc[end - 1]), label) for start, end, label in found]


class _Exact:
    """The recogniser of one pipeline in numpy."""

    def __init__(self, nlp: Any) -> None:
        weights = read_weights(nlp)
        self._nlp = nlp
        self._model = nlp.get_pipe("ner").model
        self._encoder = Encoder(weights, self._model.ops.hash)
        self._decoder = Decoder(weights)
        self._blas = ThreadpoolController().select(user_api="blas")

    def entities(self, doc: Any) -> list[Tokens] | None:
        """The entities of ``doc``; None where rounding could decide."""
        if not len(doc):
            return []
        with self._one_thread():
            return self._decoder.entities(self._encoder.vectors(doc), doc)

    def compare(self, texts: Sequence[str]) -> None:
        """Raises ArchitectureError when spaCy itself gives other vectors or other entities."""
        for text in texts:
            doc = self._nlp.make_doc(text)
            with self._one_thread():
                ours = self._encoder.vectors(doc)
            found = self.entities(doc)
            theirs = self._model.get_ref("tok2vec").predict([doc])
            if ours.shape != theirs.shape or not np.allclose(ours, theirs, rtol=_NOISE, atol=_NOISE):
                raise ArchitectureError("its vectors differ when computed again")
            if found is not None and found != [(e.start, e.end, e.label_) for e in self._nlp(doc).ents]:
                raise ArchitectureError("its entities differ when computed again")

    def _one_thread(self) -> AbstractContextManager[Any]:
        """Products this small gain nothing from a second thread, and wait long for one that is busy."""
        limited: AbstractContextManager[Any] = self._blas.limit(limits=1)
        return limited
