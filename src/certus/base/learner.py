"""The contract of a learner, as code: what every estimator of Certus has beyond scikit-learn's base classes.

A learner stores its parameters, states their rules as data (``_constraints``), lists its fitted attributes once
(``_state``; saving, loading and equality use the list), and ends ``fit`` with ``report_``: the certificates that
training alone supports. ``certify`` adds what held-out rows support.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Sequence
from operator import attrgetter
from typing import Any, ClassVar, TypeVar
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray
from sklearn import get_config
from sklearn.base import (
    BaseEstimator,
    ClassifierMixin,
    ClusterMixin,
    RegressorMixin,
    TransformerMixin,
)
from sklearn.callback import CallbackSupportMixin, with_callbacks
from sklearn.utils import Tags, estimator_html_repr
from sklearn.utils.metaestimators import available_if
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted

from certus.base.blocks.held_out_answers import answered
from certus.base.blocks.runners import in_blocks
from certus.base.blocks.scaled_fit import ScaledFit, any_in_blocks, fit_in_blocks, predict_in_blocks
from certus.base.inputs import TableLike
from certus.base.params import Constraints, check_parameters
from certus.base.threads import blas_on_one_thread
from certus.base.training_rows import TRAINING_ROWS, fitting, predicting
from certus.guarantees import Certificate, Report
from certus.guarantees.holdout import certify
from certus.guarantees.rows import judged_report, watch_rows, watching

Method = TypeVar("Method", bound=Callable[..., Any])


def fit_method(method: Method) -> Method:
    """Wrap ``fit`` or ``partial_fit``: check parameters, keep BLAS on one thread, remember the rows, close callbacks,
    and leave the learner unfitted if it was interrupted.
    """
    names = list(inspect.signature(method).parameters)[1:]
    place_of_weights = names.index("sample_weight") if "sample_weight" in names else None

    @functools.wraps(method)
    def wrapper(self: Learner, *args: Any, **kwargs: Any) -> Any:
        if not get_config()["skip_parameter_validation"]:
            _check_parameters_of(self)
        before = dict(vars(self))
        try:
            goes_on = method.__name__ in ("partial_fit", "run") or bool(getattr(self, "warm_start", False))
            weights = kwargs.get("sample_weight")
            if place_of_weights is not None and len(args) > place_of_weights:
                weights = args[place_of_weights]
            blocks = any_in_blocks((*args, *kwargs.values()))
            if self._updates_without_blas and method.__name__ == "partial_fit" and not blocks:
                with fitting(self, weights, goes_on=goes_on):
                    return method(self, *args, **kwargs)
            with blas_on_one_thread(), fitting(self, None if blocks else weights, goes_on=goes_on):
                return fit_in_blocks(self, method, args, kwargs) if blocks else method(self, *args, **kwargs)
        except KeyboardInterrupt:
            self._interrupted()
            raise
        except Exception:
            self._refused(before)
            raise

    return with_callbacks(wrapper)


_readers: WeakKeyDictionary[type, tuple[tuple[str, ...], Callable[[Any], Any]]] = WeakKeyDictionary()


def _checked_parameters(kind: type[Learner]) -> tuple[tuple[str, ...], Callable[[Any], Any]]:
    """The parameters of a class that have rules, and what reads them; its signature is read once."""
    if kind not in _readers:
        known = inspect.signature(kind).parameters
        names = tuple(name for name in kind._constraints if name in known)
        read = attrgetter(*names) if len(names) > 1 else (lambda learner: tuple(getattr(learner, n) for n in names))
        _readers[kind] = (names, read)
    return _readers[kind]


_checked: dict[type, Any] = {}
_PLAIN = frozenset((bool, float, int, str, type(None)))


def _check_parameters_of(learner: Learner) -> None:
    """Check the parameters of a learner, unless they are those that were found right last time.

    Small batches would take longer to check than to learn.
    """
    kind = type(learner)
    names, read = _checked_parameters(kind)
    values = read(learner)
    types = tuple(map(type, values))
    last = _checked.get(kind)
    if last is not None and last == (types, values):
        return
    check_parameters(kind.__name__, learner._constraints, dict(zip(names, values, strict=True)))
    if _PLAIN.issuperset(types):
        _checked[kind] = (types, values)


def predict_method(method: Method) -> Method:
    """Wrap a method that needs a fitted learner: say so clearly if it is not, keep BLAS on one thread."""

    @functools.wraps(method)
    def wrapper(self: Learner, *args: Any, **kwargs: Any) -> Any:
        # Every fit ends with a report. A learner that judges itself whether it is fitted is asked.
        if "report_" not in vars(self) or hasattr(self, "__sklearn_is_fitted__"):
            check_is_fitted(self)
        if args and in_blocks(args[0]):
            return predict_in_blocks(self, method.__name__, args[0], kwargs)
        if self._predicts_without_blas and watching() is None:
            return method(self, *args, **kwargs)
        with blas_on_one_thread(), predicting(self):
            return method(self, *args, **kwargs)

    return wrapper  # type: ignore[return-value]


class StoresParameters:
    """What every constructor uses."""

    def _set_parameters(self, given: dict[str, Any]) -> None:
        """Store the constructor's arguments under their names: ``self._set_parameters(locals())``."""
        for name, value in given.items():
            if name not in ("self", "__class__"):
                setattr(self, name, value)


