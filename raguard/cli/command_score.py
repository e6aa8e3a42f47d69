"""What can be said to ``raguard score``? Its options, and its help."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from raguard import Verifier
from raguard.cli.inputs import read_config
from raguard.cli.options import Json, NoColor

__all__ = ["score"]


def score(
    file: Annotated[
        str, typer.Argument(help="A file with one answer a line, or - for standard input.", metavar="FILE")
    ],
    metric: Annotated[list[str] | None, typer.Option(help="Score by this; may be given again.", metavar="NAME")] = None,
    limit: Annotated[int | None, typer.Option(min=1, help="Score the first N answers alone.", metavar="N")] = None,
    worst: Annotated[int, typer.Option(min=0, help="How many of the worst answers to name.", metavar="N")] = 3,
    baseline: Annotated[
        Path | None, typer.Option(help="Scores of before, as --out wrote them; fail where worse.", metavar="FILE")
    ] = None,
    tolerance: Annotated[
        float, typer.Option(min=0, max=1, help="By how much a mean may be worse.", metavar="0..1")
    ] = 0.02,
    html: Annotated[Path | None, typer.Option(help="Write a page for a browser, too.", metavar="FILE")] = None,
    out: Annotated[Path | None, typer.Option(help="Write the scores as JSON, too.", metavar="FILE")] = None,
    config: Annotated[Path | None, typer.Option(help="A TOML file with settings.", metavar="FILE")] = None,
    as_json: Json = False,
    no_color: NoColor = False,
) -> int:
    """Scores answers by deterministic metrics: retrieval, citations, groundedness, facts, risk.

    Exit status: 0 scored, 1 a metric is worse than the baseline, 2 input error.

    \b
    raguard score answers.jsonl
    raguard score answers.jsonl --out scores.json --html scores.html
    raguard score answers.jsonl --baseline scores.json --tolerance 0.02
    """
    from raguard.cli.score import ScoreRequest, score_file

    given = ScoreRequest(
        file=file,
        names=metric or [],
        limit=limit,
        worst=worst,
        baseline=baseline,
        tolerance=tolerance,
        html=html,
        out=out,
        as_json=as_json,
        no_color=no_color,
    )
    return score_file(given, Verifier(read_config(config)))
