"""Does every extra have its part, and does the extra for all bring all of them?"""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest
from extra_venv import ROOT
from extras import PARTS, check, extras, parts


def test_every_extra_has_a_part_that_it_must_be_enough_for() -> None:
    assert sorted({*extras()} - {"all"} - {*PARTS}) == []


def test_the_extra_for_all_brings_every_other() -> None:
    content = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    brought = " ".join(content["project"]["optional-dependencies"]["all"])
    names = {name for listed in re.findall(r"raguard-verify\[(.*?)\]", brought) for name in listed.split(",")}
    assert names == {*extras()} - {"all"}
    assert parts("all", ["asgi", "fastapi", "all"]) == sorted({*PARTS["asgi"], *PARTS["fastapi"]})


def test_an_extra_that_cannot_be_installed_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(folder: Path, extra: str, *more: str) -> Path:
        raise AssertionError(f"pip: no {extra} with {more}")

    monkeypatch.setattr("extras.made", fails)
    assert check("fastapi", ["fastapi"], None) == "pip: no fastapi with ()"
    assert check("all", ["fastapi"], "torch==1+cpu") == "pip: no all with ('torch==1+cpu',)"
    assert check("embeddings", [], None) == "pip: no embeddings with ()"
