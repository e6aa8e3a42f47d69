"""Are unsupported claims cut out exactly, and does the Markdown around them stay whole?"""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from raguard.claims import BLOCK_NOTICE, REDACTION_MARKER
from raguard.claims.actions import redacted
from raguard.claims.extraction import place

M = REDACTION_MARKER
MARKDOWN = MarkdownIt("commonmark").enable(["table", "strikethrough"])


def cut(answer: str, *claims: str) -> str:
    """The answer without the first occurrence of each claim."""
    places = [(answer.index(claim), len(claim)) for claim in claims]
    return redacted(answer, [(start, start + length) for start, length in places])


def test_a_span_is_cut_and_nothing_else_moves() -> None:
    assert cut("It is old.  Mice fly.\n\nIt rains.", "Mice fly.") == f"It is old.  {M}\n\nIt rains."
    assert redacted("It is old.", []) == "It is old."
    assert redacted("It is old.", [(3, 3)]) == "It is old."


def test_claims_with_only_white_space_between_them_are_one_run() -> None:
    assert cut("It is old. Mice fly.\nFish run. It rains.", "Mice fly.", "Fish run.") == f"It is old. {M} It rains."
    assert cut("It is old. Mice fly. It rains. Fish run.", "Mice fly.", "Fish run.") == f"It is old. {M} It rains. {M}"


@pytest.mark.parametrize("mark", ["", "# ", "###### ", "- ", "1. ", "> ", "> > ", "> - ", "- # "])
def test_blank_lines_part_runs_so_that_no_text_changes_its_block(mark: str) -> None:
    answer = f"{mark}Mice fly.\n\nFish run. It rains."
    assert cut(answer, "Mice fly.", "Fish run.") == f"{mark}{M}\n\n{M} It rains."
    assert cut(answer, "Mice fly.\n\nFish run.") == f"{mark}{M}\n\n{M} It rains."


@pytest.mark.parametrize(
    ("answer", "claims", "shown"),
    [
        ("# Mice fly\nFish run. It rains.", ["Mice fly", "Fish run."], f"# {M}\n{M} It rains."),
        ("#Mice fly\nFish run. It rains.", ["#Mice fly", "Fish run."], f"{M} It rains."),
        ("- ## Mice fly\r\n  Fish run. So.", ["Mice fly", "Fish run."], f"- ## {M}\r\n  {M} So."),
        ("- Mice fly.\n  Fish run. So.", ["Mice fly.", "Fish run."], f"- {M} So."),
        ("# Mice fly.\n\nFish run\n======", ["Mice fly."], f"# {M}\n\nFish run\n======"),
        ("# Mice fly.\n\nFish run\n======", ["Mice fly.", "Fish run"], f"# {M}\n\n{M}\n======"),
        ("Mice fly\n---\nFish run. So.", ["Mice fly\n---\nFish run."], f"{M}\n---\n{M} So."),
        ("Mice fly -- Fish run. So.", ["Mice fly -- Fish run."], f"{M} So."),
        ("Mice fly.\n> Fish run. So.", ["Mice fly.\n> Fish run."], f"{M}\n> {M} So."),
        ("> Mice fly,\n> fish run. So.", ["Mice fly,\n> fish run."], f"> {M} So."),
        ("> Mice fly.\n>\n> Fish run. So.", ["Mice fly.\n>\n> Fish run."], f"> {M}\n>\n> {M} So."),
        ("<div>\n# Mice fly\n\nFish run. So.\n</div>", ["Mice fly", "Fish run."], f"<div>\n# {M}\n\n{M} So.\n</div>"),
    ],
)
def test_the_borders_of_blocks_part_runs(answer: str, claims: list[str], shown: str) -> None:
    assert cut(answer, *claims) == shown


def test_spans_that_overlap_are_one_run() -> None:
    assert redacted("Mice fly high. It rains.", [(0, 8), (5, 14), (0, 8)]) == f"{M} It rains."


