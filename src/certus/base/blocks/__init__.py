"""Learning from rows that come in blocks: one protocol for memory, files and clusters.

A learner that can do it says so by one declaration, `ScaledFit`, and is fitted by *mergeable statistics*:

    summarize(block, state) -> statistics,     merge(a, b) -> statistics,     finish(statistics) -> state

Statistics have a size that does not grow with the rows. Blocks are numbered, and statistics are merged in a tree whose
shape depends on the number of blocks alone, so that results have equal bits whatever runs them, on however many
workers, and after a worker was lost.

* `block_table`: a table in blocks, and its parts; what `certus.scale` reads and users pass to ``fit``.
* `reduction`: the tree.
* `runners`: who computes; the serial runner needs no cluster, `certus.scale` registers the one on Dask.
* `row_blocks`: the passes of a running fit, with blocks checked as `check_Xy` checks a table.
* `held_out_answers`: what a model says about held-out rows in blocks, for the verbs.
* `scaled_fit`: the declaration, and how ``fit`` and ``predict`` meet a table in blocks.
"""

from certus.base.blocks.block_table import BlockSource, BlockTable, JointPart, Part, Selection, joint_parts
from certus.base.blocks.class_statistics import ClassStatistics, MergeClasses, block_labels, merge_moments, sums
from certus.base.blocks.held_out_answers import AnsweredModel, all_answered, answered
from certus.base.blocks.reduction import TreeReduction, merge_level, merged
from certus.base.blocks.row_blocks import Block, RowBlocks, count_labels
from certus.base.blocks.runners import (
    BlockError,
    SerialRunner,
    Task,
    as_block_tables,
    current_runner,
    in_blocks,
    register_runner,
)
from certus.base.blocks.scaled_fit import ScaledFit, Scales

__all__ = [
    "AnsweredModel",
    "all_answered",
    "answered",
    "Block",
    "BlockError",
    "BlockSource",
    "BlockTable",
    "ClassStatistics",
    "JointPart",
    "MergeClasses",
    "Part",
    "RowBlocks",
    "ScaledFit",
    "Scales",
    "Selection",
    "SerialRunner",
    "Task",
    "TreeReduction",
    "as_block_tables",
    "block_labels",
    "count_labels",
    "current_runner",
    "in_blocks",
    "joint_parts",
    "merge_level",
    "merge_moments",
    "merged",
    "register_runner",
    "sums",
]


def __dir__() -> list[str]:
    return __all__
