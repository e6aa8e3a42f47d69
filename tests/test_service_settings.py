"""Are the settings of a service read whole, checked at the start, and is what is wrong named with its place?"""

from __future__ import annotations

import copy
import pickle
from dataclasses import FrozenInstanceError
from pathlib import Path
from typing import Any

import pytest

from raguard import Config, ConfigError
from raguard.cli import main
from raguard.service import (
    ContextSettings,
    KeylessSettings,
    KeySettings,
    ServiceConfig,
    StoreSettings,
    UpstreamSettings,
)
from raguard.service.checking import check_settings
from raguard.service.keys import Keys

WHOLE = """
profile = "strict"

[modes]
mode = "shadow"

[modes.tenants.acme]
mode = "enforce"

[guard]
enabled = true
threshold = 0.6

[service]
port = 8080
threads = 2
max_requests = 16
max_body_bytes = 100_000
timeout_s = 5
on_review = "redact"
encoder = "hashing"

[service.keys.acme]
file = "acme.key"
tenant = "acme"
texts = true

[service.keys.proxy]
env = "RAGUARD_TEST_PROXY_KEY"
may_name_tenant = true

[service.tenants.acme]
on_review = "block"
notice = "Ask a colleague."

[service.upstream]
url = "http://127.0.0.1:11434/v1"
model = "small"

[service.documents]
roles = ["system", "tool"]
begin = "<context>"
end = "</context>"
separator = "---"

[service.store]
path = "handbook"
retrieval = "words"
"""


def write(folder: Path, content: str) -> Path:
    path = folder / "raguard.toml"
    path.write_text(content, encoding="utf-8")
    return path


def test_a_file_holds_all_settings(tmp_path: Path) -> None:
    config = ServiceConfig.from_toml(write(tmp_path, WHOLE))
    assert (config.config.profile, config.guard.enabled, config.guard.threshold) == ("strict", True, 0.6)
    assert (config.port, config.threads, config.max_requests, config.timeout_s) == (8080, 2, 16, 5)
    assert config.keys == {
        "acme": KeySettings(file=tmp_path / "acme.key", tenant="acme", texts=True),
        "proxy": KeySettings(env="RAGUARD_TEST_PROXY_KEY", may_name_tenant=True),
    }
    assert config.upstream == UpstreamSettings(url="http://127.0.0.1:11434/v1", model="small")
    assert config.documents == ContextSettings(
        roles=("system", "tool"), begin="<context>", end="</context>", separator="---"
    )
    assert config.store == StoreSettings(path=tmp_path / "handbook", retrieval="words")
    assert [config.modes(tenant).mode for tenant in ("acme", "other")] == ["enforce", "shadow"]
    assert config.shown_to("acme") == ("block", "Ask a colleague.")
    assert config.shown_to("other")[0] == "redact"


def test_the_core_and_the_guard_read_the_same_file(tmp_path: Path) -> None:
    assert Config.from_toml(write(tmp_path, WHOLE)).profile == "strict"


def test_a_pyproject_has_them_in_its_table(tmp_path: Path) -> None:
    path = tmp_path / "pyproject.toml"
    path.write_text("[tool.raguard.service]\nport = 9000\n", encoding="utf-8")
    assert ServiceConfig.from_toml(path).port == 9000
    path.write_text("[tool.raguard.service]\nprot = 9000\n", encoding="utf-8")
    with pytest.raises(ConfigError, match=r"unknown key tool\.raguard\.service\.prot; known are documents, encoder, "):
        ServiceConfig.from_toml(path)


def test_a_file_without_tables_gives_the_defaults(tmp_path: Path) -> None:
    assert ServiceConfig.from_toml(write(tmp_path, "")) == ServiceConfig()


