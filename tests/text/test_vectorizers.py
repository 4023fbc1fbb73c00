"""What the vectorizers promise besides their numbers: growing, saving, bad input, Ctrl-C."""

import io
import json
import pickle
import subprocess
import sys

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline

import certus
from certus.base import catalogue
from certus.bayes import MultinomialNB
from certus.text import CountVectorizer, HashingVectorizer, TfidfTransformer, TfidfVectorizer

TEXTS = ["Rain, rain, go away", "Come rain, come shine", "here comes the sun", "été 日本 Σας", ""]
VECTORIZERS = [CountVectorizer, TfidfVectorizer, HashingVectorizer]
every_vectorizer = pytest.mark.parametrize("kind", VECTORIZERS)


def equal(one, two):
    return one.shape == two.shape and one.dtype == two.dtype and (one != two).nnz == 0


def test_catalogue_says_what_they_take():
    takes = {entry.name: entry.takes for entry in catalogue.entries() if entry.family == "text"}
    assert takes == {
        "CountVectorizer": "texts",
        "HashingVectorizer": "texts",
        "TfidfTransformer": "tables",
        "TfidfVectorizer": "texts",
    }


def test_batches_find_the_terms_of_all_texts_and_keep_earlier_columns():
    grown = CountVectorizer(ngram_range=(1, 2))
    before = []
    for text in TEXTS:
        grown.partial_fit([text])
        names = list(grown.get_feature_names_out())
        assert names[: len(before)] == before
        assert names[len(before) :] == sorted(names[len(before) :])
        before = names
    whole = CountVectorizer(ngram_range=(1, 2)).fit(TEXTS)
    assert set(before) == set(whole.vocabulary_)
    order = [whole.vocabulary_[term] for term in before]
    np.testing.assert_array_equal(grown.transform(TEXTS).toarray(), whole.transform(TEXTS).toarray()[:, order])


def test_weights_of_batches_are_those_of_all_texts():
    grown = TfidfVectorizer().partial_fit(TEXTS[:2]).partial_fit(TEXTS[2:])
    whole = TfidfVectorizer().fit(TEXTS)
    order = [whole.vocabulary_[term] for term in grown.get_feature_names_out()]
    np.testing.assert_array_equal(grown.idf_, whole.idf_[order])
    np.testing.assert_allclose(grown.transform(TEXTS).toarray(), whole.transform(TEXTS).toarray()[:, order], rtol=1e-15)
    grown.fit(TEXTS)
    np.testing.assert_array_equal(grown.idf_, whole.idf_)
    counts = CountVectorizer().fit_transform(TEXTS)
    rows = TfidfTransformer().partial_fit(counts[:2]).partial_fit(counts[2:])
    np.testing.assert_array_equal(rows.idf_, TfidfTransformer().fit(counts).idf_)
    assert rows.n_documents_ == 5


def test_batches_cannot_leave_terms_out_and_given_terms_stay():
    with pytest.raises(ValueError, match=r"partial_fit cannot leave terms out.*\nHint: keep max_df=1.0, min_df=1"):
        CountVectorizer(min_df=2).partial_fit(TEXTS)
    given = CountVectorizer(vocabulary=["rain", "sun"]).partial_fit(TEXTS).partial_fit(["snow"])
    assert list(given.vocabulary_) == ["rain", "sun"]
    by_hand = TfidfVectorizer(vocabulary=["rain", "sun"])
    by_hand.idf_ = [1.0, 2.0]
    with pytest.raises(ValueError, match="idf_ was set by hand"):
        by_hand.partial_fit(TEXTS)


@pytest.mark.parametrize("texts", [TEXTS, TEXTS * 40], ids=["few", "many"])
@every_vectorizer
def test_saved_pickled_and_cloned(kind, texts, tmp_path):
    texts = texts + [f"word{k}" for k in range(len(texts))]
    model = kind(ngram_range=(1, 2), stop_words=["the"], dtype=np.float32).fit(texts)
    expected = model.transform(texts)
    certus.save(model, tmp_path / "model.certus")
    for again in (certus.load(tmp_path / "model.certus"), pickle.loads(pickle.dumps(model)), clone(model).fit(texts)):
        assert equal(again.transform(texts), expected)
        assert again.get_params() == model.get_params()
    if kind is not HashingVectorizer:
        assert certus.load(tmp_path / "model.certus").vocabulary_ == model.vocabulary_


