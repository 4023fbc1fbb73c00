"""Damaged and hostile files: one clear `CertusFileError` each, before memory is taken, and no code runs."""

from __future__ import annotations

import io
import json
import pickle
import tracemalloc
import warnings
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import sparse

import certus
from certus.base.persistence import limits
from certus.bayes import GaussianNB
from certus.guarantees import Report, error_bound
from tests.persistence.forging import Forgery, npy
from tests.persistence.parts import Component, holding


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "model.certus"


def learner() -> GaussianNB:
    X = np.random.default_rng(0).normal(size=(30, 2))
    return GaussianNB().fit(X, np.where(X[:, 0] > 0, "yes", "no"))


def refused(path: Path, message: str) -> None:
    with pytest.raises(certus.CertusFileError, match=message) as caught:
        certus.load(path)
    assert str(path) in str(caught.value)


def test_files_of_other_kinds(path: Path) -> None:
    for content in (b"", b"PK", b"\x80\x04K\x01.", b"hello" * 100, pickle.dumps(learner())):
        path.write_bytes(content)
        refused(path, "not a Certus model: it is empty or of another kind")
    path.write_bytes(b"PK\x03\x04" + bytes(100))
    refused(path, "damaged or incomplete")
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("word/document.xml", "<w/>")
    refused(path, "has a member 'word/document.xml', which does not belong there")
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("certificates.json", "{}")
    refused(path, r"it has no manifest\.json")


def test_truncation_at_every_place(path: Path) -> None:
    certus.save(learner(), path)
    content = path.read_bytes()
    for length in range(0, len(content), 37):
        path.write_bytes(content[:length])
        with pytest.raises(certus.CertusFileError, match=r"not a Certus model|damaged"):
            certus.load(path)


def test_changed_members_do_not_match_their_digest(path: Path) -> None:
    forged = Forgery(learner())
    name = forged.array_names()[-1]
    forged.members[name] = forged.members[name][:-1] + bytes([forged.members[name][-1] ^ 1])
    refused(forged.write(path, digests=False), "was changed after saving: its SHA-256")
    forged = Forgery(learner())
    label = next(name for name in forged.members if name.startswith("labels/"))
    forged.members[label] = forged.members[label].replace(b'"no"', b'"on"')
    refused(forged.write(path, digests=False), rf"{label} was changed after saving")
    forged = Forgery(learner())
    forged.members["certificates.json"] = forged.members["certificates.json"].replace(b"[", b" [", 1)
    refused(forged.write(path, digests=False), r"size of certificates\.json is not the one in the manifest")


