"""The floor plan: small folders, files called after what is in them, packages that show their public names only."""

from __future__ import annotations

import ast
import importlib
import pkgutil
import re
from collections import defaultdict
from pathlib import Path
from types import ModuleType

import pytest

import certus
from certus.base import catalogue, is_installed

SOURCE = Path(certus.__file__).parent
PUBLIC = (
    "bayes",
    "cluster",
    "components",
    "datasets",
    "distributions",
    "ensemble",
    "evaluation",
    "geometry",
    "graphical",
    "guarantees",
    "kernels",
    "linear",
    "logic",
    "losses",
    "mixture",
    "multioutput",
    "neighbors",
    "neural",
    "neural.deep",
    "neural.modules",
    "online",
    "reinforce",
    "sampling",
    "svm",
    "tables",
    "text",
    "theory",
    "trees",
    "workflow",
)
# Folders of learners that are about one topic of their family, which exports them.
TOPICS = {"online": (".bandits", ".boolean", ".experts")}
# Modules of one name in several packages, all with the same meaning.
SAME_MEANING = {"_native_calls", "conformal", "data", "learners", "monitor", "options", "report", "study"}
# Imports past a package's __init__ from another package.
REACHING_IN = {
    ("certus.__main__", "certus.cli.app"),
    ("certus.cli.commands.study", "certus.workflow.described_option"),
    ("certus.cli.commands.study", "certus.workflow.leaderboard"),
    ("certus.cli.commands.study", "certus.workflow.option_parameters"),
    ("certus.cli.commands.study", "certus.workflow.options"),
    ("certus.cli.commands.study", "certus.workflow.study_folder"),
    ("certus.cli.spelling", "certus.workflow.options"),
    ("certus.ensemble._native_calls.forest_kernels", "certus.trees._native_calls"),
    ("certus.ensemble._native_calls.stage_kernels", "certus.trees._native_calls"),
    ("certus.ensemble._native_calls.stump_kernels", "certus.trees._native_calls"),
    ("certus.ensemble.boosting.stage_loop", "certus.trees._native_calls"),
    ("certus.ensemble.forests.forest_regressor", "certus.trees.decision_tree_regressor"),
}


def modules() -> dict[str, Path]:
    """Every module of the package with its file."""
    found = {}
    for file in SOURCE.rglob("*.py"):
        parts = file.relative_to(SOURCE.parent).with_suffix("").parts
        found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = file
    return found


def can_be_imported(module: str) -> bool:
    """Whether all that a module needs is installed: blocks of torch are classes derived from torch's."""
    return is_installed("deep") or not module.startswith("certus.neural.deep.blocks.")


def snake_case(name: str) -> str:
    """``KNeighborsClassifier`` as ``k_neighbors_classifier``, ``NuSVC`` as ``nu_svc``."""
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "_", name).lower()


def test_no_folder_holds_more_than_30_modules() -> None:
    for folder in {file.parent for file in modules().values()}:
        inside = [file for file in folder.glob("*.py") if file.name != "__init__.py"]
        assert len(inside) <= 30, folder


@pytest.mark.parametrize("entry", catalogue.entries(), ids=lambda entry: entry.name)
def test_the_file_of_a_learner_is_called_after_it(entry: catalogue.Entry) -> None:
    folder = entry.learner.__module__.rpartition(".")[0]
    assert entry.learner.__module__ == f"{folder}.{snake_case(entry.name)}"
    assert folder.removeprefix(f"certus.{entry.family}") in ("", *TOPICS.get(entry.family, ()))


@pytest.mark.parametrize("package", PUBLIC)
def test_completion_shows_public_names_and_no_module(package: str) -> None:
    for found in pkgutil.walk_packages(certus.__path__, "certus."):  # importing binds modules to their packages
        if not found.name.endswith(("__main__", ".worker")) and can_be_imported(found.name):
            importlib.import_module(found.name)
    shown = importlib.import_module(f"certus.{package}")
    assert dir(shown) == sorted(shown.__all__)
    for name in shown.__all__:
        assert not isinstance(getattr(shown, name), ModuleType), name


def test_machinery_does_not_show_at_the_top() -> None:
    assert not {"base", "cli", "report", "verbs"} & set(dir(certus))


def test_one_name_of_a_module_has_one_meaning() -> None:
    homes = defaultdict(list)
    for name, file in modules().items():
        if file.name != "__init__.py":
            homes[name.rsplit(".", 1)[-1]].append(name)
    assert {name: found for name, found in homes.items() if len(found) > 1 and name not in SAME_MEANING} == {}


def test_other_packages_are_entered_through_their_doors() -> None:
    known = modules()
    reaching = set()
    for name, file in known.items():
        for node in ast.walk(ast.parse(file.read_text())):
            if isinstance(node, ast.ImportFrom) and node.module and node.module.startswith("certus."):
                reaching |= {(name, target) for target in targets(node, known) if not is_door(name, target, known)}
    assert reaching == REACHING_IN
    assert len(REACHING_IN) < 40


def targets(node: ast.ImportFrom, known: dict[str, Path]) -> set[str]:
    """The modules that an import statement names."""
    if not can_be_imported(str(node.module)):
        return {str(node.module)}
    package = importlib.import_module(str(node.module))
    inner = {
        f"{node.module}.{alias.name}"
        for alias in node.names
        if isinstance(getattr(package, alias.name, None), ModuleType)
    }
    return {module for module in inner if module in known and known[module].name != "__init__.py"} or {str(node.module)}


def is_door(importer: str, target: str, known: dict[str, Path]) -> bool:
    """Whether the target is a package, a published module, or a module of the importer's own package."""
    own = importer.split(".")[1:2] == target.split(".")[1:2]
    return own or target in PUBLISHED or target not in known or known[target].name == "__init__.py"


# Modules that a package publishes as a whole, used as ``rules.checker``, ``catalogue.find``.
PUBLISHED = {
    "certus.base.catalogue",
    "certus.guarantees.holdout.clopper_pearson",
    "certus.guarantees.holdout.row_planning",
    "certus.guarantees.monitoring.alarm_reference",
    "certus.guarantees.records.rules",
}
