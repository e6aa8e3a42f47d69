"""Does loading read every kind of file, and say of each that it cannot read why?"""

from __future__ import annotations

import json
import os
import sys
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest

from raguard import ConfigError, Document
from raguard.pipeline import Chunker, load_documents
from raguard.pipeline.markup import read_markup
from raguard.pipeline.web_pages import read_page


def write(path: Path, content: str | bytes | Any) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    if isinstance(content, bytes):
        path.write_bytes(content)
    else:
        path.write_text(content if isinstance(content, str) else json.dumps(content), encoding="utf-8")
    return path


def pdf(*pages: str, password: str | None = None, algorithm: str = "RC4-128") -> bytes:
    """A PDF with a line of text on each page, none on those that are empty."""
    from pypdf import PdfWriter
    from pypdf.generic import DecodedStreamObject, DictionaryObject, NameObject

    writer = PdfWriter()
    font = DictionaryObject(
        {
            NameObject("/Type"): NameObject("/Font"),
            NameObject("/Subtype"): NameObject("/Type1"),
            NameObject("/BaseFont"): NameObject("/Helvetica"),
        }
    )
    for text in pages:
        page = writer.add_blank_page(300, 300)
        if text:
            stream = DecodedStreamObject()
            stream.set_data(b"BT /F1 12 Tf 20 200 Td (" + text.encode("ascii") + b") Tj ET")
            page[NameObject("/Contents")] = writer._add_object(stream)
            page[NameObject("/Resources")] = DictionaryObject(
                {NameObject("/Font"): DictionaryObject({NameObject("/F1"): writer._add_object(font)})}
            )
    if password is not None:
        writer.encrypt(password, algorithm=algorithm)
    told = BytesIO()
    writer.write(told)
    return told.getvalue()


@pytest.fixture
def shelf(tmp_path: Path) -> Path:
    """A folder of every kind, with links that lead in circles, and with what is hidden."""
    folder = tmp_path / "shelf"
    write(folder / "b.txt", b"\xef\xbb\xbfParis is in France.")
    write(folder / "a" / "list.json", [{"text": "Rome.", "id": "rome", "metadata": {"page": 2}}, "Bonn."])
    write(folder / "a" / "lines.jsonl", '{"text": "Oslo.", "id": 7}\r\n\n"Bern."\n{"city": "Kyiv"}\n')
    write(folder / "a" / "record.json", '{"name": "Café",\n "open": true}')
    write(folder / "a" / "page.HTML", "<title>Fees</title><p>Rent: $900")
    write(folder / "c" / "plan.pdf", pdf("The rent is $900.", "", "Pets are welcome."))
    write(folder / "Notes.MD", "# Lima\n")
    write(folder / "blank.txt", "")
    write(folder / ".hidden.txt", b"\xff")
    write(folder / ".git" / "c.txt", b"\xff")
    (folder / "a" / "round").symlink_to(folder)
    (folder / "a" / "again.txt").symlink_to(folder / "b.txt")
    return folder


def test_a_folder_is_read_with_all_below_it(shelf: Path) -> None:
    assert load_documents(shelf) == [
        Document("# Lima\n", "Notes.MD"),
        Document("Paris is in France.", "b.txt"),
        Document("", "blank.txt"),
        Document("Oslo.", "7"),
        Document("Bern.", "a/lines.jsonl#3"),
        Document('{"city": "Kyiv"}', "a/lines.jsonl#4"),
        Document("Rome.", "rome", {"page": 2}),
        Document("Bonn.", "a/list.json#2"),
        Document("Rent: $900", "a/page.HTML", {"title": "Fees"}),
        Document('{"name": "Café",\n "open": true}', "a/record.json"),
        Document("The rent is $900.", "c/plan.pdf#1", {"page": 1}),
        Document("", "c/plan.pdf#2", {"page": 2}),
        Document("Pets are welcome.", "c/plan.pdf#3", {"page": 3}),
    ]
    assert load_documents(str(shelf)) == load_documents(shelf)


