"""Running chains."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from threading import Event
from typing import Any, Literal

import numpy as np
from joblib import Parallel, delayed
from numpy.typing import NDArray

from certus.base import RandomStateLike, resolve_seed, resolve_threads
from certus.guarantees import Report
from certus.sampling.argument_checks import whole
from certus.sampling.draws import Draws
from certus.sampling.hmc import HMC
from certus.sampling.mala import MALA
from certus.sampling.metropolis import Metropolis
from certus.sampling.nuts import NUTS
from certus.sampling.sampler import Floats, Info, Sampler, State
from certus.sampling.target import Target

NAMED: dict[str, Callable[[], Sampler]] = {"nuts": NUTS, "hmc": HMC, "mala": MALA, "metropolis": Metropolis}
FEWEST = 4  # draws of a chain of which diagnostics can be computed
Callback = Callable[[int, int, State, Info], Any]


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
    callback: Callback | None = None,
    parallel: Literal["threads", "processes"] = "threads",
) -> Draws:
    """Draw from a target by Markov chains.

    Every chain has its own stream of random numbers: the draws are the same for any ``n_jobs``. Ctrl-C ends the
    sampling and keeps what the chains have drawn by then.

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
        Threads or processes that run chains.
    thin : int, default=1
        Keep every thin-th draw.
    resume : Draws, default=None
        Go on where these draws ended, without tuning.
    callback : callable, default=None
        ``callback(chain, draw, state, info)`` after every draw that is kept; if it gives True, all chains stop and what
        was drawn is kept. With threads it is called from several of them.
    parallel : {"threads", "processes"}, default="threads"
        Processes are faster where the log density is plain Python; they take no callback, and Ctrl-C keeps nothing.

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
    draws, tune = whole("draws", draws, 1), whole("tune", tune, 0)
    chains, thin = whole("chains", chains, 1), whole("thin", thin, 1)
    if isinstance(sampler, str):
        if sampler not in NAMED:
            raise ValueError(f"sampler must be one of {', '.join(NAMED)} or a sampler, got {sampler!r}.")
        sampler = NAMED[sampler]()
    if not isinstance(sampler, Sampler):
        raise ValueError(f"sampler must be one of {', '.join(NAMED)} or a sampler, such as NUTS(), got {sampler!r}.")
    sampler.check(target)
    streams = np.random.SeedSequence(resolve_seed(random_state)).spawn(chains)
    starts = _starts(target, start, chains, streams)
    before = [None] * chains if resume is None else list(zip(resume.samplers, resume.states, strict=True))
    if len(before) != chains:
        raise ValueError(f"chains must be as many as in resume, {len(before)}, got {chains}.")
    if parallel not in ("threads", "processes"):
        raise ValueError(f"parallel must be 'threads' or 'processes', got {parallel!r}.")
    if parallel == "processes" and callback is not None:
        raise ValueError("callback must be None with parallel='processes': it cannot be called from there.")
    threads = min(chains, resolve_threads(n_jobs))
    work = [
        _Work(target, sampler, begin, draws, tune, thin, place, stream, earlier)
        for place, (begin, stream, earlier) in enumerate(zip(starts, streams, before, strict=True))
    ]
    if parallel == "processes" and threads > 1:
        found = Parallel(n_jobs=threads)(delayed(_chain)(each) for each in work)
    else:
        found = _in_threads(work, threads, callback)
    return _together(work, found)


def _together(work: list[_Work], found: list[Chain]) -> Draws:
    """All chains, cut to the length of the shortest."""
    target, thin = work[0].target, work[0].thin
    shortest = min(len(each.values) for each in found)
    first = thin + (work[0].tune if work[0].earlier is None else 0)
    last = first + (shortest - 1) * thin
    # Nothing is proved where Ctrl-C or a callback chose when to stop, perhaps by the draws.
    whole = len(found) == len(work) and shortest == work[0].draws
    runs = [(each.sampler, each.began) for each in found]
    return Draws(
        np.array([each.values[:shortest] for each in found]),
        target.names,
        np.array([each.acceptance[:shortest] for each in found]),
        np.array([each.divergent[:shortest] for each in found]),
        found[0].sampler,
        states=tuple(each.state for each in found),
        samplers=tuple(each.sampler for each in found),
        report_=Report(found[0].sampler.promised(target, runs, first, last) if whole else []),
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


@dataclass(frozen=True)
class _Work:
    """What a chain is run with."""

    target: Target
    sampler: Any
    begin: Floats
    draws: int
    tune: int
    thin: int
    place: int
    stream: np.random.SeedSequence
    earlier: tuple[Any, State] | None


@dataclass(frozen=True)
class Chain:
    """What a chain gave."""

    values: Floats
    acceptance: Floats
    divergent: NDArray[np.bool_]
    sampler: Any
    state: State
    began: Floats


class _StoppedError(Exception):
    """The chain was told to stop."""


class _Watched(Target):
    """The same target, whose evaluations end once the chains were told to stop."""

    def __init__(self, target: Target, stop: Event | None) -> None:
        self.__dict__.update(vars(target))
        self._stop = stop

    def log_density(self, theta: Floats) -> float:
        self.poll()
        return super().log_density(theta)

    def gradient(self, theta: Floats) -> Floats:
        self.poll()
        return super().gradient(theta)

    def value_and_gradient(self, theta: Floats) -> tuple[float, Floats]:
        self.poll()
        return super().value_and_gradient(theta)

    def poll(self) -> None:
        """Stop if the chains were told to."""
        if self._stop is not None and self._stop.is_set():
            raise _StoppedError


def _in_threads(work: list[_Work], threads: int, callback: Callback | None) -> list[Chain]:
    """All chains. Ctrl-C, or a callback that says so, stops them; those that have draws by then are kept."""
    stop = Event()
    with ThreadPoolExecutor(threads) as pool:
        futures = [pool.submit(_chain, each, callback, stop) for each in work]
        for future in futures:
            try:
                future.result()
            except _StoppedError:
                continue
            except KeyboardInterrupt:
                stop.set()
            except BaseException:
                stop.set()
                raise
    found = [future.result() for future in futures if future.exception() is None]
    found = [each for each in found if len(each.values) >= min(FEWEST, work[0].draws)]
    if not found:
        raise (
            KeyboardInterrupt
            if callback is None
            else ValueError("callback stopped the chains before any of them had draws.")
        )
    return found


@np.errstate(over="ignore", invalid="ignore")  # steps that go too far are refused, whatever numbers they give
def _chain(work: _Work, callback: Callback | None = None, stop: Event | None = None) -> Chain:
    target, generator = _Watched(work.target, stop), np.random.default_rng(work.stream)
    began = work.begin if work.earlier is None else work.earlier[1].position
    if work.earlier is None:
        sampler, state = work.sampler.tuned(target, work.sampler.init(target, work.begin), work.tune, generator)
    else:
        sampler, state = work.earlier
    values, acceptance = np.empty((work.draws, target.dim)), np.empty(work.draws)
    divergent = np.zeros(work.draws, dtype=bool)
    done = 0
    try:
        for draw in range(work.draws):
            target.poll()
            for _ in range(work.thin):
                state, info = sampler.step(target, state, generator)
            values[draw], acceptance[draw], divergent[draw] = state.position, info.acceptance, info.divergent
            done = draw + 1
            if callback is not None and callback(work.place, draw, state, info) is True and stop is not None:
                stop.set()
    except (_StoppedError, KeyboardInterrupt):
        if stop is None:
            raise
        stop.set()
    return Chain(values[:done], acceptance[:done], divergent[:done], sampler, state, began)
