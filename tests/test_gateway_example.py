"""Does the example of the gateway run offline as its documents say, in the shadow and enforced?"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from served import served

from raguard import Config
from raguard.service import ServiceConfig, build_app

ROOT = Path(__file__).parent.parent
EXAMPLE = ROOT / "examples" / "gateway"
ENVIRONMENT = {**os.environ, "PYTHONPATH": str(ROOT)}

SHADOW = """\
The audit closed on 9 May 2024. It was led by Alice Johnson.
  shadow, shadow, finish_reason stop: review
  high unsupported_date at 20-30, rule date.unsupported
"""
ENFORCED = """\
This answer is withheld: the retrieved documents do not support all of it.
  enforce, checked, finish_reason content_filter: review
  high unsupported_date at 20-30, rule date.unsupported
"""


@pytest.mark.parametrize(("mode", "told"), [("shadow", SHADOW), ("enforce", ENFORCED)])
def test_the_example_runs(mode: str, told: str) -> None:
    model = subprocess.Popen(
        [sys.executable, str(EXAMPLE / "model.py"), "--port", "0"], stdout=subprocess.PIPE, text=True
    )
    assert model.stdout is not None
    try:
        url = model.stdout.readline().strip()
        settings = ServiceConfig.from_toml(EXAMPLE / "raguard.toml")
        config = ServiceConfig(
            warm_up=False,
            config=Config(modes={"mode": mode}),
            on_review=settings.on_review,
            upstream={"url": url},
        )
        with served(build_app(config)) as url:
            command = [sys.executable, str(EXAMPLE / "ask.py"), "--url", f"{url}/v1"]
            run = subprocess.run(command, capture_output=True, text=True, env=ENVIRONMENT, timeout=60)
    finally:
        model.send_signal(signal.SIGTERM)
        model.wait(30)
        model.stdout.close()
    assert (run.stdout, run.stderr) == (told * 2, "")


def test_its_settings_are_right_and_begin_in_the_shadow() -> None:
    command = [sys.executable, "-m", "raguard", "serve", "--config", str(EXAMPLE / "raguard.toml"), "--check-config"]
    run = subprocess.run(command, capture_output=True, text=True, env=ENVIRONMENT, timeout=60)
    assert run.stdout == (
        "the settings are right: http://127.0.0.1:8000, no key, mode shadow, gateway to http://127.0.0.1:8001/v1\n"
    )
