"""Does a report show the judged answer as it is, say of every mark what the result says, and let no text break out?"""

from __future__ import annotations

import re
from dataclasses import replace
from html.parser import HTMLParser
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from markdown_it.token import Token

from raguard import CheckedFact, Config, Document, Evidence, Ruleset, Summary, Unchecked, VerifyResult, Warning, verify
from raguard.claims.config import GuardAction
from raguard.claims.scoring import NLILabel
from raguard.claims.verdicts import ChunkRef, ClaimStatus, ClaimVerdict, GuardResult, GuardVerdict
from raguard.report.html import tag
from raguard.report.markdown import escaped
from raguard.report.marks import KINDS, Kind, MarkedSpan, Passage, clip, emphasis, passage, segments, shown
from raguard.report.quoting import quoted, shared_run

QUERY = "What is the Q3 deadline?"
DOCS = [Document("Q2 was delivered on June 15. The budget is $1.5 million.", id="status.md#1"), "Ann Lee leads it."]
RESPONSE = "The deadline is September 30, 2024.\n  Ann Lee has $1.5 million.\n"
ANSWER = "Paris is the capital of France. The moon is made of cheese. Yes."
EVIDENCE = ["Paris is the capital of France, on the Seine.", Document("The moon is made of rock.", id="moon.md")]

HOSTILE = (
    "<script>window.hit=1;alert(1)</script>",
    '"><img src=x onerror="window.hit=1">',
    "</style></title></textarea><svg onload=alert(1)>",
    "<!-- --><iframe src='javascript:alert(1)'></iframe>",
    "&lt;b&gt; &amp;#60; 'single' \"double\" `back`",
    "a\x00b\x1b[31m\x7f\x85 \u202egnp.exe\u2066 \ud800 \r\n\ttab",
    "| a | b |\n|---|---|\n| c | d |",
    "# heading\n=====\n- item\n+ item\n1. one\n2) two\n> quote\n---\n    indented\n```\nfence\n~~~\n",
    "[link](javascript:alert(1)) ![image](http://x/y.png) <http://x> [^1] **bold** _em_ ~~del~~ $x$ {{ x }}",
)


class Page(HTMLParser):
    """What a page holds: its elements, its attributes, and the text of the answer without its notes."""

    def __init__(self, page: str) -> None:
        super().__init__(convert_charrefs=True)
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.answer = ""
        self.text = ""
        self.marked: list[tuple[str, str]] = []
        self._open: list[tuple[str, str]] = []
        self.feed(page)
        self.close()
        assert self._open == []

    def handle_starttag(self, name: str, attrs: list[tuple[str, str | None]]) -> None:
        attributes = dict(attrs)
        self.elements.append((name, attributes))
        if name != "meta":
            self._open.append((name, attributes.get("class") or ""))
        if name == "mark":
            self.marked.append(((attributes["class"] or "").removeprefix("mark "), ""))

    def handle_endtag(self, name: str) -> None:
        assert self._open.pop()[0] == name

    def handle_data(self, data: str) -> None:
        classes = [of for _, of in self._open]
        self.text += data
        if "answer" in classes and not any(of.startswith("note") for of in classes):
            self.answer += data
            if self._open[-1][0] == "mark":
                kind, before = self.marked.pop()
                self.marked.append((kind, before + data))

    def named(self, name: str) -> list[dict[str, str | None]]:
        return [attributes for element, attributes in self.elements if element == name]


def claim(
    text: str, status: ClaimStatus, entailment: float | None = None, *refs: ChunkRef, **more: Any
) -> ClaimVerdict:
    at = ANSWER.find(text)
    place = (at, at + len(text)) if at >= 0 else (None, None)
    label = None if entailment is None else NLILabel.ENTAILMENT if entailment >= 0.5 else NLILabel.NEUTRAL
    verdict = ClaimVerdict(text, status, label, entailment, entailment, status == "supported", *place, refs, "1/2", ())
    return replace(verdict, **more)


