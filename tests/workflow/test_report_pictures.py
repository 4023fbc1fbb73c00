"""The pictures of a study's page are drawn, from the study's own numbers."""

from __future__ import annotations

import re
from dataclasses import dataclass

import numpy as np
import polars as pl
import pytest
from numpy.testing import assert_allclose

from certus.evaluation import PrecisionRecallDisplay
from certus.evaluation.displays.precision_recall_display import LEAST_GAP
from certus.evaluation.displays.row_map_display import COLORS
from certus.workflow import Study, study

NUMBER = r"-?\d+(?:\.\d+)?"


@dataclass
class Picture:
    """What an SVG draws in the color of data, in its own units: lines, bars and markers; and its text."""

    lines: list[np.ndarray]
    bars: list[np.ndarray]
    markers: np.ndarray
    areas: int
    texts: list[str]

    @classmethod
    def read(cls, svg: str) -> Picture:
        lines, bars = [], []
        for path, style in re.findall(r'<path d="([^"]*)" clip-path="[^"]*" style="([^"]*--accent[^"]*)"', svg):
            points = np.array(re.findall(rf"[ML] ({NUMBER}) ({NUMBER})", path), dtype=float)
            (lines if "fill: none" in style else bars).append(points)
        uses = re.findall(rf'<use xlink:href="[^"]*" x="({NUMBER})" y="({NUMBER})" style="([^"]*--accent[^"]*)"', svg)
        markers = np.array([(x, y) for x, y, style in uses if "stroke" in style], dtype=float).reshape(-1, 2)
        areas = sum("fill-opacity" in style and "stroke" not in style for _, _, style in uses)
        return cls(lines, bars, markers, areas, re.findall(r"<text[^>]*>([^<]*)</text>", svg))


def pictures(report: str) -> dict[str, Picture]:
    """Pictures by the first words of their titles."""
    figures = re.findall(r"<figure><figcaption>(.*?)</figcaption>\s*(<svg.*?</svg>)\s*</figure>", report, re.S)
    return {re.split("[:,]", title)[0]: Picture.read(svg) for title, svg in figures}


@pytest.fixture(scope="module")
def labels() -> Study:
    return study(families=["linear", "trees"], trials=4)


@pytest.fixture(scope="module")
def report(labels: Study) -> str:
    return labels.report


@pytest.fixture(scope="module")
def shown(report: str) -> dict[str, Picture]:
    return pictures(report)


def test_pictures_use_the_colors_of_the_page(report: str) -> None:
    svgs = re.findall(r"<svg.*?</svg>", report, re.S)
    assert len(svgs) == 10
    for svg in svgs:
        assert "currentColor" in svg
        for color in COLORS:  # of labels: they are told apart on light and on dark pages
            svg = svg.replace(f": {color}", "")
        assert not re.search(r"(?:fill|stroke): #", re.sub(r"var\(--\w+, #[0-9a-f]{6}\)", "", svg))


def test_confusion_counts_every_test_row(labels: Study, shown: dict[str, Picture]) -> None:
    counts = [int(text) for text in shown["Right and wrong on the test rows"].texts if text.isdigit()]
    assert len(counts) == 4
    assert sum(counts) == len(labels.split.test)
    wrong = round(labels.evaluation.value * len(labels.split.test))
    assert counts[1] + counts[2] == wrong


def test_curves_go_from_corner_to_corner_with_their_bands(shown: dict[str, Picture]) -> None:
    for title in ("Hits and false alarms", "Margins of the predictions"):
        picture = shown[title]
        curve = max(picture.lines, key=len)
        assert len(curve) >= 4
        assert (np.diff(curve, axis=0) * [1, -1] >= -1e-6).all()  # to the right and upwards: y points down in SVG
        assert np.ptp(curve[:, 0]) > 300
        assert np.ptp(curve[:, 1]) > 200
        assert picture.areas == 1


