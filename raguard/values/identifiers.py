"""When do two identifiers name the same thing? Compared by a key that leaves out what writers vary."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from typing import ClassVar, Literal, TypeAlias

from raguard.values.value import Alone, Point, Window

__all__ = ["Compare", "Identifier"]

Compare: TypeAlias = Literal["compact", "exact", "version", "url", "digits", "path"]

_NOISE = re.compile(r"[^a-z0-9]")
_SCHEME = re.compile(r"^[a-z]{1,10}://(?:www\.)?|^www\.")
_HOST_END = re.compile(r"[/?#:]")
_LAST = "\U0010ffff"
_PHONE_POINT = 7
"""The fewest digits at the end of a phone number that name it; country and area codes may be left out."""
_PHONE_PREFIX = 6
_MOST_PATH_PARTS = 12
_ALIKE = 0.5
_UNLIKE_KIND = 0.5
_LONG_ADDRESS = 40


@dataclass(frozen=True, slots=True)
class Identifier(Alone):
    """An address, phone number, version, code, flag or path; ``key`` is what is compared."""

    axis: ClassVar[str] = "identifier"

    role: str
    compare: Compare
    key: str

    @classmethod
    def read(cls, role: str, compare: Compare, text: str) -> Identifier:
        """The identifier that ``text`` writes.

        >>> Identifier.read("code", "compact", "FX-2200B") == Identifier.read("code", "compact", "fx 2200b")
        True
        >>> Identifier.read("url", "url", "https://www.Acme.com/setup/").key
        'acme.com/setup'
        """
        return cls(role, compare, _key(compare, text.lower()))

    @property
    def kind(self) -> str:
        """ "flag" for an option of a command, "identifier" for everything else."""
        return "flag" if self.role == "flag" else "identifier"

    @property
    def placeholder(self) -> bool:
        """Whether it stands for what the reader fills in: it supports its like, but is no claim."""
        return self.role == "placeholder"

    @property
    def host(self) -> str:
        """The host of an address, the whole key of anything else."""
        return _HOST_END.split(self.key, maxsplit=1)[0] if self.compare == "url" else self.key

    def points(self) -> tuple[Point, ...]:
        """The key; of a path also its endings, of an address the sites above; of a phone its digits from the end."""
        if self.compare == "digits":
            return self.key, _from_the_end(self.key)
        if self.compare == "path":
            parts = self.key.split("/")[-_MOST_PATH_PARTS:]
            endings = ("/".join(parts[place:]) for place in range(len(parts)))
            return tuple(dict.fromkeys((self.key, *endings)))
        if self.compare == "url":
            labels = self.host.split(".")[-_MOST_PATH_PARTS:]
            sites = (".".join(labels[place:]) for place in range(len(labels) - 1))
            return tuple(dict.fromkeys((self.key, *sites)))
        return (self.key,)

    def windows(self) -> tuple[Window, ...]:
        """The key itself; what goes on from it for versions and URLs; longer and shorter endings of a phone number."""
        if self.compare == "digits":
            ending = _from_the_end(self.key)
            shorter = (ending[:length] for length in range(_PHONE_POINT, len(ending)))
            longer = ((ending, ending + _LAST),) if len(ending) >= _PHONE_POINT else ()
            return (self.key, self.key), *longer, *((each, each) for each in shorter)
        if self.compare in ("version", "url"):
            return ((self.key, self.key + _LAST),)
        return ((self.key, self.key),)

    def covers(self, other: Identifier) -> bool:
        """Whether a document stating this identifier supports an answer stating ``other``, which may be less.

        >>> documents, answer = (Identifier.read("version", "version", text) for text in ("v2.10.3", "2.10"))
        >>> documents.covers(answer), answer.covers(documents)
        (True, False)
        """
        if self.key == other.key:
            return True
        if self.compare != other.compare:
            return False
        if self.compare == "version":
            return self.key.startswith((f"{other.key}.", f"{other.key}-"))
        if self.compare == "url":
            # the site acme.com is named by docs.acme.com too
            same_site = other.key == other.host and self.host.endswith(f".{other.host}")
            # so long a beginning is no chance, even when a separator was lost on the way
            long = len(other.key) >= _LONG_ADDRESS and self.key.startswith(other.key)
            return same_site or long or self.key.startswith((f"{other.key}/", f"{other.key}?", f"{other.key}#"))
        if self.compare == "path":
            return self.key.endswith(f"/{other.key}")
        return self.compare == "digits" and _same_phone(self.key, other.key)

    def distance(self, other: Identifier) -> float:
        """How unlike the keys are (0 to 0.5, more for another kind); ``inf`` when less than half is alike."""
        from rapidfuzz import fuzz

        alike = fuzz.ratio(self.key, other.key) / 100
        if alike < _ALIKE:
            return math.inf
        return 1 - alike + (_UNLIKE_KIND if self.role != other.role else 0.0)


def _key(compare: Compare, text: str) -> str:
    if compare == "compact":
        return _NOISE.sub("", text)
    if compare == "digits":
        return _NOISE.sub("", text)
    if compare == "version":
        return text.removeprefix("v").removeprefix(".")
    if compare == "url":
        return _SCHEME.sub("", text).rstrip("/")
    if compare == "path":
        return text.replace("\\", "/").removeprefix("./").lstrip("/")
    return text


def _from_the_end(digits: str) -> str:
    """The digits in reverse order, so that numbers with the same ending stand together; a trunk zero is left out."""
    return digits.lstrip("0")[::-1]


def _same_phone(one: str, other: str) -> bool:
    """Whether two phone numbers differ by a country or area code or a trunk zero only."""
    short, long = sorted((one.lstrip("0"), other.lstrip("0")), key=len)
    return len(short) >= _PHONE_POINT and long.endswith(short) and len(long) - len(short) <= _PHONE_PREFIX
