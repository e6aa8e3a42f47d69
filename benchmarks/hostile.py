"""Which inputs could make a verdict slow? Families of them, of any size; the time may grow no faster than the size."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from timing import Question

__all__ = ["FAMILIES"]


def _letters(number: int) -> str:
    """A number as a word of small letters, so that many different ones can be made."""
    return "".join(chr(ord("b") + int(digit)) for digit in str(number))


def _escaped_quotes(size: int) -> Question:
    return "", ['{"key": "value"} ' + '\\"' * size * 40], "The value is 5."


def _spaces_inside_a_line(size: int) -> Question:
    return "", ["key: value" + " " * size * 400 + "end\nkey: other"], "The value is 5."


def _fields_with_long_texts(size: int) -> Question:
    text = "word " * 15
    fields = (f'"Has{_letters(number).title()}": true, "text{number}": "{text}"' for number in range(size))
    return "", [f"{{{', '.join(fields)}}}"], "It has no terrace."


def _mentions_in_one_sentence(size: int) -> Question:
    return "", ['{"Terrace": true, "Garden": false}'], "It has a terrace, " * size + "and that is all."


def _sentences_and_denials(size: int) -> Question:
    docs = " ".join(f"The {_letters(number)} pump does not need oil {number}." for number in range(size * 4))
    return "", [docs], " ".join(f"The {_letters(number)} valve needs oil every week." for number in range(size))


def _ranges_of_one_low_end(size: int) -> Question:
    docs = " ".join(f"Between 5 and {number} seats." for number in range(10, size * 2))
    return "", [docs], " ".join(f"It takes 5 to {number} hours." for number in range(10 + size * 2, size * 3))


def _phones_of_one_ending(size: int) -> Question:
    calls = [f"Call +{10 + number % 80} {200 + number // 80} 555 1234." for number in range(size * 2)]
    return "", [" ".join(calls[:size])], " ".join(calls[size:])


def _names_and_many_chunks(size: int) -> Question:
    docs = [f"Dr {_letters(number).title()} met Barbara {_letters(number * 7).title()}." for number in range(size)]
    names = (f"Barbara {_letters(number).title()} came." for number in range(size))
    return "", docs, " ".join(names)


def _names_and_one_long_chunk(size: int) -> Question:
    query, docs, response = _names_and_many_chunks(size)
    return query, [" ".join(docs)], response


def _sentences_and_many_chunks(size: int) -> Question:
    docs = [f"The {_letters(number)} is not green with {_letters(number * 3)} leaves." for number in range(size)]
    return "", docs, " ".join(f"The {_letters(number)} does not rise before noon." for number in range(size))


def _amounts(size: int) -> Question:
    docs = [" ".join(f"The part costs ${number}.50 and weighs {number} kg." for number in range(size * 4))]
    return "", docs, " ".join(f"It costs ${number}.75 in total." for number in range(size))


def _numbered_names(size: int) -> Question:
    docs = [" ".join(f"Zorbex {number} came." for number in range(1, size))]
    return "", docs, " ".join(f"Zorbex {number} came." for number in range(size, size * 2))


def _shown_arithmetic(size: int) -> Question:
    return "", ["The price is $12."], "2 * 3 * 4 * 5 = 120. " * size


def _nothing_but_numbers(size: int) -> Question:
    return "", [" ".join(str(number * 7919 % 100_000) for number in range(size * 20))], "It holds 123456 pieces."


def _unknown_openers(size: int) -> Question:
    return "", ["Nobody came."], " ".join(f"{_letters(number).title()} came late." for number in range(size))


def _citation_marks_side_by_side(size: int) -> Question:
    return "", ["The pump needs oil.", "Water lilies."], "The pump needs oil " + "[1][2]" * size * 4


def _citations_and_many_chunks(size: int) -> Question:
    docs = [f"The {_letters(number)} pump needs {_letters(number * 3)} oil." for number in range(size)]
    return "", docs, " ".join(f"The {_letters(n)} valve needs {_letters(n * 3)} [{n + 2}]." for n in range(size))


def _citations_of_no_document(size: int) -> Question:
    docs = [" ".join(f"The {_letters(number)} pump needs oil." for number in range(size * 4))]
    return "", docs, " ".join(f"The pump needs oil [{n % 900 + 2}, {n % 890 + 3}]." for n in range(size * 4))


def _quotations_and_many_chunks(size: int) -> Question:
    docs = [f'"The {_letters(number)} pump is very old now," said Ann Zorbex.' for number in range(size)]
    return "", docs, " ".join(f'Ann Zorbex said "the {_letters(n * 3)} pump is new for now".' for n in range(size))


def _quotations_and_one_long_chunk(size: int) -> Question:
    query, docs, response = _quotations_and_many_chunks(size)
    return query, [" ".join(docs)], response


def _quotations_without_spaces(size: int) -> Question:
    signs = "".join(chr(0x4E00 + number * 7919 % 20_000) for number in range(size * 20))
    return "", [signs[::-1] * 4], "".join(f"「{signs[start : start + 20]}」" for start in range(0, len(signs), 20))


def _rows(count: int, first: int = 0) -> str:
    rows = (f"| Zorbex{_letters(n)} | ${n + first} | yes |" for n in range(count))
    return "\n".join(["| Name | Price | Terrace |", "|---|---|---|", *rows])


def _rows_of_one_table(size: int) -> Question:
    return "", [_rows(size * 4)], " ".join(f"Zorbex{_letters(number)} costs ${number + 1}." for number in range(size))


def _rows_in_one_sentence(size: int) -> Question:
    return "", [_rows(size * 4)], " and ".join(f"Zorbex{_letters(number)} for ${number + 1}" for number in range(size))


def _tables_with_the_same_rows(size: int) -> Question:
    docs = [_rows(2, number) for number in range(size)]
    return "", docs, " ".join(f"Zorbexb costs ${number + 1} with a terrace." for number in range(size))


def _columns_of_one_row(size: int) -> Question:
    heads = " | ".join(f"c{_letters(number)}" for number in range(size * 4))
    cells = " | ".join(f"${number}" if number % 2 else "yes" for number in range(size * 4))
    answer = " ".join(f"Zorbex costs ${number + 1} with c{_letters(number)}." for number in range(size))
    return "", [f"| Name | {heads} |\n|---|---|\n| Zorbex | {cells} |"], answer


def _ragged_rows(size: int) -> Question:
    wide = " | ".join(f"${number}" for number in range(size * 20))
    return "", ["\n".join([f"| {wide} |", *["| 5 | 6 |"] * size * 20])], "Zorbex costs $5."


def _leaves_under_a_long_way(size: int) -> Question:
    key = "k" * size * 20
    return "", ["The fee is $49."], f'{{"{key}": [{", ".join(["true", "49"] * size)}]}}'


def _currencies_and_amounts(size: int) -> Question:
    amounts = " ".join(f"Fee {number}: ${number}.50." for number in range(size * 4))
    items = ", ".join(f'{{"fee": {number}, "currency": "USD"}}' for number in range(size))
    return "", [amounts], f'{{"items": [{items}]}}'


def _numbers_said_of_others(size: int) -> Question:
    words = "pump needs fresh clean oil every {} weeks in hot weather."
    docs = " ".join(f"The {_letters(number)} {words.format(number + 10)}" for number in range(size * 2))
    numbers = ((number * 7) % size + 10 for number in range(size * 2))
    answer = " ".join(f"The {_letters(place)} {words.format(number)}" for place, number in enumerate(numbers))
    return "", [docs], answer


FAMILIES: Mapping[str, Callable[[int], Question]] = {
    make.__name__.lstrip("_"): make
    for make in (
        _escaped_quotes,
        _spaces_inside_a_line,
        _fields_with_long_texts,
        _mentions_in_one_sentence,
        _sentences_and_denials,
        _ranges_of_one_low_end,
        _phones_of_one_ending,
        _names_and_many_chunks,
        _names_and_one_long_chunk,
        _sentences_and_many_chunks,
        _amounts,
        _numbered_names,
        _shown_arithmetic,
        _nothing_but_numbers,
        _unknown_openers,
        _citation_marks_side_by_side,
        _citations_and_many_chunks,
        _citations_of_no_document,
        _quotations_and_many_chunks,
        _quotations_and_one_long_chunk,
        _quotations_without_spaces,
        _rows_of_one_table,
        _rows_in_one_sentence,
        _tables_with_the_same_rows,
        _columns_of_one_row,
        _ragged_rows,
        _leaves_under_a_long_way,
        _currencies_and_amounts,
        _numbers_said_of_others,
    )
}
"""The families by name: each makes a question, about linear in ``size``, for sizes of some hundreds."""
