"""Times of calls."""

import time
from collections.abc import Callable


def milliseconds(call: Callable[[], object], repeats: int = 7) -> str:
    """The fastest of several calls."""
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        call()
        times.append(time.perf_counter() - start)
    return f"{min(times) * 1e3:.3g}"
