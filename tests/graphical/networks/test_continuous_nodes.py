"""Networks with continuous nodes, against the joint normal of every configuration, quadrature, and draws."""

from __future__ import annotations

import dataclasses
import itertools
import json
import math
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import integrate, stats

import certus
from certus.graphical import (
    BayesianNetwork,
    ConditionalGaussianNetwork,
    ImpossibleEvidence,
    LinearNormal,
    NetworkFileError,
    learn_gaussians,
    read_network,
    write_network,
)
from certus.guarantees import CertificateError


def random_mixed(rng: np.random.Generator, discrete: int, continuous: int) -> ConditionalGaussianNetwork:
    """A network over a random order, with zeros in its tables."""
    names, numbers = [f"d{k}" for k in range(discrete)], [f"x{k}" for k in range(continuous)]
    states = {name: list(range(int(rng.integers(1, 4)))) for name in names}
    parents: dict[str, list[str]] = {}
    tables, normals = {}, {}
    for k, name in enumerate(names):
        parents[name] = names[:k] if rng.random() < 0.5 else names[:k][:1]
        shape = [len(states[v]) for v in (*parents[name], name)]
        table = rng.dirichlet(np.ones(shape[-1]), shape[:-1])
        tables[name] = np.where(rng.random(shape[:-1])[..., None] < 0.2, np.eye(shape[-1])[0], table)
    for k, name in enumerate(numbers):
        causes = [v for v in names if rng.random() < 0.5]
        linked = [v for v in numbers[:k] if rng.random() < 0.6]
        parents[name] = [str(v) for v in rng.permutation([*causes, *linked])] if causes or linked else []
        shape = [len(states[v]) for v in parents[name] if v in states]
        normals[name] = LinearNormal(
            rng.normal(0.0, 2.0, shape), rng.normal(size=(*shape, len(linked))), rng.uniform(0.1, 2.0, shape)
        )
    return ConditionalGaussianNetwork(parents, states, tables, normals)


def joint_normal(network: ConditionalGaussianNetwork, states: dict[str, int]) -> tuple[Any, Any]:
    """Mean and covariance of all continuous nodes for given states, from the inverse of I - B."""
    names = network.continuous
    B, a, variances = np.zeros((len(names), len(names))), np.zeros(len(names)), np.zeros(len(names))
    for k, name in enumerate(names):
        normal, parents = network.normal(name), network.parents(name)
        at = tuple(states[v] for v in parents if v in states)
        a[k], variances[k] = normal.intercept[at], normal.variance[at]
        for weight, parent in zip(normal.coefficients[at], [v for v in parents if v in names], strict=True):
            B[k, names.index(parent)] = weight
    inverse = np.linalg.inv(np.eye(len(names)) - B)
    return inverse @ a, inverse @ np.diag(variances) @ inverse.T


