"""Drawn networks: well-formed, escaped, nothing on top of another."""

from __future__ import annotations

from xml.etree import ElementTree

import numpy as np
import pytest

from certus.graphical import BayesianNetwork
from certus.graphical.networks.drawing.layered_layout import layered_layout
from tests.graphical.networks.known_networks import gene_network, random_network

SVG = "{http://www.w3.org/2000/svg}"


ODD = '<b> & "q"'


def test_names_are_escaped_and_marginals_are_bars() -> None:
    states = {"a": ["<yes>", "no"], ODD: ["x", "y"]}
    network = BayesianNetwork({ODD: ["a"]}, states, {"a": [0.25, 0.75], ODD: np.eye(2)})
    root = ElementTree.fromstring(network.to_svg(network.marginals({"a": "no"}), {"a": "no"}))
    texts = [node.text for node in root.iter(f"{SVG}text")]
    assert {ODD, "a", "no", "x", "y", "1.000", "0.000"} <= set(texts)
    assert len([node for node in root.iter(f"{SVG}rect") if node.get("class") == "e"]) == 1
    assert '"<b> & \\"q\\""' in network.to_dot()
    assert '"a" -> ' in network.to_dot()


@pytest.mark.parametrize("seed", range(5))
def test_parents_are_above_and_boxes_do_not_overlap(seed: int) -> None:
    network = random_network(np.random.default_rng(seed), 30)
    layout = layered_layout(network._dag, [50.0] * 30, 20.0)
    for parent, child in network._dag.edges:
        assert layout.centers[parent][1] < layout.centers[child][1]
        assert len(layout.bends[parent, child]) == layout.centers[child][1] - layout.centers[parent][1] - 1
    by_layer: dict[int, list[float]] = {}
    for x, layer in layout.centers:
        by_layer.setdefault(layer, []).append(x)
    for places in by_layer.values():
        assert np.diff(sorted(places)).min(initial=np.inf) >= 50.0 - 1e-6


def test_limits_and_notebooks() -> None:
    assert gene_network()._repr_svg_().startswith("<svg")  # type: ignore[union-attr]
    wide = BayesianNetwork({}, {f"v{place}": [0] for place in range(501)})
    assert wide._repr_svg_() is None
    with pytest.raises(ValueError, match="at most 500"):
        wide.to_svg()
    assert ElementTree.fromstring(BayesianNetwork({}, {"a": [0]}).to_svg()) is not None
