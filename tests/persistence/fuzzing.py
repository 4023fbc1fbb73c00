"""Random changes of saved files whose digests are repaired afterwards, and what loading them leads to."""

from __future__ import annotations

import io
import json
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

import certus
from tests.persistence.forging import Forgery, npy

SCALARS = [
    None,
    True,
    False,
    -1,
    0,
    1,
    3,
    2**31,
    2**62,
    -(2**63),
    10**30,
    0.5,
    -1e308,
    1e-320,
    "",
    "x",
    "auto",
    "é" * 99,
]
SPECIAL = [{"type": "float", "value": "nan"}, {"type": "float", "value": "inf"}, [], {}, {"type": "list", "items": []}]
TYPES = ["f8", "f4", "i8", "i4", "i1", "u8", "u1", "?", "S3", "c16", "M8[s]", ">f8"]
MOST_COLUMNS = 10_000
# What sound models say: no neighbors within the radius, fewer rows than neighbors, states that cannot emit the rows.
REFUSALS_OF_ROWS = (
    "No neighbors found for test samples",
    "Expected n_neighbors <= n_samples_fit",
    "has the probability 0 under the model",
    "is impossible under every component",
)
HUGE = [(0, 2**40), (2**40, 0), (0,), (1,), (1, 1), (0, 0), (2, 0, 3)]


def changed_array(array: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """The array with one random change: of values, order, length, shape or type."""
    kind = int(rng.integers(8))
    found = array.copy()
    if kind <= 2 and found.size:  # some entries
        flat = found.reshape(-1)
        for _ in range(int(rng.integers(1, 4))):
            flat[int(rng.integers(flat.size))] = _entry(found.dtype, found.size, rng)
    elif kind == 3 and found.size:  # another order
        flat = found.reshape(-1)
        rng.shuffle(flat)
    elif kind == 4 and found.ndim:  # another length
        axis = int(rng.integers(found.ndim))
        length = int(rng.integers(0, 2 * found.shape[axis] + 2))
        found = np.take(found, np.arange(length) % max(1, found.shape[axis]), axis) if found.size else found
    elif kind == 5:  # another shape
        shape = HUGE[int(rng.integers(len(HUGE)))]
        found = (
            found.T if rng.random() < 0.5 else np.zeros(shape, found.dtype) if 0 in shape else np.resize(found, shape)
        )
    elif kind == 6:  # another type
        with np.errstate(all="ignore"):
            name = TYPES[int(rng.integers(len(TYPES)))]
            found = np.zeros(found.shape, name) if found.dtype.kind not in "biuf" else found.real.astype(name)
    elif found.size:  # the same everywhere
        found[...] = _entry(found.dtype, found.size, rng)
    return np.ascontiguousarray(found)


def _entry(dtype: np.dtype[Any], size: int, rng: np.random.Generator) -> Any:
    if dtype.kind == "f":
        return rng.choice([np.nan, np.inf, -np.inf, 0.0, -1.0, 1e300, 1e-320, float(rng.normal())])
    if dtype.kind in "iu":
        info = np.iinfo(dtype)
        values = [info.min, info.max, 0, size, size - 1, -2, 2**31 - 1, int(rng.integers(0, 2 * size + 1))]
        return min(max(int(values[int(rng.integers(len(values)))]), info.min), info.max)
    return np.zeros(1, dtype)[0]


def places(node: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The ways to all values inside a JSON document."""
    if path:
        yield path
    items = node.items() if isinstance(node, dict) else enumerate(node) if isinstance(node, list) else ()
    for key, inner in items:
        yield from places(inner, (*path, key))


def change_json(document: Any, rng: np.random.Generator) -> None:
    """Change one value inside a JSON document: another one, another one of the document, or none."""
    found = list(places(document))
    *way, last = found[int(rng.integers(len(found)))]
    holder = _at(document, way)
    kind = int(rng.integers(4))
    if kind == 0:
        other = _at(document, found[int(rng.integers(len(found)))])
        holder[last] = json.loads(json.dumps(other))
    elif kind == 1 and isinstance(holder, dict):
        del holder[last]
    elif kind == 2 and isinstance(holder[last], int) and not isinstance(holder[last], bool):
        holder[last] += int(rng.integers(-2, 3))
    else:
        values = SCALARS + SPECIAL
        holder[last] = values[int(rng.integers(len(values)))]


def _at(document: Any, way: Any) -> Any:
    for key in way:
        document = document[key]
    return document


def changed_file(original: Forgery, rng: np.random.Generator) -> Forgery:
    """A file with one to three random changes; what the manifest says about the members agrees."""
    forged = original.copy()
    names = forged.array_names()
    for _ in range(int(rng.integers(1, 4))):
        kind = rng.random()
        if kind < 0.6 and names:
            name = names[int(rng.integers(len(names)))]
            array = changed_array(np.load(io.BytesIO(forged.members[name])), rng)
            forged.members[name] = npy(array, version=(1, 0))
        elif kind < 0.9:
            change_json(forged.manifest["model"], rng)
        else:
            texts = [name for name in forged.members if name.endswith(".json")]
            name = texts[int(rng.integers(len(texts)))]
            document = json.loads(forged.members[name])
            change_json(document, rng)
            forged.members[name] = json.dumps(document).encode()
    return forged


def use(path: Path, rows: Any) -> str:
    """Load a file and ask what it holds; anything else than these outcomes is raised.

    The file is "refused", the model is "used", it refuses the "rows" as a sound one may, or there is an "error".
    """
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            model = certus.load(path)
        except certus.CertusFileError:
            return "refused"
        asked: list[Callable[..., Any]] = [
            getattr(model, name)
            for name in ("predict", "transform", "predict_proba", "decision_function")
            if hasattr(model, name)
        ]
        own = rows.shape[-1]  # of texts, which have no width, their number
        width = getattr(model, "n_features_in_", own)
        if width > MOST_COLUMNS:
            return "wide"
        asked_rows = rows if width == own else np.resize(rows, (len(rows), width))
        try:
            for ask in asked:
                _check_answer(model, ask.__name__, ask(asked_rows), len(asked_rows))
            certus.check(model)
        except Exception as error:
            if isinstance(error, ValueError) and any(text in str(error) for text in REFUSALS_OF_ROWS):
                return "rows"
            return f"error {type(error).__name__}: {str(error).splitlines()[0][:100] if str(error) else ''}"
    return "used"


def _check_answer(model: Any, question: str, answer: Any, rows: int) -> None:
    """An answer must be one per row; labels must be labels of the model, probabilities probabilities, or not known."""
    parts = answer if isinstance(answer, list) else [answer]
    for part in parts:
        assert part.shape[0] == rows, f"{question} gives the shape {part.shape} for {rows} rows"
    if question == "predict_proba":
        for part in parts:
            known = part[np.isfinite(part).all(axis=1)]
            assert ((known >= 0) & (known <= 1 + 1e-9)).all(), "a probability is not between 0 and 1"
            assert np.allclose(known.sum(axis=1), 1.0, atol=1e-6), "probabilities do not sum to 1"
    classes = getattr(model, "classes_", None)
    if question == "predict" and isinstance(classes, np.ndarray) and classes.ndim == 1 and np.ndim(answer) == 1:
        assert np.isin(answer, classes).all(), "a label is none of the classes"
