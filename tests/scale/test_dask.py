"""Dask arrays, data frames and clusters: the same bits as block after block in this process."""

from __future__ import annotations

import os

import numpy as np
import polars as pl
import pytest

import certus
from certus.bayes import GaussianNB
from certus.linear import LogisticRegression, Ridge
from certus.svm import SVC
from tests.scale.pieces import classes_table, numbers_table

pytest.importorskip("distributed")
pytest.importorskip("pyarrow")


@pytest.fixture(scope="module")
def cluster():
    """Two workers of one thread, in processes of their own."""
    import dask
    import distributed

    with (
        dask.config.set({"distributed.scheduler.allowed-failures": 1}),
        distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as workers,
        distributed.Client(workers) as client,
    ):
        yield client


@pytest.fixture
def folder(tmp_path):
    X, y = numbers_table()
    frame = pl.DataFrame(X, schema=["a", "b", "c", "d"]).with_columns(y=pl.Series(y))
    frame.write_parquet(tmp_path / "table.parquet", row_group_size=30)
    return tmp_path


def test_arrays_without_a_cluster():
    import dask.array as da

    X, y = numbers_table()
    lazy = da.from_array(X, chunks=(30, 2)), da.from_array(y, chunks=70)
    model = Ridge().fit(*lazy)
    pieces = [(X[k : k + 30], y[k : k + 30]) for k in range(0, 200, 30)]
    np.testing.assert_array_equal(model.coef_, Ridge().fit(*certus.scale.blocks(pieces).xy()).coef_)
    predicted = model.predict(lazy[0])
    assert isinstance(predicted, da.Array)
    assert predicted.dtype == np.float64
    np.testing.assert_allclose(predicted.compute(), model.predict(X), rtol=1e-12)
    with pytest.raises(TypeError, match=r"SVC learns from a whole table, got rows in blocks \(Array\)"):
        SVC().fit(*lazy)


def test_data_frames_without_a_cluster():
    import dask.dataframe as dd
    import pandas as pd

    X, y = classes_table()
    frame = pd.DataFrame(X, columns=list("abcd")).assign(label=np.array(["u", "v", "w"])[y])
    table = dd.from_pandas(frame, npartitions=3)
    model = GaussianNB().fit(table[list("abcd")], table["label"])
    assert model.feature_names_in_.tolist() == list("abcd")
    local = GaussianNB().fit(frame[list("abcd")], frame["label"])
    predicted = model.predict(table[list("abcd")])
    assert isinstance(predicted, dd.Series)
    assert (predicted.compute().to_numpy() == local.predict(frame[list("abcd")])).all()
    shares = model.predict_proba(table[list("abcd")]).compute()
    np.testing.assert_allclose(shares.to_numpy(), local.predict_proba(frame[list("abcd")]), rtol=1e-9)


@pytest.mark.slow
def test_a_cluster_computes_the_same_bits(cluster, folder):
    table = certus.scale.read(folder)
    model = Ridge().fit(*table.xy("y"))
    X, y = numbers_table()
    frame = pl.DataFrame(X, schema=list("abcd"))
    pieces = [(frame[k : k + 30], y[k : k + 30]) for k in range(0, 200, 30)]
    cluster_bits = model.coef_
    with_nobody = Ridge().fit(*certus.scale.blocks(pieces).xy()).coef_
    np.testing.assert_array_equal(cluster_bits, with_nobody)
    np.testing.assert_allclose(cluster_bits, Ridge().fit(X, y).coef_, rtol=1e-10)


class KillsItsWorker:
    """A column that kills the first worker that reads it."""

    def __init__(self, marker):
        self.marker = marker

    def __call__(self, block):
        if not self.marker.exists():
            self.marker.write_text("killed once")
            os._exit(9)
        return block


class AlwaysKills:
    """A block that no worker survives."""

    def __call__(self, block):
        if len(block) and block["a"][0] > -1e9:
            os._exit(9)
        return block


@pytest.mark.slow
def test_newton_and_certificates_on_a_cluster(cluster, folder):
    X, y = classes_table(classes=2)
    labels = np.array(["no", "yes"])[y]
    pl.DataFrame(X, schema=list("abcd")).with_columns(y=labels).write_parquet(
        folder / "table.parquet", row_group_size=50
    )
    table = certus.scale.read(folder)
    model = LogisticRegression(gap_tol=1e-9).fit(*table.xy("y"))
    frame = pl.DataFrame(X, schema=list("abcd"))
    local = LogisticRegression(gap_tol=1e-9).fit(frame, labels)
    np.testing.assert_allclose(model.coef_, local.coef_, rtol=1e-6)
    assert model.report_.check((X, labels))
    held_out = classes_table(seed=9, classes=2)
    truth = np.array(["no", "yes"])[held_out[1]]
    pl.DataFrame(held_out[0], schema=list("abcd")).with_columns(y=truth).write_parquet(folder / "table.parquet")
    report = certus.certify(model, *certus.scale.read(folder).xy("y"))
    whole = certus.certify(model, pl.DataFrame(held_out[0], schema=list("abcd")), truth)
    assert [item.to_dict() for item in report] == [item.to_dict() for item in whole]
    with pytest.raises(certus.TrainingRowsError):
        certus.certify(model, frame, labels)


@pytest.mark.slow
def test_a_killed_worker_changes_nothing(cluster, folder, tmp_path):
    table = certus.scale.read(folder)
    wanted = Ridge().fit(*table.xy("y")).coef_
    mapped = table.map(KillsItsWorker(tmp_path / "marker"))
    X, y = mapped.xy("y")
    np.testing.assert_array_equal(Ridge().fit(X, y).coef_, wanted)
    assert (tmp_path / "marker").exists()


@pytest.mark.slow
def test_a_block_that_kills_every_worker_is_one_error(cluster, folder):
    X, y = certus.scale.read(folder).map(AlwaysKills()).xy("y")
    model = Ridge()
    with pytest.raises(RuntimeError, match="Workers were killed again and again"):
        model.fit(X, y)
    assert not hasattr(model, "coef_")


@pytest.mark.slow
def test_errors_of_workers_name_the_block(cluster, folder):
    table = certus.scale.read(folder)
    (folder / "table.parquet").write_bytes(b"damaged")
    with pytest.raises(certus.scale.BlockError, match=r"row group \d of .*table\.parquet cannot be read"):
        Ridge().fit(*table.xy("y"))
