"""How are many cases judged? One after the other, or by several processes that each have a Verifier of their own."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from itertools import islice
from typing import TYPE_CHECKING, Any, NamedTuple

from raguard.documents import read_document
from raguard.errors import ConfigError, ModelError
from raguard.result import VerifyResult

if TYPE_CHECKING:
    from multiprocessing.connection import Connection

    from raguard.verifier import Verifier

__all__ = ["AHEAD", "judged_by_processes", "judged_here", "usable_cores"]

AHEAD = 16
"""How many cases per process are taken before the verdict on the first of them is asked for."""
_AT_ONCE = 8
"""How many cases a process gets in one message; it answers with one message too, so that neither blocks the other."""
_PATIENCE = 5.0
"""How many seconds an idle process has to end."""

Case = Mapping[str, Any]
_NOT_STARTED = (
    "A process for verify_many has ended before it was ready; "
    'in a script, call it below `if __name__ == "__main__":`, so that other processes can import the script.'
)


class _Task(NamedTuple):
    """A pickled case and its number; ``alone`` when it may be the one that ended a process."""

    number: int
    case: bytes
    alone: bool = False


def judged_here(verifier: Verifier, cases: Iterable[Case], lang: str) -> Iterator[VerifyResult]:
    """The verdicts on ``cases`` in their order; each case is taken when its verdict is asked for."""
    for case in cases:
        yield _judge(verifier, _parts(case), lang)


def judged_by_processes(verifier: Verifier, cases: Iterable[Case], lang: str, processes: int) -> Iterator[VerifyResult]:
    """The same verdicts by several processes, which start when the first one is asked for and end with the iterator.

    What ``cases`` raises comes after the verdicts on the cases before. A case whose process ends is an error, and the
    others go on. Raises ConfigError, at once, for checks that no other process can import.
    """
    try:
        setting = _packed((verifier.config, verifier.checks, lang))
    except Exception as fault:
        raise ConfigError(f"checks must be functions of a module when several processes run them ({fault})") from fault
    return _Crew(verifier, setting, lang, processes).judged(iter(cases))


def usable_cores() -> int:
    """How many cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


