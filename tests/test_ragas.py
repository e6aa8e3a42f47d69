"""Does a real metric of ragas score a slice through the adapter, and what is said without ragas?

ragas needs libraries in versions of its own, so it gets an environment of its own, into which this checkout is
installed with its extra; the tests of ``tests/ragas_cases.py`` run there, without telemetry.
"""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

import pytest
from extra_venv import passed

from raguard import ConfigError
from raguard.metrics import RagasMetric


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
    assert passed(tmp_path, "ragas", "ragas_cases.py").startswith("9 passed")
