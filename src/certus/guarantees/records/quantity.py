"""What a certificate bounds, as a value: programs read its fields, people its sentence."""

import math
from collections.abc import Collection, Mapping
from dataclasses import asdict, dataclass, fields
from typing import Any, overload

# Names that programs look for.
ERROR = "error"
RECALL, PRECISION = "recall", "precision"
LARGE_ERRORS = "share of rows with |error|"  # ... > threshold
OUTSIDE_SET, OUTSIDE_INTERVAL = "share of rows outside their set", "share of rows outside their interval"


@dataclass(frozen=True, eq=False)
class Quantity:
    """What is bounded.

    It equals its sentence, so that ``certificate.quantity == "error"`` and ``report["recall of yes"]`` work, and
    has the hash of its sentence.

    Parameters
    ----------
    name : str
        What is measured, such as "error", "recall" or "optimality gap".
    of : str, optional
        What it is measured of: a class, a target, a model.
    threshold : float, optional
        The limit whose excess is counted.
    unit : str, optional
        What it is measured in, if not a plain number.
    per : str, optional
        The unit of observation over which means are averaged, such as "group", if it is not the row.

    Examples
    --------
    >>> print(Quantity("recall", of="yes"), Quantity("share of rows with |error|", threshold=0.5), sep="; ")
    recall of yes; share of rows with |error| > 0.5
    >>> Quantity("error") == "error", Quantity("recall", of="yes").matches("recall", having={"of"})
    (True, True)
    """

    name: str
    of: str | None = None
    threshold: float | None = None
    unit: str | None = None
    per: str | None = None

    def __post_init__(self) -> None:
        for field in ("name", "of", "unit", "per"):
            text = getattr(self, field)
            missing = text is None and field != "name"
            if not missing and (not isinstance(text, str) or not (text.strip() or field == "of")):
                raise ValueError(f"quantity: {field} must be a non-empty string, got {text!r}.")
        if self.threshold is not None:
            if isinstance(self.threshold, (bool, str)) or math.isnan(self.threshold):
                raise ValueError(f"quantity: threshold must be a number, got {self.threshold!r}.")
            object.__setattr__(self, "threshold", float(self.threshold))

    @classmethod
    def of_text(cls, value: "Quantity | str") -> "Quantity":
        """The quantity itself, or one that has this text as its name."""
        return value if isinstance(value, Quantity) else cls(value)

    def matches(self, *names: str, having: Collection[str] = ()) -> bool:
        """Whether the name is one of `names` and exactly the fields `having` are filled besides it."""
        filled = {entry.name for entry in fields(self)[1:] if getattr(self, entry.name) is not None}
        return self.name in names and filled == set(having)

    def to_dict(self) -> dict[str, Any]:
        """The fields as plain values."""
        return asdict(self)

    @classmethod
    def from_dict(cls, record: object) -> "Quantity":
        """Inverse of `to_dict`; anything else is a ValueError."""
        if not isinstance(record, Mapping) or set(record) != {entry.name for entry in fields(cls)}:
            raise ValueError("the fields of a quantity must be name, of, threshold, unit and per.")
        return cls(**record)

    def __str__(self) -> str:
        phrase = self.name
        if self.of is not None:
            phrase += f" of {self.of}"
        if self.threshold is not None:
            phrase += f" > {self.threshold:g}"
        if self.unit is not None:
            phrase += f" in {self.unit}"
        return phrase if self.per is None else f"mean over {self.per}s of the {phrase}"

    def __eq__(self, other: object) -> bool:
        return str(self) == str(other) if isinstance(other, (Quantity, str)) else NotImplemented

    def __hash__(self) -> int:
        return hash(str(self))


class QuantityField:
    """The field of a frozen record that takes a quantity or its name, and holds a quantity."""

    @overload
    def __get__(self, record: None, owner: type) -> "QuantityField": ...
    @overload
    def __get__(self, record: object, owner: type) -> Quantity: ...
    def __get__(self, record: object | None, owner: type) -> "Quantity | QuantityField":
        if record is None:
            raise AttributeError("a quantity has no default")  # tells `dataclass` that it must be given
        found: Quantity = record.__dict__["quantity"]
        return found

    def __set__(self, record: object, value: Quantity | str) -> None:
        record.__dict__["quantity"] = Quantity.of_text(value)


QUANTITY_FIELD = QuantityField()
