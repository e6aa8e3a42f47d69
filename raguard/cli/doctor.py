"""Is this installation complete? Versions, rules, model and one timed call; every problem with its fix."""

from __future__ import annotations

import platform
from collections.abc import Iterator
from importlib.metadata import PackageNotFoundError, packages_distributions, version
from time import perf_counter

from raguard import Config, ModelError, RaguardError, Verifier, __version__
from raguard.cli.output import say
from raguard.model import find_model, load_model
from raguard.rulebook import load_rulebook, rules_folder
from raguard.text.terminals import visible

__all__ = ["examine"]

_DISTRIBUTION = "raguard-verify"
_REINSTALL = f"run: pip install --force-reinstall {_DISTRIBUTION}"
_DEPENDENCIES = ("spacy", "numpy", "threadpoolctl", "dateparser", "rapidfuzz", "typer", "rich")
_QUERY = "What is the Q3 2024 deadline?"
_DOCS = ["Q2 project was delivered on June 15. Next milestone is Q4 planning."]
_RESPONSE = "The Q3 2024 deadline is September 30, 2024."
_FLAGGED = "September 30, 2024"


def examine() -> int:
    """Prints what is installed and each problem; returns 0, or 1 when there is a problem."""
    problems: list[str] = []
    for part in (_versions, _namesakes, _rules, _model, _call):
        for line in part(problems):
            say(visible(f"{line}\n"))
    for problem in problems:
        say(visible(f"problem: {problem}\n"))
    say("all is well\n" if not problems else f"{len(problems)} to fix\n")
    return 1 if problems else 0


def _versions(problems: list[str]) -> Iterator[str]:
    yield f"{'raguard':13} {__version__}"
    yield f"{'python':13} {platform.python_version()}"
    for name in _DEPENDENCIES:
        try:
            yield f"{name:13} {version(name)}"
        except PackageNotFoundError:
            yield f"{name:13} missing"
            problems.append(f"{name} is not installed; {_REINSTALL}")


def _namesakes(problems: list[str]) -> Iterator[str]:
    others = sorted(set(packages_distributions().get("raguard", ())) - {_DISTRIBUTION})
    yield f"{'namesakes':13} {', '.join(others) or 'none'}"
    problems += (
        f"{other} installs its files as raguard too; pip uninstall {other}, then {_REINSTALL}" for other in others
    )


def _rules(problems: list[str]) -> Iterator[str]:
    yield f"{'rules':13} {rules_folder()}"
    try:
        rulebook = load_rulebook()
    except RaguardError as error:
        problems.append(str(error))
        return
    yield f"{'':13} {sum(1 for _ in rulebook.rules())} rules, SHA-256 {rulebook.hash}"


def _model(problems: list[str]) -> Iterator[str]:
    try:
        model = find_model(Config())
    except ModelError as error:
        yield f"{'model':13} missing"
        problems.append(str(error))
        return
    yield f"{'model':13} {model.package} {model.version} in {model.path}"
    yield f"{'':13} {model.verdict}, SHA-256 of ner/model {model.sha256}"


def _call(problems: list[str]) -> Iterator[str]:
    try:
        verifier = Verifier()
        start = perf_counter()
        verifier.warm_up()
    except RaguardError as error:
        if str(error) not in problems:
            problems.append(str(error))
        return
    warm = perf_counter()
    result = verifier.verify(_QUERY, _DOCS, _RESPONSE)
    end = perf_counter()
    yield f"{'warm-up':13} {(warm - start) * 1000:.0f} ms"
    yield f"{'entities':13} {load_model(Config()).runtime}"
    yield f"{'one call':13} {(end - warm) * 1000:.1f} ms, {result.action}"
    found = [warning.text or warning.suggestion for warning in result.warnings if warning.severity == "high"]
    if found != [_FLAGGED]:
        problems.append(f'the example answer gave {found} where "{_FLAGGED}" is wrong; {_REINSTALL}')
