"""Does a guard's config hold what was set, and say what cannot be?"""

from __future__ import annotations

import copy
import functools
import pickle
from pathlib import Path
from typing import Any

import pytest

from raguard import Config, ConfigError
from raguard.claims import (
    Context,
    EvidenceScorer,
    GuardAction,
    GuardConfig,
    HallucinationGuard,
    LexicalNLIScorer,
    NLILabel,
    NLIScore,
    NLIScorer,
    NoopNLIScorer,
)


def test_config_has_the_published_defaults() -> None:
    config = GuardConfig()
    assert config == GuardConfig(
        enabled=False,
        threshold=0.5,
        per_tenant_thresholds={},
        action=GuardAction.ANNOTATE,
        on_unchecked="flag",
        min_claim_chars=12,
        max_claims=50,
        top_k=5,
        cosine_threshold=0.55,
        entail_threshold=None,
        min_entail_votes=1,
        question_aware=True,
        timeout_s=10.0,
    )
    assert dict(config.per_tenant_thresholds) == {}


@pytest.mark.parametrize(
    ("key", "value", "due"),
    [
        ("threshold", 1.01, "a number from 0 to 1, not 1.01"),
        ("threshold", -0.1, "a number from 0 to 1, not -0.1"),
        ("threshold", float("nan"), "a number from 0 to 1, not nan"),
        ("threshold", 10**400, f"a number from 0 to 1, not {10**400}"),
        ("threshold", True, "a number from 0 to 1, not True"),
        ("threshold", "0.5", "a number from 0 to 1, not '0.5'"),
        ("cosine_threshold", float("inf"), "a number from 0 to 1, not inf"),
        ("entail_threshold", 2, "a number from 0 to 1, not 2"),
        ("min_claim_chars", -1, "a whole number of at least 0, not -1"),
        ("min_claim_chars", 1.0, "a whole number of at least 0, not 1.0"),
        ("max_claims", 0, "a whole number of at least 1, not 0"),
        ("top_k", True, "a whole number of at least 1, not True"),
        ("min_entail_votes", 0, "a whole number of at least 1, not 0"),
        ("timeout_s", 0, "a number of seconds above 0, not 0"),
        ("timeout_s", float("inf"), "a number of seconds above 0, not inf"),
        ("timeout_s", 10**400, f"a number of seconds above 0, not {10**400}"),
        ("enabled", 1, "true or false, not 1"),
        ("question_aware", None, "true or false, not None"),
        ("action", "delete", "one of annotate, redact, block, not 'delete'"),
        ("action", None, "one of annotate, redact, block, not None"),
        ("on_unchecked", "skip", "one of flag, act, not 'skip'"),
    ],
)
def test_config_refuses_a_bad_value_by_its_key(key: str, value: Any, due: str) -> None:
    settings: dict[str, Any] = {key: value}
    with pytest.raises(ConfigError) as caught:
        GuardConfig(**settings)
    assert str(caught.value) == f"{key} must be {due}"


def test_config_refuses_a_number_that_python_does_not_write() -> None:
    with pytest.raises(ConfigError) as caught:
        GuardConfig(timeout_s=10**5000)
    assert str(caught.value) == "timeout_s must be a number of seconds above 0, not int"


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ({"acme": 1.5}, "per_tenant_thresholds.acme must be a number from 0 to 1, not 1.5"),
        ({"": 0.5}, "per_tenant_thresholds: a tenant must be a non-empty string, not ''"),
        ({5: 0.5}, "per_tenant_thresholds: a tenant must be a non-empty string, not 5"),
        ([("acme", 0.5)], "per_tenant_thresholds must map tenants to thresholds, not [('acme', 0.5)]"),
    ],
)
def test_config_refuses_bad_tenants(value: Any, message: str) -> None:
    with pytest.raises(ConfigError) as caught:
        GuardConfig(per_tenant_thresholds=value)
    assert str(caught.value) == message


