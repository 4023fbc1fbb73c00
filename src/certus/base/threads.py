"""How many threads to use, and keeping BLAS on one thread while our own pool is at work.

Results must not depend on the number of threads. Our kernels guarantee that themselves (fixed blocks, combined
in order); BLAS does not, so it runs on one thread inside ``fit`` and ``predict`` and the pool parallelises over
blocks instead.
"""

from __future__ import annotations

import contextlib
import functools
import os
import threading
from typing import Any

from joblib import cpu_count, effective_n_jobs
from joblib.parallel import get_active_backend
from threadpoolctl import ThreadpoolController


def resolve_threads(n_jobs: int | None = None) -> int:
    """Translate ``n_jobs`` into a number of threads.

    ``None`` means what `joblib.parallel_config` says if it was used, else ``OMP_NUM_THREADS``, else the cores
    that affinity and cgroup leave to this process; always 1 inside a joblib worker. Negative numbers count
    from the cores: -1 is all of them, -2 all but one.
    """
    backend, configured = get_active_backend()
    if getattr(backend, "nesting_level", 0):
        return 1
    if n_jobs is None:
        if configured is not None and configured != 1:
            return max(1, effective_n_jobs(configured))
        return _omp_threads() or _cores()
    if n_jobs == 0:
        msg = "The 'n_jobs' parameter must be None, a positive or a negative int. Got 0 instead."
        raise ValueError(msg)
    return n_jobs if n_jobs > 0 else max(1, _cores() + 1 + n_jobs)


def _cores() -> int:
    """Cores that affinity, cgroup and joblib's own limit leave to this process."""
    affinity = frozenset(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else None
    return _count_cores(affinity, os.environ.get("LOKY_MAX_CPU_COUNT"))


@functools.lru_cache(maxsize=8)
def _count_cores(_affinity: frozenset[int] | None, _limit: str | None) -> int:
    """Joblib reads the cgroup's files for this; the arguments are what else the count depends on."""
    return max(1, cpu_count())


def _omp_threads() -> int | None:
    """The first number of OMP_NUM_THREADS, which joblib also sets for its worker processes."""
    first = os.environ.get("OMP_NUM_THREADS", "").split(",")[0].strip()
    return int(first) if first.isdigit() and int(first) > 0 else None


class _BlasLimit:
    """Counts who wants BLAS on one thread, so that nested and concurrent users restore it only once."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._users = 0
        self._libraries: list[Any] | None = None
        self._limited: list[tuple[Any, int]] = []  # libraries and the threads that they had

    def acquire(self) -> None:
        with self._lock:
            self._users += 1
            if self._users > 1:
                return
            if self._libraries is None:
                import scipy.linalg.blas  # noqa: F401  its BLAS must be loaded to be found

                self._libraries = list(ThreadpoolController().select(user_api="blas").lib_controllers)
            self._limited = [(library, library.get_num_threads()) for library in self._libraries]
            for library, threads in self._limited:
                if threads != 1:
                    library.set_num_threads(1)

    def release(self) -> None:
        with self._lock:
            self._users -= 1
            if self._users > 0:
                return
            for library, threads in self._limited:
                if threads not in (1, None):
                    library.set_num_threads(threads)


_limit = _BlasLimit()


class _OneThread:
    """Runs the body with every loaded BLAS on one thread; a generator would cost more than what it guards."""

    def __enter__(self) -> None:
        _limit.acquire()

    def __exit__(self, *_: object) -> None:
        _limit.release()


_one_thread = _OneThread()


def blas_on_one_thread() -> contextlib.AbstractContextManager[None]:
    """Run the body with every loaded BLAS on one thread."""
    return _one_thread