def guard_result(*claims: ClaimVerdict, verdict: GuardVerdict = GuardVerdict.FLAGGED, **more: Any) -> GuardResult:
    blocked = sum(claim.status == ClaimStatus.HALLUCINATION_FLAG for claim in claims)
    unchecked = sum(claim.status == ClaimStatus.UNCHECKED for claim in claims)
    reason = f"{blocked} of {len(claims)} claims are not supported."
    result = GuardResult(
        verdict, GuardAction.ANNOTATE, 0.5, len(claims), blocked, unchecked, claims, reason, 0.97, False
    )
    return replace(result, **more)


def moon_result() -> GuardResult:
    """The guard's verdict on ``ANSWER``: one claim supported, one not, one not judged."""
    return guard_result(
        claim("Paris is the capital of France.", ClaimStatus.SUPPORTED, 0.97, ChunkRef(0)),
        claim(
            "The moon is made of cheese.",
            ClaimStatus.HALLUCINATION_FLAG,
            0.03,
            ChunkRef(1, "moon.md"),
            votes="0/2",
            reasons=("new: cheese",),
        ),
        claim("Yes.", ClaimStatus.UNCHECKED, votes="", reasons=("shorter than 12 characters",)),
    )


def hostile_result(text: str) -> tuple[VerifyResult, list[Document]]:
    """A result in which every text that a user can bring in is ``text``."""
    evidence = Evidence(0, text, 0, len(text), text)
    whole = Warning("high", "quote", text, text, 0, len(text), "quote.absent", evidence, pointer=text)
    part = Warning("low", "date", text[1:4], text, 1, 4, "date.echo")
    fact = CheckedFact("name", text[2:9], 2, 9, "supported", evidence)
    gaps = [Unchecked(text, text)]
    result = VerifyResult(
        "review", [whole, part], Summary(high=1, low=1), [fact], gaps, Ruleset("0.1.0", "0123456789abcdef" * 4)
    )
    return result, [Document(text, id=text)]


def hostile_guard(text: str) -> GuardResult:
    refs = (ChunkRef(0, text), ChunkRef(1), ChunkRef(2), ChunkRef(3))
    verdict = ClaimVerdict(
        text, ClaimStatus.HALLUCINATION_FLAG, NLILabel.NEUTRAL, 0.1, 0.1, False, 0, len(text), refs, "0/4", (text,)
    )
    return guard_result(verdict, reason=text)


def tokens(markdown: str) -> list[Token]:
    """Every token of a Markdown text, as CommonMark with tables and strikes reads it."""
    found = MarkdownIt("commonmark").enable(["table", "strikethrough"]).parse(markdown)
    return [inner for token in found for inner in (token, *(token.children or ()))]


# ---- spans and segments


def test_segments_neither_overlap_nor_leave_anything_out() -> None:
    spans = [MarkedSpan(kind="supported", title="", start=2, end=8), MarkedSpan(kind="high", title="", start=4, end=6)]
    assert list(segments(spans, 9)) == [(0, 2, ()), (2, 4, (0,)), (4, 6, (1, 0)), (6, 8, (0,)), (8, 9, ())]
    assert list(segments([], 3)) == [(0, 3, ())]
    assert list(segments([], 0)) == []


def test_segments_know_nothing_of_spans_without_a_place_or_without_extent() -> None:
    spans = [MarkedSpan(kind="high", title=""), MarkedSpan(kind="high", title="", start=1, end=1)]
    assert list(segments(spans, 3)) == [(0, 3, ())]


@given(st.lists(st.tuples(st.integers(0, 20), st.integers(0, 20), st.sampled_from(KINDS)), max_size=8))
def test_every_character_has_exactly_the_spans_that_cover_it(places: list[tuple[int, int, Kind]]) -> None:
    spans = [MarkedSpan(kind=kind, title="", start=min(a, b), end=max(a, b)) for a, b, kind in places]
    found = list(segments(spans, 20))
    assert [at for start, end, _ in found for at in range(start, end)] == list(range(20))
    for start, end, covering in found:
        for at in range(start, end):
            assert set(covering) == {i for i, s in enumerate(spans) if (s.start or 0) <= at < (s.end or 0)}
        ranks = [KINDS.index(spans[index].kind) for index in covering]
        assert ranks == sorted(ranks)