class Learner(StoresParameters, CallbackSupportMixin, BaseEstimator):
    """What all learners share. Derive from the class of the task instead: `Classifier`, `Regressor`, …

    Attributes
    ----------
    n_features_in_ : int
        Number of columns of the training table.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Their names, if the table had any.
    report_ : Report
        Empty: training alone promises nothing here. Use `certify`.
    """

    _constraints: ClassVar[Constraints] = {}
    _state: ClassVar[tuple[str, ...]] = ()
    _arguments: ClassVar[dict[str, str]] = {}  # what arguments of a method are, or of all under "", for docstrings
    _keeps_training_rows: ClassVar[bool] = False  # whether a saved model contains rows it was trained on
    _takes_sparse: ClassVar[bool] = False  # whether fit takes sparse tables
    # Whether predictions never call BLAS, so that it need not be kept on one thread: a fifth of the time of one row.
    _predicts_without_blas: ClassVar[bool] = False
    _scaled: ClassVar[ScaledFit | None] = None  # how fit learns from rows in blocks, if it does
    _updates_without_blas: ClassVar[bool] = False  # the same of partial_fit

    report_: Report

    def _restored(self) -> None:
        """Called after loading from a file: raise a ValueError if the state does not fit together.

        Compiled code trusts what ``fit`` produces; a file could say anything. Learners check shapes and indices
        here (`certus.base.persistence.restored_state.check_shapes`) and rebuild what they do not save.
        """

    def certify(self, X: Any, y: Any, *, loss: Any = "auto", confidence: float = 0.95, **options: Any) -> Report:
        """Bound what this fitted learner gets wrong, from rows that it was not trained on.

        Parameters
        ----------
        X, y : array-like, or tables in blocks
            Held-out rows, independent of training and of every choice made on the way.
        loss : {"auto", "error", "absolute", "squared"} or callable, default="auto"
            What counts as wrong; a loss other than "error" needs its ``loss_range=(low, high)``.
        confidence : float, default=0.95
            Probability with which each bound holds.
        **options
            Further options of `certus.certify`.

        Returns
        -------
        Report
            The certificates of training together with those of these rows.
        """
        model, rows, target = answered(self, X, y)
        return self.report_.with_(certify(model, rows, target, loss=loss, confidence=confidence, **options))

    def _with_new_rows(self, judge: Callable[[], Sequence[Certificate]], *, allow_training_rows: bool) -> Report:
        """The report together with what ``judge`` finds on the rows that it reads; rows of training are refused."""
        with watch_rows() as watch:
            found = judge()
        return self.report_.with_(judged_report(found, watch.overlap(allow=allow_training_rows)))

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = self._takes_sparse
        return tags

    def _saved_parameters(self) -> dict[str, Any]:
        """The parameters as a file holds them."""
        return self.get_params(deep=False)

    def _interrupted(self) -> None:
        """Called when Ctrl-C ended a fit: learners without a complete state to keep are unfitted then."""
        self._forget()

    def _refused(self, before: dict[str, Any]) -> None:
        """Called when an error ended a fit, with the attributes that there were before it."""

    def _forget(self) -> None:
        """Remove everything that ``fit`` learned."""
        for name in [name for name in vars(self) if name.endswith("_") and not name.startswith("_")]:
            delattr(self, name)
        self.__dict__.pop(TRAINING_ROWS, None)

    def __str__(self) -> str:
        text = repr(self)
        report = getattr(self, "report_", None)
        return f"{text}\n{report.text()}" if report else text

    def _repr_html_inner(self) -> str:
        html = str(estimator_html_repr(self))
        report = getattr(self, "report_", None)
        return html + report._repr_html_() if report else html

    def _repr_mimebundle_(self, **kwargs: Any) -> dict[str, str]:
        bundle = {"text/plain": str(self)}
        if get_config()["display"] == "diagram":
            bundle["text/html"] = self._repr_html_inner()
        return bundle


