"""How often the study's certificates fail: ``python -m benchmarks.study.promises``.

Of large tables a few hundred rows are studied, and the thousands that are left say what the certified model's loss
really is, many times as exactly as the hundred test rows. A certificate of confidence 95 % may fail in 5 % of the
studies; the number of failures is held against the 99 % quantile of the binomial distribution.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from typing import Any

import numpy as np
from scipy import stats

from benchmarks.measure.plain_json import to_json
from benchmarks.study.one import kept_on
from benchmarks.study.run import RESULTS
from benchmarks.study.tables import TARGET, find

TABLES = ("phoneme", "satimage", "magic", "letter", "winequality_white", "puma32h", "compactiv", "ccpp", "diamonds")
STUDIED_ROWS = 500
CONFIDENCE = 0.95


def failures(name: str, studies: int, trials: int) -> Iterator[dict[str, Any]]:
    """What each study of a table promised, and what the rows that it never saw say."""
    import certus

    table = find(name)
    frame = table.load()
    for seed in range(studies):
        order = np.random.default_rng([seed, len(frame)]).permutation(len(frame))
        given, rest = frame.iloc[order[:STUDIED_ROWS]], frame.iloc[order[STUDIED_ROWS:]]
        result = certus.study(
            given.reset_index(drop=True),
            target=TARGET,
            task=table.task,
            trials=trials,
            seed=seed,
            confidence=CONFIDENCE,
            families=["linear", "bayes", "trees", "neighbors"],
        )
        told = {"quantity": str(result.certificate.quantity), "promised": result.certificate.value}
        kept = kept_on(told, np.asarray(result.best.predict(rest)), rest[TARGET].to_numpy(), table.task)
        yield {"promised": told["promised"], **kept}


def limit(studies: int) -> int:
    """As many failures as a true promise exceeds in one of a hundred repetitions."""
    return int(stats.binom.ppf(0.99, studies, 1.0 - CONFIDENCE))


def main() -> None:
    """Count the failures of every table, and of all together."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--studies", type=int, default=40)
    parser.add_argument("--trials", type=int, default=6)
    given = parser.parse_args()
    tables: dict[str, Any] = {}
    for name in TABLES:
        found = list(failures(name, given.studies, given.trials))
        broken = sum(one["hidden_rate"] > one["promised"] for one in found)
        slack = float(np.mean([one["promised"] - one["hidden_rate"] for one in found]))
        tables[name] = {
            "studies": len(found),
            "failures": broken,
            "limit": limit(len(found)),
            "hidden_rows": found[0]["hidden_rows"],
            "mean_promised": float(np.mean([one["promised"] for one in found])),
            "mean_slack": slack,
        }
        print(
            f"{name:20}{broken:4} of {len(found)} failed (limit {limit(len(found))}), mean slack {slack:.4f}",
            flush=True,
        )
    studies, broken = (sum(one[key] for one in tables.values()) for key in ("studies", "failures"))
    print(f"{'all':20}{broken:4} of {studies} failed (limit {limit(studies)})")
    whole = {"studies": studies, "failures": broken, "limit": limit(studies)}
    record = {"confidence": CONFIDENCE, "studied_rows": STUDIED_ROWS, "trials": given.trials, "all": whole}
    (RESULTS / "study-promises.json").write_text(to_json({**record, "tables": tables}) + "\n")


if __name__ == "__main__":
    main()
