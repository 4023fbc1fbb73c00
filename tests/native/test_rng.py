"""The generator against an independent implementation in Python's integers."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from certus import _native

pytestmark = pytest.mark.sanitize

MASK = (1 << 64) - 1
words = st.integers(0, MASK)


def splitmix64(state: int) -> tuple[int, int]:
    state = (state + 0x9E3779B97F4A7C15) & MASK
    z = state
    z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & MASK
    z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & MASK
    return state, z ^ (z >> 31)


def rotate(x: int, bits: int) -> int:
    return ((x << bits) | (x >> (64 - bits))) & MASK


def xoshiro(state: list[int]) -> Iterator[int]:
    a, b, c, d = state
    while True:
        yield (rotate((a + d) & MASK, 23) + a) & MASK
        shifted = (b << 17) & MASK
        c ^= a
        d ^= b
        b ^= c
        a ^= d
        c ^= shifted
        d = rotate(d, 45)


def twin(seed: int, stream: int) -> Iterator[int]:
    mixed = splitmix64(seed)[1] ^ ((stream * 0xD1342543DE82EF95 + 0x632BE59BD9B4E019) & MASK)
    state = []
    for _ in range(4):
        mixed, word = splitmix64(mixed)
        state.append(word)
    return xoshiro(state)


def test_the_twin_gives_the_authors_values():
    published = [41943041, 58720359, 3588806011781223, 3591011842654386, 9228616714210784205]
    generator = xoshiro([1, 2, 3, 4])
    assert [next(generator) for _ in published] == published
    state, first = splitmix64(1234567)
    assert (first, splitmix64(state)[1]) == (6457827717110365317, 3203168211198807973)


@given(seed=words, stream=words)
def test_uniforms_equal_the_twin(seed, stream):
    drawn = np.empty(20)
    _native.uniforms(seed, stream, drawn)
    generator = twin(seed, stream)
    assert drawn.tolist() == [(next(generator) >> 11) * 2.0**-53 for _ in drawn]
