"""Logistic regression by NUTS in other libraries; ``draws_`` is (chains, draws, columns + 1), intercept last.

Compiled functions are kept per process, so that warm calls time the sampling alone and the first call shows what
compiling costs. Every library works in double precision, and chains in its own best way on one machine.
"""

from typing import Any

import numpy as np

_compiled: dict[Any, Any] = {}


def _jax() -> Any:
    import jax

    jax.config.update("jax_enable_x64", True)
    return jax


class BlackjaxLogistic:
    """blackjax: window adaptation with a diagonal mass, then draws; chains side by side by ``vmap``."""

    def __init__(self, draws: int = 1000, tune: int = 1000, chains: int = 4, seed: int = 0) -> None:
        self.draws, self.tune, self.chains, self.seed = draws, tune, chains, seed

    def fit(self, X: np.ndarray, y: np.ndarray) -> Any:
        jax = _jax()
        key = ("blackjax", X.shape, self.draws, self.tune, self.chains)
        if key not in _compiled:
            _compiled[key] = jax.jit(jax.vmap(self._chain, in_axes=(0, None, None)))
        keys = jax.random.split(jax.random.PRNGKey(self.seed), self.chains)
        self.draws_ = np.asarray(_compiled[key](keys, jax.numpy.asarray(X), jax.numpy.asarray(y, dtype=float)))
        return self

    def _chain(self, key: Any, X: Any, y: Any) -> Any:
        import blackjax

        jax, jnp = _jax(), _jax().numpy

        def log_density(theta: Any) -> Any:
            scores = X @ theta[:-1] + theta[-1]
            return jnp.sum(y * scores - jnp.logaddexp(0.0, scores)) - 0.5 * jnp.sum(theta[:-1] ** 2)

        first, second, third = jax.random.split(key, 3)
        tuning = blackjax.window_adaptation(blackjax.nuts, log_density)
        start = jax.random.normal(first, (X.shape[1] + 1,))
        (state, parameters), _ = tuning.run(second, start, num_steps=self.tune)
        kernel = blackjax.nuts(log_density, **parameters).step

        def step(state: Any, key: Any) -> Any:
            state, _ = kernel(key, state)
            return state, state.position

        return jax.lax.scan(step, state, jax.random.split(third, self.draws))[1]


class NumPyroLogistic:
    """NumPyro's NUTS with its defaults, a device per chain: a second run of vectorized chains fails in version 0.22."""

    def __init__(self, draws: int = 1000, tune: int = 1000, chains: int = 4, seed: int = 0) -> None:
        self.draws, self.tune, self.chains, self.seed = draws, tune, chains, seed

    def fit(self, X: np.ndarray, y: np.ndarray) -> Any:
        import numpyro
        from numpyro.infer import MCMC, NUTS

        numpyro.set_host_device_count(self.chains)  # before JAX looks for devices
        jax = _jax()
        key = ("numpyro", X.shape, self.draws, self.tune, self.chains)
        if key not in _compiled:
            _compiled[key] = MCMC(
                NUTS(_model),
                num_warmup=self.tune,
                num_samples=self.draws,
                num_chains=self.chains,
                chain_method="parallel",
                progress_bar=False,
            )
        _compiled[key].run(jax.random.PRNGKey(self.seed), jax.numpy.asarray(X), jax.numpy.asarray(y, dtype=float))
        found = _compiled[key].get_samples(group_by_chain=True)
        self.draws_ = np.concatenate([np.asarray(found["coef"]), np.asarray(found["intercept"])[..., None]], axis=-1)
        return self


def _model(X: Any, y: Any) -> None:
    import numpyro
    from numpyro import distributions

    coef = numpyro.sample("coef", distributions.Normal(0, 1).expand([X.shape[1]]).to_event(1))
    intercept = numpyro.sample("intercept", distributions.ImproperUniform(distributions.constraints.real, (), ()))
    numpyro.sample("y", distributions.Bernoulli(logits=X @ coef + intercept), obs=y)
