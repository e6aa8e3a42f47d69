"""What does Presidio find in a text? Names and places by a language model, which rules cannot see."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence
from threading import Lock
from typing import Any

from raguard.config import Config
from raguard.errors import ConfigError, ModelError
from raguard.model import find_model
from raguard.screens.allowing import AllowList
from raguard.screens.findings import Finding, ScreenSeverity
from raguard.screens.knowing import admitted

__all__ = ["PresidioScreen"]

_UNSPACED = re.compile(r"\S{64}(?=\S)")
_MAIL = "EMAIL_ADDRESS"


class PresidioScreen:
    """Presidio's AnalyzerEngine as a screen; each entity is a warning, those in ``block`` block.

    Without an ``analyzer``, one for English is built from Presidio's own recognizers and the small spaCy model that
    raguard uses; it downloads nothing, neither a model nor a list of domains. An analyzer that is given is used as it
    is. Building one takes seconds, so keep the screen. ``entities`` are the types to look for (all by default),
    ``threshold`` is the least score, from 0 to 1; ``allow`` lists texts and numbers that pass. Calls run one after the
    other. Needs the extra ``presidio``.

    What it cannot do: the small model misses many names and takes some words for names; Presidio's patterns find
    dates, phone numbers and ids more loosely than ``PIIDetector``, so ask for the entities that you need.

    Raises ConfigError for bad settings, without Presidio or without the model; ``scan`` raises what the analyzer
    raises, which a suite tells as unchecked.
    """

    name = "presidio"

    def __init__(
        self,
        analyzer: Any = None,
        *,
        entities: Sequence[str] | None = None,
        block: Sequence[str] = (),
        language: str = "en",
        threshold: float = 0.5,
        allow: Iterable[str] = (),
    ) -> None:
        if not isinstance(threshold, (int, float)) or isinstance(threshold, bool) or not 0 <= threshold <= 1:
            raise ConfigError(f"threshold must be a number from 0 to 1, not {threshold!r:.40}")
        if not isinstance(language, str) or not language:
            raise ConfigError(f"language must be a code such as en, not {language!r:.40}")
        self._entities = None if entities is None else _types("entities", entities)
        self._block = frozenset(_types("block", block))
        self._language = language
        self._threshold = float(threshold)
        self._allow = AllowList(allow)
        if analyzer is None and language != "en":
            raise ConfigError("language: the analyzer that is built here reads English; give one for another language")
        if analyzer is not None and not callable(getattr(analyzer, "analyze", None)):
            raise ConfigError(f"analyzer must have a method analyze, which {type(analyzer).__name__} lacks")
        self._analyzer = _built() if analyzer is None else analyzer
        self._asking = Lock()

    def scan(self, text: str, /) -> tuple[Finding, ...]:
        """The entities in ``text``, from left to right; TypeError when it is not a string."""
        # spaCy's tokenizer is quadratic in runs without a space
        read = _UNSPACED.sub(lambda run: run.group()[:-1] + " ", admitted(text))
        with self._asking:
            results = self._analyzer.analyze(
                text=read, language=self._language, entities=self._entities, score_threshold=self._threshold
            )
        found = [self._finding(text, result) for result in results if math.isfinite(result.score)]
        kept = [finding for finding in found if not self._allow.lets(finding.text)]
        return tuple(sorted(kept, key=lambda finding: (finding.start, finding.end, finding.rule)))

    def _finding(self, text: str, result: Any) -> Finding:
        kind = str(result.entity_type)
        severity = ScreenSeverity.BLOCK if kind in self._block else ScreenSeverity.WARN
        guidance = f"The text holds what Presidio takes for {kind}: mask it unless the answer needs it."
        start, end = int(result.start), int(result.end)
        return Finding(
            f"presidio.{kind.lower()}", kind.lower(), start, end, text[start:end], severity, guidance, self.name
        )


def _types(key: str, types: Any) -> list[str]:
    if isinstance(types, str) or not isinstance(types, Sequence) or not all(isinstance(each, str) for each in types):
        raise ConfigError(f"{key} must be a list of entity types such as PERSON, not {types!r:.80}")
    return list(types)


def _built() -> Any:
    """An English analyzer of what is installed here."""
    try:
        from presidio_analyzer import AnalyzerEngine
        from presidio_analyzer.nlp_engine import SpacyNlpEngine
    except ImportError as error:
        raise ConfigError("PresidioScreen needs presidio-analyzer: pip install 'raguard-verify[presidio]'") from error
    try:
        package = find_model(Config()).package
    except ModelError as error:
        raise ConfigError(f"PresidioScreen needs the English model: {error}") from error
    engine = SpacyNlpEngine(models=[{"lang_code": "en", "model_name": package}])
    analyzer = AnalyzerEngine(nlp_engine=engine, supported_languages=["en"])
    for recognizer in analyzer.registry.recognizers:
        if _MAIL in recognizer.supported_entities:
            _stay_offline(recognizer)
    return analyzer


def _stay_offline(recognizer: Any) -> None:
    """Lets a recognizer of mail addresses prove domains by the list that comes with tldextract, not by a fresh one."""
    from tldextract import TLDExtract

    bundled = TLDExtract(cache_dir=None, suffix_list_urls=(), fallback_to_snapshot=True)
    recognizer.validate_result = lambda address: bundled(address).fqdn != ""
