"""What gets imported when: the package and its help stay light."""

from __future__ import annotations

import subprocess
import sys

import pytest

HEAVY = {"sklearn", "scipy", "numpy", "pandas", "polars", "matplotlib", "narwhals", "joblib", "pyarrow", "jinja2"}
FAMILIES = {
    "certus.base",
    "certus.bayes",
    "certus.cluster",
    "certus.components",
    "certus.distributions",
    "certus.ensemble",
    "certus.geometry",
    "certus.graphical",
    "certus.guarantees",
    "certus.kernels",
    "certus.linear",
    "certus.logic",
    "certus.losses",
    "certus.mixture",
    "certus.multioutput",
    "certus.neighbors",
    "certus.neural",
    "certus.online",
    "certus.reinforce",
    "certus.sampling",
    "certus.scale",
    "certus.svm",
    "certus.text",
    "certus.theory",
    "certus.trees",
}


def modules_after(code: str) -> set[str]:
    """The modules that a fresh interpreter has loaded after running the code."""
    ending = "\nimport sys\nprint('\\n'.join(sys.modules), file=sys.stderr)"
    done = subprocess.run([sys.executable, "-c", code + ending], capture_output=True, text=True, check=True)
    return set(done.stderr.splitlines())


def test_import_certus_is_light() -> None:
    loaded = modules_after("import certus; certus.__version__; dir(certus)")
    assert "certus" in loaded
    assert not loaded & (HEAVY | FAMILIES | {"typer", "rich"})


@pytest.mark.parametrize(
    "arguments", [["--help"], ["--version"], ["certify", "--help"], ["study", "--help"], ["no-such-command"]]
)
def test_help_imports_neither_families_nor_libraries(arguments: list[str]) -> None:
    code = f"""
import sys
sys.argv = ["certus", *{arguments!r}]
from certus.cli.app import main
try:
    main()
except SystemExit:
    pass
sys.stdout.flush()
"""
    loaded = modules_after(code)
    assert "certus.cli.app" in loaded
    assert not loaded & (HEAVY | FAMILIES)


def test_torch_is_imported_by_what_needs_it_only() -> None:
    code = """
import certus.neural
from certus.base import catalogue
from certus.neural.deep import TorchClassifier
assert [entry for entry in catalogue.entries() if entry.needs == "deep"]
TorchClassifier().get_params()
"""
    assert "torch" not in modules_after(code)


def test_without_torch_one_error_names_the_extra() -> None:
    code = """
import sys
class Hidden:
    def find_spec(self, name, *rest):
        if name == "torch":
            raise ModuleNotFoundError(name=name)
sys.meta_path.insert(0, Hidden())
from certus.neural.deep import ConvNetClassifier, TorchClassifier
for learner, X in ((TorchClassifier(), [[0.0], [1.0]]), (ConvNetClassifier(), [[[0.0]], [[1.0]]])):
    try:
        learner.fit(X, [0, 1])
    except ImportError as error:
        assert str(error).endswith("is not installed.\\nHint: pip install 'certus[deep]'"), error
    else:
        raise AssertionError("no error")
"""
    modules_after(code)


def test_top_level_names_can_all_be_reached() -> None:
    code = """
import certus
from certus.verbs import save
import certus.verbs.loading
for name in ("save", "load", "check", "certify", "compare", "conformal", "guard", "plan", "select"):
    verb = getattr(certus, name)
    assert callable(verb) and verb.__name__ == name, name
    assert getattr(certus.verbs, name) is verb, name
assert certus.save is save
for name in certus.__all__:
    getattr(certus, name)
"""
    subprocess.run([sys.executable, "-c", code], check=True)


def test_unknown_names_are_attribute_errors() -> None:
    import certus
    import certus.verbs

    with pytest.raises(AttributeError, match="module 'certus' has no attribute 'nothing'"):
        _ = certus.nothing
    with pytest.raises(AttributeError, match=r"module 'certus\.verbs' has no attribute 'nothing'"):
        _ = certus.verbs.nothing
    assert "save" in dir(certus.verbs)


def test_parts_of_a_saved_study_are_found_in_a_fresh_process() -> None:
    code = """
from certus.base import catalogue
for name in ("TableEncoder", "NumberPart", "CategoryPart", "StudyModel", "Blend", "FoldModels", "ClusterModel"):
    assert catalogue.find(f"certus.workflow.{name}") is not None, name
"""
    subprocess.run([sys.executable, "-c", code], check=True)
