"""Does importing raguard stay light, and does the core import none of its layers?"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

import raguard

HEAVY = {"spacy", "thinc", "numpy", "dateparser", "rapidfuzz", "rich", "typer"}
LAYERS = (
    "raguard.__main__",
    "raguard.claims",
    "raguard.cli",
    "raguard.client",
    "raguard.gate",
    "raguard.hook",
    "raguard.integrations",
    "raguard.judge",
    "raguard.mcp",
    "raguard.metrics",
    "raguard.pipeline",
    "raguard.rails",
    "raguard.report",
    "raguard.screens",
    "raguard.service",
    "raguard.telemetry",
    "raguard.testing",
)
PUBLIC = [
    "Case",
    "Check",
    "CheckedCitation",
    "CheckedClaim",
    "CheckedFact",
    "ClaimsResult",
    "Config",
    "ConfigError",
    "Document",
    "Evidence",
    "Finding",
    "ModelError",
    "RaguardError",
    "RuleError",
    "Ruleset",
    "Summary",
    "Unchecked",
    "Verifier",
    "VerifyResult",
    "Warning",
    "__version__",
    "verify",
]
LAZY = ["raguard", "raguard.lazy"]
"""What importing the package alone loads of it."""
PACKAGE = Path(raguard.__file__).parent


def imported_by(statement: str) -> set[str]:
    """The modules that a fresh interpreter holds after ``statement``."""
    code = f"{statement}\nimport json, sys\nprint(json.dumps(sorted(sys.modules)))"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return set(json.loads(run.stdout.splitlines()[-1]))


def core_modules() -> list[str]:
    """Every module of the package that belongs to no layer."""
    paths = (path.relative_to(PACKAGE.parent).with_suffix("") for path in sorted(PACKAGE.rglob("*.py")))
    names = (".".join(path.parts).removesuffix(".__init__") for path in paths)
    return [name for name in names if not name.startswith(LAYERS)]


def test_public_names_are_sorted_and_exactly_the_documented_ones() -> None:
    assert raguard.__all__ == PUBLIC
    assert raguard.__all__ == sorted(raguard.__all__)
    assert all(hasattr(raguard, name) for name in PUBLIC)


def test_importing_raguard_alone_loads_nothing_of_it() -> None:
    assert sorted(name for name in imported_by("import raguard") if name.startswith("raguard")) == LAZY


def test_public_names_come_when_they_are_asked_for_and_others_never() -> None:
    assert {*raguard.__all__} <= {*dir(raguard)}
    assert raguard.Verifier is raguard.verifier.Verifier
    with pytest.raises(AttributeError, match="module 'raguard' has no attribute 'verifi'"):
        raguard.verifi  # type: ignore[attr-defined]  # noqa: B018


def test_using_raguard_loads_no_dependency_and_no_layer() -> None:
    modules = imported_by("from raguard import *")
    assert {name.partition(".")[0] for name in modules} & HEAVY == set()
    assert [name for name in modules if name.startswith(LAYERS)] == []


def test_no_core_module_imports_a_layer() -> None:
    modules = imported_by("\n".join(f"import {name}" for name in core_modules()))
    assert {"raguard.verifier", "raguard.model", "raguard.rulebook"} <= modules
    assert [name for name in modules if name.startswith(LAYERS)] == []
    assert {name.partition(".")[0] for name in modules} & {"rich", "typer"} == set()


def test_a_result_loads_the_report_when_it_is_asked_for_one_and_no_language_model() -> None:
    ask = "from raguard import verify\nresult = verify('', ['It ends on 4 May 2024.'], 'On 9 May 2024.')"
    assert [name for name in imported_by(ask) if name.startswith("raguard.report")] == []
    modules = imported_by(f"{ask}\nresult.to_html('On 9 May 2024.')\nresult.to_markdown('On 9 May 2024.')")
    assert {"raguard.report.html", "raguard.report.markdown"} <= modules
    assert {name.partition(".")[0] for name in modules} & HEAVY == set()
    assert [name for name in modules if name.startswith(("raguard.claims", "raguard.cli"))] == []


def test_guarding_an_answer_loads_no_dependency_and_no_other_layer() -> None:
    guard = (
        "HallucinationGuard(scorer=EvidenceScorer()).check_sync(None, 'The moon is cheese.', ['Paris is in France.'])"
    )
    modules = imported_by(f"from raguard.claims import EvidenceScorer, HallucinationGuard\n{guard}")
    assert "raguard.claims.guard" in modules
    assert {name.partition(".")[0] for name in modules} & {*HEAVY, "bm25s", "httpx", "onnxruntime"} == set()
    assert [name for name in modules if name.startswith(("raguard.cli", "raguard.hook", "raguard.report"))] == []


@pytest.mark.parametrize("layer", ["judge", "metrics", "pipeline", "rails", "screens"])
def test_importing_a_layer_alone_loads_nothing_but_itself(layer: str) -> None:
    modules = sorted(name for name in imported_by(f"import raguard.{layer}") if name.startswith("raguard"))
    assert modules == sorted([*LAZY, f"raguard.{layer}"])


def test_asking_rails_loads_no_dependency_and_no_other_layer() -> None:
    ask = "Rails([verify], budget_ms=60_000).decide('When?', ['It closed on 4 May 2024.'], 'On 9 May 2024.')"
    modules = imported_by(f"from raguard import verify\nfrom raguard.rails import *\n{ask}")
    assert "raguard.rails.rails" in modules
    assert {name.partition(".")[0] for name in modules} & {*HEAVY, "asyncio", "httpx", "openai"} == set()
    assert [name for name in modules if name.startswith(LAYERS) and not name.startswith("raguard.rails")] == []


def test_importing_the_hook_loads_no_dependency_and_no_command_line() -> None:
    modules = imported_by("import raguard.hook")
    assert {name.partition(".")[0] for name in modules} & HEAVY == set()
    assert [name for name in modules if name.startswith("raguard.cli")] == []


@pytest.mark.parametrize("case", ["q3_deadline.json", "supported.json"])
def test_checking_values_from_the_command_line_loads_no_language_model(case: str) -> None:
    path = PACKAGE.parent / "examples" / case
    modules = imported_by(f"from raguard.cli import main\nmain(['check', {str(path)!r}])")
    assert "typer" in modules
    assert {name.partition(".")[0] for name in modules} & {"spacy", "thinc", "numpy"} == set()


@pytest.mark.parametrize(
    "statement",
    [
        "Verifier()",
        "Verifier().verify('When?', ['It closed on 4 May 2024.'], 'It closed on 9 May 2024.')",
        "Verifier().verify('Wann?', ['Es endet am 4. Mai 2024.'], 'Der Vertrag endet am 9. Mai 2024.', lang='de')",
        "Verifier().verify('Who?', ['Ann Lee leads it.'], 'Ann Lee leads it.')",
        "Verifier().prepare(['Ann Lee leads it since 4 May 2024 for $5.'])",
        "list(Verifier().verify_many([{'docs': ['There are 3 vans.'], 'response': 'There are 4 vans.'}]))",
    ],
)
def test_what_needs_no_names_loads_no_language_model(statement: str) -> None:
    modules = imported_by(f"from raguard import Verifier\n{statement}")
    assert {name.partition(".")[0] for name in modules} & {"spacy", "thinc", "numpy"} == set()
    assert "multiprocessing" not in modules


def test_importing_raguard_loads_nothing_that_only_few_calls_need() -> None:
    seldom = {"asyncio", "hashlib", "html", "logging", "multiprocessing", "pickle", "tomllib", "zoneinfo"}
    bare = imported_by("pass")
    assert (imported_by("import raguard") - bare) & seldom == set()


def test_json_output_needs_no_rich() -> None:
    path = PACKAGE.parent / "examples" / "supported.json"
    modules = imported_by(f"from raguard.cli import main\nmain(['check', '--json', {str(path)!r}])")
    assert "raguard.cli.render" not in modules
