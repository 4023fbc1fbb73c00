"""Bounds on many means at once: one column of losses each."""

import os
from typing import Any

import numpy as np

from certus.guarantees.holdout.mean_by_betting import betting_values, by_betting
from certus.guarantees.holdout.mean_by_formula import formula_value, formula_values
from certus.guarantees.holdout.mean_setting import ORDERED, Setting, record
from certus.guarantees.records import packing
from certus.guarantees.records.bounds import Bounds
from certus.guarantees.records.certificate import Certificate


class MeanBounds(Bounds):
    """Bounds on the means of many losses, measured on the same rows.

    Parameters
    ----------
    losses : array of shape (rows, bounds)
        One column per bound.
    setting : Setting
        What the bounds are about, and how sure each must be.
    """

    def __init__(self, losses: np.ndarray, setting: Setting) -> None:
        self.losses, self.setting = losses, setting
        self._squared = len(losses) * (setting.high - setting.low) ** 2
        if setting.method in ORDERED:
            self.values = betting_values(losses, setting, _cores())
        else:
            self.values = formula_values(losses, setting)

    def __getitem__(self, place: int) -> Certificate:
        column = np.ascontiguousarray(self.losses[:, place])
        if self.setting.method in ORDERED:
            return by_betting(column, self.setting)
        value = self.values[place]
        witness = formula_value(column, self._squared, self.setting)[1]
        return record(tuple(value.tolist()) if value.ndim else float(value), self.setting, witness)

    def to_dict(self) -> dict[str, Any]:
        """The record of all bounds as plain values; the losses are named by their digest."""
        told = {"rows": len(self.losses), "sha256": packing.digest(self.losses.ravel()), "values": self.values.tolist()}
        return {**vars(self.setting), "quantity": str(self.setting.quantity), **told}


def _cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
