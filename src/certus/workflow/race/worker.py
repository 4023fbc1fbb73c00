"""The program of a worker process: evaluates what it is asked to until its input ends.

    python -m certus.workflow.race.worker

The path of the pickled `Learning` that the parent process wrote comes first, then requests; outcomes go back. All are
pickles through the standard streams, which only the parent holds.
"""

from __future__ import annotations

import os
import pickle
import signal
import sys
from pathlib import Path

from certus.workflow.race.learning import Evaluator


def main() -> None:
    """Serve one request after the other."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the parent's to handle: it ends its workers
    outcomes = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())  # a learner that prints must not break the protocol
    requests = sys.stdin.buffer
    evaluator: Evaluator | None = None
    while True:
        try:
            message = pickle.load(requests)
        except EOFError:
            return
        if evaluator is None:
            evaluator = Evaluator(pickle.loads(Path(message).read_bytes()))
            continue
        candidate, index, threads = message
        try:
            pickle.dump(evaluator.evaluate(candidate, index, threads), outcomes)
            outcomes.flush()
        except BrokenPipeError:
            os._exit(1)  # the parent was killed: nobody is left to be told


if __name__ == "__main__":
    main()
