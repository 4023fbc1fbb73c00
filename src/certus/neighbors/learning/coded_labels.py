"""Labels of one or several outputs as numbers of classes, and back."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from sklearn.exceptions import DataConversionWarning
from sklearn.utils import Tags
from sklearn.utils.multiclass import check_classification_targets

from certus.base import distinct_labels, warn_user


class CodedLabels:
    """Mixin for classifiers that keep a class number per remembered row.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,), or a list of them
        The labels (of each output).
    outputs_2d_ : bool
        Whether y had several columns.
    """

    _arguments: ClassVar = {
        "": """
y : array-like of shape (n_samples,) or (n_samples, n_outputs)
    Their labels.
"""
    }

    classes_: Any
    outputs_2d_: bool
    n_samples_fit_: int
    _y: NDArray[Any]

    def __sklearn_tags__(self) -> Tags:
        tags: Tags = super().__sklearn_tags__()  # type: ignore[misc]
        tags.classifier_tags.multi_label = True
        return tags

    def _set_classes(self, classes: list[NDArray[Any]], several: bool) -> None:
        self.classes_ = classes if several else classes[0]
        self.outputs_2d_ = several

    def _outputs(self) -> list[tuple[NDArray[np.intp], NDArray[Any]]]:
        """Per output, the class number of every training row and the labels."""
        if not self.outputs_2d_:
            return [(np.ascontiguousarray(self._y, dtype=np.intp), self.classes_)]
        columns = np.ascontiguousarray(self._y.T, dtype=np.intp)
        return list(zip(columns, self.classes_, strict=True))

    def _encoded_with(self, y: NDArray[Any]) -> tuple[NDArray[np.intp], list[NDArray[Any]]]:
        """Class numbers of the remembered rows followed by new ones, and the labels of all."""
        columns, several = labels_of(y)
        known = self._outputs()
        if columns.shape[1] != len(known) or several != self.outputs_2d_:
            raise ValueError(f"y must have {len(known)} output(s) as before, got {columns.shape[1]}.")
        found = [
            np.unique(np.concatenate([labels[codes], new]), return_inverse=True)
            for (codes, labels), new in zip(known, columns.T, strict=True)
        ]
        codes = np.stack([code for _, code in found], axis=1).astype(np.intp)
        return (codes if several else codes.ravel()), [labels for labels, _ in found]

    def _restored(self) -> None:
        super()._restored()  # type: ignore[misc]
        if not hasattr(self, "_y"):
            return
        outputs = self._outputs()
        if len(self._y) != self.n_samples_fit_ or self._y.dtype.kind != "i":
            raise ValueError("_y does not have one class number per training row")
        for codes, labels in outputs:
            if len(codes) and not 0 <= codes.min() <= codes.max() < len(labels):
                raise ValueError("_y names classes that do not exist")


def labels_of(y: NDArray[Any]) -> tuple[NDArray[Any], bool]:
    """The labels with one column per output, and whether there are several."""
    if y.ndim == 2 and y.shape[1] == 1:
        warn_user(
            "A column-vector y was passed when a 1d array was expected. Please change the shape of y to "
            "(n_samples,), for example using ravel().",
            DataConversionWarning,
        )
    several = y.ndim == 2 and y.shape[1] > 1
    if several or y.dtype.kind not in "biuU":  # whole numbers, truth values and words are labels
        check_classification_targets(y if several else y.ravel())
    return y.reshape(len(y), -1), several


def encoded(columns: NDArray[Any]) -> tuple[NDArray[np.intp], list[NDArray[Any]]]:
    """The class number of every label, and the labels of every output."""
    found = [distinct_labels(column) for column in columns.T]
    return np.stack([codes for _, codes in found], axis=1).astype(np.intp), [labels for labels, _ in found]
