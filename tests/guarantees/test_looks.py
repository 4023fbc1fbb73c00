"""Looks at rows are counted, and what is promised after several holds against whoever adapts to the results."""

from __future__ import annotations

import os
import shutil
import sqlite3
import tempfile
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import certus
from certus.guarantees import error_bound
from certus.guarantees.holdout import count_ladder, step_above
from certus.guarantees.rows import Look, LookStore, user_store

RNG = np.random.default_rng(0)
X = RNG.normal(size=(100, 3))
Y = RNG.integers(0, 2, 100)


def guess(seed: int) -> np.ndarray:
    return np.random.default_rng(seed).integers(0, 2, 100)


def look(path: Path, seed: int, rows: slice = slice(None), **options: bool) -> Look:
    told = certus.certify(y_true=Y[rows], y_pred=guess(seed)[rows], rows=X[rows], looks=path, **options)
    assert told.check()
    return told.look


def test_later_looks_are_estimates(tmp_path: Path) -> None:
    store = tmp_path / "folder" / "looks.sqlite"
    assert look(store, 0).number == 1
    assert look(store, 0).number == 1  # the same predictions on the same rows are the same look
    later = certus.certify(y_true=1 - Y[:40], y_pred=guess(1)[:40], rows=X[:40], looks=store)
    assert later.look.number == 1  # the same inputs with other targets are other rows
    second = certus.certify(y_true=Y, y_pred=guess(1), rows=X[:, :3], looks=store)
    assert {item.kind for item in second} == {"estimate"}
    assert "2nd look at these rows: an estimate, no guarantee." in second.text()
    assert "not_adapted=True" in second.text()
    assert second.check()
    assert look(store, 2, slice(90, 100)).number == 3  # any overlap counts
    assert look(store, 2, slice(90, 100)).number == 3
    assert look(store, 0).number == 1


def test_order_of_rows_and_type_of_numbers_do_not_matter(tmp_path: Path) -> None:
    store = tmp_path / "looks.sqlite"
    look(store, 0)
    order = RNG.permutation(100)
    again = certus.certify(y_true=Y[order], y_pred=guess(0)[order], rows=X[order].astype(np.float32), looks=store)
    assert again.look.number == 1
    assert look(store, 5).number == 2


def test_declared_and_sealed_looks_pay(tmp_path: Path) -> None:
    plain = tmp_path / "plain.sqlite"
    assert [look(plain, seed, not_adapted=True).uses for seed in range(4)] == [1, 6, 12, 20]
    assert look(plain, 4, not_adapted=True).token == "not-adapted-to-these-rows"
    assert not look(plain, 5, sealed=True).promised  # the earlier ones showed more than a bound
    sealed = tmp_path / "sealed.sqlite"
    assert [look(sealed, seed, sealed=True).uses for seed in range(3)] == [2, 6 * 101, 12 * 101**2]
    told = certus.certify(y_true=Y, y_pred=guess(7), rows=X, looks=sealed, sealed=True)
    assert [str(item.quantity) for item in told] == ["error"]
    assert "sealed-looks" in told["error"].assumptions
    assert look(sealed, 1, sealed=False).number == 2  # now it shows more, and nothing after it can be promised
    assert not look(sealed, 8, sealed=True).promised


def test_what_cannot_be_counted_is_refused(tmp_path: Path) -> None:
    store = tmp_path / "looks.sqlite"
    with pytest.raises(ValueError, match="sealed must come with looks"):
        certus.certify(y_true=Y, y_pred=Y, sealed=True)
    with pytest.raises(ValueError, match="must not both be given"):
        certus.certify(y_true=Y, y_pred=Y, rows=X, looks=store, sealed=True, not_adapted=True)
    with pytest.raises(ValueError, match="looks must come with the rows"):
        certus.certify(y_true=Y, y_pred=Y, looks=store)
    with pytest.raises(ValueError, match="sealed must come with loss='error'"):
        certus.certify(
            y_true=X[:, 0], y_pred=X[:, 1], loss="absolute", loss_range=(0, 99), rows=X, looks=store, sealed=True
        )
    assert not store.exists()