def test_passage_is_cut_at_words_and_says_so() -> None:
    text = "word " * 50 + "4 May 2024" + " word" * 50
    found = passage("document 1", text, 250, 260)
    assert (found.text, found.before[:6], found.after[-6:]) == ("4 May 2024", "…word ", " word…")
    assert passage("document 1", "It closed.", 3, 9) == Passage("document 1", "closed", "It ", ".")


def test_clip_keeps_what_is_short_and_cuts_what_has_no_space() -> None:
    assert clip("a" * 600) == "a" * 600
    assert clip("a" * 601) == "a" * 600 + "…"


def test_shown_makes_controls_visible_and_leaves_letters_of_every_script() -> None:
    assert shown("\x00\x7f\x9b\u202e\u2069\udfff\r") == "⟨U+0000⟩⟨U+007F⟩⟨U+009B⟩⟨U+202E⟩⟨U+2069⟩⟨U+DFFF⟩\n"
    kept = "שלום مرحبا 日本 é \u200d👩‍👩‍👧 \t\n"
    assert shown(kept) == kept


# ---- verify: the page


def test_page_shows_the_answer_word_for_word_and_marks_what_was_checked() -> None:
    page = Page(verify(QUERY, DOCS, RESPONSE).to_html(RESPONSE, DOCS))
    assert page.answer == RESPONSE
    assert page.marked == [("high", "September 30, 2024"), ("supported", "Ann Lee"), ("supported", "$1.5 million")]


def test_page_links_every_warning_to_its_mark_and_back() -> None:
    page = Page(verify(QUERY, DOCS, RESPONSE).to_html(RESPONSE, DOCS))
    ids = [attributes["id"] for _, attributes in page.elements if "id" in attributes]
    assert len(ids) == len(set(ids))
    links = [attributes["href"] for attributes in page.named("a")]
    assert links == ["#row1", "#mark1"]
    assert {link.removeprefix("#") for link in links if link} <= set(ids)
    assert {mark["aria-describedby"] for mark in page.named("mark")} <= set(ids)
    assert [mark["tabindex"] for mark in page.named("mark")] == ["0", "0", "0"]
    assert [mark.get("data-numbers") for mark in page.named("mark")] == ["1", None, None]


def test_page_needs_nothing_from_elsewhere_and_runs_nothing() -> None:
    source = verify(QUERY, DOCS, RESPONSE).to_html(RESPONSE, DOCS)
    page = Page(source)
    assert {"script", "link", "img", "iframe", "object", "form", "base"} & {name for name, _ in page.elements} == set()
    assert not any(key.startswith("on") or key in ("style", "src") for _, at in page.elements for key in at)
    (policy,) = [at["content"] or "" for at in page.named("meta") if at.get("http-equiv") == "Content-Security-Policy"]
    assert re.fullmatch(
        r"default-src 'none'; style-src 'sha256-[\w+/]{43}='; base-uri 'none'; form-action 'none'", policy
    )
    assert "url(" not in source
    assert "@import" not in source


def test_page_tells_verdict_counts_and_rules() -> None:
    result = verify(QUERY, DOCS, RESPONSE)
    text = Page(result.to_html(RESPONSE, DOCS)).text
    assert "Review" in text
    assert "1 high, 0 medium, 0 low" in text
    assert "3 facts checked, 2 supported" in text
    assert f"rules {result.ruleset.version} {result.ruleset.hash[:12]}" in text
    assert "document 1 (status.md#1)" in text
    assert "Every check that is on ran" in text


def test_a_clean_result_has_no_warning_and_is_no_review() -> None:
    result = verify(QUERY, DOCS, "Ann Lee leads it.")
    assert "<h1>Proceed</h1>" in result.to_html("Ann Lee leads it.")
    assert "## Warnings\n\nNone.\n" in result.to_markdown("Ann Lee leads it.")


