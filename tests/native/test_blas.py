"""BLAS through the function pointers that SciPy exports."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from certus import _native
from tests.native.scripts import run

pytestmark = pytest.mark.sanitize

sizes = st.integers(0, 9)
kinds = st.sampled_from([np.float32, np.float64])


@given(m=sizes, n=sizes, k=sizes, kind=kinds)
def test_products_equal_numpys(m, n, k, kind):
    rng = np.random.default_rng(0)
    a = rng.normal(size=(m, k)).astype(kind)
    b = rng.normal(size=(n, k)).astype(kind)
    out = np.full((m, n), np.nan, dtype=kind)  # beta = 0: what was there must not matter
    _native.multiply_nt(a, b, out)
    np.testing.assert_allclose(out, a @ b.T, rtol=0, atol=50 * np.finfo(kind).eps)

    x = rng.normal(size=k).astype(kind)
    column = np.full(m, np.nan, dtype=kind)
    _native.multiply_vector(a, x, column)
    np.testing.assert_allclose(column, a @ x, rtol=0, atol=50 * np.finfo(kind).eps)


def test_another_signature_is_refused():
    """An integer width or type that we do not expect must not become a wild call."""
    message = run(
        """
        import ctypes
        import numpy as np
        import scipy.linalg.cython_blas as scipy_blas
        from certus import _native

        new = ctypes.pythonapi.PyCapsule_New
        new.restype, new.argtypes = ctypes.py_object, [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
        name = b"void (char *, long *)"
        scipy_blas.__pyx_capi__["dgemv"] = new(1, name, None)
        a = np.ones((2, 2))
        for _ in range(2):  # a failed attempt leaves no half-filled table behind
            try:
                _native.multiply_nt(a, a, np.empty((2, 2)))
            except ImportError as error:
                print(error)
        """
    )
    lines = message.splitlines()
    assert len(lines) == 4
    assert lines[0] == lines[2]
    assert lines[0].startswith("scipy.linalg.cython_blas.dgemv has the signature 'void (char *, long *)', expected")
    assert lines[1] == "Hint: install a SciPy release that Certus supports."


def test_lengths_are_checked():
    with pytest.raises(ValueError, match="lengths do not fit"):
        _native.multiply_nt(np.ones((2, 3)), np.ones((2, 2)), np.empty((2, 2)))
    with pytest.raises(ValueError, match="lengths do not fit"):
        _native.dot(np.ones(3), np.ones(2))


def test_nothing_is_converted_silently():
    with pytest.raises(TypeError, match="incompatible function arguments"):
        _native.dot(np.ones(3, dtype=np.float32), np.ones(3))
    with pytest.raises(TypeError, match="incompatible function arguments"):
        _native.dot(np.ones(6)[::2], np.ones(3))
    frozen = np.ones(3)
    frozen.flags.writeable = False
    assert _native.dot(frozen, frozen) == 3.0
