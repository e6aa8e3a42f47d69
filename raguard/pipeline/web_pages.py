"""What does a page of the web say? Its text, with a line for each block and a row for each row of a table."""

from __future__ import annotations

import re

from raguard.pipeline.markup import read_markup

__all__ = ["read_page"]

_UNREAD = frozenset({"template", "noscript", "svg", "math"})
_BLOCKS = re.compile(
    r"(?:address|article|aside|blockquote|body|caption|center|dd|details|dialog|div|dl|dt|fieldset|figcaption|"
    r"figure|footer|form|h1|h2|h3|h4|h5|h6|header|hgroup|hr|html|legend|li|main|menu|nav|ol|optgroup|option|p|"
    r"pre|search|section|summary|table|tbody|tfoot|thead|tr|ul)\Z"
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
    its styles is read like any other. No page is refused: invalid HTML is read roughly as a browser reads it.

    >>> page = "<title>Fees</title><h1>Fees</h1><p>Rent &amp; heat<br>due in May<script>x()</script></p>"
    >>> read_page(page + "<table><tr><th>Flat<td>Rent<tr><td>A<td>$900</table>")
    ('Fees\\n\\nRent & heat\\ndue in May\\n\\nFlat | Rent\\nA | $900', 'Fees')
    """
    reader = _PageReader()
    for kind, value in read_markup(html):
        if kind == "start":
            reader.open(value)
        elif kind == "end":
            reader.close(value)
        elif kind == "text":
            reader.read(value)
        else:
            reader.entitle(value)
    return reader.text(), reader.title or None


class _PageReader:
    def __init__(self) -> None:
        self.title = ""
        """The first title that is none of a drawing."""
        self._pieces: list[str] = []
        self._unread, self._depth = "", 0
        """The tag of which all is left out until it ends, and how many of it are open."""
        self._border, self._mark = "", ""
        """What comes before the next text, if there is any."""
        self._is_fresh = True
        """Whether an item or a cell has just begun: no border stands before its first words."""
        self._begins_row = False
        self._pre = 0

    def text(self) -> str:
        """All that was read, without blank edges."""
        lines = _LINES.sub("\n", _SPACES.sub(" ", "".join(self._pieces)))
        return _MANY_LINES.sub("\n\n", lines).strip()

    def open(self, tag: str) -> None:
        """Opens a line, a cell, or what is left out."""
        if self._unread or tag in _UNREAD:
            self._unread = self._unread or tag
            self._depth += tag == self._unread
        elif tag == "br":
            self._border = self._border or "\n"
        elif tag in _CELLS:
            self._open_cell()
        elif _BLOCKS.match(tag):
            self._open_block(tag)

    def close(self, tag: str) -> None:
        """Closes a block, or what is left out."""
        if self._unread:
            self._depth -= tag == self._unread
            self._unread = self._unread if self._depth else ""
        elif _BLOCKS.match(tag):
            self._is_fresh = self._is_fresh and tag not in _WHOLES
            self._part(tag)
            self._pre = max(0, self._pre - (tag == "pre"))

    def read(self, data: str) -> None:
        """Text between tags."""
        if self._unread:
            return
        if data.isspace():
            if not (self._is_fresh or self._border or self._mark):
                self._pieces.append(" ")
            return
        self._pieces += self._border, self._mark, data if self._pre else _BLANKS.sub(" ", data)
        self._border = self._mark = ""
        self._is_fresh = False

    def entitle(self, title: str) -> None:
        """The title of the page, or of a drawing in it."""
        if not (self._unread or self.title):
            self.title = _BLANKS.sub(" ", title).strip()

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