def test_what_was_not_checked_is_said_in_words() -> None:
    result = verify("", ["Der Vertrag endet."], "Der Vertrag endet.", lang="de")
    assert result.unchecked
    for report in (Page(result.to_html("Der Vertrag endet.")).text, result.to_markdown("Der Vertrag endet.")):
        assert f"{result.unchecked[0].what}: {result.unchecked[0].why}" in report
        assert "Every check that is on ran" not in report


def test_evidence_stands_in_its_context_only_with_the_documents() -> None:
    result = verify(QUERY, DOCS, RESPONSE)
    assert "Q2 was delivered on ⟦June 15⟧. The budget" in result.to_markdown(RESPONSE, DOCS)
    assert "> document 1 (status.md#1): June 15\n" in result.to_markdown(RESPONSE)


def test_documents_may_be_mappings_and_a_result_without_place_is_shown() -> None:
    docs: list[Any] = [{"text": "It closed on 4 May 2024.", "id": "a"}]
    response = "It closed on 9 May 2024."
    assert "on ⟦4 May 2024⟧." in verify("", ["It closed on 4 May 2024."], response).to_markdown(response, docs)
    nothing = verify("", [], response)
    assert "the whole answer" in Page(nothing.to_html(response, [])).text


def test_evidence_from_the_history_names_its_turn() -> None:
    evidence = Evidence(2, None, 0, 5, "a|b c", source="history")
    fact = CheckedFact("name", "Ann", 0, 3, "supported", evidence)
    result = VerifyResult("proceed", [], Summary(), [fact], [], Ruleset("0.1.0", "0" * 64))
    assert "turn 3 of the history" in Page(result.to_html("Ann", [])).text


@pytest.mark.parametrize("response", ["", "The deadline is September 31, 2024.", RESPONSE.lower()])
def test_another_response_is_refused_without_being_quoted(response: str) -> None:
    result = verify(QUERY, DOCS, RESPONSE)
    expected = r"response is not the text that was judged: warning 1 \(date.unsupported\) is not at 16-34 of it; pass"
    for report in (result.to_html, result.to_markdown):
        with pytest.raises(ValueError, match=expected) as caught:
            report(response)
        assert "2024" not in str(caught.value)


def test_other_documents_are_refused() -> None:
    result = verify(QUERY, DOCS, RESPONSE)
    for docs in ([], ["Another text."], [None]):
        with pytest.raises(
            ValueError, match="docs are not the documents that were judged: evidence is not at 20-27 of"
        ):
            result.to_html(RESPONSE, docs)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="response must be the text that was judged, not bytes"):
        result.to_html(b"x")  # type: ignore[arg-type]


# ---- the guard: the page


def test_guard_page_marks_every_claim_by_what_was_found() -> None:
    page = Page(moon_result().to_html(ANSWER, EVIDENCE))
    assert page.answer == ANSWER
    assert page.marked == [
        ("supported", "Paris is the capital of France."),
        ("flagged", "The moon is made of cheese."),
        ("unchecked", "Yes."),
    ]
    for told in (
        "1 of 3 claims unsupported",
        "threshold 0.5",
        "risk 0.97",
        "action annotate",
        "entailment 0.03",
        "new: cheese",
        "label neutral, votes 0/2",
        "passage 2 (moon.md)",
        "The moon is made of rock.",
        "1 claim (no. 3): shorter than 12 characters",
    ):
        assert told in page.text


def test_guard_page_without_the_answer_lists_the_claims_alone() -> None:
    page = Page(moon_result().to_html())
    assert page.answer == ""
    assert page.named("mark") == page.named("a") == []
    assert "The moon is made of cheese." in page.text
    assert "The moon is made of rock." not in page.text
    assert "## Answer" not in moon_result().to_markdown()


def test_a_claim_that_the_answer_does_not_hold_is_listed_without_a_link() -> None:
    page = Page(guard_result(claim("The moon is cheese.", ClaimStatus.HALLUCINATION_FLAG, 0.1)).to_html(ANSWER))
    assert page.marked == []
    assert "The answer does not hold this claim word for word." in page.text