@pytest.mark.parametrize(
    ("content", "told"),
    [
        ("service = 1", "service must be a table"),
        ("[service]\nprot = 1", "unknown key service.prot; known are documents"),
        ("[service]\nconfig = 1", "unknown key service.config; known are documents"),
        ("[service]\nport = 65536", "service.port must be a whole number of at least 0 and at most 65,535, not 65536"),
        ("[service]\nport = true", "service.port must be a whole number of at least 0 and at most 65,535, not True"),
        ("[service]\nworkers = 0", "service.workers must be a whole number of at least 1, not 0"),
        ("[service]\nmax_body_bytes = 10", "service.max_body_bytes must be a whole number of at least 1,000, not 10"),
        (
            "[service]\ntimeout_s = inf",
            "service.timeout_s must be a number of seconds above 0 and at most 86,400, not inf",
        ),
        (
            f"[service]\ntimeout_s = {'9' * 320}",
            "service.timeout_s must be a number of seconds above 0 and at most 86,40",
        ),
        ("[service]\nkeep_alive_s = 0", "service.keep_alive_s must be a number of seconds above 0 and at most 86,400"),
        ("[service]\nshutdown_s = 86401", "service.shutdown_s must be a number of seconds above 0 and at most 86,400"),
        ("[service]\nuds = ' '", "service.uds must be the path of a file or folder"),
        ("[service.keys.acme]\nenv = 'sk-live-4242'", "service.keys.acme.env must be the name of an environment var"),
        (
            "[service.upstream]\nurl = 'http://a'\nkey_env = 'sk-live-4242'",
            "service.upstream.key_env must be the name of",
        ),
        ("[service]\nwarm_up = 1", "service.warm_up must be true or false, not int"),
        ("[service]\non_review = 'hide'", "service.on_review must be one of annotate, redact, block, not 'hide'"),
        ("[service]\nuds = ''", "service.uds must be the path of a file or folder"),
        ("[service]\nencoder = 1", "service.encoder must be the path of a file or folder"),
        ("[service]\nhost = '0.0.0.0'", "service.host 0.0.0.0 lets other machines in, which needs a key: add"),
        ("[service]\nkeys = 1", "service.keys must hold tables with names"),
        ("[service.keys]\nacme = 'sk-1'", "service.keys.acme must be a table, not str"),
        ("[service.keys.acme]\nkey = 'sk-1'", "service.keys.acme: unknown key key; known are env, file, "),
        ("[service.keys.acme]\ntenant = 'a'", "service.keys.acme.env or file must say where the key is, one of"),
        ("[service.keys.acme]\nenv = 'A'\nfile = 'a'", "service.keys.acme.env or file must say where the key is, one"),
        ("[service.keys.acme]\nenv = 'A'\ntexts = 'yes'", "service.keys.acme.texts must be true or false, not str"),
        ("[service.keys.acme]\nenv = 'A'\ntenant = ' '", "service.keys.acme.tenant must be a string that is not empty"),
        ("[service.keyless]\nanywhere = 1", "service.keyless.anywhere must be true or false, not int"),
        ("[service.tenants.acme]\nmode = 'off'", "service.tenants.acme: unknown key mode; known are notice, on_review"),
        ("[service.upstream]\nmodel = 'm'", "service.upstream.url is missing"),
        ("[service.upstream]\nurl = 'localhost'", "service.upstream.url must begin with http:// or https:// and hold"),
        ("[service.upstream]\nurl = 'http://[::1'", "service.upstream.url must begin with http:// or https:// and"),
        ("[service.upstream]\nurl = 'http://a:99999/v1'", "service.upstream.url must begin with http:// or https:// "),
        ("[service.upstream]\nurl = 'http://u:p@a'", "service.upstream.url must begin with http:// or https:// and"),
        ("[service.upstream]\nurl = 'http://a'\nkey_env = 'A'\nkey_file = 'a'", "service.upstream.key_env or key_file"),
        ("[service.documents]\nroles = []", "service.documents.roles must be a list of the roles"),
        ("[service.documents]\nroles = ['bot']", "service.documents.roles must be one of system, developer, user, "),
        ("[service.documents]\nbegin = '<c>'", "service.documents.begin and end go together"),
        ("[service.documents]\nroles = ['user']", "service.documents.begin and end must say where in a message of the"),
        ("[service.store]\nretrieval = 'words'", "service.store.path is missing"),
        ("[service.store]\npath = 'a'\nretrieval = 'magic'", "service.store.retrieval must be one of vectors, words, "),
        ("[modes]\nmode = 'on'", "modes.mode must be one of off, shadow, enforce, not 'on'"),
        ("[guard]\nthreshold = 2", "guard.threshold must be a number from 0 to 1, not 2"),
        ("prophile = 'strict'", "unknown key prophile; known are aliases"),
    ],
)
def test_what_is_wrong_is_named_with_its_table_and_the_file(tmp_path: Path, content: str, told: str) -> None:
    path = write(tmp_path, content)
    with pytest.raises(ConfigError) as caught:
        ServiceConfig.from_toml(path)
    assert str(caught.value).startswith(f"{path}: {told}")
    assert "sk-1" not in str(caught.value)


@pytest.mark.parametrize(
    "settings",
    [
        {"keys": {"acme": {"env": "ACME_KEY"}}},
        {"keyless": KeylessSettings(anywhere=True)},
        {"uds": "/run/raguard.sock"},
    ],
)
def test_other_machines_are_let_in_with_a_key_or_on_purpose(settings: dict[str, Any]) -> None:
    assert ServiceConfig(host="0.0.0.0", **settings).host == "0.0.0.0"


@pytest.mark.parametrize("host", ["127.0.0.1", "127.8.0.1", "::1", "localhost", "app.localhost"])
def test_this_machine_needs_no_key(host: str) -> None:
    assert ServiceConfig(host=host).host == host


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.168.0.1", "localhost.example.com", "example.com"])
def test_any_other_machine_needs_one(host: str) -> None:
    with pytest.raises(ConfigError, match=r"lets other machines in, which needs a key"):
        ServiceConfig(host=host)


def test_settings_are_frozen() -> None:
    config = ServiceConfig(keys={"acme": {"env": "ACME_KEY"}})
    with pytest.raises(FrozenInstanceError):
        config.port = 1  # type: ignore[misc]
    with pytest.raises(TypeError):
        config.keys["other"] = KeySettings(env="A")  # type: ignore[index]


