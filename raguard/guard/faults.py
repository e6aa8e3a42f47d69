"""What is wrong with the input? A sentence for each fault; nothing is raised."""

from __future__ import annotations

from typing import Any

from raguard.config import Config

__all__ = ["Faults", "encodes"]

_PIECE = 30_000


class Faults:
    """Collects the faults of one input; ``sentences`` holds them in order."""

    def __init__(self, config: Config) -> None:
        self.config = config
        self.sentences: list[str] = []

    def add(self, sentence: str) -> None:
        """Notes one fault."""
        self.sentences.append(sentence)

    def text(self, name: str, value: Any) -> str:
        """``value`` when it is a string, else an empty one and a fault.

        Lone surrogates are a fault too; the text is read without them, so that offsets still count its characters.
        """
        if not isinstance(value, str):
            self.add(f"{name} must be a string, not {type(value).__name__}.")
            return ""
        if not encodes(value):
            self.add(f"{name} holds broken characters (lone surrogates); decode it again from its bytes.")
        return value

    def short(self, name: str, text: str, limit: str) -> str:
        """``text`` when it keeps the config's ``limit``, else an empty one and a fault."""
        most = int(getattr(self.config, limit))
        if len(text) <= most:
            return text
        self.add(f"{name} has {len(text):,} characters; the limit {limit} is {most:,}. It was not read.")
        return ""


def encodes(text: str) -> bool:
    """Whether every character of the text can be encoded, as lone surrogates cannot."""
    if not text.isascii():
        try:
            # of the encodings that refuse them the one that takes the least time, while its result stays small
            for start in range(0, len(text), _PIECE):
                text[start : start + _PIECE].encode("utf-16")
        except UnicodeEncodeError:
            return False
    return True