def test_config_accepts_the_ends_of_each_range_and_the_action_as_a_string() -> None:
    config = GuardConfig(threshold=0, cosine_threshold=1, entail_threshold=1.0, action="block", min_claim_chars=0)  # type: ignore[arg-type]
    assert (config.threshold, config.cosine_threshold, config.action) == (0.0, 1.0, GuardAction.BLOCK)


def test_config_keeps_no_hold_on_what_it_was_given() -> None:
    tenants = {"acme": 0.8}
    config = GuardConfig(per_tenant_thresholds=tenants)
    tenants["acme"] = 0.1
    assert (config.threshold_for("acme"), config.threshold_for("other"), config.threshold_for(None)) == (0.8, 0.5, 0.5)
    with pytest.raises(TypeError, match=r"^the id of a tenant must be a string .*, not int$"):
        config.threshold_for(42)  # type: ignore[arg-type]
    with pytest.raises(TypeError):
        config.per_tenant_thresholds["acme"] = 0.1  # type: ignore[index]


def test_config_can_be_hashed_copied_and_pickled() -> None:
    config = GuardConfig(threshold=0.7, per_tenant_thresholds={"acme": 0.8}, action=GuardAction.REDACT)
    assert pickle.loads(pickle.dumps(config)) == config == copy.deepcopy(config)
    assert hash(config) == hash(copy.copy(config))
    assert config != GuardConfig(threshold=0.7, action=GuardAction.REDACT)


@pytest.mark.parametrize(("name", "table"), [("raguard.toml", "guard"), ("pyproject.toml", "tool.raguard.guard")])
def test_config_reads_its_table_beside_the_settings_of_the_core(tmp_path: Path, name: str, table: str) -> None:
    opening = "" if name == "raguard.toml" else "[tool.raguard]\n"
    file = tmp_path / name
    file.write_text(
        f'{opening}date_order = "dmy"\n[{table}]\nenabled = true\naction = "redact"\nthreshold = 1\n'
        f"[{table}.per_tenant_thresholds]\nacme = 0.9\n",
        encoding="utf-8",
    )
    assert GuardConfig.from_toml(file) == GuardConfig(
        enabled=True, action=GuardAction.REDACT, threshold=1.0, per_tenant_thresholds={"acme": 0.9}
    )
    assert Config.from_toml(file) == Config(date_order="dmy")


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("[guard]\nthreshold = 2", "guard.threshold must be a number from 0 to 1, not 2"),
        (f"[guard]\ntimeout_s = 1{'0' * 400}", "guard.timeout_s must be a number of seconds above 0, not 1000"),
        ("[guard]\ntreshold = 0.5", "unknown key guard.treshold; known are action, "),
        ("guard = 1", "guard must be a table"),
        ('date_order = "dmy"', "has no table [guard]"),
        ("[guard", "is not valid TOML"),
    ],
)
def test_config_file_that_cannot_be_used_is_named(tmp_path: Path, content: str, message: str) -> None:
    file = tmp_path / "own.toml"
    file.write_text(content, encoding="utf-8")
    with pytest.raises(ConfigError) as caught:
        GuardConfig.from_toml(file)
    assert str(caught.value).startswith(f"{file}: {message}")


@pytest.mark.parametrize(
    ("path", "message"),
    [
        (None, "path must be the path of a TOML file, not NoneType"),
        (5, "path must be the path of a TOML file, not int"),
        ("\0", "'\\x00' cannot be read: "),
    ],
)
def test_config_refuses_what_is_no_path(path: Any, message: str) -> None:
    with pytest.raises(ConfigError) as caught:
        GuardConfig.from_toml(path)
    assert str(caught.value).startswith(message)


def test_a_number_of_too_many_digits_in_a_file_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "own.toml"
    file.write_text(f"[guard]\ntimeout_s = 1{'0' * 5000}", encoding="utf-8")
    with pytest.raises(ConfigError, match=r"own\.toml' cannot be read: "):
        GuardConfig.from_toml(file)


