"""Does the model still judge, or does a text make it pass anything? It is asked once more, with a made-up sentence."""

from __future__ import annotations

import json
from dataclasses import replace
from hashlib import sha256

from raguard.judge.prompting import Material

__all__ = ["with_made_up"]


def with_made_up(material: Material) -> Material:
    """The same with a sentence at the end of the answer that no passage supports; the same for the same input.

    >>> with_made_up(Material("It is $900.", ("The rent is $900.",))).answer
    'It is $900. The record about this has the number 5600BDE4 and was signed by D. Kestrelwick.'
    """
    content = json.dumps([material.answer, *material.passages])
    number = sha256(content.encode("ascii")).hexdigest()[:8].upper()
    made_up = f"The record about this has the number {number} and was signed by D. Kestrelwick."
    return replace(material, answer=f"{material.answer.rstrip()} {made_up}")
