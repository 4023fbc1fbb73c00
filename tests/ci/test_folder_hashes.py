"""A folder's hash changes with what its tests depend on, and with nothing else."""

from __future__ import annotations

import subprocess
from pathlib import Path

import folder_hashes
import pytest

PYPROJECT = """
[project]
dependencies = ["numpy"]
[project.optional-dependencies]
[tool.pytest.ini_options]
timeout = 300
[[tool.importlinter.contracts]]
type = "layers"
layers = ["cli : report", "workflow", "linear | kernels | (svm) | graphs", "base : (datasets)", "guarantees"]
ignore_imports = [
  "certus.svm -> certus.kernels",
  "certus.svm.** -> certus.kernels.**",
  "certus.graphs -> certus.svm",
  "certus.workflow.result -> certus.report",
]
"""
FILES = {
    **{f"src/certus/{name}/rows.py": "" for name in ("cli", "workflow", "linear", "kernels", "svm", "base")},
    **{f"cpp/{name}/loop.cpp": "" for name in ("core", "linear", "kernels", "tests")},
    **{f"tests/{name}/test_rows.py": "" for name in ("common", "guarantees", "kernels", "svm", "upstream")},
    "CMakeLists.txt": "",
    "README.md": "",
    "benchmarks/svm/run.py": "",
    "cpp/bindings/bind_kernels_paths.cpp": "",
    "cpp/bindings/common.hpp": "",
    "cpp/bindings/module.cpp": "",
    "pyproject.toml": PYPROJECT,
    "src/certus/__init__.py": "",
    "src/certus/guarantees/rate.py": "",
    "tests/common/problems.py": "",
    "tests/conftest.py": "",
    "tests/guarantees/gate.py": "",
    "tests/svm/test_votes.py": "from tests.guarantees import gate",
    "tests/test_import.py": "",
    "upstream/list.toml": "",
}


@pytest.fixture
def root(tmp_path: Path) -> Path:
    for name, content in FILES.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content)
    return tmp_path


def _hash(root: Path, folder: str, *further: str) -> str:
    return folder_hashes.Tree(root, list(FILES)).hash(folder, further)


def test_packages_import_their_layer_the_ones_below_and_the_exceptions(root: Path) -> None:
    imported = folder_hashes.Tree(root, list(FILES))._imported
    below = {"base", "datasets", "guarantees"}
    assert imported["guarantees"] == {"guarantees"}
    assert imported["base"] == below
    assert imported["linear"] == {"linear", *below}
    assert imported["svm"] == {"svm", "kernels", *below}
    assert imported["graphs"] == {"graphs", "svm", "kernels", *below}
    assert imported["workflow"] == imported["cli"] | {"workflow"}


@pytest.mark.parametrize(
    "path",
    [
        "src/certus/svm/rows.py",
        "src/certus/kernels/rows.py",
        "src/certus/base/rows.py",
        "src/certus/guarantees/rate.py",
        "cpp/core/loop.cpp",
        "cpp/kernels/loop.cpp",
        "cpp/bindings/bind_kernels_paths.cpp",
        "cpp/bindings/common.hpp",
        "tests/svm/test_rows.py",
        "tests/common/problems.py",
        "tests/guarantees/gate.py",
        "tests/conftest.py",
        "CMakeLists.txt",
    ],
)
def test_what_a_family_depends_on_changes_its_hash(path: str, root: Path) -> None:
    before = _hash(root, "svm")
    (root / path).write_text("changed")
    assert _hash(root, "svm") != before


@pytest.mark.parametrize(
    "path",
    [
        "src/certus/linear/rows.py",
        "src/certus/workflow/rows.py",
        "src/certus/__init__.py",
        "cpp/linear/loop.cpp",
        "cpp/bindings/module.cpp",
        "cpp/tests/loop.cpp",
        "tests/kernels/test_rows.py",
        "tests/guarantees/test_rows.py",
        "tests/common/test_rows.py",
        "tests/test_import.py",
        "benchmarks/svm/run.py",
        "README.md",
    ],
)
def test_what_a_family_does_not_depend_on_leaves_its_hash(path: str, root: Path) -> None:
    before = _hash(root, "svm")
    (root / path).write_text("changed")
    assert _hash(root, "svm") == before


def test_other_folders_depend_on_all_packages_and_on_the_folder_of_their_name(root: Path) -> None:
    chosen = set(folder_hashes.Tree(root, list(FILES)).needed("upstream"))
    sources = {name for name in FILES if name.startswith(("src/", "cpp/")) and not name.startswith("cpp/tests/")}
    assert chosen - {"CMakeLists.txt", "tests/conftest.py", "tests/common/problems.py"} == {
        *sources,
        "tests/upstream/test_rows.py",
        "upstream/list.toml",
    }


def test_further_paths_count_when_they_are_named(root: Path) -> None:
    before = _hash(root, "svm", "README.md", "benchmarks")
    (root / "README.md").write_text("changed")
    between = _hash(root, "svm", "README.md", "benchmarks")
    (root / "benchmarks/svm/run.py").write_text("changed")
    assert len({before, between, _hash(root, "svm", "README.md", "benchmarks")}) == 3


def test_settings_of_pytest_count_and_the_rest_of_the_project_file_does_not(root: Path) -> None:
    before = _hash(root, "guarantees")
    (root / "pyproject.toml").write_text(PYPROJECT + "[tool.ruff]\nline-length = 100\n")
    assert _hash(root, "guarantees") == before
    (root / "pyproject.toml").write_text(PYPROJECT.replace("300", "200"))
    assert _hash(root, "guarantees") != before


def test_a_checkout_has_the_files_that_git_knows(root: Path) -> None:
    loose = folder_hashes.checkout(root)
    assert loose.test_folders() == ["common", "guarantees", "kernels", "svm", "upstream"]
    git = ("git", "-C", str(root))
    subprocess.run([*git, "init", "--quiet"], check=True)
    subprocess.run([*git, "add", "."], check=True)
    known = folder_hashes.checkout(root)
    assert known.files == sorted(FILES)
    (root / "src/certus/guarantees/stray.py").write_text("")
    (root / "README.md").unlink()
    assert folder_hashes.checkout(root).hash("svm") == known.hash("svm") == loose.hash("svm")


def test_every_folder_of_our_own_tree_has_a_hash_of_its_own() -> None:
    tree = folder_hashes.checkout(Path(__file__).parents[2])
    folders = tree.test_folders()
    assert {"guarantees", "upstream", "workflow"} <= set(folders)
    assert len({tree.hash(folder) for folder in folders}) == len(folders)
    assert "cpp/boosting/grow.cpp" in tree.needed("ensemble")
    assert "cpp/boosting/grow.cpp" not in tree.needed("svm")