def enumerated(network: ConditionalGaussianNetwork, soft: dict[str, Any], values: dict[str, float]) -> list[Any]:
    """Per configuration of all discrete nodes its weight with the evidence, and mean and covariance of the rest."""
    names, found = network.continuous, []
    seen = [k for k, name in enumerate(names) if name in values]
    rest = [k for k, name in enumerate(names) if name not in values]
    y = np.array([values[names[k]] for k in seen])
    for cell in itertools.product(*(range(len(network.states(name))) for name in network.discrete)):
        states = dict(zip(network.discrete, cell, strict=True))
        weight = math.prod(
            network.table(name)[(*(states[v] for v in network.parents(name)), states[name])] for name in states
        )
        weight *= math.prod(soft[name][states[name]] for name in soft)
        mean, covariance = joint_normal(network, states)
        S = covariance[np.ix_(seen, seen)]
        if seen:
            weight *= stats.multivariate_normal.pdf(y, mean[seen], S)
        gain = covariance[np.ix_(rest, seen)] @ np.linalg.inv(S) if seen else np.zeros((len(rest), 0))
        center = mean[rest] + gain @ (y - mean[seen])
        found.append((cell, weight, center, covariance[np.ix_(rest, rest)] - gain @ covariance[np.ix_(seen, rest)]))
    return found


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 2**32), st.integers(0, 3), st.integers(1, 4))
def test_every_answer_against_all_configurations(seed: int, discrete: int, continuous: int) -> None:
    rng = np.random.default_rng(seed)
    network = random_mixed(rng, discrete, continuous)
    row = network.sample(1, random_state=seed % 1000).row(0, named=True)
    values = {name: row[name] for name in network.continuous if rng.random() < 0.4}
    evidence: dict[str, Any] = dict(values)
    soft = {}
    for name in network.discrete:
        if rng.random() < 0.4:
            evidence[name] = row[name]
            soft[name] = np.eye(len(network.states(name)))[row[name]]
        elif rng.random() < 0.3:
            soft[name] = evidence[name] = rng.uniform(0.1, 2.0, len(network.states(name)))
    cells = enumerated(network, soft, values)
    total = sum(weight for _, weight, _, _ in cells)
    assert network.log_density(evidence) == pytest.approx(math.log(total), rel=1e-9, abs=1e-9)
    rest = [name for name in network.continuous if name not in values]
    for name in network.discrete:
        marginal = np.zeros(len(network.states(name)))
        for cell, weight, _, _ in cells:
            marginal[cell[network.discrete.index(name)]] += weight / total
        np.testing.assert_allclose(network.query(name, evidence).values, marginal, atol=1e-10)
    if rest:
        answer = network.query(rest, evidence)
        mean = sum(weight / total * center for _, weight, center, _ in cells)
        off = [(weight / total, c, center - mean) for _, weight, center, c in cells]
        covariance = sum(weight * (c + np.multiply.outer(o, o)) for weight, c, o in off)
        np.testing.assert_allclose(answer.mean, mean, atol=1e-9)
        np.testing.assert_allclose(answer.covariance, covariance, atol=1e-8)
        points = rng.normal(size=(3, len(rest)))
        density = sum(
            weight / total * stats.multivariate_normal.pdf(points, center, c) for _, weight, center, c in cells
        )
        np.testing.assert_allclose(answer.density(points), density, rtol=1e-7)


def kinds() -> ConditionalGaussianNetwork:
    """A class, two measurements of it, and a dial that depends on one and on a switch."""
    return ConditionalGaussianNetwork(
        {"x": ["kind"], "y": ["x", "kind"], "switch": ["kind"], "dial": ["y", "switch"]},
        {"kind": ["a", "b"], "switch": [0, 1, 2]},
        {"kind": [0.3, 0.7], "switch": [[0.2, 0.3, 0.5], [0.6, 0.3, 0.1]]},
        {
            "x": LinearNormal([0.0, 2.0], (), [1.0, 0.5]),
            "y": LinearNormal([1.0, -1.0], [[0.5], [2.0]], [0.3, 0.7]),
            "dial": LinearNormal([0.0, 1.0, 2.0], [[1.0], [0.5], [-1.0]], 0.2),
        },
    )


def test_against_quadrature() -> None:
    network = kinds()
    at = {"dial": 1.3, "kind": "b", "switch": 1}

    def density(y: float, x: float) -> float:
        parts = ((x - 2.0, 0.5), (y + 1.0 - 2.0 * x, 0.7), (1.3 - 1.0 - 0.5 * y, 0.2))
        return math.prod(math.exp(-off * off / (2.0 * v)) / math.sqrt(2.0 * math.pi * v) for off, v in parts)

    whole, _ = integrate.dblquad(density, -3, 7, -10, 14)
    middle, _ = integrate.dblquad(lambda y, x: x * density(y, x), -3, 7, -10, 14)
    assert network.log_density(at) == pytest.approx(math.log(0.7 * 0.3 * whole), abs=1e-6)
    answer = network.query("x", at)
    assert answer.mean[0] == pytest.approx(middle / whole, abs=1e-6)
    grid = np.linspace(-6, 8, 4001)
    mixture = network.query("x", {"dial": 1.3})
    heights = mixture.density(grid)
    assert np.trapezoid(heights, grid) == pytest.approx(1.0, abs=1e-6)
    assert np.trapezoid(grid * heights, grid) == pytest.approx(mixture.mean[0], abs=1e-6)
    assert np.trapezoid((grid - mixture.mean[0]) ** 2 * heights, grid) == pytest.approx(
        mixture.covariance[0, 0], abs=1e-5
    )


