"""Is the address of a service read as it should be, an answer bounded, and the socket of a request shut?"""

from __future__ import annotations

import math
import socket
from typing import Any

import pytest

from raguard import ConfigError
from raguard.endpoints import (
    AnswerError,
    Wire,
    bounded,
    checked_key,
    checked_seconds,
    is_this_machine,
    read_address,
    refuse_encoding,
)


@pytest.mark.parametrize("host", ["localhost", "a.localhost", "127.0.0.1", "127.9.9.9", "::1"])
def test_the_loopback_is_this_machine(host: str) -> None:
    assert is_this_machine(host)


@pytest.mark.parametrize("host", ["", "localhost.example.org", "10.0.0.1", "0.0.0.0", "notlocalhost"])
def test_other_hosts_are_not_this_machine(host: str) -> None:
    assert not is_this_machine(host)


def test_an_answer_of_just_the_limit_is_read_and_one_byte_more_is_not() -> None:
    assert b"".join(bounded([b"ab", b"", b"cd"], 4)) == b"abcd"
    parts = bounded([b"ab", b"cde"], 4)
    assert next(parts) == b"ab"
    with pytest.raises(AnswerError, match=r"^answered with more than 4 bytes$"):
        next(parts)


@pytest.mark.parametrize("encoding", ["identity", " Identity ", ""])
def test_an_answer_in_no_encoding_is_read(encoding: str) -> None:
    refuse_encoding({"Content-Encoding": encoding})
    refuse_encoding({})


@pytest.mark.parametrize("encoding", ["gzip", "br", "identity, gzip"])
def test_an_answer_in_an_encoding_is_refused(encoding: str) -> None:
    with pytest.raises(AnswerError, match=r"^answered with a Content-Encoding, though it was asked for none$"):
        refuse_encoding({"Content-Encoding": encoding})


@pytest.mark.parametrize("seconds", [0.001, 1, 86_400])
def test_seconds_that_any_system_can_wait_for_are_taken(seconds: float) -> None:
    assert checked_seconds(seconds, "timeout_s") == seconds


@pytest.mark.parametrize("seconds", [0, -1, True, None, "1", math.nan, math.inf, 86_401, 1e300, 10**400])
def test_other_seconds_are_refused_in_few_words(seconds: Any) -> None:
    with pytest.raises(ConfigError, match=r"^timeout_s must be a number of seconds above 0 and of at most a d") as told:
        checked_seconds(seconds, "timeout_s")
    assert len(str(told.value)) < 120


def test_a_key_is_taken_when_a_header_can_hold_it_and_is_never_shown() -> None:
    assert [checked_key(key) for key in (None, "", "sk-1 a")] == [None, "", "sk-1 a"]
    for key in ("sk-sécret", "sk-secret\n", "sk-secret ", " sk-secret", b"sk-secret", 7):
        with pytest.raises(
            ConfigError,
            match=r"^api_key must be a string of printable ASCII characters, without a space at its ends, or None$",
        ):
            checked_key(key)


def test_an_address_of_another_scheme_may_name_no_host() -> None:
    assert read_address("unix:/run/a", "url", "unix:/run/b", schemes=("http", "unix")).path == "/run/a"
    with pytest.raises(ConfigError, match=r"^url must name a host, as in http://a$"):
        read_address("http:/run/a", "url", "http://a", schemes=("http", "unix"))


class _Stream:
    """What httpcore tells of a connection."""

    def __init__(self, of: socket.socket) -> None:
        self._socket = of

    def get_extra_info(self, name: str) -> socket.socket:
        assert name == "socket"
        return self._socket


@pytest.mark.parametrize("is_cut_first", [True, False])
def test_cutting_a_wire_ends_who_reads_now_or_as_soon_as_there_is_a_connection(is_cut_first: bool) -> None:
    here, there = socket.socketpair()
    with here, there:
        wire = Wire()
        connected = ("connection.connect_tcp.complete", {"return_value": _Stream(here)})
        wire.watch("connection.connect_tcp.started", {})
        if is_cut_first:
            wire.cut()
            wire.watch(*connected)
        else:
            wire.watch(*connected)
            there.send(b"x")
            assert here.recv(1) == b"x"
            wire.cut()
        assert here.recv(1) == b""
        wire.cut()


def test_cutting_a_wire_without_a_connection_or_with_a_closed_one_does_nothing() -> None:
    here, there = socket.socketpair()
    wire = Wire()
    wire.cut()
    here.close()
    there.close()
    wire.watch("connection.start_tls.complete", {"return_value": _Stream(here)})
    wire.cut()