def test_documents_of_a_folder_become_chunks_with_its_paths(shelf: Path) -> None:
    chunks = Chunker(size=100, overlap=0).chunk(load_documents(shelf))
    assert [chunk.id.split("::")[0] for chunk in chunks] == [
        *("Notes.MD", "b.txt", "7", "a/lines.jsonl#3", "a/lines.jsonl#4", "rome", "a/list.json#2", "a/page.HTML"),
        *("a/record.json", "c/plan.pdf#1", "c/plan.pdf#3"),
    ]


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("b.txt", [Document("Paris is in France.", "b.txt")]),
        ("a/list.json", [Document("Rome.", "rome", {"page": 2}), Document("Bonn.", "list.json#2")]),
        ("a/page.HTML", [Document("Rent: $900", "page.HTML", {"title": "Fees"})]),
    ],
)
def test_a_file_is_read_alone(shelf: Path, name: str, expected: list[Document]) -> None:
    assert load_documents(shelf / name) == expected


def test_files_of_other_kinds_are_refused_unless_they_are_to_be_left_out(shelf: Path) -> None:
    write(shelf / "a" / "photo.png", "")
    write(shelf / "Makefile", "")
    known = r"is none of \.htm, \.html, \.json, \.jsonl, \.md, \.pdf, \.txt"
    with pytest.raises(ConfigError, match=rf'^.*shelf/Makefile: {known}; others="skip" leaves such files out$'):
        load_documents(shelf)
    assert len(load_documents(shelf, others="skip")) == 13
    with pytest.raises(ConfigError, match=rf"^.*shelf/Makefile: {known}$"):
        load_documents(shelf / "Makefile", others="skip")


@pytest.mark.parametrize(
    ("name", "content", "why"),
    [
        ("latin.txt", "Café".encode("latin-1"), r"is no UTF-8 text: unexpected end of data at byte 3"),
        ("wide.txt", "Café".encode("utf-16"), r"is no UTF-8 text: it is full of NULs, as UTF-16 is"),
        ("wide.md", "Fees".encode("utf-16-le"), r"is no UTF-8 text: it is full of NULs, as UTF-16 is"),
        ("page.html", b"<p>\xff", r"is no UTF-8 text: invalid start byte at byte 3"),
        ("broken.json", "{'a': 1}", r"is not valid JSON: Expecting property name .*"),
        ("deep.json", "[" * 200_000, r"is not valid JSON: .*"),
        ("lines.jsonl", '"a"\n{"b"\n', r"line 2: is not valid JSON: Expecting ':' delimiter.*"),
        ("flag.json", [{"text": "a", "id": True}], r"document 1: the key id must be a string or a whole number"),
        ("id.jsonl", '{"text": "a", "id": [1]}', r"line 1: the key id must be a string or a whole number"),
        ("meta.json", {"text": "a", "metadata": "b"}, r"the key metadata must be an object"),
        ("empty.pdf", b"", r"is no PDF that can be read \(EmptyFileError\)"),
        ("broken.pdf", b"%PDF-1.4 no more", r"is no PDF that can be read \(\w+\)"),
        ("scan.pdf", pdf("", ""), r"holds no text; recognize the text of a scan first"),
        ("secret.pdf", pdf("The rent.", password="x"), r"is encrypted; save it without a password"),
    ],
)
def test_a_file_that_cannot_be_read_is_named_with_the_reason(tmp_path: Path, name: str, content: Any, why: str) -> None:
    path = write(tmp_path / name, content)
    for place in (path, tmp_path):
        with pytest.raises(ConfigError, match=rf"^{tmp_path}/{name}: {why}$"):
            load_documents(place)


