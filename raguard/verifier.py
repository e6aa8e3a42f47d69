"""The whole flow on one screen: guard → read → check → decide."""

from __future__ import annotations

import hashlib
import logging
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property, lru_cache
from typing import Any

import raguard
from raguard.case import Case, Check, Finding
from raguard.checks import DEFAULT_CHECKS
from raguard.checks.vague import vague_phrases
from raguard.config import Config
from raguard.documents import Document
from raguard.errors import ConfigError, ModelError
from raguard.evidence.attributes import AttributeReader
from raguard.evidence.chunk import Chunk, ReadingCache
from raguard.evidence.derivation import OPERATIONS
from raguard.evidence.hours import DayReader
from raguard.evidence.sources import Sources
from raguard.guard import Admitted, admit
from raguard.language import LanguageGuesser
from raguard.lexicon import Lexicon
from raguard.model import find_model, load_model
from raguard.reading import readers
from raguard.reading.statements import StatementReader
from raguard.result import Ruleset, Unchecked, VerifyResult, Warning
from raguard.text.folding import fold
from raguard.text.markup import fences, undress
from raguard.text.outline import Outliner
from raguard.text.phrases import Phrases
from raguard.text.polarity import PolarityReader
from raguard.verdict import Judge, error

__all__ = ["Verifier", "verify"]

_LONGEST_LABEL = 500
_LARGEST_CITED = 1e15
_CITED = frozenset(["title", "name", "source", "file", "filename", "url", "link", "section", "page", "chapter"])
"""The keys of metadata by whose values an answer may cite a document."""
_log = logging.getLogger("raguard")


class Verifier:
    """Checks answers by one config; thread-safe, and worth keeping: it remembers the chunks it has read.

    >>> guard = Verifier(Config(allow=("Acme Cloud",)))
    >>> guard.verify("Who?", ["The plan costs $49."], "Acme Cloud costs $59.").warnings[0].text
    '$59'
    """

    def __init__(self, config: Config | None = None, checks: Sequence[Check] = DEFAULT_CHECKS) -> None:
        """Builds everything that does not depend on a case; raises ConfigError for an unknown check name."""
        if config is not None and not isinstance(config, Config):
            raise ConfigError(f"config must be a Config, not {type(config).__name__}")
        self.config = config if config is not None else Config()
        self.checks = _chosen(checks, self.config.checks)
        offered = dict.fromkeys((*checks, *DEFAULT_CHECKS))
        self._left_out = [_name(check) for check in offered if check not in self.checks]
        rulebook = self.config.rulebook()
        self.ruleset = _ruleset(self.config)
        self._lexicon = Lexicon(rulebook, self.config.aliases)
        self._outliner = Outliner(rulebook)
        self._languages = LanguageGuesser(rulebook)
        numbers = rulebook["numbers"]
        self._cues = Phrases([rule for cue in OPERATIONS for rule in numbers.role(cue)])
        self._records = AttributeReader(rulebook)
        self._days = DayReader(rulebook)
        self._polarity = PolarityReader(rulebook)
        self._phrases = vague_phrases(rulebook, self.config.vague_phrases)
        self._chain = readers(rulebook, self.config.date_order)
        self._sentences = StatementReader(rulebook)
        self._cache = ReadingCache(self._chain, self._sentences, self.config.cache_chunks)
        self._judge = Judge(self.config, self.ruleset)

    def verify(
        self, query: str, retrieved_docs: Sequence[str | Document], llm_response: str, *, lang: str = "auto"
    ) -> VerifyResult:
        """The verdict on one answer. Never raises: what could not be checked is an error warning, which is high."""
        try:
            return self._verify(query, retrieved_docs, llm_response, lang)
        except Exception as crash:
            return self._judge.decide(
                [], None, [_crashed("the guard", crash)], [Unchecked("everything", "the guard failed")]
            )

    def _verify(self, query: object, docs: object, response: object, lang: object) -> VerifyResult:
        given = admit(query, docs, response, lang, self.config, self._languages.codes)
        errors = [error("input_error", fault) for fault in given.faults]
        if given.empty and self.config.no_documents == "review":
            errors.append(
                error("input_error", "retrieved_docs is empty; there is nothing to check the answer against.")
            )
        if not given.response or not given.documents:
            return self._judge.decide([], None, errors, [Unchecked("everything", _why_nothing(given))])
        case, unchecked = self._case(given, str(response), errors)
        findings: list[Finding] = []
        for check in self.checks:
            try:
                for finding in check(case):
                    self._judge.refuse_unknown(finding)
                    findings.append(finding)
            except Exception as crash:
                errors.append(_crashed(f"the check {_name(check)}", crash))
                unchecked.append(Unchecked(_name(check), "the check failed"))
        return self._judge.decide(findings, case.view, errors, unchecked)

    def _case(self, given: Admitted, response: str, errors: list[Warning]) -> tuple[Case, list[Unchecked]]:
        folded = fold(given.response)
        lang = given.lang if given.lang != "auto" else self._languages.guess(f"{folded.text}\n{fold(given.query).text}")
        # offsets lead to the text as it was given, broken characters and all
        view = replace(undress(folded, keep_code=False), source=response)
        unchecked = [Unchecked(name, "this check does not run") for name in self._left_out]
        if fences(folded.text):
            unchecked.append(Unchecked("code", "fenced code blocks are no claims"))
        see = None
        if lang == "en":
            missing = self._missing_model
            if missing is None:
                see = self._entities
            else:
                errors.append(error("input_error", missing))
                unchecked.append(Unchecked("names", "judged by presence alone: the language model is missing"))
        else:
            unchecked.append(Unchecked("names", f'judged by presence alone: no model for "{lang}"'))
        chunks = [
            Chunk(index, document.id, self._cache.reading(document.text, lang)) for index, document in given.documents
        ]
        asked = Chunk(0, None, self._cache.reading(given.query, lang))
        labels = [
            Chunk(index, document.id, self._cache.reading(label, lang))
            for index, document in given.documents
            if (label := _label(document))
        ]
        case = Case(
            query=given.query,
            lang=lang,
            view=view,
            outline=self._outliner.outline(view.text),
            sources=Sources(chunks),
            asked=Sources([asked]),
            labels=Sources(labels),
            lexicon=self._lexicon,
            config=self.config,
            phrases=self._phrases,
            cues=self._cues,
            records=self._records,
            polarity=self._polarity,
            days=self._days,
            sentences=self._sentences,
            chain=self._chain,
            see=see,
        )
        return case, unchecked

    @cached_property
    def _missing_model(self) -> str | None:
        """What is wrong with the language model, looked up once; None when it can be loaded."""
        try:
            if find_model(self.config).verdict == "refused":
                load_model(self.config)
        except ModelError as fault:
            return str(fault)
        except OSError as fault:
            return f"The language model cannot be read ({type(fault).__name__}); reinstall it."
        return None

    def refuse(self, message: str) -> VerifyResult:
        """The result for an answer that was not checked at all, and why."""
        return self._judge.decide([], None, [error("input_error", message)], [Unchecked("everything", message)])

    def _entities(self, text: str) -> Sequence[Any]:
        return load_model(self.config).entities(text)

    async def averify(
        self, query: str, retrieved_docs: Sequence[str | Document], llm_response: str, *, lang: str = "auto"
    ) -> VerifyResult:
        """``verify`` in a worker thread, so that the event loop goes on meanwhile."""
        import asyncio  # a tenth of the import time, for those who await

        return await asyncio.to_thread(self.verify, query, retrieved_docs, llm_response, lang=lang)

    def verify_many(self, cases: Iterable[Mapping[str, Any]], *, lang: str = "auto") -> Iterator[VerifyResult]:
        """The verdicts of many cases ``{"query", "docs", "response"}``, lazily and in their order."""
        for case in cases:
            given = case if isinstance(case, Mapping) else {}
            yield self.verify(given.get("query", ""), given.get("docs"), given.get("response"), lang=lang)  # type: ignore[arg-type]

    def warm_up(self) -> None:
        """Loads what the first call would load: the language model; raises ModelError when it is missing or refused."""
        load_model(self.config)
        self.verify("Who?", ["Alice Johnson leads it."], "Bertram Zweig leads it since 4 May 2024 for $5.", lang="en")


