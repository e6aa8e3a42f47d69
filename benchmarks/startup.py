"""How long until the first verdict? Imports, the first answer and warm-up, each in fresh processes.

python benchmarks/startup.py --runs 9
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

import machine
from fresh import ProcessError, printed
from report import append_row, positive, table

from raguard import Config
from raguard.model import find_model

_TIMED = """
import sys, time
began = time.perf_counter()
{code}
print(time.perf_counter() - began)
"""
_WITHOUT_SPACY = "assert 'spacy' not in sys.modules, 'spaCy was imported'"
PROGRAMS: Mapping[str, str] = {
    "import raguard": f"import raguard; {_WITHOUT_SPACY}",
    "from raguard import verify": f"from raguard import verify; {_WITHOUT_SPACY}",
    "first verdict, no language model": (
        "from raguard import verify; "
        f"assert verify('When?', ['It closed on 4 May 2024.'], 'It closed on 9 May 2024.').warnings; {_WITHOUT_SPACY}"
    ),
    "import, Verifier() and warm_up()": "from raguard import Verifier; Verifier().warm_up()",
    "warm_up() alone": (
        "from raguard import Verifier; verifier = Verifier(); began = time.perf_counter(); verifier.warm_up()"
    ),
    "import spacy, load the model": "import spacy; spacy.load(sys.argv[1])",
}
"""What is timed inside a process that has loaded nothing before."""
CHECK = "raguard check, end to end"
_CASE = {
    "query": "Who leads it?",
    "docs": ["Alice Johnson leads it – as before."],
    "response": "Bertram Zweig leads it since 4 May 2024 for $5.",
}


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs every program in turn, again and again, and prints the medians; returns the exit status."""
    options = _parser().parse_args(arguments)
    try:
        seconds = measured(options.runs)
    except ProcessError as error:
        print(f"startup.py: {error}", file=sys.stderr)
        return 2
    place = machine.describe()
    print(machine.line(place) + "\n")
    figures = {
        title: {"median": 1000 * statistics.median(taken), "least": 1000 * min(taken), "longest": 1000 * max(taken)}
        for title, taken in seconds.items()
    }
    rows = [[title, *(f"{ms:.0f}" for ms in row.values())] for title, row in figures.items()]
    print(table(["what", "median ms", "min ms", "max ms"], rows))
    if options.json:
        append_row(options.json, {"benchmark": "startup", "runs": options.runs} | place | {"ms": figures})
    return 0


def measured(runs: int) -> dict[str, list[float]]:
    """The seconds of each program, run by run; the command is timed from outside, with the start of Python."""
    package = find_model(Config()).package
    seconds: dict[str, list[float]] = {title: [] for title in (*PROGRAMS, CHECK)}
    with tempfile.TemporaryDirectory() as folder:
        case = Path(folder) / "case.json"
        case.write_text(json.dumps(_CASE), encoding="utf-8")
        for _ in range(runs):
            for title, code in PROGRAMS.items():
                seconds[title].append(float(printed(["-c", _TIMED.format(code=code), package])))
            began = time.perf_counter()
            printed(["-m", "raguard", "check", str(case)], may_exit=(1,))
            seconds[CHECK].append(time.perf_counter() - began)
    return seconds


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="startup.py", description="Times what comes before the first verdict.")
    parser.add_argument("--runs", type=positive, default=5, metavar="N", help="fresh processes of each (default 5)")
    parser.add_argument("--json", type=Path, metavar="FILE", help="append the figures as one JSON row")
    return parser


if __name__ == "__main__":
    sys.exit(main())
