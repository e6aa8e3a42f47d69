"""The whole flow on one screen: guard → read → check → decide."""

from __future__ import annotations

import hashlib
import logging
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property, lru_cache
from typing import Any

from raguard.case import Check, Finding
from raguard.case_builder import CaseBuilder
from raguard.checks import DEFAULT_CHECKS
from raguard.config import Config
from raguard.documents import Document
from raguard.errors import ConfigError, ModelError
from raguard.guard import Admitted, admit
from raguard.knowledge import Knowledge
from raguard.model import find_model, load_model
from raguard.result import Ruleset, Unchecked, VerifyResult, Warning
from raguard.verdict import Judge, error
from raguard.version import __version__

__all__ = ["Verifier", "verify"]

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
        self._known = Knowledge(self.config)
        self.ruleset = _ruleset(self.config)
        self._builder = CaseBuilder(self._known, self._entities, lambda: self._missing_model)
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
        given = admit(query, docs, response, lang, self.config, self._known.languages.codes)
        errors = [error("input_error", fault) for fault in given.faults]
        if given.empty and self.config.no_documents == "review":
            errors.append(
                error("input_error", "retrieved_docs is empty; there is nothing to check the answer against.")
            )
        if not given.response or not given.documents:
            return self._judge.decide([], None, errors, [Unchecked("everything", _why_nothing(given))])
        built = self._builder.build(given)
        errors += [error("input_error", fault) for fault in built.faults]
        unchecked = [*(Unchecked(name, "this check does not run") for name in self._left_out), *built.unchecked]
        findings: list[Finding] = []
        for check in self.checks:
            try:
                for finding in check(built.case):
                    self._judge.refuse_unknown(finding)
                    findings.append(finding)
            except Exception as crash:
                errors.append(_crashed(f"the check {_name(check)}", crash))
                unchecked.append(Unchecked(_name(check), "the check failed"))
        return self._judge.decide(findings, built.case.view, errors, unchecked)

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
    return Ruleset(__version__, digest.hexdigest())


def _why_nothing(given: Admitted) -> str:
    return "no documents were retrieved" if given.empty and given.response else "the input cannot be checked"


def _crashed(what: str, crash: Exception) -> Warning:
    # never the message or the traceback: they may hold the text
    _log.error("%s failed with %s", what, type(crash).__name__)
    return error(
        "check_error",
        f"{what[0].upper()}{what[1:]} failed ({type(crash).__name__}); its part was not checked.",
    )
