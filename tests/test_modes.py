"""May a verdict change an answer only where its mode says so: for the tenants, types and share of answers it names?"""

from __future__ import annotations

import asyncio
import copy
import pickle
from pathlib import Path
from typing import Any

import pytest

from raguard import Config, ConfigError, Verifier, Warning
from raguard.hook import NOTICE, guarded
from raguard.modes import Modes

DOCS = ["The Q2 project was delivered on June 15 for $2 million."]
ANSWER = "The Q2 project was delivered on May 4 for $3 million."


def warnings() -> list[Warning]:
    """A wrong date and a wrong amount."""
    return Verifier().verify("When?", DOCS, ANSWER).warnings


def shown(modes: dict[str, Any], tenant: str = "other") -> str:
    """What a function wrapped with these modes shows to a tenant."""

    def answer(query: str, tenant_id: str) -> tuple[str, list[str]]:
        return ANSWER, DOCS

    return guarded(answer, query="query", tenant="tenant_id", on_review="block", config=Config(modes=modes))(  # type: ignore[arg-type]
        "When?", tenant
    ).answer


@pytest.mark.parametrize(
    ("modes", "expected"),
    [
        ({}, ["May 4", "$3 million"]),
        ({"mode": "shadow"}, []),
        ({"mode": "off"}, []),
        ({"mode": "shadow", "types": {"unsupported_date": "enforce"}}, ["May 4"]),
        ({"types": {"unsupported_date": "shadow"}}, ["$3 million"]),
        ({"types": {"unsupported_date": "shadow", "date.unsupported": "enforce"}}, ["May 4", "$3 million"]),
    ],
)
def test_only_high_warnings_of_an_enforced_type_may_change_an_answer(
    modes: dict[str, Any], expected: list[str]
) -> None:
    assert [warning.text for warning in Modes(**modes).enforced(warnings())] == expected


def test_a_medium_warning_changes_nothing() -> None:
    found = Verifier().verify("Why?", DOCS, "Studies show that it was delivered on June 15.").warnings
    assert [warning.severity for warning in found] == ["medium"]
    assert Modes().enforced(found) == ()


def test_a_tenant_has_the_general_settings_but_for_its_own() -> None:
    modes = Modes(
        mode="shadow",
        sample=0.5,
        types={"unsupported_date": "off"},
        tenants={"acme": {"mode": "enforce"}, "bank": {"sample": 1, "types": {}}},  # type: ignore[dict-item]
    )
    assert modes.of("acme") == Modes(mode="enforce", sample=0.5, types={"unsupported_date": "off"})
    assert modes.of("bank") == Modes(mode="shadow", sample=1)
    assert modes.of("other") == Modes(mode="shadow", sample=0.5, types={"unsupported_date": "off"})


def test_the_sample_is_the_same_for_the_same_content_and_near_its_share() -> None:
    modes = Modes(sample=0.3)
    chosen = [modes.checks("When?", f"On day {number}.") for number in range(2_000)]
    assert chosen == [modes.checks("When?", f"On day {number}.") for number in range(2_000)]
    assert 520 < sum(chosen) < 680
    assert all(Modes().checks("When?", f"On day {number}.") for number in range(200))
    assert not any(Modes(sample=0).checks("When?", f"On day {number}.") for number in range(200))


def test_broken_text_can_be_sampled() -> None:
    assert Modes().checks("\ud800", "\udfff")


def test_what_is_off_is_not_checked_unless_a_type_is_on() -> None:
    assert not Modes(mode="off").checks("When?", "On 4 May.")
    assert Modes(mode="off", types={"unsupported_date": "shadow"}).checks("When?", "On 4 May.")


@pytest.mark.parametrize(
    ("modes", "message"),
    [
        ({"mode": "on"}, "modes.mode must be one of off, shadow, enforce, not 'on'"),
        ({"mode": None}, "modes.mode must be one of off, shadow, enforce, not None"),
        ({"sample": 1.5}, "modes.sample must be a number from 0 to 1, not 1.5"),
        ({"sample": True}, "modes.sample must be a number from 0 to 1, not True"),
        ({"sample": float("nan")}, "modes.sample must be a number from 0 to 1, not nan"),
        ({"types": ["a"]}, "modes.types must be a table with names as keys, not ['a']"),
        ({"types": {"unsupported_date": "on"}}, "modes.types.unsupported_date must be one of off, shadow, enforce"),
        ({"types": {"unsupported_day": "off"}}, "modes.types.unsupported_day is no warning type or id of a rule"),
        ({"tenants": {"acme": 1}}, "modes.tenants.acme must be a table, not 1"),
        ({"tenants": {"acme": {"mode": "on"}}}, "modes.tenants.acme.mode must be one of off, shadow, enforce"),
        ({"tenants": {"acme": {"tenants": {"b": {}}}}}, "modes.tenants.acme.tenants: a tenant has no tenants"),
        ({"tenants": {"acme": {"types": {"no": "off"}}}}, "modes.tenants.acme.types.no is no warning type"),
        ({"quiet": 1}, "modes: unknown key quiet; known are mode, sample, types, tenants"),
        ("shadow", "modes must be a table, not 'shadow'"),
    ],
)
def test_a_bad_setting_names_its_key(modes: Any, message: str) -> None:
    with pytest.raises(ConfigError) as caught:
        Config(modes=modes)
    assert message in str(caught.value)


