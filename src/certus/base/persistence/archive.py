"""The container: a zip whose members are stored uncompressed, each with its SHA-256 in ``manifest.json``.

Nothing is compressed, so a file cannot unpack to more than its own size; readers refuse compressed members.
Equal models give equal bytes: members have a fixed order and a fixed date.
"""

from __future__ import annotations

import hashlib
import json
import re
import zipfile
from typing import Any, BinaryIO

from numpy.typing import NDArray

from certus.base.persistence.arrays import read_npy, write_npy
from certus.base.persistence.limits import (
    MAX_CERTIFICATES_BYTES,
    MAX_LABELS_BYTES,
    MAX_MANIFEST_BYTES,
    MAX_MEMBERS,
)
from certus.guarantees.records import CertusFileError

MANIFEST = "manifest.json"
CERTIFICATES = "certificates.json"
_NAME = re.compile(r"manifest\.json|certificates\.json|arrays/\d{1,6}\.npy|labels/\d{1,6}\.json")
_ZIP_START = b"PK\x03\x04"


def _largest_json(name: str) -> int:
    return {MANIFEST: MAX_MANIFEST_BYTES, CERTIFICATES: MAX_CERTIFICATES_BYTES}.get(name, MAX_LABELS_BYTES)


class ArchiveWriter:
    """Writes members one after the other and remembers their digests.

    Parameters
    ----------
    stream : binary file
        An empty file, open for writing.
    """

    def __init__(self, stream: BinaryIO) -> None:
        self._zip = zipfile.ZipFile(stream, "w", zipfile.ZIP_STORED, allowZip64=True)
        self.members: dict[str, dict[str, Any]] = {}

    def add_array(self, array: NDArray[Any]) -> str:
        """Write an array of numbers; returns the member's name."""
        name = f"arrays/{len(self.members)}.npy"
        with self._open(name, array.nbytes + 2**16) as member:
            write_npy(member, array)
        return name

    def add_labels(self, text: bytes, where: str) -> str:
        """Write the JSON of a label array; returns the member's name."""
        name = f"labels/{len(self.members)}.json"
        self.add_json(name, text, where)
        return name

    def add_json(self, name: str, text: bytes, where: str) -> None:
        """Write a JSON document under its name; `where` says in an error what was too large."""
        if len(text) > _largest_json(name):
            raise CertusFileError(
                f"{where} needs {len(text)} bytes as text, more than the {_largest_json(name)} that are allowed."
            )
        with self._open(name, len(text)) as member:
            member.write(text)

    def __enter__(self) -> ArchiveWriter:
        return self

    def __exit__(self, kind: object, error: object, trace: object) -> None:
        self._zip.close()  # writes the directory of the zip

    def _open(self, name: str, size: int) -> _Member:
        if len(self.members) >= MAX_MEMBERS:
            raise CertusFileError(f"the model has more than {MAX_MEMBERS} arrays, more than one file may hold.")
        info = zipfile.ZipInfo(name, date_time=(1980, 1, 1, 0, 0, 0))
        info.create_system, info.external_attr = 3, 0o644 << 16  # the same on every system
        info.file_size = size  # decides whether the 64-bit form is needed
        return _Member(self._zip.open(info, "w"), self.members, name)


class _Member:
    """An open member: passes bytes on and digests them."""

    def __init__(self, stream: Any, members: dict[str, dict[str, Any]], name: str) -> None:
        self._stream, self._members, self._name = stream, members, name
        self._size, self._digest = 0, hashlib.sha256()

    def __enter__(self) -> _Member:
        return self

    def write(self, data: bytes) -> int:
        self._digest.update(data)
        self._size += len(data)
        return int(self._stream.write(data))

    def __exit__(self, kind: object, error: object, trace: object) -> None:
        self._stream.close()
        if error is None:
            self._members[self._name] = {"size": self._size, "sha256": self._digest.hexdigest()}


