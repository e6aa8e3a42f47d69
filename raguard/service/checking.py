"""Would a service start with these settings? All that they name is looked for: keys, documents, the encoder."""

from __future__ import annotations

from pathlib import Path

from raguard.errors import ConfigError
from raguard.service.keys import Keys, read_secret
from raguard.service.settings import ServiceConfig

__all__ = ["check_settings", "place"]


def check_settings(config: ServiceConfig) -> str:
    """One line that says what would be served; raises ConfigError for what settings name and nobody finds.

    >>> check_settings(ServiceConfig())
    'the settings are right: http://127.0.0.1:8000, no key, mode enforce'
    """
    Keys(config)
    if config.upstream is not None and (config.upstream.key_env or config.upstream.key_file):
        read_secret("service.upstream.key_", config.upstream.key_env, config.upstream.key_file)
    if config.store is not None and not config.store.path.exists():
        raise ConfigError(f"service.store.path: {config.store.path} does not exist")
    if config.uds is not None and not config.uds.parent.is_dir():
        raise ConfigError(f"service.uds: the folder {config.uds.parent} does not exist")
    if config.uds is not None and config.uds.exists() and not config.uds.is_socket():
        raise ConfigError(f"service.uds: {config.uds} is there, and is no socket")
    if isinstance(config.encoder, Path) and not config.encoder.is_dir():
        raise ConfigError(f"service.encoder: {config.encoder} is no folder")
    told = [place(config), _keys(len(config.keys)), f"mode {config.config.modes.mode}"]
    if config.upstream is not None:
        told.append(f"gateway to {config.upstream.url}")
    return f"the settings are right: {', '.join(told)}"


def place(config: ServiceConfig) -> str:
    """Where the service listens, as a person writes it.

    >>> place(ServiceConfig(host="::1", port=80)), place(ServiceConfig(uds="/run/raguard.sock"))
    ('http://[::1]:80', 'unix:/run/raguard.sock')
    """
    if config.uds is not None:
        return f"unix:{config.uds}"
    host = config.host.strip("[]")
    return f"http://{f'[{host}]' if ':' in host else host}:{config.port}"


def _keys(count: int) -> str:
    return "no key" if not count else "1 key" if count == 1 else f"{count} keys"