def test_library_calls_write_nothing_unless_asked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    certus.certify(y_true=Y, y_pred=guess(0), rows=X)
    assert list(tmp_path.iterdir()) == []
    assert user_store().path == tmp_path / "certus" / "looks.sqlite"


def test_damaged_stores(tmp_path: Path) -> None:
    store = tmp_path / "looks.sqlite"
    store.write_bytes(b"no database at all, but long enough to be taken for one" * 40)
    with pytest.raises(certus.CertusFileError, match=r"looks.sqlite: the store of looks cannot be used"):
        look(store, 0)
    store.unlink()
    look(store, 0)
    with sqlite3.connect(store) as database:
        database.execute("UPDATE looks SET outcomes = 'many'")
    with pytest.raises(certus.CertusFileError, match="malformed"):
        look(store, 1)
    with sqlite3.connect(store) as database:
        database.execute("PRAGMA user_version = 9")
    with pytest.raises(certus.CertusFileError, match="has the form 9"):
        look(store, 1)


STEPS = 12
Uses = Callable[[LookStore, np.ndarray, np.ndarray], int]


def sealed_uses(store: LookStore, rows: np.ndarray, wrong: np.ndarray) -> int:
    found = store.look(rows, wrong, by="attack", sealed=True)
    assert found.promised
    return found.uses


def without_the_product(store: LookStore, rows: np.ndarray, wrong: np.ndarray) -> int:
    number = store.look(rows, wrong, by="attack", sealed=True).number
    return number * (number + 1)


def without_the_store(store: LookStore, rows: np.ndarray, wrong: np.ndarray) -> int:
    return 1


def uses_in_steps(store: LookStore, rows: np.ndarray, wrong: np.ndarray) -> int:
    found = store.look(rows, wrong, by="attack", sealed=True, outcomes=len(count_ladder(len(rows), STEPS)))
    assert found.promised
    return found.uses


def broken_claims(uses: Uses, looks: int, runs: int, folder: Path, rows: int = 60, steps: int | None = None) -> int:
    """Runs in which any claim of the majority attack fails.

    Labels are fair coins, so that every classifier errs on half of all rows. Nine of ten looks try a random one; every
    tenth a vote over them, each reversed if its result was above one half.
    """
    failed = 0
    memory = Path("/dev/shm")  # a store waits for the disk at every look
    folder = Path(tempfile.mkdtemp(dir=memory if memory.is_dir() and os.access(memory, os.W_OK) else folder))
    hashes = np.arange(rows, dtype=np.uint64)
    for run in range(runs):
        rng = np.random.default_rng(run)
        store, votes, any_failed = LookStore(folder / f"{run}.sqlite"), np.zeros(rows), False
        for number in range(1, looks + 1):
            wrong = rng.integers(0, 2, rows) if number % 10 else (votes > 0).astype(int)
            errors = step_above(int(wrong.sum()), count_ladder(rows, steps))
            any_failed |= error_bound(errors, rows, uses=uses(store, hashes, wrong)).single_value < 0.5
            if number % 10:
                votes += np.sign(rows / 2 - errors) * (2 * wrong - 1)
        failed += any_failed
    shutil.rmtree(folder)
    return failed


def test_sealed_looks_hold_against_the_majority_attack(tmp_path: Path) -> None:
    assert broken_claims(sealed_uses, 10, 60, tmp_path) <= 8  # 3 expected at most; 9 come by chance once in 250 runs


def test_gate_kills_a_look_that_forgets(tmp_path: Path) -> None:
    assert broken_claims(without_the_product, 40, 25, tmp_path) > 12
    assert broken_claims(without_the_store, 10, 25, tmp_path) > 12


@pytest.mark.slow
@pytest.mark.parametrize("looks", [10, 30, 100])
def test_sealed_looks_hold_against_long_attacks(looks: int, tmp_path: Path) -> None:
    runs = {10: 300, 30: 150, 100: 60}[looks]
    failed = broken_claims(sealed_uses, looks, runs, tmp_path)
    assert failed <= 0.05 * runs + 3 * (0.05 * 0.95 * runs) ** 0.5


