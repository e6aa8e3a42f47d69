"""What holds for every input, whatever it says?"""

from __future__ import annotations

import copy
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from casefile import load_cases
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from raguard import Config, Document, Verifier, VerifyResult
from raguard.result import SEVERITIES

CALM = settings(
    derandomize=True,
    deadline=None,
    max_examples=60,
    suppress_health_check=[HealthCheck.too_slow],
    database=None,
)
VERIFIER = Verifier()

STATEMENTS = (
    "The lease was signed on February 17, 2023.",
    "The lease was signed on 18 March 2023 by Ingrid Solberg.",
    "Cover ends on 2025-11-06 at 15:30.",
    "Sales peaked in Q2 2022 and fell 6.9% in June.",
    "She was mayor from 2003 to 2009.",
    "The grant is worth $2.4 million, or about €2,200,000.",
    "The tunnel is 2.5 km long and the store is kept at 7 °C.",
    "Nadia Rahimi and Tomas Varga run Velmora Ltd. in Gothenburg, Sweden.",
    "Version 3.11.2 cures the crash OPS-7319.",
    "The depot has 17 drivers, six vans and a dozen trailers.",
    "Visitors may enter the garden every Thursday in May.",
    "limit_seconds: 45; owner: Zoltan Hegedus",
    '{"name": "Harbor Grill", "hours": {"Sunday": "8:0-21:30"}, "WiFi": "free"}',
    "| Tier | Price |\n|---|---|\n| Silver | $35 |\n| Gold | $80 |",
    "- Open **Setup > Rooms**\n- Wait 20 seconds",
    "The documents do not mention Lars Eide.",
    "Studies show that the cream helps with dry skin.",
    "🚀 The start is on May 11.",
    "The fee of $\n59 was paid on Septem-\nber 4 by Anna Lind-\nstrom, a well-\nknown inter\u00ad\nnational lawyer.",
    "1. Intro\n2. Scope [3]\n3. Terms\nPage 7\n",
    "售价49美元，合同于2024年5月4日签署。",
    "The case fits the Zentra 15.",
    "A Zentra 16 costs $80, and the Zentra is light.",
    "The Zentra weighs 16 ounces.",
)
statements = st.sampled_from(STATEMENTS)
passages = st.lists(statements, min_size=1, max_size=4).map(" ".join)
chunk_lists = st.lists(passages, min_size=1, max_size=4)
ODD = (
    "\ud800\udfff\x00\u200b\u200d\u00ad\u202e\ufeff\u0301"
    + "０５％＄中文年月日万元שלום־مرحبا٫ไทย\u2060\u20e3\ufe0f²ﬁ$€%.,:;-–|*_`#[]()\n\t 0123456789"
)
TAGS = (
    "<b>",
    "</b>",
    "<sup>2</sup>",
    "</td><td>",
    '<a href="https://depot.test/9">',
    "</a>",
    "&nbsp;",
    "&#xFF15;",
    "cats",
)
odd_text = st.lists(
    st.one_of(
        st.characters(),
        st.sampled_from(ODD),
        st.sampled_from(TAGS),
        st.characters(categories=["Cs"]),
    ),
    max_size=80,
).map("".join)


def _said(result: VerifyResult) -> list[tuple[Any, ...]]:
    return [(w.severity, w.type, w.text, w.start, w.end, w.rule) for w in result.warnings]


def _unsupported(result: VerifyResult) -> set[tuple[int, int]]:
    return {(fact.start, fact.end) for fact in result.facts if fact.status == "unsupported"}


def _check_consistent(result: VerifyResult, docs: list[str], response: str) -> None:
    counts = {severity: sum(w.severity == severity for w in result.warnings) for severity in SEVERITIES}
    assert result.to_dict()["summary"] == counts
    assert (result.action == "review") == (counts["high"] > 0)
    order = [(SEVERITIES.index(w.severity), w.start) for w in result.warnings]
    assert order == sorted(order)
    for finding in (*result.warnings, *result.facts):
        assert response[finding.start : finding.end] == finding.text
        place = finding.evidence
        assert place is None or docs[place.doc][place.start : place.end] == place.text
    assert all(fact.text for fact in result.facts)
    assert [fact.start for fact in result.facts] == sorted(fact.start for fact in result.facts)