def test_discrete_networks_answer_alike() -> None:
    """A discrete network with an idle number beside it."""
    network = kinds()
    for evidence in ({}, {"switch": 2}, {"switch": {0, 1}}, {"switch": [0.1, 0.2, 0.9]}):
        plain = network.discrete_part.query("kind", evidence)
        np.testing.assert_allclose(network.query("kind", evidence).values, plain.values, rtol=1e-12)
        expected = network.discrete_part.log_probability(evidence)
        assert network.log_density(evidence) == pytest.approx(expected, abs=1e-12)
    both = network.query(["switch", "kind"], {"kind": "a"})
    assert both.factor.names == ("switch", "kind")
    np.testing.assert_allclose(both.values[:, 0], [0.2, 0.3, 0.5])
    assert network.query(["x", "kind"], {"x": 1.0}).mean[0] == 1.0


def test_certificates_hold_and_forged_ones_fail() -> None:
    network = kinds()
    for targets, evidence in (
        (["kind", "x"], {"dial": 1.3}),
        (["x", "y"], {"dial": -20.0, "switch": {0, 2}}),
        (["switch"], {"dial": 1.3, "x": 0.4}),
        (["y", "dial"], {}),
    ):
        answer = network.query(targets, evidence)
        assert answer.certificate is not None
        assert answer.certificate.kind == "exact"
        assert float(answer.certificate.value) < 1e-12  # type: ignore[arg-type]
        assert answer.certificate.check()
    certificate = network.query(["kind", "x"], {"dial": 1.3}).certificate
    assert certificate is not None
    witness = certificate.witness
    for key in ("weights", "means", "covariances"):
        values = list(witness[key])
        values[0] += 1e-6
        with pytest.raises(CertificateError):
            dataclasses.replace(certificate, witness={**witness, key: values}).check()
    with pytest.raises(CertificateError):
        dataclasses.replace(certificate, witness={**witness, "log_evidence": witness["log_evidence"] + 1e-9}).check()
    with pytest.raises(CertificateError):
        dataclasses.replace(certificate, witness={**witness, "weights": []}).check()


def test_nothing_underflows() -> None:
    """Thousands of measurements of one class, whose densities together are far below the range of numbers."""
    names = [f"m{k}" for k in range(600)]
    normals = {name: LinearNormal([0.0, 0.1], (), 1e-3) for name in names}
    network = ConditionalGaussianNetwork(
        {name: ["kind"] for name in names}, {"kind": ["a", "b"]}, {"kind": [0.5, 0.5]}, normals
    )
    row = dict.fromkeys(names, 0.7)
    expected = np.log(0.5) + 600 * stats.norm.logpdf(0.7, [0.0, 0.1], math.sqrt(1e-3))
    assert network.log_density(row) == pytest.approx(np.logaddexp.reduce(expected), rel=1e-12)
    assert network.query("kind", row).values[1] == 1.0
    # A state that other evidence excludes is the only one that the number is near to.
    wired = ConditionalGaussianNetwork(
        {"x": ["kind"], "sign": ["kind"]},
        {"kind": ["a", "b"], "sign": ["s", "t"]},
        {"kind": [0.5, 0.5], "sign": [[1.0, 0.0], [0.0, 1.0]]},
        {"x": LinearNormal([0.0, 1000.0], (), 1.0)},
    )
    assert wired.query("kind", {"x": 0.0, "sign": "t"}).values.tolist() == [0.0, 1.0]
    with pytest.raises(ImpossibleEvidence) as error:
        wired.query("x", {"kind": "a", "sign": "t"})
    assert error.value.subset == {"kind": "a", "sign": "t"}
    assert wired.log_density({"kind": "a", "sign": "t"}) == -math.inf
    with pytest.raises(ValueError, match="densities in the range of numbers"):
        wired.log_density({"x": 1e300})


