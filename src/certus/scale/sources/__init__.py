"""Where blocks come from: files, iterables, Dask collections."""
