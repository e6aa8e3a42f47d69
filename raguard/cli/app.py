"""Which commands are there, and what do they exit with? Each command returns its exit status."""

from __future__ import annotations

import io
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from raguard import RaguardError, Verifier, __version__
from raguard.cli.command_guard import guard
from raguard.cli.command_score import score
from raguard.cli.inputs import CheckInput, InputError, read_case, read_config, read_files
from raguard.cli.mcp import mcp
from raguard.cli.options import Json, NoColor
from raguard.cli.output import complain, say, say_drawn, say_json
from raguard.cli.serve import serve
from raguard.cli.status import INPUT_ERROR, INTERRUPTED, OK, PROCEED, REVIEW

__all__ = ["app", "run"]

# typer has no public name for every usage error; this is what its parameter error is one kind of
_UsageError: tuple[type[Exception], ...] = typer.BadParameter.__bases__

app = typer.Typer(
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def run(arguments: Sequence[str] | None = None) -> int:
    """Runs ``arguments`` and returns the exit status; a wrong input is one sentence on standard error.

    With ``--json`` among the arguments it is ``{"error": "..."}`` on standard output, too.
    """
    arguments = sys.argv[1:] if arguments is None else list(arguments)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    try:
        return int(app(args=arguments, prog_name="raguard", standalone_mode=False) or 0)
    except typer.Abort:
        return INTERRUPTED
    except _UsageError as error:
        message = _usage(error)
    except RaguardError as error:
        message = " ".join(str(error).split())
    complain(message)
    if "--json" in arguments:
        say_json({"error": message})
    return INPUT_ERROR


def _usage(error: Any) -> str:
    command = error.ctx.command_path if error.ctx is not None else "raguard"
    message = " ".join(error.format_message().split()).rstrip(".")
    return f"{message} See {command} --help" if message.endswith("?") else f"{message}; see {command} --help"


@app.callback(invoke_without_command=True)
def raguard(
    context: typer.Context,
    version: Annotated[bool, typer.Option("--version", help="Print the version and exit.")] = False,
) -> int:
    """Checks the answer of a RAG application against its retrieved documents.

    \b
    raguard check case.json       is this answer fit to show?
    raguard guard answer.txt      is each of its claims carried by the evidence?
    raguard batch cases.jsonl     and these answers?
    raguard score cases.jsonl     how good are they, in numbers?
    raguard serve                 and over HTTP, also in front of a model?
    raguard mcp                   and for agents?
    raguard rules                 which rules judge, and do they behave?
    raguard doctor                is this installation complete?
    """
    if version:
        say(f"raguard {__version__}\n")
        raise typer.Exit(OK)
    if context.invoked_subcommand is None:
        say(f"{context.get_help()}\n")
        raise typer.Exit(INPUT_ERROR)
    return OK


def check(
    file: Annotated[str | None, typer.Argument(help="A case file, or - for standard input.", metavar="FILE")] = None,
    query: Annotated[str | None, typer.Option(help="The question, in place of a case file.", metavar="TEXT")] = None,
    doc: Annotated[
        list[str] | None, typer.Option(help="A retrieved text file; may be given again.", metavar="FILE")
    ] = None,
    response: Annotated[
        str | None, typer.Option(help="A text file with the answer, or - for standard input.", metavar="FILE")
    ] = None,
    config: Annotated[Path | None, typer.Option(help="A TOML file with settings.", metavar="FILE")] = None,
    lang: Annotated[str, typer.Option(help="The language of the answer, such as en.", metavar="CODE")] = "auto",
    as_json: Json = False,
    no_color: NoColor = False,
) -> int:
    """Checks one answer against its documents.

    Exit status: 0 proceed, 1 review, 2 input error.

    \b
    raguard check case.json
    raguard check --json case.json
    cat case.json | raguard check -
    raguard check --query "When is it due?" --doc plan.txt --doc mail.txt --response answer.txt
    """
    given = _input(file, query, doc or [], response)
    verifier = Verifier(read_config(config))
    result = verifier.verify(given.query, given.docs, given.response, lang=lang, history=given.history)
    if as_json:
        say_json(result.to_dict())
    else:
        from raguard.cli.render import console, render

        output = console(no_color=no_color)
        say_drawn(output, lambda: render(output, result, given.docs, given.response))
    if any(warning.type == "input_error" for warning in result.warnings):
        return INPUT_ERROR
    return PROCEED if result.action == "proceed" else REVIEW


def batch(
    file: Annotated[str, typer.Argument(help="A file with one case a line, or - for standard input.", metavar="FILE")],
    config: Annotated[Path | None, typer.Option(help="A TOML file with settings.", metavar="FILE")] = None,
    lang: Annotated[str, typer.Option(help="The language of the answers, such as en.", metavar="CODE")] = "auto",
    processes: Annotated[int, typer.Option(min=0, help="How many processes; 0 takes one per core.", metavar="N")] = 1,
) -> int:
    """Checks the answers of a JSON Lines file and prints one result a line.

    Exit status: 0 all proceed, 1 one needs review or nobody has read to the end, 2 input error.

    \b
    raguard batch cases.jsonl
    raguard batch cases.jsonl --processes 4 > results.jsonl
    """
    from raguard.cli.batch import judge_lines

    return judge_lines(file, Verifier(read_config(config)), lang, processes or None)


def rules(
    folder: Annotated[Path | None, typer.Option("--dir", help="A folder of own rule files.", metavar="FOLDER")] = None,
    family: Annotated[str | None, typer.Option(help="Take this family alone.", metavar="NAME")] = None,
    as_json: Json = False,
) -> int:
    """Lists the rules and runs the examples that each one brings.

    Exit status: 0 all behave, 1 one misbehaves, 2 input error.

    \b
    raguard rules
    raguard rules --family vague
    raguard rules --dir my_rules --json
    """
    from raguard.cli.rules import report_rules

    return report_rules(folder, family, as_json=as_json)


def doctor() -> int:
    """Shows what is installed and times one call.

    Exit status: 0 all is well, 1 something is wrong.

    \b
    raguard doctor
    """
    from raguard.cli.doctor import examine

    return examine()


def _input(file: str | None, query: str | None, docs: list[str], response: str | None) -> CheckInput:
    if file is not None and (query is not None or docs or response is not None):
        raise InputError("give a case file, or --query, --doc and --response, not both")
    if file is not None:
        return read_case(file)
    if response is None:
        raise InputError("nothing to check; give a case file, or --query, --doc and --response")
    return read_files(query or "", docs, response)


for _command in (serve, mcp, check, guard, batch, score, rules, doctor):
    app.command()(_command)
