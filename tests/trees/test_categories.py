"""Columns of categories: every split is the best of all divisions into two sets, and all that follows from it."""

import pickle
from itertools import product

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from sklearn.tree import export_text, plot_tree

import certus
from certus.ensemble import (
    AdaBoostClassifier,
    BaggingClassifier,
    ExtraTreesClassifier,
    ExtraTreesRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
)
from certus.trees import DecisionTreeClassifier, DecisionTreeRegressor, ExtraTreeClassifier, ExtraTreeRegressor
from tests.trees.naive_tree import NaiveTree
from tests.trees.test_growing import CLASSIFICATION, REGRESSION, learner

FORESTS = (RandomForestClassifier, RandomForestRegressor, ExtraTreesClassifier, ExtraTreesRegressor)
TREES = (DecisionTreeClassifier, DecisionTreeRegressor, ExtraTreeClassifier, ExtraTreeRegressor)


def goes_left(tree, node, x):
    """Where the values of the node's column go, read from the arrays of the tree."""
    x = np.asarray(x, dtype=float)
    to_left = bool(tree.missing_go_to_left[node])
    if not np.isnan(tree.threshold[node]):
        return np.where(np.isnan(x), to_left, x <= tree.threshold[node])
    return np.isin(x, tree.category_sets.of(node)) ^ to_left


def assert_best_tree(tree, naive, X, w):
    """Every node has the rows, impurity and value that its twin computes, and no better split exists."""
    stack = [(0, np.flatnonzero(w > 0), 0)]
    seen = 0
    while stack:
        at, rows, depth = stack.pop()
        seen += 1
        node = naive._node(rows, depth)
        assert tree.n_node_samples[at] == len(rows)
        assert_allclose(tree.impurity[at], node.impurity, rtol=1e-9, atol=1e-12)
        assert_allclose(tree.value[at], node.value, rtol=1e-9, atol=1e-12)
        best = None if naive._stays_leaf(node) else naive._best_split(node)
        possible = 0.0 if best is None else best[0]
        if tree.children_left[at] < 0:
            assert best is None or possible / w.sum() <= naive.min_impurity_decrease + 1e-9
            continue
        side = goes_left(tree, at, naive.X[rows, tree.feature[at]])
        left, right = rows[side], rows[~side]
        gain = naive._cost(rows) - naive._cost(left) - naive._cost(right)
        assert gain == pytest.approx(possible, rel=1e-9, abs=1e-9 * naive._cost(rows))
        stack += [(tree.children_right[at], right, depth + 1), (tree.children_left[at], left, depth + 1)]
    assert seen == tree.node_count


@st.composite
def mixed_tables(draw, criteria, most_categories=5):
    """Numbers and categories, full of ties, with missing values; a target; weights or None."""
    criterion = draw(st.sampled_from(criteria))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    rows, columns = draw(st.integers(2, 18)), draw(st.integers(1, 3))
    X = rng.integers(0, draw(st.integers(1, most_categories)), (rows, columns)).astype(float)
    if draw(st.booleans()):
        X[rng.random(X.shape) < 0.2] = np.nan
    if criterion in CLASSIFICATION:
        y = np.unique(rng.integers(0, draw(st.integers(2, 4)), rows), return_inverse=True)[1]
    elif criterion == "poisson":
        y = rng.poisson(1.0, rows).astype(float)
        y[0] = 1.0
    else:
        y = rng.integers(-5, 6, rows) / draw(st.sampled_from([1, 7]))
    weights = draw(st.sampled_from([None, "whole", "real"]))
    if weights == "whole":
        weights = rng.integers(0, 3, rows).astype(float)
        weights[0] = 1.0
    elif weights == "real":
        weights = rng.random(rows) + 0.1
    categorical = [0] if draw(st.booleans()) else list(range(columns))
    return criterion, X, y, weights, categorical


