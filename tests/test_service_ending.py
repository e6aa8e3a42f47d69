"""Do signals end what serves, and are they left as they were?"""

from __future__ import annotations

import signal
from threading import Thread
from typing import Any

import pytest

from raguard.service.ending import end, on_signals


def test_a_signal_is_handled_meanwhile_and_left_as_it_was() -> None:
    before = signal.getsignal(signal.SIGTERM)
    with pytest.raises(SystemExit) as ended, on_signals(end, signal.SIGTERM):
        signal.raise_signal(signal.SIGTERM)
    assert ended.value.code == 0
    assert signal.getsignal(signal.SIGTERM) == before


def test_a_handler_that_python_does_not_know_gives_way_to_the_default(monkeypatch: pytest.MonkeyPatch) -> None:
    before, put = signal.getsignal(signal.SIGTERM), signal.signal

    def foreign(number: int, handler: Any) -> Any:
        """What was there before was set by a library in C."""
        return None if put(number, handler) == before else end

    monkeypatch.setattr(signal, "signal", foreign)
    try:
        with on_signals(end, signal.SIGTERM):
            assert signal.getsignal(signal.SIGTERM) is end
        assert signal.getsignal(signal.SIGTERM) == signal.SIG_DFL
    finally:
        put(signal.SIGTERM, before)


def test_in_another_thread_nothing_is_handled() -> None:
    handlers = []

    def serve() -> None:
        with on_signals(end, signal.SIGTERM):
            handlers.append(signal.getsignal(signal.SIGTERM))

    thread = Thread(target=serve)
    thread.start()
    thread.join()
    assert handlers == [signal.getsignal(signal.SIGTERM)]
