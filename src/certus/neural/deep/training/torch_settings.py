"""torch's global settings while a learner works: its own threads, random numbers and precision, put back afterwards."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Iterator
from typing import Any

import numpy as np

from certus.base import resolve_threads
from certus.neural.deep.lazy_torch import torch

# The generator and the number of threads belong to the process: learners that work in several threads take turns.
_turn = threading.RLock()


def choose_device(device: str) -> Any:
    """The device of that name; "auto" is an accelerator that is there, else the processor."""
    if device == "auto":
        if torch.cuda.is_available():
            return torch.device("cuda")
        return torch.device("mps" if torch.backends.mps.is_available() else "cpu")
    try:
        found = torch.device(device)
        torch.empty(0, device=found)
    except (RuntimeError, AssertionError, NotImplementedError) as error:
        reason = str(error).splitlines()[0]
        raise ValueError(
            f"device must be 'auto', 'cpu' or an accelerator that torch finds, got {device!r} ({reason}).\n"
            "Hint: device='auto' takes what is there."
        ) from None
    return found


@contextlib.contextmanager
def own_threads(threads: int) -> Iterator[None]:
    """So many threads inside, at most one per core, and as many as before afterwards."""
    threads = min(threads, resolve_threads(-1))
    with _turn:
        before = torch.get_num_threads()
        if before != threads:
            torch.set_num_threads(threads)
        try:
            yield
        finally:
            if before != threads:
                torch.set_num_threads(before)


@contextlib.contextmanager
def single_precision() -> Iterator[None]:
    """New tensors inside are in single precision, as the examples are, whatever the program's default is."""
    with _turn:
        before = torch.get_default_dtype()
        torch.set_default_dtype(torch.float32)
        try:
            yield
        finally:
            torch.set_default_dtype(before)


@contextlib.contextmanager
def own_randomness(device: Any, *key: int) -> Iterator[None]:
    """Random numbers inside that depend on the key alone, and single precision; those of the rest of the program go on
    undisturbed.
    """
    seed = int(np.random.SeedSequence(key).generate_state(1, np.uint64)[0] >> np.uint64(1))
    here = torch.random.default_generator
    accelerator = None if device.type == "cpu" else getattr(torch, device.type)
    with single_precision():
        state = here.get_state()
        there = None if accelerator is None else accelerator.get_rng_state()
        try:
            here.manual_seed(seed)
            if accelerator is not None:
                accelerator.manual_seed(seed)
            yield
        finally:
            here.set_state(state)
            if accelerator is not None:
                accelerator.set_rng_state(there)
