"""Where do supported names stand?"""

from __future__ import annotations

import pytest

from raguard import verify


@pytest.mark.parametrize(
    ("document", "answer", "place"),
    [
        ("The inn is called WildWood.", "It was the Wild-Wood that burned.", "WildWood"),
        ('{"BusinessParking": true}', "Parking is there.", "Parking"),
        ("The customer complained.", "Customers complained.", "customer"),
        ("XK&E named a CEO.", "So says XK&E's CEO.", "XK&E named a CEO"),
        ("The UN sent Zoltan Hegedus.", "It sent Hegedus from the United Nations.", "UN"),
    ],
)
def test_a_supported_name_has_evidence(document: str, answer: str, place: str) -> None:
    """A name in another form than the documents' one is shown with theirs."""
    facts = [fact for fact in verify("?", [document], answer).facts if fact.kind == "name"]
    assert [fact.status for fact in facts] == ["supported"] * len(facts)
    assert place in [fact.evidence.text for fact in facts if fact.evidence is not None]
    assert all(fact.evidence is not None for fact in facts)