@pytest.mark.parametrize(
    ("answer", "claims", "shown"),
    [
        ("- Mice fly.\n- It rains.", ["Mice fly."], f"- {M}\n- It rains."),
        ("- Mice fly.\n- Fish run.", ["Mice fly.", "Fish run."], f"- {M}\n- {M}"),
        ("1. It rains.\n   - Mice fly.\n2) Fish run.", ["Mice fly.", "Fish run."], f"1. It rains.\n   - {M}\n2) {M}"),
        ("* [ ] Mice fly.", ["* [ ] Mice fly."], f"* [ ] {M}"),
        ("> - Mice fly.\n> - It rains.", ["Mice fly."], f"> - {M}\n> - It rains."),
        ("- It rains. Mice\n- fly. It snows.", ["Mice\n- fly."], f"- It rains. {M}\n- {M} It snows."),
        ("## Mice fly\n\nIt rains.", ["## Mice fly"], f"## {M}\n\nIt rains."),
        ("In 1999. Mice fly.", ["In 1999. Mice fly."], M),
    ],
)
def test_marks_of_items_and_headings_stay(answer: str, claims: list[str], shown: str) -> None:
    assert cut(answer, *claims) == shown


@pytest.mark.parametrize(
    ("answer", "claims", "shown"),
    [
        ("| a | b |\n|---|:-:|\n| x | y |", ["x"], f"| a | b |\n|---|:-:|\n| {M} | y |"),
        ("| a | b |\n|---|---|\n| x | y |\n| z | u |", ["x | y"], f"| a | b |\n|---|---|\n| {M} |  |\n| z | u |"),
        ("| a | b |\n|---|---|\n| x | y |\n| z | u |", ["x", "z"], f"| a | b |\n|---|---|\n| {M} | y |\n| {M} | u |"),
        ("| a |\n|---|\n| x |\n| z |", ["x |\n| z"], f"| a |\n|---|\n| {M} |\n| {M} |"),
        ("a | b\n--|--\nx | y", ["x", "y"], f"a | b\n--|--\n{M} | "),
        ("Mice fly.\n\n| x | y |", ["Mice fly.", "x"], f"{M}\n\n| {M} | y |"),
        ("It is a | b. Mice fly.", ["It is a | b."], f"{M} Mice fly."),
    ],
)
def test_borders_of_table_cells_stay(answer: str, claims: list[str], shown: str) -> None:
    assert cut(answer, *claims) == shown


@pytest.mark.parametrize(
    ("answer", "claim", "shown"),
    [
        ("**It rains. Mice fly.** So.", "Mice fly.", f"**It rains. {M}** So."),
        ("It **rains. Mice fly.** So.", "Mice fly.** So.", f"It {M}"),
        ("The **mice fly.** So.", "The **mice fly.", f"{M} So."),
        ("***Big* mice fly.** So.", "mice fly.", f"***Big* {M}** So."),
        ("***Big* mice fly.** So.", "Big* mice fly.", f"**{M}** So."),
        ("A snake_case_name. Mice fly.", "name. Mice", f"A snake_case_{M} fly."),
        ("2 * 3 * 4. Mice fly.", "3 * 4. Mice", f"2 * {M} fly."),
        ("So ~~mice fly. Fish~~ run.", "mice fly. Fish~~ run.", f"So {M}"),
        ("Run `mice fly` now.", "mice", f"Run `{M} fly` now."),
        ("Run `mice fly` now. So.", "fly` now.", f"Run {M} So."),
        ("Run ``a ` fly`` now. So.", "fly`` now.", f"Run {M} So."),
        ("See [mice fly](http://a.b/c) now.", "mice", f"See [{M} fly](http://a.b/c) now."),
        ("See [mice](http://a.b/c) now. So.", "c) now.", f"See {M} So."),
        ("See ![mice][1] now. So.", "mice][1] now.", f"See {M} So."),
        ("See [![mice](a.png)](b) now. So.", "b) now.", f"See {M} So."),
        ("At https://a.b/mice/fly?q, so.", "mice", f"At {M}, so."),
        ("At <https://a.b/mice>, so.", "mice", f"At {M}, so."),
        ("So <b>mice</b> fly. Yes.", "mice</b> fly.", f"So {M} Yes."),
        ("So <b>mice</b> fly. Yes.", "mice", f"So <b>{M}</b> fly. Yes."),
        ("So 3 < 4 > 2. Yes.", "4 > 2.", f"So 3 < {M} Yes."),
        (r"So \*mice\* fly.", r"mice\*", rf"So \*{M} fly."),
    ],
)
def test_what_has_a_beginning_and_an_end_is_never_cut_in_two(answer: str, claim: str, shown: str) -> None:
    assert cut(answer, claim) == shown


