"""The benchmarks are scripts beside the package; their folder has to be found by import."""

import sys
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[2] / "benchmarks"))