def test_pipeline_of_text_is_saved_searched_and_certified(tmp_path):
    rng = np.random.default_rng(0)
    good, bad = ["fine", "lovely", "warm"], ["poor", "awful", "cold"]
    labels = rng.integers(0, 2, 300)
    texts = [" ".join(rng.choice(good if y else bad, 3)) + f" thing {rng.integers(50)}" for y in labels]
    model = make_pipeline(TfidfVectorizer(), MultinomialNB())
    search = GridSearchCV(model, {"tfidfvectorizer__ngram_range": [(1, 1), (1, 2)]}, cv=3)
    best = search.fit(texts[:200], labels[:200]).best_estimator_
    assert certus.certify(best, texts[200:], labels[200:])["error"].value < 0.1
    certus.save(best, tmp_path / "model.certus")
    again = certus.load(tmp_path / "model.certus")
    np.testing.assert_array_equal(again.predict_proba(texts), best.predict_proba(texts))


def test_a_function_of_ones_own_is_not_saved_silently(tmp_path):
    model = CountVectorizer(tokenizer=str.split, token_pattern=None).fit(TEXTS)
    with pytest.raises(certus.CertusFileError, match="tokenizer is the function"):
        certus.save(model, tmp_path / "model.certus")


@every_vectorizer
def test_columns_of_tables_bytes_and_files_are_read(kind, tmp_path):
    expected = kind().fit_transform(TEXTS)
    columns = [pd.Series(TEXTS), pl.Series(TEXTS), np.array(TEXTS), tuple(TEXTS), [text.encode() for text in TEXTS]]
    for column in columns:
        assert equal(kind().fit_transform(column), expected)
    names = []
    for row, text in enumerate(TEXTS):
        names.append(tmp_path / f"{row}.txt")
        names[-1].write_text(text, encoding="utf-8")
    assert equal(kind(input="filename").fit_transform(names), expected)
    if kind is not HashingVectorizer:  # which reads them once to check parameters, as in scikit-learn
        assert equal(kind(input="file").fit_transform([io.StringIO(text) for text in TEXTS]), expected)
    latin = [text.encode("latin-1") for text in ("été", "rain")]
    assert kind(encoding="latin-1").fit_transform(latin).nnz == 2
    mixed = ["rain", b"sun", "rain"]
    assert equal(kind().fit_transform(mixed), kind().fit_transform(["rain", "sun", "rain"]))


@every_vectorizer
def test_bad_texts_are_named_with_their_row(kind):
    many = ["fine"] * 5000
    for bad in ("a text", b"bytes"):
        with pytest.raises(ValueError, match=r"raw text documents expected, (string|bytes) object.*\nHint"):
            kind().fit_transform(bad)
    for bad, word in ((None, "None"), (3, r"3 \(int\)"), (["x"], r"\['x'\] \(list\)")):
        with pytest.raises(ValueError, match=rf"Texts must be str or bytes, got {word} at row 4999\.\nHint: "):
            kind().fit_transform([*many[:4999], bad])
    for missing in (np.nan, float("nan")):
        with pytest.raises(ValueError, match=r"np.nan is an invalid document.* row 2 is missing\.\nHint"):
            kind().fit_transform(["a b", "c", missing])
    with pytest.raises(ValueError, match=r"got None at row 1\."):
        kind().fit_transform(pl.Series(["rain", None]))
    with pytest.raises(UnicodeDecodeError, match=r"in the text of row 4100\nHint: name the texts' encoding="):
        kind().fit_transform([*many[:4100], b"caf\xe9"])
    with pytest.raises(ValueError, match=r"Texts must be one column, got a table of shape \(2, 1\)"):
        kind().fit_transform(pd.DataFrame({"review": ["good", "bad"]}))
    with pytest.raises(ValueError, match=r"ngram_range=\(2, 1\) lower boundary"):
        kind(ngram_range=(2, 1)).fit_transform(TEXTS)
    with pytest.raises(FileNotFoundError):
        kind(input="filename").fit_transform(["no such file"])