def edits() -> dict[str, tuple[Callable[[dict[str, Any]], Any], str]]:
    """Changes of the manifest, each with the message that it must lead to."""
    deep: Any = 1
    for _ in range(70):
        deep = {"type": "list", "items": [deep]}

    def state(name: str, node: Any) -> Callable[[dict[str, Any]], None]:
        return lambda manifest: manifest["model"]["state"].__setitem__(name, node)

    def put(*keys: str, value: Any) -> Callable[[dict[str, Any]], None]:
        def edit(manifest: dict[str, Any]) -> None:
            for key in keys[:-1]:
                manifest = manifest[key]
            manifest[keys[-1]] = value

        return edit

    return {
        "future schema": (
            put("schema", value=2),
            r"schema version 2; this release reads version 1.\nHint: .*upgrade",
        ),
        "odd schema": (put("schema", value=True), "schema version True"),
        "no schema": (lambda m: m.pop("schema"), "schema version None"),
        "other format": (put("format", value="other"), "not a Certus model"),
        "no versions": (lambda m: m.pop("versions"), "the manifest has no versions"),
        "no model": (lambda m: m.pop("model"), "the manifest has no model"),
        "unknown class": (
            put("model", "class", value="certus.bayes.Nope"),
            "'certus.bayes.Nope', which is not a learner",
        ),
        "os.system": (put("model", "class", value="os.system"), "'os.system', which is not a learner"),
        "foreign class": (
            put("model", "class", value="sklearn.svm.SVC"),
            "'sklearn.svm.SVC', which is not a learner",
        ),
        "class of a list": (put("model", "class", value=["certus"]), "which is not a learner"),
        "unknown parameter": (
            put("model", "parameters", "colour", value=1),
            "gives certus.bayes.GaussianNB the parameter 'colour', which it does not have",
        ),
        "unlisted attribute": (state("predict", 1), "the attribute 'predict', which it does not have"),
        "dunder attribute": (state("__class__", 1), "the attribute '__class__'"),
        "parameters of a list": (put("model", "parameters", value=[]), "the parameters of a .* are malformed"),
        "unknown type": (state("epsilon_", {"type": "code", "value": "1"}), "type 'code' is unknown or malformed"),
        "no type": (state("epsilon_", {}), "type None is unknown or malformed"),
        "type of a list": (state("epsilon_", {"type": ["list"], "items": []}), "is unknown or malformed"),
        "bare list": (state("epsilon_", [1]), "a label is a list"),
        "deep nesting": (state("epsilon_", deep), "nested more than 64 levels deep"),
        "items of a dict": (state("epsilon_", {"type": "dict", "items": [[1]]}), "a dict is malformed"),
        "unhashable key": (
            state("epsilon_", {"type": "dict", "items": [[{"type": "list", "items": []}, 1]]}),
            "damaged",
        ),
        "items of a list": (state("epsilon_", {"type": "list", "items": 3}), "a list is malformed"),
        "slice": (state("epsilon_", {"type": "slice", "items": [1]}), "a slice is malformed"),
        "dtype": (state("epsilon_", {"type": "dtype", "name": "f8,(999999,)f8"}), "the type .* is not allowed"),
        "builtin": (state("epsilon_", {"type": "scalar-type", "name": "eval"}), "the type 'eval' is not allowed"),
        "numpy scalar": (
            state("epsilon_", {"type": "numpy", "dtype": "void", "value": 1}),
            "type 'numpy' is malformed",
        ),
        "not that scalar": (
            state("epsilon_", {"type": "numpy", "dtype": "int8", "value": "x"}),
            "'x' is not a int8",
        ),
        "too large a scalar": (state("epsilon_", {"type": "numpy", "dtype": "int8", "value": 999}), "damaged"),
        "special float": (state("epsilon_", {"type": "float", "value": "NaN()"}), "type 'float' is malformed"),
        "missing member": (
            state("var_", {"type": "array", "member": "arrays/99.npy"}),
            "refers to 'arrays/99.npy'",
        ),
        "path outside": (
            state("var_", {"type": "array", "member": "../../etc/passwd"}),
            "refers to '../../etc/passwd'",
        ),
        "labels as array": (
            state("var_", {"type": "array", "member": "certificates.json"}),
            "refers to 'certificates",
        ),
        "twice": (
            lambda m: m["model"]["state"].update(var_=m["model"]["state"]["theta_"]),
            "refers to arrays/.* twice",
        ),
        "not referred to": (
            lambda m: m["model"]["state"].pop("var_"),
            "damaged|refers to the member|fit together",
        ),
        "report": (put("model", "report", value=7), "refers to the report 7"),
        "negative report": (put("model", "report", value=-1), "refers to the report -1"),
        "no model inside": (put("model", value={"type": "list", "items": []}), "does not hold a model"),
        "sparse class": (
            state("var_", {"type": "sparse", "class": "dok_array", "shape": [1, 1], "fields": {}}),
            "'dok_array' is not a sparse matrix",
        ),
        "sparse fields": (
            state("var_", {"type": "sparse", "class": "csr_array", "shape": [1, 1], "fields": {"data": 1}}),
            "needs the arrays data, indices, indptr",
        ),
        "forbidden parameter": (
            put("model", "parameters", "var_smoothing", value=-1.0),
            "fit together: The 'var_smoothing' parameter of GaussianNB must be",
        ),
        "width": (
            state("n_features_in_", 50),
            r"does not fit together: theta_ has the shape \(2, 2\), expected \(2, 50\)",
        ),
        "classes": (put("classes", value=["certus.bayes.Holder"]), "not hold the classes that its manifest lists"),
        "members": (put("members", value=[]), "does not list the members"),
    }


@pytest.mark.parametrize("name", edits())
def test_manifest(name: str, path: Path) -> None:
    edit, message = edits()[name]
    forged = Forgery(learner())
    edit(forged.manifest)
    refused(forged.write(path, digests=name != "members"), message)


def test_manifest_json_itself(path: Path) -> None:
    good = json.dumps(Forgery(learner()).manifest)
    bad = {
        "{": "not valid JSON",
        "[" * 200_000: "not valid JSON",
        good.replace('"schema": 1', '"schema": NaN', 1): "NaN is not allowed",
        good.replace('"schema": 1', '"schema": 1, "schema": 1', 1): "the same key twice",
        good.replace('"schema": 1', '"schema": ' + "9" * 5000, 1): "not valid JSON",
        "[]": "does not list the members",
        '"\\ud800': "not valid JSON",
    }
    for text, message in bad.items():
        with zipfile.ZipFile(path, "w") as archive:
            for name, data in Forgery(learner()).members.items():
                archive.writestr(name, data)
            archive.writestr("manifest.json", text)
        refused(path, message)


