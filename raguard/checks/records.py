"""What does the answer say of a record's field, and does the record say the opposite?"""

from __future__ import annotations

import re
from collections.abc import Iterator

from raguard.case import Case, Finding
from raguard.evidence.attributes import Mention

__all__ = ["contradicted_fields"]

_CAPITALISED_BEFORE = re.compile(r"(?<!\w)[A-Z][\w'&.-]{0,20} $")


def contradicted_fields(case: Case) -> Iterator[Finding]:
    """One finding for each mention of a yes-or-no field: supported when the record agrees, else a contradiction."""
    attributes = case.documents.attributes
    if not attributes:
        return
    for (start, end), mention in attributes.mentions(case.spoken):
        if not case.denied(mention.start, mention.end) and not _proper_name(case, mention):
            finding = _judge(case, mention, case.outline.text[start:end], start)
            if finding is not None:
                yield finding


def _judge(case: Case, mention: Mention, sentence: str, offset: int) -> Finding | None:
    polarity = case.known.polarity.reads(sentence, mention.start - offset, mention.end - offset)
    attribute = mention.attribute
    if polarity == "open":
        return None
    if attribute.value is (polarity == "asserted"):
        return Finding("field", mention.start, mention.end, "supported", place=attribute.place)
    if attribute.value is not True and _told_elsewhere(mention):
        return None
    if attribute.value is None and polarity == "asserted" and not mention.own_words:
        return None
    if attribute.value is None:
        rule, said = "record.unknown", "The record leaves the field open."
    elif attribute.value:
        rule, said = "record.denied", "The record says that it is so."
    else:
        rule, said = "record.asserted", "The record says that it is not so."
    return Finding("field", mention.start, mention.end, "unsupported", rule=rule, said=said, place=attribute.place)


def _told_elsewhere(mention: Mention) -> bool:
    """Whether free text of the same document speaks of the attribute, which may be what the answer took up."""
    return any(map(mention.attribute.free_text.speaks_of, mention.attribute.forms))


def _proper_name(case: Case, mention: Mention) -> bool:
    """Whether the mention is part of a name or an identifier of code: the Garage Club, use_garage."""
    text = case.outline.text
    if "_" in text[mention.start : mention.end]:
        return True
    if not text[mention.start : mention.end].istitle():
        return False
    before, after = text[max(0, mention.start - 24) : mention.start], text[mention.end : mention.end + 2]
    return _CAPITALISED_BEFORE.search(before) is not None or (after[:1] == " " and after[1:].isupper())