def verify(
    query: str,
    retrieved_docs: Sequence[str | Document],
    llm_response: str,
    *,
    lang: str = "auto",
    config: Config | None = None,
) -> VerifyResult:
    """The verdict on one answer, by one Verifier that all calls with the same config share. Never raises.

    ``retrieved_docs`` holds strings and Documents; ``lang`` is a language code or "auto".

    >>> from raguard import verify
    >>> result = verify("When?", ["The audit closed on 4 May 2024."], "It closed on 9 May 2024.")
    >>> result.action, result.warnings[0].text
    ('review', '9 May 2024')
    """
    try:
        verifier = _shared(config) if isinstance(config, Config | None) else Verifier(config)
    except Exception as fault:
        return _shared(None).refuse(f"config cannot be used: {fault}")
    return verifier.verify(query, retrieved_docs, llm_response, lang=lang)


@lru_cache(maxsize=16)
def _shared(config: Config | None) -> Verifier:
    return Verifier(config)


def _chosen(checks: Sequence[Check], names: Sequence[str] | None) -> tuple[Check, ...]:
    known = [_name(check) for check in checks]
    for name in names or ():
        if name not in known:
            raise ConfigError(f"checks: unknown check {name}; known are {', '.join(known)}")
    return tuple(check for check in checks if names is None or _name(check) in names)


def _name(check: Check) -> str:
    return str(getattr(check, "__name__", type(check).__name__))


def _ruleset(config: Config) -> Ruleset:
    digest = hashlib.sha256(f"{config.rulebook().hash}\0{config!r}".encode())
    return Ruleset(raguard.__version__, digest.hexdigest())


def _label(document: Document) -> str:
    """What names the document: its id, and the short values of its metadata that an answer may cite."""
    cited = ((key, (document.metadata or {}).get(key)) for key in sorted(_CITED))
    values = (f"{key} {value}" for key, value in cited if isinstance(value, str) or _is_number(value))
    lines = [document.id or "", *(value for value in values if len(value) < _LONGEST_LABEL)]
    return "\n".join(line for line in lines if line)


def _is_number(value: object) -> bool:
    """Whether a value is a number short enough to be written out."""
    return isinstance(value, int | float) and abs(value) < _LARGEST_CITED


def _why_nothing(given: Admitted) -> str:
    return "no documents were retrieved" if given.empty and given.response else "the input cannot be checked"


def _crashed(what: str, crash: Exception) -> Warning:
    # never the message or the traceback: they may hold the text
    _log.error("%s failed with %s", what, type(crash).__name__)
    return error(
        "check_error",
        f"{what[0].upper()}{what[1:]} failed ({type(crash).__name__}); its part was not checked.",
    )