@pytest.mark.slow
def test_sealed_looks_in_steps_hold_against_a_long_attack(tmp_path: Path) -> None:
    assert broken_claims(uses_in_steps, 30, 100, tmp_path, steps=STEPS) <= 5 + 6


def test_counts_in_steps(tmp_path: Path) -> None:
    assert count_ladder(100, 6) == [0, 4, 16, 36, 64, 100]
    assert count_ladder(4, 9) == count_ladder(4, None) == [0, 1, 2, 3, 4]
    store = tmp_path / "looks.sqlite"
    wrong = int((guess(0) != Y).sum())
    told = certus.certify(y_true=Y, y_pred=guess(0), rows=X, looks=store, sealed=True, sealed_steps=6)
    bound = told["error"]
    assert bound.witness["errors"] == step_above(wrong, count_ladder(100, 6)) >= wrong
    assert "(at most 64 errors in 100 rows; 2 uses of these rows paid for)" in bound.claim
    assert bound.check(guess(0) != Y)
    with pytest.raises(certus.CertificateError, match="the witness says 64"):
        bound.check(np.arange(100) < 65)
    assert look(store, 1, sealed=True).uses == 6 * 6
    assert look(store, 0, sealed=True).number == 1  # now all counts may have been shown
    assert look(store, 2, sealed=True).uses == 12 * 101 * 101
    with pytest.raises(ValueError, match="sealed_steps must come with sealed=True"):
        certus.certify(y_true=Y, y_pred=Y, rows=X, looks=store, sealed_steps=6)
    with pytest.raises(ValueError, match="sealed_steps must be"):
        certus.certify(y_true=Y, y_pred=Y, rows=X, looks=store, sealed=True, sealed_steps=1)


def test_two_ladders_of_one_count_show_at_most_their_joint_steps(tmp_path: Path) -> None:
    store = LookStore(tmp_path / "looks.sqlite")
    rows = np.arange(50, dtype=np.uint64)
    for steps in (5, 5, 7, 5):
        store.look(rows, rows % 2, by="certify", sealed=True, outcomes=steps)
    later = store.look(rows, rows % 3, by="certify", sealed=True)
    assert later.earlier == (("certify", 15),)  # 5, then 5 + 7 - 1, then 5 more: never less than there can be
    for steps in (40, 41):
        store.look(rows, rows % 2, by="certify", sealed=True, outcomes=steps)
    assert store.look(rows, rows % 5, by="certify", sealed=True).earlier[0] == ("certify", 51)


def test_rows_that_a_study_opened_count(tmp_path: Path) -> None:
    store = LookStore(tmp_path / "looks.sqlite")
    tested, learned, fresh = (np.arange(10, dtype=np.uint64) + start for start in (0, 10, 20))
    store.look(tested, tested, by="study", sealed=True, opened=np.concatenate([learned, tested[:3]]))
    again = store.look(tested, tested + 1, by="study", sealed=True, opened=learned)
    assert again.promised
    assert again.earlier == (("study", 11),)  # equal rows among those that it learned from break no seal
    after = store.look(learned[:1], [1], by="certify", sealed=True)
    assert not after.promised
    assert after.earlier == (("study", None), ("study", None))
    assert store.look(fresh, fresh, by="certify", sealed=True).number == 1
    with sqlite3.connect(store.path) as database:
        assert database.execute("SELECT count(*) FROM parts").fetchone() == (1,)  # equal sets are kept once
        database.execute("UPDATE parts SET hashes = x'010203'")
    with pytest.raises(certus.CertusFileError, match="malformed"):
        store.look(fresh, fresh + 1, by="certify")


def test_stores_of_the_first_form_are_continued(tmp_path: Path) -> None:
    path = tmp_path / "looks.sqlite"
    look(path, 0)
    with sqlite3.connect(path) as database:
        database.executescript("DROP TABLE parts; DROP TABLE opened; PRAGMA user_version = 1")
    assert look(path, 1).number == 2