limits = st.fixed_dictionaries(
    {},
    optional={
        "max_depth": st.integers(1, 3),
        "min_samples_split": st.integers(2, 6),
        "min_impurity_decrease": st.sampled_from([0.01, 0.1]),
    },
)


def check_against_the_twin(table, limit):
    criterion, X, y, weights, categorical = table
    model = learner(criterion, categorical_features=categorical, **limit).fit(X, y, sample_weight=weights)
    coded = X.copy()
    for column in categorical:
        known = np.unique(X[~np.isnan(X[:, column]), column])
        there = ~np.isnan(X[:, column])
        coded[there, column] = np.searchsorted(known, X[there, column])
    w = np.ones(len(y)) if weights is None else weights
    naive = NaiveTree(criterion, categorical=tuple(categorical), **{**limit, "max_depth": 0}).fit(coded, y, weights)
    naive.max_depth = limit.get("max_depth", 10**9)
    assert_best_tree(model.tree_, naive, coded, w)
    assert_array_equal(
        model.tree_.n_node_samples, np.bincount(path_nodes(model, X, w), minlength=model.tree_.node_count)
    )


def path_nodes(model, X, w):
    return model.decision_path(X[w > 0]).indices


@settings(max_examples=120, deadline=None)
@given(mixed_tables((*CLASSIFICATION, *REGRESSION)), limits)
def test_every_split_is_the_best_division(table, limit):
    check_against_the_twin(table, limit)


@pytest.mark.slow
@pytest.mark.timeout(1200)
@settings(max_examples=3000, deadline=None)
@given(mixed_tables((*CLASSIFICATION, *REGRESSION)), limits)
def test_every_split_is_the_best_division_thousands_of_times(table, limit):
    check_against_the_twin(table, limit)


def best_cost_of_all_divisions(cost, codes, missing_too):
    """The least cost over all divisions of 0 .. k-1 (and of missing values, coded -1) into two sets."""
    groups = [*range(codes.max() + 1), *([-1] if missing_too else [])]
    best = np.inf
    for sides in product([False, True], repeat=len(groups) - 1):
        left = np.isin(codes, [group for group, side in zip(groups, (*sides, False), strict=True) if side])
        if left.any() and not left.all():
            best = min(best, cost(left) + cost(~left))
    return best


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 2**32 - 1), st.integers(7, 10), st.booleans(), st.sampled_from(["gini", "entropy", "number"]))
def test_many_categories_are_divided_best_for_two_classes_and_squared_error(seed, count, missing, kind):
    rng = np.random.default_rng(seed)
    codes = np.concatenate([np.arange(count), rng.integers(0, count, 40)])
    codes[-6:] = -1 if missing else codes[-6:]
    w = rng.random(len(codes)) + 0.1
    y = rng.normal(size=len(codes)) if kind == "number" else rng.integers(0, 2, len(codes))
    y[:2] = 0, 1

    def cost(rows):
        mean = np.average(y[rows], weights=w[rows])
        if kind == "number":
            return (w[rows] * (y[rows] - mean) ** 2).sum()
        share = np.array([mean, 1 - mean])
        if kind == "gini":
            return w[rows].sum() * (1 - (share**2).sum())
        return -w[rows].sum() * (share[share > 0] * np.log2(share[share > 0])).sum()

    criterion = "squared_error" if kind == "number" else kind
    X = np.where(codes < 0, np.nan, codes)[:, None]
    model = learner(criterion, max_depth=1, categorical_features=[0]).fit(X, y, sample_weight=w)
    tree = model.tree_
    assert tree.node_count == 3
    found = (tree.weighted_n_node_samples * tree.impurity)[1:].sum()
    assert found == pytest.approx(best_cost_of_all_divisions(cost, codes, missing), rel=1e-9, abs=1e-9)


