"""The whole flow on one screen: guard → read → check → decide."""

from __future__ import annotations

import gc
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from raguard.asking import Outcome, ask, check_name, chosen_checks, crashed, log_crash
from raguard.batch import judged_by_processes, judged_here, usable_cores
from raguard.case import Case, Check
from raguard.case_builder import CaseBuilder
from raguard.checks import DEFAULT_CHECKS
from raguard.checks.citations import checked_citations
from raguard.checks.claims import unsupported_claims
from raguard.checks.judged_claims import checked_claim, claim_spans, judged_claims, spans_of, unjudged
from raguard.config import Config
from raguard.documents import Document
from raguard.errors import ConfigError
from raguard.guard import Admitted, Given, admit
from raguard.knowledge import Knowledge
from raguard.model import EntityFinder
from raguard.result import CHECK_FAILED, ClaimsResult, Unchecked, VerifyResult
from raguard.ruleset import ruleset
from raguard.verdict import Judge, error

if TYPE_CHECKING:
    from raguard.streaming import AnswerStream, OnReview

__all__ = ["Verifier"]
_EXAMPLE = (
    "Who leads it?",
    ["Alice Johnson leads it – as before, 12:30:15."],
    "Bertram Zweig leads it since 4 May 2024 for $5 (see A-12 and acme.example, 3rd-best of 3.9-4.1).",
)
"""One of everything that is made when a text first needs it."""