@pytest.mark.parametrize(
    ("claim", "shown"),
    [
        ("x = 1", f"So:\n```py\n{M}\n- y\n```\nYes."),
        ("So:\n```py\nx", f"{M}\nYes."),
        ("- y\n```\nYes", f"So:\n{M}."),
        ("- y", f"So:\n```py\nx = 1\n{M}\n```\nYes."),
    ],
)
def test_fences_of_code_stay_or_go_together(claim: str, shown: str) -> None:
    assert cut("So:\n```py\nx = 1\n- y\n```\nYes.", claim) == shown


def test_a_fence_that_nothing_closes_reaches_to_the_end() -> None:
    assert cut("So.\n~~~\nx\ny", "So.\n~~~\nx") == M


@pytest.mark.parametrize(
    ("answer", "claim", "shown"),
    [
        ("<!-- Mice fly. Fish run -->\n\nIt rains.", "Fish run -->", f"{M}\n\nIt rains."),
        ("<!-- Mice fly. Fish run -->\n\nIt rains.", "Fish run", f"<!-- Mice fly. {M} -->\n\nIt rains."),
        ("Mice.\n<!--\nfly.\n\n- Fish -->\nIt rains.", "Mice.\n<!--\nfly.", f"{M}\nIt rains."),
        ("Mice <!-- fly. --> run. It rains.", "fly. --> run.", f"Mice {M} It rains."),
        ("Mice <!-- **fly. --> run.** It rains.", "run.**", f"Mice <!-- **fly. --> {M} It rains."),
        ("So <?mice fly?> run. It rains.", "fly?> run.", f"So {M} It rains."),
        ("So <![CDATA[mice]] fly]]> run. It rains.", "fly]]> run.", f"So {M} It rains."),
        ("Mice fly. <!-- Fish. It rains.", "Mice fly. <!-- Fish.", M),
        ("Mice fly. <!-- Fish. It rains.", "Fish.", f"Mice fly. <!-- {M} It rains."),
        ("Mice fly. <-- Fish. It rains.", "Mice fly. <-- Fish.", f"{M} It rains."),
        ("Mice `<!--` fly. It rains. -->", "Mice `<!--` fly.", f"{M} It rains. -->"),
        ("```\n<!-- mice\n```\nIt rains. So -->", "It rains. So", f"```\n<!-- mice\n```\n{M} -->"),
        ("<!--\n```\nmice\n-->\nIt rains. So.", "mice\n-->\nIt rains.", f"{M} So."),
        ("<!--> Mice fly. It rains. -->", "<!--> Mice fly.", f"{M} It rains. -->"),
    ],
)
def test_comments_stay_or_go_together(answer: str, claim: str, shown: str) -> None:
    assert cut(answer, claim) == shown


@pytest.mark.parametrize(
    ("answer", "claim", "shown"),
    [
        ("So.\n\n    mice. fly.\n\n      fish.\n\nYes.", "mice.", f"So.\n\n    {M}\n\nYes."),
        ("So.\n\n\tmice. fly.\n\nYes.", "So.\n\n\tmice.", f"{M}\n\n\t{M}\n\nYes."),
        ("So.\n\n   mice. fly.", "mice.", f"So.\n\n   {M} fly."),
        ("So.\n    mice. fly.", "mice.", f"So.\n    {M} fly."),
        ("- So.\n\n    mice. fly.", "mice.", f"- So.\n\n    {M} fly."),
        ("- So.\n\n      mice. fly.", "mice.", f"- So.\n\n      {M}"),
        ("- So.\n\nYes.\n\n    mice. fly.", "mice.", f"- So.\n\nYes.\n\n    {M}"),
        ("So.\n\n    ```\n    mice. fly.\n    ```", "mice.", f"So.\n\n    ```\n    {M} fly.\n    ```"),
    ],
)
def test_indented_code_goes_whole(answer: str, claim: str, shown: str) -> None:
    assert cut(answer, claim) == shown