class _Crew:
    """Some workers, the cases that wait for one, and the verdicts that wait for their turn."""

    def __init__(self, verifier: Verifier, setting: bytes, lang: str, processes: int) -> None:
        self._verifier = verifier
        self._setting = setting
        self._lang = lang
        self._processes = processes
        self._workers: list[_Worker] = []
        self._waiting: deque[_Task] = deque()
        self._done: dict[int, VerifyResult] = {}
        self._taken = 0

    def judged(self, cases: Iterator[Case]) -> Iterator[VerifyResult]:
        """The verdicts on ``cases`` in their order."""
        raised: Exception | None = None
        given, most = 0, AHEAD * self._processes
        try:
            self._workers += [_Worker(self._setting) for _ in range(self._processes)]
            while True:
                try:
                    for case in islice(cases, most - (self._taken - given)):
                        self._take(case)
                except Exception as fault:
                    cases, raised = iter(()), fault
                self._hand_out()
                if given in self._done:
                    yield self._done.pop(given)
                    given += 1
                elif given < self._taken:
                    self._collect()
                else:
                    break
        finally:
            for worker in self._workers:
                worker.stop()
        if raised is not None:
            raise raised

    def _take(self, case: Case) -> None:
        """Lets a case wait for a worker; one that cannot be sent to any is judged here."""
        parts = _parts(case)
        try:
            self._waiting.append(_Task(self._taken, _packed(parts)))
        except KeyboardInterrupt:
            raise
        except BaseException:
            self._done[self._taken] = _judge(self._verifier, parts, self._lang)
        self._taken += 1

    def _hand_out(self) -> None:
        """Gives each idle worker its share of what waits."""
        for worker in self._workers:
            if worker.idle and self._waiting:
                share = min(_AT_ONCE, -(-len(self._waiting) // self._processes))
                # those that go alone stand before all others
                count = 1 if self._waiting[0].alone else share
                worker.give([self._waiting.popleft() for _ in range(count)])

    def _collect(self) -> None:
        """Waits for a worker to be ready, done or gone."""
        from multiprocessing.connection import wait

        heard = wait([worker.connection for worker in self._workers if not worker.idle])
        for place, worker in enumerate(self._workers):
            if worker.connection in heard:
                tasks, verdicts = worker.tasks, worker.answer()
                if verdicts is None:
                    worker.stop()
                    self._workers[place] = _Worker(self._setting)
                    self._try_again(tasks)
                else:
                    for task, verdict in zip(tasks, verdicts, strict=False):
                        self._done[task.number] = verdict or self._judge(task)

    def _try_again(self, tasks: list[_Task]) -> None:
        """Lets each case over which a process has ended go alone; one that did so alone is lost."""
        if len(tasks) == 1:
            self._done[tasks[0].number] = self._verifier.lost("The process that checked this case has ended.")
        else:
            self._waiting.extendleft(task._replace(alone=True) for task in reversed(tasks))

    def _judge(self, task: _Task) -> VerifyResult:
        return _judge(self._verifier, _unpacked(task.case), self._lang)


class _Worker:
    """A process with a Verifier, and the cases that it has in hand."""

    def __init__(self, setting: bytes) -> None:
        from multiprocessing import get_context

        spawning = get_context("spawn")
        self.connection, theirs = spawning.Pipe()
        self._process = spawning.Process(target=_serve, args=(theirs, setting), daemon=True)
        self._process.start()
        theirs.close()
        self._ready = False
        self.tasks: list[_Task] = []

    @property
    def idle(self) -> bool:
        """Whether it can be given cases."""
        return self._ready and not self.tasks

    def give(self, tasks: list[_Task]) -> None:
        """Sends it cases."""
        self.tasks = tasks
        with suppress(OSError):  # it has ended, as its answer will show
            self.connection.send([task.case for task in tasks])

    def answer(self) -> list[VerifyResult | None] | None:
        """The verdicts on its cases, none when it says that it is ready, and None when it has ended over them."""
        said: Any
        try:
            said = self.connection.recv()
        except (EOFError, OSError):
            said = None
        if not self._ready:
            if said != []:
                raise ConfigError(said or _NOT_STARTED)
            self._ready = True
        self.tasks = []
        return said if isinstance(said, list) else None

    def stop(self) -> None:
        """Ends the process, at once when it is busy."""
        busy = not self.idle
        self.connection.close()
        if busy:
            self._process.terminate()
        self._process.join(_PATIENCE)
        if self._process.is_alive():
            self._process.kill()
            self._process.join()


def _serve(connection: Connection, setting: bytes) -> None:
    """What a worker does: says that it is ready, or why it cannot be, and answers lists of cases until nobody asks."""
    import signal

    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C ends the process that asks, which then ends this one
    with suppress(EOFError, OSError):
        try:
            config, checks, lang = _unpacked(setting)
            verifier = _warm(config, checks)
        except Exception as fault:
            connection.send(f"A process for verify_many cannot start ({type(fault).__name__}: {fault}).")
            return
        connection.send([])
        while True:
            cases = connection.recv()
            connection.send([_judge_pickled(verifier, case, lang) for case in cases])


def _judge_pickled(verifier: Verifier, case: bytes, lang: str) -> VerifyResult | None:
    """The verdict on a pickled case; None when it holds what this process cannot import."""
    try:
        parts = _unpacked(case)
    except Exception:
        return None
    return _judge(verifier, parts, lang)


def _packed(thing: object) -> bytes:
    import pickle  # what only several processes need, as is ``multiprocessing``

    return pickle.dumps(thing)


def _unpacked(packed: bytes) -> Any:
    import pickle

    return pickle.loads(packed)


def _warm(config: Any, checks: Any) -> Verifier:
    from raguard.verifier import Verifier

    with suppress(ModelError):  # each verdict says it
        Verifier(config).warm_up()
    return Verifier(config, checks)


class _Parts(NamedTuple):
    """What of a case is asked, and why it cannot be when it cannot."""

    query: Any = ""
    docs: Any = None
    response: Any = None
    history: Any = None
    fault: str | None = None


def _judge(verifier: Verifier, parts: _Parts, lang: str) -> VerifyResult:
    if parts.fault is not None:
        return verifier.refuse(parts.fault)
    return verifier.verify(parts.query, parts.docs, parts.response, lang=lang, history=parts.history)


def _parts(case: object) -> _Parts:
    """The query, the documents, the response and the history of a case; what is missing is empty or None."""
    try:
        if not isinstance(case, Mapping):
            return _Parts(fault=f"A case must be a mapping, not {type(case).__name__}.")
        docs = case.get("docs")
        if isinstance(docs, (list, tuple)):
            docs = [read_document(entry) for entry in docs]
        return _Parts(case.get("query", ""), docs, case.get("response"), case.get("history"))
    except KeyboardInterrupt:
        raise
    except BaseException as crash:
        return _Parts(fault=f"The case cannot be read ({type(crash).__name__}).")
