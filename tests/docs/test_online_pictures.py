"""The pictures of the pages on streams and experts are those that their program draws."""

import re

import numpy as np
import pytest

from certus.online import AdaHedge, OnlinePerceptron, RegretDisplay, WeightsDisplay
from docs.pages.online_pictures import FOLDER, PICTURES, shifting_advice


def test_the_pages_show_every_picture() -> None:
    pages = "".join((FOLDER.parent / page).read_text(encoding="utf-8") for page in ("online.md", "experts.md"))
    shown = re.findall(r"\]\(online-pictures/([\w-]+)\.svg\)", pages)
    assert sorted(shown) == sorted(PICTURES)
    assert sorted(path.stem for path in FOLDER.glob("*.svg")) == sorted(PICTURES)


@pytest.mark.parametrize("name", PICTURES)
def test_a_picture_says_what_is_drawn(name: str) -> None:
    def texts(svg: str) -> list[str]:
        return re.findall(r"<text[^>]*>([^<]*)</text>", svg)

    drawn = PICTURES[name]().svg()
    assert texts(drawn)
    assert texts(drawn) == texts((FOLDER / f"{name}.svg").read_text(encoding="utf-8"))


def test_looks_are_those_of_the_learner_itself() -> None:
    losses = np.random.default_rng(0).random((90, 3))
    display, learner = RegretDisplay.from_stream(AdaHedge(3), losses, looks=9), AdaHedge(3)
    weights = WeightsDisplay.from_stream(AdaHedge(3), losses, looks=9)
    for look in range(9):
        learner.run(losses[10 * look : 10 * look + 10])
        line = learner.ledger_.lines[0]
        assert (display.trials[look], display.regret[look], display.bound[look]) == (
            10 * look + 10,
            line.regret,
            line.bound,
        )
        np.testing.assert_array_equal(weights.weights[look], learner.weights)
    assert PICTURES["regret-and-bound"]().quantity == "regret of the linearized losses"
    advice, outcomes = shifting_advice()
    assert advice.shape == (300, 4)
    assert set(outcomes) == {0.0, 1.0}


def test_what_cannot_be_drawn_is_refused() -> None:
    with pytest.raises(ValueError, match="only after `audit`"):
        RegretDisplay.from_stream(OnlinePerceptron(), np.eye(500, 400), np.arange(500) % 2)
    with pytest.raises(ValueError, match="looks must be at least 1"):
        RegretDisplay.from_stream(AdaHedge(3), np.ones((5, 3)), looks=0)
    with pytest.raises(ValueError, match="one entry per look"):
        RegretDisplay([1, 2], [1, 2], [1, 2], [1])
    with pytest.raises(ValueError, match="one per expert"):
        WeightsDisplay([1], [[0.5, 0.5]], names=["a"])