def test_long_chains_and_what_does_not_fit() -> None:
    chain = [f"x{k}" for k in range(300)]
    parents = {after: [before] for before, after in itertools.pairwise(chain)}
    normals = {name: LinearNormal(0.0, [0.9] if name in parents else (), 0.19) for name in chain}
    network = ConditionalGaussianNetwork(parents, {}, None, normals)
    answer = network.query("x0", {"x299": 2.0})
    assert answer.mean[0] == pytest.approx(0.0, abs=1e-9)
    assert network.query("x299").covariance[0, 0] == pytest.approx(1.0, abs=1e-9)
    assert answer.certificate is None
    causes = [f"d{k}" for k in range(20)]
    leaf = LinearNormal(np.zeros([2] * 20), (), 1.0)
    wide = ConditionalGaussianNetwork(
        {"x": causes}, dict.fromkeys(causes, (0, 1)), {name: [0.5, 0.5] for name in causes}, {"x": leaf}
    )
    with pytest.raises(MemoryError, match="cells"):
        wide.query("x", max_cells=1000)
    assert wide.query("x", dict.fromkeys(causes[1:], 0), max_cells=1000).mean == [0.0]


def test_draws_follow_the_distribution() -> None:
    network = kinds()
    table = network.sample(40_000, random_state=0)
    assert table.columns == ["kind", "switch", "x", "y", "dial"]
    for name in ("x", "y", "dial"):
        answer = network.query(name)
        sd = math.sqrt(answer.covariance[0, 0])
        assert abs(table[name].mean() - answer.mean[0]) < 5 * sd / 200  # type: ignore[operator]
        assert table[name].std() == pytest.approx(sd, rel=0.03)
    given_dial = network.sample(40_000, evidence={"dial": 1.3, "switch": {0, 2}}, random_state=1)
    expected = network.query(["kind", "switch"], {"dial": 1.3, "switch": {0, 2}})
    shares = given_dial.group_by("kind", "switch").len().rows()
    for kind, switch, count in shares:
        chance = expected.factor.value({"kind": kind, "switch": switch})
        assert abs(count / 40_000 - chance) < 5 * math.sqrt(chance / 40_000)
    moments = network.query(["x", "y"], {"dial": 1.3, "switch": {0, 2}})
    np.testing.assert_allclose(np.cov(given_dial["x"], given_dial["y"]), moments.covariance, rtol=0.05, atol=0.02)
    assert network.sample(3, random_state=5).equals(network.sample(3, random_state=5))
    assert network.sample(0).shape == (0, 5)


def test_learned_numbers_are_the_most_likely() -> None:
    rng = np.random.default_rng(3)
    network = kinds()
    table = network.sample(500, random_state=2)
    found = learn_gaussians(network, table)
    assert found.log_likelihood == pytest.approx(float(found.network.row_log_densities(table).sum()))
    rows = network.row_log_densities(table)
    assert rows[7] == pytest.approx(network.log_density(table.row(7, named=True)), abs=1e-10)
    for _ in range(20):
        normals = {}
        for name in network.continuous:
            normal = found.network.normal(name)
            normals[name] = LinearNormal(
                *(part * np.exp(1e-3 * rng.normal(size=np.shape(part))) for part in dataclasses.astuple(normal))
            )
        other = ConditionalGaussianNetwork(
            {name: network.parents(name) for name in network.nodes},
            {name: network.states(name) for name in network.discrete},
            {name: found.network.table(name) for name in network.discrete},
            normals,
        )
        assert other.row_log_densities(table).sum() < found.log_likelihood
    line = stats.linregress(table.filter(pl.col("kind") == "b")["x"], table.filter(pl.col("kind") == "b")["y"])
    assert found.network.normal("y").coefficients[1, 0] == pytest.approx(line.slope)
    assert found.network.normal("y").intercept[1] == pytest.approx(line.intercept)
    again = learn_gaussians(network, table.to_pandas())
    assert again.network == found.network


