"""What does the answer say of a record's field, and does the record say the opposite?"""

from __future__ import annotations

import re
from collections.abc import Iterator, Set

from raguard.case import Case, Finding
from raguard.evidence.attributes import Mention
from raguard.evidence.field_groups import FieldGroup
from raguard.evidence.sources import Place
from raguard.text.blanks import Span
from raguard.text.words import plain_words, singular

__all__ = ["contradicted_fields"]

_CAPITALISED_BEFORE = re.compile(r"(?<!\w)[A-Z][\w'&.-]{0,20} $")


def contradicted_fields(case: Case) -> Iterator[Finding]:
    """One finding for each mention of a yes-or-no field: supported when the record agrees, else a contradiction.

    A group of such fields that is mentioned as a whole yields only contradictions.
    """
    attributes = case.documents.attributes
    if not attributes:
        return
    for (start, end), mention in attributes.mentions(case.spoken):
        if not case.denied(mention.start, mention.end) and not _proper_name(case, mention):
            finding = _judge(case, mention, case.outline.text[start:end], start)
            if finding is not None:
                yield finding
    yield from _contradicted_groups(case)


def _contradicted_groups(case: Case) -> Iterator[Finding]:
    """A finding for each group that is denied as a whole while a member is true, or asserted while none is."""
    groups = case.documents.field_groups
    said_in: dict[Span, Set[str]] = {}
    for (first, last), (start, end), group in groups.mentions(case.spoken) if groups else ():
        sentence = case.outline.text[first:last]
        if case.denied(start, end) or not case.known.wholes.reads(sentence, start - first, end - first):
            continue
        if (first, last) not in said_in:
            said_in[first, last] = frozenset(map(singular, plain_words(sentence).split()))
        words = said_in[first, last]
        polarity = case.known.polarity.reads(sentence, start - first, end - first)
        if polarity == "denied" and (held := _held(group, words)) is not None:
            said = "The record says that there is some."
            yield Finding("field", start, end, "unsupported", rule="record.denied", said=said, place=held)
        elif polarity == "asserted" and _empty(group, words):
            said, place = "The record says that there is none of any kind.", group.members[0].place
            yield Finding("field", start, end, "unsupported", rule="record.asserted", said=said, place=place)


def _held(group: FieldGroup, words: Set[str]) -> Place | None:
    """Where the first member is true; None where none is or a sentence of these words names one that is."""
    held = [member for member in group.members if member.value]
    return held[0].place if held and not any(member.named_in(words) for member in held) else None


def _empty(group: FieldGroup, words: Set[str]) -> bool:
    """Whether each member is false, and neither these words name one nor free text of the document tells of some."""
    if any(member.value is not False or member.named_in(words) for member in group.members):
        return False
    return not any(map(group.free_text.speaks_of, group.forms))


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
