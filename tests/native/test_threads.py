"""The pool seen from Python: equal bits for any number of threads, and life after fork."""

from __future__ import annotations

import threading

import numpy as np
import pytest

from certus import _native
from tests.native.scripts import run

pytestmark = pytest.mark.sanitize

posix = pytest.mark.skipif("sys.platform == 'win32'", reason="there is no fork on Windows")


def vectors(length: int = 1_000_003) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(3)
    return rng.normal(size=length) * np.exp(4 * rng.normal(size=length)), rng.normal(size=length)


def test_equal_bits_for_any_number_of_threads():
    a, b = vectors()
    alone = _native.dot(a, b, 1)
    assert alone == pytest.approx(float(np.dot(a, b)), rel=1e-9)
    assert {_native.dot(a, b, threads) for threads in (1, 2, 3, 8) for _ in range(10)} == {alone}
    assert _native.pool_size() >= 7


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("kind", [np.float32, np.float64])
def test_a_value_that_is_not_finite_is_found_anywhere(bad, kind):
    values = np.ones(600_000, dtype=kind)
    assert _native.all_finite(values, 2)
    assert _native.all_finite(values[:0], 2)
    for place in (0, 262_143, 262_144, 599_999):
        spoiled = values.copy()
        spoiled[place] = bad
        assert not _native.all_finite(spoiled, 1)
        assert not _native.all_finite(spoiled, 2)


def test_python_threads_may_call_at_once():
    a, b = vectors()
    expected = _native.dot(a, b, 1)
    results: list[float] = []
    callers = [
        threading.Thread(target=lambda: results.extend(_native.dot(a, b, 2) for _ in range(10))) for _ in range(4)
    ]
    for caller in callers:
        caller.start()
    for caller in callers:
        caller.join()
    assert results == [expected] * 40


FORK = """
    import os, signal
    import numpy as np
    from certus import _native

    signal.alarm(60)  # a hang ends the process instead of the test run
    values = np.random.default_rng(0).normal(size=200_000)
    before = _native.dot(values, values, 2)
    assert _native.pool_size() >= 1

    def work(_):
        empty = _native.pool_size()
        return empty, _native.dot(values, values, 2), _native.pool_size()
"""


@posix
def test_a_forked_child_makes_its_own_pool():
    run(
        FORK
        + """
    child = os.fork()
    if child == 0:
        signal.alarm(30)
        os._exit(0 if work(None) == (0, before, 1) else 1)
    _, status = os.waitpid(child, 0)
    assert os.waitstatus_to_exitcode(status) == 0, status
    assert _native.dot(values, values, 2) == before
    """
    )


@posix
def test_multiprocessing_by_fork():
    run(
        FORK
        + """
    import multiprocessing
    with multiprocessing.get_context("fork").Pool(2) as processes:
        results = processes.map(work, range(8), chunksize=1)
    assert {value for _, value, _ in results} == {before}
    assert {threads for _, _, threads in results} == {1}
    """
    )


@posix
def test_fork_while_another_thread_computes():
    run(
        FORK
        + """
    import threading
    finished = threading.Event()
    def compute():
        while not finished.is_set():
            assert _native.dot(values, values, 2) == before
    other = threading.Thread(target=compute)
    other.start()
    for _ in range(20):
        child = os.fork()
        if child == 0:
            signal.alarm(30)
            os._exit(0 if work(None)[1] == before else 1)
        _, status = os.waitpid(child, 0)
        assert os.waitstatus_to_exitcode(status) == 0, status
    finished.set()
    other.join()
    """
    )


def test_the_process_ends_while_workers_exist():
    run("from certus import _native; _native.spin(0.01, 4); assert _native.pool_size() == 3")


def test_the_process_ends_while_a_daemon_thread_computes():
    """The interpreter shuts down slowly here, so that the kernel meets it in that state."""
    run(
        """
        import threading, time
        from certus import _native

        class SlowToDie:
            def __del__(self, sleep=time.sleep):
                sleep(0.3)

        last = SlowToDie()
        threading.Thread(target=_native.spin, args=(30.0, 2), daemon=True).start()
        threading.Thread(target=_native.spin, args=(0.2, 1), daemon=True).start()
        time.sleep(0.1)
        """,
        timeout=20,
    )