def test_several_classes_and_many_categories_come_close_to_the_best():
    """Beyond six categories the order along the leading direction is used: measured, not promised."""
    rng = np.random.default_rng(0)
    ratios = []
    for _ in range(30):
        shares = rng.dirichlet(np.ones(3), 9)
        codes = np.repeat(np.arange(9), 20)
        y = np.array([rng.choice(3, p=shares[code]) for code in codes])

        def cost(rows, y=y):
            return rows.sum() * (1 - ((np.bincount(y[rows], minlength=3) / rows.sum()) ** 2).sum())

        tree = DecisionTreeClassifier(max_depth=1, categorical_features=[0]).fit(codes[:, None], y).tree_
        whole = cost(np.ones(len(y), dtype=bool))
        found = whole - (tree.n_node_samples * tree.impurity)[1:].sum()
        ratios.append(found / (whole - best_cost_of_all_divisions(cost, codes, False)))
    assert np.mean(ratios) > 0.98
    assert min(ratios) > 0.85


@pytest.fixture
def frame():
    rng = np.random.default_rng(5)
    city = rng.choice(["Ulm", "Rom", "Oslo", "Bern", "Nice", "Lyon", "Gent", "Bari"], 400)
    size = rng.normal(size=400).round(2)
    rate = np.isin(city, ["Ulm", "Oslo", "Bari"]) * 2.0 + (size > 0.3)
    y = rate + 0.1 * rng.normal(size=400)
    table = pd.DataFrame({"size": size, "city": pd.Categorical(city)})
    table.loc[::50, "city"] = np.nan
    return table, y


def target_for(kind, y):
    return np.digitize(y, [0.5, 1.5, 2.5]) if "Classifier" in kind.__name__ else y


@pytest.mark.parametrize("kind", [*TREES, *FORESTS], ids=lambda kind: kind.__name__)
def test_frames_names_masks_and_codes_give_the_same_model(kind, frame):
    table, y = frame
    y = target_for(kind, y)
    options = {"random_state": 0} | ({"n_estimators": 5} if kind in FORESTS else {})
    model = kind(**options).fit(table, y)
    expected = model.predict(table)
    assert list(model.is_categorical_) == [False, True]
    assert list(model.categories_[1]) == sorted(set(table["city"].dropna()))
    polars_table = pl.DataFrame(
        {
            "size": table["size"].to_numpy(),
            "city": pl.Series(
                list(table["city"].astype(object).where(table["city"].notna(), None)), dtype=pl.Categorical
            ),
        }
    )
    assert_array_equal(kind(**options).fit(polars_table, y).predict(polars_table), expected)
    codes = table["city"].cat.codes.to_numpy()
    array = np.column_stack([table["size"], np.where(codes < 0, np.nan, codes)])
    plain = table.assign(city=table["city"].astype(object))
    for X, categorical in [(array, [1]), (array, [False, True]), (plain, ["city"]), (plain.to_numpy(), [1])]:
        again = kind(**options, categorical_features=categorical).fit(X, y)
        assert_array_equal(again.predict(X), expected)
    restored = pickle.loads(pickle.dumps(model))
    assert_array_equal(restored.predict(table), expected)


@pytest.mark.parametrize("kind", [*TREES, *FORESTS], ids=lambda kind: kind.__name__)
def test_saved_models_answer_the_same(kind, frame, tmp_path):
    table, y = frame
    y = target_for(kind, y)
    options = {"random_state": 0} | ({"n_estimators": 3} if kind in FORESTS else {})
    model = kind(**options).fit(table, y)
    certus.save(model, tmp_path / "model.certus")
    loaded = certus.load(tmp_path / "model.certus")
    assert_array_equal(loaded.predict(table), model.predict(table))
    assert_array_equal(loaded.apply(table), model.apply(table))
    assert_allclose(loaded.feature_importances_, model.feature_importances_)


