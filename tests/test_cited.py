"""Which documents does each citation of an answer lead to, and which sentence does it speak for?"""

from __future__ import annotations

import pytest

from raguard import Document, Verifier

DOCS = [
    Document("The rent is $900.", id="rent.md::chunk-0::89150e78"),
    Document("Dogs are not allowed.", id="rent.md::chunk-0::89150e78::2"),
    Document("The yard has a gate.", id="yard.md", metadata={"title": "Yard rules", "page": 3}),
]
RENT, DOGS, GATE = "The rent is $900", "Dogs are not allowed", "The yard has a gate"


@pytest.fixture(scope="module")
def verifier() -> Verifier:
    return Verifier()


def cited(verifier: Verifier, answer: str) -> list[tuple[str, str, tuple[int, ...] | None]]:
    found = verifier.claims("", DOCS, answer).citations
    return [(answer[each.start : each.end], answer[slice(*each.about)], each.docs) for each in found]


@pytest.mark.parametrize(
    ("answer", "found"),
    [
        (f"{RENT} [1]. {DOGS} [2].", [("[1]", f"{RENT} [1].", (0,)), ("[2]", f"{DOGS} [2].", (1,))]),
        (f"{RENT}. [1] {DOGS}. [2]", [("[1]", f"{RENT}.", (0,)), ("[2]", f"[1] {DOGS}.", (1,))]),
        (f"{RENT}. [1][3] {DOGS}.", [("[1]", f"{RENT}.", (0,)), ("[3]", f"{RENT}.", (2,))]),
        (f"{RENT} [1, 3].", [("[1, 3]", f"{RENT} [1, 3].", (0, 2))]),
        (f"{RENT} [1-3].", [("[1-3]", f"{RENT} [1-3].", (0, 1, 2))]),
        (f"{RENT} [0]. {DOGS} [1].", [("[0]", f"{RENT} [0].", (0,)), ("[1]", f"{DOGS} [1].", (1,))]),
        (f"{RENT} [7].", [("[7]", f"{RENT} [7].", ())]),
        (f"{RENT}. According to passage 2, dogs are not allowed.", [
            ("passage 2", "According to passage 2, dogs are not allowed.", (1,)),
        ]),
        (f"{GATE} (yard.md).", [("(yard.md)", f"{GATE} (yard.md).", (2,))]),
        (f"{GATE} (Yard rules:3).", [("(Yard rules:3)", f"{GATE} (Yard rules:3).", (2,))]),
        (f"{GATE} (Yard rules:4).", [("(Yard rules:4)", f"{GATE} (Yard rules:4).", ())]),
        (f"{GATE} (lawn.md).", []),
        (f"{RENT} [rent.md::chunk-0::89150e78].", [
            ("[rent.md::chunk-0::89150e78]", f"{RENT} [rent.md::chunk-0::89150e78].", (0,)),
        ]),
        (f"{DOGS} [rent.md::chunk-0::89150e78::2].", [
            ("[rent.md::chunk-0::89150e78::2]", f"{DOGS} [rent.md::chunk-0::89150e78::2].", (1,)),
        ]),
        (f"{RENT} [rent.md::chunk-9::89150e78].", [
            ("[rent.md::chunk-9::89150e78]", f"{RENT} [rent.md::chunk-9::89150e78].", ()),
        ]),
        (f"{RENT} [1].\n\n[1] House rules", [("[1]", f"{RENT} [1].", None), ("[1]", f"{RENT} [1].", None)]),
        (f"**{RENT}** [1].", [("[1]", f"{RENT}** [1].", (0,))]),
        (f"{RENT}.", []),
        ("rows[0] = 900", []),
        ("", []),
    ],
)  # fmt: skip
def test_citation_leads_to_its_documents_and_speaks_for_its_sentence(
    verifier: Verifier, answer: str, found: list[tuple[str, str, tuple[int, ...] | None]]
) -> None:
    assert cited(verifier, answer) == found


def test_source_of_a_json_answer_speaks_for_its_object(verifier: Verifier) -> None:
    answer = '{"claims": [{"text": "T1 is here.", "source": 1}, {"text": "T2 is here.", "sources": ["yard.md"]}]}'
    first, second = cited(verifier, answer)
    assert (first[0], first[2]) == ("1", (0,))
    assert ("T1" in first[1], "T2" in first[1]) == (True, False)
    assert (second[0], second[2]) == ("yard.md", (2,))
    assert ("T1" in second[1], "T2" in second[1]) == (False, True)


def test_citations_are_told_where_sentences_are_not_judged(verifier: Verifier) -> None:
    told = verifier.claims("", DOCS, "Die Miete beträgt 900 Euro im Monat, und Hunde sind nicht erlaubt [1].")
    assert (told.claims, [each.docs for each in told.citations]) == ((), [(0,)])


def test_id_of_no_chunk_is_an_unsupported_citation(verifier: Verifier) -> None:
    for mark, high in (("rent.md::chunk-9::89150e78", 1), ("rent.md::chunk-0::89150e78", 0)):
        result = verifier.verify("", DOCS, f"{RENT} [{mark}].")
        assert [(each.type, each.text) for each in result.warnings] == [("unsupported_citation", f"[{mark}]")] * high