def test_learning_far_from_the_origin() -> None:
    rng = np.random.default_rng(0)
    x = 1e9 + rng.normal(size=1000)
    y = 3.0 * (x - 1e9) + 1e6 + 1e-3 * rng.normal(size=1000)
    structure = ConditionalGaussianNetwork({"y": ["x"]}, {}, None, ["x", "y"])
    normal = learn_gaussians(structure, {"x": x, "y": y}).network.normal("y")
    assert normal.coefficients[0] == pytest.approx(3.0, abs=1e-3)
    assert float(normal.variance) == pytest.approx(1e-6, rel=0.2)


def test_few_rows() -> None:
    structure = ConditionalGaussianNetwork({"x": ["kind"]}, {"kind": ["a", "b"]}, None, ["x"])
    table = {"kind": ["a", "a", "a", "b"], "x": [1.0, 2.0, 3.0, 9.0]}
    with pytest.raises(ValueError, match="at least 2 rows with kind='b', got 1"):
        learn_gaussians(structure, table)
    found = learn_gaussians(structure, table, too_few="pool")
    assert found.pooled == {"x": [("b",)]}
    assert found.network.normal("x").intercept.tolist() == [2.0, 3.75]
    line = ConditionalGaussianNetwork({"y": ["x"]}, {}, None, ["x", "y"])
    with pytest.raises(ValueError, match="at least 3 rows, got 2"):
        learn_gaussians(line, {"x": [1.0, 2.0], "y": [2.0, 5.0]})
    with pytest.raises(ValueError, match="lie on their line exactly"):
        learn_gaussians(line, {"x": [0.1, 0.2, 0.3, 0.7], "y": [0.13, 0.23, 0.33, 0.73]})
    flat = {"kind": ["a", "a", "b", "b"], "x": [1.0, 1.0, 2.0, 3.0]}
    with pytest.raises(ValueError, match="variance of 0 with kind='a'"):
        learn_gaussians(structure, flat)
    assert learn_gaussians(structure, flat, min_variance=0.01).raised == {"x": 1}
    for cells, message in (
        ([1.0, None, 2.0, 3.0], "missing cell of 'x' in row 1"),
        ([1.0, math.inf, 2.0, 3.0], "finite numbers"),
        (["u", "v", "w", "z"], "must hold numbers"),
    ):
        with pytest.raises(ValueError, match=message):
            learn_gaussians(structure, {"kind": ["a", "a", "b", "b"], "x": cells})
    with pytest.raises(ValueError, match="got none for 'x'"):
        learn_gaussians(structure, pd.DataFrame({"kind": ["a"]}))
    twice = ConditionalGaussianNetwork({"z": ["x", "y"]}, {}, None, ["x", "y", "z"])
    x = np.arange(5.0)
    with pytest.raises(ValueError, match="must not follow from each other"):
        learn_gaussians(twice, {"x": x, "y": 2.0 * x, "z": x**2})