@CALM
@given(query=passages, docs=chunk_lists, response=passages)
def test_result_is_consistent_on_statements(query: str, docs: list[str], response: str) -> None:
    """Spans and evidence are true, the summary counts, and review means a high warning."""
    _check_consistent(VERIFIER.verify(query, docs, response), docs, response)


@CALM
@given(query=odd_text, docs=st.lists(odd_text, max_size=3), response=odd_text)
def test_odd_text_gets_a_consistent_result(query: str, docs: list[str], response: str) -> None:
    """Surrogates, zero-width, full-width, Chinese, Hebrew and Arabic characters never raise."""
    _check_consistent(VERIFIER.verify(query, docs, response), docs, response)


@CALM
@given(docs=chunk_lists, data=st.data())
def test_copied_answer_has_no_high_warning(docs: list[str], data: st.DataObject) -> None:
    """What a chunk says is supported, whatever the other chunks say."""
    response = data.draw(st.sampled_from(docs))
    result = VERIFIER.verify("", docs, response)
    assert [w for w in result.warnings if w.severity == "high"] == []


@CALM
@given(docs=chunk_lists, extra=passages, response=passages)
def test_added_chunk_adds_no_unsupported_fact(docs: list[str], extra: str, response: str) -> None:
    """More evidence can only support more: no statement here has an ambiguous day and month.

    A name that was unsupported may be marked together with its number once a chunk gives it another one.
    """
    before = _unsupported(VERIFIER.verify("", docs, response))
    after = _unsupported(VERIFIER.verify("", [*docs, extra], response))
    assert [span for span in after if not any(span[0] < end and start < span[1] for start, end in before)] == []


@CALM
@given(docs=chunk_lists, response=passages, data=st.data())
def test_chunk_order_does_not_matter(docs: list[str], response: str, data: st.DataObject) -> None:
    """The verdict is the same for every order of the chunks."""
    shuffled = data.draw(st.permutations(docs))
    first, second = VERIFIER.verify("", docs, response), VERIFIER.verify("", shuffled, response)
    assert (first.action, _said(first)) == (second.action, _said(second))


@CALM
@given(query=passages, docs=chunk_lists, response=passages)
def test_same_input_gives_the_same_result(query: str, docs: list[str], response: str) -> None:
    """A second call, with everything cached, and a fresh Verifier say the same."""
    first = VERIFIER.verify(query, docs, response)
    assert VERIFIER.verify(query, docs, response) == first


@CALM
@given(
    docs=st.lists(st.one_of(passages, passages.map(lambda text: Document(text, metadata={"page": [1]})))),
    response=passages,
)
def test_input_is_not_changed(docs: list[str | Document], response: str) -> None:
    """verify() leaves the list, the documents and their metadata as they are."""
    kept = copy.deepcopy(docs)
    VERIFIER.verify("What?", docs, response)
    assert docs == kept


SCRIPT = """
import sys
from casefile import load_cases
from raguard import Config, Verifier
for case in load_cases("dates", "names", "money", "layout", "input_errors", "settings"):
    verifier = Verifier(Config(**case.config))
    print(verifier.verify(case.query, case.docs, case.response, lang=case.lang, history=case.history).to_json())
"""


def _results(hash_seed: str) -> list[Any]:
    environment = os.environ | {
        "PYTHONHASHSEED": hash_seed,
        "PYTHONPATH": str(Path(__file__).parent),
        "PYTHONUTF8": "1",
    }
    done = subprocess.run([sys.executable, "-c", SCRIPT], env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]


def test_hash_seed_does_not_matter() -> None:
    """Two processes with different hash seeds give the same JSON, the ruleset hash included."""
    first, second = _results("1"), _results("4242")
    assert len(first) > 100
    assert first == second


@pytest.mark.parametrize("case", load_cases("chunks", "records"), ids=lambda case: case.id)
def test_verifier_without_a_cache_says_the_same(case: Any) -> None:
    """The cache of chunk readings changes the speed alone."""
    uncached = Verifier(Config(cache_chunks=0))
    assert _said(uncached.verify(case.query, case.docs, case.response)) == _said(
        VERIFIER.verify(case.query, case.docs, case.response)
    )
