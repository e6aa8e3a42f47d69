"""What can be said to ``raguard guard``? Its options, and its help."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from raguard.cli.inputs import read_config
from raguard.cli.options import Json, NoColor

__all__ = ["guard"]


def guard(
    answer: Annotated[
        str, typer.Argument(help="The answer, a file that holds it, or - for standard input.", metavar="ANSWER")
    ],
    context: Annotated[
        list[str] | None, typer.Option("--context", "-c", help="A passage; may be given again.", metavar="TEXT")
    ] = None,
    corpus: Annotated[
        list[str] | None, typer.Option(help="A folder to find passages in; may be given again.", metavar="FOLDER")
    ] = None,
    corpus_file: Annotated[
        list[str] | None, typer.Option(help="The same with a file, or - for standard input.", metavar="FILE")
    ] = None,
    corpus_text: Annotated[list[str] | None, typer.Option(help="The same with a text.", metavar="TEXT")] = None,
    question: Annotated[str | None, typer.Option("--question", "-q", help="What was asked.", metavar="TEXT")] = None,
    threshold: Annotated[
        float | None, typer.Option("--threshold", "-T", help="Least entailment of a supported claim.", metavar="0..1")
    ] = None,
    action: Annotated[
        str | None, typer.Option("--action", "-a", help="annotate, redact or block.", metavar="ACTION")
    ] = None,
    tenant: Annotated[
        str, typer.Option("--tenant", "-t", help="Whose threshold of the config counts.", metavar="NAME")
    ] = "default",
    scorer: Annotated[
        str | None, typer.Option(help="evidence, lexical, noop or a cross-encoder's folder.", metavar="NAME")
    ] = None,
    nli: Annotated[str | None, typer.Option(help="The folder of a cross-encoder.", metavar="FOLDER")] = None,
    entail_threshold: Annotated[
        float | None, typer.Option(help="Least entailment by which a passage votes.", metavar="0..1")
    ] = None,
    min_votes: Annotated[int | None, typer.Option(help="How many passages must entail a claim.", metavar="N")] = None,
    top_k: Annotated[
        int | None, typer.Option(help="How many passages of the corpus a claim gets.", metavar="N")
    ] = None,
    config: Annotated[
        Path | None, typer.Option(help="A TOML file with settings and a table [guard].", metavar="FILE")
    ] = None,
    html: Annotated[Path | None, typer.Option(help="Write a page for a browser, too.", metavar="FILE")] = None,
    as_json: Json = False,
    no_color: NoColor = False,
) -> int:
    """Judges each claim of an answer by its evidence; annotates, redacts or blocks what falls short.

    Exit status: 0 pass, 1 something is unsupported or unchecked, 2 input error.

    \b
    raguard guard "Paris is in France. The moon is cheese." -c "Paris is the capital of France."
    raguard guard answer.txt --corpus handbook --question "When is it due?" --min-votes 2
    cat answer.txt | raguard guard - --corpus-file notes.md --action redact --json
    """
    from raguard.cli.guard import GuardRequest, guard_answer

    given = GuardRequest(
        answer=answer,
        contexts=context or [],
        folders=corpus or [],
        files=corpus_file or [],
        texts=corpus_text or [],
        question=question,
        tenant=tenant,
        scorer=scorer,
        nli=nli,
        options={
            "--threshold": threshold,
            "--action": action,
            "--entail-threshold": entail_threshold,
            "--min-votes": min_votes,
            "--top-k": top_k,
        },
        config=config,
        html=html,
        as_json=as_json,
        no_color=no_color,
    )
    return guard_answer(given, read_config(config))