def test_guard_verdicts_have_their_tone() -> None:
    unsure = guard_result(claim("Yes.", ClaimStatus.UNCHECKED), degraded=True)
    clean = guard_result(verdict=GuardVerdict.PASS)
    idle = guard_result(degraded=True, reason="Nothing was checked.")
    pages = [result.to_html(ANSWER) for result in (moon_result(), unsure, clean, idle)]
    tones = [str(Page(page).named("header")[0]["class"]) for page in pages]
    assert tones == ["bad", "unsure", "good", "unsure"]
    assert "Every claim was judged." in pages[2]
    assert "1 claim (no. 1): no reason was given" in pages[1]
    assert "<li>Nothing was checked.</li>" in pages[3]


def test_the_answer_that_the_guard_returned_is_refused() -> None:
    redacted = ANSWER.replace("The moon is made of cheese.", "[removed]")
    with pytest.raises(ValueError, match="answer is not the text that was checked: claim 2 is not at 32-59 of it"):
        moon_result().to_html(redacted)
    with pytest.raises(ValueError, match="answer must be the text that was checked, not bytes"):
        moon_result().to_html(b"x")  # type: ignore[arg-type]


def test_other_evidence_is_refused() -> None:
    with pytest.raises(ValueError, match="it has 1 passages, and a claim rests on passage 2"):
        moon_result().to_html(ANSWER, EVIDENCE[:1])
    with pytest.raises(ValueError, match="passage 2 bears another id"):
        moon_result().to_markdown(ANSWER, [EVIDENCE[0], Document("x", id="other.md")])


@pytest.mark.parametrize("given", [5, iter(EVIDENCE), {"a": "b"}, set("ab"), "ab", b"ab", (entry for entry in "ab")])
def test_what_is_no_sequence_of_passages_is_refused(given: Any) -> None:
    kind = type(given).__name__
    for write in (moon_result().to_html, moon_result().to_markdown):
        with pytest.raises(ValueError, match=f"^evidence must be a list of what was given, .*, not {kind}$"):
            write(ANSWER, given)
    result = verify(QUERY, DOCS, RESPONSE)
    for tell in (result.to_html, result.to_markdown):
        with pytest.raises(ValueError, match=f"^docs must be a list of what was given, .*, not {kind}$"):
            tell(RESPONSE, given)


def test_a_sequence_of_any_kind_is_evidence() -> None:
    assert moon_result().to_html(ANSWER, tuple(EVIDENCE)) == moon_result().to_html(ANSWER, EVIDENCE)


@pytest.mark.parametrize(
    ("verdict", "title"), [(GuardVerdict.BLOCKED, "Answer as given"), (GuardVerdict.FLAGGED, "Answer")]
)
def test_an_answer_that_was_cut_is_headed_as_it_was_given(verdict: GuardVerdict, title: str) -> None:
    result = replace(moon_result(), verdict=verdict)
    assert f'<h2 id="answer">{title}</h2>' in result.to_html(ANSWER)
    assert f"\n## {title}\n" in result.to_markdown(ANSWER)


def test_words_between_asterisks_are_emphasis_in_both_reports() -> None:
    reasons = ("new: *made of <b>cheese*", "*moon* is new")
    told = guard_result(claim("Yes.", ClaimStatus.HALLUCINATION_FLAG, 0.1, reasons=reasons))
    assert "<p>new: <em>made of &lt;b&gt;cheese</em></p><p>*moon* is new</p>" in told.to_html(ANSWER)
    assert "\n   new: *made of \\<b\\>cheese*\n\n   \\*moon\\* is new\n" in told.to_markdown(ANSWER)
    assert sum(token.type == "em_open" for token in tokens(told.to_markdown())) == 1


def test_emphasis_that_was_cut_short_stays_emphasis() -> None:
    assert emphasis("new: *made of…") == ("new: ", "made of…")
    assert emphasis("new: * x*") is emphasis("new: **") is emphasis("*x*") is None


