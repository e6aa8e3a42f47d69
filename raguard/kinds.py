"""Of what kind is a thing that a caller gave, and how do error messages call it?"""

from __future__ import annotations

__all__ = ["has_methods", "kind_of"]


def kind_of(given: object) -> str:
    """The type of a thing, as error messages name it.

    >>> kind_of("text"), kind_of(str)
    ('str', 'the class str')
    """
    return f"the class {given.__name__}" if isinstance(given, type) else type(given).__name__


def has_methods(given: object, *names: str) -> bool:
    """Whether a thing is an instance, and no class, with all of these methods.

    >>> has_methods([], "append", "pop"), has_methods([], "add"), has_methods(list, "append")
    (True, False, False)
    """
    return not isinstance(given, type) and all(callable(getattr(given, name, None)) for name in names)