def test_a_misspelled_table_is_still_refused_by_the_core(tmp_path: Path) -> None:
    file = tmp_path / "own.toml"
    file.write_text("[gaurd]\nthreshold = 0.5", encoding="utf-8")
    with pytest.raises(ConfigError, match="unknown key gaurd"):
        Config.from_toml(file)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"tenant_id": ""}, "tenant_id must be a string that is not empty, not str"),
        ({"tenant_id": None}, "tenant_id must be a string that is not empty, not NoneType"),
        ({"request_id": 5}, "request_id must be a string or None, not int"),
        ({"question": b"?"}, "question must be a string or None, not bytes"),
    ],
)
def test_context_refuses_a_bad_value(settings: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match="must be") as caught:
        Context(**settings)
    assert str(caught.value) == message


@pytest.mark.parametrize(
    ("values", "message"),
    [
        (("entailed", 0.5), "label must be one of entailment, neutral, contradiction, not str"),
        (("neutral", 1.1), "entailment must be a number from 0 to 1, not 1.1"),
        (("neutral", -0.1), "entailment must be a number from 0 to 1, not -0.1"),
        (("neutral", float("inf")), "entailment must be a number from 0 to 1, not inf"),
        (("neutral", None), "entailment must be a number from 0 to 1, not NoneType"),
        (("neutral", "1"), "entailment must be a number from 0 to 1, not str"),
        (("neutral", 0.5, float("nan")), "contradiction must be a number from 0 to 1, not nan"),
        (("neutral", 0.5, 0.0, "new"), "reasons must be strings"),
        (("neutral", 0.5, 0.0, (), (-1,)), "evidence must be indices of passages, from 0"),
    ],
)
def test_score_refuses_a_bad_value(values: tuple[Any, ...], message: str) -> None:
    with pytest.raises(ValueError, match="must be") as caught:
        NLIScore(*values)
    assert str(caught.value) == message


@pytest.mark.parametrize(
    ("parts", "message"),
    [
        ({"scorer": LexicalNLIScorer}, "scorer must be an NLIScorer, not the class LexicalNLIScorer"),
        ({"scorer": "lexical"}, "scorer must be an NLIScorer, not str"),
        ({"extractor": len}, "extractor must be a ClaimExtractor, not builtin_function_or_method"),
        ({"config": {"threshold": 0.5}}, "config must be a GuardConfig, not dict"),
        ({"retriever": ["chunk"]}, "retriever must be a Retriever, not list"),
        ({"on_event": "log"}, "on_event must be a plain function of a GuardEvent, not str"),
    ],
)
def test_guard_refuses_parts_of_the_wrong_kind(parts: dict[str, Any], message: str) -> None:
    with pytest.raises(ConfigError) as caught:
        HallucinationGuard(**{"scorer": NoopNLIScorer(), **parts})
    assert str(caught.value) == message


def test_guard_refuses_a_score_that_is_not_async() -> None:
    class Plain(NLIScorer):
        def score(self, ctx: Context | None, premise: str, hypothesis: str) -> Any:
            return NLIScore(NLILabel.NEUTRAL, 0.5)

    @functools.wraps(NoopNLIScorer.score)
    def score(*given: Any) -> Any:
        return NoopNLIScorer.score(*given)

    wrapped = type("Wrapped", (NoopNLIScorer,), {"score": score})()
    with pytest.raises(ConfigError) as caught:
        HallucinationGuard(Plain())
    assert str(caught.value) == "Plain.score must be async: write async def score"
    assert HallucinationGuard(wrapped).check_sync(None, "It rains all day.", ["It rains."])[0].verdict == "pass"


def test_evidence_scorer_refuses_a_language_that_is_no_string() -> None:
    lang: Any = None
    with pytest.raises(ConfigError) as caught:
        EvidenceScorer(lang=lang)
    assert str(caught.value) == 'lang must be a language code or "auto", not NoneType'
