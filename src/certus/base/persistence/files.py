"""Saving a model to a file and loading it again."""

from __future__ import annotations

import functools
import platform
import struct
import zipfile
from importlib import metadata
from os import PathLike
from pathlib import Path
from typing import Any, BinaryIO

import certus
from certus.base.persistence.archive import CERTIFICATES, MANIFEST, ArchiveReader, ArchiveWriter, to_json
from certus.base.persistence.atomic import atomic_file
from certus.base.persistence.classes import keeps_training_rows, kind_of
from certus.base.persistence.decode import Decoder
from certus.base.persistence.encode import Encoder
from certus.base.persistence.limits import FORMAT, SCHEMA_VERSION
from certus.base.persistence.trial_row import check_answers
from certus.guarantees import CertificateError, Report
from certus.guarantees.records import CertusFileError

_LIBRARIES = ("numpy", "scipy", "scikit-learn")
# What zipfile, struct, JSON and NumPy raise when the bytes in front of them make no sense.
_DAMAGE = (
    zipfile.BadZipFile,
    struct.error,
    EOFError,
    OSError,
    ValueError,
    TypeError,
    LookupError,
    ArithmeticError,
    AttributeError,
    MemoryError,
    RuntimeError,
)


def save(model: Any, path: str | PathLike[str], *, report: Report | None = None) -> None:
    """Write a model to a file, completely or not at all; `report` takes the place of its ``report_``."""
    with atomic_file(path) as stream:
        write_model(model, stream, report=report)


def load(path: str | PathLike[str]) -> Any:
    """Read a model from a file."""
    with open(path, "rb") as stream:  # noqa: PTH123  an int is not a path to Path
        return _guarded(_read_model, stream, path)


def read_manifest(path: str | PathLike[str]) -> tuple[dict[str, Any], list[Report]]:
    """What a file says about itself and its certificates, without building the model."""
    with open(path, "rb") as stream:  # noqa: PTH123
        _archive, manifest, reports = _guarded(_open_archive, stream, path)
    return manifest, reports


def describe_file(path: str | PathLike[str]) -> dict[str, Any]:
    """What is in a file, as plain values: class, parts, columns, certificates, versions, training rows."""
    manifest, reports = read_manifest(path)
    model = load(path)
    columns = getattr(model, "feature_names_in_", None)
    parameters = model.get_params(deep=False) if hasattr(model, "get_params") else {}
    certificates = dict.fromkeys(certificate for report in reversed(reports) for certificate in report)
    return {
        "file": Path(path).name,
        "bytes": Path(path).stat().st_size,
        "schema": manifest["schema"],
        "class": manifest["model"]["class"],
        "classes": manifest["classes"],
        "parameters": {name: repr(value) for name, value in parameters.items()},
        "columns": None if columns is None else [str(name) for name in columns],
        "training_rows": [path for path in manifest["classes"] if keeps_training_rows(path)],
        "versions": manifest["versions"],
        "certificates": [certificate.to_dict() for certificate in certificates],
    }


def _way_out(model: Any) -> str:
    """What can be saved in place of a model that cannot."""
    if hasattr(model, "best_estimator_"):
        return "save its best_estimator_, which is the model that a search found"
    return "save takes a learner of Certus, or a Pipeline that ends in one"


def write_model(model: Any, stream: BinaryIO, *, report: Report | None = None) -> None:
    """Write a model to an empty, seekable binary file; `report` takes the place of its ``report_``."""
    if kind_of(model) is None:
        kind = type(model)
        raise CertusFileError(f"a {kind.__module__}.{kind.__qualname__} cannot be saved.\nHint: {_way_out(model)}.")
    with ArchiveWriter(stream) as archive:
        encoder = Encoder(archive)
        node = encoder.encode(model, type(model).__name__)
        if report is not None:
            node["report"] = encoder.add_report(report)
        certificates = {"schema": SCHEMA_VERSION, "reports": encoder.reports}
        archive.add_json(CERTIFICATES, to_json(certificates), "the list of certificates")
        manifest = {
            "format": FORMAT,
            "schema": SCHEMA_VERSION,
            "versions": _versions(),
            "classes": sorted(encoder.classes),
            "model": node,
            "members": archive.members,
        }
        archive.add_json(MANIFEST, to_json(manifest), "the description of the model")


@functools.cache
def _versions() -> dict[str, str]:
    found = {name: metadata.version(name) for name in _LIBRARIES}
    return {"certus": certus.__version__, "python": platform.python_version(), **found}


def _guarded(read: Any, stream: BinaryIO, path: Any) -> Any:
    """Turn whatever a damaged file leads to into the one error that names the file."""
    try:
        return read(stream)
    except CertusFileError as error:
        raise CertusFileError(f"{path}: {error}") from error.__cause__
    except _DAMAGE as error:
        raise CertusFileError(
            f"{path}: the file is damaged or incomplete ({type(error).__name__}: {error}).\n"
            "Hint: copy or download it again, or save the model again."
        ) from error


def _read_model(stream: BinaryIO) -> Any:
    archive, manifest, reports = _open_archive(stream)
    decoder = Decoder(archive, reports, manifest["versions"])
    model = decoder.decode(manifest["model"])
    if kind_of(model) is None:
        raise CertusFileError("the file does not hold a model.")
    if sorted(decoder.classes) != manifest["classes"]:
        raise CertusFileError("the file does not hold the classes that its manifest lists.")
    archive.assert_all_read()
    check_answers(model)
    return model


def _open_archive(stream: BinaryIO) -> tuple[ArchiveReader, dict[str, Any], list[Report]]:
    archive = ArchiveReader(stream)
    manifest = archive.manifest()
    _check_manifest(manifest)
    return archive, manifest, _read_reports(archive)


def _check_manifest(manifest: dict[str, Any]) -> None:
    if manifest.get("format") != FORMAT:
        raise CertusFileError("the file is not a Certus model.")
    schema = manifest.get("schema")
    if schema != SCHEMA_VERSION or isinstance(schema, bool):
        raise CertusFileError(
            f"the file has the schema version {schema!r}; this release reads version {SCHEMA_VERSION}.\n"
            "Hint: it was written by another release of Certus; upgrade to read it."
        )
    shape = {"versions": dict, "classes": list, "model": dict}
    for name, kind in shape.items():
        if not isinstance(manifest.get(name), kind):
            raise CertusFileError(f"the manifest has no {name}.")


def _read_reports(archive: ArchiveReader) -> list[Report]:
    record = archive.read_certificates()
    if not isinstance(record, dict) or not isinstance(record.get("reports"), list):
        raise CertusFileError("the certificates are malformed.")
    try:
        return [Report.from_dict(report) for report in record["reports"]]
    except CertificateError as error:
        raise CertusFileError(f"the certificates are malformed: {error}") from error
