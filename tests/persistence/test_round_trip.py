"""What is saved comes back equal: values, arrays, learners, pipelines, certificates."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as npst
from numpy.testing import assert_array_equal
from scipy import sparse
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import certus
from certus.base.persistence import describe_file
from certus.bayes import GaussianNB
from certus.guarantees import Report, error_bound
from tests.persistence.forging import saved_bytes
from tests.persistence.parts import Component, RowKeeper, holding


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "model.certus"


def through(value: Any, path: Path) -> Any:
    certus.save(holding(value), path)
    return certus.load(path).value_


def same(one: Any, other: Any) -> bool:
    """Equal in value and in every type on the way."""
    if type(one) is not type(other):
        return False
    if isinstance(one, np.ndarray):
        if one.dtype != other.dtype or one.shape != other.shape:
            return False
        if one.dtype.kind in "OUT":
            return same(one.ravel().tolist(), other.ravel().tolist())
        return one.tobytes() == other.tobytes()
    if isinstance(one, list | tuple):
        return len(one) == len(other) and all(same(a, b) for a, b in zip(one, other, strict=True))
    if isinstance(one, dict):
        return list(one) == list(other) and all(same(one[key], other[key]) for key in one)
    if isinstance(one, float | np.floating) and math.isnan(one):
        return math.isnan(other)
    return bool(one == other)


scalars = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.floats(),
    st.text(),
    st.builds(np.float32, st.floats(width=32)),
    st.builds(np.float64, st.floats()),
    st.builds(np.int64, st.integers(-(2**63), 2**63 - 1)),
    st.builds(np.uint8, st.integers(0, 255)),
    st.builds(np.bool_, st.booleans()),
    st.builds(np.str_, st.text()),
)
numbers = npst.arrays(
    st.one_of(
        npst.boolean_dtypes(),
        npst.integer_dtypes(endianness="?"),
        npst.unsigned_integer_dtypes(),
        npst.floating_dtypes(sizes=(16, 32, 64), endianness="?"),
        npst.complex_number_dtypes(sizes=(64, 128)),
        npst.byte_string_dtypes(max_len=5),
    ),
    npst.array_shapes(min_dims=0, max_dims=3, min_side=0, max_side=4),
)
texts = npst.arrays(npst.unicode_string_dtypes(max_len=4), npst.array_shapes(min_side=0, max_side=4))
objects = st.lists(scalars, max_size=5).map(lambda items: np.array([*items, None], dtype=object)[: len(items)])
values = st.recursive(
    st.one_of(scalars, numbers, texts, objects),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3),
        st.lists(inner, max_size=3).map(tuple),
        st.dictionaries(st.one_of(st.text(), st.integers()), inner, max_size=3),
    ),
    max_leaves=6,
)


@given(value=values)
@settings(max_examples=100, deadline=None)
def test_any_value_keeps_its_type_and_bits(value: Any, tmp_path_factory: pytest.TempPathFactory) -> None:
    path = tmp_path_factory.mktemp("values") / "model.certus"
    assert same(through(value, path), value)
    assert saved_bytes(certus.load(path)) == path.read_bytes()


@pytest.mark.parametrize(
    "value",
    [
        np.float64,
        int,
        float,
        object,
        np.dtype("<f4"),
        np.dtype(object),
        slice(1, None, 2),
        slice("a", "c"),
        {1: "one", "two": 2.0, None: [np.int32(3)]},
        np.array(["2020-01-01", "NaT"], dtype="datetime64[ns]"),
        np.array([1, 2], dtype="timedelta64[h]"),
        np.array(["ab", "c"], dtype="U10"),
        np.array(["ab", "c"], dtype=np.dtypes.StringDType()),
        np.array([[None, "x"], [math.nan, True]], dtype=object),
        np.empty((0, 7)),
        np.array("text"),
        np.str_("ends in NUL\0"),
    ],
    ids=repr,
)
def test_special_values(value: Any, path: Path) -> None:
    again = through(value, path)
    assert same(again, value)


def test_memory_order_survives_and_views_are_allowed(path: Path) -> None:
    table = np.arange(12.0).reshape(3, 4)
    assert through(np.asfortranarray(table), path).flags.f_contiguous
    assert through(table, path).flags.c_contiguous
    assert_array_equal(through(table[::2, ::-1], path), table[::2, ::-1])
    read_only = table.copy()
    read_only.setflags(write=False)
    assert_array_equal(through(read_only, path), table)
    assert through(table, path).flags.writeable


def test_memory_mapped_arrays_are_saved(tmp_path: Path) -> None:
    np.save(tmp_path / "rows.npy", np.arange(5.0))
    mapped = np.load(tmp_path / "rows.npy", mmap_mode="r")
    assert_array_equal(through(mapped, tmp_path / "model.certus"), np.arange(5.0))


@pytest.mark.parametrize("form", ["csr", "csc", "coo"])
@pytest.mark.parametrize("family", ["array", "matrix"])
def test_sparse_matrices(form: str, family: str, path: Path) -> None:
    dense = np.random.default_rng(0).integers(0, 2, (5, 7)).astype(np.float32)
    matrix = getattr(sparse, f"{form}_{family}")(dense)
    again = through(matrix, path)
    assert type(again) is type(matrix)
    assert again.dtype == np.float32
    assert_array_equal(again.toarray(), dense)


def test_components_and_nesting(path: Path) -> None:
    inner = Component(np.arange(3), holding("inner"))
    again = through([inner, inner], path)
    assert [type(part) for part in again] == [Component, Component]
    assert again[0].right.value_ == "inner"
    assert_array_equal(again[1].left, np.arange(3))


def test_partly_set_components(path: Path) -> None:
    part = Component(1, 2)
    del part.right
    again = through(part, path)
    assert again.left == 1
    assert not hasattr(again, "right")


@pytest.mark.parametrize("labels", [["no", "yes"], [3, 7], [False, True], [1.0, 2.0]], ids=str)
def test_learner_with_labels(labels: list[Any], path: Path) -> None:
    X = np.random.default_rng(0).normal(size=(40, 3))
    y = np.array(labels)[(X[:, 0] > 0).astype(int)]
    model = GaussianNB().fit(X, y)
    certus.save(model, path)
    again = certus.load(path)
    assert again.predict(X).dtype == model.predict(X).dtype
    assert_array_equal(again.predict_proba(X), model.predict_proba(X))


def test_labels_of_objects(path: Path) -> None:
    X = np.random.default_rng(0).normal(size=(40, 1))
    y = np.where(X[:, 0] > 0, "yes", "no").astype(object)
    certus.save(GaussianNB().fit(X, y), path)
    assert certus.load(path).classes_.dtype == object


def test_a_loaded_learner_goes_on_learning(path: Path) -> None:
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(60, 2)), rng.integers(0, 2, 60)
    model = GaussianNB().partial_fit(X[:30], y[:30], classes=[0, 1])
    certus.save(model, path)
    again = certus.load(path).partial_fit(X[30:], y[30:])
    assert_array_equal(again.theta_, model.partial_fit(X[30:], y[30:]).theta_)


def test_unfitted_learner(path: Path) -> None:
    certus.save(GaussianNB(var_smoothing=1e-3, priors=[0.25, 0.75]), path)
    again = certus.load(path)
    assert again.get_params() == {"var_smoothing": 1e-3, "priors": [0.25, 0.75]}
    assert not hasattr(again, "classes_")


def test_report_comes_back_and_holds(path: Path) -> None:
    model = holding(1)
    model.report_ = Report([error_bound(3, 200), error_bound(0, 50, side="both")])
    certus.save(model, path)
    again = certus.load(path)
    assert again.report_ == model.report_
    assert again.report_.check()


def test_a_given_report_takes_the_place_of_the_models_own(path: Path) -> None:
    model = make_pipeline(StandardScaler(), holding(1))
    model[-1].report_ = Report([error_bound(1, 50)])
    given = Report([error_bound(0, 70)])
    certus.save(model, path, report=given)
    again = certus.load(path)
    assert again.report_ == given
    assert again[-1].report_ == model[-1].report_
    assert not hasattr(model, "report_")


def test_equal_models_give_equal_bytes(tmp_path: Path) -> None:
    X = np.random.default_rng(0).normal(size=(40, 3))
    for name in ("one", "two"):
        certus.save(GaussianNB().fit(X, X[:, 0] > 0), tmp_path / name)
    assert (tmp_path / "one").read_bytes() == (tmp_path / "two").read_bytes()


def test_description_says_what_is_inside(path: Path) -> None:
    keeper = RowKeeper()
    keeper.rows_ = np.zeros((2, 2))
    certus.save(holding([keeper]), path)
    facts = describe_file(path)
    assert facts["class"] == "certus.bayes.Holder"
    assert facts["classes"] == ["certus.bayes.Holder", "certus.bayes.RowKeeper"]
    assert facts["training_rows"] == ["certus.bayes.RowKeeper"]
    assert facts["versions"]["certus"] == certus.__version__
    assert facts["certificates"] == []
    assert facts["bytes"] == path.stat().st_size


def test_failed_saving_leaves_the_old_file(path: Path) -> None:
    certus.save(holding(1), path)
    before = path.read_bytes()
    with pytest.raises(certus.CertusFileError, match="function"):
        certus.save(holding([np.zeros(1000), len]), path)
    assert path.read_bytes() == before
    assert list(path.parent.iterdir()) == [path]


def test_replacing_keeps_mode_and_link(tmp_path: Path) -> None:
    target, link = tmp_path / "real.certus", tmp_path / "link.certus"
    certus.save(holding(1), target)
    target.chmod(0o640)
    link.symlink_to(target)
    certus.save(holding(2), link)
    assert link.is_symlink()
    assert target.stat().st_mode & 0o777 == 0o640
    assert certus.load(target).value_ == 2


def test_missing_files_and_folders(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match=r"nowhere\.certus"):
        certus.load(tmp_path / "nowhere.certus")
    with pytest.raises(FileNotFoundError, match="no_such_folder"):
        certus.save(holding(1), tmp_path / "no_such_folder" / "model.certus")
    with pytest.raises(IsADirectoryError, match="is a folder"):
        certus.save(holding(1), tmp_path)
