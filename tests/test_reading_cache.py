"""Which chunk readings are kept for the next call?"""

from __future__ import annotations

from threading import Thread

from raguard import Config
from raguard.evidence.chunk import ReadingCache
from raguard.knowledge import Knowledge

READERS = Knowledge(Config()).readers


def _kept(cache: ReadingCache, *sources: str) -> list[bool]:
    """Whether each source is known; asked from the one that would be dropped last."""
    return [cache.reading(source, "en") is cache.reading(source, "en") for source in sources]


def test_the_reading_asked_for_longest_ago_is_dropped_first() -> None:
    cache = ReadingCache(READERS, most=2, most_chars=1_000)
    first, second = cache.reading("first", "en"), cache.reading("second", "en")
    assert cache.reading("first", "en") is first
    cache.reading("third", "en")
    assert cache.reading("first", "en") is first
    assert cache.reading("second", "en") is not second


def test_readings_are_dropped_when_their_texts_are_too_long_in_all() -> None:
    cache = ReadingCache(READERS, most=100, most_chars=10)
    short, other = cache.reading("12345", "en"), cache.reading("67890", "en")
    assert (cache.reading("12345", "en"), cache.reading("67890", "en")) == (short, other)
    cache.reading("a", "en")
    assert cache.reading("67890", "en") is other
    assert cache.reading("12345", "en") is not short


def test_a_text_longer_than_the_cache_is_read_but_not_kept() -> None:
    assert _kept(ReadingCache(READERS, most=100, most_chars=10), "12345678901", "1234567890") == [False, True]


def test_a_cache_of_no_chunks_or_no_characters_keeps_nothing() -> None:
    assert _kept(ReadingCache(READERS, most=0, most_chars=10), "text") == [False]
    assert _kept(ReadingCache(READERS, most=10, most_chars=0), "text") == [False]


def test_threads_that_read_the_same_texts_leave_the_cache_within_its_bounds() -> None:
    cache = ReadingCache(READERS, most=100, most_chars=50)

    def work() -> None:
        for number in range(200):
            cache.reading(f"text {number % 20:05}", "en")

    threads = [Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(cache) == 5