def test_what_speaks_against_a_supported_claim_is_called_a_weak_point() -> None:
    reasons = ("new: *located*", "it claims nothing")
    told = guard_result(claim("Yes.", ClaimStatus.SUPPORTED, 0.9, reasons=reasons)).to_html()
    assert "<p>weak point, new: <em>located</em></p><p>it claims nothing</p>" in told
    assert "weak point" not in guard_result(claim("Yes.", ClaimStatus.UNCHECKED, reasons=reasons)).to_html()


def test_a_long_passage_is_quoted_where_the_claim_rests() -> None:
    text = "Pets are welcome in the garden. " * 40 + "The moon is made of rock. " + "Parking is free. " * 40
    result = guard_result(claim("The moon is made of cheese.", ClaimStatus.HALLUCINATION_FLAG, 0.1, ChunkRef(0)))
    assert "garden. ⟦The moon is made of⟧ rock. Parking" in result.to_markdown(ANSWER, [text])
    assert "<b>The moon is made of</b> rock. Parking" in result.to_html(ANSWER, [text])
    assert quoted("a", text, "Zanzibar exports cloves.") == Passage("a", clip(text))
    assert quoted("a", text[-600:], "Parking is free.") == Passage("a", text[-600:])


@pytest.mark.parametrize(
    ("claim", "text", "run"),
    [
        ("Rent is 900.", "the RENT, is\n900 euros", "RENT, is\n900"),
        ("of the of the moon", "of the moon and of the of the moon", "of the of the moon"),
        ("Straße", "eine STRASSE und eine Straße", "STRASSE"),
        ("a b c", "a b c", None),
        ("", "text", None),
        ("text", "", None),
    ],
)
def test_the_longest_run_of_shared_words_is_found(claim: str, text: str, run: str | None) -> None:
    found = shared_run(claim, text)
    assert (None if found is None else text[found[0] : found[1]]) == run


def test_more_passages_than_fit_are_folded_away() -> None:
    many = claim("Yes.", ClaimStatus.SUPPORTED, 0.9, *map(ChunkRef, range(5)))
    page = Page(guard_result(many).to_html(ANSWER))
    assert "3 more" in page.text
    assert len(page.named("details")) == 2
    assert "and 2 more" in guard_result(many).to_markdown(ANSWER)


# ---- Markdown


def test_markdown_reads_as_a_report() -> None:
    assert moon_result().to_markdown(ANSWER, EVIDENCE).splitlines() == [
        "# Flagged",
        "",
        "1 of 3 claims are not supported.",
        "",
        "1 of 3 claims unsupported · 1 unchecked · threshold 0.5 · risk 0.97 · action annotate",
        "",
        "## Answer",
        "",
        "> Paris is the capital of France. ⟦The moon is made of cheese.⟧² ⟦Yes.⟧³  ",
        "",
        "⟦Brackets⟧ hold what is not known to be supported, with its number below.",
        "",
        "## Claims",
        "",
        "1. **Supported** · entailment 0.97: “Paris is the capital of France.”",
        "",
        "   > passage 1: Paris is the capital of France, on the Seine.",
        "",
        "   label entailment, votes 1/2",
        "",
        "2. **Unsupported** · entailment 0.03: “The moon is made of cheese.”",
        "",
        "   new: cheese",
        "",
        "   > passage 2 (moon.md): The moon is made of rock.",
        "",
        "   label neutral, votes 0/2",
        "",
        "3. **Unchecked** · not judged: “Yes.”",
        "",
        "   shorter than 12 characters",
        "",
        "## Not checked",
        "",
        "- 1 claim (no. 3): shorter than 12 characters",
        "",
        moon_result().to_markdown().splitlines()[-1],
    ]


def test_markdown_keeps_lines_and_spaces_of_the_answer() -> None:
    result = verify(QUERY, DOCS, RESPONSE)
    assert "\n> \u00a0\u00a0Ann Lee has \\$1.5 million.  \n>\n" in result.to_markdown(RESPONSE)


