"""The verbs refuse rows that a model was trained on, whatever way they come."""

from __future__ import annotations

import pickle
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sklearn.compose import ColumnTransformer
from sklearn.decomposition import PCA
from sklearn.ensemble import VotingClassifier
from sklearn.linear_model import LogisticRegression as Theirs
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

import certus
from certus.base import catalogue
from certus.cluster import KMeans
from certus.components import PCA as Components
from certus.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from certus.linear import LogisticRegression, Ridge, SGDClassifier
from certus.mixture import GaussianMixture
from certus.multioutput import MultiOutputClassifier
from certus.neural import MLPClassifier

RNG = np.random.default_rng(0)
X = RNG.normal(size=(600, 4))
Y = (X[:, 0] + 0.5 * RNG.normal(size=600) > 0).astype(int)
OLD, NEW = slice(0, 300), slice(300, 600)


def refuses(model: object, rows: object, truth: np.ndarray = Y[OLD]) -> None:
    with pytest.raises(certus.TrainingRowsError, match="trained on") as caught:
        certus.certify(model, rows, truth)
    assert isinstance(caught.value, ValueError)
    assert caught.value.overlap.share > 0.9
    assert pickle.loads(pickle.dumps(caught.value)).overlap == caught.value.overlap


def test_certify_refuses_training_rows_and_takes_new_ones(tmp_path: Path) -> None:
    model = LogisticRegression().fit(X[OLD], Y[OLD])
    for rows in (X[OLD], X[OLD].astype(np.float32), X[OLD][::-1]):
        refuses(model, rows)
    report = model.certify(X[NEW], Y[NEW])
    assert report["error"].kind == "probable"
    assert report.training_overlap.found == 0
    assert "would have been noticed" in report.text()
    certus.save(model, tmp_path / "model.certus")
    refuses(certus.load(tmp_path / "model.certus"), X[OLD])
    allowed = certus.certify(model, X[OLD], Y[OLD], allow_training_rows=True)
    assert {item.kind for item in allowed} == {"estimate"}
    assert "trained on these rows" in allowed["error"].claim
    assert allowed.check()
    narrow = LogisticRegression().fit(X[OLD].astype(np.float32), Y[OLD])
    refuses(narrow, X[OLD])


def test_wrapped_models_are_recognized() -> None:
    frame = pd.DataFrame(X, columns=list("abcd")).assign(e=np.where(X[:, 1] > 0, "up", "down"))
    columns = ColumnTransformer([("e", OneHotEncoder(), ["e"])], remainder="passthrough")
    refuses(make_pipeline(columns, StandardScaler(), LogisticRegression()).fit(frame[OLD], Y[OLD]), frame[OLD])
    mixed = make_pipeline(columns, LogisticRegression()).fit(frame[OLD], Y[OLD])
    refuses(mixed, frame[OLD][["e", "d", "c", "b", "a"]])
    refuses(make_pipeline(PCA(3), LogisticRegression()).fit(X[OLD], Y[OLD]), X[OLD])
    voters = [("ours", LogisticRegression()), ("theirs", Theirs())]
    refuses(VotingClassifier(voters).fit(X[OLD], Y[OLD]), X[OLD])
    coded = frame.assign(e=frame["e"].astype("category"))
    boosting = HistGradientBoostingClassifier(max_iter=5, categorical_features="from_dtype").fit(coded[OLD], Y[OLD])
    refuses(boosting, coded[OLD])
    certus.certify(boosting, coded[NEW], Y[NEW])


def test_unknown_is_said_by_none() -> None:
    report = certus.certify(Theirs().fit(X[OLD], Y[OLD]), X[OLD], Y[OLD])
    assert report.training_overlap is None
    with certus.config.using(training_rows=False):
        model = LogisticRegression().fit(X[OLD], Y[OLD])
    assert certus.certify(model, X[OLD], Y[OLD]).training_overlap is None
    with pytest.raises(ValueError, match="training_rows must be True or False, got 1"):
        certus.config.training_rows = 1  # type: ignore[assignment]


