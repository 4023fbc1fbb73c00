"""Running chains."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from joblib import Parallel, delayed

from certus.base import RandomStateLike, resolve_seed, resolve_threads
from certus.sampling.draws import Draws
from certus.sampling.hmc import HMC
from certus.sampling.mala import MALA
from certus.sampling.metropolis import Metropolis
from certus.sampling.nuts import NUTS
from certus.sampling.sampler import Floats, Sampler, State
from certus.sampling.target import Target

NAMED: dict[str, Callable[[], Sampler]] = {"nuts": NUTS, "hmc": HMC, "mala": MALA, "metropolis": Metropolis}


def sample(
    target: Target,
    sampler: Sampler | str = "nuts",
    *,
    draws: int = 1000,
    tune: int = 1000,
    chains: int = 4,
    start: Any = None,
    random_state: RandomStateLike = None,
    n_jobs: int | None = None,
    thin: int = 1,
    resume: Draws | None = None,
) -> Draws:
    """Draw from a target by Markov chains.

    Every chain has its own stream of random numbers: the draws are the same for any ``n_jobs``. Ctrl-C ends the
    sampling and keeps what all chains have drawn by then (with one job).

    Parameters
    ----------
    target : Target
        What to draw from.
    sampler : {"nuts", "hmc", "mala", "metropolis"} or sampler, default="nuts"
        How.
    draws : int, default=1000
        Draws of every chain that are kept.
    tune : int, default=1000
        Draws before, in which the sampler adapts itself, and which are thrown away (burn-in).
    chains : int, default=4
        Number of chains.
    start : array-like of shape (dim,) or (chains, dim), default=None
        Where they start; by default at standard normal points.
    random_state : int, RandomState instance or None, default=None
        Seed.
    n_jobs : int, default=None
        Threads that run chains.
    thin : int, default=1
        Keep every thin-th draw.
    resume : Draws, default=None
        Go on where these draws ended, without tuning.

    Returns
    -------
    Draws

    Examples
    --------
    >>> from certus.sampling import Target, sample
    >>> normal = Target(lambda t: -0.5 * float(t @ t), lambda t: -t, dim=2)
    >>> found = sample(normal, draws=300, tune=300, chains=2, random_state=0)
    >>> found.values.shape, bool(abs(found.mean()).max() < 0.3)
    ((2, 300, 2), True)
    """
    for name, value, least in (("draws", draws, 1), ("tune", tune, 0), ("chains", chains, 1), ("thin", thin, 1)):
        if int(value) != value or value < least:
            raise ValueError(f"{name} must be a whole number of at least {least}, got {value!r}.")
    if isinstance(sampler, str):
        if sampler not in NAMED:
            raise ValueError(f"sampler must be one of {', '.join(NAMED)} or a sampler, got {sampler!r}.")
        sampler = NAMED[sampler]()
    sampler.check(target)
    streams = np.random.SeedSequence(resolve_seed(random_state)).spawn(chains)
    starts = _starts(target, start, chains, streams)
    before = [None] * chains if resume is None else list(zip(resume.samplers, resume.states, strict=True))
    if len(before) != chains:
        raise ValueError(f"chains must be as many as in resume, {len(before)}, got {chains}.")
    threads = 1 if chains == 1 else resolve_threads(n_jobs)
    work = [
        (target, sampler, begin, int(draws), int(tune), int(thin), stream, earlier, threads == 1 and place == 0)
        for place, (begin, stream, earlier) in enumerate(zip(starts, streams, before, strict=True))
    ]
    if threads == 1:
        found = _in_turn(work)
    else:
        found = Parallel(n_jobs=threads, prefer="threads")(delayed(_chain)(*each) for each in work)
    shortest = min(len(each[0]) for each in found)
    return Draws(
        np.array([each[0][:shortest] for each in found]),
        target.names,
        np.array([each[1][:shortest] for each in found]),
        np.array([each[2][:shortest] for each in found]),
        found[0][3],
        states=tuple(each[4] for each in found),
        samplers=tuple(each[3] for each in found),
    )


def _starts(target: Target, start: Any, chains: int, streams: list[np.random.SeedSequence]) -> list[Floats]:
    if start is None:
        return [
            target.start(np.random.default_rng(stream.spawn(1)[0]).standard_normal(target.dim)) for stream in streams
        ]
    given = np.atleast_2d(np.asarray(start, dtype=np.float64))
    if given.shape not in ((1, target.dim), (chains, target.dim)):
        raise ValueError(f"start must have shape ({target.dim},) or ({chains}, {target.dim}), got {np.shape(start)}.")
    return [target.start(each) for each in np.broadcast_to(given, (chains, target.dim))]


Chain = tuple[Floats, Floats, Any, Any, State]


def _in_turn(work: list[Any]) -> list[Chain]:
    """One chain after the other; Ctrl-C keeps the chains that are whole, or else the draws of the first one."""
    found: list[Chain] = []
    for each in work:
        try:
            found.append(_chain(*each))
        except KeyboardInterrupt:
            if not found:
                raise
            break
    return found


def _chain(
    target: Target,
    sampler: Any,
    begin: Floats,
    draws: int,
    tune: int,
    thin: int,
    stream: np.random.SeedSequence,
    earlier: Any,
    keep: bool,
) -> Chain:
    generator = np.random.default_rng(stream)
    if earlier is None:
        sampler, state = sampler.tuned(target, sampler.init(target, begin), tune, generator)
    else:
        sampler, state = earlier
    values, acceptance = np.empty((draws, target.dim)), np.empty(draws)
    divergent = np.zeros(draws, dtype=bool)
    done = 0
    try:
        for draw in range(draws):
            for _ in range(thin):
                state, info = sampler.step(target, state, generator)
            values[draw], acceptance[draw], divergent[draw] = state.position, info.acceptance, info.divergent
            done = draw + 1
    except KeyboardInterrupt:
        if not keep or done < 4:
            raise
    return values[:done], acceptance[:done], divergent[:done], sampler, state
