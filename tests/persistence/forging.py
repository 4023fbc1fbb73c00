"""Taking a saved file apart, changing it, and putting it together again, with or without matching digests."""

from __future__ import annotations

import hashlib
import io
import json
import zipfile
from pathlib import Path
from typing import Any

import numpy as np

from certus.base.persistence import write_model


def saved_bytes(model: Any) -> bytes:
    """The file of a model, in memory; equal for equal models."""
    stream = io.BytesIO()
    write_model(model, stream)
    return stream.getvalue()


def npy(array: np.ndarray, **options: Any) -> bytes:
    """An array as the bytes of a ``.npy`` file."""
    stream = io.BytesIO()
    np.lib.format.write_array(stream, array, **options)
    return stream.getvalue()


class Forgery:
    """The members of a saved file, open to any change.

    Parameters
    ----------
    model : learner
        What to start from.
    """

    def __init__(self, model: Any) -> None:
        with zipfile.ZipFile(io.BytesIO(saved_bytes(model))) as archive:
            self.members = {name: archive.read(name) for name in archive.namelist()}
        self.manifest = json.loads(self.members.pop("manifest.json"))

    def copy(self) -> Forgery:
        """One that can be changed apart: the members are shared, the manifest is its own."""
        other = object.__new__(Forgery)
        other.members = dict(self.members)
        other.manifest = json.loads(json.dumps(self.manifest))
        return other

    def array_names(self) -> list[str]:
        return [name for name in self.members if name.startswith("arrays/")]

    def write(self, path: Path, *, digests: bool = True, compression: int = zipfile.ZIP_STORED) -> Path:
        """Write the file; by default the manifest is made to agree with the members."""
        if digests:
            self.manifest["members"] = {
                name: {"size": len(data), "sha256": hashlib.sha256(data).hexdigest()}
                for name, data in self.members.items()
            }
        path.unlink(missing_ok=True)  # emptying a file in place makes some file systems wait for the disk
        with zipfile.ZipFile(path, "w", compression) as archive:
            for name, data in self.members.items():
                archive.writestr(name, data)
            archive.writestr("manifest.json", json.dumps(self.manifest))
        return path
