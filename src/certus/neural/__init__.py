"""Neural networks: multi-layer perceptrons for tables, modules to read, and certificates on both."""

__all__: list[str] = []


def __dir__() -> list[str]:
    return __all__
