"""Do query engine and evaluator of LlamaIndex show and say what the nodes support?"""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

import pytest
from extra_venv import passed

from raguard import ConfigError


@pytest.mark.skipif(find_spec("llama_index") is not None, reason="it is installed here")
def test_without_llamaindex_it_is_one_sentence_with_the_command() -> None:
    message = r"^raguard.integrations.llamaindex needs llamaindex: pip install 'raguard-verify\[llamaindex\]'$"
    with pytest.raises(ConfigError, match=message):
        import raguard.integrations.llamaindex  # noqa: F401


@pytest.mark.extras
def test_the_real_library_shows_what_is_supported(tmp_path: Path) -> None:
    assert passed(tmp_path, "llamaindex", "llamaindex_cases.py").startswith("20 passed")