@pytest.mark.parametrize("kind", FORESTS, ids=lambda kind: kind.__name__)
def test_trees_of_a_forest_answer_for_the_table_of_the_user(kind, frame):
    table, y = frame
    y = target_for(kind, y)
    model = kind(25, random_state=1, bootstrap=True, oob_score=True).fit(table, y)
    answer = "predict_proba" if hasattr(model, "classes_") else "predict"
    rows = table.to_numpy()  # the trees know no column names
    single = np.array([getattr(each, answer)(rows) for each in model.estimators_])
    assert_allclose(getattr(model, answer)(table), single.mean(axis=0), atol=1e-12)
    assert_array_equal(model.apply(table)[:, 2], model.estimators_[2].apply(rows))
    outside = np.ones((len(single), len(table)), dtype=bool)
    for each, drawn in zip(outside, model.estimators_samples_, strict=True):
        each[drawn] = False
    kept = model.oob_decision_function_ if hasattr(model, "classes_") else model.oob_prediction_
    share = outside / outside.sum(axis=0)
    assert_allclose(kept, np.einsum("tr,tr...->r...", share, single), atol=1e-12)
    indicator, offsets = model.decision_path(table)
    assert indicator.shape == (len(table), offsets[-1])
    more = model.set_params(n_estimators=28, warm_start=True, oob_score=False).fit(table, y)
    whole = kind(28, random_state=1, bootstrap=True).fit(table, y)
    assert_array_equal(more.predict(table), whole.predict(table))


@pytest.mark.parametrize("criterion", ["gini", "entropy", "squared_error", "absolute_error", "poisson"])
@pytest.mark.parametrize("levels", [4, 300])
def test_binned_forests_divide_categories_as_unbinned_ones(criterion, levels):
    rng = np.random.default_rng(2)
    X = np.column_stack([rng.integers(0, levels, 600), rng.integers(0, 9, 600)]).astype(float)
    y = (X[:, 0] * 7 % 5 + X[:, 1] / 3 + rng.integers(0, 2, 600)).astype(int)
    kind = RandomForestClassifier if criterion in CLASSIFICATION else RandomForestRegressor
    options = {"criterion": criterion, "n_estimators": 4, "random_state": 0, "categorical_features": [0]}
    y = y % 2 if criterion in CLASSIFICATION else y + 1.0
    unbinned = kind(**options, max_bins=None).fit(X, y)
    assert_array_equal(kind(**options, max_bins=255).fit(X, y).predict(X), unbinned.predict(X))


@pytest.mark.parametrize("threads", [1, 2])
def test_threads_do_not_change_trees_with_categories(threads):
    rng = np.random.default_rng(4)
    X = np.column_stack([rng.integers(0, 40, 30_000), rng.integers(0, 5, 30_000), rng.normal(size=30_000)])
    y = ((X[:, 0] % 7 < 3) ^ (X[:, 1] == 2)).astype(int)
    model = RandomForestClassifier(3, random_state=0, n_jobs=threads, categorical_features=[0, 1], max_depth=8)
    leaves = model.fit(X, y).apply(X[:500])
    same = RandomForestClassifier(3, random_state=0, n_jobs=1, categorical_features=[0, 1], max_depth=8).fit(X, y)
    assert_array_equal(leaves, same.apply(X[:500]))


def test_unknown_and_missing_categories_go_where_missing_values_went():
    X = np.array([["a"], ["a"], ["b"], ["b"], [None], [None]], dtype=object)
    model = DecisionTreeRegressor(categorical_features=[0]).fit(X, [0.0, 0.0, 5.0, 5.0, 5.0, 5.0])
    assert_array_equal(model.predict(np.array([["a"], ["b"], [None], ["never seen"]], dtype=object)), [0, 5, 5, 5])
    # without missing values in training: the larger side
    model = DecisionTreeRegressor(categorical_features=[0]).fit(X[[0, 1, 1, 2]], [1.0, 1.0, 1.0, 3.0])
    assert_array_equal(model.predict(np.array([["a"], ["b"], [None], ["c"]], dtype=object)), [1, 3, 1, 1])
    assert_array_equal(model.predict(np.array([["a"], [7]], dtype=object)), [1, 1])


