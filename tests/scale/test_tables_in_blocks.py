"""Tables in blocks: files, iterables, columns, and what is said when they do not fit together."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

import certus
from certus.base.blocks import BlockError, TreeReduction
from certus.base.blocks.reduction import merge_level
from certus.bayes import GaussianNB
from certus.components import PCA
from certus.linear import Lasso, LogisticRegression, Ridge
from certus.svm import SVC
from tests.scale.pieces import classes_table, cut, numbers_table

pytest.importorskip("pyarrow")


@pytest.fixture
def folder(tmp_path):
    """Three files with row groups of 30 rows."""
    X, y = numbers_table()
    frame = pl.DataFrame(X, schema=["a", "b", "c", "d"]).with_columns(y=pl.Series(y), unused=pl.lit("text"))
    for k, (first, last) in enumerate([(0, 70), (70, 71), (71, 200)]):
        frame[first:last].write_parquet(tmp_path / f"{k}.parquet", row_group_size=30)
    return tmp_path


def test_a_folder_of_files_gives_the_model_of_the_table(folder):
    X, y = numbers_table()
    table = certus.scale.read(folder, columns=["a", "b", "c", "d", "y"])
    assert table.columns == ("a", "b", "c", "d", "y")
    model = Ridge().fit(*table.xy("y"))
    np.testing.assert_allclose(model.coef_, Ridge().fit(X, y).coef_, rtol=1e-10)
    assert model.feature_names_in_.tolist() == ["a", "b", "c", "d"]
    predicted = model.predict(table[["a", "b", "c", "d"]])
    frame = pl.DataFrame(X, schema=["a", "b", "c", "d"])
    np.testing.assert_allclose(np.concatenate(list(predicted)), model.predict(frame), rtol=1e-12)


def test_paths_and_patterns(folder):
    two = [folder / "0.parquet", folder / "1.parquet"]
    for paths, wanted in ((folder, 200), (f"{folder}/*.parquet", 200), (two, 71)):
        assert sum(len(block) for block in certus.scale.read(paths)["y"]) == wanted
    with pytest.raises(FileNotFoundError, match="No Parquet file"):
        certus.scale.read(folder / "nothing*.parquet")


def test_addresses_of_fsspec(folder):
    fsspec = pytest.importorskip("fsspec")
    memory = fsspec.filesystem("memory")
    memory.put(str(folder), "/table", recursive=True)
    table = certus.scale.read("memory://table/", columns=["a", "y"])
    assert sum(len(block) for block in table["y"]) == 200


def test_a_damaged_row_group_is_named(folder):
    table = certus.scale.read(folder, columns=["a", "y"])
    (folder / "2.parquet").write_bytes(b"PAR1 nothing of use PAR1")
    model = Ridge()
    with pytest.raises(BlockError, match=r"row group 0 of .*2\.parquet cannot be read: .*\nHint"):
        model.fit(*table.xy("y"))
    assert not hasattr(model, "coef_")
    with pytest.raises(BlockError, match=r"2\.parquet cannot be read"):
        certus.scale.read(folder)


def test_a_missing_column_names_the_file(folder):
    pl.DataFrame({"a": [1.0], "y": [1.0]}).write_parquet(folder / "3.parquet")
    with pytest.raises(BlockError, match=r"Column 'b' is missing in .*3\.parquet"):
        certus.scale.read(folder)
    assert certus.scale.read(folder, columns=["a", "y"]).columns == ("a", "y")
    with pytest.raises(ValueError, match="column 'z' is missing"):
        certus.scale.read(folder, columns=["a", "y"]).xy("z")


def test_types_that_differ_become_one_or_are_refused(folder):
    schema = dict.fromkeys("abcdy", pl.Float32)
    pl.DataFrame([[1.0] * 5], schema=schema, orient="row").write_parquet(folder / "3.parquet")
    assert Ridge().fit(*certus.scale.read(folder, columns=list("abcdy")).xy("y")).coef_.dtype == np.float64
    pl.DataFrame({"a": ["word"], "y": [1.0]}).write_parquet(folder / "4.parquet")
    with pytest.raises(BlockError, match=r"Column 'a' must have one type in all files, got .*4\.parquet"):
        certus.scale.read(folder, columns=["a", "y"])


def test_blocks_that_do_not_fit_together():
    X, y = numbers_table()
    with pytest.raises(BlockError, match=r"same columns, got 4 in block 0 and 3 in block 1"):
        Ridge().fit(*certus.scale.blocks([(X, y), (X[:, :3], y)]).xy())
    with pytest.raises(
        BlockError, match=r"same type of the numbers, got 'float64' in block 0 and 'float32' in block 1"
    ):
        Ridge().fit(*certus.scale.blocks([(X, y), (X.astype(np.float32), y)]).xy())
    with pytest.raises(BlockError, match=r"same type and shape of the target"):
        GaussianNB().fit(*certus.scale.blocks([(X, y > 0), (X, np.where(y > 0, "a", "b"))]).xy())
    bad = X.copy()
    bad[3, 1] = np.nan
    with pytest.raises(ValueError, match=r"row 3, column 1\..*(\n.*)*about block 1; rows are counted"):
        Ridge().fit(*certus.scale.blocks([(X, y), (bad, y)]).xy())
    with pytest.raises(ValueError, match="all blocks of the table are empty"):
        Ridge().fit(*certus.scale.blocks([(X[:0], y[:0])]).xy())


def test_an_iterator_serves_one_pass():
    X, y = numbers_table()
    table = certus.scale.blocks(iter([(X, y)]))
    Ridge().fit(*table.xy())
    with pytest.raises(ValueError, match="can be read once only"):
        Ridge().fit(*table.xy())


def test_whole_tables_only():
    X, y = cut(classes_table(), 2)
    with pytest.raises(
        TypeError, match=r"SVC learns from a whole table.*\nHint: fit to a sample, certus\.scale\.sample"
    ):
        SVC().fit(X, y)
    with pytest.raises(TypeError, match=r"GaussianNB\.partial_fit learns from a whole table"):
        GaussianNB().partial_fit(X, y)
    with pytest.raises(TypeError, match="must all be in blocks"):
        GaussianNB().fit(X, np.zeros(200))
    with pytest.raises(ValueError, match="requires y to be passed"):
        GaussianNB().fit(X, None)


def test_answers_about_all_rows_together_are_refused():
    X, _ = cut(numbers_table(), 2)
    model = PCA().fit(X)
    assert len(list(model.transform(X))) == 2
    with pytest.raises(TypeError, match=r"PCA\.score is about all rows together"):
        model.score(X)


def test_rows_of_training_are_recognized():
    X, y = numbers_table(rows=9000)
    whole, blocks = Ridge().fit(X, y), Ridge().fit(*cut((X, y), 7))
    one, two = whole._training_rows, blocks._training_rows
    assert one.same_rows(two)
    assert one.complete == two.complete
    with pytest.raises(certus.TrainingRowsError):
        blocks.certify(X[:50], y[:50], loss="absolute", loss_range=(0, 100))


@pytest.mark.parametrize("count", range(1, 40))
def test_the_tree_has_one_shape(count):
    tree, level = TreeReduction(lambda a, b: (a, b)), list(range(count))
    for block in range(count):
        tree.add(block)
    while len(level) > 1:
        level = merge_level(level, lambda a, b: (a, b))
    assert tree.result() == level[0]


def test_columns_of_arrays_and_functions_of_blocks():
    X, y = numbers_table()
    table = certus.scale.blocks([np.column_stack([X, y])])
    model = Ridge().fit(*table.xy(4))
    np.testing.assert_allclose(model.coef_, Ridge().fit(X, y).coef_, rtol=1e-12)
    assert [block.shape for block in table[[0, 1]].map(np.abs)] == [(200, 2)]
    positive = certus.scale.blocks([np.column_stack([np.abs(X), y])])
    assert Ridge().fit(*positive.xy(4, weights=0)).n_features_in_ == 3


@pytest.mark.parametrize(
    ("learner", "change"),
    [
        (Lasso(0.1), lambda X, y: (X[:-1], y[:-1])),
        (Lasso(0.1), lambda X, y: (1.01 * X, y)),
        (Lasso(0.1), lambda X, y: (X, -1.01 * y)),
        (LogisticRegression(), lambda X, y: (X + 0.01, y)),
        (LogisticRegression(), lambda X, y: (X, np.where(y == "2", "3", y))),
        (LogisticRegression(), lambda X, y: (X, np.where(y == "2", "1", y))),
    ],
)
def test_rows_that_change_between_passes_are_refused(learner, change):
    X, y = classes_table() if isinstance(learner, LogisticRegression) else numbers_table()
    y = y.astype(str) if isinstance(learner, LogisticRegression) else y
    calls = []

    def pieces():
        calls.append(0)
        second = (X[100:], y[100:])
        return iter([(X[:100], y[:100]), second if len(calls) == 1 else change(*second)])

    with pytest.raises(BlockError, match="Every pass must read the same rows"):
        learner.fit(*certus.scale.blocks(pieces).xy())


def test_blocks_may_come_in_another_order_in_every_pass():
    X, y = numbers_table()
    calls = []

    def pieces():
        calls.append(0)
        halves = [(X[:90], y[:90]), (X[90:], y[90:])]
        return iter(halves if len(calls) % 2 else halves[::-1])

    model = Lasso(0.1, tol=1e-12).fit(*certus.scale.blocks(pieces).xy())
    np.testing.assert_allclose(model.coef_, Lasso(0.1, tol=1e-12).fit(X, y).coef_, rtol=1e-6)


def test_columns_of_one_half_of_pairs():
    X, y = numbers_table()
    frame = pl.DataFrame(X, schema=["a", "b", "c", "d"])
    rows, target = certus.scale.blocks([(frame[:80], y[:80]), (frame[80:], y[80:])]).xy()
    assert [block.columns for block in rows[["b", "a"]]] == [["b", "a"]] * 2
    np.testing.assert_array_equal(np.concatenate(list(rows["c"])), X[:, 2])
    np.testing.assert_allclose(Ridge().fit(rows[["a", "b"]], target).coef_, Ridge().fit(X[:, :2], y).coef_, rtol=1e-9)


def test_a_folder_called_like_a_file(tmp_path):
    inner = tmp_path / "some table.parquet"
    inner.mkdir()
    pl.DataFrame({"a": [1.0, 2.0]}).write_parquet(inner / "part 0.parquet")
    for place in (tmp_path, inner, f"{tmp_path}/*.parquet"):
        assert [len(block) for block in certus.scale.read(place)["a"]] == [2]


def test_weights_of_two_columns_are_refused():
    X, y = numbers_table()
    with pytest.raises(ValueError, match="Sample weights must be 1D"):
        Ridge().fit(*certus.scale.blocks([(X, y, np.ones((100, 2)))]).xy(weights=True))