class Verifier:
    """Checks answers by one config. It is thread-safe, and worth keeping: it remembers the chunks it has read.

    >>> guard = Verifier(Config(allow=("Acme Cloud",)))
    >>> guard.verify("Who?", ["The plan costs $49."], "Acme Cloud costs $59.").warnings[0].text
    '$59'
    """

    def __init__(self, config: Config | None = None, checks: Sequence[Check] = DEFAULT_CHECKS) -> None:
        """Builds everything that does not depend on a case; raises ConfigError for a bad config or bad checks.

        ``checks`` are the checks that run and may include your own; the config's ``checks`` selects among the shipped
        ones.
        """
        if config is not None and not isinstance(config, Config):
            raise ConfigError(f"config must be a Config, not {type(config).__name__}")
        self.config = config if config is not None else Config()
        self.checks = chosen_checks(checks, self.config.checks)
        self._left_out = [check_name(check) for check in DEFAULT_CHECKS if check not in self.checks]
        self._known = Knowledge(self.config)
        self._model = EntityFinder(self.config)
        self.ruleset = ruleset(self.config, self.checks, self._model.sha256)
        self._builder = CaseBuilder(self._known, self._model)
        self._judge = Judge(self.config, self.ruleset, self._known.verdicts)

    def verify(
        self,
        query: str,
        retrieved_docs: Sequence[str | Document],
        llm_response: str,
        *,
        lang: str = "auto",
        history: Sequence[Mapping[str, Any]] | None = None,
    ) -> VerifyResult:
        """The verdict on one answer. Never raises: what could not be checked becomes an error warning, which is high.

        Of all that a check of one's own may raise, only KeyboardInterrupt goes on.

        ``history`` holds the earlier turns, ``{"role", "content"}``: what the user wrote may be echoed, what a tool
        returned is evidence, and what the model said supports nothing.
        """
        try:
            return self._verify(Given(query, retrieved_docs, llm_response, lang, history))
        except KeyboardInterrupt:
            raise
        except BaseException as crash:
            return self._judge.decide(
                [], None, [crashed("the guard", crash)], [Unchecked("everything", "the guard failed")]
            )

    def _verify(self, given: Given) -> VerifyResult:
        admitted = admit(given, self.config, self._known.languages.codes)
        outcome = Outcome(errors=[error("input_error", fault) for fault in admitted.faults])
        nothing = admitted.retrieved.count == 0 and not admitted.told
        if nothing and self.config.no_documents == "review":
            outcome.errors.append(
                error("input_error", "retrieved_docs is empty; there is nothing to check the answer against.")
            )
        if not admitted.response or not admitted.evidence:
            why = "no documents were retrieved" if nothing and admitted.response else "the input cannot be checked"
            return self._judge.decide([], None, outcome.errors, [Unchecked("everything", why)])
        case = self._case(admitted, outcome, self.checks)
        outcome.unchecked[:0] = [Unchecked(name, "this check does not run") for name in self._left_out]
        return self._judge.decide(case.findings, case, outcome.errors, outcome.unchecked)

    def _case(self, admitted: Admitted, outcome: Outcome, checks: Sequence[Check]) -> Case:
        """The case of an answer with what the checks have found in it."""
        built = self._builder.build(admitted)
        errors, unchecked = list(outcome.errors), list(outcome.unchecked)
        outcome.errors += [error("input_error", fault) for fault in built.faults]
        outcome.unchecked += built.unchecked
        for check in checks:
            try:
                ask(check, built.case, self._judge, outcome)
            except KeyboardInterrupt:
                raise
            except BaseException as crash:
                if built.case.see is not None and self._model.fault is not None:
                    # the model could not be loaded when it was needed: once more, by presence alone
                    outcome.errors, outcome.unchecked = errors, unchecked
                    return self._case(admitted, outcome, checks)
                outcome.errors.append(crashed(f"the check {check_name(check)}", crash))
                outcome.unchecked.append(Unchecked(check_name(check), CHECK_FAILED))
        return built.case

    def claims(
        self,
        query: str,
        retrieved_docs: Sequence[str | Document],
        llm_response: str,
        *,
        spans: Sequence[tuple[int, int]] | None = None,
        lang: str = "auto",
        history: Sequence[Mapping[str, Any]] | None = None,
    ) -> ClaimsResult:
        """How likely each sentence of an answer is unsupported, or each of ``spans`` (in characters), in order.

        Never raises: what could not be judged is named in ``unchecked``, including spans that lie outside the answer. A
        span in which no word claims anything is left out.

        >>> told = Verifier().claims("", ["Paris lies on the Seine."], "Paris lies on the Seine. The moon is cheese.")
        >>> [(claim.text, claim.unsupported > 0.5, claim.reasons) for claim in told.claims]
        [('Paris lies on the Seine.', False, ()), ('The moon is cheese.', True, ('new: *moon is cheese*',))]
        """
        try:
            return self._claims(Given(query, retrieved_docs, llm_response, lang, history), spans)
        except KeyboardInterrupt:
            raise
        except BaseException as crash:
            log_crash("claims", crash)
            return ClaimsResult((), (Unchecked("claims", f"the guard failed ({type(crash).__name__})"),))

    def _claims(self, given: Given, spans: Sequence[tuple[int, int]] | None) -> ClaimsResult:
        admitted = admit(given, self.config, self._known.languages.codes)
        faults = [Unchecked("input", fault) for fault in admitted.faults]
        if not admitted.response or not admitted.evidence:
            return ClaimsResult((), (*faults, Unchecked("claims", "there is no answer or no document to judge it by")))
        outcome = Outcome()
        # what the check of claims would find is worked out below, for every claim
        case = self._case(admitted, outcome, [check for check in self.checks if check is not unsupported_claims])
        gaps = outcome.unchecked
        if (gap := unjudged(case)) is not None:
            return ClaimsResult((), (*faults, *gaps, gap), tuple(checked_citations(case)))
        wanted = claim_spans(case)
        if spans is not None:
            wanted, wrong = spans_of(case, spans)
            gaps += wrong
        claims = (checked_claim(case, claim) for claim in judged_claims(case, wanted))
        return ClaimsResult(tuple(claims), (*faults, *gaps), tuple(checked_citations(case)))

    def refuse(self, message: str) -> VerifyResult:
        """The result for an answer that was not checked at all, and why."""
        return self._judge.decide([], None, [error("input_error", message)], [Unchecked("everything", message)])

    def skip(self, why: str) -> VerifyResult:
        """The result for an answer that was not meant to be checked: it proceeds, and all of it is unchecked."""
        return self._judge.decide([], None, [], [Unchecked("everything", why)])

    def lost(self, message: str) -> VerifyResult:
        """The result for an answer whose check broke off, and why."""
        return self._judge.decide([], None, [error("check_error", message)], [Unchecked("everything", message)])

    async def averify(
        self,
        query: str,
        retrieved_docs: Sequence[str | Document],
        llm_response: str,
        *,
        lang: str = "auto",
        history: Sequence[Mapping[str, Any]] | None = None,
    ) -> VerifyResult:
        """``verify`` in a worker thread, so that the event loop keeps running."""
        import asyncio  # a tenth of the import time, for those who await

        return await asyncio.to_thread(self.verify, query, retrieved_docs, llm_response, lang=lang, history=history)

    def verify_many(
        self, cases: Iterable[Mapping[str, Any]], *, lang: str = "auto", processes: int | None = 1
    ) -> Iterator[VerifyResult]:
        """The verdicts on many cases ``{"query", "docs", "response"}``, lazily and in order.

        A document is a string, a Document or a mapping ``{"text", "id", "metadata"}``; "history" is optional. With
        several ``processes`` (None: one per core) some cases are read ahead, and the processes end with the iterator.
        Your own checks must then be functions of a module; ConfigError is raised when they are not. A script that uses
        several processes must do so under ``if __name__ == "__main__":``, since each of them imports the script again.

        >>> case = {"query": "Since when?", "docs": ["Open since 4 May 2019."], "response": "Since 9 May 2019."}
        >>> [result.action for result in Verifier().verify_many([case, case | {"response": "Since 4 May 2019."}])]
        ['review', 'proceed']
        """
        if processes is None:
            processes = usable_cores()
        if not isinstance(processes, int) or isinstance(processes, bool) or processes < 1:
            raise ConfigError(
                f"processes must be a whole number of at least 1 or None (one for each core), not {processes!r}"
            )
        return judged_here(self, cases, lang) if processes == 1 else judged_by_processes(self, cases, lang, processes)

    def prepare(
        self,
        retrieved_docs: Sequence[str | Document],
        *,
        query: str = "",
        lang: str = "auto",
        history: Sequence[Mapping[str, Any]] | None = None,
    ) -> int:
        """Reads documents while the answer is still being written, so that ``verify`` has only the answer left to read.

        Returns how many chunks were read: those of ``retrieved_docs`` that can be read, and tool results in
        ``history``; 0 when the config keeps nothing. They are kept within the limits of the config. Thread-safe. Never
        raises: ``verify`` will say what is wrong with the documents. The query tells the language of documents that do
        not show it themselves. More is read than one answer needs, which pays off for large documents and for several
        answers over the same ones.

        >>> verifier, docs = Verifier(), ["The museum opened on 4 May 2019.", "It closes at 18:00."]
        >>> verifier.prepare(docs)
        2
        >>> verifier.verify("Since when?", docs, "Since 9 May 2019.").action
        'review'
        """
        try:
            admitted = admit(Given(query, retrieved_docs, "", lang, history), self.config, self._known.languages.codes)
            return self._builder.prepare(admitted) if admitted.evidence else 0
        except KeyboardInterrupt:
            raise
        except BaseException as crash:
            log_crash("prepare", crash)
            return 0

    def stream(
        self,
        query: str,
        retrieved_docs: Sequence[str | Document],
        *,
        on_review: OnReview = "annotate",
        tenant_id: str | None = "default",
        lang: str = "auto",
        history: Sequence[Mapping[str, Any]] | None = None,
    ) -> AnswerStream:
        """Judges an answer while it is being written: its pieces yield events, and its end the result of ``verify``.

        Only warnings that the config's modes enforce for the tenant redact or block. Raises ConfigError for an unknown
        ``on_review``, and TypeError for a ``tenant_id`` that is neither a string nor None; the events and the result
        report everything else that is wrong.

        >>> tokens = ["It closed on 9 May", " 2024. ", "It was cold."]
        >>> stream = Verifier().stream("When?", ["It closed on 4 May 2024. It was cold."], on_review="block")
        >>> *_, end = stream.events(tokens)
        >>> end.shown, end.result.action
        ('', 'review')
        """
        from raguard.streaming.starting import start  # for those who stream

        return start(self, query, retrieved_docs, on_review=on_review, tenant_id=tenant_id, lang=lang, history=history)

    def sentence_ends(self, text: str) -> list[int]:
        """Where the sentences of ``text`` end, in characters; what follows the last end may be an unfinished sentence.

        >>> Verifier().sentence_ends("It was Dr. Lee. She left")
        [15]
        """
        return self._known.sentence_ends(text)

    def forget(self) -> None:
        """Drops all text that was kept from earlier calls.

        >>> verifier = Verifier()
        >>> verifier.prepare(["The museum opened on 4 May 2019."])
        1
        >>> verifier.forget()
        """
        self._builder.forget()

    def warm_up(self, *, freeze: bool = True) -> None:
        """Loads what the first call would load, the language model; raises ModelError when it is missing or refused.

        With ``freeze`` the garbage collector ignores everything that exists by then (``gc.freeze``). Otherwise each
        full collection goes through the model's half a million objects while all threads wait.
        """
        self._model.load()
        self._known.prepare()
        self.verify(*_EXAMPLE, lang="en")
        if freeze:
            gc.freeze()