def test_other_verbs_refuse_too() -> None:
    model = LogisticRegression().fit(X[OLD], Y[OLD])
    other = RandomForestClassifier(n_estimators=5, random_state=0).fit(X[NEW], Y[NEW])
    with pytest.raises(certus.TrainingRowsError):
        certus.guard(model, X[OLD], Y[OLD], recall=0.8)
    with pytest.raises(certus.TrainingRowsError):
        certus.conformal(model, X[OLD], Y[OLD])
    with pytest.raises(certus.TrainingRowsError, match="RandomForestClassifier"):
        certus.compare(model, other, X[NEW], Y[NEW])
    with pytest.raises(certus.TrainingRowsError):
        certus.check(model, (X[OLD], Y[OLD]))
    assert {c.kind for c in certus.guard(model, X[OLD], Y[OLD], recall=0.8, allow_training_rows=True).report} == {
        "estimate"
    }
    sets = certus.conformal(model, X[OLD], Y[OLD], allow_training_rows=True)
    assert {c.kind for c in sets.report_} == {"estimate"}
    pairs = certus.compare(model, other, X[NEW], Y[NEW], allow_training_rows=True)
    assert pairs.difference.kind == "estimate"
    regression = Ridge().fit(X[OLD], X[OLD, 0])
    with pytest.raises(certus.TrainingRowsError):
        certus.conformal(regression, X[OLD], X[OLD, 0])


def test_rows_of_weight_zero_were_not_trained_on() -> None:
    weights = np.r_[np.ones(300), np.zeros(300)]
    model = LogisticRegression().fit(X, Y, sample_weight=weights)
    assert certus.certify(model, X[NEW], Y[NEW]).training_overlap.found == 0
    refuses(model, X[OLD])


def test_rows_given_in_pieces_are_remembered() -> None:
    model = SGDClassifier(random_state=0)
    for piece in np.array_split(np.arange(300), 3):
        model.partial_fit(X[piece], Y[piece], classes=[0, 1])
    refuses(model, X[OLD])
    warm = RandomForestClassifier(n_estimators=2, warm_start=True, random_state=0).fit(X[OLD], Y[OLD])
    warm.set_params(n_estimators=4).fit(X[OLD], Y[OLD])
    refuses(warm, X[OLD])
    again = LogisticRegression().fit(X[OLD], Y[OLD]).fit(X[NEW], Y[NEW])
    certus.certify(again, X[OLD], Y[OLD])


def test_rows_that_chose_the_epoch_belong_to_training() -> None:
    model = MLPClassifier((4,), learning_rate="cosine", max_iter=5, random_state=0)
    model.fit(X[:200], Y[:200], X_val=X[200:300], y_val=Y[200:300])
    refuses(model, X[200:300], Y[200:300])
    certus.certify(model, X[NEW], Y[NEW])


OWN_BOUNDS = {
    "Learner": (LogisticRegression(), {}),
    "NearestCenter": (KMeans(2, random_state=0), {"cap": 5.0}),
    "DensityLearner": (GaussianMixture(2, random_state=0), {"level": -6.0}),
    "ComponentLearner": (Components(2), {"cap": 5.0}),
    "MultiOutputClassifier": (MultiOutputClassifier(LogisticRegression()), {}),
}


def test_every_way_to_certify_that_learners_have_is_tried_below() -> None:
    tables = [entry for entry in catalogue.entries() if entry.takes != "process" and entry.needs is None]
    ways = {entry.learner.certify.__qualname__.split(".")[0] for entry in tables}
    assert ways == set(OWN_BOUNDS)


@pytest.mark.parametrize("way", OWN_BOUNDS)
def test_learners_with_a_bound_of_their_own_refuse_training_rows(way: str) -> None:
    model, options = OWN_BOUNDS[way]
    truth = np.column_stack([Y, 1 - Y]) if way == "MultiOutputClassifier" else Y
    model.fit(X[OLD], truth[OLD])
    with pytest.raises(certus.TrainingRowsError, match="trained on"):
        model.certify(X[OLD], truth[OLD], **options)
    allowed = {item.kind for item in model.certify(X[OLD], truth[OLD], allow_training_rows=True, **options)}
    assert "estimate" in allowed
    assert "probable" not in allowed
    report = model.certify(X[NEW], truth[NEW], **options)
    assert report.training_overlap.found == 0
    assert "probable" in {item.kind for item in report}
