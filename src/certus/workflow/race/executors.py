"""Where evaluations run: in this process, or in worker processes that can be ended at any moment."""

from __future__ import annotations

import contextlib
import pickle
import selectors
import subprocess
import sys
import tempfile
import time
from collections import deque
from collections.abc import Iterator, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, Protocol

from certus.workflow.race.candidates import Candidate
from certus.workflow.race.learning import Evaluator, Learning
from certus.workflow.race.outcome import Outcome

Request = tuple[Candidate, int]  # a candidate and the index of a division


class Executor(Protocol):
    """Runs evaluations; what is not done by the deadline is left out."""

    @property
    def workers(self) -> int:
        """How many run at once."""
        ...

    def run(self, requests: Sequence[Request], deadline: float | None) -> Iterator[tuple[Request, Outcome]]:
        """Outcomes as they come. The deadline is a time of `time.monotonic`."""
        ...

    def close(self) -> None:
        """End all that still runs."""
        ...


class InProcess:
    """One evaluation after the other, here; a running one is not interrupted by the deadline."""

    workers = 1

    def __init__(self, learning: Learning, threads: int) -> None:
        self._evaluator = Evaluator(learning)
        self._threads = threads

    def run(self, requests: Sequence[Request], deadline: float | None) -> Iterator[tuple[Request, Outcome]]:
        for request in requests:
            if deadline is not None and time.monotonic() >= deadline:
                return
            yield request, self._evaluator.evaluate(*request, self._threads)

    def close(self) -> None:
        pass


class _Worker:
    """A worker process and the request it is at."""

    def __init__(self) -> None:
        self.request: Request | None = None
        self.process = subprocess.Popen(
            [sys.executable, "-m", "certus.workflow.race.worker"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            process_group=0,  # Ctrl-C in a terminal is the parent's to handle
        )

    def teach(self, learning: Path) -> None:
        """Say where the learning rows are; nothing is asked before."""
        self._send(str(learning))

    def ask(self, request: Request, threads: int) -> None:
        self.request = request
        self._send((*request, threads))

    def _send(self, message: Any) -> None:
        assert self.process.stdin is not None
        with contextlib.suppress(BrokenPipeError):  # it died: its outcome says so
            pickle.dump(message, self.process.stdin)
            self.process.stdin.flush()

    def outcome(self) -> Outcome:
        """The outcome, or a failure if the process died over it."""
        assert self.process.stdout is not None
        try:
            outcome: Outcome = pickle.load(self.process.stdout)
        except (EOFError, pickle.UnpicklingError):
            return Outcome(None, None, 0.0, f"the process ended with code {self.process.wait()}")
        return outcome

    def end(self) -> None:
        self.process.kill()
        self.process.wait()
        for stream in (self.process.stdin, self.process.stdout):
            if stream is not None:
                with contextlib.suppress(BrokenPipeError):  # what it never read has nowhere to go
                    stream.close()


class Workers:
    """Worker processes side by side, one evaluation each. Ctrl-C and the deadline end them at once.

    They take some seconds to start, in which the table can be read; `teach` then gives them the learning rows.
    """

    def __init__(self, count: int) -> None:
        self._folder = tempfile.TemporaryDirectory(prefix="certus-")
        self._file = Path(self._folder.name) / "learning.pickle"
        self._workers = [_Worker() for _ in range(count)]
        self._threads = 1

    @property
    def workers(self) -> int:
        """How many evaluations run at once."""
        return len(self._workers)

    def teach(self, learning: Learning, *, together: int = 1) -> Workers:
        """Give the learning rows to all; or to one only, which then uses ``together`` threads."""
        if together > 1:
            for worker in self._workers[1:]:
                worker.end()
            del self._workers[1:]
        self._threads = together
        self._file.write_bytes(pickle.dumps(learning, protocol=5))
        for worker in self._workers:
            worker.teach(self._file)
        return self

    def run(self, requests: Sequence[Request], deadline: float | None) -> Iterator[tuple[Request, Outcome]]:
        waiting = deque(requests)
        try:
            for worker in self._workers:
                self._next(worker, waiting)
            while busy := [worker for worker in self._workers if worker.request is not None]:
                ready = _ready(busy, deadline)
                if not ready:
                    return
                for worker in ready:
                    yield self._collect(worker, waiting, deadline)
        finally:
            for worker in [worker for worker in self._workers if worker.request is not None]:
                self._renew(worker)

    def _collect(self, worker: _Worker, waiting: deque[Request], deadline: float | None) -> tuple[Request, Outcome]:
        """The outcome of a worker that is done, which then gets its next request."""
        request, outcome = worker.request, worker.outcome()
        assert request is not None
        worker.request = None
        if worker.process.poll() is not None:
            self._renew(worker)
            worker = self._workers[-1]
        if deadline is None or time.monotonic() < deadline:
            self._next(worker, waiting)
        return request, outcome

    def _next(self, worker: _Worker, waiting: deque[Request]) -> None:
        if waiting:
            worker.ask(waiting.popleft(), self._threads)

    def _renew(self, worker: _Worker) -> None:
        worker.end()
        self._workers.remove(worker)
        self._workers.append(_Worker())
        self._workers[-1].teach(self._file)

    def close(self) -> None:
        for worker in self._workers:
            worker.end()
        self._workers = []
        self._folder.cleanup()

    def __enter__(self) -> Workers:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def _ready(busy: list[_Worker], deadline: float | None) -> list[_Worker]:
    """Workers that are done; none when the deadline has passed."""
    with selectors.DefaultSelector() as selector:
        for worker in busy:
            assert worker.process.stdout is not None
            selector.register(worker.process.stdout, selectors.EVENT_READ, worker)
        limit = None if deadline is None else max(0.0, deadline - time.monotonic())
        events: list[Any] = selector.select(limit)
    return [key.data for key, _ in events]
