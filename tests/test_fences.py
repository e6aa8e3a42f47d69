"""Which lines are fenced code? What a reader of rendered Markdown sees as prose never is."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from raguard import Verifier
from raguard.claims import GuardAction, GuardConfig, HallucinationGuard
from raguard.streaming import Withheld
from raguard.text.fences import Fenced, FenceReader, fenced, may_begin_fence

VERIFIER = Verifier()
DOCS = ["The lease began on 4 May 2024."]
WRONG = "It began on 9 May 2024."


def spans(text: str) -> list[tuple[str, bool]]:
    return [(text[block.start : block.end], block.is_code) for block in fenced(text)]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("a\n```py\nx\n```\nb", [("```py\nx\n```", True)]),
        ("a\n~~~\nx\n```\n~~~~\nb", [("~~~\nx\n```\n~~~~", True)]),
        ("```\nx", [("```\nx", True)]),
        ("```py\r\nx\r\n```\r\nb", [("```py\r\nx\r\n```\r", True)]),
        # on the mark of an item, and within items
        ("1. ```sh\n   x\n   ```\n2. b", [("```sh\n   x\n   ```", True)]),
        ("- a\n\n  ```\n  x\n  ```\n  b", [("  ```\n  x\n  ```", True)]),
        ("* a\n  * b\n    ```js\n    x\n    ```\n* c", [("    ```js\n    x\n    ```", True)]),
        ("• a\n    ```\n    x\n    ```\nb", [("    ```\n    x\n    ```", True)]),
        # code ends with the item and the quotation that it stands in
        ("1. ```sh\n   x\n2. b", [("```sh\n   x", True)]),
        ("1. ```sh\n   x\n\nb", [("```sh\n   x\n", True)]),
        ("1. ```\n```\n```\nb", [("```\n```\n```", False)]),
        ("> ```\n> x\n\nb", [("> ```\n> x", True)]),
        ("- > ```\n  > x\n  > ```\n- b", [("```\n  > x\n  > ```", True)]),
        ("> ```\n> x\n\n```py\ny\n```\nb", [("> ```\n> x", True), ("```py\ny\n```", True)]),
        # carelessly written, and still closed
        ("1. ```sh\nx\n   ```\n2. b", [("```sh", False), ("   ```", False)]),
        ("1. ```py\n   x\n\ny\n   ```\n2. b", [("```py\n   x\n", True), ("   ```", False)]),
        ("> ```\n> x\n```\nb", [("> ```\n> x\n```", True)]),
        # prose in a fence of its own
        ("```markdown\na\n```", [("```markdown", False), ("```", False)]),
        ("~~~ Text\na\n```py\nx\n```\nb\n~~~\nc", [("~~~ Text", False), ("```py\nx\n```", True), ("~~~", False)]),
        # no fences
        ("```git pull``` updates it.\nb", []),
        ("a\n    ```\nb\n    ```\nc", []),
        ("a ```\nb\n``` c", [("``` c", False)]),
        ("``\nb\n``", []),
        ("The rent is $900. ~~~ There is a pool.", []),
    ],
)
def test_code_is_told_from_prose(text: str, found: list[tuple[str, bool]]) -> None:
    assert spans(text) == found


_FENCES = ["```", "```py", "````", "~~~", "\t```", "1. ```", "2. ```", "> ```", "> - ```", "```a``` b"]
_OTHERS = ["prose", "", "- item", "-", "-  a", "10. a", "+ b", "> said", "# h", "* * *", "---", "\tprose", "| a |"]
LINES = st.sampled_from(_FENCES + _OTHERS)
INDENTED = st.tuples(st.integers(0, 5), LINES).map(lambda pair: " " * pair[0] + pair[1])


@settings(max_examples=500, derandomize=True, deadline=None)
@given(st.lists(INDENTED, max_size=9))
def test_a_line_that_renders_as_prose_is_never_taken_for_code(lines: list[str]) -> None:
    numbered = [
        f"{line} w{number}" if line.strip() in ("prose", "- item") else line for number, line in enumerate(lines)
    ]
    text = "\n".join(numbered)
    rendered = [token for token in MarkdownIt("commonmark").parse(text) if token.type == "inline"]
    hidden = [text[block.start : block.end] for block in fenced(text) if block.is_code]
    prose = {
        word for token in rendered for word in token.content.split() if word.startswith("w") and word[1:].isdigit()
    }
    assert not [word for block in hidden for word in block.split() if word in prose]


@given(st.lists(INDENTED, max_size=9))
def test_spans_are_those_of_the_lines(lines: list[str]) -> None:
    text, reader = "\n".join(lines), FenceReader()
    kinds = [reader.read(line) for line in text.split("\n")]
    found = fenced(text) if "```" in text or "~~~" in text else []
    starts = [sum(len(line) + 1 for line in lines[:number]) for number in range(len(lines))]
    within = [
        any(each.start < start + len(line) <= each.end for each in found)
        for start, line in zip(starts, lines, strict=True)
    ]
    assert [held for held, line in zip(within, lines, strict=True) if line] == [
        kind != "text" for kind, line in zip(kinds, lines, strict=False) if line
    ]


def test_the_beginning_of_a_line_may_be_a_fence() -> None:
    assert [may_begin_fence(line) for line in ("```git", "  > 1. ~~~", "a ```", "``", "")] == [
        True,
        True,
        False,
        False,
        False,
    ]


@pytest.mark.parametrize(
    "before",
    [
        "1. ```sh\n   make\n   ```\n2. ",
        "> ```\n> make\n\n",
        "```ls``` lists it.\n",
        "Run it.\n    ```\n",
        "```markdown\n",
    ],
)
def test_what_stands_behind_a_fence_is_judged_everywhere(before: str) -> None:
    answer = before + WRONG
    place = answer.index("9 May 2024")
    told = VERIFIER.verify("When?", DOCS, answer)
    assert [warning.start for warning in told.warnings if warning.severity == "high"] == [place]
    result, shown = HallucinationGuard(config=GuardConfig(action=GuardAction.BLOCK)).check_sync(None, answer, DOCS)
    assert result.verdict.value == "blocked"
    assert "9 May" not in shown
    stream = VERIFIER.stream("When?", DOCS, on_review="block")
    events = [event for token in answer.split(" ") for event in stream.feed(f"{token} ")] + stream.finish()
    assert [event.start <= place < event.end for event in events if isinstance(event, Withheld)][:1] == [True]
    assert "9 May" not in events[-1].shown  # type: ignore[union-attr]


def test_an_answer_of_nothing_but_code_was_not_checked() -> None:
    told = VERIFIER.verify("When?", DOCS, f"```py\n{WRONG}\n```\n")
    assert told.action == "proceed"
    assert [(gap.what, gap.why) for gap in told.unchecked if gap.what in ("code", "everything")] == [
        ("code", "fenced code blocks are no claims"),
        ("everything", "all of the answer is fenced code"),
    ]
    assert "everything" not in [gap.what for gap in VERIFIER.verify("When?", DOCS, "Run:\n```py\nx\n```").unchecked]


def test_a_block_is_told_with_its_place() -> None:
    assert fenced("- ```\n  x") == [Fenced(2, 9, is_code=True)]
