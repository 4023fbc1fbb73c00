"""Formulas are the functions that they say: by enumeration of inputs and of formulas of few variables, and as text."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from certus.logic import (
    CNF,
    DNF,
    Clause,
    Literal,
    Term,
    as_cnf,
    decode,
    doubled,
    encode,
    linear_threshold,
    monomials,
    number_of_functions,
    number_of_monotone_terms,
    number_of_terms,
    parse,
    sign,
    truth_table_dnf,
)

CUBE = np.array(list(itertools.product((0, 1), repeat=4)))
LITERALS = st.builds(Literal, st.sampled_from(["x1", "x2", "x3", "x4"]), st.booleans())
FORMULAS = st.recursive(
    LITERALS,
    lambda inner: st.one_of(
        st.tuples(inner, inner).map(lambda pair: pair[0] & pair[1]),
        st.tuples(inner, inner).map(lambda pair: pair[0] | pair[1]),
        inner.map(lambda part: ~part),
    ),
    max_leaves=6,
)


def values(formula):
    return [bool(formula(row[None, :])[0]) for row in CUBE]


def test_encodings():
    """and is x1 x2, or is sign(x1 + x2) with sign(0) = 0, not is 1 - x; false may be 0 or -1."""
    truth = np.array([[False, False], [False, True], [True, False], [True, True]])
    x, y = encode(truth).T
    assert decode(x * y).tolist() == (truth[:, 0] & truth[:, 1]).tolist()
    assert decode(sign(x + y, at_zero=0)).tolist() == (truth[:, 0] | truth[:, 1]).tolist()
    assert decode(1 - x).tolist() == (~truth[:, 0]).tolist()
    assert encode([True, False], "pm").tolist() == [1, -1]
    assert decode([1, -1], "pm").tolist() == [True, False]
    assert [sign(0.0, at_zero=value).item() for value in (-1, 0, 1)] == [-1, 0, 1]
    with pytest.raises(ValueError, match="at_zero"):
        sign([0.0], at_zero=2)
    with pytest.raises(ValueError, match="must be 0 or 1"):
        decode([0, 2])
    with pytest.raises(ValueError, match="'01' or 'pm'"):
        encode([True], "10")


@settings(max_examples=150, deadline=None)
@given(FORMULAS, FORMULAS)
def test_connectives_are_those_of_truth(first, second):
    a, b = np.array(values(first)), np.array(values(second))
    assert values(first & second) == (a & b).tolist()
    assert values(first | second) == (a | b).tolist()
    assert values(~first) == (~a).tolist()
    assert values(first.to_dnf()) == values(first.to_cnf()) == a.tolist()
    assert values(parse(str(first))) == a.tolist()


def test_the_simplest_kind_comes_out():
    x, y, z = (Literal(f"x{i}") for i in (1, 2, 3))
    kinds = {x & y: Term, x | ~y: Clause, (x & y) | z: DNF, (x | y) & z: CNF, ~(x & y): Clause, ~((x & y) | z): CNF}
    for formula, kind in kinds.items():
        assert type(formula) is kind
    assert (x & y).monotone
    assert not (x & ~y).monotone
    assert Term([x, ~x])([[1], [0]]).tolist() == [False, False]
    assert (Term()([[0, 1]]).tolist(), Clause()([[0, 1]]).tolist()) == ([True], [False])
    assert hash(x & y) == hash(y & x)


def test_numbers_of_functions_by_enumeration():
    for n in (1, 2, 3):
        signs = list(itertools.product((None, True, False), repeat=n))
        terms = {Term(Literal(f"x{i + 1}", s) for i, s in enumerate(row) if s is not None) for row in signs}
        assert len(terms) == number_of_terms(n) == 3**n
        monotone = [term for term in terms if term.monotone]
        assert len(monotone) == number_of_monotone_terms(n)
        assert sum(len(term) == 2 for term in monotone) == number_of_monotone_terms(n, 2)
    functions = {
        tuple(truth_table_dnf(list(truth))(CUBE[:, 2:]).tolist()) for truth in itertools.product((0, 1), repeat=4)
    }
    assert len(functions) == number_of_functions(2) == 16


def test_thresholds_of_terms_and_clauses_by_enumeration():
    for kind in (Term, Clause):
        for row in itertools.product((None, True, False), repeat=4):
            formula = kind(Literal(f"x{i + 1}", s) for i, s in enumerate(row) if s is not None)
            u, b = linear_threshold(formula, 4)
            scores = CUBE @ u + b
            assert np.abs(scores).min() == 0.5
            assert (scores > 0).tolist() == values(formula)
    u, b = linear_threshold(parse("x1 | x3"), 4)
    assert (u.tolist(), b) == ([1, 0, 1, 0], -0.5)
    with pytest.raises(ValueError, match="no half-space in general"):
        linear_threshold(parse("x1 & x2 | x3"))
    with pytest.raises(ValueError, match="called x1"):
        linear_threshold(parse("rain | sun"))
    with pytest.raises(ValueError, match="width must be at least 3"):
        linear_threshold(parse("x3"), 2)


def test_doubled_literals():
    """Over (x, 1 - x), x1 | ~x3 is the monotone clause of columns 1 and 6."""
    table = doubled(CUBE)
    assert table.shape == (16, 8)
    assert Clause([Literal("x1"), Literal("x6")])(table).tolist() == values(parse("x1 | ~x3"))


def test_monomials():
    """A monotone DNF is a monotone clause of products, and products multiply to prod (1 + x y)."""
    products, subsets = monomials(CUBE)
    assert products.shape == (16, 16)
    chosen = [subsets.index((0, 1)), subsets.index((2,))]
    assert products[:, chosen].any(axis=1).tolist() == values(parse("x1 & x2 | x3"))
    gram = np.prod(1 + CUBE[:, None, :] * CUBE[None, :, :], axis=2)
    assert (products @ products.T == gram).all()
    with pytest.raises(ValueError, match="too many"):
        monomials(np.zeros((1, 30), dtype=int))


def test_table_of_two_disjunctions():
    """Rows 1100, 1010, 0111, 0100 with labels 0, 1, 0, 1: x1 | x3 errs three times, x3 | x4 twice."""
    rows, labels = [[1, 1, 0, 0], [1, 0, 1, 0], [0, 1, 1, 1], [0, 1, 0, 0]], np.array([0, 1, 0, 1], dtype=bool)
    mistakes = {text: int((parse(text)(rows) != labels).sum()) for text in ("x1 | x3", "x3 | x4")}
    assert mistakes == {"x1 | x3": 3, "x3 | x4": 2}


def test_truth_tables_and_the_cat():
    for truth in itertools.product((0, 1), repeat=4):
        found = truth_table_dnf(list(truth))
        assert found(CUBE[:4, 2:]).tolist() == list(map(bool, truth))
        assert len(found.terms) == sum(truth)
    cat = parse(
        "IsHousePet & Purrs & HasTail | ~HasTail & Furry & TaperedEars & RoundEyes | NamedSylvester & ChasesTweetyBird"
    )
    assert len(cat.terms) == 3
    tom = {name: [0, 0] for name in cat.variables} | {"NamedSylvester": [1, 0], "ChasesTweetyBird": [1, 1]}
    assert cat(tom).tolist() == [True, False]
    with pytest.raises(ValueError, match="2\\^n values"):
        truth_table_dnf([0, 1, 1])
    with pytest.raises(ValueError, match="names must be"):
        truth_table_dnf([0, 1], ["a", "b"])


@pytest.mark.parametrize("text", ["", "x1 &", "& x1", "(x1 | x2", "x1 x2", "x1 $ x2", "x1)", "~"])
def test_texts_that_are_no_formulas(text):
    with pytest.raises(ValueError, match="Hint"):
        parse(text)


def test_rows_that_are_no_truth():
    with pytest.raises(ValueError, match="no column 'x3'"):
        parse("x1 | x3")([[0, 1]])
    with pytest.raises(ValueError, match="column 'x2' must hold 0 or 1"):
        parse("x1")([[0, -1]])
    with pytest.raises(ValueError, match="called like x1"):
        Literal("3 x")
    assert as_cnf("0").clauses == (Clause(),)
    assert str(parse("1")) == "1"
