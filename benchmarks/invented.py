"""What do realistic answers look like? Invented ones, all distinct, with the documents that carry them.

A fact is a sentence of the documents and a sentence of the answer that say the same in other words and other
written forms. An answer to be flagged has one to three of its values exchanged for values that stand in no
document.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from itertools import chain

import prose

__all__ = ["CHUNK_WORDS", "LENGTHS", "Case", "invented", "shaped"]

LENGTHS = (30, 100, 250)
"""The answer lengths, in words, that the latency budget is stated for."""
CHUNK_WORDS = 200

_VALUES_IN_PROSE = 0.2
"""The share of the sentences of a shaped document that state values."""

_FIRST = ("Alice", "Martin", "Priya", "Daniel", "Sofia", "Kenji", "Laura", "Omar", "Helen", "Victor", "Ruth", "Ivan")
_SYLLABLES = ("bar", "cor", "dal", "fen", "gar", "hol", "kel", "lor", "mar", "nor", "pel", "ren", "sal", "tor", "vel")
_ENDINGS = ("by", "ford", "ham", "ley", "low", "man", "ner", "ston", "ton", "well")
_TRADES = ("Logistics", "Systems", "Foods", "Energy", "Instruments", "Shipping", "Textiles", "Software")
_FORMS = ("Ltd.", "Inc.", "GmbH", "Group", "plc")
_PARTS = ("North", "South", "West", "Old")
_CITIES = ("Leeds", "Lyon", "Porto", "Austin", "Denver", "Osaka", "Turin", "Bergen", "Toledo", "Perth", "Graz", "Ghent")

_FACTS = (
    (
        "{company} signed the supply contract with {partner} on {date}, after long talks in the spring.",
        "The supply contract between {company} and {partner} was signed on {date}.",
    ),
    (
        "The board named {person} head of the {city} office with effect from {date}.",
        "{person} has been in charge of the office in {city} since {date}.",
    ),
    (
        "Revenue of {company} came to {amount} in the year, which is {percent} more than in the year before.",
        "{company} had revenue of {amount} in the year, an increase of {percent}.",
    ),
    (
        "A fine of {amount} was paid by {company} on {date} because of late deliveries.",
        "For late deliveries {company} paid a fine of {amount} on {date}.",
    ),
    (
        "The warehouse near {city} holds {count} pallets and is run by {person}.",
        "{person} runs the warehouse near {city}, which has room for {count} pallets.",
    ),
    (
        "The {product} weighs {weight} and is sold for {price} to members of the program.",
        "Members pay {price} for the {product}, which weighs {weight}.",
    ),
    (
        "Of all the customers asked by {company}, {percent} would buy the {product} again.",
        "According to the survey of {company}, {percent} of the customers would buy the {product} again.",
    ),
    (
        "Deliveries to {city} start at {time} and are planned by {partner} together with {person}.",
        "{person} and {partner} plan the deliveries to {city}, which start at {time} each day.",
    ),
    (
        "By {date} the plant in {city} had employed {count} people, most of them in two shifts.",
        "The plant in {city} employed {count} people by {date}.",
    ),
    (
        "Maintenance of the {product} is due before {date} and costs {price} a unit.",
        "Each {product} needs maintenance, at a cost of {price}, before {date}.",
    ),
)

_PROSE = (
    "The work went on without a break, and the people involved were pleased with how it was done.",
    "Most of the parts are kept in stock, so that a repair does not take long.",
    "It is expected that the demand will stay about the same, although the weather may change that.",
    "New staff are trained on the job, and they are helped by those who have been there for longer.",
    "The costs were shared in a fair way, and nobody asked for more than had been agreed.",
    "Every order is checked twice before it leaves the building, which has kept mistakes rare.",
    "There were some doubts at first, but the results have been good and the doubts are gone.",
    "The rules are simple: whoever finds a fault writes it down and tells the others at once.",
    "Older machines are not thrown away but cleaned, repaired and passed on to smaller sites.",
    "Visitors are welcome as long as they say beforehand when they would like to come.",
    "Nothing has been decided yet, and both sides would rather wait than choose in a hurry.",
    "Because the road is narrow, heavy loads are moved early in the morning or late at night.",
    "What is saved on packaging is spent on better training and on quieter equipment.",
    "Complaints are answered by the people who did the work, which customers seem to like.",
    "The plan leaves room for changes, since few things turn out exactly as they were meant.",
    "As a rule, whatever can be bought close by is not ordered from far away.",
)


@dataclass(frozen=True, slots=True)
class Case:
    """One invented answer with its documents; ``changed`` are the values in it that no document holds."""

    query: str
    docs: tuple[str, ...]
    response: str
    changed: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Value:
    document: str
    answer: str


def invented(words: int, count: int = 60, seed: int = 0) -> list[Case]:
    """``count`` answers of about ``words`` words with 3 to 5 chunks each; every second one has changes."""
    chance = random.Random(f"{words} {seed}")
    return [_case(words, flagged=bool(number % 2), chance=chance) for number in range(count)]


def shaped(
    words: int,
    sizes: Sequence[int],
    count: int,
    seed: int = 0,
    *,
    unsupported: float = 0.0,
    values: float = _VALUES_IN_PROSE,
) -> list[Case]:
    """``count`` answers of about ``words`` words, all of them facts, with documents of about ``sizes`` characters.

    The documents are prose with values in the share ``values`` of its sentences, besides the facts that they carry.
    Of the answer's sentences the share ``unsupported`` stands in no document; ``changed`` are all values of these
    that no document happens to hold.
    """
    chance = random.Random(f"{words} {sum(sizes)} {len(sizes)} {seed} {unsupported} {values}")
    # more than there is room for: a sentence that is too long for the rest of a document is left out
    filler = _filler(sum(sizes) + 200 * len(sizes), values, chance)
    return [_shaped(words, sizes, unsupported, filler, chance) for _ in range(count)]


def _filler(characters: int, values: float, chance: random.Random) -> list[str]:
    """Sentences of so many characters in all."""
    sentences: list[str] = []
    while characters > 0:
        sentences.append(_any_fact(chance) if chance.random() < values else prose.sentence(chance))
        characters -= len(sentences[-1]) + 1
    return sentences


def _shaped(words: int, sizes: Sequence[int], unsupported: float, filler: list[str], chance: random.Random) -> Case:
    carried: list[list[str]] = [[] for _ in sizes]
    left = list(sizes)
    told: list[str] = []
    missing: list[str] = []
    length, owed = 0, 0.0
    while length < words - 5:
        document, sentence = chance.choice(_FACTS)
        values = {slot: make(chance) for slot, make in _SLOTS.items() if f"{{{slot}}}" in sentence}
        told.append(_filled(sentence, values))
        length += len(told[-1].split())
        owed += unsupported
        if owed >= 1:
            owed -= 1
            missing += [value.answer for value in values.values()]
        else:
            roomiest = left.index(max(left))
            carried[roomiest].append(_filled_document(document, values))
            left[roomiest] -= len(carried[roomiest][-1]) + 1
    first = chance.randrange(len(filler))
    others = chain(filler[first:], filler[:first])
    docs = tuple(_filled_up(facts, room, others, chance) for facts, room in zip(carried, left, strict=True))
    changed = tuple(value for value in missing if not any(value in doc for doc in docs))
    return Case("What is known about this?", docs, " ".join(told), changed)


def _filled_up(facts: list[str], room: int, others: Iterator[str], chance: random.Random) -> str:
    """The facts among the next of the other sentences, as many as there is room for."""
    sentences = list(facts)
    for sentence in others:
        room -= len(sentence) + 1
        if room < 0:
            break
        sentences.append(sentence)
    chance.shuffle(sentences)
    return " ".join(sentences)


def _case(words: int, *, flagged: bool, chance: random.Random) -> Case:
    facts: list[tuple[str, Mapping[str, _Value]]] = []
    told: list[tuple[str, Mapping[str, _Value] | None]] = []
    prose = chance.sample(_PROSE, len(_PROSE))
    length = 0
    while length < words - 5:
        if told and prose and chance.random() < 0.4:
            sentence, values = prose.pop(), None
        else:
            document, sentence = chance.choice(_FACTS)
            values = {slot: make(chance) for slot, make in _SLOTS.items() if f"{{{slot}}}" in sentence}
            facts.append((document, values))
        told.append((sentence, values))
        length += len(_filled(sentence, values or {}).split())
    docs = _chunks(facts, chance)
    swaps = _swaps([values for _, values in facts], " ".join(docs), chance) if flagged else {}
    response = " ".join(_filled(sentence, values or {}, swaps) for sentence, values in told)
    subject = next(iter(facts[0][1].values())).answer
    return Case(f"What is known about {subject}?", docs, response, tuple(swaps.values()))


def _swaps(used: list[Mapping[str, _Value]], documents: str, chance: random.Random) -> dict[str, str]:
    """One to three values of the answer, each with another one of its kind that the documents do not hold."""
    places = [(slot, value.answer) for values in used for slot, value in values.items()]
    chosen = chance.sample(places, min(len(places), chance.randint(1, 3)))
    return {text: _unheard(slot, documents, chance) for slot, text in chosen}


def _unheard(slot: str, documents: str, chance: random.Random) -> str:
    while True:
        made = _SLOTS[slot](chance)
        if made.document not in documents and made.answer not in documents:
            return made.answer


def _chunks(facts: list[tuple[str, Mapping[str, _Value]]], chance: random.Random) -> tuple[str, ...]:
    """The facts spread over 3 to 5 chunks, filled up with prose and with facts that the answer leaves out."""
    chunks: list[list[str]] = [[] for _ in range(chance.randint(3, 5))]
    for document, values in facts:
        min(chunks, key=_words).append(_filled_document(document, values))
    for chunk in chunks:
        prose = chance.sample(_PROSE, len(_PROSE))
        while _words(chunk) < CHUNK_WORDS - 8:
            if prose and chance.random() < 0.5:
                chunk.append(prose.pop())
            else:
                chunk.append(_any_fact(chance))
        chance.shuffle(chunk)
    return tuple(" ".join(chunk) for chunk in chunks)


def _any_fact(chance: random.Random) -> str:
    document, _ = chance.choice(_FACTS)
    return _filled_document(document, {slot: make(chance) for slot, make in _SLOTS.items()})


def _words(sentences: list[str]) -> int:
    return sum(len(sentence.split()) for sentence in sentences)


def _filled(sentence: str, values: Mapping[str, _Value], swaps: Mapping[str, str] | None = None) -> str:
    swapped = swaps or {}
    return sentence.format_map({slot: swapped.get(value.answer, value.answer) for slot, value in values.items()})


def _filled_document(sentence: str, values: Mapping[str, _Value]) -> str:
    return sentence.format_map({slot: value.document for slot, value in values.items()})


def _surname(chance: random.Random) -> str:
    return (chance.choice(_SYLLABLES) + chance.choice(_SYLLABLES) + chance.choice(_ENDINGS)).capitalize()


def _same(text: str) -> _Value:
    return _Value(text, text)


def _company(chance: random.Random) -> _Value:
    name = f"{_surname(chance)} {chance.choice(_TRADES)}"
    return _Value(f"{name} {chance.choice(_FORMS)}", name)


def _date(chance: random.Random) -> _Value:
    day = date(2015, 1, 1) + timedelta(days=chance.randrange(3650))
    month = f"{day:%B}"
    return _Value(f"{day.day} {month} {day.year}", f"{month} {day.day}, {day.year}")


def _amount(chance: random.Random) -> _Value:
    tenths = chance.randint(11, 999)
    return _Value(f"${tenths / 10:.1f} million", f"${tenths * 100_000:,}")


def _time(chance: random.Random) -> _Value:
    hour, minute = chance.randint(1, 11), chance.randrange(5, 60, 5)
    return _Value(f"{hour:02}:{minute:02}", f"{hour}:{minute:02} a.m.")


def _percent(chance: random.Random) -> _Value:
    share = chance.randint(21, 989) / 10
    return _Value(f"{share} percent", f"{share}%")


_SLOTS: Mapping[str, Callable[[random.Random], _Value]] = {
    "company": _company,
    "partner": _company,
    "person": lambda chance: _same(f"{chance.choice(_FIRST)} {_surname(chance)}"),
    "city": lambda chance: _same(f"{chance.choice(_PARTS)} {chance.choice(_CITIES)}"),
    "product": lambda chance: _same(f"{_surname(chance)} {chance.choice('ABCDEFGHK')}{chance.randint(100, 999)}"),
    "date": _date,
    "amount": _amount,
    "price": lambda chance: _same(f"${chance.randint(101, 9_999):,}"),
    "percent": _percent,
    "count": lambda chance: _same(f"{chance.randint(1_100, 9_900):,}"),
    "weight": lambda chance: _same(f"{chance.randint(11, 99)} kg"),
    "time": _time,
}
"""How a value of each slot is made."""