def test_texts_without_terms_and_learners_without_texts():
    with pytest.raises(ValueError, match=r"empty vocabulary; perhaps.*stop words\nHint: 2 texts were read"):
        CountVectorizer().fit(["a", "?!"])
    with pytest.raises(NotFittedError):
        CountVectorizer().transform(TEXTS)
    with pytest.raises(NotFittedError):
        TfidfVectorizer().transform(TEXTS)
    with pytest.raises(ValueError, match="Cannot vectorize empty sequence"):
        HashingVectorizer().transform([])
    with pytest.raises(ValueError, match="no terms remain"):
        CountVectorizer(min_df=4).fit(TEXTS)
    with pytest.raises(ValueError, match=r"max_df corresponds to < documents than min_df\nHint: max_df allows "):
        CountVectorizer(min_df=4, max_df=1).fit(TEXTS)
    assert CountVectorizer(vocabulary=["rain"]).transform(["rain", "", "sun"]).toarray().tolist() == [[1], [0], [0]]
    with pytest.raises(TypeError, match="token_pattern must be a str, got None"):
        CountVectorizer(token_pattern=None).fit(TEXTS)


@pytest.mark.parametrize("analyzer", ["char", "char_wb"])
def test_half_characters_are_counted_and_cannot_be_hashed(analyzer):
    texts = ["ab\ud800", "b"]
    names = CountVectorizer(analyzer=analyzer).fit(texts).get_feature_names_out()
    assert "\ud800" in names
    with pytest.raises(UnicodeEncodeError):
        HashingVectorizer(analyzer=analyzer).transform(texts)


def test_subclasses_that_define_steps_are_obeyed():
    class Stems(CountVectorizer):
        def build_tokenizer(self):
            return lambda text: [word[:3] for word in text.split()]

    assert sorted(Stems().fit(["walking walked sun"]).vocabulary_) == ["sun", "wal"]

    class Upper(HashingVectorizer):
        def build_analyzer(self):
            return lambda text: [text.upper()]

    assert equal(Upper().transform(["a b"]), HashingVectorizer(analyzer=lambda text: [text]).transform(["A B"]))


def test_terms_of_ones_own_need_not_be_strings():
    model = CountVectorizer(analyzer=lambda row: row)
    np.testing.assert_array_equal(model.fit_transform([[3, 1, 3], [2]]).toarray(), [[1, 0, 2], [0, 1, 0]])
    assert model.vocabulary_ == {3: 2, 1: 0, 2: 1}


@every_vectorizer
def test_parameters_out_of_range_name_the_parameter(kind):
    for name in kind._constraints:
        with pytest.raises(ValueError, match=f"'{name}' parameter of {kind.__name__}"):
            kind().set_params(**{name: object()}).fit(TEXTS)


CHILD = """
import json, os, signal, sys, threading, time
import certus.text
texts = ["rain in the morning and sun at noon %d %d" % (k, k * k) for k in range(60_000)]
for kind, stage in json.loads(sys.argv[1]):
    model = getattr(certus.text, kind)(ngram_range=(1, 3))
    if stage == "transform":
        model.fit(texts[:1000])
    pressed = []
    def press():
        pressed.append(time.process_time())
        os.kill(os.getpid(), signal.SIGINT)
    threading.Timer(0.1, press).start()
    try:
        while True:
            model.fit_transform(texts) if stage == "fit" else model.transform(texts)
    except KeyboardInterrupt:
        waited = time.process_time() - pressed[0]
    left = [name for name in vars(model) if name.endswith("_") and not name.startswith("_")]
    print(json.dumps([waited, left]))
"""


def test_interrupt():
    cases = [("CountVectorizer", "fit"), ("TfidfVectorizer", "transform"), ("HashingVectorizer", "transform")]
    line = [sys.executable, "-c", CHILD, json.dumps(cases)]
    run = subprocess.run(line, capture_output=True, text=True, check=True, timeout=300)
    ends = [json.loads(told) for told in run.stdout.splitlines()]
    assert len(ends) == len(cases)
    assert all(waited < 1.0 for waited, _ in ends)  # of work
    assert ends[0][1] == []
