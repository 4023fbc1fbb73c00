"""The benchmarks lie beside the package; the root of the project has to be found by import."""

import sys
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[2]))
