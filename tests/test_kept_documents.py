"""What does a Verifier keep of documents, and is every verdict the same as without it?"""

from __future__ import annotations

from typing import Any

import pytest
from casefile import Case, load_cases

from raguard import Config, Document, Verifier, VerifyResult
from raguard.evidence import chunk as chunks
from raguard.evidence.given import identity
from raguard.guard import Given, admit

DOCS = ["The audit closed on 4 May 2024.", Document("The fee is $40.", id="fees.md"), "Rot 5 | Blau 7"]


def _verify(verifier: Verifier, case: Case) -> VerifyResult:
    return verifier.verify(case.query, case.docs, case.response, lang=case.lang, history=case.history)


def test_prepared_documents_change_no_result() -> None:
    """Prepared, asked before, or new: each case of the data files gets the same result."""
    cases = [case for case in load_cases() if not case.config][::7]
    fresh, kept = Verifier(Config(cache_chunks=0)), Verifier()
    for case in cases:
        kept.prepare(case.docs, query=case.query, lang=case.lang, history=case.history)
    for case in cases:
        expected = _verify(fresh, case)
        assert [_verify(kept, case), _verify(kept, case)] == [expected, expected], case.name


def test_prepare_counts_the_chunks_that_are_ready() -> None:
    """Blank documents are no chunks, the result of a tool is one."""
    history = [{"role": "tool", "content": "42 open tickets"}, {"role": "user", "content": "And now?"}]
    assert Verifier().prepare([*DOCS, " "]) == 3
    assert Verifier().prepare(DOCS, history=history) == 4
    assert Verifier(Config(cache_chunks=0)).prepare(DOCS) == 0
    assert Verifier(Config(cache_chars=0)).prepare(DOCS) == 0


@pytest.mark.parametrize("docs", [None, "one text", [], [3], [" "], ["\ud800"], {"a": 1}])
def test_prepare_leaves_faults_to_verify(docs: Any) -> None:
    """What is no list of documents is nothing to prepare; ``verify`` says what is wrong with it."""
    verifier = Verifier()
    assert verifier.prepare(docs) == (1 if docs == ["\ud800"] else 0)
    assert verifier.verify("When?", docs, "On 9 May 2024.").warnings[0].type == "input_error"


def test_prepared_chunks_are_not_read_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """An answer over prepared documents reads nothing but itself, whatever its language."""
    verifier = Verifier()
    verifier.prepare(
        ["The audit closed on 4 May 2024, as the board has said.", "Der Preis ist nach der Prüfung 5 Euro."]
    )
    monkeypatch.setattr(chunks.Reading, "__init__", None)
    assert verifier.prepare(["Der Preis ist nach der Prüfung 5 Euro."], lang="de") == 1


def test_a_text_given_twice_is_read_once_also_where_nothing_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two documents of one text, and a question that is the same again, share a reading within the call."""
    read: list[str] = []
    init = chunks.Reading.__init__

    def counting(self: Any, source: str, *rest: Any) -> None:
        read.append(source)
        init(self, source, *rest)

    monkeypatch.setattr(chunks.Reading, "__init__", counting)
    verifier = Verifier(Config(cache_chunks=0))
    verifier.verify(DOCS[0], [DOCS[0], DOCS[0], DOCS[2]], "It closed on 4 May 2024.")
    assert sorted(read) == sorted([DOCS[0], DOCS[2]])
    verifier.verify("When?", [DOCS[0]], "It closed on 4 May 2024.")
    assert len(read) == 4


def test_forget_drops_everything() -> None:
    """Nothing of a text is left."""
    verifier = Verifier()
    verifier.prepare(DOCS, query="When?")
    builder = verifier._builder
    assert (len(builder._gathered), len(builder._readings)) == (1, 5)
    verifier.forget()
    assert (len(builder._gathered), len(builder._readings)) == (0, 0)


def test_sets_are_bounded_by_their_number() -> None:
    """Of three sets the last two are kept, and none where the config says so."""
    verifier, keeping_none = Verifier(Config(cache_sets=2)), Verifier(Config(cache_sets=0))
    for number in range(3):
        verifier.prepare([f"Text {number}"])
        keeping_none.prepare([f"Text {number}"])
    assert (len(verifier._builder._gathered), len(keeping_none._builder._gathered)) == (2, 0)


def _identity(*docs: object) -> object:
    admitted = admit(Given("", list(docs), ""), Config(), frozenset())
    return identity(admitted.retrieved, admitted.told)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (Document("A", id="a"), Document("A")),
        (Document("A", metadata={"page": 1}), Document("A", metadata={"page": True})),
        (Document("A", metadata={"page": 1}), Document("A", metadata={"page": 1.0})),
        (Document("A", metadata={"page": 1}), Document("A", metadata={"page": "1"})),
        (Document("A", metadata={"title": "B"}), Document("A", metadata={"name": "B"})),
    ],
)
def test_documents_that_may_be_cited_otherwise_are_others(one: Document, other: Document) -> None:
    """Only documents by which the same answers can be judged share what is gathered."""
    assert _identity(one) == _identity(one)
    assert _identity(one) != _identity(other)
    assert _identity("B", one) != _identity(one, "B")
    assert _identity(" ", one) != _identity(one)


def test_what_an_answer_cannot_cite_makes_no_other_document() -> None:
    """A score or a list in the metadata says nothing to an answer."""
    plain, scored = Document("A", metadata={"page": 1}), Document("A", metadata={"page": 1, "score": 0.3, "url": ["u"]})
    assert _identity(plain) == _identity(scored)


def test_metadata_is_taken_when_it_is_given() -> None:
    """A caller who changes the metadata afterwards changes no kept documents."""
    metadata = {"page": 3}
    verifier = Verifier()
    verifier.prepare([Document("The fee is $40.", id="fees.pdf", metadata=metadata)])
    metadata["page"] = 4
    doc = Document("The fee is $40.", id="fees.pdf", metadata={"page": 3})
    answer = "The fee is $40 [fees.pdf, p. 3]."
    assert verifier.verify("?", [doc], answer) == Verifier().verify("?", [doc], answer)
