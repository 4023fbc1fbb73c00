"""Settings for all tests."""

import os
import signal
import tempfile

from hypothesis import settings

# Where processes already share the cores, threads of BLAS would wait for each other more than they work. This must be
# said before NumPy is imported. Tests that are about threads set their number themselves.
if "PYTEST_XDIST_WORKER" in os.environ:
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

# A busy machine is no failed property: single examples have no deadline (each test has pytest's timeout). The same
# examples are tried everywhere, so that a run can be trusted; pytest --hypothesis-profile=new draws new ones.
settings.register_profile("certus", deadline=None, derandomize=True)
settings.register_profile("new", deadline=None)
settings.load_profile("certus")

# Looks at rows are counted in the user's data folder; tests have one of their own.
_data = tempfile.TemporaryDirectory(prefix="certus-tests-")
os.environ["XDG_DATA_HOME"] = _data.name

# A shell that starts the tests in the background lets them ignore Ctrl-C; the tests of Ctrl-C send it to themselves.
signal.signal(signal.SIGINT, signal.default_int_handler)