def test_saved_and_written(tmp_path: Path) -> None:
    network = kinds()
    assert pickle.loads(pickle.dumps(network)) == network
    for kept in (
        network,
        ConditionalGaussianNetwork(
            {"b": ["a"]}, {}, None, {"a": LinearNormal(0.0), "b": LinearNormal(1.0, [2.0], 0.1)}
        ),
    ):
        certus.save(kept, tmp_path / "a.certus")
        assert certus.load(tmp_path / "a.certus") == kept
        write_network(kept, tmp_path / "a.json.gz")
        assert read_network(tmp_path / "a.json.gz") == kept
    structure = ConditionalGaussianNetwork({"b": ["a"]}, {}, None, ["a", "b"])
    certus.save(structure, tmp_path / "b.certus")
    assert certus.load(tmp_path / "b.certus") == structure
    with pytest.raises(ValueError, match="must be 'json'"):
        write_network(network, tmp_path / "a.bif")
    with pytest.raises(ValueError, match="structure only"):
        write_network(structure, tmp_path / "b.json")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda node: node["normal"].update(variance=[0.0, 1.0]), "variance of 'x' must be larger than 0"),
        (lambda node: node["normal"].update(intercept=[0.0]), "intercept of 'x' must hold 2 numbers, got 1"),
        (lambda node: node["normal"].update(intercept=[0.0, 10**400]), "intercept of 'x' must be a list of numbers"),
        (lambda node: node["normal"].pop("coefficients"), "coefficients of 'x' must be a list"),
        (lambda node: node.update(normal=[1.0]), "intercept of 'x' must be a list"),
        (lambda node: node.update(parents=["nobody"]), "must hold 1 numbers|nobody"),
        (lambda node: node.update(parents="kind"), "a list of parents"),
        (lambda node: node.update(name="kind"), "declared twice"),
        (lambda node: node.update(parents=["kind", "dial"]), "coefficients of 'x'"),
    ],
)
def test_damaged_files_are_one_clear_error(tmp_path: Path, change: Any, message: str) -> None:
    write_network(kinds(), tmp_path / "a.json")
    content = json.loads((tmp_path / "a.json").read_text())
    change(next(node for node in content["nodes"] if node["name"] == "x"))
    (tmp_path / "a.json").write_text(json.dumps(content))
    with pytest.raises(NetworkFileError, match=message):
        read_network(tmp_path / "a.json")


def test_bad_input_is_told() -> None:
    network = kinds()
    normal = LinearNormal(0.0)
    for make, message in (
        (lambda: ConditionalGaussianNetwork({"d": ["x"]}, {"d": [0, 1]}, {}, {"x": normal}), "must be discrete"),
        (lambda: ConditionalGaussianNetwork({}, {"x": [0, 1]}, {}, {"x": normal}), "either discrete or continuous"),
        (lambda: ConditionalGaussianNetwork({"x": ["y"], "y": ["x"]}, {}, None, ["x", "y"]), "no directed cycle"),
        (lambda: ConditionalGaussianNetwork({}, {"d": [0]}, {"d": [1.0]}), "Hint: use BayesianNetwork"),
        (lambda: ConditionalGaussianNetwork({}, {"d": [0]}, None, {"x": normal}), "tables must hold"),
        (lambda: ConditionalGaussianNetwork({}, {}, None, {"x": LinearNormal(math.nan)}), "must be finite"),
        (lambda: ConditionalGaussianNetwork({}, {}, None, {"x": LinearNormal(0.0, [1.0])}), "coefficients of 'x'"),
        (lambda: network.query("zz"), "names 'zz'"),
        (lambda: network.query([]), "at least one node"),
        (lambda: network.query("x", {"dail": 1.0}), "near names are 'dial'"),
        (lambda: network.query("x", {"dial": "high"}), "must be a finite number"),
        (lambda: network.query("x", {"dial": math.nan}), "must be a finite number"),
        (lambda: network.query("x", {"kind": "c"}), "must be one of its states"),
        (lambda: network.states("x"), "discrete node to have states"),
        (lambda: network.normal("kind"), "a discrete node"),
        (lambda: network.query("x").density([[1.0, 2.0]]), "a column for each"),
        (lambda: network.query("x", {"x": 1.0}).density([1.0]), "'x', which is known"),
        (
            lambda: ConditionalGaussianNetwork(
                {"b": ["a"]}, {}, None, {"a": LinearNormal(0.0, (), 1e200), "b": LinearNormal(0.0, [1e200])}
            ).query("b"),
            "in the range of numbers",
        ),
        (lambda: ConditionalGaussianNetwork({}, {}, None, ["x"]).query("x"), "structure only"),
    ):
        with pytest.raises((ValueError, TypeError), match=message):
            make()
    assert network.children("kind") == ("switch", "x", "y")
    assert network.n_parameters == 1 + 4 + 4 + 6 + 9
    assert ("y", "dial") in network.edges
    assert isinstance(network.discrete_part, BayesianNetwork)
