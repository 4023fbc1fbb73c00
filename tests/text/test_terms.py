"""Terms and counts: equal to scikit-learn's to the last count, for all of Unicode and every setting."""

import random
import re
import unicodedata
import warnings

import numpy as np
import pytest
from scipy import sparse
from sklearn.feature_extraction import text as theirs

from certus import text as ours
from certus.text.analysis.character_tables import SEQUENCE, SPACE, WORD, character_tables

pytestmark = pytest.mark.filterwarnings("ignore:Your stop_words may be inconsistent")

EVERY = [chr(code) for code in range(0x110000)]
TEXTS = [
    "The quick brown fox.",
    "the QUICK fox, the lazy_dog 42",
    "Été à l'ÎLE: naïve cœur",
    "ΟΔΥΣΣΕΥΣ ΣΑΣ σοφός",
    "İstanbul ILIK ışık",
    "日本語 テスト 한국어 각",
    "ﬁne ½ cup ㎏ x² ª",
    "",
    "a b c",
    "tabs\t\tand\n\n lines\u3000\x85 end ",
    "😀 emoji‍ joined 🇩🇪",
]


def assert_same_table(found, expected):
    found, expected = sparse.csr_array(found), sparse.csr_array(expected)
    expected.sort_indices()
    assert found.shape == expected.shape
    assert found.dtype == expected.dtype
    np.testing.assert_array_equal(found.indptr, expected.indptr)
    np.testing.assert_array_equal(found.indices, expected.indices)
    np.testing.assert_array_equal(found.data, expected.data)


def becomes(tables, code):
    cell = int(tables.pages[code >> 8]) * 256 + code % 256
    shift = int(tables.shifts[cell])
    if shift > SEQUENCE:
        return chr(code + shift)
    place = SEQUENCE - shift
    return "".join(map(chr, tables.sequences[place + 1 : place + 1 + tables.sequences[place]]))


def test_word_and_white_characters_are_those_of_re_for_all_of_unicode():
    tables = character_tables(True, None, True)
    kinds = tables.kinds.reshape(-1, 256)[tables.pages].ravel()
    assert [bool(kind & WORD) for kind in kinds] == [c.isalnum() or c == "_" for c in EVERY]
    assert [bool(kind & SPACE) for kind in kinds] == [c.isspace() for c in EVERY]
    word, white = re.compile(r"\w"), re.compile(r"\s")
    for code in (*range(0x3000), *range(0x10000, 0x11000), 0xD800, 0x10FFFF):
        assert bool(kinds[code] & WORD) == bool(word.match(chr(code)))
        assert bool(kinds[code] & SPACE) == bool(white.match(chr(code)))


def test_lowercase_is_that_of_str_for_all_of_unicode_and_changes_nothing_twice():
    tables = character_tables(True, None, True)
    for code, character in enumerate(EVERY):
        assert becomes(tables, code) == character.lower()
        if character != character.lower():
            assert "".join(becomes(tables, ord(c)) for c in character.lower()) == character.lower()


@pytest.mark.parametrize("accents", ["ascii", "unicode"])
def test_accents_are_dropped_as_by_normalization_for_all_of_unicode(accents):
    strip = getattr(theirs, f"strip_accents_{accents}")
    tables = character_tables(False, accents, True)
    interesting = [c for c in EVERY if unicodedata.category(c) not in ("Cn", "Co", "Cs")] + ["\ud800", "\U000e0fff"]
    for character in interesting:
        assert becomes(tables, ord(character)) == strip(character), hex(ord(character))


def test_short_tables_agree_with_the_long_ones():
    short, long = character_tables(True, None, False), character_tables(True, None, True)
    assert len(short.pages) == 1
    for code in range(256):
        assert becomes(short, code) == becomes(long, code)
        assert short.kinds[code] == long.kinds[int(long.pages[0]) * 256 + code]


ANALYZERS = [
    {},
    {"ngram_range": (2, 2)},
    {"ngram_range": (1, 3)},
    {"stop_words": "english"},
    {"stop_words": ["fox", "été"], "ngram_range": (1, 2)},
    {"token_pattern": r"(?u)\b\w+\b"},
    {"token_pattern": r"[a-z]+"},
    {"token_pattern": r"(\w)\w+"},
    {"analyzer": "char", "ngram_range": (1, 3)},
    {"analyzer": "char", "ngram_range": (4, 9)},
    {"analyzer": "char_wb", "ngram_range": (1, 4)},
    {"analyzer": "char_wb", "ngram_range": (5, 8)},
    {"analyzer": str.split},
    {"tokenizer": str.split, "token_pattern": None},
    {"preprocessor": str.upper},
]


