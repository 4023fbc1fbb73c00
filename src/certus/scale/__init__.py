"""The same learners on tables that do not fit: files read in blocks, iterables, Dask arrays and data frames.

Who uses it::

    table = certus.scale.read("folder/")           # or an address, or a list of files; one block per row group
    model = Ridge().fit(*table.xy("target"))       # the model of the whole table, with its certificates
    model.predict(table["a", "b"])                 # lazy: a table in the same blocks

* `read` and `blocks` make a `BlockTable` (its class is in `certus.base.blocks`): iterating it reads block after block,
  ``table["y"]`` and ``table[["a", "b"]]`` choose columns, ``table.xy("y", weights="w")`` divides them, ``table.map(f)``
  is the table of a function of every block.
* `sample` draws rows and certifies what that costs: how far a mean over them can be from the mean over all.
* Dask arrays, data frames and series go into ``fit`` and ``predict`` as they are; predictions of them are Dask
  collections.

Who computes: the serial runner of `certus.base.blocks` in this process, or, while a `distributed.Client` is connected,
its cluster (`DaskRunner`, registered by this import). ``RowBlocks.reduce(summarize, merge, state)`` is a pass: it
merges statistics of blocks in a tree whose shape depends on the number of blocks alone, so results have equal bits for
any number of workers.

Dask and pyarrow come with the extra ``scale`` and are imported where they are needed.
"""

from certus.base.blocks import BlockError, BlockTable, register_runner
from certus.scale.block_iterables import blocks
from certus.scale.certified_samples import RowSample, sample
from certus.scale.parquet_tables import read
from certus.scale.running.dask_runner import DaskRunner

register_runner(DaskRunner())

__all__ = ["BlockError", "BlockTable", "RowSample", "blocks", "read", "sample"]


def __dir__() -> list[str]:
    return __all__