def test_intervals_stand_at_every_bin_and_every_shown_threshold(labels: Study, shown: dict[str, Picture]) -> None:
    calibration, recall = shown["Predicted and observed probability"], shown["Precision and recall"]
    upright = [line for line in calibration.lines if len(line) == 2 and np.ptp(line[:, 0]) == 0]
    assert len(upright) >= len(labels.findings.bins) > 1
    found, probabilities = labels.evaluation.truth == labels.task.labels[1], labels.evaluation.probabilities
    assert probabilities is not None
    recalls = sorted(one[0] for one in PrecisionRecallDisplay(found, probabilities[:, 1], 0.95).intervals())
    shown_recalls: list[float] = []
    for value in recalls:
        if not shown_recalls or value - shown_recalls[-1] >= LEAST_GAP:
            shown_recalls.append(value)
    drawn = [line for line in recall.lines if len(line) == 2 and np.ptp(line[:, 0]) == 0]
    assert len(drawn) == len(shown_recalls) > 2
    places = sorted(line[0, 0] for line in drawn)
    assert_allclose(np.corrcoef(places, shown_recalls)[0, 1], 1.0, atol=1e-6)


def test_bars_are_as_long_as_the_importances(labels: Study, shown: dict[str, Picture]) -> None:
    picture = shown["Which columns matter"]
    names = [text for text in picture.texts if text in labels.findings.importances]
    lengths = np.array([np.ptp(bar[:, 0]) for bar in picture.bars])
    expected = np.array([labels.findings.importances[name] for name in names])
    assert len(names) == len(lengths) >= 10
    assert_allclose(lengths / lengths.max(), expected / expected.max(), atol=1e-3)


def test_columns_are_merged_in_the_dendrogram(labels: Study, shown: dict[str, Picture]) -> None:
    picture, alike = shown["Columns that carry the same information"], labels.findings.alike
    assert alike is not None
    assert len(picture.lines) == len(alike.merges) == len(alike.columns) - 1
    assert set(alike.columns) <= set(picture.texts)
    lengths = np.sort([line[1, 0] for line in picture.lines])  # the height of a merger is drawn to the right
    heights = np.sort([merge[2] for merge in alike.merges])
    assert_allclose(np.corrcoef(lengths, heights)[0, 1], 1.0, atol=1e-6)


def test_learning_curve_and_race_have_a_point_for_every_value(labels: Study, shown: dict[str, Picture]) -> None:
    curve = labels.findings.curve
    assert curve is not None
    points = shown["Rows and error"].markers
    assert len(points) == len(curve.rows)
    for place, values in enumerate((curve.rows, curve.values)):
        assert_allclose(abs(np.corrcoef(points[:, place], values)[0, 1]), 1.0, atol=1e-6)
    winners = [trial.values for trial in labels.winner.trials]
    lines = [line for line in shown["The race"].lines if len(line) > 1]
    assert sorted(map(len, lines)) == sorted(map(len, winners))


def test_errors_of_numbers_are_drawn_row_by_row_with_the_promised_band() -> None:
    x = np.random.default_rng(0).normal(size=(200, 3))
    frame = pl.DataFrame({"a": x[:, 0], "b": x[:, 1], "y": x[:, 0] + 0.1 * x[:, 2]})
    result = study(frame, target="y", families=["linear"], trials=2)
    picture = pictures(result.report)["Errors on the test rows"]
    predictions = result.evaluation.predictions
    errors = result.evaluation.truth - predictions
    assert len(picture.markers) == len(result.split.test)
    for place, values in enumerate((predictions, errors)):
        assert_allclose(abs(np.corrcoef(picture.markers[:, place], values)[0, 1]), 1.0, atol=1e-6)
    slope, zero = np.polyfit(errors, picture.markers[:, 1], 1)
    (band,) = picture.bars
    assert band[:, 1].max() - zero == pytest.approx(zero - band[:, 1].min(), abs=1e-3)  # as far down as up
    outside = (picture.markers[:, 1] > band[:, 1].max()) | (picture.markers[:, 1] < band[:, 1].min())
    assert outside.sum() == result.certificate.witness["events"]
    assert slope < 0
