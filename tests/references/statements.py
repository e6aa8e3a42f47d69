"""What does each sentence say, and where do the documents say it, when every sentence is read word by word?"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Mapping
from itertools import pairwise

from raguard.case import Case
from raguard.evidence.chunk import Reading
from raguard.evidence.sources import Sources
from raguard.evidence.statements import Near, statements_near
from raguard.reading.statements import _REACH, _TOKEN, MINUS, PLUS, Statement, StatementReader, _join
from raguard.text.words import beginning


def sentence(reader: StatementReader, text: str) -> tuple[dict[str, int], bool]:
    """The sign of each content word of a sentence, and whether a verb is denied."""
    signs: dict[str, int] = {}
    reach, denies = 0, False
    for token in _TOKEN.findall(reader._phrases.sub(_join, text.lower())):
        if token in reader._negations.words:
            reach, denies = _REACH + 1, True
            continue
        content = reader._opposites[token] if token in reader._opposites else _content(reader, token)
        if content is not None:
            word, sign = content
            signs[word] = signs.get(word, 0) | (sign if not reach else PLUS + MINUS - sign)
            reach = 0
        elif reach:
            reach = reach - 1 if token[0].isalnum() else 0
    return signs, denies


def statements(case: Case) -> Iterator[Statement]:
    """The statements of all sentences of the answer."""
    text, reader = case.outline.text, case.known.readers.statements
    for start, end in pairwise((*reader.starts(text), len(text))):
        yield reader.sentence(text[start:end], start, end)


def _content(reader: StatementReader, token: str) -> tuple[str, int] | None:
    """The content word that a token stands for with its sign; None for a small word, a letter or a mark."""
    if token in reader._passed or token[0] == "'" or (len(token) < 2 and not token.isdigit()):
        return None
    return beginning(token.replace("'s", "")), PLUS


def around(reading: Reading, place: int) -> tuple[int, int]:
    """Where the sentence around ``place`` begins and ends."""
    starts = (*reading.sentences, len(reading.text))
    number = bisect_right(reading.sentences, place)
    return starts[number - 1], starts[number]


def alike(sources: Sources, signs: Mapping[str, int]) -> Near | None:
    """The nearest statement, when it has the given words and no others."""
    near = statements_near(sources, signs)
    return near[0] if near and near[0].statement.signs.keys() == signs.keys() else None
