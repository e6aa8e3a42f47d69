"""Does a sentence permit what a document forbids, be it for one case of a list (do not take it if A, B or C)?"""

from __future__ import annotations

from collections.abc import Collection

from raguard.case import Case
from raguard.evidence.statements import Near, statements_near
from raguard.reading.statements import Statement

__all__ = ["forbidding"]


def forbidding(case: Case, statement: Statement) -> Near | None:
    """The document's statement that forbids what ``statement`` permits; None when some document permits it too."""
    if statement.denies or not (permitted := case.known.prohibitions.permitted(statement.text)):
        return None
    if case.known.denials.rings(statement.text, ()):
        return None
    signs = {word: sign for word, sign in statement.signs.items() if word in permitted}
    for near in case.documents.denials.near(signs, least=1):
        if _forbids(case, near.statement, permitted):
            said_too = any(
                each.share == 1 and not each.statement.denies for each in statements_near(case.sources, signs)
            )
            return None if said_too else near
    return None


def _forbids(case: Case, said: Statement, permitted: Collection[str]) -> bool:
    return any(
        prohibition.core <= set(permitted) <= prohibition.words
        for prohibition in case.known.prohibitions.find(said.text)
    )
