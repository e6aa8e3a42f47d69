"""How does PostgreSQL keep the chunks? In one table, with the vectors in a column of the extension pgvector."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from importlib import import_module
from threading import Lock
from types import TracebackType
from typing import Any, Self

from raguard import ConfigError, RaguardError
from raguard.claims.chunking import CorpusChunk
from raguard.claims.retrieval import Retrieved
from raguard.guard.faults import encodes
from raguard.pipeline.stores import StoreError, admit_chunks, admit_vector, cosine, refuse_unkept, refuse_width

__all__ = ["PgVectorStore"]

_LONGEST_NAME = 63
"""How many bytes of a name PostgreSQL reads; a longer name would be that of another table."""
_TURN = "SELECT pg_advisory_xact_lock(hashtext('raguard'), hashtext(%s))"
"""Waits until no other store writes the same, and holds that off to the end of the transaction."""
_PLACE = "SELECT to_regclass(%s)::oid"
_WIDTH = """SELECT atttypmod FROM pg_attribute
    WHERE attrelid = %s AND attname = 'embedding' AND atttypid = to_regtype('vector')"""
_CREATE = """CREATE TABLE IF NOT EXISTS {table} (
    id text PRIMARY KEY, "text" text NOT NULL, document integer NOT NULL, document_id text,
    "start" integer NOT NULL, "end" integer NOT NULL, place bigserial, embedding vector({width}) NOT NULL)"""
_UPSERT = """INSERT INTO {table} (id, "text", document, document_id, "start", "end", embedding)
    VALUES (%s, %s, %s, %s, %s, %s, %s) ON CONFLICT (id) DO UPDATE SET "text" = excluded."text",
    document = excluded.document, document_id = excluded.document_id, "start" = excluded."start",
    "end" = excluded."end", embedding = excluded.embedding"""
_SEARCH = """SELECT id, "text", document, document_id, "start", "end", 1 - (embedding <=> %s) FROM {table}
    ORDER BY embedding <=> %s, place LIMIT %s"""


class PgVectorStore:
    """A ``VectorStore`` in a PostgreSQL database with pgvector, which ``dsn`` names (extra ``pgvector``).

    The extension is created if it is missing and the role may do so; the ``table`` (in ``schema``, or else on the
    search path) is created with the first chunks, whose vectors fix its width. Searches are exact; you may create an
    index (``CREATE INDEX … USING hnsw (embedding vector_cosine_ops)``). One connection is kept, and reopened when it
    breaks; threads take turns using it, and stores that add to the same table wait for each other. ``close`` the store,
    or use it as a context manager.

    Raises ConfigError where psycopg or pgvector is missing, for a name that cannot be one, for a table of another
    kind or width, and for chunks with characters that PostgreSQL cannot keep (NUL, lone surrogates); StoreError for
    what goes wrong in the database, told by its type: its messages may hold texts or the password.

    >>> PgVectorStore("host=localhost", table="chunks" * 20)
    Traceback (most recent call last):
    raguard.errors.ConfigError: table must be a name of 1 to 63 bytes, not one of 120
    """

    def __init__(self, dsn: str, *, table: str = "raguard_chunks", schema: str | None = None) -> None:
        if not isinstance(dsn, str) or not dsn or not encodes(dsn):
            raise ConfigError("dsn must be a connection string, as in postgresql://user@localhost/rag")
        _check_name("table", table)
        if schema is not None:
            _check_name("schema", schema)
        try:
            import_module("pgvector.psycopg")
            from psycopg import sql
        except ImportError as error:
            raise ConfigError(
                "PgVectorStore needs psycopg and pgvector: pip install 'raguard-verify[pgvector]'"
            ) from error
        self._dsn, self._lock = dsn, Lock()
        self._table = sql.Identifier(*((table,) if schema is None else (schema, table)))
        self._name: str = self._table.as_string(None)
        self._connection: Any = None
        self._is_closed = False
        try:
            self._width = self._run(self._kept_width)
        except RaguardError:
            self.close()
            raise

    def add(self, chunks: Sequence[CorpusChunk], vectors: Any, /) -> None:
        """Keeps all of the chunks or none; one whose id is kept already takes the older one's place."""
        given, rows = admit_chunks(chunks, vectors)
        refuse_unkept(given, "PostgreSQL")
        if not given:
            return
        refuse_width(rows.shape[1], self._width)
        values = [
            (chunk.id, chunk.text, chunk.document, chunk.document_id, chunk.start, chunk.end, row)
            for chunk, row in zip(given, rows, strict=True)
        ]

        def insert(connection: Any) -> int | None:
            with connection.transaction(), connection.cursor() as cursor:
                # two that write at once would make the table twice, or wait for each other's rows
                cursor.execute(_TURN, (self._name,))
                cursor.execute(self._sql(_CREATE, width=rows.shape[1]))
                cursor.executemany(self._sql(_UPSERT), values)
            return self._kept_width(connection)

        self._width = self._run(insert)

    def search(self, vector: Any, /, top_k: int) -> list[Retrieved]:
        """The nearest chunks with their cosines, in [−1, 1]; ``index`` is None."""
        asked = admit_vector(vector, None, top_k)
        if not asked.any() or self._is_empty():
            return []
        refuse_width(len(asked), self._width)
        rows = self._run(lambda connection: connection.execute(self._sql(_SEARCH), (asked, asked, top_k)).fetchall())
        return [Retrieved(CorpusChunk(*row[:6]), cosine(row[6])) for row in rows]

    def count(self) -> int:
        """How many chunks are kept."""
        if self._is_empty():
            return 0
        return int(
            self._run(lambda connection: connection.execute(self._sql("SELECT count(*) FROM {table}")).fetchone()[0])
        )

    def close(self) -> None:
        """Closes the connection; the store cannot be used any more."""
        with self._lock:
            self._is_closed = True
            if self._connection is not None:
                self._connection.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()

    def _run(self, work: Callable[[Any], Any]) -> Any:
        """What ``work`` gives of the connection, one thread at a time."""
        import psycopg

        with self._lock:
            if self._is_closed:
                raise StoreError("the store is closed")
            try:
                if self._connection is None or self._connection.closed:
                    self._connection = self._connected()
                return work(self._connection)
            except psycopg.Error as error:
                raise StoreError(f"PostgreSQL failed with {type(error).__name__}") from None

    def _connected(self) -> Any:
        import psycopg
        from pgvector.psycopg import register_vector

        connection = psycopg.connect(self._dsn, autocommit=True)
        try:
            has_vectors = connection.execute("SELECT 1 FROM pg_type WHERE typname = 'vector'").fetchone()
            if not has_vectors:
                with connection.transaction():
                    connection.execute(_TURN, ("vector",))
                    connection.execute("CREATE EXTENSION IF NOT EXISTS vector")
            register_vector(connection)
        except psycopg.Error as error:
            connection.close()
            raise StoreError(
                f"the database has no extension vector, and it cannot be created ({type(error).__name__})"
            ) from None
        return connection

    def _kept_width(self, connection: Any) -> int | None:
        """How many numbers the table's vectors have, None where there is no table."""
        place = connection.execute(_PLACE, (self._name,)).fetchone()[0]
        if place is None:
            return None
        # by a statement of its own: the one that sees a table just made may have begun before its columns were there
        row = connection.execute(_WIDTH, (place,)).fetchone()
        if row is None or row[0] < 1:
            raise ConfigError(f"{self._name} is no table of such chunks: it has no column embedding of type vector(n)")
        return int(row[0])

    def _is_empty(self) -> bool:
        """Whether there is no table yet; another store may have made it since."""
        if self._width is None:
            self._width = self._run(self._kept_width)
        return self._width is None

    def _sql(self, statement: str, width: int = 0) -> Any:
        from psycopg import sql

        return sql.SQL(statement).format(table=self._table, width=sql.Literal(width))


def _check_name(part: str, name: object) -> None:
    if not isinstance(name, str):
        raise ConfigError(f"{part} must be a string, not {type(name).__name__}")
    size = len(name.encode("utf-8", "replace"))
    if not 0 < size <= _LONGEST_NAME:
        raise ConfigError(f"{part} must be a name of 1 to {_LONGEST_NAME} bytes, not one of {size}")
    # psycopg takes a percent sign for the place of a value, also within a name
    if not name.isprintable() or "%" in name:
        raise ConfigError(f"{part} must be a name of printable characters, none of them %")