class ArchiveReader:
    """Reads members after checking the directory; every member can be read once.

    Parameters
    ----------
    stream : binary file
        The file, open for reading and seekable.
    """

    def __init__(self, stream: BinaryIO) -> None:
        size = stream.seek(0, 2)
        stream.seek(0)
        if stream.read(4) != _ZIP_START:
            raise CertusFileError("the file is not a Certus model: it is empty or of another kind.")
        self._zip = zipfile.ZipFile(stream)
        self._infos = _checked_directory(self._zip.infolist(), size)
        self._members: dict[str, Any] = {}
        self._unread = set(self._infos)

    def manifest(self) -> Any:
        """The manifest, read first; what it says about the other members is then held against them."""
        manifest = parse_json(self._read_json(MANIFEST), MANIFEST)
        members = manifest.get("members") if isinstance(manifest, dict) else None
        if not isinstance(members, dict):
            raise CertusFileError("the manifest does not list the members of the file.")
        missing = sorted(set(members) - set(self._infos))
        extra = sorted(set(self._infos) - set(members) - {MANIFEST})
        if missing or extra:
            kind, names = ("lacks", missing) if missing else ("has the extra", extra)
            raise CertusFileError(f"the file {kind} member {names[0]!r}, unlike what its manifest says.")
        for name, member in members.items():
            if not isinstance(member, dict) or member.get("size") != self._infos[name].file_size:
                raise CertusFileError(f"the size of {name} is not the one in the manifest.")
        self._members = members
        return manifest

    def read_array(self, name: Any) -> NDArray[Any]:
        """The array stored under this name."""
        info = self._take(name, "arrays/")
        with self._zip.open(info) as member:
            source = _Digesting(member)
            array = read_npy(source, info.file_size, info.filename)
            source.read(1)  # reaching the end makes zipfile compare its checksum
        self._compare(info.filename, source.hexdigest())
        return array

    def read_labels(self, name: Any) -> tuple[Any, int]:
        """The JSON of a label array, and how many bytes it has."""
        info = self._take(name, "labels/")
        return parse_json(self._read_json(info.filename), info.filename), info.file_size

    def read_certificates(self) -> Any:
        """The JSON of the certificates."""
        return parse_json(self._read_json(self._take(CERTIFICATES, CERTIFICATES).filename), CERTIFICATES)

    def assert_all_read(self) -> None:
        """Refuse members that nothing refers to."""
        if self._unread:
            raise CertusFileError(f"nothing in the model refers to the member {sorted(self._unread)[0]!r}.")

    def _take(self, name: Any, start: str) -> zipfile.ZipInfo:
        if not isinstance(name, str) or not name.startswith(start) or name not in self._infos:
            raise CertusFileError(f"the model refers to {name!r}, which is not in the file.")
        if name not in self._unread:
            raise CertusFileError(f"the model refers to {name} twice.")
        self._unread.remove(name)
        return self._infos[name]

    def _read_json(self, name: str) -> bytes:
        info = self._infos.get(name)
        if info is None:
            raise CertusFileError(f"the file is not a Certus model: it has no {name}.")
        if info.file_size > _largest_json(name):
            raise CertusFileError(
                f"{name} has {info.file_size} bytes, more than the {_largest_json(name)} that are allowed."
            )
        text = self._zip.read(info)
        self._unread.discard(name)
        if name != MANIFEST:
            self._compare(name, hashlib.sha256(text).hexdigest())
        return text

    def _compare(self, name: str, digest: str) -> None:
        if self._members[name].get("sha256") != digest:
            raise CertusFileError(f"{name} was changed after saving: its SHA-256 is not the one in the manifest.")


class _Digesting:
    """A source that digests what is read from it."""

    def __init__(self, stream: Any) -> None:
        self._stream, self._digest = stream, hashlib.sha256()

    def read(self, size: int, /) -> bytes:
        data: bytes = self._stream.read(size)
        self._digest.update(data)
        return data

    def hexdigest(self) -> str:
        return self._digest.hexdigest()


def _checked_directory(infos: list[zipfile.ZipInfo], size: int) -> dict[str, zipfile.ZipInfo]:
    """Names, sizes and kinds of all members, before anything is read."""
    if len(infos) > MAX_MEMBERS + 2:
        raise CertusFileError(f"the file has {len(infos)} members; at most {MAX_MEMBERS} are allowed.")
    found: dict[str, zipfile.ZipInfo] = {}
    for info in infos:
        if not _NAME.fullmatch(info.filename):
            raise CertusFileError(f"the file has a member {info.filename[:80]!r}, which does not belong there.")
        if info.filename in found:
            raise CertusFileError(f"the file has two members named {info.filename}.")
        if info.flag_bits & 0x1:
            raise CertusFileError(f"{info.filename} is encrypted.")
        if info.compress_type != zipfile.ZIP_STORED or info.compress_size != info.file_size:
            raise CertusFileError(f"{info.filename} is compressed; Certus stores members as they are.")
        found[info.filename] = info
    if sum(info.file_size for info in infos) > size:
        raise CertusFileError("the members of the file claim to be larger than the file.")
    return found


def parse_json(text: bytes, name: str) -> Any:
    """Strict JSON: UTF-8, no NaN, no key twice."""
    try:
        return json.loads(text.decode("utf-8"), object_pairs_hook=_no_twins, parse_constant=_no_constant)
    except CertusFileError as error:
        raise CertusFileError(f"{name}: {error}") from None
    except (ValueError, RecursionError) as error:
        raise CertusFileError(f"{name} is not valid JSON: {error}") from error


def _no_twins(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise CertusFileError("an object has the same key twice.")
    return found


def _no_constant(constant: str) -> Any:
    raise CertusFileError(f"{constant} is not allowed.")


def to_json(value: Any) -> bytes:
    """Compact JSON, the same bytes for equal values."""
    return json.dumps(value, allow_nan=False, separators=(",", ":")).encode("ascii")
