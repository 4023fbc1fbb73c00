"""The benchmark command runs from end to end and writes what it measured."""

import json
import pkgutil
import subprocess
import sys

import pytest

from benchmarks.measure.task import FOLDER, OURS, families, load_tasks

RUN = [sys.executable, "-m", "benchmarks.run"]


def test_quick_run_measures_us_and_the_peer_and_writes_json(tmp_path):
    target = tmp_path / "numbers.json"
    line = ["--family", "bayes", "--task", "gaussian-breast-cancer", "--quick", "--json", str(target)]
    done = subprocess.run([*RUN, *line], cwd=FOLDER.parent, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "Fastest peer of equal quality" in done.stdout
    task = json.loads(target.read_text())["tasks"]["gaussian-breast-cancer"]
    assert task["versions"].keys() >= {"python", "numpy", "scipy", "scikit-learn", "certus"}
    assert task["threads"] == 2
    assert {row["competitor"] for row in task["rows"]} == {OURS, "scikit-learn"}
    for row in task["rows"]:
        assert row["warm_seconds"] > 0
        assert 0.9 < row["quality"] <= 1
    times = {row["competitor"]: row["warm_seconds"] for row in task["rows"]}
    assert task["ratio_fastest_peer_to_ours"] == pytest.approx(times["scikit-learn"] / times[OURS])


def test_unknown_task_is_named():
    done = subprocess.run(
        [*RUN, "--family", "bayes", "--task", "nothing"], cwd=FOLDER.parent, capture_output=True, text=True, check=False
    )
    assert done.returncode == 2
    assert "no task matches 'nothing'" in done.stdout


@pytest.mark.parametrize("family", families())
def test_every_task_has_us_and_a_peer_and_distinct_names(family):
    for task in load_tasks(family).values():
        names = [competitor.name for competitor in task.competitors]
        assert names[0].split()[0] == OURS
        assert len(set(names)) == len(names) >= 2


@pytest.mark.parametrize("family", families())
def test_classes_that_are_ours_or_lie_here_can_be_imported(family):
    paths = {competitor.path for task in load_tasks(family).values() for competitor in task.competitors}
    foreign = {path for path in paths if not path.startswith(("certus.", "benchmarks."))}
    for path in paths - foreign:
        assert pkgutil.resolve_name(path)
    # Whatever is neither is the library of a peer, not a place of ours under an old name.
    assert not {path for path in foreign if (FOLDER / path.split(".")[0]).exists()}
