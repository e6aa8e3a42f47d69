"""Where is the model that judges, and by which key and name is it asked?"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from raguard import ConfigError
from raguard.endpoints import checked_key, is_this_machine, read_address

__all__ = ["JudgeConfigError", "Provider", "checked_whole"]


class JudgeConfigError(ConfigError, ValueError):
    """An argument of a judge, chat or provider cannot be used; the message names it and holds no key."""


@dataclass(frozen=True, slots=True)
class Provider:
    """An endpoint that speaks OpenAI's chat API: its address, its key, and which model does what.

    ``base_url`` is the address up to and including the version, as the openai client takes it; ``models`` names a model
    for each part of raguard that asks one: ``"judge"`` for the judge. The key is never shown. Raises JudgeConfigError.

    >>> Provider("http://localhost:11434/v1", "sk-secret", models={"judge": "qwen3:8b"})
    Provider(base_url='http://localhost:11434/v1', models={'judge': 'qwen3:8b'})
    """

    base_url: str
    api_key: str | None = field(default=None, repr=False)
    models: Mapping[str, str] = field(default_factory=dict, hash=False)

    def __post_init__(self) -> None:
        read_address(self.base_url, "base_url", "http://localhost:11434/v1", error=JudgeConfigError)
        checked_key(self.api_key, error=JudgeConfigError)
        models = self.models
        if not isinstance(models, Mapping) or not all(_is_name(part) and _is_name(models[part]) for part in models):
            raise JudgeConfigError('models must name a model for each part, as in {"judge": "gpt-4.1-mini"}')
        # a copy: what its maker changes later changes nothing here
        object.__setattr__(self, "models", dict(models))

    @property
    def is_local(self) -> bool:
        """Whether the address is on this machine, for which no proxy may be used."""
        return is_this_machine(urlsplit(self.base_url).hostname or "")


def checked_whole(name: str, value: object) -> int:
    """``value`` when it is a whole number of at least 1; raises JudgeConfigError."""
    if not isinstance(value, int) or isinstance(value, bool) or value < 1:
        raise JudgeConfigError(f"{name} must be a whole number of at least 1, not {value!r}")
    return value


def _is_name(text: object) -> bool:
    return isinstance(text, str) and bool(text.strip())
