"""What does ``raguard guard`` do? Reads what it is given, has each claim judged, shows what became of the answer."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from raguard import Config, ConfigError, Verifier
from raguard.claims.config import GuardConfig
from raguard.claims.context import Context
from raguard.claims.evidence_scorer import EvidenceScorer
from raguard.claims.guard import HallucinationGuard
from raguard.claims.scoring import NLIScorer
from raguard.claims.verdicts import GuardResult, GuardVerdict
from raguard.cli.guard_inputs import Corpus, read_answer, read_corpus, refuse_files
from raguard.cli.guard_page import refuse_place, refuse_shared, write_page
from raguard.cli.inputs import STDIN, InputError
from raguard.cli.output import complain, say_drawn, say_json
from raguard.cli.status import INPUT_ERROR, PROCEED, REVIEW

if TYPE_CHECKING:
    from raguard.claims.chunking import CorpusChunk

__all__ = ["GuardRequest", "guard_answer"]

_KEYS = {
    "--threshold": "threshold",
    "--action": "action",
    "--entail-threshold": "entail_threshold",
    "--min-votes": "min_entail_votes",
    "--top-k": "top_k",
}
"""Which setting an option is."""
_PATIENCE = 600.0
"""How many seconds each step may take unless a config file says otherwise: only its caller waits for a command."""
_LARGE = 2_000
"""From this many chunks on, indexing a corpus takes long enough for a progress bar."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GuardRequest:
    """What the command line says, as it says it; None and the empty list where it is silent."""

    answer: str
    contexts: Sequence[str]
    folders: Sequence[str]
    files: Sequence[str]
    texts: Sequence[str]
    question: str | None
    tenant: str
    scorer: str | None
    nli: str | None
    options: Mapping[str, Any]
    """The values of the options that are settings, by the options' names."""
    config: Path | None
    html: Path | None
    as_json: bool
    no_color: bool


def guard_answer(given: GuardRequest, settings: Config) -> int:
    """Prints the verdict on the answer and what became of it; returns 0 for a pass, else 1, and 2 for a lost page.

    ``settings`` are those of the core. Raises RaguardError, in one sentence, for what cannot be checked at all.
    """
    if [given.answer, *given.files].count(STDIN) > 1:
        raise InputError("standard input can be read only once, as the answer or as a file of the corpus")
    config, context = _config(given.config, given.options), _context(given.tenant)
    if given.html is not None:
        refuse_place(given.html)
        read = {"the file of the answer": given.answer, "the settings": given.config}
        refuse_shared(given.html, "--html", {**read, **{f"the file {name}": name for name in given.files}})
    answer, corpus = read_answer(given.answer), _corpus(given)
    guard = _guard(_scorer(given, settings), config, corpus, no_color=given.no_color)
    result, shown = guard.check_sync(context, answer, None if corpus else given.contexts, given.question)
    lost = None
    if given.html is not None:
        lost = write_page(given.html, result.to_html(answer, _passages(guard) or given.contexts))
    _show(result, answer, shown, guard.scorer.name, as_json=given.as_json, no_color=given.no_color)
    for sentence in [*(() if corpus is None else corpus.notes), *(() if lost is None else (lost,))]:
        complain(" ".join(sentence.split()))
    if lost is not None:
        return INPUT_ERROR
    return PROCEED if result.verdict is GuardVerdict.PASS else REVIEW


def _config(path: Path | None, options: Mapping[str, Any]) -> GuardConfig:
    """The settings of the file, or the default ones, with those of the options in their place."""
    config = GuardConfig(timeout_s=_PATIENCE) if path is None else GuardConfig.from_toml(path)
    for option, value in options.items():
        if value is None:
            continue
        key = _KEYS[option]
        try:
            # what is said here and now counts for every tenant
            tenants = {} if key == "threshold" else config.per_tenant_thresholds
            config = replace(config, **{key: value, "per_tenant_thresholds": tenants})
        except ConfigError as error:
            raise InputError(f"{option}{str(error).removeprefix(key)}") from error
    return config