@pytest.mark.parametrize("following", ["(see it)", "[2]", "[2](http://a.b)", ": yes", "!"])
def test_the_marker_forms_no_link_with_what_stands_beside_it(following: str) -> None:
    assert cut(f"Mice fly.{following}", "Mice fly.") == f"{M}{following}"
    assert not {*M} & {*"[]!<>`*_#|~\\"}
    assert " " in M.strip("()")


@pytest.mark.parametrize(
    "piece",
    [
        *(
            "[a](",
            "](",
            "`a``",
            "<a",
            "<b>",
            "http://(",
            "![x][",
            "[(" * 5,
            "**a ",
            "*_a",
            "- ",
            "|\n",
            "\n|a|",
            "```\n",
        ),
        *("<!--", "<!--\n", "<!-- -->", "<?", "<![CDATA[", "```\n<!--\n```\n"),
        *("\n    a\n", "> \n", "\n\n", "# a\n", "==\n"),
    ],
)
def test_redaction_is_linear_in_hostile_markup(piece: str) -> None:
    answer = "Mice fly. It rains. " + piece * (50_000 // len(piece))
    assert redacted(answer, [(0, 9)]) == f"{M}{answer[9:]}"


def test_each_cell_of_a_long_table_is_cut() -> None:
    row = "| mice fly | x |\n"
    table = "| a | b |\n|---|---|\n" + row * 8_000
    cells = [(match.start(), match.end()) for match in re.finditer("mice fly", table)]
    assert redacted(table, cells) == table.replace("mice fly", M)


PIECES = ["*", "**", "_", "`", "``", "[", "](u)", "]", "<b>", "</b>", "\n", "\n\n", "- ", "1. ", "# ", "|", "|--|--|\n"]
PIECES += [
    "```\n",
    "mice ",
    "fly. ",
    " ",
    "https://a.b/c",
    "~~",
    "\\",
    "!",
    "\ud800",
    "é",
    "\r\n",
    "<!-- ",
    "-->",
    "    ",
    "> ",
    "==",
]


def spans_in(answer: str) -> st.SearchStrategy[list[tuple[int, int]]]:
    at = st.integers(0, len(answer))
    return st.lists(st.tuples(at, at).map(lambda pair: (min(pair), max(pair))), max_size=4)


@given(st.lists(st.sampled_from(PIECES), max_size=25).map("".join), st.data())
def test_what_is_shown_is_pieces_of_the_answer_in_their_order(answer: str, data: st.DataObject) -> None:
    shown = redacted(answer, data.draw(spans_in(answer)))
    rest = iter(answer)
    assert all(character in rest for character in shown.replace(M, ""))


@given(st.lists(st.sampled_from([piece for piece in PIECES if "|" not in piece]), max_size=25).map("".join), st.data())
def test_all_between_two_markers_is_as_it_was(answer: str, data: st.DataObject) -> None:
    first, *others = redacted(answer, data.draw(spans_in(answer))).split(M)
    assert answer.startswith(first)
    assert not others or answer.endswith(others[-1])
    at = len(first)
    for piece in others:
        at = answer.index(piece, at) + len(piece)


@given(st.text("ab c.\n", max_size=40).filter(lambda answer: "    " not in answer), st.data())
def test_exactly_the_words_of_the_spans_go(answer: str, data: st.DataObject) -> None:
    spans = data.draw(spans_in(answer))
    outside = "".join(
        character for at, character in enumerate(answer) if not any(start <= at < end for start, end in spans)
    )
    assert "".join(redacted(answer, spans).replace(M, "").split()) == "".join(outside.split())


INLINE = [
    "**mice fly high**",
    "*fish run*",
    "`code of mice`",
    "[see the mice](http://a.b/c_d)",
    "~~no mice~~",
    "mice fly.",
]
INLINE += [
    "***big* mice**",
    "__all mice__",
    "![fish and mice](a.png)",
    "<https://a.b/mice_c>",
    "``a ` b``",
    "so they say,",
]
LINES = st.lists(st.sampled_from(INLINE), min_size=1, max_size=4).map(" ".join)
BLOCKS = st.one_of(
    LINES,
    LINES.map("## {}".format),
    st.lists(LINES, min_size=1, max_size=3).map(lambda lines: "\n".join(f"- {line}" for line in lines)),
    st.lists(LINES, min_size=1, max_size=3).map(
        lambda lines: "\n".join(f"{n}. {line}" for n, line in enumerate(lines, 1))
    ),
    st.lists(LINES, min_size=1, max_size=3).map(
        lambda lines: "| mice | fish |\n|---|---|\n" + "\n".join(f"| {line} | {line} |" for line in lines)
    ),
    LINES.map("```py\n{}\n```".format),
)


@given(st.lists(BLOCKS, min_size=1, max_size=4).map("\n\n".join), st.data())
def test_no_mark_of_markdown_is_left_alone(answer: str, data: st.DataObject) -> None:
    words = [match.span() for match in re.finditer(r"\w+", answer)]
    at = st.integers(0, len(words) - 1)
    pairs = data.draw(st.lists(st.tuples(at, at), min_size=1, max_size=3))
    shown = redacted(answer, [(words[min(pair)][0], words[max(pair)][1]) for pair in pairs])
    assert [*stray_marks(answer)] == []
    assert [*stray_marks(shown)] == []
    assert counts(answer, "table_open") >= counts(shown, "table_open")
    if "```" in shown:
        assert shown.count("```") % 2 == 0


SHAPES = ["{} {}.\n{} {}.", "# {} {}", "# {}\n{} {}", "{} {}\n=====", "- {} {}.\n- {}\n  {}", "- {}.\n\n  {} {}"]
SHAPES += ["> {} {}.\n> {} {}", "> {}.\n>\n> {} {}", "> - {} {}\n> - {}", "1. {} {}\n   - {} {}", "    {} {}\n    {}"]
SHAPES += ["| {} | {} |\n|---|---|\n| {} | {} {} |", "```\n{} {}\n```", "**{} {}** {}", "***", "<!-- {} {} -->"]


@given(st.lists(st.sampled_from(SHAPES), min_size=1, max_size=5), st.data())
def test_what_stays_stays_in_its_block(shapes: list[str], data: st.DataObject) -> None:
    words = (f"w{number}w" for number in range(99))
    answer = "\n\n".join(re.sub(r"\{\}", lambda _: next(words), shape) for shape in shapes)
    places = [match.span() for match in re.finditer(r"w\d+w", answer)]
    at = st.integers(0, max(0, len(places) - 1))
    pairs = data.draw(st.lists(st.tuples(at, at), max_size=3)) if places else []
    shown = redacted(answer, [(places[min(pair)][0], places[max(pair)][1]) for pair in pairs])
    before, after = blocks_of_words(answer), blocks_of_words(shown)
    assert after == {word: before[word] for word in after}


def blocks_of_words(text: str) -> dict[str, tuple[str, ...]]:
    """Each word of a text with the blocks that hold it, the outermost first."""
    path: list[str] = []
    words: dict[str, tuple[str, ...]] = {}
    for block in MARKDOWN.parse(text):
        if block.nesting == -1:
            path.pop()
        elif block.nesting == 1:
            path.append(block.tag)
        words |= dict.fromkeys(re.findall(r"w\d+w", block.content), (*path, block.type))
    return words


def stray_marks(text: str) -> Iterator[str]:
    """Every mark of Markdown that a reader would see as text."""
    for block in MARKDOWN.parse(text):
        for token in block.children or ():
            if token.type == "text":
                yield from re.findall(r"\*|__|~~|`|\]\(|\|", token.content)


def counts(text: str, kind: str) -> int:
    return sum(block.type == kind for block in MARKDOWN.parse(text))


def test_the_notice_says_that_something_is_withheld() -> None:
    assert "withheld" in BLOCK_NOTICE


def test_places_of_repeated_claims_are_each_taken_once() -> None:
    answer = "It rains. " * 8_000
    placed = place(["It rains."] * 16_000, answer)
    assert [claim.start for claim in placed] == [*range(0, 80_000, 10)] + [None] * 8_000


def test_claims_out_of_order_are_placed_where_nothing_is_taken() -> None:
    answer = "It rains. It pours. It rains. It snows."
    claims = ["It snows.", "It rains.", "It pours.", "It rains.", "It rains."]
    assert [claim.start for claim in place(claims, answer)] == [30, 0, 10, 20, None]