def test_brackets_nest() -> None:
    text = "abcdef"
    whole = Warning("high", "quote", text, "No.", 0, 6, "quote.absent")
    part = Warning("low", "name", "cd", "No.", 2, 4, "name.echo")
    result = VerifyResult("review", [whole, part], Summary(1, 0, 1), [], [], Ruleset("0", "0" * 64))
    assert "> ⟦ab⟦cd⟧²ef⟧¹  \n" in result.to_markdown(text)
    assert Page(result.to_html(text)).marked == [("high", "ab"), ("high", "cd"), ("high", "ef")]


def test_escaped_leaves_plain_words_alone() -> None:
    assert escaped("Ann-Lee's 1.5 (approx.) co. at 10:30, see www: #4!") == (
        "Ann-Lee's 1.5 (approx.) co. at 10:30, see www: #4!"
    )
    assert escaped("http://x www.x") == r"http\://x www\.x"


# ---- hostile text


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_text_stays_text_in_a_page(text: str) -> None:
    result, docs = hostile_result(text)
    pages = [result.to_html(text, docs), result.to_html(text), hostile_guard(text).to_html(text, [text] * 4)]
    plain, _ = hostile_result("x" * len(text))
    calm = {name for name, _ in Page(plain.to_html("x" * len(text))).elements} | {"details", "summary"}
    for source in pages:
        page = Page(source)
        assert page.answer == shown(text)
        assert {name for name, _ in page.elements} <= calm
        assert not any(key.startswith("on") for _, attributes in page.elements for key in attributes)
        source.encode("utf-8")
        assert not re.search("[\0-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]", source)


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_text_stays_text_in_markdown(text: str) -> None:
    result, docs = hostile_result(text)
    reports = [result.to_markdown(text, docs), hostile_guard(text).to_markdown(text, [text] * 4)]
    ours = {"paragraph", "heading", "blockquote", "ordered_list", "bullet_list", "list_item", "strong"}
    plain = {*(f"{name}_{side}" for name in ours for side in ("open", "close")), "inline", "text", "hardbreak"}
    for report in reports:
        read = tokens(report)
        assert {token.type for token in read} <= plain | {"softbreak", "text_special"}
        assert [token.tag for token in read if token.type == "heading_open"] == ["h1", "h2", "h2", "h2"]
        assert sum(token.type == "strong_open" for token in read) == len(re.findall(r"^\d+\. \*\*", report, re.M))
        report.encode("utf-8")
        assert not re.search("[\0-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]", report)


@pytest.mark.parametrize("text", HOSTILE)
def test_markdown_shows_hostile_text_as_it_is(text: str) -> None:
    (paragraph,) = [token for token in MarkdownIt("commonmark").parse(f"x{escaped(text)}") if token.type == "inline"]
    words = "".join(token.content for token in paragraph.children or ())
    assert words == "x" + " ".join(shown(text).split())


@given(st.text())
def test_any_text_stays_text(text: str) -> None:
    assert Page(tag("p", text, title=text)).text == shown(text)
    assert {token.type for token in tokens("x" + escaped(text))} <= {
        *("paragraph_open", "paragraph_close", "inline", "text", "text_special"),
    }


@given(st.text(alphabet="#=-+:*_>|~`0123456789.) \t\nab", max_size=40))
def test_no_line_of_an_answer_opens_a_block(text: str) -> None:
    result = VerifyResult("proceed", [], Summary(), [], [], Ruleset("0", "0" * 64))
    read = [token.type for token in tokens(result.to_markdown(text))]
    assert {"fence", "code_block", "hr", "table_open", "bullet_list_open", "ordered_list_open"} & set(read) == set()
    assert read.count("heading_open") == 4
    assert read.count("blockquote_open") == 1


def test_a_long_answer_of_many_facts_makes_a_page() -> None:
    response = "It closed on 9 May 2024 for $7. " * 1_500 + "and so on " * 15_000
    docs = ["It closed on 4 May 2024 for $7. " + "and so on " * 15_000]
    result = verify("", docs, response, config=Config(checks=("unsupported_values",)))
    assert len(result.warnings) == 1_500
    page = result.to_html(response, docs)
    assert page.count("<mark ") == len(result.facts) == 3_000
    assert len(page) < 5_000_000
    assert result.to_markdown(response, docs).count("**High**") == 1_500