def _context(tenant: str) -> Context:
    if not tenant:
        raise InputError("--tenant: must not be empty")
    return Context(tenant_id=tenant)


def _corpus(given: GuardRequest) -> Corpus | None:
    """The corpus; None where passages are given in its place."""
    has_corpus = bool(given.folders or given.files or given.texts)
    if has_corpus and given.contexts:
        raise InputError("give --context, or a corpus (--corpus, --corpus-file, --corpus-text), not both")
    if has_corpus:
        return read_corpus(given.folders, given.files, given.texts)
    if not given.contexts:
        raise InputError("there is no evidence; give --context, or a corpus: --corpus, --corpus-file or --corpus-text")
    refuse_files(given.contexts)
    if all(not context or context.isspace() for context in given.contexts):
        raise InputError("--context: holds no text")
    return None


def _scorer(given: GuardRequest, settings: Config) -> NLIScorer:
    """The scorer of that name, or the cross-encoder of that folder."""
    if given.scorer is not None and given.nli is not None:
        raise InputError("give --scorer or --nli, not both")
    if given.nli is not None:
        return _cross_encoder("--nli", given.nli, "")
    name = "evidence" if given.scorer is None else given.scorer
    if name == "evidence":
        return EvidenceScorer(Verifier(settings))
    if name == "lexical":
        from raguard.claims.lexical import LexicalNLIScorer

        return LexicalNLIScorer()
    if name == "noop":
        from raguard.claims.scoring import NoopNLIScorer

        return NoopNLIScorer()
    return _cross_encoder("--scorer", name, "neither evidence, lexical, noop nor ")


def _cross_encoder(option: str, folder: str, otherwise: str) -> NLIScorer:
    if not folder or not Path(folder).expanduser().is_dir():
        kind = f"{otherwise}a folder" if otherwise else "no folder"
        raise InputError(f"{option}: {folder or 'the empty name'} is {kind}; give the folder of a cross-encoder")
    from raguard.claims.cross_encoder import CrossEncoderScorer

    return CrossEncoderScorer(folder)


def _guard(scorer: NLIScorer, config: GuardConfig, corpus: Corpus | None, *, no_color: bool) -> HallucinationGuard:
    if corpus is None:
        return HallucinationGuard(scorer, config=config)
    with ExitStack() as stack:
        progress = _bar(stack, no_color=no_color) if sys.stderr is not None and sys.stderr.isatty() else None
        return HallucinationGuard.from_documents(corpus.documents, scorer=scorer, config=config, progress=progress)


def _passages(guard: HallucinationGuard) -> Sequence[CorpusChunk]:
    """The chunks of the guard's corpus; empty without one."""
    if guard.retriever is None:
        return ()
    from raguard.claims.retrieval import Retriever

    return guard.retriever.chunks if isinstance(guard.retriever, Retriever) else ()


def _bar(stack: ExitStack, *, no_color: bool) -> Any:
    """Shows on standard error how far the index of a large corpus is, until ``stack`` is left."""
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

    console = Console(stderr=True, no_color=no_color or None)
    bar = Progress(
        TextColumn("indexing the corpus"), BarColumn(), MofNCompleteColumn(), console=console, transient=True
    )
    task = bar.add_task("", total=None)

    def tell(done: int, total: int) -> None:
        if total < _LARGE:
            return
        bar.update(task, completed=done, total=total)
        if not bar.live.is_started:
            stack.enter_context(bar)

    return tell


def _show(result: GuardResult, answer: str, shown: str, scorer: str, *, as_json: bool, no_color: bool) -> None:
    if as_json:
        say_json({"result": result.to_dict(), "answer": shown})
        return
    from raguard.cli.guard_render import render
    from raguard.cli.render import console

    output = console(no_color=no_color)
    say_drawn(output, lambda: render(output, result, answer, shown, scorer))