def test_a_pdf_without_pypdf_says_what_to_install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = write(tmp_path / "plan.pdf", pdf("The rent."))
    monkeypatch.setitem(sys.modules, "pypdf", None)
    with pytest.raises(
        ConfigError, match=r"plan\.pdf: reading a PDF needs pypdf: pip install 'raguard-verify\[pdf\]'$"
    ):
        load_documents(path)


def test_a_pdf_that_pypdf_cannot_decrypt_alone_says_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from pypdf import _encryption
    from pypdf._crypt_providers import _fallback

    path = write(tmp_path / "plan.pdf", pdf("The rent is $900.", password="", algorithm="AES-256"))
    assert load_documents(path)[0].text == "The rent is $900."
    # what pypdf does where cryptography is missing
    for name in ("aes_cbc_decrypt", "aes_cbc_encrypt", "aes_ecb_decrypt", "aes_ecb_encrypt"):
        monkeypatch.setattr(_encryption, name, getattr(_fallback, name))
    why = r"plan\.pdf: is encrypted; reading it needs cryptography: pip install cryptography$"
    with pytest.raises(ConfigError, match=why):
        load_documents(path)


def test_nothing_of_a_broken_pdf_is_logged(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level("DEBUG")
    with pytest.raises(ConfigError, match="is no PDF that can be read"):
        load_documents(write(tmp_path / "broken.pdf", "secret words"))
    assert caplog.records == []


def test_a_pdf_that_only_its_owner_may_change_is_read(tmp_path: Path) -> None:
    assert load_documents(write(tmp_path / "open.pdf", pdf("The rent.", password="")))[0].text == "The rent."


@pytest.mark.parametrize("path", [None, 5, "", b"shelf"])
def test_what_is_no_path_is_refused(path: Any) -> None:
    with pytest.raises(ConfigError, match=r"^path must be the path of a file or folder, not "):
        load_documents(path)


def test_what_is_not_there_or_holds_nothing_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"nowhere\.txt: cannot be read: No such file or directory$"):
        load_documents(tmp_path / "nowhere.txt")
    with pytest.raises(ConfigError, match=r": cannot be read: .*"):
        load_documents(tmp_path / "a\0b.txt")
    with pytest.raises(ConfigError, match=r"a\.txt: cannot be read: File name too long$"):
        load_documents(tmp_path / ("a" * 5_000 + ".txt"))
    with pytest.raises(ConfigError, match=r": holds no file that ends in \.htm, .*"):
        load_documents(tmp_path)
    (tmp_path / "gone.txt").symlink_to(tmp_path / "nowhere.txt")
    with pytest.raises(ConfigError, match=r"gone\.txt: cannot be read: No such file or directory$"):
        load_documents(tmp_path)
    with pytest.raises(ConfigError, match=r"^others must be one of refuse, skip, not 'ignore'$"):
        load_documents(tmp_path, others="ignore")  # type: ignore[arg-type]


def test_a_text_may_hold_a_nul(tmp_path: Path) -> None:
    assert load_documents(write(tmp_path / "odd.txt", b"Fees\0"))[0].text == "Fees\0"


def test_links_that_lead_in_circles_are_told(tmp_path: Path) -> None:
    (tmp_path / "loop.txt").symlink_to("loop.txt")
    for place in (tmp_path, tmp_path / "loop.txt"):
        with pytest.raises(ConfigError, match=r"loop\.txt: cannot be read: Too many levels of symbolic links$"):
            load_documents(place)


def test_a_name_that_is_no_text_is_an_id_all_the_same(tmp_path: Path) -> None:
    write(Path(os.fsdecode(os.fsencode(tmp_path) + b"/\xff.txt")), "The fee is $5.")
    assert load_documents(tmp_path) == [Document("The fee is $5.", "\udcff.txt")]


