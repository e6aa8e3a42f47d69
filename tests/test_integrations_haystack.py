"""Does the component of Haystack show what the gate lets through?"""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

import pytest
from extra_venv import passed

from raguard import ConfigError


@pytest.mark.skipif(find_spec("haystack") is not None, reason="it is installed here")
def test_without_haystack_it_is_one_sentence_with_the_command() -> None:
    message = r"^raguard.integrations.haystack needs haystack: pip install 'raguard-verify\[haystack\]'$"
    with pytest.raises(ConfigError, match=message):
        import raguard.integrations.haystack  # noqa: F401


@pytest.mark.extras
def test_the_real_library_shows_what_is_supported(tmp_path: Path) -> None:
    assert passed(tmp_path, "haystack", "haystack_cases.py").startswith("27 passed")