def _gives_probabilities(learner: Learner) -> bool:
    """Whether there is `predict_proba`; raises the reason why not, which `available_if` passes on."""
    try:
        return learner.predict_proba is not None
    except AttributeError as error:
        raise (error.__cause__ or error) from None


class Classifier(ClassifierMixin, Learner):
    """A learner that predicts labels.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The labels.
    """

    classes_: NDArray[Any]

    def _encode_labels(self, y: NDArray[Any], *, min_classes: int = 1) -> NDArray[np.intp]:
        """Set ``classes_`` and return for each row the position of its label there."""
        self.classes_, codes = distinct_labels(y)
        if len(self.classes_) < min_classes:
            raise ValueError(
                f"{type(self).__name__} needs samples of at least {min_classes} classes in the data, but the "
                f"data contains only one class: {self.classes_[0]!r}.\n"
                "Hint: check the target column, or that a split did not leave a class out."
            )
        return codes

    @available_if(_gives_probabilities)  # type: ignore[untyped-decorator]
    @predict_method
    def predict_log_proba(self, X: TableLike) -> Any:
        """Logarithm of `predict_proba`; minus infinity for a class of probability 0."""
        probabilities = self.predict_proba(X)
        with np.errstate(divide="ignore"):
            if isinstance(probabilities, list):  # of several outputs
                return [np.log(each) for each in probabilities]
            return np.log(probabilities)


def distinct_labels(y: NDArray[Any]) -> tuple[NDArray[Any], NDArray[np.intp]]:
    """The labels, and for each row the position of its label; refuses what are not labels."""
    if y.ndim != 1 or y.dtype.kind not in "biuU":
        check_classification_targets(y)
        labels, codes = np.unique(y, return_inverse=True)
        return labels, codes
    counted = _counted_labels(y) if y.dtype.kind in "iu" and len(y) else None
    if counted is not None:
        labels, codes = counted
    else:
        labels = np.unique(y)
        # Both are faster than return_inverse for many rows.
        codes = (y == labels[1]).astype(np.intp) if len(labels) == 2 else np.searchsorted(labels, y)
    if 2 * len(labels) > len(y):  # integers or words are labels, unless nearly all differ
        check_classification_targets(y)
    return labels, codes


def _counted_labels(y: NDArray[Any]) -> tuple[NDArray[Any], NDArray[np.intp]] | None:
    """The same for whole numbers that lie close together, by a table of all between the ends; None for others."""
    least, most = int(y.min()), int(y.max())
    if most - least >= max(len(y), 256) or not -(2**62) < least <= most < 2**62:
        return None
    places = y.astype(np.intp) - least
    there = np.zeros(most - least + 1, dtype=np.bool_)
    there[places] = True
    present = np.flatnonzero(there)
    codes = places if len(present) == len(there) else (np.cumsum(there) - 1)[places]
    return (present + least).astype(y.dtype), codes


class Regressor(RegressorMixin, Learner):
    """A learner that predicts numbers."""


class Clusterer(ClusterMixin, Learner):
    """A learner that divides rows into groups."""


class Transformer(TransformerMixin, Learner):
    """A learner that maps rows to new columns."""
