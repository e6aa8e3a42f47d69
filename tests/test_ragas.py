"""Does a real metric of ragas score a slice through the adapter, and what is said without ragas?

ragas needs libraries in versions of its own, so it gets an environment of its own, into which this checkout is
installed with its extra; the tests of ``tests/ragas_cases.py`` run there, without telemetry.
"""

from __future__ import annotations

import os
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

from raguard import ConfigError
from raguard.metrics import RagasMetric

ROOT = Path(__file__).parent.parent


@pytest.mark.skipif(find_spec("ragas") is not None, reason="ragas is installed here")
def test_adapter_without_ragas_is_one_sentence_with_the_command() -> None:
    with pytest.raises(ConfigError, match=r"^RagasMetric needs ragas: pip install 'raguard-verify\[ragas\]'$"):
        RagasMetric(object())


@pytest.mark.skipif(find_spec("ragas") is not None, reason="ragas is installed here")
def test_adapter_beside_a_ragas_that_cannot_be_imported_says_what_it_misses(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "ragas.py").write_text("import no_such_library\n")
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(ConfigError, match=r"^RagasMetric needs ragas \(it misses no_such_library\): pip install 'ragu"):
        RagasMetric(object())


@pytest.mark.extras
def test_adapter_scores_by_the_real_ragas(tmp_path: Path) -> None:
    python = tmp_path / "venv" / ("Scripts" if sys.platform == "win32" else "bin") / "python"
    for command in (
        [sys.executable, "-m", "venv", tmp_path / "venv"],
        [python, "-m", "pip", "install", "--quiet", f"{ROOT}[ragas]", "pytest>=8.2"],
        [
            python,
            "-m",
            "pytest",
            "-q",
            "-p",
            "no:cacheprovider",
            "-c",
            os.devnull,
            "--rootdir",
            tmp_path,
            ROOT / "tests" / "ragas_cases.py",
        ],
    ):
        quiet = {**os.environ, "RAGAS_DO_NOT_TRACK": "true", "PIP_DISABLE_PIP_VERSION_CHECK": "1"}
        done = subprocess.run(list(map(str, command)), cwd=tmp_path, env=quiet, capture_output=True, text=True)
        assert done.returncode == 0, f"{command[0]}: {done.stdout}{done.stderr}"
    assert done.stdout.splitlines()[-1].startswith("9 passed")