def arrays() -> dict[str, tuple[bytes, str]]:
    """Contents of an array member, each with the message that it must lead to."""
    good = npy(np.zeros((2, 2)), version=(1, 0))
    huge = good.replace(b"(2, 2), }" + b" " * 10, b"(2, 99999999999), }", 1)
    assert huge != good
    assert len(huge) == len(good)
    code = good.replace(b"'<f8'", b"  1+1", 1)
    return {
        "objects": (
            npy(np.array([None, {}], dtype=object), version=(1, 0), allow_pickle=True),
            "only plain numbers",
        ),
        "records": (npy(np.zeros(2, dtype=[("a", "f8")]), version=(1, 0)), "only plain numbers"),
        "text": (npy(np.array(["a"]), version=(1, 0)), "only plain numbers"),
        "newer format": (npy(np.zeros(2), version=(2, 0)), r"not an array in the \.npy format 1\.0"),
        "no magic": (b"x" * 200, r"not an array in the \.npy format"),
        "short": (good[:6], "ends too early"),
        "half a header": (good[:40], "ends too early"),
        "less data": (good[:-1], r"announces the shape \(2, 2\) of float64 but has 31 bytes"),
        "more data": (good + b"x", "announces the shape"),
        "huge shape": (huge, r"announces the shape \(2, 99999999999\) of float64 but has 32 bytes"),
        "an expression": (code, "only plain numbers"),
        "many dimensions": (npy(np.zeros((1,) * 60), version=(1, 0)), "fit together"),
        "other width": (npy(np.zeros((2, 3)), version=(1, 0)), r"var_ has the shape \(2, 3\), expected \(2, 2\)"),
        "not a number": (npy(np.zeros((2, 2), dtype="S3"), version=(1, 0)), "var_ is not an array of numbers"),
    }


@pytest.mark.parametrize("name", arrays())
def test_arrays(name: str, path: Path) -> None:
    content, message = arrays()[name]
    forged = Forgery(learner())
    forged.members[forged.manifest["model"]["state"]["var_"]["member"]] = content
    refused(forged.write(path), message)


def test_truth_values_other_than_0_and_1(path: Path) -> None:
    forged = Forgery(holding(np.array([True, False])))
    forged.members[forged.array_names()[0]] = forged.members[forged.array_names()[0]][:-1] + b"\x07"
    refused(forged.write(path), "truth values that are neither 0 nor 1")


@pytest.mark.parametrize(
    ("record", "message"),
    [
        ([], "not a list of labels"),
        ({"dtype": "<U2", "shape": [2], "values": ["a"]}, "another number of labels"),
        ({"dtype": "<U2", "shape": [-1], "values": []}, "which is not one"),
        ({"dtype": "<U2", "shape": "2", "values": ["a", "b"]}, "which is not one"),
        ({"dtype": "<f8", "shape": [2], "values": ["a", "b"]}, "labels of the type '<f8', which is not allowed"),
        ({"dtype": "<U2", "shape": [2], "values": ["a", 3]}, "holds 3 among its texts"),
        ({"dtype": "object", "shape": [1], "values": [[1]]}, "a label is a list"),
        (
            {"dtype": "object", "shape": [1], "values": [{"type": "object"}]},
            "type 'object' is malformed or not allowed",
        ),
        ({"dtype": "<U999999999", "shape": [2], "values": ["a", "b"]}, "would need 7999999992 bytes of memory"),
    ],
)
def test_labels(record: Any, message: str, path: Path) -> None:
    forged = Forgery(learner())
    label = next(name for name in forged.members if name.startswith("labels/"))
    forged.members[label] = json.dumps(record).encode()
    refused(forged.write(path), message)


def test_certificates(path: Path) -> None:
    model = learner()
    model.report_ = Report([error_bound(1, 30)])
    for text, message in {
        "[]": "certificates are malformed",
        '{"reports": [{}]}': "certificates are malformed: a report must be",
        '{"reports": [{"schema": 9, "certificates": []}]}': "schema version 9 is not supported",
        '{"reports": []}': "refers to the report 0",
    }.items():
        forged = Forgery(model)
        forged.members["certificates.json"] = text.encode()
        refused(forged.write(path), message)


def test_a_certificate_made_tighter_loads_but_does_not_check(path: Path) -> None:
    model = learner()
    model.report_ = Report([error_bound(1, 30)])
    forged = Forgery(model)
    text = json.loads(forged.members["certificates.json"])
    text["reports"][0]["certificates"][0]["value"] = 0.001
    forged.members["certificates.json"] = json.dumps(text).encode()
    loaded = certus.load(forged.write(path))
    with pytest.raises(certus.CertificateError, match="error"):
        loaded.report_.check()