def test_modes_stand_in_a_table_of_the_file(tmp_path: Path) -> None:
    path = tmp_path / "raguard.toml"
    path.write_text('[modes]\nmode = "shadow"\n[modes.tenants.acme]\nmode = "enforce"\n', encoding="utf-8")
    assert Config.from_toml(path).modes.of("acme").mode == "enforce"
    path.write_text('[modes]\nmode = "on"\n', encoding="utf-8")
    with pytest.raises(ConfigError, match=r"raguard.toml: modes.mode must be one of"):
        Config.from_toml(path)


def test_modes_are_copied_and_pickled_and_decide_no_verdict() -> None:
    config = Config(modes=Modes(mode="shadow", types={"unsupported_date": "off"}, tenants={"a": Modes(mode="off")}))
    assert pickle.loads(pickle.dumps(config)).modes == copy.deepcopy(config).modes == config.modes
    assert Verifier(config).ruleset == Verifier().ruleset


def test_the_hook_obeys_the_modes_of_the_tenant() -> None:
    modes = {"mode": "shadow", "tenants": {"acme": {"mode": "enforce"}, "quiet": {"mode": "off"}}}
    assert shown(modes, "acme") == NOTICE
    assert shown(modes, "other") == ANSWER
    assert shown(modes, "quiet") == ANSWER


@pytest.mark.parametrize("tenant", [42, b"42", ("42",), False])
def test_a_tenant_whose_id_is_no_string_is_refused_and_nothing_is_answered(tenant: Any) -> None:
    modes = {"mode": "off", "tenants": {"42": {"mode": "enforce"}}}
    message = rf"^the id of a tenant must be a string \(or None for the default one\), not {type(tenant).__name__}$"
    with pytest.raises(TypeError, match=message):
        shown(modes, tenant)
    with pytest.raises(TypeError, match=message):
        Config(modes=modes).modes.of(tenant)  # type: ignore[arg-type]
    assert shown(modes, "42") == NOTICE


def test_no_tenant_is_the_default_one() -> None:
    modes = {"mode": "off", "tenants": {"default": {"mode": "enforce"}}}
    assert shown(modes, None) == shown(modes, "default") == NOTICE  # type: ignore[arg-type]
    assert shown(modes, "other") == ANSWER


def test_the_hook_tells_the_verdict_in_the_shadow_and_that_nothing_was_checked_when_off() -> None:
    def answer(query: str) -> tuple[str, list[str]]:
        return ANSWER, DOCS

    shadow = guarded(answer, config=Config(modes=Modes(mode="shadow")))("When?")
    assert (shadow.answer, shadow.verdict.action) == (ANSWER, "review")
    off = guarded(answer, config=Config(modes=Modes(mode="off")))("When?")
    assert (off.answer, off.verdict.action, off.verdict.warnings) == (ANSWER, "proceed", [])
    assert [gap.what for gap in off.verdict.unchecked] == ["everything"]


def test_the_hook_annotates_what_is_enforced_alone() -> None:
    def answer(query: str) -> tuple[str, list[str]]:
        return ANSWER, DOCS

    config = Config(modes=Modes(types={"unsupported_date": "shadow"}))
    assert guarded(answer, config=config)("When?").answer == ANSWER.replace("million", "million [unsupported]")


def test_the_async_hook_obeys_too() -> None:
    async def answer(query: str) -> tuple[str, list[str]]:
        return ANSWER, DOCS

    def block(mode: Any) -> str:
        return asyncio.run(guarded(answer, on_review="block", config=Config(modes=Modes(mode=mode)))("When?")).answer

    assert [block(mode) for mode in ("off", "shadow", "enforce")] == [ANSWER, ANSWER, NOTICE]


def test_the_argument_of_the_tenant_must_exist() -> None:
    def answer(query: str) -> tuple[str, list[str]]:
        return ANSWER, DOCS

    with pytest.raises(TypeError, match="answer has no argument tenant_id, which the option tenant names"):
        guarded(answer, tenant="tenant_id")
    with pytest.raises(ConfigError, match="tenant must be the name of the argument"):
        guarded(answer, tenant=7)  # type: ignore[call-overload]