def test_all_missing_and_single_categories_cannot_be_split():
    X = np.array([[np.nan, 3.0], [np.nan, 3.0], [np.nan, 3.0]])
    model = DecisionTreeClassifier(categorical_features=[0, 1]).fit(X, [0, 1, 1])
    assert model.tree_.node_count == 1
    X[0, 1] = np.nan
    model = DecisionTreeClassifier(categorical_features=[0, 1]).fit(X, [0, 1, 1])
    assert_array_equal(model.predict(X), [0, 1, 1])


@pytest.mark.parametrize("kind", [DecisionTreeRegressor, ExtraTreeRegressor, RandomForestRegressor])
def test_a_million_categories(kind):
    rng = np.random.default_rng(0)
    X = rng.permutation(1_000_000).astype(np.float64)[:, None]
    y = rng.integers(0, 2, 1_000_000).astype(float)
    options = {"n_estimators": 2} if kind is RandomForestRegressor else {}
    model = kind(max_depth=3, categorical_features=[0], random_state=0, **options).fit(X, y)
    if kind is DecisionTreeRegressor:
        assert_array_equal(model.predict(X[:1000]), y[:1000])  # one division tells them all apart
        assert model.tree_.node_count == 3
    assert np.isfinite(model.predict([[-1.0], [1e7], [np.nan]])).all()


def test_random_divisions_have_categories_on_both_sides():
    rng = np.random.default_rng(1)
    X = rng.integers(0, 6, (200, 1)).astype(float)
    y = rng.normal(size=200)
    firsts = set()
    for seed in range(60):
        tree = ExtraTreeRegressor(max_depth=1, random_state=seed, categorical_features=[0]).fit(X, y).tree_
        left = frozenset(np.unique(X[:, 0])[goes_left(tree, 0, np.unique(X[:, 0]))])
        assert 0 < len(left) < 6
        firsts.add(left)
    assert len(firsts) > 25  # of 62


def test_weights_repeat_and_remove_rows_of_categories():
    rng = np.random.default_rng(3)
    X = rng.integers(0, 7, (60, 2)).astype(float)
    y, w = rng.integers(0, 3, 60), rng.integers(0, 3, 60)
    weighted = DecisionTreeClassifier(categorical_features=[0, 1]).fit(X, y, sample_weight=w)
    repeated = DecisionTreeClassifier(categorical_features=[0, 1]).fit(np.repeat(X, w, axis=0), np.repeat(y, w))
    assert_allclose(weighted.predict_proba(X), repeated.predict_proba(X), atol=1e-12)


