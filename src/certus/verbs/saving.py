"""Write a model to a file."""

from __future__ import annotations

from os import PathLike

from certus.base import persistence
from certus.guarantees import Report


def save(model: object, path: str | PathLike[str], *, report: Report | None = None) -> None:
    """Write a model and its certificates to one file.

    The file is a zip of JSON and plain arrays without any code in it. It may hold learners of Certus and
    scikit-learn's Pipeline, ColumnTransformer, FeatureUnion, StandardScaler, MinMaxScaler, SimpleImputer,
    OneHotEncoder, OrdinalEncoder and PolynomialFeatures. Functions and random generators among the parameters
    are refused. Callbacks and metadata requests, which concern fitting, are not saved.

    Parameters
    ----------
    model : learner or Pipeline
        Fitted or not.
    path : str or path
        The file, by custom ``….certus``. It is replaced only once the new one is complete.
    report : Report, optional
        Certificates to store with the model instead of its ``report_``, such as those of held-out rows.

    Raises
    ------
    CertusFileError
        The model holds something that cannot be saved; the message says what and where.

    Examples
    --------
    >>> import certus, tempfile, pathlib
    >>> from certus.bayes import GaussianNB
    >>> model = GaussianNB().fit([[-2.0], [-1.0], [1.0], [2.0]], ["low", "low", "high", "high"])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     certus.save(model, pathlib.Path(folder) / "model.certus")
    ...     print(certus.load(pathlib.Path(folder) / "model.certus").predict([[-0.8]]))
    ['low']
    """
    persistence.save(model, path, report=report)
