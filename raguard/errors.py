"""What can go wrong before a verdict is asked for? ``verify()`` itself never raises.

::

    RaguardError
    ├── ConfigError      a config value or file that cannot be used
    │   └── RuleError    a rule file that cannot be used
    └── ModelError       the language model is missing or is not the one that was pinned
"""

from __future__ import annotations

__all__ = ["ConfigError", "ModelError", "RaguardError", "RuleError"]


class RaguardError(Exception):
    """The base of every exception that raguard raises on purpose."""


class ConfigError(RaguardError):
    """A config value or file cannot be used; the message names the key and, where there is one, the file."""


class RuleError(ConfigError):
    """A rule file cannot be used; the message names the file, the rule and the key."""


class ModelError(RaguardError):
    """The language model is missing or is not the pinned one; the message says what to do."""