def test_settings_are_copied_and_pickled() -> None:
    config = ServiceConfig(keys={"acme": {"env": "ACME_KEY"}}, tenants={"acme": {"on_review": "block"}})
    assert copy.deepcopy(config) == pickle.loads(pickle.dumps(config)) == config


def test_a_part_of_another_kind_is_refused() -> None:
    with pytest.raises(ConfigError, match=r"^config must be a Config, not dict$"):
        ServiceConfig(config={})  # type: ignore[arg-type]
    with pytest.raises(ConfigError, match=r"^path must be the path of a TOML file, not int$"):
        ServiceConfig.from_toml(1)  # type: ignore[arg-type]


# keys


def keys(tmp_path: Path, content: bytes, **environment: str) -> Keys:
    (tmp_path / "acme.key").write_bytes(content)
    config = ServiceConfig(keys={"acme": {"file": tmp_path / "acme.key"}, "other": {"env": "OTHER_KEY"}})
    return Keys(config, environment)


def test_keys_are_read_from_file_and_environment(tmp_path: Path) -> None:
    known = keys(tmp_path, b"sk-acme\nnot this line\n", OTHER_KEY=" sk-other ")
    assert [getattr(known.caller(key), "name", None) for key in ("sk-acme", "sk-other", "sk-othe", "", None, "é")] == [
        "acme",
        "other",
        None,
        None,
        None,
        None,
    ]


@pytest.mark.parametrize(
    ("content", "other", "told"),
    [
        (b"", "sk-1", r"^service\.keys\.acme\.file: .*acme\.key holds no key$"),
        (b"\n sk-1", "sk-1", r"^service\.keys\.acme\.file: .*acme\.key holds no key$"),
        (b"\xff", "sk-1", r"^service\.keys\.acme\.file: .*acme\.key cannot be read \(UnicodeDecodeError\)$"),
        (b"sk 1", "sk-1", r"must hold a key of printable ASCII characters without spaces$"),
        (b"sk-1", "", r"^service\.keys\.other\.env: OTHER_KEY holds no key$"),
        (b"sk-1", "sk-1", r"^service\.keys\.other: this key is another one's as well$"),
    ],
)
def test_a_key_that_cannot_be_used_is_named_and_not_shown(
    tmp_path: Path, content: bytes, other: str, told: str
) -> None:
    with pytest.raises(ConfigError, match=told) as caught:
        keys(tmp_path, content, OTHER_KEY=other)
    assert "sk-1" not in str(caught.value)


# raguard serve --check-config


def test_check_config_says_what_would_be_served(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("RAGUARD_TEST_PROXY_KEY", "sk-proxy")
    (tmp_path / "acme.key").write_text("sk-acme", encoding="ascii")
    (tmp_path / "handbook").mkdir()
    (tmp_path / "handbook" / "rent.txt").write_text("The rent is $900.", encoding="ascii")
    path = write(tmp_path, WHOLE)
    assert main(["serve", "--config", str(path), "--check-config", "--port", "0"]) == 0
    assert capsys.readouterr().out == (
        "the settings are right: http://127.0.0.1:0, 2 keys, mode shadow, gateway to http://127.0.0.1:11434/v1\n"
    )


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["--host", "0.0.0.0"], "host 0.0.0.0 lets other machines in, which needs a key: add a table"),
        (["--port", "70000"], "port must be a whole number of at least 0 and at most 65,535, not 70000"),
        (["--uds", "a.sock", "--port", "1"], "give --uds, or --host and --port, not both"),
        (["--config", "missing.toml"], "missing.toml: cannot be read: No such file or directory"),
    ],
)
def test_check_config_refuses_what_cannot_be_served(
    arguments: list[str], told: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["serve", "--check-config", *arguments]) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.startswith(f"raguard: {told}") or captured.err.startswith(told), captured.err


def test_check_config_refuses_documents_that_cannot_be_read(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "handbook").mkdir()
    (tmp_path / "handbook" / "rent.txt").write_bytes(b"\xff\xfe\xff")
    path = write(tmp_path, '[service.store]\npath = "handbook"\n')
    assert main(["serve", "--config", str(path), "--check-config"]) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.startswith(f"raguard: {tmp_path}/handbook/rent.txt: "), captured.err


@pytest.mark.parametrize(
    ("settings", "told"),
    [
        ({"store": {"path": "/no/such"}}, r"^service\.store\.path: /no/such does not exist$"),
        ({"encoder": "/no/such"}, r"^service\.encoder: /no/such is no folder$"),
        (
            {"upstream": {"url": "http://a/v1", "key_file": "/no/such"}},
            r"^service\.upstream\.key_file: /no/such cannot be read",
        ),
        ({"keys": {"a": {"file": "/no/such"}}}, r"^service\.keys\.a\.file: /no/such cannot be read"),
    ],
)
def test_what_settings_name_must_be_there(settings: dict[str, Any], told: str) -> None:
    with pytest.raises(ConfigError, match=told):
        check_settings(ServiceConfig(**settings))