@pytest.mark.parametrize("form", ["csr", "coo"])
def test_sparse_indices_outside_the_matrix(form: str, path: Path) -> None:
    forged = Forgery(holding(getattr(sparse, f"{form}_array")(np.eye(3))))
    node = forged.manifest["model"]["state"]["value_"]["fields"]
    forged.members[node["indices" if form == "csr" else "col"]["member"]] = npy(
        np.array([0, 1, 10**9], dtype=np.int32), version=(1, 0)
    )
    refused(forged.write(path), "sparse matrix is malformed")
    forged.manifest["model"]["state"]["value_"]["shape"] = [3]
    refused(forged.write(path), "which is not one")


def test_state_that_a_class_finds_inconsistent(path: Path) -> None:
    forged = Forgery(holding("fine"))
    forged.manifest["model"]["state"]["value_"] = "inconsistent"
    refused(forged.write(path), r"state of a certus\.bayes\.Holder does not fit together: value_ is inconsistent")


def test_extra_and_missing_members(path: Path) -> None:
    forged = Forgery(learner())
    forged.members["arrays/77.npy"] = npy(np.zeros(2))
    refused(forged.write(path, digests=False), "has the extra member 'arrays/77.npy'")
    refused(forged.write(path), r"nothing in the model refers to the member 'arrays/77.npy'")
    forged = Forgery(learner())
    del forged.members[forged.array_names()[0]]
    refused(forged.write(path, digests=False), "the file lacks member")
    for name in ("../evil.npy", "arrays/../x.npy", "/etc/passwd", "arrays\\0.npy", "arrays/", "code.py"):
        forged = Forgery(learner())
        forged.members[name] = b""
        refused(forged.write(path), "which does not belong there")


def test_two_members_of_the_same_name(path: Path) -> None:
    certus.save(learner(), path)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with zipfile.ZipFile(path, "a") as archive:
            archive.writestr("manifest.json", "{}")
    refused(path, r"two members named manifest\.json")


def test_zip_bombs_are_refused_before_unpacking(path: Path) -> None:
    forged = Forgery(learner())
    forged.members[forged.array_names()[0]] = npy(np.zeros(20_000_000), version=(1, 0))
    forged.write(path, compression=zipfile.ZIP_DEFLATED)
    del forged
    assert path.stat().st_size < 2_000_000
    tracemalloc.start()
    refused(path, "is compressed; Certus stores members as they are")
    assert tracemalloc.get_traced_memory()[1] < 5_000_000
    tracemalloc.stop()


def test_overlapping_members(path: Path) -> None:
    """Many directory entries that all point at the same stored bytes."""
    body = b"0" * 10_000
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        archive.writestr("arrays/0.npy", body)
        template = archive.infolist()[0]
        for number in range(1, 50):
            twin = zipfile.ZipInfo(f"arrays/{number}.npy")
            twin.file_size, twin.compress_size, twin.CRC = template.file_size, template.compress_size, template.CRC
            twin.header_offset = template.header_offset
            archive.filelist.append(twin)
    path.write_bytes(stream.getvalue())
    refused(path, "claim to be larger than the file")


def test_sizes_have_limits(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    certus.save(learner(), path)
    monkeypatch.setattr("certus.base.persistence.archive.MAX_MANIFEST_BYTES", 100)
    refused(path, r"manifest\.json has \d+ bytes, more than the 100")
    with pytest.raises(certus.CertusFileError, match="the description of the model needs"):
        certus.save(learner(), path)
    monkeypatch.setattr("certus.base.persistence.archive.MAX_MEMBERS", 2)
    refused(path, r"the file has \d+ members; at most 2")
    with pytest.raises(certus.CertusFileError, match="more than 2 arrays"):
        certus.save(learner(), path)


def test_encrypted_members(path: Path) -> None:
    certus.save(learner(), path)
    content = bytearray(path.read_bytes())
    directory = content.index(b"PK\x01\x02")
    content[directory + 8] |= 1
    path.write_bytes(bytes(content))
    refused(path, "is encrypted")


def test_deepest_allowed_nesting_can_be_saved_and_read(path: Path) -> None:
    value: Any = 0
    for _ in range(limits.MAX_DEPTH - 2):
        value = [value]
    certus.save(holding(value), path)
    assert certus.load(path).value_ == value


def test_components_without_their_attributes_do_not_run_their_constructor(path: Path) -> None:
    forged = Forgery(holding(Component(1, 2)))
    forged.manifest["model"]["state"]["value_"]["state"] = {}
    assert not hasattr(certus.load(forged.write(path)).value_, "left")