def test_a_pipe_that_nobody_writes_to_does_not_hang(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.txt")
    with pytest.raises(ConfigError, match=r"pipe\.txt: cannot be read: it is a pipe that nobody writes to$"):
        load_documents(tmp_path)


# pages


@pytest.mark.parametrize(
    ("html", "text"),
    [
        ("", ""),
        ("plain &amp; &eacute;&#8364;", "plain & é€"),
        ("<p>one</p><p>two<br>three</p>", "one\n\ntwo\nthree"),
        ("<div>one</div>\n  <div>two\n   words</div>", "one\ntwo words"),
        ("a<script>b</script><style>c</style><template>d</template>e", "ae"),
        ("a<!-- b --><svg><text>c</text></svg><svg/>d", "ad"),
        ("<ul><li>one<li><p>two</p><p>more</p><li><li>three</ul>end", "- one\n- two\n\nmore\n\n- three\n\nend"),
        ("<table><tr><th>A<th>B<tr><td><p>1</p><td>2</table>", "A | B\n1 | 2"),
        ("<table><tr><td></td><td>x</td></tr><tr><td>y</td><td></td></tr></table>", "| x\ny |"),
        ("<h1>Fees</h1>Rent<h2>Pets</h2>None", "Fees\n\nRent\n\nPets\n\nNone"),
        ("<pre>one\n  two</pre>", "one\ntwo"),
        ("<b>Re</b>nt is <i>due</i>", "Rent is due"),
        ("<p>a</b></div></td>c <unknown>d</unknown>", "a\nc d"),
        ("<script>never closed", ""),
        ("a < b and <b", "a < b and <b"),
        ("a <b c='</b> d <i>e</i>", "a d e"),
        ("a <b c='>d</b> <i e='>f</i>", "a f"),
        ("a<!-- b > c --!>d<!-->e<!--->f<!-- g <b>h</b>", "adef<!-- g h"),
        ("a<!doctype html>b<?xml c?>d</>e</ f>g<![CDATA[h]]>i", "abdegi"),
        ("<![foo bar[ a", "<![foo bar[ a"),
        ("<p>a</p><![if !IE]>b<![endif]>", "a\n\nb"),
        ("<SCRIPT>'</div>' </scripts> b</Script >c<style>d</style x>e", "ce"),
        ("<svg>a<svg/>b</math>c</svg>d<noscript><p>e</p></noscript>f</svg>", "df"),
        ("<select><option>Ash<option>Elm</select>", "Ash\nElm"),
        (
            "&#65;&#00000000000065;&#x41;&#0;&#xd800;&#1114112;&#" + "9" * 5_000 + ";&#" + "0" * 5_000 + "65;z",
            "AAA����Az",
        ),
    ],
)
def test_a_page_is_read_as_its_lines(html: str, text: str) -> None:
    assert read_page(html) == (text, None)


def test_a_page_has_a_title_and_one_that_never_ends_is_text() -> None:
    assert read_page("<html><head><title> The\n fees </title></head><body>Rent") == ("Rent", "The fees")
    assert read_page("<title>never <b>closed</b>") == ("never closed", None)
    assert read_page("<svg><title>a</title></svg><title>b &amp; <i></title>c<title>d</title>") == ("c", "b & <i>")


@pytest.mark.parametrize("page", ["a", "<p>a", "a < b <c", "<!-- a", "<title>a", "</ a", "<![a", "<a b='", "&#"])
def test_the_markup_of_any_page_is_read_to_its_end(page: str) -> None:
    assert "".join(text for kind, text in read_markup(page) if kind == "text").endswith(page[-1])


def test_a_hostile_page_takes_no_more_than_its_length() -> None:
    # looked for again from each of these, what never ends would take hours
    pieces = ("<div>", "<td>", "<li>", "<svg>", "</p>", "&amp;", "&#", "<!--", "<", "</a", "<a ", "<a b='", '<a b="')
    for piece in (*pieces, "<title>", "<script>", "<![", "<!", "<?", "<svg></math>", "<a b='><c d=\"", " \n", "<pre> "):
        assert read_page(piece * 200_000 + "<p>end")[1] is None
