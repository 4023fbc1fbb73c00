"""One file per family with its tasks."""