def test_pruning_keeps_the_sets_of_the_nodes_that_stay(frame):
    table, y = frame
    full = DecisionTreeRegressor().fit(table, y)
    path = full.cost_complexity_pruning_path(table, y)
    for alpha in path.ccp_alphas[[len(path.ccp_alphas) // 2, -2]]:
        pruned = DecisionTreeRegressor(ccp_alpha=alpha * 1.000001).fit(table, y)
        assert pruned.tree_.node_count < full.tree_.node_count
        leaves = pruned.apply(table)
        assert_array_equal(
            np.bincount(leaves, minlength=pruned.tree_.node_count)[pruned.tree_.children_left < 0],
            pruned.tree_.n_node_samples[pruned.tree_.children_left < 0],
        )
        for leaf in np.unique(leaves):
            assert pruned.tree_.value[leaf, 0, 0] == pytest.approx(y[leaves == leaf].mean())
    assert DecisionTreeRegressor(ccp_alpha="cv", random_state=0).fit(table, y).score(table, y) > 0.9
    assert RandomForestRegressor(3, ccp_alpha=0.01, random_state=0).fit(table, y).score(table, y) > 0.8


def test_scikit_learns_pictures_and_texts_accept_trees_with_categories(frame):
    table, y = frame
    model = DecisionTreeRegressor(max_depth=2).fit(table, y)
    assert "nan" in export_text(model, feature_names=["size", "city"])
    assert len(plot_tree(model)) >= 7
    assert model.feature_importances_.sum() == pytest.approx(1.0)
    assert model.feature_importances_[1] > 0.5


def test_partial_dependence_reads_sets_of_categories():
    X = np.repeat([[0.0], [1.0], [2.0]], 4, axis=0)
    model = DecisionTreeRegressor(categorical_features=[0]).fit(X, np.repeat([1.0, 9.0, 1.5], 4))
    averages = np.zeros(4)
    model.tree_.compute_partial_dependence(np.array([[0], [1], [2], [5]], dtype=np.float32), np.array([0]), averages)
    assert_allclose(averages, model.predict([[0], [1], [2], [5]]))


def test_boosting_and_bagging_take_trees_with_categories(frame):
    table, y = frame
    labels = target_for(DecisionTreeClassifier, y)
    plain = table.assign(city=table["city"].astype(object).fillna("none")).to_numpy()
    stump = DecisionTreeClassifier(max_depth=3, categorical_features=[1])
    for kind in (AdaBoostClassifier, BaggingClassifier):
        model = kind(stump, n_estimators=10, random_state=0).fit(plain, labels)
        assert model.score(plain, labels) > 0.8


def test_bagging_tells_its_members_which_of_their_columns_are_categorical():
    rng = np.random.default_rng(0)
    X = np.column_stack([rng.normal(size=300), rng.integers(0, 9, 300), rng.normal(size=300)])
    y = (X[:, 1] % 3 == 1).astype(int)
    for categorical in ([1], [False, True, False]):
        model = BaggingClassifier(
            DecisionTreeClassifier(categorical_features=categorical), 12, max_features=2, random_state=0
        ).fit(X, y)
        for member, own in zip(model.estimators_, model.estimators_features_, strict=True):
            expected = None if 1 not in own else (own == 1).tolist()
            assert (None if member.is_categorical_ is None else member.is_categorical_.tolist()) == expected
    assert model.score(X, y) > 0.9


def test_refusals_name_what_is_wrong(frame):
    table, y = frame
    with pytest.raises(ValueError, match="Categorical features cannot have monotonic constraints"):
        DecisionTreeRegressor(monotonic_cst=[0, 1]).fit(table, y)
    with pytest.raises(TypeError, match="categorical columns in dense tables only, got a sparse matrix"):
        DecisionTreeRegressor(categorical_features=[0]).fit(sparse.eye_array(5, format="csr"), np.arange(5.0))
    with pytest.raises(ValueError, match="could not convert column 'city' to numbers"):
        RandomForestRegressor(categorical_features=["size"]).fit(table.assign(city=table["city"].astype(object)), y)
    with pytest.raises(ValueError, match="not a valid feature name"):
        DecisionTreeRegressor(categorical_features=["town"]).fit(table, y)
    with pytest.raises(ValueError, match="inf"):
        DecisionTreeRegressor().fit(table.assign(size=np.inf), y)
    with pytest.raises(ValueError, match="The feature names should match"):
        DecisionTreeRegressor().fit(table, y).predict(table[["city", "size"]])


def test_damaged_sets_are_refused(frame, tmp_path):
    table, y = frame
    model = DecisionTreeRegressor(max_depth=3).fit(table, y)
    sets = model.tree_.category_sets
    for name, damaged in [
        ("codes", sets.codes[::-1].copy()),
        ("starts", sets.starts + 1),
        ("nodes", sets.nodes + 1),
        ("codes", sets.codes.astype(float)),
    ]:
        kept = getattr(sets, name)
        setattr(sets, name, damaged)
        file = tmp_path / "damaged.certus"
        certus.save(model, file)
        setattr(sets, name, kept)
        with pytest.raises(certus.CertusFileError, match="categor"):
            certus.load(file)
