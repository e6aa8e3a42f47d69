"""Does the built wheel carry everything: package, rules, schema and command?

The wheel goes into an empty environment without its dependencies; a .pth file lends it those of the running
one, so that nothing is downloaded. The .pth files of a folder that is lent in this way are passed over, so an
editable install of the checkout is not lent along.
"""

from __future__ import annotations

import json
import subprocess
import sys
import sysconfig
from collections import Counter
from pathlib import Path

import pytest

import raguard
from raguard.rulebook import load_rulebook

pytestmark = pytest.mark.wheel

ROOT = Path(__file__).parent.parent
PROBE = """
import json, sys
from collections import Counter
from importlib.resources import files
from pathlib import Path
import raguard
from raguard.rulebook import load_rulebook, rules_folder

result = raguard.verify(
    "What is the Q3 2024 deadline?",
    ["Q2 project was delivered on June 15. Next milestone is Q4 planning."],
    "The Q3 2024 deadline is September 30, 2024.",
)
print(json.dumps({
    "package": str(Path(raguard.__file__).parent),
    "rules": str(rules_folder()),
    "families": Counter(family.name for family, _ in load_rulebook().rules()),
    "hash": load_rulebook().hash,
    "schema": json.loads(files("raguard").joinpath("schema/result.schema.json").read_text())["title"],
    "typed": files("raguard").joinpath("py.typed").is_file(),
    "action": result.action,
    "high": [warning.text for warning in result.warnings if warning.severity == "high"],
}))
"""


def run(*command: str | Path, cwd: Path) -> str:
    """The standard output of ``command``; a failure shows what it printed."""
    done = subprocess.run(list(map(str, command)), cwd=cwd, capture_output=True, text=True)
    assert done.returncode == 0, f"{command[0]}: {done.stdout}{done.stderr}"
    return done.stdout


@pytest.fixture(scope="module")
def environment(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The scripts folder of an empty environment into which the wheel was installed."""
    work = tmp_path_factory.mktemp("wheel")
    run(sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", work / "dist", ROOT, cwd=work)
    (wheel,) = (work / "dist").glob("raguard_verify-*.whl")
    run(sys.executable, "-m", "venv", work / "venv", cwd=work)
    scripts = work / "venv" / ("Scripts" if sys.platform == "win32" else "bin")
    run(scripts / "python", "-m", "pip", "install", "--quiet", "--no-deps", "--no-index", wheel, cwd=work)
    own = run(scripts / "python", "-c", "import sysconfig; print(sysconfig.get_path('purelib'))", cwd=work)
    lent = {sysconfig.get_path("purelib"), sysconfig.get_path("platlib")}
    Path(own.strip(), "lent.pth").write_text("\n".join(sorted(lent)), encoding="utf-8")
    return scripts


def test_the_wheel_judges_by_the_same_rules_as_the_checkout(environment: Path, tmp_path: Path) -> None:
    told = json.loads(run(environment / "python", "-c", PROBE, cwd=tmp_path))
    assert Path(told["package"]).is_relative_to(environment.parent)
    assert {"evals", "tests", "benchmarks"}.isdisjoint(path.name for path in Path(told["package"]).parent.iterdir())
    assert Path(told["rules"]) == Path(told["package"]) / "rules"
    assert told["families"] == Counter(family.name for family, _ in load_rulebook().rules())
    assert told["hash"] == load_rulebook().hash
    assert (told["schema"], told["typed"]) == ("raguard result", True)
    assert (told["action"], told["high"]) == ("review", ["September 30, 2024"])


def test_the_wheel_brings_the_command(environment: Path, tmp_path: Path) -> None:
    assert run(environment / "raguard", "--version", cwd=tmp_path) == f"raguard {raguard.__version__}\n"
    assert run(environment / "python", "-m", "raguard", "--version", cwd=tmp_path) == f"raguard {raguard.__version__}\n"
    checked = run(environment / "raguard", "check", ROOT / "examples" / "supported.json", cwd=tmp_path)
    assert checked.startswith("PROCEED\n")
