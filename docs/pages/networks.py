"""Draw docs/networks.svg, the picture of the page about Bayesian networks: python -m docs.pages.networks."""

from pathlib import Path

from certus.graphical import BayesianNetwork

PICTURE = Path(__file__).parents[1] / "networks.svg"


def alarm() -> BayesianNetwork:
    """A burglar or an earthquake sets off the alarm; two neighbors may call, and the radio may tell."""
    yes = ["yes", "no"]
    return BayesianNetwork(
        {"alarm": ["burglar", "earthquake"], "radio": ["earthquake"], "John calls": ["alarm"], "Mary calls": ["alarm"]},
        dict.fromkeys(("burglar", "earthquake", "alarm", "radio", "John calls", "Mary calls"), yes),
        {
            "burglar": [0.001, 0.999],
            "earthquake": [0.002, 0.998],
            "alarm": [[[0.95, 0.05], [0.94, 0.06]], [[0.29, 0.71], [0.001, 0.999]]],
            "radio": [[0.6, 0.4], [0.0001, 0.9999]],
            "John calls": [[0.9, 0.1], [0.05, 0.95]],
            "Mary calls": [[0.7, 0.3], [0.01, 0.99]],
        },
    )


def drawn() -> str:
    """The picture."""
    evidence = {"John calls": "yes", "Mary calls": "yes"}
    return alarm().to_svg(alarm().marginals(evidence), evidence)


if __name__ == "__main__":
    PICTURE.write_text(drawn(), encoding="utf-8")
