"""What does a page of the web say? Its text, with a line for each block and a row for each row of a table."""

from __future__ import annotations

import re
from html.parser import HTMLParser

__all__ = ["read_page"]

_UNREAD = frozenset({"script", "style", "template", "noscript", "svg", "math", "iframe"})
_BLOCKS = re.compile(
    r"(?:address|article|aside|blockquote|body|caption|center|dd|details|dialog|div|dl|dt|fieldset|figcaption|"
    r"figure|footer|form|h1|h2|h3|h4|h5|h6|header|hgroup|hr|html|legend|li|main|menu|nav|ol|p|pre|search|"
    r"section|summary|table|tbody|tfoot|thead|tr|ul)\Z"
)
_APART = re.compile(r"(?:article|blockquote|dl|figure|h1|h2|h3|h4|h5|h6|ol|p|pre|section|table|ul)\Z")
"""What stands with a blank line before and behind it."""
_CELLS = frozenset({"td", "th"})
_WHOLES = frozenset({"li", "table", "tr"})
"""What begins a line of its own even where an empty item or cell stands before it."""
_BLANKS = re.compile(r"[ \t\r\n\f]+")
_SPACES = re.compile(r"[ \t]{2,}")
_LINES = re.compile(r"[ \t]*\n[ \t]*")
_MANY_LINES = re.compile(r"\n{3,}")


def read_page(html: str) -> tuple[str, str | None]:
    """The text of a page and its title, None without one.

    Scripts, styles, drawings and frames are left out, entities are resolved, paragraphs are parted by a blank
    line, items begin with "- ", and a table's row is a line with " | " between its cells. Text that the page hides by
    its styles is read like any other. No page is refused: what is no valid HTML is read as a browser would, roughly.

    >>> page = "<title>Fees</title><h1>Fees</h1><p>Rent &amp; heat<br>due in May<script>x()</script></p>"
    >>> read_page(page + "<table><tr><th>Flat<td>Rent<tr><td>A<td>$900</table>")
    ('Fees\\n\\nRent & heat\\ndue in May\\n\\nFlat | Rent\\nA | $900', 'Fees')
    """
    reader = _PageReader()
    reader.feed(html)
    reader.close()
    return reader.text(), reader.title()


class _PageReader(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self._pieces: list[str] = []
        self._titles: list[str] = []
        self._unread: list[str] = []
        """What is open of that which is left out, the outermost first."""
        self._border, self._mark = "", ""
        """What comes before the next text, if there is any."""
        self._is_fresh = True
        """Whether an item or a cell has just begun: no border stands before its first words."""
        self._begins_row = self._in_title = False
        self._pre = 0

    def text(self) -> str:
        """All that was read, without blank edges."""
        # a title that nothing closes has swallowed the page
        pieces = self._titles if self._in_title and not self._pieces else self._pieces
        lines = _LINES.sub("\n", _SPACES.sub(" ", "".join(pieces)))
        return _MANY_LINES.sub("\n\n", lines).strip()

    def title(self) -> str | None:
        """The page's title."""
        return None if self._in_title else _BLANKS.sub(" ", "".join(self._titles)).strip() or None

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Opens a line, a cell, or what is left out."""
        if tag in _UNREAD:
            self._unread.append(tag)
        elif self._unread:
            return
        elif tag == "title":
            self._in_title = True
        elif tag == "br":
            self._border = self._border or "\n"
        elif tag in _CELLS:
            self._open_cell()
        elif _BLOCKS.match(tag):
            self._open_block(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """A tag that closes itself, which only those of drawings do: ``<script/>`` opens a script."""
        self.handle_starttag(tag, attrs)
        if tag in ("svg", "math"):
            self.handle_endtag(tag)

    def handle_endtag(self, tag: str) -> None:
        """Closes a block, or what is left out."""
        if tag in _UNREAD:
            if tag in self._unread:
                del self._unread[self._unread.index(tag) :]
        elif self._unread:
            return
        elif tag == "title":
            self._in_title = False
        elif _BLOCKS.match(tag):
            self._is_fresh = self._is_fresh and tag not in _WHOLES
            self._part(tag)
            self._pre = max(0, self._pre - (tag == "pre"))

    def handle_data(self, data: str) -> None:
        """Text between tags."""
        if self._unread:
            return
        if self._in_title:
            self._titles.append(data)
            return
        if data.isspace():
            if not (self._is_fresh or self._border or self._mark):
                self._pieces.append(" ")
            return
        self._pieces += self._border, self._mark, data if self._pre else _BLANKS.sub(" ", data)
        self._border = self._mark = ""
        self._is_fresh = False

    def _open_cell(self) -> None:
        # the border before a row is kept, one inside the cell before is not
        self._pieces.append(self._border if self._begins_row else " | ")
        self._border = self._mark = ""
        self._begins_row, self._is_fresh = False, True

    def _open_block(self, tag: str) -> None:
        self._is_fresh = self._is_fresh and tag not in _WHOLES
        self._part(tag)
        self._pre += tag == "pre"
        self._begins_row = tag == "tr"
        if tag == "li":
            self._mark, self._is_fresh = "- ", True

    def _part(self, tag: str) -> None:
        if not self._is_fresh:
            self._border = "\n\n" if _APART.match(tag) or self._border == "\n\n" else "\n"