@pytest.mark.parametrize("lowercase", [True, False])
@pytest.mark.parametrize("strip_accents", [None, "ascii", "unicode"])
@pytest.mark.parametrize("settings", ANALYZERS, ids=str)
def test_counts_vocabulary_and_hashes_are_those_of_scikit_learn(settings, strip_accents, lowercase):
    settings = settings | {"lowercase": lowercase, "strip_accents": strip_accents}
    mine, other = ours.CountVectorizer(**settings), theirs.CountVectorizer(**settings)
    assert_same_table(mine.fit_transform(TEXTS), other.fit_transform(TEXTS))
    assert list(mine.vocabulary_.items()) == list(other.vocabulary_.items())
    new = [*reversed(TEXTS), "unknown Words étés"]
    assert_same_table(mine.transform(new), other.transform(new))
    for norm, signs in ((None, True), ("l2", True), ("l1", False)):
        options = settings | {"norm": norm, "alternate_sign": signs, "n_features": 1000}
        assert_same_table(
            ours.HashingVectorizer(**options).transform(TEXTS), theirs.HashingVectorizer(**options).transform(TEXTS)
        )


@pytest.mark.parametrize("seed", range(8))
def test_random_texts_of_all_of_unicode(seed):
    draw = random.Random(seed)
    pools = [EVERY, "ΣΑσς ά\u0345\u0301'.İı", [chr(c) for c in range(256)], "ab AB_1. \n", "가각ﬁ㎏é\u0301 \u3000x"]
    texts = ["".join(draw.choices(draw.choice(pools), k=draw.choice([0, 1, 7, 60]))) for _ in range(40)]
    for settings in draw.sample(ANALYZERS[:6] + ANALYZERS[8:12], 4):
        settings = settings | {"strip_accents": draw.choice([None, "ascii", "unicode"])}
        mine, other = ours.CountVectorizer(**settings), theirs.CountVectorizer(**settings)
        assert_same_table(mine.fit_transform(texts), other.fit_transform(texts))
        assert list(mine.vocabulary_.items()) == list(other.vocabulary_.items())


@pytest.mark.parametrize(
    "settings",
    [
        {"min_df": 2},
        {"min_df": 0.2, "max_df": 0.5},
        {"max_df": 5},
        {"max_features": 5},
        {"max_features": 7, "binary": True, "min_df": 2},
        {"binary": True, "dtype": np.float32},
        {"dtype": np.int8},
        {"dtype": np.int32},
        {"vocabulary": ["fox", "quick", "été"]},
        {"vocabulary": {"dog": 1, "fox": 0}},
    ],
    ids=str,
)
def test_choice_of_terms_and_types_are_those_of_scikit_learn(settings):
    texts = TEXTS * 3 + ["fox fox quick", "dog"] * 4
    mine, other = ours.CountVectorizer(**settings), theirs.CountVectorizer(**settings)
    assert_same_table(mine.fit_transform(texts), other.fit_transform(texts))
    assert mine.vocabulary_ == other.vocabulary_
    assert_same_table(mine.transform(TEXTS), other.transform(TEXTS))


@pytest.mark.parametrize(
    "settings",
    [
        {},
        {"sublinear_tf": True, "norm": "l1"},
        {"smooth_idf": False, "norm": None},
        {"use_idf": False},
        {"dtype": np.float32, "ngram_range": (1, 2)},
        {"binary": True, "min_df": 2},
    ],
    ids=str,
)
def test_weights_are_those_of_scikit_learn(settings):
    mine, other = ours.TfidfVectorizer(**settings), theirs.TfidfVectorizer(**settings)
    found, expected = mine.fit_transform(TEXTS), other.fit_transform(TEXTS)
    rounding = 1e-6 if settings.get("dtype") is np.float32 else 1e-15
    np.testing.assert_allclose(found.toarray(), expected.toarray(), rtol=rounding)
    assert found.dtype == expected.dtype
    assert_same_table(mine.transform(TEXTS), other.transform(TEXTS))
    assert ours.TfidfVectorizer(**settings).fit(TEXTS).vocabulary_ == other.vocabulary_
    if settings.get("use_idf", True):
        np.testing.assert_array_equal(mine.idf_, other.idf_)
        np.testing.assert_array_equal(ours.TfidfVectorizer(**settings).fit(TEXTS).idf_, other.idf_)


def test_number_of_threads_and_way_of_reading_change_nothing(monkeypatch):
    rng = np.random.default_rng(0)
    words = np.array(["w" + format(k, "x") for k in range(3000)] + ["été", "Σας", "日本"])
    texts = [" ".join(words[rng.integers(0, len(words), 60)]) for _ in range(3000)]
    found = []
    for threads in ("1", "2", "3"):
        monkeypatch.setenv("OMP_NUM_THREADS", threads)
        for given in (texts, iter(texts), np.array(texts, dtype=object)):
            model = ours.CountVectorizer(ngram_range=(1, 2))
            found.append((model.fit_transform(given), model.vocabulary_))
    for table, vocabulary in found[1:]:
        assert_same_table(table, found[0][0])
        assert list(vocabulary.items()) == list(found[0][1].items())
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        hashed = ours.HashingVectorizer().transform(iter(texts))
    assert_same_table(hashed, theirs.HashingVectorizer().transform(texts))
